"""Read the program that a model file names (`Transformer.program`), and check its tokens."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from symcook.errors import BadInput, require_known
from symcook.programs import ATTENTIONS, AUTOMATA, FORMULAS, LANGUAGES, MACHINES
from symcook.programs.automata import Automaton
from symcook.programs.reading import formula_of
from symcook.programs.running import program_table, tokens_of
from symcook.programs.srasp_reading import read_srasp
from symcook.programs.steps import START, ahead_labels, labels, table_labels
from symcook.programs.turing import TuringMachine, read_turing

if TYPE_CHECKING:
    from symcook.model.transformer import Program
    from symcook.programs.formula import Formula
    from symcook.programs.srasp import Srasp


def read(program: Program) -> Formula | Srasp | Automaton | TuringMachine:
    """The program that a model was compiled from. BadInput for an unknown language, an unknown theorem of a formula,
    and a source that cannot be read."""
    require_known("language of a program", program.kind, LANGUAGES)
    if program.kind in FORMULAS:
        return formula_of(program)
    if program.kind == "dfa":
        return program_table(program)
    return read_turing(program.source) if program.kind == "tm" else read_srasp(program.source, program.alphabet)


def fitting(program: Program, tokens: Collection[str]) -> None:
    """Raise BadInput if no model with these tokens can be compiled from a program: the program cannot be read, or its
    model has other tokens. The weights are not checked here (see `symcook.compilers.genuine`)."""
    source_read = read(program)
    require_known("attention of a program", program.attention, ATTENTIONS)
    # Reject a theorem or an attention that the language does not have.
    theorem_of_kind = {"dfa": AUTOMATA, "tm": MACHINES}.get(program.kind, "")
    if program.theorem and (program.kind not in FORMULAS or program.attention) and program.theorem != theorem_of_kind:
        must = "a program that names a theorem must be of the theorem's kind, with the attention of its construction"
        raise BadInput(
            must, f"theorem {program.theorem}, {program.attention or program.kind}", "compile the program again"
        )
    if program.attention and program.kind not in FORMULAS:
        raise BadInput("a program with softmax attention must be a formula", program.kind, "compile the program again")
    # The tokens of the compiled model. A decoder without $ before the string does not have $; a decoder of --theorem 2
    # then has other labels of rows.
    expected_tokens: Collection[str] = program.alphabet
    if isinstance(source_read, Automaton):
        expected_tokens = tokens_of(source_read)
        expected_tokens = expected_tokens if expected_tokens[0] in tokens else expected_tokens[1:]
    elif isinstance(source_read, TuringMachine) and program.theorem:
        expected_tokens = table_labels(source_read)
        # The first row's label distinguishes the two: a decoder without $ has rows that read ahead.
        expected_tokens = (
            expected_tokens if expected_tokens[1 + len(source_read.input)] in tokens else ahead_labels(source_read)
        )
    elif isinstance(source_read, TuringMachine):
        expected_tokens = (*(START,) * (START in tokens), *source_read.input, *labels(source_read).values())
    mismatched = [
        *(token for token in expected_tokens if token not in tokens),
        *(token for token in tokens if token not in expected_tokens),
    ]
    if mismatched:
        raise BadInput(
            "the alphabet of a compiled model must be that of its program", mismatched[0], "compile the program again"
        )
    if isinstance(source_read, TuringMachine):
        wrong = {*program.alphabet} ^ {*(source_read.input if program.theorem else expected_tokens)}
        if wrong:
            must = "a Turing machine's program must have the alphabet of its compiler"
            raise BadInput(must, min(wrong), "compile the program again")
