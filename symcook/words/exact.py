"""Prefixes grouped by running sums in exact rational numbers.

Prefixes with equal running sums are one state. A sum is called *last* if no later head averages it again, so that it
reaches the answer directly. If there is just one last sum, prefixes that differ in this sum only are one state too,
provided that the sum has the same sign for all of them. Of such a state, only the prefixes with the smallest and with
the largest sum are kept. Later tokens add the same number to the sum of each prefix, so these two stay the extremes. If
their signs differ later, they stay one state, since the signs of the prefixes between them are unknown.
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
from symcook.domains.protocol import Coefficient, unknown_weighting
from symcook.domains.rowwise import Going
from symcook.errors import BadInput, NotExact, Undecided
from symcook.forward import Memory, Result, forward
from symcook.model.parts import FeedForward, Head, Mask
from symcook.model.rationals import rational
from symcook.model.reads import BIASED_HEADS, NORMS_AND_GATES, ROTARY_HEADS, PartsRead
from symcook.model.transformer import Transformer
from symcook.present import present
from symcook.words import Stand, Word

if TYPE_CHECKING:
    from symcook.words.affine import AffineNumbers
    from symcook.words.rounded import Hulls

READS = PartsRead("the run over exact sums", **NORMS_AND_GATES, **BIASED_HEADS, **ROTARY_HEADS)

MOST = 200_000
"""The greatest number of states that are kept at one position, each by one or two prefixes."""
ZERO, ONE = fmpq(0), fmpq(1)
Key = TypeVar("Key")
"""What identifies a pass (`Passes`)."""
Shown = TypeVar("Shown")
"""What a pass gives for a length."""


class ExactEntries(NamedTuple):
    """A column of exact numbers (an array of fmpq), and the indices of the running sums from which it was computed."""

    values: Array
    made_of: frozenset[int] = frozenset()

    def take(self, entries: Array | list[int]) -> ExactEntries:
        """The chosen entries."""
        return ExactEntries(self.values[entries], self.made_of)


class ExactNumbers:
    """The arithmetic of exact numbers at one position.

    seen: how many positions are before. nothing: a column of zeros. sums: the running sums that include this position.
    fed: the indices of the sums that another sum is made of. turns: the inputs of activations. jumps: whether one
    of the activations was a step. ends: how many entries a state has, here the prefixes with the smallest and the
    largest sum.
    """

    ends, says = 2, "exact; prefixes that the model cannot tell apart are grouped"

    def __init__(self, seen: int = 0, entries: int = 0) -> None:
        self.seen, self.nothing = seen, np.full(entries, ZERO)
        self.sums: list[Array] = []
        self.fed: set[int] = set()
        self.turns: list[Array] = []
        self.jumps = False

    def at(self, seen: int, entries: int) -> ExactNumbers:
        """The arithmetic of the position after `seen` others, with so many entries."""
        return ExactNumbers(seen, entries)

    def number(self, value: Coefficient, **at: int) -> fmpq:
        """A number, or a term at values of i and n, as a rational of flint."""
        if isinstance(value, tuple):
            value = rational(value, {name: Fraction(number) for name, number in at.items()})
        return fmpq(value.numerator, value.denominator)

    def values(self, numbers: Sequence[Coefficient]) -> ExactEntries:
        """The column of a value for each token."""
        return ExactEntries(np.array([self.number(value) for value in numbers], dtype=object))

    def position(self, term: Coefficient, i: int, n: int) -> ExactEntries:
        """The value of a position function, a column of one entry."""
        return ExactEntries(np.array([self.number(term, i=i, n=n)], dtype=object))

    def linear(self, terms: Sequence[tuple[ExactEntries, Coefficient]], bias: Coefficient) -> ExactEntries:
        """The weighted sum of columns and a bias."""
        total = self.nothing + self.number(bias)
        for column, weight in terms:
            total = total + self.number(weight) * column.values
        return ExactEntries(total, frozenset().union(*(column.made_of for column, _ in terms)))

    def activate(self, x: ExactEntries, kind: str) -> ExactEntries:
        """A ReLU or step of a column, whose input is noted in `turns`. NotExact for another activation."""
        if kind not in ("relu", "step"):
            raise NotExact("to test prefixes in groups, the model must compute rational numbers", kind)
        self.turns.append(x.values)
        self.jumps = self.jumps or kind == "step"
        active = np.array([ONE], dtype=object) if kind == "step" else x.values
        return ExactEntries(np.where(x.values > 0, active, np.array([ZERO], dtype=object)), x.made_of)

    def added(self, before: ExactEntries | None, x: ExactEntries) -> ExactEntries:
        """The running sum `before` with one more term. It is appended to `sums`, and its index is its number."""
        self.fed |= x.made_of
        self.sums.append(x.values if before is None else before.values + x.values)
        return ExactEntries(self.sums[-1], x.made_of | {len(self.sums) - 1})

    def mean(self, total: ExactEntries) -> ExactEntries:
        """The average of all terms of a running sum."""
        return ExactEntries(total.values / (self.seen + 1), total.made_of)

    def merged(
        self, heads: Sequence[Sequence[ExactEntries]], entries: int, labels: Array | None
    ) -> tuple[Array, list[int], Any]:
        """Group entries with equal sums and labels into states; where there is just one last sum, entries with the same
        sign of it are grouped, and those with its smallest and its largest value are kept.

        Returns the state of each entry, the entries that are kept (two for each state), and their running sums.
        Undecided where more than `MOST` states are left.
        """
        # If just one sum is not averaged again, states differ in all other sums, and in the sign of this one.
        last = [k for k in range(len(self.sums)) if k not in self.fed]
        ends = self.sums[last[0]] if len(last) == 1 else self.nothing
        others = [column for k, column in enumerate(self.sums) if len(last) != 1 or k != last[0]]
        # Pairs of integers have a faster hash than rationals.
        rows = list(zip(*([(int(x.p), int(x.q)) for x in column] for column in others), strict=True)) or [()] * entries
        if labels is not None:
            rows = [(label, *row) for label, row in zip(labels, rows, strict=True)]
        signs = [(x > 0) - (x < 0) for x in ends]
        # Where the two entries of a state have different signs, the signs of the prefixes between them are unknown. So
        # all entries with the same other sums are one state.
        parted = {rows[low] for low in range(0, entries, 2) if signs[low] != signs[low + 1]}
        number: dict[Any, int] = {}
        state = [
            number.setdefault((row, None if row in parted else sign), len(number))
            for row, sign in zip(rows, signs, strict=True)
        ]
        if len(number) > MOST:
            raise Undecided(f"more than {MOST} groups of prefixes remain; give a smaller --max-length.")
        chosen = outermost(ends, state, len(number))
        return (
            np.array(state),
            chosen,
            tuple(tuple(entry_column.take(chosen) for entry_column in head) for head in heads),
        )


def outermost(numbers: Array, state: Sequence[int] | Array, states: int) -> list[int]:
    """For each state, one after another, the entry of its smallest number and the entry of its largest number."""
    chosen = [-1] * (2 * states)
    for entry, of_state in enumerate(state):
        low, high = chosen[2 * of_state : 2 * of_state + 2]
        if low < 0 or numbers[entry] < numbers[low]:
            chosen[2 * of_state] = entry
        if high < 0 or numbers[entry] > numbers[high]:
            chosen[2 * of_state + 1] = entry
    return chosen


def mergeable(model: Transformer) -> bool:
    """Whether the strings of a model can be grouped by exact running sums, if its numbers are rational."""
    heads = any(isinstance(part, Head) for step in READS.of(model).sublayers for part in step.parts)
    return heads and averages(model, ("future",)) and model.readout.last


def merged(model: Transformer, asked: Sequence[int], beside: Beside | None = None) -> Iterator[PrefixLevel]:
    """The strings of each length of `asked` (in typed symbols, ascending), grouped; with the labels of the reader
    `beside`.

    Raises NotExact where a number of the model is not rational, Undecided where too many prefixes stay apart.
    """
    try:
        yield from by_length(model, asked, lambda length: Prefixes(model, ExactNumbers(), length, beside))
    except BadInput as error:
        raise NotExact("to test prefixes in groups, the model must compute rational numbers", error.given) from None


def by_length(
    model: Transformer, asked: Sequence[int], begin: Callable[[int | None], Prefixes]
) -> Iterator[PrefixLevel]:
    """The levels of the lengths `asked`, which must ascend. `begin` makes the states for strings of so many tokens; for
    None, the states of one pass for all lengths, possible if no number of the model depends on the length."""
    once = model.unfollowed() is None
    for n in asked[-1:] if once else asked:
        wanted = asked if once else (n,)
        for level in begin(None if once else n + model.embedding.added).levels(wanted):
            if level.n in wanted:
                yield level
            if level.n >= n:
                break


class Passes(Generic[Key, Shown]):
    """Passes over lengths, one for each key, each of which continues from the last length that it reached.

    `levels` starts the pass of a key: an iterator of (length, what is shown) over the given lengths.
    """

    def __init__(
        self, lengths: Sequence[int], levels: Callable[[Key, Sequence[int]], Iterator[tuple[int, Shown]]]
    ) -> None:
        self.lengths, self.levels = lengths, levels
        self._begun: dict[Key, Iterator[tuple[int, Shown]]] = {}
        self._known: dict[tuple[Key, int], Shown] = {}

    def shown(self, key: Key, n: int) -> Shown:
        """What the pass of a key gives for length `n`; the lengths of a key must be asked for in ascending order.
        NotExact where the pass ended before."""
        if key not in self._begun:
            self._begun[key] = self.levels(key, [m for m in self.lengths if m >= n])
        while (key, n) not in self._known:
            reached = next(self._begun[key], None)
            if reached is None:
                raise NotExact("a pass must still have its groups of prefixes to continue", "one that ended before")
            self._known[key, reached[0]] = reached[1]
        return self._known[key, n]


def moved(level: PrefixLevel, low: int, shares: Sequence[fmpq]) -> Result:
    """The pass of a level at points between the running sums of entry `low` and of the next entry: the shares of the
    way, from 0 to 1."""
    low_, high = level.origin[low], level.origin[low + 1]
    way = np.array(shares, dtype=object)

    def sums(entries: ExactEntries) -> ExactEntries:
        """A running sum at these points."""
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
    """Whether running sums determine the runs of a model, once the length is known: it has no norms and no gated units,
    of which `Position` has no products, and its heads are plain means with one of these `masks`."""
    parts = [part for step in READS.of(model).sublayers for part in step.parts]
    heads = [part for part in parts if isinstance(part, Head)]
    plain = all(h.uniform and h.mask in masks and h.weighting in ("average", "softmax") for h in heads)
    plain &= all(isinstance(part, (Head, FeedForward)) for part in parts)
    return plain and not model.normed and model.unfollowed(length_known=True) is None


class HeldSum:
    """A key or value column of a head at one position: the running sum `before` it (None at the first position), the
    `column` here, and, once the head has run, the `total` of both for a value column. A fold by key
    (`symcook.words.keyed`) has its table in place of the sum, in the first value column only."""

    __slots__ = ("before", "column", "total")

    def __init__(self, before: Entries | None, column: Entries) -> None:
        self.before, self.column = before, column
        self.total: Entries | None = None


class Position(Going):
    """The domain of one position after many states. The entries have the tokens with the numbers `which`.

    `n` is the number of tokens of the strings; None where no number of the model depends on it. `numbers` is an
    arithmetic with the methods of `ExactNumbers`: `at`, `values`, `position`, `linear`, `activate`, `added`, `mean` and
    `merged`.
    """

    name = "prefixes"
    gathers = True
    """Every head must be evaluated, even if its output is not needed, since it adds a term to its running sums."""

    def __init__(self, numbers: ExactNumbers | Hulls | AffineNumbers, n: int | None, which: Array) -> None:
        self.numbers: Any = numbers
        self.n, self.which = n, which

    def resume(self, sequence: Any, start: int, seen: int) -> None:
        """Set the tokens and the position, after `seen` others; the first position has the number `start`."""
        self.tokens, self.i, self.length = sequence, start + seen, self.n or seen + 1
        self.numbers = self.numbers.at(seen, len(self.which))
        self.linear, self.activate = self.numbers.linear, self.numbers.activate

    def indices(self) -> list[tuple[int, int]]:
        """The number of the position, and the length, for position functions."""
        return [(self.i, self.length)]

    def narrow(self, columns: Sequence[Entries], place: int) -> list[Entries]:
        return list(columns)

    def embed(self, table: Mapping[str, Coefficient]) -> Entries:
        """The column of a table of token values."""
        return self.numbers.values([table[token] for token in self.tokens]).take(self.which)

    def positions(self, expression: Coefficient) -> Entries:
        """The column of a position function."""
        return self.numbers.position(expression, self.i, self.length).take(np.zeros_like(self.which))

    def joined(self, before: Entries | None, column: Entries) -> HeldSum:
        """A key or value column with the running sum before it."""
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
        """The averages of the value columns of a head; adds a term to each running sum."""
        if queries or weighting not in ("average", "softmax"):
            raise unknown_weighting(weighting)
        for running in values:
            running.total = self.numbers.added(running.before, running.column)
        return [self.numbers.mean(running.total if mask.here else running.before) for running in values]

    def positive(self, column: object) -> list[None]:
        """No verdict: the caller decides from the columns."""
        return [None]

    zero = largest = positive


@dataclass(frozen=True)
class PrefixLevel:
    """All strings of one length: the pass at the last position, with entries for each state before it and each
    token."""

    states: Prefixes
    n: int
    """The number of typed symbols."""
    result: Result
    """The result of the pass."""
    origin: Array
    """For each entry, the entry of the states before from which it comes."""
    which: Array
    """For each entry, the index of its token in `tokens`."""
    tokens: tuple[str, ...]
    """The possible tokens at the last position."""
    depth: int
    """How many positions are before the last one."""
    counts: Array
    """How many strings each state before has."""
    labels: Array | None = None
    """The label of each entry, by the reader beside the model (`Beside`)."""

    @property
    def says(self) -> str:
        """How strings are grouped, in words."""
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
        """The typed symbols of the prefix that `parents` gives to a state, and of the token of an entry."""
        symbols = [self.tokens[self.which[entry]]] if self.tokens == self.states.model.alphabet else []
        for origin, tokens in reversed(parents[len(self.states.model.embedding.ends[0]) : self.depth]):
            symbols.append(tokens[state])
            state = origin[state]
        return tuple(symbols[::-1])


class Beside(Protocol):
    """A reader beside the model, whose label (an integer >= 0) of a prefix is part of the state of the prefix."""

    start: int

    def moved(self, labels: Array, tokens: tuple[str, ...], which: Array, result: Result) -> Array:
        """The labels after one more token, for each entry; `tokens` may be those that the model adds."""
        ...


class Prefixes:
    """The states of all prefixes up to a position, in the order of their smallest strings. At first there is one, of
    the empty prefix; `merge` moves on to the next position. `model` is the given one with a readout at the last
    position."""

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
        """For each head, its running sums, with `numbers.ends` entries for each state."""
        self.parents: list[tuple[Array, Array]] = []
        """For each position: for each entry of a state, the entry before it and the token of one of its strings."""
        self.least: list[tuple[Array, Array]] = []
        """For each position: for each state, the state before it and the token of its smallest string."""
        self.moves: list[Array] = []
        """For each position: for each state and token, the state that follows."""
        self.counts = np.array([1], dtype=object)
        """How many strings each state has."""
        self.labels = None if beside is None else np.array([beside.start])

    def levels(self, asked: Container[int] | None = None) -> Iterator[PrefixLevel]:
        """The levels of all lengths, without end, beginning with the empty string where it is an input. If `asked` is
        given, only its lengths have answers, unless the model's readout is at every position. To be called once."""
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
        """The pass of a position whose entries have the tokens `which`, each after the running sums `sums`. `depth` is
        the number of positions before it; None for all positions so far."""
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
        state = state[::ends].astype(np.min_scalar_type(len(chosen)))  # two bytes are sorted faster
        self.moves.append(state)
        order = np.argsort(state, kind="stable")
        starts = np.searchsorted(state[order], np.arange(len(chosen) // ends))
        first = order[starts]  # entries and states are in the order of their smallest strings
        self.least.append((old[first], tokens[which[first]]))
        self.counts = np.add.reduceat(self.counts[old][order], starts)
        if level.labels is not None:
            self.labels = level.labels[::ends][first]

    def reached(self, typed: Array) -> Array:
        """The entry of each of many strings at the last position, for arithmetics with one entry for each state.
        `typed` has the numbers of their symbols: a row for each position, a column for each string."""
        before, symbols = len(self.model.embedding.ends[0]), len(self.model.alphabet)
        entry = np.zeros(typed.shape[1], dtype=np.int64)
        for place in range(len(typed) + self.model.embedding.added):
            entry = self.moves[place - 1][entry].astype(np.int64) if place else entry
            if before <= place < before + len(typed):
                entry = entry * symbols + typed[place - before]
        return entry
