"""Answers to questions about how far a model carries: a line for each length, notes, a CSV file and a picture."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symcook.model.answers import EMPTY_STRING, brief
from symcook.report.document import Document, PlainLines, Table, value_latex, value_text
from symcook.report.markup import TableCell

if TYPE_CHECKING:
    from symcook.questions.answer import Answer
    from symcook.report.figure import Curve, Figure

WORD = 44
"""The characters of a word that a line shows."""
DIGITS = 20


def line(found: Answer) -> str:
    """The question and the last row: the repr."""
    last = dict(zip(found.columns, _cells(found, found.rows[-1]), strict=True)) if found.rows else {}
    cells_text = ", ".join(f"{name} = {brief(cell, 30)}" for name, cell in list(last.items())[:3])
    return brief(f"<Answer {brief(_title(found), 40)}: {cells_text}>")


def _title(found: Answer) -> str:
    return f"{found.kind} of {found.model}"


def document(found: Answer) -> Document:
    """A line for each length, and the notes."""
    rows = [[_drawn(found, name, row.get(name)) for name in found.columns] for row in found.rows]
    notes = [f"{'method' if name == 'words' else name}: {note}" for name, note in found.notes.items()]
    names = {"least_word": "at string", "word": "at string" if "least" in found.columns else "string"}
    header = [names.get(name, name.replace("word", "string")) for name in found.columns]
    return Document(_title(found), [Table(rows, header), PlainLines(notes, "  ")])


def _drawn(found: Answer, name: str, cell: Any) -> TableCell:
    tex = value_latex(cell.to_json()) if hasattr(cell, "to_json") else ""
    return TableCell(_cell(found, name, cell), tex=tex)


ENDS = ("low", "high")
CURVES = {
    ("precision", "fails"): "bits at which a string is decided wrongly",
    ("precision", "enough"): "bits proved to be enough for every string",
    ("temperature", "tau"): "largest temperature",
    ("temperature", "rule"): "the paper's rule, gamma/log(8 n)",
    ("tolerance", "low"): "smallest weight with every string right",
    ("tolerance", "high"): "largest weight with every string right",
}
"""What the columns of a question are, where their names alone do not say it in a legend."""


LONGEST_EXACT = 40
"""Characters of a fraction that a table shows; a longer one stands as a decimal, exact in JSON."""


def _decimal(number: Fraction) -> str:
    """Ten digits of a number."""
    from decimal import Context, Decimal

    return str(Context(prec=10).divide(Decimal(number.numerator), Decimal(number.denominator)))


def _cells(found: Answer, row: Mapping[str, object]) -> list[str]:
    """The cells of a row of the table."""
    return [_cell(found, name, row.get(name)) for name in found.columns]


def _cell(found: Answer, name: str, cell: Any) -> str:
    """A value as the table shows it; where there is none, what the question says in its place."""
    if cell is None:
        return found.nothing.get(name, "-")
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, Fraction):
        from symcook.model.rationals import quotient

        exact = quotient(cell)
        return exact if len(exact) <= LONGEST_EXACT else f"≈{_decimal(cell)}"
    if isinstance(cell, str):
        return brief(cell, WORD) if cell else EMPTY_STRING
    return value_text(cell.to_json()) if hasattr(cell, "to_json") else str(cell)


# --- Files ------------------------------------------------------------------------------------------------------------


def write(found: Answer, targets: Sequence[Path], force: bool) -> Sequence[Path]:
    """Write the CSV file and the pictures at `targets` (`symcook.report.figure.plot_targets`), all or none."""
    from symcook.report.figure import write_plot

    write_plot(targets, table_csv(found), figure(found), force)
    return targets


def table_csv(found: Answer) -> str:
    """A line for each length; a number has its radius in a column of its own (0 of an exact one, which stands rounded
    to 20 digits where it has more)."""
    numbers = [name for name in found.columns if name != "n" and any(_ball(row.get(name)) for row in found.rows)]
    header = [
        column_name for name in found.columns for column_name in ((name, f"{name}_rad") if name in numbers else (name,))
    ]
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
                cell_text = "" if cell is None else str(cell).lower() if isinstance(cell, bool) else str(cell)
                cells += [cell_text, ""] if name in numbers else [cell_text]
        writer.writerow(cells)
    return out.getvalue()


def _ball(cell: object) -> Any:
    """A cell as a ball, where it is a number that is not counted."""
    if hasattr(cell, "rad"):
        return cell
    if not isinstance(cell, Fraction):
        return None
    from symcook.numbers.balls import arb_of, ball, refine

    return ball(refine(lambda: arb_of(cell), DIGITS, relative=True), DIGITS, relative=True)


def figure(found: Answer) -> Figure:
    """The columns that are shown over n; a margin of 0 has no place on its axis."""
    from symcook.numbers.balls import arb_of, ball
    from symcook.report.figure import DOTS, Curve, Figure

    # A curve for each column that is shown; with `found.by` one for each of its values, such as each head.
    curves = []
    groups = dict.fromkeys(row.get(found.by) for row in found.rows) if found.by else {None: None}
    for group, name in ((group, name) for group in groups for name in found.shown):
        points = []
        for row in found.rows:
            if found.by and row.get(found.by) != group:
                continue
            cell = row.get(name)
            is_integer = type(cell) is int  # a count; a truth value has no place in a picture
            value = ball(arb_of(cell), DIGITS) if is_integer else _ball(cell)
            if value is not None and not (found.logarithmic and value.mid == "0"):
                points.append((Fraction(str(row["n"])), value))
        if points:
            label = CURVES.get((found.kind, name), name.replace("_", " "))
            style = DOTS if found.kind == "tolerance" else {}
            curves.append(Curve(f"{group}, {label}" if found.by else label, tuple(points), style))
    logarithmic = (False, found.logarithmic and bool(curves))
    title = found.title or _title(found)
    bars, level = _intervals(found) if found.kind == "tolerance" else ((), None)
    return Figure(
        "question", title, "n (input symbols)", found.vertical, tuple(curves), logarithmic, _note(found, curves),
        legend="best", bars=bars, level=level,
    )  # fmt: skip


def _intervals(found: Answer) -> tuple[Any, Any]:
    """The interval of a weight at each length, and the weight as it is."""
    bars = tuple(
        (Fraction(str(row["n"])), *(None if row.get(side) is None else Fraction(_ball(row[side]).mid) for side in ENDS))
        for row in found.rows
    )
    value = found.notes.get("weight", "").rpartition(" = ")[2]
    known = re.fullmatch(r"-?[0-9]+(/[0-9]+)?", value)
    return bars, (Fraction(value), f"the weight as it is, {brief(value, 20)}") if known else None


def _note(found: Answer, curves: Sequence[Curve]) -> str:
    """At which lengths there are points; of curves that have not all, and of bars that go to the edge, why."""
    asked = [Fraction(str(row["n"])) for row in found.rows]
    if not asked:
        return ""
    lengths = sorted(set(asked))
    notes = [f"lengths {_range(lengths)}"] if len(lengths) > 1 else [f"length {lengths[0]}"]
    for curve in curves:
        here = sorted({at for at, _ in curve.points})
        if here != lengths:
            notes.append(f"{curve.label}: {'none' if not here else f'at n = {_range(here)}'}")
    if found.kind == "tolerance" and any(row.get(side) is None for row in found.rows for side in ENDS):
        return f"{notes[0]}; a bar to the edge has no end there"
    empty = [f"{found.nothing[name]} elsewhere" for name in found.shown if name in found.nothing]
    return "; ".join(notes + (empty[:1] if len(notes) > 1 else []))


def _range(lengths: Sequence[Fraction]) -> str:
    """Lengths as text: those of an unbroken range by its ends."""
    if len(lengths) > 2 and lengths[-1] - lengths[0] == len(lengths) - 1:
        return f"{lengths[0]} to {lengths[-1]}"
    return ", ".join(map(str, lengths))
