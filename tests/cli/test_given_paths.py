"""Whatever path is given: a pipe, a device, a file that nests too deep or is no text is one sentence, at once."""

from __future__ import annotations

import ast
import io
import json
import os
import shlex
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from shared import call

import symcook as sc
from symcook.errors import BadInput
from symcook.export import run_npz
from symcook.proof.programs import compiledprograms

PACKAGE = Path(sc.__file__).parent
OWN_FILES = {
    "__main__.py": "nothing is read",
    "files.py": "the one reader",
    "export/run_npz.py": "runs without symcook, with a reader of its own",
    "export/verify.py": "a document that is there",
    "export/archive.py": "a text in an array that is read",
    "programs/automata.py": "a name in a text that is read",
    "verify/checkpoint.py": "fields of a row, behind its hash",
    **dict.fromkeys(
        (
            "claims.py", "cli/families.py", "cli/listing.py", "cli/pages.py", "cli/prove.py", "export/provedbits.py",
            "programs/shipped.py", "recipes/__init__.py", "report/page/html.py", "report/proof.py", "report/trust.py",
            "report/where.py",
        ),
        "a file that comes with symcook",
    ),
}  # fmt: skip
OWN_FOLDERS = ("proof/", "coq/", "_proofs/")
"""Which read the folder of proofs, and what they have written themselves."""
LINES = """
show PATH
run PATH --input ab
check PATH --max-length 2
check dyck-1 --max-length 2 --spec PATH:f
check dyck-1 --max-length 2 --inputs PATH
decide dyck-1 --against PATH
decide dyck-1 --check PATH
diff dyck-1 PATH
prove PATH
prove mine.json --statement "accept <-> n > 0" --proof PATH
prove mine.json --claims PATH
new family-count --set "S=PATH" -o out.json
compile srasp PATH -o out.json
compile tm PATH -o out.json
compile dfa PATH --alphabet ab -o out.json
export PATH -o out.npz
verify-export PATH
explain PATH
report PATH -o out.html
""".strip().splitlines()


@pytest.fixture
def at_once() -> Iterator[None]:
    """Waiting for ever is a failure of this test, and of no other."""

    def late(*_: object) -> None:
        raise AssertionError("it waits")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.layer_one(1)
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
@pytest.mark.parametrize("ending", [".json", ".npz", ".safetensors", ".py", ""])
def test_no_path_waits_or_ends_without_a_sentence(
    ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], at_once: None
) -> None:
    """A pipe, a device without an end, and a file of brackets; a name is refused as unknown, or the file as one."""
    monkeypatch.chdir(tmp_path)
    sc.build("dyck-1").save("mine.json")
    os.mkfifo(f"pipe{ending}")
    os.symlink("/dev/zero", f"link{ending}")
    Path(f"deep{ending}").write_text("[" * 100_000)
    Path(f"half{ending}").write_bytes(b'{"a": "\xff')
    before = sorted(tmp_path.iterdir())
    for line in LINES:
        for name in ("pipe", "link", "deep", "half"):
            path = f"{name}{ending}"
            code, out, err = call(capsys, *(word.replace("PATH", path) for word in shlex.split(line)))
            assert (code, out) == (2, ""), (line, path, err)
            assert err.startswith("symcook: ") and err.count("\n") == 1, (line, path, err)
            assert sorted(tmp_path.iterdir()) == before


def test_python_answers_with_a_sentence_too(tmp_path: Path) -> None:
    for name in ("a\0b", "\udc80", str(tmp_path), str(tmp_path / "none")):
        with pytest.raises(BadInput, match="must be"):
            sc.load(name)


