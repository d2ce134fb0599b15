"""Remainders beside counts: what ``ex q. T = m*q + r`` states of a sum of integers T is decided by a quotient.

For each T and m there is an integer h with m*h <= T < m*h + m, and one case for each remainder. There T is m*h and a
number, and each formula about a remainder of T modulo m is true or false. The equation gives one of the integers of T
its value, so that the other facts are tightened over the integers by it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from symcook.proof import normal
from symcook.proof.claims.farkas import FactRow, whole
from symcook.proof.claims.quantified import Quantified
from symcook.proof.normal import ONE, fkey, freeze, nf
from symcook.proof.search import reify
from symcook.proof.search.tactics import Goal
from symcook.proof.terms import Term, instantiate, negation, num, var

MOST_MODULUS = 12
QUOTIENT = var("q", "Int")


class Division(NamedTuple):
    """A formula states that `modulus` divides `term` + `more`."""

    term: Term
    modulus: int
    more: int

    @property
    def rest(self) -> int:
        """The remainder of `term`."""
        return -self.more % self.modulus


def division(f: Term) -> Division | None:
    """``ex q. T = m*q + r`` for a sum T of multiples of integers; None for another formula."""
    if f[0] != "ex" or f[1] != "Int":
        return None
    body = instantiate(f[2][0], (QUOTIENT,))
    if body[0] != "=":
        return None
    gap, (lead,) = dict(nf(("-", None, body[2]))), nf(QUOTIENT)
    factor, alone = gap.pop(lead, 0), lead[0][0][0]
    integers = all(c == int(c) and not m[1] and all(a != alone and whole(a) for a, _ in m[0]) for m, c in gap.items())
    if not integers or factor != int(factor) or not 1 < abs(factor) <= MOST_MODULUS:
        return None
    gap = normal.scale(gap, -1) if factor > 0 else gap
    more = int(gap.pop(ONE, 0))
    return Division(reify.term(gap), abs(int(factor)), more) if gap else None


class Divided(Quantified):
    """What is known in a case, with remainders."""

    def divided(self, f: Term, at: Division) -> Term | None:
        """What has to be known for a formula about a remainder; None where that is known, and the formula a fact."""
        if self.clash is not None or fkey(f) in self.counted_already:
            return None
        supposed, (quotient, ends) = self.truth(f), self._quotient(at)
        base: Term = ("*", None, (num(at.modulus), quotient))
        low, rest = ends[0], at.modulus - 1
        high = ends[1]
        for k in range(at.modulus - 1):
            most: Term = ("<=", None, (at.term, ("+", None, (base, num(k)))))
            label = self.known(most)
            if label is not None:
                high, rest = label, k
                break
            label = self.known(negation(most))
            if label is None:
                return most
            low = label
        equal = self._equal(at, base, rest, low, high)
        holds, new = rest == at.rest, self.g.fresh("rest")
        shown = f if holds else ("~", None, (f,))
        self.g.have(shown, new, lambda g: self._shown(g, at, quotient, rest, equal))
        self.literals.setdefault(fkey(shown), new)
        self.counted_already.add(fkey(f))
        self.renewed = True
        if supposed is not None and supposed is not holds:
            other = self.literals[fkey(f if supposed else ("~", None, (f,)))]
            self.clash = (other, new) if supposed else (new, other)
        return None

    def _quotient(self, at: Division) -> tuple[Term, tuple[str, str]]:
        """An integer h with m*h <= T < m*h + m, and the labels of that."""
        key = at.term, at.modulus
        if key not in self.quotients:
            g, name = self.g, self.g.fresh("h")
            some, low, high = (g.fresh(stem) for stem in ("some", "low", "high"))
            g.use("lem:remainder", str(at.modulus), g.text(at.term), Goal.true, label=some)
            g.obtain(some, name, f"{low} {high}")
            self.fact(low)
            self.fact(high)
            self.quotients[key] = var(name, "Int"), (low, high)
        return self.quotients[key]

    def _equal(self, at: Division, base: Term, rest: int, low: str, high: str) -> str:
        """The label of T = m*h + rest, which gives an integer its value."""
        value: Term = ("+", None, (base, num(rest)))
        f: Term = ("=", None, (at.term, value))
        if fkey(f) in self.literals:
            return self.literals[fkey(f)]
        g, label = self.g, self.g.fresh("equal")

        def proof(h: Goal) -> None:
            used = [low, high]
            for k, (a, b) in enumerate(
                ((("-", None, (value, num(1))), at.term), (at.term, ("+", None, (value, num(1)))))
            ):
                if h.facts[used[k]][0] == "<":  # over the integers
                    h.use("ax:int_lt", h.text(a), h.text(b), f"#{used[k]}", label=(new := h.fresh("so")))
                    used[k] = new
            for part in h.antisym():
                part.auto(used, degree=1, rounds=0)

        g.have(f, label, proof)
        self.literals[fkey(f)] = label
        self.fact(label)
        self._valued(label)
        for other in [*self.facts]:
            if other in g.facts and g.facts[other][0] == "=":
                self._valued(other)
        return label

    def squeezed(self, rows: Sequence[FactRow]) -> bool:
        """Whether a fact, or two rows, say that an integer has a value, beside remainders; it is put in then."""
        equations = [k for k in self.facts if k in self.g.facts and self.g.facts[k][0] == "=" and self.quotients]
        if any([self._valued(label) for label in equations]):
            return True
        least = {freeze(normal._primitive(row.poly)) for row in rows if row.tag == "<=" and row.poly}
        for key in sorted(least, key=repr) if self.quotients else ():
            if freeze(normal.scale(dict(key), -1)) in least:
                value = reify.term(dict(key))
                ends = [self.known(("<=", None, pair)) for pair in ((num(0), value), (value, num(0)))]
                label = self.g.fresh("equal")
                if None not in ends:
                    self.g.have(
                        ("=", None, (num(0), value)), label, lambda h, ends=ends: _between(h, [str(k) for k in ends])
                    )
                    self.fact(label)
                    if self._valued(label):
                        return True
        return False

    def _valued(self, label: str) -> bool:
        """Whether an equation between integers gives one that stands alone, with the factor 1, its value."""
        row = self.row(label)
        factors = {m[0][0][0]: c for m, c in row.poly.items() if len(m[0]) == 1 and m[0][0][1] == 1 and not m[1]}
        once = [a for a in factors if sum(a in dict(m) for m, _ in row.poly) == 1]
        integers = all(c == int(c) and not e and all(whole(a) for a, _ in m) for (m, e), c in row.poly.items())
        found = min((a for a in once if abs(factors[a]) == 1), key=lambda a: repr(reify.atom(a)), default=None)
        if found is None or not integers or row.times != {ONE: 1}:
            return False
        rows = [[self.g.text(reify.term(q)), k] for k, q in row.made.items() if q]
        new = self.g.fresh("gives")
        f = ("=", None, (num(0), reify.term(row.poly)))
        self.g._emit(
            {"by": "have", "show": self.g.text(f), "proof": [{"by": "pos", "eq": [*rows, ["1", label]]}], "as": new}
        )
        self.g._bind(new, f)
        self.give(found, new)
        stale = [product for product in self.rules.products if found in dict(product[0][0])]
        self.rules.products = [product for product in self.rules.products if product not in stale]
        for a in {a for product in stale for a, _ in product[0][0]} - {found}:  # which are put in again
            self.state.pop(a, None)
        return True

    def _shown(self, g: Goal, at: Division, quotient: Term, rest: int, equal: str) -> None:
        """The formula, or its negation, where the remainder is known."""
        whole, left = divmod(rest + at.more, at.modulus)
        if not left:
            g.witness(g.text(("+", None, (quotient, num(whole)))))
            return g.auto([equal], degree=1, rounds=0)
        no, so, name, side = (g.fresh(stem) for stem in ("no", "so", "q", "side"))
        g.intro(no)
        g.obtain(no, name, so)
        gap: Term = ("-", None, (var(name, "Int"), quotient))
        under, over = g.em(("<=", None, (gap, num(whole))), side)
        under.auto([equal, so, side], degree=1, rounds=0)
        over.use("ax:int_lt", str(whole), over.text(gap), f"#{side}", label=(more := over.fresh("more")))
        return over.auto([equal, so, more], degree=1, rounds=0)


def _between(g: Goal, labels: list[str]) -> None:
    for part, label in zip(g.antisym(), labels, strict=True):
        part.hyp(label)
