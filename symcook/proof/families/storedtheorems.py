"""The stored theorems about the families that ship."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from symcook.model.plainfamily import PlainFamily
    from symcook.proof.replay import Statement


def theorems_of(family: PlainFamily) -> list[Statement]:
    """The stored claims about all sizes of a family, with the choices of this one; where one corrects what is printed,
    that one."""
    from symcook.proof.familyrel import CALL
    from symcook.proof.replay import statements

    usual = {key: many[0] for key, many in family.choices.items()}
    corrected = {statement.corrects for statement in statements().values()}
    theorems = []
    for statement in statements().values():
        if not statement.claim or statement.id in corrected:
            continue
        calls = [m for m in CALL.finditer(statement.written) if m[1] == "run" and m[2] == family.name]
        choices_made = [dict(re.findall(r"(\w+) = (\w+)", call[3])) for call in calls]
        if any(family.choices.keys() >= m.keys() and usual | m == family.chosen for m in choices_made):
            theorems.append(statement)
    return theorems
