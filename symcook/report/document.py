"""An answer as a document: a title, and under it words, tables and sections, of which text, HTML and LaTeX are printed
here, and nowhere else; tables as plain text; single values as the commands print them."""

from __future__ import annotations

import itertools
import math
import re
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from unicodedata import combining, east_asian_width

from symcook.locks import PRECISION
from symcook.report import markup
from symcook.report.markup import Display, TableCell, words

if TYPE_CHECKING:
    from symcook.model.answers import Several

VERDICTS = {True: "accept", False: "reject", None: "undecided"}
LINE = 98
"""The characters of a line of words."""
SENTENCE = re.compile(r"(?<=[\w)\]\"'][.])(?<!\bEq\.)(?<!\bal\.) +(?=[\"(]*[A-Z](?![(:*]))|(?<=;) +(?!\w+\.\w+\()")
"""Between two sentences, or the items of a list; a line of Python stays whole."""
PAD = r"\phantom{:}"
SCREEN: int | None = None
"""The characters of a line of the terminal that is written to, which a command sets; None elsewhere, so that a file
reads the same whatever wrote it."""


def room(most: int) -> int:
    """The characters of a line that has at most so many."""
    return most if SCREEN is None else min(most, SCREEN)


def filled(text: str, indent: str = "", hang: str = "") -> str:
    """Text in lines of at most `LINE` characters, set in, those after the first by `hang` more. A sentence begins a
    line where the text has more than one line."""
    how: dict[str, Any] = {"break_on_hyphens": False, "break_long_words": False}
    wide = room(LINE)
    sentences = SENTENCE.split(text) if len(text) > wide else [text]
    lines: list[str] = []
    for sentence in sentences:
        begin = indent + hang if lines else indent
        lines += textwrap.wrap(sentence, wide, initial_indent=begin, subsequent_indent=indent + hang, **how) or [""]
    return "\n".join(lines)


@dataclass(frozen=True)
class PlainLines:
    """Lines of plain words, or paragraphs: with `hang` a text breaks them, and sets later lines in by it."""

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
    return cell if isinstance(cell, str) else cell.text


def _tex(cell: str | TableCell) -> str:
    return markup.words(cell) if isinstance(cell, str) else cell.tex or markup.words(cell.text)


@dataclass(frozen=True)
class Table:
    """Rows of cells under a header; without one the first cell of a row is its name. With `width` a text breaks the
    last column; one that `turns` has its rows as columns on a terminal that is too narrow for it."""

    rows: Sequence[Sequence[str | TableCell]]
    header: Sequence[str] = ()
    width: int | None = None
    turns: bool = False

    def text(self, indent: str) -> str:
        every = [[name.replace("_", " ") for name in self.header], *self.rows] if self.header else self.rows
        written = [list(map(_plain, row)) for row in every]
        drawn = columns(written, indent, self.width)
        if self.turns and SCREEN is not None and len(drawn.splitlines()) > len(written):
            return columns(list(zip(*written, strict=True)), indent)
        return drawn

    def html(self) -> str:
        return markup.table(self.header, self.rows, words=True)

    def formulas(self) -> list[str]:
        """A row of LaTeX for each."""
        drawn = [list(map(_tex, row)) for row in self.rows]
        if not self.header:
            sides = [":" if row[0] else PAD for row in self.rows]
            return [
                rf"{row[0]} &{side}\quad " + r"\quad ".join(row[1:]) for side, row in zip(sides, drawn, strict=True)
            ]
        names = list(map(markup.words, self.header))
        return ["&" + r"\quad ".join(rf"{n} = {c}" for n, c in zip(names, row, strict=True)) for row in drawn]


@dataclass(frozen=True)
class Document:
    """A title and its parts; a part that is a document is a section. `apart` stands between parts in a text, where a
    `label` puts the title into the first table. What JSON says of an answer is its own `to_json`."""

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
        """The title in a paragraph with the words that follow it, and the other parts; sections have theirs in bold."""
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
            else:
                result[-1] = Display(result[-1].heading, (*result[-1].rows, *part.formulas()))
        return [display for display in result if display.heading or display.rows]


@dataclass(frozen=True)
class Drawn:
    """An answer whose forms are drawn each by itself: a trace, a model, closed forms."""

    text: Callable[[], str]
    html: Callable[[], str]
    displays: Callable[[], list[Display]]


WIDTH = 100
"""The greatest width of a drawn table."""
LONGEST = 2_000
"""The characters of a single number or formula that a text shows whole."""
WIDE = 118
"""The greatest width of a stream, where no terminal says another."""


def abridged(text: str) -> str:
    """A number or a formula by its two ends where it has more than `LONGEST` characters; lines of text stay.

    >>> abridged("12"), abridged("7" * 2001)[55:]
    ('12', '77777 ... 777777777777777777777777777777 (2001 characters; --json, in Python to_json(), has all of it)')
    """
    if len(text) <= LONGEST:
        return text
    return f"{text[:60]} ... {text[-30:]} ({len(text)} characters; --json, in Python to_json(), has all of it)"


