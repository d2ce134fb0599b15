"""What an atom of a comparison is: it is put down to counts and positions.

An atom is a coordinate at a position (its equation gives it), a sum (of what letters decide: counts), an inverse (the
comparison is multiplied by what it divides by), a function with two sides (the side is decided), a truth value I[F].
"""

from __future__ import annotations

from functools import partial

from symcook.proof import normal
from symcook.proof.claims.bestplace import best_sum
from symcook.proof.claims.casefacts import BASE, OPAQUE, WAITS
from symcook.proof.claims.lettercounts import zero_letter
from symcook.proof.claims.problem import at_place
from symcook.proof.claims.termsums import TermSums
from symcook.proof.claims.truth import comparisons, letter_at
from symcook.proof.normal import fkey
from symcook.proof.search import reify
from symcook.proof.search.tactics import Goal
from symcook.proof.terms import TRUE, Term, free, negation, num

SIDES = {"relu": ("pos", "neg"), "abs": ("pos", "neg"), "min": ("left", "right"), "max": ("right", "left")}


class Atoms(TermSums):
    """What is known at a goal, and what its atoms are."""

    def _var(self, a: int) -> str:
        return BASE

    def _app(self, a: int) -> str:
        key = normal._keys[a]
        name, place = key[1], reify.term(dict(key[3]))
        if name == "w" or name not in self.root.problem.equations:
            return BASE if name == "w" else OPAQUE
        equation = self.root.problem.equations[name]
        t = reify.atom(a)
        if self.root.problem.equations[name].kind == "state":
            known = (x for x in self.facts if x in self.g.facts and self.g.facts[x][0] == "=")
            found = next((x for x in known if self.g.facts[x][2][0] == t), None)
            return OPAQUE if found is None else self.give(a, found)
        inside = self.inside(place)
        if inside is None:
            return WAITS
        label, other = self.g.fresh("at"), self.g.fresh("also")
        if name in self.root.values:
            self.g.use(self.root.share(self.g, self.root.valued(name)), self.g.text(place), f"#{inside}", label=label)
            return self.give(a, label)
        if (how := self.formed(a, name, place, inside)) is not None:
            return how
        run = self.root.problem.label(equation.part, equation.truth)
        if equation.kind == "value":
            self.g.use(run, self.g.text(place), f"#{inside}", label=label)
            return self.give(a, label)
        if equation.kind == "norm":
            return self.normed(a, equation, place, inside)
        many = equation.kind == "strict"
        self.g.use(run, self.g.text(place), f"#{inside}", label=f"{label} {other}" if many else label)
        if many and equation.empty is not None:
            empty = at_place(equation.empty, place)
            same = ("=", None, (place, empty))
            less = ("<", None, (empty, place) if empty == self.root.low else (place, empty))
            if (end := self.known(negation(less))) is not None:
                side = 0 if empty == self.root.low else 1
                bound = self.literals[fkey(self.root.inside(place)[2][side])]
                ends = [f"#{end}", f"#{bound}"]
                self.g.have(
                    same, equal := self.g.fresh("equal"), lambda h: h.auto([x[1:] for x in ends], degree=1, rounds=0)
                )
                self.g.use(other, f"#{equal}", label=label.replace("at", "empty"))
                return self.give(a, label.replace("at", "empty"))
            if self.need(less) is None:
                return WAITS
        return self.clear(a, label, at_place(equation.size, place))

    def formed(self, a: int, name: str, place: Term, inside: str) -> str | None:
        """By the case that holds of what is known of a coordinate at each position; None where nothing tells which."""
        guards = [guard for guard, _ in self.root.cases_of(name, place)]
        if not guards:
            return None
        number = next((k for k, guard in enumerate(guards) if guard == TRUE or self.follows(guard)), None)
        if number is None:
            part = next((part for guard in guards if (part := self.undecided(guard)) is not None), None)
            if part is None:
                return None
            self.wanted.setdefault(fkey(part), part)
            return WAITS
        g, fact = self.g, self.root.share(self.g, self.root.forms[name])
        stem, guard = g.fresh("case"), guards[number]
        labels = [stem] if len(guards) == 1 else [f"{stem}_{k}" for k in range(len(guards))]
        g.use(fact, g.text(place), f"#{inside}", label=" ".join(labels), premises=0)
        label = labels[number]
        if guard != TRUE:
            g.use(label, lambda h: self.show(h, guard), label=(label := g.fresh("value")))
        return self.give(a, label)

    def follows(self, f: Term) -> bool:
        """Whether a formula is true by what is decided and by arithmetic."""
        for part in comparisons(f):
            if letter_at(part) is None:
                sides = (part[2], part[2][::-1]) if part[0] == "=" else (part[2],)
                for side in sides:
                    order: Term = ("<=" if part[0] == "=" else part[0], None, side)
                    if self.truth(order) is None and self.known(order) is None:
                        self.known(negation(order))
        return self.truth(f) is True

    def divided(self, f: Term) -> Term | None:
        """What has to be known for a formula about a remainder; None where that is known, or it is another one."""
        raise NotImplementedError

    def _sum(self, a: int) -> str:
        for way in (self.power_sum, self.lettered_sum, partial(best_sum, self), self.positional_sum, self.term_sum):
            if (how := way(a)) != OPAQUE:
                return how
        return OPAQUE

    def _inv(self, a: int) -> str:
        key = normal._keys[a]
        size = reify.term(dict(key[1]))
        for less in (("<", None, (num(0), size)), ("<", None, (size, num(0)))):
            if (sign := self.known(less)) is not None:
                zero, label = self.g.fresh("zero"), self.g.fresh("inv")

                def apart(h: Goal, sign: str = sign, zero: str = zero) -> None:
                    h.intro(zero).auto([sign, zero], degree=1, rounds=0)

                self.g.use("ax:inv", self.g.text(size), apart, label=label)
                return self.clear(a, label, size)
        self.wanted.setdefault(fkey(f := ("<", None, (num(0), size))), f)
        return WAITS

    def _fn(self, a: int) -> str:
        t = reify.atom(a)
        if t[1] == "sqrt":
            return self.root_of(a) if free(t) else self.constant_root(a)
        if t[1] == "pow" and t[2][0] == num(-1):
            return self.sign_of(a)
        if t[1] not in SIDES:
            return OPAQUE if free(t) else BASE
        order = ("<=", None, (num(0), t[2][0]) if len(t[2]) == 1 else t[2])
        for f, name in zip((order, negation(order)), SIDES[t[1]], strict=True):
            side = self.known(f)
            if side is not None:
                label = self.g.fresh("side")
                given = f"#{side}" if f is order else (lambda h, side=side: h.auto([side], degree=1, rounds=0))
                self.g.use(f"ax:{t[1]}_{name}", *[self.g.text(x) for x in t[2]], given, label=label)
                return self.give(a, label)
        self.wanted.setdefault(fkey(order), order)
        return WAITS

    def _ind(self, a: int) -> str:
        key = normal._keys[a][1]
        f = self.compared[key] if key in self.compared else reify.formula(key)
        if (letter := letter_at(f)) is None and f[0] == "=":
            letter = letter_at(("=", None, f[2][::-1])) or zero_letter(f)
        if letter is not None:
            return self.bit(*letter)
        part, value = None if key in self.compared else self.divided(f), self.truth(f)
        if value is None:
            if key in self.compared:
                return WAITS
            if part is None and (part := self.undecided(f)) is None:
                return OPAQUE
            self.wanted.setdefault(fkey(part), part)
            return WAITS
        label = self.g.fresh("bit")
        self.g.have(("=", None, (("ind", None, (f,)), num(int(value)))), label, lambda h: self.shown(h, f, value))
        return self.give(a, label)
