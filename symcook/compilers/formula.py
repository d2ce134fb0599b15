"""Formulas of temporal logic to transformers with unique-hard attention, packed and exact.

A head an operator: previous is the rightmost position that stands before, with scores zero; `F since G` is the
rightmost j <= i at which ~F | G is greatest, and gives F & G there, which is 0 where it is nowhere true. next and until
are their mirror images. Boolean parts between them are functions of bits, each in one network: a ReLU for each of its
disjoint cubes. Letter sets stand in the embedding. So the depth is that of the operators on other positions, and one
more.

Source: Yang et al. (2026), Theorems 12 and 15 (the proofs' unique-hard attention); previous with a strict mask needs
one head for the two of the paper, and no position function.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from symcook.compilers.booleans import Diagrams, Node, cubes, variables
from symcook.compose.builder import Builder
from symcook.model.parts import FeedForward, Head
from symcook.model.transformer import Program, Transformer
from symcook.model.weights import feedforward, head
from symcook.programs.formula import COUNTING, Count, Formula, FormulaLine, letters_text

MOST = 32
"""How many cubes, and variables, a Boolean part may have; one with more is cut, and the cut is a coordinate."""
MASKS = {"prev": "strict-future", "next": "strict-past", "since": "future", "until": "past"}
SIDES = {"prev": "rightmost", "next": "leftmost", "since": "rightmost", "until": "leftmost"}


def compiled(formula: Formula, source: str, name: str, kind: str = "ltl") -> Transformer:
    """The model of a formula. It answers at each position: accept where the formula is true, or the label put out."""
    return Packed(formula).model(source, name, kind)


def predicate(line: FormulaLine, number: str) -> str:
    """Whether a predicate holds of a number, as a position function; behind the end of a table it does not."""
    if line.op == "remainder" and line.divisor == 2:
        return f"(1 {'-' if line.bound else '+'} (-1)^({number}))/2"
    if line.op == "remainder":  # a sum, since statements have no remainder
        return f"sum(q, 0, {number}, I[{number} = {line.divisor}*q + {line.bound}])"
    ones = [place for place, bit in enumerate(line.table) if bit == "1"]
    return " + ".join(f"I[{number} = {place}]" for place in ones) or "0"


class FormulaHead(NamedTuple):
    """The head of a line: it writes `name`, its scores are the coordinate `stop` (None: zero), its values `value`."""

    name: str
    stop: str | None
    value: str


class CountHead(NamedTuple):
    """The heads of a count: `mean` over the positions on a side, `less` without the position's `own` part, and what is
    looked up by that, `found` of `tables`."""

    side: str
    own: str
    inverse: str
    mean: str
    less: str
    found: tuple[str, ...]
    tables: tuple[str, ...]


class Packed:
    """What each line is, as a Boolean function of bits that coordinates hold: the variables."""

    def __init__(self, formula: Formula) -> None:
        self.formula, self.diagrams = formula, Diagrams()
        self.steps: list[Head | FeedForward] = []
        self.names: list[str] = []
        self.meanings: dict[str, str] = {}
        self.heads: dict[int, FormulaHead] = {}
        self._atoms: dict[frozenset[str], Node] = {}
        self._held: dict[Node, str] = {}
        self._made: dict[tuple[str, Node, Node], FormulaHead] = {}
        self.sets: dict[str, frozenset[str]] = {}
        self.cut = False
        self.positions: dict[str, str] = {}
        self.counting: dict[int, tuple[CountHead, ...]] = {}
        self._counts: dict[object, CountHead] = {}
        self._tables: dict[str, int] = {}
        self.values: list[Node | frozenset[str]] = []
        for number, line in enumerate(formula.lines):
            reads = [self.values[k] for k in line.reads]
            counted = line.op in COUNTING
            made = self._counting(number, line) if counted else self._value(number, line.op, reads, line.letters)
            self.values.append(made)

    def _value(
        self, number: int, op: str, reads: Sequence[Node | frozenset[str]], letters: frozenset[str]
    ) -> Node | frozenset[str]:
        """The function of a line; a set of letters where it depends on the letter alone."""
        if op == "letters":
            return letters
        sets = [one for one in reads if isinstance(one, frozenset)]
        if len(sets) == len(reads) and op in ("not", "and", "or"):
            if op == "not":
                return frozenset(self.formula.alphabet) - sets[0]
            return sets[0] & sets[1] if op == "and" else sets[0] | sets[1]
        bits = [self._bit(one) for one in reads]
        make = self.diagrams
        if op == "not":
            return make.negation(bits[0])
        if op == "and":
            return self._few(make.both, bits)
        if op == "or":
            return self._few(make.either, bits)
        if op in ("prev", "next"):
            return self._head(number, op, True, bits[0])
        stop = self._few(lambda f, g: make.either(make.negation(f), g), bits)
        both = self._few(make.both, bits)
        return both if stop is True else self._head(number, op, stop, both)

    def _bit(self, value: Node | frozenset[str]) -> Node:
        """A set of letters as a function: a bit of the embedding, or the negation of one."""
        if not isinstance(value, frozenset):
            return value
        every = frozenset(self.formula.alphabet)
        if value in (frozenset(), every):
            return bool(value)
        if every - value in self._atoms:
            return self.diagrams.negation(self._atoms[every - value])
        if value not in self._atoms:
            meaning = letters_text(value, self.formula.alphabet)
            name = self._name("q", len(self.sets) + 1, meaning)
            self.sets[name] = value
            self._atoms[value] = self._variable(name)
        return self._atoms[value]

    def _few(self, make: Callable[[Node, Node], Node], bits: Sequence[Node]) -> Node:
        """A function of two; of coordinates that hold them where it is too large to be one network."""
        made = make(*bits)
        if self._small(made):
            return made
        self.cut = True
        return make(*(one if isinstance(one, bool) else self._variable(self.hold(one)) for one in bits))

    def _small(self, f: Node) -> bool:
        few = cubes(f, MOST) is not None or cubes(self.diagrams.negation(f), MOST) is not None
        return few and len(variables(f)) <= MOST

    def _head(self, number: int, op: str, stop: Node, value: Node) -> Node:
        """A head that gives `value` at the nearest position where `stop` is greatest."""
        if value is False:
            return False
        key = (op, stop, value)
        if key not in self._made:
            held = None if stop is True else self.hold(stop)
            made = FormulaHead(self._name(op, number + 1, self.formula.text(number)), held, self.hold(value))
            score = None if held is None else {(self.hold(True), held): 1}
            self.steps.append(head(score, {made.name: made.value}, mask=MASKS[op], weighting=SIDES[op]))
            self._made[key] = made
        self.heads[number] = self._made[key]
        return self._variable(self._made[key].name)

    def _counting(self, number: int, line: FormulaLine) -> Node:
        """A line about counts: a coordinate that holds its bit."""
        meaning = self.formula.text(number)
        if not line.counts and line.op == "at least":
            return line.bound <= 0
        if not line.counts:
            name = self._name("at", number + 1, meaning)
            self.positions[name] = predicate(line, "i")
            return self._counted(number, name, ())
        if line.op == "at least":
            heads = tuple(self._count(one) for one in line.counts)
            terms = []
            for one, head in zip(line.counts, heads, strict=True):
                parts = (*head.found, head.own)
                terms += [f"{'-' if one.factor < 0 else '+'} {abs(one.factor)}*{part}" for part in parts]
            total = f"{' '.join(terms).removeprefix('+ ')} - {line.bound}"
            name = self._name("more", number + 1, meaning)
            self.steps.append(feedforward({name: f"relu({total} + 1) - relu({total})"}))
            return self._counted(number, name, heads)
        found = self._count(line.counts[0], line)
        here, after = found.found
        name = self._name("rest", number + 1, meaning)
        self.steps.append(feedforward({name: f"relu({here} - {found.own}) + relu({after} + {found.own} - 1)"}))
        return self._counted(number, name, (found,))

    def _counted(self, number: int, name: str, heads: tuple[CountHead, ...]) -> Node:
        """The bit of a line about counts, which stands in a coordinate."""
        self.heads[number], self.counting[number] = FormulaHead(name, None, name), heads
        return self._variable(name)

    def _count(self, one: Count, test: FormulaLine | None = None) -> CountHead:
        """The coordinates of a count that add up to it: how often the line is true at other positions, found by looking
        up the position of one more, and its own bit. For a `test` what is looked up are its truths of that count and of
        one more.

        The mean of the line over the positions that count, less the own share, is (C - x)/i: with 1/i it is the query
        of the position C - x + 1, which is always there. On the right the number of positions is n - i + 1.
        """
        own = self.hold(self._bit(self.values[one.line]))
        key = (one.side, own, test and test[-3:])
        if key not in self._counts:
            count = len(self._counts) + 1
            inverse = "inverse" if one.side == "left" else "inverse_right"
            self.positions |= {inverse: "1/i" if one.side == "left" else "1/(n - i + 1)", "index": "i", "square": "i^2"}
            self.meanings |= {inverse: f"1/positions on the {one.side}", "index": "i", "square": "i^2"}
            what = f"#{one.side}[{self.formula.text(one.line)}]"
            mean, less, below = f"mean{count}", f"less{count}", f"count{count}"
            mask = "future" if one.side == "left" else "past"
            self.steps.append(head(None, {mean: own}, mask=mask))
            self.steps.append(feedforward({less: f"relu({mean}) - relu({own} + {inverse} - 1)"}))
            score = {(less, "index"): 2, (inverse, "index"): 2, (inverse, "square"): -1}
            if test is None:
                self.positions["before"] = "i - 1"
                self.meanings["before"] = "i - 1"
                self.meanings[below] = f"{what} without this position"
                values = {below: "before"}
            else:
                values = {}
                for end, moved in (("here", "i - 1"), ("next", "i")):
                    name = test.table and f"table{self._numbered(test.table)}"
                    table = f"{name or f'mod{test.divisor}_{test.bound}'}_{end}"
                    self.positions[table] = predicate(test, moved)
                    said = f"TABLE({test.table})" if name else f"MOD({test.divisor}, {test.bound})"
                    self.meanings[table] = f"{said} of {moved}"
                    self.meanings[f"{below}_{end}"] = f"{table} at {what} without this position, plus 1"
                    values[f"{below}_{end}"] = table
            self.steps.append(head(score, values))
            self.meanings |= {mean: f"{what} over the positions there", less: f"{mean} without this position"}
            self._counts[key] = CountHead(one.side, own, inverse, mean, less, tuple(values), tuple(values.values()))
        return self._counts[key]

    def _numbered(self, table: str) -> int:
        """The number of a table of bits, among those that are there."""
        return self._tables.setdefault(table, len(self._tables) + 1)

    def _name(self, stem: str, number: int, meaning: str) -> str:
        name = f"{stem}{number}"
        self.meanings[name] = meaning
        return name

    def _variable(self, name: str) -> Node:
        if name not in self.names:
            self.names.append(name)
        return self.diagrams.variable(self.names.index(name))

    def hold(self, f: Node) -> str:
        """The coordinate that holds a function; made where there is none."""
        if f not in self._held:
            self._held[f] = self._new_holder(f)
        return self._held[f]

    def holds(self, name: str) -> Node:
        """The function that a coordinate holds."""
        return next(f for f, held in self._held.items() if held == name)

    def _new_holder(self, f: Node) -> str:
        if isinstance(f, bool):
            self.meanings["one" if f else "zero"] = "true" if f else "false"
            return "one" if f else "zero"
        if f[1:] == (False, True):
            return self.names[f[0]]
        found, negative = cubes(f, MOST), False
        other = cubes(self.diagrams.negation(f), MOST)
        if found is None or (other is not None and len(other) < len(found)):
            found, negative = other or [], True
        units, texts = [], []
        for cube in found:
            signs = [("+" if value else "-", self.names[variable]) for variable, value in cube]
            ones = 1 - sum(value for _, value in cube)
            units.append(f"relu({' '.join(f'{sign} {name}' for sign, name in signs).removeprefix('+ ')} + {ones})")
            texts.append(" & ".join(("" if sign == "+" else "~") + name for sign, name in signs))
        text = " | ".join(texts)
        count = sum(one[0] == "f" for one in self.meanings)
        name = self._name("f", count + 1, f"~({text})" if negative else text)
        network = " + ".join(units)
        self.steps.append(feedforward({name: f"1 - ({network})" if negative else network}))
        return name

    def model(self, source: str, name: str, kind: str = "ltl") -> Transformer:
        """The model, with its plan."""
        labels = self.formula.labels
        rest: Node = True
        answers: dict[str | None, Node] = {label: False for label, _ in self.formula.outputs}
        make = self.diagrams
        for label, line in self.formula.outputs:
            here = self._bit(self.values[line])
            answers[label] = self._few(make.either, [answers[label], self._few(make.both, [rest, here])])
            rest = self._few(lambda f, g: make.both(f, make.negation(g)), [rest, here])
        self.shown = shown = [self.hold(answers[label]) for label in (labels or (None,))]
        rows = {a: {name: 1 for name, letters in self.sets.items() if a in letters} for a in self.formula.alphabet}
        if "zero" in self.meanings or not any(rows.values()):
            rows[self.formula.alphabet[0]]["zero"] = 0
        positions = {"one": "1"} if "one" in self.meanings else {}
        short = [len(line.table) - 1 for line in self.formula.lines if line.op == "table" and not line.counts]
        b = Builder(words=rows, positions=positions | self.positions, max_length=min(short, default=None))
        for step in self.steps:
            b.add(step)
        if labels:
            reads = tuple(dict.fromkeys(shown))
            weights = [[int(one == name) for name in reads] for one in shown]
            b.readout("largest", "each", reads, labels=labels, weights=weights)
        else:
            b.readout("sign", "each", shown, weights=[1])
        model = b.build(name, source="Yang et al. (2026), Section 4: a compiled formula")
        return replace(model, program=Program(kind, source, self.formula.alphabet, plan_of(model, self.meanings)))


def plan_of(model: Transformer, meanings: Mapping[str, str]) -> tuple[tuple[str, str, str], ...]:
    """Each coordinate with the place where it is written, and what it holds."""
    where = dict.fromkeys(model.space, "embedding")
    for number, layer in enumerate(model.layers, 1):
        for part in layer.parts():
            kind = "attention" if isinstance(part, Head) else "feed-forward"
            where |= dict.fromkeys(part.writes, f"layer {number}, {kind}")
    return tuple((name, where[name], meanings.get(name, name)) for name in model.space)
