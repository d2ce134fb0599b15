"""What the equations of a run say: names for their facts, and that functions which satisfy them exist.

A run relation is a conjunction of equations ``all i in 0..n - 1. f(i) = TERM`` or ``f(i)*d(i) = TERM``, each of them
for a function f of its own. So f exists where those that TERM names exist: it is TERM, or TERM*(1/d(i)) where 0 < d(i).
"""

from __future__ import annotations

from collections.abc import Sequence

from symcook.errors import BadInput
from symcook.model import expr
from symcook.proof.search import automation
from symcook.proof.search.automation import Hint
from symcook.proof.search.tactics import Goal, Stuck
from symcook.proof.terms import Sort, Term, abstract, flatten, free, instantiate, num, var

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
    found: list[list[str]] = []
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
        found += [names] if sorts == wanted and names not in found else []
    return found[0] if len(found) == 1 else []


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


def exists(g: Goal, names: Sequence[str], hints: Sequence[Hint], levels: Sequence[automation.Level]) -> None:
    """For a goal ``ex f, g, .. EQUATIONS``: each in turn is what its equation says. Stuck where one has none."""
    wanted: list[tuple[str, Sort]] = []
    body, left = g.goal, [*names]
    while body[0] == "ex":
        name = left.pop(0) if left else ""
        taken = {*g.scope, *g.library.definitions, *(n for n, _ in wanted)}
        if not name or name in taken:
            name = next(f"f{k}" for k in range(1, 10_000) if f"f{k}" not in taken)
        wanted.append((name, body[1]))
        body = instantiate(body[2][0], (var(name, body[1]),))
    order = [name for name, _ in wanted]
    parts = {v: p for p in reversed(flatten("&", body)) if (v := defines(p)) is not None}
    open_ones = [var(name, sort) for name, sort in wanted]
    inverses: dict[Term, str] = {}
    while open_ones:
        ready = (v for v in open_ones if v in parts and not (free(parts[v]) - {v}) & set(open_ones))
        v = next(ready, None)
        if v is None:
            without = ", ".join(w[1][0] for w in open_ones)
            raise Stuck(f"no equation gives one of {without} by those before it")
        open_ones.remove(v)
        _solve(g, v, parts[v], inverses, hints, levels)
    g.witness(*order)


def _solve(
    g: Goal, v: Term, part: Term, inverses: dict[Term, str], hints: Sequence[Hint], levels: Sequence[automation.Level]
) -> None:
    """Obtain `v` with its equation as a fact."""
    name, sort = v[1]
    inside: list[Term] = []
    equation = part
    while equation[0] in ("all", "->"):
        if equation[0] == "all":
            inside.append(var(f"{name}#{len(inside)}", equation[1]))
            equation = instantiate(equation[2][0], (inside[-1],))
        else:
            equation = equation[2][1]
    a, b = equation[2]
    if v in free(b):
        raise Stuck(f"the equation for {name} speaks of {name} on its right side")
    extra: list[Hint] = []
    if a[0] == "*":
        d = a[2][1]
        key = abstract(d, inside)
        if key not in inverses:
            inverses[key] = _inverse(g, d, part, inside, hints, levels)
        extra = [Hint(inverses[key])]
        b = ("*", None, (b, ("/", None, (num(1), d))))
    arguments = (a[2][0] if a[0] == "*" else a)[2][1:]
    if any(x not in inside for x in arguments) or len(set(arguments)) < len(arguments):
        raise Stuck(f"no equation for all values of {name}")
    value = b if isinstance(sort, str) else ("lam", sort[1], (abstract(b, list(arguments)),))
    formula: Term = ("ex", sort, (abstract(part, [v]),))
    sub = g._branch(formula)
    sub.witness(sub.text(value))
    automation.prove(sub, extra, levels)
    some, label = g.fresh("some"), f"{name}_is"
    g._emit({"by": "have", "show": g.text(formula), "proof": sub.nodes, "as": some})
    g._bind(some, formula)
    g.obtain(some, name, label if label not in g.facts else g.fresh("is"))


def _inverse(
    g: Goal, d: Term, part: Term, inside: Sequence[Term], hints: Sequence[Hint], levels: Sequence[automation.Level]
) -> str:
    """The label of d*(1/d) = 1 for all values in the range of `part`, since 0 < d by its own equation and the hints."""
    found: dict[str, Term] = {}
    for stem, f in (
        ("positive", ("<", None, (num(0), d))),
        ("inverse", ("=", None, (("*", None, (d, ("/", None, (num(1), d)))), num(1)))),
    ):
        show = _like(part, f, inside)
        label = g.fresh(stem)
        sub = g._branch(show)
        head = d[2][0] if d[0] == "app" else d
        own_equation = [Hint(k) for k, e in g.facts.items() if head == defines(e)]
        given = [*own_equation, *hints] if stem == "positive" else [Hint("ax:inv"), *(Hint(k) for k in found)]
        automation.prove(sub, given, levels)
        g._emit({"by": "have", "show": g.text(show), "proof": sub.nodes, "as": label})
        g._bind(label, show)
        found[label] = show
    return label


def _like(part: Term, end: Term, inside: Sequence[Term]) -> Term:
    """`end` behind the quantifiers and premises of `part`, whose variables are `inside`."""
    if part[0] == "all":
        v, *rest = inside
        return ("all", part[1], (abstract(_like(instantiate(part[2][0], (v,)), end, rest), [v]),))
    if part[0] == "->":
        return ("->", None, (part[2][0], _like(part[2][1], end, inside)))
    return end
