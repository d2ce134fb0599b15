"""The kinds of terms that automata decide about: finitely valued, a position, a sum or mean, or known by its sign.

Each kind says, by sets of strings with marked positions (`tracks.TrackSet`), where a term has which value. `values`
has the arithmetic of kinds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import isqrt
from typing import NamedTuple

from symcook.proof.claims.byautomata.tracks import LAST, Tracks, TrackSet

ZERO = Fraction(0)
TESTS: Mapping[str, Callable[[Fraction, Fraction], bool]] = {
    "=": lambda a, b: a == b,
    "<=": lambda a, b: a <= b,
    "<": lambda a, b: a < b,
}
"""The truth of a comparison of two numbers, by its operator."""


class TruthSets(NamedTuple):
    """Where a formula is true, and where it is false; elsewhere it depends on positions that no string has."""

    yes: TrackSet
    no: TrackSet


class FiniteTerm(NamedTuple):
    """A term with finitely many values: the strings in which it has each value."""

    values: Mapping[Fraction, TrackSet]


class PlaceTerm(NamedTuple):
    """The term k*x + .. + number, with `sums` = {x: k} over tracks x. The tracks in `bound` are not free: the sets in
    `relations` determine where they are marked."""

    sums: Mapping[str, Fraction]
    number: Fraction
    relations: tuple[TrackSet, ...] = ()
    bound: tuple[str, ...] = ()


class TotalTerm(NamedTuple):
    """A sum: `number`, plus v for each position of the track `track` in D, for all (v, D) of `terms`. With `normed`
    it is `number` plus a mean of the v instead, with unknown positive weights; `terms` then has the positions with the
    value 0 too. The term has a value in the strings of `where`."""

    terms: tuple[tuple[Fraction, TrackSet], ...]
    track: str
    where: TrackSet
    normed: bool = False
    number: Fraction = ZERO


class SignTerm(NamedTuple):
    """A term that is known by its sign: the strings in which it is positive, negative and 0."""

    positive: TrackSet
    negative: TrackSet
    zero: TrackSet


class PlaceCases(NamedTuple):
    """A position by cases: the strings of each case, with the position in them."""

    parts: tuple[tuple[TrackSet, PlaceTerm], ...]


TermKind = FiniteTerm | PlaceTerm | TotalTerm | SignTerm | PlaceCases
"""What automata know of a term."""


def signed(op: str, sign: SignTerm, t: Tracks) -> TruthSets:
    """Where ``term op 0`` is true and false, for a term with this sign."""
    if op == "=":
        return TruthSets(sign.zero, t.either(sign.positive, sign.negative))
    if op == "<":
        return TruthSets(sign.negative, t.either(sign.positive, sign.zero))
    return TruthSets(t.either(sign.negative, sign.zero), sign.positive)


def anywhere(op: str, gap: PlaceTerm, start: int) -> bool | None:
    """True if ``gap op 0`` holds for all positions in all strings, False if it holds for none; None where strings of
    one position do not decide it."""
    length = gap.sums.get(LAST, ZERO)
    others = [k for track, k in gap.sums.items() if track != LAST]
    at_first = gap.number + start * sum(gap.sums.values(), ZERO)  # in a string of one position
    # In a string with d more positions, the last position is d further and each other position at most d. So the gap
    # grows by at most d*(length + positive factors). Where that sum is not positive, the gap is largest in a string of
    # one position; likewise for the smallest gap.
    largest = at_first if length + sum((k for k in others if k > 0), ZERO) <= 0 else None
    smallest = at_first if length + sum((k for k in others if k < 0), ZERO) >= 0 else None
    if largest is not None and op != "=" and TESTS[op](largest, ZERO):
        return True
    if smallest is not None and (smallest > 0 or (smallest == 0 and op == "<")):
        return False
    return False if op == "=" and largest is not None and largest < 0 else None


def nonempty(values: Mapping[Fraction, TrackSet]) -> dict[Fraction, TrackSet]:
    """The values whose sets are not empty."""
    return {v: d for v, d in values.items() if not d.empty}


def root(value: Fraction) -> Fraction | None:
    """The square root of a number; None where it is not rational."""
    if value < 0:
        return None
    above, below = isqrt(value.numerator), isqrt(value.denominator)
    candidate = Fraction(above, below)
    return candidate if candidate * candidate == value else None


def spelled(sums: Mapping[str, Fraction], number: Fraction = ZERO) -> str:
    """The text of a sum of positions, for an answer."""
    names = {track: "n" if track == LAST else chr(ord("i") + k) for k, track in enumerate(sums)}
    parts = [f"{'' if k == 1 else '-' if k == -1 else f'{k}*'}{names[track]}" for track, k in sums.items()]
    return " + ".join([*parts, *([str(number)] if number or not parts else [])]).replace("+ -", "- ")


SIGNS: tuple[Callable[[Fraction], bool], ...] = (lambda v: v > 0, lambda v: v < 0, lambda v: v == 0)
"""The tests of a number for the fields of `SignTerm`, in their order."""
EXACT: Mapping[str, Callable[..., Fraction]] = {
    "relu": lambda v: max(v, ZERO),
    "abs": lambda v: abs(v),
    "min": lambda u, v: min(u, v),
    "max": lambda u, v: max(u, v),
}
"""The functions that map rational numbers to rational numbers, so that they are computed value by value."""
