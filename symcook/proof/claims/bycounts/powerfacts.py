"""Contradictions that need powers of e: products of facts with such powers, and polynomials that have only one sign.

Take a polynomial in integers and in u = e^E, and write each of them as its lower bound plus a rest that is not
negative. If no coefficient is negative then, the polynomial is not negative: for example (n - 1)*u^2 + 2*n*u + n - 1
for n >= 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from math import comb, prod
from typing import NamedTuple

from symcook.proof import normal
from symcook.proof.claims.bycounts.casefacts import BITS, CaseFacts, enclosure
from symcook.proof.claims.bycounts.farkas import Contradiction, FactRow, contradiction
from symcook.proof.inequalities import reify
from symcook.proof.inequalities.linear import divide, poly
from symcook.proof.normal import ONE, Mono, Number, Poly, constant, fkey, mul, nf
from symcook.proof.search.ranges import less_than
from symcook.proof.terms import Term, free, num


class LeastValue(NamedTuple):
    """A lower bound `value` of a number x: the row is 0 <= times*(x - value)."""

    value: Fraction
    times: Fraction
    row: FactRow


MOST_PARTS = 300
"""The greatest number of monomials of a polynomial in the rests. 24 claims of an unseen set had at most 3."""
MOST_TAKEN = 60
"""The greatest number of facts that are multiplied by one constant. Each product is a further row of the linear
program."""
MOST_POWER = 12
"""The greatest power of u in a polynomial. 24 claims of an unseen set had at most 2."""
Shifted = dict[tuple[int, ...], Fraction]
"""A polynomial in the rests x - (lower bound of x): the coefficient by the tuple of powers, one for each x."""


def one_sign(case: CaseFacts, rows: Sequence[FactRow]) -> Contradiction | None:
    """A contradiction from a single row with powers of e, 0 <= p or 0 < p where p must be negative or 0; None if no
    row gives one."""
    powers = (row for row in rows if row.tag != "=" and any(_has_names(m[1]) for m in row.poly))
    return next((refutation for row in powers if (refutation := _row_of_one_sign(case, row, rows)) is not None), None)


def with_powers(case: CaseFacts, rows: Sequence[FactRow]) -> Contradiction | None:
    """A contradiction between rows and their products with powers of e, or with constants such as sqrt(2), that occur
    in them; None if none is found."""
    exponents = dict.fromkeys(m[1] for row in rows for m in row.poly if _has_names(m[1]))
    new_rows = [new for e in exponents for new in _rows_times_power(case, rows, e)]
    new_rows += _rows_times_constants(case, rows)
    if exponents:
        new_rows += _equation_products(rows)
    return contradiction([*rows, *new_rows], case.effort) if new_rows else None


def _has_names(e: int) -> bool:
    """Whether an exponent is not a constant."""
    return constant(normal._exponents[e]) is None


def _equation_products(rows: Sequence[FactRow]) -> list[FactRow]:
    """Products of equations with monomials, chosen such that a monomial of the equation becomes a product that occurs
    in the rows."""
    monomials = dict.fromkeys(m for row in rows for m in row.poly)
    products = [m for m in monomials if sum(k for _, k in m[0]) + (m[1] != 0) > 1]
    new_rows: list[FactRow] = []
    for row in rows:
        if row.tag == "=":
            cofactors = (divide(product, m) for m in row.poly if m != ONE for product in products)
            new_rows += [_equation_times(row, {x: 1}) for x in dict.fromkeys(cofactors) if x is not None and x != ONE]
    return new_rows


def _equation_times(row: FactRow, by: Poly) -> FactRow:
    """The row of an equation times the polynomial `by`."""
    combination = {label: mul(q, by) for label, q in row.made.items()}
    return FactRow(mul(row.poly, by), "=", row.of, combination, None, mul(row.times, by))


def _rows_times_power(case: CaseFacts, rows: Sequence[FactRow], e: int) -> list[FactRow]:
    """The products of e^E with the inequalities that have no powers of e, if such an inequality has a monomial that
    occurs as a factor of e^E in the rows."""
    power, factors_of_power = positive(case, e), {m[0] for row in rows for m in row.poly if m[1] == e}
    power_poly, raised_rows = Poly({((), e): 1}), list[FactRow]()
    for row in rows:
        without_powers = row.tag != "=" and not any(m[1] for m in row.poly)
        if without_powers and any(m[0] in factors_of_power for m in row.poly if m != ONE):
            raised_rows.append(FactRow(mul(row.poly, power_poly), row.tag, (), factors=(row, power)))
    return raised_rows


def _rows_times_constants(case: CaseFacts, rows: Sequence[FactRow]) -> list[FactRow]:
    """The products of positive constants that are not rational, such as sqrt(2) and e, with the facts that have no such
    constant: those that share a monomial with a factor of the constant in the rows, or with such a fact."""
    factors: dict[Mono, set[Mono]] = {}  # by constant: what it is multiplied by in the rows
    for m in dict.fromkeys(m for row in rows for m in row.poly):
        own, rest = _constant_part(m)
        if own != ONE and rest != ONE:
            factors.setdefault(own, set()).add(rest)
    new_rows = list[FactRow]()
    for own, rests in factors.items():
        term = reify.product(own)
        bounds = enclosure(term)
        if bounds is None or (constant(nf(bounds[0])) or 0) <= 0:
            continue
        above = _strict_row(case, less_than(num(0), term), partial(_by_interval, case, less_than(num(0), term)))
        left = [row for row in rows if all(_constant_part(m)[0] == ONE for m in row.poly)]
        taken = list[FactRow]()
        while new := [row for row in left if any(m in rests for m in row.poly if m != ONE)]:
            taken += new
            left = [row for row in left if all(row is not one for one in new)]
            rests |= {m for row in new for m in row.poly}
        for row in taken[:MOST_TAKEN]:
            if row.tag == "=":
                new_rows.append(_equation_times(row, {own: 1}))
            else:
                new_rows.append(FactRow(mul(row.poly, {own: 1}), row.tag, (), factors=(row, above)))
    return new_rows


def _by_interval(case: CaseFacts, f: Term, label: str) -> None:
    """Add the fact f about constants under a label."""
    case.g.have(f, label, lambda h: h.interval([], BITS))


def _constant_part(m: Mono) -> tuple[Mono, Mono]:
    """A monomial as a product: of what is constant, and of the rest."""
    closed = tuple(x for x in m[0] if not free(reify.atom(x[0])))
    own = 0 if _has_names(m[1]) else m[1]
    return (closed, own), (tuple(x for x in m[0] if x not in closed), 0 if own else m[1])


def positive(case: CaseFacts, e: int) -> FactRow:
    """The row 0 < e^E for the exponent E with the number `e`."""
    power = reify.term(normal._exponents[e])

    def proof(label: str) -> None:
        case.g.use("ax:exp_pos", case.g.text(power), label=label)

    return _strict_row(case, less_than(num(0), ("fn", "exp", (power,))), proof)


def _above_one(case: CaseFacts, power: Term) -> FactRow | None:
    """The row 1 < e^E for the exponent `power`; None if it is not known to be positive."""
    exponent_positive, g = case.known(less_than(num(0), power)), case.g
    f: Term = less_than(num(1), ("fn", "exp", (power,)))

    def proof(label: str) -> None:
        g.use("ax:exp_ge", g.text(power), label=(least := g.fresh("least")))
        g.have(f, label, lambda h: h.auto([least, str(exponent_positive)], degree=1, rounds=0))

    return None if exponent_positive is None else _strict_row(case, f, proof)


def _strict_row(case: CaseFacts, f: Term, proof: Callable[[str], None]) -> FactRow:
    """The row of a strict inequality; `proof` proves it, with a given label, unless it is a fact already."""
    if fkey(f) not in case.literals:
        proof(label := case.g.fresh("power"))
        case.literals[fkey(f)] = label
    return FactRow(poly_of_f := poly(f), "<", (case.literals[fkey(f)],), raw=poly_of_f)


def _row_of_one_sign(case: CaseFacts, row: FactRow, rows: Sequence[FactRow]) -> Contradiction | None:
    """A contradiction from the row 0 <= p, if -p times a power of e is a polynomial in the rests without a negative
    coefficient; else None."""
    # All exponents must be integer multiples k*E of one exponent E (`base`). If E or -E is known to be positive, take
    # that one: then u = e^E is greater than 1. Else the lower bound of u is 0.
    base = normal._primitive(next(normal._exponents[m[1]] for m in row.poly if m[1]))
    at_least_one = _above_one(case, reify.term(base))
    if at_least_one is None:
        base = normal.scale(base, -1)
        at_least_one = _above_one(case, reify.term(base))
    steps = {m[1]: _multiple(normal._exponents[m[1]], base) for m in row.poly}
    if None in steps.values():
        return None
    lowest = min(int(k or 0) for k in steps.values())
    atoms = dict.fromkeys(a for m in row.poly for a, _ in m[0])
    # Each integer in the row needs a lower bound.
    bounds = [bound for a in atoms if (bound := _lower_bound(a, rows)) is not None]
    power = reify.term(base)
    if len(bounds) < len(atoms) or max(int(k or 0) for k in steps.values()) - lowest > MOST_POWER:
        return None
    unit, start = Fraction(1), Fraction(at_least_one is not None)
    bounds.append(LeastValue(start, unit, at_least_one or positive(case, next(iter(nf(("fn", "exp", (power,)))))[1])))
    # -p*u^(-lowest) has no negative exponent; each of its monomials is a list of powers (of the integers, then of u)
    # and a coefficient. `shifted` is this polynomial in the rests.
    parts: list[tuple[list[int], Number]] = []
    for m, c in row.poly.items():
        parts.append(([*(dict(m[0]).get(a, 0) for a in atoms), int(steps[m[1]] or 0) - lowest], -c))
    shifted = _shifted(parts, [bound.value for bound in bounds])
    if shifted is None or min(shifted.values()) < 0:
        return None
    # The row times u^(-lowest), plus each product of rests times its coefficient, is a contradiction: all monomials
    # cancel, and either the constant is negative or a strict row is among them.
    times = nf(("fn", "exp", (reify.term(normal.scale(base, -lowest)),)))
    lifted = row
    if lowest:
        ((m, _),) = times.items()
        lifted = FactRow(mul(row.poly, times), row.tag, (), factors=(row, positive(case, m[1])))
    refutation: Contradiction = [(Fraction(1), lifted)]
    for key, c in shifted.items():
        if c:
            factors = [bound for k, bound in zip(key, bounds, strict=True) for _ in range(k)]
            scale = prod((bound.times for bound in factors), start=unit)
            refutation.append((c / scale, _product(tuple(bound.row for bound in factors)) if factors else None))
    return refutation if any(part is None or part.strict for _, part in refutation) else None


def _product(factors: tuple[FactRow, ...]) -> FactRow:
    """The product of inequalities, as a row."""
    product_poly: Poly = {ONE: 1}
    for factor in factors:
        product_poly = mul(product_poly, factor.poly)
    return FactRow(product_poly, "<" if all(x.strict for x in factors) else "<=", (), factors=factors)


def _multiple(exponent: Poly, base: Poly) -> int | None:
    """The integer k with exponent = k*base; None if there is none."""
    m, c = next(iter(base.items()))
    k = Fraction(exponent.get(m, 0)) / c
    return int(k) if k.denominator == 1 and normal.scale(base, k) == exponent else None


def _lower_bound(a: int, rows: Sequence[FactRow]) -> LeastValue | None:
    """The greatest lower bound of the integer `a` among the rows; None if there is none."""
    lead: Mono = (((a, 1),), 0)
    bounds = [
        LeastValue(-Fraction(row.poly.get(ONE, 0)) / row.poly[lead], Fraction(row.poly[lead]), row)
        for row in rows
        if row.tag == "<=" and row.poly.get(lead, 0) > 0 and {*row.poly} <= {lead, ONE}
    ]
    return max(bounds, key=lambda least: least.value, default=None)


def _shifted(parts: Sequence[tuple[Sequence[int], Number]], lows: Sequence[Fraction]) -> Shifted | None:
    """A sum of monomials, pairs (powers, coefficient), as a polynomial in the rests; `lows` are the lower bounds. None
    if it has too many monomials."""
    shifted: Shifted = {}
    for powers, c in parts:
        for key, value in _expanded(powers, lows).items():
            shifted[key] = shifted.get(key, Fraction(0)) + c * value
        if len(shifted) > MOST_PARTS:
            return None
    return shifted


def _expanded(powers: Sequence[int], lows: Sequence[Fraction]) -> Shifted:
    """The product of (low + rest)^power over the lower bounds and powers, expanded."""
    expanded: Shifted = {(): Fraction(1)}
    for k, low in zip(powers, lows, strict=True):
        parts = [(j, comb(k, j) * low ** (k - j)) for j in range(k + 1)]
        expanded = {(*key, j): c * value for key, c in expanded.items() for j, value in parts if value}
    return expanded
