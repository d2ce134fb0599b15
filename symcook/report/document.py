"""An answer as a document: a title, and under it words, tables and sections. Text, HTML and LaTeX are printed of it
here, and nowhere else."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from symcook.report import markup
from symcook.report.markup import Cell, Display
from symcook.report.text import columns

WIDTH = 98
"""The characters of a line of words."""
PAD = r"\phantom{:}"


def filled(text: str, indent: str = "", hang: str = "") -> str:
    """Text in lines of at most `WIDTH` characters, set in, those after the first by `hang` more."""
    how: dict[str, Any] = {"break_on_hyphens": False, "break_long_words": False}
    return textwrap.fill(text, WIDTH, initial_indent=indent, subsequent_indent=indent + hang, **how)


@dataclass(frozen=True)
class Words:
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


def _plain(cell: str | Cell) -> str:
    return cell if isinstance(cell, str) else cell.text


def _tex(cell: str | Cell) -> str:
    return markup.words(cell) if isinstance(cell, str) else cell.tex or markup.words(cell.text)


@dataclass(frozen=True)
class Table:
    """Rows of cells under a header; without one the first cell of a row is its name. With `width` a text breaks the
    last column."""

    rows: Sequence[Sequence[str | Cell]]
    header: Sequence[str] = ()
    width: int | None = None

    def text(self, indent: str) -> str:
        every = [[name.replace("_", " ") for name in self.header], *self.rows] if self.header else self.rows
        return columns([list(map(_plain, row)) for row in every], indent, self.width)

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
    parts: Sequence[Words | Table | Document] = ()
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
        near = tuple(self.parts[0].lines) if self.parts and isinstance(self.parts[0], Words) else ()
        drawn = [markup.paragraph(*title, *near, bold=bool(title))] if title or near else []
        for part in self.parts[bool(near) :]:
            drawn.append(markup.section(part.title, *part._drawn()) if isinstance(part, Document) else part.html())
        return drawn

    def displays(self) -> list[Display]:
        """For LaTeX."""
        found = [Display(self.title)]
        for part in self.parts:
            if isinstance(part, (Words, Document)):
                found += part.displays()
            else:
                found[-1] = Display(found[-1].heading, (*found[-1].rows, *part.formulas()))
        return [one for one in found if one.heading or one.rows]


@dataclass(frozen=True)
class Drawn:
    """An answer whose forms are drawn each by itself: a trace, a model, closed forms."""

    text: Callable[[], str]
    html: Callable[[], str]
    displays: Callable[[], list[Display]]
