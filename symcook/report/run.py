"""A run: the verdict, the values that the readout reads, and the trace if the run has one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from symcook.model.answers import EMPTY_STRING, brief
from symcook.report.document import (
    VERDICTS,
    WIDE,
    Drawn,
    abridged,
    cell,
    columns,
    stream_table,
    value_latex,
    value_text,
)
from symcook.report.markup import Display, array, page, paragraph, section, table, upright, words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from symcook.run import Run

WEIGHT = 8
"""The greatest number of characters in a cell of a heat map."""
# The note under HTML with shortened values.
_CUT = "≈: the first digits of a longer value; the trace has the whole of it, and so has the cell under a pointer"


def line(answer: Run) -> str:
    """The verdict or the values in one line: the repr."""
    model, answered, at = answer.result.model, answer_text(answer), answer.extent.at_values
    return brief(f"<Run {brief(model.name, 40)} on {brief(answer.given or EMPTY_STRING, 40)}{at}: {answered}>")


def answer_text(answer: Run) -> str:
    """The verdict of a model that decides, else the answers by position, else the values by coordinate."""
    if answer.result.model.decides:
        return VERDICTS[answer.accept]
    if answer.outputs_shown is not None:
        return ", ".join(map(value_text, answer.outputs_shown))
    return ", ".join(f"{name} = {value_text(value)}" for name, value in answer.output.items())


def answers_that_count(answer: Run) -> str:
    """The answers at the positions where an answer counts, for a readout at each position; else the one answer."""
    result = answer.result
    if not result.model.readout.each:
        return answer_text(answer)
    verdicts = result.model.decides
    answer_texts = (
        [VERDICTS[verdict] for verdict in result.answers] if verdicts else map(value_text, answer.outputs_shown or ())
    )
    return ", ".join(answer_texts) or "no answer counts"


def document(answer: Run) -> Drawn:
    """Text, HTML and LaTeX of a run."""
    return Drawn(lambda: text(answer), lambda: html(answer), lambda: displays(answer))


def text(answer: Run, width: int = WIDE) -> str:
    """A run as text; the lines of the tables of a trace have at most `width` characters."""
    # The answer.
    document = answer.to_json()
    lines = [_title(answer)]
    if document["output"]:
        lines.append(columns([(key, whole(value)) for key, value in document["output"].items()], "  "))
    if "outputs" in document:
        lines.append("  by position: " + ", ".join(map(whole, document["outputs"])))
    if document.get("reliable") is False:
        lines.append(f"  {_doubt(answer)}")
    # The trace: after each sublayer the residual stream, and the weights of its heads.
    start = answer.result.model.embedding.start
    for step in document.get("trace", ()):
        columns_text = {name: list(map(whole, column)) for name, column in step["coordinates"].items()}
        lines += ["", _where(step), stream_table(columns_text, start, width)]
        for head, weights in _heads(step):
            if not weights:
                lines.append(f"  {head} writes nothing")
                continue
            rows_by_query = {str(place): list(map(whole, row)) for place, row in enumerate(weights, start)}
            lines += [
                f"  attention of {head}, from the position on the left",
                stream_table(rows_by_query, start, width),
            ]
    return "\n".join(lines)


def whole(value: object) -> str:
    """A value as text, abridged if it is very long."""
    return abridged(value_text(value))


def _heads(step: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """(name, weights) for each head of a step of the trace; the weights have a row for each query position."""
    heads = step.get("attention", ())
    for number, weights in enumerate(heads, 1):
        yield f"head {number} of {len(heads)}" if len(heads) > 1 else "the head", weights


def _title(answer: Run) -> str:
    """The model, the input, the values of the parameters and the verdict."""
    model = answer.result.model
    verdict = f": {VERDICTS[answer.accept]}" if model.decides else ""
    return f"{model.name} on {answer.given or EMPTY_STRING}{answer.extent.at_values}{verdict}"


def _doubt(answer: Run) -> str:
    """The warning for an answer that rounding errors may have changed."""
    domain: Any = answer.result.domain
    numbers = f"{domain.bits} bits" if domain.name == "mpmath" else domain.name
    return f"the margin lies below the rounding bound of {numbers}: the exact answer may differ"


def _where(step: dict[str, object]) -> str:
    """The heading of a step of the trace: the sublayer after which it shows the residual stream."""
    return f"after layer {step['layer']}, {step['part']}" if step["layer"] else f"after the {step['part']}"


def _places(answer: Run) -> list[str]:
    """A label for each position: its number and its token."""
    result = answer.result
    start = result.model.embedding.start
    if result.model.embedding.inputs is not None:
        return [str(start + place) for place in result.everywhere]
    sign = '"' if any(token.isdecimal() for token in result.sequence) else ""  # so that a digit looks like no position
    return [f"{place}: {sign}{token}{sign}" for place, token in enumerate(result.sequence, start)]


def html(answer: Run) -> str:
    """The values as HTML; for a trace the residual stream after each sublayer, and a heat map for each head."""
    document = answer.to_json()
    parts = [paragraph(_title(answer), bold=True)]
    places = _places(answer)
    if document["output"]:
        rows = [[name, value_text(value)] for name, value in document["output"].items()]
        where = "value" if answer.result.model.pointwise else f"value at position {places[answer.result.place]}"
        parts.append(table(["coordinate", where], rows, words=True))
    if "outputs" in document:
        answers = list(map(value_text, document["outputs"]))
        header = places if len(answers) == len(places) else [places[answer.result.place]]
        parts.append(table(["position", *header], [["answer", *answers]]))
    if document.get("reliable") is False:
        parts.append(paragraph(_doubt(answer)))
    for step in document.get("trace", ()):
        rows = [[name, *map(cell, column)] for name, column in step["coordinates"].items()]
        drawn = table(["position", *places], rows, "residual stream") if rows else paragraph("every coordinate is zero")
        parts.append(section(_where(step), drawn, *_heat(step, places)))
    drawn = page(*parts)
    return page(*parts, paragraph(_CUT)) if "≈" in drawn else drawn


def _heat(step: dict[str, object], places: list[str]) -> Iterator[str]:
    """The attention weights of each head as HTML: a row for each query position, a column for each key position."""
    for name, weights in _heads(step):
        if not weights:
            yield paragraph(f"{name} writes nothing")
            continue
        rows = [
            [place, *(cell(value, WEIGHT, shaded=True) for value in row)]
            for place, row in zip(places, weights, strict=True)
        ]
        yield table(["from \\ to", *places], rows, f"attention weights of {name}")


def svg(answer: Run, dark: bool = False) -> str:
    """The trace as an SVG picture."""
    from symcook.report.picture import svg as drawn

    return drawn(answer, dark)


def plot(answer: Run) -> Figure:
    """The residual stream as a matplotlib figure."""
    from symcook.report.runplot import plot as drawn

    return drawn(answer)


def attention(answer: Run) -> Figure:
    """The weights of each head as a matplotlib figure."""
    from symcook.report.runplot import attention as drawn

    return drawn(answer)


def displays(answer: Run) -> list[Display]:
    """The values as LaTeX; for a trace the residual stream after each sublayer, and the weights of each head."""
    document = answer.to_json()
    rows = [rf"{upright(name)} &= {value_latex(value)}" for name, value in document["output"].items()]
    if "outputs" in document:
        rows.append(rf"{words('by position')} &\colon {', '.join(map(_answer, document['outputs']))}")
    shown = [Display(_title(answer), tuple(rows))]
    if document.get("reliable") is False:
        shown.append(Display(_doubt(answer)))
    places = list(map(words, _places(answer)))
    for step in document.get("trace", ()):
        table = [[words("position"), *places]]
        table += [[upright(name), *map(value_latex, column)] for name, column in step["coordinates"].items()]
        rows = ["&" + array(table, "l|" + "r" * len(places))]
        for number, weights in enumerate(step.get("attention", ()), 1):
            if weights:
                entries = [list(map(value_latex, row)) for row in weights]
                drawn = array(entries, "r" * len(places), brackets=True)
                rows.append(rf"& {words(f'head {number}: ')} \alpha = {drawn}")
        shown.append(Display(_where(step), tuple(rows)))
    return shown


def _answer(value: object) -> str:
    """An answer at one position as LaTeX: a tuple of named values, a verdict, or a number."""
    if isinstance(value, dict) and value.keys() != {"mid", "rad"}:
        return "(" + ", ".join(f"{upright(key)} = {value_latex(item)}" for key, item in value.items()) + ")"
    return words(value_text(value)) if value is None or isinstance(value, bool) else value_latex(value)
