"""Distinguishing cases, and goals that are not comparisons: disjunctions, existence, sums term by term.

A method that takes a `Step` tries to close its goal. If it returns a bool, this is whether it did; else it raises Stuck
if it did not. (`cases` does both: it returns False without a disjunction, and raises Stuck if a case does not close.)
`depth` is how deep premises and witnesses may still nest, `splits` how often cases may still be distinguished.

Letters: `g` and `h` are goals, `s` is a step, `k` the label of a fact, `f` a formula, `t` a term.
Formulas and terms are tuples (tag, data, kids): `f[2][0]` is the first kid of `f`.
"""

from __future__ import annotations

from symcook.errors import Rejected
from symcook.proof import normal
from symcook.proof.inequalities import linear, reify
from symcook.proof.normal import FALSE as NFALSE
from symcook.proof.normal import TRUE as NTRUE
from symcook.proof.normal import constant, fkey, nf
from symcook.proof.search import sums
from symcook.proof.search.arithmetic import SIDED, SPLIT
from symcook.proof.search.instances import Foreground
from symcook.proof.search.matching import closed_subterms, instances_of, is_meta, loose, opened, with_values
from symcook.proof.search.step import Hint, Step
from symcook.proof.search.tactics import Stuck, pos_node, sides_of
from symcook.proof.terms import COMPARISONS, FALSE, Term, flatten, free, negation, num, sort_of, subterms

RANGE = 12
"""The maximum number of integers in a range whose values are tried one by one: each is a case with its own proof."""
MOST_NAMES = 4
"""How many names, the last declared first, are tried as witnesses: each is a search of its own, and a proof by hand
names what exists just before."""
NEWEST = 6
"""How many of the newest facts of the foreground are searched for equations to substitute: older ones were tried when
they were new."""
NEWEST_BOUNDS = 4
"""How many of the newest facts of the foreground are searched for bounds that meet: each pair of them is compared."""

MOST_UNDECIDED = 4
"""How many undecided equations in premises of a hint are cases: with their negations, they make up to 16."""


