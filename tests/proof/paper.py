"""What the claims of several papers use: networks and softmax as they define them, and equality up to rounding."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import shared
from proof.statement_truth import CONTEXT, SLACK, real


def same(a: Any, b: Any) -> bool:
    return bool(abs(real(a) - real(b)) <= SLACK * (1 + abs(real(b))))


def at_most(a: Any, b: Any) -> bool:
    return bool(real(a) <= real(b) + SLACK * (1 + abs(real(b))))


def softmax(scores: Sequence[Any]) -> list[Any]:
    return shared.softmax([real(s) for s in scores], CONTEXT.exp)


def times(rows: Any, x: Any) -> list[Fraction]:
    """A matrix times a vector."""
    return [sum((Fraction(w) * v for w, v in zip(row, x, strict=True)), Fraction(0)) for row in rows]
