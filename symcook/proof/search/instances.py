"""Facts that a search adds before it tries arithmetic again: parts of facts, instances of rules, signs, sums.

A rule is a fact that begins with quantifiers or premises. `matching` opens it: its quantified variables become metas.
An instance replaces the metas by terms of the goal and of the foreground, and proves the premises; the conclusion is a
new fact in the foreground. All methods change the `Step` that they get; the certificate grows with each fact.

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
from symcook.proof.search.matching import (
    MetaValues,
    Opened,
    closed_subterms,
    instances_of,
    is_meta,
    loose,
    match,
    opened,
    with_values,
)
from symcook.proof.search.step import LEVELS, Hint, Step
from symcook.proof.search.tactics import Goal, Stuck, intro_all, pos_node
from symcook.proof.terms import COMPARISONS, FALSE, Term, flatten, free, num, sort_of, subterms

MOST_FACTS = 400
"""If there are more facts, `saturate` adds no further ones: each is compared with each goal. Goals in 24 claims of an
unseen set and 21 proof texts had at most 231."""
LAST_NAMES = 6
"""How many names, the last declared ones, are tried for a meta that no term determines: a rule with two such metas has
36 instances."""
MOST_ATOMS = 40
"""The maximum number of atoms of the goal and the foreground whose signs are added: each sign is a search of its own,
and a further column of the linear program."""
MOST_EXPONENTS = 20
"""The maximum number of exponents t for which 0 < exp(t) is added: each is a further fact in the products of two."""


class Foreground(Arithmetic):
    """The steps that add facts to the foreground."""

    def saturate(self, s: Step) -> None:
        """Split facts that are conjunctions, name what exists by facts of the foreground, and add a + 1 <= b for each
        a < b of integers. New facts are treated in the same way."""
        g = s.g
        remaining = list(g.facts)
        while remaining:
            k = remaining.pop(0)
            f = g.facts[k]
            if (k, "taken") in s.done or len(g.facts) > MOST_FACTS:
                continue
            before = set(g.facts)
            if f[0] == "&" and k not in g.taken:
                s.done.add((k, "taken"))
                stem = g.fresh("q")
                g.use(k, label=" ".join(f"{stem}_{i}" for i in range(len(flatten("&", f)))))
            elif f[0] == "ex" and k in s.foreground:  # only in the foreground, as each adds a name to the scope
                s.done.add((k, "taken"))
                body = f[2][0]
                stem = g.fresh("w")
                count = len(flatten("&", body))
                g.obtain(k, g.fresh("v"), stem if count == 1 else " ".join(f"{stem}_{i}" for i in range(count)))
            elif f[0] == "<" and sort_of(f[2][0]) == sort_of(f[2][1]) == "Int":
                # Linear arithmetic treats all names as reals, so it does not know the gap of 1.
                s.done.add((k, "taken"))
                a, b = f[2]
                if ("<=", None, (("+", None, (a, num(1))), b)) in g.facts.values():
                    continue
                g.use("ax:int_lt", g.text(a), g.text(b), f"#{k}", label=g.fresh("z"))
            else:
                continue
            # The new facts are treated next. They are in the foreground if the fact `k` is.
            new_labels = [x for x in g.facts if x not in before]
            if k in s.foreground:
                s.foreground |= dict.fromkeys(new_labels)
            remaining += new_labels

    def instances(self, s: Step, depth: int) -> bool:
        """Add instances of the hints, and of the rules in the foreground, at terms that occur; whether a fact is
        new."""
        g = s.g
        before = len(g.facts)
        all_facts = list(g.facts.values())
        closed_terms = closed_subterms([g.goal, *(g.facts[k] for k in s.foreground if g.facts[k][0] in COMPARISONS)])
        terms_of_all_facts: list[Term] | None = None
        for hint in [*self.hints, *(Hint(k) for k in list(s.foreground) if g.facts[k][0] in ("all", "->"))]:
            if hint.term is not None or (hint.label not in g.facts and hint.label not in g.library.facts):
                continue
            fact = g.fact(hint.label)
            # A fact that is not a rule: if it is from the library, it is added to the foreground once.
            if fact[0] not in ("all", "->") and not hint.premises:
                if hint.label in g.library.facts and ("got", hint.label) not in s.done:
                    s.done.add(("got", hint.label))
                    label = g.fresh("u")
                    g.use(hint.label, label=label)
                    s.foreground[label] = None
                continue
            rule = self.known(opened, fact)
            from_hint = self.start(s, hint, rule)
            if from_hint is None:
                continue
            start, premise_labels = from_hint
            self.effort.spend(500 + 15 * len(closed_terms) + 10 * len(all_facts))
            options = instances_of(rule, g.goal, closed_terms, all_facts, start)
            # If no term of the goal or the foreground fits: the terms of all facts that are comparisons.
            if not options:
                if terms_of_all_facts is None:
                    terms_of_all_facts = closed_subterms([f for f in all_facts if f[0] in COMPARISONS])
                options = instances_of(rule, g.goal, terms_of_all_facts, all_facts, start, self.level.degree > 1)
            # If still nothing fits, and in any case at the last level: if one integer is missing, it may be any of the
            # last names of integers.
            only_integers = all(m[1][1] == "Int" for m in rule.metas if m not in start)
            if (not options or self.level is LEVELS[-1]) and only_integers:
                options = [*options, *(x for x in self.everywhere(s, rule, start) if x not in options)]
            for option in options:
                self.instantiate(s, hint, rule, option, premise_labels, depth)
        return len(g.facts) > before

    def everywhere(self, s: Step, rule: Opened, start: MetaValues) -> list[MetaValues]:
        """The instances of a rule that extend `start` by a name of an integer, for the last names in scope. An empty
        list unless exactly one meta is missing."""
        missing = [m for m in rule.metas if m not in start]
        names = [("var", (n, "Int"), ()) for n, sort in s.g.scope.items() if sort == "Int"]
        return [{**start, missing[0]: v} for v in names[-LAST_NAMES:]] if len(missing) == 1 else []

    def start(self, s: Step, hint: Hint, rule: Opened) -> tuple[MetaValues, list[str | None]] | None:
        """What the terms and premises of a hint determine: the values of metas, and the labels for the rule's first
        premises.

        A label is None if the search must prove the premise: the hint has ``_`` for it, or a fact that does not match.
        """
        g = s.g
        matched: MetaValues = {}
        for m, text in zip(rule.metas, hint.terms or (), strict=False):
            if text != "_":
                matched[m] = g.term(text, m[1][1])
        premise_labels: list[str | None] = []
        for hint_premise, q in zip(hint.premises, rule.premises, strict=False):
            if hint_premise.label == "_":
                premise_labels.append(None)
                continue
            label = self.resolve(s, hint_premise, with_values(q, matched), matched)
            if label is None:
                self.lacking[f"the premise of {hint.label} that {hint_premise.label} should give"] = None
            premise_labels.append(label)
        return matched, premise_labels

    def resolve(self, s: Step, hint: Hint, wanted: Term, matched: MetaValues) -> str | None:
        """The label of a fact that matches a premise of a rule: the fact of the hint, or an instance of this fact.
        `matched` is extended by the metas that the match determines. None if nothing matches."""
        g = s.g
        # The fact of the hint: equal up to metas, or equal up to normal forms if no meta is left.
        if hint.label in g.facts and hint.terms is None and not hint.premises:
            extended = dict(matched)
            if match(wanted, g.facts[hint.label], extended):
                matched |= extended
                return hint.label
            if not any(is_meta(v) for v in free(wanted)) and fkey(wanted) == fkey(g.facts[hint.label]):
                return hint.label
        # An instance of the fact, which the terms and premises of the hint determine.
        fact = g.fact(hint.label)
        rule = self.known(opened, fact)
        from_hint = self.start(s, hint, rule)
        if from_hint is None:
            return None
        label = self.instantiate(s, hint, rule, from_hint[0], from_hint[1], 1, partial=True)
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
        matched: MetaValues,
        premise_labels: Sequence[str | None],
        depth: int,
        partial: bool = False,
    ) -> str | None:
        """Add an instance of a rule to the foreground. Returns its label, or None if a premise has no proof, if the
        instance is trivial or not new, or if it has failed before with as many facts.

        With `partial`, some metas may have no value: the instance then keeps the quantifiers and premises that follow
        the last meta with a value.
        """
        g = s.g
        # An instance is not tried if it is a fact already, if it failed with the same facts, or if it is trivial.
        if not partial:
            conclusion = with_values(rule.end, matched)
            self.effort.spend(1000 + 5 * sum(1 for _ in subterms(conclusion)))
            if any(is_meta(v) for v in free(conclusion)):
                return None
            key = (hint.label, conclusion)
            if key in s.done or (key, len(g.facts)) in s.failed or fkey(conclusion) == NTRUE:
                return None
            s.failed.add((key, len(g.facts)))
        arguments = self.arguments(s, hint, rule, matched, premise_labels, depth, partial)
        label = g.fresh("u")
        before = set(g.facts)
        node_count = len(g.nodes)
        try:
            g.use(hint.label, *arguments, label=label, premises=0)
        except (Stuck, Rejected):  # a premise has no proof: remove the nodes and facts of the attempt
            del g.nodes[node_count:]
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
        matched: MetaValues,
        premise_labels: Sequence[str | None],
        depth: int,
        partial: bool,
    ) -> list[object]:
        """The arguments of `Goal.use` for an instance, in the order of the fact's quantifiers and premises.

        A quantifier has a text; a premise has a label, or a tactic that searches for a proof.
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
                if partial and hint_ends and metas:  # the hint has only terms, and more quantifiers follow
                    break
                label = remaining_labels.pop(0) if remaining_labels else None
                arguments.append(self.premise(s, hint, depth) if label is None else f"#{label}")
                f = f[2][1]
        return arguments

    def premise(self, s: Step, hint: Hint, depth: int) -> Callable[[Goal], None]:
        """The tactic that proves a premise of an instance of `hint`. A premise that it cannot prove is noted in
        `lacking`."""

        def proof(h: Goal) -> None:
            """Close the premise `h`, or Stuck; the search for it works on a fork."""
            step = s.under(h)
            if self.at_once(step):
                return
            if depth <= 0:
                raise Stuck("too deep")
            trial = step.fork()
            try:
                self.close_premise(trial, hint, depth)
            except Stuck:
                self.lacking[f"{h.text(h.goal)} for {hint.label}"] = None
                raise
            step.take(trial)

        return proof

    def close_premise(self, s: Step, hint: Hint, depth: int) -> None:
        """Close a premise of an instance of `hint`, or Stuck: by a sign, by a contradiction, or by a search for this
        premise."""
        premise = s.g.goal
        if self.nonzero(s):
            return
        # At the low levels a negation must follow at once, without a search.
        if premise[0] == "~" and self.level.degree < 2:
            intro_all(s.g)
            self.saturate(s)
            if not (self.follows(s) or self.denied(s, 0, deep=False)):
                raise Stuck("not there")
            return
        # The hint is left out of this search, since its instances would have premises of the same kind again. In a
        # premise the depth is 1 less; in a premise of a premise it is 0, so that all further premises must hold at
        # once.
        hints, self.hints = self.hints, [x for x in self.hints if x is not hint]
        self.inside += 1
        try:
            deep = premise[0] == "all" or self.level is LEVELS[-1]
            self.run(s, depth - 1 if self.inside == 1 else 0, min(self.level.splits, 2) if deep else 0)
        finally:
            self.hints = hints
            self.inside -= 1

    def nonzero(self, s: Step) -> bool:
        """Close the goal a != b by the sign of a - b or b - a; whether it did."""
        g = s.g
        if g.goal[0] != "~" or g.goal[2][0][0] != "=" or self.level.rounds == 0:
            return False
        a, b = g.goal[2][0][2]
        for t in (("-", None, (a, b)), ("-", None, (b, a))):
            if nf(b) == {}:  # b is 0: use a or -a, since the form of a is lost in a difference
                t = a if t[2][0] == a else ("neg", None, (a,))
            sign = s.signs.of(t)
            if sign is not None and sign[1]:  # 0 < t contradicts a = b
                zero = g.fresh("zero")
                g.intro(zero)
                combination = linear.find(FALSE, {k: g.facts[k] for k in (sign[0], zero)}, effort=self.effort)
                if combination is not None:
                    g.close(pos_node(g, combination))
                    return True
        return False

    def denied(self, s: Step, depth: int, *, deep: bool) -> bool:
        """Close any goal by a fact ``~F`` and a proof of F; whether it did.

        Unless `deep`, all facts ``~F`` are tried, and F must follow at once. With `deep`, those of the foreground are
        tried whose F is not a comparison, and F is proved by a search.
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
            # F becomes a fact, which contradicts ``~F``.
            label = g.fresh("yes")
            g.add({"by": "have", "show": g.text(f), "proof": trial.g.nodes, "as": label}, f)
            if g.goal != FALSE:
                g.contra(g.fresh("no"))
            g.absurd(label, k)
            return True
        return False

    def integers(self, s: Step) -> bool:
        """Close a comparison of integers by a contradiction with its negation; whether it did. A negation a < b gives
        a + 1 <= b, which is stronger."""
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
        """Add facts about terms that occur in the goal and the foreground: signs, z*(1/z) = 1, and facts about sums."""
        g = s.g
        # The atoms and the exponents of exp in the normal forms. Both are numbers, to which `normal` has the terms.
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
        # Each atom as the goal or a fact has it, since a different term with the same normal form does not match there.
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
        """Add equations of sums: if there is a fact ``all j. P -> f(j) = t``, a sum over f(j) is equal to the sum over
        t, by lem:sum_ext."""
        g = s.g
        if "lem:sum_ext" not in g.library.facts:
            return
        equations = _values_at_all_places(g)
        if not equations:
            return
        for t in [t for f in [g.goal, *comparisons] for t in subterms(f) if t[0] == "sum" and not loose(t)]:
            # The body with each f(j) replaced by its value, and the labels of the facts that are used.
            low, high, body = t[2]
            rewritten_body, used = body, []
            for head, (k, value) in equations.items():
                after = _exchanged(rewritten_body, head, value)
                if after != rewritten_body:
                    rewritten_body, used = after, [*used, k]
            if not used or ("unfolded", t) in s.done:
                continue
            # The lemma's premise is that both bodies agree in the range. The used facts are the hints for its proof.
            s.done.add(("unfolded", t))
            lemma = Hint("lem:sum_ext")
            rule = opened(g.fact(lemma.label))
            functions = (("lam", ("Int",), (body,)), ("lam", ("Int",), (rewritten_body,)))
            matched = dict(zip(rule.metas, (*functions, low, high), strict=True))
            hints, self.hints = self.hints, [Hint(k) for k in used]
            try:
                self.instantiate(s, lemma, rule, matched, [], 2)
            finally:
                self.hints = hints

    def at_most_one(self, s: Step, t: Term) -> None:
        """Add I[F] <= 1 for the indicator `t`, unless it was added before."""
        if ("one", t) in s.done:
            return
        s.done.add(("one", t))
        s.signs.indicator(t, s.g.fresh("sg"), ("<=", None, (t, num(1))))

    def provable(self, s: Step) -> Callable[[Goal], bool]:
        """A function that tries to close a branch of this goal by linear arithmetic from all facts, and returns whether
        it did."""

        def proof(h: Goal) -> bool:
            return self.follows(s.under(h))

        return proof


def _values_at_all_places(g: Goal) -> dict[Term, tuple[str, Term]]:
    """For each fact ``all j:Int. P -> f(j) = t``, where f is a name that does not occur in t: by f(j), the label of the
    fact and t."""
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
    """The body of a sum with `new` in place of `old`, but not within another binder. In `old` only the sum's variable
    is loose."""
    if t == old:
        return new
    if t[0] in ("sum", "prod", "all", "ex", "lam"):
        return t
    kids = tuple(_exchanged(k, old, new) for k in t[2])
    return t if kids == t[2] else (t[0], t[1], kids)
