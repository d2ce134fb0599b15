"""Answers to questions about the robustness and precision of a model: a table with a row for each length (and for each
head, say, if `Answer.by` groups the rows), notes, a CSV file and a picture."""

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
"""The greatest number of characters of a string in the table."""
DIGITS = 20
"""The decimal digits of a rational number in the CSV file and the picture."""


def line(answer: Answer) -> str:
    """The question and the first three cells of the last row: the repr."""
    last = dict(zip(answer.columns, _cells(answer, answer.rows[-1]), strict=True)) if answer.rows else {}
    cells_text = ", ".join(f"{name} = {brief(cell, 30)}" for name, cell in list(last.items())[:3])
    return brief(f"<Answer {brief(_title(answer), 40)}: {cells_text}>")


def _title(answer: Answer) -> str:
    """The kind of the question and the model, at the values of its parameters."""
    return f"{answer.kind} of {answer.model}{answer.extent.at_values}"


def document(answer: Answer) -> Document:
    """A table with the rows of the answer, and the notes."""
    rows = [[_drawn(answer, name, row.get(name)) for name in answer.columns] for row in answer.rows]
    notes = [f"{'method' if name == 'words' else name}: {note}" for name, note in answer.notes.items()]
    names = {"least_word": "at string", "word": "at string" if "least" in answer.columns else "string"}
    header = [names.get(name, name.replace("word", "string")) for name in answer.columns]
    return Document(_title(answer), [Table(rows, header), PlainLines(notes, "  ")])


def _drawn(answer: Answer, name: str, cell: Any) -> TableCell:
    """A cell of the table, in text and LaTeX."""
    tex = value_latex(cell.to_json()) if hasattr(cell, "to_json") else ""
    return TableCell(_cell(answer, name, cell), tex=tex)


ENDS = ("low", "high")
"""The columns of a tolerance: the ends of the interval in which a weight may be."""
CURVES = {
    ("precision", "fails"): "bits at which a string is decided wrongly",
    ("precision", "enough"): "bits proved to be enough for {strings}",
    ("temperature", "tau"): "largest temperature",
    ("temperature", "rule"): "the paper's rule, gamma/log(8 n)",
    ("tolerance", "low"): "smallest weight with {strings} right",
    ("tolerance", "high"): "largest weight with {strings} right",
}
"""The labels of columns in the legend, by (kind of question, column), where {strings} are those of the answer; other
columns have their name."""


LONGEST_EXACT = 40
"""The greatest length of a fraction in the table, in characters; a longer one is shown as a decimal (JSON is exact)."""


def _ten_digits(number: Fraction) -> str:
    """Ten digits of a number."""
    from decimal import Context, Decimal

    return str(Context(prec=10).divide(Decimal(number.numerator), Decimal(number.denominator)))


def _cells(answer: Answer, row: Mapping[str, object]) -> list[str]:
    """The cells of a row of the table."""
    return [_cell(answer, name, row.get(name)) for name in answer.columns]


def _cell(answer: Answer, name: str, cell: Any) -> str:
    """The text of a value in the column `name`; for None, the text that the question has for a missing value."""
    if cell is None:
        return answer.nothing.get(name, "-")
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, Fraction):
        from symcook.model.rationals import quotient

        exact = quotient(cell)
        return exact if len(exact) <= LONGEST_EXACT else f"≈{_ten_digits(cell)}"
    if isinstance(cell, str):
        return brief(cell, WORD) if cell else EMPTY_STRING
    return value_text(cell.to_json()) if hasattr(cell, "to_json") else str(cell)


# --- Files ------------------------------------------------------------------------------------------------------------


def write(answer: Answer, targets: Sequence[Path], force: bool) -> Sequence[Path]:
    """Write the CSV file and the pictures at `targets` (`symcook.report.figure.plot_targets`), all or none."""
    from symcook.report.figure import write_plot

    write_plot(targets, table_csv(answer), figure(answer), force)
    return targets


