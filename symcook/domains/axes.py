"""Arrays over all inputs of a piece, with an axis for each position that has a choice.

`Axes` turns cells of a batch (`symcook.domains.cells`), which list prefixes with the first position least significant,
into values of all inputs together (`symcook.numbers.together`), whose axes are the positions in order.
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
    """Where the inputs of `piece` stand: in the order of the piece, with the first position the most significant."""

    def __init__(self, piece: Words | Grid) -> None:
        self.choices: list[Any] = list(piece.choices())
        self.free = [place for place, options in enumerate(self.choices) if len(options) > 1]
        self.shape = tuple(len(self.choices[place]) for place in self.free)

    def chosen(self, place: int, values: Sequence[int | Fraction]) -> Each:
        """The value of the option that stands at a position."""
        axes = [-1 if axis == place else 1 for axis in self.free]
        return together(values, np.arange(len(values)).reshape(axes or ()))

    def entries(self, cell: Cell) -> Each:
        """What a cell of a batch holds."""
        values, codes = (cell.table, cell.codes) if cell.codes is not None else _numbered(cell.table)
        exact = [value * Fraction(1, cell.denominator) for value in values.tolist()]
        return together(exact, self.spread(codes))

    def spread(self, codes: Codes) -> Codes:
        """The entries of a cell, one for each prefix, the first position the least significant, along their axes."""
        covered = next(m for m in range(len(self.shape) + 1) if math.prod(self.shape[:m]) == len(codes))
        along = codes.reshape(self.shape[:covered][::-1]).transpose()
        return along.reshape(along.shape + (1,) * (len(self.shape) - covered))

    def listed(self, value: Each) -> tuple[list[int | Fraction], Codes]:
        """The values that occur, and for each input the number of its own."""
        if not isinstance(value, Together):
            return [value], np.zeros(math.prod(self.shape), dtype=np.uint8)
        return list(value.values), np.broadcast_to(value.codes, self.shape).reshape(-1)


def _numbered(table: Codes) -> tuple[Codes, Codes]:
    """The values of an array, and for each entry which."""
    if table.dtype == object:
        return table, np.arange(len(table))
    values, codes = np.unique(table, return_inverse=True)
    return values, codes.reshape(-1)
