"""What the equations of a run say: names for their facts, and that functions which satisfy them exist.

A run relation is a conjunction of equations ``all i in 0..n - 1. f(i) = TERM`` or ``f(i)*d(i) = TERM``, each of them
for a function f of its own. So f exists where those that TERM names exist: it is TERM, or TERM*(1/d(i)) where 0 < d(i).
What repeats is left to `rounds`.
"""

from __future__ import annotations

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
"""In a text: the names that the statement itself has."""


def prefix(text: str) -> tuple[list[str], list[str]]:
    """The names in front of a formula: of ``all``, those behind an arrow too, and of ``ex`` after these."""
    tree = expr.parse_formula(text)
    every: list[str] = []
    some: list[str] = []
    while tree[0] in ("all", "all in", "->"):
        every += [] if tree[0] == "->" else [tree[1]]
        tree = tree[-1]
    while tree[0] == "ex":
        some.append(tree[1])
        tree = tree[-1]
    return every, some


def of_part(text: str | None, goal: Term) -> list[str]:
    """The names in front of the part of a conjunction that a goal is, known by their sorts; none where these fit parts
    with other names."""
    try:
        todo = [expr.parse_formula(text)] if text else []
    except BadInput:
        return []
    names_found: list[list[str]] = []
    wanted = _sorts(goal)
    while todo:
        tree = todo.pop()
        if tree[0] == "&":
            todo += tree[1:]
            continue
        names, sorts = [], []
        while tree[0] in ("all", "all in", "->"):
            if tree[0] != "->":
                names.append(tree[1])
                sorts.append("Int" if tree[0] == "all in" else tree[2])
            tree = tree[-1]
        names_found += [names] if sorts == wanted and names not in names_found else []
    return names_found[0] if len(names_found) == 1 else []


def _sorts(goal: Term) -> list[Sort]:
    out: list[Sort] = []
    while goal[0] in ("all", "->"):
        out += [goal[1]] if goal[0] == "all" else []
        goal = goal[2][-1]
    return out


def own(text: str | None) -> tuple[list[str], list[str]]:
    """`prefix` of the text of a statement; none where it has no text."""
    try:
        return prefix(text) if text else ([], [])
    except BadInput:
        return [], []


def defines(part: Term) -> Term | None:
    """The name whose value an equation gives, perhaps for all arguments and after a factor is taken off."""
    while part[0] in ("all", "->"):
        part = part[2][-1]
    left = part[2][0] if part[0] == "=" else part
    left = left[2][0] if left[0] == "*" else left
    left = left[2][0] if left[0] == "app" else left
    return left if left[0] == "var" and part[0] == "=" else None


def spread(labels: tuple[str, ...], f: Term) -> tuple[str, ...]:
    """Labels for the parts of `f`: ``..`` among them is NAME_is for each part that is left, an equation for NAME."""
    if OWN not in labels:
        return labels
    parts, at = flatten("&", f), labels.index(OWN)
    after = len(labels) - at - 1
    out = list(labels[:at])
    for k in range(at, len(parts) - after):
        name = defines(parts[k])
        label = f"{name[1][0]}_is" if name else f"part{k + 1}"
        out.append(label if label not in out else f"part{k + 1}")
    return (*out, *labels[at + 1 :])


@dataclass(frozen=True)
class ValueGiven:
    """What a part of a run says of a function: ``(f(args) - old)*factor = right``, over the names `inside`; and where
    `when` holds, that f(args) is `otherwise`."""

    inside: tuple[Term, ...]
    call: Term
    old: Term | None
    factor: Term | None
    right: Term
    when: Term | None
    otherwise: Term

    @property
    def function(self) -> Term:
        return self.call[2][0] if self.call[0] == "app" else self.call

    @property
    def recurs(self) -> bool:
        """Whether the value rests on others of the same function."""
        return any(self.function in free(one) for one in (self.right, self.old, self.factor) if one is not None)


def given(part: Term) -> ValueGiven | None:
    """What a part says of a function at all its arguments; None where it says no such thing."""
    inside: list[Term] = []
    while part[0] in ("all", "->"):
        if part[0] == "all":
            inside.append(var(f"x#{len(inside)}", part[1]))
            part = instantiate(part[2][0], (inside[-1],))
        else:
            part = part[2][1]
    when, otherwise = None, num(0)
    if part[0] == "&" and part[2][0][0] == "=" and part[2][1][0] == "->" and part[2][1][2][1][0] == "=":
        part, (when, (_, _, (_, otherwise))) = part[2][0], part[2][1][2]
    if part[0] != "=":
        return None
    (left, right), old, factor = part[2], None, None
    if left[0] == "*":
        left, factor = left[2]
        if left[0] == "-":
            left, old = left[2]
    found = ValueGiven(tuple(inside), left, old, factor, right, when, otherwise)
    arguments = left[2][1:] if left[0] == "app" else ()
    whole = all(x in inside for x in arguments) and len({*arguments}) == len(arguments) == len(inside)
    return found if found.function[0] == "var" and whole else None


