"""The facts of a proof about a compiled model: what they state, how they are cited, and how each is proved once.
Nothing here is trusted.

A branch of a proof copies all facts in scope, and the checker limits the number of copies. In the proof of a long
formula there are hundreds of facts and thousands of branches, while each branch needs few facts. In such a proof a fact
is proved as a closed lemma: it quantifies all its names, has the facts that it needs as premises, and comes before the
proof introduces anything. Facts about S-RASP programs are always proved so; similar lines then share a lemma.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from symcook.model import expr
from symcook.model.expr import Tree
from symcook.model.meaning import subtrees
from symcook.proof import kernel
from symcook.proof.programs.pointwise import Pointwise
from symcook.proof.programs.proofsteps import Node, have, use
from symcook.proof.search.elaborate import written
from symcook.proof.search.liveness import cited
from symcook.proof.search.tactics import Goal, Tactic
from symcook.proof.statements import certify
from symcook.proof.statements.certify import in_halves
from symcook.proof.terms import MAX_SIZE, Term, abstract, measure, subterms, var

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer
    from symcook.proof.statements.vocabulary import ModelMeaning

ClosingStep = Callable[[Goal], None]
"""A function that closes a part of a goal, or adds a fact to it."""


class Fact(NamedTuple):
    """A fact about each position i: its label, and the formula at i. The formula is empty for an instance of a lemma or
    a line of proof text, which state it themselves."""

    label: str
    said: Tree = ()

    @property
    def right(self) -> Tree:
        """The right side of a fact that is an equation: the value of its left side."""
        return self.said[2]

    def at(self, place: str = "i") -> str:
        """The fact at a position, as lines of a proof cite it."""
        return f"{self.label}({place})"


class CompiledFacts(ABC):
    """The facts of one proof, in order.

    `lines` has a line of proof text, or a function that adds nodes, for each step of the proof. `shown` has the facts
    that were added, by label. `symbols` is the number of symbols of the alphabet, `run` has the names of the
    coordinates, and `definitions` has the equation of each coordinate, by its name in the statement. `apart` has the
    lemmas that are proved before the proof begins.
    """

    def __init__(self, meaning: ModelMeaning, symbols: int) -> None:
        self.meaning, self.run, self.symbols = meaning, meaning.functions, symbols
        self.definitions = meaning.relation.whole.of
        self.lines: list[str | ClosingStep] = []
        self.shown: dict[str, Fact] = {}
        self.apart = Apart()

    @abstractmethod
    def write(self, node: Node) -> None:
        """Add a fact by a node of a certificate with its proof."""

    def named(self, line: str) -> str:
        """A line of proof text with the names of functions as the statement has them."""
        return line

    def prove(self, g: Goal) -> None:
        """Close the goal by the lines; the lemmas that they use are put before all other nodes."""
        written(g, [f"  {self.named(line)}" if isinstance(line, str) else line for line in self.lines])
        g.nodes[:0] = self.apart.nodes()

    def known_at(self, goal: Tree, note_value: Callable[[Pointwise, Tree], Iterable[Tree]]) -> Pointwise:
        """What is known at i of all terms that a goal depends on. `note_value` notes what is known of one term, and
        returns the trees whose terms the proof needs next."""
        known, todo = Pointwise(self.symbols), [goal]
        while todo:
            for part in subtrees(todo.pop()):
                if not known.given(part):
                    todo += note_value(known, part)
        return known

    @certify.deeper()
    def decided(self, label: str, text_at_i: str, note_value: Callable[[Pointwise, Tree], Iterable[Tree]]) -> Fact:
        """Add the fact that `text_at_i` holds at each position i, proved by cases over the symbol and bits. Returns it,
        or the fact that already has this label. Undecided if the fact does not follow in this way."""
        if label not in self.shown:
            goal = expr.parse_formula(text_at_i)
            node = have(label, f"all i in 1..n. {text_at_i}", self.known_at(goal, note_value).proof(goal))
            self.shown[label] = Fact(label, goal)
            self.write(node)
        return self.shown[label]


def on_one_letter(model: Transformer) -> dict[str, Any]:
    """The value of each coordinate, by name, after the last sublayer on the string that is the first symbol alone."""
    from symcook.run import run

    steps = run(replace(model, program=None), model.alphabet[:1], trace=True).result.steps
    return {name: column[0] for name, column in steps[-1].columns.items()}


class Apart:
    """The facts of one proof that are proved as closed lemmas; equal lemmas are proved once.

    `lemmas` has the label of each lemma and the node that proves it, by the lemma's formula. `copies` is an estimate of
    how many facts the branches of the proof copy.
    """

    def __init__(self) -> None:
        self.lemmas: dict[Term, tuple[str, Node]] = {}
        self.copies = 0

    def show(self, g: Goal, node: Node) -> None:
        """Add the fact that a node proves: by the node itself while copies are few, else by a lemma."""
        self.copies += _branches([node]) * (len(g.facts) + len(g.scope))
        if 4 * self.copies > kernel.MAX_COPIES:  # a margin, since lemmas and cases are facts in scope too
            self.cite(g, node)
        else:
            g.add(node, g.formula(node["show"]))

    def cite(self, g: Goal, node: Node) -> None:
        """Add the fact that a node proves, by a lemma whose premises are the facts that its proof uses."""
        used = cited(node["proof"])
        facts = [label for label in g.facts if label in used]
        self.prove(
            g, node["as"], g.formula(node["show"]), facts, (), lambda lemma_goal: lemma_goal.nodes.extend(node["proof"])
        )

    def prove(
        self, g: Goal, label: str, shown: Term, facts: Sequence[str], names: Sequence[str], close: Tactic
    ) -> None:
        """Add the fact `shown` by a lemma with these facts as premises.

        The lemma quantifies `names` and all names in its formula. `close` closes the lemma's goal, in which names and
        facts have the same labels as in `g`. Two lemmas are the same only if their names and facts have the same order.
        """
        # The lemma's formula: premises -> shown, with all names quantified; `order` begins with the innermost name.
        statement = shown
        for premise_label in reversed(facts):
            statement = ("->", None, (g.facts[premise_label], statement))
        variables = {part[1][0]: part for part in subterms(statement) if part[0] == "var"}
        names = [*dict.fromkeys([*names, *variables])]
        order = [variables.get(name) or var(name, g.scope[name]) for name in reversed(names)]
        statement = abstract(statement, order)
        for variable in order:
            statement = ("all", variable[1][1], (statement,))
        # A new lemma is proved; then the fact is its instance at the names and facts of this proof.
        if statement not in self.lemmas:
            lemma_goal = Goal(g.library, statement, {}, {})
            lemma_goal.intro([*names, *facts])
            close(lemma_goal)
            lemma = f"R{len(self.lemmas) + 1}"
            self.lemmas[statement] = lemma, have(lemma, g.text(statement), lemma_goal.nodes)
        g.add(use(self.lemmas[statement][0], [*names, *(f"#{fact_label}" for fact_label in facts)], label), shown)

    def nodes(self) -> list[Node]:
        """The nodes that prove the lemmas.

        Lemmas are joined to conjunctions, each at most half as large as a formula may be. So no lemma is a fact in the
        proofs of the other lemmas of its conjunction. The conjunctions are split into lemmas after all are proved.
        """
        # `size` is that of the last group; its first value is too large, so that the first lemma begins a group.
        groups, size = list[list[tuple[str, Node]]](), MAX_SIZE
        for lemma, named_lemma in self.lemmas.items():
            size += measure(lemma)[1] + 1
            if size > MAX_SIZE // 2:
                groups.append([])
                size = measure(lemma)[1]
            groups[-1].append(named_lemma)
        together = [_together(f"RR{number}", [node for _, node in group]) for number, group in enumerate(groups, 1)]
        return together + [
            use(f"RR{number}", [], [label for label, _ in group])
            for number, group in enumerate(groups, 1)
            if len(group) > 1
        ]


def _branches(nodes: list[Node]) -> int:
    """The number of branches in a proof: all lists of nodes within its nodes, at any depth."""
    subproofs = [part for node in nodes for part in (*node.get("proofs", ()), *node.get("with", ()), node.get("proof"))]
    return sum(1 + _branches(part) for part in subproofs if isinstance(part, list))


def _together(label: str, lemmas: list[Node]) -> Node:
    """One node that proves the conjunction of these lemmas under `label`; a single lemma keeps its own node."""
    if len(lemmas) == 1:
        return lemmas[0]
    statements = in_halves([f"({lemma['show']})" for lemma in lemmas])
    return have(label, statements, [{"by": "split", "proofs": [lemma["proof"] for lemma in lemmas]}])
