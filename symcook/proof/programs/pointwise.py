"""What a position's symbol and some bits decide: facts about it by cases over these. Nothing here is trusted.

Equations say what terms at i are. Where the symbol and the bits are chosen, a term is a linear form in what is open,
between bounds: so a ReLU has a side, and a term without anything open is a number. A case splits on a bit only where
the fact turns on it. What is true in each case is a chain of equations that are put in, so nothing is searched for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from symcook.errors import Undecided
from symcook.model.expr import Tree, children, show
from symcook.model.meaning import ONE, subtrees
from symcook.model.rationals import quotient
from symcook.proof.programs.proofsteps import Node, both, cases, combined, em, have, here, hyp, ind, intro, rewrite, use

CASES = 1_024
"""How many cases a fact may have in a proof."""
HERE: Tree = ("name", "i")
SYMBOL: Tree = ("call", "w", (HERE,))
"""The symbol at i."""
OpenForm = Mapping[Tree, Fraction]
"""A linear form: the factors of terms, and of `ONE` its constant."""


class FactSide(NamedTuple):
    """The fact that a term is at least, or at most, another one."""

    label: str
    than: Tree


class Pointwise:
    """What is known at i, and the proof of a fact from it. `nodes` are those that bring the facts to i."""

    def __init__(self, symbols: int | None, symbol: Tree = SYMBOL) -> None:
        """With so many `symbols`, numbered from 0; or with another term as the `symbol`, which may be any number."""
        self.symbols, self.symbol = symbols, symbol
        self.nodes: list[Node] = []
        self.equations: dict[Tree, tuple[str, Tree]] = {}
        self.bits: dict[Tree, str] = {}
        self.near: dict[Tree, tuple[FactSide, FactSide]] = {}
        self.ranges: dict[Tree, tuple[str, str]] = {}
        self.cases = 0

    def proof(self, goal: Tree) -> list[Node]:
        """The nodes that show that the goal holds at every position."""
        bits = [part for tree in (goal, *(right for _, right in self.equations.values())) for part in subtrees(tree)]
        symbols_told = {number for part in bits if (number := self.symbol_of(part)) is not None}
        mixed = [part for part in bits if part[0] == "ind" and not self.of_symbols(part[1])]
        chosen = any(part[0] == "if" and self.symbol in part for part in bits)
        if chosen or any(self.symbol_of(part) is not None for bit in mixed for part in subtrees(bit)):
            symbols_told = range(self.symbols or 0)  # a truth of a symbol and bits is known where the symbol is
        split = self.by_symbol(goal, sorted(symbols_told))
        word = [here("word", "word_here")] if symbols_told else []
        return [intro(["i"]), intro(["range"]), *self.nodes, *word, *self.in_range(), *split]

    def by_values(self, goal: Tree, values: Sequence[tuple[Tree, str, Sequence[Tree]]]) -> list[Node]:
        """Cases over the values of terms, each with the fact that it is one of these."""
        if not values:
            return self.by_bits(goal, PointwiseCase(self, {}, None))
        (term, fact, numbers), *others = values
        labels, proofs = [f"{fact}_{k}" for k in range(len(numbers))], list[list[Node]]()
        for label, number in zip(labels, numbers, strict=True):
            self.equations[term] = label, number
            proofs.append(self.by_values(goal, others))
        del self.equations[term]
        if len(numbers) > 1:
            return [cases(fact, labels, proofs)]
        return [have(labels[0], show(("=", term, numbers[0])), hyp(fact)), *proofs[0]]

    def in_range(self) -> Iterator[Node]:
        """The facts that bits of which no more is asked are from 0 to 1."""
        for bit, labels in self.ranges.items():
            arguments = [show(bit), show(bit), "0", both(hyp(self.bits[bit]), [{"by": "true"}], [{"by": "true"}])]
            yield use("lem:near_bit", arguments, [*labels])

    def by_symbol(self, goal: Tree, told: Sequence[int], others: Sequence[int] = ()) -> list[Node]:
        """Cases over the symbols that are told apart; `others` are not at i."""
        if not told:
            return self.by_bits(goal, PointwiseCase(self, {}, None, others))
        if self.symbols is None or len(told) < self.symbols - len(others):
            first = PointwiseCase(self, {}, told[0])
            proofs = [self.by_bits(goal, first), self.by_symbol(goal, told[1:], [*others, told[0]])]
            return [em(f"{show(self.symbol)} = {told[0]}", [f"w{told[0]}", f"v{told[0]}"], proofs)]
        proofs = [self.by_bits(goal, PointwiseCase(self, {}, symbol)) for symbol in told]
        if len(told) > 1:
            return [cases("word_here", [f"w{symbol}" for symbol in told], proofs)]
        return [have("w0", "w(i) = 0", hyp("word_here")), *proofs[0]]

    def by_bits(self, goal: Tree, case: PointwiseCase) -> list[Node]:
        """Cases over the bits on which a goal turns, until it holds."""
        if case.truth(goal):
            self.cases += 1
            if self.symbols is not None and self.cases > CASES:
                raise Undecided(f"no proof is made of a Boolean part of more than {CASES} cases")
            closed = case.put_in(goal)
            return [*case.nodes, *closed]
        bit = next((bit for part in subtrees(goal) if self.given(part) and (bit := case.open(part))), None)
        if bit is None:
            raise Undecided(f"no proof is made of {show(goal)}")
        labels = [f"{'ol'[value]}{len(case.chosen)}" for value in (0, 1)]
        inner = (
            PointwiseCase(self, {**case.chosen, bit: (k, label)}, case.symbol, case.others)
            for k, label in enumerate(labels)
        )
        return [cases(self.bits[bit], labels, [self.by_bits(goal, inner_case) for inner_case in inner])]

    def symbol_of(self, f: Tree) -> int | None:
        """The number of a symbol, where a formula says that it is the one at i."""
        return f[2][1] if f[0] == "=" and f[1] == self.symbol and f[2][0] == "num" else None

    def of_symbols(self, f: Tree) -> bool:
        """Whether a formula is one of these, or says that one of some holds."""
        return all(map(self.of_symbols, f[1:])) if f[0] == "|" else self.symbol_of(f) is not None

    def given(self, part: Tree) -> bool:
        """Whether something is known of a term."""
        return part in self.equations or part in self.bits or part in self.near


class PointwiseCase:
    """One case: the bits that are `chosen`, with their labels, and the symbol at i, or `others` that are not there."""

    def __init__(
        self, known: Pointwise, chosen: Mapping[Tree, tuple[int, str]], symbol: int | None, others: Sequence[int] = ()
    ) -> None:
        self.known, self.chosen, self.symbol, self.others = known, chosen, symbol, others
        self.nodes: list[Node] = []
        self.forms: dict[Tree, OpenForm] = {}
        self.labels: dict[Tree, str] = {}

    # --- Values -------------------------------------------------------------------------------------------------------

    def form(self, t: Tree) -> OpenForm:
        """A term as a linear form in what is open."""
        if t not in self.forms:
            self.forms[t] = self._form(t)
        return self.forms[t]

    def _form(self, t: Tree) -> OpenForm:
        tag, parts = t[0], [*children(t)]
        if t in self.chosen:
            return _number(self.chosen[t][0])
        if t in self.known.equations:
            return self.form(self.known.equations[t][1])
        if t == self.known.symbol and self.symbol is not None:
            return _number(self.symbol)
        if tag == "num":
            return _number(Fraction(t[1], t[2]))
        if tag == "if" and (chosen := self.truth(parts[0])) is not None:
            return self.form(parts[1 if chosen else 2])
        if tag in ("+", "-"):
            return _sum(self.form(parts[0]), self.form(parts[1]), 1 if tag == "+" else -1)
        if tag == "neg":
            return _sum({}, self.form(parts[0]), -1)
        if tag in ("*", "/"):
            a, b = map(self.form, parts)
            x, y = _constant(a), _constant(b)
            if y is not None and (tag == "*" or y):
                return _sum({}, a, y if tag == "*" else 1 / y)
            return {t: Fraction(1)} if x is None or tag == "/" else _sum({}, b, x)
        if tag == "ind" and (truth := self.truth(parts[0])) is not None:
            return _number(truth)
        if (other := self.renamed(t)) is not None:
            return self.form(other)
        if t[:2] == ("call", "relu") and (up := self.side(t)) is not None:
            return self.form(parts[0]) if up else {}
        return {t: Fraction(1)}

    def renamed(self, t: Tree) -> Tree | None:
        """The truth that a term is a number, said of what the term is; None where that is decided, or nothing else."""
        if t[0] != "ind" or t[1][0] != "=" or t[1][2][0] != "num" or self.truth(t[1]) is not None:
            return None
        other, _ = self.chosen_term(t[1][1])
        return None if other == t[1][1] else ("ind", ("=", other, t[1][2]))

    def chosen_term(self, t: Tree) -> tuple[Tree, list[Node]]:
        """What a term is by its equations, as far as it is known which of two it is; and what puts that in."""
        nodes = list[Node]()
        while True:
            if t in self.known.equations:
                label, t = self.known.equations[t]
                nodes.append(rewrite(label))
            elif t[0] == "if" and (truth := self.truth(t[1])) is not None:
                nodes += self.put_in(t[1])[:-1]
                t = t[2 if truth else 3]
            else:
                return t, nodes

    def same(self, t: Tree, other: Tree) -> str:
        """The fact that a term is another one."""
        label = f"s{len(self.nodes)}"
        self.nodes.append(have(label, f"{show(t)} = {show(other)}", [*self.chosen_term(t)[1], {"by": "true"}]))
        return label

    def value(self, t: Tree) -> Fraction | None:
        """The number that a term is; None of one that is open."""
        return _constant(self.form(t))

    def side(self, relu: Tree) -> bool | None:
        """Whether what a ReLU is of is at least 0, or at most 0; None where neither is known."""
        inside = self.form(relu[2][0])
        least, most = self.least(inside, Fraction(1)), self.least(inside, Fraction(-1))
        return True if least is not None and least >= 0 else False if most is not None and most >= 0 else None

    def least(self, form: OpenForm, factor: Fraction) -> Fraction | None:
        """A number that a linear form times a factor is at least; None where there is none."""
        total = Fraction(0)
        for t, q in form.items():
            more: Fraction | None = q * factor
            if t in self.known.near:
                more = self.least(self.form(self.known.near[t][q * factor < 0].than), q * factor)
            elif t != ONE:
                more = min(q * factor, Fraction(0)) if t in self.known.bits else None
            if more is None:
                return None
            total += more
        return total

    def truth(self, f: Tree) -> bool | None:
        """Whether a formula holds; None where that is open."""
        tag, parts = f[0], [*children(f)]
        if tag in ("true", "false"):
            return tag == "true"
        if (symbol := self.known.symbol_of(f)) is not None:
            return False if symbol in self.others else None if self.symbol is None else symbol == self.symbol
        if tag in ("&", "|", "~"):
            truths, ends = [self.truth(part) for part in parts], tag == "|"
            if tag == "~":
                return None if truths[0] is None else not truths[0]
            return ends if ends in truths else None if None in truths else not ends
        if f[:2] == ("call", "bit"):
            return None if (bit := self.value(parts[0])) is None else bit in (0, 1)
        if tag == "<->":
            a, b = map(self.truth, parts)
            return None if None in (a, b) else a == b
        number = _constant(_sum(self.form(parts[1]), self.form(parts[0]), -1)) if tag in ("=", "<=", "<") else None
        return None if number is None else number == 0 if tag == "=" else number > 0 or (tag == "<=" and number == 0)

    def open(self, t: Tree) -> Tree | None:
        """A bit on which a term or formula turns that is open; None where there is none."""
        if t in self.chosen:
            return None
        if t in self.known.near:
            return self.open(self.known.near[t][0].than)
        if t in self.known.equations:
            return None if self.value(t) is not None else self.open(self.known.equations[t][1])
        if t in self.known.bits:
            return t
        settled = t[0] == "ind" and self.truth(t[1]) is not None
        parts = () if settled or (t[:2] == ("call", "relu") and self.value(t) is not None) else children(t)
        return next((bit for part in parts if (bit := self.open(part))), None)

    # --- Proofs -------------------------------------------------------------------------------------------------------

    def put_in(self, t: Tree) -> list[Node]:
        """The nodes that close a goal which holds by computation once what is known of its terms is put in."""
        sides, values, todo = list[str](), list[str](), [t]
        while todo:
            part = todo.pop()
            if part in self.chosen or part in self.known.equations:
                label, right = self.known.equations.get(part, ("", ONE))
                sided = any(
                    part_of_right[:2] == ("call", "relu") for part_of_right in subtrees(right)
                )  # where the whole ReLU stands
                if sided or self.value(part) is not None:
                    values.append(self.label(part))
                else:
                    values.append(label)
                    todo.append(right)
            elif (other := self.renamed(part)) is not None:
                values.append(self.same(part[1][1], other[1][1]))
                todo.append(other)
            elif part == self.known.symbol and self.symbol is not None:
                values.append(f"w{self.symbol}")
            elif part[0] == "ind" and self.known.of_symbols(part[1]) and self.symbol is None:
                values += [self.absent(part)] if self.truth(part[1]) is False else []
            elif part[:2] == ("call", "relu") and not self.told(part[2][0]) and (up := self.side(part)) is not None:
                sides.append(self.relu(part, up))
                todo += children(part) if up else ()
            else:
                todo += reversed([*children(part)])
        last = [label for k, label in enumerate(values) if label not in values[k + 1 :]]  # after those that speak of it
        return [*(rewrite(label) for label in (*dict.fromkeys(sides), *last)), {"by": "true"}]

    def told(self, t: Tree) -> bool:
        """Whether each part of a term that something is known of is a number."""
        return all(self.value(part) is not None for part in subtrees(t) if self.known.given(part))

    def label(self, t: Tree) -> str:
        """The label of the fact that a term is the number, or the sum of what is open, that it is."""
        if t in self.chosen:
            return self.chosen[t][1]
        if t not in self.labels:
            label, right = self.known.equations[t]
            proof = [rewrite(label), *self.put_in(right)]
            self.labels[t] = f"t{len(self.labels)}"
            terms = {monomial: quotient(q) for monomial, q in self.form(t).items()}
            total = (
                " + ".join(f"({q})*{show(monomial)}" if monomial != ONE else f"({q})" for monomial, q in terms.items())
                or "0"
            )
            self.nodes.append(have(self.labels[t], f"{show(t)} = {total}", proof))
        return self.labels[t]

    def absent(self, bit: Tree) -> str:
        """The fact that a truth about symbols that are not at i is 0."""
        if bit not in self.labels:
            ends: list[list[Node]] = [
                [{"by": "absurd", "of": "it", "not": f"v{self.known.symbol_of(part)}"}]
                for part in _alternatives(bit[1])
            ]
            gone = ends[0] if len(ends) == 1 else [cases("is", ["it"] * len(ends), ends)]
            sides = [["it" if len(ends) == 1 else "is", "one"], ["not", "zero"]]
            self.labels[bit] = f"n{len(self.labels)}"
            proof = [ind(show(bit[1]), "either"), cases("either", sides, [gone, hyp("zero")])]
            self.nodes.append(have(self.labels[bit], f"{show(bit)} = 0", proof))
        return self.labels[bit]

    def relu(self, t: Tree, up: bool) -> str:
        """The fact what a ReLU is on its side."""
        if t not in self.labels:
            equations, sums = list[tuple[str, str]](), list[tuple[str, str]]()
            slack = self.bounded(t[2][0], Fraction(1 if up else -1), equations, sums)
            proof = combined(equations, [*sums, *([(str(slack), "")] if slack else [])])
            self.labels[t] = f"r{len(self.labels)}"
            self.nodes.append(use(f"ax:relu_{'pos' if up else 'neg'}", [show(t[2][0]), proof], self.labels[t]))
        return self.labels[t]

    def bounded(self, t: Tree, q: Fraction, equations: list[tuple[str, str]], sums: list[tuple[str, str]]) -> Fraction:
        """A number that q times a term is at least, and what shows it."""
        tag, parts = t[0], [*children(t)]
        value = self.value(t)
        if t in self.chosen or (t in self.known.equations and value is not None):
            equations.append((str(-q), self.label(t)))
            return q * (value or 0)
        if t in self.known.equations:
            label, right = self.known.equations[t]
            equations.append((str(-q), label))
            return self.bounded(right, q, equations, sums)
        if t in self.known.near:
            side = self.known.near[t][q < 0]
            sums.append((str(abs(q)), side.label))
            return self.bounded(side.than, q, equations, sums)
        if t in self.known.bits:
            low, high = self.known.ranges.setdefault(
                t, (f"low{len(self.known.ranges)}", f"high{len(self.known.ranges)}")
            )
            sums.append((str(abs(q)), low if q > 0 else high))
            return min(q, Fraction(0))
        if tag == "num":
            return q * (value or 0)
        if tag == "*" and (factor := self.value(parts[0])) is not None:
            return self.bounded(parts[1], q * factor, equations, sums)
        if tag == "/" and (divisor := self.value(parts[1])):
            return self.bounded(parts[0], q / divisor, equations, sums)
        if tag not in ("+", "-", "neg"):
            raise Undecided(f"no proof is made with the term {show(t)}")
        signs = {"+": (1, 1), "-": (1, -1), "neg": (-1,)}[tag]
        each = zip(parts, signs, strict=True)
        return sum((self.bounded(part, q * sign, equations, sums) for part, sign in each), Fraction(0))


def _alternatives(f: Tree) -> list[Tree]:
    """The parts of a disjunction."""
    return [*_alternatives(f[1]), *_alternatives(f[2])] if f[0] == "|" else [f]


def _number(x: int | Fraction) -> OpenForm:
    return {ONE: Fraction(x)} if x else {}


def _constant(form: OpenForm) -> Fraction | None:
    """The number that a linear form is; None of another one."""
    return Fraction(0) if not form else form[ONE] if [*form] == [ONE] else None


def _sum(a: OpenForm, b: OpenForm, factor: int | Fraction) -> OpenForm:
    """a + factor*b."""
    out = dict(a)
    for t, q in b.items():
        out[t] = out.get(t, Fraction(0)) + factor * q
    return {t: q for t, q in out.items() if q}
