"""The facts known in a case of a proof. A case inside it starts with a copy of them."""

from __future__ import annotations

from copy import copy
from typing import Self


class CaseState:
    """A record of what is known in a case. Its lists, sets and dicts grow during the case; its other attributes are
    shared by all cases."""

    def copy(self) -> Self:
        """A copy for a case inside this one: additions to its lists, sets and dicts do not change the original."""
        inner = copy(self)
        for name, value in vars(self).items():
            if isinstance(value, CaseState):
                setattr(inner, name, value.copy())
            elif isinstance(value, dict | list | set):
                setattr(inner, name, copy(value))
        return inner
