"""Guards, and the linear forms in named integers that they are about: the values that a form may have, and whether
several may hold at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import reduce
from math import ceil, floor, gcd, lcm
from typing import Any

import sympy
from flint import fmpq

from symcook.domains.field import Field, Value

Form = tuple[tuple[str, int], ...]
"""A linear form without constant: names with integer coefficients, the first positive, without common factor."""
Linear = tuple[dict[str, Fraction], Fraction]
"""Coefficients by name, and the constant."""
Atom = tuple[Any, ...]
"""("letter", place), ("mod", name, m), ("form", Form), ("some", name): whether a sum of terms >= 0 is not 0, or
("sign", Form, constant): which signs a form may have in which numbers stand that are given."""
Guard = Mapping[Atom, Any]
Bounds = tuple[int | None, int | None]

LOG = sympy.log(sympy.Symbol("n", real=True))
"""The one function of n besides rational ones and powers of e; it is positive for n >= 2."""

STRICT = "0 <"
"""No name of a model, since it is no identifier."""


class NoRule(Exception):
    """What a coordinate would need that these tables cannot say."""


def minus(a: Linear, b: Linear) -> Linear:
    """The difference of two forms."""
    terms = {v: a[0].get(v, Fraction(0)) - b[0].get(v, Fraction(0)) for v in (a[0] | b[0])}
    return {v: c for v, c in terms.items() if c}, a[1] - b[1]


def unit(terms: Mapping[str, Fraction], c: Fraction) -> Fraction:
    """The least positive value that an integer combination may have."""
    step = reduce(
        lambda a, b: Fraction(
            gcd(a.numerator * b.denominator, b.numerator * a.denominator), a.denominator * b.denominator
        ),
        terms.values(),
    )
    step = abs(step)
    rest = c / step
    return step * (rest - floor(rest)) if rest != floor(rest) else step


def integral(terms: Mapping[str, Fraction], c: Fraction) -> bool:
    """Whether the form may be zero as far as divisors say."""
    scale = reduce(lambda a, b: a * b.denominator // gcd(a, b.denominator), [*terms.values(), c], 1)
    whole = [int(x * scale) for x in terms.values()]
    return int(c * scale) % reduce(gcd, whole) == 0


def thresholds(terms: Mapping[str, Fraction], c: Fraction) -> tuple[Atom, int, int]:
    """The atom of a form, and below and from which integer on it is not zero."""
    atom, factor = form_atom(terms)
    zero = -c / factor
    return atom, ceil(zero) - 1, floor(zero) + 1


def form_atom(terms: Mapping[str, Fraction]) -> tuple[Atom, Fraction]:
    """The atom of a linear form without constant, and by what that is multiplied."""
    ordered = sorted(terms.items())
    scale = reduce(lambda a, b: a * b.denominator // gcd(a, b.denominator), terms.values(), 1)
    whole = [int(c * scale) for _, c in ordered]
    common = abs(reduce(gcd, whole)) * (1 if whole[0] > 0 else -1)
    return ("form", tuple((v, w // common) for (v, _), w in zip(ordered, whole, strict=True))), Fraction(common, scale)


def sign_atom(terms: Mapping[str, Fraction], c: Fraction) -> tuple[Atom, int]:
    """The atom of the sign of a linear form, and the sign by which that is multiplied."""
    (_, form), factor = form_atom(terms)
    return ("sign", form, c / factor), 1 if factor > 0 else -1


def linear_form(field: Field, value: Value) -> Linear | None:
    """The linear form that a value is; None where it is none."""
    if isinstance(value, fmpq):
        return {}, Fraction(int(value.p), int(value.q))
    field.lift(value)
    if not value.den.is_constant() or value.num.total_degree() > 1:
        return None
    terms, constant = {}, Fraction(0)
    for monomial, c in value.num.terms():
        g = next((g for g, e in enumerate(monomial) if e), None)
        number = Fraction(int(c.p), int(c.q))
        if g is None:
            constant = number
        elif field.generators[g].kind != "symbol":
            return None
        else:
            terms[field.generators[g].argument.name] = number
    return terms, constant


def consistent(forms: Iterable[Linear]) -> bool:
    """Whether linear forms may all be not negative, over the rationals: one name after the other is eliminated. The
    name `STRICT` is some positive number: form - STRICT says that a form is positive."""
    rows: set[_Row] = set()
    for terms, c in forms:
        scale = lcm(c.denominator, *(x.denominator for x in terms.values()))
        whole = {v: x.numerator * (scale // x.denominator) for v, x in terms.items() if x}
        if not _added(rows, whole, c.numerator * (scale // c.denominator)):
            return False
    while rows:
        uses: dict[str, list[int]] = {}
        for terms, _ in rows:
            for v, x in terms:
                uses.setdefault(v, [0, 0])[x > 0] += 1
        if set(uses) == {STRICT}:
            low = max((Fraction(-c, x) for ((_, x),), c in rows if x > 0), default=Fraction(0))
            high = min((Fraction(-c, x) for ((_, x),), c in rows if x < 0), default=low + 1)
            return high > 0 and low <= high
        v = min(uses.keys() - {STRICT}, key=lambda name: (uses[name][0] * uses[name][1], name))
        below, above, kept = [], [], set[_Row]()
        for terms, c in rows:
            row = dict(terms)
            x = row.pop(v, None)
            if x is None:
                kept.add((terms, c))
            else:
                (above if x > 0 else below).append((row, c, abs(x)))
        for up, c, x in above:
            for down, d, y in below:
                joined = {w: up.get(w, 0) * y + down.get(w, 0) * x for w in {*up, *down}}
                if not _added(kept, joined, c * y + d * x):
                    return False
        rows = kept
    return True


_Row = tuple[tuple[tuple[str, int], ...], int]
"""A form with integers, without a common factor."""


def _added(rows: set[_Row], terms: Mapping[str, int], c: int) -> bool:
    """Add a form to others; False where it is a negative number."""
    common = gcd(c, *terms.values())
    ordered = tuple(sorted((v, x // common) for v, x in terms.items() if x))
    if ordered:
        rows.add((ordered, c // common))
    return bool(ordered) or c >= 0
