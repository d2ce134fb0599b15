"""Symbols and labels, written as a statement has them."""

from __future__ import annotations

import re

from symcook.errors import Undecided
from symcook.model import expr

WORD = r"\w+"
"""The characters of a symbol that a statement can have without quotes, as a pattern."""


def bare(letter: str) -> bool:
    """Whether a statement can have a symbol or label without quotes."""
    return re.fullmatch(rf"(?!\d){WORD}", letter) is not None and letter not in expr.KEYWORDS


def quoted(letter: str) -> str:
    """The symbol or label in quotes. Undecided if it contains both kinds of quotes, or a character that a statement
    cannot have, such as a line end."""
    if ('"' in letter and "'" in letter) or not letter.isprintable():
        why = "which has both quotes" if letter.isprintable() else "since not all of its characters can be printed"
        raise Undecided(f"no formula is made with the symbol {letter!r}, {why}")
    return f"'{letter}'" if '"' in letter else f'"{letter}"'


def spelled(letter: str) -> str:
    """The text of a symbol or label in a statement: as it is if it reads as a name, else in quotes; Undecided as
    `quoted` says."""
    return letter if bare(letter) else quoted(letter)
