"""What a long sum leaves out: where it may stop, and the circles around [0, m] that bound a formula's remainder, each
against numbers of mpmath."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import flint
import mpmath
import pytest
from families import together

from symcook.bounds import sums

MP = mpmath.mp.clone()
MP.dps = 40


def of(x: flint.arb) -> Any:
    return MP.mpf(str(x.mid()).strip("[]").split(" ")[0]) if x.is_exact() else MP.mpf(x.str(38, radius=False))


@together("bits", [20, 53, 200])
def test_where_a_sum_may_stop(bits: int) -> None:
    """It is the first k with e^(-gamma (k^2 - first^2)) below gamma times the last bit, or the one behind it where that
    is near; and from there on the terms fall, so that they are below their integrals."""
    r, first_ones = random.Random(bits), 0
    for _ in range(40):
        gamma, first = Fraction(r.randint(1, 50), 10 ** r.randint(0, 6)), r.choice([1, 2, 7, 60])
        with flint.ctx.workprec(bits):
            found = sums.reach(flint.arb(flint.fmpq(gamma.numerator, gamma.denominator)), first)
        assert found is not None
        g = MP.mpf(gamma.numerator) / gamma.denominator

        def small(k: int, g: Any = g, first: int = first) -> bool:
            return MP.exp(-g * (k * k - first * first)) < min(g, 1) * MP.mpf(2) ** -bits

        assert small(found) and not small(found - 2), (gamma, first, found)
        assert 2 * g * found * found > 1
        first_ones += not small(found - 1)
    assert first_ones >= 30


def test_no_end_where_more_terms_matter_than_are_added() -> None:
    """About sqrt(53 log(2)/gamma) of them matter, against twice the most that are added."""
    for times, there in [(Fraction(9, 10), True), (Fraction(11, 10), False)]:
        terms = 2 * sums.MAX_TERMS * times
        with flint.ctx.workprec(53):
            gamma = (53 * flint.arb.const_log2() + 35) / flint.arb(flint.fmpq(int(terms) ** 2))
            assert (sums.reach(gamma, 1) is not None) == there


@pytest.mark.sweep
@together("gamma, m", [("1/3", None), ("1/50", 30), ("1/1000", 200), ("1/1000", None), ("3", 4)])
def test_circles_hold_the_greatest_values(gamma: str, m: int | None) -> None:
    """|f| on circles around t, integrated over t in [0, m], is at most the bound, and the integrals are those of f."""
    g = MP.mpf(Fraction(gamma).numerator) / Fraction(gamma).denominator
    exact = flint.arb(flint.fmpq(Fraction(gamma).numerator, Fraction(gamma).denominator))
    with flint.ctx.workprec(64):
        bell, first = sums._gaussians(exact, m)
        for power, smooth in ((0, bell), (1, first)):

            def f(t: Any, power: int = power) -> Any:
                return t**power * MP.exp(-g * t * t)

            end = MP.sqrt(200 / g) if m is None else MP.mpf(m)
            expected = MP.quad(f, MP.linspace(0, end, 9))
            assert abs(of(smooth.integral(m)) - expected) < MP.mpf(10) ** -14 * expected
            radius = of(smooth.reach[0])
            points = [MP.expjpi(MP.mpf(k) / 24) for k in range(25)]  # the other half mirrors it
            steps = 60
            total = sum(
                max(abs(f(end * (k + MP.mpf(1) / 2) / steps + radius * p)) for p in points) for k in range(steps)
            ) * end / steps  # fmt: skip
            assert total <= of(smooth.reach[1])


@together("bits", [16, 53, 200])
def test_the_formula_serves_where_many_terms_matter(bits: int) -> None:
    """From some gamma down: the circles are as wide as they must be for the remainder to get below the last bit."""
    for power in (4, 6, 12, 40):
        with flint.ctx.workprec(bits):
            gamma = 1 / (flint.arb(bits) * 10**power)
            for m in (None, 10 ** (power // 2 + 1)):
                for smooth in sums._gaussians(gamma, m):
                    assert sums.euler_maclaurin(smooth, m) is not None, (power, m)


@together("bits", [16, 24, 53])
def test_balls_of_few_bits_hold_the_sum(bits: int) -> None:
    """What is left out is in the ball at any precision, and the ball stays about as narrow as the precision allows."""
    r = random.Random(bits)
    for few in (5, 10**6):
        before, sums.FEW = sums.FEW, few
        try:
            for _ in range(25):
                gamma, first = Fraction(r.randint(1, 300), 1000), r.choice([1, 1, 2, 3])
                m = r.choice([None, first, first + 1, r.randint(first, 60), 4000])
                g = MP.mpf(gamma.numerator) / gamma.denominator
                terms = [(k, MP.exp(-g * k * k)) for k in range(first, 1 + min(m or 700, 700))]
                for found, expected in zip(
                    together_at(bits, gamma, m, first),
                    (MP.fsum(t for _, t in terms), MP.fsum(k * t for k, t in terms)),
                    strict=True,
                ):
                    held = flint.arb(MP.nstr(expected, 38), float(expected) * 1e-36)
                    assert found.overlaps(held), (gamma, m, first, few)
                    assert found.rad() <= 2000 * flint.arb(2) ** -bits * (1 + abs(found)), (gamma, m, first, few)
        finally:
            sums.FEW = before


def together_at(bits: int, gamma: Fraction, m: int | None, first: int) -> tuple[flint.arb, flint.arb]:
    with flint.ctx.workprec(bits):
        return sums.squares(flint.arb(flint.fmpq(gamma.numerator, gamma.denominator)), m, first)
