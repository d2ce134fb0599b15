"""All low temperatures at once: the answer to one input at every temperature above 0 and up to a given one.

Balls that contain the limit at temperature 0 cannot tell 1 - e^(-1/tau) from 1. So a value is a pair: its limit at
temperature 0, which is exact if possible; and its difference from the limit, as a ball and as the sign that the
difference has at all these temperatures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import flint
from flint import arb, fmpq

from symcook.domains.rowwise import Rowwise
from symcook.errors import BadInput, NotExact, Undecided
from symcook.forward import forward
from symcook.locks import PRECISION
from symcook.model.expr import Tree, names
from symcook.model.rationals import rational
from symcook.model.transformer import Transformer
from symcook.numbers.evaluate import evaluate
from symcook.numbers.roots import ball_of
from symcook.questions.intervals import BITS
from symcook.questions.moving import answer

if TYPE_CHECKING:
    from symcook.domains.ball import BallValue as Ball
    from symcook.domains.protocol import Coefficient

ZERO = fmpq(0)
MUST = "at low temperatures, values must be computed only by sums, products and softmax"
"""What a refusal says."""


class OffPart:
    """A difference from a limit. `ball` contains its values at all temperatures. `sign` is 1 or -1 if it has this sign
    at all of them, and None if that is not known."""

    def __init__(self, ball: arb, sign: int | None) -> None:
        self.ball, self.sign = ball, sign


class Near(NamedTuple):
    """A value: `limit` plus the sum of all coefficient*part, where `parts` has the coefficients by part. If two values
    have the same part, it cancels exactly in their difference; balls would not cancel."""

    limit: Any
    parts: Mapping[OffPart, Any]

    @staticmethod
    def of(value: Ball, ball: arb | None = None, sign: int | None = None) -> Near:
        """The value with the limit `value`; with `ball`, plus a new part with this ball and sign."""
        return Near(value, {} if ball is None else {OffPart(ball, sign): fmpq(1)})

    @property
    def off(self) -> arb:
        """A ball that contains the differences from the limit at all temperatures."""
        return sum((c * part.ball for part, c in self.parts.items()), arb(0))

    @property
    def ball(self) -> arb:
        """A ball that contains the values at all temperatures."""
        return arb(self.limit) + self.off

    @property
    def sign(self) -> int | None:
        """The sign of the difference from the limit at all temperatures: 0 if there is none, None if it is unknown."""
        return _sign_of_sum(*(_sign_of_product(_sign(c), part.sign) for part, c in self.parts.items()))

    def side(self) -> int | None:
        """The sign of the value at all temperatures; None if it is not known, or not the same."""
        if isinstance(self.limit, fmpq) and self.limit == 0:
            return self.sign
        return _sign(self.limit if isinstance(self.limit, fmpq) and not self.parts else self.ball)

    def __add__(self, other: Near) -> Near:  # type: ignore[override]
        total_parts = dict(self.parts)
        for part, c in other.parts.items():
            total_parts[part] = total_parts.get(part, ZERO) + c
        return Near(self.limit + other.limit, {part: c for part, c in total_parts.items() if not _is_zero(c)})

    def scaled(self, c: Ball) -> Near:
        """The value times the number `c`."""
        return Near(c * self.limit, {} if _is_zero(c) else {part: c * d for part, d in self.parts.items()})

    def __neg__(self) -> Near:
        return self.scaled(fmpq(-1))

    def __sub__(self, other: Near) -> Near:
        return self + -other

    def __mul__(self, other: Near) -> Near:  # type: ignore[override]
        if not self.parts or not other.parts:
            return other.scaled(self.limit) if not self.parts else self.scaled(other.limit)
        # (limit + off)*(limit' + off'), where the product off*off' becomes a new part.
        both = Near.of(ZERO, self.off * other.off, _sign_of_product(self.sign, other.sign))
        limits = Near(self.limit * other.limit, {})
        return limits + Near(ZERO, self.parts).scaled(other.limit) + Near(ZERO, other.parts).scaled(self.limit) + both

    def __truediv__(self, other: Near) -> Near:
        if other.parts:
            raise NotExact(
                "at low temperatures, a divisor must not depend on the temperature", "a divisor that depends on tau"
            )
        return self.scaled(1 / other.limit)


class Cold(Rowwise):
    """The number system of these values: the symbol `name` is any temperature above 0 and at most `warm`. NotExact for
    layer norms, gelu, hard attention with scores, softmax without this temperature, and divisors that depend on it;
    Undecided for scores whose order may change."""

    name: ClassVar[str] = "cold"
    nothing = Near.of(ZERO)

    def __init__(self, name: str, warm: Fraction) -> None:
        super().__init__()
        self.symbol, self.warm = name, warm

    def number(self, value: Coefficient) -> Near:
        """A number of the model, which does not depend on the temperature."""
        if isinstance(value, tuple):
            return Near.of(evaluate(value))
        return Near.of(fmpq(value.numerator, value.denominator))

    def position(self, term: Tree, i: int) -> Near:
        """A position function at i. NotExact if it contains the temperature, which only scores may contain."""
        if self.symbol in names(term):
            raise NotExact("the symbol of the temperature must occur only in scores", self.symbol)
        try:
            return self.number(rational(term, {"i": Fraction(i), "n": Fraction(self.length)}))
        except BadInput:
            return Near.of(evaluate(term, {"i": i, "n": self.length}))

    def activation(self, x: Near, kind: str) -> Near:
        """The activation of `x`. If the sign of `x` is unknown, or not the same at all temperatures, it is a ball that
        contains both cases."""
        if kind not in ("relu", "step"):
            raise NotExact(MUST, kind)
        side = x.side()
        if side is None:
            return Near.of(ZERO, x.ball.max(arb(0)) if kind == "relu" else arb(0.5, 0.5))
        if side <= 0:
            return self.nothing
        return x if kind == "relu" else Near.of(fmpq(1))

    def normalised(self, entries: Sequence[Near], epsilon: Near, zero_variance: str, i: int) -> Sequence[Near]:
        raise NotExact(MUST, "a layer norm")

    def by_rms(self, entries: Sequence[Near], epsilon: Near, zero_square: str, i: int) -> Sequence[Near]:
        raise NotExact(MUST, "an RMS norm")

    def best(self, scores: Sequence[Near], weighting: str, i: int, first: int) -> Sequence[int]:
        raise NotExact(MUST, "hard attention")

    def scales(self, factor: Coefficient) -> Sequence[Any] | None:
        """The smallest factor of the scores, for each row: the one at the temperature `warm`. It is unbounded as the
        temperature goes to 0. NotExact unless the factor depends on the temperature."""
        if not isinstance(factor, tuple) or self.symbol not in names(factor):
            raise NotExact(
                "the temperature of every head must be a multiple of the symbol tau", "a head with another temperature"
            )
        values = {self.symbol: ball_of(self.warm), "n": self.length}
        return [evaluate(factor, values | {"i": self._start + place}) for place in self.rows]

    def softmax(self, scores: Sequence[Near], scale: arb, rows: Sequence[Sequence[Near]]) -> Sequence[Near]:
        """The weighted means: in the limit, the largest scores share the weight equally, and all others have weight
        0. Undecided if the order of two scores is not known."""
        top = max(scores, key=lambda score: score.ball.mid())
        tied, weights = list[int](), dict[int, arb]()
        for j, score in enumerate(scores):
            below = score - top
            side = below.side()
            # Equal to the largest score at every temperature, not only in the limit.
            if score is top or side == 0:
                tied.append(j)
            elif side is None or side > 0:
                raise Undecided("two scores of softmax are too close to tell apart at low temperatures")
            else:  # the weight is above 0, and at most its value at the temperature `warm`
                weights[j] = arb(0).union((below.ball * scale).exp() if below.ball < 0 else arb(1))
        total_weight = sum(weights.values(), arb(len(tied)))
        means = []
        # The mean over the tied positions, plus a difference: the sum of weight*(x - mean) over the other positions,
        # divided by the total weight. Its sign is known if all x - mean have the same sign.
        for row in rows:
            mean = self.mean([row[j] for j in tied])
            apart = {j: row[j] - mean for j in weights}
            off = sum((weights[j] * x.ball for j, x in apart.items()), arb(0)) / total_weight
            sign = _sign_of_sum(*(x.side() for x in apart.values()))
            means.append(mean if sign == 0 else mean + Near.of(ZERO, off, sign))
        return means

    def first_largest(self, scores: Sequence[Near]) -> int | None:
        """The index of the first of the largest scores; None if the order of two scores is not known."""
        best = 0
        for j in range(1, len(scores)):
            side = (scores[j] - scores[best]).side()
            if side is None:
                return None
            best = j if side > 0 else best
        return best

    def is_positive(self, x: Near) -> bool | None:
        side = x.side()
        return None if side is None else side > 0

    def is_zero(self, x: Near) -> bool | None:
        side = x.side()
        return None if side is None else side == 0


def at_low_temperatures(model: Transformer, sequence: object, name: str, warm: Fraction) -> Any:
    """The answer to an input at every temperature above 0 and at most `warm`; None if it is not known to be the same at
    all of them."""
    with PRECISION, flint.ctx.workprec(BITS):
        try:
            return answer(forward(model, sequence, Cold(name, warm)))
        except (NotExact, Undecided):
            return None


def _is_zero(c: Ball) -> bool:
    """Whether a coefficient is known to be zero."""
    return bool(c == 0)


def _sign(x: Ball) -> int | None:
    """The sign of a number; None for a ball that contains 0 and other numbers."""
    return 1 if x > 0 else -1 if x < 0 else 0 if x == 0 else None


def _sign_of_sum(*signs: int | None) -> int | None:
    """The sign of a sum of numbers with these signs; None if two of them are opposite, or one is unknown."""
    nonzero = set(signs) - {0}
    if len(nonzero) > 1 or None in nonzero:
        return None
    return nonzero.pop() if nonzero else 0


def _sign_of_product(a: int | None, b: int | None) -> int | None:
    """The sign of a product of two numbers with the signs a and b; None if it is not known."""
    return 0 if 0 in (a, b) else None if a is None or b is None else a * b
