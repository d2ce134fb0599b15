"""A family as mathematics: its sizes, tables and coordinates, and the equations of a run at all sizes at once."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from symcook.model.expr import parse_formula, show
from symcook.model.family import Family, Range
from symcook.proof.familyrel import FamilyRelation
from symcook.report.document import WIDE
from symcook.report.latex import latex as typeset


def text(family: Family) -> str:
    """What ``symcook show FAMILY`` prints."""
    lines = [f"{family.name}: {family.summary or 'a family of models'}" + f" ({family.source})" * bool(family.source)]
    lines += ["", *(f"{what:<12}{line}" for what, line in _facts(family)), "", "A run, at all sizes:"]
    for equation in _equations(family):
        lines += textwrap.wrap(equation, WIDE - 2, initial_indent="  ", subsequent_indent="      ")
    return "\n".join(lines)


def latex(family: Family) -> str:
    """The equations as rows of an align environment, with what sizes and tables must satisfy."""
    premises = [] if (needed := FamilyRelation(family).premises()) == "true" else [needed]
    rows = [typeset(parse_formula(one)) for one in (*premises, *_equations(family))]
    return "\\begin{align*}\n" + " \\\\\n".join(f"& {row}" for row in rows) + "\n\\end{align*}"


def _equations(family: Family) -> list[str]:
    relation = FamilyRelation(family)
    written = (show(parse_formula(one)) for one in (*relation.equations, *relation.positive))
    return [*dict.fromkeys(relation.needed), *written]


def _facts(family: Family) -> Iterator[tuple[str, str]]:
    yield "sizes", "; ".join(map(show, family.sizes.values())) or "none"
    for name, table in family.tables.items():
        yield "table", f"{_declared(name, table.over)} in {table.sort}"
        for condition in table.where:
            yield "", f"where {show(condition)}"
    for key, many in family.choices.items():
        yield "choice", f"{key}: {', '.join(many)}"
    yield "coordinates", "; ".join(_declared(name, over) for name, over in family.space.items())
    if family.vocabulary is not None:
        yield "tokens", f"the numbers 0 to {show(('-', family.vocabulary, ('num', 1, 1)))}"
    relation = FamilyRelation(family)
    if family.readout.kind in ("zero", "sign"):
        yield "accepts", relation.accept("i" if family.readout.position == "each" else None)
    elif family.readout.kind == "largest":
        yield "answers y", relation.answer("y", "i" if family.readout.position == "each" else None)
    else:
        held = (relation.held.get(one.name, ("0", ()))[0] for one in family.readout.reads)
        yield "returns", f"{', '.join(held)} at {family.readout.position} position"


def _declared(name: str, over: tuple[Range, ...]) -> str:
    if not over:
        return name
    ranges = ", ".join(f"{c} in {show(low)}..{show(high)}" for c, low, high in over)
    return f"{name}({', '.join(index.name for index in over)}) for {ranges}"
