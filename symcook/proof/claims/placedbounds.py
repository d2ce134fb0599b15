"""Means and sums against numbers, in a case of a proof by positions: by a bound of all terms, and one that is strict.

A mean is S/W, with a sum S of terms and W the sum of their weights, the number of positions where there are none. So
S - v*W is the sum of weight*(term - v): it is not negative where no term is below v, and positive where one is above.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from symcook.proof import normal
from symcook.proof.claims.kinds import FiniteTerm, PlaceCases, PlaceTerm
from symcook.proof.claims.placed import Unplaced, simple, tracked
from symcook.proof.claims.placedstates import PlacedStates
from symcook.proof.claims.placedvalues import ATOMS, THERE, PlacedValues
from symcook.proof.claims.problem import OutsideFragment, at_place
from symcook.proof.normal import add, nf
from symcook.proof.search import reify
from symcook.proof.search.ranges import at_most, between, equals, less_than, ranged
from symcook.proof.search.tactics import Goal
from symcook.proof.terms import Term, abstract, instantiate, num, replace, var


class PlacedMean(NamedTuple):
    """(t - old)*size = sum(j, low, high, weight*term), by the fact `label`; without a size t is the sum itself."""

    low: Term
    high: Term
    weight: Term | None
    term: Term
    size: Term | None = None
    old: Term = num(0)
    label: str = ""


class PlacedBounds(PlacedStates):
    """What is known in a case, with bounds of means and sums."""

    def partly(self, t: Term, used: dict[Term, str], unbounded: list[Term]) -> Term:
        """A term with values for the atoms that have finitely many; the others are put down."""
        tag, data, kids = t
        if tag in ("app", "sum") and not self.finite(t):
            if t not in unbounded:
                unbounded.append(t)
            return t
        if tag in ATOMS or tag in ("num", "var") or tag == "*":
            return (
                self.reduced(t, used)
                if tag != "*" or not any(self._open(k) for k in kids)
                else simple((tag, data, tuple([self.partly(k, used, unbounded) for k in kids])))
            )
        return simple((tag, data, tuple([self.partly(k, used, unbounded) for k in kids])))

    def _open(self, t: Term) -> bool:
        return (t[0] in ("app", "sum") and not self.finite(t)) or (t[0] not in ATOMS and any(map(self._open, t[2])))

    def finite(self, t: Term) -> bool:
        """Whether a term has finitely many values, or is a position."""
        equation = self.root.problem.equations.get(t[2][0][1][0]) if t[0] == "app" else None
        empty = equation.empty if equation is not None and equation.kind == "strict" else None
        if empty is not None and self.decide(equals(t[2][1], empty)):
            return True
        try:
            kind = self.root.regular.kind(tracked(t))
        except OutsideFragment:
            return False
        return isinstance(kind, FiniteTerm | PlaceTerm | PlaceCases)

    def mean(self, t: Term) -> PlacedMean:
        """A coordinate that is a mean, or a sum."""
        if t[0] == "sum":
            return PlacedMean(t[2][0], t[2][1], None, instantiate(t[2][2], (THERE,)))
        name, place = t[2][0][1][0], t[2][1]
        equation = self.root.problem.equations.get(name)
        if t[0] != "app" or equation is None:
            raise Unplaced(f"the bounds of {self.g.text(t)}")
        run = self.root.problem.label(equation.part, equation.truth)
        label = self.g.fresh("mean")
        inside = f"#{self.inside(place)}"
        right, size, old = (at_place(x, place) for x in (equation.right, equation.size, equation.old))
        if equation.kind == "value" and right[0] == "/" and right[2][0][0] == "sum":
            self.g.use(run, self.g.text(place), inside, label=label)
            right, size = right[2]
            made = self._parts(right, size)
            return made._replace(label=self.cleared(t, made, label))
        if equation.kind not in ("average", "strict") or right[0] != "sum":
            raise Unplaced(f"the bounds of {name}")
        labels = label if equation.kind == "average" else f"{label} {self.g.fresh('empty')}"
        self.g.use(run, self.g.text(place), inside, label=labels)
        return self._parts(right, size)._replace(old=old, label=label)

    def _parts(self, right: Term, size: Term) -> PlacedMean:
        """The weights and the terms of S/W."""
        low, high, body = right[2]
        body = instantiate(body, (THERE,))
        if size[0] == "sum":
            weight = instantiate(size[2][2], (THERE,))
            if size[2][:2] != (low, high) or body[0] != "*" or body[2][0] != weight:
                raise Unplaced("a mean whose weights do not fit")
            return PlacedMean(low, high, weight, body[2][1], size)
        return PlacedMean(low, high, None, body, size)

    def cleared(self, t: Term, mean: PlacedMean, label: str) -> str:
        """t*size = S from t = S/size."""
        g = self.g
        inverse, out = g.fresh("inv"), g.fresh("clear")
        positive = self.positive(mean)

        def apart(h: Goal) -> None:
            zero = h.fresh("zero")
            h.intro(zero).auto([positive, zero], degree=1, rounds=0)

        size, total = mean.size or num(1), self.total(mean)
        g.use("ax:inv", g.text(size), apart, label=inverse)
        show = equals(("*", None, (t, size)), total)

        def proof(h: Goal) -> None:
            h.rewrite(label)
            h._emit({"by": "pos", "eq": [[h.text(total), inverse]]}, True)

        g.have(show, out, proof)
        return out

    def total(self, mean: PlacedMean) -> Term:
        """S."""
        body = mean.term if mean.weight is None else ("*", None, (mean.weight, mean.term))
        return ("sum", None, (mean.low, mean.high, abstract(body, (THERE,))))

    def positive(self, mean: PlacedMean) -> str:
        """The label of 0 < W."""
        g, size = self.g, mean.size or num(1)
        f = less_than(num(0), size)
        label = g.fresh("size")
        if mean.weight is None:
            return self.established(f)
        texts = [g.text(("lam", ("Int",), (abstract(mean.weight, (THERE,)),))), g.text(mean.low), g.text(mean.high)]
        if mean.weight[0] == "fn" and mean.weight[1] == "exp":
            some = self.established(at_most(mean.low, mean.high))

            def above(h: Goal) -> None:
                name, between, so = h.fresh("j"), h.fresh("in"), h.fresh("so")
                h.intro(f"{name} {between}")
                h.use("ax:exp_pos", h.text(replace(mean.weight, THERE, var(name, "Int"))[2][0]), label=so)  # type: ignore[arg-type]
                h.hyp(so)

            g.use("lem:sum_positive", *texts, f"#{some}", above, label=label)
            return label
        p = self.witness(mean, equals(mean.weight, num(1)))
        zero = at_most(num(0), mean.weight)
        member, used = g.fresh("member"), {}
        inside = self.established(between(mean.low, p, mean.high))
        least = self.everywhere(mean, zero)
        g.use("lem:sum_member", *texts, g.text(p), f"#{inside}", f"#{least}", label=member)
        one = replace(mean.weight, THERE, p)
        known = self.equal(one, self.reduced(one, used), used)
        g.have(f, label, lambda h: h.auto([member, known], degree=1, rounds=0))
        return label

    def everywhere(self, mean: PlacedMean, f: Term) -> str:
        """The label of f at all positions of the range."""
        return self.established(ranged(mean.low, mean.high, f, THERE))

    def witness(self, mean: PlacedMean, f: Term) -> Term:
        """A position of the range with a property."""
        for p in self.candidates():
            if self.follows(between(mean.low, p, mean.high)) and self.follows(replace(f, THERE, p)):
                return p
        some = ranged(mean.low, mean.high, f, THERE, "ex")
        if not self.follows(some):
            raise self.split(some)
        label = self.established(some)
        before = len(self.places)
        self.suppose(label)
        return self.places[before]

    def bound(self, t: Term, op: str, v: Term, above: bool) -> str:
        """The label of v op t, or of t op v where it is not `above`; op is <= or <."""
        g, mean = self.g, self.mean(t)
        used: dict[Term, str] = {}
        old = self.reduced(mean.old, used)
        level = simple(("-", None, (v, old)))
        goal = (op, None, (v, t) if above else (t, v))
        label, so = g.fresh("bound"), g.fresh("sum")
        if mean.size is None:
            return self._sum_bound(t, mean, op, v, above)
        gap = ("-", None, (mean.term, level) if above else (level, mean.term))
        no_less = ("<=", None, (level, mean.term) if above else (mean.term, level))
        each = gap if mean.weight is None else ("*", None, (mean.weight, gap))
        texts = [g.text(("lam", ("Int",), (abstract(each, (THERE,)),))), g.text(mean.low), g.text(mean.high)]
        facts = [so, self.positive(mean), mean.label]
        least = g.fresh("least")

        def at_each(h: Goal) -> None:
            name, between = h.fresh("j"), h.fresh("in")
            case = self.under(h)
            h.intro(f"{name} {between}")
            case.name(place := var(name, "Int"))
            case.suppose(between)
            weight = None if mean.weight is None else replace(mean.weight, THERE, place)
            if weight is not None and weight[0] == "fn":
                more, pos = h.fresh("more"), h.fresh("pos")
                h.have(replace(no_less, THERE, place), more, lambda k: self._inner(case, k))
                h.use("ax:exp_pos", h.text(weight[2][0]), label=pos)
                h.auto([more, pos])
                return
            case.prove()

        every = at_most(num(0), each)
        g.have(ranged(mean.low, mean.high, every, THERE), least, at_each)
        if op == "<":
            p = self.witness(mean, ("<", None, no_less[2]))
            inside = self.established(between(mean.low, p, mean.high))
            g.use("lem:sum_member", *texts, g.text(p), f"#{inside}", f"#{least}", label=so)
            one = self.established(less_than(num(0), replace(gap, THERE, p)))
            facts.append(one)
            if mean.weight is not None:
                weight = replace(mean.weight, THERE, p)
                facts.append(self._weight(weight, one, replace(gap, THERE, p)))
        else:
            g.use("lem:sum_nonneg", *texts, f"#{least}", label=so)
        if mean.weight is None:
            many = g.fresh("many")
            g.use("lem:sum_one", *texts[1:], lambda h: h.auto([facts[1]], degree=1, rounds=0), label=many)
            facts.append(many)

        def proof(h: Goal) -> None:
            no = h.fresh("no")
            h.contra(no)
            labels = [*facts, *used.values()]
            if used:
                new = h.fresh("clear")
                h.use(mean.label, label=new)
                for x in used.values():
                    again = h.fresh("clear")
                    h.rewrite(x, new, again)
                    new = again
                labels = [new if x == mean.label else x for x in facts]
            h.auto([*labels, no])

        g.have(goal, label, proof)
        return label

    @staticmethod
    def _inner(case: PlacedValues, h: Goal) -> None:
        inner = case.under(h)
        inner.prove()

    def _weight(self, weight: Term, one: str, gap: Term) -> str:
        """The label of 0 < weight*gap, or of weight = 1."""
        g, label = self.g, self.g.fresh("weight")
        if weight[0] == "fn":
            pos = g.fresh("pos")
            g.use("ax:exp_pos", g.text(weight[2][0]), label=pos)
            g.have(less_than(num(0), ("*", None, (weight, gap))), label, lambda h: h.auto([pos, one]))
            return label
        used: dict[Term, str] = {}
        return self.equal(weight, self.reduced(weight, used), used)

    def _sum_bound(self, t: Term, mean: PlacedMean, op: str, v: Term, above: bool) -> str:
        """A bound of a sum whose terms have one sign."""
        g = self.g
        goal = (op, None, (v, t) if above else (t, v))
        label, so, least = g.fresh("bound"), g.fresh("sum"), g.fresh("least")
        term = mean.term if above else ("neg", None, (mean.term,))
        f = g.text(("lam", ("Int",), (abstract(term, (THERE,)),)))
        texts = [f, g.text(mean.low), g.text(mean.high)]
        facts = [so]
        g.have(ranged(mean.low, mean.high, at_most(num(0), term), THERE), least, lambda h: self._each_of(h))
        value = v if above else ("neg", None, (v,))
        level = self.number(value)
        if level is None:
            raise Unplaced(f"a sum against {g.text(v)}")
        if level < 0 or (op == "<=" and not level):
            g.use("lem:sum_nonneg", *texts, f"#{least}", label=so)
        else:
            p = self.witness(mean, (op, None, (value, term)))
            inside = self.established(between(mean.low, p, mean.high))
            g.use("lem:sum_member", *texts, g.text(p), f"#{inside}", f"#{least}", label=so)
            facts.append(self.established((op, None, (value, replace(term, THERE, p)))))
        g.have(goal, label, lambda h: h.auto(facts, degree=1, rounds=0))
        return label

    def _each_of(self, h: Goal) -> None:
        name, between = h.fresh("j"), h.fresh("in")
        case = self.under(h)
        h.intro(f"{name} {between}")
        case.name(var(name, "Int"))
        case.suppose(between)
        case.prove()

    def level(self, f: Term, t: Term) -> tuple[Term, bool] | None:
        """A comparison without other atoms, as v op t (True) or t op v (False)."""
        p = add(nf(f[2][1]), nf(f[2][0]), -1)
        (lead,) = nf(t)
        scale = p.get(lead)
        if scale is None or any(m != lead and m[0] for m in p):
            return None
        rest = {m: c for m, c in p.items() if m != lead}
        return reify.term(normal.scale(rest, Fraction(-1) / Fraction(scale))), scale > 0
