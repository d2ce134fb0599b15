"""A family as a paper would define it: sizes, tables, the residual stream, embedding, heads with their queries, keys,
mask, weighting and values, feed-forward parts, readout, and what is assumed; as text and as LaTeX.

Nothing rests on it: what theorems speak of are the equations of `symcook.proof.familyrel`.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

from symcook.errors import BadInput
from symcook.model.expr import parse_formula, show
from symcook.model.family import Family
from symcook.proof.familyrel import FamilyRelation
from symcook.report.construction import SIGNS, DefinitionRow, Said, Section, construction, listed
from symcook.report.document import WIDE, room
from symcook.report.latex import latex as typeset
from symcook.report.markup import described, escaped
from symcook.report.terms import prose

Proved = Sequence[tuple[str, Sequence[str], str]]
"""Theorems: the names of a statement, its hypotheses, what it says of a run."""
LABEL, KEPT = 13, 50
"""The width of labels, and the length of a bracket that is not broken."""


def text(family: Family, proved: Proved = ()) -> str:
    """What ``symcook show FAMILY`` prints; `proved` are theorems with what they say."""
    lines = list[str]()
    for section in sections(family, proved):
        lines += ["", section.title, *chain.from_iterable(map(_lines, section.rows))]
    return "\n".join([*textwrap.wrap(_title(family), room(WIDE)), *lines])


def latex(family: Family, proved: Proved = (), document: bool = False) -> str:
    """The same in LaTeX, with `document` a complete document."""
    shown = list[tuple[str, list[tuple[str, str]]]]()
    for section in sections(family, proved):
        items = list[tuple[str, str]]()
        for row in section.rows:
            if row.label or not items:
                label = escaped(row.label) if isinstance(row.label, str) else f"${typeset(row.label)}$"
                items.append((label, _mathematics(row)))
            else:
                label, before = items[-1]
                items[-1] = label, before + r" \\ " + r"\hspace*{2em}" * row.depth + _mathematics(row)
        shown.append((section.title, items))
    return described(_title(family), shown, document)


def document(family: Family, proved: Proved = ()) -> dict[str, object]:
    """The same as JSON, with the equations that theorems are about."""
    relation = FamilyRelation(family)
    return {
        "family": family.name,
        "summary": family.summary,
        "source": family.source,
        "choices": {key: {"shown": family.chosen[key], "among": list(many)} for key, many in family.choices.items()},
        "definition": {
            one.title: [" ".join(filter(None, (_written([row.label]), _written(row.said)))) for row in one.rows]
            for one in sections(family, proved)
        },
        "premises": relation.premises(),
        "equations": [*dict.fromkeys(relation.needed), *relation.equations, *relation.positive],
    }


def sections(family: Family, proved: Proved = ()) -> list[Section]:
    """The construction, and what is proved of it."""
    rows = tuple(_proved(*one) for one in proved)
    title = "Proved, for all sizes and tables (symcook prove ID: the statement in full, with its definitions)"
    return [*construction(family), *([Section(title, rows)] if rows else [])]


def _proved(name: str, hypotheses: Sequence[str], says: str) -> DefinitionRow:
    given = listed([[_formula(one)] for one in hypotheses], "; ")
    note = " (g_x is the family's x)" if re.search(r"\bg_\w", says) else ""
    return DefinitionRow(name, (*(["if ", *given, ": "] if given else []), _formula(says), note), -1)


def _formula(text: str) -> Said:
    try:
        return parse_formula(text)
    except BadInput:
        return text


# --- lines ---


def _title(family: Family) -> str:
    return f"{family.name}: {family.summary or 'a family of models'}" + f" ({family.source})" * bool(family.source)


def _written(said: Iterable[Said]) -> str:
    return "".join(_word(one) for one in said)


def _word(one: Said) -> str:
    if isinstance(one, str):
        return one
    return SIGNS[one[1]][0] if one[0] == "sign" else prose(one)


def _lines(row: DefinitionRow) -> list[str]:
    """A row of the text, in which short brackets stay on a line."""
    label = row.label if isinstance(row.label, str) else show(row.label)
    short = (word.replace(" ", "\0") if len(word) < KEPT and not isinstance(one, str) else word
             for one in row.said for word in [_word(one)])  # fmt: skip
    whole, opened, held = "".join(short), list[int](), list[tuple[int, int]]()
    for place, sign in enumerate(whole):
        if sign in "([":
            opened.append(place)
        elif sign in ")]" and opened and place - (start := opened.pop()) < KEPT:
            held.append((start, place))
    kept = list(whole)
    for start, end in held:
        kept[start:end] = [c.replace(" ", "\0") for c in kept[start:end]]
    if row.depth < 0:  # across the labels
        return textwrap.wrap(
            f"{label}: {_written(row.said)}", room(WIDE), initial_indent="  ", subsequent_indent="      "
        )
    depth = "  " * row.depth
    first = f"  {depth}{label}".ljust(LABEL + 2) if label else " " * (LABEL + 2) + depth
    later = " " * (LABEL + 4) + ("" if label else depth)
    how: dict[str, Any] = {"break_on_hyphens": False, "break_long_words": False}
    lines = textwrap.wrap(first + "".join(kept), room(WIDE), subsequent_indent=later, **how)
    return [line.replace("\0", " ") for line in lines]


def _mathematics(row: DefinitionRow) -> str:
    """A row as text with formulas; an equation is drawn large."""
    equation = row.label == "score" or any(one in (("sign", ":="), ("sign", "+=")) for one in row.said)
    start = r"$\displaystyle " if equation else "$"
    out = ""
    for one in row.said:
        drawn = SIGNS[one[1]][1] if not isinstance(one, str) and one[0] == "sign" else ""
        out += escaped(one) if isinstance(one, str) else f"{start}{drawn or typeset(one)}$"
    return out.replace(f"${start}", "")
