"""Linear arithmetic with certificates: facts in a normal form without denominators, and why they contradict.

A `FactRow` is a comparison 0 <= p, 0 < p or p = 0 that follows from one fact: the fact times positive factors, plus
multiples of equations that put in what its atoms are. So a contradiction between rows is one `pos` node. Over integers
a row is tightened: from 0 < 2*x - 1 follows 1 <= x.
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
"""What each equation is multiplied by."""


@dataclass(frozen=True)
class FactRow:
    """0 <= poly, 0 < poly or poly = 0; `of` are the fact and what it is multiplied by, `made` the equations put in.

    `whole` is the row that this one tightens over the integers; an equation is multiplied by `times`. `raw` is what was
    there before equations were put in. A product of two rows has them as `factors`.
    """

    poly: Poly
    tag: str
    of: tuple[str, ...]
    made: EquationFactors = field(default_factory=dict)
    whole: FactRow | None = None
    times: Poly = field(default_factory=lambda: {ONE: 1})
    raw: Poly = field(default_factory=dict)
    factors: tuple[FactRow, ...] = ()

    @property
    def strict(self) -> bool:
        return self.tag == "<"

    @cached_property
    def tightened(self) -> FactRow | None:
        """The row over the integers: 0 <= x - c for a whole number c; None where that says no more."""
        if not self.poly or not all(not e and all(whole(a) for a, _ in m) for m, e in self.poly):
            return None
        # The factors become whole numbers without a common divisor, so that x is an integer.
        inside: dict[Mono, Number] = {m: Fraction(c) for m, c in self.poly.items() if m != ONE}
        if not inside:
            return None
        over = math.lcm(*(c.denominator for c in inside.values()))
        common = math.gcd(*(int(c * over) for c in inside.values()))
        scale = Fraction(over, common)
        lowest = -Fraction(self.poly.get(ONE, 0)) * scale  # lowest <= x, or < x
        # A strict bound means the next integer, another one is rounded up.
        bound = math.floor(lowest) + 1 if self.strict else math.ceil(lowest)
        if bound == lowest and not self.strict:
            return None
        return FactRow(add(normal.scale(inside, scale), {ONE: bound} if bound else {}, -1), "<=", (), {}, self)


MOST_PRODUCTS = 400
MOST_ATOMS = 12

Contradiction = list[tuple[Fraction, FactRow | None]]
"""Rows with factors that add up to 0 < 0 or to 0 <= a negative number; None stands for 0 < 1."""


class Rules(CaseState):
    """Equations that give the value of an atom, or of a product of atoms, by atoms that come before it."""

    def __init__(self) -> None:
        self.single: dict[int, tuple[str, Poly]] = {}  # by atom: the label, and the equation with factor 1 at the atom
        self.products: list[tuple[Mono, str, Poly, Number]] = []
        self.scale: dict[int, Number] = {}
        self.divided: dict[int, tuple[str, Poly]] = {}  # by atom an equation for its product with a sum of powers of e

    def give(self, atom: int, label: str, gap: Poly) -> None:
        """The equation `label`, whose right side minus left side is `gap`, gives the atom its value."""
        lead = ((atom, 1),), 0
        self.single[atom] = label, normal.scale(gap, Fraction(1) / gap[lead])
        self.scale[atom] = Fraction(1) / gap[lead]

    def product(self, lead: Mono, label: str, gap: Poly) -> None:
        """Let the equation `label` give a product of atoms its value."""
        self.products.append((lead, label, normal.scale(gap, Fraction(1) / gap[lead]), Fraction(1) / gap[lead]))

    def reduce(self, p: Poly, made: EquationFactors) -> Poly:
        """`p` with all equations put in. Their factors are added to `made`, so that p + sum(made*gap) is the result."""
        for _ in range(10_000):
            step = self._step(p)
            if step is None:
                return p
            times, label, equation, scale = step
            p = add(p, mul(times, equation), -1)
            made[label] = add(made.get(label, {}), normal.scale(times, -scale))
        raise TooLong

    def _step(self, p: Poly) -> tuple[Poly, str, Poly, Number] | None:
        """A multiple of an equation that takes an atom out of p, with its label; None where nothing can be put in."""
        # an atom with a value
        for m in p:
            for a, _ in m[0]:
                if a in self.single:
                    times: Poly = {}
                    for monomial, c in p.items():  # all monomials with this atom at once
                        if (cofactor := _without(monomial, a)) is not None:
                            times[cofactor] = c
                    label, equation = self.single[a]
                    return times, label, equation, self.scale[a]
        # a product of atoms with a value
        for lead, label, equation, scale in self.products:
            for m, c in p.items():
                if (cofactor := divide(m, lead)) is not None:
                    return {cofactor: c}, label, equation, scale
        # an atom whose product with a sum of powers of e is known: where that sum divides what stands before the atom
        for a, (label, equation) in self.divided.items():
            size, before_atom = _before(equation, a), _before(p, a)
            if before_atom and (quotient_by := exact(before_atom, size)) is not None:
                return quotient_by, label, equation, 1
        return None


def exact(p: Poly, by: Poly) -> Poly | None:
    """The quotient of p by a polynomial with powers of e; None where the division leaves a remainder."""
    atoms = sorted({a for q in (p, by) for m in q for a, _ in m[0]})
    parts = sorted({x for q in (p, by) for m in q for x in normal._exponents[m[1]]})

    def order(m: Mono) -> tuple[Number, ...]:
        powers, exponent = dict(m[0]), normal._exponents[m[1]]
        return (*(exponent.get(x, 0) for x in parts), *(powers.get(a, 0) for a in atoms))

    # Division of polynomials by the largest monomial in this order.
    lead, out = max(by, key=order), Poly()
    while p:
        top = max(p, key=order)
        cofactor = divide(top, lead)
        if cofactor is None or len(out) > MOST_PRODUCTS:
            return None
        out[cofactor] = Fraction(p[top]) / by[lead]
        p = add(p, mul(by, {cofactor: out[cofactor]}), -1)
    return out


def _before(p: Poly, atom: int) -> Poly:
    """What stands before an atom in a polynomial."""
    return {cofactor: c for m, c in p.items() if (cofactor := _without(m, atom)) is not None}


def _without(m: Mono, atom: int) -> Mono | None:
    """The quotient of a monomial by an atom; None where the atom is not a factor."""
    return divide(m, (((atom, 1),), 0))


def whole(a: int) -> bool:
    """Whether an atom is an integer."""
    key = normal._keys[a]
    if key[0] == "var":
        return key[2] == "Int"
    if key[0] == "app":
        return key[2][2] == "Int"
    if key[0] == "sum":
        return all(c == int(c) and not e and all(whole(b) for b, _ in m) for (m, e), c in key[4])
    return key[0] == "ind"


def degree(m: Mono) -> int:
    """The degree of a monomial, without factors that are constants."""
    return sum(k for a, k in m[0] if normal._keys[a][0] != "fn") + (m[1] != 0 and not m[0])


def products(rows: Sequence[FactRow]) -> list[FactRow]:
    """Products of inequalities, and of equations with atoms. Those that share a monomial of degree two with the rows
    come first."""
    nonlinear = {m for row in rows for m in row.poly if degree(m) > 1}
    out: list[FactRow] = []
    less_likely: list[FactRow] = []
    # Products are of use only if a row has a product of atoms, which they may cancel.
    if not nonlinear:
        return out
    atoms = dict.fromkeys(((a, 1),) for row in rows for m, _ in row.poly for a, _ in m)
    # Equations times atoms, and inequalities times inequalities.
    plain = [row for row in rows if row.poly and all(degree(m) <= 1 for m in row.poly)]
    for k, row in enumerate(plain):
        if row.tag == "=":
            for m in atoms if len(atoms) <= MOST_ATOMS else ():
                p = mul(row.poly, {(m, 0): 1})
                if p:
                    combination = {label: mul(q, {(m, 0): 1}) for label, q in row.made.items()}
                    out.append(FactRow(p, "=", row.of, combination, None, mul(row.times, {(m, 0): 1})))
            continue
        for second_row in plain[k:]:
            if second_row.tag != "=":
                p = mul(row.poly, second_row.poly)
                if any(degree(m) > 1 for m in p):
                    tag = "<" if row.strict and second_row.strict else "<="
                    product = FactRow(p, tag, (), factors=(row, second_row))
                    (less_likely if nonlinear.isdisjoint(p) else out).append(product)
        if len(out) > MOST_PRODUCTS:
            break
    return [*out, *less_likely][: max(MOST_PRODUCTS, len(out))]


def contradiction(rows: Sequence[FactRow], effort: Effort | None = None, pivots: int = 2000) -> Contradiction | None:
    """Factors with which the rows contradict one another; None where they do not."""
    # Farkas: a combination of the rows, with factors that are not negative but at equations, in which all monomials
    # cancel and the strict ones (and 0 < 1, the column -1) have the sum of factors 1.
    columns: dict[Any, Poly] = {-1: {ONE: 1}}
    columns |= {k: row.poly for k, row in enumerate(rows) if row.poly or row.strict}
    strict = [k for k in columns if k == -1 or rows[k].strict]
    free = [k for k in columns if k >= 0 and rows[k].tag == "="]
    system: dict[Mono, dict[Any, Number]] = {}
    for k, p in columns.items():
        for m, c in p.items():
            system.setdefault(m, {})[k] = c
    solution = solve([*((r, 0) for r in system.values()), (dict.fromkeys(strict, 1), 1)], free, pivots, effort)
    if solution is None:
        return None
    return [(Fraction(solution[k]), rows[k] if k >= 0 else None) for k in columns if solution.get(k)]


def point(rows: Sequence[FactRow], effort: Effort | None = None) -> dict[Mono, Fraction] | None:
    """Values of the monomials at which all rows hold, not negative for counts; None where none was found."""
    system: list[tuple[Row_, Number]] = []
    names = dict.fromkeys(m for row in rows for m in row.poly if m != ONE)
    free = [m for m in names if m[1] or not all(whole(a) and normal._keys[a][0] != "var" for a, _ in m[0])]
    # A slack variable for each inequality; a strict one is kept away from 0 by a small number.
    for k, row in enumerate(rows):
        equation: dict[Any, Number] = {m: c for m, c in row.poly.items() if m != ONE}
        right: Number = -row.poly.get(ONE, 0)
        if row.tag != "=":
            equation["over", k] = -1
            right += Fraction(1, 1000) if row.strict else 0
        system.append((equation, right))
    solution = solve(system, free, 3000, effort)
    return None if solution is None else {m: solution.get(m, Fraction(0)) for m in names}


def close(g: Goal, refutation: Contradiction) -> None:
    """Close a goal by a contradiction among the facts."""
    if g.goal[0] != "false":
        g.contra(g.fresh("no"))
    sums: list[dict[str, Any]] = []
    by: EquationFactors = {}
    for factor, row in refutation:
        if row is None:
            sums.append({"c": quotient(factor), "of": []})
            continue
        # Each row is the facts that it was made of, and the equations that were put in, times polynomials.
        of, _, combination = _stated(g, row)
        if row.tag == "=":
            by[of[0]] = add(by.get(of[0], {}), row.times, factor)
        else:
            sums.append({"c": quotient(factor), "of": list(of)})
        for label, p in combination.items():
            by[label] = add(by.get(label, {}), p, factor)
    node: dict[str, Any] = {"by": "pos"}
    if sums:
        node["sum"] = sums
    rows = [[g.text(reify.term(p)), label] for label, p in by.items() if p]
    if rows:
        node["eq"] = rows
    g._emit(node, True)


def _stated(g: Goal, row: FactRow) -> tuple[tuple[str, ...], Poly, EquationFactors]:
    """For a row: the labels of the facts whose product it is, this product, and the factors of the equations that
    were put in."""
    if row.whole is not None:
        return (_tight(g, row),), row.poly, {}
    if not row.factors:
        return row.of, row.raw, row.made
    of: tuple[str, ...] = ()
    raw: Poly = {ONE: 1}
    combination: EquationFactors = {}
    for factor in row.factors:  # (raw + made)*(raw' + made') = raw*raw' + raw*made' + made*poly'
        facts_of_factor, raw_of_factor, equations = _stated(g, factor)
        both = {label: mul(p, factor.poly) for label, p in combination.items()}
        for label, p in equations.items():
            both[label] = add(both.get(label, {}), mul(p, raw))
        of, raw, combination = (*of, *facts_of_factor), mul(raw, raw_of_factor), both
    return of, raw, combination


def _tight(g: Goal, row: FactRow) -> str:
    """The label of a tightened row, which is proved here."""
    inside = {m: c for m, c in row.poly.items() if m != ONE}
    bound = -Fraction(row.poly.get(ONE, 0))
    x, least = reify.term(inside), reify.term({ONE: bound} if bound else {})
    label = g.fresh("whole")

    def proof(h: Goal) -> None:
        """Were x less, x + 1 <= the bound, which contradicts the row that was tightened."""
        below, step = h.fresh("below"), h.fresh("step")
        h.contra(below)
        h.use("ax:int_lt", h.text(x), h.text(least), f"#{below}", label=step)
        wanted = FactRow(poly(h.fact(step)), "<=", (step,), raw=poly(h.fact(step)))
        source = row.whole
        if source is None or (refutation := contradiction([source, wanted])) is None:
            raise TooLong
        close(h, refutation)

    g.have(at_most(least, x), label, proof)
    return label
