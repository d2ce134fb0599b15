"""Inputs, references and positions that no question can be asked with: one sentence and exit code 2, from each."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from shared import refused
from test_no_run import flat_behind

import symcook as sc

QUESTIONS = {
    "margin": ("--max-length", 4),
    "tolerance": ("--max-length", 4, "--free", "L1.head1.V[1,1]"),
    "check": ("--max-length", 4, "--spec", "none.py:right"),
    "export": ("--max-length", 4, "--format", "npz", "-o", "x.npz"),
}
NONE = """from symcook.spec.fold import Fold
def none(string):
    return None
def right(string):
    return True
fold = Fold(0, lambda state, token: 0, lambda state: None)
"""


def automaton(symbols: str, accepting: list[str]) -> str:
    """Every string of these symbols, or none."""
    moves = {"q": dict.fromkeys(symbols, "q")}
    shown = {"states": ["q"], "input_symbols": list(symbols), "transitions": moves, "initial_state": "q"}
    return json.dumps(shown | {"final_states": accepting})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    replace(sc.build("dyck-1"), max_length=5).save("short.json")
    flat_behind("last", "post", "average").save("flat.json")
    files = {"empty.txt": "", "other.txt": "()\nab\n", "long.txt": "()\n" + "(" * 9, "runs.txt": "abb\n"}
    files |= {"empty.json": automaton("()", []), "other.json": automaton("ab", ["q"]), "none.py": NONE}
    for name, text in files.items():
        Path(name).write_text(text)
    return tmp_path


@pytest.mark.layer_one(1, 2)
@pytest.mark.parametrize("question", QUESTIONS)
def test_each_question_refuses_them_in_one_sentence(
    question: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = [
        ("dyck-1", "[]", "must have a string of length 1 to 4; given: [], which has none"),
        ("dyck-1", "empty.txt", "at least one string; given: empty.txt, which has none; write one string a line"),
        ("dyck-1", "empty.json", "must have a string of length 1 to 4; given: empty.json, which has none"),
        ("dyck-1", "a*", "must be made of the symbols of the model; given: a*; "),
        ("dyck-1", "other.txt", "every symbol must be in the alphabet ( ); given: a, in line 2 of other.txt; "),
        ("dyck-1", "other.json", "must be strings over the alphabet ( ); given: an automaton that reads a b; "),
        ("short.json", r"\({9}", "must have a string of length 1 to 4; given: "),
        ("short.json", "long.txt", "must have length at most 5; given: 9, in line 2 of long.txt; leave the line out"),
        ("flat.json", "runs.txt", "abb"),
    ]
    for model, inputs, said in table:
        why = refused(capsys, question, model, *QUESTIONS[question], "--inputs", inputs)
        assert said in why and not (folder / "x.npz").exists(), (model, inputs, why)
    why = refused(capsys, question, "dyck-1", *QUESTIONS[question], "--positions", "after:(")
    assert "given: a readout at the last position of dyck-1; leave --positions out" in why


@pytest.mark.sweep
def test_a_reference_must_answer_some_string(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A function, a fold, and a fold that is compared at every length, with an automaton and a machine that counts."""
    for line in (
        ("check", "dyck-1", "--max-length", 4, "--spec", "none.py:none"),
        ("check", "dyck-1", "--max-length", 40, "--spec", "none.py:fold"),
        ("check", "dyck-1", "--max-length", 4, "--spec", "none.py:none", "--inputs", r"\(*"),
        ("decide", "dyck-1", "--against", "none.py:fold"),
        ("decide", "dyck-1-2", "--against", "none.py:fold"),
    ):
        assert "the specification must give an answer for at least one" in refused(capsys, *line), line


def test_arguments_that_would_not_be_read_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    weight = "L1.head1.V[balance,token]"
    one = ("tolerance", "dyck-1", "--max-length", 2, "--free", weight)
    assert "must be named once; given: " in refused(capsys, *one, "--free", "L1.head1.V[1,1]")
    assert "must be named once" in refused(capsys, *one, "--free", f"-{weight}")
    said = refused(capsys, "precision", "dyck-1", "--max-length", 3, "--beyond", 3)
    assert "beyond must be greater than the maximum length, 3; given: 3" in said


def test_a_seed_needs_a_sample_in_python_too() -> None:
    model, fold = sc.build("dyck-1-2"), sc.Fold(0, lambda state, token: 0, lambda state: True)
    calls = [
        lambda: model.margin(2, seed=1),
        lambda: model.check(lambda word: True, 2, seed=1),
        lambda: model.decide(fold, seed=1),
        lambda: model.arrays(max_length=2, seed=1),
        lambda: model.diff(model, 2, seed=1),
        lambda: sc.bounds.bound("cross-entropy", model="parity", n=3, seed=1),
    ]
    for call in calls:
        with pytest.raises(sc.BadInput, match="a seed needs a sample"):
            call()
    with pytest.raises(sc.BadInput, match="models that read sequences"):
        sc.build("gtzero").bind({"eps": 1}).diff(sc.build("gtzero").bind({"eps": 1}), 3)
