"""The answer to one input while one number of the model is anything in an interval, or one number, in balls."""

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
from symcook.errors import BadInput, NotExact, Undecided
from symcook.forward import forward
from symcook.locks import PRECISION
from symcook.model.expr import Tree, names
from symcook.model.transformer import Transformer
from symcook.numbers.balls import arb_of, hull, ladder, resolving
from symcook.numbers.evaluate import evaluate
from symcook.questions.moving import answer

if TYPE_CHECKING:
    from symcook.domains.ball import BallValue

LIMIT_BITS = 2**12
BITS = 128
NO_VALUE = "no value"


class Interval(BallDomain):
    """Balls in which the symbol `name` stands for a number, or for every number of a ball. With `cold` it is a
    temperature, which goes from `cold` (possibly 0) to the number `value`."""

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
        """With a temperature that goes down to `cold`: for each row the least factor, and the greatest (None where
        `cold` is 0)."""
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
        # No temperature that moves: a single scale.
        """The weighted means. With a temperature that goes down to `cold` each weight is the hull of those at its
        two ends."""
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
            # The order of the two scores is open: the largest score may be either.
            if not below < 0:
                if most is None:
                    raise Undecided("two scores of softmax are too close to tell apart as the temperature goes to 0")
                weights.append((below * least.union(most)).exp())
                continue
            # A weight falls with the temperature; at temperature 0 it is 0.
            weight = (below * least).exp()
            weights.append(weight.union(arb(0) if most is None else (below * most).exp()))
        total = self.total(weights)
        if len(scores) == 1:
            return [row[0] for row in rows]
        means = []
        for row in rows:
            base = row[scores.index(best)]
            # the mean around one value: sum w (x - base)/sum w, which is narrower where the values are alike
            parts = [self.times(w, self.total([x, -base])) for w, x in zip(weights, row, strict=True) if x is not base]
            means.append(base if not parts else self.total([base, self.over(self.total(parts), total)]))
        return means

    def weights(self, scores: Sequence[BallValue]) -> list[Any]:
        """The weights of a softmax, relative to the largest score."""
        balls = [arb(score) for score in scores]
        top = max((score.mid() for score in balls), default=arb(0))
        return [(score - top).exp() for score in balls]


def between(model: Transformer, sequence: object, name: str, low: Fraction, high: Fraction, warm: bool = False) -> Any:
    """The answer for every value of a symbol from `low` to `high`; None where it is not the same, or undecided.

    With `warm` the symbol is a temperature, which may go down to a `low` of 0."""
    bits = BITS if warm else resolving(low, high, BITS)
    domain = Interval(bits, name, high, low) if warm else Interval(bits, name, hull(low, high, bits))
    try:
        return answer(forward(model, sequence, domain))
    except (Undecided, BadInput):  # a divisor, root or choice that the whole interval leaves open
        return None


def at_point(model: Transformer, sequence: Any, name: str, value: Fraction) -> Any:
    """The answer at a value of the symbol `name`, which balls of enough bits or the exact domain decide; NO_VALUE where
    there is none.

    Raises Undecided where neither does, as where the answer of softmax lies on its threshold."""
    try:
        for bits in ladder(BITS, LIMIT_BITS):
            with suppress(Undecided):
                own_answer = answer(forward(model, sequence, Interval(bits, name, value)))
                if own_answer is not None:
                    return own_answer
            if bits == 2 * BITS:  # perhaps on a threshold or a tie, which the exact domain can tell
                with suppress(NotExact, Undecided):
                    return answer(forward(model.bind({name: value}), sequence, Exact()))
    except BadInput:
        return NO_VALUE
    input_text = model.embedding.said(model.embedding.typed(sequence))
    raise Undecided(
        f"the answer to {input_text} at {float(value):.6g} was undecided: rigorous intervals cannot tell a value on "
        "its threshold"
    )
