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
from symcook.proof.claims.casefacts import WAITS
from symcook.proof.claims.farkas import FactRow, whole
from symcook.proof.claims.implicit import equal_by
from symcook.proof.claims.lettercounts import both
from symcook.proof.claims.lettered import THERE
from symcook.proof.claims.quantified import Quantified
from symcook.proof.normal import ONE, Poly, constant, fkey, freeze, nf
from symcook.proof.search import reify
from symcook.proof.search.linear import poly
from symcook.proof.search.tactics import Goal
from symcook.proof.terms import Term, abstract, flatten, instantiate, loose, negation, num, replace, subterms, var

MOST_MODULUS = 60
QUOTIENT = var("q'", "Int")


class Division(NamedTuple):
    """``ex q. T + more = m*q & parts`` where it is `exact`, else ``ex q. 0 <= T - m*q < m & parts``; `parts` are about
    `QUOTIENT`, and `number` those of the formula that say what q is."""

    term: Term
    modulus: int
    more: int
    exact: bool
    parts: tuple[Term, ...]
    number: tuple[int, ...]


class KnownRemainder(NamedTuple):
    """The fact `label` is ``T = m*quotient + rest``."""

    quotient: Term
    rest: int
    label: str


def division(f: Term) -> Division | None:
    """A formula about a remainder of a sum T of multiples of integers; None for another one."""
    if f[0] != "ex" or f[1] != "Int" or loose(f):
        return None
    parts = flatten("&", instantiate(f[2][0], (QUOTIENT,)))
    gaps = {k: poly(part) for k, part in enumerate(parts) if part[0] in ("=", "<=", "<")}
    ways: list[tuple[int, ...]] = [(k,) for k in gaps if parts[k][0] == "="]
    for number in [*ways, *product(gaps, gaps)]:
        gap, (lead,) = dict(gaps[number[0]]), nf(QUOTIENT)
        factor, alone = gap.pop(lead, 0), lead[0][0][0]
        plain = all(not m[1] and all(a != alone and whole(a) for a, _ in m[0]) for m in gap)
        if not plain or any(c != int(c) for c in (factor, *gap.values())) or not 1 < abs(factor) <= MOST_MODULUS:
            continue
        modulus, exact = abs(int(factor)), len(number) == 1
        if not exact:
            first, last = (parts[k][0] for k in number)
            width = constant(normal.add(gaps[number[0]], gaps[number[1]]))
            if factor > 0 or first != "<=" or width != modulus - (last == "<="):
                continue
        gap = normal.scale(gap, -1) if factor > 0 else gap
        more = int(gap.pop(ONE, 0))
        others = tuple(part for k, part in enumerate(parts) if k not in number)
        if gap and (exact or not more):
            return Division(reify.term(gap), modulus, more, exact, others, number)
    return None


