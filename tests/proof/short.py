"""Of the stored statements and proofs, short ones that together have each form. The long ones are most of the text, and
have next to nothing that these do not have."""

from __future__ import annotations

from functools import cache
from typing import Any

from families import smallest

from symcook.model.expr import children
from symcook.proof.audit.folded import statement_tree
from symcook.proof.replay import library, load_json

TEXT = 1_500  # characters of a statement
PROOF = 20_000  # bytes of a certificate


def forms(name: str) -> set[Any]:
    """Which form stands at which place of which, and the definitions that are used."""
    statement, found = library().statements[name], set[Any]()
    todo = [statement_tree(statement.text)]
    while todo:
        tree = todo.pop()
        found |= {tree[1]} & statement.known.keys() if tree[0] == "call" else set()
        found |= {(tree[0], part[0], min(place, 2)) for place, part in enumerate(children(tree))}
        todo += children(tree)
    return found


@cache
def short_statements() -> list[str]:
    """Their ids; some hundreds."""
    lengths = {name: len(statement.text) for name, statement in library().statements.items()}
    chosen = smallest([name for name, length in lengths.items() if length < TEXT], cache(forms), lengths.__getitem__)
    assert len(chosen) > 200
    return chosen


def certificate(name: str) -> dict[str, Any]:
    """The stored one of what is proved."""
    return load_json((library().root / "certificates" / f"{name}.json").read_bytes())


def nested(part: Any, outer: str = "") -> set[tuple[str, str]]:
    """Which kind of step of a certificate is inside which."""
    by = part.get("by", outer) if isinstance(part, dict) else outer
    parts = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    return {(outer, by)}.union(*(nested(one, by) for one in parts))


@cache
def short_proofs() -> list[str]:
    """The ids of what they prove, or refute."""
    paths = {name: library().root / "certificates" / f"{name}.json" for name in library().certificates()}
    short = {name for name, statement in library().statements.items() if len(statement.text) < TEXT}
    sizes = {name: path.stat().st_size for name, path in paths.items() if name in short}
    found = {name: certificate(name) for name, size in sizes.items() if size < PROOF}
    proofs = [name for name, one in found.items() if "check" not in one]
    return smallest(proofs, lambda name: nested(found[name], found[name]["sense"]), sizes.__getitem__)
