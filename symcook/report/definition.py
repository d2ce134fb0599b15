"""A family as a paper would define it: sizes, tables, the residual stream, embedding, heads with their queries, keys,
mask, weighting and values, feed-forward parts, readout, and what is assumed; as text and as LaTeX.

No proof depends on this text: theorems are about the equations of `symcook.proof.familyrel`.
"""

from __future__ import annotations

import re
import string
import textwrap
from collections.abc import Collection, Iterable, Sequence
from itertools import chain
from typing import Any

from symcook.errors import BadInput
from symcook.model.expr import parse_formula, show
from symcook.model.family import Family
from symcook.proof.familyrel import FamilyRelation
from symcook.report.construction import construction
from symcook.report.document import WIDE, room
from symcook.report.inline import inline
from symcook.report.latex import MOST, formula_rows
from symcook.report.latex import latex as typeset
from symcook.report.markup import described
from symcook.report.saying import SIGNS, DefinitionRow, Said, Section, listed
from symcook.report.terms import prose
from symcook.report.theorems import Theorem
from symcook.report.where import WORDS, where

Proved = Sequence[Theorem]
"""The theorems about a family that its definition lists."""
LOGIC = {
    " & ": "F & G: both hold",
    r" \| ": "F | G: at least one holds",
    "~": "~F: F does not hold",
    "(?<!<)-> ": "F -> G: if F, then G",
    "<-> ": "F <-> G: one holds exactly where the other does",
    "!=": "!= is not equal",
    r"\ball \w+( in|:)": "all x in a..b. F: F for each integer x from a to b",
    r"\bex \w+( in|:)": "ex x in a..b. F: F for at least one of them",
    r":Int\b": "x:Int is an integer",
    r":Real\b": "x:Real a real number",
    r"->(Int|Real)": "x:Int*Int->Real a real number for each two integers",
}
"""{pattern of a logical sign in the text: its explanation}. LaTeX needs no explanation: it has the usual signs."""
LABEL = 13
"""The width of the column of labels, in characters."""
KEPT = 50
"""A bracket shorter than this is not broken over two lines."""


def text(family: Family, proved: Proved = ()) -> str:
    """The definition of a family as ``symcook show FAMILY`` prints it, with the theorems `proved`."""
    lines = list[str]()
    for section in _signed(sections(family, proved)):
        lines += ["", section.title, *chain.from_iterable(map(_lines, section.rows))]
    return "\n".join([*textwrap.wrap(_title(family), room(WIDE), break_on_hyphens=False), *lines])


def latex(family: Family, proved: Proved = (), document: bool = False) -> str:
    """The same in LaTeX, with `document` a complete document."""
    described_sections = list[tuple[str, list[tuple[str, str]]]]()
    drawn = _Drawn(family, proved)
    for section in sections(family, proved):
        items = list[tuple[str, str]]()
        # A row without a label continues the item before it.
        for row in section.rows:
            if row.label or not items or row.depth < 0:
                items.append((drawn.label(row), drawn.row(row)))
            else:
                label, before = items[-1]
                items[-1] = label, before + r" \\ " + r"\hspace*{2em}" * row.depth + drawn.row(row)
        described_sections.append((drawn.words(section.title), items))
    return described(drawn.words(_title(family)), described_sections, document)


def document(family: Family, proved: Proved = ()) -> dict[str, object]:
    """The same as JSON, with the equations that theorems are about."""
    relation = FamilyRelation(family)
    return {
        "family": family.name,
        "summary": family.summary,
        "source": family.source,
        "choices": {key: {"shown": family.chosen[key], "among": list(many)} for key, many in family.choices.items()},
        "definition": {
            section.title: [" ".join(filter(None, (_written([row.label]), _written(row.said)))) for row in section.rows]
            for section in _signed(sections(family, proved))
        },
        "premises": relation.premises(),
        "equations": relation.whole.parts,
    }


def sections(family: Family, proved: Proved = ()) -> list[Section]:
    """The construction, the theorems about the family, and what the functions and words of these theorems mean."""
    title = "Proved, for all parameter values (symcook prove ID replays the proof and shows the statement in full)"
    rows = tuple(chain.from_iterable(map(_proved, proved)))
    return [
        *construction(family),
        *([Section(title, rows)] if rows else []),
        *([Section("Where", meant)] if (meant := tuple(where(family, proved))) else []),
    ]


def _signed(unsigned: Sequence[Section]) -> list[Section]:
    """The sections, with a last row under the residual stream that explains the logical signs in them."""
    printed = "\n".join(_written((row.label, *row.said)) for section in unsigned for row in section.rows)
    meanings = [meaning for sign, meaning in LOGIC.items() if re.search(sign, printed)]
    row = DefinitionRow("signs", ("; ".join(meanings),))
    return [
        Section(section.title, (*section.rows, row)) if meanings and section.title == "Residual stream" else section
        for section in unsigned
    ]


