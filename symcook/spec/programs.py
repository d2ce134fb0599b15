"""What a compiled model should answer: its program, interpreted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from symcook.errors import require_known

if TYPE_CHECKING:
    from symcook.model.transformer import Program


def reference(program: Program) -> Callable[[Sequence[str]], list[bool] | list[str]]:
    """The function of words that the program says, with an answer for each position; the reference of ``check``."""
    from symcook.programs.reading import read_formula
    from symcook.spec.logic import answers

    require_known("language of a program", program.kind, ("ltl",))
    formula = read_formula(program.source, program.alphabet)
    return lambda word: answers(formula, word)
