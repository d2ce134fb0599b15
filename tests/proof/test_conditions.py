"""H by hand: what must be met so that no part of a conclusion holds for want of cases."""

from __future__ import annotations

from typing import Any

import pytest

from symcook.proof.conditions import defined, inhabited
from symcook.proof.grammar import read_formula

NAMES = ("a", "b", "c")
MET = {
    # the other parts of a disjunction are denied, before and behind the part, and the part itself is not
    "(a = 0 -> b = 0) | c = 0 | c = 1": ["~(c = 0) & ~(c = 1) & a = 0"],
    "c = 0 | (a = 0 -> b = 0) | c = 1": ["~(c = 0) & ~(c = 1) & a = 0"],
    "c = 0 | c = 1 | (a = 0 -> b = 0)": ["~(c = 0) & ~(c = 1) & a = 0"],
    "(a = 0 -> b = 0) | (b = 1 -> c = 1)": ["~(b = 1 -> c = 1) & a = 0", "~(a = 0 -> b = 0) & b = 1"],
    # what is denied in it is a premise of the rest
    "~(a = 0) | b = 0": ["a = 0"],
    "~(a = 0) | b = 0 | ~(c = 0)": ["a = 0 & c = 0"],
    "~(a = 0) | (b = 0 -> c = 0) | c = 1": ["a = 0 & ~(c = 1) & b = 0"],
    # each part of a conjunction has its own
    "(a = 0 -> b = 0) & c = 0 & (b = 1 -> c = 1)": ["a = 0", "b = 1"],
    "a = 0 <-> b = 0": ["a = 0 | b = 0"],
    "(a = 0 -> b = 0) & (c = 0 -> c = 0)": ["a = 0", "c = 0"],
    "(c = 0 -> c = 0) & (a = 0 -> b = 0)": ["c = 0", "a = 0"],
    # premises in their order, and for all cases one
    "c = 0 & (a = 0 -> b = 0 -> c = 1)": ["a = 0 & b = 0"],
    "c = 0 & (a = 0 -> b = 0 & (b = 1 -> c = 1))": ["a = 0 & b = 1"],
    "c = 0 & (all j:Int. a = j -> b = 0)": ["ex j:Int. a = j"],
    "c = 0 & (all j:Int. a = j)": ["ex j:Int. true"],
    # a denial is pushed inwards
    "~(~(a = 0 -> b = 0) | c = 0)": ["a = 0"],
    "~(~(a = 0 -> b = 0) | c = 0 | ~(b = 1 -> c = 1))": ["a = 0", "b = 1"],
    "~(~(a = 0 -> b = 0) & c = 0)": ["c = 0 & a = 0"],
    "~(~(a = 0 -> b = 0) & c = 0 & b = 2)": ["c = 0 & b = 2 & a = 0"],
    "~(a = 0 -> ~(b = 0 -> c = 0))": ["b = 0"],
    "~((a = 0 -> b = 0) -> ~(c = 0 -> b = 1))": ["a = 0", "c = 0"],
    "~(ex j:Int. ~(a = j -> b = 0))": ["ex j:Int. a = j"],
    "~~(a = 0 -> b = 0)": ["a = 0"],
    # nothing is asked where all parts are denied, and behind an existence
    "~(a = 0 & b = 0)": [],
    "~(a = 0)": [],
    "ex j:Int. a = j -> b = 0": [],
    "~(all j:Int. ~(a = j -> b = 0))": [],
    "a = 0 | b = 0": [],
    "~(a = 0 <-> b = 0)": [],
}


@pytest.mark.parametrize("text", MET)
def test_the_parts_of_a_conclusion_can_be_met(text: str) -> None:
    start = "a:Int, b:Int, c:Int"
    whole = read_formula(f"all {start}. c < 9 -> ({text})", {}, {})
    said = " & ".join(f"(ex {start}. c < 9 & ({one}))" for one in MET[text]) or f"ex {start}. c < 9"
    assert inhabited(whole, NAMES) == read_formula(said, {}, {})


def test_each_part_of_a_conjunction_of_statements_is_met() -> None:
    one, other = "all a:Int. a = 0 -> a < 9", "all b:Int. b = 1 -> b < 9"
    wanted = read_formula("(ex a:Int. a = 0) & (ex b:Int. b = 1)", {}, {})
    assert inhabited(read_formula(f"({one}) & ({other})", {}, {})) == wanted


@pytest.mark.parametrize("part", ["{0}, a, y", "a, {0}, y", "a, b, y*{0}", "{0}, {1}, y*{2}"])
@pytest.mark.parametrize("kind", ["sum", "prod"])
def test_both_ends_of_a_sum_are_defined_and_each_term_within_them(kind: str, part: str) -> None:
    """An end counts words by a quotient; a term matters between the ends alone."""
    scope: Any = {"a": "Int", "b": "Int", "x": "Real", "y": "Real", "u": "Real", "v": "Real"}
    parts = [f"I[1/{name} <= 1]" for name in "xuv"]
    text = part.format(*parts)
    ends = text.split(", ")
    wanted = [f"~({name} = 0)" for name, one in zip("xuv", parts, strict=True) if one in ", ".join(ends[:2])]
    if "I" in ends[2]:
        name = "x" if part.count("{") == 1 else "v"
        wanted.append(f"(all j:Int. {ends[0]} <= j & j <= {ends[1]} -> ~({name} = 0))")
    *first, last = wanted
    said = f"({' & '.join(first)}) & {last}" if first else last
    assert defined(read_formula(f"{kind}(j, {text}) = 0", scope, {})) == read_formula(said, scope, {})
