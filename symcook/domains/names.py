"""Names in closed forms: objects that say what they stand for. Their text is made at the very end, in
`symcook.domains.spelling`, and nothing reads a name from a text.

A `FormName` is a position, the length, a count of a token, an input number at a place, a sum without a rule, a long
value, a symbol of the model, a place such as i - 1, or the position that a head chooses. `Letter` is the sympy symbol
of a name in the field of values, for all names but symbols of the model.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import sympy

Affine = tuple[dict["FormName", Fraction], Fraction]
"""A linear form with its constant: (coefficients by name, constant)."""


class FormName(NamedTuple):
    """What a number in a form is. Names are ordered by kind, then by the other fields."""

    kind: str
    """One of the kinds below."""
    of: str = ""
    """The token of a count, the input of an input number, the symbol of the model."""
    at: Any = ()
    """The position up to which a token is counted (a name), the place at which an input is read or that a place is
    (`place_key`), or the positions on which a chosen position depends (names)."""
    number: int = 0
    """The number of a sum, a long value or a chosen position in its world, from 1. Of a key: 0 for j; a greater number
    for the variable in the definition of a chosen position."""

    def __str__(self) -> str:
        """A text for messages; names of two models, or of two passes over one, may share it."""
        if self.kind in (SUM, LONG):
            return f"{'sum' if self.kind == SUM else 'value'} {self.number}"
        if self.kind == CHOSEN or (self.kind == KEY and self.number):
            return f"{self.kind} {self.number}"
        if self.kind in (COUNT, PREFIX):
            return f"count({self.of!r}{f', {self.at}' if self.at else ''})"
        if self.kind in (INPUT, PLACE):
            terms, constant = self.at
            place = [*(f"{c}*{v}" if c != 1 else str(v) for v, c in terms), *([str(constant)] if constant else [])]
            return f"{self.of}({' + '.join(place) or 0})"
        return self.of if self.kind == SYMBOL else self.kind


# The kinds; names are sorted by these letters.
SUM, POSITION, KEY, COUNT, LENGTH, PREFIX, LONG, INPUT, SYMBOL = "S", "i", "j", "k", "n", "p", "r", "v", "x"
PLACE, CHOSEN = "a", "q"
I, J, N = FormName(POSITION), FormName(KEY), FormName(LENGTH)  # noqa: E741 - the letters of the forms
"""The position i of a row, the position j that a row sees, and the length n with the added tokens."""


def count(token: str, position: FormName | None = None) -> FormName:
    """The number of a token in the string, or up to a position (i or j)."""
    return FormName(COUNT, token) if position is None else FormName(PREFIX, token, position)


def symbol(name: str) -> FormName:
    """A symbol of the model."""
    return FormName(SYMBOL, name)


def given(name: str, place: Affine) -> FormName:
    """The input number `name` at a place."""
    return FormName(INPUT, name, place_key(place))


def place_key(place: Affine) -> tuple[tuple[tuple[FormName, Fraction], ...], Fraction]:
    """A place as a hashable key."""
    terms, constant = place
    return tuple(sorted(terms.items())), Fraction(constant)


def place_name(place: Affine) -> FormName:
    """A place that is no number as a name: the position itself where it is one."""
    terms, constant = place
    if len(terms) == 1 and not constant and set(terms.values()) == {1}:
        return next(iter(terms))
    return FormName(PLACE, at=place_key(place))


def place_of(name: FormName) -> Affine:
    """The place at which an input number is read, or that a place is; of another name, that position itself."""
    if name.kind not in (INPUT, PLACE):
        return {name: Fraction(1)}, Fraction(0)
    terms, constant = name.at
    return dict(terms), constant


def stands_at(name: FormName, position: FormName) -> bool:
    """Whether a name is the position (i or j), a count up to it, or a place, a chosen position or an input number that
    depends on it."""
    if name.kind == PREFIX:
        return stands_at(name.at, position)
    if name.kind == CHOSEN:
        return position in name.at
    at_place = name.kind in (INPUT, PLACE)
    return name == position or (at_place and any(stands_at(v, position) for v, _ in name.at[0]))


class Letter(sympy.Symbol):
    """The sympy symbol of a name that is no symbol of the model. Two of them are equal if their names are, whatever
    their texts; none equals another symbol."""

    __slots__ = ("stands_for",)
    stands_for: FormName

    def __new__(cls, name: FormName) -> Letter:
        # Not from sympy's cache, which has one symbol for a text.
        letter: Any = sympy.Symbol.__xnew__(cls, str(name), real=True)
        letter.stands_for = name
        return letter

    def _hashable_content(self) -> tuple[Any, ...]:
        return (*super()._hashable_content(), self.stands_for)


def letter_of(name: FormName) -> sympy.Symbol:
    """The sympy symbol of a name."""
    return sympy.Symbol(name.of, real=True) if name.kind == SYMBOL else Letter(name)


def name_of(letter: Any) -> FormName:
    """The name of a sympy symbol in a field of values."""
    return letter.stands_for if isinstance(letter, Letter) else symbol(letter.name)
