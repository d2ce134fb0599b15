"""A proof without the steps that nothing uses.

In: the nodes of a proof as the search wrote them, with facts that turned out not to help. Out: the same proof without
them. The nodes are read from the last to the first, since what a node uses must be known before those that give it.
"""

from __future__ import annotations

from typing import Any

Node = dict[str, Any]


def pruned(nodes: list[Node]) -> list[Node]:
    """The same proof without facts that are not used and cases that are not needed."""
    return _pruned(nodes)[0]


def cited(nodes: list[Node]) -> set[str]:
    """The labels that a proof uses, its own among them."""
    return _pruned(nodes)[1]


def _labels(spec: str | list[str]) -> list[str]:
    return list(spec) if isinstance(spec, list) else [spec]


def _pruned(nodes: list[Node]) -> tuple[list[Node], set[str]]:
    """The proof without unused steps, and the labels that it uses."""
    out: list[Node] = []
    used: set[str] = set()
    for node in reversed(nodes):
        # A node that only adds facts is left out where no later node uses one of them.
        by = node["by"]
        gives = by in ("have", "use", "ind") or (by == "rewrite" and "in" in node)
        if gives and not used.intersection(_labels(node["as"])):
            continue
        new = dict(node)
        # What a node uses: the labels of its inner proofs, and those that it names itself.
        if by in ("em", "cases"):
            proofs = [_pruned(p) for p in node["proofs"]]
            spare = next((p for p, label in zip(proofs, node["as"], strict=True) if not p[1] & {*_labels(label)}), None)
            if spare is not None:  # this case does not use what it assumes: its proof alone is enough
                out = list(reversed(spare[0]))
                used = set(spare[1])
                continue
            new["proofs"] = [p for p, _ in proofs]
            for _, labels in proofs:
                used |= labels
            used |= {node["fact"]} if by == "cases" else set()
        elif by == "split":
            proofs = [_pruned(p) for p in node["proofs"]]
            new["proofs"] = [p for p, _ in proofs]
            for _, labels in proofs:
                used |= labels
        elif by == "have":
            new["proof"], labels = _pruned(node["proof"])
            used |= labels
        elif by == "use":
            new["with"] = []
            for argument in node["with"]:
                if isinstance(argument, list):
                    argument, labels = _pruned(argument)
                    used |= labels
                elif argument.startswith("#"):
                    used.add(argument[1:])
                new["with"].append(argument)
            used.add(node["fact"])
        elif by in ("antisym", "induct"):
            for key in ("left", "right") if by == "antisym" else ("base", "step"):
                new[key], labels = _pruned(node[key])
                used |= labels
        elif by == "pos":
            used |= {k for part in node.get("sum", ()) for k in part["of"]} | {k for _, k in node.get("eq", ())}
        elif by == "interval":
            used |= set(node["on"])
        elif by == "rewrite":
            used |= {node["eq"], *([node["in"]] if "in" in node else [])}
        elif by in ("hyp", "absurd"):
            used |= {node["of"], *([node["not"]] if "not" in node else [])}
        elif by == "obtain":
            used.add(node["fact"])
        out.append(new)
    return list(reversed(out)), used
