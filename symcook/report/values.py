"""Single values as a reader wants them: in words, in LaTeX, and near enough for a colour."""

from __future__ import annotations

import math
import re

from symcook.report.markup import Cell, words

MOST = 24
"""The characters that a cell of a large table shows; a longer value stands there by its first digits."""


def value_text(value: object) -> str:
    """One value as a reader wants it: a ball as mid ± rad, a float by its shortest text."""
    if isinstance(value, float) and math.isfinite(value):
        from symcook.model.rationals import rewritten

        return rewritten(repr(value))
    if isinstance(value, dict) and value.keys() == {"mid", "rad"}:
        return value["mid"] if value["rad"] == "0" else f"{value['mid']} ± {value['rad']}"
    if isinstance(value, dict):
        return "(" + ", ".join(f"{key} {value_text(item)}" for key, item in value.items()) + ")"
    if isinstance(value, bool):
        return "accept" if value else "reject"
    return "undecided" if value is None else str(value)


def value_latex(value: object) -> str:
    """The same in math mode: an exact value is a formula of the grammar, other numbers are decimals."""
    from symcook.errors import SymcookError
    from symcook.model.expr import parse_term
    from symcook.report.latex import latex

    text = value_text(value)
    if isinstance(value, str):
        try:
            return latex(parse_term(text))
        except SymcookError:  # a label
            return words(text)
    drawn = re.sub(r"e([+-]?[0-9]+)\b", lambda found: rf"\cdot 10^{{{int(found[1])}}}", text)
    plain = re.fullmatch(r"[-0-9.]+(\\cdot 10\^\{-?[0-9]+\})?( ± [0-9.]+(\\cdot 10\^\{-?[0-9]+\})?)?", drawn)
    return drawn.replace("±", r"\pm") if plain else words(text)


def near(value: object) -> float | None:
    """About how large a value is; None where it is no finite number. For colours and first digits only."""
    if isinstance(value, dict) and value.keys() == {"mid", "rad"}:
        found = float(value["mid"])
    elif isinstance(value, str):
        found = _evaluated(value)
    else:
        found = float(value) if isinstance(value, (int, float)) else math.nan
    return found if math.isfinite(found) else None


def _evaluated(text: str) -> float:
    import flint

    from symcook.errors import SymcookError
    from symcook.model.expr import parse_term
    from symcook.numbers.evaluate import evaluate

    try:
        with flint.ctx.workprec(64):
            return float(evaluate(parse_term(text)).mid())
    except SymcookError:
        return math.nan


def cell(value: object, most: int = MOST, shaded: bool = False) -> Cell:
    """A value in a cell of a table; one of more than `most` characters by its first digits, with the whole of it
    behind. A weight is shaded, and has at most three decimals."""
    text = value_text(value)
    about = near(value) if shaded or len(text) > most else None
    shade = (about or 0) if shaded else None
    if len(text) <= most or about is None:
        return Cell(text, shade=shade)
    digits = f"{about:.3f}".rstrip("0").rstrip(".") if shaded else f"{about:.4g}"
    return Cell(f"≈{digits}", text, shade)
