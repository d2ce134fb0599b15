"""Closing a goal by arithmetic: linear combinations of facts, products, squares, enclosures.

Each method that takes a `Step`, but for `facts`, closes its goal if arithmetic proves it, and returns whether it did.
Linear programming finds the combinations (`inequalities.linear`).

Letters: `g` is a goal, `s` a step, `k` the label of a fact, `f` a formula.
Formulas and terms are tuples (tag, data, kids): `f[2][0]` is the first kid of `f`.
"""

from __future__ import annotations

from symcook.errors import Rejected
from symcook.proof import normal
from symcook.proof.inequalities import linear, reify
from symcook.proof.inequalities.simplex import TooLong
from symcook.proof.search import cover
from symcook.proof.search.step import LEVELS, Search, Step
from symcook.proof.search.tactics import Stuck, pos_node
from symcook.proof.terms import COMPARISONS, FALSE, Term, negation, num

NEAR = 60
"""The maximum number of facts in a combination: each is a column of the linear program. In 24 claims of an unseen set
and 21 proof texts, 820 of 29,276 searches had more, at most 91."""
FEW = 16
"""From degree 2 on: up to this number of comparisons in scope, all count as if they were in the foreground. 16 facts
have 136 products of two, twice `linear.MANY_PRODUCTS`."""
CUBES = 10
"""With at most this number of facts (or of cited inequalities), products of three are formed: 10 facts have 220 of
them, 20 would have 1,540, more than `linear.MAX_PRODUCTS`."""
MOST_DENOMINATORS = 4
"""The maximum number of denominators by which equations are multiplied: each multiplies the number of equations."""
MOST_SQUARED = 5
"""The maximum number of atoms whose squares are used: with sums and differences of two, they have 25 squares."""
SIDED = ("relu", "abs", "min", "max")  # functions whose value is given by a comparison of their arguments
SPLIT = ("ind", "fn")  # tags of terms which, as hints, name cases to distinguish and not a multiplier


