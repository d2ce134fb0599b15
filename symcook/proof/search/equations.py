"""The equations of a run: labels for them, and a proof that functions exist which satisfy them. The inequalities of a
run that rounds get labels too.

A run relation is a conjunction of equations ``all i in 0..n - 1. f(i) = TERM`` or ``f(i)*d(i) = TERM``, each for a
different function f (`ValueGiven` is the general form). So f exists if the functions in TERM exist: f is TERM, or it is
TERM*(1/d(i)) if 0 < d(i).
Functions whose values depend on each other are in `rounds`.

Letters: `g` and `h` are goals, `v` is a function or name, `k` a label, `f` a formula.
Formulas and terms are tuples (tag, data, kids): `f[2][0]` is the first kid of `f`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from symcook.errors import BadInput
from symcook.model import expr
from symcook.present import present
from symcook.proof.search import automation, rounds
from symcook.proof.search.automation import Hint
from symcook.proof.search.tactics import Goal, Stuck
from symcook.proof.terms import Sort, Term, abstract, flatten, free, imp, instantiate, negation, num, var

OWN = ".."
"""A label in a proof text that stands for the names that the statement itself has."""


def prefix(text: str) -> tuple[list[str], list[str]]:
    """The names that a formula quantifies at its front: those of ``all``, also after an arrow, and then those of the
    ``ex`` that follow."""
    tree = expr.parse_formula(text)
    universal_names: list[str] = []
    existential_names: list[str] = []
    while tree[0] in ("all", "all in", "->"):
        universal_names += [] if tree[0] == "->" else [tree[1]]
        tree = tree[-1]
    while tree[0] == "ex":
        existential_names.append(tree[1])
        tree = tree[-1]
    return universal_names, existential_names


def of_part(text: str | None, goal: Term) -> list[str]:
    """The names that a goal quantifies at its front. The goal is a part of the conjunction `text`; the part is found by
    the sorts of these names. An empty list if no part fits, or parts with different names."""
    try:
        parts = [expr.parse_formula(text)] if text else []
    except BadInput:
        return []
    candidates: list[list[str]] = []
    goal_sorts = _sorts(goal)
    while parts:
        tree = parts.pop()
        if tree[0] == "&":
            parts += tree[1:]
            continue
        names, sorts = [], []
        while tree[0] in ("all", "all in", "->"):
            if tree[0] != "->":
                names.append(tree[1])
                sorts.append("Int" if tree[0] == "all in" else tree[2])
            tree = tree[-1]
        candidates += [names] if sorts == goal_sorts and names not in candidates else []
    return candidates[0] if len(candidates) == 1 else []


def _sorts(goal: Term) -> list[Sort]:
    """The sorts of the quantifiers at the front of a formula, also after an arrow."""
    sorts: list[Sort] = []
    while goal[0] in ("all", "->"):
        sorts += [goal[1]] if goal[0] == "all" else []
        goal = goal[2][-1]
    return sorts


def own(text: str | None) -> tuple[list[str], list[str]]:
    """`prefix` of the text of a statement; two empty lists without a text, or if it is no formula."""
    try:
        return prefix(text) if text else ([], [])
    except BadInput:
        return [], []


def defines(part: Term) -> Term | None:
    """The name whose value a part of a run gives: f for f = TERM, f(x) = TERM, f(x)*FACTOR = TERM or, in a run that
    rounds, abs(f(x) - TERM) <= ERROR, also after quantifiers and premises. None for any other formula."""
    while part[0] in ("all", "->"):
        part = part[2][-1]
    rounded = part[2][0] if part[0] == "&" else part
    rounded = rounded[2][-1] if rounded[0] == "->" else rounded
    if rounded[0] == "<=" and rounded[2][0][:2] == ("fn", "abs") and rounded[2][0][2][0][0] == "-":
        left_side = rounded[2][0][2][0][2][0]
    elif part[0] == "=":
        left_side = part[2][0]
        left_side = left_side[2][0] if left_side[0] == "*" else left_side
    else:
        return None
    left_side = left_side[2][0] if left_side[0] == "app" else left_side
    return left_side if left_side[0] == "var" else None


def spread(labels: tuple[str, ...], f: Term) -> tuple[str, ...]:
    """Labels for the parts of the conjunction `f`. A label ``..`` is replaced by NAME_is for each part without a label
    that gives the value of NAME, and by ``part`` and the part's number for any other one, and for a second part for
    NAME."""
    if OWN not in labels:
        return labels
    # The labels before ``..`` are those of the first parts, the labels after it those of the last parts.
    parts, place = flatten("&", f), labels.index(OWN)
    after = len(labels) - place - 1
    spread_labels = list(labels[:place])
    for k in range(place, len(parts) - after):
        name = defines(parts[k])
        label = f"{name[1][0]}_is" if name else f"part{k + 1}"
        spread_labels.append(label if label not in spread_labels else f"part{k + 1}")
    return (*spread_labels, *labels[place + 1 :])


@dataclass(frozen=True)
class ValueGiven:
    """The equation of a function f: ``(f(args) - old)*factor = right``, for all values of the variables `inside`.

    `call` is f(args). If `when` holds, f(args) is `otherwise` instead. Each of `old`, `factor` and `when` may be None,
    which means that the equation has no such part.
    """

    inside: tuple[Term, ...]
    call: Term
    old: Term | None
    factor: Term | None
    right: Term
    when: Term | None
    otherwise: Term

    @property
    def function(self) -> Term:
        """The name of the function f."""
        return self.call[2][0] if self.call[0] == "app" else self.call

    @property
    def recurs(self) -> bool:
        """Whether a value of the function depends on other values of this function."""
        return any(self.function in free(term) for term in (self.right, self.old, self.factor) if term is not None)


def given(part: Term) -> ValueGiven | None:
    """The equation by which a part of a run relation defines a function at all arguments; None if it is not one."""
    # Remove the quantifiers, with a fresh variable for each, and the premises.
    inside: list[Term] = []
    while part[0] in ("all", "->"):
        if part[0] == "all":
            inside.append(var(f"x#{len(inside)}", part[1]))
            part = instantiate(part[2][0], (inside[-1],))
        else:
            part = part[2][1]
    # ``EQUATION & (when -> f(args) = otherwise)``
    when, otherwise = None, num(0)
    if part[0] == "&" and part[2][0][0] == "=" and part[2][1][0] == "->" and part[2][1][2][1][0] == "=":
        part, (when, (_, _, (_, otherwise))) = part[2][0], part[2][1][2]
    if part[0] != "=":
        return None
    # The left side is f(args), f(args)*factor or (f(args) - old)*factor.
    (left_side, right), old, factor = part[2], None, None
    if left_side[0] == "*":
        left_side, factor = left_side[2]
        if left_side[0] == "-":
            left_side, old = left_side[2]
    value = ValueGiven(tuple(inside), left_side, old, factor, right, when, otherwise)
    arguments = left_side[2][1:] if left_side[0] == "app" else ()
    at_all_arguments = all(x in inside for x in arguments) and len({*arguments}) == len(arguments) == len(inside)
    return value if value.function[0] == "var" and at_all_arguments else None


def exists(
    g: Goal,
    names: Sequence[str],
    hints: Sequence[Hint],
    levels: Sequence[automation.Level],
    follow: Callable[[Sequence[str]], None],
) -> None:
    """Give witnesses for a goal ``ex f, g, .. EQUATIONS``: one function after the other, by its equation. Stuck if a
    function has no equation.

    Before each function, `follow` is called with the names of the functions that are still missing, and once more with
    no names at the end. It may add facts about the functions that were obtained.
    """
    # A name for each function: the given name if it is not taken, else f1, f2 and so on.
    named_functions: list[tuple[str, Sort]] = []
    body, remaining_names = g.goal, [*names]
    while body[0] == "ex":
        name = remaining_names.pop(0) if remaining_names else ""
        taken = {*g.scope, *g.library.definitions, *(n for n, _ in named_functions)}
        if not name or name in taken:
            name = next(f"f{k}" for k in itertools.count(1) if f"f{k}" not in taken)
        named_functions.append((name, body[1]))
        body = instantiate(body[2][0], (var(name, body[1]),))

    def solve(h: Goal, names: Sequence[tuple[str, Sort]], parts: Sequence[Term]) -> None:
        """Obtain the functions `names` in `h`, each after the functions in its equation."""
        # If there are several equations for a function, the first one gives its value.
        equation_of = {
            value_of_part.function: part
            for part in reversed(parts)
            if (value_of_part := given(part)) and not value_of_part.recurs
        }
        missing = [var(name, sort) for name, sort in names]
        inverses: dict[Term, str] = {}
        while missing:
            if h is g:
                follow([function[1][0] for function in missing])
            v = next((v for v in missing if v in equation_of and not (free(equation_of[v]) - {v}) & {*missing}), None)
            if v is not None:
                missing.remove(v)
                _solve(h, v, equation_of[v], inverses, hints, levels)
                continue
            # No missing function has an equation without another missing one: those with equations over the same range
            # of rounds are obtained together, by induction.
            recurring = rounds.repeated(missing, parts)
            rounds.obtain(h, recurring, solve, levels)
            missing = [function for function in missing if function not in recurring.functions]

    solve(g, named_functions, flatten("&", body))
    follow(())
    g.witness(*(name for name, _ in named_functions))


def _solve(
    g: Goal, v: Term, part: Term, inverses: dict[Term, str], hints: Sequence[Hint], levels: Sequence[automation.Level]
) -> None:
    """Obtain the function `v`, with its equation `part` as a fact. `inverses` has the labels of the facts d*(1/d) = 1
    that were proved, by the factor d; a new one is added."""
    (name, sort), definition = v[1], given(part)
    if definition is None:
        raise Stuck(f"no equation for all values of {name}")
    # Solve the equation for f(args): right*(1/factor) + old, but `otherwise` if `when` holds.
    more_hints, value = list[Hint](), definition.right
    when_indicator: Term = num(0) if definition.when is None else ("ind", None, (definition.when,))
    if definition.factor is not None:
        factor_function = abstract(definition.factor, definition.inside)
        if factor_function not in inverses:
            inverses[factor_function] = _inverse(g, definition, part, hints, levels)
        more_hints = [Hint(inverses[factor_function])]
        # If `when` holds, the factor may be 0. Then 1 is added to it, so that nothing is divided by 0.
        factor = definition.factor if definition.when is None else ("+", None, (definition.factor, when_indicator))
        value = ("*", None, (value, ("/", None, (num(1), factor))))
    if definition.old is not None:
        value = ("+", None, (definition.old, value))
    if definition.when is not None:
        elsewhere = ("*", None, (("-", None, (num(1), when_indicator)), value))
        value = ("+", None, (("*", None, (when_indicator, definition.otherwise)), elsewhere))
    arguments = definition.call[2][1:]
    value = value if isinstance(sort, str) else ("lam", sort[1], (abstract(value, list(arguments)),))
    # Prove that a function with this equation exists, with `value` as the witness; then name it.
    formula: Term = ("ex", sort, (abstract(part, [v]),))
    existence_goal = g.branch(formula)
    existence_goal.witness(existence_goal.text(value))
    if definition.when is None:
        automation.prove(existence_goal, more_hints, levels)
    else:
        _by_windows(existence_goal, definition, more_hints, levels)
    exists_label, label = g.fresh("some"), f"{name}_is"
    g.add({"by": "have", "show": g.text(formula), "proof": existence_goal.nodes, "as": exists_label}, formula)
    g.obtain(exists_label, name, label if label not in g.facts else g.fresh("is"))


def _by_windows(g: Goal, definition: ValueGiven, extra: Sequence[Hint], levels: Sequence[automation.Level]) -> None:
    """Close the goal that a value satisfies a definition with `when`, by two cases: `when` holds, or it does not. In
    each, the indicator of `when` is rewritten to 1 or 0."""
    places = []
    while g.goal[0] in ("all", "->"):
        places.append(g.fresh("at"))
        g.intro(places[-1])
    names = [var(place, "Int") for place in places if place in g.scope]
    when = instantiate(abstract(present(definition.when), definition.inside), names)
    here, which = g.fresh("here"), g.fresh("which")
    for h, number in zip(g.em(when, here), (1, 0), strict=True):
        h.have(("=", None, (("ind", None, (when,)), num(number))), which, rounds.closing(levels))
        h.rewrite(which)
        # If `when` is an equation for a position, the position is replaced by its right side.
        if number and when[0] == "=" and when[2][0] in names:
            h.rewrite(here)
        automation.prove(h, [*extra, Hint(here)], levels)


def _inverse(
    g: Goal, definition: ValueGiven, part: Term, hints: Sequence[Hint], levels: Sequence[automation.Level]
) -> str:
    """Add 0 < d and d*(1/d) = 1 for the factor d of a definition, for all values in the range of its equation `part` at
    which `when` does not hold. Returns the label of the second fact."""
    # 0 < d is proved from the equation of d and the hints; d*(1/d) = 1 from 0 < d.
    facts_so_far: dict[str, Term] = {}
    d = present(definition.factor)
    for stem, f in (
        ("positive", ("<", None, (num(0), d))),
        ("inverse", ("=", None, (("*", None, (d, ("/", None, (num(1), d)))), num(1)))),
    ):
        statement = _like(part, f if definition.when is None else imp(negation(definition.when), f), definition.inside)
        label = g.fresh(stem)
        lemma_goal = g.branch(statement)
        head = d[2][0] if d[0] == "app" else d
        own_equation = [Hint(k) for k, e in g.facts.items() if head == defines(e)]
        inverse_hints = [Hint("ax:inv"), *(Hint(k) for k in facts_so_far)]
        automation.prove(lemma_goal, [*own_equation, *hints] if stem == "positive" else inverse_hints, levels)
        g.add({"by": "have", "show": g.text(statement), "proof": lemma_goal.nodes, "as": label}, statement)
        facts_so_far[label] = statement
    return label


def _like(part: Term, end: Term, inside: Sequence[Term]) -> Term:
    """`end` after the quantifiers of `part` whose variables it contains, and after the premises of `part`, but for the
    premises of quantifiers that are left out. `inside` are the variables of the quantifiers."""
    if part[0] == "all":
        v, *others = inside
        below = instantiate(part[2][0], (v,))
        if v in free(end):
            return ("all", part[1], (abstract(_like(below, end, others), [v]),))
        return _like(below[2][1] if below[0] == "->" and v in free(below[2][0]) else below, end, others)
    if part[0] == "->":
        return ("->", None, (part[2][0], _like(part[2][1], end, inside)))
    return end