NARROWEST = 8
"""A column is not made narrower than this."""


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
    """Left-aligned columns of plain text: the one drawer of tables. With `width` the last one is broken into lines, so
    that no word is cut; with `every`, and on a terminal where a line would be too long, the widest ones are. A `rule`
    stands under the first row.

    >>> print(columns([("a", "b"), ("long", "c")]))
    a     b
    long  c
    >>> print(columns([("a", "a line of some twenty words")], width=28))
    a  a line of some twenty
       words
    """
    table = [[str(cell) for cell in row] for row in rows]
    gap = "   " if rule else "  "
    widths = [max(map(cells, column)) for column in zip(*table, strict=True)]
    if width is not None and not every:
        widths[-1] = max(24, width - len(indent) - sum(widths[:-1]) - len(gap) * len(widths[:-1]))
    limit = width if every else SCREEN
    if limit is not None:
        widths = _narrowed(widths, limit - len(indent) - len(gap) * (len(widths) - 1) - rule)
    lines = []
    for number, row in enumerate(table):
        parts = [_broken(cell, most, every) for cell, most in zip(row, widths, strict=True)]
        for line in itertools.zip_longest(*parts, fillvalue=""):
            padded = (cell + " " * (most - cells(cell)) for cell, most in zip(line, widths, strict=True))
            lines.append((indent + gap.join(padded)).rstrip())
        if rule and number == 0:
            lines.append(indent[1:] + "─" * (sum(widths) + len(gap) * (len(widths) - 1) + 2))
    return "\n".join(lines)


def cells(text: str) -> int:
    """How many places a text takes on a terminal: two for a wide character, none for one that is put on another.

    >>> cells("ab"), cells("日本"), cells("e\u0301")
    (2, 4, 1)
    """
    if text.isascii():
        return len(text)
    wide = sum(east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(map(bool, map(combining, text)))


def _narrowed(widths: list[int], most: int) -> list[int]:
    """The widths, the greatest of them smaller so that together they are `most`, none below `NARROWEST` for that."""
    widths = list(widths)
    while sum(widths) > most and max(widths) > NARROWEST:
        top = max(widths)
        wide = [k for k, width in enumerate(widths) if width == top]
        below = max([width for width in widths if width < top], default=0)
        least = max(below, NARROWEST, top - -(-(sum(widths) - most) // len(wide)))
        for k in wide:
            widths[k] = least
    return widths


def _broken(cell: str, most: int, cut: bool) -> list[str]:
    """A cell as lines of at most so many characters: between words, and with `cut` and on a terminal inside of longer
    ones too."""
    if cells(cell) <= most:
        return [cell]
    return textwrap.wrap(cell, most, break_long_words=cut or SCREEN is not None, break_on_hyphens=False) or [""]


def stream_table(stream: Mapping[str, Sequence[str]], start: int, width: int = WIDE) -> str:
    """A line a coordinate and a column a position, counted from `start`; cut into several tables where too wide.

    >>> print(stream_table({"token": ["1", "-1"], "mean": ["1", "0"]}, 1))
      position  1  2
      token     1  -1
      mean      1  0
    """
    if not stream:
        return "  every coordinate is zero"
    table = list(zip(*stream.values(), strict=True))
    tables: list[list[tuple[str, ...]]] = []
    room = 0
    for place, cells in enumerate(table, start):
        column = (str(place), *cells)
        needed = max(map(len, column)) + 2
        if not tables or needed > room:
            tables.append([("position", *stream)])
            room = width - max(map(len, tables[-1][0])) - 2
        tables[-1].append(column)
        room -= needed
    return "\n".join(columns(zip(*part, strict=True), "  ") for part in tables)


def wrapped(text: str, indent: str) -> list[str]:
    """Text over lines of at most WIDTH characters, those after the first indented."""
    how: dict[str, Any] = {"width": room(WIDTH), "subsequent_indent": indent}
    return [line for text_line in text.split("\n") for line in textwrap.wrap(text_line, **how) or [""]]


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
    return VERDICTS[value] if value is None or isinstance(value, bool) else str(value)


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
    # 1e5 is written 1 * 10^5; what is then a number, or a number with its radius, is set as mathematics.
    drawn = re.sub(r"e([+-]?[0-9]+)\b", lambda found: rf"\cdot 10^{{{int(found[1])}}}", text)
    plain = re.fullmatch(r"[-0-9.]+(\\cdot 10\^\{-?[0-9]+\})?( ± [0-9.]+(\\cdot 10\^\{-?[0-9]+\})?)?", drawn)
    return drawn.replace("±", r"\pm") if plain else words(text)


def near(value: object) -> float | None:
    """About how large a value is; None where it is no finite number. For colours and first digits only."""
    if isinstance(value, dict) and value.keys() == {"mid", "rad"}:
        number = float(value["mid"])
    elif isinstance(value, str):
        number = _evaluated(value)
    else:
        number = float(value) if isinstance(value, (int, float)) else math.nan
    return number if math.isfinite(number) else None


def _evaluated(text: str) -> float:
    """The value of a term to 64 bits; nan for text that is none."""
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
    """A value in a cell of a table; one of more than `most` characters by its first digits, with the whole of it
    behind. A weight is shaded, and has at most three decimals."""
    text = value_text(value)
    about = near(value) if shaded or len(text) > most else None
    shade = (about or 0) if shaded else None
    if len(text) <= most or about is None:
        return TableCell(text, shade=shade)
    digits = f"{about:.3f}".rstrip("0").rstrip(".") if shaded else f"{about:.4g}"
    return TableCell(f"≈{digits}", text, shade)


# Several answers.

LINES = 40
"""The lines of a repr."""


def line(found: Several) -> str:
    """A line each, as of a tuple; of many answers the first and the last: the repr."""
    lines = [repr(answer) for answer in found]
    if len(lines) > LINES:
        lines[LINES - 2 : -1] = [f"... {len(lines) - LINES + 1} more"]
    joined_lines = ",\n ".join(lines)
    return f"({joined_lines},)" if len(lines) == 1 else f"({joined_lines})"


def document(found: Several) -> Drawn:
    """Each, one under the other."""
    drawings: list[Any] = [answer._report().document(answer) for answer in found]
    return Drawn(
        lambda: "\n\n".join(answer.text() for answer in drawings),
        lambda: markup.page(*(answer.html() for answer in drawings)),
        lambda: [display for answer in drawings for display in answer.displays()],
    )