class Cases(Foreground):
    """Methods that close a goal by cases: there is a goal for each case, and all of them must close."""

    def either(self, s: Step, depth: int, splits: int) -> None:
        """Close a disjunction: by one side alone, by cases, or by the right side under the negation of the left one."""
        g = s.g
        for side, f in zip(("left", "right"), g.goal[2], strict=True):
            trial = s.fork(f)
            try:
                self.run(trial, min(depth, 1), 0)
            except Stuck:
                continue
            g.pick(side)
            s.take(trial)
            return
        self.saturate(s)
        if self.cases(s, depth, splits):
            return
        # Excluded middle: if the left side holds, it is picked; else its negation is a fact for the right side.
        trial = s.fork()
        yes, no = trial.g.em(g.goal[2][0], trial.g.fresh("or"))
        yes.pick("left").hyp(next(reversed(yes.facts)))
        no.pick("right")
        self.run(trial.under(no), depth, splits)
        s.take(trial)

    def witness(self, s: Step, depth: int, splits: int) -> None:
        """Close ``ex x. F`` by a witness: a term of a hint, a name in scope, or the number 0 or 1."""
        g = s.g
        self.saturate(s)
        if self.instances(s, depth):
            self.saturate(s)
        if self.at_once(s):
            return
        sort = g.goal[1]
        hinted_terms = [g.text(h.term) for h in self.hints if h.term is not None and sort_of(h.term) in (sort, "Int")]
        names = [n for n, name_sort in reversed(g.scope.items()) if name_sort == sort]
        numbers = ("0", "1") if isinstance(sort, str) else ()  # a function sort is a tuple
        for text in [*hinted_terms, *names[:MOST_NAMES], *numbers]:
            trial = s.fork()
            try:
                trial.g.witness(text)
                self.run(trial, depth - 1, splits)
            except (Stuck, Rejected):
                continue
            s.take(trial)
            return
        raise self.stop(s, "a witness is needed")

    def rewritten(self, s: Step, depth: int, splits: int) -> bool:
        """Rewrite the goal by all equations among the facts, all in one direction, then all in the other; whether that
        closes it."""
        g = s.g
        if ("rewritten", g.goal) in s.done:
            return False
        s.done.add(("rewritten", g.goal))
        for rev in (False, True):
            trial = s.fork()
            changed = False
            for k in list(trial.g.facts):
                f = trial.g.facts[k]
                if f[0] == "=":
                    old, new = (f[2][1], f[2][0]) if rev else f[2]
                    # Not a number, which occurs everywhere, nor a term that occurs in its replacement.
                    if old[0] == "num" or any(t == old for t in subterms(new)) or loose(old):
                        continue
                    if self.replaced(trial.g.goal, old, new) is not trial.g.goal:
                        trial.g.rewrite(k, rev=rev)
                        changed = True
            if changed and (self.at_once(trial) or self.follows(trial)):
                s.take(trial)
                return True
        return False

    def pointwise(self, s: Step, depth: int, splits: int) -> bool:
        """Close a comparison of sums over the same range by comparing their terms (`sums.pointwise`)."""
        trial = s.fork()
        comparison = sums.pointwise(trial.g)
        if comparison is None:
            return False
        function, low, high, tag, close = comparison
        terms_compared = sums.below(function, low, high, tag)
        trial_below = trial.fork(terms_compared)
        try:
            self.run(trial_below, depth - 1, splits)
        except Stuck:
            return False
        close(trial_below.g.nodes)
        s.take(trial)
        return True

    def cases(self, s: Step, depth: int, splits: int) -> bool:
        """Close the goal by the cases of the first disjunction in the foreground that has not been used for cases.
        Returns False if there is none or no split is left; Stuck if a case does not close."""
        g = s.g
        if splits <= 0:
            return False
        for k in list(s.foreground):
            f = g.facts[k]
            if f[0] == "|" and k not in g.taken:
                # A part that is a conjunction gets a label for each of its own parts.
                trial = s.fork()
                sizes = [len(flatten("&", part)) for part in flatten("|", f)]
                stem = trial.g.fresh("o")
                labels = [stem if m == 1 else " ".join(f"{stem}_{i}" for i in range(m)) for m in sizes]
                for h in trial.g.cases(k, *labels):
                    self.side(trial.under(h), depth, splits - 1)
                s.take(trial)
                return True
        return False

    def apart(self, s: Step, depth: int, splits: int) -> bool:
        """Close the goal by the cases a < b and b < a of integers, for a fact a != b in the foreground."""
        g = s.g
        if splits <= 0:
            return False
        for k in list(s.foreground):
            f = g.facts[k]
            if f[0] == "~" and f[2][0][0] == "=" and ("apart", k) not in s.done:
                a, b = f[2][0][2]
                if sort_of(a) != "Int" or sort_of(b) != "Int":
                    continue
                s.done.add(("apart", k))
                trial = s.fork()
                try:
                    for h in trial.g.em(("<=", None, (a, b)), trial.g.fresh("side")):
                        inner = trial.under(h)
                        # The first side has a <= b: either a < b, or b <= a, which contradicts a != b.
                        if h.facts[next(reversed(h.facts))][0] == "<=":
                            less, same = h.em(("<", None, (a, b)), h.fresh("side"))
                            self.differ(trial.under(same), k, a, b)
                            inner = trial.under(less)
                        self.side(inner, depth, splits - 1)
                except Stuck:
                    continue
                s.take(trial)
                return True
        return False

    def differ(self, s: Step, k: str, a: Term, b: Term) -> None:
        """Close any goal: the last two facts are a <= b and b <= a, and the fact `k` is a != b."""
        g = s.g
        low, high = list(g.facts)[-2:]
        label = g.fresh("eq")
        ends = (("<=", None, (a, b)), ("<=", None, (b, a)))
        proofs = [[{"by": "hyp", "of": x}] for x in (low, high)]
        if (g.facts[low], g.facts[high]) != ends:
            raise RuntimeError("the last two facts are not the two inequalities")
        f = ("=", None, (a, b))
        node = {"by": "antisym", "left": proofs[0], "right": proofs[1]}
        g.add({"by": "have", "show": g.text(f), "proof": [node], "as": label}, f)
        if g.goal != FALSE:
            g.contra(g.fresh("no"))
        g.absurd(label, k)

    def side(self, s: Step, depth: int, splits: int) -> None:
        """Close the goal of one case, or Stuck. The newest equations of the foreground are first substituted in the
        goal and in the comparisons of the foreground. Changes the foreground of `s`: a rewritten fact takes the place
        of the old one."""
        if self.impossible(s):
            return
        g = s.g
        self.squeezed(s)
        for k in [k for k in list(s.foreground)[-NEWEST:] if g.facts[k][0] == "="]:
            # Only names, indicators and function values are replaced: the latter two not by a name, and no term by a
            # term that contains it.
            old, new = g.facts[k][2]
            if old[0] == "num" or (old[0] != "var" and new[0] == "var"):
                continue
            if old[0] not in ("var", "ind", "fn", "app") or any(t == old for t in subterms(new)):
                continue
            if self.replaced(g.goal, old, new) is not g.goal:
                g.rewrite(k)
            for rewritten_label in list(s.foreground):
                f = g.facts[rewritten_label]
                if rewritten_label != k and f[0] in COMPARISONS and self.replaced(f, old, new) is not f:
                    label = g.fresh("r")  # the rewritten fact takes the place of the old one, unless it is trivial
                    g.rewrite(k, rewritten_label, label)
                    del s.foreground[rewritten_label]
                    if fkey(g.facts[label]) != NTRUE:
                        s.foreground[label] = None
        self.run(s, depth, splits)

    def squeezed(self, s: Step) -> None:
        """Add x = t for a name x of an integer, if t <= x and x <= t. One of the two bounds is among the newest facts
        of the foreground."""
        g = s.g
        self.saturate(s)
        # All bounds 0 <= p of integers, by the normal form p.
        label_and_bound: dict[object, tuple[str, Term]] = {}
        for k, f in g.facts.items():
            if f[0] == "<=" and sort_of(f[2][0]) == sort_of(f[2][1]) == "Int":
                label_and_bound.setdefault(normal.freeze(self.poly(f)), (k, f))
        for k in [k for k in list(s.foreground)[-NEWEST_BOUNDS:] if g.facts[k][0] == "<="]:
            # The opposite bound: 0 <= p and 0 <= -p together give p = 0.
            p = self.poly(g.facts[k])
            opposite = label_and_bound.get(normal.freeze(normal.scale(p, -1)))
            if opposite is None or not p:
                continue
            # p = 0 is solved for a name with the coefficient 1 or -1: among several, the one that was declared last.
            order = list(g.scope)
            # (A monomial of p has its factors, as pairs of an atom and a power, and an exponent of exp, 0 for none.)
            linear_atoms = [
                (reify.atom(factors[0][0]), c)
                for (factors, exponent), c in p.items()
                if len(factors) == 1 and factors[0][1] == 1 and not exponent and abs(c) == 1
            ]
            names = [(v, c) for v, c in linear_atoms if v[0] == "var" and v[1][0] in order]
            if not names:
                continue
            v, c = max(names, key=lambda pair: order.index(pair[0][1][0]))
            value = reify.term(normal.add(normal.nf(v), p, -c))
            f = ("=", None, (v, value))
            if f in g.facts.values():
                continue
            # The two inequalities t <= x and x <= t follow from the bounds, and the equation from the inequalities.
            proofs = []
            for end in (("<=", None, f[2]), ("<=", None, (value, v))):
                combination = linear.find(end, {x: g.facts[x] for x in (k, opposite[0])}, effort=self.effort)
                if combination is None:
                    return
                proofs.append([pos_node(g, combination)])
            label = g.fresh("at")
            node = {"by": "antisym", "left": proofs[0], "right": proofs[1]}
            g.add({"by": "have", "show": g.text(f), "proof": [node], "as": label}, f)
            s.foreground[label] = None

    def impossible(self, s: Step) -> bool:
        """Close any goal if the facts contradict each other by linear arithmetic, or if a fact ``~F`` has an F that
        follows at once; whether it did."""
        return self.linear_contradiction(s) or self.denied(s, 0, deep=False)

    def branch(self, s: Step, depth: int, splits: int) -> bool:
        """Close the goal by the cases of a relu, abs, min, max or I[...] that occurs, or by the cases that a formula
        holds or not; whether it did."""
        for t in self.candidates(s):
            mark = ("split", t)
            if mark in s.done:
                continue
            s.done.add(mark)
            trial = s.fork()
            try:
                if t[0] in ("=", "<="):
                    sides = trial.g.em(t, trial.g.fresh("case"))
                else:
                    sides = sides_of(trial.g, t)
                # If only one side is possible, no cases were distinguished, and no split is used up.
                inner = [trial.under(h) for h in sides]
                open_sides = [open_side for open_side in inner if not self.impossible(open_side)]
                for open_side in open_sides:
                    self.side(open_side, depth, splits - (len(open_sides) > 1))
            except Stuck:
                if t[0] in ("=", "<="):  # a guess at a missing premise of a rule: another formula may be the right one
                    continue
                return False  # after the first function whose cases do not close, no other function is tried
            s.take(trial)
            return True
        return False

    def candidates(self, s: Step) -> list[Term]:
        """The terms and formulas for cases, the most promising first. The cases of a formula are that it holds or
        not."""
        g = s.g
        out: dict[Term, None] = {}
        keys_seen: set[object] = set()
        # Terms that a hint names.
        for h in self.hints:
            if h.term is not None and h.term[0] in (*SPLIT, "=") and (h.term[0] != "fn" or h.term[1] in SIDED):
                out[h.term] = None
        # Functions with cases in the goal and the foreground, unless an equation gives their value already.
        for f in [g.goal, *(g.facts[k] for k in s.foreground if g.facts[k][0] in COMPARISONS)]:
            for t in reversed(list(subterms(f))):  # inner terms first
                if (t[0] == "ind" or (t[0] == "fn" and t[1] in SIDED)) and not loose(t):
                    try:
                        key = normal.freeze(nf(t))
                    except Rejected:
                        continue
                    if key in keys_seen or any(e[0] == "=" and e[2][0] == t for e in g.facts.values()):
                        continue
                    keys_seen.add(key)
                    out[t] = None
        # Undecided premises of instances of rules: equations that must be false, and bounds of a range.
        for hint in self.hints:
            if hint.term is None and hint.terms is None and not hint.premises:
                for eq in self.lacking_equations(s, hint):
                    out[eq] = None
        for k in list(s.foreground):
            if g.facts[k][0] == "all":
                for f in self.lacking_bounds(s, k):
                    out[f] = None
        return list(out)

    def lacking_bounds(self, s: Step, rule_label: str) -> list[Term]:
        """Undecided comparisons of integers that are premises of an instance of a rule; at most two.

        Such a premise compares a position with the end of a range.
        """
        g = s.g
        rule = self.known(opened, g.facts[rule_label])
        parts = [part for q in rule.premises for part in flatten("&", q)]
        if not any(part[0] == "<=" and sort_of(part[2][0]) == sort_of(part[2][1]) == "Int" for part in parts):
            return []
        here = closed_subterms([g.goal, *(g.facts[k] for k in s.foreground if g.facts[k][0] in COMPARISONS)])
        out: dict[Term, None] = {}
        for matched in instances_of(rule, g.goal, here, (), {}):
            for part in parts:
                f = with_values(part, matched)
                if f[0] != "<=" or any(is_meta(v) for v in free(f)) or any(sort_of(x) != "Int" for x in f[2]):
                    continue
                if fkey(f) in (NTRUE, NFALSE) or self.plain(s.fork(f)) or self.plain(s.fork(negation(f))):
                    continue
                out[f] = None
        return list(out)[:2]

    def lacking_equations(self, s: Step, hint: Hint) -> list[Term]:
        """Undecided equations whose negation is a premise of an instance of a hint; at most four."""
        g = s.g
        rule = opened(g.fact(hint.label))
        if not any(part[0] == "~" for q in rule.premises for part in flatten("&", q)):
            return []
        closed_terms = closed_subterms([g.goal, *(g.facts[k] for k in s.foreground if g.facts[k][0] in COMPARISONS)])
        undecided = []
        for matched in instances_of(rule, g.goal, closed_terms, (), {}):
            for q in rule.premises:
                for part in flatten("&", q):
                    if part[0] == "~" and part[2][0][0] == "=":
                        eq = with_values(part[2][0], matched)
                        if fkey(eq) in (NTRUE, NFALSE):
                            continue
                        known = any(f in (eq, ("~", None, (eq,))) for f in g.facts.values())
                        if not known and not any(is_meta(v) for v in free(eq)):
                            undecided.append(eq)
        return undecided[:MOST_UNDECIDED]

    def finite(self, s: Step, depth: int, splits: int) -> bool:
        """Close the goal by cases for the value of a name of an integer that lies between two numbers, if it has at
        most RANGE values; whether it did."""
        g = s.g
        # For each name, its best lower and upper bound that is a number, with the label of the fact that gives it.
        # Bounds that are fractions are rounded inwards.
        names = {v for f in [g.goal, *(g.facts[k] for k in s.foreground)] for v in free(f) if v[1][1] == "Int"}
        low: dict[Term, tuple[int, str]] = {}
        high: dict[Term, tuple[int, str]] = {}
        for k, f in g.facts.items():
            if f[0] == "<=":
                a, b = f[2]
                if a in names and (c := constant(nf(b))) is not None:
                    bound = int(c // 1)
                    if a not in high or bound < high[a][0]:
                        high[a] = (bound, k)
                if b in names and (c := constant(nf(a))) is not None:
                    bound = int(-(-c // 1))
                    if b not in low or bound > low[b][0]:
                        low[b] = (bound, k)
        for v in sorted(names, key=lambda v: v[1]):
            if v in low and v in high and 0 <= high[v][0] - low[v][0] < RANGE and ("finite", v) not in s.done:
                has_value = any(
                    f[0] == "=" and v in f[2] and constant(nf(f[2][1])) is not None for f in g.facts.values()
                )
                if has_value:
                    continue
                trial = s.fork()
                trial.done.add(("finite", v))
                try:
                    self.walk(trial, v, low[v], high[v], depth, splits)
                except Stuck:
                    continue
                s.take(trial)
                return True
        return False

    def walk(self, s: Step, v: Term, low: tuple[int, str], high: tuple[int, str], depth: int, splits: int) -> None:
        """Close the goal for each value of `v` from low to high, or Stuck. Both are a number and the label of the fact
        that bounds `v` by it."""
        g = s.g
        if low[0] > high[0]:
            if not self.linear_contradiction(s):
                raise Stuck("an empty range")
            return
        if low[0] == high[0]:  # one value is left: v = low from both bounds
            equation = ("=", None, (v, num(low[0])))
            label = g.fresh("at")
            ends = [("<=", None, (v, num(low[0]))), ("<=", None, (num(low[0]), v))]
            nodes = []
            for e in ends:
                combination = linear.find(e, {k: g.facts[k] for k in (low[1], high[1])}, effort=self.effort)
                if combination is None:
                    raise Stuck("no range")
                nodes.append([pos_node(g, combination)])
            node = {"by": "antisym", "left": nodes[0], "right": nodes[1]}
            g.add({"by": "have", "show": g.text(equation), "proof": [node], "as": label}, equation)
            s.foreground[label] = None
            self.side(s, depth, splits)
            return
        # Two cases. If v <= low, then v = low. If low < v, then low + 1 <= v, which is the next lower bound.
        less, above = g.em(("<=", None, (v, num(low[0]))), g.fresh("at"))
        side = next(reversed(less.facts))
        self.walk(s.under(less), v, low, (low[0], side), depth, splits)
        next_bound = above.fresh("z")
        above.use("ax:int_lt", above.text(num(low[0])), above.text(v), f"#{side}", label=next_bound)
        self.walk(s.under(above), v, (low[0] + 1, next_bound), high, depth, splits)
