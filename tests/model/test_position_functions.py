"""Position functions and temperatures with sums, products and conditions: one meaning in every number system.

The values come from Python functions that are generated beside the text and share nothing with the library.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import flint
import mpmath
import numpy as np
import pytest
import sympy
from families import together
from hypothesis import given, settings
from hypothesis import strategies as st

from symcook.derivation import derive
from symcook.domains import make_domain
from symcook.domains.symbolic import Symbolic
from symcook.errors import BadInput, Undecided
from symcook.export import archive
from symcook.model.checks import Space
from symcook.model.ends import Embedding, Readout
from symcook.model.expr import parse_term
from symcook.model.modelfile import dumps, loads, model_hash
from symcook.model.parts import Head, Layer, SelfAttention
from symcook.model.rationals import rational
from symcook.model.symbols import at, exact, from_sympy, lowered, symbol
from symcook.model.transformer import Parameter, Transformer
from symcook.numbers.evaluate import evaluate, float_of
from symcook.verify.sweep import check

Values = dict[str, int]


class Refused(Exception):
    """The expression has no value there."""


@dataclass(frozen=True)
class Term:
    """Text of the grammar, and the value that a theorist reads in it."""

    text: str
    value: Callable[[Values], Fraction]


def whole(value: Fraction) -> int:
    if value.denominator != 1:
        raise Refused
    return int(value)


def over(a: Fraction, b: Fraction) -> Fraction:
    if b == 0:
        raise Refused
    return a / b


OPERATIONS: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
    "({} + {})": lambda a, b: a + b,
    "({} - {})": lambda a, b: a - b,
    "{}*({})": lambda a, b: a * b,
    "({})/({})": over,
    "max({}, {})": max,
    "min({}, {})": min,
    "relu({} - ({}))": lambda a, b: max(a - b, Fraction(0)),
    "abs({} + {})": lambda a, b: abs(a + b),
}
COMPARISONS: dict[str, Callable[[Fraction, Fraction], bool]] = {
    "{} < {}": lambda a, b: a < b,
    "{} <= {}": lambda a, b: a <= b,
    "{} = {}": lambda a, b: a == b,
    "{} != {}": lambda a, b: a != b,
    "~({} < {})": lambda a, b: not a < b,
}
CONNECTIVES: dict[str, Callable[[bool, bool], bool]] = {
    "({}) & ({})": lambda p, q: p and q,
    "({}) | ({})": lambda p, q: p or q,
    "({}) -> ({})": lambda p, q: not p or q,
    "({}) <-> ({})": lambda p, q: p == q,
    "({}) & true | false & ({})": lambda p, q: p,
}


@st.composite
def conditions(draw: st.DrawFn, names: tuple[str, ...], depth: int) -> tuple[str, Callable[[Values], bool]]:
    if depth > 0 and draw(st.integers(0, 2)) == 0:
        form = draw(st.sampled_from(list(CONNECTIVES)))
        (p, left), (q, right) = (draw(conditions(names, depth - 1)) for _ in range(2))

        def joined(v: Values) -> bool:
            return CONNECTIVES[form](*(part(v) for part in (left, right)))  # both sides are asked

        return form.format(p, q), joined
    form = draw(st.sampled_from(list(COMPARISONS)))
    a, b = (draw(terms(names, depth - 1)) for _ in range(2))
    return form.format(a.text, b.text), lambda v: COMPARISONS[form](a.value(v), b.value(v))


@st.composite
def terms(draw: st.DrawFn, names: tuple[str, ...] = ("i", "n"), depth: int = 3) -> Term:
    kind = draw(st.sampled_from(["leaf", "operation", "range", "range", "range", "choice"])) if depth > 0 else "leaf"
    if kind == "leaf":
        if draw(st.integers(0, 2)):
            name = draw(st.sampled_from(names))
            return Term(name, lambda v: Fraction(v[name]))
        p, q = draw(st.integers(0, 3)), draw(st.sampled_from([1, 1, 2]))
        return Term(f"{p}/{q}" if q > 1 else str(p), lambda v: Fraction(p, q))
    if kind == "operation":
        form = draw(st.sampled_from(list(OPERATIONS)))
        a, b = (draw(terms(names, depth - 1)) for _ in range(2))
        return Term(form.format(a.text, b.text), lambda v: OPERATIONS[form](a.value(v), b.value(v)))
    if kind == "choice":
        text, holds = draw(conditions(names, depth - 1))
        if draw(st.booleans()):
            return Term(f"I[{text}]", lambda v: Fraction(int(holds(v))))
        a, b = (draw(terms(names, depth - 1)) for _ in range(2))
        return Term(f"if({text}, {a.text}, {b.text})", lambda v: (a if holds(v) else b).value(v))
    tag, bound = draw(st.sampled_from(["sum", "prod"])), draw(st.sampled_from("jkli"))
    ends = []
    for _ in range(2):
        name, shift = draw(st.sampled_from([*names, "0", "1", "2"])), draw(st.integers(-2, 2))
        halved = draw(st.integers(0, 9)) == 0
        text = f"{name} + {shift}" if shift >= 0 else f"{name} - {-shift}"
        ends.append(
            Term(
                f"({text})/2" if halved else text,
                lambda v, name=name, shift=shift, halved=halved: Fraction(
                    (v[name] if name in v else int(name)) + shift, 2 if halved else 1
                ),
            )
        )
    low, high = ends
    body = draw(terms(tuple(dict.fromkeys((*names, bound))), depth - 1))

    def folded(v: Values) -> Fraction:
        first, last = whole(low.value(v)), whole(high.value(v))
        total = Fraction(0 if tag == "sum" else 1)
        j = first
        while j <= last:
            value = body.value({**v, bound: j})
            total = total + value if tag == "sum" else total * value
            j += 1
        return total

    return Term(f"{tag}({bound}, {low.text}, {high.text}, {body.text})", folded)


def model_of(text: str, start: int = 1) -> Transformer:
    embedding = Embedding(Space(("x",)), words={"a": {}, "b": {"x": 1}}, positions={"x": text}, start=start)
    nothing = Layer(SelfAttention((Head(("x",), ("x",), [[0]], [[0]], [[0]]),)))
    return Transformer("one", embedding, (nothing,), Readout("value", "each", ("x",)))


LENGTH = 3
WORD = "a" * LENGTH


def expected(term: Term, n: int, start: int = 1) -> list[Fraction] | None:
    """The values at all positions; None where one of them has none."""
    try:
        return [term.value({"i": i, "n": n}) for i in range(start, start + n)]
    except Refused:
        return None


@pytest.mark.sweep
@settings(derandomize=True, deadline=None, max_examples=80)
@given(terms(), st.sampled_from([0, 1]))
def test_every_number_system_gives_an_expression_the_same_value(term: Term, start: int) -> None:
    """Where the expression has a value as it is written, all have it; none has another one."""
    wanted = expected(term, LENGTH, start)
    try:
        model = model_of(term.text, start)
    except BadInput as error:  # a part without i and n that has no value is refused even where nobody asks for it
        assert wanted is None or "must be integers" in str(error) or "denominator" in str(error), term.text
        return
    expression = model.embedding.positions["x"]
    again = loads(dumps(model))
    assert model_hash(again) == model_hash(model)
    assert loads(dumps(again)) == again  # reading may distribute a number over a bracket once
    if wanted is None:  # sympy may have cancelled what had no value, as in 0*(1/0); else all refuse
        return
    for name, read in SYSTEMS.items():
        for value, right in zip(read(term, model, expression, start), wanted, strict=False):
            assert value == right if isinstance(value, Fraction) else value(right), (name, term.text)


def near(given: float) -> Callable[[Fraction], bool]:
    return lambda right: math.isclose(given, float(right), rel_tol=1e-9, abs_tol=1e-9)


def by_domain(name: str, expression: Any, start: int) -> list[Any]:
    domain = Symbolic(()) if name == "symbolic" else make_domain(name)
    domain.begin(tuple(WORD), start)
    with domain.context():
        column = domain.positions(lowered(expression))
        return [domain.read(column, place) for place in range(len(column))]


def in_ball(ball: Any) -> Callable[[Fraction], bool]:
    def contains(right: Fraction) -> bool:
        if isinstance(ball, flint.fmpq):  # exact as long as it is rational
            return Fraction(int(ball.p), int(ball.q)) == right
        with flint.ctx.workprec(2000):
            return bool(ball.contains(flint.arb(right.numerator) / right.denominator)) and ball.rad() < 1e-9

    return contains


def by_check(term: Term, model: Transformer, start: int) -> list[Any]:
    """A sweep over all words up to the length, in batches."""
    tables = {n: expected(term, n, start) for n in range(1, LENGTH + 1)}
    if None in tables.values():
        return []

    def reference(word: Any) -> list[Fraction]:
        values = tables[len(word)] or []
        return [value + (token == "b") for value, token in zip(values, word, strict=True)]

    assert check(model, reference, LENGTH).holds, term.text
    return []


def by_archive(term: Term, model: Transformer, start: int) -> list[Any]:
    if any(expected(term, n, start) is None for n in range(1, LENGTH + 1)):
        return []
    m = archive.arrays(model, "float64", LENGTH)
    z = archive.evaluate(m, archive.embed(m, np.array([[0] * LENGTH])))
    return [near(float(x)) for x in archive.shown(m, z)[0][:, 0]]


SYSTEMS: dict[str, Callable[[Term, Transformer, Any, int], list[Any]]] = {
    "exact": lambda t, m, e, start: [Fraction(x) for x in by_domain("exact", e, start)],
    "ball": lambda t, m, e, start: [in_ball(x) for x in by_domain("ball", e, start)],
    "mpmath": lambda t, m, e, start: [near(float(x)) for x in by_domain("mpmath", e, start)],
    "float64": lambda t, m, e, start: [near(float(x)) for x in by_domain("float64", e, start)],
    "symbolic": lambda t, m, e, start: [Fraction(int(x.p), int(x.q)) for x in by_domain("symbolic", e, start)],
    "check": lambda t, m, e, start: by_check(t, m, start),
    "npz": lambda t, m, e, start: by_archive(t, m, start),
}


def shown(text: str, domain: str = "exact", word: str = WORD) -> list[str]:
    return [middle(x) for x in model_of(text).run(word, domain).outputs or ()]


def middle(value: Any) -> str:
    return str(value["mid"] if isinstance(value, dict) else value)


@together(
    ("text", "values"),
    [
        ("sum(j, 1, i, sum(k, 1, i, k))", [1, 6, 18]),  # i * i(i + 1)/2
        ("sum(j, 1, i, sum(k, 1, j, k))", [1, 4, 10]),
        ("sum(j, 1, i, sum(j, 1, j, j))", [1, 4, 10]),  # the inner j hides the outer one
        ("sum(j, 1, i, prod(k, 1, j, k))", [1, 3, 9]),
        ("prod(j, 1, i, sum(k, 1, j, 1))", [1, 2, 6]),
        ("prod(j, 1, i, prod(k, 1, j, k))", [1, 2, 12]),
        ("sum(i, 1, i, i)", [1, 3, 6]),
        ("sum(j, 2, 0, j)", [0, 0, 0]),
        ("sum(j, 2, i - 1, j)", [0, 0, 2]),
        ("sum(j, i, 0, 1/j)", [0, 0, 0]),  # nothing is asked of an empty sum
        ("prod(j, i, i - 5, 0)", [1, 1, 1]),
        ("sum(j, 1, n/2 + 1/2, j)", [3, 3, 3]),
        ("max(sum(j, 1, n, i/j), 1)", [Fraction(11, 6), Fraction(11, 3), Fraction(11, 2)]),
        ("if(sum(j, 1, i, j) < 3, 1, 0)", [1, 0, 0]),
        ("if(sum(j, 1, i, j) = 3 -> n < 0, 1, 0)", [1, 0, 1]),
        ("sum(j, -i, -1, j)^2/prod(j, 1, 2, i)", [1, Fraction(9, 4), 4]),
        ("sum(j, 1, 3, if(j <= i, 1/j, 0))", [1, Fraction(3, 2), Fraction(11, 6)]),
        ("sum(j, 1, sum(k, 1, i, 1), j)", [1, 3, 6]),
    ],
)
@together("domain", ["exact", "ball", "mpmath", "float64"])
def test_sums_worked_out_by_hand(text: str, values: list[int], domain: str) -> None:
    for found, right in zip(shown(text, domain), values, strict=True):
        if domain == "exact":
            assert Fraction(found) == right
        else:
            assert math.isclose(float(found), float(right), rel_tol=1e-12)


@together("domain", ["exact", "ball", "mpmath", "float64", "float32"])
@together(
    ("text", "why"),
    [
        ("sum(j, 1, n/2, j)", "ends of a sum must be integers"),
        ("prod(j, 1/2, n, j)", "ends of a product must be integers"),
        ("sum(j, 1, sqrt(i), j)", "ends of a sum must be integers"),
        ("sum(j, 0, n, i/j)", "denominator must not be zero"),
        ("max(sum(j, 0, n, i/j), 1)", "denominator must not be zero"),
        ("min(2/prod(j, 1, n, 0), n)", "denominator must not be zero"),
        ("max(1, exp(i)/(i - 2)^2)", "denominator must not be zero|rational"),
        ("exp(-1/(i - 2)^2)", "denominator must not be zero|rational"),
        ("max(1, log(i - 1))", "log|rational"),
        ("1/(1 + max(3, log(relu(2 - i))))", "log|rational"),
        ("sum(j, 1, i*10^9, j)", "at most 10,000 integers"),
        ("sum(j, 1, 9999, sum(k, 1, 9999, j*k*i))", "sums"),
    ],
)
def test_what_a_sum_cannot_be_is_refused_everywhere(text: str, why: str, domain: str) -> None:
    with pytest.raises(BadInput, match=why):
        shown(text, domain)


def test_an_end_may_be_no_integer_where_nobody_asks() -> None:
    assert shown("if(i < 0, sum(j, 1, n/2, j), 7)") == ["7", "7", "7"]
    assert shown("sum(j, 1, n/2, j)", word="aaaa") == ["3"] * 4


@pytest.mark.parametrize(
    "text",
    ["sum(j, 1, i, sqrt(j))", "prod(j, 1, i, exp(-j/n))", "sum(j, 1, i, sum(k, 1, j, log(k + 1)/j))",
     "sqrt(sum(j, 1, i, j^2))", "sum(j, 1, i, cos(pi*j))", "if(sum(j, 1, i, sqrt(j)) < 2, 1, 0)"],
)  # fmt: skip
def test_irrational_terms_against_mpmath(text: str) -> None:
    by_hand: dict[str, Callable[[int, int], Any]] = {
        "sum(j, 1, i, sqrt(j))": lambda i, n: mpmath.fsum(mpmath.sqrt(j) for j in range(1, i + 1)),
        "prod(j, 1, i, exp(-j/n))": lambda i, n: mpmath.exp(-mpmath.mpf(i * (i + 1)) / 2 / n),
        "sum(j, 1, i, sum(k, 1, j, log(k + 1)/j))": lambda i, n: mpmath.fsum(
            mpmath.log(mpmath.factorial(j + 1)) / j for j in range(1, i + 1)
        ),
        "sqrt(sum(j, 1, i, j^2))": lambda i, n: mpmath.sqrt(i * (i + 1) * (2 * i + 1) / mpmath.mpf(6)),
        "sum(j, 1, i, cos(pi*j))": lambda i, n: -(i % 2),
        "if(sum(j, 1, i, sqrt(j)) < 2, 1, 0)": lambda i, n: i < 2,
    }
    right = [float(by_hand[text](i, LENGTH)) for i in range(1, LENGTH + 1)]
    for domain in ("ball", "mpmath", "float64", "symbolic"):
        if domain == "symbolic":
            model = model_of(text)
            found = [float_of(at(model.embedding.places["x"], {"i": i, "n": LENGTH})) for i in range(1, LENGTH + 1)]
            last = derive(model_of(text, 1), WORD).expressions["x"]
            assert math.isclose(float(last), right[-1], rel_tol=1e-12)
        else:
            found = [float(x) for x in shown(text, domain)]
        assert np.allclose(found, right, rtol=1e-12, atol=1e-12), domain


def test_a_declared_symbol_may_stand_in_a_sum_and_at_its_end() -> None:
    embedding = Embedding(Space(("x",)), words={"a": {}}, positions={"x": "sum(j, 1, i, c*j) + prod(k, 1, N, k)"})
    nothing = Layer(SelfAttention((Head(("x",), ("x",), [[0]], [[0]], [[0]]),)))
    symbols = (Parameter("c", default=2), Parameter("N", default=3))
    model = Transformer("sums", embedding, (nothing,), Readout("value", "last", ("x",)), symbols)
    assert loads(dumps(model)) == model
    assert model.run("aa").output == {"x": "12"}
    assert str(derive(model, "aa", {"N": 4}).expressions["x"]) == "3*c + 24"
    for bad in ("1/2", "sqrt(2)"):
        with pytest.raises(BadInput, match="ends of a product must be integers"):
            model.run("aa", values={"N": bad})


def test_a_symbol_never_falls_under_a_sum() -> None:
    """A symbol that is renamed to the variable of a sum stays the symbol."""
    renamed = exact("sum(j, 1, n, c*j)").xreplace({symbol("c"): symbol("j")})
    assert renamed.free_symbols == {symbol("j"), symbol("n")}
    assert at(lowered(renamed), {"i": 1, "n": 3}) == lowered("6*j") and from_sympy(renamed) == "sum(j_, 1, n, j*j_)"
    assert exact(from_sympy(renamed)) == exact("sum(j_, 1, n, j*j_)")


def test_sums_of_sympy_are_read_as_the_grammar_reads_them() -> None:
    i, k, j = symbol("i"), sympy.Symbol("k"), sympy.Symbol("j")
    inner = sympy.Sum(k, (k, 1, i))
    assert exact(sympy.Sum(inner, (j, 1, i))) == exact("sum(j, 1, i, sum(k, 1, i, k))")
    assert exact(1 + sympy.Product(k, (k, 1, i))) == exact("prod(k, 1, i, k) + 1")
    assert exact(sympy.Sum(k, (k, 2, 0))) == 0
    with pytest.raises(BadInput):
        exact(sympy.Sum(1 / k**2, (k, 1, sympy.oo)))


def test_conditions_keep_every_connective_in_every_number_system() -> None:
    for text in ("if(i = 1 -> n = 2, 1, 0)", "if(i = 1 <-> n = 3, 1, 0)", "I[~(i < n & n < 4)]", "I[true]", "I[false]"):
        wanted = {
            "if(i = 1 -> n = 2, 1, 0)": [0, 1, 1],
            "if(i = 1 <-> n = 3, 1, 0)": [1, 0, 0],
            "I[~(i < n & n < 4)]": [0, 0, 1],
            "I[true]": [1, 1, 1],
            "I[false]": [0, 0, 0],
        }[text]
        for domain in ("exact", "ball", "mpmath", "float64"):
            assert [float(x) for x in shown(text, domain)] == wanted, (text, domain)


def test_a_comparison_that_stays_open_is_undecided_and_no_branch() -> None:
    for domain in ("exact", "mpmath", "float64"):
        with pytest.raises(Undecided, match="is undecided"):
            shown("if(log(8) = 3*log(2), i, 0)", domain)


def test_a_temperature_with_an_empty_sum_is_zero_and_refused() -> None:
    """sympy takes a sum of positive terms for positive, however short."""
    head = Head(("x",), ("x",), [[1]], [[1]], [[1]], mask="future", weighting="softmax", temperature="sum(j, 2, i, j)")
    embedding = Embedding(Space(("x",)), words={"a": {"x": 1}})
    model = Transformer("cold", embedding, (Layer(SelfAttention((head,))),), Readout("value", "last", ("x",)))
    for domain in ("exact", "ball", "mpmath", "float64"):
        with pytest.raises(BadInput, match="temperature must be positive"):
            model.run("aa", domain)


def test_a_temperature_with_a_sum_is_the_same_everywhere() -> None:
    """softmax of the scores x_i x_j / (1 + ... + i) at i = 2: weights e^(1*0/3) and e^(1*1/3)."""
    head = Head(("x",), ("y",), [[1]], [[1]], [[1]], mask="future", weighting="softmax", temperature="sum(j, 1, i, j)")
    embedding = Embedding(Space(("x", "y")), words={"a": {}, "b": {"x": 1}})
    model = Transformer("warm", embedding, (Layer(SelfAttention((head,))),), Readout("value", "last", ("y",)))
    assert loads(dumps(model)) == model
    right = math.exp(1 / 3) / (1 + math.exp(1 / 3))
    for domain in ("ball", "mpmath", "float64"):
        assert math.isclose(float(middle(model.run("ab", domain).output["y"])), right, rel_tol=1e-12)
    assert math.isclose(float(derive(model, "ab").expressions["y"]), right, rel_tol=1e-12)
    m = archive.arrays(model, "float64", 2)
    z = archive.evaluate(m, archive.embed(m, np.array([[0, 1]])))
    assert math.isclose(archive.shown(m, z)[0, 1, 0], right, rel_tol=1e-12)


@settings(derandomize=True, deadline=None, max_examples=100)
@given(terms(names=("i", "n"), depth=3), st.integers(1, 3))
@pytest.mark.sweep
def test_the_tree_itself_has_that_value_for_rationals_and_balls(term: Term, i: int) -> None:
    """Without sympy between: what `bound`, regions of recipes and references evaluate."""
    tree, values = parse_term(term.text), {"i": Fraction(i), "n": Fraction(LENGTH)}
    try:
        right = term.value({"i": i, "n": LENGTH})
    except Refused:
        with pytest.raises(BadInput):
            rational(tree, values)
        return
    assert rational(tree, values) == right
    with flint.ctx.workprec(400):
        assert in_ball(evaluate(tree, values))(right)
