"""Nodes of a certificate that are written down where it is known why a step holds. Nothing here is trusted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

Node = dict[str, Any]


def use(fact: str, given: Sequence[str | list[Node]], label: str | list[str]) -> Node:
    """A fact for these terms and premises, called by a name, or its parts by several."""
    return {"by": "use", "fact": fact, "with": given, "as": label}


def intro(labels: Sequence[str | list[str]]) -> Node:
    """Names for what the goal quantifies and supposes."""
    return {"by": "intro", "as": labels}


def rewrite(equation: str) -> Node:
    """The goal with the left side of an equation put as the right one."""
    return {"by": "rewrite", "eq": equation}


def cases(fact: str, labels: Sequence[str | list[str]], proofs: Sequence[list[Node]]) -> Node:
    """A proof for each part of a disjunction."""
    return {"by": "cases", "fact": fact, "as": labels, "proofs": proofs}


def em(formula: str, labels: Sequence[str], proofs: Sequence[list[Node]]) -> Node:
    """A proof where a formula holds, and one where it does not."""
    return {"by": "em", "formula": formula, "as": labels, "proofs": proofs}


def ind(condition: str, label: str) -> Node:
    """The fact that a condition holds and its truth is 1, or it fails and that is 0."""
    return {"by": "ind", "of": condition, "as": label}


def rewritten(labels: Iterable[str]) -> list[Node]:
    """The goal holds by computation once these equations are put in, one behind the other."""
    return [*map(rewrite, labels), {"by": "true"}]


def have(label: str, show: str, proof: list[Node]) -> Node:
    """A fact with its proof."""
    return {"by": "have", "show": show, "proof": proof, "as": label}


def hyp(label: str) -> list[Node]:
    """The goal is a fact."""
    return [{"by": "hyp", "of": label}]


def here(fact: str, label: str | list[str]) -> Node:
    """What a fact about each position says at i, of which `range` says that it is one."""
    return use(fact, ["i", "#range"], label)


def both(*proofs: list[Node]) -> list[Node]:
    """The parts of a conjunction, one by one."""
    return [{"by": "split", "proofs": [*proofs]}]


def told(condition: str, holds: list[Node], fails: list[Node]) -> list[Node]:
    """Cases: the condition `is` and its truth is 1, `one`; or it is `not` and that is 0, `zero`."""
    return [
        ind(condition, "either"),
        cases("either", [["is", "one"], ["not", "zero"]], [holds, fails]),
    ]


def bit(condition: str) -> list[Node]:
    """The truth of a condition is a bit."""
    is_one, is_zero = ([{"by": "pick", "side": side}, *hyp(end)] for side, end in (("right", "one"), ("left", "zero")))
    return told(condition, is_one, is_zero)


def combined(equations: Iterable[tuple[str, str]], sums: Iterable[tuple[str, str]] = ()) -> list[Node]:
    """The goal is a linear combination of equations, and of inequalities (or 1, called "") with what is not negative:
    each with its factor."""
    node: Node = {"by": "pos"}
    terms = [{"c": factor, "of": [fact_used] if fact_used else []} for factor, fact_used in sums]
    rows = [[factor, equation] for factor, equation in equations]
    return [node | ({"sum": terms} if terms else {}) | ({"eq": rows} if rows else {})]
