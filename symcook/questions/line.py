"""One input as one number of the model moves: every value is a rational function of a number t, and signs are taken at
one place on the line of all t.

The functions stay the same until t reaches a zero of some value whose sign was taken. For linear values, `near` has
the nearest zero on each side; `turns` collects the other values, whose zeros are roots of polynomials. Softmax has a
value here if its scores are equal, or if they are rational and the number that moves is the temperature: with
t = e^(-1/(unit tau)), a weight at temperature tau is a power of t.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import lcm
from typing import Any, ClassVar, TypeAlias

from flint import fmpq, fmpq_poly

from symcook.domains.exact import value_at
from symcook.domains.protocol import Coefficient
from symcook.domains.rowwise import Shortening, _ends
from symcook.errors import BadInput, NotExact
from symcook.model.expr import Tree, names, show
from symcook.model.rationals import rational
from symcook.model.symbols import at
from symcook.numbers.balls import ratio_of
from symcook.numbers.roots import Algebraic, RealPlace, roots

MOST_DEGREE = 4000
"""The largest power of t in a softmax."""
ZERO = fmpq(0)
T = fmpq_poly([0, 1])
"""The polynomial t."""
MUST = "to follow the answer as tau changes, every value must be a rational function of tau"
"""What a refusal says."""
LineValue: TypeAlias = "fmpq | fmpq_poly | Quotient"
"""A function of t: a constant, a polynomial of degree 1 or more, or any other rational function."""
At = fmpq | Algebraic
"""A place, that is a value of t: rational, or a root of a polynomial."""


class Landed(Exception):
    """The sign of a value was taken at a place where the value is zero, although it is not zero everywhere. The caller
    must choose another place."""


class Unit(Exception):
    """The scores of a softmax are not integers in the present unit of t. The argument is the unit that is needed."""


class Quotient:
    """A rational function `above`/`below` in lowest terms that is not a polynomial."""

    __slots__ = ("above", "below")

    def __init__(self, above: fmpq_poly, below: fmpq_poly) -> None:
        self.above, self.below = above, below

    @staticmethod
    def of(over: fmpq | fmpq_poly, under: fmpq | fmpq_poly) -> LineValue:
        """The value over/under in its simplest type: a number, a polynomial, or a Quotient."""
        above, below = fmpq_poly(over), fmpq_poly(under)
        common: Any = above.gcd(below)
        if common.degree() > 0:
            above, below = above // common, below // common
        if below.degree() == 0:
            return plain(above / below[0])
        return Quotient(above, below)

    def __add__(self, other: LineValue) -> LineValue:
        if isinstance(other, Quotient):
            if other.below == self.below:
                return Quotient.of(self.above + other.above, self.below)
            return Quotient.of(self.above * other.below + other.above * self.below, self.below * other.below)
        return Quotient.of(self.above + other * self.below, self.below)

    __radd__ = __add__

    def __mul__(self, other: LineValue) -> LineValue:
        if isinstance(other, Quotient):
            return Quotient.of(self.above * other.above, self.below * other.below)
        return Quotient.of(self.above * other, self.below)

    __rmul__ = __mul__

    def __neg__(self) -> LineValue:
        return Quotient(-self.above, self.below)

    def __sub__(self, other: LineValue) -> LineValue:
        return self + -other

    def __rsub__(self, other: LineValue) -> LineValue:
        return -self + other


def plain(x: LineValue) -> LineValue:
    """The value `x`, as a number if it is a constant polynomial."""
    if isinstance(x, fmpq_poly) and x.degree() <= 0:
        return fmpq(x[0])
    return x


def over(a: LineValue, b: LineValue) -> LineValue:
    """The value a/b; b must not be zero."""
    if isinstance(b, fmpq):
        return Quotient.of(a.above / b, a.below) if isinstance(a, Quotient) else plain(a / b)
    above, below = (a.above, a.below) if isinstance(a, Quotient) else (a, fmpq_poly([1]))
    if isinstance(b, Quotient):
        return Quotient.of(above * b.below, below * b.above)
    return Quotient.of(above, below * b)


class LineDomain(Shortening):
    """The number system of rational functions of t.

    Signs are taken at `place`, which may be the root of a polynomial. At a root, a value that is zero there has the
    sign 0; at a rational place, Landed is raised if the value is not zero everywhere. `meant` is a symbol of the model
    with the function of t that it stands for; None if t stands for the temperature, whose symbol is `tau`, in the given
    `unit`. With `here`, `place` is rational, and `meant` has the value of the function at `place`: then every value is
    a number, its value at `place`.

    >>> line = LineDomain(fmpq(1, 2), None, 1)
    >>> (T - 1) * fmpq(2) + 1, line.sign(T - 1), line.sign(T * T - 2), line.turns, line.near
    (2*x + (-1), -1, -1, {(-2, 0, 1): x^2 + (-2)}, {1: 1})
    """

    name: ClassVar[str] = "line"
    nothing = ZERO

    def __init__(
        self, place: At, meant: tuple[str, LineValue] | None, unit: int = 1, tau: str = "tau", here: bool = False
    ) -> None:
        super().__init__()
        self.place, self.meant, self.unit, self.here, self.tau = place, meant, unit, here, tau
        self.turns: dict[tuple[Any, ...], fmpq_poly] = {}
        """By coefficients: the polynomials of degree 2 or more whose sign was taken at a rational place."""
        self.near: dict[int, fmpq] = {}
        """The nearest zeros of the linear values whose sign was taken: left (-1) and right (1) of the place."""
        self._known: dict[Any, LineValue] = {}

    def number(self, value: Coefficient) -> LineValue:
        """The number `value` of the model as a function of t, cached."""
        known_value = self._known.get(value)
        if known_value is None:
            known_value = self._known[value] = self._given(value)
        return known_value

    def _given(self, value: Coefficient) -> LineValue:
        """As `number`, computed anew; NotExact for a number that is not a rational function of t."""
        if not isinstance(value, tuple):
            return fmpq(value.numerator, value.denominator)
        if self.meant is None:
            raise NotExact("to follow the answer as tau changes, every value must be rational", show(value))
        return polynomial(value, *self.meant)

    def positions(self, expression: Coefficient) -> list[Any]:
        """The values of a position function at all positions. If it does not contain the moving symbol, the values are
        shared between runs."""
        if not isinstance(expression, tuple) or (self.meant is not None and self.meant[0] in names(expression)):
            return super().positions(expression)
        return _still(expression, self._start, self.length, tuple(self.rows))

    def position(self, term: Tree, i: int) -> LineValue:
        return self.number(at(term, {"i": i, "n": self.length}))

    def sign(self, x: LineValue) -> int:
        """The sign of `x` at the place: -1, 0 or 1. At a rational place it is 0 only if `x` is zero everywhere, and
        Landed is raised if `x` is zero there but not everywhere. At a rational place, records in `near` or `turns`
        where the sign may change; at a root, nothing is recorded."""
        x = plain(x)
        if isinstance(x, fmpq):
            return (x > 0) - (x < 0)
        if isinstance(x, Quotient):
            return self.sign(x.above) * self.sign(x.below)
        if isinstance(self.place, Algebraic):
            return self.place.sign_of(x)
        value_there = x(self.place)
        # At a zero the sign of the value next to it is unknown.
        if value_there == 0:
            raise Landed
        # The zeros that bound the piece. A polynomial is kept with all its roots; a linear value has one zero, which is
        # kept if it is the nearest on its side.
        if x.degree() > 1:
            self.turns.setdefault(tuple(x.coeffs()), x)
        else:
            zero = self.place - value_there / x[1]
            side = 1 if zero > self.place else -1
            if side not in self.near or (zero < self.near[side]) == (side > 0):
                self.near[side] = zero
        return 1 if value_there > 0 else -1

    def activation(self, x: LineValue, kind: str) -> LineValue:
        """The relu or step of `x`. The zeros of `x` bound the piece."""
        if kind not in ("relu", "step"):
            raise NotExact(MUST, kind)
        if self.sign(x) <= 0:
            return ZERO
        return fmpq(1) if kind == "step" else x

    def normalised(
        self, entries: Sequence[LineValue], epsilon: LineValue, zero_variance: str, i: int
    ) -> Sequence[LineValue]:
        raise NotExact(MUST, "a layer norm")

    def by_rms(self, entries: Sequence[LineValue], epsilon: LineValue, zero_square: str, i: int) -> Sequence[LineValue]:
        raise NotExact(MUST, "an RMS norm")

    def times(self, a: LineValue, b: LineValue) -> LineValue:
        return plain(a * b)

    def total(self, parts: Sequence[LineValue]) -> LineValue:
        return plain(super().total(parts))

    def over(self, a: LineValue, b: LineValue) -> LineValue:
        return over(a, b)

    def scales(self, factor: Coefficient) -> Sequence[Any] | None:
        """The factor of the scores at each position. A factor that is a term of the temperature is taken at tau = 1,
        and NotExact is raised unless it is proportional to 1/tau."""
        if self.meant is not None or not isinstance(factor, tuple):
            return super().scales(factor)
        values = []
        for place in self.rows:
            indices = {"i": self._start + place, "n": self.length}
            # A factor that is halved as tau is doubled is taken to be c/tau.
            once, twice = (_rational(at(factor, indices | {self.tau: k})) for k in (1, 2))
            if once != 2 * twice:
                raise NotExact("a temperature must be a multiple of tau", show(factor))
            values.append(once)
        return values

    def softmax(
        self, scores: Sequence[LineValue], scale: fmpq | None, rows: Sequence[Sequence[LineValue]]
    ) -> Sequence[LineValue]:
        """The weighted means as rational functions of t = e^(-1/(unit tau)): a score d below the largest has the weight
        t^(d scale unit). Unit if an exponent is not an integer. NotExact for scores that differ, if a weight moves
        instead of the temperature, or if they are not all rational, or too far apart."""
        numbers = [plain(score) for score in scores]
        scores = [score for score in numbers if isinstance(score, fmpq)]
        # If all scores are equal, even irrational ones, the means are unweighted.
        if all(self.same(score, numbers[0]) for score in numbers):
            return [self.mean(row) for row in rows]
        if self.meant is not None or len(scores) < len(numbers):
            raise NotExact(
                "to follow the answer as tau changes, the scores of softmax must be rational", "irrational scores"
            )
        best = max(scores)
        deficits = [(best - score) * (1 if scale is None else scale) * self.unit for score in scores]
        # The exponents of t must be integers. If they are not, the caller must take a finer unit of t.
        denominator = lcm(*(int(d.q) for d in deficits))
        if denominator != 1:
            raise Unit(self.unit * denominator)
        if max(deficits) > MOST_DEGREE:
            raise NotExact(f"the scores of softmax must differ by at most {MOST_DEGREE} units", max(deficits))
        weights = [self.power(int(d.p)) for d in deficits]
        total = plain(sum(weights, ZERO))
        return [over(self.total([self.times(w, x) for w, x in zip(weights, row, strict=True)]), total) for row in rows]

    def ends(self) -> list[RealPlace]:
        """The places at which a value whose sign was taken is zero; of the linear values only the nearest ones."""
        return [*map(ratio_of, self.near.values()), *(root for turn in self.turns.values() for root in roots(turn))]

    def power(self, k: int) -> LineValue:
        """The value t^k."""
        return self.place**k if self.here and not isinstance(self.place, Algebraic) else plain(fmpq_poly([0] * k + [1]))

    def less(self, a: LineValue, b: LineValue) -> LineValue:
        """a - b."""
        return a - b

    def same(self, a: LineValue, b: LineValue) -> bool:
        """Whether two values are the same function of t."""
        if a is b:
            return True
        difference = plain(a - b)
        return isinstance(difference, fmpq) and difference == 0

    def best(self, scores: Sequence[LineValue], weighting: str, i: int, first: int) -> Sequence[int]:
        """The positions of the largest score that the head's `weighting` takes: all, the first or the last."""
        best = [0]
        for j in range(1, len(scores)):
            sign = self.sign(self.less(scores[j], scores[best[0]]))
            if sign > 0:
                best = [j]
            elif sign == 0:
                best.append(j)
        return _ends(best, weighting)

    def shares(self, scores: Sequence[LineValue]) -> Sequence[LineValue]:
        raise NotExact(MUST, "a softmax readout")

    def first_largest(self, scores: Sequence[LineValue]) -> int:
        return self.best(scores, "leftmost", 0, 0)[0]

    def is_positive(self, x: LineValue) -> bool:
        return self.sign(x) > 0

    def is_zero(self, x: LineValue) -> bool:
        return self.sign(x) == 0

    def show(self, value: LineValue, digits: int) -> str:
        return str(value)


