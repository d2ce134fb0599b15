"""The program of a compiled model, read again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symcook.programs import FORMULAS
from symcook.programs.reading import formula_of
from symcook.programs.running import program_table
from symcook.programs.srasp_reading import read_srasp
from symcook.programs.turing import read_turing

if TYPE_CHECKING:
    from symcook.model.transformer import Program
    from symcook.programs.automata import AutomatonTable
    from symcook.programs.formula import Formula
    from symcook.programs.srasp import Srasp
    from symcook.programs.turing import TuringMachine


def read(program: Program) -> Formula | Srasp | AutomatonTable | TuringMachine:
    """The program that a model was compiled from; BadInput for a language or a theorem that is not known."""
    if program.kind in FORMULAS:
        return formula_of(program)
    if program.kind == "dfa":
        return program_table(program)
    return read_turing(program.source) if program.kind == "tm" else read_srasp(program.source, program.alphabet)
