"""Symbols and labels, written as a statement has them; and terms and formulas of statements, read to be drawn."""

from __future__ import annotations

import re

from symcook.errors import BadInput, Undecided
from symcook.model import expr
from symcook.model.expr import Tree

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


_STAGE = r"@[0-9]+(?:\.[a-z]+)?"
_FOREIGN = re.compile(rf"(?:\"[^\"]*\"|'[^']*')(?:{_STAGE})?|\w+{_STAGE}|(?=\w*[^\W\x00-\x7f])\w+")
"""A name that a statement may have and the grammar has not: in quotes, with a stage, or with other letters."""


def read(text: str) -> Tree:
    """The tree of a term or formula of a statement, to draw or write it: quoted symbols and names with a stage are
    names in it, and the words of statements are calls.

    >>> read('count("(", i)/n')
    ('/', ('call', 'count', (('name', '"("'), ('name', 'i'))), ('name', 'n'))

    Raises BadInput for a text that is neither.
    """
    foreign = list(dict.fromkeys(_FOREIGN.findall(text)))
    stem = next(stem for stem in (f"q{'_' * k}" for k in range(len(text) + 1)) if stem not in text)
    plain = _FOREIGN.sub(lambda match: f"{stem}{foreign.index(match[0])}_", text)
    names = {f"{stem}{number}_": name for number, name in enumerate(foreign)}

    def put(tree: Tree) -> Tree:
        """The tree with the names of the statement."""
        return tuple(put(x) if isinstance(x, tuple) else names.get(x, x) if isinstance(x, str) else x for x in tree)

    try:
        return put(expr.parse_term(plain, expr.MAX_STATEMENT))
    except BadInput:
        return put(expr.parse_formula(plain))
