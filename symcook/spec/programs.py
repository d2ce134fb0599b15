"""The specification of a compiled model: its source program, interpreted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from symcook.errors import BadInput, require_known
from symcook.programs import FORMULAS, LANGUAGES
from symcook.programs.formula import COUNTING
from symcook.spec.fold import Fold

if TYPE_CHECKING:
    from symcook.model.transformer import Program
    from symcook.programs.automata import Automaton


def reference(program: Program) -> Callable[[Sequence[str]], list[Any]]:
    """The function that the program defines, from a string to an answer at each position: the specification for
    ``check``. It is a Fold if the program is a formula about the past without counts. Raises BadInput for an automaton
    and for a Turing machine, whose models are checked by their tokens."""
    from symcook.programs.reading import formula_of
    from symcook.spec.logic import Looking, answers, fold

    if program.kind == "srasp":
        from symcook.programs.srasp_reading import read_srasp
        from symcook.spec.srasp import Interpreted

        return Interpreted(read_srasp(program.source, program.alphabet))
    if program.kind in ("dfa", "tm"):
        must = "an autoregressive decoder must be checked by the tokens that it generates"
        raise BadInput(must, program.kind, "use symcook.verify.decoded.check_decoded")
    formula = formula_of(program)
    if any(line.op in COUNTING for line in formula.lines):
        return partial(answers, formula)
    # A formula about the past alone is a fold; `Looking` evaluates any other on the whole string.
    return fold(formula) or Looking(formula)


def refuse_uncovered(program: Program, word: Sequence[str]) -> None:
    """Raise BadInput for a string on which the program defines no answer, because a TABLE has no bit for a count or for
    the number of a position."""
    from symcook.programs.reading import formula_of
    from symcook.spec.logic import truths

    if program.kind in FORMULAS and "TABLE" in program.source:
        formula = formula_of(program)
        if any(line.op == "table" for line in formula.lines):
            truths(formula, word)  # evaluated only for the BadInput that it raises


def language(program: Program) -> Fold | Automaton:
    """The program's answer at the last position, or the answer of an automaton: the specification for ``decide``. A
    formula becomes the automaton of all its states that strings reach. Raises BadInput for a program of srasp, a Turing
    machine, and a formula with counts."""
    require_known("language of a program", program.kind, LANGUAGES)
    if program.kind == "dfa":
        from symcook.programs.running import program_table
        from symcook.spec import automata

        return automata.language(program_table(program))
    from symcook.programs.automata import reached
    from symcook.programs.reading import formula_of
    from symcook.spec.logic import language

    if program.kind not in FORMULAS:
        must, what = "a program that is decided must be a formula of ltl or an automaton", "a program of srasp"
        if program.kind == "tm":
            must, what = "a model that is decided on strings must answer them", "the decoder of a Turing machine"
        raise BadInput(must, what, "check compares the model with it on all strings up to a length")
    fold = language(formula_of(program))
    return reached(
        fold.start, lambda state: [fold.step(state, a) for a in program.alphabet], fold.answer, program.alphabet
    )
