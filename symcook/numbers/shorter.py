"""Expressions in a shorter form that is equal: signs for steps, hyperbolic functions for exponentials."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import gcd, lcm
from typing import Any

import sympy

from symcook.model.symbols import from_sympy

MAX_OPERATIONS = 150
"""An expression with more operations than this keeps its exponentials: rewriting them may take too long."""
SHORTER = Fraction(3, 5)
"""The greatest ratio of the new text's length to the old one's, so that softmax weights such as exp(c)/(exp(c) + 1)
stay as they are."""


@lru_cache(maxsize=256)  # a logit is often the coordinate that is read
def shorter(expression: sympy.Expr) -> Any:
    """An equal expression with sign for steps up and down, and with tanh, sinh or cosh for exponentials where its text
    gets much shorter; else itself.

    >>> x = sympy.Symbol("x", real=True)
    >>> shorter(sympy.Piecewise((1, x > 0), (0, True)) - sympy.Piecewise((1, -x > 0), (0, True)))
    sign(x)
    """
    return _hyperbolic(_signs(expression))


def _signs(expression: sympy.Expr) -> Any:
    """The expression with sign(u) for I[u > 0] - I[u < 0], where it is linear in the two with opposite factors."""
    # {u: I[u > 0]}; the partner of u is I[-u > 0].
    steps = {u: step for step in expression.atoms(sympy.Piecewise) if (u := _rises(step)) is not None}
    up, down = sympy.Dummy("up"), sympy.Dummy("down")
    for u, step in sorted(steps.items(), key=lambda item: item[0].sort_key()):
        opposite_step = steps.get(sympy.expand(-u))
        if opposite_step is None or u.could_extract_minus_sign():
            continue
        # `slope` is the factor of the first; it must contain neither of the two, and the second must have its negative.
        plain = expression.xreplace({step: up, opposite_step: down})
        slope = sympy.diff(plain, up)
        if not slope.has(up, down) and sympy.expand(slope + sympy.diff(plain, down)) == 0:
            expression = plain.xreplace({up: sympy.sign(u), down: sympy.Integer(0)})
    return expression


def _rises(step: Any) -> Any:
    """u, expanded, where `step` is I[u > 0]; else None."""
    (value, test), *other_branches = step.args
    if value != 1 or other_branches != [(0, True)] or not isinstance(test, (sympy.Gt, sympy.Lt)):
        return None
    greater, less = test.gts, test.lts
    return sympy.expand(greater - less)  # type: ignore[operator]


def _hyperbolic(expression: Any) -> Any:
    """An equal expression with tanh, sinh or cosh for exponentials where its text gets much shorter, else itself.

    All exponentials must be integer powers of one exp(u). A quotient is written in t = tanh(u/2), with
    exp(u) = (1 + t)/(1 - t); a sum of powers is written in sinh and cosh. The candidate is rewritten in exponentials
    and compared exactly before it is returned.

    >>> c = sympy.Symbol("c", real=True)
    >>> _hyperbolic((1 - sympy.exp(2 * c)) / (8 * (sympy.exp(2 * c) + 1)))
    -tanh(c)/8
    """
    # An expression without exponentials or without symbols, or a large one, is returned as it is.
    powers = expression.atoms(sympy.exp)
    if not powers or not expression.free_symbols or expression.count_ops() > MAX_OPERATIONS:
        return expression
    # The expression as a rational function of E = exp(u).
    unit = _unit([power.exp for power in powers])
    if unit is None:
        return expression
    E, t = sympy.Dummy("E", positive=True), sympy.Dummy("t", real=True)
    plain = expression.xreplace({power: E ** (power.exp / unit) for power in powers})
    if plain.has(sympy.exp) or not plain.is_rational_function(E):
        return expression
    candidates = [sympy.factor(sympy.cancel(plain.subs(E, (1 + t) / (1 - t)))).xreplace({t: sympy.tanh(unit / 2)})]
    candidates += _symmetric(sympy.expand(sympy.cancel(plain)), E, unit)
    # The shortest candidate, if it is short enough, and equal when it is rewritten in exponentials.
    best = min(candidates, key=lambda value: len(from_sympy(value)))
    if len(from_sympy(best)) > SHORTER * len(from_sympy(expression)):
        return expression
    if sympy.cancel(best.rewrite(sympy.exp) - expression) != 0:
        return expression
    return best


def _unit(exponents: list[sympy.Expr]) -> Any:
    """u such that every exponent is an integer times u, and the integers have no common divisor; None where there is no
    such u."""
    first = exponents[0]
    ratios = [sympy.cancel(exponent / first) for exponent in exponents]
    if not all(ratio.is_Rational for ratio in ratios):
        return None
    below = lcm(*(int(ratio.q) for ratio in ratios))
    unit = first * sympy.Rational(gcd(*(int(ratio * below) for ratio in ratios)), below)
    return -unit if unit.could_extract_minus_sign() else unit


def _symmetric(plain: sympy.Expr, E: sympy.Symbol, unit: sympy.Expr) -> list[Any]:
    """[the expression in sinh and cosh] for a sum of integer powers of E = exp(unit); [] for any other expression."""
    result: Any = sympy.Integer(0)
    # {k: coefficient of E^k}
    coefficients = {}
    for term in sympy.Add.make_args(plain):
        coefficient, power = term.as_independent(E)
        base, k = (E, 0) if power == 1 else power.as_base_exp()
        if base != E or not sympy.sympify(k).is_Integer:
            return []
        coefficients[k] = coefficients.get(k, 0) + coefficient
    # a E^k + b E^-k = (a + b) cosh(k unit) + (a - b) sinh(k unit)
    for k in {abs(k) for k in coefficients}:
        a, b = coefficients.get(k, 0), coefficients.get(-k, 0)
        result += a if k == 0 else (a + b) * sympy.cosh(k * unit) + (a - b) * sympy.sinh(k * unit)
    return [result]
