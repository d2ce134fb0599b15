"""Recognisers of languages, and what the two of Dyck-1 share. Source: Cookbook, Section 9.2.1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from symcook.model.parts import FeedForward, Head
    from symcook.spec.fold import Fold

BRACKETS = {"(": {"token": 1}, ")": {"token": -1}}
FORMULA = "(all p in 1..n. closes(p) <= opens(p)) & opens(n) = closes(n)"
CLAIMS = (
    "cookbook.t3.dyck1",
    "cookbook.s9.2.dyck1_def",
    "cookbook.s9.2.1.prefix_counts",
    "cookbook.s9.2.1.embedding",
    "cookbook.s9.2.1.balance",
    "cookbook.s9.2.1.violation",
    "cookbook.s9.2.1.ffn_error",
    "cookbook.s9.2.1.aggregate",
    "cookbook.s9.2.1.state_trace",
)


def decides(fold: Fold, arguments: Mapping[str, Any], values: Mapping[str, Any]) -> Fold:
    """The reference of a language: its fold, whatever builds the model."""
    return fold


def counting() -> tuple[Head, FeedForward, Head]:
    """Eq. (44): the balance B_i/i, its error relu(-B_i/i), and the mean error t_i."""
    from symcook.model.weights import feedforward, head

    return (
        head(value={"balance": "token"}, mask="future"),
        feedforward(error="relu(-balance)"),
        head(value={"total": "error"}, mask="future"),
    )
