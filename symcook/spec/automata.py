"""What an automaton does on a word: its states by their names, walked one by one. Of the library it shares the reader
of tables alone."""

from __future__ import annotations

from collections.abc import Iterable

from symcook.programs.automata import Automaton
from symcook.spec.fold import Fold


def language(table: Automaton) -> Fold:
    """What an automaton answers to a string, as a reference whose states are its names."""
    rows = {
        name: dict(zip(table.alphabet, (table.names[to] for to in row), strict=True))
        for name, row in zip(table.names, table.moves, strict=True)
    }
    decides = table.decides
    answers = {name: a is True if decides else a for name, a in zip(table.names, table.answers, strict=True)}
    return Fold(table.names[0], lambda state, letter: rows[state][letter], lambda state: answers[state])


def tokens(table: Automaton, word: Iterable[str]) -> list[str]:
    """The tokens of its run: the states that a word goes through, the initial one first, and yes or no.

    >>> from symcook.programs.running import read_source
    >>> tokens(read_source("(aa)*"), "aaa")
    ['q0', 'q1', 'q0', 'q1', 'no']
    """
    fold = language(table)
    states = [fold.start]
    for letter in word:
        states.append(fold.step(states[-1], letter))
    return [*map(str, states), "yes" if fold.answer(states[-1]) else "no"]
