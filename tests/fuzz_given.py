"""What mutated command lines start from: the lines, and the files that they read, made once.

`tests/fuzz.py` mutates and runs them.
"""

from __future__ import annotations

import atexit
import os
import shlex
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from typing import Any

from attacks import badinputs

from symcook.__main__ import main as symcook
from symcook.proof.files import proofs_directory

TEXTS = {
    "formula.ltl": "~Q_b since Q_a\n",
    "formula.count": "#left[Q_a] > #left[Q_b]\n",
    "program.srasp": 'alphabet a b;\nx(i) = map(in(i); "a": 1, else: 0)\ns(i) = psum j [j <= i] x(j)\n'
    'out(i) = if s(i) > 1 then "a" else "b"\n',
    "machine.tm": "input: a\nwork symbols: a\nstart: go\nhalt: done\nhead: 1\ngo a * -> go a R R\n"
    "go _ * -> back . L L\nback a -> back . L L\nback _ * -> done . R R\n".replace("back a ->", "back * a ->").replace(
        "back _ *", "back * _"
    ),
    "family.json": (proofs_directory() / "families" / "count.json").read_text(encoding="utf-8"),
    "claims.txt": "# two statements\naccept -> n > 0\naccept -> count(b) > 0\n",
    "proof.txt": "given n w b e t\nqed by n\n",
    "strings.txt": "ab\n\naab\n",
    "xi.json": "[[0], [1]]\n",
    "phi.json": "[0, 1]\n",
    "spec.py": badinputs.SPEC + "import symcook as sc\nfold = sc.Fold(0, lambda s, t: 1 - s, lambda s: s == 0)\n",
}
"""Given files that are written by hand, and a family that ships."""
MADE = """
show dyck-1 --json >> mine.json
compile ltl formula.ltl --alphabet ab -o acc.json
compile count formula.count --alphabet ab -o cnt.json --prove
compile srasp program.srasp -o sr.json
compile tm machine.tm -o tm.json
compile dfa (ab)* --alphabet ab -o dfa.json
new family-boolean --set m=1 --set M=2 --set xi=xi.json --set phi=phi.json -o inst.json
decide acc.json --certificate decision.json -o auto.json
check mine.json --max-length 3 --spec spec.py:right --resume words.db
prove mine.json --statement "accept -> n > 0" --seconds 20
export acc.json --max-length 3 -o w.npz
export acc.json --max-length 3 -o s.safetensors
export acc.json --max-length 3 -o o.onnx
claims --search softmax
lemmas --search sign
prove yang2026.lemma7
entropy mine.json --max-length 2 --plot plot
""".strip().splitlines()
"""Commands that make the other given files, and some that load much."""
ALWAYS = ("mine.json", "spec.py", "xi.json")
"""Given files that are in each folder, for words that are drawn."""
LINES = """
show mine.json
show mine.json --json
show inst.json --latex --document
show family.json
show sr.json
new family.json --set S=2 --tokens "a b" -o new.json
new family-boolean --set m=1 --set M=2 --set xi=xi.json --set phi=phi.json -o new.json
new family-dyck-k-d --set K=1 --set D=2 -o new.json
compile ltl formula.ltl --alphabet "a b" -o new.json --force
compile count formula.count --alphabet ab --soft -o new.json
compile ltl formula.ltl --alphabet ab --theorem 12 -o new.json
compile srasp program.srasp --seconds 5 -o new.json
compile tm machine.tm -o new.json
compile tm machine.tm --theorem 2 --variant no-start -o new.json
compile dfa auto.json --alphabet ab -o new.json
compile dfa "(ab)*|b" --alphabet ab -o new.json --json
explain dyck-1 --json
explain sort.srasp
derive mine.json --input "(())"
derive acc.json --seconds 2 -o new.json
derive gtzero --cases
derive average --rows "1/2;3" --latex
run mine.json --input "(())" --json
run acc.json --inputs "a{0,1}b"
run acc.json --inputs auto.json --sample 3 --seed 1 --json
run sr.json --tokens "a b a"
run tm.json --input aa --steps 9 --trace
run dfa.json --input abab --steps 5 --json
run mine.json --input "()" --domain mpmath --bits 8
run mine.json --input "()" --trace --svg new.svg --force
run inst.json --set b_1=1
run tm.json --input a --then "a b"
check mine.json --max-length 4
check mine.json --max-length 3 --spec spec.py:right --resume words.db
check mine.json --max-length 4 --spec spec.py:fold --json
check acc.json --inputs strings.txt
check inst.json
decide acc.json --against "(a|b)*" --seconds 2
decide acc.json --against auto.json --certificate new.json --seconds 2
decide acc.json --check decision.json --seconds 2
decide acc.json --against spec.py:fold -o new.svg --seconds 2
decide cnt.json --seconds 2 --json
prove mine.json --statement "accept -> n > 0" --seconds 1
prove mine.json --statement "accept -> count(b) > 0" --proof proof.txt --seconds 1
prove acc.json --claims claims.txt --seconds 1 --json
prove cnt.json --json
prove mine.json
prove inst.json --seconds 2
prove yang2026.lemma7 --latex
claims --paper yang2026 --status PROVED --json
claims --search softmax
lemmas --search sign
list --search bracket
bound softmax-hardmax --n 4 --gamma 2
bound error mine.json --n 2 --delta 1/8
bound sensitivity mine.json --n 3
entropy mine.json --max-length 3 --plot new --seconds 2
margin acc.json --max-length 3 --inputs strings.txt --seconds 2
margin mine.json --max-length 4 --seconds 2
tolerance mine.json --free L1.ff.W1[1,balance] --max-length 2 --seconds 2
temperature mine.json --max-length 3 --seconds 2 --json
hardsoft mine.json --error 1/4 --max-length 2 -o new.json --seconds 2
precision mine.json --max-length 2 --format float16 --seconds 2
report mine.json --input "()" -o new.html --force
report acc.json -o new.html
export acc.json --max-length 2 -o new.npz
export acc.json --max-length 2 -o new.safetensors --dtype float32 --force
export dfa.json --steps 3 -o new.pt
export mine.json --max-length 2 -o new.onnx
verify-export w.npz
verify-export s.safetensors --json
verify-export o.onnx
diff mine.json dyck-1 --max-length 3
diff acc.json w.npz --max-length 3
diff s.safetensors o.onnx --max-length 3 --json
diff inst.json family-boolean --set m=1 --set M=2
completion zsh
run sr.json --inputs "[ab]{1,3}" --positions after:b --json
run acc.json --inputs "[ab]{2}" --positions all
check sr.json --max-length 3 --positions last --json
check acc.json --max-length 3 --inputs "[ab]{1,3}" --positions after:b
check acc.json --spec spec.py:fold --max-length 3 --positions last
decide acc.json --against "(a|b)*" --inputs auto.json --positions last --seconds 2 --json
decide cnt.json --against acc.json --inputs "[ab]{1,4}" --sample 5 --seed 2 --seconds 2
diff acc.json cnt.json --max-length 3 --inputs "[ab]{1,2}" --positions last --json
export acc.json --inputs "[ab]{1,2}" --positions last -o new.npz
bound sensitivity acc.json --n 3 --inputs "(a|b)*" --positions all
precision acc.json --max-length 2 --inputs "[ab]*" --sample 2 --positions last --seconds 2
prove acc.json --statement "accept(n) <-> other.accept(n)" --with cnt.json --seconds 1
prove mine.json --statement 'matches("(\\(\\))*") -> accept' --with mine.json --seconds 1 --json
prove acc.json --statement 'all i in 1..n. holds(since(Q_a, Q_b), i) -> matches(".*b.*", i)' --seconds 1
prove cnt.json --statement "mod(n, 2) = floor(n/2) | sign(count(a)) = 1" --seconds 1
""".strip().splitlines()


