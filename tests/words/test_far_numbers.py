"""Sums of the error model at the ends of a type: zeros beside great and small powers of two, and how many terms there
are where the type has no such number."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from families import together
from test_error_model import FORMATS, Model, drawn, same, values

from symcook.words.rounded import OPEN, ZERO, RoundedSums, Values

F = Fraction


@together("dtype", list(FORMATS))
def test_zeros_change_nothing(dtype: str) -> None:
    """A sum of zeros and powers of two is exact as far as the type goes, however great or small these are."""
    model, arithmetic = Model(dtype), RoundedSums(dtype)
    zero = values(model, (F(0), F(0)), True)
    for exponent in (model.least, model.least + 9, 0, 7, model.most - 4):
        x = F(2) ** exponent
        for many in (1, 2, 3):
            terms = [zero, *[values(model, (x, x), True)] * many, zero]
            found = arithmetic.total(terms)
            same(found, (many * x, many * x), True, (dtype, exponent, many))
    nothing = arithmetic.total([zero, zero])
    assert (nothing.low[0], nothing.high[0]) == (0, 0) and nothing.grid[0] == ZERO
    assert arithmetic.times(zero, values(model, (F(3), F(3)), True)).grid[0] == ZERO
    assert arithmetic.mean(None).low.tolist() == arithmetic.mean(None).high.tolist() == [0]


@together("dtype", ["float16", "bfloat16"])
def test_more_terms_than_a_type_has_numbers(dtype: str) -> None:
    """The mean of k ones where k is no number of the type: one divided by what k is rounded to, both rounded."""
    model = Model(dtype)
    k = 2**model.bits + 1
    for first in (False, True):
        arithmetic = RoundedSums(dtype, first)
        sums = arithmetic.empty(1)
        for _ in range(k):
            sums = arithmetic.added(sums, values(model, (F(1), F(1)), True))
        found = arithmetic.mean(sums)
        assert found.grid[0] == OPEN and found.low[0] <= 1 <= found.high[0]
        assert found.low[0] >= 0 and found.high[0] < 4  # a bound on k roundings of 1/2^p, one on top of another
        total: Any = arithmetic.value(sums)
        assert total.low[0] <= k - 1 and total.high[0] >= k and np.isfinite(total.high[0])


@together("dtype", list(FORMATS))
def test_numbers_of_a_model_are_rounded_once(dtype: str) -> None:
    """A number of the type is itself, on its grid; any other lies within one rounding of what is held."""
    model, arithmetic = Model(dtype), RoundedSums(dtype)
    for x in (F(0), F(1), F(-3, 4), F(2) ** model.least, F(1, 3), F(-7, 5), F(2**60 + 1)):
        found = arithmetic.number(x)
        if x > model.end:
            assert (found.low[0], found.high[0], found.grid[0]) == (-np.inf, np.inf, OPEN)
        elif model.number(x) == x:
            same(found, (x, x), True, (dtype, x))
            assert found.grid[0] == (ZERO if x == 0 else model.grid(x))
        else:
            assert found.grid[0] == OPEN and F(float(found.low[0])) <= x <= F(float(found.high[0]))
            assert F(float(found.high[0])) - F(float(found.low[0])) <= 8 * abs(x) * model.unit + 2 * model.tiny


def stacked(each: list[Values]) -> Values:
    return Values(*(np.concatenate([getattr(one, field) for one in each]) for field in ("low", "high", "grid")))


def rows(x: Values) -> list[tuple[float, float, int]]:
    return list(zip(x.low.tolist(), x.high.tolist(), x.grid.tolist(), strict=True))


@pytest.mark.sweep
@together("dtype", list(FORMATS))
def test_many_states_at_once(dtype: str) -> None:
    """Every operation on the values of many states gives each what it gives it alone: none looks at another's."""
    model, r = Model(dtype), random.Random(8)
    with np.errstate(all="ignore"):
        for first in (False, True):
            for count in (2, 3, 4, 7):
                arithmetic = RoundedSums(dtype, first)
                each = [[values(model, *drawn(model, r)) for _ in range(count)] for _ in range(15)]
                each.append([values(model, (F(0), F(0)), True)] * count)
                columns = [stacked([state[k] for state in each]) for k in range(count)]

                def mean(terms: list[Values], states: int, arithmetic: RoundedSums = arithmetic) -> Values:
                    sums = arithmetic.empty(states)
                    for term in terms:
                        sums = arithmetic.added(sums, term)
                    return arithmetic.mean(sums)

                weights = [r.choice([1, -1, F(1, 3), 2]) for _ in range(count)]
                operations: dict[str, Any] = {
                    "times": lambda terms, states, a=arithmetic: a.times(terms[0], terms[1]),
                    "over": lambda terms, states, a=arithmetic: a.over(terms[0], 3),
                    "total": lambda terms, states, a=arithmetic: a.total(terms),
                    "relu": lambda terms, states, a=arithmetic: a.activate(terms[0], "relu"),
                    "step": lambda terms, states, a=arithmetic: a.activate(terms[0], "step"),
                    "row": lambda terms, states, a=arithmetic, w=weights: a.linear(
                        list(zip(terms, w, strict=True)), F(1, 7)
                    ),
                    "mean": mean,
                }
                for name, operate in operations.items():
                    together_ = rows(operate(columns, len(each)))
                    alone = [rows(operate(state, 1))[0] for state in each]
                    assert together_ == alone, (name, count, first)
