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
    """After the distance `last` no interval is short enough for the answer to be proved on it."""

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
    """How far an answer stays the same, as distances from the start, which is 0: up to `last` it does; at `first`, or
    arbitrarily near after it, it differs (None: it never changes). An exact place has both equal, and `included` says
    whether the answer at this place is still the same (None: not known)."""

    last: RealPlace
    first: RealPlace | None
    included: bool | None = None
    start: Fraction = Fraction(0)
    """At distances below this one the answer is not proved."""

    @property
    def exact(self) -> bool:
        return self.first is None or self.last == self.first


class Piece(NamedTuple):
    """A pass at one place: the answer, and the places that bound the piece around it."""

    verdict: VerdictsAt
    ends: Iterable[RealPlace]


def soonest(words: Cover, reach_of: Callable[[Word, Reach | None], Reach]) -> tuple[Reach | None, Word | None]:
    """The least reach over all strings of a length (None where there is no string), and the first string that has it
    (None where no answer changes). `reach_of` gets a string and the least reach so far; it need not look beyond."""
    best: Reach | None = None
    worst_word: Word | None = None
    for word, _ in words:
        reach = reach_of(word, best)
        if best is None or (reach.first is not None and (best.first is None or _sooner(reach, best))):
            best, worst_word = reach, word if reach.first is not None else None
    return best, worst_word


def _sooner(reach: Reach, best: Reach) -> bool:
    """Whether a reach is shorter than the best one; at the same place it is if only it excludes the place."""
    if reach.last < best.last:
        return True
    return reach.last == best.last and reach.included is False and best.included is not False


Probe = Callable[[fmpq], Piece]
AtPlace = Callable[[RealPlace], VerdictsAt]


def exactly(probe: Probe, point: AtPlace, expected: VerdictsAt, top: RealPlace | None) -> Reach:
    """How far the answer is `expected` to the right of 0, as far as `top` and there (None: without an end).

    probe: a pass in functions at a place where no sign is 0 by chance (it raises Landed there). point: the answer at a
    place, rational or not. A piece ends where some sign inside the model changes. That need not change the answer, so
    the answer is compared at the end itself and in the next piece.
    """
    start: RealPlace = Fraction(0)
    for _ in range(PIECES):
        if start == top:
            return Reach(start, None)
        piece, end = _piece(probe, start, top)
        # Just after `start` the answer is another, although right at it.
        if piece.verdict != expected:
            return Reach(start, start, True)
        if end is None or (top is not None and top < end):
            return Reach(start, None)
        # The answer at the end itself is another; else the next piece begins there.
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
            except Landed:  # the probe is a zero of some value: take another place
                place = between(start, place)
        nearest_left, right = None, None
        # The nearest root on each side of the probe, between `start` and the end.
        for root in piece.ends:
            if place < root:
                if right is None or root < right:
                    right = root
            elif start < root and (nearest_left is None or root < nearest_left):
                nearest_left = root
        # The piece must begin at `start`: with a root between, probe again to its left.
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
    shown. From `start` on, interval after interval is proved, up to `limit`. The first one has the length `first`; the
    length is doubled after a success and halved after a failure, until the answer is wrong at a distance of at most
    `near`. Raises LeftOpen where no interval is short enough.
    """
    right_at = cache(right_at)  # asked again while an interval is halved
    good, step = start, first
    for _ in range(PIECES):
        if good >= limit:
            return Reach(good, None, start=start)
        step = min(step, limit - good)
        # The next interval is shown: go on with one twice as long.
        if right_between(good, good + step):
            good, step = good + step, 2 * step
        elif step <= near and not right_at(good + near):
            # An end at most `near` further is wrong: enclosed.
            return Reach(good, good + near, start=start)
        elif step < near / 2**60:
            # No interval is short enough.
            break
        else:
            step /= 2
    raise LeftOpen(good)
