"""Arrays over all inputs of a piece (a block of a batch), with one axis for each position that has a choice.

A cell of a batch (`symcook.domains.cells`) lists its prefixes with the first position as the least significant digit.
`Axes` turns such a cell into a value of `symcook.numbers.together`, whose axes are the positions with a choice, in
order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from symcook.domains.batch import Grid, Words
from symcook.domains.cells import Cell
from symcook.numbers.together import Codes, Each, Together, together


class Axes:
    """The axes of arrays over the inputs of `piece`. In C order, entries follow the order of the piece's inputs: the
    first position is the most significant.

    `choices` has the options of each position, `free` the positions with several options, `shape` their numbers.
    """

    def __init__(self, piece: Words | Grid) -> None:
        self.choices: list[Any] = list(piece.choices())
        self.free = [place for place, options in enumerate(self.choices) if len(options) > 1]
        self.shape = tuple(len(self.choices[place]) for place in self.free)

    def chosen(self, place: int, values: Sequence[int | Fraction]) -> Each:
        """The value for each input, where `values` has one value for each option of position `place` (exactly one where
        the position has no choice)."""
        axes = [-1 if axis == place else 1 for axis in self.free]
        return together(values, np.arange(len(values)).reshape(axes or ()))

    def entries(self, cell: Cell) -> Each:
        """The exact values of a batch cell, for each input."""
        values, codes = (cell.table, cell.codes) if cell.codes is not None else _numbered(cell.table)
        exact = [value * Fraction(1, cell.denominator) for value in values.tolist()]
        return together(exact, self.spread(codes))

    def spread(self, codes: Codes) -> Codes:
        """`codes` has one entry for each prefix of some length, the first position least significant; the result has
        them along the axes of these positions, and length 1 along the others."""
        # A cell is of the first `covered` free positions: find how many from its size.
        covered = next(m for m in range(len(self.shape) + 1) if math.prod(self.shape[:m]) == len(codes))
        along = codes.reshape(self.shape[:covered][::-1]).transpose()
        return along.reshape(along.shape + (1,) * (len(self.shape) - covered))

    def listed(self, value: Each) -> tuple[list[int | Fraction], Codes]:
        """Values, and for each input, in order, the index of its value among them. No value occurs twice, but some may
        belong to no input."""
        if not isinstance(value, Together):
            return [value], np.zeros(math.prod(self.shape), dtype=np.uint8)
        return list(value.values), np.broadcast_to(value.codes, self.shape).reshape(-1)


def _numbered(table: Codes) -> tuple[Codes, Codes]:
    """(values, codes) with values[codes] equal to `table`."""
    if table.dtype == object:
        return table, np.arange(len(table))
    values, codes = np.unique(table, return_inverse=True)
    return values, codes.reshape(-1)
