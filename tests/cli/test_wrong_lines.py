"""Wrong command lines and wrong calls of Python: one sentence that names what was typed, exit code 2, no traceback."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from shared import call
from terms import long_sentences, old_terms, prose

import symcook
from symcook.__main__ import main

sc: Any = symcook  # a type checker would see these mistakes too

LINES = """
run nope.json --input ab | nope.json
run dyk-1 --input () | dyck-1
run dyck-1 --input ab | given: a
run dyck-1 --input () --tokens "( )" | --input and --tokens
run dyck-1 --rows 1 | --rows
run dyck-1 --set eps=1 --input () | eps
run gtzero --input ab | --input
run gtzero --set x=1 --set x=2 | x
run gtzero --set x | given: x
run gtzero --set x=1 --set eps=0 | eps
run gtzero --set x=one --set eps=1 | one
run mine --input ab | mine.json
run parity --input 012 | given: 2
run dyck-1 --input () --domain exakt | exakt
run dyck-1 --input () --digits 0 | 0
run dyck-1 --inptu () | --inptu
runn dyck-1 | runn
show mine | mine.json
show nope | nope
explain nope | nope
explain ltl --set N=4 | N=4
explain run --set N=4 | N=4
explain sort.srasp --set N=4 | N=4
explain gtzero --set eps=1/2 | eps=1/2
diff gtzero gtzero --set eps=1 --max-length 3 | --max-length
report by-gelu -o figures --max-length 10 | by-gelu
prove dyck-1 --full | 8 proofs
list --search | --search
check dyck-1 --max-length 0 | 0
check dyck-1 --max-length two | two
check mine.json --max-length 4 | FILE.py:FUNCTION
check mine.json --max-length 4 --spec nope.py:f | nope.py
check mine.json --max-length 4 --spec mine.json | mine.json
check mine.json --max-length 4 --spec spec.py:g | g
check gtzero --max-length 3 | --max-length
decide mine.json --against "(a" | (a
decide mine.json --against "x*" | x
decide mine.json --against spec.py:f | Fold
derive dyck-k-d | dyck-k-d
derive attention-identity --input ab | --input
prove mine.json | symcook prove mine.json --statement
prove mine.json --statement "accept = count(a) > count(b)" | accept <-> count(a) > count(b)
prove mine.json --statement "accept <-> count(z) > 0" | z
prove mine.json --statement "accept <->" | accept <->
prove mine.json --statement "accept <-> n > 0" --proof nope.proof | nope.proof
prove nope | nope
prove dyck-1 --seconds 5 | --seconds
bound softmax-hardmax | --n 64 --gamma 5
bound softmax-hardmax --n 64 | --gamma
bound softmax-hardmax --n 64 --gamma 0 | 0
bound softmax-hardmax --n -1 --gamma 5 | -1
bound softmax-hardmax --n 64 --gamma 5 --d 3 | --d
bound softmaxhardmax --n 64 --gamma 5 | softmax-hardmax
export mine.json -o mine.xyz | mine.xyz
export mine.json -o mine.npz --dtype float65 | float65
verify-export mine.json | mine.npz
verify-export nope.npz | nope
compile ltl "Q_a &" --alphabet ab -o out.json | column 6
compile ltl "Q_d" --alphabet ab -o out.json | d
compile dfa "(a" --alphabet ab -o out.json | (a
compile tm nope.tm -o out.json | nope.tm
margin mine.json --max-length 0 | 0
new nope -o out.json | nope
diff mine.json nope.json | nope.json
report mine.json -o page.pdf | page.pdf
claims nope.lemma1 | nope.lemma1
claims --status PROOVED | PROOVED
run dyck-1 | give --input "()"
run broken.json --input ab | JSON; given: Unterminated string starting at line 1, column 2
check mine.json --max-length 4 --spec spec:f | given: spec:f; write spec.py:f
check mine.json --max-length 0 | from 1 to 1,000,000
compile dfa "(ab)*" -o mine.json | give another name, or --force
prove | ids, a recipe, --paper or --all, and only one of them
bound softmax --scores 1,2 --gamma five | give numbers
diff mine.json dyck-1 | a b c for majority and ( ) for dyck-1
run dyck-1 --input (( --input () | --input
check dyck-1 --max-length 3 --max-length=5 | --max-length
export mine.json -o one.npz --output two.npz | --output
run mine.json --inputs ab --force | --force
run mine.json --inputs ab --dark | --dark
run mine.json --input ab --then a --rows 1 | --rows
run turing.json --steps 5 --rows 1 | --rows
run turing.json --steps 5 --trace --bits 5 | --bits
derive mine.json --cases | --cases
bound sensitivity dyck-1 --n 3 --seed 1 | --sample
import nope.npz --vocabulary "a, b" -o out.json | a, b
hardsoft mine.json | maximum L1 error of the final residual stream at each position must be given
""".strip().splitlines()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a model and a specification."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # a specification that is imported would leave __pycache__
    b = sc.Builder(words={"a": {"vote": 1}, "b": {"vote": -1}, "c": {}})
    mean = b.add(sc.head(value={"mean": "vote"}, mask="causal"))
    b.readout("sign", "last", mean, weights=[1])
    b.build("majority").save("mine.json")
    sc.compile("tm", "1RB1LB_1LA1RZ").save("turing.json")
    (tmp_path / "broken.json").write_text('{"for', encoding="utf-8")
    (tmp_path / "spec.py").write_text("def f(string):\n    return True\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("line", LINES, ids=lambda line: line.partition(" | ")[0])
def test_a_wrong_line_is_answered_by_a_sentence(line: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    typed, _, named = line.partition(" | ")
    before = sorted(folder.iterdir())
    try:
        code = main(shlex.split(typed))
    except SystemExit as stopped:
        code = stopped.code
    out, err = capsys.readouterr()
    assert code == 2, (code, out, err)
    assert out == "" and "Traceback" not in err
    assert err.startswith("symcook: ") and err.count("\n") == 1 and err.endswith((".\n", "?\n")), err
    assert named in err, err
    assert old_terms(prose(err)) == [] and long_sentences(err.replace("; ", "\n\n")) == [], err
    assert sorted(folder.iterdir()) == before  # nothing is half-written


CALLS: dict[str, tuple[Callable[[], Any], str]] = {
    "a recipe that is none": (lambda: sc.build("dyk-1"), "dyck-1"),
    "a float for gamma": (lambda: sc.bound("softmax-hardmax", n=64, gamma=0.5), '"1/2" or Fraction(1, 2)'),
    "a float for n": (lambda: sc.bound("softmax-hardmax", n=6.4, gamma=5), "6.4"),
    "no gamma": (lambda: sc.bound("softmax-hardmax", n=64), "gamma"),
    "a kind that is none": (lambda: sc.bound("softmax", n=64, gama=5), "gama"),
    "digits 0": (lambda: sc.bound("softmax-hardmax", n=64, gamma=5, digits=0), "0"),
    "a symbol that is none": (lambda: sc.build("dyck-1").run("(a"), "given: a"),
    "a number": (lambda: sc.build("dyck-1").run(3), "given: 3"),
    "no input": (lambda: sc.build("dyck-1").run(), "run must be given"),
    "a domain that is none": (lambda: sc.build("dyck-1").run("()", domain="exakt"), "exakt"),
    "a value of no symbol": (lambda: sc.build("dyck-1").run("()", values={"eps": 1}), "eps"),
    "a float as a value": (lambda: sc.build("parity").run("01", values={"c": 0.1}), "0.1"),
    "no length": (lambda: sc.build("dyck-1").check(lambda string: True), "max_length"),
    "length 0": (lambda: sc.build("dyck-1").check(lambda string: True, 0), "0"),
    "a text as a specification": (lambda: sc.build("dyck-1").check("dyck", 4), "dyck"),
    "an expression that is none": (lambda: sc.build("dyck-1").decide("(("), "(("),
    "a model of numbers": (lambda: sc.build("gtzero").margin(4), "gtzero"),
    "an ending that is none": (lambda: sc.build("dyck-1").export("m.xyz", max_length=4), "m.xyz"),
    "no ending": (lambda: sc.build("dyck-1").export("m", max_length=4), "m"),
    "a file that is not there": (lambda: sc.load("nope.json"), "nope.json"),
    "a product": (lambda: sc.feedforward(out="relu(x)*relu(y)"), "multiply-gelu"),
    "a maximum": (lambda: sc.feedforward(out="max(a, b)"), "a + relu(b - a)"),
    "a mask that is none": (lambda: sc.head(value={"m": "v"}, mask="casual"), "casual"),
    "a weighting that is none": (lambda: sc.head(value={"m": "v"}, weighting="mean"), "mean"),
    "no weights": (lambda: sc.from_state_dict({}, vocabulary="ab"), "model.state_dict()"),
    "no statement of the papers": (lambda: sc.prove("cookbook.nope"), "cookbook.nope"),
    "a language that is none": (lambda: sc.compile("lt", "Q_a", alphabet="ab"), "lt"),
    "no alphabet": (lambda: sc.compile("ltl", "Q_a"), "alphabet"),
    "an output layer that is none": (lambda: sc.Builder(words="ab").readout("big", "last", "a"), "big"),
    "a fraction of strings": (lambda: sc.build("dyck-1").margin(Fraction(7, 2)), "7/2"),
}  # fmt: skip


@pytest.mark.parametrize("case", CALLS)
def test_a_wrong_call_is_answered_by_a_sentence(case: str, folder: Path) -> None:
    call, named = CALLS[case]
    with pytest.raises(sc.BadInput) as refused:
        call()
    text = str(refused.value)
    assert named in text, text
    assert old_terms(prose(text)) == [] and long_sentences(text.replace("; ", "\n\n")) == [], text
    assert "\n" not in text and text.endswith((".", "?")), text
    assert " --" not in text, text


@pytest.mark.parametrize(
    "line",
    [
        "run parity --input 01 --domain float64 --digits 50",
        "run dyck-1 --input () --domain exact --digits 5",
        "run dyck-1 --input () --domain mpmath --bits 20 --digits 5",
        "check dyck-1 --max-length 2 --domain float32 --digits 50",
    ],
)
def test_digits_that_no_number_would_have_are_refused(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, error = call(capsys, *line.split())
    assert code == 2 and "--digits must be used with the number systems ball and mpmath; given: --" in error
