"""Symbols and labels, written as a statement has them."""

from __future__ import annotations

import re

from symcook.errors import Undecided
from symcook.model import expr

WORD = r"\w+"
"""The characters of a symbol that a statement can have without quotes, as a pattern."""


def spelled(letter: str) -> str:
    """The text of a symbol or label in a statement: as it is if it reads as a name, else in quotes. Undecided if it
    contains both kinds of quotes."""
    if re.fullmatch(rf"(?!\d){WORD}", letter) and letter not in expr.KEYWORDS:
        return letter
    if '"' in letter and "'" in letter:
        raise Undecided(f"no proof is made of a formula with the symbol {letter}, which has both quotes")
    return f"'{letter}'" if '"' in letter else f'"{letter}"'
