"""The answers of two dense models, compared by hulls over prefixes, beside a run of each string in float64."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import symcook as sc
from symcook.export import answers_in_hulls, diff
from symcook.model.symbols import fraction

BRACKETS = Path(__file__).parents[2] / "examples" / "brackets"


@pytest.fixture(scope="module")
def brackets() -> Any:
    """The trained GPT-2 of the examples."""
    return sc.from_pretrained(
        BRACKETS, symbols="()", labels=["yes", "no"], readout="leads", label="yes", position="last"
    )


def moved(model: Any, factor: Fraction, kept: int = 1) -> Any:
    """The model with another weight of its readout, from the coordinate `kept` on."""
    row = [fraction(x) * (1 if k < kept else factor) for k, x in enumerate(model.readout.weights)]
    return replace(model, name="moved", readout=replace(model.readout, weights=[row]))


def first_apart(one: Any, two: Any, length: int) -> str | None:
    """The smallest string on which the answers of two models in float64 differ."""
    for n in range(1, length + 1):
        for string in map("".join, product("()", repeat=n)):
            if one.run(string, "float64").accept != two.run(string, "float64").accept:
                return string
    return None


@pytest.mark.parametrize(
    ("factor", "single", "length"),
    [
        ("1001/1000", 20_000, 3),
        pytest.param("1001/1000", 20_000, 5, marks=pytest.mark.sweep),
        pytest.param("-1/2", 20_000, 5, marks=pytest.mark.sweep),
        pytest.param("1/2", 20_000, 6, marks=pytest.mark.sweep),
        pytest.param("9/10", 8, 7, marks=pytest.mark.sweep),
    ],
)
def test_answers_are_alike_to_the_length_at_which_a_string_differs(
    brackets: Any, factor: str, single: int, length: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(diff, "INPUTS", 4)
    monkeypatch.setattr(answers_in_hulls, "SINGLE", single)
    other = moved(brackets, Fraction(factor), 8)
    apart = first_apart(brackets, other, length)
    answer = brackets.diff(other, length)
    assert answer.alike_to is not None
    if apart is None:
        assert answer.alike_to == length or answer.stopped is not None
        assert f"answers are equal on every string of length 1 to {answer.alike_to}" in answer.text()
    else:
        assert answer.alike_to < len(apart)
        if answer.stopped is None:
            assert answer.alike_to == len(apart) - 1
            assert answer.first_answer is not None and len(answer.first_answer["input"]) <= len(apart)
    assert (answer.to_json()["alike_to"], answer.to_json()["stopped"]) == (answer.alike_to, answer.stopped)


def test_a_language_of_very_many_strings(brackets: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Strings that are too many to be run: their answers are decided or open, and the text says how many were run."""
    monkeypatch.setattr(diff, "MOST", 20)
    monkeypatch.setattr(diff, "INPUTS", 4)
    monkeypatch.setattr(answers_in_hulls, "SINGLE", 0)
    opening = brackets.diff(brackets, 9, inputs=r"(\(|\))*")
    assert opening.holds is None and opening.stopped and "hulls stop: of " in opening.text()
    assert "4 of the 1,022 strings" in opening.text() and opening.alike_to < 9
    single = brackets.diff(brackets, 16, inputs=r"(\(\))*\(?\(?\(?")
    assert single.holds and single.alike_to == 16 and single.stopped is None


def test_models_that_cannot_be_compared_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diff, "MOST", 20)
    model = sc.build("dyck-1")
    with pytest.raises(sc.errors.BadInput, match="at most 20 strings"):
        model.diff(model, 6, inputs=r"(\(|\))*")
    assert model.diff(model, 9).alike_to is None


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("labels", ["left right", "right left", "left other"])
def test_labels_are_compared_by_their_names(brackets: Any, monkeypatch: pytest.MonkeyPatch, labels: str) -> None:
    """A label is not its number in the readout: two models may have the same labels in another order."""
    monkeypatch.setattr(diff, "INPUTS", 4)

    def labelled(names: str, first: int) -> Any:
        """The model that answers with labels; the scores are the logit and 0, with that of the logit at `first`."""
        rows = [[0] * len(brackets.readout.weights)] * 2
        rows[first] = list(map(fraction, brackets.readout.weights))
        readout = sc.Readout("largest", "last", brackets.readout.reads, weights=rows, labels=tuple(names.split()))
        return replace(brackets, name=labels, readout=readout)

    one = labelled("left right", 0)
    for first in range(2):
        other = labelled(labels, first)
        strings = ["".join(word) for n in range(1, 3) for word in product("()", repeat=n)]
        apart = [string for string in strings if label_of(one, string) != label_of(other, string)]
        answer = one.diff(other, 2)
        assert answer.alike_to in (None, len(apart[0]) - 1 if apart else 2)
        assert (answer.first_answer is None) == (not apart)


def label_of(model: Any, string: str) -> Any:
    """The label that a model gives to a string, in float64."""
    return model.run(string, "float64").result.label(-1)


def test_positions_that_count_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers at other positions of these strings are not compared; prefixes of inputs need not be inputs."""
    each = sc.from_pretrained(BRACKETS, symbols="()", labels=["yes", "no"], readout="leads", label="yes")
    monkeypatch.setattr(diff, "MOST", 20)
    monkeypatch.setattr(diff, "INPUTS", 4)
    said = each.diff(each, 7, inputs=r"\((\(|\))*\)", positions="last").text()
    assert r"answers are equal on every string of \((\(|\))*\) of length 1 to 7, answers at positions: last" in said
