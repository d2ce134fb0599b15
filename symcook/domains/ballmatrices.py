"""Blocks of dense models in balls: `symcook.domains.protocol.Matrices` with Arb's products of matrices.

Several columns are a list of columns. Each position with new entries is a row of one matrix, which is multiplied with
the weights once, so that positions with the same entries share one object. Where all entries and weights are rational
the product is exact. In the domain of `symcook.domains.rounding` an entry of the product is a sum of rounded products
in any order, with an error bound (`RoundedMatrices`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar

import flint
from flint import arb, arb_mat, fmpq, fmpq_mat

from symcook.domains.protocol import Coefficient
from symcook.model.answers import Named
from symcook.model.ends import Embedding
from symcook.model.parts import LayerNorm
from symcook.model.symbols import lowered
from symcook.numbers.matrix import RationalMatrix
from symcook.present import present

if TYPE_CHECKING:
    import sympy

Entry = fmpq | arb
ZERO = fmpq(0)
Rows = Sequence[Sequence[Entry]]


def anything() -> arb:
    """The whole real line as a ball; a new object each time, because one object counts as one number."""
    return arb(0, arb.pos_inf())


@dataclass
class BallMatrix:
    """A matrix of a model, transposed: as balls, and as rationals where it is rational. For sets of rounded numbers
    also upper bounds of the sizes of the entries, and an e such that all entries are multiples of 2^e, if known."""

    balls: arb_mat
    rational: fmpq_mat | None = None
    sizes: arb_mat | None = None
    exponent: int | None = None


class BallMatrices:
    """The methods, for a domain of lists of rationals and balls."""

    name: ClassVar[str]
    number: Any
    linear: Any
    embed: Any
    positions: Any
    total: Any
    shared: Any
    activation: Any
    _memo: Any

    def _numbers(self) -> tuple[object, ...]:
        """In which numbers weights are kept."""
        return self.name, flint.ctx.prec

    def matrix(
        self, of: Named, name: str, weights: RationalMatrix | sympy.ImmutableMatrix, rows: tuple[int, ...] | None = None
    ) -> BallMatrix:
        key = *self._numbers(), name, rows
        if key not in of.kept:
            of.kept[key] = self._matrix(weights, range(weights.rows) if rows is None else rows)
        return of.kept[key]

    def _matrix(self, weights: RationalMatrix | sympy.ImmutableMatrix, rows: Sequence[int]) -> BallMatrix:
        if not isinstance(weights, RationalMatrix):
            entries = [[self.number(lowered(weights[r, c])) for r in rows] for c in range(weights.cols)]
            return BallMatrix(_balls(entries))
        ratios, width = weights.ratios(), weights.cols
        exact = fmpq_mat([[fmpq(*ratios[r * width + c]) for r in rows] for c in range(width)])
        return BallMatrix(arb_mat(exact), exact)

    def vector(
        self, of: Named, name: str, numbers: Sequence[Coefficient], rows: tuple[int, ...] | None = None
    ) -> list[Entry]:
        key = *self._numbers(), name, rows
        if key not in of.kept:
            of.kept[key] = [self.number(x) for x in (numbers if rows is None else [numbers[k] for k in rows])]
        return of.kept[key]

    def product(
        self, matrix: BallMatrix, columns: Rows, bias: Any = None, kind: str = "", onto: Rows | None = None
    ) -> list[list[Entry]]:
        """The matrix times the columns, plus a bias and the columns `onto`, then an activation."""

        def lines(rows: Rows, *old: Rows) -> Iterable[Sequence[Entry]]:
            products = self.products(matrix, rows, [[bias] * len(rows)] * (bias is not None) + [*old])
            return [[self.activation(x, kind) for x in line] for line in products] if kind else products

        return self._by_position([columns] if onto is None else [columns, onto], lines)

    def products(self, matrix: BallMatrix, rows: Rows, more: Sequence[Rows]) -> Iterable[Sequence[Entry]]:
        """For each row of entries its product with the matrix, plus the row in its place of each of `more`."""
        exact = all(type(x) is fmpq for row in rows for x in row)
        if exact and matrix.rational is not None:
            entries: Any = [*rows]
            product_rows: Any = (fmpq_mat(entries) * matrix.rational).tolist()
        else:
            product_rows = (_balls(rows) * matrix.balls).tolist()
        return [
            [self.total([*parts, ZERO]) for parts in zip(*lines, strict=True)]
            for lines in zip(product_rows, *more, strict=True)
        ]

    def scaled(self, columns: Rows, norm: LayerNorm) -> Any:
        numbers = zip(columns, norm.lowered["gain"], norm.lowered["bias"], strict=True)
        return [self.linear([(column, gain)] if gain != 0 else [], bias) for column, gain, bias in numbers]

    def plus(self, columns: Rows, others: Rows) -> Any:
        def lines(rows: Rows, more: Rows) -> Iterable[Sequence[Entry]]:
            return [[*map(self.total, zip(*pair, strict=True))] for pair in zip(rows, more, strict=True)]

        return self._by_position([columns, others], lines)

    def _by_position(self, groups: Sequence[Rows], compute: Callable[..., Iterable[Sequence[Entry]]]) -> Any:
        """What `compute` makes of the entries of each group of columns, a list of rows a group; once for positions with
        the same entries."""
        known = next(self._memo)
        entries_by_position = list(zip(*(zip(*columns, strict=True) for columns in groups), strict=True))
        keys = [tuple(id(x) for row in entries for x in row) for entries in entries_by_position]
        fresh = {key: entries for key, entries in zip(keys, entries_by_position, strict=True) if key not in known}
        if fresh:
            computed = compute(*map(list, zip(*fresh.values(), strict=True)))
            for (key, entries), line in zip(fresh.items(), computed, strict=True):
                known[key] = [*map(self.shared, line)], entries  # with the entries, so that their ids stay their own
        return [list(column) for column in zip(*(known[key][0] for key in keys), strict=True)]

    def embedded(self, embedding: Embedding, names: tuple[str, ...]) -> Any:
        """The embedding's columns of some names."""
        columns = []
        for name in names:
            terms = [(self.embed(embedding.tables[name]), 1)] if name in embedding.tables else []
            if name in embedding.places:
                terms.append((self.positions(embedding.places[name]), 1))
            columns.append(terms[0][0] if len(terms) == 1 else self.linear(terms, 0))
        return columns

    def picked(self, columns: Rows, places: list[int] | slice) -> Any:
        return columns[places] if isinstance(places, slice) else [columns[k] for k in places]

    def replaced(self, columns: Rows, places: list[int] | slice, others: Rows) -> Any:
        """The columns with others in some places."""
        result = list(columns)
        where = range(*places.indices(len(result))) if isinstance(places, slice) else places
        for k, column in zip(where, others, strict=True):
            result[k] = column
        return result

    def joint(self, several: Sequence[Rows]) -> Any:
        return [column for columns in several for column in columns]


