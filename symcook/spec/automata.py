"""Reference of compiled automata: the automaton's run on a word, state by state. With the compiler it shares only the
parser of tables."""

from __future__ import annotations

from collections.abc import Iterable

from symcook.programs.automata import Automaton
from symcook.spec.fold import Fold


def language(table: Automaton) -> Fold:
    """The answer of an automaton to a string, as a fold whose states are the names of the automaton's states."""
    # By state, {symbol: the next state}.
    rows = {
        name: dict(zip(table.alphabet, (table.names[to] for to in row), strict=True))
        for name, row in zip(table.names, table.moves, strict=True)
    }
    decides = table.decides
    answers = {name: a is True if decides else a for name, a in zip(table.names, table.answers, strict=True)}
    return Fold(table.names[0], lambda state, letter: rows[state][letter], lambda state: answers[state])


def tokens(table: Automaton, word: Iterable[str]) -> list[str]:
    """The tokens of the automaton's run on a word: the states in order, from the initial state on, then yes or no.

    >>> from symcook.programs.running import read_source
    >>> tokens(read_source("(aa)*"), "aaa")
    ['q0', 'q1', 'q0', 'q1', 'no']
    """
    fold = language(table)
    states = [fold.start]
    for letter in word:
        states.append(fold.step(states[-1], letter))
    return [*map(str, states), "yes" if fold.answer(states[-1]) else "no"]
