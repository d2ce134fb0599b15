"""The strings with the smallest decision margin, of very many, for dense models: in floats with certified errors.

`Nearest` gives for a length the strings among which one has the smallest margin, and lower bounds of the margins of the
others. Few strings are all run in certified floats. Of many, prefixes are grouped in hulls, by the states of the
language and then by the numbers of symbols (`symcook.words.hullclasses`). The strings of the classes that may have the
smallest margin are then run, if they are not too many.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from symcook.domains.batch import Listed
from symcook.domains.radii import Radii
from symcook.errors import BadInput, NotExact
from symcook.forward import forward
from symcook.words.cells import MOST
from symcook.words.hullclasses import HullClasses, classes_of, counts_to, margins

if TYPE_CHECKING:
    from symcook.domains.floatmatrices import FloatArray
    from symcook.model.transformer import Transformer
    from symcook.words import Word
    from symcook.words.inputs import Strings

WORK = 2**26
"""The greatest number of entries of the widest columns, of all strings of one length, that are run after hulls."""
FROM = 32
"""From this number of strings on, certified floats choose those that are run in balls."""
SOON = 4096
"""To this number of strings of one length, all of them are run in certified floats at once."""
RUNS = MOST
"""The greatest number of strings of one length, and of one side, that are run in certified floats."""
BEST = 32
"""The greatest number of strings of one length, and of one side, that are run in balls."""
FIRST = 32
"""How many classes give a string each for the first upper bound."""
AT_ONCE = 2**20
"""About how many numbers one run in certified floats computes, all strings together."""

Sides = tuple[bool | None, ...]
"""The decisions that a string may have: one, or both where it is open; (None,) where labels are compared."""


@dataclass
class NearStrings:
    """The strings of one length among which one has the smallest margin, and bounds of the others."""

    words: list[Word]
    others: list[tuple[Sides, Fraction]] = field(default_factory=list)
    """What the margins of further strings are at least, by their possible decisions."""
    single: int = 0
    """How many strings were run in certified floats."""
    way: str = ""
    """How prefixes were grouped, in words; empty where all strings were run."""
    stopped: str | None = None
    """Where hulls left too many strings, as a sentence."""

    @property
    def says(self) -> str:
        """How the strings were found, in words."""
        strings = f"{self.way}; {self.single:,} strings" if self.way else "all strings"
        return f"{strings} in float64 with certified errors, and the nearest ones in rigorous intervals"


@dataclass(frozen=True)
class _Bounded:
    """Margins with their bounds: of strings, or of the classes with these numbers."""

    sides: FloatArray
    low: FloatArray
    high: FloatArray

    def of(self, side: bool | None) -> FloatArray:
        """The indices of those that may have a decision."""
        return np.arange(len(self.sides)) if side is None else np.flatnonzero(self.sides != 1 - side)

    def order(self, side: bool | None) -> FloatArray:
        """The same, ascending by their lower bounds."""
        places = self.of(side)
        return places[np.argsort(self.low[places], kind="stable")]

    def both(self, coarse: _Bounded) -> _Bounded:
        """What follows from both, which bound the margins of the same strings."""
        sides = np.where(self.sides < 0, coarse.sides, self.sides)
        return _Bounded(sides, np.maximum(self.low, coarse.low), np.minimum(self.high, coarse.high))

    def upper(self, side: bool | None) -> float:
        """An upper bound of the smallest margin of a side; inf where none certainly has this side."""
        known = self.high if side is None else self.high[self.sides == side]
        return float(known.min(initial=np.inf))


class Nearest:
    """The strings with the smallest margin of a model by length; see `NearStrings`."""

    def __init__(self, model: Transformer, asked: Strings) -> None:
        self.model, self.asked = model, asked
        self.every_side: Sides = (True, False) if model.readout.signed else (None,)
        self.grouped = not model.embedding.places
        """Whether strings may have equal answers for equal counts of symbols: only without a table of positions."""

    def at(self, n: int) -> NearStrings | None:
        """The strings of length `n`, from 1 on, that may have the smallest margin, and what is known of the others;
        None where floats have no bounds, or the strings are too many and hulls are not possible."""
        many = self.asked.many(n)
        if many > SOON:
            if self.grouped and (representatives := self.covered(n)) is not None:
                return self.listed(representatives)
            near = self.by_hulls(n)
            if many > RUNS or (near is not None and near.stopped is None):
                return near
        return self.listed(list(self.asked.each(n)))

    def listed(self, words: Sequence[Word]) -> NearStrings | None:
        """The same for some strings of one length."""
        bounded = self.runs(words)
        return None if bounded is None else self.chosen(words, bounded, [])

    def covered(self, n: int) -> list[Word] | None:
        """One string of each class with equal answers; None where they are too many, as they are at greater lengths
        then."""
        try:
            words = [word for word, _ in islice(self.asked.cover(n, self.model), SOON + 1)]
        except (BadInput, NotExact):
            words = []
        self.grouped = 0 < len(words) <= SOON
        return words if self.grouped else None

    def runs(self, words: Sequence[Word]) -> _Bounded | None:
        """The margins of strings of one length, in certified floats; None where there are none."""
        if not words:
            return None
        surround, parts = self.model.embedding.surround, []
        step = max(1, AT_ONCE // (self.model.widest * max(1, len(surround(words[0])))))
        try:
            for start in range(0, len(words), step):
                block = tuple(map(surround, words[start : start + step]))
                domain: Any = Radii()
                result = forward(self.model, Listed(block), domain)
                columns: list[Any] = list(result.watched.values())
                ends = (np.array([getattr(c, part)[result.place] for c in columns]) for part in ("mid", "rad"))
                parts.append(margins(self.model.readout, *ends))
        except NotExact:
            return None
        sides, low, high = (np.concatenate(part) for part in zip(*parts, strict=True))
        return _Bounded(sides, low, high)

    def chosen(self, words: Sequence[Word], bounded: _Bounded, others: list[tuple[Sides, Fraction]]) -> NearStrings:
        """Those of some strings that may have the smallest margin of a side, in their order."""
        picked, left = set[int](), list(others)
        for side in self.every_side:
            upper = bounded.upper(side)
            order = bounded.order(side)
            best = [int(k) for k in order[:BEST] if bounded.low[k] <= upper]
            picked.update(best)
            rest = order[len(best) :]
            if len(rest):
                left.append(((side,), Fraction(float(bounded.low[rest[0]]))))
        return NearStrings([words[k] for k in sorted(picked)], left, len(words))

    @cached_property
    def coarse(self) -> HullClasses | None:
        """The classes of prefixes by states of the language; None where hulls are not possible."""
        return classes_of(self.model, self.asked.language, self.asked.lengths[-1])

    @cached_property
    def fine(self) -> HullClasses | None:
        """The classes by numbers of symbols too, as far as they are possible."""
        return None if self.coarse is None else counts_to(self.coarse, 1)

    def by_hulls(self, n: int) -> NearStrings | None:
        """The same for strings that are too many to be listed: by states and, where these do not decide, by numbers of
        symbols too."""
        if self.coarse is None:
            return None
        near = self.by_classes(self.coarse, n)
        if near is None or near.stopped is None or self.fine is None or n > self.fine.longest:
            return near
        return self.by_classes(self.fine, n)

    def by_classes(self, classes: HullClasses, n: int) -> NearStrings | None:
        """The same by some classes."""
        most = min(RUNS, WORK // (self.model.widest * n))
        level, numbers = classes.level(n), [number for number, _ in classes.ends(n)]
        bounded = _of_classes(classes, n, numbers)
        if classes.coarse is not None:
            larger = [classes.larger(classes.place(n), number) for number in numbers]
            bounded = bounded.both(_of_classes(classes.coarse, n, larger))
        # The smallest strings of the nearest classes give an upper bound.
        starts = {k for side in self.every_side for k in bounded.order(side)[:FIRST].tolist()}
        first_words = [level[numbers[k]].smallest for k in sorted(starts)]
        sample = self.runs(first_words)
        if sample is None:
            return None
        # All strings of the classes that may have the smallest margin, where these are few enough.
        picked: set[int] = set()
        others: list[tuple[Sides, Fraction]] = []
        stopped = None
        for side in self.every_side:
            upper, order = min(bounded.upper(side), sample.upper(side)), bounded.order(side).tolist()
            nearest_classes = [k for k in order if bounded.low[k] <= upper]
            if sum(level[numbers[k]].strings for k in nearest_classes) <= most:
                picked.update(nearest_classes)
                order = order[len(nearest_classes) :]
            elif stopped is None:
                k = order[0]
                stopped = self.sentence(classes, n, numbers[k], float(bounded.low[k]), upper)
            if order:
                others.append(((side,), Fraction(float(bounded.low[order[0]]))))
        words = set(first_words).union(classes.strings(n, {(numbers[k], None) for k in picked}) if picked else ())
        listed = sorted(words, key=classes.graph.rank)
        runs = self.runs(listed)
        if runs is None:
            return None
        near = self.chosen(listed, runs, others)
        how = "by states" if classes.coarse is None else "by states and numbers of symbols"
        near.stopped, near.way = stopped, f"prefixes in hulls {how}"
        return near

    def sentence(self, classes: HullClasses, n: int, number: int, low: float, upper: float) -> str:
        """Where hulls stop: the class whose strings are too many, the bound of their margins, and the smallest one
        that is known."""
        place = classes.place(n)
        nearest_known = "none is known" if math.isinf(upper) else f"the smallest known one is at most {upper:.3g}"
        bound = f"has margins of at least {low:.3g}, and {nearest_known}"
        return f"{classes.named(place, number)} {bound}; {classes.wide(place, number)}"


def _of_classes(classes: HullClasses, n: int, numbers: Sequence[int]) -> _Bounded:
    """The margins of the classes with these numbers, of strings of length `n`."""
    mid, rad = classes.numbers(classes.place(n))
    return _Bounded(*margins(classes.model.readout, mid[:, numbers], rad[:, numbers]))


def nearest_of(model: Transformer, asked: Strings) -> Nearest | None:
    """The search for a model; None where it is not dense, where its readout is no sign and no choice of labels at one
    position, and for lists of few strings."""
    readout = model.readout
    chooses = readout.signed or (
        readout.labelled and any(size > 1 for size in readout.groups or (len(readout.labels),))
    )
    return Nearest(model, asked) if model.dense and chooses and not readout.everywhere else None