class RoundedMatrices(BallMatrices):
    """The same for sets of all that rounding may make of a product: the products are rounded, and their sum with what
    is added to it is taken in any order."""

    stored: Any
    inner: Any

    def _numbers(self) -> tuple[object, ...]:
        return self.name, self.stored

    def _matrix(self, weights: RationalMatrix | sympy.ImmutableMatrix, rows: Sequence[int]) -> BallMatrix:
        entries = [[arb(self.number(lowered(weights[r, c]))) for r in rows] for c in range(weights.cols)]
        return BallMatrix(_balls(entries), sizes=_sizes(entries), exponent=self._exponent(chain(*entries)))

    def _exponent(self, entries: Iterable[Entry]) -> int | None:
        """An exponent e such that all entries are multiples of 2^e; None where they are not known to be of any."""
        least = None
        for x in map(arb, entries):
            if not x.is_zero():
                if not self.stored.holds(x):
                    return None
                exponent = int(x.man_exp()[1])
                least = exponent if least is None else min(least, exponent)
        return 0 if least is None else least

    def products(self, matrix: BallMatrix, rows: Rows, more: Sequence[Rows]) -> Iterable[Sequence[Entry]]:
        """For each row a set that contains every result of rounded products and sums, in any order."""
        product_rows, sizes = (_balls(rows) * matrix.balls).tolist(), (_sizes(rows) * present(matrix.sizes)).tolist()
        format, count = self.stored, len(rows[0]) + len(more)
        # A sum of `count` rounded terms in any order is off by at most error/(1 - error) times the sum of their sizes
        # (Higham), plus what products below the normal range lose. Beyond error = 1/2 there is no such bound.
        error = (count - 1) * format.unit
        growth = 1 + error / (1 - error) if 2 * error <= 1 else 1
        relative, absolute = (1 + format.unit) * growth - 1, count * format.tiny * growth
        for sums, bounds, row, *others in zip(product_rows, sizes, rows, *more, strict=True):
            power, line = None if matrix.exponent is None else self._exponent(row), list[Entry]()
            for total, size, *parts in zip(sums, bounds, *others, strict=True):
                for part in parts:
                    total, size = total + part, size + abs(arb(part)).upper()
                line.append(self._exactly(power, matrix.exponent, total, size, parts))
                if line[-1] is None:
                    fits = 2 * error <= 1 and format.fits(2 * size)
                    off = arb(0, (size * relative + absolute).upper())
                    line[-1] = format.checked(total + off) if fits else anything()
            yield line

    def _exactly(self, row: int | None, matrix: int | None, total: arb, size: arb, parts: Sequence[Entry]) -> Any:
        """The exact sum where every partial sum is a number of the format; None where that is not known. `row` and
        `matrix` are exponents of two of which all entries of a row and of the matrix are multiples."""
        own = None if row is None or matrix is None else self._exponent(parts)
        if own is None or row is None or matrix is None:
            return None
        # All partial sums are multiples of 2^least and at most `size`: short enough to have no rounding.
        least = min(row + matrix, own)
        format = self.stored
        if size <= fmpq(2) ** (least + format.bits) and (format.least is None or least >= format.least):
            integer = (total * fmpq(2) ** -least).unique_fmpz()
            return None if integer is None else format.checked(arb(integer) * fmpq(2) ** least) if integer else ZERO
        return None


def _balls(rows: Sequence[Sequence[Entry]]) -> arb_mat:
    """A matrix of balls."""
    return arb_mat([list(map(arb, row)) for row in rows])


def _sizes(rows: Sequence[Sequence[Entry]]) -> arb_mat:
    """Upper bounds of the sizes of the entries."""
    return arb_mat([[arb(x).abs_upper() for x in row] for row in rows])
