"""Linear arithmetic with certificates: facts as polynomials without denominators, and contradictions between them.

A `FactRow` is a comparison 0 <= p, 0 < p or p = 0. It follows from one fact: it is the fact times positive factors,
plus multiples of equations, which replace atoms by their values. Or it is a product of two rows, or a tightened row. So
a contradiction between rows is one `pos` node of the kernel. Over the integers a row can be tightened: 0 < 2*x - 1
gives 1 <= x.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from symcook.model.rationals import quotient
from symcook.proof import normal
from symcook.proof.claims.bycounts.casestate import CaseState
from symcook.proof.inequalities import reify
from symcook.proof.inequalities.linear import divide, poly
from symcook.proof.inequalities.simplex import Effort, TooLong, solve
from symcook.proof.inequalities.simplex import LinearRow as Row_
from symcook.proof.normal import ONE, Mono, Number, Poly, add, mul
from symcook.proof.search.ranges import at_most
from symcook.proof.search.tactics import Goal

EquationFactors = dict[str, Poly]
"""By label of an equation: the polynomial that it is multiplied by."""


@dataclass(frozen=True)
class FactRow:
    """A comparison 0 <= poly, 0 < poly or poly = 0, with its derivation from facts."""

    poly: Poly
    tag: str
    """"<=", "<" or "="."""
    of: tuple[str, ...]
    """The labels of a fact and of the facts that are its positive factors: the row is about their product. Empty in a
    product of rows and in a tightened row."""
    made: EquationFactors = field(default_factory=dict)
    """The multiples of equations that are added to `raw`; the sum is `poly`. (`raw` is filled only in the row of a
    fact: it is empty in a product and in a tightened row.)"""
    whole: FactRow | None = None
    """If this row is tightened over the integers: the row before that."""
    times: Poly = field(default_factory=lambda: {ONE: 1})
    """If the fact is an equation: the polynomial that it is multiplied by."""
    raw: Poly = field(default_factory=dict)
    """The polynomial before atoms are replaced by their values; only in the row of a fact."""
    factors: tuple[FactRow, ...] = ()
    """If this row is a product of two rows: these rows."""

    @property
    def strict(self) -> bool:
        """Whether the row is 0 < poly."""
        return self.tag == "<"

    @cached_property
    def tightened(self) -> FactRow | None:
        """The row 0 <= x - c that is stronger over the integers, for an integer c; None if there is none."""
        if not self.poly or not all(not e and all(whole(a) for a, _ in m) for m, e in self.poly):
            return None
        # The row is scaled so that its coefficients are integers without a common divisor: their sum x is an integer.
        without_constant: dict[Mono, Number] = {m: Fraction(c) for m, c in self.poly.items() if m != ONE}
        if not without_constant:
            return None
        over = math.lcm(*(c.denominator for c in without_constant.values()))
        divisor = math.gcd(*(int(c * over) for c in without_constant.values()))
        scale = Fraction(over, divisor)
        lowest = -Fraction(self.poly.get(ONE, 0)) * scale  # lowest <= x, or < x
        # lowest < x gives floor(lowest) + 1 <= x; lowest <= x gives ceil(lowest) <= x.
        bound = math.floor(lowest) + 1 if self.strict else math.ceil(lowest)
        if bound == lowest and not self.strict:
            return None
        return FactRow(
            add(normal.scale(without_constant, scale), {ONE: bound} if bound else {}, -1), "<=", (), {}, self
        )


MOST_PRODUCTS = 400
"""The number of products of rows after which `products` takes no further row (more may be kept), and the greatest
number of monomials of a quotient (`exact`). 24 claims of an unseen set needed at most 148."""
MOST_ATOMS = 12
"""Equations are multiplied with atoms only if the rows have at most this number of atoms. Each is a further column for
each equation. 85 of 165 systems of 24 claims of an unseen set had so few."""
PIVOTS, POINT_PIVOTS = 2_000, 3_000
"""The maximum numbers of steps of the simplex method, for a contradiction and for a point. A point has a slack variable
for each row, and is sought once, a contradiction in each case."""
MOST_REDUCED = 10_000
"""The maximum number of replacements in one polynomial: equations whose sides occur in one another would go on."""

Contradiction = list[tuple[Fraction, FactRow | None]]
"""Pairs (factor, row) whose sum is 0 < 0, or 0 <= a negative number. A row None stands for 0 < 1."""


class Rules(CaseState):
    """Equations that give the value of an atom, or of a product of atoms, in terms of other atoms. They must be free of
    cycles, so that `reduce` ends.

    An equation is stored as a polynomial that is 0, scaled so that the atom or product has the coefficient 1."""

    def __init__(self) -> None:
        self.single: dict[int, tuple[str, Poly]] = {}  # by atom: the label of its equation, and the polynomial
        self.scale: dict[int, Number] = {}  # by atom: the factor with which its equation was scaled
        # for each product: its monomial, the label of its equation, the polynomial, and the factor of the scaling
        self.products: list[tuple[Mono, str, Poly, Number]] = []
        # by atom: the label of an equation for the atom times a sum of powers of e, and the (unscaled) polynomial
        self.divided: dict[int, tuple[str, Poly]] = {}

    def give(self, atom: int, label: str, gap: Poly) -> None:
        """Let the equation `label`, whose right side minus left side is `gap`, give the atom its value."""
        lead = ((atom, 1),), 0
        self.single[atom] = label, normal.scale(gap, Fraction(1) / gap[lead])
        self.scale[atom] = Fraction(1) / gap[lead]

    def product(self, lead: Mono, label: str, gap: Poly) -> None:
        """Let the equation `label`, whose right side minus left side is `gap`, give the product `lead` its value."""
        self.products.append((lead, label, normal.scale(gap, Fraction(1) / gap[lead]), Fraction(1) / gap[lead]))

    def reduce(self, p: Poly, made: EquationFactors) -> Poly:
        """`p` with all atoms and products replaced by their values, as long as possible. The factors of the equations
        are added to `made`, so that the result is p + sum(made*gap). Raises TooLong after `MOST_REDUCED` steps."""
        for _ in range(MOST_REDUCED):
            step = self._step(p)
            if step is None:
                return p
            times, label, equation, scale = step
            p = add(p, mul(times, equation), -1)
            made[label] = add(made.get(label, {}), normal.scale(times, -scale))
        raise TooLong

    def _step(self, p: Poly) -> tuple[Poly, str, Poly, Number] | None:
        """One replacement in p: (times, label, equation, scale), where p - times*equation has one atom or product less,
        and `scale` is that of the equation. None if nothing can be replaced."""
        # An atom with a value.
        for mono in p:
            for atom, _ in mono[0]:
                if atom in self.single:
                    times: Poly = {}
                    for monomial, c in p.items():  # all monomials with this atom at once
                        if (cofactor := _divided_by_atom(monomial, atom)) is not None:
                            times[cofactor] = c
                    label, equation = self.single[atom]
                    return times, label, equation, self.scale[atom]
        # A product of atoms with a value.
        for lead, label, equation, scale in self.products:
            for mono, c in p.items():
                if (cofactor := divide(mono, lead)) is not None:
                    return {cofactor: c}, label, equation, scale
        # An atom x with a value of s*x, for a sum s of powers of e: p has c*x, and s must divide c.
        for atom, (label, equation) in self.divided.items():
            size, before_atom = _coefficient(equation, atom), _coefficient(p, atom)
            if before_atom and (quotient_by := exact(before_atom, size)) is not None:
                return quotient_by, label, equation, 1
        return None


def exact(p: Poly, by: Poly) -> Poly | None:
    """The quotient of the polynomials p and `by`, which may contain powers of e; None if there is a remainder, or if
    the quotient is too long."""
    atoms = sorted({a for q in (p, by) for m in q for a, _ in m[0]})
    parts = sorted({x for q in (p, by) for m in q for x in normal._exponents[m[1]]})

    def order(m: Mono) -> tuple[Number, ...]:
        # lexicographic: first by the exponents of e, then by the powers of the atoms
        powers, exponent = dict(m[0]), normal._exponents[m[1]]
        return (*(exponent.get(x, 0) for x in parts), *(powers.get(a, 0) for a in atoms))

    # Polynomial division: the greatest monomial of p is divided by that of `by`, until p is 0.
    lead, result = max(by, key=order), Poly()
    while p:
        top = max(p, key=order)
        cofactor = divide(top, lead)
        if cofactor is None or len(result) > MOST_PRODUCTS:
            return None
        result[cofactor] = Fraction(p[top]) / by[lead]
        p = add(p, mul(by, {cofactor: result[cofactor]}), -1)
    return result


def _coefficient(p: Poly, atom: int) -> Poly:
    """The coefficient c in p = c*atom + d, where the monomials of d are not multiples of the atom."""
    return {cofactor: c for m, c in p.items() if (cofactor := _divided_by_atom(m, atom)) is not None}


def _divided_by_atom(m: Mono, atom: int) -> Mono | None:
    """The quotient of a monomial by an atom; None if the atom is not a factor."""
    return divide(m, (((atom, 1),), 0))


def whole(a: int) -> bool:
    """Whether an atom is known to be an integer by its form."""
    key = normal._keys[a]
    if key[0] == "var":
        return key[2] == "Int"
    if key[0] == "app":
        return key[2][2] == "Int"
    if key[0] == "sum":
        return all(c == int(c) and not e and all(whole(b) for b, _ in m) for (m, e), c in key[4])
    return key[0] == "ind"


def degree(m: Mono) -> int:
    """The degree of a monomial. Functions such as pi count as constants; a power of e alone has degree 1."""
    return sum(k for a, k in m[0] if normal._keys[a][0] != "fn") + (m[1] != 0 and not m[0])


def products(rows: Sequence[FactRow]) -> list[FactRow]:
    """Products of two linear inequalities, and of a linear equation with an atom, as new rows. Products that share a
    nonlinear monomial with the rows come first, since such monomials may cancel."""
    nonlinear = {m for row in rows for m in row.poly if degree(m) > 1}
    likely: list[FactRow] = []
    less_likely: list[FactRow] = []
    # Products are useful only if a row has a nonlinear monomial that they may cancel.
    if not nonlinear:
        return likely
    atoms = dict.fromkeys(((a, 1),) for row in rows for m, _ in row.poly for a, _ in m)
    # Equations are multiplied with each atom, inequalities with each other.
    linear_rows = [row for row in rows if row.poly and all(degree(m) <= 1 for m in row.poly)]
    for k, row in enumerate(linear_rows):
        if row.tag == "=":
            for m in atoms if len(atoms) <= MOST_ATOMS else ():
                product_poly = mul(row.poly, {(m, 0): 1})
                if product_poly:
                    combination = {label: mul(q, {(m, 0): 1}) for label, q in row.made.items()}
                    likely.append(FactRow(product_poly, "=", row.of, combination, None, mul(row.times, {(m, 0): 1})))
            continue
        for second_row in linear_rows[k:]:
            if second_row.tag != "=":
                product_poly = mul(row.poly, second_row.poly)
                if any(degree(m) > 1 for m in product_poly):
                    tag = "<" if row.strict and second_row.strict else "<="
                    product_row = FactRow(product_poly, tag, (), factors=(row, second_row))
                    (less_likely if nonlinear.isdisjoint(product_poly) else likely).append(product_row)
        if len(likely) > MOST_PRODUCTS:
            break
    return [*likely, *less_likely][: max(MOST_PRODUCTS, len(likely))]


def contradiction(rows: Sequence[FactRow], effort: Effort | None = None) -> Contradiction | None:
    """Factors with which the sum of the rows is a contradiction; None if there are none. TooLong where `PIVOTS` steps
    of the simplex method do not suffice, or `effort` is spent."""
    # Farkas' lemma: look for factors, nonnegative except for equations, such that all monomials cancel and the factors
    # of the strict rows (and of 0 < 1, the column -1) have the sum 1. `system` has an equation for each monomial.
    columns: dict[Any, Poly] = {-1: {ONE: 1}}
    columns |= {k: row.poly for k, row in enumerate(rows) if row.poly or row.strict}
    strict = [k for k in columns if k == -1 or rows[k].strict]
    free = [k for k in columns if k >= 0 and rows[k].tag == "="]
    system: dict[Mono, dict[Any, Number]] = {}
    for k, p in columns.items():
        for m, c in p.items():
            system.setdefault(m, {})[k] = c
    solution = solve([*((r, 0) for r in system.values()), (dict.fromkeys(strict, 1), 1)], free, PIVOTS, effort)
    if solution is None:
        return None
    return [(Fraction(solution[k]), rows[k] if k >= 0 else None) for k in columns if solution.get(k)]


def point(rows: Sequence[FactRow], effort: Effort | None = None) -> dict[Mono, Fraction] | None:
    """Values of the monomials, as if they were independent, that satisfy all rows; None if there are none. Monomials
    of integer atoms that are no variables, such as counts, have values that are not negative. TooLong as for
    `contradiction`."""
    system: list[tuple[Row_, Number]] = []
    names = dict.fromkeys(m for row in rows for m in row.poly if m != ONE)
    free = [m for m in names if m[1] or not all(whole(a) and normal._keys[a][0] != "var" for a, _ in m[0])]
    # Each inequality gets a slack variable; for a strict one, p >= 1/1000 stands for p > 0.
    for k, row in enumerate(rows):
        equation: dict[Any, Number] = {m: c for m, c in row.poly.items() if m != ONE}
        right: Number = -row.poly.get(ONE, 0)
        if row.tag != "=":
            equation["over", k] = -1
            right += Fraction(1, 1000) if row.strict else 0
        system.append((equation, right))
    solution = solve(system, free, POINT_PIVOTS, effort)
    return None if solution is None else {m: solution.get(m, Fraction(0)) for m in names}


def close(g: Goal, refutation: Contradiction) -> None:
    """Close a goal by a contradiction between rows, as one `pos` node; tightened rows are proved as facts before it."""
    if g.goal[0] != "false":
        g.contra(g.fresh("no"))
    sums: list[dict[str, Any]] = []
    equation_factors: EquationFactors = {}
    for factor, row in refutation:
        if row is None:
            sums.append({"c": quotient(factor), "of": []})
            continue
        # A row is the product of its facts plus multiples of equations; the node lists both, times the row's factor.
        facts_of_row, _, combination = _derivation(g, row)
        if row.tag == "=":
            equation_factors[facts_of_row[0]] = add(equation_factors.get(facts_of_row[0], {}), row.times, factor)
        else:
            sums.append({"c": quotient(factor), "of": list(facts_of_row)})
        for label, p in combination.items():
            equation_factors[label] = add(equation_factors.get(label, {}), p, factor)
    node: dict[str, Any] = {"by": "pos"}
    if sums:
        node["sum"] = sums
    rows = [[g.text(reify.term(p)), label] for label, p in equation_factors.items() if p]
    if rows:
        node["eq"] = rows
    g.close(node)


def _derivation(g: Goal, row: FactRow) -> tuple[tuple[str, ...], Poly, EquationFactors]:
    """For a row: the labels of the facts whose product it is, this product as a polynomial, and the factors of the
    equations that are added to it. A tightened row is proved as a fact of its own."""
    if row.whole is not None:
        return (_prove_tightened(g, row),), row.poly, {}
    if not row.factors:
        return row.of, row.raw, row.made
    facts_of_row: tuple[str, ...] = ()
    raw: Poly = {ONE: 1}
    combination: EquationFactors = {}
    for factor in row.factors:  # (raw + made)*(raw' + made') = raw*raw' + raw*made' + made*poly'
        facts_of_factor, raw_of_factor, equations = _derivation(g, factor)
        joint = {label: mul(p, factor.poly) for label, p in combination.items()}
        for label, p in equations.items():
            joint[label] = add(joint.get(label, {}), mul(p, raw))
        facts_of_row, raw, combination = (*facts_of_row, *facts_of_factor), mul(raw, raw_of_factor), joint
    return facts_of_row, raw, combination


def _prove_tightened(g: Goal, row: FactRow) -> str:
    """Prove a tightened row, ``bound <= x``; the label of this fact."""
    without_constant = {m: c for m, c in row.poly.items() if m != ONE}
    bound = -Fraction(row.poly.get(ONE, 0))
    x, bound_term = reify.term(without_constant), reify.term({ONE: bound} if bound else {})
    label = g.fresh("whole")

    def prove_bound(h: Goal) -> None:
        """If x were less, then x + 1 <= bound, which contradicts the row before tightening."""
        below, step = h.fresh("below"), h.fresh("step")
        h.contra(below)
        h.use("ax:int_lt", h.text(x), h.text(bound_term), f"#{below}", label=step)
        negated = FactRow(poly(h.fact(step)), "<=", (step,), raw=poly(h.fact(step)))
        source = row.whole
        if source is None or (refutation := contradiction([source, negated])) is None:
            raise TooLong
        close(h, refutation)

    g.have(at_most(bound_term, x), label, prove_bound)
    return label
