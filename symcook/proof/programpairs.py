"""What a selector says of two positions, in the proofs of compiled S-RASP programs. Nothing here is trusted.

A selector compares lines of few values, one at j and one at i. Each truth that a head reads at one of the two is a
truth of the values there, which is shown once; a fact about both positions then holds in each case of the values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from itertools import product

from symcook.compilers.booleans import BoolNode, cubes
from symcook.compilers.selection import SelectorCase
from symcook.compilers.values import Truth
from symcook.errors import Undecided
from symcook.model import expr
from symcook.model.expr import Tree
from symcook.model.meaning import subtrees
from symcook.proof.pointwise import CASES, Pointwise
from symcook.proof.programtext import LineValues, ProgramText
from symcook.proof.steps import Node, have, intro, use


def held_here(text: ProgramText, truth: Truth) -> str:
    """A truth at i: the coordinate with it, if it is in the model."""
    name = text.compiled.hold(text.compiled.node(truth))
    return f"{text.put(name)}(i)" if text.there(name) else f"I[{text.truth(truth)}]"


def selects(
    text: ProgramText, label: str, selector: int, cases: Sequence[SelectorCase], told: Mapping[int, bool], said: str
) -> None:
    """A fact what a selector says of i and j, but for these parts of it, by what its cases read."""
    pairs = SelectorPairs(text, text.selected(selector, "j", told))
    for case in cases:
        if case.there is not False:
            pairs.hold(case.here, "i")
        if not isinstance(case.there, bool):
            pairs.hold(case.there, "j")
    pairs.show(label, said)


class SelectorPairs:
    """The facts about the positions i and j that one selector compares; `reads` has its lines by position."""

    def __init__(self, text: ProgramText, reads: Iterable[tuple[int, str]]) -> None:
        self.text, self.compiled = text, text.compiled
        self.known = Pointwise(None, ("name", ""))  # no symbol is told apart but by its number
        self.nodes: list[Node] = []
        self.held: dict[Tree, tuple[str, Truth, str]] = {}
        self.values: list[tuple[Tree, str, Sequence[Tree]]] = []
        self.lines: dict[str, list[int]] = {"i": [], "j": []}
        for line, at in dict.fromkeys(reads):
            if one_of := text.one_of(line):
                self.lines[at].append(line)
                self.values.append((expr.parse_term(text.spoken.value(line, at)), self.fact(one_of, at),
                                    [expr.parse_term(value) for value, _ in text.values_of(line)]))  # fmt: skip

    def fact(self, label: str, at: str) -> str:
        """A fact at a position; its label there."""
        self.nodes.append(use(label, [at, f"#range_{at}"], there := f"at{len(self.nodes)}"))
        return there

    def hold(self, truth: Truth, at: str) -> None:
        """Note that a truth at a position may be read: the coordinate with it, or the truth itself."""
        name = self.compiled.hold(self.compiled.node(truth))
        for said in (f"{self.text.put(name)}(i)", f"I[{self.text.truth(truth)}]"):
            self.held[moved(expr.parse_term(said), at)] = said, truth, at

    def tell(self, term: Tree) -> None:
        """Note what such a truth is by the values of the lines there."""
        said, truth, at = self.held[term]
        told = self.by_lines(self.compiled.node(truth), self.lines[at])
        if said != told:
            label = f"V{len(self.text.done)}"
            self.text.by_cases(label, f"{said} = {told}", held=True)
            self.known.equations[term] = self.fact(label, at), moved(expr.parse_term(told), at)

    def by_lines(self, truth: BoolNode, lines: Sequence[int]) -> str:
        """A truth at i by the values of lines there. Undecided where these do not tell it."""
        found, make = list[str](), self.compiled.diagrams
        for chosen in product(*map(self.apart, lines)):
            here: BoolNode = reduce(make.both, (node for _, node in chosen), True)
            yes, no = (self.possible(make.both(here, one)) for one in (truth, make.negation(truth)))
            if yes and no:
                raise Undecided("no proof is made of a selector whose lines do not tell what it reads")
            if yes:
                named = zip(lines, chosen, strict=True)
                parts = [f"I[{self.text.spoken.value(line)} = {value}]" for line, (value, _) in named]
                found.append("*".join(parts) or "1")
        return " + ".join(found) or "0"

    def apart(self, line: int) -> LineValues:
        """The values of a line, each with where it has that one and no other."""
        values, make = self.text.values_of(line), self.compiled.diagrams
        return [
            (value, reduce(make.both, (make.negation(node) for other, node in values if other != value), own))
            for value, own in values
        ]

    def possible(self, truth: BoolNode) -> bool:
        """Whether a function of bits is true somewhere; no symbol is two."""
        found = cubes(truth, CASES)
        return found is None or any(self.text.unit(cube, "i") is not None for cube in found)

    def show(self, label: str, said: str) -> None:
        """The fact about all positions i and j."""
        goal = expr.parse_formula(said)
        for term in dict.fromkeys(subtrees(goal)):
            if term in self.held:
                self.tell(term)
        proof = [intro(["i", "range_i", "j", "range_j"]), *self.nodes, *self.known.by_values(goal, self.values)]
        self.text.cite(have(label, f"all i in 1..n. all j in 1..n. {said}", proof))


def moved(tree: Tree, to: str) -> Tree:
    """What is said at i, said at another position."""
    parts = (moved(part, to) if isinstance(part, tuple) else part for part in tree)
    return ("name", to) if tree == ("name", "i") else tuple(parts)
