"""The number systems (domains). Each implements `symcook.domains.protocol`; its module is imported on first use.

`DOMAINS` has those that can be made by name. `Rounding`, `Radii` and `Lengths`, in modules of these names, are made
only by the code that needs them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from symcook.errors import unknown

if TYPE_CHECKING:
    from symcook.domains.protocol import Domain

# Name of a number system -> "module:class".
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
"""The domains that run one input and give numbers (not expressions or batches)."""
DTYPES = ("float64", "float32", "float16", "bfloat16")
"""The types of float whose rounding is bounded (`symcook.domains.rounding`)."""


def make_domain(name: str, **options: object) -> Domain:
    """A new domain of the class called `name`, made with `options`; BadInput, with the most similar name, if
    unknown."""
    if name not in DOMAINS:
        raise unknown("number system", name, list(DOMAINS))
    module, attribute = DOMAINS[name].split(":")
    return getattr(import_module(module), attribute)(**options)
