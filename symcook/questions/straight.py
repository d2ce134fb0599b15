"""One input as a weight moves, in a model with softmax whose scores do not depend on the weight.

After the softmax, values are linear in the distance t from the weight's own value, and their coefficients are sums of
exponentials (`symcook.numbers.expsum`). Signs are exact. The place at which a value is zero is exact too, a quotient of
two such sums.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from operator import mul
from typing import Any, ClassVar, NamedTuple, TypeAlias, cast

from flint import fmpq, fmpq_poly

from symcook.errors import NotExact
from symcook.numbers.balls import ratio_of
from symcook.numbers.expsum import SumValue, exp_of, sign
from symcook.numbers.roots import Algebraic, RealPlace
from symcook.questions.line import Landed, LineDomain, LineValue, plain
from symcook.questions.moving import OneSymbol


class Straight(NamedTuple):
    """The linear function start + slope t."""

    start: SumValue
    slope: SumValue


MovingValue: TypeAlias = "LineValue | Straight"
"""A value before the first softmax (a rational function of t), or one after it."""


def straight(x: object) -> Straight:
    """The value `x` as a linear function; NotExact if it is not linear."""
    if isinstance(x, Straight):
        return x
    if isinstance(x, fmpq):
        return Straight(ratio_of(x), Fraction(0))
    if not isinstance(x, fmpq_poly) or x.degree() > 1:
        raise NotExact("values must be linear in the weight that moves", x)
    return Straight(ratio_of(x[0]), ratio_of(x[1]))


class StraightDomain(LineDomain):
    """The number system of rational functions before the first softmax and of linear functions after it."""

    name: ClassVar[str] = "straight"

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self.zeros: list[Any] = []
        """The zeros of the linear functions whose sign was taken."""

    def sign(self, x: MovingValue) -> int:
        """The sign of a value at the place. A linear value that is zero there has the sign 0. But if the place is one
        inside a piece, which is a `fmpq`, Landed is raised."""
        plain_value = x if isinstance(x, Straight) else plain(x)
        probing = isinstance(self.place, fmpq)
        # The base class has the signs of numbers, and at a place inside a piece those of rational functions.
        if isinstance(plain_value, fmpq) or (probing and not isinstance(plain_value, Straight)):
            return super().sign(plain_value)
        # Any other value must be linear. Its zero bounds the piece.
        line = straight(plain_value)
        if line.slope == 0:
            return sign(line.start)
        place: Any = ratio_of(self.place) if isinstance(self.place, fmpq) else self.place
        sign_there = sign(line.start + line.slope * place)
        if probing and not sign_there:
            raise Landed
        self.zeros.append(-line.start / line.slope)
        return sign_there

    def ends(self) -> list[RealPlace]:
        """The places among which are the ends of the piece. NotExact if one of them is a root of a polynomial, since it
        cannot be compared with a quotient of sums of exponentials."""
        places = super().ends()
        if any(isinstance(end, Algebraic) for end in places):
            raise NotExact("with sums of exponentials, all other values must be rational", "a root")
        return [*places, *self.zeros]

    def times(self, a: MovingValue, b: MovingValue) -> Any:
        """The product a b. If one factor is a `Straight`, NotExact unless both are linear and at most one depends on
        t."""
        if not (isinstance(a, Straight) or isinstance(b, Straight)):
            return super().times(a, b)
        x, y = straight(a), straight(b)
        if x.slope != 0 and y.slope != 0:
            raise NotExact("values must be linear in the weight that moves", "a product of two that move")
        return Straight(x.start * y.start, x.start * y.slope + x.slope * y.start)

    def total(self, parts: Sequence[MovingValue]) -> Any:
        """The sum of `parts`, a `Straight` if one of them is."""
        if not any(isinstance(part, Straight) for part in parts):
            return super().total(cast("Sequence[LineValue]", parts))
        lines = [straight(part) for part in parts]
        return Straight(sum((x.start for x in lines), Fraction(0)), sum((x.slope for x in lines), Fraction(0)))

    def running(self, column: Sequence[MovingValue]) -> list[Any]:
        """The running sums of a column, from the empty sum 0 on: one more than entries."""
        sums: list[Any] = [self.nothing]
        for x in column:
            sums.append(self.total([sums[-1], x]))
        return sums

    def over(self, a: MovingValue, b: MovingValue) -> Any:
        """The quotient a/b. If one of them is a `Straight`, NotExact if b depends on t or a is not linear."""
        if not (isinstance(a, Straight) or isinstance(b, Straight)):
            return super().over(a, b)
        below = straight(b)
        if below.slope != 0:
            raise NotExact("values must be linear in the weight that moves", "a quotient by one that moves")
        return self.times(a, Straight(1 / below.start, Fraction(0)))

    def less(self, a: MovingValue, b: MovingValue) -> Any:
        """The difference a - b."""
        return self.total([a, self.times(fmpq(-1), b)])

    def same(self, a: MovingValue, b: MovingValue) -> bool:
        """Whether two values are the same function of t."""
        return straight(a) == straight(b) if isinstance(a, Straight) or isinstance(b, Straight) else super().same(a, b)

    def softmax(
        self, scores: Sequence[MovingValue], scale: fmpq | None, rows: Sequence[Sequence[MovingValue]]
    ) -> Sequence[Any]:
        """The weighted means of `rows`, as linear functions whose coefficients have sums of exponentials. NotExact
        unless the scores are equal, or their differences are rational and do not depend on t."""
        # Positions may share one object as their score, which is then compared once.
        different = {id(score): score for score in scores}
        if all(self.same(score, scores[0]) for score in different.values()):
            return [self.mean(row) for row in rows]
        # The weight of a position is e^exponent, relative to the first position. Positions with the same exponent are
        # summed first.
        exponents = {key: self.exponent(score, scores[0], scale) for key, score in different.items()}
        places: dict[Fraction, list[int]] = {}
        for j, score in enumerate(scores):
            places.setdefault(exponents[id(score)], []).append(j)
        powers: list[Any] = [exp_of(exponent) for exponent in places]
        below: Any = sum(power * len(tied) for power, tied in zip(powers, places.values(), strict=True))
        means = []
        for row in rows:
            lines = [straight(self.total([row[j] for j in tied])) for tied in places.values()]
            start, slope = (sum(map(mul, powers, side)) / below for side in zip(*lines, strict=True))
            means.append(Straight(start, slope))
        return means

    def exponent(self, score: MovingValue, first: MovingValue, scale: fmpq | None) -> Fraction:
        """The difference of a score and the first score, times the scale: softmax depends only on these differences.
        NotExact if the difference is irrational or depends on t."""
        moved = plain(self.less(score, first))
        if not isinstance(moved, fmpq) or not isinstance(scale, fmpq | None):
            raise NotExact(
                "the scores of softmax must be rational, and not depend on the weight that moves", "scores that are not"
            )
        return ratio_of(moved if scale is None else moved * scale)


class OneStraight(OneSymbol):
    """As `OneSymbol`, for values that are linear in t after a softmax."""

    domain = StraightDomain
