"""The proof of a claim of fragment A by cases on positions: how goals are closed and cases refuted."""

from __future__ import annotations

from symcook.proof.claims.atoms import SIDES
from symcook.proof.claims.kinds import FiniteTerm
from symcook.proof.claims.lettered import Lettered
from symcook.proof.claims.parabolas import polynomial
from symcook.proof.claims.placed import DecideFirst, PlacedRoot, Unplaced, ordered, simple, tracked
from symcook.proof.claims.placedrefuted import PlacedRefutations
from symcook.proof.claims.placedvalues import THERE
from symcook.proof.claims.problem import Equation, Problem, introduce
from symcook.proof.claims.regular import Regular
from symcook.proof.claims.truth import letter_at
from symcook.proof.normal import TRUE as NTRUE
from symcook.proof.normal import fkey, nf
from symcook.proof.search.ranges import at_most, equals, ranged
from symcook.proof.search.tactics import Citable, Goal
from symcook.proof.terms import (
    COMPARISONS,
    FALSE,
    Term,
    instantiate,
    loose,
    negation,
    num,
    replace,
    subterms,
    var,
)


class PlacedCase(PlacedRefutations):
    """One case of the proof."""

    # --- Goals -------------------------------------------------------------------------------------------------------

    def prove(self) -> None:
        """Close the goal, which follows from what is supposed."""
        self.root.step()
        g = self.g
        while g.goal[0] in ("all", "->", "~"):
            if g.goal[0] == "~" and g.goal[2][0][0] in ("<=", "<"):
                flipped = g.fresh("flip")
                inner = g._branch(negation(g.goal[2][0]))
                self.under(inner).prove()
                g._emit({"by": "have", "show": g.text(inner.goal), "proof": inner.nodes, "as": flipped})
                g._bind(flipped, inner.goal)
                g.hyp(flipped)
                return
            label = g.fresh("x" if g.goal[0] == "all" else "if")
            sort, named = g.goal[1], g.goal[0] == "all"
            g.intro(label)
            if named:
                self.name(var(label, sort))
            else:
                self.suppose(label)
        while True:
            key = fkey(g.goal)
            if key == NTRUE:
                return g.true()
            if key in self.literals and self.literals[key] in g.facts:
                return g.hyp(self.literals[key])
            if self.context.empty:
                return self.refute()
            if g.goal == FALSE and self.pending:
                return self.falsify(self.pending)
            try:
                self.close()
            except DecideFirst as wanted:
                if wanted.named:
                    continue  # a position has a name now
                return self.divide(wanted)
            return None

    def close(self) -> None:
        """Close a goal that is no implication in a case that some string has."""
        g, f = self.g, self.g.goal
        if f[0] == "&":
            for part in g.split():
                self.under(part).prove()
        elif f[0] == "|":
            sides = [self.decided(k) for k in f[2]]
            if True not in sides:
                raise self.split(f[2][sides.index(None)] if None in sides else f)
            g.pick("right" if sides[0] is not True else "left")
            self.prove()
        elif f[0] == "ex":
            self.exists(f)
        elif f[0] in COMPARISONS:
            self.compare(f)
        else:
            raise Unplaced("a case that some string has")

    def exists(self, f: Term) -> None:
        """An existence, by a named position or by contradiction."""
        g = self.g
        if (found := self.root.along.remainder(f)) is not None:
            rest, known = self.carried(found.carried, found.place)
            if rest != found.rest:
                raise Unplaced("a remainder that it has not")
            return found.carried.shown(g, known, found, self.inside(found.place))
        for p in self.candidates():
            if self.follows(instantiate(f[2][0], (p,))):
                g.witness(g.text(p))
                return self.prove()
        no = g.fresh("no")
        g.contra(no)
        self.suppose(no)
        return self.refute()

    # --- Comparisons -------------------------------------------------------------------------------------------------

    def compare(self, f: Term) -> None:
        """A comparison that follows."""
        g = self.g
        if (letter := letter_at(f)) is not None:
            return self.letter(*letter)
        if ordered(f):
            if g.try_auto(self.orders, degree=1, rounds=0):
                return None
            if f[0] != "=" and any(sum(k for _, k in factors) > 1 for factors, _ in nf(("-", None, f[2]))):
                return self.by_products(f)
            if f[0] == "=":
                for half in g.antisym():
                    self.under(half).prove()
                return None
            no = g.fresh("no")
            g.contra(no)
            self.suppose(no)
            return self.refute()
        if self.unfolded(g):
            return self.compare(g.goal)
        used: dict[Term, str] = {}
        unbounded: list[Term] = []
        sides = [self.partly(k, used, unbounded) for k in f[2]]
        if not unbounded:
            self.rewritten(g, used)
            if fkey(g.goal) == NTRUE:
                return g.true()
            if ordered(g.goal):
                return self.compare(g.goal)
            return self.by_products(g.goal) if polynomial(g.goal) else self._stuck(g.goal)
        if len(unbounded) > 1:
            raise Unplaced("two means in one comparison")
        if f[0] == "=":
            for half in g.antisym():
                self.under(half).prove()
            return None
        found = self.level((f[0], None, tuple(sides)), unbounded[0])
        if found is None:
            raise Unplaced(f"no bound of {g.text(unbounded[0])[:60]}")
        label = self.bound(unbounded[0], f[0], *found)
        return g.auto([label, *used.values()], degree=1, rounds=0)

    def unfolded(self, g: Goal) -> bool:
        """Put in what a coordinate without finitely many values is, where it is no mean, or a side of a function."""
        for t in subterms(g.goal):
            if t[0] == "app" and len(t[2]) == 2 and t[2][1] and not loose(t) and not self.finite(t):
                equation = self.root.problem.equations.get(t[2][0][1][0])
                if equation is not None and equation.kind == "value" and equation.right[0] not in ("/", "sum"):
                    g.rewrite(self.defined(t[2][0][1][0], t[2][1])[1])
                    return True
            if t[0] == "fn" and t[1] in SIDES and not loose(t) and not self.finite(t):
                low, high = (num(0), t[2][0]) if len(t[2]) == 1 else t[2]
                order = at_most(low, high)
                value = self.decide(order)
                known, label = self.established(order if value else ("~", None, (order,))), g.fresh("side")
                given = f"#{known}" if value else (lambda h, known=known: h.auto([known], degree=1, rounds=0))
                name = SIDES[t[1]][not value]
                g.use(f"ax:{t[1]}_{name}", *(g.text(x) for x in t[2]), given, label=label)
                g.rewrite(label)
                return True
        return False

    def _stuck(self, f: Term) -> None:
        raise Unplaced(f"no rule for {self.g.text(f)[:80]}")

    def _app(self, t: Term) -> str | tuple[Term, str]:
        name, place = t[2][0][1][0], t[2][1]
        equation = self.root.problem.equations.get(name)
        if equation is not None and equation.kind == "state":
            value, label = self.carried(self.root.along.state(name), place)
            if self.g.facts[label][2][0] == t:
                return num(value), label
            known, label = label, self.g.fresh("v")
            self.g.have(equals(t, num(value)), label, lambda h: h.hyp(known))
            return num(value), label
        if name == "w" or equation is None or (equation.kind == "value" and equation.right[0] != "/"):
            return super()._app(t)
        if equation.empty is not None and self.decide(equals(place, equation.empty)):
            return self._at_empty(t, equation)
        if (label := self.selected(t, equation)) is not None:
            return label
        kind = self.root.regular.kind(tracked(t))
        if not isinstance(kind, FiniteTerm):
            raise Unplaced(f"the value of {name}")
        for v in kind.values:
            value = num(v.numerator, v.denominator)
            if self.follows(equals(t, value)):
                label = self.g.fresh("v")

                def proof(h: Goal, value: Term = value) -> None:
                    for half, above in zip(h.antisym(), (False, True), strict=True):
                        case = self.under(half)
                        case.attempt(lambda c: c.g.hyp(c.bound(t, "<=", value, above)))  # noqa: B023

                self.g.have(equals(t, value), label, proof)
                return label
        raise self.some_token(self.mean(t).low, self.mean(t).high)

    def some_token(self, low: Term, high: Term) -> DecideFirst:
        """Whether some token stands in a range."""
        for a in self.root.problem.letters:
            f = ranged(low, high, self.root.lettered.is_letter(THERE, a), THERE, "ex")
            if self.decided(f) is None:
                return DecideFirst(f)
        raise Unplaced("a mean of several values")

    def _at_empty(self, t: Term, equation: Equation) -> str:
        g, place = self.g, t[2][1]
        main, other = g.fresh("mean"), g.fresh("empty")
        g.use(self.root.problem.label(equation.part), g.text(place), f"#{self.inside(place)}", label=f"{main} {other}")
        is_empty = self.established(equals(place, equation.empty))
        label, used = g.fresh("is"), {}
        g.use(other, f"#{is_empty}", label=label)
        return self.equal(t, self.reduced(g.facts[label][2][1], used), used, label)

    def letter(self, place: Term, letter: int) -> None:
        """A token at a position."""
        g, place = self.g, simple(place)
        known = self.letters.get(place)
        if known is not None and known[0] == letter:
            return g.hyp(known[1])
        other = self.same_place(place)
        if other is not None and self.letters[other][0] == letter:
            same, known_there = self.established(equals(other, place)), self.letters[other][1]
            if replace(there := g.facts[known_there][2][0], other, place) != there and other[0] != "num":
                g.rewrite(same, known_there, moved := g.fresh("token"))
                return g.hyp(moved)
            if replace(g.goal, place, other) != g.goal and place[0] != "num":
                g.rewrite(same, rev=True)
                return g.hyp(known_there)
        if known is not None:
            raise Unplaced("two tokens at one position")
        raise DecideFirst(letter=place)


def prove(problem: Problem, library: Citable, regular: Regular) -> Goal:
    """The goal of a statement with its proof; Unplaced where a case stays open."""
    g = Goal(library, problem.statement.formula, {}, {})
    introduce(problem, g)
    main = g._branch(g.goal)
    case = PlacedCase(PlacedRoot(regular, Lettered(problem, g)), main)
    for name in problem.marked:
        case.name(var(name, "Int"))
    case.suppose("some")
    case.prove()
    g.take(main)
    return g