def _proved(theorem: Theorem) -> list[DefinitionRow]:
    """The rows of a theorem: its ids with its statement, and the hypotheses that only its other parts need."""
    over = listed([[("member", name, _sort(sort))] for name, sort in theorem.over], ", ")
    hypotheses = listed([[_formula(text)] for text in theorem.given], "; ")
    statement: list[Said] = [
        *(["for all ", *over, ": "] if over else []),
        *(["if ", *hypotheses, ": "] if hypotheses else []),
    ]
    also = f"; the same under more hypotheses: {', '.join(theorem.also)}" if theorem.also else ""
    rows = [DefinitionRow(", ".join(theorem.ids), (*statement, _formula(theorem.says), also), -1)]
    if theorem.further:  # hypotheses of other parts of the statement: this conclusion does not need them
        further_hypotheses = listed([[_formula(text)] for text in theorem.further], "; ")
        rows.append(
            DefinitionRow(
                "", ("its other parts are about names of their own, of which it supposes ", *further_hypotheses), -1
            )
        )
    return rows


def _sort(text: str) -> Any:
    """A sort as it is in a ("member", name, sort) tree: its name, or ("fun", arguments, value)."""
    arguments, arrow, value = text.rpartition("->")
    return ("fun", tuple(arguments.split("*")), value) if arrow else value


def _formula(text: str) -> Said:
    """The formula as a tree; the text itself if the grammar does not have it."""
    try:
        return parse_formula(text)
    except BadInput:
        return text


# --- lines ---


def _title(family: Family) -> str:
    """The name of the family, what it is, and its source."""
    return f"{family.name}: {family.summary or 'a family of models'}" + f" ({family.source})" * bool(family.source)


def _written(said: Iterable[Said]) -> str:
    """The text of the pieces of a row."""
    return "".join(_word(part) for part in said)


def _word(piece: Said) -> str:
    """One piece of a row as text."""
    if isinstance(piece, str):
        return piece
    if piece[0] == "member":
        sort = piece[2] if isinstance(piece[2], str) else f"{'*'.join(piece[2][1])}->{piece[2][2]}"
        return f"{piece[1]}:{sort}"
    return SIGNS[piece[1]][0] if piece[0] == "sign" else prose(piece)


def _lines(row: DefinitionRow) -> list[str]:
    """The lines of a row. No line is broken within a formula or a bracket that is shorter than KEPT."""
    # A blank at which no line may be broken is written \0 until the text is wrapped. First those within short formulas.
    label = row.label if isinstance(row.label, str) else show(row.label)
    pieces = (word.replace(" ", "\0") if len(word) < KEPT and not isinstance(part, str) else word
             for part in row.said for word in [_word(part)])  # fmt: skip
    # Then the blanks of short brackets: `opened` has the places of the brackets that are not closed yet.
    line_text, opened, brackets = "".join(pieces), list[int](), list[tuple[int, int]]()
    for place, sign in enumerate(line_text):
        if sign in "([":
            opened.append(place)
        elif sign in ")]" and opened and place - (start := opened.pop()) < KEPT:
            brackets.append((start, place))
    characters = list(line_text)
    for start, end in brackets:
        characters[start:end] = [c.replace(" ", "\0") for c in characters[start:end]]
    protected, depth = "".join(characters), "  " * row.depth
    # The label in its column and the text next to it; at depth -1 the text goes over the whole width.
    if row.depth < 0:
        first, later = f"  {label}: " if label else "    ", " " * 6
    else:
        first = f"  {depth}{label} ".ljust(LABEL + 2) if label else " " * (LABEL + 2) + depth
        later = " " * (LABEL + 4) + ("" if label else depth)
    options: dict[str, Any] = {"break_on_hyphens": False, "break_long_words": False}
    return [
        line.replace("\0", " ")
        for line in textwrap.wrap(first + protected, room(WIDE), subsequent_indent=later, **options)
    ]


class _Drawn:
    """Rows in LaTeX: names in sentences are set as mathematics, equations large, and long formulas on several lines."""

    def __init__(self, family: Family, proved: Proved) -> None:
        # The names of the family itself; the names that are set as formulas in a sentence; and the names of functions
        # that theorems define, which are set upright.
        self.own = {*family.sizes, *family.tables, *family.space}
        self.names: Collection[str] = {*self.own, *string.ascii_letters}
        self.known = {"LN", *WORDS, *(name for theorem in proved for name in theorem.known)} - self.own

    def words(self, text: str) -> str:
        """Words in which the names of the family are set as formulas."""
        return inline(text, self.names)

    def label(self, row: DefinitionRow) -> str:
        """The label of a row, as words or as a formula."""
        return self.words(row.label) if isinstance(row.label, str) else f"${typeset(row.label, self.known, self.own)}$"

    def row(self, row: DefinitionRow) -> str:
        """What a row says, as LaTeX in text mode."""
        # Equations are set large: sums and fractions have room in them.
        large = row.label == "score" or any(part in (("sign", ":="), ("sign", "+=")) for part in row.said)
        start = r"$\displaystyle " if large else "$"
        out = ""
        for part in row.said:
            if isinstance(part, str):
                out += self.words(part)
            elif part[0] == "sign":
                # Between two formulas a sign has an operand; after words it needs {} in its place.
                out += f"{start}{'' if out.endswith('$') else '{}'}{SIGNS[part[1]][1]}$"
            else:
                formula = typeset(part, self.known, self.own)
                rows = formula_rows(part, self.known, self.own) if len(formula) > MOST else [formula]
                out += r" \\ ".join(f"{start}{text}$" for text in rows)
        return out.replace(f"${start}", "")  # adjacent formulas, "$" and `start` next to each other, become one
