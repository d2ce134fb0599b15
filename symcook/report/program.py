"""The plan of a compiled model: what the compiler says of each coordinate, where the weights are the compiler's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symcook.report.document import table

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer

HEADS = ("coordinate", "written in", "holds", "budget")
"""The columns of a plan; the last stands with soft attention only, and says how far off a value is at most."""
OTHERS = "the weights are others than those that its program is compiled to"


def plan_of(model: Transformer) -> list[list[str]] | None:
    """The lines of the plan, made again by the compiler; None where the model is none of its making. What a file says
    in its plan is not asked."""
    from symcook.compilers import as_compiled

    made = as_compiled(model)
    return None if made is None or made.program is None else [list(line) for line in made.program.plan]


def plan_text(model: Transformer) -> str:
    """The plan as a table, or why there is none."""
    plan = plan_of(model)
    if plan is None:
        return f"No plan: {OTHERS}; symcook check compares the two."
    return "Plan\n" + table(HEADS[: len(plan[0])], plan)
