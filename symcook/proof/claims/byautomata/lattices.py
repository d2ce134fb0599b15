"""Lattices of integer vectors, by linear forms whose values on a lattice are the multiples of one number each.

`lattice_forms` takes generators, and returns a basis of the integer forms with a number d for each: on the lattice,
the form has the multiples of d as its values. So x - b is in the lattice exactly where f(x) and f(b) differ by a
multiple of d for each form f of the basis. It is the Smith normal form without the divisibility of the numbers d.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

IntegerVector = tuple[int, ...]


class LatticeForms(NamedTuple):
    """Linear forms that are a basis of all integer forms. On the lattice, the values of a form are the multiples of its
    divisor (0 if the form is 0 on the lattice). Row k of `inverse` has the factors with which `forms` add up to the
    form x_k."""

    forms: tuple[IntegerVector, ...]
    divisors: tuple[int, ...]
    inverse: tuple[IntegerVector, ...]

    def coordinates(self, form: Sequence[int]) -> list[int]:
        """The factors with which the basis adds up to a form."""
        return [sum(c * row[k] for c, row in zip(form, self.inverse, strict=True)) for k in range(len(self.forms))]


def lattice_forms(generators: Iterable[IntegerVector], width: int) -> LatticeForms:
    """The forms of the lattice that vectors of `width` numbers generate, by elimination of rows and columns."""
    # Rows are the generators, columns their values under the forms. Columns are changed together with the forms, and
    # rows are changed freely: the lattice is the same.
    rows = [list(row) for row in dict.fromkeys(generators) if any(row)]
    forms = [[int(i == k) for i in range(width)] for k in range(width)]
    inverse = [[int(i == k) for i in range(width)] for k in range(width)]
    divisors = [0] * width

    def subtract_column(target: int, source: int, times: int) -> None:
        """Subtract a multiple of one column, and of its form, from another one; `inverse` undoes it."""
        for row in rows:
            row[target] -= times * row[source]
        forms[target] = [x - times * y for x, y in zip(forms[target], forms[source], strict=True)]
        for row in inverse:
            row[source] += times * row[target]

    for k in range(width):
        while rows := [row for row in rows if any(row)]:
            # The least entry becomes the pivot, at column k.
            row = min(rows, key=_least)
            column = min((j for j in range(width) if row[j]), key=lambda j: abs(row[j]))
            if column != k:
                for vector in (*rows, *inverse):
                    vector[k], vector[column] = vector[column], vector[k]
                forms[k], forms[column] = forms[column], forms[k]
            # Its multiples are taken out of the other columns, then of the other rows.
            for j in range(width):
                if j != k and row[j]:
                    subtract_column(j, k, row[j] // row[k])
            for vector in rows:
                if vector is not row and vector[k]:
                    times = vector[k] // row[k]
                    vector[:] = [x - times * y for x, y in zip(vector, row, strict=True)]
            # Else a remainder is left, which is smaller than the pivot, and becomes the next pivot. If nothing is left
            # beside the pivot, the values of its form are the pivot's multiples.
            if not any(row[j] for j in range(width) if j != k) and not any(o[k] for o in rows if o is not row):
                divisors[k] = abs(row[k])
                rows = [vector for vector in rows if vector is not row]
                break
    return LatticeForms(tuple(map(tuple, forms)), tuple(divisors), tuple(map(tuple, inverse)))


def _least(row: Sequence[int]) -> int:
    """The least absolute value in a row, 0 left out."""
    return min(abs(x) for x in row if x)
