"""Constructors of certificate nodes, for proofs whose steps are known in advance. Nothing here is trusted.

`hyp`, `both`, `rewritten`, `told`, `bit` and `combined` return a list of nodes that closes the goal. The other
functions return a single node, a step of such a list.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

Node = dict[str, Any]
"""A node of a certificate; `by` names its rule."""


def use(fact: str, given: Sequence[str | list[Node]], label: str | list[str]) -> Node:
    """Add the instance of a fact at these terms and proofs of its premises, under a label. With a list of labels, add
    the parts of the instance, which is a conjunction, under these labels."""
    return {"by": "use", "fact": fact, "with": given, "as": label}


def intro(labels: Sequence[str | list[str]]) -> Node:
    """Introduce the variables and premises of the goal under these labels."""
    return {"by": "intro", "as": labels}


def rewrite(equation: str) -> Node:
    """Replace the left side of an equation, given by its label, by its right side in the goal."""
    return {"by": "rewrite", "eq": equation}


def cases(fact: str, labels: Sequence[str | list[str]], proofs: Sequence[list[Node]]) -> Node:
    """Cases by a fact that is a disjunction: for each part of the disjunction, its label and the proof of the goal."""
    return {"by": "cases", "fact": fact, "as": labels, "proofs": proofs}


def em(formula: str, labels: Sequence[str], proofs: Sequence[list[Node]]) -> Node:
    """Cases by excluded middle: a formula holds, or its negation; for each, its label and the proof of the goal."""
    return {"by": "em", "formula": formula, "as": labels, "proofs": proofs}


def ind(condition: str, label: str) -> Node:
    """Add the fact that a condition holds and its indicator is 1, or the condition fails and its indicator is 0."""
    return {"by": "ind", "of": condition, "as": label}


def rewritten(labels: Iterable[str]) -> list[Node]:
    """Close the goal by computation after rewriting with these equations in order."""
    return [*map(rewrite, labels), {"by": "true"}]


def have(label: str, show: str, proof: list[Node]) -> Node:
    """Add the fact `show` with its proof under a label."""
    return {"by": "have", "show": show, "proof": proof, "as": label}


def hyp(label: str) -> list[Node]:
    """Close a goal that is the fact with this label."""
    return [{"by": "hyp", "of": label}]


def here(fact: str, label: str | list[str]) -> Node:
    """Add the instance at i of a fact about each position; the fact `range` bounds i."""
    return use(fact, ["i", "#range"], label)


def both(*proofs: list[Node]) -> list[Node]:
    """Close a goal that is a conjunction, by a proof of each part."""
    return [{"by": "split", "proofs": [*proofs]}]


def told(condition: str, holds: list[Node], fails: list[Node]) -> list[Node]:
    """Close the goal by two cases: the condition holds, or it does not. In the proof `holds`, the facts `is` and `one`
    say that the condition is true and its indicator is 1. In the proof `fails`, the facts `not` and `zero` say that it
    is false and its indicator is 0."""
    return [
        ind(condition, "either"),
        cases("either", [["is", "one"], ["not", "zero"]], [holds, fails]),
    ]


def bit(condition: str) -> list[Node]:
    """Close the goal that the indicator of a condition is a bit: it is 0 (the left part) or 1 (the right part)."""
    is_one, is_zero = ([{"by": "pick", "side": side}, *hyp(end)] for side, end in (("right", "one"), ("left", "zero")))
    return told(condition, is_one, is_zero)


def combined(equations: Iterable[tuple[str, str]], sums: Iterable[tuple[str, str]] = ()) -> list[Node]:
    """Close a goal that is a comparison, as a linear combination of the facts `equations` and the inequalities `sums`.
    Each is a pair of a factor and a label. The label "" in `sums` stands for 0 <= 1."""
    node: Node = {"by": "pos"}
    terms = [{"c": factor, "of": [fact_used] if fact_used else []} for factor, fact_used in sums]
    rows = [[factor, equation] for factor, equation in equations]
    return [node | ({"sum": terms} if terms else {}) | ({"eq": rows} if rows else {})]
