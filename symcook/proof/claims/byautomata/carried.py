"""Values carried along a string: at each position one of finitely many formulas holds, and the symbols determine which.

A carried value is the state of an automaton, or the remainder of a position or of a sum over the symbols. It has a
formula for each value, the value before the first symbol, and the next value by value and symbol. The proofs of these
facts are made at their first use. `CarriedAlong` finds the carried values of a claim.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from symcook.proof.claims.byautomata.regular import Regular, linear
from symcook.proof.claims.bycounts.lettered import THERE, Lettered
from symcook.proof.claims.bycounts.problem import HERE, LETTERS, ONE, Equation, N, at
from symcook.proof.inequalities import reify
from symcook.proof.normal import ONE as CONSTANT
from symcook.proof.normal import constant, nf
from symcook.proof.search.ranges import between, equals
from symcook.proof.search.tactics import Goal, try_auto
from symcook.proof.terms import Term, abstract, flatten, free, instantiate, num, subterms, var

QUOTIENT = var("q'", "Int")
"""The bound variable of a formula on a remainder."""
MOST_MODULUS = 60
"""The greatest modulus of a remainder that is carried along. Each remainder is a state, and a product of two such
automata has at most 3,600."""


class CarriedValue:
    """A value that is carried along a string. It is `first` at the row `row`, the position before the first symbol that
    is read, which is at `low`; `moves` has the next value by value and symbol. `name` is part of its facts' labels."""

    def __init__(self, lettered: Lettered, name: str, row: Term, first: int, moves: Mapping[int, Mapping[int, int]]):
        self.lettered, self.name, self.row, self.first, self.moves = lettered, name, row, first, moves
        self.low = reify.term(nf(("+", None, (row, ONE))))

    def formula(self, value: int, place: Term) -> Term:
        """The formula that says that the carried value is `value` at a position."""
        raise NotImplementedError

    def begin(self) -> str:
        """The label of the fact that the value is `first` at the row."""
        raise NotImplementedError

    def step(self, value: int, letter: int) -> str:
        """The label of the fact that, at each position i after the row, `value` at i - 1 and the symbol `letter` at i
        imply the next value at i."""
        label = f"move.{self.name}.{value}.{letter}"
        before, lettered = reify.term(nf(("-", None, (HERE, ONE)))), self.lettered
        to = self.moves[value][letter]
        body = self.formula(to, HERE)
        for premise in (lettered.is_letter(HERE, letter), self.formula(value, before)):
            body = ("->", None, (premise, body))

        def proof(g: Goal) -> None:
            """Introduce the position and the premises, and prove the step by the kind of value."""
            g.intro("i inside before here")
            g.use("inside", label="low high")
            self._moved(g, value, letter, to)

        return lettered.known(label, lettered.everywhere(body, self.low), proof)

    def inside(self, place: Term) -> Term:
        """The formula that a position comes after the row."""
        return between(self.low, place, self.lettered.high)

    def _moved(self, g: Goal, value: int, letter: int, to: int) -> None:
        """Close the goal of a step: the formula of the value `to`. The labels of the premises are ``low``, ``high``,
        ``before`` (the value at i - 1) and ``here`` (the symbol at i)."""
        raise NotImplementedError

    def contradiction(self, g: Goal, first: str, second: str) -> None:
        """Close a goal by two facts that give different values at one position."""
        raise NotImplementedError


