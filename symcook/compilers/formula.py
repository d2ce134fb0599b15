"""Compiler from temporal and counting logic to transformers: with unique-hard attention, exactly, or with softmax and
rounding.

Each operator on other positions takes one head. `prev F` retrieves F at the rightmost earlier position; all scores are
0. `F since G` retrieves F & G at the rightmost j <= i with the maximum of ~F | G; the result is 0 if G is nowhere true.
next and until are their mirror images. Boolean operators between heads are functions of bits, and each takes one
feed-forward layer: a ReLU for each of its disjoint cubes. Sets of letters are bits of the embedding. So without counts
the depth is at most the nesting of operators on other positions, plus one, unless a Boolean function is too large for
one layer. A count takes two heads and the layer between them (`Packed._count`).

Source: Yang et al. (2026), Theorems 12 and 15 (the unique-hard attention of their proofs). With a strict mask, previous
needs one head where the paper has two, and no position function.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from symcook.compilers.bits import Truth
from symcook.compilers.booleans import BoolNode, Cube
from symcook.compilers.soft import BIT, MASKS, NUMBER, Retrieval, ScoreForm, SoftHead, SoftScores
from symcook.compilers.values import SEEN, Look, PositionValues
from symcook.compose.builder import Builder
from symcook.model.answers import brief
from symcook.model.checks import MAX_LABEL
from symcook.model.parts import Head
from symcook.model.reads import PartsRead
from symcook.model.transformer import Program, Transformer
from symcook.programs.formula import COUNTING, Count, Formula, FormulaLine

READS = PartsRead("the compiler of formulas")

SIDES = {"prev": "rightmost", "next": "leftmost", "since": "rightmost", "until": "leftmost"}
"""The weighting of the hard head of each temporal operator."""


def compiled(formula: Formula, source: str, name: str, kind: str = "ltl", attention: str = "") -> Transformer:
    """The model of a formula. At each position it accepts if the formula is true there, or answers with a label."""
    return Packed(formula, attention).model(source, name, kind)


def predicate(line: FormulaLine, number: str) -> str:
    """The formula of a position function that is 1 if the line's predicate holds for `number`, the text of an
    expression in i, else 0. A table of bits is 0 beyond its end."""
    if line.op == "remainder" and line.divisor == 2:
        return f"(1 {'-' if line.bound else '+'} (-1)^({number}))/2"
    if line.op == "remainder":  # a sum, since statements have no remainder
        return f"sum(q, 0, {number}, I[{number} = {line.divisor}*q + {line.bound}])"
    ones = [k for k, bit in enumerate(line.table) if bit == "1"]
    return " + ".join(f"I[{number} = {k}]" for k in ones) or "0"


class FormulaHead(NamedTuple):
    """The head of a line of the formula: it writes the coordinate `name`, its score is the coordinate `stop` (None: all
    scores are equal), and it retrieves the coordinate `value`. A line about counts has its heads in `Packed.counting`;
    here `name` and `value` are the coordinate of its bit, and `stop` is None."""

    name: str
    stop: str | None
    value: str


class CountHead(NamedTuple):
    """The coordinates of a count on a side: `own`, the bit that is counted; `inverse`, 1 over the number of positions
    there; `mean`, the mean of the bit; `less`, the mean without the position's own part; `found`, the values of the
    coordinates `tables` at the position that is looked up."""

    side: str
    own: str
    inverse: str
    mean: str
    less: str
    found: tuple[str, ...]
    tables: tuple[str, ...]


class Packed(PositionValues):
    """Each line of a formula as a Boolean function of bits that coordinates hold.

    With softmax, a bit that a head retrieves is only near 0 or 1, until a network rounds it: `soft` is {coordinate of
    such a bit: its head}.
    """

    letters, truths = "q", "f"

    def __init__(self, formula: Formula, attention: str = "") -> None:
        super().__init__(formula)
        self.formula, self.attention = formula, attention
        self.scores = SoftScores(attention) if attention else None
        self.soft: dict[str, SoftHead] = {}
        self.heads: dict[int, FormulaHead] = {}  # by number of the line
        self.counting: dict[int, tuple[CountHead, ...]] = {}  # by number of the line
        self._counts = 0
        self._tables: dict[str, int] = {}
        self.values: list[Truth] = []  # the truth of each line
        for number, line in enumerate(formula.lines):
            reads = [self.values[k] for k in line.reads]
            counted = line.op in COUNTING
            self.values.append(self._counting(number, line) if counted else self._value(number, line, reads))

    def _value(self, number: int, line: FormulaLine, reads: Sequence[Truth]) -> Truth:
        """The truth of a line, given those of the lines that it reads."""
        op, make = line.op, self.diagrams
        # Operators that do not look at other positions need no head.
        if op == "letters":
            return line.letters
        if op in ("not", "and", "or"):
            return self.negation(*reads) if op == "not" else (self.both if op == "and" else self.either)(*reads)
        bits = [self.node(truth) for truth in reads]
        if op in ("prev", "next"):
            return self._head(number, op, True, bits[0])
        # F since G: there is a j <= i with G at j, and F holds from j to i. Only the last j with ~F | G matters. The
        # operator is true if F & G holds there.
        stop = self._few(lambda f, g: make.either(make.negation(f), g), *bits)
        both = self._few(make.both, *bits)
        return both if stop is True else self._head(number, op, stop, both)

    def _head(self, number: int, op: str, stop: BoolNode, value: BoolNode) -> BoolNode:
        """The bit that a head retrieves: `value` at the nearest position where `stop` has its maximum. Records the head
        in `heads`, unless `value` is false everywhere."""
        if value is False:  # nothing to retrieve: the operator is false everywhere
            return False

        def build() -> FormulaHead:
            """Add the head."""
            # If `stop` is true everywhere, all scores are equal: the head attends to the nearest position of the mask.
            stop_name = None if stop is True else self.hold(stop)
            formula_head = FormulaHead(
                self._name(op, number + 1, self.formula.text(number)), stop_name, self.hold(value)
            )
            if self.scores is None:  # hard attention: the weighting breaks ties towards the nearest position
                score: ScoreForm | None = None if stop_name is None else {(self.hold(True), stop_name): 1}
                retrieval = Retrieval(score, MASKS[op], weighting=SIDES[op])
            else:
                retrieval = self.scores.temporal(op, self.hold(True), stop_name)
            self._retrieve({formula_head.name: formula_head.value}, retrieval)
            return formula_head

        self.heads[number] = self.once((op, stop, value), build)
        result = self.bit(self.heads[number].name)
        # If the mask is not strict, the first position retrieves itself; but it has no previous position.
        if op == "prev" and self.scores is not None and self.scores.plain:
            later = self.place("later", "I[2 <= i]", "whether there is one before")
            result = self.diagrams.both(result, self.bit(later))
        return result

    def _retrieve(self, values: Mapping[str, str], retrieval: Retrieval, constant: Fraction = BIT) -> None:
        """Add a head; `values` is {coordinate that it writes: coordinate that it retrieves}. With softmax, its error is
        at most `constant` e^-gamma."""
        rows = {name: {value: Fraction(1)} for name, value in values.items()}
        if self.scores is None:
            self.looks.append(Look(retrieval.form, rows, retrieval.mask, retrieval.weighting))
            return
        form, mask, lemma, _ = retrieval
        step = SoftHead(form, rows, mask, "softmax", self.scores.temperature, lemma, constant)
        self.looks.append(step)
        if retrieval.form is not None:
            self.soft |= dict.fromkeys(values, step)
        for name, function in self.scores.positions.items():
            self.place(name, function)

    def _lookup(self, less: str, inverse: str) -> ScoreForm:
        """Scores that are maximal at position C' + 1, where C' = `less`/`inverse` is a count."""
        if self.scores is not None:
            return self.scores.lookup(less, inverse)
        index, square = self.place("index", "i"), self.place("square", "i^2")
        return {(less, index): 2, (inverse, index): 2, (inverse, square): -1}

    def _rises(self, total: str, rough: int) -> str:
        """The formula of a network that is 0 if a sum of whole numbers is at most 0, and 1 if it is at least 1. With
        `rough`, some terms are retrieved by softmax; their errors add up to at most 1/4, and are rounded away."""
        return rounded(total) if rough else f"relu({total}) - relu({total} - 1)"

    def _rough(self, terms: Mapping[str, int]) -> int:
        """The sum of the absolute factors of the terms that softmax retrieves. Their heads' `load` is raised to it,
        since a network rounds the sum, and the errors must fit (`SoftHead.gamma`)."""
        factors = {name: abs(factor) for name, factor in terms.items() if name in self.soft}
        load = sum(factors.values())
        for name in factors:
            self.soft[name].load = max(self.soft[name].load, load)
        return load

    def _counting(self, number: int, line: FormulaLine) -> BoolNode:
        """The bit of a line about counts."""
        meaning = self.formula.text(number)
        # Constants against a bound, and predicates of the position, need no head.
        if not line.counts and line.op == "at least":
            return line.bound <= 0
        if not line.counts:
            return self._counted(number, self.place(f"at{number + 1}", predicate(line, "i"), meaning), ())
        if line.op == "at least":
            # Sum of counts >= bound. Each count is the number that a head looks up, plus the position's own bit.
            heads = tuple(self._count(count) for count in line.counts)
            terms, factor_of = [], {}
            for count, count_head in zip(line.counts, heads, strict=True):
                parts = (*count_head.found, count_head.own)
                terms += [f"{'-' if count.factor < 0 else '+'} {abs(count.factor)}*{part}" for part in parts]
                factor_of[count_head.found[0]] = factor_of.get(count_head.found[0], 0) + count.factor
            total = f"{' '.join(terms).removeprefix('+ ')} - {line.bound} + 1"
            name = self._name("more", number + 1, meaning)
            self._written({name: self._rises(total, self._rough(factor_of))})
            return self._counted(number, name, heads)
        # A remainder or table: a head looks up the truth for the count without the own bit (`here`), and for one more
        # (`after`). The own bit selects one of the two.
        count_head = self._count(line.counts[0], line)
        here, after = count_head.found
        name = self._name("rest", number + 1, meaning)
        truth_if_absent = self._chosen(f"{here} - {count_head.own}", self._rough({here: 1}))
        truth_if_present = self._chosen(f"{after} + {count_head.own} - 1", self._rough({after: 1}))
        self._written({name: f"{truth_if_absent} + {truth_if_present}"})
        return self._counted(number, name, (count_head,))

    def _counted(self, number: int, name: str, heads: tuple[CountHead, ...]) -> BoolNode:
        """The bit in the coordinate `name`; the heads of the line are recorded."""
        self.heads[number], self.counting[number] = FormulaHead(name, None, name), heads
        return self.bit(name)

    def _chosen(self, total: str, rough: int) -> str:
        """The formula of a network that is 1 if a sum of bits, which is at most 1, is 1, else 0; see `_rises`."""
        return self._rises(total, rough) if rough else f"relu({total})"

    def _count(self, count_term: Count, test: FormulaLine | None = None) -> CountHead:
        """The heads of a count C on one side. C is the number C - x of other positions at which the line is true, plus
        the position's own bit x. The first is looked up at position C - x + 1. With a `test` (a remainder or table) the
        truths of the test for C - x and C - x + 1 are looked up instead.

        The mean of the line over the positions on the left, minus the own share, is (C - x)/i. Together with 1/i it is
        the query for position C - x + 1, which always exists. On the right the number of positions is n - i + 1.
        """
        own_bit = self.hold(self.node(self.values[count_term.line]))

        def build() -> CountHead:
            """Add the heads and the network between them."""
            self._counts = head_number = self._counts + 1
            to_left = count_term.side == "left"
            inverse = self.place(
                "inverse" if to_left else "inverse_right",
                "1/i" if to_left else "1/(n - i + 1)",
                f"1/positions on the {count_term.side}",
            )
            count_text = f"#{count_term.side}[{self.formula.text(count_term.line)}]"
            mean = self._name("mean", head_number, f"{count_text} over the positions there")
            less = self._name("less", head_number, f"mean{head_number} without this position")
            below = f"count{head_number}"
            # First head: the mean of the bit over the positions on that side. A network subtracts the own share.
            self._retrieve({mean: own_bit}, Retrieval(None, SEEN[count_term.side]))
            self._written({less: f"relu({mean}) - relu({own_bit} + {inverse} - 1)"})
            form = self._lookup(less, inverse)
            # Second head, at position C - x + 1: retrieve C - x, ...
            if test is None:
                values = {below: self.place("before", "i - 1")}
                self._name("count", head_number, f"{count_text} without this position")
                self._retrieve(values, Retrieval(form, "none", "Lemma 7"), NUMBER)
            else:
                # ... or for a test, its truths for C - x and C - x + 1.
                values = {}
                for end, number in (("here", "i - 1"), ("next", "i")):
                    name = test.table and f"table{self._numbered(test.table)}"
                    table_meaning = f"TABLE({test.table}) of {number}" if name else ""
                    table = self.place(
                        f"{name or f'mod{test.divisor}_{test.bound}'}_{end}",
                        predicate(test, number),
                        table_meaning or f"whether {number} leaves {test.bound} modulo {test.divisor}",
                    )
                    self.meanings[f"{below}_{end}"] = f"{table} at {count_text} without this position, plus 1"
                    values[f"{below}_{end}"] = table
                self._retrieve(values, Retrieval(form, "none", "Lemma 6"))
            return CountHead(count_term.side, own_bit, inverse, mean, less, tuple(values), tuple(values.values()))

        return self.once((count_term.side, own_bit, test and test[-3:]), build)

    def _numbered(self, table: str) -> int:
        """The number of a table of bits: 1 for the first one used, and so on."""
        return self._tables.setdefault(table, len(self._tables) + 1)

    def _name(self, stem: str, number: int, meaning: str) -> str:
        """The coordinate `stem` with a number, after its meaning is recorded."""
        name = f"{stem}{number}"
        self.meanings[name] = meaning
        return name

    def _there(self, f: tuple[int, BoolNode, BoolNode]) -> str | None:
        """The coordinate of a function that is a single exact bit. Unlike in `Bits`, the negation of a set of letters
        gets no coordinate in the embedding."""
        name = self.names[f[0]]
        return name if f[1:] == (False, True) and name not in self.soft else None

    def _unit(self, cube: Cube) -> str:
        """The formula of a network for a cube, which rounds if softmax retrieves one of its bits."""
        rough = self._rough({self.names[variable]: 1 for variable, _ in cube})
        return self._chosen(self._total(cube), rough)

    def model(self, source: str, name: str, kind: str = "ltl") -> Transformer:
        """The model, with its plan."""
        labels = self.formula.labels
        if self.scores is not None:
            self.hold(True)
        # The first output whose formula holds gives the label. `remaining` is true where no output so far holds.
        remaining: BoolNode = True
        answers: dict[str | None, BoolNode] = {label: False for label, _ in self.formula.outputs}
        make = self.diagrams
        for label, line in self.formula.outputs:
            truth = self.node(self.values[line])
            answers[label] = self._few(make.either, answers[label], self._few(make.both, remaining, truth))
            remaining = self._few(lambda f, g: make.both(f, make.negation(g)), remaining, truth)
        self.shown = held_answers = [self.hold(answers[label]) for label in (labels or (None,))]
        # The embedding holds a bit for each set of letters that is used. It needs at least one coordinate.
        rows = {a: {name: 1 for name, letters in self.sets.items() if a in letters} for a in self.formula.alphabet}
        if "zero" in self.meanings or not any(rows.values()):
            rows[self.formula.alphabet[0]]["zero"] = 0
        positions = {"one": "1"} if "one" in self.meanings else {}
        builder = Builder(words=rows, positions=positions | self.positions, max_length=self.formula.longest)
        for step in self.looks:
            builder.add(step.made() if isinstance(step, Look) else step)
        if labels:
            read_labels(builder, held_answers, labels)
        else:
            # The bit is only near 0 or 1 with softmax, so the threshold is 1/2 instead of 0.
            half = [] if self.scores is None or held_answers[0] in ("one", "zero") else ["one"]
            builder.readout("sign", "each", [*held_answers, *half], weights=[1, *(Fraction(-1, 2) for _ in half)])
        model = builder.build(name, source="Yang et al. (2026), Section 4: a compiled formula")
        plan = self._plan(model)
        return replace(model, program=Program(kind, source, self.formula.alphabet, plan, attention=self.attention))

    def _plan(self, model: Transformer) -> tuple[tuple[str, ...], ...]:
        """The plan; with softmax each row also has the error of its coordinate."""
        plan = plan_of(model, self.meanings)
        if self.scores is None:
            return plan
        return tuple((*line, self.soft[line[0]].budget() if line[0] in self.soft else "exact") for line in plan)


def read_labels(b: Builder, bits: Sequence[str], labels: Sequence[str]) -> None:
    """Give the model a readout that answers with the label whose bit is 1."""
    reads = tuple(dict.fromkeys(bits))
    b.readout("largest", "each", reads, labels=labels, weights=[[int(bit == name) for name in reads] for bit in bits])


def rounded(total: str) -> str:
    """The formula of a network (Lemma 9) that is 0 if `total` is at most 1/4, and 1 if it is at least 3/4."""
    return f"2*relu({total} - 1/4) - 2*relu({total} - 3/4)"


def plan_of(model: Transformer, meanings: Mapping[str, str]) -> tuple[tuple[str, ...], ...]:
    """The plan of a model: for each coordinate its name, the layer and sublayer that write it, and its meaning. A long
    meaning is shortened."""
    sublayer_of = dict.fromkeys(model.space, "embedding")
    for number, layer in enumerate(READS.of(model).layers, 1):
        for part in layer.parts():
            kind = "attention" if isinstance(part, Head) else "feed-forward"
            sublayer_of |= dict.fromkeys(part.writes, f"layer {number}, {kind}")
    described = ((name, meanings.get(name, name)) for name in model.space)
    return tuple((name, sublayer_of[name], text if len(text) <= MAX_LABEL else brief(text)) for name, text in described)
