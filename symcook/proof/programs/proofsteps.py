"""Constructors of certificate nodes, for proofs whose steps are known in advance. Nothing here is trusted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

Node = dict[str, Any]
"""A node of a certificate; `by` names its rule."""


def use(fact: str, given: Sequence[str | list[Node]], label: str | list[str]) -> Node:
    """An instance of a fact at these terms and premises under a label; with several labels, its parts under these."""
    return {"by": "use", "fact": fact, "with": given, "as": label}


def intro(labels: Sequence[str | list[str]]) -> Node:
    """Introduce the variables and premises of the goal under these labels."""
    return {"by": "intro", "as": labels}


def rewrite(equation: str) -> Node:
    """Replace the left side of an equation by its right side in the goal."""
    return {"by": "rewrite", "eq": equation}


def cases(fact: str, labels: Sequence[str | list[str]], proofs: Sequence[list[Node]]) -> Node:
    """Cases by a disjunction, with labels and a proof for each part."""
    return {"by": "cases", "fact": fact, "as": labels, "proofs": proofs}


def em(formula: str, labels: Sequence[str], proofs: Sequence[list[Node]]) -> Node:
    """Cases: a formula holds, or it does not (excluded middle)."""
    return {"by": "em", "formula": formula, "as": labels, "proofs": proofs}


def ind(condition: str, label: str) -> Node:
    """Add the fact that a condition holds and its indicator is 1, or it fails and its indicator is 0."""
    return {"by": "ind", "of": condition, "as": label}


def rewritten(labels: Iterable[str]) -> list[Node]:
    """Close the goal by computation after rewriting with these equations in order."""
    return [*map(rewrite, labels), {"by": "true"}]


def have(label: str, show: str, proof: list[Node]) -> Node:
    """Add the fact `show` with its proof under a label."""
    return {"by": "have", "show": show, "proof": proof, "as": label}


def hyp(label: str) -> list[Node]:
    """Close the goal, which is the fact with this label."""
    return [{"by": "hyp", "of": label}]


def here(fact: str, label: str | list[str]) -> Node:
    """The instance of a fact about each position at i; the fact `range` bounds i."""
    return use(fact, ["i", "#range"], label)


def both(*proofs: list[Node]) -> list[Node]:
    """Close a conjunction by a proof of each part."""
    return [{"by": "split", "proofs": [*proofs]}]


def told(condition: str, holds: list[Node], fails: list[Node]) -> list[Node]:
    """Cases by a condition: it holds (fact `is`) and its indicator is 1 (fact `one`), or it fails (`not`) and its
    indicator is 0 (`zero`)."""
    return [
        ind(condition, "either"),
        cases("either", [["is", "one"], ["not", "zero"]], [holds, fails]),
    ]


def bit(condition: str) -> list[Node]:
    """Close the goal that the indicator of a condition is a bit."""
    is_one, is_zero = ([{"by": "pick", "side": side}, *hyp(end)] for side, end in (("right", "one"), ("left", "zero")))
    return told(condition, is_one, is_zero)


def combined(equations: Iterable[tuple[str, str]], sums: Iterable[tuple[str, str]] = ()) -> list[Node]:
    """Close a comparison as a linear combination of `equations` and of inequalities in `sums`, each a pair of a factor
    and a label. The label "" in `sums` stands for 0 <= 1."""
    node: Node = {"by": "pos"}
    terms = [{"c": factor, "of": [fact_used] if fact_used else []} for factor, fact_used in sums]
    rows = [[factor, equation] for factor, equation in equations]
    return [node | ({"sum": terms} if terms else {}) | ({"eq": rows} if rows else {})]
