"""Closing a goal by arithmetic: linear combinations of facts, products, squares, integers, enclosures."""

from __future__ import annotations

from symcook.errors import Rejected
from symcook.proof import normal
from symcook.proof.inequalities import linear, reify
from symcook.proof.inequalities.simplex import TooLong
from symcook.proof.search import cover
from symcook.proof.search.step import LEVELS, Search, Step
from symcook.proof.search.tactics import Stuck
from symcook.proof.terms import COMPARISONS, FALSE, Term, negation, num

NEAR = 60  # facts in the foreground
FEW = 16  # so many facts all stand in the foreground
CUBES = 10  # so many facts are multiplied three at a time
SIDED = ("relu", "abs", "min", "max")
SPLIT = ("ind", "fn")


class Arithmetic(Search):
    """Steps that end in one or two `pos` nodes, or in enclosures."""

    def facts(self, s: Step, wide: bool) -> dict[str, Term]:
        many = sum(f[0] in COMPARISONS for f in s.g.facts.values())
        names = s.g.facts if wide or (many <= FEW and self.level.degree > 1) else s.near
        out = {k: s.g.facts[k] for k in names if s.g.facts[k][0] in COMPARISONS}
        if len(out) > NEAR:
            out = {k: out[k] for k in list(dict.fromkeys([*[k for k in s.near if k in out], *reversed(out)]))[:NEAR]}
        return out

    def find(
        self,
        goal: Term,
        facts: dict[str, Term],
        degree: int,
        rounds: int,
        squared: bool = False,
        reduced: bool = False,
    ) -> linear.Found | None:
        try:
            multipliers = [h.term for h in self.hints if h.term is not None and h.term[0] not in SPLIT]
            plain = [t for t in multipliers if t[0] not in (*COMPARISONS, "~", "all", "&", "|", "->", "ex", "lam")]
            return linear.find(
                goal,
                facts,
                degree=degree,
                rounds=rounds,
                effort=self.effort,
                poly=self.poly,
                multipliers=[*plain, *self.denominators(facts)] if rounds else (),
                squares=[*plain, *(self.squares(goal, facts) if squared else ())] if rounds or degree > 1 else (),
                reduced=reduced,
            )
        except (TooLong, Rejected):
            if self.effort.left < 0:
                raise
            return None

    def denominators(self, facts: dict[str, Term]) -> list[Term]:
        """z, where z*(1/z) = 1 is among the facts: equations are multiplied by it."""
        out = []
        for f in facts.values():
            if f[0] == "=" and f[2][1] == num(1) and f[2][0][0] == "*":
                z, product = f[2][0][2]
                if product == ("/", None, (num(1), z)):
                    out.append(z)
        return out[:4]

    def squares(self, goal: Term, facts: dict[str, Term]) -> list[Term]:
        """What may be squared: names that occur in products, and their sums and differences."""
        atoms: dict[int, None] = {}
        for f in [goal, *facts.values()]:
            if f[0] in COMPARISONS:
                for factors, _ in self.poly(f):
                    if sum(k for _, k in factors) == 2:
                        atoms |= dict.fromkeys(a for a, _ in factors)
        terms = [reify.atom(a) for a in sorted(atoms, key=lambda a: normal._keys[a][0] != "var")[:5]]
        pairs = [(a, b) for k, a in enumerate(terms) for b in terms[k + 1 :]]
        return [*terms, *((tag, None, p) for p in pairs for tag in ("-", "+"))]

    def linear(
        self,
        s: Step,
        degree: int,
        rounds: int,
        wide: bool = False,
        squared: bool = False,
        reduced: bool = False,
        cited: bool = False,
    ) -> bool:
        """Arithmetic from the facts in the foreground, or with `wide` from all of them.

        With `reduced` the equations are put in; with `cited` only inequalities among the hints take part.
        """
        g, tag = s.g, s.g.goal[0]
        if tag not in (*COMPARISONS, "false"):
            return False
        facts = self.facts(s, wide)
        if cited:
            named = self.cited(g)
            facts = {k: f for k, f in facts.items() if f[0] == "=" or k in named}
            if not 0 < sum(f[0] != "=" for f in facts.values()) <= CUBES:
                return False
        if tag == "=":
            combination = self.find(g.goal, {k: f for k, f in facts.items() if f[0] == "="}, 1, rounds, reduced=reduced)
            if combination is not None:
                g._close(combination)
                return True
            if all(f[0] == "=" for f in facts.values()):
                return False
            a, b = g.goal[2]
            first_half = self.find(("<=", None, (a, b)), facts, degree, rounds, squared, reduced)
            if first_half is None:
                return False
            if first_half.contradiction:
                g._close(first_half)
                return True
            two = self.find(("<=", None, (b, a)), facts, degree, rounds, squared, reduced)
            if two is None:
                return False
            for half, f in zip(g.antisym(), (first_half, two), strict=True):
                half._close(f)
            return True
        combination = self.find(g.goal, facts, degree, rounds, squared, reduced)
        if combination is None:
            return False
        g._close(combination)
        return True

    def put(self, s: Step, degree: int = 1, cited: bool = False) -> bool:
        """Arithmetic with the equations put in, for a part of the work that is left."""
        budget, self.effort.left = self.effort.left, self.effort.left // 4
        start = self.effort.left
        try:
            return self.linear(s, degree, 0, reduced=True, cited=cited)
        except TooLong:
            return False
        finally:
            self.effort.left = budget - (start - self.effort.left)

    def against(self, s: Step) -> bool:
        """A contradiction from the negated goal, which then takes part in products."""
        g = s.g
        if g.goal[0] not in ("<=", "<"):
            return False
        label = g.fresh("no")
        facts = {**self.facts(s, False), label: negation(g.goal)}
        combination = self.find(FALSE, facts, self.level.degree, self.level.rounds)
        if combination is None:
            return False
        g.contra(label)
        g._emit(g._pos(combination), True)
        return True

    def deep(self, s: Step, part: int) -> bool:
        """Arithmetic with products, for a part of the work that is left."""
        if self.level.degree < 2 or (self.inside and self.level is not LEVELS[-1]):
            return False
        budget, self.effort.left = self.effort.left, self.effort.left // part
        start = self.effort.left
        try:
            if (
                self.linear(s, 1, 1, squared=True)
                or self.linear(s, 2, 0)
                or self.put(s, 2)
                or self.put(s, 3, cited=True)
            ):
                return True
            if self.linear(s, 2, self.level.rounds) or self.against(s):
                return True
            return len(self.facts(s, False)) <= CUBES and self.linear(s, 3, 0)
        except TooLong:
            if part == 1:
                raise
            return False
        finally:
            self.effort.left = budget - (start - self.effort.left)

    def plain(self, s: Step) -> bool:
        """A fact, or linear; or a conjunction of such."""
        g = s.g
        if self.at_once(s):
            return True
        if g.goal[0] == "&":
            return all(self.plain(s.under(part)) for part in g.split())
        return g.goal[0] in COMPARISONS and self.linear(s, 1, 0, wide=True)

    def boxes(self, s: Step) -> bool:
        """Interval enclosures, where numbers bound every name of the goal."""
        g = s.g
        if g.goal[0] not in ("<=", "<"):
            return False
        trial = s.fork()
        try:
            cover.cover(trial.g, boxes=self.level.boxes)
        except (Stuck, Rejected):
            return False
        s.take(trial)
        return True

    def linear_contradiction(self, s: Step) -> bool:
        g = s.g
        combination = self.find(FALSE, self.facts(s, True), 1, 0)
        if combination is None:
            return False
        if g.goal != FALSE:
            g.contra(g.fresh("no"))
        g._emit(g._pos(combination), True)
        return True
