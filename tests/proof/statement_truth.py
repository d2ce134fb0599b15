"""Truth of a stored statement at one instance, evaluated from its text alone.

No kernel code is used: the text is read by `symcook.model.expr`, definitions are taken from definitions.txt as text and
substituted here. An instance offers, for each quantified name, the values that the quantifier ranges over; a name of
a function is written with ``()``: ``{"n": [2], "x()": [{1: ..., 2: ...}]}``. An entry may be a callable, which gets the
names bound so far. Numbers are Fractions; where exp, log, sqrt, erf, tanh or pi occurs they are 60-digit mpmath
numbers, and comparisons other than < allow a slack of 10^-45 relative to the size of the sides.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import cache
from typing import Any

import mpmath
from checkout import ROOT

from symcook.errors import BadInput
from symcook.model.expr import parse_formula, parse_term
from symcook.proof.runrel import expand

STATEMENTS = ROOT / "proofs" / "statements"
CONTEXT = mpmath.mp.clone()
CONTEXT.dps = 60
SLACK = CONTEXT.mpf(10) ** -45

Instance = Mapping[str, Any]


@cache
def texts() -> dict[str, str]:
    """The statements by id, as written: the ``statement:`` lines with those that continue them."""
    out: dict[str, str] = {}
    name, inside = "", False
    files = sorted(path for path in STATEMENTS.glob("*.txt") if path.stem != "definitions")
    for line in (line for path in files for line in [*path.read_text(encoding="utf-8").splitlines(), ""]):
        if line.startswith("["):
            name = line.strip("[]")
        elif line.startswith("statement:"):
            out[name], inside = line.removeprefix("statement:"), True
        elif inside and line.startswith(" "):
            out[name] += " " + line.strip()
        elif not line.startswith("#"):
            inside = False
    return out


@cache
def definitions() -> dict[str, tuple[tuple[str, ...], Any]]:
    out = {}
    for line in (STATEMENTS / "definitions.txt").read_text(encoding="utf-8").splitlines():
        if ":=" in line and not line.startswith("#"):
            head, body = line.split(":=")
            name, parameters = re.fullmatch(r"(\w+)\(([^)]*)\) ", head).groups()  # type: ignore[union-attr]
            try:
                tree = parse_formula(body)
            except BadInput:
                tree = parse_term(body)
            out[name] = (tuple(p.strip() for p in parameters.split(",")), tree)
    return out


@cache
def tree_of(text: str) -> Any:
    return parse_formula(expand(text))


def evaluate(text: str, instance: Instance) -> tuple[bool, bool]:
    """(true at the instance, some combination of the offered values meets all leading hypotheses)."""
    met = [False]
    return _spine(tree_of(text), {}, instance, met), met[0]


def holds(text: str, instance: Instance) -> bool:
    """Whether it is true at the instance; stops at the first combination where it is not."""
    return _spine(tree_of(text), {}, instance, None)


def _spine(tree: Any, env: dict[str, Any], instance: Instance, met: list[bool] | None) -> bool:
    tag = tree[0]
    if tag == "all":
        found = (_spine(tree[3], {**env, tree[1]: v}, instance, met) for v in _offered(tree, env, instance))
        return all(found) if met is None else all(list(found))  # where it is asked, `met` is complete
    if tag == "->":
        return not truth(tree[1], env, instance) or _spine(tree[2], env, instance, met)
    if tag == "&":
        return all(_spine(part, env, instance, met) for part in tree[1:])
    if met is not None:
        met[0] = True
    return truth(tree, env, instance)


def _offered(tree: Any, env: Mapping[str, Any], instance: Instance) -> Iterable[Any]:
    key = tree[1] + ("()" if isinstance(tree[2], tuple) else "")
    values: Any = instance[key]
    if callable(values):
        made: Any = values(env)
        return made
    return values if isinstance(values, list) else [values]


def _range(low: Any, high: Any) -> Iterable[Fraction]:
    assert low.denominator == high.denominator == 1
    return map(Fraction, range(int(low), int(high) + 1))


def truth(tree: Any, env: Mapping[str, Any], instance: Instance) -> bool:
    """A formula; connectives stop as soon as they are decided, so that hypotheses guard what follows."""
    tag = tree[0]
    if tag in ("=", "<=", "<"):
        return _compare(tag, value(tree[1], env, instance), value(tree[2], env, instance))
    if tag == "&":
        return truth(tree[1], env, instance) and truth(tree[2], env, instance)
    if tag == "|":
        return truth(tree[1], env, instance) or truth(tree[2], env, instance)
    if tag == "->":
        return not truth(tree[1], env, instance) or truth(tree[2], env, instance)
    if tag == "<->":
        return truth(tree[1], env, instance) == truth(tree[2], env, instance)
    if tag == "~":
        return not truth(tree[1], env, instance)
    if tag in ("all in", "ex in"):
        ends = (value(tree[k], env, instance) for k in (2, 3))
        found = (truth(tree[4], {**env, tree[1]: i}, instance) for i in _range(*ends))
        return all(found) if tag == "all in" else any(found)
    if tag in ("all", "ex"):
        found = (truth(tree[3], {**env, tree[1]: v}, instance) for v in _offered(tree, env, instance))
        return all(found) if tag == "all" else any(found)
    if tag == "call":
        names, body = definitions()[tree[1]]
        return truth(body, _arguments(names, tree[2], env, instance), instance)
    return {"true": True, "false": False}[tag]


def _arguments(names: Iterable[str], given: Iterable[Any], env: Mapping[str, Any], instance: Instance) -> Any:
    out: dict[str, Any] = {}
    for name, tree in zip(names, given, strict=True):
        if tree[0] == "lambda":
            out[name] = _closure(tree, env, instance)
        else:
            out[name] = env[tree[1]] if tree[0] == "name" else value(tree, env, instance)
    return out


def _closure(tree: Any, env: Mapping[str, Any], instance: Instance) -> Callable[..., Any]:
    return lambda *values: value(tree[2], {**env, **dict(zip(tree[1], values, strict=True))}, instance)


def real(a: Any) -> Any:
    """A Fraction as a 60-digit number."""
    return CONTEXT.mpf(a.numerator) / a.denominator if isinstance(a, Fraction) else a


def _compare(tag: str, a: Any, b: Any) -> bool:
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a == b if tag == "=" else a <= b if tag == "<=" else a < b
    a, b = real(a), real(b)
    if tag == "<":
        return a < b
    slack = SLACK * (1 + abs(a) + abs(b))
    return abs(a - b) <= slack if tag == "=" else a <= b + slack


def _apply(act: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
    exact = isinstance(a, Fraction) and isinstance(b, Fraction)
    return act(a, b) if exact else act(real(a), real(b))


_number = cache(Fraction)
_ARITHMETIC = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}


def value(tree: Any, env: Mapping[str, Any], instance: Instance) -> Any:
    """A term. Division by zero is an error: a statement must guard it."""
    tag = tree[0]
    if tag == "num":
        return _number(tree[1], tree[2])
    if tag == "name":
        return CONTEXT.pi * 1 if tree[1] == "pi" else env[tree[1]]
    if tag == "neg":
        return -value(tree[1], env, instance)
    if tag in _ARITHMETIC:
        return _apply(_ARITHMETIC[tag], value(tree[1], env, instance), value(tree[2], env, instance))
    if tag == "^":
        return value(tree[1], env, instance) ** int(value(tree[2], env, instance))
    if tag == "ind":
        return Fraction(truth(tree[1], env, instance))
    if tag == "if":
        return value(tree[2 if truth(tree[1], env, instance) else 3], env, instance)
    if tag in ("sum", "prod"):
        total: Any = Fraction(tag == "prod")
        for j in _range(value(tree[2], env, instance), value(tree[3], env, instance)):
            act = operator.add if tag == "sum" else operator.mul
            total = _apply(act, total, value(tree[4], {**env, tree[1]: j}, instance))
        return total
    assert tag == "call", tag
    name, given = tree[1], tree[2]
    if name in env:
        at = tuple(value(a, env, instance) for a in given)
        function = env[name]
        return function(*at) if callable(function) else function[at[0] if len(at) == 1 else at]
    if name in definitions():
        names, body = definitions()[name]
        return value(body, _arguments(names, given, env, instance), instance)
    a = [value(g, env, instance) for g in given]
    if name in ("exp", "log", "sqrt", "erf", "tanh"):
        return getattr(CONTEXT, name)(real(a[0]))
    if name == "pow":
        return a[0] ** int(a[1])
    plain: dict[str, Callable[..., Any]] = {"relu": lambda x: max(x, x * 0), "abs": abs, "min": min, "max": max}
    return plain[name](*a)
