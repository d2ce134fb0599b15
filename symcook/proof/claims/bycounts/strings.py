"""Makes a string from the counts of its letters up to some positions.

The input is the values of the counts at the positions in use, from a point of the linear arithmetic
(`counts.CountedPoint`). Between two such positions any order of the letters has the same counts; the letters are put in
the order of the vocabulary. The result is a candidate: only a run of the model shows whether the claim is false on it.
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
"""Returns a string for counts of typed letters; None if none was found."""


def string(
    problem: Problem, rules: Rules, values: Mapping[Mono, Fraction], places: tuple[Term, ...], led: LedBy | None = None
) -> tuple[int, ...] | None:
    """The letters at all positions of a string in which terms have the given values; None if no string has them, or
    only the empty one.

    `values` has the values of the monomials that remain after `rules` replace atoms by their values; `places` are the
    positions in use. With `led`, from automata, the string is found from the counts at its end alone."""
    low, high = problem.places

    def value(t: Term) -> Fraction:
        """The value of a term: the rules reduce it, then `values` has its monomials (0 if they are missing)."""
        p = rules.reduce(nf(t), {})
        return sum((Fraction(c) * (1 if m == ONE else values.get(m, 0)) for m, c in p.items()), Fraction(0))

    def count(letter: int, place: Term) -> Fraction:
        """The number of letters `letter` up to a position."""
        bit = ("ind", None, (equals(at("w", THERE, LETTERS), num(letter)),))
        return value(("sum", None, (low, place, abstract(bit, (THERE,)))))

    # With automata: only the counts at the end matter.
    if led is not None:
        return led({a: count(a, high) for a in problem.typed})
    begin, end = problem.start - 1, value(high)
    # Without positions in use: the claim is about the length alone, so any letters will do.
    if not places and end.denominator == 1:
        ends = [a for a in (problem.before, problem.after) if a is not None]
        letters = sorted(
            [*ends, *[problem.typed[0]] * (int(end - begin) - len(ends))], key=lambda a: _order(problem, a)
        )
        return tuple(letters) or None
    # Else from the counts at the positions in use: each must be a position, or the place before the first position.
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
    """The string with these counts of letters up to some positions, which are ascending; None if there is none, or if
    it is empty. The letters counted from one position to the next must fill the places between them exactly."""
    string_letters: list[int] = []
    counts_before: Mapping[int, Fraction] = dict.fromkeys(problem.letters, Fraction(0))
    for position, counts in counted:
        new_counts = {a: counts[a] - counts_before[a] for a in problem.letters}
        if any(k < 0 or k.denominator != 1 for k in new_counts.values()):
            return None
        new_letters = [a for a, k in new_counts.items() for _ in range(int(k))]
        if len(string_letters) + len(new_letters) != position - begin:
            return None
        string_letters += sorted(new_letters, key=lambda a: _order(problem, a))
        counts_before = counts
    return tuple(string_letters) or None


def _order(problem: Problem, letter: int) -> tuple[int, int]:
    """The sort key of a letter: the added letters are at their ends, the others ordered as in the vocabulary."""
    if letter == problem.before:
        return -1, letter
    return int(letter == problem.after), letter
