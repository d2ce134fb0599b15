"""Bounds with names: their formulas beside the balls of the same kinds, which are computed by other code."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import pytest
import sympy
import sympy.abc

import symcook as sc
from symcook.bounds import KINDS
from symcook.bounds.formulas import FORMULAS
from symcook.claims import ledger
from symcook.errors import BadInput

GAMMAS = ("1", "7/3")
NUMBERS: dict[str, list[dict[str, Any]]] = {
    "softmax-hardmax": [{"n": n, "gamma": g} for n, g in product((1, 2, 9), GAMMAS)],
    "lookup": [{"gamma": g} for g in GAMMAS] + [{"gamma": g, "n": n} for n, g in product((1, 2, 7, 8), GAMMAS)],
    "ziggurat": [{"gamma": g} for g in GAMMAS] + [{"gamma": g, "n": n} for n, g in product((1, 2, 7, 8), GAMMAS)],
    "table-lookup": [{"gamma": g} for g in GAMMAS] + [{"gamma": g, "n": n} for n, g in product((1, 2, 7), GAMMAS)],
    "tie-break": [{"variant": v, "gamma": g, "n": n} for v, n, g in product("abc", (2, 5), GAMMAS)],
    "layernorm-hash": [{"n": n} for n in (2, 3, 64)],
    "temperature": [{"n": n, "gamma": g, "error": e} for n, g, e in product((2, 9), GAMMAS, ("1/4", "1/100"))],
}


def named(numbers: dict[str, Any]) -> dict[str, Any]:
    return {name: value if name == "variant" else f"{name}_" for name, value in numbers.items()}


def at(expression: sympy.Expr, numbers: dict[str, Any]) -> sympy.Expr:
    """The value of a formula to 40 digits; sums without end are cut off where what is left is below 10^-60."""
    values = {f"{name}_": sympy.Rational(value) for name, value in numbers.items() if name != "variant"}
    for total in expression.atoms(sympy.Sum):
        k, low, high = total.limits[0]
        if high == sympy.oo:
            expression = expression.xreplace({total: total.func(total.function, (k, low, 15))})
    number = expression.subs(values).doit()
    assert not number.free_symbols
    return sympy.N(number, 40)


@pytest.mark.parametrize("kind", list(FORMULAS))
def test_a_formula_has_the_values_of_the_balls(kind: str) -> None:
    for numbers in NUMBERS[kind]:
        formula, balls = sc.bound(kind, **named(numbers)), sc.bound(kind, **numbers, digits=25)
        for expression, ball in ((formula.value, balls.value), (formula.claimed, balls.claimed)):
            error = abs(sympy.Rational(str(at(expression, numbers))) - sympy.Rational(ball.mid))
            assert error <= sympy.Rational(ball.rad) + sympy.Rational(1, 10**38), (numbers, expression)


@pytest.mark.parametrize("kind", [kind for kind, formula in FORMULAS.items() if formula.row])
def test_a_formula_names_its_row_of_the_ledger(kind: str) -> None:
    formula, numeric = (sc.bound(kind, **arguments(NUMBERS[kind][0])) for arguments in (named, dict))
    (claim,) = ledger(names=[formula.row])
    assert formula.status == claim.status == "PROVED" and formula.holds is True
    assert formula.row in numeric.proofs or kind == "lookup"  # there Lemma 6 is used, by a lemma of the library
    assert formula.to_json()["row"] == formula.row and json.dumps(formula.to_json())


def test_names_are_text_symbols_or_expressions() -> None:
    n, g = sympy.abc.n, sympy.Symbol("g")
    mine = sc.bound("softmax-hardmax", n=n, gamma=2 * g)
    assert mine.claimed == 2 * n * sympy.exp(-2 * g)
    text = sc.bound("softmax-hardmax", n="n", gamma="2*g")
    assert text.claimed.subs({"n": 3, g: 2}) == mine.claimed.subs({n: 3, "g": 2}) and text.value.subs({n: 1}) == 0
    assert text.claimed.free_symbols == {s for s in text.value.free_symbols if s.is_positive}
    lookup = sc.bound("lookup", gamma="k", n=4).value  # the sums have another variable
    assert [(free.name, free.is_positive) for free in lookup.free_symbols] == [("k", True)]
    assert lookup.subs("k", 1).doit() == sc.bound("lookup", gamma="gamma", n=4).value.subs("gamma", 1).doit()
    for shown in (text.text(), text.latex(), text._repr_html_(), repr(text)):
        assert "exp" in shown or "e^{" in shown


@pytest.mark.parametrize(
    ("kind", "arguments", "says"),
    [
        ("softmax-hardmax", {"n": "n", "gamma": "g", "ties": True}, "ties"),
        ("softmax-hardmax", {"n": "n", "gamma": "-1"}, "positive"),
        ("softmax-hardmax", {"n": "1/2", "gamma": "g"}, "positive integer"),
        ("softmax-hardmax", {"n": "n +", "gamma": "g"}, "n"),
        ("softmax-hardmax", {"n": "n"}, "gamma"),
        ("gelu-relu", {"c": "c"}, "one of softmax-hardmax"),
        ("tie-break", {"variant": "d", "gamma": "g", "n": 3}, "a, b, c"),
        ("layernorm-hash", {"n": "m", "search": True}, "search"),
    ],
)
def test_what_has_no_formula_is_refused(kind: str, arguments: dict[str, Any], says: str) -> None:
    with pytest.raises(BadInput, match=says):
        sc.bound(kind, **arguments)


def test_each_kind_with_formulas_is_a_kind() -> None:
    assert set(FORMULAS) == set(NUMBERS) <= set(KINDS)


def test_a_claim_holds_only_where_its_premise_does() -> None:
    """Lemma 7 is for gamma of at least 1: at 1/100 the value passes the claim."""
    assert sc.bound("table-lookup", gamma="g").holds is True and sc.bound("table-lookup", gamma="g + 1").holds is True
    assert sc.bound("table-lookup", gamma="g/2").holds is None
    for wrong in ("1/(100 + g)", "1/100", sympy.nan, sympy.Float(2)):
        with pytest.raises(BadInput):
            sc.bound("table-lookup", gamma=wrong, n="n")
    with pytest.raises(BadInput, match="must satisfy 2 <= n"):
        sc.bound("temperature", n=1, gamma="g")
    with pytest.raises(BadInput, match="digits"):
        sc.bound("lookup", gamma="g", digits="x")


def test_one_name_is_one_symbol() -> None:
    bound = sc.bound("softmax-hardmax", n="n", gamma="log(8*n)")
    assert bound.claimed == sympy.Rational(1, 4) and len(bound.value.free_symbols) == 1


def test_a_sum_has_a_value() -> None:
    value = sc.bound("lookup", gamma="g").value.subs("g", 1).evalf(20)
    assert abs(value - sympy.Float(sc.bound("lookup", gamma=1, digits=20).value.mid, 20)) < 1e-15


def test_numbers_of_numpy_and_sympy_are_numbers() -> None:
    import numpy as np

    plain = sc.bound("softmax-hardmax", n=64, gamma=5, digits=5)
    for n, gamma in ((np.int64(64), 5), (np.array(64), 5), (sympy.Integer(64), sympy.Integer(5))):
        assert sc.bound("softmax-hardmax", n=n, gamma=gamma, digits=5) == plain
    for wrong in (np.array([[1, 2], [3, 4]]), range(1, 10**9)):
        with pytest.raises(BadInput):
            sc.bound("softmax-hardmax", n=wrong, gamma=5)
