"""Values that are present by construction, where a type allows their absence; the refusal of absent docstrings.

An `assert` would do for the first, but ``python -O`` leaves it out; ``python -OO`` leaves docstrings out as well.
"""

from __future__ import annotations

from typing import TypeVar

from symcook.errors import BadInput

T = TypeVar("T")


def present(value: T | None) -> T:
    """The value; RuntimeError, a defect, where it is None.

    >>> present(0)
    0
    """
    if value is None:
        raise RuntimeError("a value is missing that the steps before always make")
    return value


def without_docstrings() -> BadInput:
    """The refusal of ``python -OO``: help and the descriptions of recipes are docstrings."""
    return BadInput("symcook must run with its docstrings", "python -OO", "use python -O, or unset PYTHONOPTIMIZE")
