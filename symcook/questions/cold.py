"""All low temperatures at once: the answer to one input at every temperature above 0 and up to a given one.

Balls around the limit cannot tell 1 - e^(-1/tau) from 1. So a value is a pair: its limit at temperature 0, exact where
possible, and its difference from the limit, as a ball and as the sign that it has at all these temperatures.
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


class OffPart:
    """A difference from a limit: `ball` has its values at all temperatures, and `sign` is 1 or -1 where it has this
    sign at each of them, None where that is not known."""

    def __init__(self, ball: arb, sign: int | None) -> None:
        self.ball, self.sign = ball, sign


class Near(NamedTuple):
    """limit + the sum of coefficient times part; equal parts cancel exactly, as balls would not."""

    limit: Any
    parts: Mapping[OffPart, Any]

    @staticmethod
    def of(value: Ball, ball: arb | None = None, sign: int | None = None) -> Near:
        return Near(value, {} if ball is None else {OffPart(ball, sign): fmpq(1)})

    @property
    def off(self) -> arb:
        return sum((c * part.ball for part, c in self.parts.items()), arb(0))

    @property
    def ball(self) -> arb:
        return arb(self.limit) + self.off

    @property
    def sign(self) -> int | None:
        """The sign of the difference from the limit at all temperatures, 0 without one; None where it is not known."""
        return _both(*(_times(_sign(c), part.sign) for part, c in self.parts.items()))

    def side(self) -> int | None:
        """The sign of the value at all temperatures; None where it is not known."""
        if isinstance(self.limit, fmpq) and self.limit == 0:
            return self.sign
        return _sign(self.limit if isinstance(self.limit, fmpq) and not self.parts else self.ball)

    def __add__(self, other: Near) -> Near:  # type: ignore[override]
        parts_found = dict(self.parts)
        for part, c in other.parts.items():
            parts_found[part] = parts_found.get(part, ZERO) + c
        return Near(self.limit + other.limit, {part: c for part, c in parts_found.items() if not _nothing(c)})

    def scaled(self, c: Ball) -> Near:
        return Near(c * self.limit, {} if _nothing(c) else {part: c * d for part, d in self.parts.items()})

    def __neg__(self) -> Near:
        return self.scaled(fmpq(-1))

    def __sub__(self, other: Near) -> Near:
        return self + -other

    def __mul__(self, other: Near) -> Near:  # type: ignore[override]
        if not self.parts or not other.parts:
            return other.scaled(self.limit) if not self.parts else self.scaled(other.limit)
        # (limit + off) (limit' + off'), whose last product is a new part.
        both = Near.of(ZERO, self.off * other.off, _times(self.sign, other.sign))
        limits = Near(self.limit * other.limit, {})
        return limits + Near(ZERO, self.parts).scaled(other.limit) + Near(ZERO, other.parts).scaled(self.limit) + both

    def __truediv__(self, other: Near) -> Near:
        if other.parts:
            raise NotExact("a divisor must not depend on the temperature", "one that does")
        return self.scaled(1 / other.limit)


class Cold(Rowwise):
    """The domain of these values: the symbol `name` stands for every temperature above 0 and at most `warm`. NotExact
    for norms, gelu and hard attention with scores; Undecided for scores that change their order."""

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
        """A position function at i; the temperature may stand in scores only."""
        if self.symbol in names(term):
            raise NotExact("a temperature must stand in scores alone", self.symbol)
        try:
            return self.number(rational(term, {"i": Fraction(i), "n": Fraction(self.length)}))
        except BadInput:
            return Near.of(evaluate(term, {"i": i, "n": self.length}))

    def activation(self, x: Near, kind: str) -> Near:
        """The activation of a value whose sign is known at all temperatures; else a ball around both cases."""
        if kind not in ("relu", "step"):
            raise NotExact("values at low temperatures must be of sums, products and softmax", kind)
        side = x.side()
        if side is None:
            return Near.of(ZERO, x.ball.max(arb(0)) if kind == "relu" else arb(0.5, 0.5))
        if side <= 0:
            return self.nothing
        return x if kind == "relu" else Near.of(fmpq(1))

    def normalised(self, entries: Sequence[Near], epsilon: Near, zero_variance: str, i: int) -> Sequence[Near]:
        raise NotExact("values at low temperatures must be of sums, products and softmax", "a layer norm")

    def best(self, scores: Sequence[Near], weighting: str, i: int, first: int) -> Sequence[int]:
        raise NotExact("values at low temperatures must be of sums, products and softmax", "hard attention")

    def scales(self, factor: Coefficient) -> Sequence[Any] | None:
        """The least factor of the scores, at the greatest temperature; it grows beyond all bounds."""
        if not isinstance(factor, tuple) or self.symbol not in names(factor):
            raise NotExact("every temperature must be a multiple of one", "a head without")
        values = {self.symbol: ball_of(self.warm), "n": self.length}
        return [evaluate(factor, values | {"i": self._start + place}) for place in self.rows]

    def softmax(self, scores: Sequence[Near], scale: arb, rows: Sequence[Sequence[Near]]) -> Sequence[Near]:
        """The weighted means: scores tied in the limit share the weight equally, all others have a vanishing one."""
        top = max(scores, key=lambda score: score.ball.mid())
        tied, weights = list[int](), dict[int, arb]()
        for j, score in enumerate(scores):
            below = score - top
            side = below.side()
            # Tied at every temperature, not only in the limit.
            if score is top or side == 0:
                tied.append(j)
            elif side is None or side > 0:
                raise Undecided("two scores of softmax are too close to tell apart at low temperatures")
            else:  # between 0 and what it is at the greatest temperature, never 0
                weights[j] = arb(0).union((below.ball * scale).exp() if below.ball < 0 else arb(1))
        total_weight = sum(weights.values(), arb(len(tied)))
        means = []
        # The mean of the tied ones, plus what the vanishing weights add; its sign is known where these all pull one
        # way.
        for row in rows:
            mean = self.mean([row[j] for j in tied])
            apart = {j: row[j] - mean for j in weights}
            off = sum((weights[j] * x.ball for j, x in apart.items()), arb(0)) / total_weight
            sign = _both(*(x.side() for x in apart.values()))
            means.append(mean if sign == 0 else mean + Near.of(ZERO, off, sign))
        return means

    def first_largest(self, scores: Sequence[Near]) -> int | None:
        """The index of the first largest score; None where two cannot be told apart."""
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
    """The answer to an input at every temperature above 0 and at most `warm`; None where it is not known to be one."""
    with PRECISION, flint.ctx.workprec(BITS):
        try:
            return answer(forward(model, sequence, Cold(name, warm)))
        except (NotExact, Undecided):
            return None


def _nothing(c: Ball) -> bool:
    """Whether a coefficient is surely zero."""
    return bool(c == 0)


def _sign(x: Ball) -> int | None:
    """The sign of a number; None of a ball that contains 0."""
    return 1 if x > 0 else -1 if x < 0 else 0 if x == 0 else None


def _both(*signs: int | None) -> int | None:
    """The sign of a sum of numbers with these signs; None where some are opposite or unknown."""
    nonzero = set(signs) - {0}
    if len(nonzero) > 1 or None in nonzero:
        return None
    return nonzero.pop() if nonzero else 0


def _times(a: int | None, b: int | None) -> int | None:
    """The sign of a product; None where it is not known."""
    return 0 if 0 in (a, b) else None if a is None or b is None else a * b
