"""What a script of a claim is: how it is proved, or refuted, and why it is neither undefined nor vacuous."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from symcook.proof.search.tactics import Goal, Tactic


@dataclass(frozen=True)
class Script:
    """`proof` works on the statement, or on its negation where `refutes` is set; the others on D and H."""

    proof: Tactic
    inhabited: Tactic | None = None
    defined: Tactic | None = None
    refutes: bool = False


def witnesses(*terms: str, others: Sequence[Sequence[str]] = (), leaf: Tactic | None = None) -> Tactic:
    """H by these witnesses, in the order of the quantifiers; for a part that they do not serve, by one of `others`."""
    return lambda g: g.inhabit(*terms, others=others, leaf=leaf)


def each(*proofs: Tactic) -> Tactic:
    """One proof for each conjunct of the goal."""

    def run(g: Goal) -> None:
        for part, proof in zip(g.split(), proofs, strict=True):
            proof(part)

    return run


def counterexample(*arguments: str, then: Callable[[Goal], None]) -> Tactic:
    """Refute a statement: assume it, use it at these values, derive a contradiction from ``wrong``."""

    def run(g: Goal) -> None:
        g.intro("claim").use("claim", *arguments, label="wrong")
        then(g)

    return run
