"""Many words in one run: positions that hold any token, and words with the same numbers of tokens in any order.

The domain is that of `symcook.domains.rounding` with sets that are hulls over what may stand at a position. Where all
positions are averaged alike, a sum of what depends on the token alone is taken from the numbers of the tokens, which is
the same sum in another order. A verdict that such a run decides holds for each of its words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, reduce
from typing import TYPE_CHECKING, Any, NamedTuple

from symcook.domains.protocol import Coefficient
from symcook.domains.rounding import Rounding
from symcook.model.transformer import Transformer
from symcook.words import Word
from symcook.words.cells import Cells, classes

if TYPE_CHECKING:
    from symcook.domains.ball import Column, Value

LEVELS = ("any token at each position", "the first token fixed", "words with the same numbers of tokens as one",
          "the same with the first token fixed", "one word for all that no runtime tells apart",
          "every word")  # fmt: skip
CLASSES = 4
"""The level of the classes of `symcook.words.cells`, which hold for every order of sums."""


class Box(NamedTuple):
    """Words, with the tokens that the model adds, that are run at once: `word` is one of them, and each of `tokens` may
    stand where `free` says so; with `counted` these stand there as often as in the word, in any order."""

    word: Word
    tokens: tuple[str, ...]
    free: tuple[int, ...] = ()
    counted: bool = False

    @property
    def fixed(self) -> tuple[str | None, ...]:
        """The word, with None where others may stand."""
        return tuple(None if place in self.free else token for place, token in enumerate(self.word))

    @property
    def counts(self) -> tuple[int, ...] | None:
        """How often each token stands where others may; None where it may stand so at any of these positions."""
        inside = [self.word[place] for place in self.free]
        return tuple(map(inside.count, self.tokens)) if self.counted else None


@lru_cache(maxsize=64)
def cells(model: Transformer, n: int, level: int, bits: int) -> Cells:
    """The words of length `n`, which counts added tokens, as at `level`, an index of `LEVELS`; `bits` are those of the
    runtimes' numbers."""
    free = n - model.embedding.added
    if level == CLASSES:
        return replace(classes(free, model, bits=bits), text=LEVELS[level])
    fixed = free if level > CLASSES else min(free, level % 2)
    rest = (tuple(range(fixed, free)),) if level in (2, 3) else ()
    return Cells(model.alphabet, free, (*((place,) for place in range(fixed)), *rest), LEVELS[level])


def boxes(model: Transformer, n: int, level: int, bits: int) -> Iterator[Box]:
    """The same words as boxes."""
    found = cells(model, n, level, bits)
    before = len(model.embedding.ends[0])
    free = () if level >= CLASSES else tuple(range(before + min(found.n, level % 2), before + found.n))
    for word, _ in found:
        yield Box(model.embedding.surround(word), model.alphabet, free, level in (2, 3))


class Tokenwise(list[Any]):
    """A column that depends on the token alone: the entries, and the value of each token."""

    def __init__(self, entries: Sequence[Value], by: Mapping[str, Value]) -> None:
        super().__init__(entries)
        self.by = by


class Boxed(Rounding):
    """The domain of rounding whose sequence is a box."""

    box: Box

    def begin(self, sequence: Any, start: int) -> None:
        super().begin(sequence, start)
        self.counts = self.box.counts

    def embed(self, table: Mapping[str, Coefficient]) -> Any:
        return self.spread({token: self.number(value) for token, value in table.items()})

    def spread(self, by: Mapping[str, Value]) -> Tokenwise:
        """The column in which each token has its value: a hull where any may stand. Each hull is an object of its own,
        so that nothing takes two positions for equal."""
        may = [t for t, c in zip(self.box.tokens, self.counts or (1,) * len(self.box.tokens), strict=True) if c]
        values = [by[token] for token in may]

        def entry(token: str | None) -> Any:
            if token is not None:
                return by[token]
            return values[0] if all(v is values[0] for v in values) else reduce(_union, values)

        return Tokenwise([entry(token) for token in self._sequence], by)

    def linear(self, terms: Sequence[tuple[Column, Coefficient]], bias: Coefficient) -> Any:
        tables = self.tables([column for column, _ in terms])
        if tables is None:
            return super().linear(terms, bias)
        by = {}
        for token in tables[0]:
            entries = [([table[token]], weight) for table, (_, weight) in zip(tables, terms, strict=True)]
            by[token] = super().linear(entries, bias)[0]
        return self.spread(by)

    def activate(self, column: Column, kind: str) -> Any:
        if isinstance(column, Tokenwise):
            return self.spread({token: self.activation(value, kind) for token, value in column.by.items()})
        return super().activate(column, kind)

    def tables(self, columns: Sequence[Column]) -> list[Mapping[str, Value]] | None:
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

    def plain(self, column: Column, seen: Sequence[range], weighting: str) -> Any:
        counts = self.counts
        whole = all(len(sees) == self.length for sees in seen)
        if counts is None or not isinstance(column, Tokenwise) or not whole or weighting not in ("average", "softmax"):
            return super().plain(column, seen, weighting)
        entries = [column.by[token] for token in self._sequence if token is not None]
        for token, count in zip(self.box.tokens, counts, strict=True):
            entries += [column.by[token]] * count
        return [self.mean(entries)] * len(seen)


def _union(a: Value, b: Value) -> Any:
    from flint import arb

    return arb(a).union(arb(b))
