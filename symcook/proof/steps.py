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
