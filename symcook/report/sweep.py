"""Bounds over a range of one argument: a table with a row for each value, and where the claim holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symcook.model.answers import brief
from symcook.report.bound import HOLDS
from symcook.report.document import Document, PlainLines, Table, value_latex
from symcook.report.markup import TableCell

if TYPE_CHECKING:
    from symcook.bounds.sweeps import Sweep
    from symcook.numbers.balls import Ball


def line(swept: Sweep) -> str:
    """The kind, the values of the argument, and the verdict: the repr."""
    verdict = {True: "holds", False: "does not hold", None: "undecided"}[swept.holds]
    return brief(f"<Sweep {swept.summary().splitlines()[0]}, {verdict}>")


def document(swept: Sweep) -> Document:
    """The table, and at how many values the claim holds, fails or is undecided."""
    value_label, claimed_label = swept.answers[0].labels
    rows = [
        (TableCell(value), _cell(answer.value), _cell(answer.claimed), TableCell(_verdict(answer)))
        for value, answer in zip(swept.values, swept.answers, strict=True)
    ]
    table = Table(rows, header=(swept.name, value_label, claimed_label, "holds"))
    title = f"{swept.kind}: {swept.settings}" if swept.settings else swept.kind
    return Document(title, [table, PlainLines(swept.summary().splitlines())])


def _verdict(answer: object) -> str:
    """Whether the claim holds; "" where nothing is claimed."""
    return "" if answer.claimed is None else HOLDS[answer.holds]  # type: ignore[attr-defined]


def _cell(ball: Ball | None) -> TableCell:
    """A ball as text and LaTeX."""
    return TableCell("") if ball is None else TableCell(str(ball), tex=value_latex(ball.to_json()))
