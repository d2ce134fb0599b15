"""Texts and facts about coordinates in the proofs of compiled S-RASP programs. Nothing here is trusted.

Fact H_name says what a coordinate holds, B_name that it is a bit, R_name that it is from 0 to 1; L5 is about line 5 of
the program, L5_2 that it is letter number 2, M5 which letters it may be; N_name is about a coordinate with a count.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

from symcook.compilers.booleans import BoolNode, Cube, cubes, variables
from symcook.compilers.numbers import Form, LinearFactors
from symcook.compilers.selection import AFTER, BEFORE
from symcook.compilers.srasp import Compiled
from symcook.compilers.values import Truth
from symcook.errors import Undecided
from symcook.model import expr
from symcook.model.expr import Tree
from symcook.model.meaning import subtrees
from symcook.present import present
from symcook.proof.definitions import HardRow
from symcook.proof.formlemmas import Apart
from symcook.proof.pointwise import HERE, FactSide, Pointwise
from symcook.proof.programsaid import Spoken
from symcook.proof.search.elaborate import written
from symcook.proof.steps import Node, have, here, intro

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer
    from symcook.proof.ownnames import ModelMeaning
    from symcook.proof.programheads import SelectionRule
    from symcook.proof.search.tactics import Goal

LineValues = Sequence[tuple[str, BoolNode]]
"""The values that a line may have, each with the function of bits that says where it has it."""
NEVER, ALWAYS = "0 = 1", "0 = 0"
MOST_CUBES = 64


class ProgramText:
    """The lines of one proof as they are made."""

    def __init__(self, spoken: Spoken, meaning: ModelMeaning, model: Transformer, compiled: Compiled) -> None:
        self.spoken, self.meaning, self.model = spoken, meaning, model
        self.program, self.compiled = spoken.program, compiled
        self.own = {new: old for old, new in meaning.names.items()}
        self.run = [self.own[name] for name in meaning.functions]
        self.definitions = meaning.relation.whole.of
        self.lines: list[str | Callable[[Goal], None]] = []
        self.done: set[str] = set()
        self.apart = Apart()
        self.values: dict[Tree, tuple[str, Tree]] = {}
        """What terms are at i, by the fact that says it."""
        for k, name in spoken.names.items():
            self.valued(f"{name}_is", spoken.equation(k))
        for place, said in (("before", "i - 1"), ("last", "n - 1")):
            self.valued(f"{self.put(place)}_is", f"all i in 1..n. {self.put(place)}(i) = {said}")
        self.held = {name: node for node, name in compiled.held.items()}
        self.letters = {name: k for k, name in spoken.names.items() if self.codes(k)}
        self.heads: dict[int, SelectionRule] = {}

    # Texts

    def put(self, name: str) -> str:
        """A coordinate as the statement calls it."""
        return self.meaning.names.get(name, name)

    def score_of(self, name: str, place: str, ties: Collection[str]) -> str | None:
        """The score of a position in the head that gives a coordinate; None where the head breaks ties otherwise."""
        row = self.definitions[self.put(name)].row
        if not isinstance(row, HardRow) or row.ties not in ties or row.score is None:
            return None
        return expr.show(expr.parse_term(row.score.at(place)))

    def there(self, name: str) -> bool:
        """Whether a coordinate is in the model: one that nothing needs is not."""
        return name in self.run

    def truth(self, truth: Truth, at: str = "i") -> str:
        """A truth at a position as a condition on the bits that it is of."""
        truth = self.compiled.truth(truth)
        if isinstance(truth, frozenset):
            if truth == self.compiled.every:
                return ALWAYS
            letters = self.program.alphabet
            return " | ".join(f"w({at}) = {letters.index(a)}" for a in letters if a in truth) or NEVER
        found = cubes(truth, MOST_CUBES)
        if found is None:
            raise Undecided(f"no proof is made of a Boolean part of more than {MOST_CUBES} cubes")
        units = dict.fromkeys(unit for cube in found if (unit := self.unit(cube, at)) is not None)
        return " | ".join(f"({unit})" for unit in units) or NEVER

    def unit(self, cube: Cube, at: str) -> str | None:
        """A conjunction: the letters that it leaves, then bits; None where it leaves no letter."""
        letters, parts = self.compiled.every, list[str]()
        for variable, value in cube:
            name = self.compiled.names[variable]
            if name in self.compiled.sets:
                letters = letters & self.compiled.sets[name] if value else letters - self.compiled.sets[name]
            else:
                parts.append(f"{self.put(name)}({at}) = {int(value)}")
        if not letters:
            return None
        if letters != self.compiled.every:
            parts.insert(0, f"({self.truth(letters, at)})")
        return " & ".join(parts) or ALWAYS

    def bits(self, *truths: Truth) -> list[str]:
        """The bits that truths are of, but for those of letters."""
        found = dict[str, None]()
        for truth in map(self.compiled.truth, truths):
            todo: list[Any] = [] if isinstance(truth, frozenset) else [truth]
            while todo:
                node = todo.pop()
                if not isinstance(node, bool):
                    name = self.compiled.names[node[0]]
                    if name not in self.compiled.sets:
                        found[name] = None
                    todo += node[1:]
        return list(found)

    def form(self, form: Form, at: str = "i") -> str:
        """A number at a position, by bits and atoms."""
        parts, values = [], sorted(set(form.table))
        parts.append(str(values[0]))
        parts += [f"{value - values[0]}*I[{self.truth(self._letters(form, value), at)}]" for value in values[1:]]
        parts += [f"({value})*I[{self.truth(node, at)}]" for node, value in form.bits.items()]
        parts += [f"({value})*{self.put(atom.name)}({at})" for atom, value in form.atoms.items()]
        return " + ".join(parts)

    def _letters(self, form: Form, value: Fraction) -> frozenset[str]:
        return frozenset(a for a, q in zip(self.program.alphabet, form.table, strict=True) if q == value)

    def row(self, linear: LinearFactors, at: str = "i") -> str:
        """A sum of coordinates at a position; of those that the model has."""
        parts = [f"({q})*{self.put(name)}({at})" if name else f"({q})" for name, q in linear.items() if q]
        return " + ".join(parts) or "0"

    # Lines of the proof

    def add(self, label: str, fact: str, hints: Iterable[str] = (), inner: Sequence[str] = ()) -> None:
        """A fact, once; by hints, or by lines set in below."""
        if label in self.done:
            return
        self.done.add(label)
        by = f" by {', '.join(hints)}" if (hints := list(hints)) else ""
        if label[0] in "LGC":
            self.valued(label, fact)
        self.lines.append(partial(self._shown, label, fact, inner or [f"qed{by}"]))

    def _shown(self, label: str, fact: str, lines: Sequence[str], g: Goal) -> None:
        """A fact, by a lemma of what these lines name."""
        text = " ".join([fact, *lines])
        named = dict.fromkeys("".join(one if one.isalnum() or one == "_" else " " for one in text).split())
        facts, names = ([one for one in named if one in known] for known in (g.facts, g.scope))
        self.apart.prove(g, label, g.formula(fact), facts, names, lambda h: written(h, [f"  {one}" for one in lines]))

    def valued(self, label: str, fact: str) -> None:
        """Note what a fact about each position says that a term is."""
        said = expr.parse_formula(fact)[-1]
        if said[0] == "=":
            self.values[said[1]] = label, said[2]

    def by_cases(self, label: str, said: str, of: str = "", held: bool = False) -> None:
        """A fact about each position, by cases over the symbol and over bits, once. `of` is the coordinate that it is
        about, which is what its network says; `held` puts in the truths that coordinates hold. Undecided where the
        fact does not follow so."""
        if label in self.done:
            return
        goal = expr.parse_formula(said)
        self.cite(have(label, f"all i in 1..n. {said}", self.known_in(goal, of, held).proof(goal)))
        if label[0] == "L":
            self.valued(label, f"all i in 1..n. {said}")

    def cite(self, node: Node) -> None:
        """A fact that is written down with its proof, by a lemma."""
        self.done.add(node["as"])
        self.lines.append(partial(self.apart.cite, node=node))

    def known_in(self, goal: Tree, of: str, held: bool) -> Pointwise:
        """What is known of the terms in a fact."""
        known, todo = Pointwise(len(self.program.alphabet)), [goal]
        numbers = {part[1][2] for part in subtrees(goal) if part[0] == "ind" and part[1][1][1] in self.letters}
        while todo:
            for part in subtrees(todo.pop()):
                name = self.own.get(part[1], "") if part[0] == "call" and part[2] == (HERE,) else ""
                found = None if known.given(part) else self.value(part, name, of, held)
                line = self.letters.get(part[1]) if part[0] == "call" else None
                asked = [] if line is None else [("ind", ("=", part, code)) for code in sorted(numbers)]
                if asked and all(one in self.values or self.never(present(line), one) for one in asked):
                    todo += [one for one in asked if not known.given(one)]
                elif found is not None:
                    known.nodes.append(here(found[0], f"e{len(known.equations)}"))
                    known.equations[part] = f"e{len(known.equations)}", found[1]
                    todo.append(found[1])
                elif f"Mean_{part[1]}" in self.done and not known.given(part):
                    near = f"least{len(known.near)}", f"most{len(known.near)}"
                    known.nodes.append(here(f"Mean_{part[1]}", [*near]))
                    known.near[part] = FactSide(near[0], ("num", 0, 1)), FactSide(near[1], ("num", 1, 1))
                elif name in self.compiled.names and not known.given(part):
                    known.nodes.append(here(self.bit(name), f"b{len(known.bits)}"))
                    known.bits[part] = f"b{len(known.bits)}"
        return known

    def value(self, part: Tree, name: str, of: str, held: bool) -> tuple[str, Tree] | None:
        """The fact that says what a term is at i, and what it is; None of one that is left as it is. What holds a truth
        is that truth, if that is asked for."""
        node, plain = self.held.get(name), name in self.compiled.sets or name in self.compiled.tables
        if plain or (name and name == of) or name in ("one", "zero"):
            label = self.put(name)
            return f"{label}_is", expr.parse_term(self.definitions[label].text.partition(" = ")[2])
        if isinstance(node, tuple) and node[1:] != (False, True) and (held or name not in self.compiled.names):
            return self.holds(name), expr.parse_term(f"I[{self.truth(node)}]")
        return self.values.get(part)

    def each(self, label: str, said: str, inner: Sequence[str]) -> None:
        """A fact about each position."""
        self.add(label, f"all i in 1..n. {said}", (), ["given i (il ih)", *inner])

    # What is known of lines of the program

    def goals(self, number: int) -> Iterator[tuple[str, str]]:
        """What is shown of a line: label, and fact at i. What is about coordinates that the model does not have, since
        nothing needs it, is left out."""
        value, name = self.compiled.lines[number], self.spoken.value(number)
        if isinstance(value, Form):
            facts = [(f"L{number}", f"{name} = {self.form(value)}", [*value.bits])]
            facts = [one for one in facts if all(self.there(atom.name) for atom in value.atoms)]
        elif isinstance(value, dict):
            named = [(self.spoken.codes[a], one) for a, one in value.items()]
            facts = [(f"L{number}_{code}", f"I[{name} = {code}] = I[{self.truth(one)}]", [one]) for code, one in named]
        else:
            facts = [(f"L{number}", f"{name} = I[{self.truth(value)}]", [value])]
        for label, said, truths in facts:
            if all(self.there(one) for one in self.bits(*truths)):
                yield label, said

    def codes(self, number: int) -> list[int]:
        """The numbers of the letters that a line may be; none where it is no letter."""
        value = self.compiled.lines[number]
        return [self.spoken.codes[letter] for letter in value] if isinstance(value, dict) else []

    def values_of(self, line: int) -> LineValues:
        """The values of a line. Undecided where they are not few."""
        value, node = self.compiled.lines[line], self.compiled.node
        if isinstance(value, dict):
            return [(str(self.spoken.codes[letter]), node(truth)) for letter, truth in value.items()]
        if not isinstance(value, Form):
            value = self.compiled.truth(value)
            both = [("0", node(self.compiled.negation(value))), ("1", node(value))]
            return [one for one in both if one[1] is not False]
        found = self.compiled.values_of(value)
        if found is None:
            raise Undecided(f"no proof is made of a selector of what grows: {self.program.text(line)}")
        return [(str(number), node(truth)) for number, truth in found]

    def one_of(self, number: int) -> str:
        """The fact that a line has one of its values; none of a constant."""
        line, label, name = self.program.lines[number], f"M{number}", self.spoken.value(number)
        if line.op in ("in", "constant"):
            return "word" if line.op == "in" else ""
        if label not in self.done:
            said = " | ".join(f"{name} = {value}" for value, _ in self.values_of(number))
            if self.codes(number):
                known = Pointwise(None, ("name", ""))
                fact, known.equations[expr.parse_term(name)] = (
                    (of := self.values[expr.parse_term(name)])[0],
                    ("is", of[1]),
                )
                known.nodes.append(here(fact, "is"))
                self.by_values(label, said, line.reads if line.op == "if" else line.reads[2:], known)
            else:
                self.by_cases(label, said)
        return label

    def never(self, line: int, is_one: Tree) -> bool:
        """Whether a line is never the letter of a truth, with the fact that says so."""
        code = is_one[1][2][1]
        if code in self.codes(line) or not self.one_of(line):
            return False
        said = f"I[{self.spoken.value(line)} = {code}] = 0"
        self.by_values(f"M{line}_{code}", said, [line])
        self.valued(f"M{line}_{code}", f"all i in 1..n. {said}")
        return True

    def by_values(self, label: str, said: str, reads: Iterable[int], known: Pointwise | None = None) -> None:
        """A fact about each position, by the values of lines there, and what else is known."""
        known, values = known or Pointwise(None, ("name", "")), list[tuple[Tree, str, Sequence[Tree]]]()
        for read in dict.fromkeys(reads):
            if one_of := self.one_of(read):
                known.nodes.append(here(one_of, f"at{read}"))
                term, numbers = self.spoken.value(read), [value for value, _ in self.values_of(read)]
                values.append((expr.parse_term(term), f"at{read}", [*map(expr.parse_term, numbers)]))
        proof = [intro(["i"]), intro(["range"]), *known.nodes, *known.by_values(expr.parse_formula(said), values)]
        self.cite(have(label, f"all i in 1..n. {said}", proof))

    def row_is(self, number: int) -> str:
        """The fact that the coordinates of a line that is a number are its value."""
        row = self.row(self.compiled.linear(self.compiled.lines[number]))
        self.by_cases(f"Row{number}", f"{row} = {self.spoken.value(number)}", held=True)
        return f"Row{number}"

    def selected(self, selector: int, at: str = "p", told: Collection[int] = ()) -> list[tuple[int, str]]:
        """The lines that a selector reads, each with the position at which it does, but for these parts of it."""
        line = self.program.lines[selector]
        if selector in told:
            return []
        if line.op == "select":
            return [(line.reads[0], at), (line.reads[1], "i")]
        if line.op in ("key", "query"):
            return [(line.reads[0], at if line.op == "key" else "i")]
        return [one for part in line.reads for one in self.selected(part, at, told)]

    def by_index(self, selector: int) -> list[int]:
        """The parts of a selector that compare indices."""
        line, cases = self.program.lines[selector], self.compiled.lines[selector]
        if line.op.startswith("pair"):
            return [one for part in line.reads for one in self.by_index(part)]
        return [selector] if any({BEFORE, AFTER} & variables(case.there) for case in cases) else []

    # Coordinates

    def holds(self, name: str) -> str:
        """The fact what truth a coordinate holds, with what it rests on."""
        label, put, node = f"H_{name}", self.put(name), self.held.get(name, False)
        if label in self.done:
            return label
        if name in self.compiled.sets:
            self.by_cases(label, f"{put}(i) = I[{self.truth(self.compiled.sets[name])}]", name)
        elif name in self.compiled.tables:
            self.by_cases(label, f"{put}(i) = {self.form(Form(self.compiled.tables[name]))}", name)
        elif name in ("one", "zero"):
            self.by_cases(label, f"{put}(i) = {int(name == 'one')}", name)
        elif node and (isinstance(node, bool) or node[1:] != (False, True)):
            self.by_cases(label, f"{put}(i) = I[{self.truth(node)}]", name)
        else:
            self.add(label, f"all i in 1..n. {put}(i) = I[{put}(i) = 1]", [self.bit(name)])
        return label

    def bit(self, name: str) -> str:
        """The fact that a coordinate is a bit."""
        label, put = f"B_{name}", self.put(name)
        if label not in self.done:
            if not self.there(name):
                raise Undecided(f"no proof is made where a bit is left out: {self.compiled.meanings[name]}")
            if name in self.compiled.compared or name in self.compiled.signs:
                raise Undecided(f"no proof is made of the comparison {self.compiled.meanings[name]}")
            node = self.held.get(name, False)
            made = isinstance(node, tuple) and node[1:] != (False, True) and name not in self.compiled.sets
            self.add(label, f"all i in 1..n. bit({put}(i))", [self.holds(name) if made else f"{put}_is"])
        return label

    def truthful(self, name: str) -> bool:
        """Whether a coordinate holds a truth."""
        told = self.compiled
        return any(name in one for one in (told.sets, told.tables, told.compared, told.signs, self.held))

    def range(self, name: str) -> str:
        """The fact between what a coordinate is that holds a truth, or a number for each letter."""
        if name not in self.compiled.tables:
            return self.bit(name) if name not in ("one", "zero") else self.holds(name)
        put, table = self.put(name), self.compiled.tables[name]
        self.by_cases(f"B_{name}", f"{min(table)} <= {put}(i) & {put}(i) <= {max(table)}")
        return f"B_{name}"


def in_cases(labels: Sequence[str], fact: str, where: str, blocks: Iterable[Sequence[str]]) -> list[str]:
    """Lines with a block for each part of a disjunction, which is that fact by the hints `where`."""
    return [f"cases {', '.join(labels)} from {fact} by {where}", *(line for one in blocks for line in as_block(one))]


def as_block(lines: Sequence[str]) -> list[str]:
    """Lines as a block."""
    return [f"  {'- ' if not k else '  '}{one}" for k, one in enumerate(lines)]
