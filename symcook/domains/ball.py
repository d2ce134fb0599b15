"""Balls: every value is an Arb midpoint and radius that encloses the true number; a comparison may stay open.

The precision is flint's process-wide setting; `context` sets it for a forward pass and puts it back. Integers stay
exact as long as they fit the precision, and uniform attention sums first and divides once, so that zero tests of means
of integers are decided. A difference of equal numbers that are not dyadic is a ball around zero, and stays open.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from fractions import Fraction
from itertools import accumulate, repeat
from operator import mul, sub
from typing import Any, ClassVar

import flint

from symcook.blocks import MASKS, WEIGHTINGS
from symcook.errors import Undecided, require_known
from symcook.numbers.balls import ball, settled
from symcook.numbers.evaluate import evaluate
from symcook.protocol import conjunction, refuse_zero_variance, visible
from symcook.symbols import tree_from_sympy

LIMIT_BITS = 2**15
"""The working precision at which a run gives up, unless the asked digits need more to begin with."""

ROWS = 16
"""Rows of softmax weights that are multiplied with the values at once."""

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
        require_known("activation", kind, tuple(_ACTIVATIONS))
        return [_ACTIVATIONS[kind](x) for x in column]

    def layer_norm(self, columns: Sequence[Column], epsilon: Any, zero_variance: str) -> list[Column]:
        """See the protocol; Undecided where the variance may be zero without being exactly so."""
        m, floor = len(columns), self.enclose(epsilon)
        results: list[Column] = [[] for _ in columns]
        for place, entries in enumerate(zip(*columns, strict=True)):
            mean = sum(entries, flint.arb(0)) / m
            centred = [x - mean for x in entries]
            if all(x.is_exact() and x == entries[0] for x in entries):
                variance = flint.arb(0)  # exactly, though the mean may be rounded
                centred = [variance] * m
            else:
                variance = (sum((c * c for c in centred), flint.arb(0)) / m).nonnegative_part()
            total = variance + floor
            if total.is_zero():
                refuse_zero_variance(zero_variance, self._start + place)
                scale = flint.arb(0)
            elif total > 0:
                scale = total.rsqrt()
            else:
                raise Undecided(
                    f"the variance under a layer norm at position {self._start + place} cannot be told from zero at "
                    f"{self.bits} bits; the exact domain decides that of rational entries."
                )
            for result, c in zip(results, centred, strict=True):
                result.append(c * scale)
        return results

    def attend(
        self,
        queries: Sequence[Column],
        keys: Sequence[Column],
        values: Sequence[Column],
        mask: str,
        weighting: str,
        factor: Any,
    ) -> list[Column]:
        require_known("mask", mask, MASKS)
        require_known("weighting", weighting, WEIGHTINGS)
        if not queries:
            return [self._plain(column, mask, weighting) for column in values]
        scale = None if factor == 1 else self.positions(factor)
        if weighting == "softmax":
            return self._soft(queries, keys, values, mask, scale)
        results: list[Column] = [[] for _ in values]
        for place, scores in self._scores(queries, keys, mask, scale):
            seen = visible(mask, place, self.length)
            best: Sequence[int] = ()
            if seen:
                best = _maxima(scores, weighting, place + self._start, seen.start + self._start, self.bits)
            for result, value in zip(results, values, strict=True):
                total = sum((value[seen.start + j] for j in best), flint.arb(0))
                result.append(total / len(best) if len(best) > 1 else total)
        return results

    def _scores(
        self, queries: Sequence[Column], keys: Sequence[Column], mask: str, scale: Column | None
    ) -> Iterator[tuple[int, Column]]:
        """Each row with its scores at the positions that it sees."""
        n, table = self.length, None
        for place in range(n):
            seen = visible(mask, place, n)
            if len(queries) == 1:  # a loop is as fast as a matrix, and takes no more than is seen
                factor = queries[0][place] if scale is None else queries[0][place] * scale[place]
                yield place, list(map(mul, repeat(factor), keys[0][seen.start : seen.stop]))
                continue
            if table is None:
                table = flint.arb_mat([list(column) for column in keys])
            row = [q[place] if scale is None else q[place] * scale[place] for q in queries]
            scores = (flint.arb_mat([row]) * table).entries() if seen else []
            yield place, scores[seen.start : seen.stop]

    def _soft(
        self,
        queries: Sequence[Column],
        keys: Sequence[Column],
        values: Sequence[Column],
        mask: str,
        scale: Column | None,
    ) -> list[Column]:
        """Softmax rows, `ROWS` at a time as one product of matrices."""
        n, zero = self.length, flint.arb(0)
        table = flint.arb_mat([list(row) for row in zip(*values, strict=True)])
        results: list[Column] = [[] for _ in values]
        held: list[Column] = []
        totals: list[flint.arb] = []
        for place, scores in self._scores(queries, keys, mask, scale):
            seen = visible(mask, place, n)
            weights, total = _weights(scores) if seen else ([], zero)
            held.append([zero] * seen.start + weights + [zero] * (n - max(seen.start, seen.stop)))
            totals.append(total)
            if len(held) == ROWS or place == n - 1:
                for parts, total in zip((flint.arb_mat(held) * table).tolist(), totals, strict=True):
                    for result, part in zip(results, parts, strict=True):
                        result.append(zero if total.is_zero() else part / total)
                held, totals = [], []
        return results

    def _plain(self, column: Column, mask: str, weighting: str) -> Column:
        """Rows whose scores are all zero: the mean of what is seen, or its first or last entry."""
        n, zero = self.length, flint.arb(0)
        rows = [visible(mask, place, n) for place in range(n)]
        if weighting in ("leftmost", "rightmost"):
            return [column[row[0 if weighting == "leftmost" else -1]] if row else zero for row in rows]
        if mask == "none":
            return [sum(column, zero) / n] * n
        ends = mask in ("past", "strict-past")
        sums = list(accumulate(reversed(column) if ends else column, initial=zero))
        return [sums[len(row)] / len(row) if row else zero for row in rows]

    def distribution(self, columns: Sequence[Column]) -> list[Column]:
        rows = []
        for scores in zip(*columns, strict=True):
            weights, total = _weights(scores)
            rows.append(map(mul, weights, repeat(1 / total)))
        return list(map(list, zip(*rows, strict=True)))

    def largest(self, columns: Sequence[Column]) -> list[int | None]:
        return [_first_largest(scores) for scores in zip(*columns, strict=True)]

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


def _step(x: flint.arb) -> flint.arb:
    """I[x > 0]; [0, 1] where that is open."""
    return flint.arb(1) if x > 0 else flint.arb(0) if x <= 0 else flint.arb(0.5, 0.5)


def _logistic(x: flint.arb) -> flint.arb:
    """1/(1 + e^-x), with the small exponential on either side."""
    small = (-abs(x)).exp()
    return small / (1 + small) if x < 0 else 1 / (1 + (-x).exp())


def _gelu(x: flint.arb) -> flint.arb:
    """x Phi(x) = x erfc(-x/sqrt 2)/2."""
    return x * (-x * flint.arb(2).rsqrt()).erfc() / 2


def _gelu_tanh(x: flint.arb) -> flint.arb:
    """x/2 (1 + tanh u) = x logistic(2u) with u = sqrt(2/pi) (x + 0.044715 x^3)."""
    inner = x + flint.arb(flint.fmpq(44715, 1000000)) * x * x * x
    return x * _logistic(2 * (2 / flint.arb.pi()).sqrt() * inner)


def _gelu_sigmoid(x: flint.arb) -> flint.arb:
    """x logistic(1.702 x)."""
    return x * _logistic(flint.arb(flint.fmpq(1702, 1000)) * x)


_ACTIVATIONS = {
    "relu": _relu,
    "gelu": _gelu,
    "gelu-tanh": _gelu_tanh,
    "gelu-sigmoid": _gelu_sigmoid,
    "step": _step,
}


def _candidates(scores: Sequence[flint.arb]) -> list[int]:
    """The indices that are not surely below another."""
    top = max(scores, key=lambda score: score.mid())
    return [j for j, score in enumerate(scores) if not score < top]


def _weights(scores: Sequence[flint.arb]) -> tuple[list[flint.arb], flint.arb]:
    """exp(score - top) for some top, and their sum. Any top is right, and balls seldom overflow: so zero comes first,
    then the greatest midpoint."""
    weights = list(map(flint.arb.exp, scores))
    total = sum(weights, flint.arb(0))
    if not (total.is_finite() and total > 0):
        top = max(score.mid() for score in scores)
        weights = list(map(flint.arb.exp, map(sub, scores, repeat(top))))
        total = sum(weights, flint.arb(0))
    return weights, total


def _first_largest(scores: Sequence[flint.arb]) -> int | None:
    """The index of the first greatest score; None where that is open."""
    best = _candidates(scores)
    return best[0] if all(scores[best[0]] >= scores[j] for j in best[1:]) else None


def _maxima(scores: Sequence[flint.arb], weighting: str, row: int, start: int, bits: int) -> list[int]:
    """The indices that get weight: those of the greatest score, or the first or last of them.

    `row` and `start` are the positions of the row and of the first score. Undecided where balls leave open which, or
    whether two are equal.
    """
    best = _candidates(scores)
    if weighting == "average":
        # balls are equal where both are exact and the same; that they are not equal does not make them different
        equal = {j for j in best if scores[j] == scores[best[0]]}
        open_to = next((j for j in best[1:] if j not in equal), None)
        chosen, result = best[0], best
    else:
        chosen = best[0 if weighting == "leftmost" else -1]
        open_to = next((j for j in best if j != chosen and not scores[chosen] >= scores[j]), None)
        result = [chosen]
    if open_to is not None:
        first, second = sorted((chosen, open_to))
        raise Undecided(
            f"the scores of positions {first + start} and {second + start} in row {row} are too close to tell apart, "
            f"or equal, at {bits} bits; the exact domain decides ties of rational scores."
        )
    return result
