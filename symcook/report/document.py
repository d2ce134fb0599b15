"""Documents, tables and single values as commands print them.

An answer becomes a document: a title with lines of words, tables and sections below it. Only this module prints
documents as text, HTML and LaTeX. It also draws tables as plain text, and writes single values.
"""

from __future__ import annotations

import itertools
import math
import re
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from unicodedata import combining, east_asian_width

from symcook.locks import PRECISION
from symcook.report import markup
from symcook.report.markup import Display, TableCell, words

if TYPE_CHECKING:
    from symcook.model.answers import Several

VERDICTS = {True: "accept", False: "reject", None: "undecided"}
# The greatest numbers of characters in a line, where the terminal is not narrower.
LINE = 98
"""In a line of words."""
WIDTH = 100
"""In a line of a drawn table."""
WIDE = 118
"""In a line of a residual stream."""
# Other limits.
LONGEST = 2_000
"""The greatest number of characters of a number or formula that is shown in full, see `abridged`."""
NARROWEST = 8
"""The smallest width, in characters, to which a column is narrowed."""
MOST = 24
"""The greatest number of characters in a cell of a large table; of a longer value it shows the first digits."""
LINES = 40
"""The greatest number of lines in the repr of several answers."""
SENTENCE = re.compile(r"(?<=[\w)\]\"'][.])(?<!\bEq\.)(?<!\bal\.) +(?=[\"(]*[A-Z](?![(:*]))|(?<=;) +(?!\w+\.\w+\()")
"""The spaces at which `filled` begins a new line if the text needs several; a line of Python has none of them.

First alternative: spaces after the full stop of a sentence, but not after "Eq." or "al.", and before a word with a
capital letter, but not before a call, a label or a product. Second alternative: spaces after a semicolon, unless a call
such as sc.build( follows.
"""
RATIONAL = re.compile(r"(-?(?:0|[1-9][0-9]*))(?:/([1-9][0-9]*))?")
"""A rational number as the grammar writes it; groups: the numerator, the denominator."""
PAD = r"\phantom{:}"
"""LaTeX for the width of a colon: rows without a name have it, so that their cells are aligned with those of others."""
SCREEN: int | None = None
"""The characters in a line of the terminal, which a command sets when it prints to one. It is None for a file or a
pipe, so that the same answer gives the same file on every terminal."""


def room(most: int) -> int:
    """How many characters a line may have: `most`, or the width of the terminal where that is less."""
    return most if SCREEN is None else min(most, SCREEN)


def filled(text: str, indent: str = "", hang: str = "") -> str:
    """The text in lines of at most `LINE` characters, or fewer on a narrow terminal; a longer word has a line of its
    own. A text that needs several lines has a new line for each sentence.

    Each line begins with `indent`; all lines after the first have `hang` after it.
    """
    options: dict[str, Any] = {"break_on_hyphens": False, "break_long_words": False}
    line_width = room(LINE)
    sentences = SENTENCE.split(text) if len(text) > line_width else [text]
    lines: list[str] = []
    for sentence in sentences:
        line_start = indent + hang if lines else indent
        lines += textwrap.wrap(
            sentence, line_width, initial_indent=line_start, subsequent_indent=indent + hang, **options
        ) or [""]
    return "\n".join(lines)


@dataclass(frozen=True)
class PlainLines:
    """Lines of words, printed as they are. With `hang` each of them is a paragraph, which `text` breaks into lines; all
    lines of a paragraph after the first begin with `hang`."""

    lines: Sequence[str]
    hang: str | None = None

    def text(self, indent: str) -> str:
        if self.hang is None:
            return textwrap.indent("\n".join(self.lines), indent)
        return "\n".join(filled(line, indent, self.hang) for line in self.lines)

    def html(self) -> str:
        return markup.paragraph(*self.lines)

    def displays(self) -> list[Display]:
        return [Display(line) for line in self.lines]


def _plain(cell: str | TableCell) -> str:
    """The text of a cell."""
    return cell if isinstance(cell, str) else cell.text


def _tex(cell: str | TableCell) -> str:
    """The LaTeX of a cell."""
    return markup.words(cell) if isinstance(cell, str) else cell.tex or markup.words(cell.text)


