"""All words of every length at once, position by position: prefixes that a model cannot tell apart are one state.

Where every head averages what stands up to here, all that a prefix leaves behind is the running sums of what the heads
average. `Prefixes` goes over positions by the one `forward`, with one position behind many states. Its numbers say what
a coordinate is in all of them, and which states become one: `symcook.words.exact`, `symcook.words.rounded`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self

import numpy as np

from symcook.domains.protocol import Coefficient
from symcook.domains.rowwise import Going
from symcook.forward import Memory, Result, forward
from symcook.machine import unfollowed
from symcook.model.parts import Head, Mask
from symcook.model.transformer import Transformer
from symcook.words import Stand, Word

if TYPE_CHECKING:
    from symcook.words.exact import Rationals
    from symcook.words.rounded import Hulls

Array = np.ndarray


class Entries(Protocol):
    """One coordinate, or a running sum, with an entry for each state and token."""

    def take(self, entries: Array, /) -> Self:
        """The chosen entries."""
        ...



def averages(model: Transformer, masks: Sequence[str] = ("future", "strict-future")) -> bool:
    """Whether the words of a model can be followed by running sums, once their length is known: no norms, and heads
    that take plain means of what stands before them."""
    heads = (part for step in model.sublayers for part in step.parts if isinstance(part, Head))
    plain = all(h.uniform and h.mask in masks and h.weighting in ("average", "softmax") for h in heads)
    return plain and not model.normed and unfollowed(model, length_known=True) is None


class Sum(NamedTuple):
    """A running sum before a position, and with it; None before the first."""

    before: Entries | None
    total: Entries


class Position(Going):
    """The domain of one position behind many states, whose entries have the tokens `which` of the sequence.

    `n` is the length of the words, None where no number of the model knows it. `numbers` offer `at` (themselves for a
    position), `values` and `position` (given numbers, and a term at a position), `linear` and `activate`, `added` (a
    running sum with a term more), `mean` of all its terms, and `merged`.
    """

    name = "prefixes"

    def __init__(self, numbers: Rationals | Hulls, n: int | None, which: Array) -> None:
        self.numbers: Any = numbers
        self.n, self.which = n, which

    def resume(self, sequence: Any, start: int, seen: int) -> None:
        self.tokens, self.i, self.length = sequence, start + seen, self.n or seen + 1
        self.numbers = self.numbers.at(seen, len(self.which))
        self.linear, self.activate = self.numbers.linear, self.numbers.activate

    def indices(self) -> list[tuple[int, int]]:
        return [(self.i, self.length)]

    def narrow(self, columns: Sequence[Entries], place: int) -> list[Entries]:
        return list(columns)

    def embed(self, table: Mapping[str, Coefficient]) -> Entries:
        return self.numbers.values([table[token] for token in self.tokens]).take(self.which)

    def positions(self, expression: Coefficient) -> Entries:
        return self.numbers.position(expression, self.i, self.length).take(np.zeros_like(self.which))

    def joined(self, before: Entries | None, column: Entries) -> Sum:
        return Sum(before, self.numbers.added(before, column))

    def attend(self, queries: object, keys: object, values: Sequence[Sum], mask: Mask, *rest: object) -> list[Entries]:
        return [self.numbers.mean(one.total if mask.here else one.before) for one in values]

    def positive(self, column: object) -> list[None]:
        return [None]

    zero = largest = positive


@dataclass(frozen=True)
class Level:
    """All words of `n` typed symbols: the pass at the last position, with an entry for each entry of the states before
    (`origin`) and each of the `tokens` there (`which`). `depth` positions stand before."""

    states: Prefixes
    n: int
    result: Result
    origin: Array
    which: Array
    tokens: tuple[str, ...]
    depth: int
    counts: Array

    @property
    def says(self) -> str:
        return self.states.numbers.says

    def __iter__(self) -> Iterator[Stand]:
        ends = self.states.numbers.ends
        for entry in range(0, len(self.origin), ends):
            state = self.origin[entry] // ends
            yield Stand(self._word(self.states.least, state, entry), int(self.counts[state]))

    def word(self, entry: int) -> Word:
        """A word that has the values of an entry."""
        return self._word(self.states.parents, self.origin[entry], entry)

    def _word(self, parents: Sequence[tuple[Array, Array]], state: int, entry: int) -> Word:
        """The typed symbols, the last of which is that of an entry."""
        found = [self.tokens[self.which[entry]]] if self.tokens == self.states.model.alphabet else []
        for origin, tokens in reversed(parents[len(self.states.model.embedding.ends[0]) : self.depth]):
            found.append(tokens[state])
            state = origin[state]
        return tuple(found[::-1])


class Prefixes:
    """The states behind the positions so far, at first one behind nothing."""

    def __init__(self, model: Transformer, numbers: Rationals | Hulls, n: int | None = None) -> None:
        self.model, self.n = replace(model, readout=replace(model.readout, position="last")), n
        self.numbers: Any = numbers
        self.sums: tuple[tuple[Entries, ...], ...] = ()
        """Of each head that writes the running sums, with `numbers.ends` entries for each state."""
        self.parents: list[tuple[Array, Array]] = []
        """For each position and entry of a state the entry before and the token, of one of its words."""
        self.least: list[tuple[Array, Array]] = []
        """For each position and state the same of the smallest of its words."""
        self.counts, self.order = np.array([1], dtype=object), np.zeros(1, dtype=int)
        """How many words each state has, and the states in the order of their smallest words."""

    def levels(self) -> Iterator[Level]:
        """Every length in turn, from that of the empty word where it is an input."""
        before, after = self.model.embedding.ends
        if after and not before:
            yield self.step(after)
        for tokens in chain([before] if before else [], repeat(self.model.alphabet)):
            level = self.step(tokens)
            if not after:
                yield level
            self.merge(level)
            if after:
                yield self.step(after)

    def step(self, tokens: tuple[str, ...]) -> Level:
        """One position more, for each state and token."""
        depth, entries = len(self.parents), len(self.counts) * self.numbers.ends
        origin, which = np.tile(np.arange(entries), len(tokens)), np.repeat(np.arange(len(tokens)), entries)
        result = self.run(tokens, which, tuple(tuple(one.take(origin) for one in head) for head in self.sums))
        typed = max(0, depth - len(self.model.embedding.ends[0])) + (tokens == self.model.alphabet)
        return Level(self, typed, result, origin, which, tokens, depth, self.counts)

    def run(self, tokens: tuple[str, ...], which: Array, sums: tuple[tuple[Entries, ...], ...]) -> Result:
        """The pass of a position whose entries have the tokens `which`, with the running sums behind each."""
        domain: Any = Position(self.numbers, self.n, which)
        return forward(self.model, tokens, domain, after=Memory(len(self.parents), sums))

    def merge(self, level: Level) -> None:
        """Go on behind the states that become of a level's entries."""
        assert level.result.memory is not None
        heads = [[one.total for one in head] for head in level.result.memory.heads]
        domain: Any = level.result.domain
        state, kept, self.sums = domain.numbers.merged(heads, len(level.origin))
        tokens = np.array(level.tokens, dtype=object)
        self.parents.append((level.origin[kept], tokens[level.which[kept]]))
        ends = self.numbers.ends
        old, which, state = level.origin[::ends] // ends, level.which[::ends], state[::ends]
        rank = np.argsort(self.order)[old] * len(tokens) + which  # entries in the order of their smallest words
        first = np.full(len(kept) // ends, len(rank))
        np.minimum.at(first, state, rank)
        self.least.append((self.order[first // len(tokens)], tokens[first % len(tokens)]))
        counts = np.zeros(len(first), dtype=object)
        np.add.at(counts, state, self.counts[old])
        self.counts, self.order = counts, np.argsort(first)
