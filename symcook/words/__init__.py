"""All words of one length, by representatives: each stands for words that a model cannot tell apart, with how many they
are and the smallest of them, and a sentence says what is covered.

Which words are one is asked in two ways. By counts (`cells.classes`): a pass over terms (`cells.Dependence`) finds at
which positions tokens may be exchanged, so that one word stands for all with the same counts there; at worst each word
for itself. By prefixes (`exact.Prefixes`): where heads average what stands before, all that a prefix leaves behind are
running sums, in exact numbers, in those of the error model of rounding (`rounded.Hulls`), as one run in few bits has
them (`simulated.Simulated`), or in those that decide (`affine.AffineNumbers`, with hard heads by `keyed`).
`rounded.boxes` runs many words at once, and `every` gives each word by itself.

Who asks chooses, as each needs something else of a state: `questions.margin` how near an exact sum comes,
`questions.tolerance` lines in a weight, certificates and `questions.precision` what any order of roundings leaves open,
a check what tells the reference's states apart. What all other questions ask is the same of every word of a class, and
that is by counts.
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