@dataclass(frozen=True)
class Table:
    """Rows of cells under a header; in a table without a header, the first cell of a row is its name.

    With `width`, in characters, `text` breaks the cells of the last column so that lines are no longer, but leaves this
    column at least 24 characters. A table that `turns` is drawn with its rows as columns where the terminal is too
    narrow.
    """

    rows: Sequence[Sequence[str | TableCell]]
    header: Sequence[str] = ()
    width: int | None = None
    turns: bool = False

    def text(self, indent: str) -> str:
        """The table as plain text, with _ in the header written as a space."""
        all_rows = [[name.replace("_", " ") for name in self.header], *self.rows] if self.header else self.rows
        written = [list(map(_plain, row)) for row in all_rows]
        drawn = columns(written, indent, self.width)
        # More lines than rows: the terminal was too narrow, and cells were broken.
        if self.turns and SCREEN is not None and len(drawn.splitlines()) > len(written):
            return columns(list(zip(*written, strict=True)), indent)
        return drawn

    def html(self) -> str:
        return markup.table(self.header, self.rows, words=True)

    def formulas(self) -> list[str]:
        """One row of LaTeX for each row of the table."""
        cell_texts = [list(map(_tex, row)) for row in self.rows]
        if not self.header:
            separators = [":" if row[0] else PAD for row in self.rows]
            return [
                rf"{row[0]} &{separator}\quad " + r"\quad ".join(row[1:])
                for separator, row in zip(separators, cell_texts, strict=True)
            ]
        names = list(map(markup.words, self.header))
        return ["&" + r"\quad ".join(rf"{n} = {c}" for n, c in zip(names, row, strict=True)) for row in cell_texts]


@dataclass(frozen=True)
class Document:
    """A title and its parts; a part that is a document is a section. JSON is not made here: answers have `to_json`.

    `apart` separates the parts in plain text. With a `label`, and a table as the first part, the plain text is that
    table alone, without its header, under a first row (label, title).
    """

    title: str
    parts: Sequence[PlainLines | Table | Document] = ()
    apart: str = "\n"
    label: str = ""

    def text(self, indent: str = "") -> str:
        """For a terminal."""
        if self.label and isinstance(self.parts[0], Table):
            return Table([(self.label, self.title), *self.parts[0].rows]).text(indent)
        if not self.title:
            return self.apart.join(part.text(indent) for part in self.parts)
        return self.apart.join([indent + self.title, *(part.text(indent + "  ") for part in self.parts)])

    def html(self) -> str:
        """For a notebook or a page."""
        return markup.page(*self._drawn((self.title,) if self.title else ()))

    def _drawn(self, title: tuple[str, ...] = ()) -> list[str]:
        """The parts as HTML. The title is in bold, in one paragraph with the lines of words that follow it."""
        first_lines = tuple(self.parts[0].lines) if self.parts and isinstance(self.parts[0], PlainLines) else ()
        drawn = [markup.paragraph(*title, *first_lines, bold=bool(title))] if title or first_lines else []
        for part in self.parts[bool(first_lines) :]:
            drawn.append(markup.section(part.title, *part._drawn()) if isinstance(part, Document) else part.html())
        return drawn

    def displays(self) -> list[Display]:
        """For LaTeX."""
        result = [Display(self.title)]
        for part in self.parts:
            if isinstance(part, (PlainLines, Document)):
                result += part.displays()
            else:  # a table: its rows join the display before it
                result[-1] = Display(result[-1].heading, (*result[-1].rows, *part.formulas()))
        return [display for display in result if display.heading or display.rows]


@dataclass(frozen=True)
class Drawn:
    """An answer, such as a trace or a model, whose text, HTML and LaTeX are each drawn by a function of its own."""

    text: Callable[[], str]
    html: Callable[[], str]
    displays: Callable[[], list[Display]]


def abridged(text: str) -> str:
    """A number or formula; of one with more than `LONGEST` characters only the beginning and the end.

    >>> abridged("12"), abridged("7" * 2001)[55:]
    ('12', '77777 ... 777777777777777777777777777777 (2001 characters; --json, in Python to_json(), has all of it)')
    """
    if len(text) <= LONGEST:
        return text
    return f"{text[:60]} ... {text[-30:]} ({len(text)} characters; --json, in Python to_json(), has all of it)"


def table(header: Sequence[str], rows: Sequence[Sequence[str]], width: int | None = None) -> str:
    """Columns under a header and a rule, of at most `width` characters in a line (the terminal's, else `WIDTH`).

    >>> print(table(["x", "b1"], [["1", "0"]]))
      x   b1
     ────────
      1   0
    """
    return columns([header, *rows], "  ", width or SCREEN or WIDTH, every=True, rule=True)


