"""Running sums as exact rational numbers, where prefixes that differ in one sum alone are grouped, and only those with
the smallest and the largest are kept.

Prefixes with the same running sums are one state. A sum is called *last* if no later head averages it again, so that it
reaches the answer directly. If there is just one last sum, prefixes that differ in nothing else, and have it on the
same side of zero, are grouped too. Whatever follows adds the same number to the sum of each, so the smallest and the
largest stay the ends. If these two get different signs later, they stay one state, since it is unknown on which side
the others are.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, Self, TypeVar, cast

import numpy as np
from flint import fmpq

from symcook.domains.cells import Array
from symcook.domains.protocol import Coefficient
from symcook.domains.rowwise import Going
from symcook.errors import BadInput, NotExact, Undecided
from symcook.forward import Memory, Result, forward
from symcook.model.parts import Head, Mask
from symcook.model.rationals import rational
from symcook.model.transformer import Transformer
from symcook.present import present
from symcook.words import Stand, Word

if TYPE_CHECKING:
    from symcook.words.affine import AffineNumbers
    from symcook.words.rounded import Hulls

MOST = 200_000
"""The greatest number of prefixes that are kept at one position."""
ZERO, ONE = fmpq(0), fmpq(1)
Key = TypeVar("Key")
Shown = TypeVar("Shown")


class ExactEntries(NamedTuple):
    """Numbers, an array of objects, and the numbers of the running sums that they are made of."""

    values: Array
    made_of: frozenset[int] = frozenset()

    def take(self, entries: Array | list[int]) -> ExactEntries:
        return ExactEntries(self.values[entries], self.made_of)


class ExactNumbers:
    """The arithmetic of these numbers at one position. `sums` are the running sums that include it, `fed` the numbers
    of those that another head averages again, `turns` the values that activations received, `jumps` whether one of
    these was a step."""

    ends, says = 2, "exact; prefixes that the model cannot tell apart are grouped"

    def __init__(self, seen: int = 0, entries: int = 0) -> None:
        self.seen, self.nothing = seen, np.full(entries, ZERO)
        self.sums: list[Array] = []
        self.fed: set[int] = set()
        self.turns: list[Array] = []
        self.jumps = False

    def at(self, seen: int, entries: int) -> ExactNumbers:
        return ExactNumbers(seen, entries)

    def number(self, value: Coefficient, **at: int) -> fmpq:
        if isinstance(value, tuple):
            value = rational(value, {name: Fraction(number) for name, number in at.items()})
        return fmpq(value.numerator, value.denominator)

    def values(self, numbers: Sequence[Coefficient]) -> ExactEntries:
        return ExactEntries(np.array([self.number(value) for value in numbers], dtype=object))

    def position(self, term: Coefficient, i: int, n: int) -> ExactEntries:
        return ExactEntries(np.array([self.number(term, i=i, n=n)], dtype=object))

    def linear(self, terms: Sequence[tuple[ExactEntries, Coefficient]], bias: Coefficient) -> ExactEntries:
        total = self.nothing + self.number(bias)
        for column, weight in terms:
            total = total + self.number(weight) * column.values
        return ExactEntries(total, frozenset().union(*(column.made_of for column, _ in terms)))

    def activate(self, x: ExactEntries, kind: str) -> ExactEntries:
        """A ReLU or step of a column, noted in `turns`."""
        if kind not in ("relu", "step"):
            raise NotExact("prefixes are grouped by rational numbers", kind)
        self.turns.append(x.values)
        self.jumps = self.jumps or kind == "step"
        active = np.array([ONE], dtype=object) if kind == "step" else x.values
        return ExactEntries(np.where(x.values > 0, active, np.array([ZERO], dtype=object)), x.made_of)

    def added(self, before: ExactEntries | None, x: ExactEntries) -> ExactEntries:
        self.fed |= x.made_of
        self.sums.append(x.values if before is None else before.values + x.values)
        return ExactEntries(self.sums[-1], x.made_of | {len(self.sums) - 1})

    def mean(self, total: ExactEntries) -> ExactEntries:
        return ExactEntries(total.values / (self.seen + 1), total.made_of)

    def merged(
        self, heads: Sequence[Sequence[ExactEntries]], entries: int, labels: Array | None
    ) -> tuple[Array, list[int], Any]:
        """States with equal sums become one, the last sum apart: of it the least and the greatest entry are kept."""
        # The one sum that no head averages again, if there is just one, does not tell states apart but by its sign.
        last = [k for k in range(len(self.sums)) if k not in self.fed]
        ends = self.sums[last[0]] if len(last) == 1 else self.nothing
        others = [column for k, column in enumerate(self.sums) if len(last) != 1 or k != last[0]]
        # whole numbers have a faster hash
        rows = list(zip(*([(int(x.p), int(x.q)) for x in column] for column in others), strict=True)) or [()] * entries
        if labels is not None:
            rows = [(label, *row) for label, row in zip(labels, rows, strict=True)]
        signs = [(x > 0) - (x < 0) for x in ends]
        # Where the least and the greatest had different signs before, the signs of those between are not known.
        parted = {rows[low] for low in range(0, entries, 2) if signs[low] != signs[low + 1]}
        number: dict[Any, int] = {}
        state = [
            number.setdefault((row, None if row in parted else sign), len(number))
            for row, sign in zip(rows, signs, strict=True)
        ]
        if len(number) > MOST:
            raise Undecided(f"more than {MOST} prefixes stay apart; give a smaller --max-length.")
        chosen = outermost(ends, state, len(number))
        return (
            np.array(state),
            chosen,
            tuple(tuple(entry_column.take(chosen) for entry_column in head) for head in heads),
        )


def outermost(numbers: Array, state: Sequence[int] | Array, states: int) -> list[int]:
    """For each state the entry of its least number, and that of its greatest."""
    chosen = [-1] * (2 * states)
    for entry, of_state in enumerate(state):
        low, high = chosen[2 * of_state : 2 * of_state + 2]
        if low < 0 or numbers[entry] < numbers[low]:
            chosen[2 * of_state] = entry
        if high < 0 or numbers[entry] > numbers[high]:
            chosen[2 * of_state + 1] = entry
    return chosen


def mergeable(model: Transformer) -> bool:
    """Whether strings of a model can be grouped in this way, if its numbers are rational."""
    heads = any(isinstance(part, Head) for step in model.sublayers for part in step.parts)
    return heads and averages(model, ("future",)) and not (model.readout.everywhere or model.readout.first)


def merged(model: Transformer, asked: Sequence[int], beside: Beside | None = None) -> Iterator[PrefixLevel]:
    """The words of each length that is asked for, in typed symbols, with the labels of what reads `beside`.

    Raises NotExact where a number of the model is not rational, Undecided where too many prefixes stay apart.
    """
    try:
        yield from by_length(model, asked, lambda length: Prefixes(model, ExactNumbers(), length, beside))
    except BadInput as error:
        raise NotExact("prefixes are grouped by rational numbers", error.given) from None


def by_length(
    model: Transformer, asked: Sequence[int], begin: Callable[[int | None], Prefixes]
) -> Iterator[PrefixLevel]:
    """The levels of the lengths `asked`. `begin` makes the states for strings of so many tokens; for None, the states
    of one pass for all lengths, possible if no number of the model depends on the length."""
    once = model.unfollowed() is None
    for n in asked[-1:] if once else asked:
        wanted = asked if once else (n,)
        for level in begin(None if once else n + model.embedding.added).levels(wanted):
            if level.n in wanted:
                yield level
            if level.n >= n:
                break


class Passes(Generic[Key, Shown]):
    """Passes over all lengths, each of which goes on from the last length that it was asked about. `levels` makes the
    pass of a key, and says what it shows of each of the lengths that it is given. NotExact where one has ended."""

    def __init__(
        self, lengths: Sequence[int], levels: Callable[[Key, Sequence[int]], Iterator[tuple[int, Shown]]]
    ) -> None:
        self.lengths, self.levels = lengths, levels
        self._begun: dict[Key, Iterator[tuple[int, Shown]]] = {}
        self._known: dict[tuple[Key, int], Shown] = {}

    def shown(self, key: Key, n: int) -> Shown:
        """What the pass of a key shows of a length; lengths are asked for in order."""
        if key not in self._begun:
            self._begun[key] = self.levels(key, [m for m in self.lengths if m >= n])
        while (key, n) not in self._known:
            reached = next(self._begun[key], None)
            if reached is None:
                raise NotExact("a pass goes on as long as its prefixes are grouped", "one that ended before")
            self._known[key, reached[0]] = reached[1]
        return self._known[key, n]


def moved(level: PrefixLevel, low: int, shares: Sequence[fmpq]) -> Result:
    """The pass of a level at points between an entry and the next: shares of the way."""
    low_, high = level.origin[low], level.origin[low + 1]
    way = np.array(shares, dtype=object)

    def sums(entries: ExactEntries) -> ExactEntries:
        return ExactEntries(entries.values[low_] + way * (entries.values[high] - entries.values[low_]), entries.made_of)

    which, sums_before = (
        np.full(len(way), level.which[low]),
        cast("tuple[tuple[ExactEntries, ...], ...]", level.states.sums),
    )
    return level.states.run(level.tokens, which, tuple(tuple(map(sums, head)) for head in sums_before))


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
    return plain and not model.normed and model.unfollowed(length_known=True) is None


class HeldSum:
    """What a head holds for one column: the sum `before` this position (None at the first), the `column` here, and,
    once the head has run, the `total` of both."""

    __slots__ = ("before", "column", "total")

    def __init__(self, before: Entries | None, column: Entries) -> None:
        self.before, self.column = before, column
        self.total: Entries | None = None


class Position(Going):
    """The domain of one position behind many states, whose entries have the tokens `which` of the sequence.

    `n` is the length of the words, None where no number of the model knows it. `numbers` offer `at` (themselves for a
    position), `values` and `position` (given numbers, and a term at a position), `linear` and `activate`, `added` (a
    running sum with a term more), `mean` of all its terms, and `merged`: for each entry its state, numbered in the
    order in which they occur, the entries that are kept, and their sums.
    """

    name = "prefixes"
    gathers = True
    """A head that is asked adds to its sums, so that each is asked, also where nothing is shown."""

    def __init__(self, numbers: ExactNumbers | Hulls | AffineNumbers, n: int | None, which: Array) -> None:
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

    def joined(self, before: Entries | None, column: Entries) -> HeldSum:
        return HeldSum(before, column)

    def attend(
        self,
        queries: Sequence[Entries],
        keys: Sequence[HeldSum],
        values: Sequence[HeldSum],
        mask: Mask,
        weighting: str,
        factor: Coefficient,
    ) -> list[Entries]:
        for running in values:
            running.total = self.numbers.added(running.before, running.column)
        return [self.numbers.mean(running.total if mask.here else running.before) for running in values]

    def positive(self, column: object) -> list[None]:
        return [None]

    zero = largest = positive


@dataclass(frozen=True)
class PrefixLevel:
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
    labels: Array | None = None
    """What is read beside the model, for each entry (`Beside`)."""

    @property
    def says(self) -> str:
        return self.states.numbers.says

    def __iter__(self) -> Iterator[Stand]:
        ends = self.states.numbers.ends
        for entry in range(0, len(self.origin), ends):
            state = self.origin[entry] // ends
            yield Stand(self.smallest(entry), int(self.counts[state]))

    def smallest(self, entry: int) -> Word:
        """The smallest string with the state and the token of an entry."""
        return self._word(self.states.least, self.origin[entry] // self.states.numbers.ends, entry)

    def word(self, entry: int) -> Word:
        """Some string with the values of an entry."""
        return self._word(self.states.parents, self.origin[entry], entry)

    def _word(self, parents: Sequence[tuple[Array, Array]], state: int, entry: int) -> Word:
        """The typed symbols, the last of which is that of an entry."""
        symbols = [self.tokens[self.which[entry]]] if self.tokens == self.states.model.alphabet else []
        for origin, tokens in reversed(parents[len(self.states.model.embedding.ends[0]) : self.depth]):
            symbols.append(tokens[state])
            state = origin[state]
        return tuple(symbols[::-1])


class Beside(Protocol):
    """What reads the words beside the model, and is part of a state: a label, an integer from 0, for each prefix."""

    start: int

    def moved(self, labels: Array, tokens: tuple[str, ...], which: Array, result: Result) -> Array:
        """The labels after one more token, for each entry; `tokens` may be those that the model adds."""
        ...


class Prefixes:
    """The states of all prefixes up to a position, in the order of their smallest strings. At first there is one, of
    the empty prefix."""

    def __init__(
        self,
        model: Transformer,
        numbers: ExactNumbers | Hulls | AffineNumbers,
        n: int | None = None,
        beside: Beside | None = None,
        position: type[Position] = Position,
    ) -> None:
        self.model, self.n = replace(model, readout=replace(model.readout, position="last")), n
        self.everywhere = model.readout.everywhere
        self.beside, self.position = beside, position
        self.asked: Container[int] | None = None
        self.numbers: Any = numbers
        self.sums: tuple[tuple[Entries | None, ...], ...] = ()
        """Of each head that writes the running sums, with `numbers.ends` entries for each state."""
        self.parents: list[tuple[Array, Array]] = []
        """For each position and entry of a state the entry before and the token, of one of its words."""
        self.least: list[tuple[Array, Array]] = []
        """For each position and state the same of the smallest of its words."""
        self.moves: list[Array] = []
        """For each position the state after each state and token."""
        self.counts = np.array([1], dtype=object)
        """How many words each state has."""
        self.labels = None if beside is None else np.array([beside.start])

    def levels(self, asked: Container[int] | None = None) -> Iterator[PrefixLevel]:
        """Every length in turn, from that of the empty word where it is an input; only those of `asked` have answers,
        where that is given."""
        self.asked = None if self.everywhere else asked
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

    def step(self, tokens: tuple[str, ...]) -> PrefixLevel:
        """The pass of the next position, with an entry for each state and token, in the order of their smallest
        strings."""
        typed = max(0, len(self.parents) - len(self.model.embedding.ends[0])) + (tokens == self.model.alphabet)
        depth, states, ends = len(self.parents), len(self.counts), self.numbers.ends
        origin = np.repeat(np.arange(states * ends).reshape(states, ends), len(tokens), axis=0).reshape(-1)
        which = np.tile(np.repeat(np.arange(len(tokens)), ends), states)
        sums = tuple(tuple(column and column.take(origin) for column in head) for head in self.sums)
        answers = self.asked is None or typed in self.asked
        result = self.run(tokens, which, sums, answers)
        labels = None
        if self.beside is not None:
            labels = self.beside.moved(present(self.labels)[origin // ends], tokens, which, result)
        return PrefixLevel(self, typed, result, origin, which, tokens, depth, self.counts, labels)

    def run(
        self,
        tokens: tuple[str, ...],
        which: Array,
        sums: tuple[tuple[Entries | None, ...], ...],
        answers: bool = True,
        depth: int | None = None,
    ) -> Result:
        """The pass of a position whose entries have the tokens `which`, with the running sums behind each; `depth`
        positions stand before (None: those so far)."""
        domain: Any = self.position(self.numbers, self.n, which)
        depth_seen = len(self.parents) if depth is None else depth
        return forward(self.model, tokens, domain, after=Memory(depth_seen, sums), answers=answers)

    def merge(self, level: PrefixLevel) -> None:
        """Group the entries of a level into the states of the next position."""
        heads = [[running.total for running in head] for head in present(level.result.memory).heads]
        domain: Any = level.result.domain
        state, chosen, self.sums = domain.numbers.merged(heads, len(level.origin), level.labels)
        tokens, ends = np.array(level.tokens, dtype=object), self.numbers.ends
        self.parents.append((level.origin[chosen], tokens[level.which[chosen]]))
        old, which = level.origin[::ends] // ends, level.which[::ends]
        state = state[::ends].astype(np.min_scalar_type(len(chosen)))  # sorted quicker in two bytes
        self.moves.append(state)
        order = np.argsort(state, kind="stable")
        starts = np.searchsorted(state[order], np.arange(len(chosen) // ends))
        first = order[starts]  # entries and states stand in the order of their smallest words
        self.least.append((old[first], tokens[which[first]]))
        self.counts = np.add.reduceat(self.counts[old][order], starts)
        if level.labels is not None:
            self.labels = level.labels[::ends][first]

    def reached(self, typed: Array) -> Array:
        """The entry of each of some strings at the last position, where states have one each; `typed` has the numbers
        of their symbols, a row for each place."""
        before, symbols = len(self.model.embedding.ends[0]), len(self.model.alphabet)
        entry = np.zeros(typed.shape[1], dtype=np.int64)
        for place in range(len(typed) + self.model.embedding.added):
            entry = self.moves[place - 1][entry].astype(np.int64) if place else entry
            if before <= place < before + len(typed):
                entry = entry * symbols + typed[place - before]
        return entry
