"""Blocks of dense models in floats: `symcook.domains.protocol.Matrices` with numpy's products.

Several columns are one array with a row for each column. Weights are rounded to the type once for each model. A product
is computed in the type `wide`, with sums in the order that numpy chooses, and stored in the type of columns. This is
within the error model of `symcook.domains.rounding`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from symcook.domains.protocol import Coefficient
from symcook.model.answers import Named
from symcook.model.ends import Embedding
from symcook.model.entries import all_rational
from symcook.model.parts import Part
from symcook.numbers.evaluate import float_of

if TYPE_CHECKING:
    import sympy

    from symcook.numbers.matrix import RationalMatrix

FloatArray = np.ndarray[Any, Any]
"""Several columns (a row for each), a matrix, or a vector as a column."""


def nearest(weights: RationalMatrix | sympy.ImmutableMatrix) -> FloatArray:
    """A matrix of exact numbers, each rounded to float64."""
    if all_rational(weights):
        return weights.nearest()
    from symcook.model.symbols import lowered

    return np.array([float_of(lowered(x)) for x in weights], dtype=np.float64).reshape(weights.shape)


class FloatMatrices:
    """The methods of `Matrices` for a domain whose columns are arrays over positions."""

    name: ClassVar[str]
    wide: ClassVar[Any]
    positions: Any
    _sequence: Any
    _start: int
    _stored: Any
    activate: Any
    linear: Any
    rows: Any
    length: Any
    apart: bool = False
    """Whether each position is multiplied separately, so that equal positions have equal results. A product of matrices
    may compute some columns in another order than others, and hard attention would see the difference. A dense pass
    (`symcook.dense`) sets it."""

    def matrix(
        self, of: Named, name: str, weights: RationalMatrix | sympy.ImmutableMatrix, rows: tuple[int, ...] | None = None
    ) -> FloatArray:
        """A matrix of the model, or some of its rows, in the type; stored with the part of the model."""
        key = self.name, name, rows
        if key not in of.kept:
            entries = nearest(weights)
            of.kept[key] = self._inside(entries if rows is None else entries[list(rows)])
        return of.kept[key]

    def vector(
        self, of: Named, name: str, numbers: Sequence[Coefficient], rows: tuple[int, ...] | None = None
    ) -> FloatArray:
        """A column of numbers of the model, or some of them, in the type."""
        key = self.name, name, rows
        if key not in of.kept:
            chosen = numbers if rows is None else [numbers[k] for k in rows]
            of.kept[key] = self._inside(np.array([[float_of(x)] for x in chosen], dtype=np.float64))
        return of.kept[key]

    def _inside(self, numbers: FloatArray) -> FloatArray:
        """Numbers of the model rounded to the type of columns, in the type `wide`."""
        return np.ascontiguousarray(self._stored(numbers).astype(self.wide))

    def product(
        self,
        matrix: FloatArray,
        columns: FloatArray,
        bias: FloatArray | None = None,
        kind: str = "",
        onto: FloatArray | None = None,
    ) -> FloatArray:
        """activation(matrix times columns + bias + onto); an empty `kind` means no activation."""
        x = np.asarray(columns, dtype=self.wide)
        if self.apart:
            total = np.matmul(matrix, np.ascontiguousarray(x.T)[:, :, None])[:, :, 0].T
        else:
            total = matrix @ x
        if bias is not None:
            total = total + bias
        if onto is not None:
            total = total + onto
        stored = self._stored(total)
        return self.activate(stored, kind) if kind else stored

    def scaled(self, columns: FloatArray, norm: Part, gain: str, bias: str | None) -> FloatArray:
        scaled = np.asarray(columns, dtype=self.wide) * self.vector(norm, gain, norm.lowered[gain])
        return self._stored(scaled if bias is None else scaled + self.vector(norm, bias, norm.lowered[bias]))

    def multiplied(self, columns: FloatArray, others: FloatArray) -> FloatArray:
        return self._stored(np.asarray(columns, dtype=self.wide) * np.asarray(others, dtype=self.wide))

    def plus(self, columns: FloatArray, others: FloatArray) -> FloatArray:
        return self._stored(np.asarray(columns) + np.asarray(others))

    def embedded(self, embedding: Embedding, names: tuple[str, ...]) -> FloatArray:
        """The columns that the embedding gives the coordinates `names`: entries of a stored table, plus position
        functions."""
        key = self.name, names
        if key not in embedding.kept:
            tables = (embedding.tables.get(name) for name in names)
            tokens = list(embedding.words or ())
            rows = [[0.0] * len(tokens) if table is None else [float_of(table[t]) for t in tokens] for table in tables]
            stored_table = self._stored(np.array(rows, dtype=np.float64)), {token: k for k, token in enumerate(tokens)}
            embedding.kept[key] = stored_table
        table, place = embedding.kept[key]
        columns = table[:, [place[token] for token in self._sequence]]
        rows = [row for row, name in enumerate(names) if name in embedding.places]
        if rows:
            at = self.name, names, self._start, self.rows, self.length
            added = embedding.by_position(
                at, lambda: np.array([self.positions(embedding.places[names[row]]) for row in rows])
            )
            columns[rows] = self._stored(columns[rows] + added)
        return columns

    def placed(self, term: Coefficient, weight: Coefficient) -> FloatArray:
        column = self.positions(term)
        return np.array([column if weight == 1 else self.linear([(column, weight)], 0)])

    def picked(self, columns: FloatArray, places: list[int] | slice) -> FloatArray:
        return columns[places]

    def replaced(self, columns: FloatArray, places: list[int] | slice, others: FloatArray) -> FloatArray:
        result = columns.copy()
        result[places] = others
        return result

    def joint(self, several: Sequence[FloatArray]) -> FloatArray:
        return np.concatenate(several)
