"""Which positions may have the greatest score of a row, by float64 with certified errors, before balls are computed.

A decoder asks one row a token over all positions so far; in balls alone each of these is a loop over everything. The
float64 of keys are kept as the columns grow, so that a token costs a few operations of numpy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from flint import arb, fmpq

STEP = 2.0**-52
"""Twice the greatest relative error of a rounding in float64."""
SIFTED = 24
"""From how many positions on it is worth it."""


class Midpoints:
    """Entries of a column as float64 midpoints and radii, as far as somebody has asked; `length` is that of the longest
    column that they are of."""

    def __init__(
        self, mid: Sequence[float] | np.ndarray = (), rad: Sequence[float] | np.ndarray = (), length: int = 0
    ) -> None:
        self.count, self.length = len(mid), length
        self.mid, self.rad = np.empty(max(64, 2 * len(mid))), np.empty(max(64, 2 * len(mid)))
        self.mid[: self.count], self.rad[: self.count] = mid, rad

    def of(self, column: Sequence[fmpq | arb]) -> tuple[Any, Any]:
        """Midpoints and radii of the whole column."""
        size = len(column)
        if size > self.count:
            if size > len(self.mid):
                room = np.empty(size)
                self.mid, self.rad = np.concatenate([self.mid, room]), np.concatenate([self.rad, room])
            for place in range(self.count, size):
                ball = arb(column[place])
                mid = float(ball.mid())
                self.mid[place] = mid
                # The midpoint as a float is off by a rounding; the radius and this sum are rounded too, less than 8
                # steps; the last term is for numbers below the least float.
                self.rad[place] = float(ball.rad()) * (1 + 8 * STEP) + abs(mid) * STEP + 2.0**-1000
            self.count = size
        return self.mid[:size], self.rad[:size]


class Grown(list[Any]):
    """A column that grows by joining; what is kept of it is shared along the way."""

    midpoints: Midpoints  # of its beginning at least


def joined(before: Sequence[Any] | None, column: Sequence[Any]) -> Grown:
    """A column behind that of the positions before. Its midpoints are those of `before` where nothing else has grown
    from there, which `length` shows, else a copy."""
    grown = Grown(column if before is None else [*before, *column])
    midpoints = getattr(before, "midpoints", None)
    if midpoints is None:
        grown.midpoints = Midpoints()
    elif midpoints.length == len(before or ()):
        grown.midpoints = midpoints
    else:  # another column has grown from there
        known = min(midpoints.count, len(before or ()))
        grown.midpoints = Midpoints(midpoints.mid[:known], midpoints.rad[:known])
    grown.midpoints.length = len(grown)
    return grown


def sieve(
    queries: Sequence[Sequence[fmpq | arb]], keys: Sequence[Sequence[fmpq | arb]]
) -> Callable[[int, range], Sequence[int]]:
    """For a row, by its number, and what it sees: the positions whose score is not surely below another one.

    A score is a sum of products q k, and the exact q' and k' are within r and s of these: q' k' is within |q| s +
    r (|k| + s) of q k. The sum of m products in floats is off by at most m/2 steps of their sizes, and these bounds are
    rounded as well, which m + 8 steps cover. What is not finite is kept: infinity less infinity is no number, `fmax`
    passes over it, and no comparison with it is true.
    """
    offered = [getattr(column, "midpoints", Midpoints()).of(column) for column in keys]

    def places(number: int, sees: range) -> Sequence[int]:
        """The positions in sight of a row that may have its greatest score."""
        here = slice(sees.start, sees.stop)
        steps = (len(keys) + 8) * STEP
        score, off = np.zeros(len(sees)), np.full(len(sees), 2.0**-900)  # more than products below the least float lose
        with np.errstate(all="ignore"):
            for column, (mid, rad) in zip(queries, offered, strict=True):
                # One coordinate of query and key: its product, and how far that may be off.
                (by,), (by_off,) = Midpoints().of(column[number : number + 1])
                product, size = by * mid[here], np.abs(mid[here])
                score += product
                off += abs(by) * rad[here] + by_off * (size + rad[here]) + np.abs(product) * steps
            off *= 1 + steps
            off += np.abs(score) * STEP
            # The greatest lower end; a position is kept unless its upper end is below it.
            least = np.fmax.reduce(score - off)
            return [sees.start + int(j) for j in np.flatnonzero(~(score + off < least))]

    return places
