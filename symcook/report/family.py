"""The closed forms of a family at all sizes. Its definition is in `symcook.report.definition`."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from symcook.model.expr import parse_formula, show
from symcook.model.plainfamily import Range
from symcook.report.document import WIDE

if TYPE_CHECKING:
    from symcook.proof.families.sizeforms import FamilyForms, FamilyProof


def forms_text(found: FamilyForms, proof: FamilyProof, certificate: str | None = None) -> str:
    """The closed forms at all sizes, what their names are, and what is proved of them."""
    family = found.family
    lines = [f"{family.name} at every length and all sizes"]
    for form in found.outputs.values():
        value_text = f"unsupported: {form.why}" if form.value is None else show(form.value)
        line = f"{form.head} = {value_text}" if form.value is not None else f"{form.head} {value_text}"
        lines += textwrap.wrap(line, WIDE - 2, initial_indent="  ", subsequent_indent="      ")
    lines += [f"  where {meaning}" for meaning in [", ".join(_meanings(found))] if meaning]
    lines += [f"  for all {premises}" for premises in [_premises(found)] if premises != "true"]
    done = [name for name, form in found.outputs.items() if name not in proof.missing and proof.certificate is not None]
    lines += [""] + [f"PROVED: {', '.join(done)}"] * bool(done)
    lines += [f"not proved: {name}, {why}" for name, why in proof.missing.items()]
    return "\n".join([*lines, *([f"certificate: {certificate}"] if certificate is not None else [])])


def forms_document(found: FamilyForms, proof: FamilyProof) -> dict[str, Any]:
    """The same as a document, with the keys that the closed forms of a model have."""
    family = found.family
    outputs = {form.head: show(form.value) for form in found.outputs.values() if form.value is not None}
    return {
        "recipe": family.name,
        "length": "every",
        "symbols": [*([] if found.relation.pointwise else ["n"]), *family.sizes, *family.tables],
        "assumptions": [_premises(found)],
        "conditions": [],
        "output": outputs,
        "accept": None,
        "where": _meanings(found),
        "proof": None if proof.statement is None else proof.statement.note,
        "proved": proof.whole,
        "missing": proof.missing,
        "statement": None if proof.certificate is None or proof.statement is None else proof.statement.text,
    }


def _premises(found: FamilyForms) -> str:
    needed = found.relation.premises()
    return needed if needed == "true" else show(parse_formula(needed))


def _meanings(found: FamilyForms) -> list[str]:
    """What the names are that a family's forms speak of."""
    family, meanings = found.family, [] if found.relation.pointwise else ["n = length"]
    meanings += ["w(j) is the number of the token at j, from 0"] if family.vocabulary is not None else []
    return meanings + [f"{_declared(input_.name, input_.over)} in the input" for input_ in family.inputs]


def _declared(name: str, over: tuple[Range, ...]) -> str:
    if not over:
        return name
    ranges = ", ".join(f"{c} in {show(low)}..{show(high)}" for c, low, high in over)
    return f"{name}({', '.join(index.name for index in over)}) for {ranges}"
