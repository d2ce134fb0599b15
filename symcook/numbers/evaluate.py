"""Terms of the grammar evaluated to balls, at flint's current precision; and functions of balls: a sign shown on an
interval, a zero enclosed by Newton's method."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import flint
from mpmath.libmp import from_man_exp, from_rational, to_float

from symcook.errors import BadInput, NotExact, SymcookError, Undecided, unknown
from symcook.locks import PRECISION
from symcook.model.expr import Tree, show
from symcook.model.meaning import Meaning, not_whole
from symcook.model.rationals import MAX_BITS, NoValue, Rationals, too_large
from symcook.model.symbols import Number, at
from symcook.numbers.balls import arb_of

BallArguments = Mapping[str, "flint.arb | Fraction | int"]
"""Values of names: balls or exact numbers."""

# The functions of one argument that need no check of it.
_FUNCTIONS: dict[str, Callable[[flint.arb], flint.arb]] = {
    "exp": flint.arb.exp,
    "sin": flint.arb.sin,
    "cos": flint.arb.cos,
    "erf": flint.arb.erf,
    "sinh": flint.arb.sinh,
    "cosh": flint.arb.cosh,
    "tanh": flint.arb.tanh,
    "abs": abs,
    "floor": flint.arb.floor,
    "sign": flint.arb.sgn,
    "relu": lambda x: x.max(flint.arb(0)),
}


def evaluate(tree: tuple, values: BallArguments | None = None) -> flint.arb:
    """The value of a term of the grammar as a ball, at flint's current precision.

    Terms: numbers, names in `values`, pi, + - * / ^, pow, relu, abs, min, max, exp, log, sqrt, sin, cos, erf, sinh,
    cosh, tanh, floor, mod, sign, if and I with conditions, sum and prod over integers (see `symcook.model.meaning`). If
    the ball of a divisor contains 0, the value is an infinite ball; more bits may make it finite. BadInput for a
    divisor that is exactly 0, the logarithm of a number that is surely not positive, the root of a number that is
    surely negative, a power that surely has no real value, and a number that is too large. A comparison that the balls
    leave open gives the hull of both branches.
    """
    return Balls(values or {}).term(tree)


def nearest(tree: Tree, values: Mapping[str, int], bits: int) -> Any:
    """The float of `bits` bits nearest to a term, as a tuple of mpmath. Where no ball is narrow enough to decide
    between two floats, as near their middle, it is one of them.

    Raises BadInput where there is no finite value, and Undecided where the value depends on a comparison that stays
    open, or has no accurate ball.
    """
    # Both ends of a ball round to one float at some precision, unless the value is the middle between two floats.
    for precision in (bits + 32, 2 * bits + 128, 8 * bits + 1024):
        with PRECISION, flint.ctx.workprec(precision):
            ball = evaluate(tree, values)
            ends = [ball.lower(), ball.upper()] if ball.is_finite() else []
        roundings = {_rounded(end, bits) for end in ends}
        if len(roundings) == 1:
            return roundings.pop()
    # A rational value is rounded exactly; any other one is evaluated once more, after simplification.
    value = at(tree, values)
    if not isinstance(value, tuple):
        return from_rational(value.numerator, value.denominator, bits, "n")
    with PRECISION, flint.ctx.workprec(8 * bits + 1024):
        ball = evaluate(value)
        if not ball.is_finite() or ball.rel_accuracy_bits() <= bits:
            raise Undecided(f"the value of {show(tree)} cannot be told to {bits} bits; write it in another form.")
        return _rounded(ball.mid(), bits)


def float_of(value: int | Number) -> float:
    """The float64 nearest to an exact number (to within the last bit where it is not rational); inf beyond the range.

    Raises BadInput where there is no finite value, and Undecided where it depends on a comparison that stays open.
    """
    if isinstance(value, tuple):
        return to_float(nearest(value, {}, 53))
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _rounded(number: flint.arb, bits: int) -> Any:
    """An exact number rounded to nearest."""
    mantissa, exponent = number.man_exp()
    return from_man_exp(int(mantissa), int(exponent), bits, "n")


class Balls(Meaning[flint.arb, "bool | None"]):
    """Terms as balls; a truth that the balls leave open is None."""

    def number(self, p: int, q: int) -> flint.arb:
        return flint.arb(p) if q == 1 else flint.arb(flint.fmpq(p, q))

    def name(self, name: str) -> flint.arb:
        if name == "pi" and name not in self.values:
            return flint.arb.pi()
        if name not in self.values:
            raise BadInput(
                "every name in an expression must have a value to evaluate it", name, "give this name a value"
            )
        return arb_of(self.values[name])

    def divide(self, a: flint.arb, b: flint.arb, tree: Tree) -> flint.arb:
        if b.is_zero():
            raise NoValue("a denominator must not be zero", show(tree))
        return a / b

    def power(self, a: flint.arb, b: flint.arb, tree: Tree) -> flint.arb:
        """a^b: an integer power; 0 for the base 0 and a positive exponent; or e^(b log a) for a positive base.

        With an exponent that is not known to be an integer, a base that is surely not positive is BadInput, and one
        whose ball contains positive and other numbers gives no number (nan).
        """
        if not a.is_zero() and abs(b * abs(a).log()) > MAX_BITS:  # nats, not bits: near enough for a limit
            raise too_large()
        integer = b.unique_fmpz() if b.is_exact() else None
        if integer is not None:
            if integer < 0 and a.is_zero():
                raise NoValue("a denominator must not be zero", show(tree))
            if integer > 0 and a.contains(0):  # flint's power may give no number there
                top = a.abs_upper() ** integer
                return top.union(flint.arb(0) if integer % 2 == 0 else -top)
            return a**integer
        if a.is_zero() and b > 0:
            return flint.arb(0)
        if a <= 0:
            raise NoValue("the base of a power with a fractional exponent must be positive", show(tree))
        return (b * a.log()).exp() if a > 0 else flint.arb.nan()

    def call(self, name: str, arguments: list[flint.arb], tree: Tree) -> flint.arb:
        """A function of balls; BadInput where an argument is surely outside of its domain."""
        if name in ("min", "max") and arguments:
            first, *further = arguments
            for argument in further:
                first = first.min(argument) if name == "min" else first.max(argument)
            return first
        if name == "mod":
            a, b = arguments
            return a - b * self.divide(a, b, tree).floor()
        if name not in _FUNCTIONS and name not in ("log", "sqrt"):
            raise unknown("function", name, ("min", "max", "pow", "log", "sqrt", *_FUNCTIONS))
        if len(arguments) != 1:
            raise BadInput(f"{name} must have one argument", show(tree), "give one argument")
        # A ball that is only partly outside of the domain gives a ball that is not finite.
        x = arguments[0]
        if name == "log":
            if x <= 0:
                raise NoValue("the argument of a logarithm must be positive", show(tree))
            return x.log()
        if name == "sqrt":
            if x < 0:
                raise NoValue("the argument of a square root must not be negative", show(tree))
            return x.sqrt()
        return _FUNCTIONS[name](x)

    def end(self, tree: Tree, whole: Tree) -> int:
        """The end of a range, computed exactly if it is rational: a ball does not show that a number is an integer."""
        try:
            exact = {name: value for name, value in self.values.items() if isinstance(value, (int, Fraction))}
            return Rationals(exact, self.steps).end(tree, whole)
        except NotExact:
            value = self.term(tree)
        integer = value.unique_fmpz() if value.is_exact() else None
        return not_whole(tree, whole) if integer is None else int(integer)

    def under(self, name: str, j: int) -> Balls:
        return Balls({**self.values, name: j}, self.steps)  # as an integer, so that an end of an inner sum is exact

    def choose(self, truth: bool | None, yes: Tree, no: Tree) -> flint.arb:
        if truth is None:
            return self.term(yes).union(self.term(no))
        return self.term(yes if truth else no)

    def compare(self, tag: str, a: flint.arb, b: flint.arb, tree: Tree) -> bool | None:
        return _compare(tag, a - b)

    def truth(self, known: bool) -> bool:
        return known

    def negation(self, a: bool | None) -> bool | None:
        return None if a is None else not a

    def both(self, a: bool | None, b: bool | None) -> bool | None:
        if a is False or b is False:  # one false side decides, also where the other one is open
            return False
        return None if a is None or b is None else True


def _compare(tag: str, difference: flint.arb) -> bool | None:
    """Whether a difference is = 0, <= 0 or < 0; None where its ball leaves that undecided."""
    if difference.is_zero():
        return tag != "<"
    if tag == "=":
        return None if difference.contains(0) else False
    if difference < 0 or (tag == "<=" and difference <= 0):
        return True
    if difference > 0 or (tag == "<" and difference >= 0):
        return False
    return None


BITS = 128
"""The precision, in bits, from which `zero` doubles its precision."""
NARROWEST = Fraction(1, 1 << 16)
"""The width below which `positive_on` does not halve an interval any more."""

BallFunction = Callable[[flint.arb], flint.arb]
"""A function that maps a ball to a ball around its values."""


def positive_on(function: BallFunction, low: Fraction, high: Fraction) -> bool:
    """Whether `function` is positive on [low, high], shown by balls over intervals that are halved where needed.

    False where an interval narrower than `NARROWEST` is still open: nothing is then shown. A function may raise
    ValueError over an interval that is too wide for it.
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


