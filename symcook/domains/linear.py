"""Guards, and the linear forms in named integers that they are about."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache, reduce
from math import ceil, floor, gcd
from typing import Any

import sympy
from flint import fmpq

from symcook.domains.field import Field, Value

LinearForm = tuple[tuple[str, int], ...]
"""A linear form without constant: names with integer coefficients, the first positive, without common factor."""
Affine = tuple[dict[str, Fraction], Fraction]
"""Coefficients by name, and the constant."""
LinearAtom = tuple[Any, ...]
"""("letter", place), ("mod", name, m), ("form", Form), ("some", name): whether a sum of terms >= 0 is not 0, or
("sign", Form, constant): which signs a form may have in which numbers stand that are given."""
Guard = Mapping[LinearAtom, Any]


class KeptGuard(dict[LinearAtom, Any]):
    """A guard that stays as it is, and what tells it apart once that was asked for."""

    key: frozenset[Any] | None = None


Bounds = tuple[int | None, int | None]

LOG = sympy.log(sympy.Symbol("n", real=True))
"""The one function of n besides rational ones and powers of e; it is positive for n >= 2."""

STRICT = "0 <"
"""Some positive number: form - STRICT says that a form is positive. No name of a model, since it is no identifier."""


def guard_key(guard: Guard) -> frozenset[Any]:
    """What tells guards apart."""
    if type(guard) is not KeptGuard:
        return frozenset(guard.items())
    if guard.key is None:
        guard.key = frozenset(guard.items())
    return guard.key


class NoRule(Exception):
    """What a coordinate would need that these tables cannot say."""


def minus(a: Affine, b: Affine) -> Affine:
    """The difference of two forms."""
    terms = dict(a[0])
    for v, c in b[0].items():
        terms[v] = terms[v] - c if v in terms else -c
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
    constant_steps = c / step
    return step * (constant_steps - floor(constant_steps)) if constant_steps != floor(constant_steps) else step


def thresholds(terms: Mapping[str, Fraction], c: Fraction) -> tuple[LinearAtom, int, int]:
    """The atom of a form, and below and from which integer on it is not zero."""
    atom, factor = form_atom(terms)
    zero = -c / factor
    return atom, ceil(zero) - 1, floor(zero) + 1


def form_atom(terms: Mapping[str, Fraction]) -> tuple[LinearAtom, Fraction]:
    """The atom of a linear form without constant, and by what that is multiplied."""
    ordered = sorted(terms.items())
    scale = reduce(lambda a, b: a * b.denominator // gcd(a, b.denominator), terms.values(), 1)
    integers = [int(c * scale) for _, c in ordered]
    common = abs(reduce(gcd, integers)) * (1 if integers[0] > 0 else -1)
    return ("form", tuple((v, w // common) for (v, _), w in zip(ordered, integers, strict=True))), Fraction(
        common, scale
    )


def sign_atom(terms: Mapping[str, Fraction], c: Fraction) -> tuple[LinearAtom, int]:
    """The atom of the sign of a linear form, and the sign by which that is multiplied."""
    (_, form), factor = form_atom(terms)
    constant = c / factor
    return ("sign", form, int(constant) if constant.denominator == 1 else constant), 1 if factor > 0 else -1


fraction = lru_cache(maxsize=1024)(Fraction)
"""A fraction of small numbers, which are few."""


def linear_form(field: Field, value: Value) -> Affine | None:
    """The linear form that a value is; None where it is none."""
    if isinstance(value, fmpq):
        return {}, fraction(int(value.p), int(value.q))
    field.lift(value)
    if not value.den.is_constant() or value.num.total_degree() > 1:
        return None
    terms, constant = {}, Fraction(0)
    for monomial, c in value.num.terms():
        number = fraction(int(c.p), int(c.q))
        if 1 not in monomial:
            constant = number
        elif (generator := field.generators[monomial.index(1)]).kind != "symbol":
            return None
        else:
            terms[generator.argument.name] = number
    return terms, constant
