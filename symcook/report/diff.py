"""A comparison of two models: what is not alike, and the first place at which a run differs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symcook.export.diff import BITS, CLOSE_DIGITS
from symcook.model.answers import EMPTY_STRING, brief, grouped
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
    given, far = found.shapes
    many = f"{grouped(found.inputs)} input{'s' * (found.inputs != 1)}"
    if found.asked is not None and found.asked.restricted:
        many = found.asked.says
    if found.first is None:
        built = "are built differently" if found.structure else "may be built differently"
        agree = "agree" if given == far else "have values that agree"
        how = f"do not differ{beyond}" if found.same else f"{built} and {agree}{within}"
        lines = [f"{a} and {b} {how}, on {many}"]
    else:
        answer = " or in the answer" if loose and found.answers else ""
        lines = [f"{a} and {b} differ{beyond}{answer}, on {found.different} of {many}"]
    if found.first is None and found.open:
        built = " are built differently, and" if found.structure else ":"
        lines = [f"{a} and {b}{built} whether they differ{beyond} is undecided on {found.open} of {many}"]
    if found.close:
        further = " beyond that" if loose else ""
        lines[0] += f"; on {found.close} they are known to agree within 10^-{CLOSE_DIGITS}{further}"
    if given != far:
        lines.append(f"answers are not compared: {a} gives {given}, {b} gives {far}")
    lines += [*found.structure, *found.limits, *found.undecided]
    first = found.first
    if first is not None:
        where = (
            f"layer {first['layer']}, {first['part']}"
            if first["layer"] and first["part"] != "answer"
            else first["part"]
        )
        known = " that is known" if found.open else ""
        lines.append(f"first input{known}: {first['input'] or EMPTY_STRING}")
        if first["position"] is not None:
            lines.append(f"first difference{known}: {where}, position {first['position']}, {first['coordinate']}")
        lines.append(f"the first has {first['first']}, the second {first['second']}")
    if found.open:
        inputs = f"{grouped(found.open)} input{'s' * (found.open != 1)}"
        lines.append(
            f"open: {inputs}, on which a choice, or whether values differ, cannot be told in rigorous intervals "
            f"of {BITS} bits"
        )
    return lines
