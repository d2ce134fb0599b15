"""Sums that are cut short: a ball holds what is left out, and a formula is refused where it cannot see the sum."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import flint
import mpmath
import pytest

from symcook.bounds import sums
from symcook.bounds.scores import Deficits, _Powers
from symcook.numbers.balls import arb_of

F = Fraction
MP = mpmath.mp.clone()
MP.dps = 50


def holds(ball: Any, right: Any) -> bool:
    with flint.ctx.workprec(300):
        return bool(ball.contains(flint.arb(MP.nstr(right, 45)))) or bool(
            abs(ball - flint.arb(MP.nstr(right, 45))) < abs(flint.arb(MP.nstr(right, 45))) * 1e-40
        )


@pytest.mark.parametrize("radius", ["1/4", "1/2", "1", "3", "10", "40"])
def test_what_waves_between_the_numbers_has_no_formula(radius: str) -> None:
    """cos(2 pi t) is 1 at every integer, its integral 0 and its derivatives at the ends as those of a constant: what
    is left out is the sum itself, so that no bound of it may fall below the last bit."""
    r = arb_of(F(radius))
    turn = lambda: 2 * flint.arb.pi()  # noqa: E731
    for m in (1, 7):
        with flint.ctx.workprec(120):
            size = m * (turn() * r).cosh()
            wave = sums.Smooth(lambda t: (turn() * t).cos(), lambda end: flint.arb(0), (r, size))
            assert sums.euler_maclaurin(wave, m) is None


@pytest.mark.parametrize("last", [2, 3, 6])
@pytest.mark.parametrize("first", [1, 2])
def test_squares_behind_the_last_that_is_added(last: int, first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With an end much too early the ball holds every sum to a later end, and is no wider than the integrals behind."""
    monkeypatch.setattr(sums, "reach", lambda gamma, first: last)
    for gamma in (F(2), F(1, 2), F(1, 20)):
        g = MP.mpf(gamma.numerator) / gamma.denominator
        for m in (None, last + 1, last + 9, last):
            with flint.ctx.workprec(120):
                mass, mean = sums.squares(arb_of(gamma), m, first)
            terms = [(k, MP.exp(-g * k * k)) for k in range(first, (200 if m is None else m) + 1)]
            assert holds(mass, MP.fsum(t for _, t in terms)) and holds(mean, MP.fsum(k * t for k, t in terms))
            rest = MP.exp(-g * last**2) / (2 * g)
            with flint.ctx.workprec(60):
                assert mass.rad() < float(rest / last) + 1e-30 and mean.rad() < float(rest) + 1e-30
                assert m != last or mass.rad() < 1e-30


@pytest.mark.layer_one(0, 2, 3, 4)
@pytest.mark.parametrize("bits", [2, 3, 5, 8, 12])
def test_few_bits_hold_all_terms(bits: int) -> None:
    """Sums of squares, of n k/(n - k) and of scores, at precisions where what is left out is seen."""
    for gamma in (F(3), F(1), F(1, 4), F(1, 30)):
        g = MP.mpf(gamma.numerator) / gamma.denominator
        for m in (None, 1, 5, 40):
            with flint.ctx.workprec(bits):
                found = sums.squares(arb_of(gamma), m)
            terms = [(k, MP.exp(-g * k * k)) for k in range(1, (300 if m is None else m) + 1)]
            assert holds(found[0], MP.fsum(t for _, t in terms)), (gamma, m)
            assert holds(found[1], MP.fsum(k * t for k, t in terms)), (gamma, m)
        for n in (2, 3, 10, 60):
            with flint.ctx.workprec(bits):
                whole = sums.hyperbolic(arb_of(gamma), n)
            assert holds(whole, MP.fsum(MP.exp(-g * n * k / MP.mpf(n - k)) for k in range(1, n))), (gamma, n)
        r = random.Random(bits)
        for _ in range(4):
            scores = [F(-r.choice([0, 1, 2, 3, 7, 40, 5000]), r.choice([1, 1, 2, 3])) for _ in range(12)]
            deficits = Deficits.of(scores)
            best = max(scores)
            with flint.ctx.workprec(bits):
                mass = deficits.mass(arb_of(gamma))
            steps = [MP.mpf((best - s).numerator) / (best - s).denominator for s in scores if s != best]
            assert holds(mass, MP.fsum(MP.exp(-g * d) for d in steps)), (gamma, scores)


def test_deficits_of_scores() -> None:
    """How many are greatest, how far the others are below and how often; a grid on which all are whole numbers."""
    r = random.Random(3)
    for _ in range(60):
        many = r.randint(1, 9)
        scores = [r.choice([F(r.randint(-5, 5), r.choice([1, 1, 2, 6])), r.randint(-3, 3)]) for _ in range(many)]
        found, best = Deficits.of(scores), max(scores)
        below = [best - s for s in scores if s != best]
        assert found.top == scores.count(best) and found.others == len(below)
        assert dict(found.below) == {d: below.count(d) for d in below} and found.gap == min(below, default=None)
        unit, places = found.grid
        assert unit is not None and {F(p, unit): many for p, many in places.items()} == dict(found.below)
        assert all(type(p) is int for p in places)
        if below:
            assert found.ends == (min(places), max(places)) and found.steps == sorted(places.items())
    wide = Deficits(1, {F(1, 2**200 + 1): 2, F(1, 3**90): 1})
    assert wide.grid == (None, wide.below)


def test_powers_by_steps() -> None:
    """y^m asked for in any order, on a grid and off it."""
    r = random.Random(4)
    for gamma, unit in ((F(1, 3), 1), (F(5), 6), (F(1, 100), 2)):
        with flint.ctx.workprec(100):
            powers = _Powers(arb_of(gamma), unit)
            for m in [1, 2, 4, 5, 7, 8, 1, 2, F(1, 2), 3, *(r.randint(1, 60) for _ in range(20))]:
                exponent = gamma * F(m) / unit
                right = MP.exp(-MP.mpf(exponent.numerator) / exponent.denominator)
                assert holds(powers(m), right) and powers(m).rel_accuracy_bits() > 80
                assert holds(powers.far(m), right)
