"""The closed forms of a family for all parameter values. `symcook.report.definition` prints the definition."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from symcook.model.expr import parse_formula, show
from symcook.model.plainfamily import Range
from symcook.report.document import WIDE

if TYPE_CHECKING:
    from symcook.proof.families.sizeforms import FamilyForms, FamilyProof


def forms_text(forms: FamilyForms, proof: FamilyProof, certificate: str | None = None) -> str:
    """The closed forms for all parameter values, the meaning of their names, and what is proved about them."""
    family = forms.family
    lines = [f"{family.name} at every length and all sizes"]
    for form in forms.outputs.values():
        value_text = f"unsupported: {form.why}" if form.value is None else show(form.value)
        line = f"{form.head} = {value_text}" if form.value is not None else f"{form.head} {value_text}"
        lines += textwrap.wrap(line, WIDE - 2, initial_indent="  ", subsequent_indent="      ", break_on_hyphens=False)
    lines += [f"  where {meaning}" for meaning in [", ".join(_meanings(forms))] if meaning]
    lines += [f"  for all {premises}" for premises in [_premises(forms)] if premises != "true"]
    proved_names = [
        name for name, form in forms.outputs.items() if name not in proof.missing and proof.certificate is not None
    ]
    lines += [""] + [f"PROVED: {', '.join(proved_names)}"] * bool(proved_names)
    lines += [f"not proved: {name}, {why}" for name, why in proof.missing.items()]
    return "\n".join([*lines, *([f"certificate: {certificate}"] if certificate is not None else [])])


def forms_document(forms: FamilyForms, proof: FamilyProof) -> dict[str, Any]:
    """The content of `forms_text` as JSON, with the keys of the closed forms of a model."""
    family = forms.family
    outputs = {form.head: show(form.value) for form in forms.outputs.values() if form.value is not None}
    return {
        "recipe": family.name,
        "length": "every",
        "symbols": [*([] if forms.relation.pointwise else ["n"]), *family.sizes, *family.tables],
        "assumptions": [_premises(forms)],
        "conditions": [],
        "output": outputs,
        "accept": None,
        "where": _meanings(forms),
        "proof": None if proof.statement is None else proof.statement.note,
        "proved": proof.whole,
        "missing": proof.missing,
        "statement": None if proof.certificate is None or proof.statement is None else proof.statement.text,
    }


def _premises(forms: FamilyForms) -> str:
    """The conditions on the parameters, as the grammar prints them; "true" where there are none."""
    needed = forms.relation.premises()
    return needed if needed == "true" else show(parse_formula(needed))


def _meanings(forms: FamilyForms) -> list[str]:
    """The meaning of the names n, w and of the inputs in the closed forms."""
    family, meanings = forms.family, [] if forms.relation.pointwise else ["n = length"]
    meanings += ["w(j) is the number of the token at j, from 0"] if family.vocabulary is not None else []
    return meanings + [f"{_declared(input_.name, input_.over)} in the input" for input_ in family.inputs]


def _declared(name: str, over: tuple[Range, ...]) -> str:
    """A name with its indices and their ranges."""
    if not over:
        return name
    ranges = ", ".join(f"{c} in {show(low)}..{show(high)}" for c, low, high in over)
    return f"{name}({', '.join(index.name for index in over)}) for {ranges}"
