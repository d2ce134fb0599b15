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


@pytest.mark.parametrize("n", ["n", sympy.Symbol("n"), sympy.Symbol("n", integer=True, positive=True)])
@pytest.mark.parametrize("gamma", ["log(8*n)", sympy.log(8 * sympy.Symbol("n"))], ids=["text", "sympy"])
def test_a_name_is_one_symbol_as_text_and_of_sympy(n: Any, gamma: Any) -> None:
    """2 n e^(-log 8n) is 1/4."""
    bound = sc.bound("softmax-hardmax", n=n, gamma=gamma)
    assert bound.claimed == sympy.Rational(1, 4) and list(bound.symbols) == ["n"]


@pytest.mark.parametrize("gamma", ["log(8*n)", sympy.log(8 * sympy.Symbol("n")), "log(512)", sympy.log(512)])
def test_a_name_of_an_argument_is_that_argument(gamma: Any) -> None:
    """With n = 64: 2*64/512 = 1/4."""
    answer = sc.bound("softmax-hardmax", n=64, gamma=gamma, digits=5)
    assert answer.holds is True and abs(float(answer.claimed) - 0.25) < 1e-5
    assert sc.bound("softmax-hardmax", 64, gamma, digits=5) == answer


def test_a_name_of_an_argument_with_other_names_is_refused() -> None:
    with pytest.raises(
        BadInput, match="n must have one value wherever it occurs in the arguments; given: n = m, and gamma"
    ):
        sc.bound("softmax-hardmax", n="m", gamma="log(8*n)")
    longer = sc.bound("softmax-hardmax", n="n + 1", gamma="log(8*n)").claimed  # 2 (n + 1)/(8 n)
    assert longer.subs("n", 3) == sympy.Rational(1, 3)
    for number in ("E", "oo", "GoldenRatio"):
        with pytest.raises(BadInput, match=f"a symbolic argument must not have the name of a number; given: {number}"):
            sc.bound("softmax-hardmax", n="n", gamma=number)


@pytest.mark.parametrize("gamma", ["g - 1", "sin(g)", "log(n/2)", sympy.Symbol("g", real=True), sympy.Symbol("g") - 1])
def test_an_undecided_premise_leaves_the_bound_open(gamma: Any) -> None:
    """Each of these is negative for some value of its names, as for g = 1/2, 4 and n = 1."""
    bound = sc.bound("softmax-hardmax", n="n", gamma=gamma)
    assert (bound.status, bound.holds) == ("OPEN", None) and "where 1 <= n & 0 < gamma" in (bound.why or "")
    assert f"OPEN: {bound.claim_status} where" in repr(bound)


def test_a_symbol_is_read_as_its_name_is() -> None:
    for g in ("g", sympy.Symbol("g"), sympy.Symbol("g", positive=True)):
        plain = sc.bound("softmax-hardmax", n="n", gamma=g)
        assert (plain.status, plain.premise_holds, plain.why) == (plain.claim_status, True, None)
    for gamma in ("g + 1", sympy.Symbol("g") + 1):
        assert sc.bound("softmax-hardmax", n="n", gamma=gamma).premise_holds is True


def test_exact_numbers_of_sympy_are_arguments() -> None:
    """2*64/64, 128 e^-pi and 128 e^-sqrt(2), of Python's own floats."""
    from math import exp, pi

    import mpmath

    for gamma, value in ((sympy.log(64), 2.0), (sympy.pi, 128 * exp(-pi)), (sympy.sqrt(2), 128 * exp(-(2**0.5)))):
        assert abs(float(sc.bound("softmax-hardmax", n=64, gamma=gamma).claimed) - value) < 1e-9
    for number in (0.5, mpmath.mpf("0.5"), sympy.Float(0.5)):
        with pytest.raises(BadInput, match=r'gamma must be exact; given: 0\.5; a float is not exact: write "1/2"'):
            sc.bound("softmax-hardmax", n=64, gamma=number)
    text = sc.bound("softmax", scores=["3", "1/2", 0], gamma=1)
    assert text.value.mid == sc.bound("softmax", scores="3, 1/2, 0", gamma=1).value.mid
    with pytest.raises(BadInput, match=r'a score must be exact and rational; given: 0\.5; .* write "1/2"'):
        sc.bound("softmax", scores=[3, 0.5, 0], gamma=1)


@pytest.mark.parametrize("kind", ["lookup", "ziggurat", "table-lookup"])
def test_a_count_that_may_be_zero_is_no_proved_bound(kind: str) -> None:
    """At n = 0 these formulas have no value; the premise did not speak of n, so that n - 1 counted as proved."""
    found = sc.bound(kind, gamma="g", n="n-1")
    value = sympy.simplify(found.value.subs("g", 2).subs("n", 1).doit())
    assert value in (sympy.zoo, sympy.nan, sympy.oo)
    assert (found.holds, found.premise_holds, found.status) == (None, None, "OPEN")
    assert "1 <= n" in found.why
    assert sc.bound(kind, gamma="g", n="n+1").holds is True


def test_a_count_that_may_be_no_integer_is_no_proved_bound() -> None:
    """2 <= n/2 + 2 holds for each n, but n/2 + 2 is a length for even n only."""
    for kind, rest in (("layernorm-hash", {}), ("softmax-hardmax", {"gamma": "g"}), ("lookup", {"gamma": "g"})):
        found = sc.bound(kind, n="n/2+2", **rest)
        assert found.holds is None and "n = floor(n)" in found.why
        assert sc.bound(kind, n="2*k+2", **rest).holds is True
    assert sc.bound("lookup", n=sympy.Symbol("n", positive=True), gamma="g").holds is None


def test_an_error_that_is_left_out_is_in_the_premise() -> None:
    """The error is 1/4 then; the premise was read without it, and n - 1 refused with a message on names."""
    assert sc.bound("temperature", n="n+1", gamma="g").premise_holds is True
    assert sc.bound("temperature", n="n-1", gamma="g").premise_holds is None
