"""Nodes of a certificate that are written down where it is known why a step holds. Nothing here is trusted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

Node = dict[str, Any]


def rewritten(labels: Iterable[str]) -> list[Node]:
    """The goal holds by computation once these equations are put in, one behind the other."""
    return [*({"by": "rewrite", "eq": one} for one in labels), {"by": "true"}]


def have(label: str, show: str, proof: list[Node]) -> Node:
    """A fact with its proof."""
    return {"by": "have", "show": show, "proof": proof, "as": label}


def hyp(label: str) -> list[Node]:
    """The goal is a fact."""
    return [{"by": "hyp", "of": label}]


def here(fact: str, label: str | list[str]) -> Node:
    """What a fact about each position says at i, of which `range` says that it is one."""
    return {"by": "use", "fact": fact, "with": ["i", "#range"], "as": label}


def each(goal: str, nodes: list[Node]) -> tuple[str, list[Node]]:
    """A fact about each position, and its proof at i."""
    return f"all i in 1..n. {goal}", [{"by": "intro", "as": ["i"]}, {"by": "intro", "as": ["range"]}, *nodes]


def both(*proofs: list[Node]) -> list[Node]:
    """The parts of a conjunction, one by one."""
    return [{"by": "split", "proofs": [*proofs]}]


def told(condition: str, holds: list[Node], fails: list[Node]) -> list[Node]:
    """Cases: the condition `is` and its truth is 1, `one`; or it is `not` and that is 0, `zero`."""
    return [
        {"by": "ind", "of": condition, "as": "either"},
        {"by": "cases", "fact": "either", "as": [["is", "one"], ["not", "zero"]], "proofs": [holds, fails]},
    ]


def bit(condition: str) -> list[Node]:
    """The truth of a condition is a bit."""
    one, zero = ([{"by": "pick", "side": side}, *hyp(end)] for side, end in (("right", "one"), ("left", "zero")))
    return told(condition, one, zero)


def combined(equations: Iterable[tuple[str, str]], sums: Iterable[tuple[str, str]] = ()) -> list[Node]:
    """The goal is a linear combination of equations, and of inequalities (or 1, called "") with what is not negative:
    each with its factor."""
    node: Node = {"by": "pos"}
    terms = [{"c": factor, "of": [one] if one else []} for factor, one in sums]
    rows = [[factor, one] for factor, one in equations]
    return [node | ({"sum": terms} if terms else {}) | ({"eq": rows} if rows else {})]
