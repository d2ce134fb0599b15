"""Balls: every value is an Arb midpoint and radius that encloses the true number; a comparison may stay open.

The precision is flint's process-wide setting; `context` sets it for a forward pass and puts it back. Integers stay
exact as long as they fit the precision, and uniform attention sums first and divides once, so that zero tests of means
of integers are decided. A difference of equal numbers that are not dyadic is a ball around zero, and stays open.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from fractions import Fraction
from typing import Any, ClassVar

import flint

from symcook.errors import Undecided, require_known
from symcook.numbers.balls import ball, settled
from symcook.numbers.evaluate import evaluate
from symcook.protocol import conjunction
from symcook.symbols import tree_from_sympy

LIMIT_BITS = 2**15
"""The working precision at which a run gives up, unless the asked digits need more to begin with."""

Column = list[flint.arb]


class Ball:
    """The domain of real balls at `bits` bits of working precision.

    >>> domain = Ball(64)
    >>> with domain.context():
    ...     domain.begin(("a", "b"), 1)
    ...     mean = domain.attend([], [], [domain.embed({"a": 1, "b": -1})], "none", "average", 1)[0]
    ...     domain.zero(mean), domain.positive(mean)
    ([True, True], [False, False])
    """

    name: ClassVar[str] = "ball"

    def __init__(self, bits: int = 128) -> None:
        self.bits = bits
        self.length = 0
        self._known: dict[Any, flint.arb] = {}

    def context(self) -> AbstractContextManager[Any]:
        return flint.ctx.workprec(self.bits)

    def begin(self, sequence: Any, start: int) -> None:
        self._sequence = tuple(sequence)
        self._start = start
        self.length = len(self._sequence)

    def enclose(self, value: Any) -> flint.arb:
        """A ball around an exact number: a rational, or a sympy number of the grammar (roots, exp, log, pi ...)."""
        known = self._known.get(value)
        if known is None:
            if isinstance(value, (int, Fraction)):
                known = flint.arb(flint.fmpq(value.numerator, value.denominator))
            elif value.is_Rational:
                known = flint.arb(flint.fmpq(int(value.p), int(value.q)))
            else:
                known = evaluate(tree_from_sympy(value))
            self._known[value] = known
        return known

    def embed(self, table: Mapping[str, Any]) -> Column:
        return [self.enclose(table[token]) for token in self._sequence]

    def input(self, name: str) -> Column:
        return [self.enclose(row[name]) for row in self._sequence]

    def positions(self, expression: Any) -> Column:
        tree = tree_from_sympy(expression)
        return [evaluate(tree, {"i": self._start + place, "n": self.length}) for place in range(self.length)]

    def linear(self, terms: Sequence[tuple[Column, Any]], bias: Any) -> Column:
        total = [self.enclose(bias)] * self.length
        for column, coefficient in terms:
            weight = self.enclose(coefficient)
            if coefficient == 1:
                total = [t + x for t, x in zip(total, column, strict=True)]
            else:
                total = [t + weight * x for t, x in zip(total, column, strict=True)]
        return total

    def activate(self, column: Column, kind: str) -> Column:
        require_known("activation", kind, ("relu",))
        return [_relu(x) for x in column]

    def attend(
        self,
        queries: Sequence[Column],
        keys: Sequence[Column],
        values: Sequence[Column],
        mask: str,
        weighting: str,
        factor: Any,
    ) -> list[Column]:
        require_known("mask", mask, ("none", "future"))
        require_known("weighting", weighting, ("average", "softmax"))
        if not queries:
            return [self._uniform(column, mask) for column in values]
        scale = [flint.arb(1)] * self.length if factor == 1 else self.positions(factor)
        results: list[Column] = [[] for _ in values]
        for place in range(self.length):
            seen = range(place + 1 if mask == "future" else self.length)
            scores = [
                scale[place] * sum((q[place] * k[j] for q, k in zip(queries, keys, strict=True)), flint.arb(0))
                for j in seen
            ]
            if weighting == "softmax":
                top = max((score.mid() for score in scores), key=lambda m: m)
                weights = [(score - top).exp() for score in scores]
                total = sum(weights, flint.arb(0))
                pairs = list(zip(weights, seen, strict=True))
            else:
                best = _maxima(scores, place + self._start, self._start, self.bits)
                total = flint.arb(len(best))
                pairs = [(None, j) for j in best]
            for result, value in zip(results, values, strict=True):
                parts = (value[j] if weight is None else weight * value[j] for weight, j in pairs)
                result.append(sum(parts, flint.arb(0)) / total)
        return results

    def _uniform(self, column: Column, mask: str) -> Column:
        if mask != "future":
            return [sum(column, flint.arb(0)) / self.length] * self.length
        total, result = flint.arb(0), []
        for count, x in enumerate(column, 1):
            total = total + x
            result.append(total / count)
        return result

    def positive(self, column: Column) -> list[bool | None]:
        return [True if x > 0 else False if x <= 0 else None for x in column]

    def zero(self, column: Column) -> list[bool | None]:
        return [True if x.is_zero() else None if x.contains(0) or not x.is_finite() else False for x in column]

    def both(self, first: bool | None, second: bool | None) -> bool | None:
        return conjunction(first, second)

    def read(self, column: Column, place: int) -> flint.arb:
        return column[place]

    def show(self, value: flint.arb, digits: int) -> dict[str, str]:
        return ball(value, digits).to_json()

    def settled(self, value: flint.arb, digits: int) -> bool:
        return settled(value, digits)


def _relu(x: flint.arb) -> flint.arb:
    """max(0, x); [0, upper] where the ball straddles zero."""
    if x >= 0:
        return x
    return flint.arb(0) if x <= 0 else x.max(flint.arb(0))


def _maxima(scores: Sequence[flint.arb], row: int, start: int, bits: int) -> list[int]:
    """The indices of the greatest score; Undecided where balls leave open which, or whether two are equal."""
    top = max(scores, key=lambda score: score.mid())
    best = [j for j, score in enumerate(scores) if not score < top]
    for j in best[1:]:
        equal = scores[j] == scores[best[0]]  # for balls: both exact, and the same
        if not equal:
            pair = f"positions {best[0] + start} and {j + start}"
            raise Undecided(
                f"the scores of {pair} in row {row} are too close to tell apart, or equal, at {bits} bits; "
                "the exact domain decides ties of rational scores."
            )
    return best
