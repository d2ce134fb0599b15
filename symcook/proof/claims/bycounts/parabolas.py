"""Scores that are a parabola in the position j, such as 2*q(i)*j - j^2: the maximum is nearest to the top.

If a parabola opens downward, a position has a maximal score exactly if neither of its neighbours has a greater score.
So the condition that no position of a range has a greater score is linear in the position and in the top.
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
    """The part of a polynomial that depends on a position j: slope*j + square*j^2."""

    slope: Poly
    square: Fraction
    """A number other than 0."""

    @property
    def top(self) -> Poly:
        """The real number j at which the parabola is greatest or least."""
        return normal.scale(self.slope, Fraction(-1, 2) / self.square)

    def at(self, place: Term) -> Poly:
        """The value of the parabola at the position `place`."""
        j = nf(place)
        return normal.add(normal.mul(self.slope, j), normal.power(j, 2), self.square)


def parabola(p: Poly, place: Term) -> Parabola | None:
    """The part of `p` that depends on the variable `place`, as a parabola; None if it is no parabola."""
    ((((j, _),), _),) = nf(place)  # the atom of the position
    # The coefficients of the first and the second power of the position; they must not depend on the position.
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
    """A comparison of score(j) with score(k), for scores that are a parabola in the position."""

    place: Term
    """k."""
    top: Term
    """The top of the parabola."""
    read: tuple[Term, ...]
    """The positions other than j at which the comparison reads coordinates."""


def best_near(f: Term, here: Term, positional: Callable[[str], Term | None]) -> BestNear | None:
    """The comparison `f` as a comparison of the score at `here` with the score at another position, if the scores are a
    parabola that opens downward; else None. `positional` returns the right side of a coordinate's equation if the
    coordinate is a function of the position."""
    gap, read = written(("-", None, f[2][::-1]), positional)
    p = nf(gap)
    negative_score = parabola(p, here)
    if negative_score is None or negative_score.square < 0:
        return None
    # gap = score(k) - score(j): j is `here`, and k one of the other integer variables.
    for place in free(gap) - {here}:
        if place[1][1] == "Int" and p == normal.add(negative_score.at(here), negative_score.at(place), -1):
            read_places = tuple(term for term in dict.fromkeys(read) if term != here)
            return BestNear(place, reify.term(negative_score.top), read_places)
    return None


def written(t: Term, positional: Callable[[str], Term | None]) -> tuple[Term, list[Term]]:
    """The term `t` after each coordinate that is a function of the position is replaced by this function, and the
    positions at which such coordinates are read."""
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
    """Whether a term, or a comparison of terms, contains only names, numbers, +, -, *, powers, and division by a
    number."""
    allowed = ("num", "var", "+", "-", "neg", "*", "^", *COMPARISONS)
    return all(s[0] in allowed or (s[0] == "/" and s[2][1][0] == "num") for s in subterms(t))
