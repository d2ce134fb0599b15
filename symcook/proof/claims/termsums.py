"""Sums of terms that no letter decides, as of relu(-balance(j)), and formulas about all positions.

Of such a sum it is known that its terms lie between numbers of the claim, where that is decided at any position; how
two sums of the same terms lie to each other; that a term is at most the sum of terms that are not negative; and that a
positive sum has a positive term. A formula about all positions holds at the positions in use.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from itertools import product
from typing import NamedTuple

from symcook.errors import Rejected
from symcook.proof import normal
from symcook.proof.claims.casefacts import BASE, OPAQUE, WAITS, CaseFacts, Unclosed
from symcook.proof.claims.farkas import FactRow, close, contradiction
from symcook.proof.claims.implicit import ImplicitReals
from symcook.proof.claims.lettercounts import both
from symcook.proof.claims.lettered import THERE, Lettered
from symcook.proof.claims.problem import HERE, N, OutsideFragment, W
from symcook.proof.normal import constant, fkey, nf
from symcook.proof.search import reify
from symcook.proof.search.linear import poly
from symcook.proof.search.ranges import between
from symcook.proof.search.simplex import TooLong
from symcook.proof.search.tactics import Goal, Stuck
from symcook.proof.terms import Term, abstract, conj, instantiate, loose, num, replace, subterms, var

MOST_BOUNDS = 5
MOST_WITNESSES = 4


class TermBound(NamedTuple):
    """The fact that a number is at most each term of a sum, or each term at most the number."""

    label: str
    number: Term
    lower: bool


class TermSums(ImplicitReals):
    """What is known in a case, with sums of terms and formulas about all positions."""

    def __init__(self, root: Lettered, g: Goal) -> None:
        super().__init__(root, g)
        self.totals: list[tuple[Term, Term]] = []  # the terms of sums in use, and up to which positions
        self.read: set[str] = set()  # facts whose sums are in use, as they are written
        self.related: set[tuple[Term, Term, Term]] = set()
        self.members: set[tuple[Term, Term, Term]] = set()
        self.bounded: set[tuple[Term, Term, Term, bool]] = set()
        self.universal: list[str] = []  # facts about all positions, that no count decides
        self.applied: set[tuple[str, Term]] = set()
        self.witnesses: list[Term] = []
        self.witnessed: set[tuple[Term, Term]] = set()
        self.sought: set[tuple[Term, Term, Term]] = set()  # rows of hard heads whose position is being looked for

    def inherit(self, other: CaseFacts) -> None:
        """Take over what is known in a case around."""
        super().inherit(other)
        if isinstance(other, TermSums):
            self.totals, self.universal = [*other.totals], [*other.universal]
            self.related, self.members, self.applied = {*other.related}, {*other.members}, {*other.applied}
            self.bounded, self.sought, self.read = {*other.bounded}, {*other.sought}, {*other.read}
            self.witnesses, self.witnessed = [*other.witnesses], {*other.witnessed}

    def opaque(self) -> list[str]:
        """The terms that are not put down to counts, and the sums of which only this is known."""
        sums = dict.fromkeys(self.g.text(self.total(*total)) for total in self.totals)
        return [*super().opaque(), *sums]

    def another(self, root: Lettered, g: Goal) -> TermSums:
        """A case of its own at a goal."""
        raise NotImplementedError

    def assume(self, label: str) -> None:
        """Take a fact into account."""
        raise NotImplementedError

    def close(self, g: Goal, most: int = 0, waiting: bool = True) -> None:
        """Close a branch of the goal by a decision of its own."""
        raise NotImplementedError

    def decide(self) -> None:
        """Close the goal."""
        raise NotImplementedError

    # --- Sums --------------------------------------------------------------------------------------------------------

    def term_sum(self, a: int) -> str:
        """A sum of terms is a number of its own."""
        low, high, body = reify.atom(a)[2]
        inner = instantiate(body, (THERE,))
        if any(s[0] in ("sum", "prod", "all", "ex") or s[:2] == ("fn", "exp") for s in subterms(inner)):
            return OPAQUE
        if low != self.root.low:
            return self.difference(a, inner, low, high)
        ends = [("<=", None, (self.root.below, high)), ("<=", None, (high, self.root.high))]
        least, most = (self.need(end) for end in ends)
        if least is None or most is None:
            return WAITS
        self.totals.append((inner, high))
        if (bound := self._bound(inner, num(0), True)) is not None:
            self._bounded(bound, inner, high)
        return BASE

    def _written_sums(self, label: str) -> None:
        """A sum in a fact, as it is written, is more than its parts: all its terms may have one sign, or none."""
        for t in subterms(self.g.facts[label]):
            if t[0] != "sum" or loose(t) or t[2][0] != self.root.low or len(nf(t)) < 2:
                continue
            inner, high = instantiate(t[2][2], (THERE,)), t[2][1]
            if (inner, high) in self.totals or any(
                s[0] in ("all", "ex") or s[:2] == ("fn", "exp") for s in subterms(t)
            ):
                continue
            if None in [self.known(("<=", None, end)) for end in ((self.root.below, high), (high, self.root.high))]:
                self.read.discard(label)
                continue
            self.totals.append((inner, high))
            if (bound := self._bound(inner, num(0), True)) is not None:
                self._bounded(bound, inner, high)

    def total(self, inner: Term, high: Term) -> Term:
        """The sum of the terms up to a position."""
        return ("sum", None, (self.root.low, high, abstract(inner, (THERE,))))

    def _bound(self, inner: Term, number: Term, lower: bool) -> TermBound | None:
        """The bound of terms by a number, proved once at any position; None where that is not decided."""
        root = self.root
        if (inner, number, lower) not in root.bounds:
            root.bounds[inner, number, lower] = None
            here = replace(inner, THERE, HERE)
            body: Term = ("<=", None, (number, here) if lower else (here, number))
            label = root.g.fresh("terms")
            with suppress(Unclosed, Stuck, Rejected, TooLong):
                root.g.have(root.everywhere(body), label, self.everywhere)
                root.bounds[inner, number, lower] = TermBound(label, number, lower)
        return root.bounds[inner, number, lower]

    def _numbers(self) -> bool:
        """Whether numbers of the claim are new bounds of terms."""
        before = len(self.facts)
        numbers = [t for t in subterms(self.root.problem.claim) if t[0] == "num" and t != num(0)]
        for number in [*dict.fromkeys(numbers)][:MOST_BOUNDS]:
            for lower, (inner, high) in product((False, True), self.totals):
                if (inner, high, number, lower) not in self.bounded:
                    self.bounded.add((inner, high, number, lower))
                    if (bound := self._bound(inner, number, lower)) is not None:
                        self._bounded(bound, inner, high)
        return len(self.facts) > before

    def everywhere(self, g: Goal) -> None:
        """Close a goal about any position by a decision of its own."""
        place, inside = g.fresh("i"), g.fresh("inside")
        g.intro(f"{place} {inside}")
        main = g._branch(g.goal)  # what is shared by its branches is written in front of them, at `g`
        case = self.another(self.root.within(g), main)
        for label in self.root.taken(g):
            if g.facts[label][0] in ("<=", "<", "="):
                case.assume(label)
        case.literals[fkey(g.facts[inside])] = inside
        case.assume(inside)
        case.decide()
        g.take(main)

    def _bounded(self, bound: TermBound, inner: Term, high: Term) -> None:
        """The sum up to a position lies on one side of a number for each term."""
        g, root = self.g, self.root
        least, most = (self.known(("<=", None, ends)) for ends in ((root.below, high), (high, root.high)))
        if least is None or most is None:
            return
        label, many = g.fresh("bound"), g.fresh("many")
        texts = [f"j. {g.text(bound.number)}", f"j. {g.text(inner)}"][:: 1 if bound.lower else -1]

        def each(h: Goal) -> None:
            j, lo, hi = (h.fresh(stem) for stem in ("j", "from", "to"))
            h.intro(f"{j} ({lo} {hi})")
            self._term(h, bound.label, j, [lo, hi, most])

        g.use("lem:sum_mono", *texts, g.text(root.low), g.text(high), each, label=label)
        self.fact(label)
        if bound.number != num(0):
            g.use("lem:sum_one", g.text(root.low), g.text(high), lambda h: h.auto([least], degree=1), label=many)
            for factors, _ in nf(("sum", None, (root.low, high, num(1)))):
                if factors:  # between two numbers it is a number
                    self.rules.give(factors[0][0], many, poly(g.facts[many]))

    def _term(self, g: Goal, bound: str, place: str, known: list[str]) -> None:
        """Close a goal about one term by the bound of all."""
        value = g.fresh("v")
        lemma = self.root.share(g, bound)
        g.use(lemma, place, lambda h: h.easy(known, degree=1, rounds=0), label=value)
        g.hyp(value)

    def found(self) -> None:
        """How sums of the same terms lie to each other."""
        super().found()
        for label in [k for k in self.facts if k in self.g.facts and k not in self.read]:
            self.read.add(label)
            self._written_sums(label)
        for inner, high in self.totals:
            self._linked(inner, high)
        for k, (inner, p) in enumerate(self.totals):
            for other, q in self.totals[k + 1 :]:
                if other != inner or (inner, p, q) in self.related or p == q:
                    continue
                for first, last in ((p, q), (q, p)):
                    if (order := self.known(("<=", None, (first, last)))) is not None:
                        self.related.add((inner, p, q))
                        self._related(inner, first, last, order)
                        break
                else:
                    self.need(("<=", None, (p, q)))

    def _linked(self, inner: Term, high: Term) -> None:
        """A sum is one of what its terms are by the cases that are known of them, where that stands in a fact."""
        written = self.written(inner, True)
        low = self.known(("<=", None, (self.root.low, self.root.low)))
        if written is None or (inner, high, high) in self.related or low is None:
            return
        if all(a in self.state for m, _ in nf(self.total(written, high)) for a, _ in m):
            self.related.add((inner, high, high))
            last = self.known(("<=", None, (high, self.root.high)))
            if last is not None:
                self.fact(self.put_written(self.root.low, high, inner, written, low, last))

    def _related(self, inner: Term, p: Term, q: Term, order: str) -> None:
        """The sum up to q is the one up to p and the terms after it: the next term, or more that are not negative."""
        g, root, summand, label = self.g, self.root, f"j. {self.g.text(inner)}", self.g.fresh("more")
        if constant(normal.add(nf(q), nf(p), -1)) == 1:
            start = self.known(("<=", None, (root.low, q)))
            if start is not None:
                g.use("ax:sum_step", summand, g.text(root.low), g.text(q), f"#{start}", label=label)
                self.fact(label)
            return
        low, high = (self.known(("<=", None, ends)) for ends in ((root.below, p), (q, root.high)))
        bound = self._bound(inner, num(0), True)
        if bound is None or low is None or high is None:
            return
        texts = [g.text(root.low), g.text(p), g.text(q)]
        g.use("lem:sum_split", summand, *texts, lambda h: both(h, low, order), label=label)

        def each(h: Goal) -> None:
            j, lo, hi = (h.fresh(stem) for stem in ("j", "from", "to"))
            h.intro(f"{j} ({lo} {hi})")
            self._term(h, bound.label, j, [lo, hi, low, high])

        rest, after, least = g.fresh("rest"), ("+", None, (p, num(1))), g.fresh("more")
        g.use("lem:sum_nonneg", summand, g.text(after), g.text(q), each, label=rest)
        f: Term = ("<=", None, (self.total(inner, p), self.total(inner, q)))
        g.have(f, least, lambda h: h.auto([label, rest], degree=1, rounds=0))
        self.fact(least)

    # --- What more there is, where the arithmetic does not close a case ----------------------------------------------

    def more(self) -> bool:
        """Whether terms of sums, and formulas about all positions, give new facts at the positions in use."""
        before = len(self.g.facts)
        places = self._in_use()
        for inner, p in [*self.totals]:
            bound = self._bound(inner, num(0), True)
            for q in places if bound is not None else ():
                if (inner, p, q) not in self.members:
                    self._member(inner, p, q, bound.label if bound else "")
        for label in [*self.universal]:
            for q in places:
                if (label, q) not in self.applied:
                    self.applied.add((label, q))
                    self._instance(label, q)
        return len(self.g.facts) > before or self._witness() or self._numbers()

    def _in_use(self) -> list[Term]:
        """The positions in use that are names or ends."""
        found: dict[Term, None] = {}
        for a in self.state:
            t = reify.atom(a)
            for s in subterms(t):
                if s[0] == "app" and (s[2][0] == W or s[2][0][1][0] in self.root.problem.equations):
                    found[s[2][1]] = None
        names = {var(name, "Int") for name, sort in self.g.scope.items() if sort == "Int"}
        names |= {self.root.low, self.root.high}
        return [
            place
            for place in dict.fromkeys((*found, *self.places, *self.lettered_places, *self.witnesses))
            if place in names
        ]

    def _member(self, inner: Term, p: Term, q: Term, nonneg: str) -> None:
        """A term is at most the sum of terms that are not negative."""
        g, root = self.g, self.root
        ends = [self.known(("<=", None, end)) for end in ((root.low, q), (q, p), (p, root.high))]
        if None in ends:
            return
        self.members.add((inner, p, q))
        low, here, high = (str(end) for end in ends)

        def each(h: Goal) -> None:
            j, lo, hi = (h.fresh(stem) for stem in ("j", "from", "to"))
            h.intro(f"{j} ({lo} {hi})")
            self._term(h, nonneg, j, [lo, hi, high])

        label, texts = g.fresh("member"), [g.text(t) for t in (root.low, p, q)]
        g.use("lem:sum_member", f"j. {g.text(inner)}", *texts, lambda h: both(h, low, here), each, label=label)
        self.fact(label)

    def _instance(self, label: str, place: Term) -> None:
        """A formula about all positions, or the negation of one about some, at one position."""
        g, f = self.g, self.g.facts[label]
        new = g.fresh("instance")
        if f[0] == "all":
            g.use(label, g.text(place), label=new, premises=0)
        else:
            inner = f[2][0]
            body = instantiate(inner[2][0], (place,))

            def proof(h: Goal) -> None:
                yes, there = h.fresh("yes"), h.fresh("there")
                h.intro(yes)
                h.have(inner, there, lambda k: k.witness(k.text(place)).hyp(yes))
                h.absurd(there, label)

            g.have(("~", None, (body,)), new, proof)
        self.assume(new)

    def _witness(self) -> bool:
        """A positive sum has a positive term: its position is one in use."""
        for inner, p in self.totals:
            if (inner, p) in self.witnessed or len(self.witnesses) >= MOST_WITNESSES:
                continue
            positive = self.known(("<", None, (num(0), self.total(inner, p))))
            if positive is None:
                continue
            self.witnessed.add((inner, p))
            self._obtained(inner, p, positive)
            return True
        return False

    def _obtained(self, inner: Term, p: Term, positive: str) -> None:
        """A position with a positive term."""
        g, root = self.g, self.root
        range_ = between(root.low, THERE, p)
        some: Term = ("ex", "Int", (abstract(conj(range_, ("<", None, (num(0), inner))), (THERE,)),))
        label, name = g.fresh("some"), g.fresh("x")
        g.have(some, label, lambda h: self._positive(h, inner, p, positive))
        parts = [g.fresh(stem) for stem in ("from", "to", "above")]
        g.obtain(label, name, " ".join(parts))
        self.witnesses.append(var(name, "Int"))
        for part in parts:
            self.assume(part)
        self._far(("sum", None, (root.low, p, abstract(inner, (THERE,)))))

    def _far(self, total: Term) -> None:
        """Up to a greatest length a fraction of integers is not nearer to 0 than one over that length."""
        for f in self.root.problem.needs:
            if f[0] == "<=" and f[2][0] == N and f[2][1][0] == "num":
                label, least = self.g.fresh("far"), ("/", None, (num(1), f[2][1]))
                with suppress(Unclosed, OutsideFragment, Stuck, Rejected, TooLong):
                    self.g.have(("<=", None, (least, total)), label, partial(self.close, most=MOST_BOUNDS))
                    self.assume(label)

    def _positive(self, g: Goal, inner: Term, p: Term, positive: str) -> None:
        """Were each term at most 0, the sum would be."""
        some, no, most = g.goal, g.fresh("no"), g.fresh("most")
        g.contra(no)

        def each(h: Goal) -> None:
            j, lo, hi, above, yes = (h.fresh(stem) for stem in ("j", "from", "to", "above", "yes"))
            h.intro(f"{j} ({lo} {hi})")
            h.contra(above)

            def witness(k: Goal) -> None:
                k.witness(j)
                for part, label in zip(k.split(), (lo, hi, above), strict=True):
                    part.hyp(label)

            h.have(some, yes, witness)
            h.absurd(yes, no)

        g.use("lem:sum_mono", f"j. {g.text(inner)}", "j. 0", g.text(self.root.low), g.text(p), each, label=most)
        rows = [FactRow(poly(g.facts[k]), g.facts[k][0], (k,), raw=poly(g.facts[k])) for k in (most, positive)]
        close(g, contradiction(rows) or [])

    def asked(self) -> Term | None:
        """A sum of which it is not known whether it is positive."""
        for inner, p in self.totals:
            f: Term = ("<", None, (num(0), self.total(inner, p)))
            if self.known(f) is None and self.known(("<=", None, f[2][::-1])) is None:
                return f
        return None

    def counterexample(self, label: str) -> str:
        """A position at which a formula about all positions is false, where its negation is the fact `label`."""
        g, f = self.g, self.g.facts[label]
        inner = f[2][0]
        body = instantiate(inner[2][0], (THERE,))
        some: Term = ("ex", inner[1], (abstract(("~", None, (body,)), (THERE,)),))
        found = g.fresh("some")

        def proof(h: Goal) -> None:
            no, all_ = h.fresh("no"), h.fresh("all")
            h.contra(no)

            def each(k: Goal) -> None:
                j, wrong, yes = (k.fresh(stem) for stem in ("j", "wrong", "yes"))
                k.intro(j)
                k.contra(wrong)
                k.have(some, yes, lambda m: m.witness(j).hyp(wrong))
                k.absurd(yes, no)

            h.have(inner, all_, each)
            h.absurd(all_, label)

        g.have(some, found, proof)
        return found
