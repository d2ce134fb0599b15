"""Where the output of a model is exactly zero as one number moves: a rational place, shown to be the only one nearby.

Balls enclose an end between two numbers. The simplest rational number between them is the end itself where the exact
domain says that the output is zero there, and where the output has a slope of one sign all along the interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple

import flint
from flint import arb

from symcook.domains.exact import Exact
from symcook.domains.rowwise import Rowwise
from symcook.errors import BadInput, NotExact, Undecided
from symcook.forward import forward
from symcook.model.expr import Tree, names
from symcook.model.transformer import Transformer
from symcook.numbers.evaluate import evaluate
from symcook.numbers.roots import ball_of
from symcook.questions.moving import BITS


class Sloped(NamedTuple):
    """A function of the number that moves, over an interval of it: an enclosure of its values, and of its slopes (for
    relu of all between the two at a kink)."""

    value: arb
    slope: arb

    def __add__(self, other: Sloped) -> Sloped:  # type: ignore[override]
        return Sloped(self.value + other.value, self.slope + other.slope)

    def __neg__(self) -> Sloped:
        return Sloped(-self.value, -self.slope)

    def __sub__(self, other: Sloped) -> Sloped:
        return self + -other

    def __mul__(self, other: Sloped) -> Sloped:  # type: ignore[override]
        return Sloped(self.value * other.value, self.slope * other.value + self.value * other.slope)

    def __truediv__(self, other: Sloped) -> Sloped:
        found = self.value / other.value
        return Sloped(found, (self.slope - found * other.slope) / other.value)


class Slopes(Rowwise):
    """The domain of these functions of the symbol `name`, which stands for every number of the ball `over_`; NotExact
    for what may jump, and for what has no slope here."""

    name: ClassVar[str] = "slopes"
    nothing = Sloped(arb(0), arb(0))

    def __init__(self, name: str, over_: arb) -> None:
        super().__init__()
        self.symbol, self.over_ = name, over_

    def number(self, value: Any) -> Sloped:
        if isinstance(value, tuple) and self.symbol in names(value):
            if value != ("name", self.symbol):
                raise NotExact("a slope must be of the weight itself", self.symbol)
            return Sloped(self.over_, arb(1))
        return Sloped(evaluate(value) if isinstance(value, tuple) else ball_of(Fraction(value)), arb(0))

    def position(self, term: Tree, i: int) -> Sloped:
        if self.symbol in names(term):
            raise NotExact("a slope must be of the weight itself", self.symbol)
        return Sloped(evaluate(term, {"i": i, "n": self.length}), arb(0))

    def activation(self, x: Sloped, kind: str) -> Sloped:
        if kind != "relu":
            raise NotExact("a slope must be of sums, products and softmax", kind)
        if x.value > 0 or x.value <= 0:
            return x if x.value > 0 else self.nothing
        return Sloped(x.value.max(arb(0)), x.slope.union(arb(0)))

    def normalised(self, entries: Sequence[Sloped], epsilon: Sloped, zero_variance: str, i: int) -> Sequence[Sloped]:
        raise NotExact("a slope must be of sums, products and softmax", "a layer norm")

    def weights(self, scores: Sequence[Sloped]) -> Sequence[Sloped]:
        top = max((score.value.mid() for score in scores), default=arb(0))
        found = ((score.value - top).exp() for score in scores)
        return [Sloped(weight, weight * score.slope) for weight, score in zip(found, scores, strict=True)]

    def best(self, scores: Sequence[Sloped], weighting: str, i: int, first: int) -> Sequence[int]:
        raise NotExact("a slope must be of sums, products and softmax", "hard attention")

    def first_largest(self, scores: Sequence[Sloped]) -> None:
        return None

    def is_positive(self, x: Sloped) -> None:
        return None

    def is_zero(self, x: Sloped) -> None:
        return None


def only_zero(model: Transformer, sequence: Any, name: str, low: Fraction, high: Fraction) -> Fraction | None:
    """The rational number from `low` to `high` at which the logit of an input is exactly zero, and nowhere else there;
    None where that is not shown."""
    if not model.readout.signed or model.readout.everywhere:
        return None
    place = simplest(low, high)
    try:
        with flint.ctx.workprec(BITS):
            moved = forward(model, sequence, Slopes(name, ball_of(low).union(ball_of(high))))
            slope = moved.scores["logit"][moved.place].slope
            if not (slope > 0 or slope < 0):
                return None
        exact = Exact()
        result = forward(model.bind({name: place}), sequence, exact)
        zero = exact.is_zero(result.scores["logit"][result.place])
    except (NotExact, Undecided, BadInput):
        return None
    return place if zero else None


def simplest(low: Fraction, high: Fraction) -> Fraction:
    """The number from `low` to `high` with the least denominator.

    >>> simplest(Fraction(333, 1000), Fraction(334, 1000))
    Fraction(1, 3)
    """
    whole = -(-low // 1)
    if whole <= high:
        return Fraction(whole if low >= 0 else min(0, high // 1))  # the integer nearest to zero
    below = low // 1
    return below + 1 / simplest(1 / (high - below), 1 / (low - below))
