"""The old name of `symcook.proof.statements.certify`. It works with a warning, and the next release removes it."""

from __future__ import annotations

import warnings


def __getattr__(name: str) -> object:
    """The value of a name of `certify`, with a DeprecationWarning."""
    from symcook.proof.statements import certify

    value = getattr(certify, name)
    must = "symcook.proof.own is symcook.proof.statements.certify now, and goes with the next release"
    warnings.warn(must, DeprecationWarning, stacklevel=2)
    return value