def columns(
    rows: Iterable[Sequence[str]],
    indent: str = "",
    width: int | None = None,
    *,
    every: bool = False,
    rule: bool = False,
) -> str:
    """Left-aligned columns of plain text: all tables are drawn here.

    With `width` cells of the last column are broken into lines between words. With `every`, and on a terminal that is
    too narrow, cells of the widest columns are broken instead, inside words if need be. With `rule` a line is drawn
    under the first row.

    >>> print(columns([("a", "b"), ("long", "c")]))
    a     b
    long  c
    >>> print(columns([("a", "a line of some twenty words")], width=28))
    a  a line of some twenty
       words
    """
    # The widths of the columns: those of their longest cells, then narrowed to the available width.
    text_rows = [[str(cell) for cell in row] for row in rows]
    gap = "   " if rule else "  "
    widths = [max(map(cells, column)) for column in zip(*text_rows, strict=True)]
    if width is not None and not every:
        widths[-1] = max(24, width - len(indent) - sum(widths[:-1]) - len(gap) * len(widths[:-1]))
    limit = width if every else SCREEN
    if limit is not None:
        widths = _narrowed(widths, limit - len(indent) - len(gap) * (len(widths) - 1) - rule)
    # A row has as many lines as its highest cell.
    lines = []
    for number, row in enumerate(text_rows):
        cell_lines = [_cell_lines(cell, cell_width, every) for cell, cell_width in zip(row, widths, strict=True)]
        for line in itertools.zip_longest(*cell_lines, fillvalue=""):
            padded = (cell + " " * (cell_width - cells(cell)) for cell, cell_width in zip(line, widths, strict=True))
            lines.append((indent + gap.join(padded)).rstrip())
        if rule and number == 0:
            lines.append(indent[1:] + "─" * (sum(widths) + len(gap) * (len(widths) - 1) + 2))
    return "\n".join(lines)


