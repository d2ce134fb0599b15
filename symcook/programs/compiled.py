"""The program of a compiled model, read again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symcook.programs.reading import formula_of
from symcook.programs.srasp_reading import read_srasp

if TYPE_CHECKING:
    from symcook.model.transformer import Program
    from symcook.programs.formula import Formula
    from symcook.programs.srasp import Srasp


def read(program: Program) -> Formula | Srasp:
    """The program that a model was compiled from; BadInput for a language or a theorem that is not known."""
    return read_srasp(program.source, program.alphabet) if program.kind == "srasp" else formula_of(program)
