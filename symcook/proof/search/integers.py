"""Consequences for integers that linear arithmetic does not see: the last thing that the automation tries.

An equation for a name is substituted in all facts (``i = n`` and ``w(i) = 0`` give ``w(n) = 0``), integers that bound
each other are equal, and integers that differ are at least 1 apart (``1 <= j`` and ``j != 1`` give ``1 + 1 <= j``).

Letters: `g` is a goal, `k` the label of a fact, `f` a formula.
Formulas and terms are tuples (tag, data, kids): `f[2][0]` is the first kid of `f`.
"""

from __future__ import annotations

from collections.abc import Callable

from symcook.errors import Rejected
from symcook.proof.search.tactics import Goal, Stuck
from symcook.proof.terms import COMPARISONS, Term, free, num, sort_of

MOST = 12
"""So many new facts of a kind."""


def integer_facts(g: Goal, close: Callable[[Goal], object]) -> list[str]:
    """Add such facts to `g` and rewrite its goal; the labels of the new facts. `close` proves easy goals, or Stuck."""
    before = set(g.facts)
    g.intro_all()
    _equal(g)
    _apart(g, close)
    _put(g)
    return [k for k in g.facts if k not in before]


def _integers(f: Term) -> bool:
    """Whether both sides of a comparison are integers."""
    return all(sort_of(t) == "Int" for t in f[2])


def _has(g: Goal, show: Term, nodes: list, stem: str) -> None:
    """Add a fact with its proof."""
    label = g.fresh(stem)
    g._emit({"by": "have", "show": g.text(show), "proof": nodes, "as": label})
    g._bind(label, show)


def _equal(g: Goal) -> None:
    """a = b from a <= b and b <= a."""
    ends = {f[2]: k for k, f in g.facts.items() if f[0] == "<=" and _integers(f)}
    done: set[tuple[Term, ...]] = set()
    for (a, b), k in list(ends.items())[: 10 * MOST]:
        show = ("=", None, (a, b))
        if a == b or (b, a) not in ends or (b, a) in done or show in g.facts.values():
            continue
        done.add((a, b))
        sides = [[{"by": "hyp", "of": x}] for x in (k, ends[b, a])]
        _has(g, show, [{"by": "antisym", "left": sides[0], "right": sides[1]}], "same")


def _apart(g: Goal, close: Callable[[Goal], object]) -> None:
    """a + 1 <= b, or b + 1 <= a, from a != b where the facts say which."""
    unequal = [f[2][0] for f in g.facts.values() if f[0] == "~" and f[2][0][0] == "=" and _integers(f[2][0])]
    for eq in unequal[:MOST]:
        for a, b in (eq[2], eq[2][::-1]):
            show = ("<=", None, (("+", None, (a, num(1))), b))
            trial = g._branch(show)
            try:
                close(trial)
            except (Stuck, Rejected):
                continue
            _has(g, show, trial.nodes, "step")
            break


def _put(g: Goal) -> None:
    """Equations for names of integers into all comparisons, and into the goal."""
    for k in [k for k, f in g.facts.items() if f[0] == "=" and _integers(f)][:MOST]:
        for rev in (False, True):
            old, new = g.facts[k][2][::-1] if rev else g.facts[k][2]
            if old[0] != "var" or old in free(new):
                continue
            for target in [x for x, f in g.facts.items() if x != k and _about(f) and old in free(f)][: 2 * MOST]:
                g.rewrite(k, target, g.fresh("put"), rev=rev)
            if old in free(g.goal):
                g.rewrite(k, rev=rev)
            break


def _about(f: Term) -> bool:
    """Whether equations are substituted in a fact: in comparisons, their negations and disjunctions."""
    return f[0] in (*COMPARISONS, "|") or (f[0] == "~" and f[2][0][0] in COMPARISONS)
