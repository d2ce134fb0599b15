"""A comparison of two models: how they are built differently, and the first difference between their runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symcook.export.diff import BITS, CLOSE_DIGITS
from symcook.model.answers import EMPTY_STRING, brief, grouped
from symcook.report.document import Document, PlainLines

if TYPE_CHECKING:
    from symcook.export.diff import Diff


def line(diff: Diff) -> str:
    """The outcome in one line: the repr."""
    return brief(f"<Diff {_lines(diff)[0]}>")


def document(diff: Diff) -> Document:
    """The outcome in words."""
    first, *lines = _lines(diff)
    return Document(first, [PlainLines(lines)] if lines else [])


def _lines(diff: Diff) -> list[str]:
    """The first line is the outcome, the others say where the models differ and what remains undecided."""
    # Parts of sentences: the names of the models, the tolerance, the inputs that were compared.
    a, b = diff.named
    tolerant = diff.tolerance != "0"
    beyond, within = (f" {how} {diff.tolerance}" if tolerant else "" for how in ("by more than", "within"))
    answers_of_a, answers_of_b = diff.shapes
    inputs_text = f"{grouped(diff.inputs)} input{'s' * (diff.inputs != 1)}"
    if diff.asked is not None and diff.asked.restricted:
        inputs_text = diff.asked.says
        if diff.inputs < diff.asked.count:
            inputs_text = f"{grouped(diff.inputs)} of {inputs_text}"
    inputs_text += diff.extent.at_values
    # The first line: no difference, a difference, or none found while some inputs are undecided.
    if diff.first is None:
        built = "are built differently" if diff.structure else "may be built differently"
        agree = "agree" if answers_of_a == answers_of_b else "have values that agree"
        how = f"do not differ{beyond}" if diff.same else f"{built} and {agree}{within}"
        lines = [f"{a} and {b} {how}, on {inputs_text}"]
    else:
        answer = " or in the answer" if tolerant and diff.answers else ""
        lines = [f"{a} and {b} differ{beyond}{answer}, on {diff.different} of {inputs_text}"]
    if diff.first is None and diff.stopped is not None and not diff.structure and not diff.undecided:
        lines = [f"{a} and {b}: whether all answers are equal is undecided; they agree{within} on {inputs_text}"]
    if diff.first is None and diff.open:
        built = " are built differently, and" if diff.structure else ":"
        lines = [f"{a} and {b}{built} whether they differ{beyond} is undecided on {diff.open} of {inputs_text}"]
    if diff.close:
        further = " beyond that" if tolerant else ""
        lines[0] += f"; on {diff.close} they are known to agree within 10^-{CLOSE_DIGITS}{further}"
    # What was not compared, and how the two are built differently.
    if answers_of_a != answers_of_b:
        lines.append(f"answers are not compared: {a} gives {answers_of_a}, {b} gives {answers_of_b}")
    lines += [*diff.structure, *diff.limits, *diff.undecided]
    # The first difference, with the values of both models.
    first = diff.first
    if first is not None:
        in_layer = first["layer"] and first["part"] != "answer"
        where = f"layer {first['layer']}, {first['part']}" if in_layer else first["part"]
        known = " that is known" if diff.open else ""
        lines.append(f"first input{known}: {first['input'] or EMPTY_STRING}")
        if first["position"] is not None:
            lines.append(f"first difference{known}: {where}, position {first['position']}, {first['coordinate']}")
        lines.append(f"the first has {first['first']}, the second {first['second']}")
    answer = diff.first_answer
    if answer is not None and first is not None and first["part"] != "answer":
        lines.append(
            f"first input{' that is known' * bool(diff.open)} whose answer changes: {answer['input'] or EMPTY_STRING}"
        )
        lines.append(f"the first answers {answer['first']}, the second {answer['second']}")
    if diff.alike_to is not None:
        known = f"answers are equal on {diff.extent.every}" if diff.alike_to else "no answers are known to be equal"
        lines.append(f"by hulls over prefixes, {known}")
    if diff.stopped is not None:
        lines.append(f"hulls stop: {diff.stopped}")
    if diff.open:
        inputs = f"{grouped(diff.open)} input{'s' * (diff.open != 1)}"
        lines.append(
            f"open: {inputs}, on which rigorous intervals of {BITS} bits leave a comparison or a difference undecided"
        )
    return lines
