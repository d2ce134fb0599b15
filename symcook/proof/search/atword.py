"""Proofs at a word: what is true of one run, with the run's values for the names that are to exist.

The proof follows the truth of a formula as `Runs` finds it: the side of a disjunction that is true, a number for each
further existence; what is left are comparisons of numbers, for the automation.
"""

from __future__ import annotations

from collections.abc import Iterator

from symcook.errors import Rejected
from symcook.proof.replay import Statement
from symcook.proof.search import automation
from symcook.proof.search.runs import OPEN, Runs, Spent
from symcook.proof.search.tactics import Goal, Library, Stuck
from symcook.proof.terms import Term, flatten, instantiate, num

LEVELS = automation.LEVELS[:3]


def at_word(g: Goal, runs: Runs) -> None:
    """Close a goal ``ex NAMES. F`` by the values of the present word; Stuck or Rejected where that fails."""
    body = g.goal
    for v, term in zip(runs.order, runs.terms(), strict=True):
        if body[0] == "&":  # R has the conditions of definedness of what stands before a name
            raise Stuck("a name stands behind a condition")
        body = instantiate(body[2][0], (v,))
        g.witness(term)
    _follow(g, body, runs)


def true_at(body: Term, runs: Runs) -> bool:
    """Whether `body`, behind its leading names, is true at the present word."""
    for v in runs.order:
        if body[0] != "ex" or body[1] != v[1][1]:
            return False
        body = instantiate(body[2][0], (v,))
    try:
        return _true(body, runs)
    except OPEN:
        return False


def _true(body: Term, runs: Runs) -> bool:
    runs.strict = False
    if body[0] == "&":
        return all(_true(part, runs) for part in flatten("&", body))
    if body[0] == "|":
        return any(_true(part, runs) for part in body[2])
    if body[0] == "ex":
        return next(_chosen(body, runs), None) is not None
    return runs.truth(body, ())


def _chosen(body: Term, runs: Runs) -> Iterator[Term]:
    """Numbers at which what is to exist is true."""
    if body[1] not in ("Int", "Real"):
        raise Rejected("no value for a function is tried")
    for k in range(-1, runs.length + 2):
        try:
            if _true(instantiate(body[2][0], (num(k),)), runs):
                yield num(k)
        except OPEN:
            continue


def _follow(g: Goal, body: Term, runs: Runs) -> None:
    tag = body[0]
    if tag == "&":
        for part, f in zip(g.split(), flatten("&", body), strict=True):
            _follow(part, f, runs)
        return
    if tag == "ex":
        k = next(_chosen(body, runs), None)
        if k is None:
            raise Stuck("no number serves")
        g.witness(str(k[1][0]))
        return _follow(g, instantiate(body[2][0], (k,)), runs)
    if tag == "|" and any(part[0] in ("ex", "&", "|") for part in body[2]):
        side = "left" if _true(body[2][0], runs) else "right"
        g.pick(side)
        return _follow(g, body[2][side == "right"], runs)
    automation.prove(g, (), LEVELS)


def shown_inhabited(home: Library, statement: Statement, runs: Runs) -> Goal | None:
    """H, each part at the first word that serves; None where no word does."""
    g = Goal(home, statement.inhabited, {}, {})
    for part in g.split() if g.goal[0] == "&" else [g]:
        if not any(_served(part, runs, *way) for way in WAYS):
            return None
    return g


WAYS = ((True, 8), (False, 3))
"""Words with rational values alone, then others; so many that satisfy the hypotheses are tried."""


def _served(part: Goal, runs: Runs, rational: bool, most: int) -> bool:
    """Close a part of H at the first of the words at which it is true and its proof is found."""
    runs.limit = runs.work + runs.budget
    left = most
    try:
        for length in range(1, runs.longest + 1):
            for found in runs.at(length):
                if not found or runs.rational is not rational or not true_at(part.goal, runs) or not runs.runs():
                    continue
                runs.outside = {}
                if part.first(lambda h: at_word(h, runs)):
                    return True
                left -= 1
                if not left:
                    return False
    except (Spent, *OPEN):
        pass
    return False
