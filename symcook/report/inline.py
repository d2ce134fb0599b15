"""Words in LaTeX whose formulas are set as such: "predicate f at p = n*(N + 1) + i"."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from symcook.errors import BadInput
from symcook.model.expr import ARITY, Tree, children, parse_formula, parse_term
from symcook.report.latex import latex
from symcook.report.markup import escaped

SIGN = re.compile(r"[A-Za-z]\w*|\d+|\.\.|<=|>=|!=|[-+*/^()=<>,]")
LISTS = re.compile(r", \.\., |\.\.")
WORD = re.compile(r"[A-Za-z]\w*")
POSITION = frozenset("ijnw")
BINDERS = frozenset(("sum", "prod"))
ARTICLES = ("a", "A", "I")
MOST = 40
"""How many signs a formula among words has at most."""


def inline(text: str, known: Collection[str]) -> str:
    """Words for text mode; `known` are the names that formulas among them may have.

    >>> print(inline("row r at p = n*(N + 1), or S + 1..S + R", {"r", "p", "N", "S", "R"}))
    row $r$ at $p = n\\,\\left(N + 1\\right)$, or $S + 1,\\dots,S + R$
    """
    signs, out, at, place = list(SIGN.finditer(text)), "", 0, 0
    while place < len(signs):
        formula = next(_formulas(text, signs[place:], {*known, *POSITION}), None)
        if formula is None:
            place += 1
            continue
        count, drawn = formula
        out += escaped(text[at : signs[place].start()]) + f"${drawn}$"
        place += count
        at = signs[place - 1].end()
    return out + escaped(text[at:])


def _formulas(text: str, signs: list[re.Match[str]], known: Collection[str]) -> Iterator[tuple[int, str]]:
    """The formulas that begin with the first of these signs, the longest first: how many signs, and LaTeX."""
    start, count = signs[0].start(), 1
    while count < min(len(signs), MOST) and not text[signs[count - 1].end() : signs[count].start()].strip(" "):
        count += 1
    # A letter or an apostrophe next to the first sign makes it part of a word.
    before, after = text[:start][-1:], text[signs[0].end() :][:1]
    if before.isalnum() or (before == "'" or after == "'"):
        return
    for k in range(count, 0, -1):
        end = signs[k - 1].end()
        candidate = text[start:end]
        drawn = None if candidate in ARTICLES or text[end : end + 1].isalnum() else _drawn(candidate, known)
        if drawn is not None:
            yield k, drawn


def _drawn(text: str, known: Collection[str]) -> str | None:
    """LaTeX of a formula with these names, of a list of such, of a > b or a >= b; None of anything else, and of a lone
    number or word."""
    for between, sign in ((LISTS, r",\dots,"), (re.compile(" >= "), r" \ge "), (re.compile(" > "), " > ")):
        parts = between.split(text)
        if len(parts) == 2 and all(parts):
            both = [_one(side, known) for side in parts]
            return None if None in both else sign.join(filter(None, both))
    if re.search(r"\w [-+]\S", text):  # a sign of a number, behind a word
        return None
    plain = re.fullmatch(r"[()]*(\d+|[A-Za-z]\w+)[()]*", text) and not re.fullmatch(r"[A-Za-z]_\w", text)
    return None if plain else _one(text, known)


def _one(text: str, known: Collection[str]) -> str | None:
    """LaTeX of one formula with known names, or of a name with an index such as d_k; else None."""
    if match := re.fullmatch(r"([A-Za-z])_(\w)", text):
        return f"{match[1]}_{{{match[2]}}}"
    if text.count("(") != text.count(")") or any(
        word not in known and word not in ARITY and word not in BINDERS for word in WORD.findall(text)
    ):
        return None  # as most texts are, and need not be read
    for read in (parse_term, parse_formula):
        try:
            tree = read(text)
        except BadInput:
            continue
        return latex(tree, (), known) if _words(tree) <= {*known} else None
    return None


def _words(tree: Tree) -> set[str]:
    """All names in a tree but those of known functions."""
    own = {tree[1]} if tree[0] in ("name", "call") and tree[1] not in ARITY else set[str]()
    return own.union(*map(_words, children(tree)))
