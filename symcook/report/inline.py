"""LaTeX of sentences with formulas in them, such as "predicate f at p = n*(N + 1) + i"."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from symcook.errors import BadInput
from symcook.model.expr import ARITY, Tree, children, parse_formula, parse_term
from symcook.report.latex import latex
from symcook.report.markup import escaped

SIGN = re.compile(r"[A-Za-z]\w*|\d+|\.\.|<=|>=|!=|[-+*/^()=<>,]")
"""A token of a formula: a name, a number or an operator."""
LISTS = re.compile(r", \.\., |\.\.")
"""What separates the ends of a range or of a list: "1..n", "1, .., n"."""
WORD = re.compile(r"[A-Za-z]\w*")
POSITION = frozenset("ijnw")
"""The names that every formula may have: positions i and j, the length n and the string w."""
BINDERS = frozenset(("sum", "prod"))
ARTICLES = ("a", "A", "I")
"""Letters that are words of English when alone."""
MOST = 40
"""The greatest number of tokens of a formula in a sentence."""


def inline(text: str, known: Collection[str]) -> str:
    """The sentence `text` as LaTeX in text mode; formulas in it may have the names `known`.

    >>> print(inline("row r at p = n*(N + 1), or S + 1..S + R", {"r", "p", "N", "S", "R"}))
    row $r$ at $p = n\\,\\left(N + 1\\right)$, or $S + 1,\\dots,S + R$
    """
    # The longest formula that begins at a token is set as one; `written_to` is the end of the text that `out` has.
    signs, out, written_to, place = list(SIGN.finditer(text)), "", 0, 0
    while place < len(signs):
        formula = next(_formulas(text, signs[place:], {*known, *POSITION}), None)
        if formula is None:
            place += 1
            continue
        count, drawn = formula
        out += escaped(text[written_to : signs[place].start()]) + f"${drawn}$"
        place += count
        written_to = signs[place - 1].end()
    return out + escaped(text[written_to:])


def _formulas(text: str, signs: list[re.Match[str]], known: Collection[str]) -> Iterator[tuple[int, str]]:
    """The formulas that begin with the first token in `signs`, the longest first: (number of tokens, LaTeX)."""
    # The tokens that only blanks separate: a formula cannot go on after them.
    start, count = signs[0].start(), 1
    while count < min(len(signs), MOST) and not text[signs[count - 1].end() : signs[count].start()].strip(" "):
        count += 1
    # A letter or digit before the first token, or an apostrophe next to it, makes it part of a word.
    before, after = text[:start][-1:], text[signs[0].end() :][:1]
    if before.isalnum() or (before == "'" or after == "'"):
        return
    for k in range(count, 0, -1):
        end = signs[k - 1].end()
        candidate = text[start:end]
        drawn = None if candidate in ARTICLES or text[end : end + 1].isalnum() else _formula_latex(candidate, known)
        if drawn is not None:
            yield k, drawn


def _formula_latex(text: str, known: Collection[str]) -> str | None:
    """LaTeX of a formula, of a list of formulas "a, .., b" or "a..b", or of a > b or a >= b; else None.

    A lone number or word of several letters is left as text (None), and so is a word followed by a number with a sign.
    """
    for between, sign in ((LISTS, r",\dots,"), (re.compile(" >= "), r" \ge "), (re.compile(" > "), " > ")):
        parts = between.split(text)
        if len(parts) == 2 and all(parts):
            both = [_term_latex(side, known) for side in parts]
            return None if None in both else sign.join(filter(None, both))
    if re.search(r"\w [-+]\S", text):  # a word and then a number with a sign, such as "adds -1"
        return None
    plain = re.fullmatch(r"[()]*(\d+|[A-Za-z]\w+)[()]*", text) and not re.fullmatch(r"[A-Za-z]_\w", text)
    return None if plain else _term_latex(text, known)


def _term_latex(text: str, known: Collection[str]) -> str | None:
    """LaTeX of one formula with known names, or of a name with an index such as d_k; else None."""
    if match := re.fullmatch(r"([A-Za-z])_(\w)", text):
        return f"{match[1]}_{{{match[2]}}}"
    if text.count("(") != text.count(")") or any(
        word not in known and word not in ARITY and word not in BINDERS for word in WORD.findall(text)
    ):
        return None  # most texts have an unknown word: this test is faster than the parser
    for read in (parse_term, parse_formula):
        try:
            tree = read(text)
        except BadInput:
            continue
        return latex(tree, (), known) if _unknown_names(tree) <= {*known} else None
    return None


def _unknown_names(tree: Tree) -> set[str]:
    """All names in a tree except those of the grammar's functions."""
    own_name = {tree[1]} if tree[0] in ("name", "call") and tree[1] not in ARITY else set[str]()
    return own_name.union(*map(_unknown_names, children(tree)))
