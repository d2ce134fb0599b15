"""All words of every length at once, position by position: prefixes that a model cannot tell apart are one state.

Where every head averages what stands up to here, all that a prefix leaves behind is the running sums of what the heads
average. `Prefixes` goes over positions by the one `forward`, with a domain of one position behind many states; what a
state is, in which numbers, and which states become one, is said where it is used (`symcook.questions.prefixes`,
`symcook.export.prefixes`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, repeat
from typing import Any, NamedTuple

from symcook.domains.rowwise import Going
from symcook.forward import Memory, Result, forward
from symcook.machine import unfollowed
from symcook.model.parts import Head
from symcook.model.transformer import Transformer


def averages(model: Transformer, masks: Sequence[str] = ("future", "strict-future")) -> bool:
    """Whether the words of a model can be followed by running sums, once their length is known: no norms, and heads
    that take plain means of what stands before them."""
    heads = (part for step in model.sublayers for part in step.parts if isinstance(part, Head))
    plain = all(h.uniform and h.mask in masks and h.weighting in ("average", "softmax") for h in heads)
    return plain and not model.normed and unfollowed(model, length_known=True) is None


class Sum(NamedTuple):
    """A running sum before a position, and with it; None before the first."""

    before: Any
    total: Any


class Behind(Going):
    """The domain of one position behind many states; a subclass has the numbers. `tokens` are what may stand there,
    `i` is the position and `seen` the number of those before it."""

    tokens: Sequence[str]

    def resume(self, sequence: Any, start: int, seen: int) -> None:
        self.tokens, self.i, self.seen, self.length = sequence, start + seen, seen, seen + 1

    def indices(self) -> list[tuple[int, int]]:
        return [(self.i, self.length)]

    def narrow(self, columns: Sequence[Any], place: int) -> list[Any]:
        return list(columns)

    def positive(self, column: Any) -> list[None]:
        return [None]

    zero = largest = positive


@dataclass(frozen=True)
class Level:
    """All words of `n` typed symbols: the pass at the last position, with an entry for each state and token there. Of
    each entry the state before and the token; `depth` positions stand before, and `typed` says whether a user typed the
    token here."""

    n: int
    result: Result
    origin: Any
    tokens: Any
    depth: int
    typed: bool


class Prefixes:
    """The states behind the positions so far, at first `states` of them behind nothing."""

    def __init__(self, model: Transformer, states: int = 1) -> None:
        self.model, self.states = replace(model, readout=replace(model.readout, position="last")), states
        self.sums: tuple[tuple[Any, ...], ...] = ()
        """Of each head that writes the running sums, with an entry for each state."""
        self.parents: list[tuple[Any, Any]] = []
        """For each position and state, the state before and the token, of one of its words."""

    def levels(self) -> Iterator[Level]:
        """Every length in turn, from that of the empty word where it is an input."""
        before, after = self.model.embedding.ends
        if after and not before:
            yield self.step(after)
        for tokens in chain([before] if before else [], repeat(self.model.alphabet)):
            level = self.step(tokens)
            if not after:
                yield level
            self.sums, kept = self.merged(level)
            self.parents.append((level.origin[kept], level.tokens[kept]))
            self.states = len(kept)
            if after:
                yield self.step(after)

    def step(self, tokens: Sequence[str]) -> Level:
        """One position more, for each state and token."""
        import numpy as np

        depth = len(self.parents)
        origin = np.tile(np.arange(self.states), len(tokens))
        row = np.repeat(np.array(list(tokens), dtype=object), self.states)
        more = tokens == self.model.alphabet
        typed = max(0, depth - len(self.model.embedding.ends[0])) + more
        return Level(typed, self.run(tokens, origin, row), origin, row, depth, more)

    def run(self, tokens: Sequence[str], origin: Any, row: Any) -> Result:
        """The pass of a position with one of `tokens` behind each state: entries are behind the states `origin` and
        have the tokens `row`."""
        raise NotImplementedError

    def passed(self, tokens: Sequence[str], domain: Any, sums: tuple[tuple[Any, ...], ...]) -> Result:
        """The same in a domain, with the running sums behind each entry."""
        return forward(self.model, tuple(tokens), domain, after=Memory(len(self.parents), sums))

    def merged(self, level: Level) -> tuple[tuple[tuple[Any, ...], ...], Any]:
        """The running sums of the states that become of a level's entries, and for each state an entry that stands for
        it."""
        raise NotImplementedError

    def word(self, level: Level, entry: int) -> tuple[str, ...]:
        """The typed tokens of a word of an entry."""
        added, state = len(self.model.embedding.ends[0]), level.origin[entry]
        found = [level.tokens[entry]] if level.typed else []
        for origin, tokens in reversed(self.parents[added : level.depth]):
            found.append(tokens[state])
            state = origin[state]
        return tuple(found[::-1])
