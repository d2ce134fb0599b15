"""Closed forms: a line for each coordinate and position, the verdict, and the values for which they hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from symcook.errors import BadInput
from symcook.model.answers import EMPTY_STRING, brief
from symcook.model.expr import parse_formula, parse_term
from symcook.model.symbols import tree_from_sympy
from symcook.report.document import VERDICTS, WIDE, Drawn, abridged
from symcook.report.latex import formula_rows, latex
from symcook.report.markup import Display, TableCell, page, paragraph, table, upright, words
from symcook.report.mathml import lines, math

if TYPE_CHECKING:
    from symcook.derivation import AtPosition, Derivation

DRAWN = 250
"""The characters of a formula that is drawn: browsers break no formula into lines."""
OPEN = "undecided: the answer depends on the parameters"


def line(found: Derivation) -> str:
    """The closed forms in a line: the repr."""
    forms = ", ".join(f"{name} = {value}" for name, value in found.output.items())
    case = f" if {' & '.join(found.conditions)}" if found.conditions else ""
    return brief(f"<Derivation {brief(_title(found), 60)}: {brief(forms, 60)}{case}>")


def _title(found: Derivation) -> str:
    """What was derived, and on which input."""
    return f"{found.recipe} on {found.given or EMPTY_STRING}"


def document(found: Derivation) -> Drawn:
    """Its text, HTML and LaTeX."""
    return Drawn(lambda: text(found), lambda: html(found), lambda: displays(found))


def text(found: Derivation) -> str:
    """A line for each coordinate (and position), the verdict if there is one, and what it holds for."""
    lines = [_title(found)]
    for where, output, verdicts in _answers(found):
        equations = [f"{name} = {abridged(value)}" for name, value in output.items()]
        # The scores of labels stand on one line where there is room; other coordinates have a line each.
        together = f"{where}{', '.join(equations)}"
        short = found.labelled and len(together) < WIDE
        lines += [f"  {together}"] if short else [f"  {where}{equation}" for equation in equations]
        lines += [f"  {where}{what}: {answer}" for what, answer in verdicts.items()]
    return "\n".join([*lines, *(f"  {line}" for line in _holds(found))])


def _answers(found: Derivation) -> list[tuple[str, Mapping[str, str], dict[str, str]]]:
    """What is shown: a label for the position where there are several, the closed forms, and what is said of them."""
    if not found.each:
        return [("", found.output, _said(found, found))]
    rows: list[tuple[str, Mapping[str, str], dict[str, str]]]
    rows = [
        (f"position {position_answer.position}: ", position_answer.output, _said(found, position_answer))
        for position_answer in found.each
    ]
    return [*rows, ("", {}, _said(found, found))] if found.overall else rows


def _said(found: Derivation, one: AtPosition | Derivation) -> dict[str, str]:
    """The verdict, or the symbol that the readout names, or nothing."""
    if found.overall and one is not found:
        return {}
    if found.labelled:
        return {"answer": OPEN if one.label is None else one.label}
    return {"verdict": OPEN if one.accept is None else VERDICTS[one.accept]} if found.decides else {}


def _holds(found: Derivation) -> Iterator[str]:
    """Where the closed forms hold, in words."""
    if found.conditions:
        yield f"if {' & '.join(map(abridged, found.conditions))}"
    if found.symbols:
        ranges = f" with {' & '.join(found.assumptions)}" if found.assumptions else ""
        yield f"for all real {', '.join(found.symbols)}{ranges}"


def html(found: Derivation) -> str:
    """The closed forms as a table, typeset."""
    rows: list[list[str | TableCell]] = []
    for where, output, verdicts in _answers(found):
        rows += ([f"{where}{name}", typeset(value)] for name, value in output.items())
        for what, answer in verdicts.items():
            rows.append([f"{where}{what}", answer])
    if found.conditions:
        rows.append(["if", typeset(" & ".join(found.conditions))])
    if found.symbols:
        rows.append(["for all real", typeset(*found.symbols)])
    if found.symbols and found.assumptions:
        rows.append(["with", typeset(" & ".join(found.assumptions))])
    return page(paragraph(_title(found), bold=True), table([], rows, words=True))


def typeset(*texts: str) -> TableCell:
    """Formulas or terms of the grammar in one cell, by commas; as text where they are too long to be drawn in a line,
    or name a letter in quotes. A pointer shows the text."""
    together = ", ".join(texts)
    if len(together) > DRAWN or '"' in together:
        return TableCell(together)
    drawn = [_math(text) for text in texts]
    return TableCell(together, together, math=", ".join(drawn))


def _math(text: str) -> str:
    """A term, or else a formula: a term may hold comparisons too."""
    try:
        return math(parse_term(text))
    except BadInput:
        return lines(parse_formula(text))


def displays(found: Derivation) -> list[Display]:
    """The closed forms with the position as a subscript where there are several, and where they hold."""
    rows = []
    named: list[tuple[str, Mapping[str, Any], dict[str, str]]]
    named = [
        (f"_{{{position_answer.position}}}", position_answer.expressions, _said(found, position_answer))
        for position_answer in found.each
    ]
    if found.overall or not named:  # one verdict for all positions, or an answer at one position
        named.append(("", {} if found.overall else found.expressions, _said(found, found)))
    for index, expressions, verdicts in named:
        for name, value in expressions.items():
            first, *continued = formula_rows(tree_from_sympy(value))
            rows += [rf"{upright(name)}{index} &= {first}", *(f"&{row}" for row in continued)]
        rows += [rf"{words(what)}{index} &\colon {words(answer)}" for what, answer in verdicts.items()]
    if found.conditions:
        rows.append(rf"&{words('if ')} {_all(found.conditions)}")
    if found.symbols:
        names = ", ".join(latex(("name", name)) for name in found.symbols)
        ranges = rf"\ {words('with ')} {_all(found.assumptions)}" if found.assumptions else ""
        rows.append(rf"&{words('for all real ')} {names}{ranges}")
    return [Display(_title(found), tuple(rows))]


def _all(conditions: tuple[str, ...]) -> str:
    """The conditions joined by "and", as LaTeX."""
    return r" \land ".join(latex(parse_formula(condition)) for condition in conditions)
