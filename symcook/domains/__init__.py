"""The number systems: each offers what `symcook.domains.protocol` asks for, and is imported when it is made."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, TypeGuard

from symcook.errors import unknown

if TYPE_CHECKING:
    from symcook.domains.protocol import Column, Domain, Follows, Rounded, Value
    from symcook.model.ends import Verdict, Verdicts

DOMAINS = {
    "symbolic": "symcook.domains.symbolic:Symbolic",
    "exact": "symcook.domains.exact:Exact",
    "batch": "symcook.domains.batch:Batch",
    "ball": "symcook.domains.ball:BallDomain",
    "mpmath": "symcook.domains.mp:Mp",
    "float64": "symcook.domains.floats:Float64",
    "float32": "symcook.domains.floats:Float32",
    "float16": "symcook.domains.floats:Float16",
}
RUNNABLE = ("exact", "ball", "mpmath", "float64", "float32", "float16")
"""The domains that run one input to numbers."""


def make_domain(name: str, **options: object) -> Domain:
    """A domain by name; BadInput with the nearest name where there is none."""
    if name not in DOMAINS:
        raise unknown("domain", name, list(DOMAINS))
    module, attribute = DOMAINS[name].split(":")
    return getattr(import_module(module), attribute)(**options)


def rounds(
    domain: Domain[Column, Value, Verdicts, Verdict],
) -> TypeGuard[Rounded[Column, Value, Verdicts, Verdict]]:
    """Whether the operations of a domain round; isinstance takes a tenth of a short run to say so."""
    return hasattr(domain, "rounding")


def follows(
    domain: Domain[Column, Value, Verdicts, Verdict],
) -> TypeGuard[Follows[Column, Value, Verdicts, Verdict]]:
    """Whether a domain can leave positions out and go on."""
    return hasattr(domain, "resume")