class Arithmetic(Search):
    """Steps that end in one or two `pos` nodes, or in enclosures."""

    def facts(self, s: Step, wide: bool) -> dict[str, Term]:
        """The comparisons that may be in a combination, by label: those in the foreground; all with `wide`, or if they
        are few (`FEW`). They are at most NEAR."""
        comparisons = sum(f[0] in COMPARISONS for f in s.g.facts.values())
        labels = s.g.facts if wide or (comparisons <= FEW and self.level.degree > 1) else s.foreground
        chosen = {k: s.g.facts[k] for k in labels if s.g.facts[k][0] in COMPARISONS}
        if len(chosen) > NEAR:
            # The foreground first, then the newest facts.
            first = [k for k in s.foreground if k in chosen]
            ordered = dict.fromkeys([*first, *reversed(chosen)])
            chosen = {k: chosen[k] for k in list(ordered)[:NEAR]}
        return chosen

    def find(
        self,
        goal: Term,
        facts: dict[str, Term],
        degree: int,
        rounds: int,
        squared: bool = False,
        reduced: bool = False,
    ) -> linear.Found | None:
        """A combination of `facts` that proves `goal`, or None.

        `degree` is the maximum number of facts in a product, `rounds` how often equations are multiplied by the hints'
        terms and by denominators. With `squared`, squares of the terms in `squares` may be used too; with `reduced`,
        equations are substituted first. Raises TooLong or Rejected only if the work is spent: that of the level, or the
        share of it that the caller has set.
        """
        try:
            # The terms of the hints that are numbers, and neither formulas nor functions.
            hinted = [h.term for h in self.hints if h.term is not None and h.term[0] not in SPLIT]
            terms = [t for t in hinted if t[0] not in (*COMPARISONS, "~", "all", "&", "|", "->", "ex", "lam")]
            multipliers = [*terms, *self.denominators(facts)] if rounds else []
            squares = [*terms, *(self.squares(goal, facts) if squared else ())] if rounds or degree > 1 else []
            return linear.find(
                goal,
                facts,
                degree=degree,
                rounds=rounds,
                effort=self.effort,
                poly=self.poly,
                multipliers=multipliers,
                squares=squares,
                reduced=reduced,
            )
        except (TooLong, Rejected):
            if self.effort.left < 0:
                raise
            return None

    def denominators(self, facts: dict[str, Term]) -> list[Term]:
        """The terms z for which z*(1/z) = 1 is a fact, at most `MOST_DENOMINATORS`. Equations are
        multiplied by them."""
        terms = []
        for f in facts.values():
            if f[0] == "=" and f[2][1] == num(1) and f[2][0][0] == "*":
                z, product = f[2][0][2]
                if product == ("/", None, (num(1), z)):
                    terms.append(z)
        return terms[:MOST_DENOMINATORS]

    def squares(self, goal: Term, facts: dict[str, Term]) -> list[Term]:
        """The terms whose squares may be used: at most `MOST_SQUARED` atoms that occur in products of two, names first;
        and the sums and differences of two of them."""
        atoms: dict[int, None] = {}
        for f in [goal, *facts.values()]:
            if f[0] in COMPARISONS:
                for factors, _ in self.poly(f):
                    if sum(k for _, k in factors) == 2:
                        atoms |= dict.fromkeys(a for a, _ in factors)
        terms = [reify.atom(a) for a in sorted(atoms, key=lambda a: normal._keys[a][0] != "var")[:MOST_SQUARED]]
        atom_pairs = [(a, b) for k, a in enumerate(terms) for b in terms[k + 1 :]]
        return [*terms, *((tag, None, p) for p in atom_pairs for tag in ("-", "+"))]

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
        """Close a comparison or ``false`` from the facts in the foreground, or with `wide` from all facts; whether it
        did.

        With `cited` only equations and the inequalities that hints cite are used. The other arguments are as in `find`.
        """
        g, tag = s.g, s.g.goal[0]
        if tag not in (*COMPARISONS, "false"):
            return False
        facts = self.facts(s, wide)
        if cited:
            hint_labels = self.cited(g)
            facts = {k: f for k, f in facts.items() if f[0] == "=" or k in hint_labels}
            if not 0 < sum(f[0] != "=" for f in facts.values()) <= CUBES:
                return False
        if tag == "=":
            # First from equations alone: that takes only one combination, which keeps the certificate short.
            combination = self.find(g.goal, {k: f for k, f in facts.items() if f[0] == "="}, 1, rounds, reduced=reduced)
            if combination is not None:
                g.pos(combination)
                return True
            if all(f[0] == "=" for f in facts.values()):
                return False
            # With inequalities: a <= b and b <= a. If the facts contradict each other, the first combination is enough.
            a, b = g.goal[2]
            first_half = self.find(("<=", None, (a, b)), facts, degree, rounds, squared, reduced)
            if first_half is None:
                return False
            if first_half.contradiction:
                g.pos(first_half)
                return True
            second_half = self.find(("<=", None, (b, a)), facts, degree, rounds, squared, reduced)
            if second_half is None:
                return False
            for half, f in zip(g.antisym(), (first_half, second_half), strict=True):
                half.pos(f)
            return True
        combination = self.find(g.goal, facts, degree, rounds, squared, reduced)
        if combination is None:
            return False
        g.pos(combination)
        return True

    def follows(self, s: Step) -> bool:
        """`linear` from all facts, without products. It costs least, so it is tried first everywhere."""
        return self.linear(s, 1, 0, wide=True)

    def substituted(self, s: Step, degree: int = 1, cited: bool = False) -> bool:
        """`linear` after the equations are substituted, for at most a quarter of the work that is left."""
        # The effort is limited for the call; afterwards it is the old one less the work that was done.
        budget, self.effort.left = self.effort.left, self.effort.left // 4
        start = self.effort.left
        try:
            return self.linear(s, degree, 0, reduced=True, cited=cited)
        except TooLong:
            return False
        finally:
            self.effort.left = budget - (start - self.effort.left)

    def against(self, s: Step) -> bool:
        """Close an inequality by a contradiction from its negation, which is one of the facts in products; whether it
        did."""
        g = s.g
        if g.goal[0] not in ("<=", "<"):
            return False
        label = g.fresh("no")
        facts = {**self.facts(s, False), label: negation(g.goal)}
        combination = self.find(FALSE, facts, self.level.degree, self.level.rounds)
        if combination is None:
            return False
        g.contra(label)
        g.close(pos_node(g, combination))
        return True

    def deep(self, s: Step, part: int) -> bool:
        """Close a comparison by arithmetic with products of facts, with a share 1/`part` of the work that is left;
        whether it did. Nothing is tried below degree 2 and, in a premise, below the last level. If the share is used
        up, TooLong is raised only for `part` 1."""
        # In the proof of a rule's premise, products are only tried at the last level.
        if self.level.degree < 2 or (self.inside and self.level is not LEVELS[-1]):
            return False
        budget, self.effort.left = self.effort.left, self.effort.left // part
        start = self.effort.left
        try:
            # The cheapest first: squares of terms that occur; products of two facts, as they are and after equations
            # are substituted; products of three with cited inequalities. Then products of two with multipliers, also by
            # contradiction, and products of any three facts.
            if (
                self.linear(s, 1, 1, squared=True)
                or self.linear(s, 2, 0)
                or self.substituted(s, 2)
                or self.substituted(s, 3, cited=True)
            ):
                return True
            if self.linear(s, 2, self.level.rounds) or self.against(s):
                return True
            return len(self.facts(s, False)) <= CUBES and self.linear(s, 3, 0)
        except TooLong:
            if part == 1:  # then nothing is left for other attempts
                raise
            return False
        finally:
            self.effort.left = budget - (start - self.effort.left)

    def plain(self, s: Step) -> bool:
        """Close a goal that is a fact, follows by linear arithmetic, or is a conjunction of such goals; whether it did.
        A conjunction is split even if a part fails, so that the step should be a fork."""
        g = s.g
        if self.at_once(s):
            return True
        if g.goal[0] == "&":
            return all(self.plain(s.under(part)) for part in g.split())
        return g.goal[0] in COMPARISONS and self.follows(s)

    def boxes(self, s: Step) -> bool:
        """Close an inequality by interval enclosures, if numbers bound every name of the goal; whether it did."""
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
        """Close any goal if the facts contradict each other by linear arithmetic; whether it did."""
        g = s.g
        combination = self.find(FALSE, self.facts(s, True), 1, 0)
        if combination is None:
            return False
        if g.goal != FALSE:
            g.contra(g.fresh("no"))
        g.close(pos_node(g, combination))
        return True
