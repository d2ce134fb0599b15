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
"""Variables of decision diagrams: BEFORE is true if j < i, AFTER if j > i. The variables below BEFORE stand for
equalities of whole numbers: number e of `Selections.equalities` is AFTER - 2 - e. The variables from 0 on are bits."""
SIDES = {"<": {BEFORE: True, AFTER: False}, "=": {BEFORE: False, AFTER: False}, ">": {BEFORE: False, AFTER: True}}
"""The values of BEFORE and AFTER for a relation of j to i."""
ALLOWED = {"none": "<=>", "future": "<=", "strict-future": "<", "past": "=>", "strict-past": ">"}
"""The relations of j to i that a mask allows."""
MASK_OF = {allowed: mask for mask, allowed in ALLOWED.items()}
"""The mask that allows these relations."""
MOST_CASES = 256
"""The maximum number of cases of a selector."""


class Equality(NamedTuple):
    """A selector's condition that the whole number `key` at j equals `query` at i; `shown` is its text, `line` the line
    of the program."""

    key: Form
    query: Form
    shown: str
    line: int


class SelectorCase(NamedTuple):
    """A case of a selector: if the truth `here` holds at i, the positions j with `there` are selected. `there` is a
    function of bits at j and of the variables of sides and equalities."""

    here: Truth
    there: BoolNode


class FoundThere(NamedTuple):
    """The result of a head that looks for a selected position: whether there is one, and the value there."""

    found: Truth
    value: ProgramValue


SelectorCases = tuple[SelectorCase, ...]
"""The cases of a selector. Exactly one of them holds at each position."""


