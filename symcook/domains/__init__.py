"""The number systems: each offers what `symcook.domains.protocol` asks for, and is imported when it is made."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from symcook.errors import unknown

if TYPE_CHECKING:
    from symcook.domains.protocol import Domain

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
DTYPES = ("float64", "float32", "float16", "bfloat16")
"""The types of float whose rounding is bounded (`symcook.domains.rounding`)."""


def make_domain(name: str, **options: object) -> Domain:
    """A domain by name; BadInput with the nearest name where there is none."""
    if name not in DOMAINS:
        raise unknown("number system", name, list(DOMAINS))
    module, attribute = DOMAINS[name].split(":")
    return getattr(import_module(module), attribute)(**options)
