"""HTML tables and LaTeX displays. The functions here escape the texts that they are given; MathML and LaTeX in the
fields `math` and `tex` of a cell, the rows of a display and the parts of a page are used as they are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import NamedTuple

PACKAGES = ("amsmath", "amssymb")
"""The LaTeX packages that the displays need."""


# HTML. Colours are see-through and text keeps the page's own colour: readable on light and dark pages and in print.

_BORDER = "border:1px solid rgba(128,128,128,.55);padding:2px 8px"
_CELL = f"{_BORDER};text-align:right"
_TEXT = f"{_BORDER};text-align:left"
_HEAD = f"{_BORDER};background:rgba(128,128,128,.16);text-align:left;font-weight:600"
_BLOCK = "display:inline-block;vertical-align:top;margin:0 1.5em 0.6em 0;max-width:calc(100% - 1.5em);overflow-x:auto"
_TABLE = "border-collapse:collapse;font-variant-numeric:tabular-nums"
_TABLE += ";print-color-adjust:exact;-webkit-print-color-adjust:exact"
DARKEST = 0.55
"""How far the colour of a heat map covers the page: both black and white text can be read on it."""


class TableCell(NamedTuple):
    """A cell of a table."""

    text: str
    whole: str = ""
    """The full text where `text` is shortened: the pointer shows it."""
    shade: float | None = None
    """The shade in a heat map, from 0 to 1; a number outside is taken as the nearer end."""
    math: str = ""
    """MathML (`symcook.report.mathml`) that HTML shows in place of the text."""
    tex: str = ""
    """LaTeX that replaces the text in a display."""


def table(
    header: Sequence[str], rows: Iterable[Sequence[str | TableCell]], caption: str = "", words: bool = False
) -> str:
    """A table whose first column names its rows; `words` aligns the others to the left."""
    side = "left" if words else "right"
    styles = [f"{_HEAD};font-style:italic;font-weight:400", *[f"{_HEAD};text-align:{side}"] * (len(header) - 1)]
    heads = zip(header, styles, strict=False)
    head = "".join(f'<th scope="col" style="{style}">{escape(name)}</th>' for name, style in heads)
    body = []
    for label, *cells in rows:
        drawn = "".join(_cell(cell, _TEXT if words else _CELL) for cell in cells)
        name = label if isinstance(label, str) else label.text
        body.append(
            f'<tr style="background:none"><th scope="row" style="{_HEAD};white-space:nowrap">{escape(name)}</th>'
            f"{drawn}</tr>"
        )
    title = f"<div><i>{escape(caption)}</i></div>" if caption else ""
    top = f'<tr style="background:none">{head}</tr>' if header else ""
    return f'<div style="{_BLOCK}">{title}<table style="{_TABLE}">{top}{"".join(body)}</table></div>'


def _cell(cell: str | TableCell, style: str) -> str:
    """The HTML of a cell, with its full text as a tooltip and its shade as background."""
    if isinstance(cell, str):
        cell = TableCell(cell)
    title = f' title="{escape(cell.whole)}"' if cell.whole else ""
    if cell.shade is not None:
        covered = round(DARKEST * min(max(cell.shade, 0), 1) ** 0.5, 3)  # a root, so that small weights are seen
        style = f"{style};background:rgba(31,119,180,{covered})"
    return f'<td style="{style}"{title}>{cell.math or escape(cell.text)}</td>'


def section(title: str, *parts: str) -> str:
    """A heading and the blocks under it, side by side where they fit."""
    return f'<div style="margin:0.8em 0 0.3em"><b>{escape(title)}</b></div>' + "".join(parts)


def paragraph(*lines: str, bold: bool = False) -> str:
    """One or more lines of plain text; with `bold` the first one stands out."""
    first, *further = (escape(line) for line in lines)
    return f"<p>{'<br>'.join([f'<b>{first}</b>' if bold else first, *further])}</p>"


def page(*parts: str) -> str:
    """What a notebook shows. The classes keep MathJax away from the text: a token may be a dollar sign."""
    return '<div class="mathjax_ignore tex2jax_ignore">' + "\n".join(part for part in parts if part) + "</div>"


# LaTeX.

_ESCAPES = {"\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}"}
_ESCAPES |= {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "_": r"\_", "%": r"\%", "&": r"\&"}
_ESCAPES |= {"#": r"\#", "$": r"\$", "{": r"\{", "}": r"\}"}
_ESCAPES |= {"§": r"\S{}", "–": "--", "—": "---", "≤": r"$\le$", "≥": r"$\ge$", "…": r"\ldots{}", "ℓ": r"$\ell$"}
_ESCAPES |= {"∈": r"$\in$", "→": r"$\to$", "≠": r"$\ne$", "−": "-", "×": r"$\times$", "·": r"$\cdot$", "’": "'"}
_ESCAPES |= {"±": r"$\pm$", "`": r"\textasciigrave{}"}


def escaped(text: str) -> str:
    """Plain words for text mode.

    >>> print(escaped("a_1 -- 50%"))
    a\\_1 -{}- 50\\%
    """
    apart = re.sub(r"([-'`,])(?=\1)", r"\1\0", text)  # LaTeX joins two of these signs to a dash or quotation mark
    return "".join(_ESCAPES.get(c, c) for c in apart).replace("\0", "{}")


def words(text: str) -> str:
    """Plain words in math mode."""
    return rf"\text{{{escaped(text)}}}"


def upright(name: str) -> str:
    """The name of a coordinate in math mode."""
    return rf"\mathrm{{{escaped(name)}}}"


def array(rows: Sequence[Sequence[str]], columns: str, brackets: bool = False) -> str:
    """A LaTeX array of formulas with the alignments `columns`; `brackets` makes it a matrix. Without entries, an empty
    pair of brackets."""
    if not rows or not any(rows):
        return r"\left(\;\right)"
    body = r" \\[2pt] ".join(" & ".join(row) for row in rows)
    drawn = rf"\begin{{array}}{{{columns}}} {body} \end{{array}}"
    return rf"\left({drawn}\right)" if brackets else drawn


@dataclass(frozen=True)
class Display:
    """A heading in plain words, and the rows of an aligned display under it (mathematics, each with its &)."""

    heading: str
    rows: tuple[str, ...] = ()

    @property
    def aligned(self) -> str:
        """The rows in an ``aligned`` environment."""
        body = " \\\\\n".join(self.rows)
        return "\\begin{aligned}\n" + body + "\n\\end{aligned}"


def latex(displays: Sequence[Display], document: bool = False) -> str:
    """The displays for a paper, or as a document that compiles by itself."""
    if not document:
        return "\n".join([f"% needs \\usepackage{{{','.join(PACKAGES)}}}", *_drawn(displays, "%s")])
    lines = _drawn(displays, r"\fitted{%s}")
    return "\n".join([*_preamble("\n".join(lines)), r"\begin{document}", *lines, r"\end{document}"])


def described(title: str, sections: Sequence[tuple[str, Sequence[tuple[str, str]]]], document: bool = False) -> str:
    """Sections of labelled items in LaTeX: (heading, [(label, body)]), each of them LaTeX already.

    `document` makes a complete document of them.
    """
    lines = [rf"\par\noindent {title}"]
    for heading, items in sections:
        lines += [rf"\par\medskip\noindent\textbf{{{heading}.}}", r"\begin{description}\raggedright"]
        lines += [rf"\item[{{{label}}}] {body}" for label, body in items]
        lines += [r"\end{description}"]
    if document:
        return "\n".join([*_preamble("\n".join(lines)), r"\begin{document}", *lines, r"\end{document}"])
    return "\n".join([f"% needs \\usepackage{{{','.join(PACKAGES)}}}", *lines])


def _drawn(displays: Sequence[Display], display: str) -> list[str]:
    """The lines of the displays; the template `display` has %s for the rows."""
    lines = []
    for shown_display in displays:
        lines += [rf"\par\noindent {escaped(shown_display.heading)}"]
        if shown_display.rows:
            lines += [r"\[", display.replace("%s", shown_display.aligned), r"\]"]
    return lines


def _preamble(body: str) -> list[str]:
    """The lines before ``\\begin{document}``, for any engine.

    ``\\fitted`` shrinks a display that is larger than the page. pdflatex prints a character that its fonts do not have
    by its number; lualatex and xelatex draw it.
    """
    strange = sorted({c for c in body if ord(c) > 127})
    return [
        r"\documentclass{article}",
        r"\usepackage[margin=2cm]{geometry}",
        rf"\usepackage{{{','.join(PACKAGES)},graphicx}}",
        r"\ifdefined\pdftexversion\usepackage[T1]{fontenc}\usepackage{textcomp}",
        *(
            rf"\ifcsname u8:\detokenize{{{c}}}\endcsname\else\DeclareUnicodeCharacter{{{ord(c):04X}}}"
            rf"{{[U+{ord(c):04X}]}}\fi"
            for c in strange
        ),
        r"\else\usepackage{fontspec}\fi",
        r"\newcommand{\fitted}[1]{\sbox0{$\displaystyle #1$}%",
        r"  \ifdim\wd0>\linewidth\sbox0{\resizebox{\linewidth}{!}{\usebox0}}\fi",
        r"  \ifdim\dimexpr\ht0+\dp0\relax>0.9\textheight\sbox0{\resizebox{!}{0.9\textheight}{\usebox0}}\fi",
        r"  \vcenter{\hbox{\usebox0}}}",
    ]


def notebook(displays: Sequence[Display]) -> str:
    """The displays as one formula for a notebook, one under the other."""
    rows = [
        part
        for shown_display in displays
        for part in (words(shown_display.heading), *([shown_display.aligned] if shown_display.rows else []))
    ]
    return "$\\displaystyle \\begin{array}{l}\n" + " \\\\[4pt]\n".join(rows) + "\n\\end{array}$"
