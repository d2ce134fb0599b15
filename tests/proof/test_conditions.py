"""H by hand: what must be met so that no part of a conclusion holds for want of cases."""

from __future__ import annotations

import pytest

from symcook.proof.conditions import inhabited
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
