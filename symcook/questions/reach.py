"""How far one number may go from where it stands before the answer to an input changes.

Exactly, piece by piece, where all values are rational functions of the number (`symcook.questions.line`); else by balls
over whole intervals (`symcook.papers.chiang2022.figures` does the same for Figure 3 of chiang2022).
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
"""So many pieces or intervals are tried."""

RightAt = Callable[[Fraction], bool]
"""Whether the answer at a number is right."""
RightBetween = Callable[[Fraction, Fraction], bool]
"""Whether it is shown to be right on a whole interval."""
VerdictsAt = bool | int | None | Sequence[bool | int | None]


class LeftOpen(Undecided):
    """Behind `last`, this far from the start, no interval is short enough for the answer to be shown there."""

    def __init__(self, last: Fraction) -> None:
        self.last = last
        super().__init__(f"the answer was undecided beyond {decimal(last)}")


def decimal(value: Fraction) -> str:
    """Up to twelve digits of a number of any size."""
    try:
        return f"{float(value):.12g}"
    except OverflowError:
        return f"{Decimal(value.numerator) / value.denominator:.12g}"


class Reach(NamedTuple):
    """The answer is the same from the start, which stands at 0, up to `last`; at `first` or arbitrarily near behind it
    is another (None: it never changes). Where it is known exactly both are one place, and `included` says whether the
    answer at the place itself is still the same (None: open)."""

    last: RealPlace
    first: RealPlace | None
    included: bool | None = None
    start: Fraction = Fraction(0)
    """What is nearer than this is not shown."""

    @property
    def exact(self) -> bool:
        return self.first is None or self.last == self.first


class Piece(NamedTuple):
    """A pass at one place: the answer, and the places that bound the piece around it."""

    verdict: VerdictsAt
    ends: Iterable[RealPlace]


def soonest(words: Cover, reach_of: Callable[[Word, Reach | None], Reach]) -> tuple[Reach | None, Word | None]:
    """The least reach over all words of a length (None where there is no word), and the first word that has it (None
    where no answer changes). `reach_of` is given a word and the least reach so far, beyond which nothing is asked."""
    best: Reach | None = None
    word_found: Word | None = None
    for word, _ in words:
        reach = reach_of(word, best)
        if best is None or (reach.first is not None and (best.first is None or _sooner(reach, best))):
            best, word_found = reach, word if reach.first is not None else None
    return best, word_found


def _sooner(one: Reach, other: Reach) -> bool:
    if one.last < other.last:
        return True
    return one.last == other.last and one.included is False and other.included is not False


Probe = Callable[[fmpq], Piece]
AtPlace = Callable[[RealPlace], VerdictsAt]


def exactly(probe: Probe, point: AtPlace, expected: VerdictsAt, top: RealPlace | None) -> Reach:
    """How far the answer is `expected` to the right of 0, as far as `top` and there (None: without an end).

    probe: a pass in functions at a place where no sign is 0 by chance (it raises Landed there). point: the answer at a
    place, rational or not. An end of a piece is where some sign changes inside the model, which need not change the
    answer: it is one of the answer only where the answer there, or in the piece behind it, is another.
    """
    start: RealPlace = Fraction(0)
    for _ in range(PIECES):
        if start == top:
            return Reach(start, None)
        piece, end = _piece(probe, start, top)
        if piece.verdict != expected:
            return Reach(start, start, True)
        if end is None or (top is not None and top < end):
            return Reach(start, None)
        if point(end) != expected:
            return Reach(end, end, False)
        start = end
    raise Undecided(f"the answer has more than {PIECES:,} pieces")


def _piece(probe: Probe, start: RealPlace, top: RealPlace | None) -> tuple[Piece, RealPlace | None]:
    """The piece that begins at `start`, and its end."""
    end = top
    while True:
        place = between(start, end)
        piece = None
        while piece is None:
            try:
                piece = probe(fmpq(place.numerator, place.denominator))
            except Landed:  # on a root that is not known yet
                place = between(start, place)
        nearest_left, right = None, None
        for root in piece.ends:
            if place < root:
                if right is None or root < right:
                    right = root
            elif start < root and (nearest_left is None or root < nearest_left):
                nearest_left = root
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
) -> Reach:
    """How far from 0 the answer stays right, between two rational numbers that are at most `near` apart.

    right_at: the answer at one place; right_between: whether it is right on a whole interval, False where that is not
    shown. From `start` on interval after interval is shown, as far as `limit`; they grow from `first` where that
    succeeds and are halved where it does not, until the end of one that is at most `near` long is wrong. Raises
    LeftOpen where no interval is short enough to be shown.
    """
    right_at = cache(right_at)  # asked again while an interval is halved
    good, step = start, first
    for _ in range(PIECES):
        if good >= limit:
            return Reach(good, None, start=start)
        step = min(step, limit - good)
        if right_between(good, good + step):
            good, step = good + step, 2 * step
        elif step <= near and not right_at(good + near):
            return Reach(good, good + near, start=start)
        elif step < near / 2**60:
            break
        else:
            step /= 2
    raise LeftOpen(good)
