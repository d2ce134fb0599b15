"""Numbers of a program as exact sums (`Form`): a number for each letter, plus factors times bits, plus factors times
coordinates with other numbers (`Atom`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from typing import NamedTuple, TypeVar

from symcook.compilers.booleans import BoolNode

T = TypeVar("T")
LinearFactors = dict[str, Fraction]
"""A linear form: factors by coordinate; the factor of "" is the constant."""


GREATEST = {"left": "before", "right": "behind", "both": "last"}
"""For each side except "mean", the name of the position function that is the maximum of an atom there: i - 1, n - i,
n - 1."""


class Atom(NamedTuple):
    """A coordinate with a number that is no bit: an integer that grows with the length, or a mean.

    `side` gives its range at position i of n: "left" is an integer from 0 to i - 1, "right" one from 0 to n - i, "both"
    one from 0 to n - 1. "mean" is a fraction of absolute value at most `bound`; None means that it grows with n. A mean
    is `local` if it depends only on positions up to i, and is an integer at position 1.
    """

    name: str
    side: str
    bound: Fraction | None = None
    local: bool = False


@dataclass(frozen=True)
class Form:
    """A number at each position: a number for the letter there (`table`, in the order of the alphabet), plus factors
    times bits, plus factors times atoms. Never mutated."""

    table: tuple[Fraction, ...]
    bits: Mapping[BoolNode, Fraction] = field(default_factory=dict)
    atoms: Mapping[Atom, Fraction] = field(default_factory=dict)

    @property
    def key(self) -> object:
        """A hashable value that is equal for equal forms."""
        return self.table, frozenset(self.bits.items()), frozenset(self.atoms.items())

    @property
    def whole(self) -> bool:
        """Whether no atom is a fraction."""
        return all(atom.side != "mean" for atom in self.atoms)

    @property
    def constant(self) -> Fraction | None:
        """The number, if it is the same at every position, else None."""
        return self.table[0] if not self.bits and not self.atoms and len(set(self.table)) == 1 else None

    @property
    def denominator(self) -> int:
        """The common denominator of all numbers of the table and all factors."""
        return lcm(*(q.denominator for q in (*self.table, *self.bits.values(), *self.atoms.values())))

    @property
    def side(self) -> str:
        """The side of all atoms; "both" if they have different sides or there are none."""
        sides = {atom.side for atom in self.atoms}
        return sides.pop() if len(sides) == 1 else "both"

    def plus(self, other: Form, factor: Fraction | int = 1) -> Form:
        """This number plus `factor` times another."""
        table = tuple(a + factor * b for a, b in zip(self.table, other.table, strict=True))
        return Form(table, _sum(self.bits, other.bits, factor), _sum(self.atoms, other.atoms, factor))

    def times(self, factor: Fraction | int) -> Form:
        """This number times `factor`."""
        return Form((Fraction(0),) * len(self.table)).plus(self, factor)

    def finite(self) -> Form:
        """The number without its atoms."""
        return Form(self.table, self.bits)

    def span(self) -> tuple[Fraction, Fraction]:
        """Lower and upper bound of the number without its atoms."""
        low, high = min(self.table), max(self.table)
        return low + sum(min(q, 0) for q in self.bits.values()), high + sum(max(q, 0) for q in self.bits.values())

    def growth(self) -> Fraction:
        """An integer u >= 0 such that the number, which must be whole, is at most u i if its atoms have side "left", at
        most u (n - i + 1) for "right", and else at most u n."""
        top = self.span()[1]
        # The atom `greatest` equals the maximum of the side, so its factor counts even if it is negative. Any other
        # atom with a negative factor adds at most 0.
        greatest = GREATEST[self.side]
        rise = sum((q if atom.name == greatest else max(q, 0) for atom, q in self.atoms.items()), Fraction(0))
        return Fraction(max(0, -(-top // 1), -(-rise // 1)))


def _sum(first: Mapping[T, Fraction], second: Mapping[T, Fraction], factor: Fraction | int) -> dict[T, Fraction]:
    """The linear form `first` plus `factor` times `second`, without terms of factor 0."""
    total = dict(first)
    for term, value in second.items():
        total[term] = total.get(term, Fraction(0)) + factor * value
    return {term: value for term, value in total.items() if value}


def add_to(linear: LinearFactors, terms: Iterable[tuple[str, Fraction]], factor: Fraction | int = 1) -> LinearFactors:
    """Add `factor` times the terms to the linear form, which is changed, and return it."""
    for name, value in terms:
        linear[name] = linear.get(name, Fraction(0)) + factor * value
    return linear


def text(linear: Mapping[str, Fraction], shift: Fraction | int = 0) -> str:
    """The linear form plus the constant `shift`, as the text of a formula."""
    parts = []
    for name, value in add_to(dict(linear), [("", Fraction(shift))]).items():
        if value:
            size = str(abs(value)) if not name else name if abs(value) == 1 else f"{abs(value)}*{name}"
            parts.append(f"{'-' if value < 0 else '+'} {size}")
    return " ".join(parts).removeprefix("+ ") or "0"