class CarriedState(CarriedValue):
    """The state of an automaton; its formula is an equation."""

    def __init__(self, lettered: Lettered, equation: Equation, regular: Regular) -> None:
        self.equation = equation
        first, moves = regular.recursion(equation)
        by_letter = {s: {a: moves[s][a] for a in lettered.problem.letters} for s in moves}
        super().__init__(lettered, equation.name, equation.empty or num(0), first, by_letter)

    def formula(self, value: int, place: Term) -> Term:
        return equals(at(self.equation.name, place, LETTERS), num(value))

    def begin(self) -> str:
        """The label of the equation at the row, where no symbol is read."""

        def proof(g: Goal) -> None:
            """By the equation of the coordinate, whose right side is computed."""
            g.use(f"truth.{self.equation.part}", g.text(self.row), Goal.easy, label="is")
            g.rewrite("is")
            self._computed(g, False)

        return self.lettered.known(f"begin.{self.name}", self.formula(self.first, self.row), proof)

    def _moved(self, g: Goal, value: int, letter: int, to: int) -> None:
        """Rewrite the equation with the value before and the symbol, after which both sides are numbers."""
        g.use(f"truth.{self.equation.part}", "i", Goal.easy, label="is")
        g.rewrite("is")
        g.rewrite("before")
        g.rewrite("here")
        self._computed(g, True)

    @staticmethod
    def _computed(g: Goal, after: bool) -> None:
        """Close an equation of numbers. With `after`, the equation is for positions after the row: it may have the
        indicator of ``row <= i``, which is 1 there by the fact ``low``."""
        condition = next((t for t in subterms(g.goal) if t[0] == "<=" and after), None)
        if condition is None:
            return g.true()
        # Two cases. If the condition holds, the value 1 of the indicator (`bit`) gives the equation; if it fails, that
        # (`side`) contradicts ``low``.
        for case, fact in zip(g.ind(condition, "side bit"), ("bit", "side"), strict=True):
            case.auto(["low", fact], degree=1, rounds=0)
        return None

    def contradiction(self, g: Goal, first: str, second: str) -> None:
        # The state is a and is b, for different numbers a and b: a = b is false by computation.
        state, same, new = g.facts[second][2][0], g.fresh("same"), g.fresh("two")
        g.have(equals(state, g.facts[first][2][1]), same, lambda h: h.hyp(first))
        g.rewrite(same, second, new)
        g.absurd(new)


class RemainderFormula(NamedTuple):
    """The parts of a formula ``ex q. T = m*q + r``. T is the sum of `term` over the positions up to `place`, or, where
    `term` is None, the number of the position `place`; its remainder modulo m is `residue`, with 0 <= residue < m."""

    term: Term | None
    """The summand at the position `THERE`, or None."""
    modulus: int
    place: Term
    residue: int
    quotient_shift: int
    """The quotient in the formula minus the quotient in ``T = m*q + residue``."""


class RemainderFact(NamedTuple):
    """What a formula says of a carried remainder: it is `residue` at `place`; `quotient_shift` as in
    `RemainderFormula`."""

    carried: CarriedRemainder
    residue: int
    place: Term
    quotient_shift: int


