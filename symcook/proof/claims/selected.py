"""Heads that select one position, as facts of a proof: a sum of I[j = p]*value(j) is the value at p.

Where a row sees no position the sum is 0. The equation of such a coordinate, with the value at p in place of the sum,
is proved once; the procedures then read it as the coordinate's equation.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from symcook.errors import Rejected
from symcook.proof.claims.problem import HERE, Equation, Problem
from symcook.proof.search.tactics import Goal, Stuck
from symcook.proof.terms import Term, abstract, instantiate, loose, subterms, var
from symcook.proof.terms import replace as put

THERE = var("j", "Int")


def with_selected(problem: Problem, g: Goal) -> Problem:
    """The problem with the equations of such coordinates solved; each is proved at the goal, whose premises have the
    labels ``run.K``, under a further label of this kind."""
    equations = dict(problem.equations)
    for name, equation in problem.equations.items():
        total = next((t for t in subterms(equation.right) if selects(t)), None)
        if equation.kind != "value" or equation.truth or total is None:
            continue
        part = len(problem.run) + len(problem.truths) + equation.part
        right = put(equation.right, total, _value(problem, total))
        with suppress(Stuck, Rejected):  # what is not proved is left as it was
            g.have(_everywhere(problem, equation, right), f"run.{part}", _proof(problem, equation, total))
            equations[name] = replace(equation, right=right, part=part)
    return replace(problem, equations=equations)


def selects(t: Term) -> bool:
    """Whether a term is a sum of I[j = p]*value(j) where p is the first or the last position of its range."""
    if t[0] != "sum" or loose(t):
        return False
    low, high, body = t[2]
    body = instantiate(body, (THERE,))
    if body[0] != "*" or body[2][0][0] != "ind":
        return False
    condition = body[2][0][2][0]
    return condition[0] == "=" and condition[2][0] == THERE and condition[2][1] in (low, high)


def _place(total: Term) -> Term:
    """The position that a sum selects."""
    return instantiate(total[2][2], (THERE,))[2][0][2][0][2][1]


def _always(problem: Problem, total: Term) -> bool:
    """Whether the range has a position, whatever position i is."""
    low, high, _ = total[2]
    return low in (problem.places.low, HERE) and high in (problem.places.high, HERE)


def _value(problem: Problem, total: Term) -> Term:
    """What the sum is."""
    low, high, body = total[2]
    value = instantiate(body, (_place(total),))[2][1]
    return value if _always(problem, total) else ("*", None, (("ind", None, (("<=", None, (low, high)),)), value))


def _everywhere(problem: Problem, equation: Equation, right: Term) -> Term:
    """c(i) = right at every position."""
    inside = ("&", None, (("<=", None, (problem.places.low, HERE)), ("<=", None, (HERE, problem.places.high))))
    body = ("->", None, (inside, ("=", None, (equation.at_here, right))))
    return ("all", "Int", (abstract(body, (HERE,)),))


def _proof(problem: Problem, equation: Equation, total: Term) -> Callable[[Goal], None]:
    low, high, body = total[2]
    some = ("<=", None, (low, high))

    def seen(g: Goal) -> None:
        """The range has the position."""
        summand = abstract(instantiate(body, (THERE,)), (THERE,))
        here = g.text(("lam", ("Int",), (summand,)))

        def away(h: Goal) -> None:
            h.intro("j between apart")
            for k, same in zip(h.ind(("=", None, (THERE, _place(total))), "same value"), (True, False), strict=True):
                if same:
                    k.contra("no")
                    k.absurd("same", "apart")
                else:
                    k.rewrite("value")
                    k.true()

        g.use("lem:sum_only", here, g.text(low), g.text(high), g.text(_place(total)), Goal.easy, away, label="only")
        g.rewrite("only")
        g.true()

    def unseen(g: Goal) -> None:
        """The range is empty."""
        here = g.text(("lam", ("Int",), (abstract(instantiate(body, (THERE,)), (THERE,)),)))

        def none(h: Goal) -> None:
            h.intro("j (from to)")
            h.contra("no")
            h.auto(["from", "to", "f"], degree=1)

        g.use("lem:sum_ext", here, "j. 0", g.text(low), g.text(high), none, label="none")
        g.rewrite("none")
        g.auto([], degree=1)

    def proof(g: Goal) -> None:
        g.intro("i inside")
        g.use(f"run.{equation.part}", "i", "#inside", label="is")
        g.rewrite("is")
        g.use("inside", label="from.low to.high")
        if _always(problem, total):
            return seen(g)
        for h, full in zip(g.ind(some, "f v"), (True, False), strict=True):
            h.rewrite("v")
            (seen if full else unseen)(h)
        return None

    return proof
