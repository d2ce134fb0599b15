"""Matrices of rational numbers: sympy's, but no expression is made of an entry before somebody asks for one.

sympy keeps such a matrix as numbers (flint's, where python-flint is), which a million weights fit; it is the expression
for each entry, which an immutable matrix makes at once, that takes a minute.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import sympy
from sympy.polys.domains import QQ, ZZ
from sympy.polys.matrices import DomainMatrix

Ratio = tuple[int, int]
"""A rational number in lowest terms, with a positive denominator."""


class RationalMatrix(sympy.ImmutableDenseMatrix):
    """An immutable matrix over the integers or rationals; equal to sympy's own of the same entries.

    >>> m = RationalMatrix.of([(1, 2), (0, 1)], (1, 2))
    >>> m, m == sympy.ImmutableMatrix([[sympy.Rational(1, 2), 0]]), (m * m.T).ratios()
    (Matrix([[1/2, 0]]), True, [(1, 4)])
    """

    @classmethod
    def of(cls, ratios: Sequence[Ratio], shape: tuple[int, int]) -> RationalMatrix:
        """The matrix of these entries, row by row."""
        if all(q == 1 for _, q in ratios):
            return cls._fromrep(DomainMatrix.from_list_flat([ZZ(p) for p, _ in ratios], shape, ZZ))
        return cls._fromrep(DomainMatrix.from_list_flat([QQ(p, q) for p, q in ratios], shape, QQ))

    @classmethod
    def over(cls, numbers: DomainMatrix) -> RationalMatrix:
        """The matrix of sympy's numbers, which are integers or rationals."""
        return cls._fromrep(numbers)

    dm: DomainMatrix
    """The entries as dense numbers, on which whoever has many of them works."""

    @classmethod
    def _fromrep(cls, rep: Any) -> Any:
        """sympy's way to make a matrix of what it has computed."""
        if not (rep.domain.is_ZZ or rep.domain.is_QQ):
            return sympy.ImmutableDenseMatrix._fromrep(rep)
        made = sympy.Basic.__new__(cls)
        made._rows, made._cols = rep.shape
        made.dm = rep.to_dense()
        return made

    @property
    def rationals(self) -> DomainMatrix:
        """The entries as dense numbers over the rationals."""
        return self.dm.convert_to(QQ)

    def ratios(self) -> list[Ratio]:
        """The entries, row by row."""
        entries = self.dm.to_list_flat()
        if self.dm.domain.is_ZZ:
            return [(int(x), 1) for x in entries]
        return [(int(x.numerator), int(x.denominator)) for x in entries]

    def nnz(self) -> int:
        """How many entries are not zero."""
        return self.dm.nnz()

    def __eq__(self, other: object) -> bool:
        return self.dm.unify_eq(other.dm) if isinstance(other, RationalMatrix) else super().__eq__(other)

    def __hash__(self) -> int:
        return hash(sympy.ImmutableDenseMatrix._fromrep(self._rep))

    @property
    def _rep(self) -> DomainMatrix:
        """The entries as sympy works on them: rows of what is not zero."""
        return self._made("rep", self.dm.to_sparse)

    @property
    def _args(self) -> tuple[Any, ...]:
        """The expressions, which sympy sets when it makes an object; here they follow from the numbers."""
        return self._made("expressions", lambda: sympy.ImmutableDenseMatrix._fromrep(self._rep).args)

    @_args.setter
    def _args(self, given: tuple[Any, ...]) -> None:
        pass

    def _made(self, name: str, make: Callable[[], Any]) -> Any:
        if name not in self.__dict__:
            self.__dict__[name] = make()
        return self.__dict__[name]
