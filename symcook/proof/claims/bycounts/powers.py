"""Sums of powers of e whose exponents take two values, as in a softmax whose scores depend on a sign or a bit.

exp(t*I[F]) is 1 + I[F]*(exp(t) - 1), and exp(t*(-1)^j) is cosh(t) + (-1)^j*sinh(t), for t that does not depend on j. So
such a sum over j becomes a sum of terms that depend on letters and positions alone, with powers of e as coefficients.
A switch is such a bit I[F] or sign (-1)^j.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

from symcook.proof import normal
from symcook.proof.claims.bycounts.casefacts import OPAQUE, WAITS, AtomReading, AtomState, CaseFacts
from symcook.proof.claims.bycounts.lettered import THERE, summand
from symcook.proof.claims.bycounts.positional import UNTIL, parity
from symcook.proof.inequalities import reify
from symcook.proof.normal import Mono, Poly, constant, nf
from symcook.proof.search.ranges import at_most, equals
from symcook.proof.search.tactics import Goal
from symcook.proof.terms import Term, abstract, free, instantiate, num, replace, var

AT_MOST = 40
"""Where more powers than this are split already in one sum, no further one is. Each split adds a fact and a name to all
later cases."""


class PowerSplit(NamedTuple):
    """The equation exp(factor*switch) = value, which takes a switch out of an exponent."""

    written: Term
    """The factor as it is written in the sum."""
    factor: Term
    """The factor by counts: `written` with known values put in."""
    switch: Term
    """A bit or a sign."""
    value: Term
    """The term without a switch in an exponent that equals the power."""
    of: Poly
    """The coefficient of the power in the sum."""
    known: str | None
    """The label of the fact ``written = factor``; None if they are the same term."""


def power_sum(case: CaseFacts, a: int) -> AtomReading:
    """The reading of the atom `a`, a sum with bits or signs of the position j in exponents of e: its value is the sum
    without them."""
    low, _, body = reify.atom(a)[2]
    p, splits = nf(instantiate(body, (THERE,))), list[PowerSplit]()
    # While a monomial has an exponent that depends on j, take one bit or sign out of it.
    while (m := next((m for m in p if _depends_on_position(normal._exponents[m[1]])), None)) is not None:
        split = _split(case, m, p[m])
        if not isinstance(split, PowerSplit) or len(splits) > AT_MOST:
            return split if isinstance(split, AtomState) else OPAQUE
        splits.append(split)
        p = normal.add(normal.add(p, {m: p[m]}, -1), normal.mul(split.of, nf(split.value)))
    if not splits:
        return OPAQUE
    start = case.need(at_most(num(0), low))
    return WAITS if start is None else _put_powers(case, a, splits, reify.term(p), start)


def _split(case: CaseFacts, m: Mono, c: Fraction | int) -> PowerSplit | AtomState:
    """The equation that takes one bit or sign out of the exponent of the monomial `m`, with the coefficient `c`.
    `OPAQUE` if that is not possible, `WAITS` if a decision is needed first."""
    exponent, switch = normal._exponents[m[1]], None
    factor, other_terms = Poly(), Poly()
    # exponent = factor*switch + other_terms, where the switch is one atom that depends on j
    for inner, k in exponent.items():
        about_j = [x for x in inner[0] if THERE in free(reify.atom(x[0]))]
        if not about_j:
            other_terms[inner] = k
        elif len(about_j) > 1 or about_j[0][1] > 1 or inner[1]:
            return OPAQUE
        elif switch in (None, about_j[0][0]):
            switch = about_j[0][0]
            factor[tuple(x for x in inner[0] if x not in about_j), 0] = k
        else:
            other_terms[inner] = k
    if switch is None or (value := _power_of_switch(reify.atom(switch))) is None:
        return OPAQUE
    # Known values are put into the factor; if that changes it, a fact says that both are equal.
    t, multipliers = case.settled(factor)
    if any(case.waits(x) for inner, _ in t for x, _ in inner):
        return WAITS
    written, known = reify.term(factor), None
    if multipliers:
        known = case.stated(equals(written, reify.term(t)), case.rows_of(multipliers))
    of = normal.mul({(m[0], 0): c}, nf(("fn", "exp", (reify.term(other_terms),))))
    return PowerSplit(written, reify.term(t), reify.atom(switch), value(reify.term(t)), of, known)


def _put_powers(case: CaseFacts, a: int, splits: list[PowerSplit], written: Term, start: str) -> AtomReading:
    """The reading of the sum `a` once all its powers are split: its value is the sum of `written`. `start` is the label
    of the fact that the sum begins at 0 or later."""
    # Both summands are equal at each j, as exp(t*s(j)) is linear in the bit or sign s(j).
    g, (low, high, body) = case.g, reify.atom(a)[2]
    inner = instantiate(body, (THERE,))
    # The lemma must be proved before the branch that uses it.
    if any(split.switch[0] == "fn" for split in splits):
        _alternating(case)

    def summands_equal(h: Goal) -> None:
        """At one position, each power equals the value that replaces it."""
        j, lo, hi = (h.fresh(stem) for stem in ("j", "from", "to"))
        h.intro(f"{j} ({lo} {hi})")
        rows = []
        for split in splits:
            at_j = [_at_position(x, j) for x in split[:4]]
            equal: Term = equals(("fn", "exp", (("*", None, (at_j[0], at_j[2])),)), at_j[3])
            h.have(
                equal, (label := h.fresh("power")), lambda k, s=split, x=at_j: _close_power(case, k, s, x, [lo, start])
            )
            rows.append([h.text(_at_position(reify.term(split.of), j)), label])
        h.close({"by": "pos", "eq": rows})

    label = g.fresh("powers")
    g.use("lem:sum_ext", summand(g, inner), summand(g, written), g.text(low), g.text(high), summands_equal, label=label)
    return case.give(a, label)


def _close_power(case: CaseFacts, g: Goal, split: PowerSplit, at_j: list[Term], known: list[str]) -> None:
    """Close ``exp(written*switch) = value`` at a position. `at_j` has the first four entries of `split` for this
    position; the facts `known` imply that it is at least 0."""
    # A bit is 0 or 1: exp(t*0) = 1 + 0 and exp(t*1) = 1 + (exp(t) - 1). A sign: see `_alternating`.
    if split.known is not None:
        g.rewrite(split.known)
    if at_j[2][0] == "ind":
        for h in g.ind(at_j[2][2][0], f"{g.fresh('f')} {(v := g.fresh('v'))}"):
            h.rewrite(v)
            h.true()
        return
    label, place = g.fresh("sign"), g.text(at_j[2][2][1])
    lemma = case.root.share(g, _alternating(case))
    g.use(lemma, g.text(at_j[1]), place, lambda h: h.easy(known, degree=1, rounds=0), label=label)
    g.close({"by": "pos", "eq": [["1", label]]})


def _alternating(case: CaseFacts) -> str:
    """The label of the fact: for all t and all p from 0 on, exp(t*(-1)^p) is cosh(t) + (-1)^p*sinh(t)."""
    t, sign = var("t", "Real"), ("fn", "pow", (num(-1), UNTIL))
    equal: Term = equals(("fn", "exp", (("*", None, (t, sign)),)), _power_of_sign(sign, t))
    body: Term = ("all", "Int", (abstract(("->", None, (at_most(num(0), UNTIL), equal)), (UNTIL,)),))

    # p = 2*h gives (-1)^p = 1 and (e^t + e^-t)/2 + (e^t - e^-t)/2 = e^t; p = 2*h + 1 gives -1 and e^-t.
    def by_parity(g: Goal) -> None:
        """By cases: an even p gives exp(t), an odd one exp(-t)."""
        g.intro("t p start")
        g.use(case.root.share(g, parity(case)), "p", "#start", label="halves")
        g.obtain("halves", "h", "least most sign")
        even, odd = g.em("p - 2*h <= 0", "side")
        odd.use("ax:int_lt", "0", "p - 2*h", label="one")
        for branch, known, value in ((even, ["side", "least"], "1"), (odd, ["one", "most"], "-1")):
            branch.have(f"pow(-1, p) = {value}", "is", lambda h, known=known: h.auto([*known, "sign"], degree=1))
            branch.rewrite("is")
            branch.true()

    parity(case)
    return case.root.known("alternating", ("all", "Real", (abstract(body, (t,)),)), by_parity)


def _at_position(t: Term, place: str) -> Term:
    """The term `t` with the variable `place` in the place of j."""
    return replace(t, THERE, var(place, "Int"))


def _depends_on_position(exponent: Poly) -> bool:
    """Whether an exponent depends on j."""
    return any(THERE in free(reify.atom(a)) for m, _ in exponent.items() for a, _ in m[0])


def _power_of_switch(switch: Term) -> Callable[[Term], Term] | None:
    """The function t -> exp(t*switch), written without an exponent that contains the switch. None if `switch` is
    neither a bit nor a sign (-1)^(j + s) with s >= 0."""
    if switch[0] == "ind":
        return lambda t: _power_of_bit(switch, t)
    if switch[:2] != ("fn", "pow") or switch[2][0] != num(-1):
        return None
    shift = constant(normal.add(nf(switch[2][1]), nf(THERE), -1))
    return (lambda t: _power_of_sign(switch, t)) if shift is not None and shift >= 0 else None


def _power_of_bit(bit: Term, t: Term) -> Term:
    """The term 1 + bit*(exp(t) - 1)."""
    return ("+", None, (num(1), ("*", None, (bit, ("-", None, (("fn", "exp", (t,)), num(1)))))))


def _power_of_sign(sign: Term, t: Term) -> Term:
    """The term (exp(t) + exp(-t))/2 + sign*(exp(t) - exp(-t))/2."""
    up, down = ("fn", "exp", (t,)), ("fn", "exp", (("neg", None, (t,)),))
    even, odd = (("/", None, ((op, None, (up, down)), num(2))) for op in "+-")
    return ("+", None, (even, ("*", None, (sign, odd))))
