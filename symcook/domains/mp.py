"""mpmath floats: a second engine beside the balls, and arithmetic rounded to p bits at every operation.

Every product, sum, quotient, root and exponential is rounded to nearest at `bits` bits, in the order in which it is
written: sums run over positions, coordinates or hidden units from left to right, and what a row sees is summed from its
first visible position on. Given numbers, coefficients, position functions and temperatures are rounded once, from their
exact values. Exponents are not bounded, so that nothing overflows. What all this rounding may amount to is bounded
beside the numbers (`symcook.domains.rounding`): a verdict within that bound stays open. With `simulates` a verdict is
that of a runtime with these numbers, right or wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from fractions import Fraction
from itertools import accumulate
from typing import Any, ClassVar

import mpmath
from mpmath.libmp import from_rational

from symcook.domains.exact import rational_at
from symcook.domains.protocol import refuse_zero_variance, visible
from symcook.domains.rounding import Format, Rounding
from symcook.errors import BadInput, NotExact
from symcook.model.rationals import rewritten
from symcook.model.symbols import Number
from symcook.numbers.evaluate import nearest

Column = list[Any]
"""mpmath numbers, one a position."""

MAX_BITS = 1_000_000


def check_bits(bits: object) -> int:
    """`bits` as an int in 1..MAX_BITS; BadInput for anything else."""
    if isinstance(bits, bool) or not isinstance(bits, int) or not 1 <= bits <= MAX_BITS:
        raise BadInput(
            f"the number of bits must be an integer from 1 to {MAX_BITS}", bits, "give for example --bits 24"
        )
    return bits


class Mp:
    """The domain of mpmath numbers with `bits` bits. `digits` of its values are shown; None: all that `bits` hold.

    >>> domain = Mp(4)
    >>> with domain.context():
    ...     domain.begin(("a",) * 3, 1)
    ...     third = domain.attend([], [], [domain.embed({"a": 17})], "none", "average", 1)[0][0]
    ...     domain.show(third, 30)
    '16'
    """

    name: ClassVar[str] = "mpmath"

    def __init__(self, bits: int = 128, digits: int | None = None, simulates: bool = False) -> None:
        self.bits = check_bits(bits)
        self.digits = digits
        self.simulates = simulates
        self.length = 0
        self.rows: Sequence[int] = ()
        """The positions (from 0) that columns have entries for."""
        self._known: dict[Any, Any] = {}

    def context(self) -> AbstractContextManager[Any]:
        return mpmath.workprec(self.bits)

    def begin(self, sequence: Any, start: int) -> None:
        self._sequence = tuple(sequence)
        self._start = start
        self.length = len(self._sequence)
        self.rows = range(self.length)

    def narrow(self, columns: Sequence[Column], place: int) -> list[Column]:
        self.rows = self.rows[place:][:1]
        return [[column[place]] for column in columns]

    def rounding(self) -> Rounding:
        return Rounding(Format(self.bits))

    def nearest(self, value: Any) -> Any:
        """An exact number rounded once to the precision (to within the last bit where it is not rational)."""
        known = self._known.get(value)
        if known is None:
            known = self._known[value] = self._round(value)
        return known

    def _round(self, value: Any) -> Any:
        if isinstance(value, tuple):
            return mpmath.mp.make_mpf(nearest(value, {}, self.bits))
        return mpmath.mp.make_mpf(from_rational(value.numerator, value.denominator, self.bits, "n"))

    def embed(self, table: Mapping[str, Any]) -> Column:
        numbers = {token: self.nearest(value) for token, value in table.items()}
        return [numbers[token] for token in self._sequence]

    def input(self, name: str) -> Column:
        return [self.nearest(row[name]) for row in self._sequence]

    def positions(self, expression: Any) -> Column:
        return [self._position(expression, self._start + place) for place in self.rows]

    def _position(self, expression: Number, i: int) -> Any:
        """The exact value rounded once."""
        try:
            return self.nearest(rational_at(expression, i, self.length))
        except NotExact:
            return mpmath.mp.make_mpf(nearest(expression, {"i": i, "n": self.length}, self.bits))

    def linear(self, terms: Sequence[tuple[Column, Any]], bias: Any) -> Column:
        total = [self.nearest(bias)] * len(terms[0][0] if terms else self.rows)
        for column, coefficient in terms:
            weight = self.nearest(coefficient)
            total = [t + weight * x for t, x in zip(total, column, strict=True)]
        return total

    def activate(self, column: Column, kind: str) -> Column:
        if kind == "relu":
            return [x if x > 0 else mpmath.mpf(0) for x in column]
        if kind == "step":
            return [mpmath.mpf(1 if x > 0 else 0) for x in column]
        if kind == "gelu":
            scale, half = mpmath.sqrt(mpmath.mpf(2)), mpmath.mpf("0.5")
            return [x * (half * mpmath.erfc(-x / scale)) for x in column]
        if kind == "gelu-sigmoid":
            slope = self.nearest(Fraction(1702, 1000))
            return [x * _logistic(slope * x) for x in column]
        cubic, scale = self.nearest(Fraction(44715, 1000000)), 2 * mpmath.sqrt(2 / +mpmath.pi)
        return [x * _logistic(scale * (x + cubic * (x * x * x))) for x in column]

    def layer_norm(self, columns: Sequence[Column], epsilon: Any, zero_variance: str) -> list[Column]:
        count, floor = mpmath.mpf(len(columns)), self.nearest(epsilon)
        results: list[Column] = [[] for _ in columns]
        for place, entries in zip(self.rows, zip(*columns, strict=True), strict=True):
            mean = _total(entries) / count
            centred = [x - mean for x in entries]
            total = _total([c * c for c in centred]) / count + floor
            if total == 0:
                refuse_zero_variance(zero_variance, self._start + place)
                total = mpmath.mpf(1)
            root = mpmath.sqrt(total)
            for result, c in zip(results, centred, strict=True):
                result.append(c / root)
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
        scale = self.positions(factor) if queries and factor != 1 else None
        means = not queries and weighting in ("average", "softmax")
        if means and mask in ("none", "future", "strict-future"):
            return [self._running(column, mask) for column in values]
        results: list[Column] = [[] for _ in values]
        for number, place in enumerate(self.rows):
            seen = visible(mask, place, self.length)
            weights: Mapping[int, Any] = {}
            if seen and not queries:
                weights = _hard([mpmath.mpf(0)] * len(seen), seen, "average" if means else weighting)
            elif seen:
                scores = [_total([q[number] * k[j] for q, k in zip(queries, keys, strict=True)]) for j in seen]
                if scale is not None:
                    scores = [scale[number] * score for score in scores]
                weights = _soft(scores, seen) if weighting == "softmax" else _hard(scores, seen, weighting)
            total = _total([w for w in weights.values() if w is not None]) or mpmath.mpf(len(weights) or 1)
            for result, value in zip(results, values, strict=True):
                result.append(_total([value[j] if w is None else w * value[j] for j, w in weights.items()]) / total)
        return results

    def _running(self, column: Column, mask: str) -> Column:
        """Plain means under a mask that opens from the left: the running sums are the row sums from left to right."""
        sums = list(accumulate(column, initial=mpmath.mpf(0)))
        if mask == "none":
            return [sums[-1] / mpmath.mpf(self.length)] * len(self.rows)
        rows = (len(visible(mask, place, self.length)) for place in self.rows)
        return [sums[seen] / mpmath.mpf(seen or 1) for seen in rows]

    def distribution(self, columns: Sequence[Column]) -> list[Column]:
        results: list[Column] = [[] for _ in columns]
        for scores in zip(*columns, strict=True):
            weights = _soft(scores, range(len(scores)))
            total = _total(list(weights.values()))
            for result, weight in zip(results, weights.values(), strict=True):
                result.append(weight / total)
        return results

    def largest(self, columns: Sequence[Column]) -> list[int]:
        return [scores.index(max(scores)) for scores in zip(*columns, strict=True)]

    def positive(self, column: Column) -> list[bool]:
        return [bool(x > 0) for x in column]

    def zero(self, column: Column) -> list[bool]:
        return [bool(x == 0) for x in column]

    def both(self, first: bool, second: bool) -> bool:
        return first and second

    def read(self, column: Column, place: int) -> Any:
        return column[place]

    def show(self, value: Any, digits: int) -> str:
        shown = digits if self.digits is None else self.digits
        if not mpmath.isfinite(value):
            return str(value)
        return rewritten(str(mpmath.nstr(value, shown)))

    def settled(self, value: Any, digits: int) -> bool:
        return True


def digits_of(bits: int) -> int:
    """Decimal digits that tell any two numbers of `bits` bits apart.

    >>> digits_of(53)
    17
    """
    return -(-bits * 30103 // 100000) + 1


def _total(parts: Sequence[Any]) -> Any:
    """The sum from left to right, each partial sum rounded."""
    total = mpmath.mpf(0)
    for part in parts:
        total = total + part
    return total


def _logistic(x: Any) -> Any:
    """1/(1 + e^-x), with the small exponential on either side."""
    small = mpmath.exp(-abs(x))
    return (small if x < 0 else mpmath.mpf(1)) / (1 + small)


def _soft(scores: Sequence[Any], seen: range) -> dict[int, Any]:
    """Weights e^(score - greatest score) by index."""
    top = max(scores)
    return {j: mpmath.exp(score - top) for j, score in zip(seen, scores, strict=True)}


def _hard(scores: Sequence[Any], seen: range, weighting: str) -> dict[int, None]:
    """The indices that share the weight equally."""
    top = max(scores)
    best = [j for j, score in zip(seen, scores, strict=True) if score == top]
    chosen = {"leftmost": best[:1], "rightmost": best[-1:]}.get(weighting, best)
    return dict.fromkeys(chosen)
