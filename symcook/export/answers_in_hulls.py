"""Whether two dense models give the same answers to very many strings: prefixes in hulls, then single strings.

Both models are run on the same classes of prefixes (`symcook.words.hullclasses`). Where both answers to a class are
decided, they are equal or different on all of its strings. The strings of the other classes are run in floats with
certified errors, if they are not too many. Values are not compared here: the hulls of two models say nothing about
their difference.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from symcook.domains.batch import Listed
from symcook.domains.radii import Radii
from symcook.errors import NotExact
from symcook.forward import forward
from symcook.words.hullclasses import HullClasses, classes_of, counts_to

if TYPE_CHECKING:
    from collections.abc import Sequence

    from symcook.domains.floatmatrices import FloatArray
    from symcook.model.transformer import Transformer
    from symcook.words import Word
    from symcook.words.inputs import Strings

SINGLE = 20_000
"""The greatest number of strings of one length that are run one by one."""
TOGETHER = 256
"""How many strings are run together."""


@dataclass(frozen=True)
class AnswersAlike:
    """What is known of the answers of two models."""

    to: int
    """The greatest length such that the answers to all strings up to it are equal; the empty string is left out."""
    different: Word | None
    """A shortest string with different answers, among those that are known."""
    stopped: str | None
    """Where answers are open first, as a sentence; None where they are decided for all strings, or up to the length of
    `different`."""


def answers_alike(first: Transformer, second: Transformer, asked: Strings) -> AnswersAlike | None:
    """The comparison of the answers to the strings `asked`, from length 1 on; None where hulls are not possible: both
    models must be dense and causal, with a verdict or the same labels at one position, and with the same added
    tokens."""
    for model in (first, second):
        if not model.dense or model.readout.rule in (None, "zero") or model.readout.everywhere:
            return None
    # Answers are compared as numbers: 1 for accept, and for a label its number among all labels.
    verdicts = first.readout.signed and second.readout.signed
    if not verdicts and (first.readout.rule, first.readout.parts) != (second.readout.rule, second.readout.parts):
        return None
    if first.embedding.ends != second.embedding.ends:
        return None
    coarse: list[HullClasses] = []
    for model in (first, second):
        classes = classes_of(model, asked.language, asked.lengths[-1])
        if classes is None:
            return None
        coarse.append(classes)
    return _Comparison(coarse, asked).result()


class _Comparison:
    """One comparison. `pairs` has the classes of both models: by states, and by numbers of symbols too where that is
    possible."""

    def __init__(self, coarse: Sequence[HullClasses], asked: Strings) -> None:
        self.asked = asked
        self.pairs = [coarse]
        fine = [counts_to(classes, 1) for classes in coarse]
        found = [classes for classes in fine if classes is not None]
        if len(found) == len(coarse):
            self.pairs.append(found)

    def result(self) -> AnswersAlike:
        """Length after length, up to the first one with a different or an open answer."""
        alike = 0
        for n in self.asked.lengths:
            if not n:
                continue
            pair = next(pair for pair in reversed(self.pairs) if n <= min(classes.longest for classes in pair))
            different, stopped = self.at(n, pair)
            if different is not None or stopped is not None:
                return AnswersAlike(alike, different, stopped)
            alike = n
        return AnswersAlike(alike, None, None)

    def at(self, n: int, pair: Sequence[HullClasses]) -> tuple[Word | None, str | None]:
        """A string of length `n` with different answers, and where an answer is open; (None, None) where all are
        equal."""
        import numpy as np

        classes, place = pair[0], pair[0].place(n)
        unclear, apart, strings = [], [], 0
        for number, prefixes in classes.ends(n):
            strings += prefixes.strings
            answers = [of.verdict(place, number) for of in pair]
            if -1 in answers:
                unclear.append(number)
            elif answers[0] != answers[1]:
                apart.append(prefixes.smallest)
        if strings != self.asked.many(n):
            raise AssertionError(f"{strings} strings of length {n} in the classes, and there are {self.asked.many(n)}")
        left = sum(classes.level(n)[number].strings for number in unclear)
        stopped = None
        if left > SINGLE:
            which = next(of for of in pair if of.verdict(place, unclear[0]) < 0)
            stopped = f"of {which.model.name} {which.why(place, unclear[0])}"
        elif left:
            words = classes.strings(n, {(number, None) for number in unclear})
            while block := tuple(islice(words, TOGETHER)):
                answered = [_answers(of.model, block) for of in pair]
                opened = np.minimum(*answered) < 0
                apart += [block[k] for k in np.flatnonzero(~opened & (answered[0] != answered[1]))]
                if opened.any() and stopped is None:
                    word = classes.model.embedding.written(block[int(opened.argmax())])
                    stopped = f"the answers to {word} are open in certified float64"
        return min(apart, key=classes.graph.rank, default=None), stopped


def _answers(model: Transformer, words: Sequence[Word]) -> FloatArray:
    """The verdicts or labels of a model on strings of one length, -1 where one is open."""
    import numpy as np

    domain: Any = Radii()
    try:
        result = forward(model, Listed(tuple(map(model.embedding.surround, words))), domain)
    except NotExact:
        return np.full(len(words), -1)
    answers: Any = result.answers
    return np.array(answers[0])
