"""Sine and cosine in both checkers: proofs that hold, forgeries beside them, and what no step computes."""

from __future__ import annotations

from typing import Any

import pytest
from families import together
from proof.both import ask_both  # noqa: F401 (each test here asks both checkers)
from proof.nodes import intro, use

from symcook.errors import Rejected
from symcook.proof.grammar import read_formula
from symcook.proof.kernel import check

X = "all x:Real. "
HYP = {"by": "hyp", "of": "h"}
BY_H = {"by": "pos", "sum": [{"c": "1", "of": ["h"]}]}
POS = {"by": "pos", "sum": [], "eq": []}


def equation(*parts: list[str]) -> dict[str, Any]:
    return {"by": "pos", "sum": [], "eq": list(parts)}


HOLD = [
    ("sin(2*pi) = sin(pi)*cos(pi) + cos(pi)*sin(pi)", [use("ax:sin_add", "pi", "pi"), HYP]),
    (X + "cos(2*x) = cos(x)^2 - sin(x)^2", [intro("x"), use("ax:cos_add", "x", "x"), equation(["1", "h"])]),
    (X + "cos(2*x) + 2*sin(x)^2 = 1", [
        intro("x"), use("ax:cos_add", "x", "x"), use("ax:sin_cos", "x", name="k"), equation(["1", "h"], ["1", "k"]),
    ]),
    ("sin(1) <= 1", [use("ax:sin_bounds", "1", "!", name=["a", "h"]), HYP]),
    ("5/6 <= sin(1)", [use("ax:sin_bounds", "1", "!", name=["h", "a"]), BY_H]),
    ("sin(2*(pi/2)) = 0", [use("ax:sin_pi"), HYP]),
]  # fmt: skip
"""So that what is refused below is not refused for its form."""


@pytest.mark.parametrize(("goal", "proof"), HOLD)
def test_what_holds_is_accepted(goal: str, proof: list[Any]) -> None:
    check(read_formula(goal, {}, {}), proof)


FORGED = [
    ("sin(2*pi) = sin(pi)*cos(pi)", [use("ax:sin_add", "pi", "pi"), HYP]),
    ("sin(2) = 2*sin(1)", [use("ax:sin_add", "1", "1"), HYP]),
    (X + "cos(2*x) = cos(x)^2 + sin(x)^2", [intro("x"), use("ax:cos_add", "x", "x"), equation(["1", "h"])]),
    (X + "sin(x)^2 + cos(x)^2 = 0", [intro("x"), use("ax:sin_cos", "x"), equation(["1", "h"])]),
    (X + "sin(x) + cos(x) = 1", [intro("x"), use("ax:sin_cos", "x"), HYP]),
    ("cos(pi) = 0", [use("ax:sin_pi"), HYP]),
    ("sin(pi/2) = 0", [use("ax:sin_pi"), HYP]),
    ("sin(3) = 0", [use("ax:sin_pi"), HYP]),
    ("sin(-1) <= -1", [use("ax:sin_bounds", "-1", "!", name=["a", "h"]), HYP]),
    ("-5/6 <= sin(-1)", [use("ax:sin_bounds", "-1", [{"by": "true"}], name=["h", "a"]), HYP]),
    (X + "sin(x) <= x", [intro("x"), use("ax:sin_bounds", "x", "!", name=["a", "h"]), HYP]),
    ("sin(1) < 1", [use("ax:sin_bounds", "1", "!", name=["a", "h"]), HYP]),
    ("6/7 <= sin(1)", [use("ax:sin_bounds", "1", "!", name=["h", "a"]), BY_H]),
    ("sin(2) <= 1", [use("ax:sin_bounds", "1", "!", name=["a", "h"]), HYP]),
    # True or not, nothing is computed of a sine.
    ("sin(0) = 0", [{"by": "true"}]),
    ("sin(0) = 0", [POS]),
    ("cos(0) = 1", [POS]),
    ("cos(0) = 0", [POS]),
    (X + "sin(-x) = -sin(x)", [intro("x"), POS]),
    (X + "cos(-x) = cos(x)", [intro("x"), POS]),
    (X + "cos(-x) = -cos(x)", [intro("x"), POS]),
    (X + "sin(x + 2*pi) = sin(x)", [intro("x"), POS]),
    (X + "sin(x) = cos(x)", [intro("x"), POS]),
    (X + "-1 <= sin(x)", [intro("x"), {"by": "interval", "on": [], "prec": 64}]),
    ("0 < sin(1)", [{"by": "interval", "on": [], "prec": 64}]),
    ("cos(1) < 0", [{"by": "interval", "on": [], "prec": 64}]),
    ("sin(pi) < 0", [{"by": "interval", "on": [], "prec": 64}]),
    ("sin(3) <= 0", [use("ax:sin_turn", "3"), HYP]),
    ("cos(0) = 1", [use("ax:cos_zero"), HYP]),
]  # fmt: skip


@together(("goal", "proof"), FORGED)
def test_forgeries_are_refused(goal: str, proof: list[Any]) -> None:
    with pytest.raises(Rejected):
        check(read_formula(goal, {}, {}), proof)


def test_a_sine_is_no_integer() -> None:
    for text in ("all w:Int->Int. w(sin(pi)) = 0", "sum(j, 0, cos(0), j) = 0", "pow(2, sin(0)) = 1", "sin(1, 2) = 0"):
        with pytest.raises(Exception, match=r"whole number|argument"):
            read_formula(text, {}, {})
