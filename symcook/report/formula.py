"""A bound as formulas: the claimed and the tight value in the names that were given, and the status of the claim."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symcook.model.answers import brief
from symcook.report.document import Document, Table
from symcook.report.markup import TableCell

if TYPE_CHECKING:
    from symcook.bounds.formulas import SymbolicBound


def line(bound: SymbolicBound) -> str:
    """The tight and the claimed value, and the status of the claim, in one line: the repr."""
    status = bound.status if bound.premise_holds else f"{bound.status}: {bound.claim_status} where {bound.premise}"
    values = f"{bound.value} against {bound.claimed}"
    return brief(f"<Bound {_title(bound)}: {values}, {status}>")


def _title(bound: SymbolicBound) -> str:
    """The kind of the bound and its arguments."""
    return f"{bound.kind}: {', '.join(f'{name} = {value}' for name, value in bound.parameters.items())}"


def document(bound: SymbolicBound) -> Document:
    """A table of both values, what must hold of the arguments, and the row of the ledger with its status."""
    from sympy import latex

    row = "no row of the ledger states the claim for these arguments"
    row = f"{bound.row}: {bound.claim_status}" if bound.row else row
    rows = [
        (bound.labels[0], TableCell(str(bound.value), tex=latex(bound.value))),
        (bound.labels[1], TableCell(str(bound.claimed), tex=latex(bound.claimed))),
        ("where", TableCell(bound.premise)),
        ("status", TableCell(row)),
        *([] if bound.premise_holds else [("undecided", TableCell("whether the arguments satisfy this"))]),
        ("source", TableCell(bound.source)),
    ]
    return Document(_title(bound), [Table(rows)], label="bound")
