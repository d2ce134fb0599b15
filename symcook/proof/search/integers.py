"""Consequences for integers that linear arithmetic does not find. The automation tries them last.

There are three kinds. Integers that bound each other are equal. Integers that differ are at least 1 apart: ``1 <= j``
and ``j != 1`` give ``1 + 1 <= j``. An equation for a name is substituted in all facts: ``i = n`` and ``w(i) = 0`` give
``w(n) = 0``.

Letters: `g` is a goal, `k` the label of a fact, `f` a formula.
Formulas and terms are tuples (tag, data, kids): `f[2][0]` is the first kid of `f`.
"""

from __future__ import annotations

from collections.abc import Callable

from symcook.errors import Rejected
from symcook.proof.search.tactics import Goal, Stuck, intro_all
from symcook.proof.terms import COMPARISONS, Term, free, num, sort_of

MOST = 12
"""How many inequations, and how many equations, are used for new facts; the limits of other loops are multiples. Each
is compared with all facts."""


def integer_facts(g: Goal, close: Callable[[Goal], object]) -> list[str]:
    """Introduce the quantifiers and premises of the goal, add the consequences for integers to `g`, and substitute
    equations in its goal. Returns the labels of the new facts, introduced premises among them. `close` closes an easy
    goal, or raises Stuck."""
    before = set(g.facts)
    intro_all(g)
    _equal(g)
    _apart(g, close)
    _put(g)
    return [k for k in g.facts if k not in before]


def _integers(f: Term) -> bool:
    """Whether both sides of a comparison are integers."""
    return all(sort_of(t) == "Int" for t in f[2])


def _has(g: Goal, fact: Term, nodes: list, stem: str) -> None:
    """Add a fact with its proof, under a new label that begins with `stem`."""
    label = g.fresh(stem)
    g.add({"by": "have", "show": g.text(fact), "proof": nodes, "as": label}, fact)


def _equal(g: Goal) -> None:
    """Add a = b for integers with the facts a <= b and b <= a."""
    label_of_bound = {f[2]: k for k, f in g.facts.items() if f[0] == "<=" and _integers(f)}
    added: set[tuple[Term, ...]] = set()
    for (a, b), k in list(label_of_bound.items())[: 10 * MOST]:
        equation = ("=", None, (a, b))
        if a == b or (b, a) not in label_of_bound or (b, a) in added or equation in g.facts.values():
            continue
        added.add((a, b))
        proofs = [[{"by": "hyp", "of": x}] for x in (k, label_of_bound[b, a])]
        _has(g, equation, [{"by": "antisym", "left": proofs[0], "right": proofs[1]}], "same")


def _apart(g: Goal, close: Callable[[Goal], object]) -> None:
    """Add a + 1 <= b or b + 1 <= a for integers with the fact a != b, if the other facts decide which."""
    unequal = [f[2][0] for f in g.facts.values() if f[0] == "~" and f[2][0][0] == "=" and _integers(f[2][0])]
    for eq in unequal[:MOST]:
        for a, b in (eq[2], eq[2][::-1]):
            inequality = ("<=", None, (("+", None, (a, num(1))), b))
            trial = g.branch(inequality)
            try:
                close(trial)
            except (Stuck, Rejected):
                continue
            _has(g, inequality, trial.nodes, "step")
            break


def _put(g: Goal) -> None:
    """Substitute equations for names of integers in facts (see `_about`) and in the goal. An equation is used in the
    first direction in which it replaces a name by a term without this name."""
    for k in [k for k, f in g.facts.items() if f[0] == "=" and _integers(f)][:MOST]:
        for rev in (False, True):
            replaced, replacement = g.facts[k][2][::-1] if rev else g.facts[k][2]
            if replaced[0] != "var" or replaced in free(replacement):
                continue
            for target in [x for x, f in g.facts.items() if x != k and _about(f) and replaced in free(f)][: 2 * MOST]:
                g.rewrite(k, target, g.fresh("put"), rev=rev)
            if replaced in free(g.goal):
                g.rewrite(k, rev=rev)
            break


def _about(f: Term) -> bool:
    """Whether equations are substituted in a fact: if it is a comparison, the negation of one, or a disjunction."""
    return f[0] in (*COMPARISONS, "|") or (f[0] == "~" and f[2][0][0] in COMPARISONS)
