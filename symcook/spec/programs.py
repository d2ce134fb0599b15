"""What a compiled model should answer: its program, interpreted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from symcook.errors import BadInput, require_known
from symcook.spec.fold import Fold

if TYPE_CHECKING:
    from symcook.model.transformer import Program


LANGUAGES = ("ltl", "count")
THEOREMS = ("15a", "15b", "16a", "16b")


def reference(program: Program) -> Callable[[Sequence[str]], list[Any]]:
    """The function of words that the program says, with an answer for each position; the reference of ``check``. Where
    the model is the construction of a theorem, an answer is the truth of each of its lines."""
    from symcook.programs.reading import read_formula
    from symcook.spec.logic import answers, fold

    require_known("language of a program", program.kind, LANGUAGES)
    formula = read_formula(program.source, program.alphabet, program.kind)
    if not program.theorem:
        return fold(formula) or (lambda word: answers(formula, word))
    if not program.plan:
        raise BadInput("the program of a theorem's construction must have its plan", "none", "compile it again")
    require_known("theorem", program.theorem, THEOREMS)
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
    """What the program answers at the last position, for every word: the reference of ``decide``."""
    from symcook.programs.reading import read_formula
    from symcook.spec.logic import language

    require_known("language of a program", program.kind, LANGUAGES)
    return language(read_formula(program.source, program.alphabet, program.kind))
