"""Facts that a search adds before it tries arithmetic again: parts of facts, instances of rules, signs, sums.

A rule is a fact with quantifiers or premises in front, opened as in `matching`: its quantified variables are metas. An
instance puts terms of the goal and of the foreground for the metas and proves the premises; what remains is a new fact
in the foreground. All methods change the `Step` that they get; the certificate grows with each fact.

Letters: `g` and `h` are goals, `s` is a step, `k` the label of a fact, `f` a formula, `t` a term.
Formulas and terms are tuples (tag, data, kids): `f[2][0]` is the first kid of `f`.
"""

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

MOST_FACTS = 400  # with more facts than this none is taken apart
LAST_NAMES = 6  # so many of the names that were declared last are tried where nothing points to a term
MOST_ATOMS = 40  # of so many atoms of the goal and the foreground the sign is looked for
MOST_EXPONENTS = 20  # for so many exponents 0 < exp(t) becomes a fact


class Foreground(Arithmetic):
    """The steps that bring new facts to the foreground."""

    def saturate(self, s: Step) -> None:
        """Conjunctions come apart, existences get names, a < b of integers gives a + 1 <= b."""
        g = s.g
        todo = list(g.facts)
        while todo:
            k = todo.pop(0)
            f = g.facts[k]
            if (k, "taken") in s.done or len(g.facts) > MOST_FACTS:
                continue
            before = set(g.facts)
            if f[0] == "&" and k not in g.taken:
                s.done.add((k, "taken"))
                stem = g.fresh("q")
                g.use(k, label=" ".join(f"{stem}_{i}" for i in range(len(flatten("&", f)))))
            elif f[0] == "ex" and k in s.foreground:  # only there, as each one brings a new name into scope
                s.done.add((k, "taken"))
                inner = f[2][0]
                stem = g.fresh("w")
                count = len(flatten("&", inner))
                g.obtain(k, g.fresh("v"), stem if count == 1 else " ".join(f"{stem}_{i}" for i in range(count)))
            elif f[0] == "<" and sort_of(f[2][0]) == sort_of(f[2][1]) == "Int":
                # Linear arithmetic takes all names as reals, so that it does not see the gap of 1 by itself.
                s.done.add((k, "taken"))
                a, b = f[2]
                if ("<=", None, (("+", None, (a, num(1))), b)) in g.facts.values():
                    continue
                g.use("ax:int_lt", g.text(a), g.text(b), f"#{k}", label=g.fresh("z"))
            else:
                continue
            # The new facts are looked at too; they are in the foreground if the fact that they come from is.
            new = [x for x in g.facts if x not in before]
            if k in s.foreground:
                s.foreground |= dict.fromkeys(new)
            todo += new

    def instances(self, s: Step, depth: int) -> bool:
        """Add instances of the hints and of the rules in the foreground for terms that occur; whether one is new."""
        g = s.g
        before = len(g.facts)
        known = list(g.facts.values())
        here = closed_subterms([g.goal, *(g.facts[k] for k in s.foreground if g.facts[k][0] in COMPARISONS)])
        wide: list[Term] | None = None
        for hint in [*self.hints, *(Hint(k) for k in list(s.foreground) if g.facts[k][0] in ("all", "->"))]:
            if hint.term is not None or (hint.label not in g.facts and hint.label not in g.library.facts):
                continue
            fact = g.fact(hint.label)
            # Not a rule: a fact of the library comes to the foreground once, a fact of the goal is there already.
            if fact[0] not in ("all", "->") and not hint.premises:
                if hint.label in g.library.facts and ("got", hint.label) not in s.done:
                    s.done.add(("got", hint.label))
                    label = g.fresh("u")
                    g.use(hint.label, label=label)
                    s.foreground[label] = None
                continue
            rule = self.known(opened, fact)
            started = self.start(s, hint, rule)
            if started is None:
                continue
            start, premise_labels = started
            self.effort.spend(500 + 15 * len(here) + 10 * len(known))
            options = ways(rule, g.goal, here, known, start)
            # Nothing in the goal or the foreground fits: take terms of all facts that are comparisons.
            if not options:
                if wide is None:
                    wide = closed_subterms([f for f in known if f[0] in COMPARISONS])
                options = ways(rule, g.goal, wide, known, start, self.level.degree > 1)
            # Still nothing, or the last level: an integer that no term determines may be any name of an integer.
            only_integers = all(m[1][1] == "Int" for m in rule.metas if m not in start)
            if (not options or self.level is LEVELS[-1]) and only_integers:
                options = [*options, *(x for x in self.everywhere(s, rule, start) if x not in options)]
            for option in options:
                self.instantiate(s, hint, rule, option, premise_labels, depth)
        return len(g.facts) > before

    def everywhere(self, s: Step, rule: Opened, start: Found) -> list[Found]:
        """The names of integers, the last ones, for a rule of which one variable is missing that no term determines."""
        missing = [m for m in rule.metas if m not in start]
        names = [("var", (n, "Int"), ()) for n, sort in s.g.scope.items() if sort == "Int"]
        return [{**start, missing[0]: v} for v in names[-LAST_NAMES:]] if len(missing) == 1 else []

    def start(self, s: Step, hint: Hint, rule: Opened) -> tuple[Found, list[str | None]] | None:
        """What the terms and premises of a hint determine: values of metas, and the labels for its first premises.

        A label is None where the hint leaves the premise to the search, as ``_`` or because its fact does not match.
        """
        g = s.g
        matched: Found = {}
        for m, text in zip(rule.metas, hint.terms or (), strict=False):
            if text != "_":
                matched[m] = g.term(text, m[1][1])
        premise_labels: list[str | None] = []
        for hint_premise, q in zip(hint.premises, rule.premises, strict=False):
            if hint_premise.label == "_":
                premise_labels.append(None)
                continue
            label = self.resolve(s, hint_premise, put(q, matched), matched)
            if label is None:
                self.lacking[f"the premise of {hint.label} that {hint_premise.label} should give"] = None
            premise_labels.append(label)
        return matched, premise_labels

    def resolve(self, s: Step, hint: Hint, wanted: Term, matched: Found) -> str | None:
        """The label of a fact that matches a premise: the hint itself, a part of it or an instance of it."""
        g = s.g
        # The fact itself, as it stands: equal up to metas, or with none left equal up to its normal form.
        if hint.label in g.facts and hint.terms is None and not hint.premises:
            extended = dict(matched)
            if match(wanted, g.facts[hint.label], extended):
                matched |= extended
                return hint.label
            if not any(is_meta(v) for v in free(wanted)) and fkey(wanted) == fkey(g.facts[hint.label]):
                return hint.label
        # An instance of it, which the terms and premises of the hint determine.
        fact = g.fact(hint.label)
        rule = self.known(opened, fact)
        inner = self.start(s, hint, rule)
        if inner is None:
            return None
        label = self.instantiate(s, hint, rule, inner[0], inner[1], 1, partial=True)
        if label is None:
            return None
        extended = dict(matched)
        if not match(wanted, g.facts[label], extended):
            return None
        matched |= extended
        return label

    def instantiate(
        self,
        s: Step,
        hint: Hint,
        rule: Opened,
        matched: Found,
        premise_labels: Sequence[str | None],
        depth: int,
        partial: bool = False,
    ) -> str | None:
        """Add an instance to the foreground; its label, or None where a premise fails or the instance is not new.

        With `partial` the metas need not all be known: quantifiers and premises that follow the last known one remain.
        """
        g = s.g
        # An instance that is there already, that failed from the same facts, or that is trivial, is not tried.
        if not partial:
            end = put(rule.end, matched)
            self.effort.spend(1000 + 5 * sum(1 for _ in subterms(end)))
            if any(is_meta(v) for v in free(end)):
                return None
            key = (hint.label, end)
            if key in s.done or (key, len(g.facts)) in s.failed or fkey(end) == NTRUE:
                return None
            s.failed.add((key, len(g.facts)))
        arguments = self.arguments(s, hint, rule, matched, premise_labels, depth, partial)
        label = g.fresh("u")
        before = set(g.facts)
        saved = len(g.nodes)
        try:
            g.use(hint.label, *arguments, label=label, premises=0)
        except (Stuck, Rejected):  # a premise has no proof: what the attempt wrote is taken back
            del g.nodes[saved:]
            for k in [k for k in g.facts if k not in before]:
                del g.facts[k]
            return None
        s.foreground[label] = None
        if not partial:
            s.done.add(key)
        return label

    def arguments(
        self,
        s: Step,
        hint: Hint,
        rule: Opened,
        matched: Found,
        premise_labels: Sequence[str | None],
        depth: int,
        partial: bool,
    ) -> list[object]:
        """What `Goal.use` takes for an instance, in the order of the fact.

        A text for each quantifier; for each premise a label, or a tactic that searches for a proof.
        """
        arguments: list[object] = []
        f = s.g.fact(hint.label)
        metas, remaining_labels = list(rule.metas), list(premise_labels)
        while f[0] in ("all", "->"):
            if f[0] == "all":
                m = metas.pop(0)
                if m not in matched:
                    break
                arguments.append(s.g.text(matched[m]))
                f = f[2][0]
            else:
                hint_ends = not remaining_labels and not hint.premises and hint.terms is not None
                if partial and hint_ends and metas:  # the hint names terms only, and more quantifiers follow
                    break
                label = remaining_labels.pop(0) if remaining_labels else None
                arguments.append(self.premise(s, hint, depth) if label is None else f"#{label}")
                f = f[2][1]
        return arguments

    def premise(self, s: Step, hint: Hint, depth: int) -> Callable[[Goal], None]:
        """The tactic that proves a premise of an instance of `hint`; what it cannot prove is noted as lacking."""

        def proof(h: Goal) -> None:
            inner = s.under(h)
            if self.at_once(inner):
                return
            if depth <= 0:
                raise Stuck("too deep")
            trial = inner.fork()
            try:
                self.close_premise(trial, hint, depth)
            except Stuck:
                self.lacking[f"{h.text(h.goal)} for {hint.label}"] = None
                raise
            inner.take(trial)

        return proof

    def close_premise(self, s: Step, hint: Hint, depth: int) -> None:
        """Close a premise of an instance of `hint`: by a sign, a contradiction or a search of its own; or Stuck."""
        premise = s.g.goal
        if self.nonzero(s):
            return
        # At the low levels a negation must follow at once, without a search of its own.
        if premise[0] == "~" and self.level.degree < 2:
            s.g.intro_all()
            self.saturate(s)
            if not (self.follows(s) or self.denied(s, 0, deep=False)):
                raise Stuck("not there")
            return
        # The hint itself takes no part, as its instances would have premises of the same kind again. A premise has
        # one level of depth less; within it there are only instances whose own premises hold at once.
        hints, self.hints = self.hints, [x for x in self.hints if x is not hint]
        self.inside += 1
        try:
            deep = premise[0] == "all" or self.level is LEVELS[-1]
            self.run(s, depth - 1 if self.inside == 1 else 0, min(self.level.splits, 2) if deep else 0)
        finally:
            self.hints = hints
            self.inside -= 1

    def nonzero(self, s: Step) -> bool:
        """Close the goal a != b by the sign of a - b or b - a; whether that was possible."""
        g = s.g
        if g.goal[0] != "~" or g.goal[2][0][0] != "=" or self.level.rounds == 0:
            return False
        a, b = g.goal[2][0][2]
        for t in (("-", None, (a, b)), ("-", None, (b, a))):
            if nf(b) == {}:  # b is 0: a itself or -a, whose form says more than that of a difference
                t = a if t[2][0] == a else ("neg", None, (a,))
            sign = s.signs.of(t)
            if sign is not None and sign[1]:  # 0 < t contradicts a = b
                zero = g.fresh("zero")
                g.intro(zero)
                combination = linear.find(FALSE, {k: g.facts[k] for k in (sign[0], zero)}, effort=self.effort)
                if combination is not None:
                    g._emit(g._pos(combination), True)
                    return True
        return False

    def denied(self, s: Step, depth: int, *, deep: bool) -> bool:
        """Close any goal by a fact ``~F`` of which F has a proof; whether there is one.

        If not `deep`, all such facts are tried and F must follow at once; else those in the foreground whose F is no
        comparison, each F by a search of its own.
        """
        g = s.g
        for k in [k for k in (s.foreground if deep else g.facts) if g.facts[k][0] == "~"]:
            f = g.facts[k][2][0]
            trial = s.fork(f)
            trial.foreground.pop(k, None)
            if not deep:
                if not self.plain(trial):
                    continue
            else:
                if f[0] in COMPARISONS or ("denied", k) in s.done:
                    continue
                trial.done.add(("denied", k))
                # Equations x = t of the foreground replace names in F.
                for eq in [x for x in trial.foreground if g.facts[x][0] == "=" and g.facts[x][2][0][0] == "var"]:
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
        """Close a comparison of integers by a contradiction: its negation a < b is stronger, as it gives a + 1 <= b."""
        g = s.g
        if g.goal[0] not in ("<=", "<") or any(sort_of(x) != "Int" for x in g.goal[2]):
            return False
        trial = s.fork()
        before = set(trial.g.facts)
        trial.g.contra(trial.g.fresh("no"))
        trial.note(before)
        self.saturate(trial)
        if not self.follows(trial):
            return False
        s.take(trial)
        return True

    def signs_and_sums(self, s: Step) -> None:
        """Add signs of what occurs in the goal and the foreground, z*(1/z) = 1, and what is known about its sums."""
        g = s.g
        # The atoms and the exponents of exp in the normal forms, as numbers of `normal`.
        comparisons = [g.facts[k] for k in s.foreground if g.facts[k][0] in COMPARISONS]
        atoms: dict[int, None] = {}
        exponents: dict[int, None] = {}
        for f in [g.goal, *comparisons]:
            if f[0] in COMPARISONS:
                for factors, e in self.poly(f):
                    atoms |= dict.fromkeys(a for a, _ in factors)
                    exponents[e] = None
        if g.goal[0] in ("<=", "<") and not nf(g.goal[2][0]):  # the goal 0 <= t or 0 < t asks for a sign itself
            s.signs.of(g.goal[2][1])
        # An atom as it is written in the goal or a fact: another form of it would be another term in the proof.
        written: dict[object, Term] = {}
        for f in [g.goal, *comparisons]:
            for t in subterms(f):
                if t[0] in ("ind", "fn") and not loose(t):
                    written.setdefault(normal.freeze(nf(t)), t)
        for a in list(atoms)[:MOST_ATOMS]:
            t = written.get(normal.freeze({(((a, 1),), 0): 1})) or reify.atom(a)
            if normal._keys[a][0] in ("inv", "fn", "sum", "ind"):
                s.signs.of(t)
            if normal._keys[a][0] == "ind":
                self.at_most_one(s, t)
        for e in list(exponents)[:MOST_EXPONENTS]:
            if e and ("exp", e) not in s.done:  # 0 is the number of the exponent 0
                s.done.add(("exp", e))
                g.use("ax:exp_pos", g.text(reify.term(normal._exponents[e])), label=g.fresh("sg"))
        for e in s.signs.equations:
            if e in g.facts:
                s.foreground[e] = None
        sums.facts(g, list(atoms), s.done, self.provable(s))
        self.unfolded(s, comparisons)

    def unfolded(self, s: Step, comparisons: list[Term]) -> None:
        """Rewrite sums by facts ``all j. P -> f(j) = t``: that sum f(j) is sum t becomes a fact, by lem:sum_ext."""
        g = s.g
        if "lem:sum_ext" not in g.library.facts:
            return
        equations = _values_at_all_places(g)
        if not equations:
            return
        for t in [t for f in [g.goal, *comparisons] for t in subterms(f) if t[0] == "sum" and not loose(t)]:
            # The body with every such f(j) replaced by its value, and the facts that say so.
            low, high, body = t[2]
            new, used = body, []
            for head, (k, value) in equations.items():
                exchanged = _exchanged(new, head, value)
                if exchanged != new:
                    new, used = exchanged, [*used, k]
            if not used or ("unfolded", t) in s.done:
                continue
            # The lemma's premise, that both bodies agree in the range, is to follow from the facts that were used.
            s.done.add(("unfolded", t))
            lemma = Hint("lem:sum_ext")
            rule = opened(g.fact(lemma.label))
            functions = (("lam", ("Int",), (body,)), ("lam", ("Int",), (new,)))
            matched = dict(zip(rule.metas, (*functions, low, high), strict=True))
            hints, self.hints = self.hints, [Hint(k) for k in used]
            try:
                self.instantiate(s, lemma, rule, matched, [], 2)
            finally:
                self.hints = hints

    def at_most_one(self, s: Step, t: Term) -> None:
        """Add I[F] <= 1, once."""
        if ("one", t) in s.done:
            return
        s.done.add(("one", t))
        s.signs.indicator(t, s.g.fresh("sg"), ("<=", None, (t, num(1))))

    def provable(self, s: Step) -> Callable[[Goal], bool]:
        """A function that closes a branch of this goal by linear arithmetic from all facts; whether it did."""

        def proof(h: Goal) -> bool:
            return self.follows(s.under(h))

        return proof


def _values_at_all_places(g: Goal) -> dict[Term, tuple[str, Term]]:
    """The facts ``all j:Int. P -> f(j) = t``, with f a name that t does not have: f(j) to the label and t."""
    j = ("bound", (0, "Int"), ())
    equations: dict[Term, tuple[str, Term]] = {}
    for k, f in g.facts.items():
        if f[0] == "all" and f[1] == "Int" and f[2][0][0] == "->" and f[2][0][2][1][0] == "=":
            head, value = f[2][0][2][1][2]
            is_value = head[0] == "app" and head[2][0][0] == "var" and head[2][1:] == (j,)
            if is_value and head[2][0] not in free(value):
                equations.setdefault(head, (k, value))
    return equations


def _exchanged(t: Term, old: Term, new: Term) -> Term:
    """The body of a sum with `old`, in which only its variable is loose, replaced where no other binder is between."""
    if t == old:
        return new
    if t[0] in ("sum", "prod", "all", "ex", "lam"):
        return t
    kids = tuple(_exchanged(k, old, new) for k in t[2])
    return t if kids == t[2] else (t[0], t[1], kids)
