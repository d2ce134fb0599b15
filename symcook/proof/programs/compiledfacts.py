"""The facts of the proof about a compiled model: what they say, how they are cited, and how each is shown once. Nothing
here is trusted.

A branch of a proof copies every fact that stands around it, and the checker limits how many are copied. In the proof
of a long formula hundreds of facts stand around thousands of branches, and each rests on a few alone. Then a fact is
shown as a closed lemma, all names quantified and what it rests on supposed, before the proof supposes anything. Facts
of S-RASP programs always are, so that lines which are alike share one.
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
"""What closes a part of a goal, or adds a fact to it."""


class Fact(NamedTuple):
    """What holds at each position i: what the fact is called, and what it says there; nothing of an instance of a lemma
    or a line of text, which say it themselves."""

    label: str
    said: Tree = ()

    @property
    def right(self) -> Tree:
        """What a term is, where the fact is an equation of it."""
        return self.said[2]

    def at(self, place: str = "i") -> str:
        """The fact at a position, as lines of a proof cite it."""
        return f"{self.label}({place})"


class CompiledFacts(ABC):
    """The facts of one proof in their order: lines of text for the elaborator, and nodes that are written down."""

    def __init__(self, meaning: ModelMeaning, symbols: int) -> None:
        self.meaning, self.run, self.symbols = meaning, meaning.functions, symbols
        self.definitions = meaning.relation.whole.of
        self.lines: list[str | ClosingStep] = []
        self.shown: dict[str, Fact] = {}
        self.apart = Apart()

    @abstractmethod
    def write(self, node: Node) -> None:
        """Add a fact that is written down with its proof."""

    def named(self, line: str) -> str:
        """A line of text with the names that the sentence has."""
        return line

    def prove(self, g: Goal) -> None:
        """Close the goal by the lines."""
        written(g, [f"  {self.named(line)}" if isinstance(line, str) else line for line in self.lines])
        g.nodes[:0] = self.apart.nodes()

    def known_at(self, goal: Tree, tell: Callable[[Pointwise, Tree], Iterable[Tree]]) -> Pointwise:
        """What is known at i of all on which a goal rests: `tell` notes what a term is, and returns what that is of."""
        known, todo = Pointwise(self.symbols), [goal]
        while todo:
            for part in subtrees(todo.pop()):
                if not known.given(part):
                    todo += tell(known, part)
        return known

    @certify.deeper()
    def decided(self, label: str, said: str, tell: Callable[[Pointwise, Tree], Iterable[Tree]]) -> Fact:
        """A fact about each position, once, by cases over the symbol and over bits. Undecided where the fact does not
        follow so."""
        if label not in self.shown:
            goal = expr.parse_formula(said)
            node = have(label, f"all i in 1..n. {said}", self.known_at(goal, tell).proof(goal))
            self.shown[label] = Fact(label, goal)
            self.write(node)
        return self.shown[label]


def on_one_letter(model: Transformer) -> dict[str, Any]:
    """What each coordinate is on the string that has the first letter alone."""
    from symcook.run import run

    steps = run(replace(model, program=None), model.alphabet[:1], trace=True).result.steps
    return {name: column[0] for name, column in steps[-1].columns.items()}


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
        statement = shown
        for label_below in reversed(facts):
            statement = ("->", None, (g.facts[label_below], statement))
        variables_found = {part[1][0]: part for part in subterms(statement) if part[0] == "var"}
        names = [*dict.fromkeys([*names, *variables_found])]
        order = [variables_found.get(name) or var(name, g.scope[name]) for name in reversed(names)]
        statement = abstract(statement, order)
        for variable in order:
            statement = ("all", variable[1][1], (statement,))
        if statement not in self.lemmas:
            h = Goal(g.library, statement, {}, {})
            h.intro([*names, *facts])
            close(h)
            lemma = f"R{len(self.lemmas) + 1}"
            self.lemmas[statement] = lemma, have(lemma, g.text(statement), h.nodes)
        g._emit(use(self.lemmas[statement][0], [*names, *(f"#{label_used}" for label_used in facts)], label))
        g._bind(label, shown)

    def nodes(self) -> list[Node]:
        """The nodes that show the lemmas: as many as one formula may hold are a conjunction, so that none of them
        stands around another."""
        rows, size = list[list[tuple[str, Node]]](), MAX_SIZE
        for lemma, named_lemma in self.lemmas.items():
            size += measure(lemma)[1] + 1
            if size > MAX_SIZE // 2:
                rows.append([])
                size = measure(lemma)[1]
            rows[-1].append(named_lemma)
        together = [_together(f"RR{number}", [node for _, node in row]) for number, row in enumerate(rows, 1)]
        return together + [
            use(f"RR{number}", [], [label for label, _ in row]) for number, row in enumerate(rows, 1) if len(row) > 1
        ]


def _branches(nodes: list[Node]) -> int:
    """How many branches a proof has."""
    inside = [part for node in nodes for part in (*node.get("proofs", ()), *node.get("with", ()), node.get("proof"))]
    return sum(1 + _branches(part) for part in inside if isinstance(part, list))


def _together(label: str, lemmas: list[Node]) -> Node:
    """One node that shows these lemmas, called by `label`, or a single one by its own."""
    if len(lemmas) == 1:
        return lemmas[0]
    statements = in_halves([f"({lemma['show']})" for lemma in lemmas])
    return have(label, statements, [{"by": "split", "proofs": [lemma["proof"] for lemma in lemmas]}])
