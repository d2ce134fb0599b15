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
    """The first line is the outcome, the others say where the models differ and what remains undecided."""
    # The words that depend on the tolerance and on how many inputs were compared.
    a, b = found.models
    if a == b:
        a, b = f"{a} (first)", f"{b} (second)"
    tolerant = found.tolerance != "0"
    beyond, within = (f" {how} {found.tolerance}" if tolerant else "" for how in ("by more than", "within"))
    answers_of_a, answers_of_b = found.shapes
    inputs_text = f"{grouped(found.inputs)} input{'s' * (found.inputs != 1)}"
    if found.asked is not None and found.asked.restricted:
        inputs_text = found.asked.says
    # The first line: no difference, a difference, or none found while some inputs are undecided.
    if found.first is None:
        built = "are built differently" if found.structure else "may be built differently"
        agree = "agree" if answers_of_a == answers_of_b else "have values that agree"
        how = f"do not differ{beyond}" if found.same else f"{built} and {agree}{within}"
        lines = [f"{a} and {b} {how}, on {inputs_text}"]
    else:
        answer = " or in the answer" if tolerant and found.answers else ""
        lines = [f"{a} and {b} differ{beyond}{answer}, on {found.different} of {inputs_text}"]
    if found.first is None and found.open:
        built = " are built differently, and" if found.structure else ":"
        lines = [f"{a} and {b}{built} whether they differ{beyond} is undecided on {found.open} of {inputs_text}"]
    if found.close:
        further = " beyond that" if tolerant else ""
        lines[0] += f"; on {found.close} they are known to agree within 10^-{CLOSE_DIGITS}{further}"
    # What was not compared, and how the two are built differently.
    if answers_of_a != answers_of_b:
        lines.append(f"answers are not compared: {a} gives {answers_of_a}, {b} gives {answers_of_b}")
    lines += [*found.structure, *found.limits, *found.undecided]
    # The first difference, with the values of both models.
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
