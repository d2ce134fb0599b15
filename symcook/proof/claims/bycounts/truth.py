"""Evaluates formulas from the comparisons that are decided in a case, and proves the result.

`DecidedFormulas` has the facts of a case by the normal forms of their formulas. A formula is true, false or undecided,
depending on its parts. `show` proves a formula that is true, and `deny` closes a goal by a fact that is false.
"""

from __future__ import annotations

from symcook.errors import Rejected
from symcook.proof.claims.bycounts.casestate import CaseState
from symcook.proof.claims.bycounts.farkas import FactRow, close, contradiction
from symcook.proof.claims.bycounts.problem import W
from symcook.proof.inequalities.linear import poly
from symcook.proof.normal import FALSE as NFALSE
from symcook.proof.normal import TRUE as NTRUE
from symcook.proof.normal import fkey
from symcook.proof.search.ranges import at_most
from symcook.proof.search.tactics import Goal
from symcook.proof.terms import COMPARISONS, FALSE, Term, flatten


def letter_at(f: Term) -> tuple[Term, int] | None:
    """The pair (place, letter) if the formula is w(place) = letter; None for any other formula."""
    if f[0] == "=" and f[2][0][0] == "app" and f[2][0][2][0] == W and f[2][1][0] == "num":
        return f[2][0][2][1], f[2][1][1][0]
    return None


class DecidedFormulas(CaseState):
    """The facts of a case, by which formulas are decided."""

    def __init__(self, g: Goal) -> None:
        self.g = g
        self.literals: dict[object, str] = {}  # by key of a formula: the label of the fact

    def truth(self, f: Term) -> bool | None:
        """Whether a formula is true by the decided facts; None if it is undecided."""
        tag, _, kids = f
        if tag == "~":
            inner = self.truth(kids[0])
            return None if inner is None else not inner
        if tag in ("&", "|"):
            # One false part decides a conjunction, one true part a disjunction.
            values = [self.truth(part) for part in flatten(tag, f)]
            if (tag == "|") in values:
                return tag == "|"
            return None if None in values else tag == "&"
        if tag == "->":
            a, b = self.truth(kids[0]), self.truth(kids[1])
            if a is False or b is True:
                return True
            return None if None in (a, b) else False
        key = fkey(f)
        if key in (NTRUE, NFALSE):
            return key == NTRUE
        if key in self.literals:
            return True
        if fkey(("~", None, (f,))) in self.literals:
            return False
        # a = b is true if a <= b and b <= a are, and false if one of them is.
        if tag == "=" and letter_at(f) is None:
            a, b = kids
            halves = [self.truth(("<=", None, side)) for side in ((a, b), (b, a))]
            if False in halves:
                return False
            return None if None in halves else True
        return None

    def show(self, g: Goal, f: Term) -> None:
        """Close the goal `f` of `g`, which is true by the decided facts."""
        tag, _, kids = f
        key = fkey(f)
        if key == NTRUE:
            return g.true()
        if key in self.literals:
            return g.hyp(self.literals[key])
        if tag == "&":
            # A conjunction by all its parts.
            for h, part in zip(g.split(), flatten("&", f), strict=True):
                self.show(h, part)
        elif tag == "|":
            # A disjunction by the side that is true.
            side = "left" if self.truth(kids[0]) else "right"
            self.show(g.pick(side), kids[side == "right"])
        elif tag in ("->", "~"):
            label = g.fresh("if")
            g.intro(label)
            # An implication by its conclusion if that is true, else by its false premise; a negation in the same way.
            if tag == "->" and self.truth(kids[1]):
                self.show(g, kids[1])
            else:
                self.deny(g, label)
        elif tag == "=":
            # a = b by both inequalities
            for h in g.antisym():
                self.show(h, h.goal)
        else:
            raise Rejected("the facts do not decide a formula")
        return None

    def deny(self, g: Goal, label: str) -> None:
        """Close any goal by the fact `label`, which is false by the decided facts."""
        f = g.facts[label]
        tag, _, kids = f
        if fkey(f) == NFALSE:
            return g.absurd(label)
        negation_label = self.literals.get(fkey(("~", None, (f,))))
        if negation_label is not None:
            return g.absurd(label, negation_label)
        # From here on the goal is FALSE.
        if g.goal != FALSE:
            g.contra(g.fresh("no"))
        if tag == "&":
            stem, parts = g.fresh("and"), flatten("&", f)
            g.use(label, label=" ".join(f"{stem}_{k}" for k in range(len(parts))))
            # A conjunction is contradicted by its false part.
            k = next(k for k, part in enumerate(parts) if self.truth(part) is False)
            self.deny(g, f"{stem}_{k}")
        elif tag == "|":
            stem = g.fresh("or")
            # A disjunction: in each case, its part is false.
            labels = [f"{stem}_{k}" for k in range(len(flatten("|", f)))]
            for h, case_label in zip(g.cases(label, *labels), labels, strict=True):
                self.deny(h, case_label)
        elif tag == "->":
            # The premise of an implication is true, so its conclusion becomes a fact, which is false.
            conclusion = g.fresh("so")
            g.use(label, lambda h: self.show(h, kids[0]), label=conclusion)
            self.deny(g, conclusion)
        elif tag == "~":
            yes = g.fresh("yes")
            g.have(kids[0], yes, lambda h: self.show(h, kids[0]))
            g.absurd(yes, label)
        elif tag == "=":
            a, b = kids
            # One of a <= b and b <= a is false: its opposite is a strict inequality, which contradicts a = b.
            less = next(side for side in ((a, b), (b, a)) if self.truth(("<=", None, side)) is False)
            strict = self.literals[fkey(("<", None, less[::-1]))]
            rows = [FactRow(poly(x), x[0], (k,), raw=poly(x)) for x, k in ((f, label), (g.facts[strict], strict))]
            close(g, contradiction(rows) or [])
        else:
            raise Rejected("the facts do not decide a formula")
        return None

    def undecided(self, f: Term) -> Term | None:
        """The first undecided comparison in a formula, outside quantifiers; None if all are decided. For an equation it
        is one of its two inequalities, except for an equation w(place) = letter."""
        for part in comparisons(f):
            if self.truth(part) is None:
                if part[0] == "=" and letter_at(part) is None:
                    a, b = part[2]
                    halves = [at_most(a, b), at_most(b, a)]
                    return next(half for half in halves if self.truth(half) is None)
                return part
        return None


def comparisons(f: Term) -> list[Term]:
    """The comparisons in a formula, without those under quantifiers."""
    if f[0] in COMPARISONS:
        return [f]
    if f[0] in ("all", "ex"):
        return []
    return [part for k in f[2] for part in comparisons(k)]


def quantified(f: Term) -> list[Term]:
    """The outermost quantified formulas in a formula, outside comparisons."""
    if f[0] in ("all", "ex"):
        return [f]
    return [] if f[0] in COMPARISONS else [part for k in f[2] for part in quantified(k)]
