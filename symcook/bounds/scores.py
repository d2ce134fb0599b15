"""Softmax against hardmax for given scores: one rational function of x = e^-gamma for all gamma.

The distance of softmax from hardmax depends only on how far scores are below the maximum (their *deficits*), and how
often each deficit occurs. It is a quotient of sums of powers of x, in which equal deficits are counted once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from heapq import nsmallest
from math import lcm
from typing import Any

import flint

from symcook.bounds.arguments import Bound, against, count, number_tree, positive, rational_value, written
from symcook.door import check_digits, inexact
from symcook.errors import BadInput
from symcook.model.expr import Tree, names, parse_term
from symcook.model.rationals import number_of
from symcook.numbers.balls import arb_of
from symcook.recipes.arguments import split

MAX_SCORES = 1_000_000
MAX_SHOWN = 12  # terms, and scores, that are shown
MAX_UNIT_BITS = 256  # bits of the common denominator of deficits in `Deficits.grid`
DENSE = 16
"""A sum of powers is evaluated as a dense polynomial if its degree is at most this factor times the number of its
terms."""


@dataclass(frozen=True)
class Deficits:
    """Scores by their deficits: `top` scores are the maximum, and `below[d]` scores are lower by d > 0.

    With x = e^-gamma and S(x) = sum of below[d] x^d, softmax of gamma times the scores is at L1 distance 2 S/(top + S)
    from average hardmax: it gives 1/(top + S) to each maximal position and S/(top + S) to the others together.
    """

    top: int
    below: Mapping[Fraction | int, int]

    @staticmethod
    def of(scores: Sequence[Fraction | int]) -> Deficits:
        """The deficits of a score vector of length at least 1."""
        counted = Counter(scores)
        best = max(counted)
        return Deficits(counted[best], {best - s: multiplicity for s, multiplicity in counted.items() if s != best})

    @property
    def gap(self) -> Fraction | int | None:
        """The smallest deficit; None if all scores are equal."""
        return min(self.below, default=None)

    @cached_property
    def others(self) -> int:
        """The number of scores below the maximum."""
        return sum(self.below.values())

    @cached_property
    def grid(self) -> tuple[int | None, Mapping[Any, int]]:
        """(D, counts by D d), where the integer D makes all D d integers, for the deficits d.

        If D has more than MAX_UNIT_BITS bits, it is None, and the counts are by d.
        """
        if all(type(d) is int for d in self.below):
            return 1, self.below
        unit = 1
        for denominator in {d.denominator for d in self.below}:
            unit = lcm(unit, denominator)
            if unit.bit_length() > MAX_UNIT_BITS:
                return None, self.below
        return unit, {int(d * unit): multiplicity for d, multiplicity in self.below.items()}

    @cached_property
    def ends(self) -> tuple[Any, Any]:
        """The smallest and the largest number of the grid; there must be a score below the maximum."""
        places = self.grid[1]
        return min(places), max(places)

    @cached_property
    def steps(self) -> list[tuple[Any, int]]:
        """The numbers of the grid with their counts, in increasing order."""
        return sorted(self.grid[1].items())

    def mass(self, gamma: flint.arb) -> flint.arb:
        """S(e^-gamma) at flint's precision; terms below the precision are added as one ball.

        With y = e^(-gamma/D) this is a polynomial in y with the counts as coefficients. If its degree is not too large,
        it is evaluated as a polynomial, with about as many multiplications as the root of the degree.
        """
        if not self.below:
            return flint.arb(0)
        # 1. Terms after `end` are below the precision.
        unit, places = self.grid
        first, last = self.ends
        powers = _Powers(gamma, unit or 1)
        bits = flint.ctx.prec + self.others.bit_length()
        reach = (bits * flint.arb.const_log2() * (unit or 1) / gamma).abs_upper()  # y^reach is below the precision
        reach_steps = reach.ceil().unique_fmpz() if reach < arb_of(last - first) else None
        end = last if reach_steps is None else first + int(reach_steps)
        # 2. Add the terms up to `end`: as a dense polynomial in y, or term by term, each power from the one before it.
        if unit is not None and end - first <= DENSE * len(places):
            coefficients = [0] * (end - first + 1)
            for place, multiplicity in places.items():
                if place <= end:
                    coefficients[place - first] = multiplicity
            total = flint.fmpz_poly(coefficients)(powers(1)) * powers.far(first)
        else:
            total, power, before = flint.arb(0), flint.arb(1), 0
            for place, multiplicity in self.steps:
                if place > end:
                    break
                power *= powers(place - before)
                total += multiplicity * power
                before = place
        if reach_steps is None:
            return total
        # 3. The terms after `end` are at most `others` many, each at most y^end.
        beyond_end = self.others * powers.far(end)
        return total + beyond_end.union(flint.arb(0))

    def distance(self, gamma: flint.arb) -> flint.arb:
        """2 S/(top + S)."""
        mass = self.mass(gamma)
        return 2 * mass / (self.top + mass)

    def text(self) -> str:
        """The distance as text, a function of x = e^-gamma; long sums are shortened."""
        if not self.below:
            return "0"
        least = ((d, self.below[d]) for d in nsmallest(MAX_SHOWN, self.below))
        parts = [("" if c == 1 else f"{c}*") + _power(d) for d, c in least]
        if len(self.below) > MAX_SHOWN:
            parts.append(f"... ({len(self.below) - MAX_SHOWN} more terms)")
        mass = " + ".join(parts)
        return f"2*({mass})/({self.top} + {mass})"


class _Powers:
    """y^m for y = e^(-gamma/unit) and m >= 0 (mostly integers), each from the last power if it is near, else by exp."""

    def __init__(self, gamma: flint.arb, unit: int) -> None:
        self.gamma, self.unit = gamma, unit
        self.powers: dict[Fraction | int, flint.arb] = {}
        """m -> y^m."""
        self.last: Fraction | int = 0
        """The last m that was requested."""

    def far(self, m: Fraction | int) -> flint.arb:
        """y^m, computed by exp."""
        return (-self.gamma * arb_of(Fraction(m) / self.unit)).exp()

    def __call__(self, m: Fraction | int) -> flint.arb:
        """y^m; remembered. After a step of 1 or 2 from the last m it costs one multiplication."""
        last, self.last = self.last, m
        if m not in self.powers:
            step = m - last
            self.powers[m] = self.powers[last] * self(step) if last and step in (1, 2) else self.far(m)
            self.last = m
        return self.powers[m]


def _power(d: Fraction | int) -> str:
    """x^d as text."""
    return "x" if d == 1 else f"x^{written(d)}" if Fraction(d).denominator == 1 else f"x^({written(d)})"


def read_scores(scores: object, n: int | str | None = None) -> list[Fraction | int]:
    """Scores from a sequence of exact numbers, from text such as '3, 1/2, 0', or from an expression in j and n.

    An expression gives the score at j = 1..n and needs `n`. BadInput for floats, empty lists and unknown names.
    """
    # Text with a comma is a list. Other text is an expression if it has names, or if n is given; else one number.
    if isinstance(scores, str):
        parts = split(scores, ",")
        tree = _score_tree(scores) if len(parts) == 1 else None
        used = names(tree) if tree is not None else set()
        if tree is not None and (used or n is not None):
            if used - {"j", "n"}:
                raise BadInput(
                    "an expression for the scores must have no names except j (the position) and n (the length)",
                    sorted(used - {"j", "n"})[0],
                    "write the scores with only j and n",
                )
            if n is None:
                raise BadInput("an expression for the scores needs the length n", scores, "give for example --n 64")
            # An expression: compute its value at each j.
            length = count(n)
            _check_length(length)
            places = ({"j": Fraction(j), "n": Fraction(length)} for j in range(1, length + 1))
            return [_int_if_integer(rational_value(tree, "each score", place)) for place in places]
        score_list = [_int_if_integer(rational_value(number_tree(part, "each score"), "each score")) for part in parts]
    elif isinstance(scores, Iterable):
        score_list = [s if type(s) is int else _exact_score(s) for s in scores]
    else:
        raise BadInput("scores must be a list of exact numbers", scores, "give for example '3, 1, 0'")
    if not score_list:
        raise BadInput("there must be at least one score", "none", "give for example '3, 1, 0'")
    # A list: check its length, which must be n if that is given.
    _check_length(len(score_list))
    if n is not None and count(n) != len(score_list):
        raise BadInput("n must be the number of scores that are listed", n, f"leave n out, or list {n} scores")
    return score_list


def _score_tree(text: str) -> Tree:
    """The tree of a number or expression; BadInput if it cannot be parsed."""
    try:
        return parse_term(text)
    except BadInput as error:
        must = f"scores must be numbers, or an expression in j and n; {error.must}"
        raise BadInput(must, error.given, error.do) from None


def _check_length(length: int) -> None:
    """Raise BadInput if there are more than `MAX_SCORES` scores."""
    if length > MAX_SCORES:
        raise BadInput(f"there must be at most {MAX_SCORES:,} scores", length, "give a smaller --n")


def _exact_score(value: object) -> Fraction | int:
    """An exact score; BadInput for anything else."""
    if isinstance(value, str):
        return _int_if_integer(rational_value(number_tree(value, "each score"), "each score"))
    number = number_of(value)
    if number is None:
        do = inexact(value) if isinstance(value, float) else None
        raise BadInput("a score must be exact and rational", value, do or "give integers, Fractions or text")
    return _int_if_integer(number)


def _int_if_integer(value: Fraction) -> Fraction | int:
    """The same number, as int if it is an integer, which is counted and sorted ten times faster than a Fraction."""
    return value.numerator if value.denominator == 1 else value


# The value is 2 S/(k + S), where k scores are maximal and S = sum of x^d over the others, d how far they are below the
# maximum, x = e^-gamma; see `Deficits`. S is a sum of positive powers of x, so equal deficits are counted, and terms
# below the last bit are one ball: the time hardly grows with n.
def softmax_of_scores(
    scores: str | Sequence[object],
    gamma: str | int | Fraction = 1,
    n: int | str | None = None,
    digits: int | str = 30,
) -> Bound:
    """The L1 distance between softmax of gamma times given scores and their hardmax, against 2 n e^(-gamma gap).

    Hardmax gives the same weight to each maximal score. For scores with ties, and at the gap itself, the bound is that
    of Lemma 32 of yang2026 with tau = 1/gamma.

    Arguments:
        scores: list of exact numbers, or str. Rational scores, "3, 1/2, 0", or an expression such as "2*5*j - j^2" for
            j = 1..n.
        gamma: exact (1). A positive number, at most 10^30.
        n: int or None (None). How many scores there are; required if scores are an expression.
        digits: int (30). Decimal digits of both rigorous intervals.

    Returns: Bound.

    Raises: BadInput: scores, gamma, n or digits are invalid.

    Example:

    >>> softmax_of_scores("3, 1/2, 0", digits=4).holds
    True

    Source: Cookbook, Definition 5.2 and Lemma 5.3.
    """
    wanted = check_digits(digits)
    score_list = read_scores(scores, n)
    text, ball_of = positive(gamma)
    deficits = Deficits.of(score_list)
    gap, length = deficits.gap, len(score_list)

    def claimed() -> flint.arb:
        """The claimed bound; 0 if all scores are equal, since softmax is then hardmax."""
        return 2 * length * (-ball_of() * arb_of(Fraction(gap))).exp() if gap is not None else flint.arb(0)

    dots = ", ..." if length > MAX_SHOWN else ""
    listed = scores if isinstance(scores, str) else ", ".join(map(written, score_list[:MAX_SHOWN])) + dots
    return Bound(
        kind="softmax",
        parameters={"scores": listed, "n": length, "gamma": text},
        **against(lambda: deficits.distance(ball_of()), claimed, wanted, ("L1 distance", "2 n e^(-gamma gap)")),
        attained=True,
        where="by these scores",
        source="Cookbook, Lemma 5.3",
        proofs=("cookbook.s5.7.lemma5.3", "yang2026.lemma32.hard"),
        extra={
            "score gap": "none: all scores are equal" if gap is None else written(gap),
            "maximal scores": str(deficits.top),
            "for x = e^-gamma": deficits.text(),
        },
    )
