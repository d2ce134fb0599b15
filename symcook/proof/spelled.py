"""Letters and labels as a sentence has them."""

from __future__ import annotations

import re

from symcook.errors import Undecided
from symcook.model import expr

WORD = r"\w+"


def there(text: str, place: str, name: str = "i") -> str:
    """A term or formula in i at another place; it binds no name that is in `place`.

    >>> there("2*i + f(i)", "n - 1")
    '2*(n - 1) + f(n - 1)'
    """
    at = expr.parse_term(place)

    def walk(tree: expr.Tree) -> expr.Tree:
        if tree == ("name", name):
            return at
        return tuple(walk(part) if isinstance(part, tuple) else part for part in tree)

    read = expr.Reader(text, expr.MAX_STATEMENT).whole()
    return expr.show(walk(read))


def spelled(letter: str) -> str:
    """A letter or label in a sentence: a name, else quoted."""
    if re.fullmatch(rf"(?!\d){WORD}", letter) and letter not in expr.KEYWORDS:
        return letter
    if '"' in letter and "'" in letter:
        raise Undecided(f"no proof is made of a formula with the symbol {letter}, which has both quotes")
    return f"'{letter}'" if '"' in letter else f'"{letter}"'
