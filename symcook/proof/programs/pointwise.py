"""Proofs of facts about one position i, by cases over its symbol and over some bits. Nothing here is trusted.

`Pointwise` takes a formula about i, and what is known at i: equations for terms, which terms are bits (0 or 1), and
bounds of other terms. It returns the nodes of a proof.

In one case (`PointwiseCase`) the symbol and some bits have values. Every term is then a linear form in the bits that
are still open, which means that they have no value yet; a term without open bits is a number. A ReLU is its argument or
0 if bounds determine the sign of the argument. A case is split on a further bit only if the truth of the formula
depends on this bit. In a case in which the formula is true, the proof rewrites with the known equations until both
sides are equal, so no search is needed.
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
"""The maximum number of cases in the proof of a fact about the symbol at i. It does not limit `Pointwise.by_values` and
other proofs without a number of symbols. That is ten bits, all of which are tested; 24 claims of an unseen set had at
most 4 cases."""
HERE: Tree = ("name", "i")
"""The position i."""
SYMBOL: Tree = ("call", "w", (HERE,))
"""The symbol at i."""
OpenForm = Mapping[Tree, Fraction]
"""A linear form: the factors of its open terms, and its constant as the factor of `ONE`. No factor is 0."""


class FactSide(NamedTuple):
    """A fact with this label: a term is at least, or at most, the term `than`."""

    label: str
    than: Tree


class Pointwise:
    """What is known at i, and the proof of a fact from it."""

    def __init__(self, symbols: int | None, symbol: Tree = SYMBOL) -> None:
        """`symbols` is the number of symbols, which are numbered from 0. None is for another term as the `symbol`,
        which may be any number."""
        self.symbols, self.symbol = symbols, symbol
        # The nodes that instantiate general facts at i, and how many cases the proof has so far.
        self.nodes, self.cases = list[Node](), 0
        # By term: the label of its equation and the right side; for a bit, the label of the fact that it is one; a
        # lower and an upper bound.
        self.equations: dict[Tree, tuple[str, Tree]] = {}
        self.bits: dict[Tree, str] = {}
        self.near: dict[Tree, tuple[FactSide, FactSide]] = {}
        # By bit: the labels of the facts 0 <= bit and bit <= 1. Only bits for which the proof uses them are here.
        self.ranges: dict[Tree, tuple[str, str]] = {}

    def proof(self, goal: Tree) -> list[Node]:
        """The nodes that prove that the goal holds at every position."""
        # `symbols_apart`: the symbols that the goal or an equation compares the symbol at i with.
        terms = [part for tree in (goal, *(right for _, right in self.equations.values())) for part in subtrees(tree)]
        symbols_apart = {number for part in terms if (number := self.symbol_of(part)) is not None}
        # An indicator of a formula about the symbol and bits, or a choice by the symbol, needs a case for each symbol.
        mixed = [part for part in terms if part[0] == "ind" and not self.of_symbols(part[1])]
        chosen = any(part[0] == "if" and self.symbol in part for part in terms)
        if chosen or any(self.symbol_of(part) is not None for indicator in mixed for part in subtrees(indicator)):
            symbols_apart = range(self.symbols or 0)
        split = self.by_symbol(goal, sorted(symbols_apart))
        string_fact = [here("word", "word_here")] if symbols_apart else []
        return [intro(["i"]), intro(["range"]), *self.nodes, *string_fact, *self.in_range(), *split]

    def by_values(self, goal: Tree, values: Sequence[tuple[Tree, str, Sequence[Tree]]]) -> list[Node]:
        """The nodes that prove a goal by cases over the values of terms. `values` has the terms, each with the label of
        the fact that it is one of some numbers, and with these numbers."""
        if not values:
            return self.by_bits(goal, PointwiseCase(self, {}, None))
        (term, fact, numbers), *further_values = values
        labels, proofs = [f"{fact}_{k}" for k in range(len(numbers))], list[list[Node]]()
        for label, number in zip(labels, numbers, strict=True):
            self.equations[term] = label, number
            proofs.append(self.by_values(goal, further_values))
        del self.equations[term]
        if len(numbers) > 1:
            return [cases(fact, labels, proofs)]
        return [have(labels[0], show(("=", term, numbers[0])), hyp(fact)), *proofs[0]]

    def in_range(self) -> Iterator[Node]:
        """The nodes that add 0 <= bit and bit <= 1, for each bit in `ranges`. Proofs of cases add bits to `ranges`, so
        they must be made before."""
        for bit, labels in self.ranges.items():
            arguments = [show(bit), show(bit), "0", both(hyp(self.bits[bit]), [{"by": "true"}], [{"by": "true"}])]
            yield use("lem:near_bit", arguments, [*labels])

    def by_symbol(self, goal: Tree, apart: Sequence[int], others: Sequence[int] = ()) -> list[Node]:
        """The nodes that prove a goal by cases over the symbols `apart`. That the symbol at i is none of `others` is
        known."""
        if not apart:
            return self.by_bits(goal, PointwiseCase(self, {}, None, others))
        # If other symbols remain: the first of `apart` is at i, or it is not. Else there is one case for each symbol,
        # by the fact that lists the symbols of strings.
        if self.symbols is None or len(apart) < self.symbols - len(others):
            first = PointwiseCase(self, {}, apart[0])
            proofs = [self.by_bits(goal, first), self.by_symbol(goal, apart[1:], [*others, apart[0]])]
            return [em(f"{show(self.symbol)} = {apart[0]}", [f"w{apart[0]}", f"v{apart[0]}"], proofs)]
        proofs = [self.by_bits(goal, PointwiseCase(self, {}, symbol)) for symbol in apart]
        if len(apart) > 1:
            return [cases("word_here", [f"w{symbol}" for symbol in apart], proofs)]
        return [have("w0", "w(i) = 0", hyp("word_here")), *proofs[0]]

    def by_bits(self, goal: Tree, case: PointwiseCase) -> list[Node]:
        """The nodes that prove a goal in a case. If its truth is open, the case is split on a bit on which it depends.
        Undecided if the goal is false, if it is open without such a bit, or if there are more than `CASES` cases."""
        if case.truth(goal):
            self.cases += 1
            if self.symbols is not None and self.cases > CASES:
                raise Undecided(f"no proof method covers a Boolean part of more than {CASES} cases")
            closed = case.put_in(goal)  # this adds to the nodes of the case, so it is computed first
            return [*case.nodes, *closed]
        bit = next((bit for part in subtrees(goal) if self.given(part) and (bit := case.open(part))), None)
        if bit is None:
            raise Undecided(f"no proof method covers {show(goal)}")
        labels = [f"{'ol'[value]}{len(case.chosen)}" for value in (0, 1)]  # o for 0, l for 1
        proofs = list[list[Node]]()
        for value, label in enumerate(labels):
            inner = PointwiseCase(self, {**case.chosen, bit: (value, label)}, case.symbol, case.others)
            proofs.append(self.by_bits(goal, inner))
        return [cases(self.bits[bit], labels, proofs)]

    def symbol_of(self, f: Tree) -> int | None:
        """The number k of a formula ``w(i) = k``; None for another formula."""
        return f[2][1] if f[0] == "=" and f[1] == self.symbol and f[2][0] == "num" else None

    def of_symbols(self, f: Tree) -> bool:
        """Whether a formula is ``w(i) = k``, or a disjunction of such formulas."""
        return all(map(self.of_symbols, f[1:])) if f[0] == "|" else self.symbol_of(f) is not None

    def given(self, part: Tree) -> bool:
        """Whether a term has an equation or bounds, or is a bit."""
        return part in self.equations or part in self.bits or part in self.near


class PointwiseCase:
    """One case of a proof.

    `chosen` has the bits that have a value, with this value and the label of the fact that states it. `symbol` is the
    symbol at i; if it is None, the symbol at i is none of `others`. `nodes` are the steps that precede the last ones,
    `forms` remembers linear forms, and `labels` has the labels of facts that were added, by term.
    """

    def __init__(
        self, known: Pointwise, chosen: Mapping[Tree, tuple[int, str]], symbol: int | None, others: Sequence[int] = ()
    ) -> None:
        self.known, self.chosen, self.symbol, self.others = known, chosen, symbol, others
        self.nodes: list[Node] = []
        self.forms: dict[Tree, OpenForm] = {}
        self.labels: dict[Tree, str] = {}

    # --- Values -------------------------------------------------------------------------------------------------------

    def form(self, t: Tree) -> OpenForm:
        """A term as a linear form in the terms whose values this case does not fix."""
        if t not in self.forms:
            self.forms[t] = self._form(t)
        return self.forms[t]

    def _form(self, t: Tree) -> OpenForm:
        """The linear form of a term, by its shape. A term about which nothing is known is an open term of its form."""
        tag, parts = t[0], [*children(t)]
        # The value or the equation of the term itself.
        if t in self.chosen:
            return _number(self.chosen[t][0])
        if t in self.known.equations:
            return self.form(self.known.equations[t][1])
        if t == self.known.symbol and self.symbol is not None:
            return _number(self.symbol)
        # Arithmetic, where a product needs a constant factor.
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
        # Indicators and ReLUs, if the truth or the side is known.
        if tag == "ind" and (truth := self.truth(parts[0])) is not None:
            return _number(truth)
        if (simpler := self.renamed(t)) is not None:
            return self.form(simpler)
        if t[:2] == ("call", "relu") and (up := self.side(t)) is not None:
            return self.form(parts[0]) if up else {}
        return {t: Fraction(1)}

    def renamed(self, t: Tree) -> Tree | None:
        """For an indicator ``I[a = k]`` whose truth is open: the indicator for the term that a is by its equations.
        None if a has no equation, the truth is known, or `t` is not such an indicator."""
        if t[0] != "ind" or t[1][0] != "=" or t[1][2][0] != "num" or self.truth(t[1]) is not None:
            return None
        chosen_term, _ = self.chosen_term(t[1][1])
        return None if chosen_term == t[1][1] else ("ind", ("=", chosen_term, t[1][2]))

    def chosen_term(self, t: Tree) -> tuple[Tree, list[Node]]:
        """The term that `t` is by its equations and by choices ``if`` whose condition is known, and the nodes that
        rewrite `t` to it."""
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
        """Add the fact ``t = other`` to the nodes, where `other` is from `chosen_term`. Returns its label."""
        label = f"s{len(self.nodes)}"
        self.nodes.append(have(label, f"{show(t)} = {show(other)}", [*self.chosen_term(t)[1], {"by": "true"}]))
        return label

    def value(self, t: Tree) -> Fraction | None:
        """The number that a term is in this case; None if it is open."""
        return _constant(self.form(t))

    def side(self, relu: Tree) -> bool | None:
        """True if the argument of a ReLU is at least 0 in this case, False if it is at most 0; None if neither is
        known."""
        inside = self.form(relu[2][0])
        least, least_of_negative = self.least(inside, Fraction(1)), self.least(inside, Fraction(-1))
        if least is not None and least >= 0:
            return True
        return False if least_of_negative is not None and least_of_negative >= 0 else None

    def least(self, form: OpenForm, factor: Fraction) -> Fraction | None:
        """A lower bound of a linear form times a factor; None if one of its terms has no bound."""
        total = Fraction(0)
        for t, q in form.items():
            bound: Fraction | None = q * factor
            if t in self.known.near:  # the lower or the upper bound of t, by the sign of its factor
                bound = self.least(self.form(self.known.near[t][q * factor < 0].than), q * factor)
            elif t != ONE:  # a bit is 0 or 1
                bound = min(q * factor, Fraction(0)) if t in self.known.bits else None
            if bound is None:
                return None
            total += bound
        return total

    def truth(self, f: Tree) -> bool | None:
        """Whether a formula holds in this case; None if its truth is open."""
        tag, parts = f[0], [*children(f)]
        if tag in ("true", "false"):
            return tag == "true"
        if (symbol := self.known.symbol_of(f)) is not None:
            if symbol in self.others:
                return False
            return None if self.symbol is None else symbol == self.symbol
        if tag == "~":
            truth = self.truth(parts[0])
            return None if truth is None else not truth
        if tag in ("&", "|"):
            truths, deciding = [self.truth(part) for part in parts], tag == "|"
            if deciding in truths:  # one true part of a disjunction, or one false part of a conjunction
                return deciding
            return None if None in truths else not deciding
        if f[:2] == ("call", "bit"):
            return None if (bit := self.value(parts[0])) is None else bit in (0, 1)
        if tag == "<->":
            a, b = map(self.truth, parts)
            return None if None in (a, b) else a == b
        # A comparison, if the difference of its sides is a number.
        difference = _constant(_sum(self.form(parts[1]), self.form(parts[0]), -1)) if tag in ("=", "<=", "<") else None
        if difference is None:
            return None
        return difference == 0 if tag == "=" else difference > 0 or (tag == "<=" and difference == 0)

    def open(self, t: Tree) -> Tree | None:
        """An open bit on which a term or formula depends in this case; None if there is none."""
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
        """The nodes that rewrite the terms of a formula, or of a term, by what is known in this case. A goal that is
        true in the case then holds by computation. Facts that the proof needs first are added to the nodes of the
        case."""
        # Walk down the goal. A term with a value, or with a ReLU in its equation, is rewritten by one fact with its
        # form; any other equation is applied, and the walk goes on in its right side. `relu_labels` come first.
        relu_labels, labels, todo = list[str](), list[str](), [t]
        while todo:
            part = todo.pop()
            if part in self.chosen or part in self.known.equations:
                label, right = self.known.equations.get(part, ("", ONE))
                has_relu = any(inner[:2] == ("call", "relu") for inner in subtrees(right))
                if has_relu or self.value(part) is not None:  # one fact with its value
                    labels.append(self.label(part))
                else:  # its equation, then the rewrites of the right side
                    labels.append(label)
                    todo.append(right)
            elif (simpler := self.renamed(part)) is not None:
                labels.append(self.same(part[1][1], simpler[1][1]))
                todo.append(simpler)
            elif part == self.known.symbol and self.symbol is not None:
                labels.append(f"w{self.symbol}")
            elif part[0] == "ind" and self.known.of_symbols(part[1]) and self.symbol is None:
                labels += [self.absent(part)] if self.truth(part[1]) is False else []
            elif part[:2] == ("call", "relu") and not self.told(part[2][0]) and (up := self.side(part)) is not None:
                relu_labels.append(self.relu(part, up))
                todo += children(part) if up else ()
            else:
                todo += reversed([*children(part)])
        # A fact that is used twice is applied at its last use, after all facts whose right sides contain its term.
        at_last_use = [label for k, label in enumerate(labels) if label not in labels[k + 1 :]]
        return [*(rewrite(label) for label in (*dict.fromkeys(relu_labels), *at_last_use)), {"by": "true"}]

    def told(self, t: Tree) -> bool:
        """Whether each part of a term that has an equation or bounds, or is a bit, is a number in this case."""
        return all(self.value(part) is not None for part in subtrees(t) if self.known.given(part))

    def label(self, t: Tree) -> str:
        """The label of the fact that a term is its linear form in this case; the fact is added if it is missing."""
        if t in self.chosen:
            return self.chosen[t][1]
        if t not in self.labels:
            label, right = self.known.equations[t]
            proof = [rewrite(label), *self.put_in(right)]
            self.labels[t] = f"t{len(self.labels)}"
            factors = self.form(t).items()
            summands = [f"({quotient(q)})" + ("" if term == ONE else f"*{show(term)}") for term, q in factors]
            self.nodes.append(have(self.labels[t], f"{show(t)} = {' + '.join(summands) or '0'}", proof))
        return self.labels[t]

    def absent(self, bit: Tree) -> str:
        """The label of the fact that an indicator is 0, since its symbols are not at i; the fact is added if it is
        missing."""
        if bit not in self.labels:
            # If the indicator were 1, one of its symbols K would be at i. That contradicts the fact vK: K is not at i.
            contradictions: list[list[Node]] = [
                [{"by": "absurd", "of": "it", "not": f"v{self.known.symbol_of(part)}"}]
                for part in _alternatives(bit[1])
            ]
            single = len(contradictions) == 1
            impossible = contradictions[0] if single else [cases("is", ["it"] * len(contradictions), contradictions)]
            sides = [["it" if single else "is", "one"], ["not", "zero"]]
            self.labels[bit] = f"n{len(self.labels)}"
            proof = [ind(show(bit[1]), "either"), cases("either", sides, [impossible, hyp("zero")])]
            self.nodes.append(have(self.labels[bit], f"{show(bit)} = 0", proof))
        return self.labels[bit]

    def relu(self, t: Tree, up: bool) -> str:
        """The label of the fact that a ReLU is its argument (with `up`) or 0; the fact is added if it is missing."""
        if t not in self.labels:
            equations, sums = list[tuple[str, str]](), list[tuple[str, str]]()
            slack = self.bounded(t[2][0], Fraction(1 if up else -1), equations, sums)
            proof = combined(equations, [*sums, *([(str(slack), "")] if slack else [])])
            self.labels[t] = f"r{len(self.labels)}"
            self.nodes.append(use(f"ax:relu_{'pos' if up else 'neg'}", [show(t[2][0]), proof], self.labels[t]))
        return self.labels[t]

    def bounded(self, t: Tree, q: Fraction, equations: list[tuple[str, str]], sums: list[tuple[str, str]]) -> Fraction:
        """A lower bound of q times a term. The facts that prove it are appended to `equations` and to `sums`, which are
        inequalities, each as a pair of its factor and its label. The linear combination of all pairs is the proof."""
        tag, parts = t[0], [*children(t)]
        value = self.value(t)
        if t in self.chosen or (t in self.known.equations and value is not None):  # a number in this case
            equations.append((str(-q), self.label(t)))
            return q * (value or 0)
        if t in self.known.equations:
            label, right = self.known.equations[t]
            equations.append((str(-q), label))
            return self.bounded(right, q, equations, sums)
        if t in self.known.near:  # the lower or the upper bound of t, by the sign of q
            side = self.known.near[t][q < 0]
            sums.append((str(abs(q)), side.label))
            return self.bounded(side.than, q, equations, sums)
        if t in self.known.bits:  # 0 <= t or t <= 1
            number = len(self.known.ranges)
            low, high = self.known.ranges.setdefault(t, (f"low{number}", f"high{number}"))
            sums.append((str(abs(q)), low if q > 0 else high))
            return min(q, Fraction(0))
        # Arithmetic: the sum of the bounds of the parts, with the factors that they have in q*t.
        if tag == "num":
            return q * (value or 0)
        if tag == "*" and (factor := self.value(parts[0])) is not None:
            return self.bounded(parts[1], q * factor, equations, sums)
        if tag == "/" and (divisor := self.value(parts[1])):
            return self.bounded(parts[0], q / divisor, equations, sums)
        if tag not in ("+", "-", "neg"):
            raise Undecided(f"no proof method covers the term {show(t)}")
        signs = {"+": (1, 1), "-": (1, -1), "neg": (-1,)}[tag]
        signed_parts = zip(parts, signs, strict=True)
        return sum((self.bounded(part, q * sign, equations, sums) for part, sign in signed_parts), Fraction(0))


def _alternatives(f: Tree) -> list[Tree]:
    """The parts of a disjunction."""
    return [*_alternatives(f[1]), *_alternatives(f[2])] if f[0] == "|" else [f]


def _number(x: int | Fraction) -> OpenForm:
    """A number as a linear form."""
    return {ONE: Fraction(x)} if x else {}


def _constant(form: OpenForm) -> Fraction | None:
    """The number that a linear form is; None if it has an open term."""
    if not form:
        return Fraction(0)
    return form[ONE] if [*form] == [ONE] else None


def _sum(a: OpenForm, b: OpenForm, factor: int | Fraction) -> OpenForm:
    """The linear form a + factor*b, without terms whose factor is 0."""
    out = dict(a)
    for t, q in b.items():
        out[t] = out.get(t, Fraction(0)) + factor * q
    return {t: q for t, q in out.items() if q}
