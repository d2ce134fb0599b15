"""Programs that a decoder runs step by step: how to read them, which tokens they have, and how tokens are shown."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING

from symcook.errors import BadInput
from symcook.programs.automata import Automaton, read_table
from symcook.programs.formula import alphabet_of
from symcook.programs.regular import letters_of, regular_table
from symcook.programs.speech import Speech

if TYPE_CHECKING:
    from symcook.model.transformer import Program, Transformer

START, VERDICTS = "$", ("no", "yes")
"""Tokens of a decoder of an automaton: the one before the input, and those after the states that it outputs."""


def tokens_of(table: Automaton) -> tuple[str, ...]:
    """The tokens of a decoder of an automaton in the order of their numbers: `START`, letters, states, `VERDICTS`.

    All are different. Letters keep their names. Any other token is renamed if its name is taken; a state also if its
    name has spaces or unprintable characters. Decoding shows the names in the file (`automaton_speech`).
    """
    names_made = dict.fromkeys(table.alphabet)

    def fresh(name: str, instead: str) -> str:
        """A name that is not taken: `name`, or `instead` if that cannot be a token, with primes if necessary."""
        candidate = name if name.split() == [name] and name.isprintable() else instead
        while candidate in names_made:
            candidate += "'"
        names_made[candidate] = None
        return candidate

    start = fresh(START, START)
    states = [fresh(name, f"q{number}") for number, name in enumerate(table.names)]
    return (start, *table.alphabet, *states, *(fresh(word, word) for word in VERDICTS))


def program_table(program: Program) -> Automaton:
    """The automaton that a model was compiled from."""
    return read_source(program.source, program.alphabet)


def read_source(source: str, alphabet: str | Sequence[str] | None = None, name: str = "the text") -> Automaton:
    """The automaton of a program: JSON if the text begins with {, else a regular expression, whose states are called
    q0, q1, ... BadInput if it is neither, if the automaton does not answer true or false in every state, or if
    `alphabet` has other letters. Without `alphabet` an expression must be in one piece, since it is read letter by
    letter."""
    letters = None if alphabet is None else alphabet_of(alphabet)
    if source.lstrip()[:1] == "{":
        table = read_table(source, name)
        if not all(answer in (True, False) for answer in table.answers):
            raise BadInput("an automaton that is compiled must accept or reject", "answers", "give final_states")
        return table if letters is None else table.over(letters)
    if letters is None:
        letters = letters_of(source)
        if not letters:
            must = "an expression without symbols must have an alphabet"
            raise BadInput(must, source or "nothing", "give the alphabet, for example --alphabet ab")
        if len(source.split()) > 1:
            must = "an expression with blanks or line ends must have an alphabet"
            raise BadInput(must, source, f'give the alphabet, for example --alphabet "{" ".join(letters)}"')
    return regular_table(source, letters)


def automaton_speech(program: Program) -> Speech:
    """How the tokens of a decoder of an automaton are shown: states by their names in the file, then yes or no."""
    table = program_table(program)
    tokens = tokens_of(table)[1 + len(table.alphabet) :]
    names = dict(zip(tokens, (*table.names, *VERDICTS), strict=True))
    return Speech(table.alphabet, names, frozenset(tokens[-2:]), verdict=True)


def decodes(model: Transformer) -> bool:
    """Whether a model was compiled from an automaton or a Turing machine, so that it outputs a run."""
    return model.program is not None and model.program.kind in ("dfa", "tm")


def speech_of(model: Transformer) -> Speech:
    """How the tokens of a model are shown. For a compiled decoder the program determines it; for any other model, a
    label that is not an input symbol ends a run."""
    program = model.program
    if program is not None and program.kind == "tm":
        from symcook.programs.steps import END, ahead_labels, labels, table_labels, table_symbols
        from symcook.programs.turing import read_turing

        machine = read_turing(program.source)
        if program.theorem:
            labels_all = table_labels(machine) if model.embedding.added else ahead_labels(machine)
            names, puts = labels_all[1 + len(machine.input) :], table_symbols(machine)
            output_symbols = dict(zip(names[-len(puts) :], puts, strict=True))
            named, ends = {name: name for name in names}, frozenset({f"={machine.blank}"})
            return Speech(machine.input, named, ends, puts=output_symbols, symbols=machine.symbols)
        return Speech(machine.input, {name: name for name in labels(machine).values()}, frozenset({END}))
    if program is not None and program.kind == "dfa":
        return automaton_speech(program)
    answers = frozenset(map(",".join, product(*model.readout.parts)))
    return Speech(model.alphabet, ends=answers - frozenset(model.alphabet))
