"""A function of i, or of n and i, that is given by its values, as text in the grammar."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from symcook.model.rationals import quotient


def table(values: Sequence[Fraction | str], start: int, name: str = "i") -> str:
    """The text of what is `values[k]` at name = start + k; halved again and again, so that it nests and is evaluated in
    the logarithm of its length. Values may be texts themselves.

    >>> table([Fraction(1, 2), Fraction(3), Fraction(3)], 1)
    'if(i < 2, 1/2, 3)'
    """
    first = values[0]
    if all(value == first for value in values):
        return first if isinstance(first, str) else quotient(first)
    half = len(values) // 2
    left, right = table(values[:half], start, name), table(values[half:], start + half, name)
    return f"if({name} < {start + half}, {left}, {right})"
