"""Signs of functions over intervals, and their zeros, in balls: a function is anything that maps balls to balls."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import flint

from symcook.errors import SymcookError
from symcook.numbers.balls import arb_of

BITS = 128
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


def zero(function: Function, slope: Function, low: Fraction, high: Fraction) -> flint.arb:
    """The zero of a function that is positive at `low`, negative at `high` and has one zero between, to flint's bits.

    slope: its derivative, negative near the zero. A few halvings give a ball around it. Newton's step from the middle m
    of a ball gives another: the zero is m - f(m)/f'(t) for some t in the ball. Each step doubles the bits, so that the
    last one takes most of the time. Raises SymcookError for other signs.
    """
    with flint.ctx.workprec(BITS):
        found = _newton(function, slope, _halved(function, arb_of(low), arb_of(high)), BITS)
        for _ in range(BITS):
            closer = _newton(function, slope, found, BITS)
            if not 2 * closer.rad() < found.rad():
                break
            found = closer
    bits, steps = flint.ctx.prec, []
    while bits > BITS:
        steps.append(bits)
        bits = bits // 2 + 32  # some bits more than half: those that rounding takes
    for bits in reversed(steps):
        found = _newton(function, slope, found, bits)
    return found


def _newton(function: Function, slope: Function, found: flint.arb, bits: int) -> flint.arb:
    """A ball of that many bits around the zero that is in `found`."""
    with flint.ctx.workprec(bits // 2 + 32):
        descent = slope(found)
    with flint.ctx.workprec(bits):
        middle = found.mid()
        return middle - function(middle) / descent


def _halved(function: Function, low: flint.arb, high: flint.arb) -> flint.arb:
    """The part of the interval, a thousandth of it, where the function goes from positive to negative."""
    if not (function(low) > 0 and function(high) < 0):
        raise SymcookError("a zero was not enclosed")
    for _ in range(10):
        middle = ((low + high) / 2).mid()
        sign = function(middle)
        if sign > 0:
            low = middle
        elif sign < 0:
            high = middle
    return low.union(high)
