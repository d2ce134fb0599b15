"""Facts that a search adds: parts of facts, instances of hints, signs, and what is known about sums."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from symcook.errors import Rejected
from symcook.proof import normal
from symcook.proof.inequalities import linear, reify
from symcook.proof.normal import TRUE as NTRUE
from symcook.proof.normal import fkey, nf
from symcook.proof.search import sums
from symcook.proof.search.arithmetic import Arithmetic
from symcook.proof.search.matching import Found, Opened, closed_subterms, is_meta, loose, match, opened, put, ways
from symcook.proof.search.step import LEVELS, Hint, Step
from symcook.proof.search.tactics import Goal, Stuck
from symcook.proof.terms import COMPARISONS, FALSE, Term, flatten, free, num, sort_of, subterms


class Foreground(Arithmetic):
    """What comes to stand in the foreground."""

    def saturate(self, s: Step) -> None:
        """Conjunctions come apart, existences get names, a < b of integers gives a + 1 <= b."""
        g = s.g
        todo = list(g.facts)
        while todo:
            k = todo.pop(0)
            f = g.facts[k]
            if (k, "taken") in s.done or len(g.facts) > 400:
                continue
            before = set(g.facts)
            if f[0] == "&" and k not in g.taken:
                s.done.add((k, "taken"))
                stem = g.fresh("q")
                g.use(k, label=" ".join(f"{stem}_{i}" for i in range(len(flatten("&", f)))))
            elif f[0] == "ex" and k in s.near:
                s.done.add((k, "taken"))
                inner = f[2][0]
                stem = g.fresh("w")
                many = len(flatten("&", inner))
                g.obtain(k, g.fresh("v"), stem if many == 1 else " ".join(f"{stem}_{i}" for i in range(many)))
            elif f[0] == "<" and sort_of(f[2][0]) == sort_of(f[2][1]) == "Int":
                s.done.add((k, "taken"))
                a, b = f[2]
                if ("<=", None, (("+", None, (a, num(1))), b)) in g.facts.values():
                    continue
                g.use("ax:int_lt", g.text(a), g.text(b), f"#{k}", label=g.fresh("z"))
            else:
                continue
            new = [x for x in g.facts if x not in before]
            if k in s.near:
                s.near |= dict.fromkeys(new)
            todo += new

    def instances(self, s: Step, depth: int) -> bool:
        """Instances of the hints, and of the rules in the foreground, that speak of what occurs here."""
        g = s.g
        many = len(g.facts)
        known = list(g.facts.values())
        here = closed_subterms([g.goal, *(g.facts[k] for k in s.near if g.facts[k][0] in COMPARISONS)])
        wide: list[Term] | None = None
        for hint in [*self.hints, *(Hint(k) for k in list(s.near) if g.facts[k][0] in ("all", "->"))]:
            if hint.term is not None or (hint.label not in g.facts and hint.label not in g.library.facts):
                continue
            fact = g.fact(hint.label)
            if fact[0] not in ("all", "->") and not hint.premises:
                if hint.label in g.library.facts and ("got", hint.label) not in s.done:
                    s.done.add(("got", hint.label))
                    label = g.fresh("u")
                    g.use(hint.label, label=label)
                    s.near[label] = None
                continue
            rule = self.known(opened, fact)
            started = self.start(s, hint, rule)
            if started is None:
                continue
            start, premises_given = started
            self.effort.spend(500 + 15 * len(here) + 10 * len(known))
            options = ways(rule, g.goal, here, known, start)
            if not options:
                if wide is None:
                    wide = closed_subterms([f for f in known if f[0] in COMPARISONS])
                options = ways(rule, g.goal, wide, known, start, self.level.degree > 1)
            if (not options or self.level is LEVELS[-1]) and all(
                m[1][1] == "Int" for m in rule.metas if m not in start
            ):
                options = [*options, *(x for x in self.everywhere(s, rule, start) if x not in options)]
            for option in options:
                self.instantiate(s, hint, rule, option, premises_given, depth)
        return len(g.facts) > many

    def everywhere(self, s: Step, rule: Opened, start: Found) -> list[Found]:
        """The names of integers for a rule that nothing here points to."""
        missing = [m for m in rule.metas if m not in start]
        names = [("var", (n, "Int"), ()) for n, sort in s.g.scope.items() if sort == "Int"]
        return [{**start, missing[0]: v} for v in names[-6:]] if len(missing) == 1 else []

    def start(self, s: Step, hint: Hint, rule: Opened) -> tuple[Found, list[str | None]] | None:
        """What the terms and premises of a hint settle, and the labels for its first premises."""
        g = s.g
        matched: Found = {}
        for m, text in zip(rule.metas, hint.terms or (), strict=False):
            if text != "_":
                matched[m] = g.term(text, m[1][1])
        premises_given: list[str | None] = []
        for hint_premise, q in zip(hint.premises, rule.premises, strict=False):
            if hint_premise.label == "_":
                premises_given.append(None)
                continue
            label = self.resolve(s, hint_premise, put(q, matched), matched)
            if label is None:
                self.lacking[f"the premise of {hint.label} that {hint_premise.label} should give"] = None
            premises_given.append(label)
        return matched, premises_given

    def resolve(self, s: Step, hint: Hint, wanted: Term, found: Found) -> str | None:
        """The label of a fact that matches a premise: the hint itself, a part of it or an instance of it."""
        g = s.g
        if hint.label in g.facts and hint.terms is None and not hint.premises:
            more = dict(found)
            if match(wanted, g.facts[hint.label], more):
                found |= more
                return hint.label
            if not any(is_meta(v) for v in free(wanted)) and fkey(wanted) == fkey(g.facts[hint.label]):
                return hint.label
        fact = g.fact(hint.label)
        rule = self.known(opened, fact)
        inner = self.start(s, hint, rule)
        if inner is None:
            return None
        label = self.instantiate(s, hint, rule, inner[0], inner[1], 1, partial=True)
        if label is None:
            return None
        more = dict(found)
        if not match(wanted, g.facts[label], more):
            return None
        found |= more
        return label

    def instantiate(
        self,
        s: Step,
        hint: Hint,
        rule: Opened,
        found: Found,
        given: Sequence[str | None],
        depth: int,
        partial: bool = False,
    ) -> str | None:
        """An instance as a fact in the foreground; None where a premise is not found or nothing new comes of it."""
        g = s.g
        if not partial:
            end = put(rule.end, found)
            self.effort.spend(1000 + 5 * sum(1 for _ in subterms(end)))
            if any(is_meta(v) for v in free(end)):
                return None
            key = (hint.label, end)
            if key in s.done or (key, len(g.facts)) in s.failed or fkey(end) == NTRUE:
                return None
            s.failed.add((key, len(g.facts)))
        arguments: list[object] = []
        f = g.fact(hint.label)
        metas, left = list(rule.metas), list(given)
        while f[0] in ("all", "->"):
            if f[0] == "all":
                m = metas.pop(0)
                if m not in found:
                    break
                arguments.append(g.text(found[m]))
                f = f[2][0]
            else:
                if partial and not left and not hint.premises and hint.terms is not None and metas:
                    break
                label = left.pop(0) if left else None
                arguments.append(self.premise(s, hint, depth) if label is None else f"#{label}")
                f = f[2][1]
        label = g.fresh("u")
        before = set(g.facts)
        saved = len(g.nodes)
        try:
            g.use(hint.label, *arguments, label=label, premises=0)
        except (Stuck, Rejected):
            del g.nodes[saved:]
            for k in [k for k in g.facts if k not in before]:
                del g.facts[k]
            return None
        s.near[label] = None
        if not partial:
            s.done.add(key)
        return label

    def premise(self, s: Step, hint: Hint, depth: int) -> Callable[[Goal], None]:
        def proof(h: Goal) -> None:
            inner = s.under(h)
            if self.at_once(inner):
                return
            if depth <= 0:
                raise Stuck("too deep")
            trial = inner.fork()
            try:
                if self.nonzero(trial):
                    inner.take(trial)
                    return
                if h.goal[0] == "~" and self.level.degree < 2:
                    trial.g.intro_all()
                    self.saturate(trial)
                    if not (self.linear(trial, 1, 0, wide=True) or self.denied(trial, 0, False)):
                        raise Stuck("not there")
                    inner.take(trial)
                    return
                hints, self.hints = self.hints, [x for x in self.hints if x is not hint]
                self.inside += 1
                try:
                    deep = h.goal[0] == "all" or self.level is LEVELS[-1]
                    self.run(trial, depth - 1 if self.inside == 1 else 0, min(self.level.splits, 2) if deep else 0)
                finally:
                    self.hints = hints
                    self.inside -= 1
            except Stuck:
                self.lacking[f"{h.text(h.goal)} for {hint.label}"] = None
                raise
            inner.take(trial)

        return proof

    def nonzero(self, s: Step) -> bool:
        """t != 0 by its sign."""
        g = s.g
        if g.goal[0] != "~" or g.goal[2][0][0] != "=" or self.level.rounds == 0:
            return False
        a, b = g.goal[2][0][2]
        for t in (("-", None, (a, b)), ("-", None, (b, a))):
            if nf(b) == {}:
                t = a if t[2][0] == a else ("neg", None, (a,))
            sign = s.signs.of(t)
            if sign is not None and sign[1]:
                zero = g.fresh("zero")
                g.intro(zero)
                combination = linear.find(FALSE, {k: g.facts[k] for k in (sign[0], zero)}, effort=self.effort)
                if combination is not None:
                    g._emit(g._pos(combination), True)
                    return True
        return False

    def denied(self, s: Step, depth: int, deep: bool) -> bool:
        """A fact ``~F`` whose F holds."""
        g = s.g
        for k in [k for k in (s.near if deep else g.facts) if g.facts[k][0] == "~"]:
            f = g.facts[k][2][0]
            trial = s.fork(f)
            trial.near.pop(k, None)
            if not deep:
                if not self.plain(trial):
                    continue
            else:
                if f[0] in COMPARISONS or ("denied", k) in s.done:
                    continue
                trial.done.add(("denied", k))
                for eq in [x for x in trial.near if g.facts[x][0] == "=" and g.facts[x][2][0][0] == "var"]:
                    old, new = g.facts[eq][2]
                    if old not in free(new) and old in free(trial.g.goal):
                        trial.g.rewrite(eq)
                try:
                    self.run(trial, depth - 1, 1)
                except Stuck:
                    continue
            label = g.fresh("yes")
            g._emit({"by": "have", "show": g.text(f), "proof": trial.g.nodes, "as": label})
            g._bind(label, f)
            if g.goal != FALSE:
                g.contra(g.fresh("no"))
            g.absurd(label, k)
            return True
        return False

    def integers(self, s: Step) -> bool:
        """An inequality of integers by its negation, which is apart by one."""
        g = s.g
        if g.goal[0] not in ("<=", "<") or any(sort_of(x) != "Int" for x in g.goal[2]):
            return False
        trial = s.fork()
        before = set(trial.g.facts)
        trial.g.contra(trial.g.fresh("no"))
        trial.note(before)
        self.saturate(trial)
        if not self.linear(trial, 1, 0, wide=True):
            return False
        s.take(trial)
        return True

    def more(self, s: Step) -> None:
        """Signs of what occurs in the goal and the foreground, z*(1/z) = 1, and what is known about its sums."""
        g = s.g
        near = [g.facts[k] for k in s.near if g.facts[k][0] in COMPARISONS]
        atoms: dict[int, None] = {}
        exponents: dict[int, None] = {}
        for f in [g.goal, *near]:
            if f[0] in COMPARISONS:
                for factors, e in self.poly(f):
                    atoms |= dict.fromkeys(a for a, _ in factors)
                    exponents[e] = None
        if g.goal[0] in ("<=", "<") and not nf(g.goal[2][0]):
            s.signs.of(g.goal[2][1])
        written: dict[object, Term] = {}
        for f in [g.goal, *near]:
            for t in subterms(f):
                if t[0] in ("ind", "fn") and not loose(t):
                    written.setdefault(normal.freeze(nf(t)), t)
        for a in list(atoms)[:40]:
            t = written.get(normal.freeze({(((a, 1),), 0): 1})) or reify.atom(a)
            if normal._keys[a][0] in ("inv", "fn", "sum", "ind"):
                s.signs.of(t)
            if normal._keys[a][0] == "ind":
                self.at_most_one(s, t)
        for e in list(exponents)[:20]:
            if e and ("exp", e) not in s.done:
                s.done.add(("exp", e))
                g.use("ax:exp_pos", g.text(reify.term(normal._exponents[e])), label=g.fresh("sg"))
        for e in s.signs.equations:
            if e in g.facts:
                s.near[e] = None
        sums.facts(g, list(atoms), s.done, self.provable(s))
        self.unfolded(s, near)

    def unfolded(self, s: Step, near: list[Term]) -> None:
        """A sum over a function whose values a fact gives at all places: the sum of these values."""
        g = s.g
        if "lem:sum_ext" not in g.library.facts:
            return
        equations_given: dict[Term, tuple[str, Term]] = {}
        for k, f in g.facts.items():
            if f[0] == "all" and f[1] == "Int" and f[2][0][0] == "->" and f[2][0][2][1][0] == "=":
                head, value = f[2][0][2][1][2]
                j = ("bound", (0, "Int"), ())
                if (
                    head[0] == "app"
                    and head[2][0][0] == "var"
                    and head[2][1:] == (j,)
                    and head[2][0] not in free(value)
                ):
                    equations_given.setdefault(head, (k, value))
        if not equations_given:
            return
        for t in [t for f in [g.goal, *near] for t in subterms(f) if t[0] == "sum" and not loose(t)]:
            low, high, body = t[2]
            new, used = body, []
            for head, (k, value) in equations_given.items():
                other = _exchanged(new, head, value)
                if other != new:
                    new, used = other, [*used, k]
            if not used or ("unfolded", t) in s.done:
                continue
            s.done.add(("unfolded", t))
            lemma = Hint("lem:sum_ext")
            rule = opened(g.fact(lemma.label))
            functions = (("lam", ("Int",), (body,)), ("lam", ("Int",), (new,)))
            found = dict(zip(rule.metas, (*functions, low, high), strict=True))
            hints, self.hints = self.hints, [Hint(k) for k in used]
            try:
                self.instantiate(s, lemma, rule, found, [], 2)
            finally:
                self.hints = hints

    def at_most_one(self, s: Step, t: Term) -> None:
        if ("one", t) in s.done:
            return
        s.done.add(("one", t))
        s.signs.indicator(t, s.g.fresh("sg"), ("<=", None, (t, num(1))))

    def provable(self, s: Step) -> Callable[[Goal], bool]:
        def proof(h: Goal) -> bool:
            return self.linear(s.under(h), 1, 0, wide=True)

        return proof


def _exchanged(t: Term, old: Term, new: Term) -> Term:
    """The body of a sum with `old`, in which only its variable is loose, replaced where no other binder is between."""
    if t == old:
        return new
    if t[0] in ("sum", "prod", "all", "ex", "lam"):
        return t
    kids = tuple(_exchanged(k, old, new) for k in t[2])
    return t if kids == t[2] else (t[0], t[1], kids)
