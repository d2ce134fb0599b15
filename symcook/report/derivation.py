"""Closed forms on one input: the form of each coordinate at each position, the verdict, and the values for which they
hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from symcook.model.answers import EMPTY_STRING, brief
from symcook.model.expr import is_formula, parse_formula
from symcook.model.spelled import read
from symcook.model.symbols import tree_from_sympy
from symcook.report.document import VERDICTS, WIDE, Drawn, abridged
from symcook.report.latex import formula_rows, latex
from symcook.report.markup import Display, TableCell, page, paragraph, table, upright, words
from symcook.report.mathml import lines, math

if TYPE_CHECKING:
    from symcook.derivation import AtPosition, Derivation

DRAWN = 250
"""A formula with more characters is shown as text: browsers do not break drawn formulas into lines."""
OPEN = "undecided: the answer depends on the parameters"
"""The text of an answer or verdict that is None."""


def line(derivation: Derivation) -> str:
    """The closed forms in one line: the repr."""
    forms = ", ".join(f"{name} = {value}" for name, value in derivation.output.items())
    case = f" if {' & '.join(derivation.conditions)}" if derivation.conditions else ""
    return brief(f"<Derivation {brief(_title(derivation), 60)}: {brief(forms, 60)}{case}>")


def _title(derivation: Derivation) -> str:
    """The name of the model and the input."""
    return f"{derivation.recipe} on {derivation.given or EMPTY_STRING}"


def document(derivation: Derivation) -> Drawn:
    """Text, HTML and LaTeX of a derivation: those of its cases, one after the other."""
    cases = derivation.cases
    return Drawn(
        lambda: "\n\n".join(map(text, cases)),
        lambda: "".join(map(html, cases)),
        lambda: [display for case in cases for display in displays(case)],
    )


def text(derivation: Derivation) -> str:
    """A line for each coordinate (and position), the verdict if there is one, and for which values the forms hold."""
    lines = [_title(derivation)]
    for where, output, verdicts in _answers(derivation):
        equations = [f"{name} = {abridged(value)}" for name, value in output.items()]
        # The scores of labels are on one line if they fit; other coordinates have a line each.
        together = f"{where}{', '.join(equations)}"
        short = derivation.labelled and len(together) < WIDE
        lines += [f"  {together}"] if short else [f"  {where}{equation}" for equation in equations]
        lines += [f"  {where}{what}: {answer}" for what, answer in verdicts.items()]
    return "\n".join([*lines, *(f"  {line}" for line in _validity_lines(derivation))])


def _answers(derivation: Derivation) -> list[tuple[str, Mapping[str, str], dict[str, str]]]:
    """A row for each position: (its label, the closed forms, the verdict or answer).

    The label is "" if there is only one position. One verdict on all positions is a last row without closed forms.
    """
    if not derivation.each:
        return [("", derivation.output, _answer_text(derivation, derivation))]
    rows: list[tuple[str, Mapping[str, str], dict[str, str]]]
    rows = [
        (f"position {position_answer.position}: ", position_answer.output, _answer_text(derivation, position_answer))
        for position_answer in derivation.each
    ]
    return [*rows, ("", {}, _answer_text(derivation, derivation))] if derivation.overall else rows


def _answer_text(derivation: Derivation, answer: AtPosition | Derivation) -> dict[str, str]:
    """{"verdict" or "answer": its text} at one position or (`answer` is the derivation) of the whole; {} without an
    answer.

    One verdict on all positions is not repeated at single positions.
    """
    if derivation.overall and answer is not derivation:
        return {}
    if derivation.labelled:
        return {"answer": OPEN if answer.label is None else answer.label}
    return {"verdict": OPEN if answer.accept is None else VERDICTS[answer.accept]} if derivation.decides else {}


def _validity_lines(derivation: Derivation) -> Iterator[str]:
    """Lines that say for which values the closed forms hold."""
    if derivation.conditions:
        yield f"if {' & '.join(map(abridged, derivation.conditions))}"
    if derivation.symbols:
        ranges = f" with {' & '.join(derivation.assumptions)}" if derivation.assumptions else ""
        yield f"for all real {', '.join(derivation.symbols)}{ranges}"


def html(derivation: Derivation) -> str:
    """The closed forms as a table, typeset."""
    rows: list[list[str | TableCell]] = []
    for where, output, verdicts in _answers(derivation):
        rows += ([f"{where}{name}", typeset(value)] for name, value in output.items())
        for what, answer in verdicts.items():
            rows.append([f"{where}{what}", answer])
    if derivation.conditions:
        rows.append(["if", typeset(" & ".join(derivation.conditions))])
    if derivation.symbols:
        rows.append(["for all real", typeset(*derivation.symbols)])
    if derivation.symbols and derivation.assumptions:
        rows.append(["with", typeset(" & ".join(derivation.assumptions))])
    return page(paragraph(_title(derivation), bold=True), table([], rows, words=True))


def typeset(*texts: str) -> TableCell:
    """Formulas or terms of the grammar in one cell, separated by commas. The pointer shows their text.

    They are shown as text if they are too long to be drawn on one line. Raises BadInput for another text that is
    neither a term nor a formula of a statement.
    """
    together = ", ".join(texts)
    if len(together) > DRAWN:
        return TableCell(together)
    drawn = [_math(text) for text in texts]
    return TableCell(together, together, math=", ".join(drawn))


def _math(text: str) -> str:
    """The MathML of a text that is a term or a formula."""
    tree = read(text)
    return lines(tree) if is_formula(tree) else math(tree)


def displays(derivation: Derivation) -> list[Display]:
    """The closed forms as LaTeX, with the position as a subscript if there are several, and for which values they
    hold."""
    rows = []
    answer_rows: list[tuple[str, Mapping[str, Any], dict[str, str]]]
    answer_rows = [
        (f"_{{{position_answer.position}}}", position_answer.expressions, _answer_text(derivation, position_answer))
        for position_answer in derivation.each
    ]
    if derivation.overall or not answer_rows:  # one verdict for all positions, or an answer at one position
        answer_rows.append(
            ("", {} if derivation.overall else derivation.expressions, _answer_text(derivation, derivation))
        )
    for index, expressions, verdicts in answer_rows:
        for name, value in expressions.items():
            first, *continued = formula_rows(tree_from_sympy(value))
            rows += [rf"{upright(name)}{index} &= {first}", *(f"&{row}" for row in continued)]
        rows += [rf"{words(what)}{index} &\colon {words(answer)}" for what, answer in verdicts.items()]
    if derivation.conditions:
        rows.append(rf"&{words('if ')} {_all(derivation.conditions)}")
    if derivation.symbols:
        names = ", ".join(latex(("name", name)) for name in derivation.symbols)
        ranges = rf"\ {words('with ')} {_all(derivation.assumptions)}" if derivation.assumptions else ""
        rows.append(rf"&{words('for all real ')} {names}{ranges}")
    return [Display(_title(derivation), tuple(rows))]


def _all(conditions: tuple[str, ...]) -> str:
    """The conditions joined by "and", as LaTeX."""
    return r" \land ".join(latex(parse_formula(condition)) for condition in conditions)
