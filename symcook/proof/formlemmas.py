"""Facts that a proof shows apart, before it supposes anything, and then cites. Nothing here is trusted.

A branch of a proof copies every fact that stands around it, and the checker limits how many are copied. In the proof
of a long formula hundreds of facts stand around thousands of branches, and each rests on a few alone. Then a fact is
shown as a closed lemma, all names quantified and what it rests on supposed, where no fact stands around. Facts of
S-RASP programs always are, so that lines which are alike share one.
"""

from __future__ import annotations

from collections.abc import Sequence

from symcook.proof import kernel
from symcook.proof.own import in_halves
from symcook.proof.search.liveness import cited
from symcook.proof.search.tactics import Goal, Tactic
from symcook.proof.steps import Node, have, use
from symcook.proof.terms import MAX_SIZE, Term, abstract, measure, subterms, var


class Apart:
    """The facts of one proof that are lemmas, each form of them once."""

    def __init__(self) -> None:
        self.lemmas: dict[Term, tuple[str, Node]] = {}
        self.copies = 0

    def show(self, g: Goal, node: Node) -> None:
        """The fact that a node shows: where it stands as long as the copies are few, else by a lemma."""
        self.copies += _branches([node]) * (len(g.facts) + len(g.scope))
        if 4 * self.copies > kernel.MAX_COPIES:  # lemmas are facts too, and cases have their own
            self.cite(g, node)
        else:
            g._emit(node)
            g._bind(node["as"], g.formula(node["show"]))

    def cite(self, g: Goal, node: Node) -> None:
        """The fact that a node shows, by a lemma of what its proof uses."""
        used = cited(node["proof"])
        facts = [label for label in g.facts if label in used]
        self.prove(g, node["as"], g.formula(node["show"]), facts, (), lambda h: h.nodes.extend(node["proof"]))

    def prove(
        self, g: Goal, label: str, shown: Term, facts: Sequence[str], names: Sequence[str], close: Tactic
    ) -> None:
        """A fact, by a lemma that supposes these facts, about their names and these `names`; `close` closes its goal,
        where names and facts are called as they are here. The order of both tells whether two lemmas are one."""
        whole = shown
        for one in reversed(facts):
            whole = ("->", None, (g.facts[one], whole))
        found = {one[1][0]: one for one in subterms(whole) if one[0] == "var"}
        names = [*dict.fromkeys([*names, *found])]
        order = [found.get(name) or var(name, g.scope[name]) for name in reversed(names)]
        whole = abstract(whole, order)
        for one in order:
            whole = ("all", one[1][1], (whole,))
        if whole not in self.lemmas:
            h = Goal(g.library, whole, {}, {})
            h.intro([*names, *facts])
            close(h)
            lemma = f"R{len(self.lemmas) + 1}"
            self.lemmas[whole] = lemma, have(lemma, g.text(whole), h.nodes)
        g._emit(use(self.lemmas[whole][0], [*names, *(f"#{one}" for one in facts)], label))
        g._bind(label, shown)

    def nodes(self) -> list[Node]:
        """The nodes that show the lemmas: as many as one formula may hold are a conjunction, so that none of them
        stands around another."""
        rows, size = list[list[tuple[str, Node]]](), MAX_SIZE
        for whole, one in self.lemmas.items():
            size += measure(whole)[1] + 1
            if size > MAX_SIZE // 2:
                rows.append([])
                size = measure(whole)[1]
            rows[-1].append(one)
        together = [_together(f"RR{number}", [node for _, node in row]) for number, row in enumerate(rows, 1)]
        return together + [
            use(f"RR{number}", [], [label for label, _ in row]) for number, row in enumerate(rows, 1) if len(row) > 1
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
