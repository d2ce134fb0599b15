"""Expressions that speak of positions and definitions, exactly and in balls."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

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
