"""Proofs of the library: sums by induction, exponentials, softmax."""

from __future__ import annotations

from symcook.proof.search.tactics import Goal, Tactic


def last(g: Goal, body: str, low: str, high: str, label: str) -> Goal:
    """The last term of a sum splits off."""
    return g.use("ax:sum_step", body, low, high, label=label)


TOTAL = "sum(k, 1, n, exp(s(k)))"


def total(g: Goal, z: str = "z") -> Goal:
    """0 < Z, Z*(1/Z) = 1, 0 < 1/Z for the softmax normaliser Z of s and n."""
    return g.positive(TOTAL, z, lambda h: h.use("lem:sm_total", "s", "n", label="pos").hyp("pos"))


SCRIPTS: dict[str, Tactic] = {}
