"""Balls as numbers: float, mpf, interval and Fraction; order and equality, which refuse what is open."""

from __future__ import annotations

import operator
from decimal import Decimal
from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest
import sympy

import symcook as sc
from symcook.errors import BadInput, Undecided
from symcook.numbers.balls import Ball

OPERATORS = (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne)


def ends(number: Ball | Fraction) -> tuple[Fraction, Fraction]:
    if isinstance(number, Fraction):
        return number, number
    return Fraction(number.mid) - Fraction(number.rad), Fraction(number.mid) + Fraction(number.rad)


def test_an_order_is_that_of_every_pair_of_numbers_inside() -> None:
    """Beside the four pairs of ends: all of them agree, or the comparison is refused."""
    balls = [Ball(mid, rad) for mid in ("0", "0.3", "-1.25", "3e-1", "7") for rad in ("0", "0.1", "2")]
    for left, right in product(balls, [*balls, Fraction(3, 10), Fraction(-5, 4), Fraction(7)]):
        for compare in OPERATORS:
            low, high = ends(left), ends(right)
            if left is right:
                assert compare(left, right) is compare(0, 0)
            elif low[0] > high[1] or low[1] < high[0] or (low[0] == low[1] and high[0] == high[1]):
                assert compare(left, right) is compare(low[0], high[0]), (left, right, compare)
                assert isinstance(right, Ball) or compare(right, left) is compare(high[0], low[0])
            else:
                with pytest.raises(Undecided, match="more digits"):
                    compare(left, right)


def test_every_type_of_number_is_compared() -> None:
    third = Ball("0.3333333", "0.0000001")
    for half in (Fraction(1, 2), Decimal("0.5"), 0.5, sympy.Rational(1, 2), mpmath.mpf("0.5"), np.float64(0.5)):
        assert third < half and half > third and third != half and half != third
        assert Ball("0.5", "0") == half and half == Ball("0.5", "0")
    assert third < np.int64(1) and third > mpmath.mpf(-2) and Ball("1e-999999999999", "0") != third
    for foreign in ("1/3", None, True, float("nan"), float("inf"), mpmath.inf, [1]):
        assert third != foreign
        with pytest.raises(TypeError):
            operator.lt(third, foreign)
    with pytest.raises(Undecided):  # mpmath asks the ball, and not its middle
        operator.lt(mpmath.mpf("0.33333331"), third)
    assert {Ball("0.5", "0"), Fraction(1, 2)} == {Fraction(1, 2)}  # equal numbers have one hash


def test_exact_numbers_beyond_what_is_written_out_are_compared() -> None:
    """Numbers m 10^p with large p, against pairs that order as they do."""
    texts = {("1e20001", "10e20000", "0.10e20002", "+1E+20001"): (1, 1), ("1.1e20001",): (1, 2), ("1e-30000",): (1, 0)}
    texts |= {("-1e20001", "-1000e19998"): (-1, -1), ("-1e-30000", "-0.1e-29999"): (0, 1), ("1e999999999",): (2, 0)}
    texts |= {("0", "0.00", "0e30000"): (0, 2)}
    numbers = [(Ball(text, "0"), rank) for many, rank in texts.items() for text in many]
    for (left, first), (right, second) in product(numbers, numbers):
        for compare in OPERATORS:
            assert compare(left, right) is compare(first, second), (left, right, compare)
        assert (hash(left) == hash(right)) or left != right
        assert (left > 0) is (first > (0, 2)) and (left < Fraction(1, 7)) is (first < (1, 1))
    with pytest.raises(BadInput, match=r"below 10\^20,000 to be compared with one so near"):
        operator.eq(Ball("1e20001", "0"), 10**20001)


def test_what_cannot_be_compared_is_refused_and_not_unequal() -> None:
    for other in (sympy.pi, sympy.sqrt(2)):
        with pytest.raises(BadInput, match="rational"):
            assert Ball("3.14", "0.01") == other
    assert Ball("0.3", "0.01") < 10**5000 and Ball("1", "1e-100") < mpmath.mpf(1) + mpmath.mpf(2) ** -50


def test_a_ball_is_read_as_a_float_an_mpf_and_an_interval() -> None:
    bound = sc.bound("softmax-hardmax", n=64, gamma=5, digits=50)
    with mpmath.workdps(60):
        x = 63 * mpmath.exp(-5)
        value = 2 * x / (1 + x)
        assert abs(bound.value.mpf() - value) < mpmath.mpf(10) ** -50
        inside = bound.value.interval()
        assert inside.a <= value <= inside.b and mpmath.mpf(inside.delta.b) < mpmath.mpf(10) ** -49
    assert float(bound.value) == float(value) and bound.value < bound.claimed
    assert Ball("0.75", "0").fraction == Fraction(3, 4)


@pytest.mark.parametrize(
    ("ball", "read"),
    [
        (Ball("0.25", "0.2501"), float),
        (Ball("0.25", "0.2501"), Ball.mpf),
        (Ball("0", "1e-9"), float),
        (Ball("1e-400", "1e-420"), float),
        (Ball("1e400", "0"), float),
        (Ball("1e500", "0"), float),
        (Ball("0.25", "1e-30"), lambda ball: ball.fraction),
        (Ball("1e-30000000", "0"), lambda ball: ball.fraction),
    ],
)
def test_a_ball_that_is_no_such_number_is_refused(ball: Ball, read: object) -> None:
    with pytest.raises((BadInput, OverflowError)):
        read(ball)  # type: ignore[operator]
