"""Regular expressions as automata (`symcook.programs.regular` has the syntax)."""

from __future__ import annotations

from collections.abc import Sequence

from symcook.decide.automata import Automaton
from symcook.programs.regular import regular_table


def regular(text: str, alphabet: Sequence[str]) -> Automaton:
    """The minimal automaton of a regular expression; BadInput where it is none, with the place.

    >>> regular(r"(\\(\\))*", "()")("()()"), regular("a(b|c)+", "abc").counts(3)
    (True, [0, 0, 2, 4])
    """
    return Automaton(*regular_table(text, alphabet))
