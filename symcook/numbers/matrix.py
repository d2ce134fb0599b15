"""Matrices of rational numbers: sympy matrices whose entries become sympy expressions only when they are used.

The entries are stored as floats, where the floats are exactly the numbers, or as sympy's domain elements (held by
python-flint). An ordinary immutable matrix of sympy makes an expression of each entry at once, which takes a minute for
a million weights.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import sympy
from sympy.polys.domains import QQ, ZZ
from sympy.polys.matrices import DomainMatrix

Ratio = tuple[int, int]
"""A rational number in lowest terms, with a positive denominator."""


class RationalMatrix(sympy.ImmutableDenseMatrix):
    """An immutable matrix over the integers or rationals; equal to sympy's own of the same entries.

    >>> m = RationalMatrix.of([(1, 2), (0, 1)], (1, 2))
    >>> m, m == sympy.ImmutableMatrix([[sympy.Rational(1, 2), 0]]), m.part(columns=slice(1)).times(m).ratios()
    (Matrix([[1/2, 0]]), True, [(1, 4), (0, 1)])
    """

    floats: Any
    """An array of float64 that are exactly the entries, or None."""

    @classmethod
    def of(cls, ratios: Sequence[Ratio], shape: tuple[int, int]) -> RationalMatrix:
        """The matrix of some entries (numerator, denominator), row by row."""
        if all(q == 1 for _, q in ratios):
            return cls._fromrep(DomainMatrix.from_list_flat([ZZ(p) for p, _ in ratios], shape, ZZ))
        return cls._fromrep(DomainMatrix.from_list_flat([QQ(p, q) for p, q in ratios], shape, QQ))

    @classmethod
    def sparse(cls, rows: Sequence[Mapping[int, int | Fraction]], columns: int) -> RationalMatrix:
        """The matrix whose rows are given as {column: entry}; all other entries are zero."""
        integral = all(x.denominator == 1 for row in rows for x in row.values())
        ring: Any = ZZ if integral else QQ
        converted = (lambda x: ZZ(x.numerator)) if integral else (lambda x: QQ(x.numerator, x.denominator))
        converted_rows = {r: {c: converted(x) for c, x in row.items() if x} for r, row in enumerate(rows)}
        return cls._fromrep(
            DomainMatrix({r: row for r, row in converted_rows.items() if row}, (len(rows), columns), ring)
        )

    @classmethod
    def dyadic(cls, floats: np.ndarray) -> RationalMatrix:
        """The matrix whose entries are exactly the finite floats of an array with two axes."""
        matrix: Any = sympy.Basic.__new__(cls)
        matrix._rows, matrix._cols = floats.shape
        matrix.floats = np.array(floats, dtype=np.float64)
        return matrix

    @classmethod
    def _fromrep(cls, rep: Any) -> Any:
        """The matrix of a result that sympy has computed; sympy calls this method. A result with entries that are not
        rational is an ordinary matrix of sympy."""
        if not (rep.domain.is_ZZ or rep.domain.is_QQ):
            return sympy.ImmutableDenseMatrix._fromrep(rep)
        matrix: Any = sympy.Basic.__new__(cls)
        matrix._rows, matrix._cols = rep.shape
        matrix.floats, matrix.__dict__["numbers"] = None, rep.to_dense()
        return matrix

    @property
    def numbers(self) -> DomainMatrix:
        """The entries as a dense matrix of sympy's integers or rationals."""
        return self._made("numbers", lambda: self.of(self.ratios(), self.shape).numbers)

    @property
    def free_symbols(self) -> set[Any]:
        """The empty set: entries are numbers."""
        return set()

    def ratios(self) -> list[Ratio]:
        """The entries (numerator, denominator), row by row."""
        if self.floats is not None:
            return [x.as_integer_ratio() for x in self.floats.ravel().tolist()]
        entries = self.numbers.to_list_flat()
        if self.numbers.domain.is_ZZ:
            return [(int(x), 1) for x in entries]
        return [(int(x.numerator), int(x.denominator)) for x in entries]

    def filled_rows(self) -> Iterator[dict[int, Fraction]]:
        """The rows: {column: number} without zeros, in the order of the columns."""
        if self.floats is not None:
            for floats in self.floats:
                yield {c: Fraction(x) for c, x in enumerate(floats.tolist()) if x}
            return
        # `_rep.rep` is sympy's sparse form {row: {column: entry}}.
        rows: Any = self._rep.rep
        for r in range(self.shape[0]):
            yield {c: Fraction(int(x.numerator), int(x.denominator)) for c, x in sorted(rows.get(r, {}).items())}

    def nearest(self) -> np.ndarray:
        """The entries as float64, each the nearest one; infinite beyond the range. It may be the array `floats` itself,
        which must not be changed."""
        if self.floats is not None:
            return self.floats
        return np.array([_nearest(p, q) for p, q in self.ratios()], dtype=np.float64).reshape(self.shape)

    def nnz(self) -> int:
        """How many entries are not zero."""
        return self.numbers.nnz() if self.floats is None else int(np.count_nonzero(self.floats))

    def part(self, rows: slice = slice(None), columns: slice = slice(None)) -> RationalMatrix:
        """The matrix of some rows and columns."""
        if self.floats is not None:
            return self.dyadic(self.floats[rows, columns])
        return self._fromrep(self.numbers[rows, columns])

    def beside(self, other: RationalMatrix) -> RationalMatrix:
        """This matrix with another one to its right."""
        if self.floats is not None and other.floats is not None:
            return self.dyadic(np.hstack([self.floats, other.floats]))
        return self._fromrep(self.numbers.convert_to(QQ).hstack(other.numbers.convert_to(QQ)))

    def times(self, other: RationalMatrix) -> RationalMatrix:
        """The exact product."""
        return self._fromrep(self.numbers.convert_to(QQ) * other.numbers.convert_to(QQ))

    def plus(self, other: RationalMatrix) -> RationalMatrix:
        """The exact sum."""
        return self._fromrep(self.numbers.convert_to(QQ) + other.numbers.convert_to(QQ))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RationalMatrix):
            return super().__eq__(other)
        if self.floats is not None and other.floats is not None:
            return bool(np.array_equal(self.floats, other.floats))
        return self.numbers.unify_eq(other.numbers)

    def __hash__(self) -> int:
        return self._made("hash", lambda: hash(sympy.ImmutableDenseMatrix._fromrep(self._rep)))

    @property
    def _rep(self) -> DomainMatrix:
        """The entries in the form that sympy computes with: sparse rows."""
        return self._made("rep", self.numbers.to_sparse)

    @property
    def _args(self) -> tuple[Any, ...]:
        """The entries as expressions. sympy sets this attribute when it makes an object; here it is computed from the
        numbers, and the setter does nothing."""
        return self._made("expressions", lambda: sympy.ImmutableDenseMatrix._fromrep(self._rep).args)

    @_args.setter
    def _args(self, given: tuple[object, ...]) -> None:
        pass

    def _made(self, name: str, make: Callable[[], object]) -> Any:
        """The attribute of this name, computed at its first use."""
        if name not in self.__dict__:
            self.__dict__[name] = make()
        return self.__dict__[name]


def _nearest(p: int, q: int) -> float:
    """The float64 nearest to p/q."""
    try:
        return p / q
    except OverflowError:
        return math.inf if p > 0 else -math.inf
