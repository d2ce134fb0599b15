"""D and H of a statement whose nontrivial condition is given as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from symcook.proof import conditions, grammar
from symcook.proof.terms import Term

defined = conditions.defined


def inhabited(t: Term, names: Sequence[str], nontrivial: str | None, known: Mapping[str, Any]) -> Term:
    """H of `t`, whose leading quantifiers have these names."""
    if nontrivial is None:
        return conditions.inhabited(t, names)
    return conditions.inhabited(t, names, lambda scope: grammar.read_formula(nontrivial, scope, known))
