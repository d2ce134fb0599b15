"""Closed forms for sympy's own functions: several cases as one Piecewise, and expressions as functions of numpy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import sympy

from symcook.errors import BadInput
from symcook.numbers.named import BoundVariable, SympySum
from symcook.numbers.nodes import Choice, RangeProduct, RangeSum

BEHIND = 2
"""How many places behind the last position an array of a string may be read at, in a case that does not hold."""


def own_nodes(expression: Any) -> Any:
    """The expression with sympy's Sum, Product and Piecewise in place of the nodes of `symcook.numbers.nodes`, which
    sympy's printers do not know."""
    return (
        expression.replace(lambda e: isinstance(e, RangeSum), lambda e: SympySum(e.body, (e.variable, e.low, e.high)))
        .replace(lambda e: isinstance(e, RangeProduct), lambda e: sympy.Product(e.body, (e.variable, e.low, e.high)))
        .replace(lambda e: isinstance(e, Choice), lambda e: sympy.Piecewise((e.yes, e.condition), (e.no, True)))
    )


class FirstOrLast(NamedTuple):
    """The first or last integer of low..high at which a condition on `variable` holds, else `otherwise`."""

    last: bool
    variable: Any
    low: Any
    high: Any
    condition: Any
    otherwise: int

    def compiled(self, plain: Mapping[Any, Any]) -> Callable[..., Any]:
        """The integer as a function of the values of `plain`, which has plain names for the symbols."""
        names, own = list(plain.values()), sympy.Symbol("place", integer=True)
        ends = sympy.lambdify(names, [self.low.xreplace(plain), self.high.xreplace(plain)], modules="numpy")
        test = self.condition.xreplace({**plain, self.variable: own})
        holds = sympy.lambdify([own, *names], test, modules="numpy")

        def found(*values: Any) -> Any:
            low, high = map(int, ends(*values))
            places = range(low, high + 1)
            return next((p for p in (reversed(places) if self.last else places) if holds(p, *values)), self.otherwise)

        return found


ValueCases = Sequence[tuple[Any, Any]]
"""(value, condition) pairs, of which exactly one condition holds."""


def piecewise(branches: ValueCases) -> Any:
    """The value of the branch that holds. Equal values form one case; the last one is for all else.

    >>> x = sympy.Symbol("x", real=True)
    >>> piecewise([(1, x > 0), (0, sympy.Eq(x, 0)), (1, x < 0)])
    Piecewise((1, (x > 0) | (x < 0)), (0, True))
    """
    conditions: dict[Any, list[Any]] = {}
    for value, condition in branches:
        conditions.setdefault(sympy.sympify(value), []).append(condition)
    *first, last = conditions
    # A Piecewise that is evaluated would rewrite its conditions for long.
    parts = [(value, sympy.Or(*conditions[value])) for value in first]
    return sympy.Piecewise(*parts, (last, True), evaluate=False) if parts else last


def free_names(expressions: Sequence[Any]) -> dict[str, Any]:
    """{name: symbol or array} for all free names of some expressions, arrays last, each kind sorted by name."""
    bases = {base for e in expressions for base in e.atoms(sympy.IndexedBase)}
    inside = {base.label for base in bases}
    symbols = {
        s
        for e in expressions
        for s in e.free_symbols
        if isinstance(s, sympy.Symbol) and not isinstance(s, BoundVariable) and s not in inside
    }
    ordered = [*sorted(symbols, key=lambda s: s.name), *sorted(bases, key=lambda b: b.label.name)]
    return {str(x.label) if isinstance(x, sympy.IndexedBase) else x.name: x for x in ordered}


