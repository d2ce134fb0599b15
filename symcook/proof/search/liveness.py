"""Removes the steps of a proof that nothing uses.

The search writes nodes for facts that later turn out not to help. The functions here drop such nodes. They read the
nodes from the last to the first: whether a node that adds a fact is used depends on the nodes that follow it.
"""

from __future__ import annotations

from typing import Any

Node = dict[str, Any]
"""A node of a proof; `by` names its rule."""


def pruned(nodes: list[Node]) -> list[Node]:
    """The proof without facts that are not used and cases that are not needed."""
    return _pruned(nodes)[0]


def cited(nodes: list[Node]) -> set[str]:
    """The labels that the needed steps of a proof use, with those that the proof itself introduces."""
    return _pruned(nodes)[1]


def _labels(spec: str | list[str]) -> list[str]:
    """The labels in the field `as` of a node, which is one label or a list of labels."""
    return list(spec) if isinstance(spec, list) else [spec]


def _pruned(nodes: list[Node]) -> tuple[list[Node], set[str]]:
    """The proof without unused steps, and the labels that it uses."""
    # `kept` has the kept nodes from the last one on, `used` the labels that these nodes use.
    kept: list[Node] = []
    used: set[str] = set()
    for node in reversed(nodes):
        # A node that only adds facts is left out if no later node uses one of the facts.
        rule = node["by"]
        adds_facts = rule in ("have", "use", "ind") or (rule == "rewrite" and "in" in node)
        if adds_facts and not used.intersection(_labels(node["as"])):
            continue
        # A kept node has pruned inner proofs. It uses the labels that these proofs use, and those that it names.
        kept_node = dict(node)
        if rule in ("em", "cases"):
            proofs = [_pruned(p) for p in node["proofs"]]
            labelled = zip(proofs, node["as"], strict=True)
            spare = next((proof for proof, label in labelled if not proof[1] & {*_labels(label)}), None)
            if spare is not None:  # one case does not use what it assumes: its proof alone proves the goal
                kept = list(reversed(spare[0]))
                used = set(spare[1])
                continue
            kept_node["proofs"] = [p for p, _ in proofs]
            for _, labels in proofs:
                used |= labels
            used |= {node["fact"]} if rule == "cases" else set()
        elif rule == "split":
            proofs = [_pruned(p) for p in node["proofs"]]
            kept_node["proofs"] = [p for p, _ in proofs]
            for _, labels in proofs:
                used |= labels
        elif rule == "have":
            kept_node["proof"], labels = _pruned(node["proof"])
            used |= labels
        elif rule == "use":
            kept_node["with"] = []
            for argument in node["with"]:
                if isinstance(argument, list):
                    argument, labels = _pruned(argument)
                    used |= labels
                elif argument.startswith("#"):
                    used.add(argument[1:])
                kept_node["with"].append(argument)
            used.add(node["fact"])
        elif rule in ("antisym", "induct"):
            for key in ("left", "right") if rule == "antisym" else ("base", "step"):
                kept_node[key], labels = _pruned(node[key])
                used |= labels
        elif rule == "pos":
            used |= {k for part in node.get("sum", ()) for k in part["of"]} | {k for _, k in node.get("eq", ())}
        elif rule == "interval":
            used |= set(node["on"])
        elif rule == "rewrite":
            used |= {node["eq"], *([node["in"]] if "in" in node else [])}
        elif rule in ("hyp", "absurd"):
            used |= {node["of"], *([node["not"]] if "not" in node else [])}
        elif rule == "obtain":
            used.add(node["fact"])
        kept.append(kept_node)
    return list(reversed(kept)), used
