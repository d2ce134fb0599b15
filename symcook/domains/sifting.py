"""Which positions may have the maximum score of a row, by float64 with certified errors, before balls are computed.

A decoder computes one row for each new token, over all positions so far. With balls alone, each row is a loop over all
positions. The float64 values of keys are kept while the columns grow, so that a row costs a few numpy operations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from flint import arb, fmpq

STEP = 2.0**-52
"""Twice the greatest relative error of a rounding in float64."""
SIFTED = 24
"""The length from which sifting saves time."""


class Midpoints:
    """float64 midpoints and radii of the first `count` entries of a column, computed on demand.

    Columns of which each continues the one before share one object; `length` is the length of the longest of them.
    """

    def __init__(
        self, mid: Sequence[float] | np.ndarray = (), rad: Sequence[float] | np.ndarray = (), length: int = 0
    ) -> None:
        self.count, self.length = len(mid), length
        self.mid, self.rad = np.empty(max(64, 2 * len(mid))), np.empty(max(64, 2 * len(mid)))
        self.mid[: self.count], self.rad[: self.count] = mid, rad

    def of(self, column: Sequence[fmpq | arb]) -> tuple[Any, Any]:
        """Midpoints and radii of the whole column, which must begin with the entries of earlier calls."""
        size = len(column)
        if size > self.count:
            if size > len(self.mid):
                more_entries = np.empty(size)
                self.mid, self.rad = np.concatenate([self.mid, more_entries]), np.concatenate([self.rad, more_entries])
            for place in range(self.count, size):
                ball = arb(column[place])
                mid = float(ball.mid())
                self.mid[place] = mid
                # The conversion of the midpoint has a rounding error. The radius and this sum are rounded too, by
                # less than 8 steps. The last term covers underflow.
                self.rad[place] = float(ball.rad()) * (1 + 8 * STEP) + abs(mid) * STEP + 2.0**-1000
            self.count = size
        return self.mid[:size], self.rad[:size]


class JoinedColumn(list[Any]):
    """A column made by `joined`, with the midpoints that it shares with the column that it continues."""

    midpoints: Midpoints  # of the first entries; `Midpoints.of` adds the others


def joined(before: Sequence[Any] | None, column: Sequence[Any]) -> JoinedColumn:
    """The entries of `before` (None: no earlier positions) followed by those of `column`.

    The result shares the midpoints of `before`, unless another column already continues `before`. In that case, which
    `Midpoints.length` shows, it gets a copy of those of `before`.
    """
    result = JoinedColumn(column if before is None else [*before, *column])
    midpoints = getattr(before, "midpoints", None)
    if midpoints is None:
        result.midpoints = Midpoints()
    elif midpoints.length == len(before or ()):
        result.midpoints = midpoints
    else:  # another column continues `before`
        shared_count = min(midpoints.count, len(before or ()))
        result.midpoints = Midpoints(midpoints.mid[:shared_count], midpoints.rad[:shared_count])
    result.midpoints.length = len(result)
    return result


def sieve(
    queries: Sequence[Sequence[fmpq | arb]], keys: Sequence[Sequence[fmpq | arb]]
) -> Callable[[int, range], Sequence[int]]:
    """A function of the index of a row and the range that it sees: the positions there whose score is not certainly
    below the maximum.

    A score is a sum of m products of midpoints q k. The exact entries are within r of q and within s of k, so each
    exact product is within |q| s + r (|k| + s) of q k. The float sum of m products has an error of at most m/2 `STEP`s
    of the sum of their absolute values. The error bounds are rounded too; m + 8 steps cover both. Positions with a
    score that is not finite are kept: infinity - infinity is nan, which `fmax` ignores, and comparisons with nan are
    False.
    """
    key_entries = [getattr(column, "midpoints", Midpoints()).of(column) for column in keys]

    def places(number: int, sees: range) -> Sequence[int]:
        """The positions that row `number` sees and that may have its maximum score."""
        in_sight = slice(sees.start, sees.stop)
        steps = (len(keys) + 8) * STEP
        score, error = np.zeros(len(sees)), np.full(len(sees), 2.0**-900)  # more than products lose by underflow
        with np.errstate(all="ignore"):
            for column, (mid, rad) in zip(queries, key_entries, strict=True):
                # One coordinate of query and key: the product, and the bound of its error.
                (query,), (query_off,) = Midpoints().of(column[number : number + 1])
                product, size = query * mid[in_sight], np.abs(mid[in_sight])
                score += product
                error += abs(query) * rad[in_sight] + query_off * (size + rad[in_sight]) + np.abs(product) * steps
            error *= 1 + steps
            error += np.abs(score) * STEP
            # The largest lower bound of a score; a position is left out if its upper bound is below that.
            least = np.fmax.reduce(score - error)
            return [sees.start + int(j) for j in np.flatnonzero(~(score + error < least))]

    return places
