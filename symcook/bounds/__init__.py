"""Bounds: what a paper claims, the sharp value, and whether the claim holds, each rigorous to the asked digits.

The functions are named here and imported when one is called, so that listing the kinds costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from typing import TYPE_CHECKING, Any

from symcook.errors import unknown

if TYPE_CHECKING:
    from symcook.bounds.result import Bound

__all__ = ["KINDS", "Kind", "kind", "softmax_hardmax"]


@dataclass(frozen=True)
class Kind:
    """A kind of bound: where its function is, its options, and what it answers in words.

    required and optional are the names of the function's arguments; `digits` is understood by every kind.
    """

    name: str
    function: str
    required: tuple[str, ...]
    optional: tuple[str, ...]
    summary: str
    source: str

    def load(self) -> Callable[..., Any]:
        """The function; it returns a `symcook.bounds.result.Bound`."""
        module, _, name = self.function.partition(":")
        return getattr(import_module(module), name)


KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind(
            name="softmax-hardmax",
            function="symcook.bounds.softmax:softmax_hardmax",
            required=("n", "gamma"),
            optional=("ties",),
            summary="L1 distance between softmax and hardmax of n scores with gap at least gamma",
            source="Cookbook, Lemma 5.3",
        ),
    )
}


def kind(name: str) -> Kind:
    """The kind of that name. Raises BadInput with the nearest name."""
    if name not in KINDS:
        raise unknown("kind of bound", name, tuple(KINDS))
    return KINDS[name]


def softmax_hardmax(n: int | str, gamma: str | int | Fraction, ties: bool = False, digits: int | str = 30) -> Bound:
    """See `symcook.bounds.softmax.softmax_hardmax`."""
    return kind("softmax-hardmax").load()(n, gamma, ties=ties, digits=digits)
