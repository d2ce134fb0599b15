"""Numbers that are kept are those that sympy reads, and a model made of either is one model."""

from __future__ import annotations

import pickle
from decimal import Decimal
from fractions import Fraction

import pytest
import sympy
from families import together

from symcook.errors import BadInput
from symcook.model.checks import Space, sparse
from symcook.model.ends import Embedding, Readout
from symcook.model.entries import FEW, NamedNumbers, RationalEntries, kept_number, rational_matrix, rational_of
from symcook.model.parts import FeedForward, Head, LayerNorm
from symcook.model.symbols import symbol
from symcook.numbers.matrix import RationalMatrix


@together(
    "given",
    [
        0, -7, 10**40, Fraction(-3, 9), "1/3", "-2/6", "1e-3", "0.25", "2^10 - 1", "sqrt(9/4)", "max(1/3, 1/2)",
        "3*(1 - 1/4)/7", "I[1 < 2]", sympy.Rational(5, 15), sympy.Integer(4),
    ],
)  # fmt: skip
def test_a_kept_number_is_the_one_that_sympy_reads(given: object) -> None:
    if isinstance(given, str) and "I[" not in given and "e-" not in given:
        meant = sympy.nsimplify(given.replace("^", "**").replace("max", "Max"), rational=True)
    elif given == "I[1 < 2]":
        meant = sympy.Integer(1)
    else:
        meant = sympy.Rational(str(given)) if given != "1e-3" else sympy.Rational(1, 1000)
    found = rational_of(given)
    assert found is not None
    assert sympy.Rational(found.numerator, found.denominator) == meant


@together(
    "given",
    [0.5, True, None, "1/eps", "pi", "sqrt(2)", "1/0", "2 +", "", Decimal("0.5"), sympy.Float(1), sympy.Rational, [1],
     sympy.sqrt(2), sympy.Symbol("x")],
)  # fmt: skip
def test_what_is_not_a_rational_as_given_is_not_kept(given: object) -> None:
    assert rational_of(given) is None


@together("given", [0.5, True, "1/0", "2 +", None, [1]])
def test_what_is_refused_is_refused_as_before(given: object) -> None:
    with pytest.raises(BadInput):
        kept_number(given)
    with pytest.raises(BadInput):
        FeedForward(("x",), ("y",), [[given]], [0], [[1]], [0])


def parts(number: object) -> list[Head | FeedForward | LayerNorm]:
    """A part of each kind with `number` of 1/2, 0, 3 and -1 as what is given."""
    half, zero, three, less = (number(one) for one in (Fraction(1, 2), Fraction(0), Fraction(3), Fraction(-1)))  # type: ignore[operator]
    return [
        FeedForward(("x", "y"), ("z",), [[half, zero], [zero, less]], [three, zero], [[less, half]], [zero]),
        Head(("x", "y"), ("z",), [[half, zero]], [[zero, three]], [[less, half]], scale=half, temperature=three),
        Head(("x", "y"), ("z",), [[zero, zero]], [[zero, three]], [[less, half]], weighting="softmax", scale=half),
        LayerNorm(("x", "y"), gain=[half, three], bias=[zero, less], epsilon=half),
    ]


def test_a_part_is_the_same_however_its_numbers_are_given() -> None:
    kept, made = parts(str), parts(lambda one: sympy.Rational(one.numerator, one.denominator) + 0)
    for text, number in zip(kept, made, strict=True):
        assert text.lowered == number.lowered
        assert all("." not in str(value) for value in text.numbers().values())
        again = pickle.loads(pickle.dumps(text))
        assert text == number == again
        assert hash(text) == hash(number)
        for weights in text.matrices().values():
            assert isinstance(weights, RationalMatrix)
            assert weights == sympy.ImmutableMatrix(weights)
    assert sympy.ImmutableMatrix([[sympy.Rational(1, 2), 0], [0, -1]]) == kept[0].W1  # type: ignore[union-attr]
    assert kept[0] != parts(lambda one: str(one + (one == 3)))[0]  # one entry is another
    assert (kept[1].scale, kept[1].temperature) == (sympy.Rational(1, 2), sympy.Integer(3))  # type: ignore[union-attr]
    assert [head.uniform for head in kept[1:3] if isinstance(head, Head)] == [False, True]
    assert isinstance(kept[1].scale, sympy.Rational)  # type: ignore[union-attr]


def test_scores_that_meet_are_not_uniform() -> None:
    assert not Head(("x",), ("z",), [[1], [0]], [["1/2"], [1]], [[1]]).uniform
    assert Head(("x",), ("z",), [[1], [0]], [[0], [1]], [[1]]).uniform


def test_a_matrix_is_kept_by_its_rows() -> None:
    found = rational_matrix([{2: 1, 0: Fraction(1, 2), 1: 0}, {}], 3)
    assert isinstance(found, RationalEntries)
    assert (found.shape, [list(row.items()) for row in found.rows]) == ((2, 3), [[(0, Fraction(1, 2)), (2, 1)], []])
    assert sparse(found, "abc") == ({"a": Fraction(1, 2), "c": 1}, {})
    assert RationalEntries.of(["1/2", 0, 0, 1], (2, 2)) == RationalEntries(({0: Fraction(1, 2)}, {1: Fraction(1)}), 2)
    assert RationalEntries.of([1, sympy.Symbol("eps")], (1, 2)) is None
    assert RationalEntries.of([1] * (FEW + 1), (1, FEW + 1)) is None


def test_values_are_a_mapping_of_numbers_of_sympy() -> None:
    found = NamedNumbers({"x": "1/2", "y": "1/i"})
    assert dict(found) == {"x": sympy.Rational(1, 2), "y": 1 / symbol("i")}
    assert isinstance(found["x"], sympy.Rational)
    space = Space(("x", "y"))
    one, other = Embedding(space, {"a": {"x": "1/2"}}), Embedding(space, {"a": {"x": sympy.Rational(1, 2)}})
    assert one == other
    assert hash(one) == hash(other)
    assert one != Embedding(space, {"a": {"x": "1/3"}})
    assert Readout("sign", "last", ("x",), [["2/4"]]) == Readout("sign", "last", ("x",), sympy.Matrix([[1]]) / 2)


@pytest.mark.parametrize("scale, text", [(0, "0"), ("-1/2", "-1/2")])
def test_a_scale_that_is_not_positive_is_refused(scale: object, text: str) -> None:
    with pytest.raises(BadInput, match=f"the scale of a head must be positive; given: {text}; give 1 or 1/sqrt"):
        Head(("x",), ("z",), [[1]], [[1]], [[1]], scale=scale)
    with pytest.raises(BadInput, match=f"a temperature must be positive; given: {text}"):
        Head(("x",), ("z",), [[1]], [[1]], [[1]], temperature=scale)
