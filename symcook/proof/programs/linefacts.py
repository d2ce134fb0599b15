"""The lines of an S-RASP program in proofs: how a statement expresses them, and facts about each line. Nothing here is
trusted.

A statement has a function of positions for each line of the program, with an equation. A selection has two formulas in
place of an equation: one for the case that a position is selected, one for the case that none is. The statement is
written in the ordinary language of statements, so only the statement has to be trusted. Undecided is raised for a line
that this language cannot express.

Labels of facts: H_name states which truth a coordinate holds, and B_name that it is a bit, or its bounds. L5 gives the
value of line 5 of the program, L5_2 whether this value is symbol number 2, and M5 which values it may have; M5_2 states
that it is never symbol number 2. N_name is about a coordinate with a count.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial, reduce
from itertools import product
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from symcook.compilers.booleans import BoolNode, Cube, cubes, variables
from symcook.compilers.numbers import Form, LinearFactors
from symcook.compilers.selection import AFTER, BEFORE, SelectorCase
from symcook.compilers.srasp import Compiled
from symcook.compilers.values import Truth
from symcook.errors import Undecided
from symcook.model import expr
from symcook.model.expr import Tree
from symcook.model.meaning import subtrees
from symcook.model.spelled import spelled
from symcook.present import present
from symcook.programs.srasp import Srasp, SraspLine, constant_text
from symcook.proof.definitions import HardRow
from symcook.proof.programs.compiledfacts import CompiledFacts, Fact
from symcook.proof.programs.pointwise import CASES, HERE, FactSide, Pointwise
from symcook.proof.programs.proofsteps import Node, have, here, intro, use
from symcook.proof.search.elaborate import written
from symcook.proof.statements import certify
from symcook.proof.statements.trees import replaced

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer
    from symcook.proof.programs.selections import SelectionRule
    from symcook.proof.search.tactics import Goal
    from symcook.proof.statements.vocabulary import ModelMeaning

MANY = 40
"""With more functions than this, their equations are joined to one premise, since each premise is a level of
nesting."""
INLINE = ("in", "indices", "length", "constant")
"""The operations of lines without a function of their own."""
PAIRS = ("select", "key", "query")
"""The operations of selectors, whose value is a truth about a pair of positions. The operations that combine selectors
have names that begin with `pair`."""
RANGES = {
    "future": ("1", "{i}"), "strict-future": ("1", "{i} - 1"), "past": ("{i}", "n"), "strict-past": ("{i} + 1", "n"),
    "none": ("1", "n"),
}  # fmt: skip
"""By mask: the first and the last position that are visible from a position, which replaces ``{i}``."""

NAMES = frozenset("ijkmnpwY")
"""The names of positions, of numbers and of the string (w) in proofs, which no function may have."""


class Spoken:
    """A program as equations of functions.

    `names` has the name of the function of each line that has a function, in the order of the lines. `codes` has the
    number of each symbol: first those of the alphabet, then those that only the program has. With `joined` the
    equations are one premise. No function has a name in `taken`.
    """

    def __init__(self, program: Srasp, taken: Collection[str]) -> None:
        self.program = program
        self.codes: dict[str, int] = {}
        for letter in (*program.alphabet, *(a for letters in program.letters for a in letters)):
            self.codes.setdefault(letter, len(self.codes))
        name_of_line, self.names = {line: name for name, line in reversed(program.names)}, dict[int, str]()
        taken_names = NAMES.union(taken)
        for number, line in enumerate(program.lines):
            if line.op not in INLINE and line.op not in PAIRS and not line.op.startswith("pair"):
                name = name_of_line.get(number, f"v{number}")
                while name in taken_names:
                    name += "_"
                taken_names |= {name}
                self.names[number] = name
        self.joined = len(self.names) > MANY
        self.whole_lines: dict[int, bool] = {}  # the answers of `whole`: a line is read by many

    def whole(self, number: int) -> bool:
        """Whether all values of a line are sure to be integers. Truths and symbols are: they are written as numbers."""
        if number not in self.whole_lines:
            line = self.program.lines[number]
            if self.program.types[number] != "number" or line.op in ("indices", "length", "width"):
                found = True
            elif line.op in ("constant", "times") and Fraction(line.value).denominator != 1:
                found = False
            else:
                reads = line.reads[1:] if line.op in ("if", "left", "right") else line.reads
                found = line.op != "aggregate" and all(self.whole(line_read) for line_read in reads)
            self.whole_lines[number] = found
        return self.whole_lines[number]

    def sort(self, number: int) -> str:
        """The sort of the function of a line in the statement."""
        return "Int->Int" if self.whole(number) else "Int->Real"

    def value(self, number: int, at: str = "i") -> str:
        """The value of a line at a position: a symbol by its number, a truth as 1 or 0."""
        line = self.program.lines[number]
        if number in self.names:
            return f"{self.names[number]}({at})"
        if line.op == "constant":
            constant = line.value
            if isinstance(constant, str):
                return str(self.codes[constant])
            return str(int(constant) if isinstance(constant, bool) else constant)
        return {"in": f"w({at})", "indices": f"({at} - 1)", "length": "n"}[line.op]

    def pair(self, number: int, i: str = "i", j: str = "j", told: Mapping[int, bool] = MappingProxyType({})) -> str:
        """The condition of a selector on positions i and j, as text. `told` has the parts of the selector whose truth
        is known, by line: their truth is put in place of their condition."""
        line = self.program.lines[number]
        if number in told:
            return f"0 = {int(not told[number])}"
        if line.op == "select":
            return f"{self.value(line.reads[0], j)} {self._sign(line)} {self.value(line.reads[1], i)}"
        if line.op in ("key", "query"):
            return f"{self.value(line.reads[0], j if line.op == 'key' else i)} = 1"
        parts = [f"({self.pair(part_read, i, j, told)})" for part_read in line.reads]
        if line.op == "pair not":
            return f"~{parts[0]}"
        return {"pair and": " & ", "pair or": " | "}[line.op].join(parts)

    def _sign(self, line: SraspLine) -> str:
        """The sign of a comparison. Undecided if it compares symbols by an order."""
        if line.value not in ("=", "!=") and self.program.types[line.reads[0]] == "letter":
            raise Undecided(f"no proof method covers symbols compared by order, with {line.value}")
        return str(line.value)

    def equation(self, number: int) -> str:
        """The formula of the statement that defines the function of a line."""
        # The values of the lines that are read, without selectors, which have no value at one position.
        line, name = self.program.lines[number], self.names[number]
        op = line.op
        reads = [self.value(k) for k in line.reads if k in self.names or self._plain(k)]
        if op in ("left", "right") or (op == "aggregate" and self.program.types[number] == "letter"):
            return self._nearest(number)
        if op == "aggregate":
            return self._mean(number)
        # The right side of the equation, by the operation.
        if op in ("psum", "width"):
            low, high = (end.format(i="i") for end in RANGES["none" if op == "width" else line.value])
            summed = f"I[{self.pair(line.reads[0])}]" if op == "width" else self.value(line.reads[0], "j")
            right = f"sum(j, {low}, {high}, {summed})"
        elif op == "if":
            right = f"if({reads[0]} = 1, {reads[1]}, {reads[2]})"
        elif op == "times":
            right = f"{line.value}*{reads[0]}" if line.value != -1 else f"-{reads[0]}"
        elif op in ("sum", "product"):
            right = f"{reads[0]} {'+' if op == 'sum' else '*'} {_bracketed(reads[1])}"
        elif op == "compare":
            right = f"I[{reads[0]} {self._sign(line)} {reads[1]}]"
        elif op == "not":
            right = f"I[{reads[0]} = 0]"
        else:
            right = f"I[{reads[0]} = 1 {'&' if op == 'and' else '|'} {reads[1]} = 1]"
        return f"all i in 1..n. {name}(i) = {right}"

    def _plain(self, number: int) -> bool:
        """Whether a line has no function: its value is written out wherever it is read."""
        return self.program.lines[number].op in INLINE

    def _nearest(self, number: int) -> str:
        """A selection: the value at the first or last position that is selected, or the default where none is. An
        aggregate of symbols is the value at the first one."""
        # `at_j`, `at_k`: the condition that j or k is selected. `nearer`: the positions k that are preferred to j.
        line, name = self.program.lines[number], self.names[number]
        selector, value, default = line.reads
        low, high = (end.format(i="i") for end in RANGES["none" if line.op == "aggregate" else line.value])
        nearer = f"j + 1..{high}" if line.op == "right" else f"{low}..j - 1"
        at_j, at_k = self.pair(selector), self.pair(selector, "i", "k")
        return (
            f"all i in 1..n. (all j in {low}..{high}. {at_j} & (all k in {nearer}. ~({at_k})) -> {name}(i) = "
            f"{self.value(value, 'j')}) & ((all j in {low}..{high}. ~({at_j})) -> {name}(i) = {self.value(default)})"
        )

    def _mean(self, number: int) -> str:
        """The mean over the positions that are selected, or the default where none is."""
        line, name = self.program.lines[number], self.names[number]
        selector, value, default = line.reads
        at_j = self.pair(selector)
        return (
            f"all i in 1..n. {name}(i)*sum(j, 1, n, I[{at_j}]) = sum(j, 1, n, I[{at_j}]*{self.value(value, 'j')}) "
            f"& ((all j in 1..n. ~({at_j})) -> {name}(i) = {self.value(default)})"
        )

    def answer(self, model: Transformer) -> str:
        """The conclusion at position i: the output of the model is the value of the program's output line."""
        number = self.program.output
        kind, value = self.program.types[number], self.value(number)
        if kind == "truth":
            return f"I[accept(i)] = {value}"
        if kind == "number":
            name = model.readout.reads[0]
            return f"{name if expr.valid_name(name) else constant_text(name)}(i) = {value}"
        labels = model.readout.labels or ()
        return " & ".join(f"I[answer({spelled(a)}, i)] = I[{value} = {self.codes[a]}]" for a in labels)

    def sentence(self, model: Transformer) -> str:
        """The statement to prove about the model. Undecided if it cannot express the program."""
        names = ", ".join(f"{name}:{self.sort(number)}" for number, name in self.names.items())
        facts = [f"({self.equation(number)})" for number in self.names]
        premises = f"({certify.in_halves(facts)}) -> " if self.joined else "".join(f"{fact} -> " for fact in facts)
        text = f"{f'all {names}. ' if names else ''}{premises}(all i in 1..n. {self.answer(model)})"
        if len(text) > expr.MAX_TEXT:
            what = f"a program whose statement has more than {expr.MAX_TEXT:,} characters"
            raise Undecided(f"no proof method covers {what}")
        return text


