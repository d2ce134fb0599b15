"""Comparisons of numbers without names, proved: by enclosures, by divisors, and by roots and inverses that cancel."""

from __future__ import annotations

from collections.abc import Sequence

from symcook.proof.normal import ONE, Mono, Poly, add, inverse, mul, nf, scale
from symcook.proof.ownvalues import PRECISIONS, decided
from symcook.proof.search import reify
from symcook.proof.search.tactics import Goal, Stuck
from symcook.proof.terms import COMPARISONS, FALSE, Term, conj, free, num, subterms

MOST_CANCELLED = 400


def enclosed(g: Goal, near: Sequence[str]) -> None:
    """An inequality without names that balls decide; or a contradiction from a comparison that they find false."""
    tag, _, sides = g.fact(near[0]) if near else g.goal
    if len(near) > 1 or tag not in (COMPARISONS if near else ("<=", "<")) or (near and g.goal != FALSE):
        raise Stuck("no comparison")
    gap = add(nf(sides[1]), nf(sides[0]), -1)
    if not near:
        return g._emit({"by": "pos", "sum": [{"c": "1", "of": [_positive(g, _closed(gap))]}]}, True)
    below = tag == "=" and decided(_closed(gap), PRECISIONS[-1]) > 0
    sums = [{"c": "1", "of": [_positive(g, _closed(gap if below else scale(gap, -1)))]}]
    if tag == "=":
        return g._emit({"by": "pos", "sum": sums, "eq": [["-1" if below else "1", near[0]]]}, True)
    g._emit({"by": "pos", "sum": [*sums, {"c": "1", "of": [near[0]]}]}, True)


def divided(g: Goal) -> None:
    """x*d = c where x has 1/d in it: it is c times d*(1/d) = 1."""
    if g.goal[0] != "=" or g.goal[2][0][0] != "*":
        raise Stuck("nothing is divided")
    (_, d), c = g.goal[2][0][2], nf(g.goal[2][1])
    divisor = _closed(nf(d))
    of_one = add({ONE: 1}, mul(nf(divisor), inverse(nf(divisor))), -1)
    if add(add(c, nf(g.goal[2][0]), -1), mul(c, of_one), -1):
        raise Stuck("the quotient is another")
    g._emit({"by": "pos", "eq": [[g.text(reify.term(c)), _inverse(g, divisor)]]}, True)


def cancelled(g: Goal) -> None:
    """An equation without names that sqrt(q)*sqrt(q) = q and a*(1/a) = 1 make true, monomial by monomial."""
    if g.goal[0] != "=":
        raise Stuck("no equation")
    left = add(nf(g.goal[2][1]), nf(g.goal[2][0]), -1)
    _closed(left)
    factors: dict[str, Poly] = {}
    facts: dict[Term, str] = {}
    for _ in range(MOST_CANCELLED):
        if not left:
            used = [[g.text(reify.term(p)), label] for label, p in factors.items() if p]
            return g._emit({"by": "pos", "eq": used}, True)
        found = next(((m, x, y) for m in left for x, y in [_cancelling(m)] if x is not None), None)
        if found is None:
            raise Stuck("a part does not cancel")
        m, at, rest = found
        if at not in facts:
            facts[at] = _square(g, at[2][0]) if at[0] == "fn" else _inverse(g, at[2][1])
        label = facts[at]
        gap = add(nf(g.fact(label)[2][1]), nf(g.fact(label)[2][0]), -1)
        times = scale({rest: 1}, -left[m])
        factors[label] = add(factors.get(label, {}), times)
        left = add(left, mul(times, gap), -1)
    raise Stuck("too many parts cancel")


def _cancelling(m: Mono) -> tuple[Term, Mono] | tuple[None, Mono]:
    """A root that is squared in a monomial, or the inverse of an atom that is in it too; and the rest of it."""
    powers = dict(m[0])
    for a in powers:
        at = reify.atom(a)
        if at[:2] == ("fn", "sqrt") and powers[a] > 1:
            less = {a: 2}
        elif at[0] == "/" and (b := _alone(nf(at[2][1]))) in powers:
            less = {a: 1, b: 1}
        else:
            continue
        left = {x: k - less.get(x, 0) for x, k in powers.items()}
        return at, (tuple((x, k) for x, k in sorted(left.items()) if k), m[1])
    return None, m


def _alone(p: Poly) -> int | None:
    """The atom that a polynomial is."""
    ((factors, e), c) = next(iter(p.items()))
    return factors[0][0] if len(p) == len(factors) == c == 1 and not e and factors[0][1] == 1 else None


def _positive(g: Goal, t: Term) -> str:
    """The label of ``0 < t`` by an enclosure; Stuck where there is none."""
    prec = next((prec for prec in PRECISIONS if decided(t, prec) > 0), None)
    if prec is None:
        raise Stuck("balls do not tell a number from 0")
    label = g.fresh("ball")
    g.have(("<", None, (num(0), t)), label, lambda h: h.interval([], prec))
    return label


def _inverse(g: Goal, t: Term) -> str:
    """The label of t*(1/t) = 1, for a t that balls find positive."""
    label, zero, positive = g.fresh("inv"), g.fresh("zero"), _positive(g, t)
    sums = [{"c": "1", "of": [positive]}]
    proof = [{"by": "intro", "as": [zero]}, {"by": "pos", "sum": sums, "eq": [["1", zero]]}]
    g._emit({"by": "use", "fact": "ax:inv", "with": [g.text(t), proof], "as": label})
    g._bind(label, ("=", None, (("*", None, (t, ("/", None, (num(1), t)))), num(1))))
    return label


def _square(g: Goal, t: Term) -> str:
    """The label of sqrt(t)*sqrt(t) = t, for a t that balls find positive."""
    label, positive = g.fresh("root"), _positive(g, t)
    proof = [{"by": "pos", "sum": [{"c": "1", "of": [positive]}]}]
    g._emit({"by": "use", "fact": "ax:sqrt", "with": [g.text(t), proof], "as": [f"{label}_0", f"{label}_1"]})
    at = ("fn", "sqrt", (t,))
    g._bind([f"{label}_0", f"{label}_1"], conj(("<=", None, (num(0), at)), ("=", None, (("*", None, (at, at)), t))))
    return f"{label}_1"


def _closed(p: Poly) -> Term:
    """The term of a polynomial; Stuck where it has names or I[...], which have no enclosure."""
    t = reify.term(p)
    if free(t) or any(x[0] in ("ind", "sum", "prod") for x in subterms(t)):
        raise Stuck("a comparison is not of numbers")
    return t
