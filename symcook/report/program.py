"""The program that a compiled model names, as a report shows it, and the plan of its compilation.

A model that was changed after its compilation still names the program. Its plan is then empty.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from symcook.present import present
from symcook.report.document import table

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer

HEADS = ("coordinate", "written in", "holds", "budget")
"""The columns of a plan. Only plans for softmax attention have the last one: the largest error of the line's value."""
OTHERS = "names a program whose compilation has other weights"
"""The rest of a sentence that begins "The model", for a model whose weights are not those of its compiled program."""


def origin(model: Transformer, plan: object) -> str:
    """The program that the model was compiled from; if `plan` is empty, that the model has other weights."""
    program = model.program
    program = present(program)  # callers ask only for a model that names a program
    program_text = program.kind + (f", as in Theorem {program.theorem}" if program.theorem else "")
    return f"Compiled from {program_text}" if plan else f"The model {OTHERS} ({program_text})"


def plan_text(model: Transformer) -> str:
    """The plan as a table, or the reason why the model has none."""
    plan = model.plan
    if not plan:
        return f"No plan: the model {OTHERS}; symcook check compares the two."
    return "Plan\n" + table(HEADS[: len(plan[0])], plan)
