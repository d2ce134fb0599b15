"""Answers to questions about how far a model carries: a line for each length, notes, a CSV file and a picture."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symcook.report.markup import Display, brief, page, paragraph, table, words
from symcook.report.text import abridged, columns, wrapped
from symcook.report.values import EMPTY_WORD, value_latex, value_text

if TYPE_CHECKING:
    from symcook.questions.answer import Answer

WORD = 44
"""The characters of a word that a line shows."""
DIGITS = 20


def line(found: Answer) -> str:
    """The question and the last row: the repr."""
    last = dict(zip(found.columns, _cells(found, found.rows[-1]), strict=True)) if found.rows else {}
    shown = ", ".join(f"{name} = {brief(cell, 30)}" for name, cell in list(last.items())[:3])
    return brief(f"<Answer {brief(_title(found), 40)}: {shown}>")


def _title(found: Answer) -> str:
    return f"{found.kind} of {found.model}"


def text(found: Answer) -> str:
    """A line for each length, and the notes."""
    rows = [found.columns, *(_cells(found, row) for row in found.rows)]
    lines = [_title(found), columns([[name.replace("_", " ") for name in rows[0]], *rows[1:]], "  ")]
    for name, note in found.notes.items():
        lines += wrapped(f"  {name}: {note}", "    ")
    return "\n".join(lines)


def _cells(found: Answer, row: Any) -> list[str]:
    return [_cell(found, name, row.get(name)) for name in found.columns]


def _cell(found: Answer, name: str, cell: Any) -> str:
    if cell is None:
        return found.nothing.get(name, "-")
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, Fraction):
        from symcook.model.rationals import quotient

        return abridged(quotient(cell))
    if isinstance(cell, str):
        return brief(cell, WORD) if cell else EMPTY_WORD
    return value_text(cell.to_json()) if hasattr(cell, "to_json") else str(cell)


def html(found: Answer) -> str:
    """The same as a table."""
    rows = [_cells(found, row) for row in found.rows]
    notes = (f"{name}: {note}" for name, note in found.notes.items())
    return page(paragraph(_title(found), bold=True), table(found.columns, rows, words=True), paragraph(*notes))


def displays(found: Answer) -> list[Display]:
    """The same, with the balls as numbers."""
    lines = []
    for row in found.rows:
        cells = []
        for name, shown in zip(found.columns, _cells(found, row), strict=True):
            cell: Any = row.get(name)
            drawn = value_latex(cell.to_json()) if hasattr(cell, "to_json") else words(shown)
            cells.append(rf"{words(name)} = {drawn}")
        lines.append("&" + r"\quad ".join(cells))
    return [Display(_title(found), tuple(lines))]


# --- Files ------------------------------------------------------------------------------------------------------------


def write(found: Answer, targets: Sequence[Path], force: bool) -> None:
    """Write the CSV file and the pictures at `targets` (`symcook.report.plots.plot_targets`), all or none."""
    from symcook.report.plots import write_plot

    contents = {targets[0]: table_csv(found).encode()}
    for target in targets[1:]:
        contents[target] = picture(found, target.suffix[1:])
    write_plot(contents, force)


def table_csv(found: Answer) -> str:
    """A line for each length; a number has its radius in a column of its own (0 of an exact one, which stands rounded
    to 20 digits where it has more)."""
    numbers = [name for name in found.columns if name != "n" and any(_ball(row.get(name)) for row in found.rows)]
    header = [one for name in found.columns for one in ((name, f"{name}_rad") if name in numbers else (name,))]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    for row in found.rows:
        cells: list[str] = []
        for name in found.columns:
            cell = row.get(name)
            ball = _ball(cell) if name in numbers else None
            if ball is not None:
                cells += [ball.mid, ball.rad]
            else:
                shown = "" if cell is None else str(cell).lower() if isinstance(cell, bool) else str(cell)
                cells += [shown, ""] if name in numbers else [shown]
        writer.writerow(cells)
    return out.getvalue()


def _ball(cell: Any) -> Any:
    """A cell as a ball, where it is a number that is not counted."""
    if hasattr(cell, "rad"):
        return cell
    if not isinstance(cell, Fraction):
        return None
    from symcook.numbers.balls import arb_of, ball, refine

    return ball(refine(lambda: arb_of(cell), DIGITS, relative=True), DIGITS, relative=True)


def picture(found: Answer, form: str) -> bytes:
    """The columns that are shown over n, as an SVG or PNG file; a margin of 0 has no place on its axis."""
    from symcook.numbers.balls import arb_of, ball
    from symcook.report.figures import Curve, Figure
    from symcook.report.figures import picture as draw

    curves = []
    groups = dict.fromkeys(row.get(found.by) for row in found.rows) if found.by else {None: None}
    for group, name in ((group, name) for group in groups for name in found.shown):
        points = []
        for row in found.rows:
            if found.by and row.get(found.by) != group:
                continue
            cell = row.get(name)
            whole = type(cell) is int
            value = ball(arb_of(cell), DIGITS) if whole else _ball(cell)
            if value is not None and not (found.logarithmic and value.mid == "0"):
                points.append((Fraction(str(row["n"])), value))
        if points:
            label = name.replace("_", " ")
            curves.append(Curve(f"{group}, {label}" if found.by else label, tuple(points)))
    logarithmic = (False, found.logarithmic and bool(curves))
    note = f"one point for each length from {found.rows[0]['n']} to {found.rows[-1]['n']}" if found.rows else ""
    across, title = "n (typed symbols)", found.title or _title(found)
    return draw(Figure("question", title, across, found.up, tuple(curves), logarithmic, note, legend="best"), form)
