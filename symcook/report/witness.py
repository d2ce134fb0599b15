"""The counterexample that a refutation holds, read off its certificate."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from symcook.errors import unknown

if TYPE_CHECKING:
    from symcook.proof.search.tactics import Node


def witness(name: str) -> str:
    """The counterexample in a stored refutation: the witnesses for the leading quantifiers of the statement.

    They are the nodes by which the proof closes "there are values at which it fails", so no others can be shown. An
    object that the proof has from an existential fact is named by that fact. Where cases have witnesses of their own,
    they are joined by "or". A statement without leading quantifiers is refuted as it stands; then the values are shown
    at which the proof uses what it supposes, or the stored models that the statement denies something of.
    """
    from symcook.proof.grammar import leading_names
    from symcook.proof.replay import library, load_json

    home = library()
    for path in (home.root / "certificates" / f"{name}{end}.json" for end in (".refuted", "")):
        certificate = load_json(path.read_bytes()) if path.is_file() else {}
        if certificate.get("sense") == "refuted":
            names = leading_names(home.statements[name].expanded)
            found = _values(certificate["proof"], {})
            if not names:
                used = dict.fromkeys(_uses(certificate["proof"]))
                models = dict.fromkeys(re.findall(r"\brun\(([\w-]+)\)", home.statements[name].text))
                return " and ".join(used or (f"the stored model {model}" for model in models))
            shown = (", ".join(_said(n, v) for n, v in zip(names, at, strict=False)) for at in found)
            return " or ".join(dict.fromkeys(filter(None, shown)))
    raise unknown("refuted claim", name, [])


def _said(name: str, value: str) -> str:
    return f"{name} {value}" if value.startswith("of ") else f"{name} = {value}"


def _values(proof: Sequence[Node], origin: Mapping[str, str]) -> Iterator[list[str]]:
    """The terms of the witness nodes on the way to the end of the goal: of a conjunction its last part leads there."""
    known = dict(origin)
    values: list[str] = []
    for node in proof:
        by = node["by"]
        if by == "obtain":
            source = known.get(node["fact"], f"of {node['fact']}")
            known |= {one: source for one in (node["name"], node["as"]) if isinstance(one, str)}
        elif by == "witness":
            term = str(node["term"])
            values.append(known.get(term, term))
        elif by == "split":
            yield from ([*values, *rest] for rest in _values(node["proofs"][-1], known))
            return
        elif by in ("cases", "em"):
            for part in node["proofs"]:
                yield from ([*values, *rest] for rest in _values(part, known))
            return
    yield values


def _uses(proof: Sequence[Node]) -> Iterator[str]:
    """The terms at which a proof uses facts that it has from what it supposes first."""
    while proof and proof[0]["by"] in ("have", "split"):
        proof = proof[1:] if proof[0]["by"] == "have" else proof[0]["proofs"][-1]
    if not proof or proof[0]["by"] != "intro":
        return
    labels = set(_flat(proof[0]["as"]))
    for node in proof[1:]:
        if node["by"] in ("obtain", "use") and node["fact"] in labels:
            labels |= set(_flat([node["as"]]))
            given = [x for x in node.get("with", ()) if isinstance(x, str) and x[:1] not in ("#", "!")]
            if given:
                yield ", ".join(given)


def _flat(labels: Any) -> Iterator[str]:
    for one in labels:
        yield from one if isinstance(one, list) else [one]
