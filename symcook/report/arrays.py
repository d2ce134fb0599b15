"""Float weights in memory: the shape of each array, and the guarantee."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symcook.model.answers import brief
from symcook.report.document import Document, PlainLines, Table
from symcook.report.exported import guarantee_lines, theorem_lines, within_language

if TYPE_CHECKING:
    from symcook.export.answer import WeightArrays


def line(weights: WeightArrays) -> str:
    """The model, the type of the numbers, the inputs that the guarantee is about, and its first line: the repr."""
    about = weights.document
    said = ", ".join([*within_language(about), guarantee_lines(about)[0].strip()])
    return brief(f"<WeightArrays of {about['model']}: {len(weights)} arrays, {about['dtype']}, {said}>")


def document(weights: WeightArrays) -> Document:
    """A row for each array of numbers, with its shape; then the guarantee."""
    rows = [
        (name, " x ".join(map(str, array.shape)) or "one number", str(array.dtype))
        for name, array in weights.items()
        if array.dtype.kind in "fiub"
    ]
    table = Table(rows, header=("array", "shape", "type"))
    title = f"{weights.document['model']} as arrays of {weights.document['dtype']}"
    about = weights.document
    return Document(
        title, [table, PlainLines([*within_language(about), *guarantee_lines(about), *theorem_lines(about)])]
    )