def zero(function: BallFunction, slope: BallFunction, low: Fraction, high: Fraction) -> flint.arb:
    """The zero of a function that is positive at `low`, negative at `high` and has one zero between, to flint's bits.

    slope: the derivative, negative near the zero. A few halvings give a ball around the zero. Newton's step from the
    middle m of a ball gives a narrower one: the zero is m - f(m)/f'(t) for some t in the ball. After steps at BITS
    bits, each step doubles the bits, so that the last one takes most of the time. Raises SymcookError for other signs.
    """
    with PRECISION, flint.ctx.workprec(BITS):
        root_ball = _newton(function, slope, _halved(function, arb_of(low), arb_of(high)), BITS)
        for _ in range(BITS):
            closer = _newton(function, slope, root_ball, BITS)
            if not 2 * closer.rad() < root_ball.rad():
                break
            root_ball = closer
    # The precisions of the last steps, the highest first: each is half of the one before, and some bits for rounding.
    bits, steps = flint.ctx.prec, []
    while bits > BITS:
        steps.append(bits)
        bits = bits // 2 + 32
    for bits in reversed(steps):
        root_ball = _newton(function, slope, root_ball, bits)
    return root_ball


def _newton(function: BallFunction, slope: BallFunction, root_ball: flint.arb, bits: int) -> flint.arb:
    """A ball around the zero that is in `root_ball`, at a precision of `bits` bits; the slope needs half of them."""
    with PRECISION, flint.ctx.workprec(bits // 2 + 32):
        slope_ball = slope(root_ball)
    with PRECISION, flint.ctx.workprec(bits):
        middle = root_ball.mid()
        return middle - function(middle) / slope_ball


def _halved(function: BallFunction, low: flint.arb, high: flint.arb) -> flint.arb:
    """The part of the interval in which the function goes from positive to negative: a thousandth of its length, or
    more where the sign at a middle is unknown."""
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