def lambdified(
    branches: Mapping[str, ValueCases],
    names: Sequence[str],
    start: int,
    definitions: Mapping[Any, Any],
    token_numbers: Callable[[Any], Any],
) -> Callable[..., dict[str, Any]]:
    """Values by cases as one function of numpy's numbers: its arguments are `names` in this order, by position or by
    name; its result is {name of a value: number}. An array, such as that of an input at all positions, is given from
    the first position on, whose number is `start`. The symbols in `definitions` are no arguments: they are computed
    first, in their order.

    Raises BadInput for names that the expressions do not have, and for free names that are left out.
    """
    parts = [e for cases in branches.values() for pair in cases for e in pair]
    inside = [e for value in definitions.values() for e in (value[2:5] if isinstance(value, FirstOrLast) else [value])]
    arguments = _arguments([*parts, *inside], names, definitions)
    # Arguments get names of their own: a name of the forms need be no name of Python.
    plain = {x: _plain(x, k) for k, x in enumerate(arguments.values())}
    defined = list[Any]()
    for symbol, value in definitions.items():
        if isinstance(value, FirstOrLast):
            defined.append(value.compiled(plain))
        else:
            defined.append(sympy.lambdify(list(plain.values()), own_nodes(value).xreplace(plain), modules="numpy"))
        plain[symbol] = _plain(symbol, len(plain))
    compiled = sympy.lambdify(list(plain.values()), [own_nodes(e).xreplace(plain) for e in parts], modules="numpy")

    def function(*given: Any, **by_name: Any) -> dict[str, Any]:
        import numpy as np

        read = dict(zip(arguments, given, strict=False)) | by_name
        if len(given) + len(by_name) != len(arguments) or set(read) != set(arguments):
            must = f"the function must be given each of {', '.join(arguments) or 'no arguments'} once"
            raise BadInput(
                must,
                f"{len(given)} values, and {', '.join(by_name) or 'none'} by name",
                "give a value for each name, once",
            )
        for name, x in arguments.items():
            if isinstance(x, sympy.IndexedBase):
                read[name] = np.asarray(token_numbers(read[name]) if name == "w" else read[name], dtype=float)
                if "n" in read and read[name].shape != (np.max(read["n"]),):
                    must = f"{name} must have a number for each of the n positions, special tokens included"
                    raise BadInput(
                        must,
                        f"{len(read[name])} numbers, and n = {np.max(read['n'])}",
                        "give n numbers for each position input",
                    )
        # Numbers get one shape, since numpy compares no arrays of several.
        single = [name for name, x in arguments.items() if not isinstance(x, sympy.IndexedBase)]
        alike = dict(zip(single, np.broadcast_arrays(*(np.asarray(read[name]) for name in single)), strict=True))
        called = [
            alike[name]
            if name in alike
            else np.concatenate([np.full(start, np.nan), read[name], np.full(BEHIND, np.nan)])
            for name in arguments
        ]
        # Each case is computed, also where it does not hold.
        with np.errstate(all="ignore"):
            for define in defined:
                called.append(define(*called))
            numbers = iter(compiled(*called))
        out = dict[str, Any]()
        for name, cases in branches.items():
            values, tests = zip(*((next(numbers), next(numbers)) for _ in cases), strict=True)
            *laid, _ = np.broadcast_arrays(*values, *tests, 0.0)
            out[name] = np.select([x.astype(bool) for x in laid[len(cases) :]], laid[: len(cases)], np.nan)
        return out

    return function


def _arguments(expressions: Sequence[Any], names: Sequence[str], definitions: Mapping[Any, Any]) -> dict[str, Any]:
    """{name: symbol or array} in the order of `names`; BadInput where these are not the free names."""
    known = {name: x for name, x in free_names(expressions).items() if x not in definitions}
    names = list(names) or list(known)
    if missing := [name for name in known if name not in names]:
        must = "a function of the forms must have all free names as arguments"
        raise BadInput(must, ", ".join(names), f"add {', '.join(missing)}")
    if unknown := [name for name in names if name not in known]:
        raise BadInput(
            "an argument must be a free name of the closed forms", unknown[0], f"use {', '.join(known) or 'none'}"
        )
    return {name: known[name] for name in names}


def _plain(symbol: Any, k: int) -> Any:
    """A symbol or array with a name that Python has."""
    if isinstance(symbol, sympy.IndexedBase):
        return sympy.IndexedBase(f"array_{k}")
    return sympy.Symbol(f"argument_{k}", real=True)
