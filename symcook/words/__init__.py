"""All words of one length, by representatives: each stands for words that a model cannot tell apart, with how many they
are and the smallest of them, and a sentence says what is covered.

Which words are one is asked in two ways. By counts (`cells`): a pass over terms (`dependence`) finds at which positions
tokens may be exchanged, so that one word stands for all with the same counts there. By prefixes (`prefixes`): where
heads average what stands before, all that a prefix leaves behind are running sums, in exact numbers (`exact`) or in
those of the error model of rounding (`rounded`). `boxes` runs many words at once. Where none of them helps, there is
`every` word by itself.
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