def table_csv(answer: Answer) -> str:
    """CSV text with a line for each row of the answer. The radius of a number is in a second column, NAME_rad.

    An exact number with more than 20 digits is rounded, and its radius is that of the rounding.
    """
    # Columns with numbers that are not counts have a second column for the radius.
    numbers = [name for name in answer.columns if name != "n" and any(_ball(row.get(name)) for row in answer.rows)]
    header = [
        column_name
        for name in answer.columns
        for column_name in ((name, f"{name}_rad") if name in numbers else (name,))
    ]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    for row in answer.rows:
        cells: list[str] = []
        for name in answer.columns:
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
    """A ball or rational number as a ball; None for anything else, such as a count."""
    if hasattr(cell, "rad"):
        return cell
    if not isinstance(cell, Fraction):
        return None
    from symcook.numbers.balls import arb_of, ball, refine

    return ball(refine(lambda: arb_of(cell), DIGITS, relative=True), DIGITS, relative=True)


def figure(answer: Answer) -> Figure:
    """The picture of an answer: its columns over n. Values of 0 are left out on a logarithmic axis."""
    from symcook.numbers.balls import arb_of, ball
    from symcook.report.figure import DOTS, Curve, Figure

    # A curve for each shown column; if a column groups the rows (`by`, such as the heads), one for each of its values.
    curves = []
    groups = dict.fromkeys(row.get(answer.by) for row in answer.rows) if answer.by else {None: None}
    for group, name in ((group, name) for group in groups for name in answer.shown):
        points = []
        for row in answer.rows:
            if answer.by and row.get(answer.by) != group:
                continue
            cell = row.get(name)
            is_integer = type(cell) is int  # a count; a bool is not drawn
            value = ball(arb_of(cell), DIGITS) if is_integer else _ball(cell)
            if value is not None and not (answer.logarithmic and value.mid == "0"):
                points.append((Fraction(str(row["n"])), value))
        if points:
            label = CURVES.get((answer.kind, name), name.replace("_", " ")).format(strings=answer.extent.strings)
            style = DOTS if answer.kind == "tolerance" else {}
            curves.append(Curve(f"{group}, {label}" if answer.by else label, tuple(points), style))
    logarithmic = (False, answer.logarithmic and bool(curves))
    title = f"{answer.title}{answer.extent.at_values}" if answer.title else _title(answer)
    bars, level = _bars_and_level(answer) if answer.kind == "tolerance" else ((), None)
    return Figure(
        "question", title, "n (input symbols)", answer.vertical, tuple(curves), logarithmic, _note(answer, curves),
        legend="best", bars=bars, level=level,
    )  # fmt: skip


def _bars_and_level(answer: Answer) -> tuple[Any, Any]:
    """The bars of a tolerance, one for each length, and the level: the value of the weight now, if rational."""
    bars = tuple(
        (Fraction(str(row["n"])), *(None if row.get(side) is None else Fraction(_ball(row[side]).mid) for side in ENDS))
        for row in answer.rows
    )
    value = answer.notes.get("weight", "").rpartition(" = ")[2]
    known = re.fullmatch(r"-?[0-9]+(/[0-9]+)?", value)
    return bars, (Fraction(value), f"the weight as it is, {brief(value, 20)}") if known else None


def _note(answer: Answer, curves: Sequence[Curve]) -> str:
    """The note under the picture: the lengths, those of each curve that has not all, and why values are missing."""
    row_lengths = [Fraction(str(row["n"])) for row in answer.rows]
    if not row_lengths:
        return ""
    lengths = sorted(set(row_lengths))
    notes = [f"lengths {_range(lengths)}"] if len(lengths) > 1 else [f"length {lengths[0]}"]
    for curve in curves:
        curve_lengths = sorted({at for at, _ in curve.points})
        if curve_lengths != lengths:
            notes.append(f"{curve.label}: {'none' if not curve_lengths else f'at n = {_range(curve_lengths)}'}")
    if answer.kind == "tolerance" and any(row.get(side) is None for row in answer.rows for side in ENDS):
        return f"{notes[0]}; a bar to the edge has no end there"
    empty = [f"{answer.nothing[name]} elsewhere" for name in answer.shown if name in answer.nothing]
    return "; ".join(notes + (empty[:1] if len(notes) > 1 else []))


def _range(lengths: Sequence[Fraction]) -> str:
    """Sorted lengths as text: "LOW to HIGH" for more than two with none missing between, else all of them."""
    if len(lengths) > 2 and lengths[-1] - lengths[0] == len(lengths) - 1:
        return f"{lengths[0]} to {lengths[-1]}"
    return ", ".join(map(str, lengths))
