"""Margins of dense models in certified floats and by hulls, beside the margin of each string."""

from __future__ import annotations

import json
import re
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symcook as sc
from symcook.model import transformer
from symcook.published.pretrained import ImportChoices, read_weights
from symcook.questions import margin, nearest
from symcook.words.hullclasses import margins

BRACKETS = Path(__file__).parents[2] / "examples" / "brackets"


def brackets(**changed: Any) -> Any:
    """The trained GPT-2 of the examples, with another readout where one is given."""
    settings = {"symbols": "()", "labels": ["yes", "no"], "readout": "leads", "label": "yes", "position": "last"}
    return sc.from_pretrained(BRACKETS, **(settings | changed))


def floats(model: Any, string: str) -> list[float]:
    """The scores of the readout in float64, by a run of the string alone."""
    values = model.run(string, "float64").result.values()
    return [float(value) for value in values.values()]


def by_hand(model: Any, string: str) -> tuple[bool | None, float]:
    """The decision on a string and its distance from another one."""
    scores = floats(model, string)
    if model.decides:
        return scores[-1] > 0, abs(scores[-1])
    best, second = sorted(scores)[:-3:-1]
    return None, best - second


def value(cell: Any) -> tuple[float, float]:
    """The midpoint and the radius of a cell."""
    return (float(cell.mid), float(cell.rad)) if hasattr(cell, "mid") else (float(cell), 0.0)


@pytest.mark.parametrize(
    ("runs", "length", "inputs", "readout"),
    [
        (10**6, 3, None, "leads"),
        (6, 4, None, "leads"),
        pytest.param(6, 7, r"(\(\)|\(\(\)\))*\(?", "leads", marks=pytest.mark.sweep),
        pytest.param(6, 6, None, "largest", marks=pytest.mark.sweep),
        pytest.param(6, 5, None, "leads", marks=pytest.mark.sweep),
        pytest.param(40, 7, None, "leads", marks=pytest.mark.sweep),
        pytest.param(10**6, 6, None, "largest", marks=pytest.mark.sweep),
    ],
)
def test_margins_are_those_of_all_strings(
    runs: int, length: int, inputs: str | None, readout: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transformer, "MANY", 1)
    for module, name, changed in ((nearest, "SOON", runs), (nearest, "RUNS", runs), (margin, "FROM", 1)):
        monkeypatch.setattr(module, name, changed)
    model = brackets() if readout == "leads" else brackets(readout="largest", label=None)
    answer = model.margin(length, inputs=inputs)
    for row in answer.rows:
        strings = ["".join(word) for word in product("()", repeat=row["n"])]
        pairs = {s: by_hand(model, s) for s in strings if inputs is None or re.fullmatch(inputs, s)}
        mid, rad = value(row["margin"])
        least = min(size for _, size in pairs.values())
        assert mid - rad - 1e-9 <= least <= mid + rad + 1e-9
        own = pairs[row["word"]][1]
        assert own <= mid + rad + 1e-9
        exact = rad < 1e-6
        if exact:
            assert own == pytest.approx(least, abs=1e-9)
        for column, side in (("accepted", True), ("rejected", False)) if model.decides and exact else ():
            sizes = [size for decision, size in pairs.values() if decision is side]
            if sizes:
                mid, rad = value(row[column])
                assert mid - rad - 1e-9 <= min(sizes) <= mid + rad + 1e-9
    if runs > 1000:
        assert "hulls stop" not in answer.notes and all(value(row["margin"])[1] < 1e-6 for row in answer.rows)


def test_bounds_of_margins_contain_those_of_drawn_scores() -> None:
    rng = np.random.default_rng(8)
    for kind in ("largest", "sign"):
        count = 1 if kind == "sign" else 4
        mid, rad = rng.normal(size=(count, 50)), rng.uniform(0, 1.5, size=(count, 50)) * (rng.random((count, 50)) < 0.7)
        weights = np.eye(count).astype(int).tolist()
        labels = () if kind == "sign" else tuple("wxyz")
        readout = sc.Readout(kind, "last", tuple("abcd"[:count]), weights=weights, labels=labels)
        sides, low, high = margins(readout, mid, rad)
        for _ in range(40):
            scores = mid + rng.uniform(-1, 1, size=mid.shape) * rad
            ordered = np.sort(scores, axis=0)
            size = np.abs(scores[0]) if kind == "sign" else ordered[-1] - ordered[-2]
            assert (low <= size).all() and (size <= high).all()
            assert ((sides < 0) | ((scores[0] > 0) == (sides == 1))).all()
    # A tie at 0 is not decided, and has no positive bound.
    sides, low, high = margins(readout, np.zeros((1, 1)), np.array([[1e-3]]))
    assert sides[0] == -1 and low[0] == 0 and high[0] > 0
    sides, low, high = margins(readout, np.zeros((1, 1)), np.array([[np.inf]]))
    assert sides[0] == -1 and low[0] == 0 and high[0] == np.inf


def test_long_strings_have_a_margin_or_say_where_hulls_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearest, "SOON", 64)
    monkeypatch.setattr(nearest, "RUNS", 64)
    answer = brackets().margin(16, inputs=r"(\(\))*")
    assert [row["n"] for row in answer.rows] == list(range(2, 17, 2))
    assert "hulls stop" not in answer.notes  # a string of each length
    stopped = brackets().margin(9)
    assert "has margins of at least" in stopped.notes["hulls stop"]
    assert "times the size of the residual stream" in stopped.notes["hulls stop"]


@pytest.mark.sweep
@pytest.mark.parametrize("runs", [8, 1000])
def test_margins_of_several_labels_with_a_token_before_the_string(runs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The margin is the smallest of the groups of labels; the empty string is one of length 0."""
    monkeypatch.setattr(transformer, "MANY", 1)
    for module, name, changed in ((nearest, "SOON", runs), (nearest, "RUNS", runs), (margin, "FROM", 1)):
        monkeypatch.setattr(module, name, changed)
    stored = json.loads((BRACKETS.parents[1] / "tests" / "published" / "heads.json").read_text())["models"]["bloom"]
    choices = ImportChoices(vocabulary=[*"abc"], symbols=["a", "b"], before="c", readout="positive", position="last")
    model = read_weights(stored["weights"], stored["settings"], choices).model
    assert len(model.readout.groups) > 1
    for row in model.margin(5).rows:
        sizes = []
        for word in product("ab", repeat=row["n"]):
            scores = floats(model, "".join(word))
            gaps = [abs(scores[k] - scores[k + 1]) for k in range(0, len(scores), 2)]
            sizes.append(min(gaps))
        mid, rad = value(row["margin"])
        assert mid - rad - 1e-9 <= min(sizes) <= mid + rad + 1e-9
        assert rad < 1e-6 or runs == 8
