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
    found: Any = values(env) if callable(values) else values
    return found if isinstance(found, list) or callable(values) else [found]


def _range(low: Any, high: Any) -> Iterable[Fraction]:
    assert low.denominator == high.denominator == 1
    return map(Fraction, range(int(low), int(high) + 1))


Env = Mapping[str, Any]
Maker = Callable[[Env, Instance], Any]
_made: dict[tuple[str, int], tuple[Any, Maker]] = {}


def _kept(what: str, tree: Any, make: Callable[[Any], Maker]) -> Maker:
    """What was made of this tree, which is read once and not at every evaluation; the tree is kept with it."""
    found = _made.get((what, id(tree)))
    if found is None:
        found = _made[what, id(tree)] = (tree, make(tree))
    return found[1]


def truth(tree: Any, env: Env, instance: Instance) -> bool:
    """A formula; connectives stop as soon as they are decided, so that hypotheses guard what follows."""
    return _kept("truth", tree, _formula)(env, instance)


def _formula(tree: Any) -> Maker:
    tag = tree[0]
    if tag in ("=", "<=", "<"):
        left, right = _term(tree[1]), _term(tree[2])
        return lambda env, at: _compare(tag, left(env, at), right(env, at))
    if tag in ("&", "|", "->", "<->"):
        first, second = _formula(tree[1]), _formula(tree[2])
        if tag == "&":
            return lambda env, at: first(env, at) and second(env, at)
        if tag == "|":
            return lambda env, at: first(env, at) or second(env, at)
        if tag == "->":
            return lambda env, at: not first(env, at) or second(env, at)
        return lambda env, at: first(env, at) == second(env, at)
    if tag == "~":
        inside = _formula(tree[1])
        return lambda env, at: not inside(env, at)
    every = all if tag.startswith("all") else any
    if tag in ("all in", "ex in"):
        low, high, within, name = _term(tree[2]), _term(tree[3]), _formula(tree[4]), tree[1]
        return lambda env, at: every(within({**env, name: i}, at) for i in _range(low(env, at), high(env, at)))
    if tag in ("all", "ex"):
        below, bound = _formula(tree[3]), tree[1]
        return lambda env, at: every(below({**env, bound: v}, at) for v in _offered(tree, env, at))
    if tag == "call":
        names, body = definitions()[tree[1]]
        given = tree[2]
        return lambda env, at: truth(body, _arguments(names, given, env, at), at)
    known = {"true": True, "false": False}[tag]
    return lambda env, at: known


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


_bit = cache(Fraction)
_ARITHMETIC = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}


def value(tree: Any, env: Env, instance: Instance) -> Any:
    """A term. Division by zero is an error: a statement must guard it."""
    return _kept("value", tree, _term)(env, instance)


def _term(tree: Any) -> Maker:
    tag = tree[0]
    if tag == "num":
        number = Fraction(tree[1], tree[2])
        return lambda env, at: number
    if tag == "name":
        name = tree[1]
        return (lambda env, at: CONTEXT.pi * 1) if name == "pi" else lambda env, at: env[name]
    if tag == "neg":
        inside = _term(tree[1])
        return lambda env, at: -inside(env, at)
    if tag in _ARITHMETIC:
        act, left, right = _ARITHMETIC[tag], _term(tree[1]), _term(tree[2])
        return lambda env, at: _apply(act, left(env, at), right(env, at))
    if tag == "^":
        base, exponent = _term(tree[1]), _term(tree[2])
        return lambda env, at: base(env, at) ** int(exponent(env, at))
    if tag == "ind":
        test = _formula(tree[1])
        return lambda env, at: _bit(test(env, at))
    if tag == "if":
        test, yes, no = _formula(tree[1]), _term(tree[2]), _term(tree[3])
        return lambda env, at: yes(env, at) if test(env, at) else no(env, at)
    if tag in ("sum", "prod"):
        return _total(tree)
    assert tag == "call", tag
    return _call(tree[1], tree[2])


def _total(tree: Any) -> Maker:
    name, low, high, body = tree[1], _term(tree[2]), _term(tree[3]), _term(tree[4])
    act, start = (operator.add, Fraction(0)) if tree[0] == "sum" else (operator.mul, Fraction(1))

    def run(env: Env, at: Instance) -> Any:
        total: Any = start
        for j in _range(low(env, at), high(env, at)):
            total = _apply(act, total, body({**env, name: j}, at))
        return total

    return run


def _call(name: str, given: Any) -> Maker:
    """A name bound where it stands comes before a definition, which is only known with the environment."""
    parts = [_term(g) for g in given if g[0] != "lambda"]

    def run(env: Env, at: Instance) -> Any:
        if name in env:
            places = tuple([part(env, at) for part in parts])
            function = env[name]
            return function(*places) if callable(function) else function[places[0] if len(places) == 1 else places]
        if name in definitions():
            names, body = definitions()[name]
            return value(body, _arguments(names, given, env, at), at)
        a = [part(env, at) for part in parts]
        if name in ("exp", "log", "sqrt", "erf", "tanh"):
            return getattr(CONTEXT, name)(real(a[0]))
        if name == "pow":
            return a[0] ** int(a[1])
        return _PLAIN[name](*a)

    return run


_PLAIN: dict[str, Callable[..., Any]] = {"relu": lambda x: max(x, x * 0), "abs": abs, "min": min, "max": max}
