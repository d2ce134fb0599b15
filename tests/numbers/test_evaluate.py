"""Terms as balls: what is exact stays exact, and what is nearly an integer is not one."""

from __future__ import annotations

from fractions import Fraction

import flint
import pytest

from symcook.errors import BadInput
from symcook.model.expr import parse_term
from symcook.numbers.evaluate import evaluate


@pytest.mark.parametrize("bits", [53, 64, 128])
def test_an_exponent_near_an_integer_is_not_that_integer(bits: int) -> None:
    """2^(2 + 10^-40) = 4 + 4 log(2) 10^-40 + ..., while 2 + 10^-40 cannot be told from 2 at these bits."""
    with flint.ctx.workprec(bits):
        found = evaluate(parse_term("2^(2 + 1/10^40)"))
    assert not found.is_exact()
    with flint.ctx.workprec(300):
        right = flint.arb(4) * (flint.arb(2).log() / flint.arb(10) ** 40).exp()
        assert found.contains(right) and found.rad() < 1e-10


@pytest.mark.parametrize(("power", "low", "high"), [(1, -2, 2), (2, 0, 4), (3, -8, 8), (4, 0, 16), (5, -32, 32)])
def test_a_power_of_a_ball_around_zero_holds_those_of_all_its_numbers(power: int, low: int, high: int) -> None:
    found = evaluate(parse_term(f"x^{power}"), {"x": flint.arb(0, 2)})
    assert found.contains(low) and found.contains(high) and found.rad() < high + 1
    one_sided = evaluate(parse_term(f"x^{power}"), {"x": flint.arb(1, 2)})  # from -1 to 3
    assert one_sided.contains((-1) ** power) and one_sided.contains(3**power) and one_sided.contains(0)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("sum(j, 1, n, 1/4*j)", Fraction(3, 2)),
        ("prod(j, 2, 0, 1/j)", Fraction(1)),
        ("sum(j, n/3 + 2*n/3, n, 1/j)", Fraction(1, 3)),
        ("sum(j, 1, c*6, j)", Fraction(3)),
        ("sum(j, 1, 2, sum(k, j/3 + 2*j/3, j, k))", Fraction(3)),
        ("sum(j, 1, sqrt(4), j)", Fraction(3)),
    ],
)
def test_ends_are_integers_exactly_though_balls_round(text: str, value: Fraction) -> None:
    with flint.ctx.workprec(64):
        found = evaluate(parse_term(text), {"n": 3, "c": Fraction(1, 3)})
    with flint.ctx.workprec(400):
        assert found.contains(flint.arb(value.numerator) / value.denominator) and found.rad() < 1e-15


@pytest.mark.parametrize("text", ["sum(j, 1, sqrt(2), j)", "sum(j, 1, 5/2, j)", "prod(j, 1, x, j)", "sum(j, pi, 9, j)"])
def test_other_ends_are_refused(text: str) -> None:
    with pytest.raises(BadInput, match="must be integers"):
        evaluate(parse_term(text), {"x": flint.arb(2, 0.1)})


def test_a_ball_that_is_an_integer_may_be_an_end() -> None:
    assert evaluate(parse_term("sum(j, 1, x, j)"), {"x": flint.arb(3)}) == 6


def test_conditions_by_kleene() -> None:
    """An open part leaves the whole open only where it matters."""
    values = {"x": flint.arb(0, 0.1)}
    assert evaluate(parse_term("if(x < 0 & 1 < 0, 5, 7)"), values) == 7
    assert evaluate(parse_term("if(x < 0 | 0 < 1, 5, 7)"), values) == 5
    assert evaluate(parse_term("if(1 < 0 -> x < 0, 5, 7)"), values) == 5
    assert evaluate(parse_term("if(x < 0 -> 0 < 1, 5, 7)"), values) == 5
    for text in ("x < 0", "~(x < 0)", "x < 0 | 1 < 0", "x < 0 & 0 < 1", "0 < 1 -> x < 0", "0 < 1 <-> x < 0"):
        found = evaluate(parse_term(f"if({text}, 5, 7)"), values)
        assert found.contains(5) and found.contains(7)
    assert evaluate(parse_term("if(all j in 1..3. j < 4, 1, 2) + I[ex j in 1..3. j = 2]")) == 2
