"""Nodes of proofs, as hand-written ones use them."""

from __future__ import annotations

from typing import Any


def intro(*names: Any) -> dict[str, Any]:
    return {"by": "intro", "as": list(names)}


def use(fact: str, *given: Any, name: Any = "h") -> dict[str, Any]:
    return {"by": "use", "fact": fact, "with": list(given), "as": name}


def pos(*summands: Any, eq: Any = ()) -> dict[str, Any]:
    """A closing node: each summand a coefficient and labels."""
    return {"by": "pos", "sum": [{"c": c, "of": list(of)} for c, *of in summands], "eq": [list(e) for e in eq]}