def cells(text: str) -> int:
    """How many columns a text takes on a terminal: two for a wide character, none for a combining one.

    >>> cells("ab"), cells("日本"), cells("e\u0301")
    (2, 4, 1)
    """
    if text.isascii():
        return len(text)
    wide = sum(east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(map(bool, map(combining, text)))


def _narrowed(widths: list[int], most: int) -> list[int]:
    """The widths of columns, the largest reduced until the sum is at most `most`, or all are `NARROWEST` or less."""
    # Each round reduces all columns of the greatest width together: to the next width, or as far as is needed.
    widths = list(widths)
    while sum(widths) > most and max(widths) > NARROWEST:
        greatest = max(widths)
        widest = [column for column, width in enumerate(widths) if width == greatest]
        second_width = max([width for width in widths if width < greatest], default=0)
        new_width = max(second_width, NARROWEST, greatest - -(-(sum(widths) - most) // len(widest)))
        for column in widest:
            widths[column] = new_width
    return widths


def _cell_lines(cell: str, most: int, cut: bool) -> list[str]:
    """A cell as lines of at most `most` characters, broken between words. With `cut`, and on a terminal, a word that is
    longer than a line is broken too."""
    if cells(cell) <= most:
        return [cell]
    return textwrap.wrap(cell, most, break_long_words=cut or SCREEN is not None, break_on_hyphens=False) or [""]


def stream_table(stream: Mapping[str, Sequence[str]], start: int, width: int = WIDE) -> str:
    """A residual stream as a table: one line for each coordinate, one column for each position, counted from `start`.

    If the lines would be longer than `width`, the positions are split over several tables.

    >>> print(stream_table({"token": ["1", "-1"], "mean": ["1", "0"]}, 1))
      position  1  2
      token     1  -1
      mean      1  0
    """
    if not stream:
        return "  every coordinate is zero"
    positions = list(zip(*stream.values(), strict=True))
    tables: list[list[tuple[str, ...]]] = []
    remaining = 0  # the characters that are left in a line of the last table
    for position, column_texts in enumerate(positions, start):
        column = (str(position), *column_texts)
        needed = max(map(len, column)) + 2
        if not tables or needed > remaining:
            tables.append([("position", *stream)])
            remaining = width - max(map(len, tables[-1][0])) - 2
        tables[-1].append(column)
        remaining -= needed
    return "\n".join(columns(zip(*part, strict=True), "  ") for part in tables)


def wrapped(text: str, indent: str) -> list[str]:
    """Each line of the text, broken into lines of at most `WIDTH` characters, or fewer on a narrow terminal. The lines
    that continue one begin with `indent`."""
    options: dict[str, Any] = {"width": room(WIDTH), "subsequent_indent": indent, "break_on_hyphens": False}
    return [line for text_line in text.split("\n") for line in textwrap.wrap(text_line, **options) or [""]]


def value_text(value: object) -> str:
    """One value as text: a ball as mid ± rad, a float by the shortest decimal that gives it, a bool or None as a
    verdict, another dict as "(key value, ...)"."""
    if isinstance(value, float) and math.isfinite(value):
        from symcook.model.rationals import rewritten

        return rewritten(repr(value))
    if isinstance(value, dict) and value.keys() == {"mid", "rad"}:
        return value["mid"] if value["rad"] == "0" else f"{value['mid']} ± {value['rad']}"
    if isinstance(value, dict):
        return "(" + ", ".join(f"{key} {value_text(item)}" for key, item in value.items()) + ")"
    return VERDICTS[value] if value is None or isinstance(value, bool) else str(value)


def value_latex(value: object) -> str:
    """One value in math mode. A text that is a term of the grammar is set as a formula, other text as words; other
    values are set as `value_text` writes them."""
    from symcook.errors import SymcookError
    from symcook.model.expr import parse_term
    from symcook.report.latex import latex

    text = value_text(value)
    if isinstance(value, str):
        try:
            return latex(parse_term(text))
        except SymcookError:  # a label
            return words(text)
    # 1e5 is written 1 \cdot 10^5. A number, or a ball with its radius, is set as mathematics, other text as words.
    drawn = re.sub(r"e([+-]?[0-9]+)\b", lambda exponent: rf"\cdot 10^{{{int(exponent[1])}}}", text)
    is_number = re.fullmatch(r"[-0-9.]+(\\cdot 10\^\{-?[0-9]+\})?( ± [0-9.]+(\\cdot 10\^\{-?[0-9]+\})?)?", drawn)
    return drawn.replace("±", r"\pm") if is_number else words(text)


def near(value: object) -> float | None:
    """A float near the value, for colours and first digits only; None if the value is not a finite number."""
    if isinstance(value, dict) and value.keys() == {"mid", "rad"}:
        near_value = float(value["mid"])
    elif isinstance(value, str):
        near_value = _evaluated(value)
    else:
        near_value = float(value) if isinstance(value, (int, float)) else math.nan
    return near_value if math.isfinite(near_value) else None


def _evaluated(text: str) -> float:
    """A float near the value of a term, computed to 64 bits; nan for text that is not a term with a value."""
    if rational := RATIONAL.fullmatch(text):
        with suppress(OverflowError, ValueError):  # a number above the largest float, or of thousands of digits
            return int(rational[1]) / int(rational[2] or 1)
    import flint

    from symcook.errors import SymcookError
    from symcook.model.expr import parse_term
    from symcook.numbers.evaluate import evaluate

    try:
        with PRECISION, flint.ctx.workprec(64):
            return float(evaluate(parse_term(text)).mid())
    except SymcookError:
        return math.nan


def cell(value: object, most: int = MOST, shaded: bool = False) -> TableCell:
    """A value as a cell of a table. A number with more than `most` characters is shortened to its first digits, and the
    cell keeps the full text too; other text is not shortened.

    A `shaded` cell, such as that of a weight, is coloured by its value, or not at all if that is no number; if its
    value is shortened, it has at most three decimals.
    """
    text = value_text(value)
    # The float near the value is needed only for a colour or for first digits.
    about = near(value) if shaded or len(text) > most else None
    shade = (about or 0) if shaded else None
    if len(text) <= most or about is None:
        return TableCell(text, shade=shade)
    digits = f"{about:.3f}".rstrip("0").rstrip(".") if shaded else f"{about:.4g}"
    return TableCell(f"≈{digits}", text, shade)


# Several answers.


def line(answers: Several) -> str:
    """The repr of several answers: a tuple with one line for each answer. With more than `LINES` answers, only the
    first `LINES` - 2 and the last one are shown."""
    lines = [repr(answer) for answer in answers]
    if len(lines) > LINES:
        lines[LINES - 2 : -1] = [f"... {len(lines) - LINES + 1} more"]
    joined_lines = ",\n ".join(lines)
    return f"({joined_lines},)" if len(lines) == 1 else f"({joined_lines})"


def document(answers: Several) -> Drawn:
    """Several answers as one document, one after the other."""
    drawings: list[Any] = [answer._report().document(answer) for answer in answers]
    return Drawn(
        lambda: "\n\n".join(answer.text() for answer in drawings),
        lambda: markup.page(*(answer.html() for answer in drawings)),
        lambda: [display for answer in drawings for display in answer.displays()],
    )
