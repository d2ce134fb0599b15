"""Softmax against hardmax for scores that are given: one rational function of x = e^-gamma serves every gamma."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import flint

from symcook.bounds.arguments import count, positive
from symcook.bounds.result import Bound
from symcook.errors import BadInput, Undecided
from symcook.expr import names, parse_term
from symcook.numbers.balls import arb_of, ball, check_digits, decide_sign, limit_for, refine
from symcook.rationals import rational

MAX_SCORES = 1_000_000
MAX_SHOWN = 12


@dataclass(frozen=True)
class Deficits:
    """Scores by how far they are below the maximum: `top` of them are maximal, `below[d]` are d > 0 below it.

    With x = e^-gamma and S(x) = sum of below[d] x^d, softmax of gamma times the scores is at L1 distance 2 S/(top + S)
    from average hardmax: it gives 1/(top + S) to each maximal position and S/(top + S) to the others together.
    """

    top: int
    below: Mapping[Fraction | int, int]

    @staticmethod
    def of(scores: Sequence[Fraction | int]) -> Deficits:
        """The deficits of a score vector of length at least 1."""
        found = Counter(scores)
        best = max(found)
        return Deficits(found[best], {best - s: many for s, many in found.items() if s != best})

    @cached_property
    def ordered(self) -> list[tuple[Fraction | int, int]]:
        """The deficits with their counts, the smallest first."""
        return sorted(self.below.items())

    @property
    def gap(self) -> Fraction | int | None:
        """The least deficit; None where every score is maximal."""
        return self.ordered[0][0] if self.below else None

    def mass(self, gamma: flint.arb) -> flint.arb:
        """S(e^-gamma) at flint's precision; what is too small to matter enters as one ball."""
        total, left = flint.arb(0), sum(self.below.values())
        before: Fraction | int = 0
        power = flint.arb(1)
        for deficit, many in self.ordered:
            power *= (-gamma * arb_of(Fraction(deficit - before))).exp()
            before = deficit
            if not total.is_zero() and _negligible(left * power, total):
                return total + (left * power).union(flint.arb(0))
            total += many * power
            left -= many
        return total

    def distance(self, gamma: flint.arb) -> flint.arb:
        """2 S/(top + S)."""
        mass = self.mass(gamma)
        return 2 * mass / (self.top + mass)

    def text(self) -> str:
        """The distance as a function of x = e^-gamma; long sums are cut short."""
        if not self.below:
            return "0"
        parts = [("" if c == 1 else f"{c}*") + _power(d) for d, c in self.ordered[:MAX_SHOWN]]
        if len(self.ordered) > MAX_SHOWN:
            parts.append(f"... ({len(self.ordered) - MAX_SHOWN} more terms)")
        mass = " + ".join(parts)
        return f"2*({mass})/({self.top} + {mass})"


def _negligible(rest: flint.arb, total: flint.arb) -> bool:
    """Whether `rest` is below the last bit of `total`."""
    bits = flint.ctx.prec
    return bool(rest * flint.arb(2) ** bits < total)


def _power(d: Fraction | int) -> str:
    return "x" if d == 1 else f"x^{d}" if Fraction(d).denominator == 1 else f"x^({d})"


def read_scores(scores: object, n: int | str | None = None) -> list[Fraction]:
    """Scores from a sequence of exact numbers, from text such as '3, 1/2, 0', or from an expression in j and n.

    An expression gives the score at j = 1..n and needs `n`. BadInput for floats, empty lists and unknown names.
    """
    if isinstance(scores, str):
        parts = scores.split(",")
        tree = parse_term(scores) if len(parts) == 1 else None
        used = names(tree) if tree is not None else set()
        if tree is not None and (used or n is not None):
            if used - {"j", "n"}:
                raise BadInput("scores must use no names but j and n", sorted(used - {"j", "n"})[0])
            if n is None:
                raise BadInput("an expression for the scores needs n", scores, "give for example --n 64")
            many = count(n)
            _few(many)
            return [rational(tree, {"j": Fraction(j), "n": Fraction(many)}) for j in range(1, many + 1)]
        found = [rational(parse_term(part), {}) for part in parts]
    elif isinstance(scores, Iterable):
        found = [_rational(s) for s in scores]
    else:
        raise BadInput("scores must be a list of exact numbers", scores, "give for example '3, 1, 0'")
    if not found:
        raise BadInput("there must be at least one score", "none", "give for example '3, 1, 0'")
    _few(len(found))
    if n is not None and count(n) != len(found):
        raise BadInput("n must be the number of scores that are listed", n, f"leave it out, or list {n} scores")
    return found


def _few(many: int) -> None:
    if many > MAX_SCORES:
        raise BadInput(f"there must be at most {MAX_SCORES} scores", many)


def _rational(value: object) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, (int, Fraction)):
        raise BadInput("a score must be exact", value, "give integers or Fractions")
    return Fraction(value)


def softmax_of_scores(
    scores: str | Sequence[int | Fraction],
    gamma: str | int | Fraction = 1,
    n: int | str | None = None,
    digits: int | str = 30,
) -> Bound:
    """||hardmax(s) - softmax(gamma s)||_1 for given rational scores s, and the general bound 2 n e^(-gamma gap).

    scores: numbers, text such as '3, 1, 0', or an expression in j = 1..n and n such as '2*5*j - j^2'. gamma: positive.
    Hardmax is the average over the maximal positions. The value is 2 S/(k + S), where k scores are maximal and
    S = sum of x^d over the others, d how far they are below the maximum, x = e^-gamma; see `Deficits`. Since S is a sum
    of positive powers of x, equal deficits are counted and terms below the last bit are one ball: the time hardly grows
    with n. Relative radius at most 10^-digits.

    Raises BadInput for scores, n, gamma or digits. Source: Cookbook, Definition 5.2 and Lemma 5.3.
    """
    wanted = check_digits(digits)
    given = read_scores(scores, n)
    text, ball_of = positive(gamma)
    deficits = Deficits.of(given)
    gap, many = deficits.gap, len(given)

    def claimed() -> flint.arb:
        return 2 * many * (-ball_of() * arb_of(Fraction(gap or 0))).exp() if gap is not None else flint.arb(0)

    value = refine(lambda: deficits.distance(ball_of()), wanted, relative=True, what="the distance")
    paper = refine(claimed, wanted, relative=True, what="the claimed bound")
    try:
        sign = decide_sign(
            lambda: claimed() - deficits.distance(ball_of()), "the distance <= 2 n e^-gap", limit_for(wanted)
        )
        holds = sign >= 0
    except Undecided:
        holds = None
    shown = scores if isinstance(scores, str) else ", ".join(map(str, given[:MAX_SHOWN]))
    return Bound(
        kind="softmax",
        parameters={"scores": shown, "n": many, "gamma": text},
        value=ball(value, wanted, relative=True),
        claimed=ball(paper, wanted, relative=True),
        holds=holds,
        attained=True,
        where="by these scores",
        source="Cookbook, Lemma 5.3",
        labels=("L1 distance", "2 n e^(-gamma gap)"),
        proofs=("cookbook.s5.7.lemma5.3",),
        extra={
            "score gap": "none: all scores are equal" if gap is None else str(gap),
            "maximal scores": str(deficits.top),
            "for x = e^-gamma": deficits.text(),
        },
    )
