"""Remainders beside counts: what ``ex q. T = m*q + r`` states of a sum of integers T is decided by a quotient.

Equations between integers are solved as Euclid does: an integer with the least factor is put down to a new one, until a
factor is 1. What a remainder is of is read off what is left: where m divides each factor, it is known. Else there is a
case for each remainder of a smaller sum modulo a divisor of m, and the equation that says it is solved in turn. A
formula whose quotient is known holds where its other parts do at that quotient.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import gcd
from typing import NamedTuple

from symcook.errors import Rejected
from symcook.model.rationals import quotient
from symcook.proof import normal
from symcook.proof.claims.bycounts.casefacts import OPAQUE, WAITS, AtomReading, CaseFacts
from symcook.proof.claims.bycounts.farkas import FactRow, whole
from symcook.proof.claims.bycounts.implicit import equal_by
from symcook.proof.claims.bycounts.lettercounts import both
from symcook.proof.claims.bycounts.lettered import THERE
from symcook.proof.inequalities import reify
from symcook.proof.inequalities.linear import poly
from symcook.proof.normal import ONE, Poly, constant, fkey, freeze, nf
from symcook.proof.search.ranges import at_most, equals
from symcook.proof.search.tactics import Goal
from symcook.proof.terms import Term, abstract, flatten, instantiate, loose, negation, num, replace, subterms, var

MOST_MODULUS = 60
QUOTIENT = var("q'", "Int")


class Division(NamedTuple):
    """``ex q. T + shift = m*q & parts`` where it is `exact`, else ``ex q. 0 <= T - m*q < m & parts``; `parts` are about
    `QUOTIENT`, and `number` those of the formula that say what q is."""

    term: Term
    modulus: int
    shift: int
    exact: bool
    parts: tuple[Term, ...]
    number: tuple[int, ...]


class KnownRemainder(NamedTuple):
    """The fact `label` is ``T = m*quotient + rest``."""

    quotient: Term
    rest: int
    label: str


def division(f: Term) -> Division | None:
    """A formula about the remainder of a sum T of multiples of integers, taken apart; None for any other formula."""
    if f[0] != "ex" or f[1] != "Int" or loose(f):
        return None
    parts = flatten("&", instantiate(f[2][0], (QUOTIENT,)))
    gaps = {k: poly(part) for k, part in enumerate(parts) if part[0] in ("=", "<=", "<")}
    # What says which number q is: one equation, or the two bounds 0 <= T - m*q < m.
    ways: list[tuple[int, ...]] = [(k,) for k in gaps if parts[k][0] == "="]
    for number in [*ways, *product(gaps, gaps)]:
        # `gap` is what is left without q, and `factor` that of q; all other atoms must be integers.
        gap, (lead,) = dict(gaps[number[0]]), nf(QUOTIENT)
        factor, alone = gap.pop(lead, 0), lead[0][0][0]
        plain = all(not m[1] and all(a != alone and whole(a) for a, _ in m[0]) for m in gap)
        if not plain or any(c != int(c) for c in (factor, *gap.values())) or not 1 < abs(factor) <= MOST_MODULUS:
            continue
        modulus, exact = abs(int(factor)), len(number) == 1
        if not exact:
            # The bounds: together they leave room for m values.
            first, last = (parts[k][0] for k in number)
            width = constant(normal.add(gaps[number[0]], gaps[number[1]]))
            if factor > 0 or first != "<=" or width != modulus - (last == "<="):
                continue
        # T is written without its constant, which shifts the quotient.
        gap = normal.scale(gap, -1) if factor > 0 else gap
        shift = int(gap.pop(ONE, 0))
        others = tuple(part for k, part in enumerate(parts) if k not in number)
        if gap and (exact or not shift):
            return Division(reify.term(gap), modulus, shift, exact, others, number)
    return None


# --- Formulas ---------------------------------------------------------------------------------------------------------


def division_question(case: CaseFacts, f: Term) -> Term | None:
    """What has to be decided for a formula about a remainder; None once the formula, or its negation, is a fact."""
    at = division(f)
    if at is None or case.clash is not None or fkey(f) in case.quantified:
        return None
    # First the remainder of T itself.
    known = remainder_of(case, at.term, at.modulus)
    if not isinstance(known, KnownRemainder):
        return known
    # T = m*h + rest. So T + shift = m*q for q = h + (rest + shift)/m, and for no q where m does not divide that; the
    # two bounds have q = h.
    steps, wrong = divmod(known.rest + at.shift, at.modulus) if at.exact else (0, 0)
    here = known.quotient if not steps else ("+", None, (known.quotient, num(steps)))
    parts = [] if wrong else [instantiate(abstract(part, (QUOTIENT,)), (here,)) for part in at.parts]
    # The other parts of the formula, about this quotient, must be decided too.
    for part in parts:
        if (question := _part_question(case, part)) is not None:
            return question
    values = [case.truth(part) for part in parts]
    if None in values and False not in values:
        raise Rejected("a part of a formula about a remainder")
    # The formula, or its negation, becomes a fact; the case is closed where it supposes the opposite.
    supposed, holds, new = case.truth(f), not wrong and False not in values, case.g.fresh("rest")
    fact = f if holds else ("~", None, (f,))
    close = _holds if holds else _fails
    case.g.have(fact, new, lambda g: close(case, g, at, known, here, None if holds or wrong else values.index(False)))
    case.literals.setdefault(fkey(fact), new)
    case.quantified.add(fkey(f))
    case.renewed = True
    if supposed is not None and supposed is not holds:
        supposed_label = case.literals[fkey(f if supposed else ("~", None, (f,)))]
        case.clash = (supposed_label, new) if supposed else (new, supposed_label)
    return None


def _part_question(case: CaseFacts, part: Term) -> Term | None:
    """What has to be decided for another part of such a formula; None where the part is decided."""
    if case.follows(part) or case.truth(part) is not None:
        return None
    if (comparison := case.undecided(part)) is not None:
        return comparison
    # All comparisons are decided: what is left are formulas about remainders inside of the part.
    questions = (division_question(case, inner) for inner in subterms(part) if inner[0] == "ex")
    return next((question for question in questions if question is not None), None)


def _holds(case: CaseFacts, g: Goal, at: Division, known: KnownRemainder, here: Term, _: int | None) -> None:
    """Close the formula, with the known quotient as its witness."""
    g.witness(g.text(here))
    for k, h in enumerate(g.split() if at.parts or len(at.number) > 1 else [g]):
        if k in at.number:
            h.auto([known.label], degree=1, rounds=0)
        else:
            case.show(h, h.goal)


def _fails(case: CaseFacts, g: Goal, at: Division, remainder: KnownRemainder, here: Term, false: int | None) -> None:
    """Close the negation: no number is the quotient, or a part is false at the one that is."""
    # T = m*h + r. A quotient q of the formula with q < h, so q + 1 <= h, or h < q is too far from T; q = h is left.
    no, name, side, same = (g.fresh(stem) for stem in ("no", "q", "side", "same"))
    labels = [f"{no}_{k}" for k in range(len(at.parts) + len(at.number))]
    g.intro(no)
    g.obtain(no, name, " ".join(labels))
    known = [remainder.label, *(labels[k] for k in at.number)]
    q = var(name, "Int")

    def apart(h: Goal, smaller: Term, greater: Term) -> None:
        """Close a goal where ``smaller < greater``."""
        h.use("ax:int_lt", h.text(smaller), h.text(greater), f"#{side}", label=(step := h.fresh("step")))
        h.auto([*known, step], degree=1, rounds=0)

    # No quotient is right: q = h is excluded too, by the remainder.
    if false is None:
        under, over = g.em(at_most(q, here), side)
        under.auto([*known, side], degree=1, rounds=0)
        return apart(over, here, q)

    def equal(h: Goal) -> None:
        for k, (smaller, greater) in zip(h.antisym(), ((here, q), (q, here)), strict=True):
            k.contra(side)
            apart(k, smaller, greater)

    g.have(equals(q, here), same, equal)
    # A part is false at q = h.
    label = [label for k, label in enumerate(labels) if k not in at.number][false]
    g.rewrite(same, label, new := g.fresh("so"))
    return case.deny(g, new)


# --- Remainders -------------------------------------------------------------------------------------------------------


def remainder_of(case: CaseFacts, t: Term, modulus: int) -> KnownRemainder | Term:
    """The remainder of a sum of integers, or else what has to be decided for it."""
    p, multipliers = case.settled(nf(t))
    # An atom of the sum waits for a decision, which comes first.
    if any(case.state.get(a) == WAITS for m, _ in p for a, _ in m) and case.wanted:
        return next(iter(case.wanted.values()))
    if not integral(p):
        p, multipliers = nf(t), {}
    factors = {m: int(c) for m, c in p.items() if m != ONE}
    over = gcd(modulus, *factors.values())
    residue = int(p.get(ONE, 0)) % modulus
    # m divides each factor: the constant alone counts.
    if over == modulus:  # T = m*(p - r)/m + r
        here = reify.term(normal.scale(normal.add(p, {ONE: residue} if residue else {}, -1), Fraction(1, modulus)))
        base: Term = ("*", None, (num(modulus), here))
        f: Term = equals(t, ("+", None, (base, num(residue))) if residue else base)
        return KnownRemainder(here, residue, case.stated(f, case.rows_of(multipliers)))
    # With m' = m/gcd, the smaller sum has the factors over gcd, modulo m' and near 0: once its remainder is a fact, the
    # remainder of T is one of a sum whose factors are multiples of m.
    below = modulus // over
    smaller_factors = {m: (c // over + (below - 1) // 2) % below - (below - 1) // 2 for m, c in factors.items()}
    smaller = reify.term({m: c for m, c in smaller_factors.items() if c})
    question = _residue_question(case, smaller, below)
    return remainder_of(case, t, modulus) if question is None else question


def _residue_question(case: CaseFacts, t: Term, modulus: int) -> Term | None:
    """What to ask for the remainder of a sum: whether it is at most 0, at most 1, .. in turn. None where that is known,
    and the equation that says it is a fact."""
    quotient, (low, high) = _quotient(case, t, modulus)
    base = ("*", None, (num(modulus), quotient))
    residue = modulus - 1
    for k in range(modulus - 1):
        most: Term = at_most(t, ("+", None, (base, num(k))))
        label = case.known(most)
        if label is not None:
            high, residue = label, k
            break
        label = case.known(negation(most))
        if label is None:
            return most
        low = label
    _equal(case, t, ("+", None, (base, num(residue))), low, high)
    return None


def _text(case: CaseFacts, p: Poly, scale: Fraction | int = 1) -> str:
    return case.g.text(reify.term(normal.scale(p, scale)))


def _quotient(case: CaseFacts, t: Term, modulus: int) -> tuple[Term, tuple[str, str]]:
    """A new integer h with m*h <= T < m*h + m, and the labels of the two bounds. There is one for each sum and m."""
    key = t, modulus
    if key not in case.remainders.quotients:
        g, name = case.g, case.g.fresh("h")
        exists_label, low, high = (g.fresh(stem) for stem in ("some", "low", "high"))
        g.use("lem:remainder", str(modulus), g.text(t), Goal.true, label=exists_label)
        g.obtain(exists_label, name, f"{low} {high}")
        case.fact(low)
        case.fact(high)
        case.remainders.add(key, name, (low, high))
    return case.remainders.quotients[key]


def _equal(case: CaseFacts, t: Term, value: Term, low: str, high: str) -> None:
    """Prove T = m*h + residue from its two bounds, over the integers, and let the equation give an integer its
    value."""
    f: Term = equals(t, value)
    g, label = case.g, case.g.fresh("equal")

    def proof(h: Goal) -> None:
        used = [low, high]
        for k, (a, b) in enumerate(((("-", None, (value, num(1))), t), (t, ("+", None, (value, num(1)))))):
            if h.facts[used[k]][0] == "<":  # over the integers
                h.use("ax:int_lt", h.text(a), h.text(b), f"#{used[k]}", label=(new := h.fresh("so")))
                used[k] = new
        for part in h.antisym():
            part.auto(used, degree=1, rounds=0)

    g.have(f, label, proof)
    case.literals[fkey(f)] = label
    case.fact(label)
    solved(case, label)


# --- Quotients as sums ------------------------------------------------------------------------------------------------


def floor_sum(case: CaseFacts, a: int) -> AtomReading:
    """The reading of a sum that counts the multiples of m up to T: the quotient of T by m."""
    # I[m*j <= T] in a sum from 1 on
    low, high, body = reify.atom(a)[2]
    inner = instantiate(body, (THERE,))
    gap, (j,) = dict(poly(inner[2][0]) if inner[0] == "ind" and inner[2][0][0] == "<=" else {}), nf(THERE)
    modulus = -gap.pop(j, 0)
    alone = not any(j[0][0][0] in dict(m) for m, _ in gap)
    if low != num(1) or modulus < 2 or modulus != int(modulus) or not alone or not integral(gap):
        return OPAQUE
    t = reify.term(gap)
    # 0 <= T, and the quotient lies in the range of the sum
    least = case.need(at_most(num(0), t))
    if least is None:
        return WAITS
    here, ends = _quotient(case, t, int(modulus))
    first, last = (case.need(("<=", None, pair)) for pair in ((num(0), here), (here, high)))
    if first is None or last is None:
        return WAITS
    g, f = case.g, inner[2][0]

    def term_value(h: Goal, value: int) -> None:
        """Close I[m*j <= T] = value for a j of a range: the other value contradicts the bounds of the quotient."""
        h.intro(f"{(name := h.fresh('j'))} ({(lo := h.fresh('from'))} {(hi := h.fresh('to'))})")
        known, there = h.fresh("f"), replace(f, THERE, var(name, "Int"))
        for k, holds in zip(h.ind(there, f"{known} {(v := h.fresh('v'))}"), (True, False), strict=True):
            if holds == bool(value):
                k.hyp(v)
            else:
                k.contra(k.fresh("no"))
                k.auto([known, lo if value == 0 else hi, ends[0], ends[1]], degree=1, rounds=0)

    # sum(j, 1, n, I[m*j <= T]) = sum(j, 1, h, 1) + sum(j, h + 1, n, 0) = h, as m*h <= T < m*(h + 1).
    summand, texts = f"j. {g.text(inner)}", ["1", g.text(here), g.text(high)]
    split, ones, length, none, label = (g.fresh(stem) for stem in ("split", "ones", "many", "none", "floor"))
    g.use("lem:sum_split", summand, *texts, lambda h: both(h, first, last), label=split)
    g.use("lem:sum_ext", summand, "j. 1", "1", texts[1], lambda h: term_value(h, 1), label=ones)
    g.use("lem:sum_one", "1", texts[1], lambda h: h.auto([first], degree=1, rounds=0), label=length)
    after = g.text(("+", None, (here, num(1))))
    g.use("lem:sum_ext", summand, "j. 0", after, texts[2], lambda h: term_value(h, 0), label=none)
    equal: Term = equals(reify.atom(a), here)
    g.have(equal, label, lambda h: h.auto([split, ones, length, none], degree=1, rounds=0))
    return case.give(a, label)


# --- Equations between integers ---------------------------------------------------------------------------------------


def squeezed(case: CaseFacts, rows: Sequence[FactRow]) -> bool:
    """Whether two rows fix the value of a sum of integers, which is then put in. It is tried only with remainders."""
    # 0 <= p and 0 <= -p among the rows: p is 0.
    least = {freeze(normal._primitive(row.poly)) for row in rows if row.tag == "<=" and row.poly}
    for key in sorted(least, key=repr) if case.remainders.solving else ():
        if freeze(normal.scale(dict(key), -1)) in least:
            value = reify.term(dict(key))
            ends = [case.known(("<=", None, pair)) for pair in ((num(0), value), (value, num(0)))]
            label = case.g.fresh("equal")
            if None not in ends:
                case.g.have(equals(num(0), value), label, lambda h, ends=ends: equal_by(h, *map(str, ends)))
                case.fact(label)
                if solved(case, label):
                    return True
    return False


def solved(case: CaseFacts, label: str) -> bool:
    """Whether an equation between integers gives one of them a value."""
    while True:
        row = case.row(label)
        if row.times != {ONE: 1} or not integral(row.poly, linear=True):
            return False
        factors = {m[0][0][0]: int(c) for m, c in row.poly.items() if m != ONE}
        unknown = [a for a in factors if normal._keys[a][0] != "ind"]  # truth values are decided
        scale = Fraction(1, gcd(*factors.values()) or 1)
        least = min((abs(factors[a]) for a in unknown), default=0)
        if not least or (Fraction(row.poly.get(ONE, 0)) * scale).denominator != 1:
            return False  # no integers solve it
        unknown_atom = min((a for a in unknown if abs(factors[a]) == least), key=lambda a: repr(reify.atom(a)))
        # A factor is 1: the equation gives that integer its value.
        if least * scale == 1:
            f: Term = equals(num(0), reify.term(normal.scale(row.poly, scale)))
            rows = [[_text(case, q, scale), k] for k, q in row.made.items() if q]
            _given(case, unknown_atom, case.stated(f, [*rows, [quotient(scale), label]]))
            return True
        if len(unknown) < len(factors):
            return False
        # Else the integer with the least factor is replaced by a new one, s, as in Euclid's algorithm: the other
        # factors become smaller by multiples of its own.
        name, exists_label, new = (case.g.fresh(stem) for stem in ("s", "some", "as"))
        others = {((a, 1),): c // factors[unknown_atom] for a, c in factors.items()}
        term = reify.term({(m, 0): c for m, c in others.items() if c})
        f = ("ex", "Int", (abstract(equals(QUOTIENT, term), (QUOTIENT,)),))
        case.g.have(f, exists_label, lambda h, term=term: h.witness(h.text(term)).true())
        case.g.obtain(exists_label, name, new)
        _given(case, unknown_atom, new)


def _given(case: CaseFacts, atom: int, label: str) -> None:
    """Let an equation give an integer its value."""
    case.give(atom, label)
    # Products that hold the integer were written without its value: they are made again.
    stale = [entry for entry in case.rules.products if atom in dict(entry[0][0])]
    case.rules.products = [entry for entry in case.rules.products if entry not in stale]
    for a in {a for entry in stale for a, _ in entry[0][0]} - {atom}:  # which are put in again
        case.state.pop(a, None)


def integral(p: Poly, linear: bool = False) -> bool:
    """Whether a polynomial has integer coefficients and integer atoms; with `linear`, whether it has no products
    either."""
    whole_numbers = all(c == int(c) and not e and all(whole(a) for a, _ in m) for (m, e), c in p.items())
    return whole_numbers and not (linear and any(sum(k for _, k in m) > 1 for m, _ in p))
