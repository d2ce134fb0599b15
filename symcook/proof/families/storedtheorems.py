"""The stored theorems about a family that is part of symcook, for its choices."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from symcook.model.plainfamily import PlainFamily
    from symcook.proof.replay import Statement


def theorems_of(family: PlainFamily) -> list[Statement]:
    """The stored claims about all sizes of a family, with its choices; a corrected claim is replaced by its
    correction."""
    from symcook.proof.records import FAMILY_CALL
    from symcook.proof.replay import statements

    usual = {key: options[0] for key, options in family.choices.items()}
    corrected = {statement.corrects for statement in statements().values()}
    theorems = []
    for statement in statements().values():
        if not statement.claim or statement.id in corrected:
            continue
        # A claim is about the family if it has ``run(family-NAME; choice = option)`` with the family's choices; a
        # choice that the claim leaves out has its first option.
        calls = [m for m in FAMILY_CALL.finditer(statement.written) if m[1] == "run" and m[2] == family.name]
        choices_of_calls = [dict(re.findall(r"(\w+) = (\w+)", call[3])) for call in calls]
        if any(family.choices.keys() >= m.keys() and usual | m == family.chosen for m in choices_of_calls):
            theorems.append(statement)
    return theorems
