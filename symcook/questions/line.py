"""One input along a line: every value is a rational function of one number t, with signs taken at one place.

The same functions hold as long as no value whose sign was taken has a zero. `turns` collects these values, and `near`
has the nearest zeros of the linear ones: the next place where anything may change is one of these, or a root of one of
those. Softmax has a value here where its scores are rational numbers: with t = e^(-1/(unit tau)) a weight at
temperature tau is a power of t.
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
"""The greatest power of t that a softmax may ask for."""
ZERO = fmpq(0)
T = fmpq_poly([0, 1])
LineValue: TypeAlias = "fmpq | fmpq_poly | Quotient"
At = fmpq | Algebraic


class Landed(Exception):
    """A value whose sign was asked for is zero at the place, but not everywhere: another place is needed."""


class Unit(Exception):
    """The scores need another unit of t: the denominators' least common multiple."""


class Quotient:
    """A rational function that is no polynomial, in lowest terms."""

    __slots__ = ("above", "below")

    def __init__(self, above: fmpq_poly, below: fmpq_poly) -> None:
        self.above, self.below = above, below

    @staticmethod
    def of(over: fmpq | fmpq_poly, under: fmpq | fmpq_poly) -> LineValue:
        """over/under, as plain as it gets."""
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
    """A polynomial that is a number as that number."""
    if isinstance(x, fmpq_poly) and x.degree() <= 0:
        return fmpq(x[0])
    return x


def over(a: LineValue, b: LineValue) -> LineValue:
    """a/b, where b is not zero."""
    if isinstance(b, fmpq):
        return Quotient.of(a.above / b, a.below) if isinstance(a, Quotient) else plain(a / b)
    above, below = (a.above, a.below) if isinstance(a, Quotient) else (a, fmpq_poly([1]))
    if isinstance(b, Quotient):
        return Quotient.of(above * b.below, below * b.above)
    return Quotient.of(above, below * b)


