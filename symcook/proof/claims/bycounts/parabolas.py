"""Scores that are a parabola of the position, as 2*q(i)*j - j^2: the position nearest to the top has the largest one.

Where a parabola opens downward, a position has a score as large as all others if neither of its neighbours has a larger
one. So that no position of a range has a better score is linear in the position and in the top.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

from symcook.proof import normal
from symcook.proof.claims.bycounts.problem import at_place
from symcook.proof.inequalities import reify
from symcook.proof.normal import Poly, nf
from symcook.proof.terms import COMPARISONS, Term, free, loose, replace, subterms


class Parabola(NamedTuple):
    """What depends on a position j in a polynomial: slope*j + square*j^2, where the square is a number other than 0."""

    slope: Poly
    square: Fraction

    @property
    def top(self) -> Poly:
        """Where it is largest or smallest."""
        return normal.scale(self.slope, Fraction(-1, 2) / self.square)

    def at(self, place: Term) -> Poly:
        """Its value at a position."""
        j = nf(place)
        return normal.add(normal.mul(self.slope, j), normal.power(j, 2), self.square)


def parabola(p: Poly, place: Term) -> Parabola | None:
    """A polynomial as a parabola of a position; None for any other polynomial."""
    ((((j, _),), _),) = nf(place)  # the atom of the position
    # By its power: what the position is multiplied by, which must not depend on it.
    parts: dict[int, Poly] = {1: {}, 2: {}}
    for (factors, e), c in p.items():
        power, other_factors = dict(factors).get(j, 0), tuple(x for x in factors if x[0] != j)
        if power > 2 or (power and e) or any(place in free(reify.atom(a)) for a, _ in other_factors):
            return None
        if power:
            parts[power][other_factors, 0] = c
    square = normal.constant(parts[2])
    return Parabola(parts[1], Fraction(square)) if square else None


class BestNear(NamedTuple):
    """A comparison score(j) op score(k): the position k, the top of the scores, and the other positions at which
    coordinates are read."""

    place: Term
    top: Term
    read: tuple[Term, ...]


def best_near(f: Term, here: Term, positional: Callable[[str], Term | None]) -> BestNear | None:
    """A comparison of the score at `here` with that at another position, for scores that are a parabola that opens
    downward; None for any other."""
    gap, read = written(("-", None, f[2][::-1]), positional)
    p = nf(gap)
    negative_score = parabola(p, here)
    if negative_score is None or negative_score.square < 0:
        return None
    # gap = score(k) - score(j), for the k that stands in it.
    for place in free(gap) - {here}:
        if place[1][1] == "Int" and p == normal.add(negative_score.at(here), negative_score.at(place), -1):
            read_places = tuple(term for term in dict.fromkeys(read) if term != here)
            return BestNear(place, reify.term(negative_score.top), read_places)
    return None


def written(t: Term, positional: Callable[[str], Term | None]) -> tuple[Term, list[Term]]:
    """A term in which coordinates that are functions of the position are replaced by these, and the positions at
    which they are read."""
    read: list[Term] = []
    while True:
        applied = [s for s in subterms(t) if s[0] == "app" and len(s[2]) == 2 and not loose(s)]
        defined = [(s, right) for s in applied if (right := positional(s[2][0][1][0])) is not None]
        if not defined:
            return t, read
        for s, right in defined:
            t = replace(t, s, at_place(right, s[2][1]))
            read.append(s[2][1])


def polynomial(t: Term) -> bool:
    """Whether a term, or a comparison of two, has names, numbers and +, -, * and powers alone."""
    allowed = ("num", "var", "+", "-", "neg", "*", "^", *COMPARISONS)
    return all(s[0] in allowed or (s[0] == "/" and s[2][1][0] == "num") for s in subterms(t))
