"""Closed forms at every length, typeset: a table a case, with the verdict and what the names are."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from symcook.errors import BadInput
from symcook.model.answers import brief
from symcook.model.expr import parse_formula
from symcook.model.symbols import tree_from_sympy
from symcook.report.derivation import typeset
from symcook.report.document import VERDICTS, Drawn
from symcook.report.latex import formula_rows, latex
from symcook.report.markup import Display, TableCell, page, paragraph, table, upright, words

if TYPE_CHECKING:
    from symcook.closed import ClosedForm, EveryLength


def line(found: ClosedForm | EveryLength) -> str:
    """How many cases there are, or one of them, in a line: the repr."""
    forms = _forms(found)
    values = "; ".join(", ".join(f"{name} = {value}" for name, value in form.output.items()) for form in forms)
    return brief(f"<{type(found).__name__} {brief(forms[0].recipe, 40)} at every length: {values}>")


def document(found: ClosedForm | EveryLength) -> Drawn:
    """Its text, HTML and LaTeX; those of all cases with what was proved of them."""
    forms, every = _forms(found), getattr(found, "forms", None) is not None
    proof_lines = _proof(found) if every else []
    return Drawn(
        lambda: text(found) if every else forms[0].text(),  # type: ignore[arg-type]
        lambda: page(*map(_html, forms), *([paragraph(*proof_lines)] if proof_lines else [])),
        lambda: [_display(form) for form in forms],
    )


def cases(found: EveryLength) -> str:
    """The forms alone as HTML, without what is proved of them."""
    return page(*map(_html, _forms(found)))


def text(found: EveryLength, certificate: str | None = None) -> str:
    """The cases, the coordinates on the way, and what is proved of them."""
    lines = ["\n\n".join(form.text() for form in found.forms), ""]
    # The coordinates before the output: their names, their closed forms, and those that have none, by reason.
    way = found.way()
    if way:
        guards = [guard for cases in way.values() for case in cases for guard in case["conditions"]]
        tokens = ["w(i) is the token at position i"] * any("w(" in guard for guard in guards)
        meanings = ", ".join([*found.meaning(), *tokens])
        lines += ["Intermediate values at position i:", *([f"  where {meanings}"] if meanings else [])]
        missing: dict[str, list[str]] = {}
        for name, cases in way.items():
            for case in cases:
                guard_text = f" if {' & '.join(case['conditions'])}" if case["conditions"] else ""
                if case["value"] is None:
                    missing.setdefault(case["why"], []).append(name)
                else:
                    lines.append(f"  {name} = {case['value']}{guard_text}")
        lines += [f"  unsupported: {', '.join(names)} ({why})" for why, names in missing.items()]
        if unclaimed := found.unclaimed():
            forms = f"The form{'s' * (len(unclaimed) > 1)} of {', '.join(unclaimed)}"
            lines.append(f"  {forms}: proved only at the position that the readout reads")
        lines.append("")
    lines += _proof(found)
    if certificate is not None:
        lines.append(f"certificate: {certificate}")
    return "\n".join(lines).rstrip("\n")


def _proof(found: Any) -> list[str]:
    """What is proved and what is not, in lines; that a proof is for the asking where none was tried."""
    if found.proof is None:
        return ["no proof was requested; prove(), or symcook derive without --input, searches for one"]
    return found.proof.said()


def _forms(found: ClosedForm | EveryLength) -> Sequence[ClosedForm]:
    """The closed forms: one for each case, or the one that is given."""
    forms: Sequence[ClosedForm] | None = getattr(found, "forms", None)
    return (found,) if forms is None else forms  # type: ignore[return-value]


def _said(one: ClosedForm) -> list[tuple[str, str, str]]:
    """The verdict or the label: what it is, in words, and the condition that belongs to it, if any."""
    if one.labelled:
        return [("answer", one.label or "open", "")]
    if not one.decides:
        return []
    if one.accept is None:
        return [("verdict", "accept iff", one.accepts or "")]
    return [("verdict", VERDICTS[one.accept], "")]


def _html(one: ClosedForm) -> str:
    """The closed form of one case as a table."""
    rows: list[list[str | TableCell]] = [[name, typeset(value)] for name, value in one.output.items()]
    for what, answer, condition in _said(one):
        drawn = _typeset(condition) if condition else None
        rows.append([f"{what}: {answer}", drawn] if drawn is not None else [what, answer])
    if one.meaning:
        rows.append(["where", _meanings(one.meaning)])
    if one.assumptions:
        rows.append(["for all", typeset(" & ".join(one.assumptions))])
    if one.conditions:
        rows.insert(0, ["if", _typeset(" & ".join(one.conditions))])
    return paragraph(f"{one.recipe}, all lengths", bold=True) + table([], rows, words=True)


def _display(one: ClosedForm) -> Display:
    """The closed form of one case as the rows of a display."""
    rows = []
    for name, value in one.expressions.items():
        first, *continued = formula_rows(tree_from_sympy(value))
        rows += [rf"{upright(name)} &= {first}", *(f"&{row}" for row in continued)]
    for what, answer, condition in _said(one):
        drawn = rf"\ {_latex(condition)}" if condition else ""
        rows.append(rf"{words(what)} &\colon {words(answer)}{drawn}")
    if one.conditions:
        together = r" \land ".join(map(_latex, one.conditions))
        rows.append(rf"&{words('if ')} {together}")
    if one.meaning:
        rows.append(rf"&{words('where ' + ', '.join(one.meaning))}")
    return Display(f"{one.recipe}, all lengths", tuple(rows))


def _typeset(condition: str) -> TableCell:
    """A condition drawn; as text where a letter stands in it that the grammar of expressions does not have."""
    try:
        return typeset(condition)
    except BadInput:
        return TableCell(condition)


def _meanings(meaning: Sequence[str]) -> TableCell:
    """What the names are: words, but formulas drawn."""
    drawn = []
    for meaning_text in meaning:
        name, _, value = meaning_text.partition(" = ")
        plain = not value or value.isidentifier()
        drawn.append(escape(meaning_text) if plain else f"{_drawn(name)} = {_drawn(value)}")
    return TableCell(", ".join(meaning), math=", ".join(drawn))


def _drawn(text: str) -> str:
    """A condition as MathML; its text where it cannot be drawn."""
    cell = _typeset(text)
    return cell.math or escape(cell.text)


def _latex(condition: str) -> str:
    """A condition as LaTeX; as words where the grammar does not have it."""
    try:
        return latex(parse_formula(condition))
    except BadInput:
        return words(condition)
