"""The answer to one input by rigorous intervals (balls), while a symbol of the model has one value (`at_point`), or may
have any value in an interval (`between`)."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from flint import arb, fmpq

from symcook.domains.ball import BallDomain
from symcook.domains.exact import Exact
from symcook.domains.protocol import Coefficient
from symcook.domains.rowwise import Rowwise
from symcook.errors import BadInput, NoRun, NotExact, Undecided
from symcook.forward import forward
from symcook.locks import PRECISION
from symcook.model.expr import Tree, names
from symcook.model.rationals import NoValue
from symcook.model.transformer import Transformer
from symcook.numbers.balls import arb_of, hull, ladder, resolving
from symcook.numbers.evaluate import evaluate
from symcook.questions.moving import answer

if TYPE_CHECKING:
    from symcook.domains.ball import BallValue

LIMIT_BITS = 2**12
"""The maximum precision of balls, in bits."""
BITS = 128
"""The precision of balls that is tried first."""
NO_VALUE = "no value"
"""What `at_point` returns if the model has no run at this value."""


class Interval(BallDomain):
    """The number system of balls in which the symbol `name` has the value `value`, or any value in the ball `value`.
    With `cold`, the symbol is a temperature that may be anything from `cold` (possibly 0) to the number `value`; it may
    then occur in the factors of scores alone."""

    def __init__(self, bits: int, name: str, value: Fraction | arb, cold: Fraction | None = None) -> None:
        super().__init__(bits)
        with PRECISION, self.context():
            self._name, self._value, self._cold = name, arb_of(value), cold

    soft = Rowwise.soft

    def _given(self, value: Coefficient) -> Any:
        """A number of the model, with the interval in place of the symbol."""
        if isinstance(value, tuple) and self._name in names(value):
            return self._entry(evaluate(value, {self._name: self._value}))
        return super()._given(value)

    def position(self, term: Tree, i: int) -> Any:
        """A position function at i, with the interval in place of the symbol."""
        if self._name in names(term):
            return self._entry(evaluate(term, {self._name: self._value, "i": i, "n": self.length}))
        return super().position(term, i)

    def scales(self, factor: Coefficient) -> Sequence[Any] | None:
        """The factor of the scores, for each row. If it depends on a temperature that goes down to `cold`, it is a pair
        of the smallest and the largest factor; the largest is None if `cold` is 0."""
        if self._cold is None or not isinstance(factor, tuple) or self._name not in names(factor):
            return super().scales(factor)
        factors = []
        for place in self.rows:
            indices: dict[str, Any] = {"i": self._start + place, "n": self.length}
            least = evaluate(factor, indices | {self._name: self._value})
            cold = self._cold
            most = None if cold == 0 else evaluate(factor, indices | {self._name: cold})
            factors.append((least, most))
        return factors

    def softmax(
        self, scores: Sequence[BallValue], scale: BallValue | None, rows: Sequence[Sequence[BallValue]]
    ) -> Sequence[Any]:
        """The weighted means. With a temperature that goes down to `cold`, each weight is the hull of its values at the
        two ends. Undecided if the temperature goes down to 0 and the order of two scores is open."""
        # No scale, or a single one: the temperature does not move.
        if not isinstance(scale, tuple):
            return super().softmax(scores, scale, rows)
        least, most = scale
        best = max(scores, key=lambda score: arb(score).mid())
        weights: list[Any] = []
        for score in scores:
            below = arb(score) - arb(best)
            if score is best or below == 0:
                weights.append(fmpq(1))
                continue
            # The order of the two scores is open: either of them may be the larger one.
            if not below < 0:
                if most is None:
                    raise Undecided("two scores of softmax are too close to tell apart as the temperature goes to 0")
                weights.append((below * least.union(most)).exp())
                continue
            # The lower the temperature, the smaller is the weight; at temperature 0 it is 0.
            weight = (below * least).exp()
            weights.append(weight.union(arb(0) if most is None else (below * most).exp()))
        total = self.total(weights)
        if len(scores) == 1:
            return [row[0] for row in rows]
        means = []
        for row in rows:
            base = row[scores.index(best)]
            # The mean is base + sum w (x - base)/sum w, which is a narrower ball if the values are similar.
            parts = [self.times(w, self.total([x, -base])) for w, x in zip(weights, row, strict=True) if x is not base]
            means.append(base if not parts else self.total([base, self.over(self.total(parts), total)]))
        return means

    def weights(self, scores: Sequence[BallValue]) -> list[Any]:
        """The weights of a softmax up to a common factor, which makes the exponent of the largest midpoint 0."""
        balls = [arb(score) for score in scores]
        top = max((score.mid() for score in balls), default=arb(0))
        return [(score - top).exp() for score in balls]


def between(model: Transformer, sequence: object, name: str, low: Fraction, high: Fraction, warm: bool = False) -> Any:
    """The answer for every value of the symbol `name` from `low` to `high`; None if it is not proved to be the same for
    all. With `warm` the symbol is a temperature, and `low` may be 0."""
    bits = BITS if warm else resolving(low, high, BITS)
    domain = Interval(bits, name, high, low) if warm else Interval(bits, name, hull(low, high, bits))
    try:
        return answer(forward(model, sequence, domain))
    except (Undecided, BadInput):  # a divisor may be 0, a root negative, or a choice open somewhere in the interval
        return None


def at_point(model: Transformer, sequence: Any, name: str, value: Fraction) -> Any:
    """The answer if the symbol `name` has this value, by balls of enough bits or by an exact run; `NO_VALUE` if the
    model has no run there.

    Raises Undecided if neither decides it, for example if a logit after softmax is exactly on its threshold."""
    try:
        for bits in ladder(BITS, LIMIT_BITS):
            with suppress(Undecided):
                own_answer = answer(forward(model, sequence, Interval(bits, name, value)))
                if own_answer is not None:
                    return own_answer
            if bits == 2 * BITS:  # the value may be on a threshold or a tie, which only an exact run decides
                with suppress(NotExact, Undecided):
                    return answer(forward(model.bind({name: value}), sequence, Exact()))
    except (NoRun, NoValue):  # any other refusal is about more than this value
        return NO_VALUE
    input_text = model.embedding.said(model.embedding.typed(sequence))
    raise Undecided(
        f"the answer to {input_text} at {float(value):.6g} was undecided: rigorous intervals cannot tell a value on "
        "its threshold"
    )
