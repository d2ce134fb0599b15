"""Proofs of the library: sums by induction, exponentials, softmax."""

from __future__ import annotations

from symcook.proof.search.tactics import Goal, Tactic


def last(g: Goal, body: str, low: str, high: str, label: str) -> Goal:
    """The last term of a sum splits off."""
    return g.use("ax:sum_step", body, low, high, label=label)


SCRIPTS: dict[str, Tactic] = {}
