"""Float64: what a user's runtime computes, with running sums for uniform attention. Fast, not exact, never a proof."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from symcook.errors import BadInput, Undecided, require_known
from symcook.symbols import from_sympy, symbol

Column = np.ndarray[Any, Any]

BLOCK = 2**20
"""Scores held at once: softmax and hard attention go by blocks of rows, in memory that does not grow with n^2."""


def nearest(value: Any) -> float:
    """The float64 nearest to an exact number (to within the last bit where it is not rational); inf beyond the range.

    Raises BadInput where the value is not a finite number, as that of 1/(i - 2) at i = 2, and Undecided where it rests
    on a comparison that sympy leaves open.
    """
    if not isinstance(value, (int, Fraction)):
        if value.is_finite is False or value.free_symbols:
            raise BadInput("a value must be a finite number", value)
        number = Fraction(int(value.p), int(value.q)) if value.is_Rational else value.evalf(30)
        if not isinstance(number, Fraction) and not number.is_Float:
            raise Undecided(f"a comparison stays open in {from_sympy(value)}; write it with rational numbers.")
        value = number
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


class Float64:
    """The domain of numpy float64 arrays over positions. Overflow gives inf and nan as it does in a float runtime."""

    name: ClassVar[str] = "float64"

    def __init__(self) -> None:
        self.length = 0

    def context(self) -> AbstractContextManager[Any]:
        return np.errstate(all="ignore")

    def begin(self, sequence: Any, start: int) -> None:
        self._sequence = tuple(sequence)
        self._start = start
        self.length = len(self._sequence)

    def embed(self, table: Mapping[str, Any]) -> Column:
        floats = {token: nearest(value) for token, value in table.items()}
        return np.array([floats[token] for token in self._sequence])

    def input(self, name: str) -> Column:
        return np.array([nearest(row[name]) for row in self._sequence])

    def positions(self, expression: Any) -> Column:
        n = expression.subs(symbol("n"), self.length)
        if not n.free_symbols:
            return np.full(self.length, nearest(n))
        return np.array([nearest(n.subs(symbol("i"), self._start + place)) for place in range(self.length)])

    def linear(self, terms: Sequence[tuple[Column, Any]], bias: Any) -> Column:
        total = np.full(self.length, nearest(bias))
        for column, weight in terms:
            total = total + column * nearest(weight)
        return total

    def activate(self, column: Column, kind: str) -> Column:
        require_known("activation", kind, ("relu",))
        return np.maximum(column, 0.0)

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
        n = self.length
        if not queries:
            if mask == "future":
                return [np.cumsum(v) / np.arange(1, n + 1) for v in values]
            return [np.full(n, v.sum() / n) for v in values]
        scale = np.ones(n) if factor == 1 else self.positions(factor)
        results = [np.empty(n) for _ in values]
        step = max(1, BLOCK // n)
        for first in range(0, n, step):
            rows = slice(first, min(first + step, n))
            scores = sum(np.outer(q[rows], k) for q, k in zip(queries, keys, strict=True)) * scale[rows, None]
            seen = np.ones(scores.shape, dtype=bool)
            if mask == "future":
                seen = np.arange(n)[None, :] <= np.arange(rows.start, rows.stop)[:, None]
            top = np.where(seen, scores, -np.inf).max(axis=1, keepdims=True)
            if weighting == "softmax":
                weights = np.where(seen, np.exp(np.where(seen, scores - top, 0.0)), 0.0)
            else:
                weights = (seen & (scores == top)).astype(float)
            total = weights.sum(axis=1)
            for result, v in zip(results, values, strict=True):
                result[rows] = weights @ v / total
        return results

    def positive(self, column: Column) -> list[bool]:
        return [bool(x > 0) for x in column]

    def zero(self, column: Column) -> list[bool]:
        return [bool(x == 0) for x in column]

    def both(self, first: bool, second: bool) -> bool:
        return first and second

    def read(self, column: Column, place: int) -> float:
        return float(column[place])

    def show(self, value: float, digits: int) -> float | str:
        """The float itself; inf and nan as text, for which JSON has no number."""
        return value if math.isfinite(value) else str(value)

    def settled(self, value: float, digits: int) -> bool:
        return True
