"""Every public form in the hands of a user of sympy: numpy, LaTeX, substitution, simplification, limits and series."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
import sympy
from site_pages import load

import symcook as sc
from symcook.recipes import build, names

FORMS = [name for name in names() if name not in ("tie-break", "dyck-k-d")]  # these two have none by default
FEW = [FORMS.index(name) for name in ("count", "first", "sign-norm")]
DEAR = ("lookup-almost-orthogonal", "parity-layernorm")  # of long sums; left to the campaign `cases`
ANALYTIC = (sympy.Max, sympy.Piecewise, sympy.Sum, sympy.Indexed, sympy.Mod)
"""What sympy has no limits and series of, where it stands beside symbols."""
MOST_OPERATIONS = 60
"""sympy simplifies a larger form for minutes."""


@pytest.mark.layer_one(1, 44)
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.campaign if name in DEAR else ()) for name in FORMS]
)
@pytest.mark.layer_two(every=5)
def test_functions_of_sympy_run_on_every_form(name: str) -> None:
    found = sc.derive(build(name))
    assert callable(found.lambdify()) and found.latex()
    cases = {value for case in found.cases for value in case.expressions.values()}
    for form in {*cases, *found.expressions.values()}:
        assert sympy.latex(form)
        free = sorted(form.free_symbols, key=str)
        assert callable(sympy.lambdify(free, form))
        assert not form.subs(dict.fromkeys(free, 5)).free_symbols & set(free)
    for form in cases:
        if form.count_ops() <= MOST_OPERATIONS:
            assert sympy.simplify(form) is not None
            symbols = [s for s in form.free_symbols if type(s) is not sympy.Indexed]
            if symbols and not form.has(*ANALYTIC):
                first = min(symbols, key=str)
                assert sympy.limit(form, first, 1) is not None
                assert sympy.series(form, first, 1, 2) is not None


@pytest.mark.sweep
def test_limits_and_series_of_a_logit() -> None:
    """exp(c)/(2(n + exp(c) - 1)): to 1/2 for a sure head, and to 0 for long strings."""
    found = build("first").derive()
    form, n, c = found.cases[1].expressions["logit"], found.variables["n"], found.variables["c"]
    assert sympy.limit(form, c, sympy.oo) == sympy.Rational(1, 2) and sympy.limit(form, n, sympy.oo) == 0
    assert sympy.simplify(sympy.series(form, c, 0, 2).removeO() - (1 / (2 * n) + c * (n - 1) / (2 * n**2))) == 0


def test_a_branch_is_a_piecewise() -> None:
    found = build("sign-norm").derive()
    assert isinstance(found.expressions["x"], sympy.Piecewise) and len(found.cases) == 3
    assert [found.expressions["x"].subs({"x": x, "y": 1}) for x in (0, 1, 2)] == [-1, 0, 1]
    assert found.output == {"x": "if(0 < x - y, 1, if(x - y < 0, -1, 0))"}
    assert [case["conditions"] for case in found.to_json()["cases"]] == [["0 < x - y"], ["x - y < 0"], ["x - y = 0"]]
    assert found.text().count("sign-norm on x, y") == 3


def test_a_form_at_every_length_is_a_piecewise_over_its_cases() -> None:
    found = build("first").derive()
    assert found.region == "0 < c" and not any(found.proved.values())
    sure = found.expressions["logit"].subs({"c": 0, "n": 4})
    token = next(s for s in sure.free_symbols if type(s) is sympy.Indexed)
    assert [sure.subs(token, number) for number in (0, 1)] == [Fraction(-1, 8), Fraction(1, 8)]


def test_what_is_proved_is_said_name_by_name() -> None:
    assert dict(build("count").derive().prove().proved) == {"share": True}
    assert dict(build("gtzero").derive().proved) == {"out": False}


def test_numpy_takes_arrays_and_says_what_is_missing() -> None:
    found: Any = build("parity").derive()
    ones = 'count("1")'
    logits = found.lambdify(ones, "n", "c")([0, 1, 2], 5, 1.5)["logit"]
    exact = [build("parity").bind({"c": "3/2"}).run(word).result for word in ("0000", "1000", "1100")]
    assert [float(value) > 0 for value in logits] == [False, True, False] == [bool(run.accept) for run in exact]
    with pytest.raises(sc.BadInput, match="add n"):
        found.lambdify(ones, "c")
    with pytest.raises(sc.BadInput, match="given: x"):
        found.lambdify(ones, "n", "c", "x")
    with pytest.raises(sc.BadInput, match="given each of count"):
        found.lambdify(ones, "n", "c")(1, 2)


def test_sums_over_inputs_are_sums() -> None:
    found = build("prefix-average").derive()
    assert str(found.expressions["mean"]) == "Sum(x[j], (j, 1, i))/i"
    assert found.lambdify()(i=2, x=[1, 4, 9])["mean"].item() == 2.5


def test_the_symbols_of_a_bound() -> None:
    bound = sc.bound("softmax-hardmax", n="n", gamma="g")
    assert set(bound.symbols) == {"n", "g"} == {s.name for s in bound.value.free_symbols}
    assert bound.claimed.subs(bound.symbols["n"], 3) == bound.claimed.subs("n", 3)


def test_the_table_of_recipes_has_the_form_or_why_not() -> None:
    pages = load("recipes")
    chosen = [pages.recipes.info(name) for name in ("sign-norm", "count", "tie-break")]
    rows = [line for line in pages.forms({"chosen": chosen}) if line.startswith("| [")]
    assert [row.split(" | ")[1:] for row in rows] == [
        ["`x = 1 if 0 < x - y`", "`true`", "3 |"],
        ["`share = count(a)/n`", "`true`", "1 |"],
        ["none: found: a head needs a sum of quotients or powers in j; there is one with `--rows`", "", " |"],
    ]
