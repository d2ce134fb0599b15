"""Checks for values that cannot be None, although their type allows None; and the error of missing docstrings.

An `assert` is not used for the first, since ``python -O`` removes it; ``python -OO`` removes docstrings too.
"""

from __future__ import annotations

from typing import TypeVar

from symcook.errors import BadInput

T = TypeVar("T")


def present(value: T | None) -> T:
    """The value. Raises RuntimeError, which is a defect, if it is None.

    >>> present(0)
    0
    """
    if value is None:
        raise RuntimeError("a value is missing that the steps before always make")
    return value


def without_docstrings() -> BadInput:
    """The error for ``python -OO``: the help and the descriptions of recipes are docstrings."""
    return BadInput("symcook must run with its docstrings", "python -OO", "use python -O, or unset PYTHONOPTIMIZE")
