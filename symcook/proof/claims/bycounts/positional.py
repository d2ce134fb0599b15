"""Functions of the position alone: their sums in closed form, and the sign (-1)^i from the integer half of i.

A sum of i^k*r^i from the first position to p is P(p)*r^p + C for a polynomial P; this is proved by induction. For
(-1)^i there is an integer h with i = 2*h or i = 2*h + 1, so the sign is a linear form in i and h.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import NamedTuple

from symcook.proof import normal
from symcook.proof.claims.bycounts.casefacts import OPAQUE, WAITS, AtomReading, CaseFacts
from symcook.proof.claims.bycounts.lettercounts import difference
from symcook.proof.claims.bycounts.lettered import THERE, summand
from symcook.proof.claims.bycounts.problem import HERE, VALUES, at, at_place
from symcook.proof.inequalities import reify
from symcook.proof.normal import ONE, constant, nf
from symcook.proof.search.ranges import at_most, equals, less_than
from symcook.proof.search.tactics import Goal
from symcook.proof.terms import Term, abstract, instantiate, num, replace, subterms, var

MOST_POWER = 6
"""The greatest power of the position in a sum that gets a closed form. The proof by induction expands the power of q +
1."""
MOST_SHIFT = 8
"""The greatest s in (-1)^(q + s). The sign is that for s modulo 2, so that larger ones are only another spelling."""
UNTIL = var("p", "Int")
"""The last position of a sum, in a lemma about all p."""


class Series(NamedTuple):
    """The summand j^power*ratio^(j + shift). Its sum up to p is P(p)*ratio^(p + shift) + a constant, for a polynomial
    P."""

    power: int
    ratio: Fraction
    shift: int

    def at(self, place: Term) -> Term:
        """The term ratio^(place + shift)."""
        exponent = reify.term(nf(("+", None, (place, num(self.shift)))))
        return ("fn", "pow", (_number(self.ratio), exponent))

    def polynomial(self) -> list[Fraction]:
        """The coefficients of P from the constant on. P is determined by P(p) - P(p - 1)/ratio = p^power, up to its
        constant for ratio 1."""
        # Solve for the coefficients c_d from the highest d down. At p^d, the left side has (1 - 1/r)*c_d - `higher`/r,
        # where `higher` is the contribution of the higher coefficients to P(p - 1). For r = 1 the first part is 0, so
        # P has one more power, and the equation at p^d gives c_(d + 1).
        k, r = self.power, self.ratio
        extra = int(r == 1)
        coeffs = [Fraction(0)] * (k + 1 + extra)
        for d in range(k, -1, -1):
            higher = sum(
                (coeffs[e] * comb(e, d) * (-1) ** (e - d) for e in range(d + 1 + extra, len(coeffs))),
                Fraction(0),
            )
            coeffs[d + extra] = ((d == k) + higher / r) / ((d + 1) if extra else (1 - 1 / r))
        return coeffs

    def valued(self, place: Term) -> Term:
        """The term P(place)."""
        x, total = nf(place), {}
        for k, c in enumerate(self.polynomial()):
            if c:
                total = normal.add(total, normal.power(x, k), c)
        return reify.term(total)

    def closed(self, low: int, high: Term) -> Term:
        """The closed form of the sum from the number `low` to the position `high`."""
        # The constant makes the sum from `low` to `low` its only summand.
        first, start = Fraction(low) ** self.power, self.ratio ** (low + self.shift)
        constant_term = start * (first - sum((c * low**k for k, c in enumerate(self.polynomial())), Fraction(0)))
        value = self.valued(high)
        if self.ratio != 1:
            value = ("*", None, (value, self.at(high)))
        return ("+", None, (value, _number(constant_term)))


def _number(x: Fraction) -> Term:
    """A numeral."""
    return num(x.numerator, x.denominator)


# --- Sums -------------------------------------------------------------------------------------------------------------


def positional_sum(case: CaseFacts, a: int) -> AtomReading:
    """The reading of the atom `a`, a sum of a function of the position. If the summand has coordinates, the value is
    the sum with them written out; else it is the closed form."""
    low, high, body = reify.atom(a)[2]
    inner = instantiate(body, (THERE,))
    written = written_summand(case, inner)
    if written is not None:
        return _written_sum(case, a, low, high, inner, written)
    series = _series(inner)
    if series is None:
        return OPAQUE
    # The lemma is about sums from a number on. Any other sum, or an empty one, is read as a difference of sums.
    if low[0] != "num":
        return difference(case, a, inner, low, high)
    if case.known(less_than(high, low)) is not None:
        return difference(case, a, inner, low, high)
    start = case.need(at_most(low, high))
    if start is None:
        return WAITS
    label = case.g.fresh("series")
    case.g.use(
        case.root.share(case.g, _series_lemma(case, series, inner, low)), case.g.text(high), f"#{start}", label=label
    )
    return case.give(a, label)


def written_summand(case: CaseFacts, inner: Term, sums: bool = False) -> Term | None:
    """The summand after each coordinate at j that the letter does not determine is replaced by the right side of its
    equation, or by its cases as one term. With `sums`, these cases may contain sums. None if nothing is replaced, or if
    a coordinate cannot be replaced."""
    equations, root, changed = case.root.problem.equations, case.root, False
    while True:
        # A right side may contain further coordinates, so this is repeated.
        names = [name for name in root.coordinates(inner, THERE) if name not in root.values]
        if not names:
            return inner if changed else None
        for name in names:
            equation = equations.get(name)
            right = root.one_term(name, sums)
            if right is None:
                if equation is None or equation.kind != "value" or equation.truth or _has_binders(equation.right):
                    return None
                right = equation.right
            inner = replace(inner, at(name, THERE, VALUES), at_place(right, THERE))
            changed = True


def _written_sum(case: CaseFacts, a: int, low: Term, high: Term, inner: Term, written: Term) -> AtomReading:
    """The reading of the atom `a`, a sum of `inner`, as the sum of its summand with coordinates written out."""
    low_fact, high_fact = case.need(at_most(case.root.low, low)), case.need(at_most(high, case.root.high))
    if low_fact is None or high_fact is None:
        return WAITS
    return case.give(a, put_written(case, low, high, inner, written, low_fact, high_fact))


def put_written(case: CaseFacts, low: Term, high: Term, inner: Term, written: Term, start: str, end: str) -> str:
    """Prove that the sum of `inner` equals the sum of `written`, its form with coordinates written out; the label of
    this fact. `start` and `end` are the labels of two facts: the range starts, and it ends, in the string."""
    g, root = case.g, case.root

    def summands_equal(h: Goal) -> None:
        """At each position of the range both summands are equal: rewrite the coordinates by their equations."""
        j, lo, hi, inside = (h.fresh(stem) for stem in ("j", "from", "to", "inside"))
        h.intro(f"{j} ({lo} {hi})")
        there = var(j, "Int")
        h.have(root.inside(there), inside, lambda k: k.easy([lo, hi, start, end], degree=1, rounds=0))
        while names := [name for name in root.coordinates(h.goal, there) if name not in root.values]:
            for name in names:
                h.use(root.share(h, _equation_label(case, name)), j, f"#{inside}", label=(v := h.fresh("v")))
                h.rewrite(v)
        h.true()

    label = g.fresh("sum")
    texts = [summand(g, inner), summand(g, written), g.text(low), g.text(high)]
    g.use("lem:sum_ext", *texts, summands_equal, label=label)
    return label


def _equation_label(case: CaseFacts, name: str) -> str:
    """The label of the equation of a coordinate at each position, with the right side that `written_summand` uses."""
    root, term = case.root, case.root.one_term(name, True)
    if term is None:
        return root.problem.label(root.problem.equations[name].part)
    equal: Term = equals(at(name, HERE, VALUES), term)
    return root.known(f"term.{name}", root.everywhere(equal), case.decision.everywhere)


def _series_lemma(case: CaseFacts, series: Series, inner: Term, low: Term) -> str:
    """The label of the fact: for all p from `low` on, the sum of `inner` from `low` to p is its closed form."""
    root, first = case.root, low[1][0]
    # The label contains all numbers of the series, so each lemma is proved once.
    label = f"series.{series.power}.{str(series.ratio).replace('/', '_').replace('-', 'm')}.{series.shift}.{first}"
    label = label.replace("-", "m")
    total: Term = ("sum", None, (low, UNTIL, abstract(inner, (THERE,))))
    body: Term = ("->", None, (at_most(low, UNTIL), equals(total, series.closed(first, UNTIL))))

    # Induction on p: S(p + 1) = S(p) + (p + 1)^k*r^(p + 1 + s), and P(p + 1) - P(p)/r = (p + 1)^k, by `polynomial`.
    def by_induction(g: Goal) -> None:
        """For p = `low` by computation. In the step, the new term equals the difference of the closed forms."""
        base, step = g.induct("p", "ge", "before")
        base.true()
        step.use("ax:sum_step", f"j. {g.text(inner)}", g.text(low), "p + 1", label="step")
        rows = [["1", "step"], ["1", "before"]]
        # r^(p + 1 + s) = r*r^(p + s)
        if series.ratio != 1:
            exponent = reify.term(nf(("+", None, (UNTIL, num(series.shift)))))
            r = _number(series.ratio)
            step.use("ax:pow_step", step.text(r), step.text(exponent), label="power")
            times = normal.scale(nf(series.valued(UNTIL)), -1 / series.ratio)
            rows.append([step.text(reify.term(times)), "power"])
        step.close({"by": "pos", "eq": rows})

    return root.known(label, ("all", "Int", (abstract(body, (UNTIL,)),)), by_induction)


# --- Signs ------------------------------------------------------------------------------------------------------------


def sign_of(case: CaseFacts, a: int) -> AtomReading:
    """The reading of the atom `a`, a power of -1. (-1)^q, for a sum q without a constant, gets a linear form in q and
    its integer half as its value; (-1)^(q + s) gets the power with the exponent one nearer to q."""
    g, place = case.g, reify.atom(a)[2][1]
    shift = nf(place).get(ONE, 0)
    if abs(shift) > MOST_SHIFT or shift.denominator != 1:
        return OPAQUE
    before = place if shift <= 0 else reify.term(nf(("-", None, (place, num(1)))))
    start = case.need(at_most(num(0), before))
    if start is None:
        return WAITS
    label = g.fresh("sign")
    # place = q + shift: the axiom of powers gives one step towards q.
    if shift:
        g.use("ax:pow_step", "-1", g.text(before), f"#{start}", label=label)
        return case.give(a, label)
    # Without a shift: a new integer h with 2*h <= q <= 2*h + 1, and (-1)^q as a linear form in q and h.
    half, least, most, exists_label = (g.fresh(stem) for stem in ("h", "least", "most", "some"))
    g.use(case.root.share(g, parity(case)), g.text(place), f"#{start}", label=exists_label)
    g.obtain(exists_label, half, f"{least} {most} {label}")
    case.fact(least)
    case.fact(most)
    case.remainders.add((place, 2), half, (least, most))
    return case.give(a, label)


def parity(case: CaseFacts) -> str:
    """The label of the fact: each p from 0 on is 2*h or 2*h + 1 for an integer h, and (-1)^p is 1 - 2*(p - 2*h)."""
    p = UNTIL
    show = "all p:Int. 0 <= p -> (ex h:Int. 0 <= p - 2*h & p - 2*h <= 1 & pow(-1, p) = 1 - 2*(p - 2*h))"

    # Induction on p: from p = 2*h to p + 1 = 2*h + 1, from p = 2*h + 1 to p + 1 = 2*(h + 1); (-1)^(p + 1) = -(-1)^p.
    def by_induction(g: Goal) -> None:
        """In the step, the integer half of p + 1 is that of p for an even p, else one more."""
        base, step = g.induct(p[1][0], "ge", "before")
        base.witness("0")
        for part in base.split():
            part.true()
        step.obtain("before", "h", "least most sign")
        step.use("ax:pow_step", "-1", "p", label="power")
        even, odd = step.em("p - 2*h <= 0", "side")
        odd.use("ax:int_lt", "0", "p - 2*h", label="one")
        for side, half in ((even, "h"), (odd, "h + 1")):
            side.witness(half)
            known = [x for x in ("side", "one", "least", "most") if x in side.facts]
            for part in side.split():
                part.auto([*known, "sign", "power"], degree=1)

    return case.root.known("parity", case.g.formula(show), by_induction)


def _has_binders(t: Term) -> bool:
    """Whether a term contains a sum, a product or a quantified formula."""
    return any(s[0] in ("sum", "prod", "all", "ex") for s in subterms(t))


def _series(inner: Term) -> Series | None:
    """The summand `inner`, a term in j, as a series; None if it does not have this form."""
    p = nf(inner)
    if len(p) != 1:
        return None
    ((factors, e), c), power, ratio, shift = next(iter(p.items())), 0, Fraction(1), 0
    if e or c != 1:
        return None
    # A power of j, and at most one power with the exponent j + shift.
    for a, k in factors:
        t = reify.atom(a)
        if t == THERE:
            power = k
            continue
        exponent = nf(t[2][1]) if t[:2] == ("fn", "pow") else None
        base = constant(nf(t[2][0])) if exponent is not None else None
        if exponent is None or not base or k > 1 or ratio != 1:
            return None
        c = normal.add(exponent, nf(THERE), -1)
        constant_shift = constant(c)
        if constant_shift is None or constant_shift.denominator != 1:
            return None
        ratio, shift = Fraction(base), int(constant_shift)
    return None if power > MOST_POWER else Series(power, ratio, shift)
