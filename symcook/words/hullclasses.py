"""The strings of a language in classes of prefixes, with a hull of what the model computes on each class.

A `PrefixReading` says which prefixes are one class: by states of the language, and of a specification where there is
one, or `counted`, by the numbers of symbols too. `HullClasses` has the run of a dense causal model on these classes,
the strings of some classes, and where a hull becomes wide.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from symcook.domains.floatmatrices import FloatArray
from symcook.domains.radii import TINY, UNIT
from symcook.errors import NotExact
from symcook.model.answers import brief
from symcook.words.pathhulls import PrefixClass, PrefixGraph, run_hulls, widths

if TYPE_CHECKING:
    from symcook.model.ends import Readout
    from symcook.model.transformer import Transformer
    from symcook.programs.automata import Automaton
    from symcook.words import Word

WIDE = 0.1
"""A hull is called wide from this part of the size of the residual stream on."""


@dataclass(frozen=True)
class PrefixReading:
    """How prefixes are read: a start state, a step for the index of a token, and the states that end a string."""

    start: Hashable
    step: Callable[[Any, int], Hashable | None]
    """The state after one more symbol; None where no string continues so."""
    ends: Callable[[Any], bool]
    """Whether a prefix that leads to this state is a string of the language."""
    way: str = "states"
    """"states", or "counts" where the state has the numbers of symbols too."""

    def counted(self, symbols: int) -> PrefixReading:
        """The same with the numbers of the `symbols` symbols as a part of the state."""

        def step(state: Any, token: int) -> Any:
            """The state after one more symbol, with the numbers of symbols."""
            to = self.step(state[0], token)
            numbers = state[1]
            return None if to is None else (to, (*numbers[:token], numbers[token] + 1, *numbers[token + 1 :]))

        return PrefixReading((self.start, (0,) * symbols), step, lambda state: self.ends(state[0]), "counts")


def reading_of(language: Automaton | None) -> PrefixReading:
    """The reading of a language: its states, without those from which no string ends. None stands for all strings."""
    if language is None:
        return PrefixReading(0, lambda state, token: 0, lambda state: True)
    alive, moves, answers = language.alive, language.moves, language.answers

    def step(state: Any, token: int) -> int | None:
        """The state after one more symbol."""
        to = moves[state][token]
        return to if to in alive else None

    return PrefixReading(0, step, lambda state: answers[state] is True)


class HullClasses:
    """The classes of prefixes up to a length, and the run of a model on them. NotExact where that is not possible
    (`run_hulls`). `coarse` has the run on larger classes, whose states these have without numbers of symbols."""

    def __init__(
        self, model: Transformer, reading: PrefixReading, length: int, coarse: HullClasses | None = None
    ) -> None:
        self.model, self.reading, self.coarse = model, reading, coarse
        self.graph = PrefixGraph(model, reading.start, reading.step, length)
        self.result = run_hulls(model, self.graph)
        self.added = len(model.embedding.ends[0])
        self.longest = len(self.graph.levels) - self.added

    @cached_property
    def index(self) -> dict[Any, int]:
        """By position, state and last token, the number of a class."""
        return {
            (place, self.state(prefixes), prefixes.token): number
            for place, level in enumerate(self.graph.levels)
            for number, prefixes in enumerate(level)
        }

    def larger(self, place: int, number: int) -> int:
        """The number of the class of `coarse` that contains a class."""
        prefixes, coarse = self.graph.levels[place][number], self.coarse
        if coarse is None:
            raise RuntimeError("there must be larger classes")
        return coarse.index[place, self.state(prefixes), prefixes.token]

    def verdict(self, place: int, number: int) -> int:
        """The verdict or the label of all prefixes of a class; -1 where it is open, or not the same for all."""
        verdicts: Any = self.result.verdicts
        answer = int(verdicts[place][number])
        return answer if answer >= 0 or self.coarse is None else self.coarse.verdict(place, self.larger(place, number))

    def place(self, n: int) -> int:
        """The position of the last symbol of a string of length `n`."""
        return n + self.added - 1

    def level(self, n: int) -> list[PrefixClass]:
        """The classes of the prefixes of length `n`."""
        return self.graph.levels[self.place(n)]

    def state(self, prefixes: PrefixClass) -> Any:
        """The state of a class, without numbers of symbols."""
        state: Any = prefixes.state
        return state[0] if self.reading.way == "counts" else state

    def ends(self, n: int) -> list[tuple[int, PrefixClass]]:
        """The classes of the strings of length `n` of the language, each with its number."""
        return [(number, c) for number, c in enumerate(self.level(n)) if self.reading.ends(c.state)]

    def strings(
        self,
        n: int,
        chosen: set[Any],
        mark: Callable[[int, int, Any], Any] = lambda place, number, mark: None,
        first_mark: Any = None,
    ) -> Iterator[Word]:
        """The strings of length `n` whose class and mark (number, mark) is `chosen`, in the order of the alphabet.

        A mark is what a path through the classes has met: `mark` gives it after a class, from its position, its number
        and the mark before; `first_mark` is that before the first symbol. Without `mark` it is None.
        """
        added, alphabet = self.added, self.model.alphabet
        # Forwards, the pairs of a class and a mark that occur, and those from which each is reached.
        sources: list[dict[Any, set[Any]]] = []
        reached: set[Any] = {(0, first_mark)}
        for depth in range(n):
            pairs: dict[Any, set[Any]] = {}
            following = self.following(depth)
            for number, before in reached:
                for _, to in following[number]:
                    pairs.setdefault((to, mark(depth + added, to, before)), set()).add((number, before))
            sources.append(pairs)
            reached = set(pairs)
        # Backwards, those from which a chosen one is reached.
        needed = [reached & chosen]
        for pairs in reversed(sources):
            needed.append(set().union(*(pairs[pair] for pair in needed[-1])) if needed[-1] else set())
        needed.reverse()
        tables = [self.following(depth) for depth in range(n)]

        def after(depth: int, pair: Any, word: Word) -> Iterator[Word]:
            """The strings with this prefix, whose class and mark is `pair`."""
            if depth == n:
                yield word
                return
            for token, to in tables[depth][pair[0]]:
                ahead = to, mark(depth + added, to, pair[1])
                if ahead in needed[depth + 1]:
                    yield from after(depth + 1, ahead, (*word, alphabet[token]))

        if needed[0]:
            yield from after(0, (0, first_mark), ())

    def tallied(
        self, mark: Callable[[int, int, Any], Any], first_mark: Any = None
    ) -> Iterator[dict[Any, tuple[int, Word]]]:
        """For each length from 1 on, how many prefixes there are of each class and mark, and the smallest one; see
        `strings`."""
        alphabet = self.model.alphabet
        # Prefixes are tuples of the indices of their symbols here, which have the order of the alphabet.
        level: dict[Any, tuple[int, tuple[int, ...]]] = {(0, first_mark): (1, ())}
        for depth in range(self.longest):
            ahead: dict[Any, tuple[int, tuple[int, ...]]] = {}
            following = self.following(depth)
            for (number, before), (many, prefix) in level.items():
                for token, to in following[number]:
                    pair, smallest = (to, mark(depth + self.added, to, before)), (*prefix, token)
                    earlier = ahead.get(pair)
                    ahead[pair] = (
                        (many, smallest) if earlier is None else (many + earlier[0], min(earlier[1], smallest))
                    )
            level = ahead
            yield {pair: (many, tuple(alphabet[k] for k in prefix)) for pair, (many, prefix) in level.items()}

    def following(self, depth: int) -> dict[int, list[tuple[int, int]]]:
        """For each class of prefixes of length `depth`, the tokens that may follow, in order, and the classes after
        them. Before the first symbol there is the class 0 alone."""
        table: dict[int, list[tuple[int, int]]] = {}
        for to, prefixes in enumerate(self.level(depth + 1)):
            for number in prefixes.before if depth else (0,):
                table.setdefault(number, []).append((prefixes.token, to))
        for rows in table.values():
            rows.sort()
        size = len(self.level(depth)) if depth else 1
        return {number: table.get(number, []) for number in range(size)}

    def numbers(self, place: int) -> tuple[FloatArray, FloatArray]:
        """Midpoints and radii of the numbers that the readout compares, at a position: arrays over numbers and
        classes."""
        columns: list[Any] = list(self.result.watched.values())
        mid, rad = (np.array([getattr(column, part)[place] for column in columns]) for part in ("mid", "rad"))
        return mid, rad

    def why(self, place: int, number: int) -> str:
        """Where the hull of a class becomes wide, and what it leaves open."""
        return f"{self.named(place, number)} is open: {self.gap(place, number)}; {self.wide(place, number)}"

    def named(self, place: int, number: int) -> str:
        """A class in words: its smallest string, its length and its number of strings."""
        prefixes = self.graph.levels[place][number]
        written = brief(self.model.embedding.written(prefixes.smallest), 40) or "the empty string"
        strings = f"{prefixes.strings:,} string{'s' * (prefixes.strings != 1)}"
        return f"the class of {written} at length {place - self.added + 1} ({strings})"

    def wide(self, place: int, number: int) -> str:
        """The first block after which the hull of a class is wide, or the last one, with the width."""
        by_block = widths(self.result, place, number)
        block, width = next(((b, w) for b, w in by_block if w > WIDE), by_block[-1])
        return f"after {block} its hull is {width:.2g} times the size of the residual stream"

    def gap(self, place: int, number: int) -> str:
        """The two outputs that the hull does not order: how far their midpoints are apart, and the radius."""
        scores: Any = self.result.scores
        columns = {name: (float(c.mid[place, number]), float(c.rad[place, number])) for name, c in scores.items()}
        readout = self.model.readout
        if not all(math.isfinite(rad) for _, rad in columns.values()):
            return "its outputs have no bound"
        if len(columns) < 2:
            mid, rad = columns["logit"]
            return f"the logit differs from 0 by {abs(mid):.3g} with a radius of {rad:.3g}"
        gaps = []
        names, end = list(columns), 0
        for size in readout.groups or (len(names),):
            best, *others = sorted(names[end : end + size], key=lambda name: -columns[name][0])
            end += size
            for other in others:
                gap, width = columns[best][0] - columns[other][0], columns[best][1] + columns[other][1]
                gaps.append((gap - width, gap, width, best, other))
        _, gap, width, best, other = min(gaps)
        return f"the outputs {best} and {other} differ by {gap:.3g} with a radius of {width:.3g}"


def classes_of(model: Transformer, language: Automaton | frozenset[Word] | None, length: int) -> HullClasses | None:
    """The classes of the prefixes of a language; None where hulls are not possible, and for a list of strings."""
    if isinstance(language, frozenset):
        return None
    try:
        return HullClasses(model, reading_of(language), length)
    except NotExact:
        return None


def counts_to(coarse: HullClasses, first: int) -> HullClasses | None:
    """The classes with the numbers of symbols too, to the greatest length that is possible; None where that is below
    `first`."""
    model, reading, length = coarse.model, coarse.reading, coarse.longest
    while length >= first:
        try:
            return HullClasses(model, reading.counted(len(model.alphabet)), length, coarse)
        except NotExact:
            length = length * 3 // 4
    return None


def margins(readout: Readout, mid: FloatArray, rad: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Bounds of how far answers are from another one (`Readout.distance`), for a readout by sign or by largest scores.

    Arguments:
        mid: midpoints of the logit or of the scores: the first axis is over these, the others are kept.
        rad: their radii.

    Returns: the decision (1, 0, or -1 where it is open or where there is none), a lower and an upper bound.
    """
    with np.errstate(all="ignore"):
        if readout.signed:
            size, radius = np.abs(mid[0]), rad[0]
            sides = np.where(mid[0] > radius, 1, np.where(mid[0] <= -radius, 0, -1))
            low, high, scale = size - radius, size + radius, size + radius
        else:
            # The greatest score and the second one grow with each score, so both ends are at the ends of the scores.
            lows, highs, end = [], [], 0
            bottom, top = mid - rad, mid + rad
            for count in readout.groups or (len(mid),):
                if count > 1:
                    least, most = (np.sort(part[end : end + count], axis=0) for part in (bottom, top))
                    lows.append(least[-1] - most[-2])
                    highs.append(most[-1] - least[-2])
                end += count
            low, high = np.min(lows, axis=0), np.min(highs, axis=0)
            scale = np.max(np.abs(mid) + rad, axis=0)
            sides = np.full(low.shape, -1)
        rounding = scale * (8 * UNIT) + TINY
        low, high = low - rounding, high + rounding
    return sides, np.where(np.isfinite(low), np.maximum(low, 0.0), 0.0), np.where(np.isnan(high), np.inf, high)
