"""Kinds of terms by automata: what they say of a sum, and what they refuse. Ranges whose end has the variable."""

from __future__ import annotations

from fractions import Fraction

import pytest

from symcook.proof.audit.falsify import falsify
from symcook.proof.claims.byautomata.kinds import FiniteTerm, PlaceTerm, TotalTerm
from symcook.proof.claims.byautomata.tracks import Tracks
from symcook.proof.claims.byautomata.values import TermRules
from symcook.proof.claims.bycounts.problem import OutsideFragment
from symcook.proof.replay import Statement


def test_a_number_beside_a_mean_stays_where_more_is_added() -> None:
    """A mean of 0s and 1s, plus 1, plus 0 or 1: its terms are 1, 2 and 3."""
    t = Tracks(2)
    everything = t.valid()
    mean = TotalTerm(((Fraction(0), everything), (Fraction(1), everything)), "x", everything, True, Fraction(1))
    both = FiniteTerm({Fraction(0): everything, Fraction(1): everything})
    total = TermRules(t).added(mean, both, 1)
    assert isinstance(total, TotalTerm) and total.normed
    assert {value + total.number for value, _ in total.terms} == {1, 2, 3}


def test_a_power_of_minus_one_has_a_position_for_exponent() -> None:
    t = Tracks(2)
    base = FiniteTerm({Fraction(-1): t.valid()})
    for factor in (1, -1):
        place = PlaceTerm({"x": factor}, Fraction(0), (t.valid(),), ("x",))
        assert isinstance(TermRules(t)._parity(base, place), FiniteTerm)
    for factor in (2, -3):
        place = PlaceTerm({"x": factor}, Fraction(0), (t.valid(),), ("x",))
        with pytest.raises(OutsideFragment):
            TermRules(t)._parity(base, place)


@pytest.mark.parametrize(("text", "false"), [
    ("all n:Int. n = 3 -> ~(ex j:Int. (j*j <= j & j <= 5) & j = 3)", False),
    ("all n:Int. n = 3 -> ~(ex j:Int. (1 <= j & j <= 5) & j = 3)", True),
    ("all n:Int. n = 3 -> (all i in 1..n. ~(ex j:Int. (i <= j & j <= i) & j = 2))", True),
])  # fmt: skip
def test_only_a_range_whose_ends_leave_its_variable_out_is_gone_through(text: str, false: bool) -> None:
    assert bool(falsify(Statement("s", text))) is false


def test_a_sum_is_counted_only_where_its_sign_does_not_decide() -> None:
    """Twice the number of marked positions is above any negative number; up to 100 it would be counted."""
    t = Tracks(2)
    everything = t.valid()
    total = TotalTerm(((Fraction(2), t.valid("x")),), "x", everything, False, Fraction(0))
    above, below, at = TermRules(t).total(total, Fraction(-1_000_000))
    assert below.empty and at.empty and t.complement(above).empty
    with pytest.raises(OutsideFragment, match="compares a count with 500000"):
        TermRules(t).total(total, Fraction(1_000_000))
