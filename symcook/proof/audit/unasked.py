"""The premises inside I[...] of a claim, which H leaves out (notes/kernel.md): a reader is told what they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symcook.proof.audit.folded import Folder, fresh, statement_tree, used_definitions
from symcook.proof.conditions import cases
from symcook.proof.grammar import leading_names
from symcook.proof.terms import Term, instantiate, var

if TYPE_CHECKING:
    from symcook.proof.replay import Statement


def unasked(statement: Statement) -> list[str]:
    """For each F with premises in an I[F] of what the statement leads to: what H would ask of F were it said itself.

    As text, each once; what stands in a premise of the statement asserts nothing and is passed over.
    """
    names = list(leading_names(statement.expanded))
    folder = Folder(statement.known, used_definitions([statement_tree(statement.text)], statement.known))
    found: dict[str, None] = {}

    def look(t: Term, taken: set[str], asserted: bool) -> None:
        """`asserted`: the statement says `t` behind nothing but quantifiers and premises."""
        tag, data, kids = t
        if tag == "->" and asserted:
            return look(kids[1], taken, True)
        if tag == "ind":
            found.update(dict.fromkeys(map(folder.text, cases(kids[0]))))
        bound = {"lam": data, "all": (data,), "ex": (data,), "sum": ("Int",), "prod": ("Int",)}.get(tag, ())
        new: list[Term] = []
        for sort in bound:
            named = var(names.pop(0), sort) if asserted and tag == "all" and names else None
            new.append(fresh(sort, taken) if named is None else named)
            taken = {*taken, new[-1][1][0]}
        for k in kids[:-1] if new else kids:
            look(k, taken, asserted and tag == "&")
        if new:
            look(instantiate(kids[-1], tuple(reversed(new))), taken, asserted and tag == "all")

    look(statement.formula, {*statement.known}, True)
    return list(found)


def unasked_words(found: list[str]) -> str:
    """What a report says of them."""
    return f"inside I[...], that this can be met: {'; '.join(found)}"
