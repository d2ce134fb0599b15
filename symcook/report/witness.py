"""The counterexample that a refutation holds, read off its certificate."""

from __future__ import annotations

from typing import Any

from symcook.errors import unknown
from symcook.expr import parse_formula


def witness(name: str) -> str:
    """The counterexample in a stored refutation: the values at which it uses the statement that it assumes.

    An object that the proof has from an existential fact is named by that fact. Several uses are joined by "and".
    """
    from symcook.proof.replay import library, load_json

    home = library()
    paths = [p for p in (home.root / "certificates" / f"{name}{e}.json" for e in ("", ".refuted")) if p.is_file()]
    for path in paths:
        certificate = load_json(path.read_bytes())
        if certificate.get("sense") != "refuted":
            continue
        parts: dict[str, Any] = {}  # what is assumed, by label, as a tree of the reader
        known: dict[str, str] = {}  # where an obtained name or fact is from
        found: dict[str, None] = {}
        first = certificate["proof"][0]
        if first.get("by") == "intro":
            _assume(parts, first["as"][0], parse_formula(home.statements[name].expanded))
        todo: list[Any] = list(reversed(certificate["proof"]))
        while todo:
            node = todo.pop()
            if isinstance(node, list):
                todo += reversed(node)
            if not isinstance(node, dict):
                continue
            if node.get("by") == "obtain":
                origin = known.get(node["fact"], str(node["fact"]))
                known |= {one: origin for one in (node["name"], node["as"]) if isinstance(one, str)}
                if node["fact"] in parts:
                    _assume(parts, node["as"], parts[node["fact"]][-1])
            if node.get("by") == "use" and node["fact"] in parts:
                values, rest = _instance(parts[node["fact"]], node["with"])
                _assume(parts, node["as"], rest)
                shown = [f"{n} of {known[v]}" if v in known else f"{n} = {v}" for n, v in values]
                found |= {", ".join(shown): None} if shown else {}
            todo += [x for v in reversed(list(node.values())) if isinstance(v, list) for x in reversed(v)]
        return " and ".join(found)
    raise unknown("refuted claim", name, [])


def _assume(parts: dict[str, Any], label: Any, tree: Any) -> None:
    """Give `tree` its label, or its conjuncts their labels."""
    trees = [tree]
    while isinstance(label, list) and len(trees) < len(label) and any(t[0] == "&" for t in trees):
        trees = [part for t in trees for part in (t[1:] if t[0] == "&" else (t,))]
    parts |= dict(zip(label if isinstance(label, list) else [label], trees, strict=False))


def _instance(tree: Any, given: list[Any]) -> tuple[list[tuple[str, str]], Any]:
    """The values that arguments give the names of `tree`, and what is left of it."""
    values: list[tuple[str, str]] = []
    for one in given:
        if isinstance(one, str) and one[:1] not in ("#", "!"):
            if tree[0] not in ("all", "all in"):
                break  # within a definition, which names nothing here
            values.append((tree[1], one))
            tree = ("->", None, tree[4]) if tree[0] == "all in" else tree[3]
        elif tree[0] == "->":
            tree = tree[2]
    return values, tree
