"""Blocks of dense models in balls: `symcook.domains.protocol.Matrices` with Arb's products of matrices.

Several columns are a list of columns. A block computes once for all positions whose entries it has not met before: they
are the rows of one matrix, which is multiplied with the weights. So positions with the same entries share their results
as objects. If all entries and weights are rational, the product is exact. `RoundedMatrices` is the version for
`symcook.domains.rounding`: its results are sets that contain every sum of rounded products, in any order of addition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar

import flint
from flint import arb, arb_mat, fmpq, fmpq_mat

from symcook.domains.protocol import Coefficient
from symcook.errors import BadInput
from symcook.model.answers import Named
from symcook.model.ends import Embedding
from symcook.model.entries import all_rational
from symcook.model.parts import Part
from symcook.model.rationals import rational
from symcook.model.symbols import lowered
from symcook.present import present

if TYPE_CHECKING:
    import sympy

    from symcook.numbers.matrix import RationalMatrix

Entry = fmpq | arb
ZERO = fmpq(0)
Rows = Sequence[Sequence[Entry]]
"""Rows of entries: columns of a domain, or rows of a matrix."""


def anything() -> arb:
    """The whole real line as a ball. A new object each time, because a domain takes the same object for the same
    number."""
    return arb(0, arb.pos_inf())


@dataclass
class BallMatrix:
    """A matrix of a model, transposed."""

    balls: arb_mat
    """The entries as balls."""
    rational: fmpq_mat | None = None
    """The entries as rationals, where all are rational; None otherwise, and in `RoundedMatrices`."""
    sizes: arb_mat | None = None
    """In `RoundedMatrices`: upper bounds of the absolute values of the entries."""
    exponent: int | None = None
    """In `RoundedMatrices`: an e such that all entries are multiples of 2^e, if one is known."""


class BallMatrices:
    """The methods of `Matrices` for a domain whose columns are lists of rationals and balls."""

    name: ClassVar[str]
    number: Any
    linear: Any
    multiply: Any
    embed: Any
    positions: Any
    times: Any
    total: Any
    each: Any
    shared: Any
    activation: Any
    rows: Any
    length: int
    _entry: Any
    _memo: Any
    _start: int

    def _numbers(self) -> tuple[object, ...]:
        """What the stored weights depend on besides the model: the number system and its precision."""
        return self.name, flint.ctx.prec

    def matrix(
        self, of: Named, name: str, weights: RationalMatrix | sympy.ImmutableMatrix, rows: tuple[int, ...] | None = None
    ) -> BallMatrix:
        """A matrix of the model, or some of its rows; stored with the part of the model, for each precision."""
        key = *self._numbers(), name, rows
        if key not in of.kept:
            of.kept[key] = self._matrix(weights, range(weights.rows) if rows is None else rows)
        return of.kept[key]

    def _matrix(self, weights: RationalMatrix | sympy.ImmutableMatrix, rows: Sequence[int]) -> BallMatrix:
        """`matrix` without the store: balls, and with them the rationals where all weights are rational."""
        if not all_rational(weights):
            return BallMatrix(_balls([[self.number(x) for x in column] for column in _columns(weights, rows)]))
        ratios, width = weights.ratios(), weights.cols
        exact = fmpq_mat([[fmpq(*ratios[r * width + c]) for r in rows] for c in range(width)])
        return BallMatrix(arb_mat(exact), exact)

    def vector(
        self, of: Named, name: str, numbers: Sequence[Coefficient], rows: tuple[int, ...] | None = None
    ) -> list[Entry]:
        """The numbers of a vector of the model, or some of them; stored as by `matrix`."""
        key = *self._numbers(), name, rows
        if key not in of.kept:
            of.kept[key] = [self.number(x) for x in (numbers if rows is None else [numbers[k] for k in rows])]
        return of.kept[key]

    def product(
        self, matrix: BallMatrix, columns: Rows, bias: Any = None, kind: str = "", onto: Rows | None = None
    ) -> list[list[Entry]]:
        """activation(matrix times columns + bias + onto); an empty `kind` means no activation."""

        def lines(rows: Rows, *old: Rows) -> Iterable[Sequence[Entry]]:
            products = self.products(matrix, rows, [[bias] * len(rows)] * (bias is not None) + [*old])
            return [[self.activation(x, kind) for x in line] for line in products] if kind else products

        return self._by_position([columns] if onto is None else [columns, onto], lines)

    def products(self, matrix: BallMatrix, rows: Rows, more: Sequence[Rows]) -> Iterable[Sequence[Entry]]:
        """The k-th of `rows` times the matrix, plus the k-th row of each group in `more`, for each k."""
        exact = all(type(x) is fmpq for group in (rows, *more) for row in group for x in row)
        if exact and matrix.rational is not None:
            entries: list[Any] = [[*group] for group in (rows, *more)]
            total: Any = fmpq_mat(entries[0]) * matrix.rational
            for group in entries[1:]:
                total += fmpq_mat(group)
        else:
            total = _balls(rows) * matrix.balls
            for group in more:
                total += _balls(group)
        return [[*map(self._entry, line)] for line in total.tolist()]

    def multiplied(self, columns: Rows, others: Rows) -> Any:
        return [self.multiply(one, other) for one, other in zip(columns, others, strict=True)]

    def scaled(self, columns: Rows, norm: Part, gain: str, bias: str | None) -> Any:
        gains = self.vector(norm, gain, norm.lowered[gain])
        biases = [ZERO] * len(columns) if bias is None else self.vector(norm, bias, norm.lowered[bias])

        def scaled(factor: Entry, added: Entry) -> Callable[[Sequence[Entry]], Entry]:
            """The function of one entry x that is factor x + added."""
            # Of balls, `==` says only what is certain. So the cases without an operation are those of exact numbers.
            unit, none = (type(x) is fmpq and x == number for x, number in ((factor, 1), (added, 0)))

            def entry(entries: Sequence[Entry]) -> Entry:
                product = entries[0] if unit else self.times(factor, entries[0])
                return product if none else self.total([added, product])

            return entry

        numbers = zip(columns, gains, biases, strict=True)
        return [self.each([column], scaled(factor, added)) for column, factor, added in numbers]

    def plus(self, columns: Rows, others: Rows) -> Any:
        def lines(rows: Rows, more: Rows) -> Iterable[Sequence[Entry]]:
            return [[*map(self.total, zip(*pair, strict=True))] for pair in zip(rows, more, strict=True)]

        return self._by_position([columns, others], lines)

    def _by_position(self, groups: Sequence[Rows], compute: Callable[..., Iterable[Sequence[Entry]]]) -> Any:
        """Columns of the rows that `compute` returns. It receives for each group the rows of entries at some positions,
        and returns a row for each position; positions with the same entries are computed once."""
        memo = next(self._memo)
        entries_by_position = list(zip(*(zip(*columns, strict=True) for columns in groups), strict=True))
        keys = [tuple(id(x) for row in entries for x in row) for entries in entries_by_position]
        fresh = {key: entries for key, entries in zip(keys, entries_by_position, strict=True) if key not in memo}
        if fresh:
            computed = compute(*map(list, zip(*fresh.values(), strict=True)))
            for (key, entries), line in zip(fresh.items(), computed, strict=True):
                memo[key] = (
                    [*map(self.shared, line)],
                    entries,
                )  # the entries are stored so that their ids are not reused
        return [list(column) for column in zip(*(memo[key][0] for key in keys), strict=True)]

    def embedded(self, embedding: Embedding, names: tuple[str, ...]) -> Any:
        """The columns that the embedding gives the coordinates `names`."""
        columns, placed = [], self._placed_values(embedding, names)
        for name in names:
            terms = [(self.embed(embedding.tables[name]), 1)] if name in embedding.tables else []
            if name in embedding.places:
                values = placed[name]
                column = self.positions(embedding.places[name]) if values is None else [*map(self.number, values)]
                terms.append((column, 1))
            columns.append(terms[0][0] if len(terms) == 1 else self.linear(terms, 0))
        return columns

    def _placed_values(self, embedding: Embedding, names: tuple[str, ...]) -> Mapping[str, list[Fraction] | None]:
        """For each position function of the embedding its values at the positions of the run; None where one of them is
        not rational. They are kept for later runs, in any precision, with the same positions."""

        def values(term: Coefficient) -> list[Fraction] | None:
            places = [self._start + place for place in self.rows]
            if not isinstance(term, tuple):
                return [Fraction(term)] * len(places)
            try:
                return [rational(term, {"i": Fraction(i), "n": Fraction(self.length)}) for i in places]
            except BadInput:
                return None

        def table() -> dict[str, list[Fraction] | None]:
            return {name: values(embedding.places[name]) for name in names if name in embedding.places}

        return embedding.by_position(("rational", names, self._start, self.rows, self.length), table)

    def placed(self, term: Coefficient, weight: Coefficient) -> Any:
        column = self.positions(term)
        return [column if weight == 1 else self.linear([(column, weight)], 0)]

    def picked(self, columns: Rows, places: list[int] | slice) -> Any:
        return columns[places] if isinstance(places, slice) else [columns[k] for k in places]

    def replaced(self, columns: Rows, places: list[int] | slice, others: Rows) -> Any:
        """The columns, with those at the indices `places` replaced by `others`."""
        result = list(columns)
        where = range(*places.indices(len(result))) if isinstance(places, slice) else places
        for k, column in zip(where, others, strict=True):
            result[k] = column
        return result

    def joint(self, several: Sequence[Rows]) -> Any:
        return [column for columns in several for column in columns]


class RoundedMatrices(BallMatrices):
    """`BallMatrices` for sets that contain every rounded result. The runtime rounds each product, and adds the
    products, the bias and further columns in any order, with a rounding at each addition. All bounds here are those of
    the format `stored`."""

    stored: Any
    """The number format of columns (`symcook.domains.rounding.Format`)."""
    inner: Any
    """The number format inside one operation; the operations of this class do not use it."""

    def _numbers(self) -> tuple[object, ...]:
        return self.name, self.stored

    def _matrix(self, weights: RationalMatrix | sympy.ImmutableMatrix, rows: Sequence[int]) -> BallMatrix:
        entries = [[arb(self.number(x)) for x in column] for column in _columns(weights, rows)]
        return BallMatrix(_balls(entries), sizes=_sizes(entries), exponent=self._exponent(chain(*entries)))

    def _exponent(self, entries: Iterable[Entry]) -> int | None:
        """An exponent e such that all entries are multiples of 2^e; None if an entry is not certainly a number of the
        format."""
        least_exponent = None
        for x in map(arb, entries):
            if not x.is_zero():
                if not self.stored.holds(x):
                    return None
                exponent = int(x.man_exp()[1])
                least_exponent = exponent if least_exponent is None else min(least_exponent, exponent)
        return 0 if least_exponent is None else least_exponent

    def products(self, matrix: BallMatrix, rows: Rows, more: Sequence[Rows]) -> Iterable[Sequence[Entry]]:
        """As in the base class, but each entry is a set that contains every result of rounded products and sums."""
        product_rows, sizes = (_balls(rows) * matrix.balls).tolist(), (_sizes(rows) * present(matrix.sizes)).tolist()
        format, count = self.stored, len(rows[0]) + len(more)
        # The error of a sum of `count` rounded terms, added in any order, is at most error/(1 - error) times the sum of
        # their absolute values (Higham). Underflow of products adds at most `absolute`. For error > 1/2 no bound is
        # used.
        error = (count - 1) * format.unit
        growth = 1 + error / (1 - error) if 2 * error <= 1 else 1
        relative, absolute = (1 + format.unit) * growth - 1, count * format.tiny * growth
        for sums, bounds, row, *others in zip(product_rows, sizes, rows, *more, strict=True):
            power = None if matrix.exponent is None else self._exponent(row)
            line: list[Entry] = []
            for total, size, *parts in zip(sums, bounds, *others, strict=True):
                for part in parts:
                    total, size = total + part, size + abs(arb(part)).upper()
                # `total` encloses the exact sum, and `size` bounds the sum of absolute values. First try whether no
                # addition rounds; otherwise widen `total` by the error bound.
                line.append(self._exact_sum(power, matrix.exponent, total, size, parts))
                if line[-1] is None:
                    fits = 2 * error <= 1 and format.fits(2 * size)
                    error_ball = arb(0, (size * relative + absolute).upper())
                    line[-1] = format.checked(total + error_ball) if fits else anything()
            yield line

    def _exact_sum(self, row: int | None, matrix: int | None, total: arb, size: arb, parts: Sequence[Entry]) -> Any:
        """The exact sum if every partial sum is certainly a number of the format, so that nothing rounds. Else None,
        also where `total` is too wide to show the sum.

        All entries of the row are multiples of 2^row, and those of the matrix of 2^matrix (None: not known). `parts`
        are the terms added to the products; `total` and `size` enclose the sum and bound its absolute values.
        """
        parts_exponent = None if row is None or matrix is None else self._exponent(parts)
        if parts_exponent is None or row is None or matrix is None:
            return None
        # All partial sums are multiples of 2^least, with absolute value at most `size`. They are numbers of the format
        # if `size` has at most `format.bits` bits above 2^least.
        least = min(row + matrix, parts_exponent)
        format = self.stored
        if size <= fmpq(2) ** (least + format.bits) and (format.least is None or least >= format.least):
            integer = (total * fmpq(2) ** -least).unique_fmpz()
            return None if integer is None else format.checked(arb(integer) * fmpq(2) ** least) if integer else ZERO
        return None


def _columns(weights: RationalMatrix | sympy.ImmutableMatrix, rows: Sequence[int]) -> Iterator[list[Coefficient]]:
    """The columns of some rows of a matrix."""
    if all_rational(weights):
        ratios, width = weights.ratios(), weights.cols
        return ([Fraction(*ratios[r * width + c]) for r in rows] for c in range(width))
    return ([lowered(weights[r, c]) for r in rows] for c in range(weights.cols))


def _balls(rows: Sequence[Sequence[Entry]]) -> arb_mat:
    """A matrix of balls."""
    return arb_mat([list(map(arb, row)) for row in rows])


def _sizes(rows: Sequence[Sequence[Entry]]) -> arb_mat:
    """Upper bounds of the absolute values of the entries."""
    return arb_mat([[arb(x).abs_upper() for x in row] for row in rows])
