"""What a compiled model should answer: its program, interpreted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from symcook.spec.fold import Fold

if TYPE_CHECKING:
    from symcook.model.transformer import Program


def reference(program: Program) -> Callable[[Sequence[str]], list[Any]]:
    """The function of words that the program says, with an answer for each position; the reference of ``check``."""
    from symcook.programs.reading import formula_of
    from symcook.spec.logic import answers, fold

    formula = formula_of(program)
    return fold(formula) or (lambda word: answers(formula, word))


def refuse_uncovered(program: Program, word: Sequence[str]) -> None:
    """Raise BadInput for a word of which a program does not say what it answers: a count is longer than its TABLE."""
    from symcook.programs.reading import formula_of
    from symcook.spec.logic import truths

    if "TABLE" in program.source:
        formula = formula_of(program)
        if any(line.op == "table" for line in formula.lines):
            truths(formula, word)


def language(program: Program) -> Fold:
    """What the program answers at the last position, for every word: the reference of ``decide``."""
    from symcook.programs.reading import formula_of
    from symcook.spec.logic import language

    _answers_words(program)
    return language(formula_of(program))


def _answers_words(program: Program) -> None:
    """BadInput for a machine, whose model does not answer a word but goes on behind it."""
    if program.kind == "tm":
        must = "a model that is compared on words must answer them"
        raise BadInput(must, "the decoder of a Turing machine", "run it: symcook run FILE --input W --steps T")
