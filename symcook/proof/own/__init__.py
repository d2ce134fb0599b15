"""`symcook.proof.own` is `symcook.proof.statements.certify` now. This name goes with the next release."""

from __future__ import annotations

import warnings


def __getattr__(name: str) -> object:
    from symcook.proof.statements import certify

    found = getattr(certify, name)
    must = "symcook.proof.own is symcook.proof.statements.certify now, and goes with the next release"
    warnings.warn(must, DeprecationWarning, stacklevel=2)
    return found
