"""What is said of the program of a compiled model: that the weights are its compilation, or that they are others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symcook.present import present
from symcook.report.document import table

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer

HEADS = ("coordinate", "written in", "holds", "budget")
"""The columns of a plan; the last stands with soft attention only, and says how far off a value is at most."""
OTHERS = "names a program whose compilation has other weights"


def origin(model: Transformer, plan: object) -> str:
    """What a model that names a program was compiled from, or that it was not: its plan is () then."""
    program = model.program
    program = present(program)
    named = program.kind + (f", as in Theorem {program.theorem}" if program.theorem else "")
    return f"Compiled from {named}" if plan else f"The model {OTHERS} ({named})"


def plan_text(model: Transformer) -> str:
    """The plan as a table, or why there is none."""
    plan = model.plan
    if not plan:
        return f"No plan: the model {OTHERS}; symcook check compares the two."
    return "Plan\n" + table(HEADS[: len(plan[0])], plan)
