"""What a compiled model should answer: its program, interpreted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from symcook.errors import BadInput
from symcook.spec.fold import Fold

if TYPE_CHECKING:
    from symcook.model.transformer import Program


def reference(program: Program) -> Callable[[Sequence[str]], list[Any]]:
    """The function of words that the program says, with an answer for each position; the reference of ``check``. Where
    the model is the construction of a theorem, an answer is the truth of each of its lines."""
    from symcook.programs.reading import formula_of, read_formula
    from symcook.spec.logic import answers, fold

    if program.kind == "dfa":
        must = "a model that goes on by its own answers is checked by its tokens"
        raise BadInput(must, program.kind, "ask symcook.verify.decoded.check_decoded")
    formula = formula_of(program)
    if not program.theorem:
        return fold(formula) or (lambda word: answers(formula, word))
    if not program.plan:
        raise BadInput("the program of a theorem's construction must have its plan", "none", "compile it again")
    before, lines = "", {}
    for name, _, meaning in program.plan:
        before += f"let {name} = {meaning};"
        lines[name] = read_formula(before + name, program.alphabet)
    last = name

    def told(word: Sequence[str]) -> list[dict[str, int]]:
        rows = {name: answers(line, word) for name, line in lines.items()} | {last: answers(formula, word)}
        return [{name: int(row[i]) for name, row in rows.items()} for i in range(len(word))]

    return told


def language(program: Program) -> Fold:
    """What the program answers at the last position, or of an automaton whether it accepts, for every word: the
    reference of ``decide``."""
    if program.kind == "dfa":
        from symcook.programs.running import program_table
        from symcook.spec import automata

        return automata.language(program_table(program))
    from symcook.programs.reading import formula_of
    from symcook.spec.logic import language

    return language(formula_of(program))
