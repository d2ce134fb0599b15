"""Closed forms at every length, as text, HTML and LaTeX: one table for each case, with the verdict and the meaning of
the names.

A `ClosedForm` is one case; an `EveryLength` has one or more (`forms`) and what was proved about them (`proof`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from symcook.closed import about_words
from symcook.domains.spelling import WORDS, conjunction
from symcook.errors import BadInput
from symcook.model.answers import brief
from symcook.model.expr import Tree, children, show
from symcook.model.meaning import conjuncts
from symcook.model.spelled import read
from symcook.model.symbols import tree_from_sympy
from symcook.report.derivation import typeset
from symcook.report.document import VERDICTS, Drawn
from symcook.report.latex import formula_rows, latex
from symcook.report.markup import Display, TableCell, page, paragraph, table, upright, words

if TYPE_CHECKING:
    from symcook.closed import ClosedForm, EveryLength


LINE = 34
"""A formula that is wider between two places at which a page may break it is shown as text, as `_width` counts."""


def line(answer: ClosedForm | EveryLength) -> str:
    """The outputs of all cases in one line: the repr."""
    forms = _forms(answer)
    values = "; ".join(", ".join(f"{name} = {value}" for name, value in form.output.items()) for form in forms)
    return brief(f"<{type(answer).__name__} {brief(forms[0].recipe, 40)} at all lengths: {values}>")


def document(answer: ClosedForm | EveryLength) -> Drawn:
    """Text, HTML and LaTeX of one case, or of all cases followed by what was proved about them."""
    forms, every = _forms(answer), getattr(answer, "forms", None) is not None  # `every`: an EveryLength
    proof_lines = _proof(answer) if every else []
    return Drawn(
        lambda: text(answer) if every else forms[0].text(),  # type: ignore[arg-type]
        lambda: page(*map(_html, forms), *([paragraph(*proof_lines)] if proof_lines else [])),
        lambda: [_display(form) for form in forms],
    )


def cases(answer: EveryLength) -> str:
    """All cases as HTML, without what is proved about them."""
    return page(*map(_html, _forms(answer)))


def text(answer: EveryLength, certificate: str | None = None) -> str:
    """The cases, the coordinates that are computed before the output, and what is proved about them. Each indented line
    is a statement that `prove` takes."""
    model, forms = answer.forms[0].recipe, answer.forms
    lines = [f"Model {model}, all lengths:", *_statements(line for form in forms for line in form.lines)]
    lines += [*_remarks(forms), ""]
    # The coordinates before the output, and by reason the coordinates without a closed form.
    way, said = answer.way(), answer.way_lines()
    if way:
        lines += ["Before the output:", *_statements(said)]
        lines += [f"where {', '.join(meanings)}"] if (meanings := about_words(said)) else []
        lines += [f"for all {' & '.join(assumed)}"] if (assumed := answer.way_assumptions()) else []
        missing: dict[str, list[str]] = {}
        for name, cases in way.items():
            if cases[0]["value"] is None:
                missing.setdefault(cases[0]["why"], []).append(name)
        lines += [f"unsupported: {', '.join(names)} ({why})" for why, names in missing.items()]
        if unclaimed := answer.unclaimed():
            forms_of = f"The form{'s' * (len(unclaimed) > 1)} of {', '.join(unclaimed)}"
            lines.append(f"{forms_of}: proved only at the position that the readout reads")
        lines.append("")
    lines += _proof(answer)
    if certificate is not None:
        lines.append(f"certificate: {certificate}")
    return "\n".join(lines).rstrip("\n")


def _remarks(forms: Sequence[ClosedForm]) -> list[str]:
    """The remarks of all forms: each meaning once, in one line, and each other remark once."""
    meanings = [text for form in forms for text in form.meanings]
    others = [remark for form in forms for remark in form.remarks if not remark.startswith("where ")]
    return [*([f"where {', '.join(dict.fromkeys(meanings))}"] if meanings else []), *dict.fromkeys(others)]


def _statements(lines: Iterable[str]) -> list[str]:
    """The statements, indented, each once."""
    return [f"  {line}" for line in dict.fromkeys(lines)]


def _proof(answer: Any) -> list[str]:
    """What is proved and what is not, in lines; if no proof was searched for, how to request one."""
    if answer.proof is None:
        return ["no proof was requested; prove(), or symcook derive without --input, searches for one"]
    return answer.proof.said()


def _forms(answer: ClosedForm | EveryLength) -> Sequence[ClosedForm]:
    """The closed forms of all cases; `answer` alone if it is one case."""
    forms: Sequence[ClosedForm] | None = getattr(answer, "forms", None)
    return (answer,) if forms is None else forms  # type: ignore[return-value]


def _answer_rows(form: ClosedForm) -> list[tuple[str, str, str]]:
    """What the model answers, at most one row: ("answer" or "verdict", its text, the condition under which it accepts
    or "")."""
    if form.labelled:
        return [("answer", form.label or "open", "")]
    if not form.decides:
        return []
    if form.accept is None:
        return [("verdict", "accept iff", form.accepts or "")]
    return [("verdict", VERDICTS[form.accept], "")]


def _html(form: ClosedForm) -> str:
    """The closed form of one case as a table."""
    rows: list[list[str | TableCell]] = [[name, _typeset(value)] for name, value in form.output.items()]
    for what, answer, condition in _answer_rows(form):
        drawn = _typeset(condition) if condition else None
        rows.append([f"{what}: {answer}", drawn] if drawn is not None else [what, answer])
    if form.meaning:
        rows.append(["where", _meanings(form.meaning)])
    if form.assumptions:
        rows.append(["for all", _typeset(" & ".join(form.assumptions))])
    if form.conditions:
        rows.insert(0, ["if", _typeset(conjunction(form.conditions))])
    return paragraph(f"{form.recipe}, all lengths", bold=True) + table([], rows, words=True)


def _display(form: ClosedForm) -> Display:
    """The closed form of one case as the rows of a display."""
    rows = []
    for name, value in form.expressions.items():
        first, *continued = formula_rows(tree_from_sympy(value), WORDS)
        rows += [rf"{upright(name)} &= {first}", *(f"&{row}" for row in continued)]
    for what, answer, condition in _answer_rows(form):
        drawn = rf"\ {_latex(condition)}" if condition else ""
        rows.append(rf"{words(what)} &\colon {words(answer)}{drawn}")
    if form.conditions:
        drawn_conditions = [(_latex(text), "|" in text) for text in form.conditions]
        together = r" \land ".join(rf"\left({text}\right)" if either else text for text, either in drawn_conditions)
        rows.append(rf"&{words('if ')} {together}")
    if form.meaning:
        rows.append(rf"&{words('where ' + ', '.join(form.meaning))}")
    return Display(f"{form.recipe}, all lengths", tuple(rows))


def _typeset(text: str) -> TableCell:
    """A term or formula typeset; as text where it cannot be read, or where one of its conjuncts is too wide."""
    try:
        broken = all(_width(part) <= LINE for part in conjuncts(read(text)))
        return typeset(text) if broken else TableCell(text)
    except BadInput:
        return TableCell(text)


def _width(tree: Tree) -> int:
    """The number of characters of a term or formula, where a fraction is as wide as its wider side."""
    parts = [*children(tree)]
    if tree[0] == "/":
        return max(map(_width, parts))
    return len(show(tree)) + sum(_width(part) - len(show(part)) for part in parts)


def _meanings(meaning: Sequence[str]) -> TableCell:
    """The meanings of the names, separated by commas: formulas are drawn, words are not."""
    drawn = []
    for meaning_text in meaning:
        name, _, value = meaning_text.partition(" := ")
        drawn.append(f"{_drawn(name)} := {_drawn(value)}" if value else escape(meaning_text))
    return TableCell(", ".join(meaning), math=", ".join(drawn))


def _drawn(text: str) -> str:
    """A condition as MathML; its text where it cannot be drawn."""
    cell = _typeset(text)
    return cell.math or escape(cell.text)


def _latex(condition: str) -> str:
    """A condition as LaTeX; as words where it cannot be read."""
    try:
        return latex(read(condition), WORDS)
    except BadInput:
        return words(condition)