class CarriedRemainder(CarriedValue):
    """The remainder of the number of a position, or of a sum of whole numbers by the symbols up to it."""

    def __init__(
        self, lettered: Lettered, term: Term | None, modulus: int, by_symbol: Mapping[int, int], name: str
    ) -> None:
        self.term, self.modulus, self.by_symbol = term, modulus, by_symbol
        first = constant(nf(lettered.below)) if term is None else 0
        moves = {s: {a: (s + k) % modulus for a, k in by_symbol.items()} for s in range(modulus)}
        super().__init__(lettered, name, lettered.below, int(first or 0) % modulus, moves)

    def at(self, place: Term) -> Term:
        """The term whose remainder is carried, at a position: the position itself, or the sum up to it."""
        return place if self.term is None else ("sum", None, (self.lettered.low, place, abstract(self.term, (THERE,))))

    def formula(self, value: int, place: Term) -> Term:
        multiple = ("*", None, (num(self.modulus), QUOTIENT))
        right = ("+", None, (multiple, num(value))) if value else multiple
        return ("ex", "Int", (abstract(equals(self.at(place), right), (QUOTIENT,)),))

    def begin(self) -> str:
        """The label of the fact about the remainder at the row: that of an empty sum, or of the row's number."""

        def proof(g: Goal) -> None:
            """The empty sum is 0 = m*0 + 0; the number p of a row is m*((p - r)/m) + r with r = p mod m."""
            g.witness(str((int(constant(nf(self.row)) or 0) - self.first) // self.modulus if self.term is None else 0))
            # The number of a position is computed.
            if self.term is None:
                g.true()
                return
            f = g.text(("lam", ("Int",), (abstract(self.term, (THERE,)),)))
            g.use("ax:sum_empty", f, g.text(self.lettered.low), g.text(self.row), Goal.easy, label="none")
            g.auto(["none"], degree=1, rounds=0)

        return self.lettered.known(f"begin.{self.name}", self.formula(self.first, self.row), proof)

    def _moved(self, g: Goal, value: int, letter: int, to: int) -> None:
        """Witness the new quotient: the one before, plus the carry of what the symbol adds to the sum."""
        # T(i - 1) = m*q + v and T(i) = T(i - 1) + k give T(i) = m*(q + (v + k - v')/m) + v', where v' = (v + k) mod m.
        g.obtain("before", "q", "whole")
        g.witness(f"q + {(value + self.by_symbol[letter] - to) // self.modulus}")
        equations = ["whole"]
        if self.term is not None:
            f = g.text(("lam", ("Int",), (abstract(self.term, (THERE,)),)))
            g.use("ax:sum_step", f, g.text(self.lettered.low), "i", "#low", label="step")
            show = equals(instantiate(abstract(self.term, (THERE,)), (HERE,)), num(self.by_symbol[letter]))
            g.have(show, "more", lambda h: self.lettered.computed(h, HERE, "inside", "here"))
            equations += ["step", "more"]
        g.auto(equations, degree=1, rounds=0)

    def contradiction(self, g: Goal, first: str, second: str) -> None:
        """Close a goal by two remainders at one position, by the order of the two quotients."""
        # m*q + r = m*q' + r' with 0 <= r, r' < m, r != r': not q = q', and q < q' gives m <= m*(q' - q) = r - r' < m.
        names, labels = ([f"{g.fresh(stem)}_{k}" for k in range(2)] for stem in ("q", "whole"))
        for fact, name, label in zip((first, second), names, labels, strict=True):
            g.obtain(fact, name, label)
        side, back = g.fresh("side"), g.fresh("back")
        at_most, above = g.em(f"{names[0]} <= {names[1]}", side)
        same, below = at_most.em(f"{names[1]} <= {names[0]}", back)
        same.auto([*labels, side, back], degree=1, rounds=0)
        for h, pair, order_label in ((below, names, back), (above, names[::-1], side)):
            h.use("ax:int_lt", *pair, f"#{order_label}", label=(step := h.fresh("next")))
            h.auto([*labels, step], degree=1, rounds=0)

    def have_formula(self, g: Goal, label: str, fact: RemainderFact, new: str) -> None:
        """Prove the formula of the carried remainder, with the label `new`, from the formula `label` of the claim. Both
        state the same remainder, but their quotients differ."""
        show, name, so = self.formula(fact.residue, fact.place), g.fresh("q"), g.fresh("so")

        def proof(h: Goal) -> None:
            """The witness is the quotient of the formula `label` minus the shift."""
            h.obtain(label, name, so)
            # A formula that also bounds its quotient is a conjunction: all parts are used.
            parts = [so]
            if h.facts[so][0] == "&":
                parts = [f"{h.fresh('part')}_{k}" for k in range(len(flatten("&", h.facts[so])))]
                h.use(so, label=" ".join(parts))
            h.witness(f"{name} - {fact.quotient_shift}")
            h.auto(parts, degree=1, rounds=0)

        g.have(show, new, proof)

    def close_goal(self, g: Goal, label: str, fact: RemainderFact, inside: str) -> None:
        """Close a goal that states the remainder as the claim does, from the formula `label` of the carried remainder.
        The witness is its quotient plus the shift; bounds of the quotient follow from those of the dividend, which are
        1 <= p <= n for a position p, or 0 <= sum."""
        name, so, ends = g.fresh("q"), g.fresh("so"), [f"{g.fresh('end')}_{k}" for k in range(2)]
        g.obtain(label, name, so)
        g.use(inside, label=" ".join(ends))
        g.witness(f"{name} + {fact.quotient_shift}")
        if self.term is not None and g.goal[0] == "&":
            ends.append(least := g.fresh("least"))
            self._least(g, g.facts[so][2][0], least)
        for h in g.split() if g.goal[0] == "&" else [g]:
            if not try_auto(h, [so, *ends], degree=1, rounds=0):  # a bound that needs whole numbers
                h.contra(no := h.fresh("no"))
                h.use("ax:int_lt", *(h.text(t) for t in h.facts[no][2]), f"#{no}", label=(opposite := h.fresh("more")))
                h.auto([so, opposite, *ends], degree=1, rounds=0)

    def _least(self, g: Goal, total: Term, label: str) -> None:
        """Prove 0 <= sum, where the term of each symbol is not negative."""
        f, lettered = g.text(("lam", ("Int",), (total[2][2],))), self.lettered

        def at_position(h: Goal) -> None:
            """Prove that the term at one position is not negative, by cases on the symbol there."""
            name, in_range = h.fresh("j"), h.fresh("in")
            h.intro(f"{name} {in_range}")
            h.have(lettered.inside(here := var(name, "Int")), inside := h.fresh("inside"))
            lettered.cases(h, name, inside, lambda k, _, case: lettered.computed(k, here, inside, case))

        g.use("lem:sum_nonneg", f, *(g.text(t) for t in total[2][:2]), at_position, label=label)


class CarriedAlong:
    """The carried values of a claim, states of automata and remainders, in the order in which they are found. `row` is
    the latest of the rows of those in the claim; `remainder` may add further ones."""

    def __init__(self, lettered: Lettered, regular: Regular) -> None:
        self.lettered, self.regular = lettered, regular
        self.all: list[CarriedValue] = []
        self.states: dict[str, CarriedValue] = {}
        self.remainders: dict[tuple[Term | None, int], CarriedRemainder] = {}
        self._scan(lettered.problem.claim, set())
        self.row = max(
            (carried.row for carried in self.all), key=lambda row: constant(nf(row)) or 0, default=lettered.below
        )

    def _scan(self, t: Term, seen: set[str]) -> None:
        """Find the carried values of a formula, and of the equations of the coordinates in it."""
        tag, sort, kids = t
        # The bound variable of a quantifier or a sum gets a name that occurs nowhere else.
        if tag in ("all", "ex", "sum", "prod"):
            self.remainder(t)
            kids = (*kids[:-1], instantiate(kids[-1], (var("x'", "Int" if tag in ("sum", "prod") else sort),)))
        if tag == "app" and (equation := self.lettered.problem.equations.get(kids[0][1][0])) is not None:
            name = equation.name
            # An equation is read once; that of a state is an automaton.
            if equation.kind == "state":
                self.state(name)
            elif name not in seen:
                seen.add(name)
                self._scan(equation.right, seen)
        for part in kids:
            self._scan(part, seen)

    def state(self, name: str) -> CarriedValue:
        """The carried value for the coordinate `name`, the state of an automaton."""
        if name not in self.states:
            self.states[name] = CarriedState(self.lettered, self.lettered.problem.equations[name], self.regular)
            self.all.append(self.states[name])
        return self.states[name]

    def remainder(self, f: Term) -> RemainderFact | None:
        """The carried remainder that a formula is about, with its residue and position; None for any other formula. A
        remainder that is new is added to `all`."""
        formula = read_remainder(f, self.lettered)
        if formula is None:
            return None
        key = (formula.term, formula.modulus)
        if key not in self.remainders:
            # It is carried along only where each symbol adds a whole number.
            by_symbol: dict[int, int] = {}  # how much each symbol adds
            for a in self.lettered.problem.letters:
                term = num(1) if formula.term is None else self.lettered.at_letter(formula.term, THERE, a)
                value = None if term is None else constant(nf(term))
                if value is None or value != int(value):
                    return None
                by_symbol[a] = int(value)
            name = f"rest{len(self.remainders)}"
            self.remainders[key] = CarriedRemainder(self.lettered, formula.term, formula.modulus, by_symbol, name)
            self.all.append(self.remainders[key])
        return RemainderFact(self.remainders[key], formula.residue, formula.place, formula.quotient_shift)


def read_remainder(f: Term, lettered: Lettered) -> RemainderFormula | None:
    """A formula ``ex q. T = m*q + r``, where T is a position or a sum up to one, taken apart; None for any other.
    The quotient may have bounds."""
    if f[0] != "ex" or f[1] != "Int":
        return None
    parts = flatten("&", instantiate(f[2][0], (QUOTIENT,)))
    # Exactly one equation has q; all other parts must be inequalities, which bound q.
    equations = [part for part in parts if part[0] == "=" and QUOTIENT in free(part)]
    if len(equations) != 1 or any(part[0] not in ("<=", "<") for part in parts if part not in equations):
        return None
    left_less_right = linear(("-", None, equations[0][2]), QUOTIENT)
    if left_less_right is None:
        return None
    factor, remaining_terms = left_less_right  # factor*q + remaining_terms = 0
    if remaining_terms is None or factor.denominator != 1 or not 1 < abs(factor) <= MOST_MODULUS:
        return None
    modulus = abs(int(factor))
    dividend = nf(remaining_terms if factor < 0 else ("neg", None, (remaining_terms,)))  # T + shift = m*q
    shift = dividend.get(CONSTANT, 0)
    without_constant = {m: k for m, k in dividend.items() if m != CONSTANT}
    # T alone, with the factor 1
    if [*without_constant.values()] != [1]:
        return None
    t = reify.term(without_constant)
    if t[0] == "var":  # the number of a position
        if t == N and lettered.high != N:  # positions begin with 0
            t, shift = lettered.high, shift + 1
        term, place = None, t
    elif t[0] == "sum" and t[2][0] == lettered.low:  # a sum from the first position on
        term, place = instantiate(t[2][2], (THERE,)), t[2][1]
    else:
        return None
    residue = int(-shift) % modulus  # T = m*q - shift = m*(q - (shift + r)/m) + r, where r = -shift mod m
    return RemainderFormula(term, modulus, place, residue, int(shift + residue) // modulus)
