"""Facts that a proof shows apart, before it supposes anything, and then cites. Nothing here is trusted.

A branch of a proof copies every fact that stands around it, and the checker limits how many are copied. In the proof
of a long formula hundreds of facts stand around thousands of branches, and each rests on a few alone. Then a fact is
shown as a closed lemma, all names quantified and what it rests on supposed, where no fact stands around.
"""

from __future__ import annotations

from symcook.proof import kernel
from symcook.proof.own import in_halves
from symcook.proof.search.liveness import cited
from symcook.proof.search.tactics import Goal
from symcook.proof.steps import Node, have, intro, use
from symcook.proof.terms import MAX_SIZE, Term, abstract, free, measure


class Apart:
    """How the facts of one proof are shown: where they stand as long as the copies are few, then as lemmas."""

    def __init__(self) -> None:
        self.lemmas: list[tuple[str, Term, Node]] = []
        self.copies = 0

    def show(self, g: Goal, node: Node) -> None:
        """The fact that a node shows, by the node or by a lemma of what its proof uses."""
        self.copies += _branches([node]) * (len(g.facts) + len(g.scope))
        if 4 * self.copies > kernel.MAX_COPIES:  # lemmas are facts too, and cases have their own
            self._cite(g, node)
        else:
            g._emit(node)
            g._bind(node["as"], g.formula(node["show"]))

    def _cite(self, g: Goal, node: Node) -> None:
        shown, used = g.formula(node["show"]), cited(node["proof"])
        facts = [label for label in g.facts if label in used]
        whole = shown
        for label in reversed(facts):
            whole = ("->", None, (g.facts[label], whole))
        found = {one[1][0]: one for one in free(whole)}
        names = [name for name in g.scope if name in found]
        whole = abstract(whole, [found[name] for name in reversed(names)])
        for name in reversed(names):
            whole = ("all", g.scope[name], (whole,))
        label, proof = f"L{len(self.lemmas) + 1}", [intro([*names, *facts]), *node["proof"]]
        self.lemmas.append((label, whole, have(label, g.text(whole), proof)))
        g._emit(use(label, [*names, *(f"#{one}" for one in facts)], node["as"]))
        g._bind(node["as"], shown)

    def nodes(self) -> list[Node]:
        """The nodes that show the lemmas: as many as one formula may hold are a conjunction, so that none of them
        stands around another."""
        rows, size = list[list[tuple[str, Term, Node]]](), MAX_SIZE
        for one in self.lemmas:
            size += measure(one[1])[1] + 1
            if size > MAX_SIZE // 2:
                rows.append([])
                size = measure(one[1])[1]
            rows[-1].append(one)
        together = [_together(f"LL{number}", [node for *_, node in row]) for number, row in enumerate(rows, 1)]
        return together + [
            use(f"LL{number}", [], [label for label, *_ in row]) for number, row in enumerate(rows, 1) if len(row) > 1
        ]


def _branches(nodes: list[Node]) -> int:
    """How many branches a proof has."""
    inside = [one for node in nodes for one in (*node.get("proofs", ()), *node.get("with", ()), node.get("proof"))]
    return sum(1 + _branches(one) for one in inside if isinstance(one, list))


def _together(label: str, lemmas: list[Node]) -> Node:
    """One node that shows these lemmas, called by `label`, or a single one by its own."""
    if len(lemmas) == 1:
        return lemmas[0]
    shown = in_halves([f"({one['show']})" for one in lemmas])
    return have(label, shown, [{"by": "split", "proofs": [one["proof"] for one in lemmas]}])
