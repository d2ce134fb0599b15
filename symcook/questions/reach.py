"""How far one number of a model may move from its own value before the answer to an input changes.

`exactly` goes piece by piece, if all values are rational functions of the number (`symcook.questions.line`). `enclosed`
uses rigorous intervals (`symcook.papers.chiang2022.figures` does the same for Figure 3 of chiang2022).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from flint import fmpq

from symcook.errors import Undecided
from symcook.numbers.roots import RealPlace, between
from symcook.questions.line import Landed
from symcook.words import Cover, Word

PIECES = 10_000
"""The maximum number of pieces or intervals that are tried."""

RightAt = Callable[[Fraction], bool]
"""Whether the answer at a distance is right."""
RightBetween = Callable[[Fraction, Fraction], bool]
"""Whether the answer is proved to be right at all distances from one to another."""
VerdictsAt = bool | int | None | Sequence[bool | int | None]
"""An answer to one input, as `moving.answer` returns it."""


class LeftOpen(Undecided):
    """The error that no interval from the distance `last` on is short enough for a proof of the answer."""

    def __init__(self, last: Fraction) -> None:
        self.last = last
        super().__init__(f"the answer was undecided beyond {decimal(last)}")


def decimal(value: Fraction) -> str:
    """A number of any size as text, with up to twelve digits."""
    try:
        return f"{float(value):.12g}"
    except OverflowError:
        return f"{Decimal(value.numerator) / value.denominator:.12g}"


class Reach(NamedTuple):
    """How far an answer stays the same, as distances from the number's own value. The change is exact if `last` and
    `first` are equal, and otherwise between the two."""

    last: RealPlace
    """Up to this distance the answer is the same."""
    first: RealPlace | None
    """At this distance, or arbitrarily soon after it, the answer differs; None if it does not as far as was
    searched."""
    included: bool | None = None
    """If the change is exact: whether the answer at this distance itself is still the same; None if unknown."""
    start: Fraction = Fraction(0)
    """The answer is not proved at distances below this one."""

    @property
    def exact(self) -> bool:
        """Whether the distance of the change is known exactly, or there is none."""
        return self.first is None or self.last == self.first


class Piece(NamedTuple):
    """The result of a run at one place: the answer, and places among which are the ends of the piece around it."""

    verdict: VerdictsAt
    ends: Iterable[RealPlace]


def soonest(words: Cover, reach_of: Callable[[Word, Reach | None], Reach]) -> tuple[Reach | None, Word | None]:
    """The smallest reach over all strings of a length (None if there is no string), and the first string that has it
    (None if no answer changes). `reach_of` takes a string and the smallest reach so far, and need not look beyond
    that."""
    best: Reach | None = None
    worst_word: Word | None = None
    for word, _ in words:
        reach = reach_of(word, best)
        if best is None or (reach.first is not None and (best.first is None or _sooner(reach, best))):
            best, worst_word = reach, word if reach.first is not None else None
    return best, worst_word


def _sooner(reach: Reach, best: Reach) -> bool:
    """Whether `reach` is smaller than `best`. At the same place it is smaller if it excludes the place and `best` does
    not."""
    if reach.last < best.last:
        return True
    return reach.last == best.last and reach.included is False and best.included is not False


Probe = Callable[[fmpq], Piece]
"""A run at a place inside a piece; it raises Landed if a value inside the model is zero there by chance."""
AtPlace = Callable[[RealPlace], VerdictsAt]
"""The answer at a place, rational or not."""


def exactly(probe: Probe, point: AtPlace, expected: VerdictsAt, top: RealPlace | None) -> Reach:
    """How far to the right of 0 the answer is `expected`. The search ends at `top` (None: it has no end). Undecided
    after `PIECES` pieces.

    A piece ends where some sign inside the model changes. That need not change the answer, so the answer is compared at
    the end itself (by `point`) and in the next piece (by `probe`).
    """
    start: RealPlace = Fraction(0)
    for _ in range(PIECES):
        if start == top:
            return Reach(start, None)
        piece, end = _piece(probe, start, top)
        # The answer is wrong right after `start`, although it is right at `start`.
        if piece.verdict != expected:
            return Reach(start, start, True)
        if end is None or (top is not None and top < end):
            return Reach(start, None)
        # The answer may be wrong at the end itself. Otherwise the next piece begins there.
        if point(end) != expected:
            return Reach(end, end, False)
        start = end
    raise Undecided(f"the answer has more than {PIECES:,} pieces")


def _piece(probe: Probe, start: RealPlace, top: RealPlace | None) -> tuple[Piece, RealPlace | None]:
    """The piece that begins at `start`, and its end (None: it has none)."""
    end = top
    # Each round probes between `start` and `end`. If a root lies between `start` and the probe, `end` moves to the
    # first such root.
    while True:
        place = between(start, end)
        piece = None
        while piece is None:
            try:
                piece = probe(fmpq(place.numerator, place.denominator))
            except Landed:  # the probe is a zero of some value: take another place
                place = between(start, place)
        nearest_left, right = None, None
        # The first root after `start` that is before the probe, and the first root after the probe.
        for root in piece.ends:
            if place < root:
                if right is None or root < right:
                    right = root
            elif start < root and (nearest_left is None or root < nearest_left):
                nearest_left = root
        # The piece must begin at `start`: if a root lies between, probe again to the left of the root.
        if nearest_left is None:
            return piece, right
        end = nearest_left


def enclosed(
    right_at: RightAt,
    right_between: RightBetween,
    first: Fraction,
    limit: Fraction,
    near: Fraction,
    start: Fraction = Fraction(0),
    steady: int = 0,
) -> Reach:
    """How far from 0 the answer stays right: a Reach whose `last` and `first` are at most `near` apart, or without
    `first` if the answer is right up to `limit`.

    `right_between` may also return False if it finds no proof. From `start` on, interval after interval is proved, up
    to `limit`. The first interval has the length `first`. The length is halved after a failure, and doubled after a
    success; after a failure, it is doubled after `steady` more successes. The search ends when the answer is wrong at
    most `near` further on. Raises LeftOpen if no interval is short enough, or after `PIECES` intervals.
    """
    right_at = cache(right_at)  # called for the same place again while an interval is halved
    good, step, wait = start, first, 0
    for _ in range(PIECES):
        if good >= limit:
            return Reach(good, None, start=start)
        step = min(step, limit - good)
        # The answer is proved on the next interval: continue with one that is longer, or as long.
        if right_between(good, good + step):
            good, step, wait = good + step, step if wait > 1 else 2 * step, max(wait - 1, 0)
        elif step <= near and not right_at(good + near):
            # The answer is wrong at most `near` further on: the change is enclosed.
            return Reach(good, good + near, start=start)
        elif step < near / 2**60:
            # No interval is short enough.
            break
        else:
            step, wait = step / 2, steady
    raise LeftOpen(good)
