"""What a script of a claim is: how it is proved, or refuted, and why it is neither undefined nor vacuous."""

from __future__ import annotations

from dataclasses import dataclass

from symcook.proof.search.tactics import Tactic


@dataclass(frozen=True)
class Script:
    """`proof` works on the statement, or on its negation where `refutes` is set; the others on D and H."""

    proof: Tactic
    inhabited: Tactic | None = None
    defined: Tactic | None = None
    refutes: bool = False
