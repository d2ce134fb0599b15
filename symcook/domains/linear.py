"""Guards (conjunctions of conditions) and the linear forms in named integers that occur in them."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache, reduce
from math import ceil, floor, gcd
from typing import Any

import sympy
from flint import fmpq

from symcook.domains.field import Field, Value
from symcook.domains.names import Affine, FormName, N, letter_of, name_of

LinearForm = tuple[tuple[FormName, int], ...]
"""A linear form without constant: (name, integer coefficient) pairs sorted by name. The first coefficient is positive,
and they have no common factor."""
LinearAtom = tuple[Any, ...]
"""A quantity that a guard restricts, and the values that it may have. A place is i, j or n (a name), or a number:

("letter", place): the token there, in a set of tokens. ("mod", name, m): the residue modulo m, in a set of residues.
("form", LinearForm): its value, in an interval (`Bounds`). ("some", name): whether a sum of nonnegative terms is not 0.
("sign", LinearForm, constant): the sign of a form with input numbers in it, in a set of signs -1, 0, 1."""
Guard = Mapping[LinearAtom, Any]
"""A conjunction: each atom has one of the values that belong to it."""


class KeptGuard(dict[LinearAtom, Any]):
    """A guard that is not changed after its first use as a key; `key` is `guard_key` of it, once computed."""

    key: frozenset[Any] | None = None


Bounds = tuple[int | None, int | None]
"""A closed integer interval; None is an infinite end."""

LOG = sympy.log(letter_of(N))
"""log(n): the only function of n that is allowed besides rational functions and powers of e. Positive for n >= 2."""

STRICT = FormName("<")
"""The name of some positive number: the row form - STRICT >= 0 states that the form is positive."""
SCALE = FormName("1")
"""In a point, the name of the common denominator of its numbers."""


def guard_key(guard: Guard) -> frozenset[Any]:
    """A hashable key of a guard, equal for equal guards."""
    if type(guard) is not KeptGuard:
        return frozenset(guard.items())
    if guard.key is None:
        guard.key = frozenset(guard.items())
    return guard.key


class NoRule(Exception):
    """Raised where no rule computes a table. The text `needed` names what is missing, and continues a sentence "...
    needs"; it ends before a `value`, where it is about one."""

    def __init__(self, needed: str, value: Any = None) -> None:
        super().__init__(needed)
        self.value = value


def minus(a: Affine, b: Affine) -> Affine:
    """The form a - b."""
    terms = dict(a[0])
    for v, c in b[0].items():
        terms[v] = terms[v] - c if v in terms else -c
    return {v: c for v, c in terms.items() if c}, a[1] - b[1]


def unit(terms: Mapping[FormName, Fraction], c: Fraction) -> Fraction:
    """The least positive value that the form with these terms (at least one) and constant may have at integers."""
    step = reduce(
        lambda a, b: Fraction(
            gcd(a.numerator * b.denominator, b.numerator * a.denominator), a.denominator * b.denominator
        ),
        terms.values(),
    )
    step = abs(step)  # the gcd of the coefficients: values are c plus multiples of it
    constant_steps = c / step
    return step * (constant_steps - floor(constant_steps)) if constant_steps != floor(constant_steps) else step


def thresholds(terms: Mapping[FormName, Fraction], c: Fraction) -> tuple[LinearAtom, int, int]:
    """(atom, low, high) such that the form is nonzero exactly where the value of the atom is <= low or >= high."""
    atom, factor = form_atom(terms)
    zero = -c / factor
    return atom, ceil(zero) - 1, floor(zero) + 1


def form_atom(terms: Mapping[FormName, Fraction]) -> tuple[LinearAtom, Fraction]:
    """(atom, factor) such that the linear form with these terms is factor times the form of the atom."""
    ordered = sorted(terms.items())
    scale = reduce(lambda a, b: a * b.denominator // gcd(a, b.denominator), terms.values(), 1)
    integers = [int(c * scale) for _, c in ordered]
    common = abs(reduce(gcd, integers)) * (1 if integers[0] > 0 else -1)
    return ("form", tuple((v, w // common) for (v, _), w in zip(ordered, integers, strict=True))), Fraction(
        common, scale
    )


def sign_atom(terms: Mapping[FormName, Fraction], c: Fraction) -> tuple[LinearAtom, int]:
    """(atom, sign) such that the sign of the linear form is `sign` times the sign that the atom is about."""
    (_, form), factor = form_atom(terms)
    constant = c / factor
    return ("sign", form, int(constant) if constant.denominator == 1 else constant), 1 if factor > 0 else -1


fraction = lru_cache(maxsize=1024)(Fraction)
"""A fraction, remembered, since few different ones occur."""


def linear_form(field: Field, value: Value) -> Affine | None:
    """A value as a linear form; None if it is not one."""
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
            terms[name_of(generator.argument)] = number
    return terms, constant
