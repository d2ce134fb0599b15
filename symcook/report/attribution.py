"""Direct contributions to a logit: a row for each part, and the sum."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from symcook.model.answers import EMPTY_STRING, brief
from symcook.report.document import Document, PlainLines, Table, value_latex, value_text
from symcook.report.markup import TableCell

if TYPE_CHECKING:
    from symcook.questions.attribution import Attribution


def line(answer: Attribution) -> str:
    """The logit and the largest contribution: the repr."""
    name = max(answer.parts, key=lambda part: abs(float(answer.parts[part])))
    largest = f"{name} {value_text(_shown(answer, answer.parts[name]))}"
    return brief(f"<Attribution of {_title(answer)}: {value_text(_shown(answer, answer.logit))}, most by {largest}>")


def document(answer: Attribution) -> Document:
    """A row for each part; then the sum, and the note about the final norm."""
    rows = [(name, _cell(answer, value)) for name, value in answer.parts.items()]
    table = Table([*rows, ("sum", _cell(answer, answer.logit))], header=("part", "adds"))
    notes = [] if answer.why is None else [PlainLines([answer.why])]
    return Document(f"direct contributions to {_title(answer)}", [table, *notes])


def _title(answer: Attribution) -> str:
    """The logit, the model, the input and the position."""
    what = "the logit" if answer.label is None else f"the score of {answer.label}"
    where = f"at position {answer.position}{answer.extent.at_values}"
    return f"{what} of {answer.model} on {answer.given or EMPTY_STRING} {where}"


def _shown(answer: Attribution, number: Any) -> Any:
    """A number as reports take it."""
    return number if isinstance(number, float) else answer.text_of(number)


def _cell(answer: Attribution, number: Any) -> TableCell:
    """A number, in text and LaTeX."""
    shown = _shown(answer, number)
    return TableCell(value_text(shown), tex=value_latex(shown))