@contextmanager
def redirected(out: Any, err: Any) -> Iterator[None]:
    """Both streams of this process in files."""
    with redirect_stdout(out), redirect_stderr(err):
        yield


def used(words: list[str]) -> list[str]:
    """The given files that a line reads, and those that lie next to them by their names."""
    named = [file for file in given() if any(word.startswith(file) for word in words)]
    stems = {Path(file).stem.partition(".")[0] for file in named}
    return [file for file in given() if file in named or Path(file).stem.partition(".")[0] in stems]


@cache
def given() -> tuple[str, ...]:
    """The names of the given files."""
    return tuple(sorted(path.name for path in made().iterdir() if path.is_file()))


@cache
def made() -> Path:
    """A folder with all given files, made once."""
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for name, text in TEXTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    here = Path.cwd()
    os.chdir(folder)
    try:
        for line in MADE:
            command, _, target = line.partition(" >> ")
            to = Path(target or "out")
            with to.open("w", encoding="utf-8") as stream, redirected(stream, stream):
                code = symcook(shlex.split(command))
            if code not in (0, 1, 3):
                raise SystemExit(f"{line}: exit {code}")
        for path in (folder / "out", *folder.glob("plot.*")):
            path.unlink()
    finally:
        os.chdir(here)
    return folder
