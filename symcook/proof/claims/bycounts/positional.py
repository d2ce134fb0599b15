"""Functions of the position alone: their sums in closed form, and the sign (-1)^i by the half of i.

A sum of i^k*r^i from the first position to p is P(p)*r^p + C for a polynomial P, by induction. Of (-1)^i it is known
that i = 2*h or i = 2*h + 1 for an integer h, so that it is a linear form in i and h.
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
MOST_SHIFT = 8
UNTIL = var("p", "Int")


class Series(NamedTuple):
    """The summand j^power*ratio^(j + shift)."""

    power: int
    ratio: Fraction
    shift: int

    def at(self, place: Term) -> Term:
        """ratio^(place + shift), as its sums are written."""
        over = reify.term(nf(("+", None, (place, num(self.shift)))))
        return ("fn", "pow", (_number(self.ratio), over))

    def polynomial(self) -> list[Fraction]:
        """The coefficients of P, with P(p) - P(p - 1)/ratio = p^power."""
        # Coefficient by coefficient from the top: P(p) - P(p - 1)/r has (1 - 1/r)*c_d plus what the higher ones give at
        # p^d. For r = 1 that vanishes, so that P has one more power.
        k, r = self.power, self.ratio
        flat = int(r == 1)
        out = [Fraction(0)] * (k + 1 + flat)
        for d in range(k, -1, -1):
            over = sum((out[e] * comb(e, d) * (-1) ** (e - d) for e in range(d + 1 + flat, len(out))), Fraction(0))
            out[d + flat] = ((d == k) + over / r) / ((d + 1) if flat else (1 - 1 / r))
        return out

    def valued(self, place: Term) -> Term:
        """P(place)."""
        x, out = nf(place), {}
        for k, c in enumerate(self.polynomial()):
            if c:
                out = normal.add(out, normal.power(x, k), c)
        return reify.term(out)

    def closed(self, low: int, high: Term) -> Term:
        """The closed form of the sum from one position to another."""
        first, start = Fraction(low) ** self.power, self.ratio ** (low + self.shift)
        constant_term = start * (first - sum((c * low**k for k, c in enumerate(self.polynomial())), Fraction(0)))
        value = self.valued(high)
        if self.ratio != 1:
            value = ("*", None, (value, self.at(high)))
        return ("+", None, (value, _number(constant_term)))


def _number(x: Fraction) -> Term:
    return num(x.numerator, x.denominator)


# --- Sums -------------------------------------------------------------------------------------------------------------


def positional_sum(case: CaseFacts, a: int) -> AtomReading:
    """The reading of a sum of functions of the position: with coordinates written out first, then in closed form."""
    low, high, body = reify.atom(a)[2]
    inner = instantiate(body, (THERE,))
    written = written_summand(case, inner)
    if written is not None:
        return _put(case, a, low, high, inner, written)
    series = _series(inner)
    if series is None:
        return OPAQUE
    # From a number on by induction; other ranges are differences.
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
    """The summand with the coordinates at j replaced that no letter decides, with `sums` also those that are known
    by cases; None where nothing is replaced, or a coordinate has no value that fits."""
    equations, root, changed = case.root.problem.equations, case.root, False
    while True:
        # What is put in may hold further coordinates. One without a value that fits in a sum makes the answer None.
        names = [name for name in root.coordinates(inner, THERE) if name not in root.values]
        if not names:
            return inner if changed else None
        for name in names:
            equation = equations.get(name)
            right = root.one_term(name, sums)
            if right is None:
                if equation is None or equation.kind != "value" or equation.truth or _sums(equation.right):
                    return None
                right = equation.right
            inner = replace(inner, at(name, THERE, VALUES), at_place(right, THERE))
            changed = True


def _put(case: CaseFacts, a: int, low: Term, high: Term, inner: Term, written: Term) -> AtomReading:
    """The reading of a sum as the sum of its written-out summand."""
    start, end = case.need(at_most(case.root.low, low)), case.need(at_most(high, case.root.high))
    if start is None or end is None:
        return WAITS
    return case.give(a, put_written(case, low, high, inner, written, start, end))


def put_written(case: CaseFacts, low: Term, high: Term, inner: Term, written: Term, start: str, end: str) -> str:
    """The label of: a sum is the sum of its written-out summand."""
    g, root = case.g, case.root

    def each(h: Goal) -> None:
        """At each position of the range the coordinates are what their lines say."""
        j, lo, hi, inside = (h.fresh(stem) for stem in ("j", "from", "to", "inside"))
        h.intro(f"{j} ({lo} {hi})")
        there = var(j, "Int")
        h.have(root.inside(there), inside, lambda k: k.easy([lo, hi, start, end], degree=1, rounds=0))
        while names := [name for name in root.coordinates(h.goal, there) if name not in root.values]:
            for name in names:
                h.use(root.share(h, _line_of(case, name)), j, f"#{inside}", label=(v := h.fresh("v")))
                h.rewrite(v)
        h.true()

    label = g.fresh("sum")
    texts = [summand(g, inner), summand(g, written), g.text(low), g.text(high)]
    g.use("lem:sum_ext", *texts, each, label=label)
    return label


def _line_of(case: CaseFacts, name: str) -> str:
    """The label of what a coordinate is at each position, as `written_summand` puts it in."""
    root, term = case.root, case.root.one_term(name, True)
    if term is None:
        return root.problem.label(root.problem.equations[name].part)
    equal: Term = equals(at(name, HERE, VALUES), term)
    return root.known(f"term.{name}", root.everywhere(equal), case.decision.everywhere)


def _series_lemma(case: CaseFacts, series: Series, inner: Term, low: Term) -> str:
    """The label of: for all p from `low` on, the sum up to p is its closed form."""
    root, first = case.root, low[1][0]
    # The name has all numbers of the series, so that it is proved once.
    label = f"series.{series.power}.{str(series.ratio).replace('/', '_').replace('-', 'm')}.{series.shift}.{first}"
    label = label.replace("-", "m")
    total: Term = ("sum", None, (low, UNTIL, abstract(inner, (THERE,))))
    body: Term = ("->", None, (at_most(low, UNTIL), equals(total, series.closed(first, UNTIL))))

    # Induction on p: S(p + 1) = S(p) + (p + 1)^k*r^(p + 1 + s), and P(p + 1) - P(p)/r = (p + 1)^k, by `polynomial`.
    def proof(g: Goal) -> None:
        """The first sum is computed; one more term is the difference of the closed forms."""
        base, step = g.induct("p", "ge", "before")
        base.true()
        step.use("ax:sum_step", f"j. {g.text(inner)}", g.text(low), "p + 1", label="step")
        rows = [["1", "step"], ["1", "before"]]
        # r^(p + 1 + s) = r*r^(p + s)
        if series.ratio != 1:
            over = reify.term(nf(("+", None, (UNTIL, num(series.shift)))))
            r = _number(series.ratio)
            step.use("ax:pow_step", step.text(r), step.text(over), label="power")
            times = normal.scale(nf(series.valued(UNTIL)), -1 / series.ratio)
            rows.append([step.text(reify.term(times)), "power"])
        step._emit({"by": "pos", "eq": rows}, True)

    return root.known(label, ("all", "Int", (abstract(body, (UNTIL,)),)), proof)


# --- Signs ------------------------------------------------------------------------------------------------------------


def sign_of(case: CaseFacts, a: int) -> AtomReading:
    """The reading of (-1)^q: a linear form in q and the half of q. (-1)^(q + 1) and (-1)^(q - 1) are replaced by
    (-1)^q."""
    g, place = case.g, reify.atom(a)[2][1]
    shift = nf(place).get(ONE, 0)
    if abs(shift) > MOST_SHIFT or shift.denominator != 1:
        return OPAQUE
    before = place if shift <= 0 else reify.term(nf(("-", None, (place, num(1)))))
    start = case.need(at_most(num(0), before))
    if start is None:
        return WAITS
    label = g.fresh("sign")
    # q = place + shift: one step down or up by the axiom of powers.
    if shift:
        g.use("ax:pow_step", "-1", g.text(before), f"#{start}", label=label)
        return case.give(a, label)
    # Without a shift: the half of q is a new integer h, and (-1)^q is linear in q and h.
    half, least, most, exists_label = (g.fresh(stem) for stem in ("h", "least", "most", "some"))
    g.use(case.root.share(g, parity(case)), g.text(place), f"#{start}", label=exists_label)
    g.obtain(exists_label, half, f"{least} {most} {label}")
    case.fact(least)
    case.fact(most)
    case.remainders.add((place, 2), half, (least, most))
    return case.give(a, label)


def parity(case: CaseFacts) -> str:
    """The label of: each p from 0 on is 2*h or 2*h + 1 for an integer h, and (-1)^p is 1 - 2*(p - 2*h)."""
    p = UNTIL
    show = "all p:Int. 0 <= p -> (ex h:Int. 0 <= p - 2*h & p - 2*h <= 1 & pow(-1, p) = 1 - 2*(p - 2*h))"

    # Induction on p: from p = 2*h to p + 1 = 2*h + 1, from p = 2*h + 1 to p + 1 = 2*(h + 1); (-1)^(p + 1) = -(-1)^p.
    def proof(g: Goal) -> None:
        """The half of p + 1 is the half of p, or one more."""
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

    return case.root.known("parity", case.g.formula(show), proof)


def _sums(t: Term) -> bool:
    """Whether a sum or a quantified formula stands in a term."""
    return any(s[0] in ("sum", "prod", "all", "ex") for s in subterms(t))


def _series(inner: Term) -> Series | None:
    """The summand as a series; None for any other summand."""
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
        over = nf(t[2][1]) if t[:2] == ("fn", "pow") else None
        base = constant(nf(t[2][0])) if over is not None else None
        if over is None or not base or k > 1 or ratio != 1:
            return None
        c = normal.add(over, nf(THERE), -1)
        moved = constant(c)
        if moved is None or moved.denominator != 1:
            return None
        ratio, shift = Fraction(base), int(moved)
    return None if power > MOST_POWER else Series(power, ratio, shift)
