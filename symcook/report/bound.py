"""A bound: the claimed value beside the sharp one, whether it holds, and the proofs for all parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symcook.model.answers import brief
from symcook.report.document import Document, Table, value_latex
from symcook.report.markup import TableCell

if TYPE_CHECKING:
    from symcook.bounds.arguments import Bound
    from symcook.numbers.balls import Ball

HOLDS = {True: "yes", False: "no", None: "undecided"}


def line(bound: Bound) -> str:
    """Both values and the verdict in a line: the repr."""
    holds = {True: "holds", False: "does not hold", None: "undecided"}[bound.holds]
    if bound.claimed is None:
        return brief(f"<Bound {brief(_title(bound), 50)}: {brief(bound.value.mid, 12)}>")
    value, claimed = (brief(ball.mid, 12) for ball in (bound.value, bound.claimed))
    return brief(f"<Bound {brief(_title(bound), 50)}: {value} against {claimed}, {holds}>")


def _title(bound: Bound) -> str:
    texts = {name: str(v).lower() if isinstance(v, bool) else v for name, v in bound.parameters.items()}
    settings = ", ".join(f"{name} = {v}" for name, v in texts.items())
    return f"{bound.kind}: {settings}" if settings else bound.kind


def document(bound: Bound) -> Document:
    """Parameters, both balls, the verdict, where the supremum is reached, and the proofs, the first of them named."""
    checked = (f"{name}: {status}" for name, status in bound.verdicts().items())
    rows = [
        (bound.labels[0], _cell(bound.value)),
        (bound.labels[1], _cell(bound.claimed or "")),
        ("holds", TableCell("" if bound.claimed is None else HOLDS[bound.holds])),
        ("attained", TableCell(f"{'yes' if bound.attained else 'no'}{f', {bound.where}' if bound.where else ''}")),
        *((name, _cell(value)) for name, value in bound.extra.items()),
        *((name, TableCell(str(what))) for name, what in bound.inputs.items()),
        ("source", TableCell(bound.source)),
        *(("proof" if k == 0 else "", TableCell(line)) for k, line in enumerate(checked)),
    ]
    return Document(_title(bound), [Table([row for row in rows if row[1].text])], label="bound")


def _cell(value: Ball | str) -> TableCell:
    return TableCell(value) if isinstance(value, str) else TableCell(str(value), tex=value_latex(value.to_json()))
