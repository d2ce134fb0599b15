"""A bound: the claimed and the tight value, whether the claim holds, and the proofs for all parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symcook.model.answers import brief
from symcook.report.document import Document, Table, value_latex
from symcook.report.markup import TableCell

if TYPE_CHECKING:
    from symcook.bounds.arguments import Bound
    from symcook.numbers.balls import Ball

HOLDS = {True: "yes", False: "no", None: "undecided"}
"""What the table shows for each value of `Bound.holds`."""


def line(bound: Bound) -> str:
    """The computed and the claimed value, and the verdict, in one line: the repr."""
    holds = {True: "holds", False: "does not hold", None: "undecided"}[bound.holds]
    if bound.claimed is None:
        return brief(f"<Bound {brief(_title(bound), 50)}: {brief(bound.value.mid, 12)}>")
    value, claimed = (brief(ball.mid, 12) for ball in (bound.value, bound.claimed))
    return brief(f"<Bound {brief(_title(bound), 50)}: {value} against {claimed}, {holds}>")


def _title(bound: Bound) -> str:
    """The kind of the bound, its parameters, and the values of those of the model."""
    return (f"{bound.kind}: {bound.settings}" if bound.settings else bound.kind) + bound.extent.at_values


def document(bound: Bound) -> Document:
    """A table of both values, the verdict, where the supremum is attained, and the proofs; its title is `_title`."""
    proof_lines = (f"{name}: {status}" for name, status in bound.verdicts().items())
    rows = [
        (bound.labels[0], _cell(bound.value)),
        (bound.labels[1], _cell(bound.claimed or "")),
        ("holds", TableCell("" if bound.claimed is None else HOLDS[bound.holds])),
        ("attained", TableCell(f"{'yes' if bound.attained else 'no'}{f', {bound.where}' if bound.where else ''}")),
        *((name, _cell(value)) for name, value in bound.extra.items()),
        *((name, TableCell(str(value))) for name, value in bound.inputs.items()),
        ("source", TableCell(bound.source)),
        *(("proof" if k == 0 else "", TableCell(proof)) for k, proof in enumerate(proof_lines)),
    ]
    # A row without a value (such as a bound without a claim) is left out.
    return Document(_title(bound), [Table([row for row in rows if row[1].text])], label="bound")


def _cell(value: Ball | str) -> TableCell:
    """A ball as text and LaTeX; a string as it is."""
    return TableCell(value) if isinstance(value, str) else TableCell(str(value), tex=value_latex(value.to_json()))
