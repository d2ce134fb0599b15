"""The words of one length by counts: words with the same numbers of tokens in the same cells have the same answer.

Which positions make a cell is decided by `symcook.words.dependence`, for the model and the length at hand; at worst
each position is one, and each word stands for itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement, product
from typing import Any

from symcook.errors import BadInput
from symcook.forward import Result, forward
from symcook.model.transformer import Transformer
from symcook.words import Stand
from symcook.words.dependence import Dependence

MOST = 20_000
"""The greatest number of classes of one length that are gone through."""

Traced = Callable[[Result], Iterable[Any]]


@dataclass(frozen=True)
class Cells:
    """All words of `n` symbols over `alphabet`: two are one where each of the `cells` (positions from 0, in typed
    symbols) has the same number of each token. Positions in no cell do not matter.

    >>> list(Cells(("a", "b"), 2, ((0, 1),)))
    [Stand(word=('a', 'a'), words=1), Stand(word=('a', 'b'), words=2), Stand(word=('b', 'b'), words=1)]
    """

    alphabet: tuple[str, ...]
    n: int
    cells: tuple[tuple[int, ...], ...]
    text: str = ""

    @cached_property
    def many(self) -> int:
        """How many representatives there are."""
        k = len(self.alphabet)
        return math.prod(math.comb(len(cell) + k - 1, k - 1) for cell in self.cells)

    @property
    def says(self) -> str:
        """How the words are gone through: the given text, else by how many they are."""
        if self.text:
            return self.text
        if self.many == len(self.alphabet) ** self.n:
            return "all words one by one"
        return "one word for all whose answer is the same, because it depends on counts of symbols"

    def __iter__(self) -> Iterator[Stand]:
        """BadInput where they are too many."""
        if self.many > MOST:
            must = f"the classes of words with the same answer must be at most {MOST} at each length"
            raise BadInput(must, f"{self.many} at length {self.n}", "give a smaller --max-length")
        free = len(self.alphabet) ** (self.n - sum(map(len, self.cells)))
        fillings = (combinations_with_replacement(self.alphabet, len(cell)) for cell in self.cells)
        for filling in product(*fillings):
            word = [self.alphabet[0]] * self.n
            words = free
            for cell, tokens in zip(self.cells, filling, strict=True):
                words *= math.factorial(len(cell))
                for token in set(tokens):
                    words //= math.factorial(tokens.count(token))
                for place, token in zip(cell, tokens, strict=True):
                    word[place] = token
            yield Stand(tuple(word), words)


def classes(n: int, *models: Transformer, bits: int | None = None, traced: Traced | None = None) -> Cells:
    """The words of `n` typed symbols that none of these models, over one alphabet, tells apart; symbols without a value
    may take any.

    With `bits`, two words that are one have the same answer also for every runtime with numbers of at least so many
    bits. With `traced` they have, in place of the answer, the same entries that it gives of a trace: columns, each with
    a place.
    """
    alphabet, embedding = models[0].alphabet, models[0].embedding
    groups: frozenset[int] = frozenset()
    for model in models if n + embedding.added else ():
        domain = Dependence(alphabet, bits)
        result = forward(model, embedding.surround([None] * n), domain, trace=traced is not None)  # type: ignore[arg-type]
        shown = product(result.columns().values(), result.places) if traced is None else traced(result)
        groups = groups.union(*(domain.depends(column, place) for column, place in shown), *domain.refusing)
    return Cells(alphabet, n, cells_of(sorted(groups), len(embedding.ends[0]), n))


def cells_of(groups: Sequence[int], first: int, n: int) -> tuple[tuple[int, ...], ...]:
    """The coarsest parts of the positions of which each group is made."""
    cells: dict[tuple[bool, ...], list[int]] = {}
    for place in range(n):
        inside = tuple(bool(group >> (first + place) & 1) for group in groups)
        if any(inside):
            cells.setdefault(inside, []).append(place)
    return tuple(map(tuple, cells.values()))
