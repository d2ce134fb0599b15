"""The words of one length in classes, each with a word for all of it: words of a class have the same answer.

Which words have the same answer is decided by `symcook.questions.dependence`, for the model and the length at hand; at
worst each word is a class.
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
from symcook.questions.dependence import Dependence

MAX_LENGTH = 1_000_000
MOST = 20_000
"""The greatest number of classes of one length that are gone through."""

Word = tuple[str, ...]


def require_words(model: Transformer) -> None:
    """BadInput where a model is not one that decides about words."""
    if not model.alphabet:
        raise BadInput("the model must read words", f"{model.name}, which reads numbers", "choose a language model")
    if not model.readout.answers:
        must = "the model must decide (a readout by sign, zero test or largest score)"
        raise BadInput(must, f"{model.name}, which shows a {model.readout.kind}", "choose one that decides")


def lengths(model: Transformer, longest: int, shortest: int = 0) -> range:
    """The lengths to ask about, in typed symbols, from `shortest`; 0 where the model takes the empty word alone."""
    if isinstance(longest, bool) or not isinstance(longest, int) or not 1 <= longest <= MAX_LENGTH:
        must = f"the greatest length must be an integer from 1 to {MAX_LENGTH}"
        raise BadInput(must, longest, "give --max-length N")
    model.check_length(longest + model.embedding.added)
    if isinstance(shortest, bool) or not isinstance(shortest, int) or not 0 <= shortest <= longest:
        raise BadInput(f"the least length must be an integer from 0 to {longest}", shortest, "give --min-length 1")
    return range(max(shortest, 0 if model.embedding.added else 1), longest + 1)


@dataclass(frozen=True)
class Classes:
    """All words of `n` symbols over `alphabet`, in classes: two words are in one where each of the `cells` (positions
    from 0, in typed symbols) has the same number of each token. Positions in no cell do not matter."""

    alphabet: tuple[str, ...]
    n: int
    cells: tuple[tuple[int, ...], ...]

    @cached_property
    def many(self) -> int:
        """How many classes there are."""
        k = len(self.alphabet)
        return math.prod(math.comb(len(cell) + k - 1, k - 1) for cell in self.cells)

    @property
    def method(self) -> str:
        """How the words are gone through."""
        if self.many == len(self.alphabet) ** self.n:
            return "all words one by one"
        return "one word for all whose answer is the same, because it depends on counts of symbols"

    def __iter__(self) -> Iterator[Word]:
        """The first word of each class in the order of the alphabet within cells; BadInput where they are too many."""
        if self.many > MOST:
            must = f"the classes of words with the same answer must be at most {MOST} at each length"
            raise BadInput(must, f"{self.many} at length {self.n}", "give a smaller --max-length")
        fillings = (combinations_with_replacement(self.alphabet, len(cell)) for cell in self.cells)
        for filling in product(*fillings):
            word = [self.alphabet[0]] * self.n
            for cell, tokens in zip(self.cells, filling, strict=True):
                for place, token in zip(cell, tokens, strict=True):
                    word[place] = token
            yield tuple(word)


def classes(
    model: Transformer, n: int, bits: int | None = None, traced: Callable[[Result], Iterable[Any]] | None = None
) -> Classes:
    """The classes of the words of `n` typed symbols; symbols without a value may take any. With `bits`, two words of a
    class have the same answer also for every runtime with numbers of at least so many bits. With `traced` they have, in
    place of the answer, the same entries that it gives of a trace: columns, each with a place."""
    sequence = model.embedding.surround([None] * n)
    if not sequence:
        return Classes(model.alphabet, n, ())
    domain = Dependence(model.alphabet, bits)
    result = forward(model, sequence, domain, trace=traced is not None)  # type: ignore[arg-type]
    shown = product(result.columns().values(), result.places) if traced is None else traced(result)
    found = [*(domain.depends(column, place) for column, place in shown), *domain.refusing]
    return Classes(model.alphabet, n, cells_of(sorted(frozenset[int]().union(*found)), len(model.embedding.ends[0]), n))


def cells_of(groups: Sequence[int], first: int, n: int) -> tuple[tuple[int, ...], ...]:
    """The coarsest parts of the positions of which each group is made."""
    cells: dict[tuple[bool, ...], list[int]] = {}
    for place in range(n):
        inside = tuple(bool(group >> (first + place) & 1) for group in groups)
        if any(inside):
            cells.setdefault(inside, []).append(place)
    return tuple(map(tuple, cells.values()))
