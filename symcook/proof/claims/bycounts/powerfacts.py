"""Contradictions that need powers of e: facts times such a power, and polynomials without a negative coefficient.

A polynomial in integers and in u = e^E, each written as its least value plus the rest, is positive where it has no
negative coefficient then: so (n - 1)*u^2 + 2*n*u + n - 1 is where n is at least 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import comb, prod
from typing import NamedTuple

from symcook.proof import normal
from symcook.proof.claims.bycounts.casefacts import CaseFacts
from symcook.proof.claims.bycounts.farkas import Contradiction, FactRow, contradiction
from symcook.proof.inequalities import reify
from symcook.proof.inequalities.linear import divide, poly
from symcook.proof.normal import ONE, Mono, Number, Poly, constant, fkey, mul, nf
from symcook.proof.search.ranges import less_than
from symcook.proof.terms import Term, num


class LeastValue(NamedTuple):
    """`row` says 0 <= times*(x - value)."""

    value: Fraction
    times: Fraction
    row: FactRow


MOST_PARTS = 300
MOST_POWER = 12
Shifted = dict[tuple[int, ...], Fraction]
"""By the powers of what is above the least values: the coefficient."""


def one_sign(case: CaseFacts, rows: Sequence[FactRow]) -> Contradiction | None:
    """A contradiction by a row with powers of e that can only have the other sign; None where no row is one."""
    powers = (row for row in rows if row.tag != "=" and any(_named(m[1]) for m in row.poly))
    return next((refutation for row in powers if (refutation := _one_sign(case, row, rows)) is not None), None)


def with_powers(case: CaseFacts, rows: Sequence[FactRow]) -> Contradiction | None:
    """A contradiction of rows and of their products with powers of e that stand in them; None where none is found."""
    exponents = dict.fromkeys(m[1] for row in rows for m in row.poly if _named(m[1]))
    if not exponents:
        return None
    new_rows = [new for e in exponents for new in _times(case, rows, e)] + _equal(rows)
    return contradiction([*rows, *new_rows], case.effort) if new_rows else None


def _named(e: int) -> bool:
    """Whether an exponent has names in it."""
    return constant(normal._exponents[e]) is None


def _equal(rows: Sequence[FactRow]) -> list[FactRow]:
    """Equations times monomials, such that one of their monomials becomes a product that stands in the rows."""
    monomials = dict.fromkeys(m for row in rows for m in row.poly)
    products = [m for m in monomials if sum(k for _, k in m[0]) + (m[1] != 0) > 1]
    out: list[FactRow] = []
    for row in rows:
        if row.tag == "=":
            cofactors = (divide(product, m) for m in row.poly if m != ONE for product in products)
            out += [_by(row, {x: 1}) for x in dict.fromkeys(cofactors) if x is not None and x != ONE]
    return out


def _by(row: FactRow, by: Poly) -> FactRow:
    """An equation times a polynomial."""
    combination = {label: mul(q, by) for label, q in row.made.items()}
    return FactRow(mul(row.poly, by), "=", row.of, combination, None, mul(row.times, by))


def _times(case: CaseFacts, rows: Sequence[FactRow], e: int) -> list[FactRow]:
    """The rows without powers, times e^E, where they share a monomial with the factors of e^E in the rows."""
    power, factors_of_power = positive(case, e), {m[0] for row in rows for m in row.poly if m[1] == e}
    by, out = Poly({((), e): 1}), list[FactRow]()
    for row in rows:
        without_powers = row.tag != "=" and not any(m[1] for m in row.poly)
        if without_powers and any(m[0] in factors_of_power for m in row.poly if m != ONE):
            out.append(FactRow(mul(row.poly, by), row.tag, (), factors=(row, power)))
    return out


def positive(case: CaseFacts, e: int) -> FactRow:
    """The row of 0 < e^E."""
    power = reify.term(normal._exponents[e])

    def proof(label: str) -> None:
        case.g.use("ax:exp_pos", case.g.text(power), label=label)

    return _strict(case, less_than(num(0), ("fn", "exp", (power,))), proof)


def _above_one(case: CaseFacts, power: Term) -> FactRow | None:
    """The row of 1 < e^E; None where E is not known to be positive."""
    up, g = case.known(less_than(num(0), power)), case.g
    f: Term = less_than(num(1), ("fn", "exp", (power,)))

    def proof(label: str) -> None:
        g.use("ax:exp_ge", g.text(power), label=(least := g.fresh("least")))
        g.have(f, label, lambda h: h.auto([least, str(up)], degree=1, rounds=0))

    return None if up is None else _strict(case, f, proof)


def _strict(case: CaseFacts, f: Term, proof: Callable[[str], None]) -> FactRow:
    """The row of a strict inequality, which is proved where it is not known yet."""
    if fkey(f) not in case.literals:
        proof(label := case.g.fresh("power"))
        case.literals[fkey(f)] = label
    return FactRow(fact := poly(f), "<", (case.literals[fkey(f)],), raw=fact)


def _one_sign(case: CaseFacts, row: FactRow, rows: Sequence[FactRow]) -> Contradiction | None:
    """Why 0 <= p is false where -p, times a power of e, has no negative coefficient above the least values."""
    # All exponents must be multiples of one, k*E, with E positive: then u = e^E is at least 1. Without a sign of E it
    # is known that u is positive.
    base = normal._primitive(next(normal._exponents[m[1]] for m in row.poly if m[1]))
    raised = _above_one(case, reify.term(base))
    if raised is None:
        base = normal.scale(base, -1)
        raised = _above_one(case, reify.term(base))
    steps = {m[1]: _multiple(normal._exponents[m[1]], base) for m in row.poly}
    if None in steps.values():
        return None
    lowest = min(int(k or 0) for k in steps.values())
    atoms = dict.fromkeys(a for m in row.poly for a, _ in m[0])
    # Each integer in the row needs a least value.
    bounds = [least for a in atoms if (least := _least(a, rows)) is not None]
    power = reify.term(base)
    if len(bounds) < len(atoms) or max(int(k or 0) for k in steps.values()) - lowest > MOST_POWER:
        return None
    unit, start = Fraction(1), Fraction(raised is not None)
    bounds.append(LeastValue(start, unit, raised or positive(case, next(iter(nf(("fn", "exp", (power,)))))[1])))
    # -p, times a power of e so that no exponent is negative, by what the integers and u are above their least values.
    parts: list[tuple[list[int], Number]] = []
    for m, c in row.poly.items():
        parts.append(([*(dict(m[0]).get(a, 0) for a in atoms), int(steps[m[1]] or 0) - lowest], -c))
    out = _shifted(parts, [least.value for least in bounds])
    if out is None or min(out.values()) < 0:
        return None
    # The row, and each product of least values with its coefficient, add up to 0 <= a negative number, or to 0 < 0.
    times = nf(("fn", "exp", (reify.term(normal.scale(base, -lowest)),)))
    lifted = row
    if lowest:
        ((m, _),) = times.items()
        lifted = FactRow(mul(row.poly, times), row.tag, (), factors=(row, positive(case, m[1])))
    refutation: Contradiction = [(Fraction(1), lifted)]
    for key, c in out.items():
        if c:
            factors = [least for k, least in zip(key, bounds, strict=True) for _ in range(k)]
            scale = prod((least.times for least in factors), start=unit)
            refutation.append((c / scale, _product(tuple(least.row for least in factors)) if factors else None))
    return refutation if any(part is None or part.strict for _, part in refutation) else None


def _product(factors: tuple[FactRow, ...]) -> FactRow:
    """The product of rows, as a row."""
    out: Poly = {ONE: 1}
    for factor in factors:
        out = mul(out, factor.poly)
    return FactRow(out, "<" if all(x.strict for x in factors) else "<=", (), factors=factors)


def _multiple(exponent: Poly, base: Poly) -> int | None:
    """The integer k where an exponent is k*base; None where there is none."""
    m, c = next(iter(base.items()))
    k = Fraction(exponent.get(m, 0)) / c
    return int(k) if k.denominator == 1 and normal.scale(base, k) == exponent else None


def _least(a: int, rows: Sequence[FactRow]) -> LeastValue | None:
    """The best lower bound of an integer among the rows; None where there is none."""
    lead: Mono = (((a, 1),), 0)
    known = [
        LeastValue(-Fraction(row.poly.get(ONE, 0)) / row.poly[lead], Fraction(row.poly[lead]), row)
        for row in rows
        if row.tag == "<=" and row.poly.get(lead, 0) > 0 and {*row.poly} <= {lead, ONE}
    ]
    return max(known, key=lambda least: least.value, default=None)


def _shifted(parts: Sequence[tuple[Sequence[int], Number]], lows: Sequence[Fraction]) -> Shifted | None:
    """A sum of monomials, each by its powers and its coefficient, in terms of what is above the least values; None
    where that has too many parts."""
    out: Shifted = {}
    for powers, c in parts:
        for key, value in _expanded(powers, lows).items():
            out[key] = out.get(key, Fraction(0)) + c * value
        if len(out) > MOST_PARTS:
            return None
    return out


def _expanded(powers: Sequence[int], lows: Sequence[Fraction]) -> Shifted:
    """The product of (low + rest)^power."""
    out: Shifted = {(): Fraction(1)}
    for k, low in zip(powers, lows, strict=True):
        parts = [(j, comb(k, j) * low ** (k - j)) for j in range(k + 1)]
        out = {(*key, j): c * value for key, c in out.items() for j, value in parts if value}
    return out
