"""Signs of functions over intervals, and their zeros, in balls: a function is anything that maps balls to balls."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import flint

from symcook.errors import SymcookError
from symcook.numbers.balls import arb_of

NARROWEST = Fraction(1, 1 << 16)

Function = Callable[[flint.arb], flint.arb]


def positive_on(function: Function, low: Fraction, high: Fraction) -> bool:
    """Whether `function` is positive on [low, high], shown by balls over intervals that are halved where needed.

    False where an interval of width `NARROWEST` is still open: nothing is then shown. A function may raise ValueError
    over an interval that is too wide for it.
    """
    todo = [(Fraction(low), Fraction(high))]
    while todo:
        a, b = todo.pop()
        try:
            if function(arb_of(a).union(arb_of(b))) > 0:
                continue
        except ValueError:  # such as a power series whose denominator may vanish
            pass
        if b - a < NARROWEST:
            return False
        middle = (a + b) / 2
        todo += [(a, middle), (middle, b)]
    return True


def zero(function: Function, low: Fraction, high: Fraction) -> flint.arb:
    """A ball around a zero of a function that is positive at `low` and negative at `high`, at flint's precision.

    Between the ends of the ball the function changes its sign; where it has one zero in [low, high], that is the one.
    Secants with a small step to both sides, and halving, narrow the interval. Raises SymcookError for other signs.
    """
    bits = flint.ctx.prec
    a, b = arb_of(low), arb_of(high)
    if not (function(a) > 0 and function(b) < 0):
        raise SymcookError("a zero was not enclosed")
    while b - a > flint.arb(2) ** (12 - bits):
        width = b - a
        left, right = function(a), function(b)
        guess = ((a * right - b * left) / (right - left)).mid()
        step = (width * width).mid() + flint.arb(2) ** (10 - bits)
        for point in ((guess - step).mid(), (guess + step).mid(), ((a + b) / 2).mid()):
            if a < point and point < b:
                sign = function(point)
                if sign > 0:
                    a = point
                elif sign < 0:
                    b = point
        if not b - a < width:
            break
    return a.union(b)