class LineDomain(Shortening):
    """The domain of these functions. Signs are those at `place`, which may be the root of a polynomial: there a value
    that is zero has the sign 0, at a rational place Landed is raised. `meant` is a symbol of the model and the function
    of t that it stands for, or None where temperatures are meant, in the given `unit`. With `here` every value is the
    number that it is at the place, a rational one.

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
        self.near: dict[int, fmpq] = {}
        """Of linear values the nearest zeros to the left (-1) and to the right (1) of the place."""
        self._known: dict[Any, LineValue] = {}

    def number(self, value: Coefficient) -> LineValue:
        """A number of the model as a function of t, cached."""
        known_value = self._known.get(value)
        if known_value is None:
            known_value = self._known[value] = self._given(value)
        return known_value

    def _given(self, value: Coefficient) -> LineValue:
        """A number of the model as a function of t; NotExact where it is irrational."""
        if not isinstance(value, tuple):
            return fmpq(value.numerator, value.denominator)
        if self.meant is None:
            raise NotExact("a value along a line must be rational", show(value))
        return polynomial(value, *self.meant)

    def positions(self, expression: Coefficient) -> list[Any]:
        """A position function at all positions; those without the symbol are shared between runs."""
        if not isinstance(expression, tuple) or (self.meant is not None and self.meant[0] in names(expression)):
            return super().positions(expression)
        return _still(expression, self._start, self.length, tuple(self.rows))

    def position(self, term: Tree, i: int) -> LineValue:
        return self.number(at(term, {"i": i, "n": self.length}))

    def sign(self, x: LineValue) -> int:
        """-1, 0 or 1 at the place; at a rational one 0 only of what is zero everywhere."""
        x = plain(x)
        if isinstance(x, fmpq):
            return (x > 0) - (x < 0)
        if isinstance(x, Quotient):
            return self.sign(x.above) * self.sign(x.below)
        if isinstance(self.place, Algebraic):
            return self.place.sign_of(x)
        value_there = x(self.place)
        # A probe on a zero would not see the sign around it.
        if value_there == 0:
            raise Landed
        # The zeros that bound the piece: of a polynomial all its roots, of a line the one zero, kept if it is the
        # nearest.
        if x.degree() > 1:
            self.turns.setdefault(tuple(x.coeffs()), x)
        else:
            zero = self.place - value_there / x[1]
            side = 1 if zero > self.place else -1
            if side not in self.near or (zero < self.near[side]) == (side > 0):
                self.near[side] = zero
        return 1 if value_there > 0 else -1

    def activation(self, x: LineValue, kind: str) -> LineValue:
        """relu or step, whose sign bounds the piece."""
        if kind not in ("relu", "step"):
            raise NotExact("a value along a line must be a rational function", kind)
        if self.sign(x) <= 0:
            return ZERO
        return fmpq(1) if kind == "step" else x

    def normalised(
        self, entries: Sequence[LineValue], epsilon: LineValue, zero_variance: str, i: int
    ) -> Sequence[LineValue]:
        raise NotExact("a value along a line must be a rational function", "a layer norm")

    def times(self, a: LineValue, b: LineValue) -> LineValue:
        return plain(a * b)

    def total(self, parts: Sequence[LineValue]) -> LineValue:
        return plain(super().total(parts))

    def over(self, a: LineValue, b: LineValue) -> LineValue:
        return over(a, b)

    def scales(self, factor: Coefficient) -> Sequence[Any] | None:
        """What the scores are multiplied by at tau = 1."""
        if self.meant is not None or not isinstance(factor, tuple):
            return super().scales(factor)
        values = []
        for place in self.rows:
            indices = {"i": self._start + place, "n": self.length}
            once, twice = (_rational(at(factor, indices | {self.tau: k})) for k in (1, 2))
            if once != 2 * twice:
                raise NotExact("a temperature must be a multiple of tau", show(factor))
            values.append(once)
        return values

    def softmax(
        self, scores: Sequence[LineValue], scale: fmpq | None, rows: Sequence[Sequence[LineValue]]
    ) -> Sequence[LineValue]:
        """The weighted means as rational functions of t = e^(-1/(unit tau)): a score d below the largest has the
        weight t^d."""
        numbers = [plain(score) for score in scores]
        scores = [score for score in numbers if isinstance(score, fmpq)]
        # Equal scores, whatever they are: plain means.
        if all(self.same(score, numbers[0]) for score in numbers):
            return [self.mean(row) for row in rows]
        if self.meant is not None or len(scores) < len(numbers):
            raise NotExact("the scores of softmax must be rational numbers here", "others")
        best = max(scores)
        deficits = [(best - score) * (1 if scale is None else scale) * self.unit for score in scores]
        # Exponents must be integers: another unit of t makes them so.
        wanted = lcm(*(int(d.q) for d in deficits))
        if wanted != 1:
            raise Unit(self.unit * wanted)
        if max(deficits) > MOST_DEGREE:
            raise NotExact(f"scores must lie within {MOST_DEGREE} units of each other", max(deficits))
        weights = [self.power(int(d.p)) for d in deficits]
        total = plain(sum(weights, ZERO))
        return [over(self.total([self.times(w, x) for w, x in zip(weights, row, strict=True)]), total) for row in rows]

    def ends(self) -> list[RealPlace]:
        """The places at which a value whose sign was taken is zero."""
        return [*map(ratio_of, self.near.values()), *(root for turn in self.turns.values() for root in roots(turn))]

    def power(self, k: int) -> LineValue:
        """t^k."""
        return self.place**k if self.here and not isinstance(self.place, Algebraic) else plain(fmpq_poly([0] * k + [1]))

    def less(self, a: LineValue, b: LineValue) -> LineValue:
        """a - b."""
        return a - b

    def same(self, a: LineValue, b: LineValue) -> bool:
        """Whether two values are one function."""
        if a is b:
            return True
        difference = plain(a - b)
        return isinstance(difference, fmpq) and difference == 0

    def best(self, scores: Sequence[LineValue], weighting: str, i: int, first: int) -> Sequence[int]:
        """The positions of the largest score, as the head's tie-breaking takes them."""
        best = [0]
        for j in range(1, len(scores)):
            sign = self.sign(self.less(scores[j], scores[best[0]]))
            if sign > 0:
                best = [j]
            elif sign == 0:
                best.append(j)
        return _ends(best, weighting)

    def shares(self, scores: Sequence[LineValue]) -> Sequence[LineValue]:
        raise NotExact("a value along a line must be a rational function", "a softmax readout")

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
    """A term without the symbol, at the positions of strings of one length; equal values are one object."""
    values = [value_at(term, start + place, length) for place in rows]
    number_of = {x: polynomial(x, "", ZERO) if isinstance(x, tuple) else _rational(x) for x in values}
    return [number_of[x] for x in values]


def _rational(value: Coefficient) -> fmpq:
    """A rational number; NotExact for any other."""
    if isinstance(value, tuple):
        raise NotExact("a value along a line must be rational", show(value))
    return fmpq(value.numerator, value.denominator)


def polynomial(tree: Tree, name: str, meant: LineValue) -> LineValue:
    """A term in the symbol `name`: sums, products and quotients of rational numbers and it."""
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
        raise NotExact("a value along a line must be rational", show(tree)) from None
