"""Many words in one run: positions that hold any token, and words with the same numbers of tokens in any order.

The domain is that of `symcook.domains.rounding` with sets that are hulls over what may stand at a position. Where all
positions are averaged alike, a sum of what depends on the token alone is taken from the numbers of the tokens, which is
the same sum in another order. A verdict that such a run decides holds for each of its words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import combinations_with_replacement, product
from math import factorial, prod
from typing import Any

from symcook.domains.protocol import Coefficient
from symcook.domains.rounding import Rounding
from symcook.model.transformer import Transformer
from symcook.questions.words import Classes, classes

LEVELS = ("any token at each position", "the first token fixed", "words with the same numbers of tokens as one",
          "the same with the first token fixed", "one word for all that no runtime tells apart",
          "every word")  # fmt: skip
CLASSES = 4
"""The level of the classes of `symcook.questions.words`, which hold for every order of sums."""


@dataclass(frozen=True)
class Box:
    """All words (with the tokens that the model adds) of `fixed` tokens, and None where any of `tokens` may stand; with
    `counts` these stand as often as it says, in any order."""

    fixed: tuple[str | None, ...]
    tokens: tuple[str, ...]
    counts: tuple[int, ...] | None = None

    @property
    def words(self) -> int:
        free = self.fixed.count(None)
        if self.counts is None:
            return len(self.tokens) ** free
        return factorial(free) // prod(map(factorial, self.counts))

    def some(self) -> tuple[str, ...]:
        """One of the words."""
        counts = (self.fixed.count(None),) if self.counts is None else self.counts
        fill = iter([token for token, count in zip(self.tokens, counts, strict=False) for _ in range(count)])
        return tuple(next(fill) if token is None else token for token in self.fixed)


def boxes(model: Transformer, n: int, level: int, bits: int) -> Iterator[Box]:
    """All words of length `n`, which counts added tokens, as boxes; `level` is an index of `LEVELS`, `bits` are those
    of the runtimes' numbers. Of words that are alike there is one."""
    embedding = model.embedding
    free, alphabet = n - embedding.added, embedding.alphabet

    def box(typed: Sequence[str | None], counts: tuple[int, ...] | None = None) -> Box:
        return Box(embedding.surround(typed), alphabet, counts)

    if level >= CLASSES:
        yield from map(box, alike(model, n, bits) if level == CLASSES else product(alphabet, repeat=free))
        return
    fixed = min(free, level % 2)
    for first in product(alphabet, repeat=fixed):
        typed = (*first, *[None] * (free - fixed))
        if level < 2:
            yield box(typed)
            continue
        for chosen in combinations_with_replacement(alphabet, free - fixed):
            yield box(typed, tuple(chosen.count(token) for token in alphabet))


@lru_cache(maxsize=16)
def alike(model: Transformer, n: int, bits: int) -> Classes:
    """The classes of the words of length `n`, which counts added tokens."""
    return classes(model, n - model.embedding.added, bits)


def number_of_boxes(model: Transformer, n: int, level: int, bits: int) -> int:
    """How many boxes there are, without making them."""
    from math import comb

    size, free = len(model.alphabet), n - model.embedding.added
    if level == CLASSES:
        return alike(model, n, bits).many
    if level > CLASSES:
        return size**free
    fixed = min(free, level % 2)
    return size**fixed * (comb(free - fixed + size - 1, size - 1) if level >= 2 else 1)


class Tokenwise(list[Any]):
    """A column that depends on the token alone: the entries, and the value of each token."""

    def __init__(self, entries: Sequence[Any], by: Mapping[str, Any]) -> None:
        super().__init__(entries)
        self.by = by


class Boxed(Rounding):
    """The domain of rounding whose sequence is a box."""

    box: Box

    def embed(self, table: Mapping[str, Coefficient]) -> Any:
        return self.spread({token: self.number(value) for token, value in table.items()})

    def spread(self, by: Mapping[str, Any]) -> Tokenwise:
        """The column in which each token has its value: a hull where any may stand. Each hull is an object of its own,
        so that nothing takes two positions for equal."""
        may = [t for t, c in zip(self.box.tokens, self.box.counts or (1,) * len(self.box.tokens), strict=True) if c]
        values = [by[token] for token in may]

        def entry(token: str | None) -> Any:
            if token is not None:
                return by[token]
            return values[0] if all(v is values[0] for v in values) else reduce(_union, values)

        return Tokenwise([entry(token) for token in self._sequence], by)

    def linear(self, terms: Sequence[tuple[Any, Coefficient]], bias: Coefficient) -> Any:
        tables = self.tables([column for column, _ in terms])
        if tables is None or not terms:
            return super().linear(terms, bias)
        by = {}
        for token in tables[0]:
            entries = [([table[token]], weight) for table, (_, weight) in zip(tables, terms, strict=True)]
            by[token] = super().linear(entries, bias)[0]
        return self.spread(by)

    def activate(self, column: Any, kind: str) -> Any:
        if isinstance(column, Tokenwise):
            return self.spread({token: self.activation(value, kind) for token, value in column.by.items()})
        return super().activate(column, kind)

    def tables(self, columns: Sequence[Any]) -> list[Mapping[str, Any]] | None:
        """For each column its values by token; None where one depends on more, or none on the token."""
        token = next((column.by for column in columns if isinstance(column, Tokenwise)), None)
        if token is None:
            return None
        found = []
        for column in columns:
            if isinstance(column, Tokenwise):
                found.append(column.by)
            elif all(x is column[0] for x in column):
                found.append(dict.fromkeys(token, column[0]))
            else:
                return None
        return found

    def plain(self, column: Any, seen: Sequence[range], weighting: str) -> Any:
        counts = self.box.counts
        whole = all(len(sees) == self.length for sees in seen)
        if counts is None or not isinstance(column, Tokenwise) or not whole or weighting not in ("average", "softmax"):
            return super().plain(column, seen, weighting)
        entries = [column.by[token] for token in self._sequence if token is not None]
        for token, count in zip(self.box.tokens, counts, strict=True):
            entries += [column.by[token]] * count
        return [self.mean(entries)] * len(seen)


def _union(a: Any, b: Any) -> Any:
    from flint import arb

    return arb(a).union(arb(b))
