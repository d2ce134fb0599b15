"""Proofs written as Python: a `Goal` has a method for each rule of the kernel; searches are functions of a goal.

`opengoal` has its state. Every method that changes the state appends a node to `nodes`. A method that branches returns
the new goals and closes the goal on which it is called. Nothing here is trusted: if the state is wrong, the kernel
rejects the certificate.

Two searches are methods, since the rules `have` and `use` prove with them what no tactic is given for: `easy` and, for
comparisons, `auto`. `tests/proof/test_goal_face.py` keeps that a goal has no other method.

Letters: `g` and `h` are goals, `k` is the label of a fact, `f` a formula, `t` a term.
Formulas and terms are tuples (tag, data, kids): `f[2][0]` is the first kid of `f`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from symcook.errors import Rejected
from symcook.model.rationals import quotient
from symcook.proof.inequalities import linear
from symcook.proof.normal import TRUE
from symcook.proof.search.opengoal import Citable, Node, OpenGoal, Spec, Stuck, one_label
from symcook.proof.terms import (
    COMPARISONS,
    Term,
    conj,
    flatten,
    instantiate,
    negation,
    num,
    opened,
    replace,
    variables,
)
from symcook.proof.terms import FALSE as FALSUM

Tactic = Callable[["Goal"], None]
"""A function that closes a goal, or raises Stuck."""


def _labels(spec: str | Sequence[object]) -> list[Any]:
    """``"x (a b) c"`` as ``["x", ["a", "b"], "c"]``."""
    if not isinstance(spec, str):
        return list(spec)
    groups = re.findall(r"\(([^()]*)\)|(\S+)", spec)
    return [inside.split() if inside else word for inside, word in groups]


class Goal(OpenGoal):
    """An open goal with a method for each rule of the kernel, of the same name, and the searches `auto` and `easy`.

    A method's node has this name in "by". A rule that closes its goal returns None, one with branches their goals, and
    any other one this goal.
    """

    # --- plain logic ------------------------------------------------------------------------------------------------

    def intro(self, spec: str | Sequence[object], apart: bool = False) -> Goal:
        """Introduce the quantifiers and premises of the goal: a name for each `all`, a label (or labels in parentheses)
        for each `->` and `~`. They are in one node; with `apart`, each has a node."""
        names = _labels(spec)
        for part in [[name] for name in names] if apart else [names]:
            self.add({"by": "intro", "as": part})
        # The leading quantifiers are removed together, so that the formula is walked only once.
        sorts = variables(self.goal)[: len(names)]
        if not all(isinstance(name, str) for name in names[: len(sorts)]):
            raise Stuck(f"nothing to introduce as {names}: {self.text(self.goal)}")
        self.goal = opened(
            self.goal, [self.declare(*name_and_sort) for name_and_sort in zip(names, sorts, strict=False)]
        )
        # Then premises, and quantifiers that follow premises, one after the other.
        for name in names[len(sorts) :]:
            tag, data, kids = self.goal
            if tag == "all" and isinstance(name, str):
                self.goal = instantiate(kids[0], (self.declare(name, data),))
            elif tag in ("->", "~"):
                self.suppose(name, kids[0])
                self.goal = kids[1] if tag == "->" else FALSUM
            else:
                raise Stuck(f"nothing to introduce as {name}: {self.text(self.goal)}")
        return self

    def split(self) -> list[Goal]:
        """One goal for each part of a conjunction."""
        parts: list[Goal] = [self.branch(f) for f in flatten("&", self.goal)]
        self.close({"by": "split", "proofs": [p.nodes for p in parts]})
        return parts

    def pick(self, side: str) -> Goal:
        """Prove the left or the right side of a disjunction."""
        self.add({"by": "pick", "side": side})
        self.goal = self.goal[2][side == "right"]
        return self

    def witness(self, *texts: str) -> Goal:
        """Give terms for the leading `ex` of the goal."""
        remaining, values = self.goal, list[Term]()
        for text in texts:
            tag, sort, kids = remaining
            if tag != "ex":
                raise Stuck("a witness is for 'ex'")
            values.append(self.term(text, sort))
            self.add({"by": "witness", "term": text})
            remaining = kids[0]
        self.goal = opened(self.goal, values)
        return self

    def obtain(self, fact: str, name: str, label: str) -> Goal:
        """Add a name for what exists by the fact `fact`, and the fact about it under `label`."""
        tag, sort, kids = self.fact(fact)
        if tag != "ex":
            raise Stuck(f"{fact} is not 'ex'")
        there = instantiate(kids[0], (self.declare(name, sort),))
        self.add({"by": "obtain", "fact": fact, "name": name, "as": one_label(label)}, there)
        return self

    def hyp(self, label: str) -> None:
        """Close a goal that is a fact."""
        self.close({"by": "hyp", "of": label})

    def true(self) -> None:
        """Close a goal that is true by computation."""
        self.close({"by": "true"})

    def absurd(self, fact: str, negated: str = "") -> None:
        """Close any goal: a fact is false by computation, or the fact `negated` is its negation."""
        self.close({"by": "absurd", "of": fact, **({"not": negated} if negated else {})})

    def contra(self, label: str) -> Goal:
        """Assume the negation of the goal; the goal is then ``false``."""
        self.add({"by": "contra", "as": label}, negation(self.goal))
        self.goal = FALSUM
        return self

    def have(self, show: str | Term, label: str, proof: Tactic | None = None, **auto: Any) -> Goal:
        """Prove `show`, by `proof` or by `easy`, and add it as a fact under `label`."""
        f = self.formula(show)
        text = show if isinstance(show, str) else self.text(f)
        fact_goal = self.branch(f)
        proof(fact_goal) if proof else fact_goal.easy(**auto)
        self.add({"by": "have", "show": text, "proof": fact_goal.nodes, "as": one_label(label)}, f)
        return self

    def use(self, fact: str, *args: Any, label: str, premises: int | None = None) -> Goal:
        """Add an instance of a fact under `label`.

        The arguments are, in order, a text for each `all`; and for each `->` the label of a fact as "#a", "!" if the
        premise is true by computation, or a tactic. `easy` proves a premise that has no argument. After the last
        argument, at most `premises` premises are proved (default: all); the others remain in the instance. The F of
        ``~F`` is proved only with an argument.
        """
        f = self.fact(fact)
        remaining_arguments = list(args)
        checked_arguments: list[Any] = []
        proved_without_argument = 0
        while True:
            tag, sort, kids = f
            # A quantifier, if there is an argument for it.
            if tag == "all" and remaining_arguments:
                text = remaining_arguments.pop(0)
                if not isinstance(text, str) or text.startswith("#"):
                    raise Stuck(f"{fact}: a term is missing before a premise")
                value = self.term(text, sort)
                checked_arguments.append(text)
                f = instantiate(kids[0], (value,))
            # A premise: with an argument, or after all arguments. The premise F of ~F needs an argument.
            elif tag in ("->", "~") and (
                remaining_arguments or (tag == "->" and (premises is None or proved_without_argument < premises))
            ):
                premise_given = remaining_arguments and (
                    not isinstance(remaining_arguments[0], str) or remaining_arguments[0][:1] in "#!"
                )
                proved_without_argument += not remaining_arguments
                argument = remaining_arguments.pop(0) if premise_given else None
                checked_arguments.append(self._premise(kids[0], argument, fact))
                f = kids[1] if tag == "->" else FALSUM
            else:
                break
        if remaining_arguments:
            raise Stuck(f"{fact}: {len(remaining_arguments)} arguments too many for {self.text(f)}")
        self.add({"by": "use", "fact": fact, "with": checked_arguments, "as": one_label(label)}, f)
        return self

    def _premise(self, f: Term, given: Any, fact: str) -> Any:
        """The argument of a `use` node for the premise `f`: a label, "!", or the nodes of a proof by the tactic `given`
        or by `easy`."""
        if isinstance(given, str):
            return given
        if given is None:  # first: true by computation, or the newest fact with the same normal form
            key = self.known.key(f)
            if key == TRUE:
                return "!"
            for k, g in reversed(self.facts.items()):
                if g == f or self.known.key(g) == key:
                    return f"#{k}"
        premise_goal = self.branch(f)
        try:
            given(premise_goal) if given else premise_goal.easy()
        except Stuck as error:
            reason = error
            raise Stuck(lambda: f"premise of {fact}: {reason}") from None
        return premise_goal.nodes

    def _either(self, node: Node, parts: Sequence[Term], labels: Sequence[Spec]) -> list[Goal]:
        """Close the goal by `node`, whose cases have one of `parts` as a fact each; the goals of the cases."""
        goals: list[Goal] = [self.branch() for _ in parts]
        for g, part, label in zip(goals, parts, labels, strict=True):
            g.suppose(label, part)
        self.close({**node, "as": list(labels), "proofs": [g.nodes for g in goals]})
        return goals

    def cases(self, fact: str, *labels: str) -> list[Goal]:
        """One goal for each part of a disjunction, with one label for all of them (default: a new one) or a label for
        each."""
        parts = flatten("|", self.fact(fact))
        self.taken.add(fact)
        spread_labels = [one_label(k) for k in labels] or [self.fresh(fact)]
        return self._either(
            {"by": "cases", "fact": fact},
            parts,
            spread_labels if len(spread_labels) > 1 else spread_labels * len(parts),
        )

    def em(self, text: str | Term, label: str, other: str = "") -> list[Goal]:
        """Two goals: in one the formula is a fact, in the other its negation."""
        f = self.formula(text)
        node = {"by": "em", "formula": text if isinstance(text, str) else self.text(f)}
        return self._either(node, (f, negation(f)), (one_label(label), one_label(other or label)))

    def ind(self, text: str | Term, label: str) -> list[Goal]:
        """Two goals: one with the facts F and I[F] = 1, one with ~F and I[F] = 0. `label` has a label for each of the
        two facts."""
        f = self.formula(text)
        either = self.fresh("e")
        is_one, is_zero = (("=", None, (("ind", None, (f,)), num(c))) for c in (1, 0))
        node = {"by": "ind", "of": text if isinstance(text, str) else self.text(f), "as": either}
        self.add(node, ("|", None, (conj(f, is_one), conj(negation(f), is_zero))))
        # Each side is a conjunction: F or ~F, which may have several parts, and the value of the indicator.
        sizes = [len(flatten("&", s)) for s in self.facts[either][2]]
        labels = one_label(label)
        side_labels = []
        for size in sizes:  # a formula that is a conjunction has a label for each of its parts
            first = [labels[0]] if size == 2 else [f"{labels[0]}_{k}" for k in range(1, size)]
            side_labels.append(" ".join([*first, labels[1]]))
        return self.cases(either, *side_labels)

    def rewrite(self, eq: str, where: str = "", label: str = "", rev: bool = False) -> Goal:
        """Replace the left side of an equation by its right side, or with `rev` the right side by the left one. This is
        in the goal, or in the fact `where`, whose new form is added under `label`."""
        old, new = self.fact(eq)[2]
        if rev:
            old, new = new, old
        node: Node = {"by": "rewrite", "eq": eq}
        if rev:
            node["rev"] = True
        if where:
            node |= {"in": where, "as": one_label(label)}
        self.add(node)
        if where:
            self.suppose(one_label(label), replace(self.fact(where), old, new))
        else:
            self.goal = replace(self.goal, old, new)
        return self

    def antisym(self) -> list[Goal]:
        """The goals a <= b and b <= a for the goal a = b."""
        a, b = self.goal[2]
        left = self.branch(("<=", None, (a, b)))
        right = self.branch(("<=", None, (b, a)))
        self.close({"by": "antisym", "left": left.nodes, "right": right.nodes})
        return [left, right]

    def induct(self, name: str, ge: str, label: str) -> list[Goal]:
        """Base and step of an induction for the goal ``all k:Int. a <= k -> P``. The step has the name `name`, its
        lower bound as the fact `ge`, and the induction hypothesis as the fact `label`."""
        tag, sort, kids = self.goal
        if tag != "all" or sort != "Int" or kids[0][0] != "->" or kids[0][2][0][0] != "<=":
            raise Stuck(f"no induction for {self.text(self.goal)}")
        body = kids[0]
        low, p = body[2][0][2][0], body[2][1]
        low = instantiate(low, (num(0),))  # a does not depend on k, so that any term may replace k
        base, step = self.branch(instantiate(p, (low,))), self.branch(FALSUM)
        v = step.declare(name, "Int")
        step.suppose(ge, ("<=", None, (low, v)))
        step.suppose(label, instantiate(p, (v,)))
        step.goal = instantiate(p, (("+", None, (v, num(1))),))
        self.close({"by": "induct", "name": name, "ge": ge, "as": label, "base": base.nodes, "step": step.nodes})
        return [base, step]

    def interval(self, on: Sequence[str], prec: int) -> None:
        """Close a comparison by an enclosure with `prec` bits over the box that the bounds `on` give."""
        self.close({"by": "interval", "on": list(on), "prec": prec})

    # --- arithmetic -------------------------------------------------------------------------------------------------

    def pos(self, combination: linear.Found) -> None:
        """Close the goal by a combination of facts, which proves the goal or is a contradiction between them."""
        if combination.contradiction:
            self.contra(self.fresh("no"))
        self.close(pos_node(self, combination))

    def auto(self, use: str | Sequence[str] | None = None, **options: Any) -> None:
        """`try_auto`, or Stuck."""
        if not try_auto(self, use, **options):
            raise self.stuck("auto found nothing")

    def easy(self, use: str | Sequence[str] | None = None, **options: Any) -> None:
        """Close the goal, or Stuck: by computation or a fact, else by its outermost connective, else by `auto`."""
        # True by computation, or the newest fact with the same normal form.
        key = self.known.key(self.goal)
        if key == TRUE:
            return self.true()
        for k, f in reversed(self.facts.items()):
            if f == self.goal or self.known.key(f) == key:
                return self.hyp(k)
        # By the outermost connective.
        tag = self.goal[0]
        if tag == "&":
            for g in self.split():
                g.easy(use, **options)
            return None
        if tag in ("->", "~"):
            intro_all(self)
            return self.easy(None, **options)
        if tag == "all":
            self.intro(self.fresh("k"))
            return self.easy(use, **options)
        if tag == "|":
            for side, f in zip(("left", "right"), self.goal[2], strict=True):
                g = self.branch(f)
                try:
                    g.easy(use, **options)
                except Stuck:
                    continue
                self.pick(side)
                self.nodes += g.nodes
                self.closed = True
                return None
            raise self.stuck("neither side is easy")
        # A comparison, or ``false``.
        if try_auto(self, use, **options):
            return None
        conjunctions = [k for k, f in self.facts.items() if f[0] == "&" and k not in self.taken]
        for k in conjunctions:  # the parts of conjunctions become facts
            self.taken.add(k)
            stem = self.fresh("q")
            self.use(k, label=" ".join(f"{stem}_{i}" for i in range(len(flatten("&", self.facts[k])))))
        return self.auto(use, **options)


# --- searches, which are functions of a goal --------------------------------------------------------------------------


def try_auto(
    goal: Goal,
    use: str | Sequence[str] | None = None,
    *,
    degree: int = 2,
    rounds: int = 1,
    contra: bool = True,
    squares: Sequence[str | Term] = (),
    multipliers: Sequence[str | Term] = (),
) -> bool:
    """Close a comparison or ``false`` by one `pos` node, or an equation by one or two; whether it did."""
    facts = _comparisons(goal, use)
    options: dict[str, Any] = {"squares": [goal.term(s) for s in squares], "poly": goal.known.poly}
    options["multipliers"] = [goal.term(m) for m in multipliers]
    tag = goal.goal[0]
    if tag == "=":
        return _auto_equation(goal, facts, degree, rounds, options)
    if tag not in ("<=", "<", "false"):
        return False
    combination = linear.search(goal.goal, facts, degree=degree, rounds=rounds, **options)
    if combination is not None:
        goal.pos(combination)
        return True
    # By a contradiction: the negated goal is then one of the facts in products.
    if contra and tag != "false" and degree > 1:
        label = goal.fresh("no")
        combination = linear.search(
            FALSUM, {**facts, label: negation(goal.goal)}, degree=degree, rounds=rounds, **options
        )
        if combination is not None:
            goal.contra(label)
            goal.close(pos_node(goal, combination))
            return True
    return False


def _auto_equation(goal: Goal, facts: Mapping[str, Term], degree: int, rounds: int, options: Mapping[str, Any]) -> bool:
    """`try_auto` for an equation: by linear arithmetic; else by two inequalities, or by a contradiction."""
    combination = linear.search(goal.goal, facts, degree=1, rounds=rounds, **options)
    if combination is not None:
        goal.pos(combination)
        return True
    a, b = goal.goal[2]
    first_half = linear.search(("<=", None, (a, b)), facts, degree=degree, rounds=rounds, **options)
    if first_half is None:
        return False
    if first_half.contradiction:
        goal.pos(first_half)
        return True
    second_half = linear.search(("<=", None, (b, a)), facts, degree=degree, rounds=rounds, **options)
    if second_half is None:
        return False
    for side, half in zip(goal.antisym(), (first_half, second_half), strict=True):
        side.pos(half)
    return True


def _comparisons(goal: Goal, use: str | Sequence[str] | None) -> dict[str, Term]:
    """The facts with the labels `use`, which spaces separate; all comparisons if it is None."""
    if use is None:
        return {k: f for k, f in goal.facts.items() if f[0] in COMPARISONS}
    names = use.split() if isinstance(use, str) else list(use)
    return {k: goal.fact(k) for k in names}


def pos_node(goal: Goal, combination: linear.Found) -> Node:
    """The `pos` node of a combination: products of facts with their coefficients, and multiples of equations."""
    node: Node = {"by": "pos"}
    parts = []
    for c, of, square in combination.sum:
        part: Node = {"c": quotient(c), "of": list(of)}
        if square is not None:
            part["sq"] = goal.text(square)
        parts.append(part)
    if parts:
        node["sum"] = parts
    if combination.eq:
        node["eq"] = [[goal.text(m), k] for m, k in combination.eq]
    return node


def try_each(goal: Goal, *tactics: Tactic) -> bool:
    """Close the goal by the first tactic that succeeds, where each is tried on a new branch; whether one did."""
    for tactic in tactics:
        trial = goal.branch()
        try:
            tactic(trial)
        except (Stuck, Rejected):
            continue
        goal.take(trial)
        return True
    return False


def intro_all(goal: Goal) -> Goal:
    """`intro` of all leading quantifiers and premises, as `intro_one` does it."""
    while goal.goal[0] in ("all", "->", "~"):
        intro_one(goal)
    return goal


def intro_one(goal: Goal) -> None:
    """`intro` of the leading quantifier or premise, with a new name or label. A premise that is a conjunction has a
    label for each part."""
    if goal.goal[0] == "all":
        goal.intro(goal.fresh("k"))
        return
    count = len(flatten("&", goal.goal[2][0]))
    k = goal.fresh("p")
    goal.intro(k if count == 1 else "(" + " ".join(f"{k}_{i}" for i in range(1, count + 1)) + ")")


def sides_of(goal: Goal, t: Term) -> list[Goal]:
    """Two goals, in each of which a fact gives the value of `t`, which is a relu, abs, min, max or indicator."""
    if t[0] == "ind":
        return goal.ind(t[2][0], f"{goal.fresh('f')} {goal.fresh('v')}")
    names = {"relu": ("pos", "neg"), "abs": ("pos", "neg"), "min": ("left", "right"), "max": ("right", "left")}
    if t[1] not in names:
        raise Stuck(f"no cases for {goal.text(t)}")
    low, high = (num(0), t[2][0]) if len(t[2]) == 1 else t[2]  # relu and abs compare with 0
    side = goal.fresh("d")
    goals = goal.em(("<=", None, (low, high)), side)
    for g, name in zip(goals, names[t[1]], strict=True):
        g.use(f"ax:{t[1]}_{name}", *[g.text(a) for a in t[2]], label=g.fresh("v"))
    return goals


def blast(goal: Goal, **options: Any) -> None:
    """Close the goal, or Stuck: by its outermost connective, then by the cases of all disjunctions among the facts,
    then by `easy` or a contradiction."""
    if goal.goal[0] in ("all", "->", "~"):
        intro_all(goal)
    if goal.goal[0] == "&":
        for g in goal.split():
            blast(g, **options)
        return
    # The cases of the first disjunction; `blast` in each case then uses the next disjunction.
    disjunctions = [k for k, f in goal.facts.items() if f[0] == "|" and k not in goal.taken]
    if disjunctions:
        sizes = [len(flatten("&", f)) for f in flatten("|", goal.facts[disjunctions[0]])]
        stem = goal.fresh("o")
        labels = [stem if m == 1 else " ".join(f"{stem}_{i}" for i in range(m)) for m in sizes]
        for g in goal.cases(disjunctions[0], *labels):
            if not try_contradiction(g):
                blast(g, **options)
        return
    try:
        trial = goal.branch()
        trial.easy(**options)
    except Stuck as error:
        # A fact ~F whose F is easy contradicts it.
        for k, f in goal.facts.items():
            if f[0] == "~":
                opposite = goal.branch(f[2][0])
                try:
                    opposite.easy(**options)
                except Stuck:
                    continue
                label = goal.fresh("yes")
                goal.add({"by": "have", "show": goal.text(f[2][0]), "proof": opposite.nodes, "as": label}, f[2][0])
                if goal.goal[0] != "false":
                    goal.contra(goal.fresh("no"))
                return goal.absurd(label, k)
        raise error
    goal.take(trial)


def try_contradiction(goal: Goal) -> bool:
    """Close any goal if its facts contradict each other by linear arithmetic; whether it did."""
    try:
        combination = linear.find(FALSUM, _comparisons(goal, None), poly=goal.known.poly)
    except (linear.TooLong, Rejected):
        return False
    if combination is None:
        return False
    if goal.goal[0] != "false":
        goal.contra(goal.fresh("no"))
    goal.close(pos_node(goal, combination))
    return True


def add_positive(goal: Goal, z: str, label: str, proof: Tactic | None = None) -> Goal:
    """Add the facts 0 < z, z*(1/z) = 1 and 0 < 1/z under ``label_p``, ``label_e`` and ``label_i``."""
    p, e, i = f"{label}_p", f"{label}_e", f"{label}_i"
    goal.have(f"0 < {z}", p, proof)
    zero, no = goal.fresh("zero"), goal.fresh("no")
    goal.use("ax:inv", z, lambda g: g.intro(zero).auto([p, zero]), label=e)
    return goal.have(f"0 < 1/({z})", i, lambda g: g.contra(no).auto([p, e, no]))


# --- a whole proof ----------------------------------------------------------------------------------------------------


def prove(library: Citable, statement: Term, script: Tactic) -> list[Node]:
    """The proof that `script` writes for the closed formula `statement`. Stuck if it leaves a branch open."""
    goal = Goal(library, statement, {}, {})
    script(goal)
    all_closed(goal.nodes)
    return goal.nodes


_LAST = frozenset({"split", "hyp", "true", "absurd", "cases", "em", "antisym", "induct", "pos", "interval"})
"""The rules of nodes that close a goal."""


def all_closed(root: list[Node]) -> None:
    """Stuck if a proof within the nodes `root` does not end with a node that closes its goal."""
    remaining = [(root, "the proof")]
    while remaining:
        nodes, where = remaining.pop()
        if not nodes or nodes[-1]["by"] not in _LAST:
            raise Stuck(f"a branch is open: {where}; it ends with {nodes[-1:]}")
        for n in nodes:
            node_text = f"{n['by']} {n.get('show', n.get('fact', n.get('formula', '')))}"
            inner_proofs = [*n.get("proofs", ()), *(n[k] for k in ("proof", "left", "right", "base", "step") if k in n)]
            inner_proofs += [w for w in n.get("with", ()) if isinstance(w, list)]
            remaining += [(sub, node_text) for sub in inner_proofs]