def exists(
    g: Goal,
    names: Sequence[str],
    hints: Sequence[Hint],
    levels: Sequence[automation.Level],
    follow: Callable[[Sequence[str]], None],
) -> None:
    """For a goal ``ex f, g, .. EQUATIONS``: each in turn is what its equation says. Stuck where one has none.

    Before each, `follow` adds facts about those that are there; it is given the names of the others.
    """
    wanted: list[tuple[str, Sort]] = []
    body, names_left = g.goal, [*names]
    while body[0] == "ex":
        name = names_left.pop(0) if names_left else ""
        names_taken = {*g.scope, *g.library.definitions, *(n for n, _ in wanted)}
        if not name or name in names_taken:
            name = next(f"f{k}" for k in range(1, 10_000) if f"f{k}" not in names_taken)
        wanted.append((name, body[1]))
        body = instantiate(body[2][0], (var(name, body[1]),))

    def solve(h: Goal, names: Sequence[tuple[str, Sort]], parts: Sequence[Term]) -> None:
        by = {
            value_of_part.function: part
            for part in reversed(parts)
            if (value_of_part := given(part)) and not value_of_part.recurs
        }
        open_ones = [var(name, sort) for name, sort in names]
        inverses: dict[Term, str] = {}
        while open_ones:
            if h is g:
                follow([open_one[1][0] for open_one in open_ones])
            v = next((v for v in open_ones if v in by and not (free(by[v]) - {v}) & {*open_ones}), None)
            if v is not None:
                open_ones.remove(v)
                _solve(h, v, by[v], inverses, hints, levels)
                continue
            again = rounds.repeated(open_ones, parts)
            rounds.obtain(h, again, solve, levels)
            open_ones = [open_one for open_one in open_ones if open_one not in again.functions]

    solve(g, wanted, flatten("&", body))
    follow(())
    g.witness(*(name for name, _ in wanted))


def _solve(
    g: Goal, v: Term, part: Term, inverses: dict[Term, str], hints: Sequence[Hint], levels: Sequence[automation.Level]
) -> None:
    """Obtain `v` with its equation as a fact."""
    (name, sort), found = v[1], given(part)
    if found is None:
        raise Stuck(f"no equation for all values of {name}")
    extra, value = list[Hint](), found.right
    test: Term = num(0) if found.when is None else ("ind", None, (found.when,))
    if found.factor is not None:
        key = abstract(found.factor, found.inside)
        if key not in inverses:
            inverses[key] = _inverse(g, found, part, hints, levels)
        extra = [Hint(inverses[key])]
        factor = found.factor if found.when is None else ("+", None, (found.factor, test))  # no 1/0 where it is 0 there
        value = ("*", None, (value, ("/", None, (num(1), factor))))
    if found.old is not None:
        value = ("+", None, (found.old, value))
    if found.when is not None:
        elsewhere = ("*", None, (("-", None, (num(1), test)), value))
        value = ("+", None, (("*", None, (test, found.otherwise)), elsewhere))
    arguments = found.call[2][1:]
    value = value if isinstance(sort, str) else ("lam", sort[1], (abstract(value, list(arguments)),))
    formula: Term = ("ex", sort, (abstract(part, [v]),))
    sub = g._branch(formula)
    sub.witness(sub.text(value))
    if found.when is None:
        automation.prove(sub, extra, levels)
    else:
        _by_windows(sub, found, extra, levels)
    exists_label, label = g.fresh("some"), f"{name}_is"
    g._emit({"by": "have", "show": g.text(formula), "proof": sub.nodes, "as": exists_label})
    g._bind(exists_label, formula)
    g.obtain(exists_label, name, label if label not in g.facts else g.fresh("is"))


def _by_windows(g: Goal, found: ValueGiven, extra: Sequence[Hint], levels: Sequence[automation.Level]) -> None:
    """Close a goal of which the second part says what holds where `when` does: there, and elsewhere."""
    places = []
    while g.goal[0] in ("all", "->"):
        places.append(g.fresh("at"))
        g.intro(places[-1])
    names = [var(place, "Int") for place in places if place in g.scope]
    when = instantiate(abstract(present(found.when), found.inside), names)
    here, which = g.fresh("here"), g.fresh("which")
    for h, number in zip(g.em(when, here), (1, 0), strict=True):
        h.have(("=", None, (("ind", None, (when,)), num(number))), which, rounds.closing(levels))
        h.rewrite(which)
        if number and when[0] == "=" and when[2][0] in names:
            h.rewrite(here)
        automation.prove(h, [*extra, Hint(here)], levels)


def _inverse(g: Goal, of: ValueGiven, part: Term, hints: Sequence[Hint], levels: Sequence[automation.Level]) -> str:
    """The label of d*(1/d) = 1 for all values in the range of `part`, since 0 < d by its own equation and the hints."""
    bounds: dict[str, Term] = {}
    d = present(of.factor)
    for stem, f in (
        ("positive", ("<", None, (num(0), d))),
        ("inverse", ("=", None, (("*", None, (d, ("/", None, (num(1), d)))), num(1)))),
    ):
        show = _like(part, f if of.when is None else imp(negation(of.when), f), of.inside)
        label = g.fresh(stem)
        sub = g._branch(show)
        head = d[2][0] if d[0] == "app" else d
        own_equation = [Hint(k) for k, e in g.facts.items() if head == defines(e)]
        hints_given = [*own_equation, *hints] if stem == "positive" else [Hint("ax:inv"), *(Hint(k) for k in bounds)]
        automation.prove(sub, hints_given, levels)
        g._emit({"by": "have", "show": g.text(show), "proof": sub.nodes, "as": label})
        g._bind(label, show)
        bounds[label] = show
    return label


def _like(part: Term, end: Term, inside: Sequence[Term]) -> Term:
    """`end` behind those quantifiers and premises of `part`, whose variables are `inside`, that it speaks of."""
    if part[0] == "all":
        v, *others = inside
        below = instantiate(part[2][0], (v,))
        if v in free(end):
            return ("all", part[1], (abstract(_like(below, end, others), [v]),))
        return _like(below[2][1] if below[0] == "->" and v in free(below[2][0]) else below, end, others)
    if part[0] == "->":
        return ("->", None, (part[2][0], _like(part[2][1], end, inside)))
    return end
