"""`symcook decide` as a user meets it: every kind of reference, the exit codes, JSON, files, and bad input."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from shared import call

import symcook as sc

FOLDS = """
from symcook import Fold
stack = Fold(0, lambda d, b: -1 if d < 0 else d + 1 if b == "(" else d - 1, lambda d: d == 0)
deep = Fold(0, lambda d, b: -1 if d < 0 else min(d + 1, 10**7) if b == "(" else d - 1, lambda d: d == 0)
bad = Fold(0, lambda d, b: [d], lambda d: True)
times = []
twice = Fold(0, lambda d, b: times.append(1) or len(times), lambda d: d > 3)
raises = Fold(0, lambda d, b: 1 // d, lambda d: True)
def plain(word):
    return True
"""


@pytest.fixture
def folds(tmp_path: Path) -> Path:
    (tmp_path / "folds.py").write_text(FOLDS)
    return tmp_path / "folds.py"


def test_the_answer_is_printed_without_an_automaton(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    automaton, certificate = tmp_path / "a.json", tmp_path / "c.json"
    code, out, err = call(capsys, "decide", "dyck-1", "-o", automaton, "--certificate", certificate)
    assert code == 2 and out.startswith("EQUAL") and f"wrote {certificate}" in out
    assert "must have an automaton to write" in err and not automaton.exists() and certificate.exists()
    code, out, err = call(capsys, "decide", "dyck-1", "--against", "()", "-o", automaton, "--json")
    assert code == 2 and json.loads(out)["verdict"] == "different" and "none: None" not in err


def test_a_recipe_is_compared_with_its_own_reference(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = call(capsys, "decide", "dyck-1-2")
    assert (code, err) == (0, "") and out.startswith("EQUAL: dyck-1-2 answers as its specification does")
    assert "i/n only breaks ties, rightmost wins" in out and "minimal automaton has 5 states" in out
    assert ["q4", "accept", "q1", "q2"] in [line.split() for line in out.splitlines()]
    code, out, _ = call(capsys, "decide", "dyck-1", "--json")
    found = json.loads(out)
    assert code == 0 and found["verdict"] == "equal" and found["states"] is None and "induction" in found["why"]


def test_each_kind_of_reference(capsys: pytest.CaptureFixture[str], tmp_path: Path, folds: Path) -> None:
    equal = {"verdict": "equal", "word": None, "accepts": None, "states": 5}
    regex = r"(\((\(\))*\))+"
    code, out, _ = call(capsys, "decide", "dyck-1-2", "--against", regex, "--json")
    assert code == 0 and equal.items() <= json.loads(out).items()
    file, model = tmp_path / "two.json", tmp_path / "model.json"
    assert call(capsys, "decide", "dyck-1-2", "-o", str(file))[0] == 0
    sc.build("dyck-k-d", k=1, D=2).save(model)
    for reference in (file, model, "dyck-1-2"):
        code, out, _ = call(capsys, "decide", "dyck-1-2", "--against", str(reference), "--json")
        assert code == 0 and equal.items() <= json.loads(out).items(), reference
    code, out, _ = call(capsys, "decide", "dyck-1-2", "--against", f"{folds}:stack", "--json")
    found = json.loads(out)
    assert code == 1 and list(found) == ["verdict", "word", "accepts", "states", "why", "formula"]
    assert (found["verdict"], found["word"], found["accepts"], found["states"]) == (
        "different",
        "((()))",
        "reference",
        5,
    )
    code, out, _ = call(capsys, "decide", str(model), "--json")
    assert code == 0 and json.loads(out)["verdict"] == "decided"


@pytest.mark.sweep
def test_a_recipe_as_the_reference_stands_for_its_specification(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The model of dyck-1-nonuniform is for 64 symbols at most, so nothing is said about it on every string."""
    assert sc.build("dyck-1-nonuniform").max_length == 64
    file, model = str(tmp_path / "c.json"), str(tmp_path / "m.json")
    command = ("decide", "dyck-1", "--against", "dyck-1-nonuniform")
    code, out, _ = call(capsys, *command, "--certificate", file)
    assert code == 0 and out.startswith("EQUAL: dyck-1 answers as the specification of dyck-1-nonuniform does")
    assert call(capsys, *command, "--check", file)[0] == 0
    sc.build("dyck-1").save(model)
    _, _, err = call(capsys, "decide", model, "--against", "()", "--check", file)
    assert "give --against dyck-1-nonuniform" in err


def test_the_name_of_a_recipe_is_the_recipe_beside_a_file_of_this_name(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert call(capsys, "compile", "dfa", "1*", "-o", "m.json")[0] == 0
    assert call(capsys, "decide", "m.json", "-o", "a.json")[0] == 0
    Path("dyck-1").write_text(Path("a.json").read_text())
    code, out, _ = call(capsys, "decide", "m.json", "--against", "./dyck-1")
    assert code == 0 and out.startswith("EQUAL")
    code, _, error = call(capsys, "decide", "m.json", "--against", "dyck-1")
    assert code == 2 and "given: dyck-1, over ( )" in error


@pytest.mark.sweep
def test_exit_codes_of_what_is_open_and_what_is_refused(
    capsys: pytest.CaptureFixture[str], folds: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("symcook.decide.decision.PAIRS", 4000)
    code, out, _ = call(capsys, "decide", "dyck-1", "--against", f"{folds}:deep")
    assert code == 3 and out.startswith("OPEN") and "EQUAL" not in out
    assert "no difference was found up to length" in " ".join(out.split())
    code, out, _ = call(capsys, "decide", "induction-most-frequent", "--json")
    found = json.loads(out)
    assert code == 2 and found["verdict"] == "refused" and "head 1 of layer 2 counts" in found["why"]


def test_letters_of_several_characters_and_the_empty_word(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, out, _ = call(
        capsys, "decide", "dyck-k-d", "--set", "k=5", "--set", "D=1", "--against", r"(\(1 \)1)*", "--json"
    )
    assert code == 1 and json.loads(out)["word"] == ["(2", ")2"] and json.loads(out)["accepts"] == "model"
    built = sc.Builder(words={"a": {"x": 1}, "b": {}, "CLS": {}}, before="CLS")
    head = built.add(sc.head({("x", "x"): 1}, {"got": "x"}, weighting="rightmost"))
    built.readout("sign", "last", head, weights=[1])
    built.build("ends").save(tmp_path / "ends.json")
    code, out, _ = call(capsys, "decide", str(tmp_path / "ends.json"), "--against", ".*", "--json")
    assert code == 1 and json.loads(out)["word"] == "" and json.loads(out)["accepts"] == "reference"
    code, out, _ = call(capsys, "decide", str(tmp_path / "ends.json"), "--against", ".*")
    assert "smallest string: the empty string" in out
    assert call(capsys, "decide", str(tmp_path / "ends.json"), "--against", ".*a")[0] == 0


def test_files_of_automata(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for ending in ("json", "svg", "txt"):
        target = tmp_path / f"dyck.{ending}"
        code, out, _ = call(capsys, "decide", "dyck-1-2", "-o", target)
        assert code == 0 and out.rstrip().endswith(f"wrote {target}")
        code, _, err = call(capsys, "decide", "dyck-1-2", "-o", target)
        assert code == 2 and "must not exist yet" in err
        assert call(capsys, "decide", "dyck-1-2", "-o", target, "--force")[0] == 0
    document = json.loads((tmp_path / "dyck.json").read_text())
    assert document["initial_state"] == "q0" and document["final_states"] == ["q4"]
    assert document["transitions"]["q1"] == {"(": "q3", ")": "q4"}
    drawn = ElementTree.parse(tmp_path / "dyck.svg").getroot()
    shown = {element.text for element in drawn.iter("{http://www.w3.org/2000/svg}text")}
    assert {"q0", "q1", "q3", "q4", "(", ")"} <= shown and "q2" not in shown
    assert "what is not drawn leads to q2, which rejects for good" in shown
    assert (tmp_path / "dyck.txt").read_text().splitlines()[0].split() == ["state", "answer", "(", ")"]


@pytest.mark.layer_one(1, 2)
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--against", "(a"], "a regular expression, at character 2, must be made of the symbols of the model"),
        (["--against", r"\("], ""),
        (["--against", "none.json"], "the file of a specification must exist; given: none.json"),
        (["--against", "none.py:fold"], "the file of a specification must exist"),
        (["--against", "FOLDS:plain"], "a specification that is decided for every length must be a Fold"),
        (["--against", "FOLDS:none"], "must be a known name"),
        (["--against", "FOLDS:bad"], "the states of a specification must be made of integers, text"),
        (["--against", "FOLDS:twice"], "symcook explain fold lists; given: times (a list) in line 7 of folds.py"),
        (["--against", "FOLDS:raises"], "the specification must answer every string"),
        (["--against", "OTHER"], "the automaton must be over the alphabet ( )"),
        (["--against", "HALF"], "none from p by )"),
        (["--against", "BROKEN"], "the file of a specification must be JSON"),
        (["--against", "dyck-k-d"], "must be over the alphabet ( ); given: dyck-k-d, over ( ) [ ]"),
        (["-o", "x.png"], "the file of an automaton must end in .json, .svg, .txt"),
        (["--force"], "--force must come with -o FILE"),
        (["-o", "x.json", "--certificate", "x.json"], "-o and --certificate must name two files"),
    ],
)
def test_bad_input_is_one_sentence(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, folds: Path, arguments: list[str], says: str
) -> None:
    row = {"states": ["p"], "input_symbols": ["a"], "transitions": {"p": {"a": "p"}}, "initial_state": "p"}
    files = {"OTHER": row | {"final_states": []}, "HALF": row | {"input_symbols": ["(", ")"], "final_states": []}}
    files["HALF"]["transitions"] = {"p": {"(": "p"}}
    for name, document in files.items():
        (tmp_path / name).write_text(json.dumps(document))
    (tmp_path / "BROKEN").write_text("{")
    given = [
        a.replace("FOLDS", str(folds)) if "FOLDS" in a else str(tmp_path / a) if a.isupper() else a for a in arguments
    ]
    code, out, err = call(capsys, "decide", "dyck-1-2", *given)
    if not says:
        assert code == 1
        return
    assert (code, out) == (2, "") and says in err and err.count("\n") == 1, err
    code, out, _ = call(capsys, "decide", "dyck-1-2", *given, "--json")
    assert code == 2 and set(json.loads(out)) == {"error"}


def test_a_decision_that_runs_out_of_time_is_open(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An answer with exit 3, in the keys of every decision, beside the sentence."""
    slow = tmp_path / "slow.py"
    slow.write_text(
        "from symcook import Fold\n\ndef step(state, symbol):\n"
        "    for k in range(10**9):\n        state = k * 0\n    return state\n\n"
        "SLOW = Fold(0, step, lambda state: True)\n"
    )
    code, out, err = call(capsys, "decide", "dyck-1-2", "--against", f"{slow}:SLOW", "--seconds", 1, "--json")
    shown = json.loads(out)
    assert code == 3 and shown.keys() == {"verdict", "word", "accepts", "states", "why", "formula"}
    assert shown["verdict"] == "open" and "within 1 second" in shown["why"] and "within 1 second" in err
    assert shown["word"] is shown["accepts"] is None


@pytest.mark.sweep
def test_an_equality_says_where_the_reference_has_no_run(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    # a formula's model has no run on the empty string, a compiled automaton decodes from there
    formula = tmp_path / "formula.json"
    sc.compile("ltl", "once Q_a", alphabet="ab").save(formula)
    for pattern in ("b*a(a|b)*", "(b*a(a|b)*)?"):  # the second accepts the empty string, which the formula cannot meet
        automaton = tmp_path / f"{len(pattern)}.json"
        sc.compile("dfa", pattern, alphabet="ab").save(automaton)
        for model, reference in ((automaton, formula), (formula, automaton)):
            code, out, _ = call(capsys, "decide", str(model), "--against", str(reference))
            assert code == 0 and out.split("\n")[0].endswith("on every string of at least one symbol")
        code, out, _ = call(capsys, "decide", str(automaton), "--against", pattern)
        assert code == 0 and out.split("\n")[0].endswith("on every string")
