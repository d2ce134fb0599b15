"""Decides formulas about remainders, such as ``ex q. T = m*q + r`` for a sum of integers T, by finding the quotient q.

Equations between integers are solved by Euclid's algorithm: the integer with the least factor is expressed by a new
one, until a factor is 1. T is simplified by these equations. If m divides each factor of T, its remainder is known.
Else there is a case for each remainder of a smaller sum modulo a divisor of m; in each case, the equation for this
remainder is solved in turn. Once the quotient is known, the formula is true if its other parts are true for this
quotient.
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
"""The greatest modulus m of a formula that is decided. Each remainder is a case of the proof. 24 claims of an unseen
set had at most modulus 3."""
QUOTIENT = var("q'", "Int")
"""The name of the quotient in the parts of a formula without its quantifier."""


class Division(NamedTuple):
    """A formula about a remainder: ``ex q. T + shift = m*q & parts`` if it is `exact`, else
    ``ex q. 0 <= T - m*q < m & parts``."""

    term: Term
    """T, a sum of multiples of integers."""
    modulus: int
    """m."""
    shift: int
    """The constant beside T; 0 unless the formula is `exact`."""
    exact: bool
    """Whether an equation determines q, which need not exist; else two bounds determine it."""
    parts: tuple[Term, ...]
    """The other parts of the conjunction, about `QUOTIENT`."""
    number: tuple[int, ...]
    """The indices of the parts that determine q: of the equation, or of the two bounds."""


class KnownRemainder(NamedTuple):
    """The known remainder of a sum T: the fact with the label `label` is ``T = m*quotient + rest``."""

    quotient: Term
    rest: int
    label: str


def division(f: Term) -> Division | None:
    """The formula f as a `Division`; None if it does not have this form."""
    if f[0] != "ex" or f[1] != "Int" or loose(f):
        return None
    parts = flatten("&", instantiate(f[2][0], (QUOTIENT,)))
    # By index of a part that is a comparison: right side minus left side.
    gaps = {k: poly(part) for k, part in enumerate(parts) if part[0] in ("=", "<=", "<")}
    # q is determined by one equation, or by the two bounds 0 <= T - m*q < m: try each equation and each pair.
    single_equations: list[tuple[int, ...]] = [(k,) for k in gaps if parts[k][0] == "="]
    for defining in [*single_equations, *product(gaps, gaps)]:
        # `gap` becomes the polynomial without its term factor*q; its atoms must be integers other than q.
        gap, (lead,) = dict(gaps[defining[0]]), nf(QUOTIENT)
        factor, quotient_atom = gap.pop(lead, 0), lead[0][0][0]
        others_integer = all(not m[1] and all(a != quotient_atom and whole(a) for a, _ in m[0]) for m in gap)
        if (
            not others_integer
            or any(c != int(c) for c in (factor, *gap.values()))
            or not 1 < abs(factor) <= MOST_MODULUS
        ):
            continue
        modulus, exact = abs(int(factor)), len(defining) == 1
        if not exact:
            # Two bounds: T - m*q must have exactly m possible values.
            first, last = (parts[k][0] for k in defining)
            width = constant(normal.add(gaps[defining[0]], gaps[defining[1]]))
            if factor > 0 or first != "<=" or width != modulus - (last == "<="):
                continue
        # The term T has no constant: that becomes the shift.
        gap = normal.scale(gap, -1) if factor > 0 else gap
        shift = int(gap.pop(ONE, 0))
        others = tuple(part for k, part in enumerate(parts) if k not in defining)
        if gap and (exact or not shift):
            return Division(reify.term(gap), modulus, shift, exact, others, defining)
    return None


# --- Formulas ---------------------------------------------------------------------------------------------------------


def division_question(case: CaseFacts, f: Term) -> Term | None:
    """The comparison that has to be decided next to decide f, a formula about a remainder. None if the formula or its
    negation is now a fact, and if f is no such formula."""
    parsed = division(f)
    if parsed is None or case.clash is not None or fkey(f) in case.quantified:
        return None
    # First the remainder of T itself.
    remainder = remainder_of(case, parsed.term, parsed.modulus)
    if not isinstance(remainder, KnownRemainder):
        return remainder
    # T = m*h + rest. So T + shift = m*q for q = h + (rest + shift)/m, if m divides rest + shift; else for no q. Two
    # bounds have q = h.
    steps, indivisible = divmod(remainder.rest + parsed.shift, parsed.modulus) if parsed.exact else (0, 0)
    witness = remainder.quotient if not steps else ("+", None, (remainder.quotient, num(steps)))
    parts = [] if indivisible else [instantiate(abstract(part, (QUOTIENT,)), (witness,)) for part in parsed.parts]
    # The other parts of the formula, about this quotient, must be decided too.
    for part in parts:
        if (question := _part_question(case, part)) is not None:
            return question
    values = [case.truth(part) for part in parts]
    if None in values and False not in values:
        raise Rejected("no rule for a part of a formula about a remainder")
    # The formula, or its negation, becomes a fact. If the case assumes the opposite, the two facts clash.
    supposed, holds, label = case.truth(f), not indivisible and False not in values, case.g.fresh("rest")
    fact = f if holds else ("~", None, (f,))
    close = _close_formula if holds else _close_negation
    case.g.have(
        fact,
        label,
        lambda g: close(case, g, parsed, remainder, witness, None if holds or indivisible else values.index(False)),
    )
    case.literals.setdefault(fkey(fact), label)
    case.quantified.add(fkey(f))
    case.renewed = True
    if supposed is not None and supposed is not holds:
        supposed_label = case.literals[fkey(f if supposed else ("~", None, (f,)))]
        case.clash = (supposed_label, label) if supposed else (label, supposed_label)
    return None


def _part_question(case: CaseFacts, part: Term) -> Term | None:
    """The comparison that has to be decided next to decide `part`, another part of a formula about a remainder; None if
    it is decided."""
    if case.follows(part) or case.truth(part) is not None:
        return None
    if (comparison := case.undecided(part)) is not None:
        return comparison
    # All comparisons are decided, so the part contains other formulas about remainders.
    questions = (division_question(case, inner) for inner in subterms(part) if inner[0] == "ex")
    return next((question for question in questions if question is not None), None)


def _close_formula(
    case: CaseFacts, g: Goal, parsed: Division, remainder: KnownRemainder, here: Term, _: int | None
) -> None:
    """Close the formula, with the known quotient `here` as its witness. The last argument is not used."""
    g.witness(g.text(here))
    for k, h in enumerate(g.split() if parsed.parts or len(parsed.number) > 1 else [g]):
        if k in parsed.number:
            h.auto([remainder.label], degree=1, rounds=0)
        else:
            case.show(h, h.goal)


def _close_negation(
    case: CaseFacts, g: Goal, parsed: Division, remainder: KnownRemainder, witness: Term, false_part: int | None
) -> None:
    """Close the negation of the formula. Either no number is its quotient (`false_part` is None), or its other part
    with the index `false_part` is false at the quotient `witness`."""
    # T = m*h + r, where h is `witness`. Assume that q satisfies the formula. If q < h, then q + 1 <= h, and m*q is too
    # far from T; the same if h < q. Hence q = h.
    assumed, name, side, same = (g.fresh(stem) for stem in ("no", "q", "side", "same"))
    labels = [f"{assumed}_{k}" for k in range(len(parsed.parts) + len(parsed.number))]
    g.intro(assumed)
    g.obtain(assumed, name, " ".join(labels))
    quotient_facts = [remainder.label, *(labels[k] for k in parsed.number)]
    q = var(name, "Int")

    def too_far(h: Goal, smaller: Term, greater: Term) -> None:
        """Close a goal from the fact ``smaller < greater``, one of which is q and one h: m*q is too far from T."""
        h.use("ax:int_lt", h.text(smaller), h.text(greater), f"#{side}", label=(step := h.fresh("step")))
        h.auto([*quotient_facts, step], degree=1, rounds=0)

    # No quotient exists: the remainder also contradicts q = h.
    if false_part is None:
        under, over = g.em(at_most(q, witness), side)
        under.auto([*quotient_facts, side], degree=1, rounds=0)
        return too_far(over, witness, q)

    def close_equal(h: Goal) -> None:
        for k, (smaller, greater) in zip(h.antisym(), ((witness, q), (q, witness)), strict=True):
            k.contra(side)
            too_far(k, smaller, greater)

    g.have(equals(q, witness), same, close_equal)
    # Otherwise q = h, and the false part of the formula is a fact about h.
    label = [label for k, label in enumerate(labels) if k not in parsed.number][false_part]
    g.rewrite(same, label, new := g.fresh("so"))
    return case.deny(g, new)


# --- Remainders -------------------------------------------------------------------------------------------------------


def remainder_of(case: CaseFacts, t: Term, modulus: int) -> KnownRemainder | Term:
    """The remainder of t, a sum of integers; if it is not known, the comparison that has to be decided next."""
    p, multipliers = case.settled(nf(t))
    # An atom of the sum waits for a decision, which comes first.
    if any(case.state.get(a) == WAITS for m, _ in p for a, _ in m) and case.wanted:
        return next(iter(case.wanted.values()))
    if not integral(p):
        p, multipliers = nf(t), {}
    factors = {m: int(c) for m, c in p.items() if m != ONE}
    common = gcd(modulus, *factors.values())
    residue = int(p.get(ONE, 0)) % modulus
    # m divides each factor: the remainder r is that of the constant.
    if common == modulus:  # T = m*(p - r)/m + r
        quotient_term = reify.term(
            normal.scale(normal.add(p, {ONE: residue} if residue else {}, -1), Fraction(1, modulus))
        )
        base: Term = ("*", None, (num(modulus), quotient_term))
        f: Term = equals(t, ("+", None, (base, num(residue))) if residue else base)
        return KnownRemainder(quotient_term, residue, case.stated(f, case.rows_of(multipliers)))
    # Else let g be the gcd and m' = m/g. The smaller sum has the factors divided by g, reduced modulo m' to the
    # residues nearest 0. Once its remainder modulo m' is a fact, T reduces to a sum whose factors are multiples of m.
    smaller_modulus = modulus // common
    smaller_factors = {
        m: (c // common + (smaller_modulus - 1) // 2) % smaller_modulus - (smaller_modulus - 1) // 2
        for m, c in factors.items()
    }
    smaller = reify.term({m: c for m, c in smaller_factors.items() if c})
    question = _residue_question(case, smaller, smaller_modulus)
    return remainder_of(case, t, modulus) if question is None else question


def _residue_question(case: CaseFacts, t: Term, modulus: int) -> Term | None:
    """The comparison that has to be decided next for the remainder of t: whether the remainder is at most 0, at most 1,
    .. in turn. None once the remainder is known; then the equation ``t = m*h + remainder`` is added as a fact."""
    # low and high: the labels of the best bounds so far, m*h + .. <= t (or <) and t <= m*h + .. (or <)
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
    _add_equation(case, t, ("+", None, (base, num(residue))), low, high)
    return None


def _scaled_text(case: CaseFacts, p: Poly, scale: Fraction | int = 1) -> str:
    """The text of the polynomial scale*p."""
    return case.g.text(reify.term(normal.scale(p, scale)))


def _quotient(case: CaseFacts, t: Term, modulus: int) -> tuple[Term, tuple[str, str]]:
    """An integer h with m*h <= T < m*h + m, and the labels of the two bounds. For each sum T and modulus m it is
    introduced once."""
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


def _add_equation(case: CaseFacts, t: Term, value: Term, low: str, high: str) -> None:
    """Prove ``t = value`` between integers, from the facts `low`, which is value <= t or value - 1 < t, and `high`,
    which is t <= value or t < value + 1. Then solve the equation for an integer in it."""
    f: Term = equals(t, value)
    g, label = case.g, case.g.fresh("equal")

    def close_equal(h: Goal) -> None:
        """By both inequalities; a strict bound gives one that is not strict, over the integers."""
        used = [low, high]
        for k, (a, b) in enumerate(((("-", None, (value, num(1))), t), (t, ("+", None, (value, num(1)))))):
            if h.facts[used[k]][0] == "<":  # a < b gives a + 1 <= b over the integers
                h.use("ax:int_lt", h.text(a), h.text(b), f"#{used[k]}", label=(strict := h.fresh("so")))
                used[k] = strict
        for part in h.antisym():
            part.auto(used, degree=1, rounds=0)

    g.have(f, label, close_equal)
    case.literals[fkey(f)] = label
    case.fact(label)
    solved(case, label)


# --- Quotients as sums ------------------------------------------------------------------------------------------------


def floor_sum(case: CaseFacts, a: int) -> AtomReading:
    """The reading of the atom `a` as the sum ``sum(j, 1, high, I[m*j <= T])``, which counts the multiples of m up to T:
    its value is the quotient of T by m. `OPAQUE` if the atom is no such sum."""
    # Match the sum: its summand is I[0 <= T - m*j] after computation, and T has no j.
    low, high, body = reify.atom(a)[2]
    inner = instantiate(body, (THERE,))
    gap, (j,) = dict(poly(inner[2][0]) if inner[0] == "ind" and inner[2][0][0] == "<=" else {}), nf(THERE)
    modulus = -gap.pop(j, 0)
    quotient_free = not any(j[0][0][0] in dict(m) for m, _ in gap)
    if low != num(1) or modulus < 2 or modulus != int(modulus) or not quotient_free or not integral(gap):
        return OPAQUE
    t = reify.term(gap)
    # Conditions: 0 <= T, and the quotient h satisfies 0 <= h <= high.
    nonnegative_fact = case.need(at_most(num(0), t))
    if nonnegative_fact is None:
        return WAITS
    quotient_term, bounds = _quotient(case, t, int(modulus))
    low_fact, high_fact = (case.need(("<=", None, pair)) for pair in ((num(0), quotient_term), (quotient_term, high)))
    if low_fact is None or high_fact is None:
        return WAITS
    g, f = case.g, inner[2][0]

    def term_value(h: Goal, value: int) -> None:
        """Close I[m*j <= T] = value for a j of a range: the other value contradicts the bounds of the quotient."""
        h.intro(f"{(name := h.fresh('j'))} ({(lo := h.fresh('from'))} {(hi := h.fresh('to'))})")
        decided, there = h.fresh("f"), replace(f, THERE, var(name, "Int"))
        for k, holds in zip(h.ind(there, f"{decided} {(v := h.fresh('v'))}"), (True, False), strict=True):
            if holds == bool(value):
                k.hyp(v)
            else:
                k.contra(k.fresh("no"))
                k.auto([decided, lo if value == 0 else hi, bounds[0], bounds[1]], degree=1, rounds=0)

    # sum(j, 1, high, I[m*j <= T]) = sum(j, 1, h, 1) + sum(j, h + 1, high, 0) = h, as m*h <= T < m*(h + 1).
    summand, texts = f"j. {g.text(inner)}", ["1", g.text(quotient_term), g.text(high)]
    split, ones, length, none, label = (g.fresh(stem) for stem in ("split", "ones", "many", "none", "floor"))
    g.use("lem:sum_split", summand, *texts, lambda h: both(h, low_fact, high_fact), label=split)
    g.use("lem:sum_ext", summand, "j. 1", "1", texts[1], lambda h: term_value(h, 1), label=ones)
    g.use("lem:sum_one", "1", texts[1], lambda h: h.auto([low_fact], degree=1, rounds=0), label=length)
    after = g.text(("+", None, (quotient_term, num(1))))
    g.use("lem:sum_ext", summand, "j. 0", after, texts[2], lambda h: term_value(h, 0), label=none)
    equal: Term = equals(reify.atom(a), quotient_term)
    g.have(equal, label, lambda h: h.auto([split, ones, length, none], degree=1, rounds=0))
    return case.give(a, label)


# --- Equations between integers ---------------------------------------------------------------------------------------


def squeezed(case: CaseFacts, rows: Sequence[FactRow]) -> bool:
    """Whether two rows 0 <= p and 0 <= -p fix a sum of integers p to be 0; the equation is then solved for one of the
    integers. This is tried only in proofs about remainders."""
    at_least_zero = {freeze(normal._primitive(row.poly)) for row in rows if row.tag == "<=" and row.poly}
    for key in sorted(at_least_zero, key=repr) if case.remainders.solving else ():
        if freeze(normal.scale(dict(key), -1)) in at_least_zero:
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
    """Whether the equation `label` between integers gives one of them a value. New integers are introduced as in
    Euclid's algorithm until one has the factor 1."""
    while True:
        # The equation with all known values put in: 0 = constant + sum(factor*integer).
        row = case.row(label)
        if row.times != {ONE: 1} or not integral(row.poly, linear=True):
            return False
        factors = {m[0][0][0]: int(c) for m, c in row.poly.items() if m != ONE}
        unknown = [a for a in factors if normal._keys[a][0] != "ind"]  # truth values are decided
        scale = Fraction(1, gcd(*factors.values()) or 1)
        least_factor = min((abs(factors[a]) for a in unknown), default=0)
        if not least_factor or (Fraction(row.poly.get(ONE, 0)) * scale).denominator != 1:
            return False  # nothing to solve, or no integers solve it
        unknown_atom = min((a for a in unknown if abs(factors[a]) == least_factor), key=lambda a: repr(reify.atom(a)))
        # A factor is 1: the equation gives that integer its value.
        if least_factor * scale == 1:
            f: Term = equals(num(0), reify.term(normal.scale(row.poly, scale)))
            rows = [[_scaled_text(case, q, scale), k] for k, q in row.made.items() if q]
            _give_value(case, unknown_atom, case.stated(f, [*rows, [quotient(scale), label]]))
            return True
        if len(unknown) < len(factors):  # a truth value cannot be a part of a new integer
            return False
        # Else a new integer s replaces the integer x with the least factor c: s = x + sum(floor(d/c)*y) over the other
        # integers y with factors d. In the equation, c*s replaces c*x, and d becomes d mod c.
        name, exists_label, new = (case.g.fresh(stem) for stem in ("s", "some", "as"))
        others = {((a, 1),): c // factors[unknown_atom] for a, c in factors.items()}
        term = reify.term({(m, 0): c for m, c in others.items() if c})
        f = ("ex", "Int", (abstract(equals(QUOTIENT, term), (QUOTIENT,)),))
        case.g.have(f, exists_label, lambda h, term=term: h.witness(h.text(term)).true())
        case.g.obtain(exists_label, name, new)
        _give_value(case, unknown_atom, new)


def _give_value(case: CaseFacts, atom: int, label: str) -> None:
    """Let the equation `label` give the integer `atom` its value."""
    case.give(atom, label)
    # Rules for products with this integer do not use its value yet: forget them, and read their other atoms again.
    stale = [entry for entry in case.rules.products if atom in dict(entry[0][0])]
    case.rules.products = [entry for entry in case.rules.products if entry not in stale]
    for a in {a for entry in stale for a, _ in entry[0][0]} - {atom}:
        case.state.pop(a, None)


def integral(p: Poly, linear: bool = False) -> bool:
    """Whether a polynomial has integer coefficients and atoms only and, with `linear`, no products of atoms."""
    whole_numbers = all(c == int(c) and not e and all(whole(a) for a, _ in m) for (m, e), c in p.items())
    return whole_numbers and not (linear and any(sum(k for _, k in m) > 1 for m, _ in p))
