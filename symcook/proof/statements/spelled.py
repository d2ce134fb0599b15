"""Letters and labels as a sentence has them."""

from __future__ import annotations

import re

from symcook.errors import Undecided
from symcook.model import expr

WORD = r"\w+"


def spelled(letter: str) -> str:
    """A letter or label in a sentence: a name, else quoted."""
    if re.fullmatch(rf"(?!\d){WORD}", letter) and letter not in expr.KEYWORDS:
        return letter
    if '"' in letter and "'" in letter:
        raise Undecided(f"no proof is made of a formula with the symbol {letter}, which has both quotes")
    return f"'{letter}'" if '"' in letter else f'"{letter}"'
