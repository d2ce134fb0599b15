"""Comparison of a model with a `Fold` on very many strings: prefixes in hulls, then one string after the other.

The classes of prefixes are the states of the specification and of the language of inputs. Where the hull of a class
leaves an answer open, the classes are divided by the numbers of symbols, at the lengths where that is possible. The
strings of the classes that are open then are run one by one, shorter strings first. Of more than `LISTED` strings in
all, at most `MOST_STRINGS` are run so.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from symcook.alarm import raise_real
from symcook.door import Progress
from symcook.errors import BadInput, NotExact
from symcook.model.answers import brief
from symcook.verify.answers import BLOCK, SAME, InputPart
from symcook.verify.comparison import Comparison, Ranked, Tally
from symcook.words.inputs import LISTED

if TYPE_CHECKING:
    from symcook.words import Word
    from symcook.words.inputs import Strings
    from symcook.words.pathhulls import PrefixClass, PrefixGraph

FROM = 1024
"""From this number of strings on, hulls are tried: fewer strings take seconds one by one."""
MOST_STRINGS = 20_000
"""The greatest number of strings that are run one by one, where there are more than `LISTED` in all."""
WIDE = 0.1
"""A hull is called wide from this part of the size of the residual stream on."""


@dataclass(frozen=True)
class Hulled:
    """The result of a comparison by hulls."""

    tally: Tally
    right_to: int
    """The greatest length such that the model is right on all strings up to it; 0 where it is right on no length."""
    method: str
    stopped: str | None
    """Where hulls stopped and by how much, as a sentence; None where they decided every string."""


def by_hulls(task: Comparison, asked: Strings, progress: Progress | None) -> Hulled | None:
    """The comparison on the strings `asked`, of lengths from 1 on; None where hulls are not tried: for few strings, for
    a specification without states, for a model that is not dense and causal, and in other numbers than intervals."""
    plain = task.numbers.domain == "ball" and task.within is None and task.expected.fold is not None
    readout = task.model.readout
    single = readout.rule not in (None, "zero") and not readout.everywhere
    if not plain or not task.model.dense or not single or isinstance(asked.language, frozenset) or asked.count < FROM:
        return None
    try:
        return _Hulls(task, asked, progress).result()
    except NotExact:
        return None
    except BaseException as error:
        raise_real(error)
        if isinstance(error, BadInput) and error.must == SAME:
            raise
        return None  # the specification failed: string by string, the error names its string


class _Hulls:
    """One comparison by hulls."""

    def __init__(self, task: Comparison, asked: Strings, progress: Progress | None) -> None:
        self.task, self.asked, self.progress, self.model = task, asked, progress, task.model
        self.automaton: Any = asked.language
        self.states: Any = task.expected.fold
        self.alive = None if self.automaton is None else self.automaton.alive
        self.added = len(self.model.embedding.ends[0])
        self.tally, self.one_by_one, self.right_to, self.right = Tally(), 0, 0, True
        self.first: str | None = None

    def start(self) -> tuple[int, int]:
        """The state of the empty prefix: of the specification, and of the language."""
        return self.states.number(self.states.fold.start), 0

    def step(self, state: tuple[int, int], token: int) -> tuple[int, int] | None:
        """The state after one more symbol; None where no string of the language continues so."""
        to = 0 if self.automaton is None else self.automaton.moves[state[1]][token]
        if self.alive is not None and to not in self.alive:
            return None
        return self.states.step(state[0], self.model.alphabet[token]), to

    def counted(self, state: Any, token: int) -> Any:
        """The same with the numbers of symbols."""
        to = self.step(state[0], token)
        numbers = state[1]
        return None if to is None else (to, (*numbers[:token], numbers[token] + 1, *numbers[token + 1 :]))

    def result(self) -> Hulled:
        """The result for all lengths."""
        coarse = self.answered("states", self.asked.lengths[-1])
        fine: _Answered | None = None
        open_lengths = [n for n in self.asked.lengths if n and coarse.open(n)]
        if open_lengths:
            fine = self.counts(coarse, open_lengths[0])
        sizes = {"states": len(self.asked.lengths) - len(open_lengths) - (0 in self.asked.lengths), "counts": 0}
        for n in self.asked.lengths:
            if n:
                found = coarse
                if fine is not None and n in open_lengths and n <= fine.longest:
                    found = fine
                    sizes["counts"] += not fine.open(n)
                self.add(n, found)
                if self.progress is not None:
                    self.progress(self.tally.strings, self.asked.count)
        many = f"prefixes grouped by states of the specification decide {sizes['states']} lengths"
        counts = f", with the numbers of symbols {sizes['counts']} more" if fine is not None else ""
        single = f", {self.one_by_one:,} strings one by one" if self.one_by_one else ""
        return Hulled(self.tally, self.right_to, f"hulls in certified float64: {many}{counts}{single}", self.first)

    def counts(self, coarse: _Answered, first: int) -> _Answered | None:
        """The answers by classes with the numbers of symbols, to the greatest length that is possible; None where that
        is below `first`, the first open length."""
        length = self.asked.lengths[-1]
        while length >= first:
            try:
                return self.answered("counts", length, coarse)
            except NotExact:
                length = length * 3 // 4
        return None

    def answered(self, way: str, length: int, coarse: _Answered | None = None) -> _Answered:
        """The answers of all classes up to a length."""
        from symcook.words.pathhulls import PrefixGraph, run_hulls

        start, step = self.start(), self.step
        if way == "counts":
            graph = PrefixGraph(self.model, (start, (0,) * len(self.model.alphabet)), self.counted, length)
        else:
            graph = PrefixGraph(self.model, start, step, length)
        return _Answered(self, graph, run_hulls(self.model, graph), way, coarse)

    def add(self, n: int, found: _Answered) -> None:
        """Adds the strings of one length to the tally."""
        wrong, unclear, free = [], [], 0
        for number, prefixes in found.ends(n):
            answer = found.agrees(n, number)
            if answer is None:
                unclear.append(number)
            elif answer is False:
                wrong.append(prefixes)
            free += prefixes.strings * found.is_free(prefixes)
        strings = sum(prefixes.strings for _, prefixes in found.ends(n))
        if strings != self.asked.many(n):
            raise AssertionError(f"{strings} strings of length {n} in the classes, and there are {self.asked.many(n)}")
        first = min((self.ranked(prefixes.smallest) for prefixes in wrong), key=lambda pair: pair[0], default=None)
        left = sum(found.graph.levels[n + self.added - 1][number].strings for number in unclear)
        tally = Tally(strings - left, sum(p.strings for p in wrong), first=first, free=free, batched=False)
        if left:
            if self.first is None:
                self.first = found.why(n, unclear[0])
            tally += self.singles(n, found, unclear, left)
        self.tally += tally
        self.right = self.right and not tally.mismatches and not tally.open
        self.right_to = n if self.right else self.right_to

    def singles(self, n: int, found: _Answered, unclear: list[int], left: int) -> Tally:
        """The strings of open classes, one by one; all of them are open where they are too many."""
        from symcook.domains.batch import Listed

        words = found.strings(n, unclear)
        if self.asked.count > LISTED and self.one_by_one + left > MOST_STRINGS:
            return Tally(left, open=left, first_open=self.ranked(next(words)), batched=False)
        self.one_by_one += left
        surround, tally = self.model.embedding.surround, Tally()
        while block := tuple(map(surround, islice(words, BLOCK))):
            tally += self.task.compare([InputPart(Listed(block))])
        return tally

    def ranked(self, word: Word) -> Ranked:
        """A string with its rank."""
        return self.task.rank(self.model.embedding.surround(word))


class _Answered:
    """The answers of a model on the classes of prefixes."""

    def __init__(self, hulls: _Hulls, graph: PrefixGraph, result: Any, way: str, coarse: _Answered | None) -> None:
        self.hulls, self.graph, self.result, self.way, self.coarse = hulls, graph, result, way, coarse
        self.longest = len(graph.levels) - hulls.added
        self.agreed: dict[tuple[int, int], bool | None] = {}
        self.numbers = {
            (n, prefixes.state, prefixes.token): number
            for n, level in enumerate(graph.levels[hulls.added :], 1)
            for number, prefixes in enumerate(level)
        }

    def state(self, prefixes: PrefixClass) -> Any:
        """The state of the specification and of the language."""
        state: Any = prefixes.state
        return state[0] if self.way == "counts" else state

    def ends(self, n: int) -> list[tuple[int, PrefixClass]]:
        """The classes of the strings of length `n` that are in the language, each with its number."""
        level = self.graph.levels[n + self.hulls.added - 1]
        automaton = self.hulls.automaton
        return [
            (number, prefixes)
            for number, prefixes in enumerate(level)
            if automaton is None or automaton.answers[self.state(prefixes)[1]] is True
        ]

    def open(self, n: int) -> bool:
        """Whether the answer of a class of this length is open."""
        return any(self.agrees(n, number) is None for number, _ in self.ends(n))

    def wanted(self, prefixes: PrefixClass) -> Any:
        """The answer of the specification."""
        return self.hulls.states.answer(self.state(prefixes)[0])

    def is_free(self, prefixes: PrefixClass) -> bool:
        """Whether the specification allows any answer."""
        return self.wanted(prefixes) is None

    def agrees(self, n: int, number: int) -> bool | None:
        """Whether the model agrees with the specification on all strings of a class; None where that is open, or where
        it differs between strings. A class is judged once, although `open` and `add` both ask."""
        if (n, number) not in self.agreed:
            self.agreed[n, number] = self._judged(n, number)
        return self.agreed[n, number]

    def _judged(self, n: int, number: int) -> bool | None:
        """What `agrees` returns."""
        place = n + self.hulls.added - 1
        prefixes = self.graph.levels[place][number]
        wanted = self.wanted(prefixes)
        if wanted is None:
            return True
        answer = int(self.result.verdicts[place][number])
        if answer >= 0:
            return bool(answer == wanted)
        if self.coarse is None:
            return None
        return self.coarse.agrees(n, self.coarse.numbers[n, self.state(prefixes), prefixes.token])

    def strings(self, n: int, chosen: list[int]) -> Iterator[Word]:
        """The strings of some classes of length `n`, in the order of the alphabet."""
        levels, added, alphabet = self.graph.levels, self.hulls.added, self.hulls.model.alphabet
        # Backwards, the classes from which one of the chosen ones is reached.
        needed = [set(chosen)]
        for place in range(n + added - 1, added, -1):
            needed.append({before for number in needed[-1] for before in levels[place][number].before})
        needed.reverse()

        def after(depth: int, number: int, word: Word) -> Iterator[Word]:
            """The strings with this prefix, whose class has this number."""
            if depth == n:
                yield word
                return
            following = [
                (levels[depth + added][to].token, to)
                for to in needed[depth]
                if not depth or number in levels[depth + added][to].before
            ]
            for token, to in sorted(following):
                yield from after(depth + 1, to, (*word, alphabet[token]))

        return after(0, 0, ())

    def why(self, n: int, number: int) -> str:
        """Where the hull of a class becomes wide, and what it leaves open."""
        from symcook.words.pathhulls import widths

        place = n + self.hulls.added - 1
        prefixes, model = self.graph.levels[place][number], self.hulls.model
        by_block = widths(self.result, place, number)
        block, width = next(((b, w) for b, w in by_block if w > WIDE), by_block[-1])
        written = brief(model.embedding.written(prefixes.smallest), 40)
        strings = f"{prefixes.strings:,} string{'s' * (prefixes.strings != 1)}"
        wide = f"after {block} its hull is {width:.2g} times the size of the residual stream"
        return f"the class of {written} at length {n} ({strings}) is open: {self.gap(place, number)}; {wide}"

    def gap(self, place: int, number: int) -> str:
        """The two outputs that the hull does not order: how far their midpoints are apart, and the radius."""
        scores: Any = self.result.scores
        columns = {name: (float(c.mid[place, number]), float(c.rad[place, number])) for name, c in scores.items()}
        readout = self.hulls.model.readout
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
