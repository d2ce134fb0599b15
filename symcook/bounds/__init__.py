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

__all__ = ["KINDS", "Argument", "Kind", "kind", "softmax_hardmax"]


@dataclass(frozen=True)
class Argument:
    """An argument of a kind: text, or yes and no where it has no `metavar`.

    The command line has an option for it; one that is called "model" comes after the kind, without an option.
    """

    name: str
    help: str
    metavar: str | None = None
    required: bool = False


@dataclass(frozen=True)
class Kind:
    """A kind of bound: where its function is, its arguments, and what it answers in words.

    Every function takes the arguments of its kind and `digits` by name.
    """

    name: str
    function: str
    arguments: tuple[Argument, ...]
    summary: str

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
            arguments=(
                Argument("n", "The number of scores.", "N", required=True),
                Argument("gamma", "The score gap: a rational, or such as 'log(8*64)'.", "G", required=True),
                Argument("ties", "Allow score vectors whose maximum is not unique."),
            ),
            summary="the supremum of the L1 distance between softmax and hardmax over n scores with gap at least "
            "gamma, against 2 n e^-gamma (Cookbook, Lemma 5.3)",
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
