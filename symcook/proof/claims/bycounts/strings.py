"""A string from the counts of its letters up to some positions.

Given are values of the counts at positions in use, as a point of the linear arithmetic has them
(`counts.CountedPoint`). Between two such positions any order of the letters has the same counts; they are put in the
order of the vocabulary. The result is a candidate: only a run says whether the claim is false on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction

from symcook.proof.claims.bycounts.farkas import Rules
from symcook.proof.claims.bycounts.lettered import THERE
from symcook.proof.claims.bycounts.problem import LETTERS, Problem, at
from symcook.proof.normal import ONE, Mono, nf
from symcook.proof.search.ranges import equals
from symcook.proof.terms import Term, abstract, num

LedBy = Callable[[Mapping[int, Fraction]], tuple[int, ...] | None]
"""A string with these counts of typed letters; None where none was found."""


def string(
    problem: Problem, rules: Rules, values: Mapping[Mono, Fraction], places: tuple[Term, ...], led: LedBy | None = None
) -> tuple[int, ...] | None:
    """The letters at all positions, by the values of what `rules` leave; None where they are those of no string.
    `led` finds a string by its counts alone, where there are automata."""
    low, high = problem.places

    def value(t: Term) -> Fraction:
        """The value of a term, by what the rules leave of it."""
        p = rules.reduce(nf(t), {})
        return sum((Fraction(c) * (1 if m == ONE else values.get(m, 0)) for m, c in p.items()), Fraction(0))

    def count(letter: int, place: Term) -> Fraction:
        """How often a letter stands up to a position."""
        bit = ("ind", None, (equals(at("w", THERE, LETTERS), num(letter)),))
        return value(("sum", None, (low, place, abstract(bit, (THERE,)))))

    # Automata find a string by the counts at its end.
    if led is not None:
        return led({a: count(a, high) for a in problem.typed})
    begin, end = problem.start - 1, value(high)
    if not places and end.denominator == 1:  # no letter matters
        ends = [a for a in (problem.before, problem.after) if a is not None]
        letters = sorted(
            [*ends, *[problem.typed[0]] * (int(end - begin) - len(ends))], key=lambda a: _order(problem, a)
        )
        return tuple(letters) or None
    # By the counts at the positions in use, each of which must be one of the string, or the one before it.
    place_at = {value(place): place for place in [*places, high]}
    if any(not begin <= position <= end or position.denominator != 1 for position in place_at):
        return None
    counted = (
        (int(position), {a: count(a, place_at[position]) for a in problem.letters})
        for position in sorted(place_at)
        if position != begin
    )
    return _between_positions(problem, begin, counted)


def _between_positions(
    problem: Problem, begin: int, counted: Iterable[tuple[int, Mapping[int, Fraction]]]
) -> tuple[int, ...] | None:
    """The string with these counts of letters up to some positions, in their order; None where there is none. What is
    counted from one position to the next stands between them, and must fill that."""
    out: list[int] = []
    before: Mapping[int, Fraction] = dict.fromkeys(problem.letters, Fraction(0))
    for position, counts in counted:
        new_counts = {a: counts[a] - before[a] for a in problem.letters}
        if any(k < 0 or k.denominator != 1 for k in new_counts.values()):
            return None
        new_letters = [a for a, k in new_counts.items() for _ in range(int(k))]
        if len(out) + len(new_letters) != position - begin:
            return None
        out += sorted(new_letters, key=lambda a: _order(problem, a))
        before = counts
    return tuple(out) or None


def _order(problem: Problem, letter: int) -> tuple[int, int]:
    """The added letters at their ends, the others as in the vocabulary."""
    if letter == problem.before:
        return -1, letter
    return int(letter == problem.after), letter
