"""A comparison of two models: what is not alike, and the first place at which a run differs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symcook.errors import EMPTY_WORD
from symcook.model.answers import brief
from symcook.report.document import Document, PlainLines

if TYPE_CHECKING:
    from symcook.export.diff import Diff


def line(found: Diff) -> str:
    """The outcome in a line: the repr."""
    return brief(f"<Diff {_lines(found)[0]}>")


def document(found: Diff) -> Document:
    """The outcome in words."""
    first, *lines = _lines(found)
    return Document(first, [PlainLines(lines)] if lines else [])


def _lines(found: Diff) -> list[str]:
    a, b = found.models
    if a == b:
        a, b = f"{a} (first)", f"{b} (second)"
    loose = found.tolerance != "0"
    beyond, within = (f" {how} {found.tolerance}" if loose else "" for how in ("by more than", "within"))
    many = f"{found.inputs} input{'s' * (found.inputs != 1)}"
    if found.first is None:
        how = f"do not differ{beyond}" if found.same else f"are built differently and agree{within}"
        lines = [f"{a} and {b} {how}, on {many}"]
    else:
        lines = [f"{a} and {b} differ{beyond}, on {found.different} of {many}"]
    lines += found.structure
    first = found.first
    if first is not None:
        where = f"layer {first['layer']}, {first['part']}" if first["layer"] else first["part"]
        lines.append(f"first input: {first['input'] or EMPTY_WORD}")
        if first["position"] is not None:
            lines.append(f"first difference: {where}, position {first['position']}, {first['coordinate']}")
        lines.append(f"the first has {first['first']}, the second {first['second']}")
    if found.open:
        lines.append(f"open: {found.open} inputs, on which a choice cannot be told in balls of 256 bits")
    return lines
