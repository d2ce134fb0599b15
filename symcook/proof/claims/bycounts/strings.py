"""A string from counts at positions: between two positions the letters stand in the order of the vocabulary."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from symcook.proof.claims.bycounts.farkas import Rules
from symcook.proof.claims.bycounts.lettered import THERE
from symcook.proof.claims.bycounts.problem import LETTERS, Problem, at
from symcook.proof.normal import ONE, Mono, nf
from symcook.proof.search.ranges import equals
from symcook.proof.terms import Term, abstract, num

LedBy = Callable[[Mapping[int, Fraction]], tuple[int, ...] | None]


def string(
    problem: Problem, rules: Rules, values: Mapping[Mono, Fraction], places: tuple[Term, ...], led: LedBy | None = None
) -> tuple[int, ...] | None:
    """The letters at all positions, by the values of what `rules` leave; None where they are those of no string.
    `led` finds a string by its counts alone, where there are automata."""
    low, high = problem.places

    def value(t: Term) -> Fraction:
        p = rules.reduce(nf(t), {})
        return sum((Fraction(c) * (1 if m == ONE else values.get(m, 0)) for m, c in p.items()), Fraction(0))

    def count(letter: int, place: Term) -> Fraction:
        bit = ("ind", None, (equals(at("w", THERE, LETTERS), num(letter)),))
        return value(("sum", None, (low, place, abstract(bit, (THERE,)))))

    if led is not None:
        return led({a: count(a, high) for a in problem.typed})
    begin, end = problem.start - 1, value(high)
    if not places and end.denominator == 1:  # no letter matters
        ends = [a for a in (problem.before, problem.after) if a is not None]
        letters = sorted(
            [*ends, *[problem.typed[0]] * (int(end - begin) - len(ends))], key=lambda a: _order(problem, a)
        )
        return tuple(letters) or None
    place_at = {value(place): place for place in [*places, high]}
    out: list[int] = []
    before = dict.fromkeys(problem.letters, Fraction(0))
    for position in sorted(place_at):
        if not begin <= position <= end or position.denominator != 1:
            return None
        here = {a: count(a, place_at[position]) for a in problem.letters}
        if position == begin:
            continue
        more = {a: here[a] - before[a] for a in problem.letters}
        if any(k < 0 or k.denominator != 1 for k in more.values()):
            return None
        added = sorted((a for a in more for _ in range(int(more[a]))), key=lambda a: _order(problem, a))
        if len(out) + len(added) != position - begin:
            return None
        out += added
        before = here
    return tuple(out) if out else None


def _order(problem: Problem, letter: int) -> tuple[int, int]:
    """The added letters at their ends, the others as in the vocabulary."""
    return (-1 if letter == problem.before else 1 if letter == problem.after else 0), letter
