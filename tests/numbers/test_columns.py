"""Expressions that speak of positions and definitions, exactly and in balls."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import flint
import numpy as np
import pytest

from symcook.errors import BadInput, NotExact, Undecided
from symcook.model.expr import parse_term
from symcook.numbers.columns import Column, valued
from symcook.numbers.together import Together, valued_together

NEAR = Fraction(1, 10**20)


def definition(argument: str, text: str) -> tuple[str, Any]:
    return argument, parse_term(text)


DEFINED: dict[str, Any] = {
    "i": 5,
    "x()": Column([3, 4, 6]),
    "score()": definition("j", "10*i + j"),
    "twice()": definition("i", "2*score(i)"),
    "total()": definition("m", "sum(i, 1, m, score(i) + i)"),
}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("score(2)", 52),
        ("sum(i, 1, 2, score(i))", 103),  # a bound name is renamed
        ("sum(k, 1, 2, score(k))", 103),
        ("prod(i, 1, 2, score(i))", 51 * 52),
        ("sum(i, 1, 2, sum(k, 1, 2, score(i + k)))", 52 + 53 + 53 + 54),
        ("twice(1)", 102),  # the i of score is not the argument of twice
        ("sum(i, 1, 2, twice(i))", 206),
        ("total(2)", 106),
        ("sum(i, 1, 2, total(i))", 52 + 106),
        ("sum(i, 1, 2, x(i) + i) + i", 3 + 4 + 3 + 5),
        ("I[all i in 1..2. score(i) < 53]", 1),
        ("score(score(1))", 101),
    ],
)
def test_a_definition_means_the_same_wherever_it_is_called(text: str, value: int) -> None:
    tree = parse_term(text)
    assert valued(tree, DEFINED, None) == value
    assert valued(tree, DEFINED, NEAR) == value
    assert valued_together(tree, DEFINED) == value
    both = valued_together(tree, {**DEFINED, "i": Together((5, 6), np.array([1, 0]))})
    alone = [valued(tree, {**DEFINED, "i": i}, None) for i in (6, 5)]
    assert ([both.values[code] for code in both.codes] if isinstance(both, Together) else [both, both]) == alone


@pytest.mark.parametrize(
    ("text", "must"),
    [
        ("x(5/2)", "a position must be an integer"),
        ("x(2 + 1/2^200)", "a position must be an integer"),  # as a ball it cannot be told from 2
        ("x(x(1)/2)", "a position must be an integer"),
        ("sum(j, 1, 2, x(j/2))", "a position must be an integer"),
        ("x(4)", "x must be read at a position of the input"),
    ],
)
def test_what_is_no_position_is_none_in_balls_either(text: str, must: str) -> None:
    for near in (None, NEAR):
        with pytest.raises(BadInput, match=must):
            valued(parse_term(text), DEFINED, near)


def test_a_ball_around_an_integer_is_not_known_to_be_one() -> None:
    for text in ("x(sqrt(2))", "x(exp(1))"):
        with pytest.raises(BadInput, match="a position must be an integer"):
            valued(parse_term(text), DEFINED, NEAR)
    for text in ("x(sqrt(3)^2)", "x(2 + exp(-300))", "x(2 + z)"):
        with pytest.raises(Undecided, match="which position an expression means"):
            valued(parse_term(text), {**DEFINED, "z": flint.arb(0, "1e-50")}, NEAR)
    floors = {"x(floor(sqrt(8)))": 4, "x(z)": 4, "x(floor(x(1)/2) + 1)": 4, "x(i - x(1))": 4}
    for text, value in floors.items():
        assert valued(parse_term(text), {**DEFINED, "z": flint.arb(2)}, NEAR) == value


def test_a_value_that_is_no_number_is_refused() -> None:
    for near in (None, NEAR):
        with pytest.raises(NotExact, match=r"given: 1\.5"):
            valued(parse_term("x(1)"), {"x()": Column([1.5])}, near)
