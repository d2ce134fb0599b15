"""Bounds over several values of one argument, in one call: columns, arrays and tables."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from shared import call

import symcook as sc
from symcook.bounds.sweeps import Sweep
from symcook.errors import BadInput


def test_a_range_a_list_or_an_array_gives_columns() -> None:
    for values in (range(2, 7), [2, 3, 4, 5, 6], np.arange(2, 7), ("2", "3", 4, Fraction(5), "6")):
        swept: Any = sc.bound("layernorm-hash", n=values, digits=12)
        assert isinstance(swept, Sweep) and swept.columns["n"] == (2, 3, 4, 5, 6)
        assert swept.array("n").tolist() == [2.0, 3.0, 4.0, 5.0, 6.0] and swept.holds is True
        gaps = [1 - (n * (n - 1) + 1) / math.sqrt((n * n + 1) * ((n - 1) ** 2 + 1)) for n in range(2, 7)]
        assert swept.array("value") == pytest.approx(gaps, rel=1e-9)
        assert swept.array("claimed") == pytest.approx([1 / (2 * n**4) for n in range(2, 7)], rel=1e-11)
    over: Any = sc.bound("softmax-hardmax", over="n=1:64:4", gamma=5, digits=12)
    assert over.columns["n"] == (1, 4, 16, 64)
    assert [str(ball) for ball in over.columns["value"]] == [
        str(sc.bound("softmax-hardmax", n=n, gamma=5, digits=12).value) for n in (1, 4, 16, 64)
    ]


def test_a_sweep_shows_itself() -> None:
    swept: Any = sc.bound("softmax-hardmax", n=8, gamma=["1/2", 1], digits=6)
    assert [line.split()[0] for line in swept.text().splitlines()[1:4]] == ["gamma", "0.5", "1"]
    assert "holds" in repr(swept) and "<table" in swept._repr_html_() and "0.5" in swept.latex()
    assert [row["gamma"] for row in swept.to_json()["rows"]] == ["0.5", "1"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"n": [1, 2], "gamma": [1, 2]}, "one argument"),
        ({"n": [1, 2], "over": "gamma=1:2"}, "one argument"),
        ({"n": [0.5], "gamma": 1}, "exact"),
        ({"n": [True], "gamma": 1}, "exact"),
        ({"n": ["1/2"], "gamma": 1}, "positive integer"),
        ({"n": [0], "gamma": 1}, "positive integer"),
        ({"n": 3, "gamma": ["-1"]}, "positive"),
        ({"n": [], "gamma": 1}, "from 1 to"),
    ],
)
def test_wrong_values_are_refused(arguments: dict[str, Any], says: str) -> None:
    with pytest.raises(BadInput, match=says):
        sc.bound("softmax-hardmax", **arguments)


def test_a_column_that_there_is_not() -> None:
    with pytest.raises(BadInput, match="value"):
        sc.bound("softmax-hardmax", n=[1, 2], gamma=1).array("vale")  # type: ignore[union-attr]


def test_the_command_prints_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("bound", "softmax-hardmax", "--gamma", "5", "--over", "n=1:16:3", "--digits", "8")
    (code, text, _), (again, document, _) = call(capsys, *arguments), call(capsys, *arguments, "--json")
    assert code == again == 0 and "holds at all of them" in text
    rows = json.loads(document)["rows"]
    assert [row["n"] for row in rows] == ["1", "4", "16"] and all(row["holds"] for row in rows)
