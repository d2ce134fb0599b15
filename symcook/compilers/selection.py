"""Selections as heads: from which position j a position i takes a value.

A selector is split into cases: if `here` holds at i, the positions j with `there` are selected. The score of a position
is that truth, minus the squared difference of integers that must be equal. So a selected position has the maximum
score. The head copies what was looked for from the position with the maximum, and the copy tells whether that position
is selected at all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from typing import NamedTuple

from symcook.compilers.booleans import BoolNode, variables
from symcook.compilers.numbers import Atom, Form, LinearFactors
from symcook.compilers.values import SEEN, Letters, Look, PositionValues, ProgramValue, Truth, holds
from symcook.errors import BadInput
from symcook.programs.srasp import Srasp

BEFORE, AFTER = -2, -1
"""Variables that are true where j < i, and where j > i. Those below stand for equalities of whole numbers."""
SIDES = {"<": {BEFORE: True, AFTER: False}, "=": {BEFORE: False, AFTER: False}, ">": {BEFORE: False, AFTER: True}}
ALLOWED = {"none": "<=>", "future": "<=", "strict-future": "<", "past": "=>", "strict-past": ">"}
MASK_OF = {allowed: mask for mask, allowed in ALLOWED.items()}
MOST_CASES = 256


class Equality(NamedTuple):
    """A number at j that must be one at i, by a line of the program."""

    key: Form
    query: Form
    shown: str
    line: int


class SelectorCase(NamedTuple):
    """A case of a selector: where the truth `here` holds at i, the positions j with `there` are selected, a function of
    bits at j and of the variables below 0."""

    here: Truth
    there: BoolNode


class FoundThere(NamedTuple):
    """What a head that selects has found: whether some position is selected, and the value at that position."""

    found: Truth
    value: ProgramValue


SelectorCases = tuple[SelectorCase, ...]
"""Exactly one case holds at each position."""


class Selection(NamedTuple):
    """The head of a selection: what it selects by, and what it copies."""

    op: str
    mask: str
    cases: SelectorCases
    equalities: tuple[Equality, ...]
    head: Look | None


class Selections(PositionValues):
    """The heads of selections."""

    def __init__(self, program: Srasp) -> None:
        super().__init__(program)
        self.program = program
        self.equalities: list[Equality] = []
        self.selections: dict[int, list[Selection]] = {}
        """The heads that each line has."""

    # Selectors

    def key(self, truth: Truth) -> SelectorCases:
        return (SelectorCase(self.every, self.node(truth)),)

    def query(self, truth: Truth) -> SelectorCases:
        return self._cases([(truth, True), (self.negation(truth), False)])

    def _cases(self, cases: Sequence[tuple[Truth, BoolNode]]) -> SelectorCases:
        """Cases without those that never hold; those that select the same are one."""
        together: dict[BoolNode, Truth] = {}
        for here, there in cases:
            if self.truth(here) != frozenset():
                together[there] = self.either(together[there], here) if there in together else self.truth(here)
        if len(together) > MOST_CASES:
            raise BadInput(f"a selector must have at most {MOST_CASES} cases", len(together), "cut it in two")
        return tuple(SelectorCase(here, there) for there, here in together.items())

    def complement(self, cases: SelectorCases) -> SelectorCases:
        return tuple(SelectorCase(here, self.diagrams.negation(there)) for here, there in cases)

    def joined(self, op: str, a: SelectorCases, b: SelectorCases) -> SelectorCases:
        """The conjunction or disjunction of two selectors."""
        make = self.diagrams.both if op == "and" else self.diagrams.either
        return self._cases([(self.both(x.here, y.here), make(x.there, y.there)) for x, y in product(a, b)])

    def letters_meet(self, sign: str, key: Letters, query: Letters) -> SelectorCases:
        """The selector of positions j whose letter stands in a relation to that of i."""
        cases = []
        for letter, here in query.items():
            there = [truth for key_letter, truth in key.items() if holds(sign, key_letter, letter)]
            cases.append((here, self.node(self.disjoint(there, f"a letter {sign} {letter}"))))
        return self._cases(cases)

    def truths_meet(self, sign: str, key: Truth, query: Truth) -> SelectorCases:
        """The selector of positions j whose truth is, or is not, that of i."""
        cases = self._cases([(query, self.node(key)), (self.negation(query), self.node(self.negation(key)))])
        return cases if sign == "=" else self.complement(cases)

    def numbers_meet(self, sign: str, key: Form, query: Form, shown: tuple[str, str]) -> SelectorCases:
        """j's number in a relation to i's: by the values of one of them, as a mask, or by an equality."""
        if sign in ("!=", ">", ">="):
            opposite = {"!=": "=", ">": "<=", ">=": "<"}[sign]
            return self.complement(self.numbers_meet(opposite, key, query, shown))
        # Two indices: a mask. Else one of the numbers has finitely many values, which become cases.
        place = self._as_places(sign, key, query)
        if place is not None:
            return (SelectorCase(self.every, place),)
        values = self.values_of(query)
        if values is not None:
            here = [(truth, self.compare(sign, key, self.number(value))) for value, truth in values]
            return self._cases([(truth, self.node(there)) for truth, there in here])
        values = self.values_of(key)
        if values is not None:
            return self._key_values(sign, values, query)
        # Two numbers that grow: only an equality of whole numbers, a variable of its own below 0.
        if sign != "=" or not key.whole or not query.whole:
            must = "a select of numbers must be by ==, or one of them must have a finite range, or both be indices"
            order = "no score puts all pairs of two numbers that grow in order"
            raise BadInput(f"{must}: {order if sign != '=' else 'a mean is no whole number'}", " and ".join(shown))
        self.equalities.append(Equality(key, query, f"{shown[0]} = {shown[1]}", self.now))
        return (SelectorCase(self.every, self.diagrams.variable(AFTER - 1 - len(self.equalities))),)

    def _as_places(self, sign: str, key: Form, query: Form) -> BoolNode | None:
        """A relation of two indices as a mask."""
        index = self.position("before", "left")
        # key = index + a, query = index + b: j + a ? i + b, and only differences that are a mask.
        a, b = (form.plus(index, -1).constant for form in (key, query))
        if a is None or b is None or (sign, b - a) not in {("<", 0), ("<", 1), ("<=", 0), ("<=", -1), ("=", 0)}:
            return None
        make, before, after = self.diagrams, self.diagrams.variable(BEFORE), self.diagrams.variable(AFTER)
        if sign == "=":
            return make.both(make.negation(before), make.negation(after))
        return before if (sign, b - a) in {("<", 0), ("<=", -1)} else make.negation(after)

    def _key_values(self, sign: str, values: Sequence[tuple[Fraction, Truth]], query: Form) -> SelectorCases:
        """The selector of a comparison where the number at j has these values: for each value, or each range of values
        up to a bound, a case at i."""
        tests = [self.compare(sign, self.number(value), query) for value, _ in values]
        nodes = [self.node(truth) for _, truth in values]
        if sign == "=":
            no_value = self.both(*map(self.negation, tests))
            return self._cases([*zip(tests, nodes, strict=True), (no_value, False)])
        cases: list[tuple[Truth, BoolNode]] = [(self.negation(tests[0]), False)]
        there: BoolNode = False
        for place, test in enumerate(tests):  # the smaller the value, the sooner it is below
            there = self.diagrams.either(there, nodes[place])
            here = test if place + 1 == len(tests) else self.both(test, self.negation(tests[place + 1]))
            cases.append((here, there))
        return self._cases(cases)

    def restrict(self, node: BoolNode, given: dict[int, bool]) -> BoolNode:
        """A function with values for some of the variables below 0."""
        if isinstance(node, bool) or node[0] >= 0:
            return node
        low, high = (self.restrict(branch, given) for branch in node[1:])
        if node[0] in given:
            return high if given[node[0]] else low
        return self.diagrams.choice(self.diagrams.variable(node[0]), high, low)

    def equal(self, cases: SelectorCases, shown: str) -> tuple[SelectorCases, tuple[Equality, ...]]:
        """The cases where all equalities hold; BadInput where one need not hold."""
        used = sorted({name for case in cases for name in variables(case.there) if name < BEFORE}, reverse=True)
        for name in used:
            equality = self.equalities[AFTER - 2 - name]
            if any(self.restrict(case.there, {name: False}) is not False for case in cases):
                must = "an equality of two numbers that grow must be joined by & alone: a head looks for one number"
                raise BadInput(must, f"{equality.shown} in {shown}")
        cases = self._cases([(here, self.restrict(there, dict.fromkeys(used, True))) for here, there in cases])
        return cases, tuple(self.equalities[AFTER - 2 - name] for name in used)

    def groups(self, cases: SelectorCases, mask: str) -> list[tuple[str, SelectorCases]]:
        """The sides that a mask leaves, from the left, with the cases there; neighbours that select the same in one."""
        grouped: list[tuple[str, SelectorCases]] = []
        for side in ALLOWED[mask]:
            here = self._cases([(case.here, self.restrict(case.there, SIDES[side])) for case in cases])
            if all(case.there is False for case in here):
                continue
            if grouped and grouped[-1][1] == here and grouped[-1][0][-1] + side != "<>":
                grouped[-1] = grouped[-1][0] + side, here
            else:
                grouped.append((side, here))
        return grouped

    # Heads

    def nearest(
        self, op: str, mask: str, cases: SelectorCases, value: ProgramValue, default: ProgramValue, shown: str
    ) -> ProgramValue:
        """The value at the first (op "left") or last position that is selected, or the default."""
        cases, equalities = self.equal(cases, shown)
        result = default
        groups = self.groups(cases, mask)
        # The group with the position that is wanted comes last, and so has the last say.
        for side, side_cases in groups if op == "right" else groups[::-1]:
            if side == "=":
                found_there = FoundThere(self._own(side_cases, equalities), value)
            else:
                found_there = self.look(op, MASK_OF[side], side_cases, equalities, value, shown)
            result = self.pick(found_there.found, found_there.value, result)
        return result

    def _own(self, cases: SelectorCases, equalities: Sequence[Equality]) -> Truth:
        """Whether a position selects itself."""
        own = self.disjoint([self.both(here, there) for here, there in cases], "selects itself")
        return self.both(own, *(self.compare("=", equality.key, equality.query) for equality in equalities))

    def pick(self, test: Truth, a: ProgramValue, b: ProgramValue) -> ProgramValue:
        """a where the test is true, b elsewhere."""
        if isinstance(a, Form) and isinstance(b, Form):
            return self.between(test, a, b)
        if isinstance(a, dict) and isinstance(b, dict):
            none: Truth = frozenset()
            return {letter: self.choose(test, a.get(letter, none), b.get(letter, none)) for letter in {**a, **b}}
        return self.choose(test, a, b)  # type: ignore[arg-type]

    def between(self, test: Truth, a: Form, b: Form) -> Form:
        """A number, or another; what both have stays as it is."""
        shared = {atom: q for atom, q in a.atoms.items() if b.atoms.get(atom) == q}
        zero = self.number(0).table
        common = Form(zero, {}, shared)
        first, second = a.plus(common, -1), b.plus(common, -1)
        return common.plus(self.gate(test, first)).plus(self.gate(self.negation(test), second))

    def selecting(self, cases: SelectorCases, equalities: Sequence[Equality]) -> dict[tuple[str, str], Fraction] | None:
        """The score of a position: greater by 1 where a truth that is looked for holds, less the squares of
        differences."""
        score: dict[tuple[str, str], Fraction] = {}

        def add(query: str, key: str, factor: Fraction | int) -> None:
            score[query or self.place("one"), key] = score.get((query or "one", key), Fraction(0)) + factor

        # The case of the row, times what it looks for: 1 for the positions that it selects.
        for here, there in cases:
            if not isinstance(there, bool):
                add(self.hold(self.node(here)), self.hold(there), 1)
        # Less (key - query)^2, without query^2, which is equal for all positions: 2 query key - key^2, with the
        # constant of the key taken from the query.
        for equality in equalities:
            query, key = self.linear(equality.query), self.linear(equality.key)
            for a, p in query.items():
                for b, q in key.items():
                    if b:
                        add(a, b, 2 * p * q)
            constant = key.get("", Fraction(0))  # the difference is that of the query less the constant
            for b, q in key.items():
                if b and constant:
                    add("", b, -2 * constant * q)
            for b, q in self.square(equality.key.plus(self.number(constant), -1)).items():
                if b:
                    add("", b, -q)
        return {pair: factor for pair, factor in score.items() if factor} or None

    def look(
        self,
        op: str,
        mask: str,
        cases: SelectorCases,
        equalities: Sequence[Equality],
        value: ProgramValue | None,
        shown: str,
    ) -> FoundThere:
        """A head at the first or last position that is selected behind a mask."""
        values: dict[str, LinearFactors] = {}
        read: dict[str, str] = {}

        def copied(name: str) -> str:
            """The coordinate that holds what stands in another at the position found."""
            if name not in read:
                read[name] = self.new("found", f"{self.meanings[name]}, at j of {shown}")
                values[read[name]] = {name: Fraction(1)}
            return read[name]

        score = self.selecting(cases, equalities)
        # Greatest is not yet selected: so the head copies what is looked for, and the row tests it.
        exists = self._some(mask)
        keys = [
            exists if there is True else frozenset() if there is False else self._copied(there, copied)
            for _, there in cases
        ]
        differences = []
        for equality in equalities:
            row = self.linear(equality.key)
            # Of an equality the key itself is copied, and compared with the query.
            name = self.new("key", f"{equality.shown.partition(' = ')[0]}, at the position found")
            values[name] = {part: q for part, q in row.items() if part}
            differences.append(Form(self.number(row.get("", Fraction(0))).table, {}, {Atom(name, "both"): Fraction(1)}))
        result = None if value is None else self._read(value, mask, copied)
        head = Look(score, values, mask, f"{op}most") if values else None
        if head is not None:  # what the head reads is there by now, and what reads the head comes behind it
            self.looks.append(head)
        tests = [self.both(case.here, key) for case, key in zip(cases, keys, strict=True)]
        found_any = self.disjoint(tests, f"found: {shown}")
        for equality, key in zip(equalities, differences, strict=True):
            found_any = self.both(found_any, self.compare("=", key, equality.query), exists)
        self.selections.setdefault(self.now, []).append(Selection(op, mask, cases, tuple(equalities), head))
        return FoundThere(found_any, result if result is not None else frozenset())

    def _some(self, mask: str) -> Truth:
        """Whether a row behind a mask sees a position."""
        if not mask.startswith("strict"):
            return self.every
        if mask == "strict-future":
            return self.bit(self.place("later"))
        return self.truth(self.diagrams.negation(self.bit(self.place("at_last"))))

    def _copied(self, truth: Truth, copied: Callable[[str], str]) -> Truth:
        """A truth at the position found."""
        truth = self.truth(truth)
        if truth in (frozenset(), self.every):
            return truth
        return self.bit(copied(self.hold(self.node(truth))))

    def _read(self, value: ProgramValue, mask: str, copied: Callable[[str], str]) -> ProgramValue:
        """A value at the position found."""
        if isinstance(value, dict):
            return {letter: self._copied(truth, copied) for letter, truth in value.items()}
        if not isinstance(value, Form):
            return self._copied(value, copied)
        result = self.number(0)
        # A number: its bits one by one, then its atoms, each with its square where there is one.
        for q, truth in self.pieces(value):
            if q:
                result = result.plus(self.indicator(self._copied(truth, copied)), q)
        for atom, q in value.atoms.items():
            name = copied(atom.name)
            if atom.name in self.squares:
                square = self.squares[atom.name]
                self.meanings.setdefault(square, square)
                if square in ("before_square", "behind_square"):
                    self.place(square)
                self.squares[name] = copied(square)
            # Under another mask the atom may be that of a position on the other side, and as great as n - 1.
            own_mask = SEEN.get(atom.side, "none")
            side = atom.side if atom.side == "mean" or mask.endswith(own_mask) else "both"
            atom = Atom(name, side, atom.bound, atom.local and mask.endswith("future"))
            result = result.plus(Form(self.number(0).table, {}, {atom: Fraction(1)}), q)
        return result
