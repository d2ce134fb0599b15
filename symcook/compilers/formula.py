"""Compiler from temporal and counting logic to transformers: with unique-hard attention, exactly, or with softmax and
rounding.

Each operator on other positions takes one head. `prev F` retrieves F at the rightmost earlier position; all scores are
0. `F since G` retrieves F & G at the rightmost j <= i with the maximum of ~F | G; the result is 0 if G is nowhere true.
next and until are their mirror images. Boolean operators between heads are functions of bits, and each takes one
feed-forward layer: a ReLU for each of its disjoint cubes. Sets of letters are bits of the embedding. So the depth is
the nesting of operators on other positions, plus one.

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
from symcook.model.transformer import Program, Transformer
from symcook.programs.formula import COUNTING, Count, Formula, FormulaLine

SIDES = {"prev": "rightmost", "next": "leftmost", "since": "rightmost", "until": "leftmost"}


def compiled(formula: Formula, source: str, name: str, kind: str = "ltl", attention: str = "") -> Transformer:
    """The model of a formula. It answers at each position: accept where the formula is true, or the label put out."""
    return Packed(formula, attention).model(source, name, kind)


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


class Packed(PositionValues):
    """What each line is, as a Boolean function of bits that coordinates hold: the variables. With softmax some of them
    are retrieved and so near 0 or 1 only, until a network rounds them: `soft` has the head of each."""

    letters, truths = "q", "f"

    def __init__(self, formula: Formula, attention: str = "") -> None:
        super().__init__(formula)
        self.formula, self.attention = formula, attention
        self.scores = SoftScores(attention) if attention else None
        self.soft: dict[str, SoftHead] = {}
        self.heads: dict[int, FormulaHead] = {}
        self.counting: dict[int, tuple[CountHead, ...]] = {}
        self._counts = 0
        self._tables: dict[str, int] = {}
        self.values: list[Truth] = []
        for number, line in enumerate(formula.lines):
            reads = [self.values[k] for k in line.reads]
            counted = line.op in COUNTING
            self.values.append(self._counting(number, line) if counted else self._value(number, line, reads))

    def _value(self, number: int, line: FormulaLine, reads: Sequence[Truth]) -> Truth:
        """The function of a line; a set of letters where it depends on the letter alone."""
        op, make = line.op, self.diagrams
        # Operators that do not look at other positions need no head.
        if op == "letters":
            return line.letters
        if op in ("not", "and", "or"):
            return self.negation(*reads) if op == "not" else (self.both if op == "and" else self.either)(*reads)
        bits = [self.node(truth) for truth in reads]
        if op in ("prev", "next"):
            return self._head(number, op, True, bits[0])
        # F since G: there is a j <= i with G at j, and F from j to i. The last j with ~F | G decides: it is so if F & G
        # holds there.
        stop = self._few(lambda f, g: make.either(make.negation(f), g), *bits)
        both = self._few(make.both, *bits)
        return both if stop is True else self._head(number, op, stop, both)

    def _head(self, number: int, op: str, stop: BoolNode, value: BoolNode) -> BoolNode:
        """A head that gives `value` at the nearest position where `stop` is greatest."""
        if value is False:  # nothing to retrieve: the operator is false everywhere
            return False

        def build() -> FormulaHead:
            # Without a stop all scores are equal, and the nearest position that the mask allows counts.
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
        # Under a mask that is not strict the first position retrieves itself, and has no previous one.
        if op == "prev" and self.scores is not None and self.scores.plain:
            later = self.place("later", "I[2 <= i]", "whether there is one before")
            result = self.diagrams.both(result, self.bit(later))
        return result

    def _retrieve(self, values: Mapping[str, str], retrieval: Retrieval, constant: Fraction = BIT) -> None:
        """A head: {coordinate: what it retrieves there}."""
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
        """Scores that are greatest at the position whose number is one more than a count: `less` by `inverse`."""
        if self.scores is not None:
            return self.scores.lookup(less, inverse)
        index, square = self.place("index", "i"), self.place("square", "i^2")
        return {(less, index): 2, (inverse, index): 2, (inverse, square): -1}

    def _rises(self, total: str, rough: int) -> str:
        """A network that is 0 where a sum is at most 0 and 1 where it is at least 1: a sum of whole numbers, `rough` of
        them retrieved by softmax and off by 1/4 together."""
        return rounded(total) if rough else f"relu({total}) - relu({total} - 1)"

    def _rough(self, terms: Mapping[str, int]) -> int:
        """How much of a sum, {coordinate: factor}, is retrieved by softmax; notes that a network rounds that sum."""
        factors = {name: abs(factor) for name, factor in terms.items() if name in self.soft}
        load = sum(factors.values())
        for name in factors:
            self.soft[name].load = max(self.soft[name].load, load)
        return load

    def _counting(self, number: int, line: FormulaLine) -> BoolNode:
        """A line about counts: a coordinate that holds its bit."""
        meaning = self.formula.text(number)
        # Constants against a bound, and predicates of the position, need no head.
        if not line.counts and line.op == "at least":
            return line.bound <= 0
        if not line.counts:
            return self._counted(number, self.place(f"at{number + 1}", predicate(line, "i"), meaning), ())
        if line.op == "at least":
            # sum of counts >= bound. Each count is what a head looks up, plus the own bit.
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
        # A remainder or table: the truth at the count without the own bit (`here`) if that bit is 0, else the truth at
        # one more (`after`).
        count_head = self._count(line.counts[0], line)
        here, after = count_head.found
        name = self._name("rest", number + 1, meaning)
        truth_if_absent = self._chosen(f"{here} - {count_head.own}", self._rough({here: 1}))
        truth_if_present = self._chosen(f"{after} + {count_head.own} - 1", self._rough({after: 1}))
        self._written({name: f"{truth_if_absent} + {truth_if_present}"})
        return self._counted(number, name, (count_head,))

    def _counted(self, number: int, name: str, heads: tuple[CountHead, ...]) -> BoolNode:
        """The bit of a line about counts, which stands in a coordinate."""
        self.heads[number], self.counting[number] = FormulaHead(name, None, name), heads
        return self.bit(name)

    def _chosen(self, total: str, rough: int) -> str:
        """A network that is 1 where a sum of bits that is at most 1 is 1, else 0; see `_rises`."""
        return self._rises(total, rough) if rough else f"relu({total})"

    def _count(self, count_term: Count, test: FormulaLine | None = None) -> CountHead:
        """The coordinates of a count that add up to it: how often the line is true at other positions, found by looking
        up the position of one more, and its own bit. For a `test` what is looked up are its truths of that count and of
        one more.

        The mean of the line over the positions that count, less the own share, is (C - x)/i: with 1/i it is the query
        of the position C - x + 1, which is always there. On the right the number of positions is n - i + 1.
        """
        own = self.hold(self.node(self.values[count_term.line]))

        def build() -> CountHead:
            self._counts = head_number = self._counts + 1
            to_left = count_term.side == "left"
            inverse = self.place(
                "inverse" if to_left else "inverse_right",
                "1/i" if to_left else "1/(n - i + 1)",
                f"1/positions on the {count_term.side}",
            )
            what = f"#{count_term.side}[{self.formula.text(count_term.line)}]"
            mean = self._name("mean", head_number, f"{what} over the positions there")
            less = self._name("less", head_number, f"mean{head_number} without this position")
            below = f"count{head_number}"
            # First head: the mean of the bit over the positions on that side; then without the own share.
            self._retrieve({mean: own}, Retrieval(None, SEEN[count_term.side]))
            self._written({less: f"relu({mean}) - relu({own} + {inverse} - 1)"})
            form = self._lookup(less, inverse)
            # Second head, at position C - x + 1: its number less 1 is the count, ...
            if test is None:
                values = {below: self.place("before", "i - 1")}
                self._name("count", head_number, f"{what} without this position")
                self._retrieve(values, Retrieval(form, "none", "Lemma 7"), NUMBER)
            else:
                # ... and for a test, its truth at that number and at the next.
                values = {}
                for end, number in (("here", "i - 1"), ("next", "i")):
                    name = test.table and f"table{self._numbered(test.table)}"
                    table_meaning = f"TABLE({test.table}) of {number}" if name else ""
                    table = self.place(
                        f"{name or f'mod{test.divisor}_{test.bound}'}_{end}",
                        predicate(test, number),
                        table_meaning or f"whether {number} leaves {test.bound} modulo {test.divisor}",
                    )
                    self.meanings[f"{below}_{end}"] = f"{table} at {what} without this position, plus 1"
                    values[f"{below}_{end}"] = table
                self._retrieve(values, Retrieval(form, "none", "Lemma 6"))
            return CountHead(count_term.side, own, inverse, mean, less, tuple(values), tuple(values.values()))

        return self.once((count_term.side, own, test and test[-3:]), build)

    def _numbered(self, table: str) -> int:
        """The number of a table of bits, among those that are there."""
        return self._tables.setdefault(table, len(self._tables) + 1)

    def _name(self, stem: str, number: int, meaning: str) -> str:
        name = f"{stem}{number}"
        self.meanings[name] = meaning
        return name

    def _there(self, f: tuple[int, BoolNode, BoolNode]) -> str | None:
        """The coordinate of a bit that is exact; letters that are not in a set are a function of it."""
        name = self.names[f[0]]
        return name if f[1:] == (False, True) and name not in self.soft else None

    def _unit(self, cube: Cube) -> str:
        """The ReLU of a cube, with rounding where softmax retrieves one of its bits."""
        rough = self._rough({self.names[variable]: 1 for variable, _ in cube})
        return self._chosen(self._total(cube), rough)

    def model(self, source: str, name: str, kind: str = "ltl") -> Transformer:
        """The model, with its plan."""
        labels = self.formula.labels
        if self.scores is not None:
            self.hold(True)
        # The first output whose formula holds gives the label: each next one counts only where none before it does.
        remaining: BoolNode = True
        answers: dict[str | None, BoolNode] = {label: False for label, _ in self.formula.outputs}
        make = self.diagrams
        for label, line in self.formula.outputs:
            truth = self.node(self.values[line])
            answers[label] = self._few(make.either, answers[label], self._few(make.both, remaining, truth))
            remaining = self._few(lambda f, g: make.both(f, make.negation(g)), remaining, truth)
        self.shown = held_answers = [self.hold(answers[label]) for label in (labels or (None,))]
        # The embedding holds a bit for each set of letters that is used.
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
            # With softmax the threshold is 1/2 and not 0, as far as it can be from both values of the bit.
            half = [] if self.scores is None or held_answers[0] in ("one", "zero") else ["one"]
            builder.readout("sign", "each", [*held_answers, *half], weights=[1, *(Fraction(-1, 2) for _ in half)])
        model = builder.build(name, source="Yang et al. (2026), Section 4: a compiled formula")
        plan = self._plan(model)
        return replace(model, program=Program(kind, source, self.formula.alphabet, plan, attention=self.attention))

    def _plan(self, model: Transformer) -> tuple[tuple[str, ...], ...]:
        """The plan; with softmax the error of each coordinate too."""
        plan = plan_of(model, self.meanings)
        if self.scores is None:
            return plan
        return tuple((*line, self.soft[line[0]].budget() if line[0] in self.soft else "exact") for line in plan)


def read_labels(b: Builder, bits: Sequence[str], labels: Sequence[str]) -> None:
    """Answer with the label whose bit is 1."""
    reads = tuple(dict.fromkeys(bits))
    b.readout("largest", "each", reads, labels=labels, weights=[[int(bit == name) for name in reads] for bit in bits])


def rounded(total: str) -> str:
    """Lemma 9: 0 up to 1/4, 1 from 3/4 on."""
    return f"2*relu({total} - 1/4) - 2*relu({total} - 3/4)"


def plan_of(model: Transformer, meanings: Mapping[str, str]) -> tuple[tuple[str, ...], ...]:
    """Each coordinate with the place where it is written, and what it holds, shortened where that is long."""
    where = dict.fromkeys(model.space, "embedding")
    for number, layer in enumerate(model.layers, 1):
        for part in layer.parts():
            kind = "attention" if isinstance(part, Head) else "feed-forward"
            where |= dict.fromkeys(part.writes, f"layer {number}, {kind}")
    described = ((name, meanings.get(name, name)) for name in model.space)
    return tuple((name, where[name], text if len(text) <= MAX_LABEL else brief(text)) for name, text in described)