class Divided(Quantified):
    """What is known in a case, with remainders."""

    # --- Formulas ----------------------------------------------------------------------------------------------------

    def divided(self, f: Term) -> Term | None:
        """What has to be known for a formula about a remainder; None where that is known, and the formula a fact."""
        at = division(f)
        if at is None or self.clash is not None or fkey(f) in self.counted_already:
            return None
        found = self.remainder(at.term, at.modulus)
        if not isinstance(found, KnownRemainder):
            return found
        more, wrong = divmod(found.rest + at.more, at.modulus) if at.exact else (0, 0)
        here = found.quotient if not more else ("+", None, (found.quotient, num(more)))
        parts = [] if wrong else [instantiate(abstract(part, (QUOTIENT,)), (here,)) for part in at.parts]
        for part in parts:
            if not self.follows(part) and self.truth(part) is None:
                asked = self.undecided(part)
                for inner in () if asked is not None else (x for x in subterms(part) if x[0] == "ex"):
                    asked = asked or self.divided(inner)
                if asked is not None:
                    return asked
        values = [self.truth(part) for part in parts]
        if None in values and False not in values:
            raise Rejected("a part of a formula about a remainder")
        supposed, holds, new = self.truth(f), not wrong and False not in values, self.g.fresh("rest")
        shown = f if holds else ("~", None, (f,))
        close = self._holds if holds else self._fails
        self.g.have(shown, new, lambda g: close(g, at, found, here, None if holds or wrong else values.index(False)))
        self.literals.setdefault(fkey(shown), new)
        self.counted_already.add(fkey(f))
        self.renewed = True
        if supposed is not None and supposed is not holds:
            other = self.literals[fkey(f if supposed else ("~", None, (f,)))]
            self.clash = (other, new) if supposed else (new, other)
        return None

    def _holds(self, g: Goal, at: Division, found: KnownRemainder, here: Term, _: int | None) -> None:
        """The formula at the quotient."""
        g.witness(g.text(here))
        for k, h in enumerate(g.split() if at.parts or len(at.number) > 1 else [g]):
            if k in at.number:
                h.auto([found.label], degree=1, rounds=0)
            else:
                self.show(h, h.goal)

    def _fails(self, g: Goal, at: Division, found: KnownRemainder, here: Term, false: int | None) -> None:
        """Its negation: no quotient is right, or a part is false at the one that is."""
        no, name, side, same = (g.fresh(stem) for stem in ("no", "q", "side", "same"))
        labels = [f"{no}_{k}" for k in range(len(at.parts) + len(at.number))]
        g.intro(no)
        g.obtain(no, name, " ".join(labels))
        known = [found.label, *(labels[k] for k in at.number)]
        q = var(name, "Int")

        def apart(h: Goal, less: Term, more: Term) -> None:
            """Close a goal where ``less < more``."""
            h.use("ax:int_lt", h.text(less), h.text(more), f"#{side}", label=(step := h.fresh("step")))
            h.auto([*known, step], degree=1, rounds=0)

        if false is None:
            under, over = g.em(("<=", None, (q, here)), side)
            under.auto([*known, side], degree=1, rounds=0)
            return apart(over, here, q)

        def equal(h: Goal) -> None:
            for k, (less, more) in zip(h.antisym(), ((here, q), (q, here)), strict=True):
                k.contra(side)
                apart(k, less, more)

        g.have(("=", None, (q, here)), same, equal)
        label = [label for k, label in enumerate(labels) if k not in at.number][false]
        g.rewrite(same, label, new := g.fresh("so"))
        return self.deny(g, new)

    # --- Remainders --------------------------------------------------------------------------------------------------

    def remainder(self, t: Term, modulus: int) -> KnownRemainder | Term:
        """The remainder of a sum of integers, or what has to be known for it."""
        p, made = self.settled(nf(t))
        if any(self.state.get(a) == WAITS for m, _ in p for a, _ in m) and self.wanted:
            return next(iter(self.wanted.values()))
        if not integral(p):
            p, made = nf(t), {}
        factors = {m: int(c) for m, c in p.items() if m != ONE}
        over = gcd(modulus, *factors.values())
        rest = int(p.get(ONE, 0)) % modulus
        if over == modulus:
            here = reify.term(normal.scale(normal.add(p, {ONE: rest} if rest else {}, -1), Fraction(1, modulus)))
            base: Term = ("*", None, (num(modulus), here))
            f: Term = ("=", None, (t, ("+", None, (base, num(rest))) if rest else base))
            return KnownRemainder(here, rest, self.stated(f, self.rows_of(made)))
        below = modulus // over
        left = {m: (c // over + (below - 1) // 2) % below - (below - 1) // 2 for m, c in factors.items()}
        smaller = reify.term({m: c for m, c in left.items() if c})
        quotient, (low, high) = self._quotient(smaller, below)
        base = ("*", None, (num(below), quotient))
        rest = below - 1
        for k in range(below - 1):
            most: Term = ("<=", None, (smaller, ("+", None, (base, num(k)))))
            label = self.known(most)
            if label is not None:
                high, rest = label, k
                break
            label = self.known(negation(most))
            if label is None:
                return most
            low = label
        self._equal(smaller, ("+", None, (base, num(rest))), low, high)
        return self.remainder(t, modulus)

    def _text(self, p: Poly, scale: Fraction | int = 1) -> str:
        return self.g.text(reify.term(normal.scale(p, scale)))

    def _quotient(self, t: Term, modulus: int) -> tuple[Term, tuple[str, str]]:
        """An integer h with m*h <= T < m*h + m, and the labels of that."""
        key = t, modulus
        if key not in self.quotients:
            g, name = self.g, self.g.fresh("h")
            some, low, high = (g.fresh(stem) for stem in ("some", "low", "high"))
            g.use("lem:remainder", str(modulus), g.text(t), Goal.true, label=some)
            g.obtain(some, name, f"{low} {high}")
            self.fact(low)
            self.fact(high)
            self.has_quotient(key, name, (low, high))
        return self.quotients[key]

    def _equal(self, t: Term, value: Term, low: str, high: str) -> None:
        """T = m*h + rest, which is solved."""
        f: Term = ("=", None, (t, value))
        g, label = self.g, self.g.fresh("equal")

        def proof(h: Goal) -> None:
            used = [low, high]
            for k, (a, b) in enumerate(((("-", None, (value, num(1))), t), (t, ("+", None, (value, num(1)))))):
                if h.facts[used[k]][0] == "<":  # over the integers
                    h.use("ax:int_lt", h.text(a), h.text(b), f"#{used[k]}", label=(new := h.fresh("so")))
                    used[k] = new
            for part in h.antisym():
                part.auto(used, degree=1, rounds=0)

        g.have(f, label, proof)
        self.literals[fkey(f)] = label
        self.fact(label)
        self.solved(label)

    # --- Quotients as sums -------------------------------------------------------------------------------------------

    def _sum(self, a: int) -> str:
        """A sum that counts the multiples of m up to T is the quotient of T by m; so is floor(T/m) for a large m."""
        low, high, body = reify.atom(a)[2]
        inner = instantiate(body, (THERE,))
        gap, (j,) = dict(poly(inner[2][0]) if inner[0] == "ind" and inner[2][0][0] == "<=" else {}), nf(THERE)
        modulus = -gap.pop(j, 0)
        alone = not any(j[0][0][0] in dict(m) for m, _ in gap)
        if low != num(1) or modulus < 2 or modulus != int(modulus) or not alone or not integral(gap):
            return super()._sum(a)
        t = reify.term(gap)
        least = self.need(("<=", None, (num(0), t)))
        if least is None:
            return WAITS
        here, ends = self._quotient(t, int(modulus))
        first, last = (self.need(("<=", None, pair)) for pair in ((num(0), here), (here, high)))
        if first is None or last is None:
            return WAITS
        g, f = self.g, inner[2][0]

        def each(h: Goal, value: int) -> None:
            h.intro(f"{(name := h.fresh('j'))} ({(lo := h.fresh('from'))} {(hi := h.fresh('to'))})")
            known, there = h.fresh("f"), replace(f, THERE, var(name, "Int"))
            for k, holds in zip(h.ind(there, f"{known} {(v := h.fresh('v'))}"), (True, False), strict=True):
                if holds == bool(value):
                    k.hyp(v)
                else:
                    k.contra(k.fresh("no"))
                    k.auto([known, lo if value == 0 else hi, ends[0], ends[1]], degree=1, rounds=0)

        summand, texts = f"j. {g.text(inner)}", ["1", g.text(here), g.text(high)]
        split, ones, many, none, label = (g.fresh(stem) for stem in ("split", "ones", "many", "none", "floor"))
        g.use("lem:sum_split", summand, *texts, lambda h: both(h, first, last), label=split)
        g.use("lem:sum_ext", summand, "j. 1", "1", texts[1], lambda h: each(h, 1), label=ones)
        g.use("lem:sum_one", "1", texts[1], lambda h: h.auto([first], degree=1, rounds=0), label=many)
        after = g.text(("+", None, (here, num(1))))
        g.use("lem:sum_ext", summand, "j. 0", after, texts[2], lambda h: each(h, 0), label=none)
        equal: Term = ("=", None, (reify.atom(a), here))
        g.have(equal, label, lambda h: h.auto([split, ones, many, none], degree=1, rounds=0))
        return self.give(a, label)

    # --- Equations between integers ----------------------------------------------------------------------------------

    def squeezed(self, rows: Sequence[FactRow]) -> bool:
        """Whether two rows say that an integer has a value, beside remainders; it is put in then."""
        least = {freeze(normal._primitive(row.poly)) for row in rows if row.tag == "<=" and row.poly}
        for key in sorted(least, key=repr) if self.solving else ():
            if freeze(normal.scale(dict(key), -1)) in least:
                value = reify.term(dict(key))
                ends = [self.known(("<=", None, pair)) for pair in ((num(0), value), (value, num(0)))]
                label = self.g.fresh("equal")
                if None not in ends:
                    self.g.have(("=", None, (num(0), value)), label, lambda h, ends=ends: equal_by(h, *map(str, ends)))
                    self.fact(label)
                    if self.solved(label):
                        return True
        return False

    def solved(self, label: str) -> bool:
        """Whether an equation between integers gives one of them a value."""
        while True:
            row = self.row(label)
            if row.times != {ONE: 1} or not integral(row.poly, linear=True):
                return False
            factors = {m[0][0][0]: int(c) for m, c in row.poly.items() if m != ONE}
            unknown = [a for a in factors if normal._keys[a][0] != "ind"]  # truth values are decided
            scale = Fraction(1, gcd(*factors.values()) or 1)
            least = min((abs(factors[a]) for a in unknown), default=0)
            if not least or (Fraction(row.poly.get(ONE, 0)) * scale).denominator != 1:
                return False  # no integers solve it
            found = min((a for a in unknown if abs(factors[a]) == least), key=lambda a: repr(reify.atom(a)))
            if least * scale == 1:
                f: Term = ("=", None, (num(0), reify.term(normal.scale(row.poly, scale))))
                rows = [[self._text(q, scale), k] for k, q in row.made.items() if q]
                self._given(found, self.stated(f, [*rows, [quotient(scale), label]]))
                return True
            if len(unknown) < len(factors):
                return False
            name, some, new = (self.g.fresh(stem) for stem in ("s", "some", "as"))
            others = {((a, 1),): c // factors[found] for a, c in factors.items()}
            term = reify.term({(m, 0): c for m, c in others.items() if c})
            f = ("ex", "Int", (abstract(("=", None, (QUOTIENT, term)), (QUOTIENT,)),))
            self.g.have(f, some, lambda h, term=term: h.witness(h.text(term)).true())
            self.g.obtain(some, name, new)
            self._given(found, new)

    def _given(self, atom: int, label: str) -> None:
        """An equation gives an integer its value."""
        self.give(atom, label)
        stale = [one for one in self.rules.products if atom in dict(one[0][0])]
        self.rules.products = [one for one in self.rules.products if one not in stale]
        for a in {a for one in stale for a, _ in one[0][0]} - {atom}:  # which are put in again
            self.state.pop(a, None)


def integral(p: Poly, linear: bool = False) -> bool:
    """Whether a polynomial has whole factors and integers alone; where it is `linear`, no products."""
    whole_numbers = all(c == int(c) and not e and all(whole(a) for a, _ in m) for (m, e), c in p.items())
    return whole_numbers and not (linear and any(sum(k for _, k in m) > 1 for m, _ in p))
