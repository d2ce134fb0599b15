"""The values that terms have in a case of a proof by positions: numbers, or named positions.

A coordinate has the value of its equation; I[F] that of a formula that is decided; a sum is 0 where all its terms are,
or its one term that is not, or the number of positions before a named one. Each value is a fact of its own.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from itertools import combinations, product
from typing import Self

from symcook.proof.claims.placed import DecideFirst, PlacedFacts, Unplaced, simple
from symcook.proof.claims.problem import LETTERS
from symcook.proof.claims.truth import letter_at
from symcook.proof.normal import constant, nf
from symcook.proof.search.ranges import at_most, between, equals, ranged
from symcook.proof.search.tactics import Goal
from symcook.proof.terms import Term, instantiate, num, replace, var

THERE, MARK, NEW = var("j'", "Int"), var("m'", "Int"), var("x'", "Int")
ATOMS = ("app", "sum", "ind", "fn")


class PlacedValues(PlacedFacts):
    """What is known in a case, with values."""

    def under(self, g: Goal, without: str = "") -> Self:
        """The same knowledge at a branch of the goal, but for one formula."""
        new = type(self)(self.root, g)
        new.inherit(self, without)
        return new

    def prove(self) -> None:
        """Close the goal, which follows."""
        raise NotImplementedError

    # --- Terms -------------------------------------------------------------------------------------------------------

    def reduced(self, t: Term, used: dict[Term, str]) -> Term:
        """A term with values for its atoms; the equations are added to `used`."""
        tag, data, kids = t
        if tag in ATOMS:
            value, label = self.value(t)
            used[t] = label
            return value
        if tag == "*":
            for one in kids:
                if one[0] == "ind" and self.decided(one[2][0]) is False:
                    used[one] = self.value(one)[1]
                    return num(0)
        if tag in ("num", "var"):
            return t
        return simple((tag, data, tuple([self.reduced(k, used) for k in kids])))

    def number(self, t: Term) -> Fraction | None:
        """The number that a term without atoms is; None where it is none."""
        found = constant(nf(t))
        return None if found is None else Fraction(found)

    def rewritten(self, g: Goal, used: dict[Term, str]) -> None:
        """Put values in a goal."""
        for atom, label in used.items():
            if replace(g.goal, atom, num(0)) != g.goal:
                g.rewrite(label)

    def value(self, t: Term) -> tuple[Term, str]:
        """The value of an atom, and the label of the equation."""
        if t not in self.values:
            self.root.step()
            value = getattr(self, f"_{t[0]}")(t)
            if isinstance(value, str):
                value = self.g.facts[value][2][1], value
            self.values[t] = value
        return self.values[t]

    def equal(self, t: Term, value: Term, used: dict[Term, str], first: str = "") -> str:
        """The label of t = value, which holds once values are put in; `first` is an equation for t."""
        label = self.g.fresh("v")

        def proof(h: Goal) -> None:
            if first:
                h.rewrite(first)
            self.rewritten(h, used)
            h.true()

        self.g.have(equals(t, value), label, proof)
        return label

    def _app(self, t: Term) -> str | tuple[Term, str]:
        name, place = t[2][0][1][0], t[2][1]
        if name == "w":
            letter, label = self.at_letter(place)
            return (num(letter), label) if self.g.facts[label][2][0] == t else self.equal(t, num(letter), {}, label)
        used: dict[Term, str] = {}
        right, label = self.defined(name, place)
        return self.equal(t, self.reduced(right, used), used, label)

    def defined(self, name: str, place: Term) -> tuple[Term, str]:
        """The right side of the equation of a coordinate at a position, and the label of c(place) = right."""
        equation = self.root.problem.equations.get(name)
        if equation is None or equation.kind != "value":
            raise Unplaced(f"the coordinate {name}")
        label = self.g.fresh("is")
        run = self.root.problem.label(equation.part, equation.truth)
        self.g.use(run, self.g.text(place), f"#{self.inside(place)}", label=label)
        return self.g.facts[label][2][1], label

    def _fn(self, t: Term) -> str:
        used: dict[Term, str] = {}
        arguments = tuple([self.reduced(k, used) for k in t[2]])
        new = simple((t[0], t[1], arguments))
        if self.number(new) is None:
            if t[1] in ("min", "max") and self.decided(("<=", None, arguments)) is not None:
                new = arguments[(t[1] == "min") is not self.decided(("<=", None, arguments))]
            raise Unplaced(f"the function {t[1]} of a position")
        return self.equal(t, new, used)

    def decide(self, f: Term) -> bool:
        """The same; DecideFirst where neither follows, and the fact that does is proved."""
        value = self.decided(f)
        if value is None:
            raise self.split(f)
        self.established(f if value else ("~", None, (f,)))
        return value

    def split(self, f: Term) -> DecideFirst:
        """What to decide for a formula."""
        for part in ("&", "|", "->", "~"):
            if f[0] == part:
                open_ones = [k for k in f[2] if self.decided(k) is None]
                return self.split(open_ones[0]) if open_ones else DecideFirst(f)
        if f[0] == "=" and f[2][0][0] == "app" and f[2][0][2][0][1] == ("w", LETTERS):
            return DecideFirst(letter=simple(f[2][0][2][1]))
        if f[0] == "=":
            for sides in (f[2], f[2][::-1]):
                if self.decided(half := ("<=", None, sides)) is None:
                    return DecideFirst(half)
        return DecideFirst(f)

    def _ind(self, t: Term) -> str:
        f = t[2][0]
        letter = letter_at(f)
        known = None if letter is None else self.letters.get(simple(letter[0]))
        if letter is not None and known is not None and self.g.facts[known[1]][2][0] == f[2][0]:
            return self.equal(t, num(int(known[0] == letter[1])), {}, known[1])
        value = self.decide(f)
        label, known = self.g.fresh("v"), self.established(f if value else ("~", None, (f,)))

        def proof(h: Goal) -> None:
            names = h.fresh("f"), h.fresh("v")
            before = {*h.facts}
            for k, holds in zip(h.ind(f, " ".join(names)), (True, False), strict=True):
                if holds is value:
                    k.hyp(names[1])
                    continue
                parts = [x for x in k.facts if x not in before and x != names[1] and k.facts[x][0] != "|"]
                k.contra(k.fresh("no"))
                if not value:
                    whole = k.fresh("whole")
                    k.have(f, whole, partial(_joined, labels=parts))
                    k.absurd(whole, known)
                else:
                    k.absurd(known, parts[0])

        self.g.have(equals(t, num(int(value))), label, proof)
        return label

    # --- Sums --------------------------------------------------------------------------------------------------------

    def _sum(self, t: Term) -> str:
        low, high, body = t[2]
        term = instantiate(body, (THERE,))
        zero = equals(term, num(0))
        if self.follows(ranged(low, high, zero, THERE)):
            return self.none(t)
        for p in self.candidates():
            if self.selects(low, high, zero, p):
                return self.only(t, p)
        counted = [self.counts(term, zero, last) for last in (False, True)]
        for last, f in enumerate(counted):
            for p in self.candidates():
                if self.follows(ranged(low, high, replace(f, MARK, p), THERE)):
                    return self.counted(t, p, bool(last))
        raise self.choice(t, zero, counted)

    def selects(self, low: Term, high: Term, zero: Term, p: Term) -> bool:
        """Whether all terms but that at p are 0, and p is in the range."""
        inside = between(low, p, high)
        same = equals(THERE, p)
        return self.follows(inside) and self.follows(ranged(low, high, ("|", None, (same, zero)), THERE))

    def each(self, h: Goal, *labels: str) -> None:
        """Close a goal about all positions of a range."""
        case = self.under(h)
        name = h.fresh("j")
        h.intro(f"{name} {labels[0]}")
        case.name(var(name, "Int"))
        case.suppose(labels[0])
        case.prove()

    def none(self, t: Term) -> str:
        """A sum of zeros."""
        g, (low, high, _) = self.g, t[2]
        same, label = g.fresh("same"), g.fresh("v")
        f = g.text(("lam", ("Int",), (t[2][2],)))
        g.use("lem:sum_ext", f, "j. 0", g.text(low), g.text(high), lambda h: self.each(h, h.fresh("in")), label=same)
        g.have(equals(t, num(0)), label, lambda h: h.hyp(same))
        return label

    def only(self, t: Term, p: Term) -> str:
        """A sum with one term."""
        g, (low, high, body) = self.g, t[2]
        first = g.fresh("only")
        inside = self.established(between(low, p, high))

        def others(h: Goal) -> None:
            name, between, apart = h.fresh("j"), h.fresh("in"), h.fresh("apart")
            case = self.under(h)
            h.intro(f"{name} {between} {apart}")
            case.name(var(name, "Int"))
            case.suppose(between)
            case.suppose(apart)
            case.prove()

        f = g.text(("lam", ("Int",), (body,)))
        g.use("lem:sum_only", f, g.text(low), g.text(high), g.text(p), f"#{inside}", others, label=first)
        used: dict[Term, str] = {}
        return self.equal(t, self.reduced(instantiate(body, (p,)), used), used, first)

    @staticmethod
    def counts(term: Term, zero: Term, last: bool) -> Term:
        """A term is 1 before the position `MARK` and 0 from it on; else 0 up to it, and 1 after it."""
        there = ("<", None, (MARK, THERE) if last else (THERE, MARK))
        one = equals(term, num(1))
        return ("&", None, (("->", None, (there, one)), ("|", None, (there, zero))))

    def counted(self, t: Term, p: Term, last: bool) -> str:
        """The number of positions of a range before p, or after it, each of which is counted once."""
        g, (low, high, body) = self.g, t[2]
        same, many, label = g.fresh("same"), g.fresh("many"), g.fresh("v")
        f = g.text(("lam", ("Int",), (body,)))
        below = ("-", None, (low, num(1))) if last else low
        above = high if last else ("+", None, (high, num(1)))
        inside = self.established(between(below, p, above))
        bit = f"{g.text(p)} < j" if last else f"j < {g.text(p)}"
        texts = g.text(low), g.text(high)
        g.use("lem:sum_ext", f, f"j. I[{bit}]", *texts, lambda h: self.each(h, h.fresh("in")), label=same)
        lemma = f"lem:count_{'after' if last else 'before'}"
        g.use(lemma, *texts, g.text(p), f"#{inside}", label=many)
        value = simple(("-", None, (high, p) if last else (p, low)))

        def proof(h: Goal) -> None:
            h.rewrite(same)
            h.rewrite(many)
            h.true()

        g.have(equals(t, value), label, proof)
        return label

    def choice(self, t: Term, zero: Term, counted: list[Term]) -> DecideFirst:
        """What to decide for a sum: whether its range is empty, the order of two positions if its terms change at one
        of them, or where a token stands first or last in it."""
        low, high, _ = t[2]
        if self.decided(f := at_most(low, high)) is None:
            return DecideFirst(f)

        def ends(f: Term, p: Term) -> Term:
            return ranged(low, high, replace(f, MARK, p), THERE)

        for (p, q), f in product(combinations(map(simple, self.places), 2), counted):
            order: Term = at_most(p, q)
            if self.decided(order) is None and self.follows(("|", None, (ends(f, p), ends(f, q)))):
                return DecideFirst(order)
        near = [NEW, *(("+", None, (NEW, num(k))) for k in (1, -1))]
        alone = ("|", None, (equals(THERE, NEW), zero))
        wanted = [ranged(low, high, alone, THERE), *(ends(f, p) for f in counted for p in near)]
        either = [("|", None, (ends(f, NEW), ends(f, p))) for f in counted for p in self.places]
        found = self.nameable(low, high, wanted) or self.nameable(low, high, either)
        if found is None:
            raise Unplaced(f"no position decides {self.g.text(t)[:80]}")
        return found

    def nameable(self, low: Term, high: Term, wanted: list[Term]) -> DecideFirst | None:
        """A position of a range, some, the first or the last one with a token, so that one of the formulas about `NEW`
        follows: it has a name now, or whether there is one is to be decided."""
        letter = self.root.lettered.is_letter
        inside = between(low, NEW, high)
        for order in (None, (THERE, NEW), (NEW, THERE)):
            for a in self.root.problem.letters:
                key = (low, high, order, a)
                some = ranged(low, high, letter(THERE, a), THERE, "ex")
                if key in self.extremes or self.decided(some) is False:
                    continue
                there = ("&", None, (inside, letter(NEW, a)))
                if order is not None:
                    rest = ("->", None, (("<", None, order), ("~", None, (letter(THERE, a),))))
                    there = ("&", None, (there, ranged(low, high, rest, THERE)))
                truths = self.root.truths(there)
                if truths is None:
                    continue
                within = self.root.regular.t.both(self.context, truths.yes)
                if any(self.follows(f, within) for f in wanted):
                    if self.decided(some) is None:
                        return DecideFirst(some)
                    self.extremes.add(key)
                    if order is None:
                        self.suppose(self.established(some))
                    else:
                        self.extreme(some, a, low, high, order[0] == NEW)
                    return DecideFirst()
        return None

    def extreme(self, some: Term, a: int, low: Term, high: Term, last: bool) -> None:
        """A name for the first or the last position of a range with a token."""
        g, label = self.g, self.g.fresh("there")
        lemma = f"lem:{'last' if last else 'first'}_place"
        known = self.established(some)
        g.use(lemma, "w", str(a), g.text(low), g.text(high), f"#{known}", label=label)
        self.suppose(label)


def _joined(g: Goal, labels: list[str]) -> None:
    """A conjunction from its parts."""
    if len(labels) == 1:
        g.hyp(labels[0])
        return
    for part, label in zip(g.split(), labels, strict=True):
        part.hyp(label)
