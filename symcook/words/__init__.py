"""All strings of one length, in classes of strings that a model cannot tell apart. Each class is given by its smallest
string, the representative, and by its number of strings.

There are two ways to find such classes.
- By counts (`cells.classes`): a pass over terms (`cells.Dependence`) finds sets of positions within which tokens may be
  exchanged. Strings with the same counts of tokens in each set form a class. At worst each string is a class.
- By prefixes (`exact.Prefixes`): if heads average over earlier positions, the running sums of a prefix determine all
  that follows. The sums are exact numbers, intervals of the rounding error model (`rounded.Hulls`), the numbers of one
  run in few bits (`simulated.Simulated`), or only what a decision needs of the sums (`affine.AffineNumbers`; for hard
  heads `keyed`).

Without classes, `rounded.boxes` runs many strings at once in intervals, `possible` keeps for each position what may
stand there, and `every` lists all strings. `inputs` has the strings of a language.

The caller chooses the way, since callers need different information on a class. `questions.margin` needs the smallest
distance of an exact sum from a threshold; `questions.tolerance` needs values as lines in a weight; certificates and
`questions.precision` need bounds for every order of roundings; a check needs the states of its reference. Most other
questions have one answer for a whole class by counts.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

Word = tuple[str, ...]
"""A string as a tuple of typed symbols."""


class Stand(NamedTuple):
    """A class of strings: its smallest string, in the order of the alphabet, and how many strings it has."""

    word: Word
    words: int


class Cover(Protocol):
    """All strings of `n` typed symbols in disjoint classes. Iteration gives the classes."""

    @property
    def n(self) -> int:
        """The length."""
        ...

    @property
    def says(self) -> str:
        """Which strings are covered, and how they are grouped."""
        ...

    def __iter__(self) -> Iterator[Stand]: ...


def every(alphabet: Sequence[str], n: int) -> Iterator[Word]:
    """Every string of `n` symbols, in the order of the alphabet.

    >>> ["".join(word) for word in every("ab", 2)]
    ['aa', 'ab', 'ba', 'bb']
    """
    return itertools.product(alphabet, repeat=n)