class Selection(NamedTuple):
    """A head that looks for a selected position: `op` "left" for the first, "right" for the last. `head` is None if it
    copies nothing."""

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
        """By line of the program."""

    # Selectors

    def key(self, truth: Truth) -> SelectorCases:
        """The selector of the positions j where a truth holds."""
        return (SelectorCase(self.every, self.node(truth)),)

    def query(self, truth: Truth) -> SelectorCases:
        """The selector of all positions j if a truth holds at i, else of none."""
        return self._cases([(truth, True), (self.negation(truth), False)])

    def _cases(self, cases: Sequence[tuple[Truth, BoolNode]]) -> SelectorCases:
        """The cases of a selector, without cases that never hold; cases that select the same are joined."""
        together: dict[BoolNode, Truth] = {}
        for here, there in cases:
            if self.truth(here) != frozenset():
                together[there] = self.either(together[there], here) if there in together else self.truth(here)
        if len(together) > MOST_CASES:
            raise BadInput(
                f"a selector must have at most {MOST_CASES} cases", len(together), "write it as two selectors"
            )
        return tuple(SelectorCase(here, there) for there, here in together.items())

    def complement(self, cases: SelectorCases) -> SelectorCases:
        """The selector of the positions that `cases` does not select."""
        return tuple(SelectorCase(here, self.diagrams.negation(there)) for here, there in cases)

    def joined(self, op: str, a: SelectorCases, b: SelectorCases) -> SelectorCases:
        """The conjunction or disjunction of two selectors."""
        make = self.diagrams.both if op == "and" else self.diagrams.either
        return self._cases([(self.both(x.here, y.here), make(x.there, y.there)) for x, y in product(a, b)])

    def letters_meet(self, sign: str, key: Letters, query: Letters) -> SelectorCases:
        """The selector of positions j for which the relation `sign` holds between the letters at j and at i."""
        cases = []
        for letter, here in query.items():
            there = [truth for key_letter, truth in key.items() if holds(sign, key_letter, letter)]
            cases.append((here, self.node(self.disjoint(there, f"a letter {sign} {letter}"))))
        return self._cases(cases)

    def truths_meet(self, sign: str, key: Truth, query: Truth) -> SelectorCases:
        """The selector of positions j whose truth equals (`sign` "=") or differs from that of i."""
        cases = self._cases([(query, self.node(key)), (self.negation(query), self.node(self.negation(key)))])
        return cases if sign == "=" else self.complement(cases)

    def numbers_meet(self, sign: str, key: Form, query: Form, shown: tuple[str, str]) -> SelectorCases:
        """The selector of positions j for which the relation `sign` holds between the number `key` at j and `query` at
        i. `shown` is the texts of both."""
        if sign in ("!=", ">", ">="):
            opposite = {"!=": "=", ">": "<=", ">=": "<"}[sign]
            return self.complement(self.numbers_meet(opposite, key, query, shown))
        # Two indices: the selector is a mask. Else, if one number has finitely many values, they become cases.
        mask_node = self._as_places(sign, key, query)
        if mask_node is not None:
            return (SelectorCase(self.every, mask_node),)
        values = self.values_of(query)
        if values is not None:
            here = [(truth, self.compare(sign, key, self.number(value))) for value, truth in values]
            return self._cases([(truth, self.node(there)) for truth, there in here])
        values = self.values_of(key)
        if values is not None:
            return self._key_values(sign, values, query)
        # Two numbers that grow with n: only an equality of whole numbers is possible. It becomes a new variable.
        if sign != "=" or not key.whole or not query.whole:
            must = "select must compare two numbers by ==, unless both are indices or one has a finite range"
            order = "no score puts all pairs of two numbers that grow in order"
            raise BadInput(
                f"{must}: {order if sign != '=' else 'a mean is not always a whole number'}",
                " and ".join(shown),
                "compare two indices, or two whole numbers by ==",
            )
        self.equalities.append(Equality(key, query, f"{shown[0]} = {shown[1]}", self.now))
        return (SelectorCase(self.every, self.diagrams.variable(AFTER - 1 - len(self.equalities))),)

    def _as_places(self, sign: str, key: Form, query: Form) -> BoolNode | None:
        """The relation of `key` at j to `query` at i as a function of BEFORE and AFTER; None unless both numbers are an
        index plus a constant, and the relation is a mask."""
        index = self.position("before", "left")
        # If key = index + a and query = index + b, the relation is j ? i + (b - a). The five listed here are masks.
        a, b = (form.plus(index, -1).constant for form in (key, query))
        if a is None or b is None or (sign, b - a) not in {("<", 0), ("<", 1), ("<=", 0), ("<=", -1), ("=", 0)}:
            return None
        make, before, after = self.diagrams, self.diagrams.variable(BEFORE), self.diagrams.variable(AFTER)
        if sign == "=":
            return make.both(make.negation(before), make.negation(after))
        return before if (sign, b - a) in {("<", 0), ("<=", -1)} else make.negation(after)

    def _key_values(self, sign: str, values: Sequence[tuple[Fraction, Truth]], query: Form) -> SelectorCases:
        """The selector of a comparison where the number at j has the given values, smallest first. For "=" there is a
        case at i for each value; for "<" and "<=" one for each initial part of the values."""
        tests = [self.compare(sign, self.number(value), query) for value, _ in values]
        nodes = [self.node(truth) for _, truth in values]
        if sign == "=":
            no_value = self.both(*map(self.negation, tests))
            return self._cases([*zip(tests, nodes, strict=True), (no_value, False)])
        cases: list[tuple[Truth, BoolNode]] = [(self.negation(tests[0]), False)]
        there: BoolNode = False
        # A case for each k: the relation holds for value k, but not for value k + 1. It selects the values up to k.
        for k, test in enumerate(tests):
            there = self.diagrams.either(there, nodes[k])
            here = test if k + 1 == len(tests) else self.both(test, self.negation(tests[k + 1]))
            cases.append((here, there))
        return self._cases(cases)

    def restrict(self, node: BoolNode, given: dict[int, bool]) -> BoolNode:
        """The function `node` with the values `given` for some of the variables of sides and equalities."""
        if isinstance(node, bool) or node[0] >= 0:  # the bits come after all variables that can be given
            return node
        low, high = (self.restrict(branch, given) for branch in node[1:])
        if node[0] in given:
            return high if given[node[0]] else low
        return self.diagrams.choice(self.diagrams.variable(node[0]), high, low)

    def equal(self, cases: SelectorCases, shown: str) -> tuple[SelectorCases, tuple[Equality, ...]]:
        """The cases with every equality taken as true, and the equalities. BadInput if a position can be selected
        although an equality does not hold."""
        equality_variables = sorted(
            {variable for case in cases for variable in variables(case.there) if variable < BEFORE}, reverse=True
        )
        for variable in equality_variables:
            equality = self.equalities[AFTER - 2 - variable]
            if any(self.restrict(case.there, {variable: False}) is not False for case in cases):
                must = "an equality of two unbounded numbers must be joined by & only: a head looks for one number"
                raise BadInput(
                    must, f"{equality.shown} in {shown}", "join the equality with other conditions only by &"
                )
        cases = self._cases(
            [(here, self.restrict(there, dict.fromkeys(equality_variables, True))) for here, there in cases]
        )
        return cases, tuple(self.equalities[AFTER - 2 - variable] for variable in equality_variables)

    def groups(self, cases: SelectorCases, mask: str) -> list[tuple[str, SelectorCases]]:
        """The relations of j to i that a mask allows, from "<" to ">", with the cases for each. Relations for which no
        position is selected are left out. Neighbouring relations with equal cases are joined, for example to "<="; "<"
        and ">" are no neighbours."""
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
        """The value at the first (`op` "left") or last selected position; the default if none is selected."""
        cases, equalities = self.equal(cases, shown)
        result = default
        groups = self.groups(cases, mask)
        # For the last position the groups go from left to right, for the first from right to left: a later result
        # replaces an earlier one.
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
        """The number a where a test is true, b elsewhere."""
        # Atoms that a and b have with the same factor need no gate.
        shared = {atom: q for atom, q in a.atoms.items() if b.atoms.get(atom) == q}
        zero = self.number(0).table
        common = Form(zero, {}, shared)
        first, second = a.plus(common, -1), b.plus(common, -1)
        return common.plus(self.gate(test, first)).plus(self.gate(self.negation(test), second))

    def selecting(self, cases: SelectorCases, equalities: Sequence[Equality]) -> dict[tuple[str, str], Fraction] | None:
        """The score that is maximal at the selected positions, {(query coordinate, key coordinate): factor}. Up to
        terms that are the same for all j, it is 1 if the truth of the case holds at j, else 0, minus the squared
        difference of each equality. None if it is 0."""
        score: dict[tuple[str, str], Fraction] = {}

        def add(query: str, key: str, factor: Fraction | int) -> None:
            """Add a term; the query "" is the constant 1."""
            score[query or self.place("one"), key] = score.get((query or "one", key), Fraction(0)) + factor

        # A term for each case: (the case holds at i) times (the truth that it selects by holds at j).
        for here, there in cases:
            if not isinstance(there, bool):
                add(self.hold(self.node(here)), self.hold(there), 1)
        # Minus (key - query)^2. The term query^2 is the same for all j and is left out, so 2 query key - key^2 remains.
        # With key = k + constant it is, up to a term that depends on i alone, 2 (query - constant) k - k^2.
        for equality in equalities:
            query, key = self.linear(equality.query), self.linear(equality.key)
            for a, p in query.items():
                for b, q in key.items():
                    if b:
                        add(a, b, 2 * p * q)
            constant = key.get("", Fraction(0))
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
        """Add a head that attends to the first (`op` "left") or last selected position that a mask allows. Return
        whether a position is selected, and `value` there (if `value` is None, an unused truth)."""
        values: dict[str, LinearFactors] = {}
        copy_of: dict[str, str] = {}

        def copied(name: str) -> str:
            """The coordinate to which the head copies the coordinate `name` of the position that it attends to."""
            if name not in copy_of:
                copy_of[name] = self.new("found", f"{self.meanings[name]}, at j of {shown}")
                values[copy_of[name]] = {name: Fraction(1)}
            return copy_of[name]

        score = self.selecting(cases, equalities)
        # A position with the maximum score need not be selected. So the head also copies the truths that the cases
        # select by, and they are tested at i.
        exists = self._some(mask)
        keys = [
            exists if there is True else frozenset() if there is False else self._copied(there, copied)
            for _, there in cases
        ]
        differences = []
        for equality in equalities:
            row = self.linear(equality.key)
            # For an equality the head copies the key, which is compared with the query at i.
            name = self.new("key", f"{equality.shown.partition(' = ')[0]}, at the position found")
            values[name] = {part: q for part, q in row.items() if part}
            differences.append(Form(self.number(row.get("", Fraction(0))).table, {}, {Atom(name, "both"): Fraction(1)}))
        result = None if value is None else self._read(value, mask, copied)
        head = Look(score, values, mask, f"{op}most") if values else None
        # Order matters: all that the head reads was added above, and the tests below may add layers that read it.
        if head is not None:
            self.looks.append(head)
        tests = [self.both(case.here, key) for case, key in zip(cases, keys, strict=True)]
        found_any = self.disjoint(tests, f"found: {shown}")
        for equality, key in zip(equalities, differences, strict=True):
            found_any = self.both(found_any, self.compare("=", key, equality.query), exists)
        self.selections.setdefault(self.now, []).append(Selection(op, mask, cases, tuple(equalities), head))
        return FoundThere(found_any, result if result is not None else frozenset())

    def _some(self, mask: str) -> Truth:
        """Whether a mask allows any position."""
        if not mask.startswith("strict"):
            return self.every
        if mask == "strict-future":
            return self.bit(self.place("later"))
        return self.truth(self.diagrams.negation(self.bit(self.place("at_last"))))

    def _copied(self, truth: Truth, copied: Callable[[str], str]) -> Truth:
        """A truth at the position that a head attends to; `copied` gives the coordinate of a copy."""
        truth = self.truth(truth)
        if truth in (frozenset(), self.every):
            return truth
        return self.bit(copied(self.hold(self.node(truth))))

    def _read(self, value: ProgramValue, mask: str, copied: Callable[[str], str]) -> ProgramValue:
        """A value at the position that a head attends to; `copied` gives the coordinate of a copy."""
        if isinstance(value, dict):
            return {letter: self._copied(truth, copied) for letter, truth in value.items()}
        if not isinstance(value, Form):
            return self._copied(value, copied)
        result = self.number(0)
        # A number: its letters and bits piece by piece, then its atoms, each with its square if that has a coordinate.
        for q, truth in self.pieces(value):
            if q:
                result = result.plus(self.indicator(self._copied(truth, copied)), q)
        for atom, q in value.atoms.items():
            name = copied(atom.name)
            if atom.name in self.squares:
                # A square that is a position function may not be a coordinate yet.
                square = self.squares[atom.name]
                self.meanings.setdefault(square, square)
                if square in ("before_square", "behind_square"):
                    self.place(square)
                self.squares[name] = copied(square)
            # The bound of a side holds at i only if the position attended to is on that side of i. Under another mask
            # the value may be as large as n - 1, so the side is "both".
            mask_of_side = SEEN.get(atom.side, "none")
            side = atom.side if atom.side == "mean" or mask.endswith(mask_of_side) else "both"
            atom = Atom(name, side, atom.bound, atom.local and mask.endswith("future"))
            result = result.plus(Form(self.number(0).table, {}, {atom: Fraction(1)}), q)
        return result
