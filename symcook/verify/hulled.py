"""Comparison of a model with a `Fold` on very many strings: prefixes in hulls, then one string after the other.

The classes of prefixes are the states of the specification and of the language of inputs. Where the hull of a class
leaves an answer open, the classes are divided by the numbers of symbols, at the lengths where that is possible. The
strings of the classes that are open then are run one by one, shorter strings first. Of more than `LISTED` strings in
all, at most `MOST_STRINGS` are run so.

A model with an answer at each position is right on a string if it is right on each of its prefixes; one that accepts
if all positions accept rejects a string from the first rejected prefix on. Both are read along the paths of classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

from symcook.alarm import raise_real
from symcook.door import Progress
from symcook.errors import BadInput, NotExact
from symcook.verify.answers import BLOCK, SAME, InputPart
from symcook.verify.comparison import Comparison, Ranked, Tally
from symcook.words.inputs import LISTED
from symcook.words.positions import AnswersAfter

if TYPE_CHECKING:
    from symcook.words import Word
    from symcook.words.hullclasses import HullClasses, PrefixReading
    from symcook.words.inputs import Strings
    from symcook.words.pathhulls import PrefixClass

FROM = 1024
"""From this number of strings on, hulls are tried: fewer strings take seconds one by one."""
MOST_STRINGS = 20_000
"""The greatest number of strings that are run one by one, where there are more than `LISTED` in all."""
RIGHT, OPEN, WRONG = 0, 1, 2
"""What is known of an answer. Of several answers of a string, the greatest counts."""


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
    decides = readout.rule not in (None, "zero") and not isinstance(readout, AnswersAfter)
    if not plain or not task.model.dense or not decides or isinstance(asked.language, frozenset) or asked.count < FROM:
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
        self.states: Any = task.expected.fold
        self.tally, self.one_by_one, self.right_to, self.right = Tally(), 0, 0, True
        self.first: str | None = None

    def reading(self) -> PrefixReading:
        """Prefixes by the state of the specification and that of the language."""
        from symcook.words.hullclasses import PrefixReading, reading_of

        automaton: Any = self.asked.language
        language: Any = reading_of(automaton)

        def step(state: tuple[int, Any], token: int) -> tuple[int, Any] | None:
            """The states after one more symbol."""
            to = language.step(state[1], token)
            return None if to is None else (self.states.step(state[0], self.model.alphabet[token]), to)

        start = self.states.number(self.states.fold.start), language.start
        return PrefixReading(start, step, lambda state: language.ends(state[1]))

    def result(self) -> Hulled:
        """The result for all lengths."""
        from symcook.words.hullclasses import HullClasses, counts_to

        longest, reading = self.asked.lengths[-1], self.reading()
        coarse = _Answered(self, HullClasses(self.model, reading, longest))
        fine: _Answered | None = None
        open_lengths = [n for n in self.asked.lengths if n and coarse.open(n)]
        if open_lengths:
            classes = counts_to(coarse.classes, open_lengths[0])
            fine = None if classes is None else _Answered(self, classes)
        sizes = {"states": len(self.asked.lengths) - len(open_lengths) - (0 in self.asked.lengths), "counts": 0}
        for n in self.asked.lengths:
            if n:
                found = coarse
                if fine is not None and n in open_lengths and n <= fine.classes.longest:
                    found = fine
                    sizes["counts"] += not fine.open(n)
                self.add(n, found)
                if self.progress is not None:
                    self.progress(self.tally.strings, self.asked.count)
        many = f"prefixes grouped by states of the specification decide {sizes['states']} lengths"
        counts = f", with the numbers of symbols {sizes['counts']} more" if fine is not None else ""
        single = f", {self.one_by_one:,} strings one by one" if self.one_by_one else ""
        return Hulled(self.tally, self.right_to, f"hulls in certified float64: {many}{counts}{single}", self.first)

    def add(self, n: int, found: _Answered) -> None:
        """Adds the strings of one length to the tally."""
        ends = found.ends(n)
        strings = sum(many for _, _, many, _ in ends)
        if strings != self.asked.many(n):
            raise AssertionError(f"{strings} strings of length {n} in the classes, and there are {self.asked.many(n)}")
        wrong = [(many, word) for _, status, many, word in ends if status == WRONG]
        unclear = {pair for pair, status, _, _ in ends if status == OPEN}
        free = sum(many for pair, _, many, _ in ends if found.is_free(n, pair))
        first = min((self.ranked(word) for _, word in wrong), key=lambda ranked: ranked[0], default=None)
        left = sum(many for _, status, many, _ in ends if status == OPEN)
        tally = Tally(strings - left, sum(many for many, _ in wrong), first=first, free=free, batched=False)
        if left:
            if self.first is None:
                self.first = found.why(n, unclear)
            tally += self.singles(n, found, unclear, left)
        self.tally += tally
        self.right = self.right and not tally.mismatches and not tally.open
        self.right_to = n if self.right else self.right_to

    def singles(self, n: int, found: _Answered, unclear: set[Any], left: int) -> Tally:
        """The strings of open classes, one by one; all of them are open where they are too many."""
        from symcook.domains.batch import Listed

        words = found.classes.strings(n, unclear, found.mark, found.first_mark)
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
    """The answers of a model on the classes of prefixes. A mark is what is known along a path of classes: of the answer
    at each position where these count, or whether all positions accept; without meaning where one position counts."""

    def __init__(self, hulls: _Hulls, classes: HullClasses) -> None:
        self.hulls, self.classes = hulls, classes
        self.readout = hulls.model.readout
        self.first_mark: Any = (RIGHT, True) if self.readout.each else RIGHT
        for place in range(classes.added):  # a position before the first symbol has one class
            self.first_mark = self.mark(place, 0, self.first_mark)

    @cached_property
    def tallied(self) -> list[dict[Any, tuple[int, Word]]]:
        """By length, the numbers of strings of each class and mark, and the smallest ones."""
        return list(self.classes.tallied(self.mark, self.first_mark))

    def mark(self, place: int, number: int, before: Any) -> Any:
        """The mark after one more class: for answers at each position what is known of them, and whether all of them
        are free; for one answer by all positions whether all accept."""
        if not self.readout.everywhere:
            return RIGHT
        if self.readout.each:
            prefixes = self.classes.graph.levels[place][number]
            return max(before[0], self.agreement(place, number)), before[1] and self.wanted(prefixes) is None
        verdict = self.classes.verdict(place, number)
        return max(before, RIGHT if verdict == 1 else OPEN if verdict < 0 else WRONG)

    def agreement(self, place: int, number: int) -> int:
        """Whether the answer to all prefixes of a class is that of the specification."""
        wanted = self.wanted(self.classes.graph.levels[place][number])
        if wanted is None:
            return RIGHT
        answer = self.classes.verdict(place, number)
        return OPEN if answer < 0 else RIGHT if answer == wanted else WRONG

    def wanted(self, prefixes: PrefixClass) -> Any:
        """The answer of the specification."""
        return self.hulls.states.answer(self.classes.state(prefixes)[0])

    def is_free(self, n: int, pair: Any) -> bool:
        """Whether the specification allows any answer to the strings of a class and mark."""
        number, mark = pair
        return mark[1] if self.readout.each else self.wanted(self.classes.level(n)[number]) is None

    def ends(self, n: int) -> list[tuple[Any, int, int, Word]]:
        """The strings of length `n` that are in the language: for each class and mark what is known of their answer,
        their number, and the smallest one."""
        ends = dict(self.classes.ends(n))
        pairs = [(pair, many, word) for pair, (many, word) in self.tallied[n - 1].items() if pair[0] in ends]
        return [(pair, self.status(n, pair), many, word) for pair, many, word in pairs]

    def status(self, n: int, pair: Any) -> int:
        """What is known of the answer to the strings of a class and mark."""
        number, mark = pair
        if self.readout.each:
            known: int = mark[0]
            return known
        if not self.readout.everywhere:
            return self.agreement(self.classes.place(n), number)
        wanted = self.wanted(self.classes.level(n)[number])
        return RIGHT if wanted is None else mark if wanted else WRONG - mark

    def open(self, n: int) -> bool:
        """Whether an answer to a string of this length is open."""
        return any(status == OPEN for _, status, _, _ in self.ends(n))

    def why(self, n: int, unclear: set[Any]) -> str:
        """Where the hull of a class becomes wide, and what it leaves open: that of the first open answer of the
        smallest string in `unclear`."""
        classes, added = self.classes, self.classes.added
        word = next(classes.strings(n, unclear, self.mark, self.first_mark))
        numbers, number = [0] * added, 0
        for depth, symbol in enumerate(word):
            token = self.hulls.model.alphabet.index(symbol)
            number = dict(classes.following(depth)[number])[token]
            numbers.append(number)
        open_ones: list[int] = []
        if self.readout.each:
            open_ones = [place for place, number in enumerate(numbers) if self.agreement(place, number) == OPEN]
        elif self.readout.everywhere:
            open_ones = [place for place, number in enumerate(numbers) if classes.verdict(place, number) < 0]
        place = (open_ones or [classes.place(n)])[0]
        return classes.why(place, numbers[place])