def readers(tree: ast.Module) -> set[str]:
    """What a module calls that reads a file or JSON."""
    called = {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    methods = {name.rpartition(".")[2] for name in called if "." in name}
    return methods & {"read_text", "read_bytes"} | called & {"open", "json.load", "json.loads"}


@pytest.mark.sweep
def test_nothing_else_reads_a_given_path() -> None:
    """`symcook.files.content` does, which has the limits; other readers are of files that are no user's."""
    found = {
        path.relative_to(PACKAGE).as_posix(): readers(ast.parse(path.read_text(encoding="utf-8")))
        for path in PACKAGE.rglob("*.py")
    }
    reading = {name for name, calls in found.items() if calls and not name.startswith(OWN_FOLDERS)}
    assert reading == OWN_FILES.keys()
    assert readers(ast.parse("json.loads(Path(x).read_text()); open(x)")) == {"json.loads", "read_text", "open"}


# --- Exports, read without symcook ------------------------------------------------------------------------------------


def archive(folder: Path, **changes: Any) -> Path:
    """The export of a model with other arrays, and no certificate."""
    sc.build("dyck-1").export(folder / "m.npz", max_length=2)
    arrays = dict(np.load(folder / "m.npz"))
    changed = folder / "changed.npz"
    np.savez(changed, **(arrays | changes))
    return changed


@pytest.mark.layer_one(1, 2)
@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"steps": np.array(10**12)}, "at most 10,000 steps"),
        ({"steps": np.array("many")}, "must fit together"),
        ({"embedding": np.zeros((2, 3))}, "must fit together"),
        ({"readout.kind": np.array("nonsense")}, "unknown name"),
    ],
)
def test_an_archive_that_does_not_fit_together(
    changes: dict[str, Any], named: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        run_npz.main(str(archive(tmp_path, **changes)), "()")
    assert ended.value.code == 2 and named in capsys.readouterr().err


@pytest.mark.sweep
def test_an_archive_of_great_arrays_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By its header, and by what is packed: 4 GB of zeros in few bytes."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (16 * 10**9,)})
    claims, bomb = tmp_path / "claims.npz", tmp_path / "bomb.npz"
    with zipfile.ZipFile(claims, "w") as packed:
        packed.writestr("steps.npy", header.getvalue())
    with (
        zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as packed,
        packed.open("steps.npy", "w", force_zip64=True) as one,
    ):
        for _ in range(1100):
            one.write(bytes(10**6))
    for path in (claims, bomb):
        with pytest.raises(SystemExit) as ended:
            run_npz.main(str(path), "()")
        assert ended.value.code == 2 and "no archive of an export" in capsys.readouterr().err
        code, _, err = call(capsys, "diff", "dyck-1", path)
        assert code == 2 and "must be a whole file" in err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_the_shipped_runner_waits_for_no_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.npz")
    done = subprocess.run(
        [sys.executable, run_npz.__file__, str(tmp_path / "pipe.npz"), "()"],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 2 and "a pipe or a device" in done.stderr and done.stderr.count("\n") == 1


# --- What is written can be read --------------------------------------------------------------------------------------


def most_frequent(letters: str) -> str:
    """The most frequent letter, with the count of each compared with that of each other one."""
    lines = [f"alphabet {' '.join(letters)};", *(f'n{a} = selector_width(tokens(j) = "{a}")' for a in letters)]
    cases = [
        f'if {" & ".join(f"n{a}(i) >= n{b}(i)" for b in letters if b != a)} then "{a}" else ' for a in letters[:-1]
    ]
    return "\n".join([*lines, f'out(i) = {"".join(cases)}"{letters[-1]}"'])


def test_a_model_of_long_meanings_is_read_back(tmp_path: Path) -> None:
    """Of six letters a coordinate's meaning has more characters than a name in a model file may have."""
    model = sc.compile("srasp", most_frequent("abcdef"))
    assert max(len(text) for line in model.program.plan for text in line) <= 2000
    model.save(tmp_path / "m.json")
    assert sc.load(tmp_path / "m.json").run("abcdeff").outputs[-1] == "f"


def test_a_model_that_could_not_be_read_is_not_written(tmp_path: Path) -> None:
    model = sc.build("dyck-1")
    with pytest.raises(BadInput, match="must be printable text of at most 2000 characters"):
        replace(model, name="x" * 3000).save(tmp_path / "m.json")
    assert not list(tmp_path.iterdir())


# --- Small inputs without a limit -------------------------------------------------------------------------------------


def squares(count: int) -> str:
    lines = ["alphabet a b;", 'x0(i) = map(in(i); "a": 1, else: 0)']
    return "\n".join([*lines, *(f"x{k}(i) = x{k - 1}(i) + x{k - 1}(i)*x{k - 1}(i)" for k in range(1, count))])


def test_values_of_a_program_have_a_limit() -> None:
    """Each line squares the value before, so that 40 lines would be 2^40 bits."""
    with pytest.raises(BadInput, match=r"must have at most 2,000 bits; given: .* in line 14"):
        sc.compile("srasp", squares(40))
    assert sc.compile("srasp", squares(4)).run("a").outputs == [42]


def test_the_time_of_a_command_holds_for_all_of_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second of compiling, and another one of proving, are more than one second."""

    def slow(*_: object, **__: object) -> Any:
        for _ in range(400):
            time.sleep(0.05)

    target = tmp_path / "m.json"
    with monkeypatch.context() as patched:
        patched.setattr("symcook.compilers.compile", slow)
        code, _, err = call(capsys, "compile", "srasp", squares(2), "--seconds", "1", "-o", target)
        assert code == 3 and "no model was made within 1 second" in err and not target.exists()
    monkeypatch.setattr(compiledprograms, "prove", slow)
    code, _, err = call(capsys, "compile", "srasp", squares(2), "--prove", "--seconds", "1", "-o", target)
    assert code == 3 and "no proof was found within 1 second" in err and json.loads(target.read_text())


@pytest.mark.parametrize("line", ["max --against ()", "boolean", "identity --check FILE", "average"])
def test_a_model_of_numbers_is_not_decided(line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "c.json").write_text("{}")
    code, out, err = call(capsys, "decide", *line.replace("FILE", str(tmp_path / "c.json")).split())
    assert (code, out) == (2, "") and "a model that is compared at every length must read strings" in err