@lru_cache(maxsize=64)
def _still(term: Tree, start: int, length: int, rows: tuple[int, ...]) -> list[Any]:
    """The values of a term without the moving symbol at the positions of strings of one length. Equal values are the
    same object."""
    values = [value_at(term, start + place, length) for place in rows]
    number_of = {x: polynomial(x, "", ZERO) if isinstance(x, tuple) else _rational(x) for x in values}
    return [number_of[x] for x in values]


def _rational(value: Coefficient) -> fmpq:
    """The rational number `value`; NotExact for any other number."""
    if isinstance(value, tuple):
        raise NotExact("to follow the answer as tau changes, every value must be rational", show(value))
    return fmpq(value.numerator, value.denominator)


def polynomial(tree: Tree, name: str, meant: LineValue) -> LineValue:
    """The value of a term made of rational numbers and the symbol `name`, with the function `meant` for the symbol.
    NotExact if the term is more than sums, products, quotients and natural powers of these."""
    tag = tree[0]
    if tag == "name" and tree[1] == name:
        return meant
    if tag == "neg":
        return plain(-polynomial(tree[1], name, meant))
    if tag == "^" and name in names(tree[1]) and tree[2][0] == "num" and tree[2][2] == 1 and tree[2][1] >= 0:
        result: LineValue = fmpq(1)
        for _ in range(tree[2][1]):
            result = plain(result * polynomial(tree[1], name, meant))
        return result
    if tag in ("+", "-", "*", "/") and name in names(tree):
        a, b = (polynomial(part, name, meant) for part in tree[1:])
        return over(a, b) if tag == "/" else plain(a + b if tag == "+" else a - b if tag == "-" else a * b)
    # A term without the symbol is a number.
    try:
        return _rational(rational(tree))
    except BadInput:
        raise NotExact("to follow the answer as tau changes, every value must be rational", show(tree)) from None