def _bracketed(term: str) -> str:
    """A term, in brackets if it begins with a minus."""
    return f"({term})" if term.startswith("-") else term


def witnesses(spoken: Spoken, word: str) -> Mapping[str, Any]:
    """The value of each function of the statement, by name, on the string `word` of one symbol."""
    from symcook.spec.srasp import values

    table = values(spoken.program, [word])
    function_values = {}
    for number, name in spoken.names.items():
        value = table[number][0]
        function_values[name] = spoken.codes[value] if isinstance(value, str) else value + 0
    return function_values


LineValues = Sequence[tuple[str, BoolNode]]
"""The values that a line may have, as text, each with the function of bits that is true where the line has it."""
NEVER, ALWAYS = "0 = 1", "0 = 0"
"""Conditions that are always false, and always true."""
MOST_CUBES = 64
"""The maximum number of conjunctions in the disjunction as which a truth is written. Their number may double with each
symbol that a truth tests."""


class ProgramFacts(CompiledFacts):
    """The facts of the proof of one program.

    `model_names` has the model's name of each coordinate, by its name in the statement; `run` has the model's names of
    all coordinates. `truth_nodes` has, by coordinate, the truth that it holds, as a function of bits. `letters` has the
    lines whose value is a symbol, by their function. `heads` has the rule of each selection, by line.
    """

    def __init__(self, spoken: Spoken, meaning: ModelMeaning, model: Transformer, compiled: Compiled) -> None:
        super().__init__(meaning, len(spoken.program.alphabet))
        self.spoken, self.model, self.program, self.compiled = spoken, model, spoken.program, compiled
        self.model_names = {new: old for old, new in meaning.names.items()}
        self.run = [self.model_names[name] for name in meaning.functions]
        self.values: dict[Tree, Fact] = {}
        """By term at i, the fact that gives its value."""
        for k, name in spoken.names.items():
            equation = expr.parse_formula(spoken.equation(k))[-1]  # for a selection this is not an equation
            self.valued(Fact(f"{name}_is", equation))
        # These two coordinates hold numbers of positions.
        for place, text in (("before", "i - 1"), ("last", "n - 1")):
            put_name = self.put(place)
            self.valued(Fact(f"{put_name}_is", expr.parse_formula(f"{put_name}(i) = {text}")))
        self.truth_nodes = {name: node for node, name in compiled.held.items()}
        self.letters = {name: k for k, name in spoken.names.items() if self.codes(k)}
        self.heads: dict[int, SelectionRule] = {}

    # Texts

    def put(self, name: str) -> str:
        """The name of a coordinate in the statement."""
        return self.meaning.names.get(name, name)

    def score_of(self, name: str, place: str, ties: Collection[str]) -> str | None:
        """The score of position `place` in the hard-attention head that writes a coordinate; None if the coordinate has
        no such head, or its tie-breaking is not among `ties`."""
        row = self.definitions[self.put(name)].row
        if not isinstance(row, HardRow) or row.ties not in ties or row.score is None:
            return None
        return expr.show(expr.parse_term(row.score.at(place)))

    def there(self, name: str) -> bool:
        """Whether a coordinate is in the model: the compiler leaves out what nothing reads."""
        return name in self.run

    def truth(self, truth: Truth, at: str = "i") -> str:
        """A truth at a position, as a condition on the symbol there and on the bits that determine the truth."""
        truth = self.compiled.truth(truth)
        if isinstance(truth, frozenset):
            if truth == self.compiled.every:
                return ALWAYS
            letters = self.program.alphabet
            return " | ".join(f"w({at}) = {letters.index(a)}" for a in letters if a in truth) or NEVER
        conjunctions = cubes(truth, MOST_CUBES)
        if conjunctions is None:
            raise Undecided(f"no proof method covers a Boolean part of more than {MOST_CUBES} cubes")
        units = dict.fromkeys(unit for cube in conjunctions if (unit := self.unit(cube, at)) is not None)
        return " | ".join(f"({unit})" for unit in units) or NEVER

    def unit(self, cube: Cube, at: str) -> str | None:
        """A conjunction at a position as text: the symbols that it allows, then its bits; None if it allows no
        symbol."""
        allowed, parts = self.compiled.every, list[str]()
        for variable, value in cube:
            name = self.compiled.names[variable]
            if name in self.compiled.sets:
                allowed = allowed & self.compiled.sets[name] if value else allowed - self.compiled.sets[name]
            else:
                parts.append(f"{self.put(name)}({at}) = {int(value)}")
        if not allowed:
            return None
        if allowed != self.compiled.every:
            parts.insert(0, f"({self.truth(allowed, at)})")
        return " & ".join(parts) or ALWAYS

    def bits(self, *truths: Truth) -> list[str]:
        """The coordinates with the bits that determine truths, without the bits that are given by the symbol."""
        bit_names = dict[str, None]()
        for truth in map(self.compiled.truth, truths):
            todo: list[Any] = [] if isinstance(truth, frozenset) else [truth]
            while todo:
                node = todo.pop()
                if not isinstance(node, bool):
                    name = self.compiled.names[node[0]]
                    if name not in self.compiled.sets:
                        bit_names[name] = None
                    todo += node[1:]
        return list(bit_names)

    def form(self, form: Form, at: str = "i") -> str:
        """A number at a position as text: a sum of a part that depends on the symbol, of bits, and of growing
        numbers."""
        parts, values = [], sorted(set(form.table))
        parts.append(str(values[0]))
        parts += [f"{value - values[0]}*I[{self.truth(self._letters(form, value), at)}]" for value in values[1:]]
        parts += [f"({value})*I[{self.truth(node, at)}]" for node, value in form.bits.items()]
        parts += [f"({value})*{self.put(atom.name)}({at})" for atom, value in form.atoms.items()]
        return " + ".join(parts)

    def _letters(self, form: Form, value: Fraction) -> frozenset[str]:
        """The symbols for which the part of a number that depends on the symbol has this value."""
        return frozenset(a for a, q in zip(self.program.alphabet, form.table, strict=True) if q == value)

    def row(self, linear: LinearFactors, at: str = "i") -> str:
        """A sum of coordinates at a position as text; the factor of the empty name is the constant."""
        parts = [f"({q})*{self.put(name)}({at})" if name else f"({q})" for name, q in linear.items() if q]
        return " + ".join(parts) or "0"

    # Lines of the proof

    def add(self, label: str, statement: str, lines: Sequence[str], text_at_i: str = "") -> Fact:
        """Add the fact `statement` with the lines of its proof, and return it, or the fact that already has this label.
        If the fact is about each position, `text_at_i` is what it states about position i."""
        if label not in self.shown:
            self.shown[label] = Fact(label, expr.parse_formula(text_at_i or statement))
            self.lines.append(partial(self._shown, label, statement, lines))
        return self.shown[label]

    def each(self, label: str, text_at_i: str, lines: Sequence[str]) -> Fact:
        """Add the fact that `text_at_i` holds at each position i, with lines that prove it at i."""
        return self.add(label, f"all i in 1..n. {text_at_i}", ["given i (il ih)", *lines], text_at_i)

    def follows(self, label: str, text_at_i: str, facts: Iterable[str]) -> Fact:
        """Add the fact that `text_at_i` holds at each position i, which follows from the hints `facts`."""
        return self.add(label, f"all i in 1..n. {text_at_i}", [f"qed by {', '.join(facts)}"], text_at_i)

    def _shown(self, label: str, statement: str, lines: Sequence[str], g: Goal) -> None:
        """Prove a fact by a lemma whose premises are the facts that the statement or the lines of its proof name."""
        text = " ".join([statement, *lines])
        letters_only = "".join(character if character.isalnum() or character == "_" else " " for character in text)
        words_used = dict.fromkeys(letters_only.split())
        facts, names = ([name for name in words_used if name in in_scope] for in_scope in (g.facts, g.scope))
        indented = [f"  {proof_line}" for proof_line in lines]
        self.apart.prove(g, label, g.formula(statement), facts, names, lambda lemma_goal: written(lemma_goal, indented))

    def valued(self, fact: Fact) -> Fact:
        """Note an equation as the value of its left side, for later proofs; any fact is returned as it is."""
        if fact.said[0] == "=":
            self.values[fact.said[1]] = fact
        return fact

    def write(self, node: Node) -> None:
        """Add the fact that a node proves, as a lemma."""
        self.lines.append(partial(self.apart.cite, node=node))

    def by_cases(self, label: str, text_at_i: str, of: str = "", held: bool = False) -> Fact:
        """Add the fact that `text_at_i` holds at each position i, by cases over the symbol and bits. Returns it, or the
        fact that already has this label.

        If the fact must be proved from the equation of a coordinate, `of` is this coordinate. With `held`, a coordinate
        that holds a truth is replaced by this truth.
        """
        # `numbers`: the numbers of symbols in the fact. A line whose value is a symbol is one of them, or none of them.
        parts = subtrees(expr.parse_formula(text_at_i))
        numbers = {part[1][2] for part in parts if part[0] == "ind" and part[1][1][1] in self.letters}
        return self.decided(label, text_at_i, partial(self.tell, codes=sorted(numbers), of=of, held=held))

    def tell(self, known: Pointwise, part: Tree, codes: Sequence[Tree], of: str, held: bool) -> Iterable[Tree]:
        """Note in `known` what a term is at i. Returns the trees whose terms the proof needs next.

        `codes` has the numbers of the symbols in the goal. `of` and `held` are as in `by_cases`.
        """
        # A line whose value is a symbol: the proof needs only whether it is each of `codes`, if that is known.
        name = self.model_names.get(part[1], "") if part[0] == "call" and part[2] == (HERE,) else ""
        line = self.letters.get(part[1]) if part[0] == "call" else None
        is_symbol_terms: list[Tree] = [] if line is None else [("ind", ("=", part, code)) for code in codes]
        if is_symbol_terms and all(term in self.values or self.never(present(line), term) for term in is_symbol_terms):
            return [term for term in is_symbol_terms if not known.given(term)]
        # A term whose value a fact gives.
        if (fact := self.value(part, name, of, held)) is not None:
            label = f"e{len(known.equations)}"
            known.nodes.append(here(fact.label, label))
            known.equations[part] = label, fact.right
            return [fact.right]
        # Other terms: a mean of bits is from 0 to 1, and a coordinate with a bit is 0 or 1.
        if mean := self.shown.get(f"Mean_{part[1]}"):
            least, most = f"least{len(known.near)}", f"most{len(known.near)}"
            known.nodes.append(here(mean.label, [least, most]))
            known.near[part] = FactSide(least, ("num", 0, 1)), FactSide(most, ("num", 1, 1))
        elif name in self.compiled.names:
            known.bits[part] = f"b{len(known.bits)}"
            known.nodes.append(here(self.bit(name).label, known.bits[part]))
        return []

    def value(self, part: Tree, name: str, of: str, held: bool) -> Fact | None:
        """The fact that gives the value of a term at i; None if the term is left as it is.

        `name` is the coordinate, if the term is a coordinate at i. If it holds a truth, this truth is its value if
        `held` is set or the coordinate has no bit of its own. `of` is as in `by_cases`.
        """
        # `node` with the branches (False, True) is a bit by itself; else it is a constant or a function of other bits.
        node = self.truth_nodes.get(name)
        by_symbol = name in self.compiled.sets or name in self.compiled.tables
        if by_symbol or (name and name == of) or name in ("one", "zero"):
            put = self.put(name)
            return Fact(f"{put}_is", expr.parse_formula(self.definitions[put].text))
        if isinstance(node, tuple) and node[1:] != (False, True) and (held or name not in self.compiled.names):
            return self.holds(name)
        return self.values.get(part)

    # Facts about the values of lines of the program

    def goals(self, number: int) -> Iterator[tuple[str, str]]:
        """The facts about the value of a line, as pairs of a label and the text at i. Facts about coordinates that are
        not in the model are left out."""
        value, name = self.compiled.lines[number], self.spoken.value(number)
        if isinstance(value, Form):
            facts = [(f"L{number}", f"{name} = {self.form(value)}", [*value.bits])]
            facts = [goal for goal in facts if all(self.there(atom.name) for atom in value.atoms)]
        elif isinstance(value, dict):
            named = [(self.spoken.codes[a], truth_of) for a, truth_of in value.items()]
            facts = [
                (f"L{number}_{code}", f"I[{name} = {code}] = I[{self.truth(truth_of)}]", [truth_of])
                for code, truth_of in named
            ]
        else:
            facts = [(f"L{number}", f"{name} = I[{self.truth(value)}]", [value])]
        for label, text, truths in facts:
            if all(self.there(bit_name) for bit_name in self.bits(*truths)):
                yield label, text

    def codes(self, number: int) -> list[int]:
        """The numbers of the symbols that a line may be; an empty list for a line whose value is not a symbol."""
        value = self.compiled.lines[number]
        return [self.spoken.codes[letter] for letter in value] if isinstance(value, dict) else []

    def values_of(self, line: int) -> LineValues:
        """The values that a line may have. Undecided if the compiler has no list of them, as for a growing number."""
        value, node = self.compiled.lines[line], self.compiled.node
        if isinstance(value, dict):
            return [(str(self.spoken.codes[letter]), node(truth)) for letter, truth in value.items()]
        if not isinstance(value, Form):
            value = self.compiled.truth(value)
            both = [("0", node(self.compiled.negation(value))), ("1", node(value))]
            return [value_and_truth for value_and_truth in both if value_and_truth[1] is not False]
        listed = self.compiled.values_of(value)
        if listed is None:
            raise Undecided(f"no proof method covers a selector of unbounded numbers: {self.program.text(line)}")
        return [(str(number), node(truth)) for number, truth in listed]

    def one_of(self, number: int) -> Fact | None:
        """The fact that a line has one of its possible values; None for a constant."""
        line = self.program.lines[number]
        label = f"M{number}"
        name = self.spoken.value(number)
        if line.op in ("in", "constant"):
            return Fact("word", ()) if line.op == "in" else None
        if label not in self.shown:
            text = " | ".join(f"{name} = {value}" for value, _ in self.values_of(number))
            if not self.codes(number):
                return self.by_cases(label, text)
            reads = line.reads if line.op == "if" else line.reads[2:]
            self.by_values(label, text, [(read, "i") for read in reads], self.values[expr.parse_term(name)])
        return self.shown[label]

    def never(self, line: int, is_one: Tree) -> bool:
        """Whether a line is never the symbol in `is_one`, an indicator such as ``I[v(i) = 2]``. If so, the fact that
        the indicator is 0 is added."""
        code = is_one[1][2][1]
        if code in self.codes(line) or not self.one_of(line):
            return False
        self.valued(self.by_values(f"M{line}_{code}", f"I[{self.spoken.value(line)} = {code}] = 0", [(line, "i")]))
        return True

    def by_values(
        self,
        label: str,
        text: str,
        reads: Iterable[tuple[int, str]],
        given: Fact | None = None,
        truths: Iterable[tuple[Truth, str]] = (),
        places: str = "i",
    ) -> Fact:
        """Add a fact about all positions i, or all i and j (`places`), by cases over the values of lines there.

        `reads` has the lines, each with its position. `given` is a further equation at i. `truths` has truths, each
        with a position. The values of the lines at that position determine the truth, so a term in these values
        replaces it.
        """
        known, values = Pointwise(None, ("name", "")), list[tuple[Tree, str, Sequence[Tree]]]()  # symbols are numbers
        goal, lines = expr.parse_formula(text), {place: list[int]() for place in places}

        def add_at(fact: Fact, place: str) -> str:
            """Add the node with a fact at a position; returns its label."""
            known.nodes.append(use(fact.label, [place, f"#range_{place}"], label_at_place := f"at{len(known.nodes)}"))
            return label_at_place

        if given is not None:
            known.equations[given.said[1]] = add_at(given, "i"), given.right
        # The cases: each line has one of its possible values.
        for line, place in dict.fromkeys(reads):
            if one_of := self.one_of(line):
                lines[place].append(line)
                numbers = [expr.parse_term(value) for value, _ in self.values_of(line)]
                values.append((expr.parse_term(self.spoken.value(line, place)), add_at(one_of, place), numbers))
        # The goal may have a truth as its coordinate, or as a condition on bits. Both are replaced by the term in the
        # values of lines, by a fact that the two are equal.
        terms = {*subtrees(goal)}
        for truth, place in truths:
            for read in (self.bit_of(truth), f"I[{self.truth(truth)}]"):
                term = moved(expr.parse_term(read), place)
                if term in terms and not known.given(term) and read != (of := self.by_lines(truth, lines[place])):
                    fact = self.by_cases(f"V{len(self.shown)}", f"{read} = {of}", held=True)
                    known.equations[term] = add_at(fact, place), moved(fact.right, place)
        names_and_ranges = [text for place in places for text in (place, f"range_{place}")]
        proof = [intro(names_and_ranges), *known.nodes]
        over = "".join(f"all {place} in 1..n. " for place in places)
        self.shown[label] = Fact(label, goal)
        self.write(have(label, f"{over}{text}", [*proof, *known.by_values(goal, values)]))
        return self.shown[label]

    def selects(
        self, label: str, selector: int, text: str, cases: Sequence[SelectorCase] = (), told: Collection[int] = ()
    ) -> None:
        """Add the fact `text` about a selector at i and j, by cases over the values of the lines that it reads.

        `told` has the parts of the selector whose truth is known. `cases` has the cases of the selector; each of their
        truths is replaced by a term in the values of the lines.
        """
        truths = [(case.here, "i") for case in cases if case.there is not False]
        truths += [(case.there, "j") for case in cases if not isinstance(case.there, bool)]
        self.by_values(label, text, self.selected(selector, "j", told), None, truths, "ij")

    def bit_of(self, truth: Truth) -> str:
        """The coordinate with a truth at i, as text. It need not be in the model (see `there`): the compiler's record
        makes one for a truth that no coordinate holds."""
        return f"{self.put(self.compiled.hold(self.compiled.node(truth)))}(i)"

    def held_here(self, truth: Truth) -> str:
        """A truth at i as text: the coordinate that holds it, if this is in the model, else a condition on bits."""
        there = self.there(self.compiled.hold(self.compiled.node(truth)))
        return self.bit_of(truth) if there else f"I[{self.truth(truth)}]"

    def by_lines(self, truth: Truth, lines: Sequence[int]) -> str:
        """A truth at i as a sum over the values of these lines there. Undecided if the values do not determine it."""
        # For each choice of values: `here` is true where the lines have them. The truth must be constant there.
        parts, make, node = list[str](), self.compiled.diagrams, self.compiled.node(truth)
        for values in product(*map(self.values_apart, lines)):
            here: BoolNode = reduce(make.both, (of_value for _, of_value in values), True)
            may_be_true = self.possible(make.both(here, node))
            may_be_false = self.possible(make.both(here, make.negation(node)))
            if may_be_true and may_be_false:
                raise Undecided("no proof method covers a selector that its sequences do not determine")
            if may_be_true:
                named = zip(lines, values, strict=True)
                factors = [f"I[{self.spoken.value(line)} = {value}]" for line, (value, _) in named]
                parts.append("*".join(factors) or "1")
        return " + ".join(parts) or "0"

    def values_apart(self, line: int) -> LineValues:
        """The values of a line, each with the function of bits that is true where it has this value and no other."""
        values, make = self.values_of(line), self.compiled.diagrams
        return [
            (value, reduce(make.both, (make.negation(node) for other, node in values if other != value), own))
            for value, own in values
        ]

    def possible(self, truth: BoolNode) -> bool:
        """Whether a function of bits may be true at a position, which has exactly one symbol. False is certain. True is
        not: the bits may depend on each other, and a function with more than `CASES` cubes is not examined."""
        conjunctions = cubes(truth, CASES)
        return conjunctions is None or any(self.unit(cube, "i") is not None for cube in conjunctions)

    def of_line(self, number: int) -> list[Fact]:
        """The facts about the value of a line, of those that were added already."""
        labels = [f"M{number}", f"L{number}", *(f"L{number}_{code}" for code in self.codes(number))]
        return [self.shown[label] for label in labels if label in self.shown]

    def row_is(self, number: int) -> Fact:
        """The fact that the coordinates of a line with a number add up to its value."""
        row = self.row(self.compiled.linear(self.compiled.lines[number]))
        return self.by_cases(f"Row{number}", f"{row} = {self.spoken.value(number)}", held=True)

    def selected(self, selector: int, at: str = "p", told: Collection[int] = ()) -> list[tuple[int, str]]:
        """The lines that a selector reads, each with its position ("i", or `at` for the key), without the lines that
        only the parts `told` read."""
        line = self.program.lines[selector]
        if selector in told:
            return []
        if line.op == "select":
            return [(line.reads[0], at), (line.reads[1], "i")]
        if line.op in ("key", "query"):
            return [(line.reads[0], at if line.op == "key" else "i")]
        return [read_at for part in line.reads for read_at in self.selected(part, at, told)]

    def by_index(self, selector: int) -> list[int]:
        """The parts of a selector that compare indices, by line."""
        line, cases = self.program.lines[selector], self.compiled.lines[selector]
        if line.op.startswith("pair"):
            return [part_index for part in line.reads for part_index in self.by_index(part)]
        return [selector] if any({BEFORE, AFTER} & variables(case.there) for case in cases) else []

    # Coordinates

    def holds(self, name: str) -> Fact:
        """The fact H_name: which truth a coordinate holds. It is added if it is missing, as are the facts it needs."""
        # In this order: a set of symbols; a number that the symbol gives; a constant; a function of other bits; a bit
        # by itself.
        label = f"H_{name}"
        put_name = self.put(name)
        truth_node = self.truth_nodes.get(name, False)
        if name in self.compiled.sets:
            return self.by_cases(label, f"{put_name}(i) = I[{self.truth(self.compiled.sets[name])}]", name)
        if name in self.compiled.tables:
            return self.by_cases(label, f"{put_name}(i) = {self.form(Form(self.compiled.tables[name]))}", name)
        if name in ("one", "zero"):
            return self.by_cases(label, f"{put_name}(i) = {int(name == 'one')}", name)
        if truth_node and (isinstance(truth_node, bool) or truth_node[1:] != (False, True)):
            return self.by_cases(label, f"{put_name}(i) = I[{self.truth(truth_node)}]", name)
        return self.shown.get(label) or self.follows(
            label, f"{put_name}(i) = I[{put_name}(i) = 1]", [self.bit(name).label]
        )

    def bit(self, name: str) -> Fact:
        """The fact B_name: a coordinate is a bit. Undecided if the coordinate is not in the model, or if it is the
        result of a comparison that has no proof."""
        label, put_name = f"B_{name}", self.put(name)
        if label in self.shown:
            return self.shown[label]
        if not self.there(name):
            meaning = self.compiled.meanings[name]
            raise Undecided(f"no proof method covers a truth value without a coordinate: {meaning}")
        if name in self.compiled.compared or name in self.compiled.signs:
            raise Undecided(f"no proof method covers the comparison {self.compiled.meanings[name]}")
        node = self.truth_nodes.get(name, False)
        computed = isinstance(node, tuple) and node[1:] != (False, True) and name not in self.compiled.sets
        return self.follows(label, f"bit({put_name}(i))", [self.holds(name).label if computed else f"{put_name}_is"])

    def truthful(self, name: str) -> bool:
        """Whether a coordinate holds a truth, or a number that the symbol gives."""
        compiled = self.compiled
        return any(
            name in table
            for table in (compiled.sets, compiled.tables, compiled.compared, compiled.signs, self.truth_nodes)
        )

    def range(self, name: str) -> Fact:
        """The bounds of a coordinate that holds a truth, or a number that the symbol gives: the fact B_name. For the
        coordinates "one" and "zero" it is H_name, their value."""
        if name not in self.compiled.tables:
            return self.bit(name) if name not in ("one", "zero") else self.holds(name)
        put_name, table = self.put(name), self.compiled.tables[name]
        return self.by_cases(f"B_{name}", f"{min(table)} <= {put_name}(i) & {put_name}(i) <= {max(table)}")


def moved(tree: Tree, to: str) -> Tree:
    """A tree about position i, with position `to` in place of i."""
    return replaced(tree, {"i": ("name", to)}, {})


def in_cases(labels: Sequence[str], fact: str, where: str, blocks: Iterable[Sequence[str]]) -> list[str]:
    """Lines of proof text that split a fact, which is a disjunction, into cases with these labels. `where` has the
    hints that prove the fact, `blocks` the lines of each case."""
    return [
        f"cases {', '.join(labels)} from {fact} by {where}",
        *(line for block in blocks for line in as_block(block)),
    ]


def as_block(lines: Sequence[str]) -> list[str]:
    """Lines of proof text as a block: indented, the first with a dash."""
    return [f"  {'- ' if not k else '  '}{text}" for k, text in enumerate(lines)]
