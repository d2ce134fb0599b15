"""What is known in a case of a proof, of which a case inside has a copy."""

from __future__ import annotations

from copy import copy
from typing import Self


class CaseState:
    """Something that is known in a case: lists, sets and tables that grow, and what all cases share."""

    def copy(self) -> Self:
        """The same for a case inside: what it adds is not known outside."""
        inner = copy(self)
        for name, value in vars(self).items():
            if isinstance(value, CaseState):
                setattr(inner, name, value.copy())
            elif isinstance(value, dict | list | set):
                setattr(inner, name, copy(value))
        return inner
