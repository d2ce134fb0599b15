"""All strings of one length, by representatives. Each representative stands for strings that a model cannot tell apart;
it comes with their number and the smallest of them.

There are two ways to find such classes.
- By counts (`cells.classes`): a pass over terms (`cells.Dependence`) finds at which positions tokens may be exchanged.
  One string then stands for all with the same counts at these positions; at worst each string is a class.
- By prefixes (`exact.Prefixes`): if heads average what stands before, a prefix is known by its running sums. These are
  exact numbers, intervals of the rounding error model (`rounded.Hulls`), the numbers of one run in few bits
  (`simulated.Simulated`), or what a decision needs of them (`affine.AffineNumbers`; hard heads by `keyed`).

Besides, `rounded.boxes` runs many strings at once, and `every` lists all of them.

The caller chooses, since callers need different things of a class. `questions.margin` needs the smallest distance of an
exact sum from a threshold, `questions.tolerance` lines in a weight, certificates and `questions.precision` what any
order of roundings leaves undecided, a check the states of its reference. All other questions have one answer for a
whole class by counts.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

Word = tuple[str, ...]


class Stand(NamedTuple):
    """The smallest, in the order of the alphabet, of words that are taken as one, and how many they are."""

    word: Word
    words: int


class Cover(Protocol):
    """All words of `n` typed symbols, each in one of the representatives that it gives when it is gone through."""

    @property
    def n(self) -> int: ...

    @property
    def says(self) -> str:
        """What is covered, and how."""
        ...

    def __iter__(self) -> Iterator[Stand]: ...


def every(alphabet: Sequence[str], n: int) -> Iterator[Word]:
    """Every word of `n` symbols by itself, in the order of the alphabet.

    >>> ["".join(word) for word in every("ab", 2)]
    ['aa', 'ab', 'ba', 'bb']
    """
    return itertools.product(alphabet, repeat=n)
