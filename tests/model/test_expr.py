"""The reader and the printer of the grammar, exact evaluation, and the bounds on sizes."""

from __future__ import annotations

from fractions import Fraction

import pytest
from families import together
from hypothesis import given, settings
from hypothesis import strategies as st

from symcook.errors import BadInput
from symcook.model.expr import Tree, names, parse_formula, parse_term, show
from symcook.model.rationals import quotient, rational, truth
from symcook.model.symbols import exact, from_sympy, to_sympy

NAMES = st.sampled_from(["x", "y", "eps"])
LEAVES = st.one_of(
    st.builds(lambda p, q: ("num", Fraction(p, q).numerator, Fraction(p, q).denominator), st.integers(0, 99),
              st.sampled_from([1, 2, 5, 10])),
    st.builds(lambda n: ("name", n), NAMES),
)  # fmt: skip
TERMS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(st.sampled_from("+-*/^"), inner, inner),
        st.tuples(st.just("neg"), inner),
        st.builds(lambda f, a: ("call", f, (a,)), st.sampled_from(["relu", "exp", "abs"]), inner),
        st.builds(lambda a, b: ("call", "max", (a, b)), inner, inner),
        st.builds(lambda a, b: ("sum", "j", a, b, ("*", ("name", "j"), b)), inner, inner),
        st.builds(lambda a, b: ("if", ("<", a, b), a, b), inner, inner),
    ),
    max_leaves=12,
)
FORMULAS = st.recursive(
    st.tuples(st.sampled_from(["=", "<=", "<"]), TERMS, TERMS),
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(["&", "|", "->", "<->"]), inner, inner),
        st.tuples(st.just("~"), inner),
        st.builds(lambda f: ("all", "z", "Real", f), inner),
        st.builds(lambda f, a: ("ex in", "k", a, a, f), inner, TERMS),
    ),
    max_leaves=6,
)


@settings(derandomize=True, deadline=None)
@given(TERMS)
def test_a_printed_term_reads_back(tree: Tree) -> None:
    assert parse_term(show(tree)) == tree


@settings(derandomize=True, deadline=None)
@given(FORMULAS)
def test_a_printed_formula_reads_back(tree: Tree) -> None:
    assert parse_formula(show(tree)) == tree


@together(
    ("text", "value"),
    [
        ("1/2 - 1/3", "1/6"),
        ("-2^2", "-4"),
        ("2^-1*6", "3"),
        ("2^3^2", "512"),
        ("8/2/2", "2"),
        ("5 - 3 - 1", "1"),
        ("-3*-2", "6"),
        ("0.125", "1/8"),
        ("max(1, 2, 3) - min(4, 5) + relu(-7) + abs(-2)", "1"),
        ("if(1 < 2 <= 2, 10, 20) + I[1 = 2]", "10"),
        ("sum(j, 1, 4, j^2) - prod(j, 1, 4, j)", "6"),
        ("pow(-1, 3)", "-1"),
        ("(-1)^(10^6)", "1"),
        ("(-1)^(10^6 + 1)", "-1"),
    ],
)
def test_values_and_precedence(text: str, value: str) -> None:
    """Values worked out by hand."""
    assert quotient(rational(parse_term(text))) == value
    assert to_sympy(text, {}) == Fraction(value)


def test_a_sum_runs_over_at_most_10000_integers() -> None:
    assert rational(parse_term("sum(j, 1, 10000, 1)")) == 10000
    with pytest.raises(BadInput, match="at most 10,000 integers"):
        rational(parse_term("sum(j, 0, 10000, 1)"))


@together(
    ("text", "said"),
    [
        ("", "ends too early"),
        ("1 +", "ends too early"),
        ("x y", "does not end"),
        ("1e-9", "without e"),
        (".5", "begin with a digit"),
        ("__import__('os')", "outside the grammar"),
        ("x < y", "not a comparison"),
        ("max(1)", "instead of 2"),
        ("sum(sum, 1, 2, 3)", "not a reserved word"),
        ("exp", "without arguments"),
        ("(" * 1000 + "1" + ")" * 1000, "nest at most"),
        ("+".join(["1"] * 1000), "nest at most"),
        ("9" * 5000, "digits"),
        ("1" * 30_000, "characters"),
    ],
)
def test_what_is_not_a_term_is_refused(text: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        parse_term(text)


@pytest.mark.sweep
@together(
    "text",
    ["(9^9999)^9999", "9^9^9^9", "2^(10^9)", "sum(j, 1, 10^9, j)", "sum(j, 1, 9999, sum(k, 1, 9999, j*k))", "1/(2 - 2)",
     "0^-1", "2^(1/2)", "x"],
)  # fmt: skip
def test_sizes_are_bounded_before_anything_is_computed(text: str) -> None:
    with pytest.raises(BadInput):
        rational(parse_term(text))


def test_floats_and_complex_numbers_are_refused_and_the_exact_alternative_is_named() -> None:
    with pytest.raises(BadInput, match="1/10"):
        exact(0.1)
    for value in (float("nan"), float("inf"), "(-8)^(1/3)", "sqrt(-1)", True, None, 1j):
        with pytest.raises(BadInput):
            exact(value)


def test_free_names_and_conditions() -> None:
    assert names(parse_term("sum(j, 1, n, j*x) + f(y)")) == {"n", "x", "y"}
    assert truth(parse_formula("all j in 1..3. ex k in 1..9. k = j^2"))
    assert not truth(parse_formula("all j in 1..4. ex k in 1..9. k = j^2"))


@pytest.mark.parametrize("text", ["-x/3 + max(0, x)/eps", "exp(-x)/(exp(x) + 1)", "sqrt(2)/x", "if(x < 1, x, 0)"])
def test_sympy_and_back(text: str) -> None:
    assert exact(from_sympy(exact(text))) == exact(text)
