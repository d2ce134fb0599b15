"""Exponential sums: laws, normal forms, and values against mpmath, which shares no code with flint."""

import itertools
import random
from fractions import Fraction

import flint
import mpmath
import pytest
from families import together
from shared import mpf

from symcook.errors import BadInput, NotExact
from symcook.model.expr import parse_term
from symcook.numbers import expsum
from symcook.numbers.balls import arb_of
from symcook.numbers.evaluate import evaluate
from symcook.numbers.expsum import (
    ExpSum,
    exp_of,
    exp_scaled_log,
    quotient_of,
    sign,
    softmax_mean,
    text,
)

HALF = Fraction(1, 2)
ONE = Fraction(1)


def random_value(rng):
    """A value with its mpmath value at the current precision."""

    def side(least):
        size = rng.randint(least, 3)
        return {
            Fraction(rng.randint(-4, 4), rng.randint(1, 3)): Fraction(rng.choice([-3, -1, 1, 2]), rng.randint(1, 3))
            for _ in range(size)
        }

    num, den = side(0), side(1)

    def value(terms):
        total = mpmath.mpf(0)
        for r, c in terms.items():
            total += mpf(c) * mpmath.exp(mpf(r))
        return total

    return quotient_of(num, den), value(num) / value(den)


def enclosed(value):
    return value.ball() if isinstance(value, ExpSum) else arb_of(value)


def close(value, number):
    """Whether the ball of `value` at 300 bits and `number` agree to 50 digits."""
    with flint.ctx.workprec(300):
        middle, exponent = enclosed(value).mid().man_exp()
    reference = mpmath.ldexp(mpmath.mpf(int(middle)), int(exponent))
    return abs(reference - number) <= mpmath.mpf(10) ** -50 * max(1, abs(number))


def test_operations_agree_with_mpmath():
    rng = random.Random(7)
    with mpmath.workdps(70):
        for _ in range(150):
            (a, x), (b, y) = random_value(rng), random_value(rng)
            assert close(a + b, x + y) and close(a - b, x - y) and close(a * b, x * y)
            if b != 0:
                assert close(a / b, x / y)
            assert (a < b) == (x < y) or a == b
            assert sign(a) == mpmath.sign(x)


def test_the_agreement_test_rejects_neighbours():
    with mpmath.workdps(70):
        assert close(exp_of(HALF), mpmath.exp(mpmath.mpf(1) / 2))
        assert not close(exp_of(HALF) + Fraction(1, 10**40), mpmath.exp(mpmath.mpf(1) / 2))
        assert not close(exp_of(Fraction(501, 1000)), mpmath.exp(mpmath.mpf(1) / 2))


@pytest.mark.sweep
def test_field_laws_and_equal_normal_forms():
    rng = random.Random(11)
    values = [random_value(rng)[0] for _ in range(12)] + [Fraction(0), Fraction(2, 3), exp_of(1)]
    for a, b, c in itertools.product(values[:5], values[4:9], values[9:]):
        for left, right in (
            ((a + b) + c, a + (b + c)),
            (a * (b + c), a * b + a * c),
            ((a * b) * c, a * (b * c)),
            (a - b, -(b - a)),
        ):
            assert left == right and hash(left) == hash(right) and text(left) == text(right)
            assert sign(left - right) == 0 and left - right == 0
    for a in values:
        if a != 0:
            assert a / a == 1 and type(a / a) is Fraction
            assert (1 / a) * a == 1
            assert a**3 == a * a * a and a**-1 == 1 / a and a**0 == 1


def test_rationals_come_back_as_fractions():
    e = exp_of(HALF)
    for value in (e - e, e / e, e * exp_of(-HALF), (2 * e + 2) / (e + 1), (e * e - 1) / (e - 1) - e, exp_of(0), 0 * e):
        assert type(value) is Fraction, value
    assert (e * e - 1) / (e - 1) - e == 1
    assert exp_of(Fraction(1, 3)) ** 3 == exp_of(1)


def test_a_common_factor_is_cancelled_whatever_the_step():
    e = exp_of(Fraction(1, 6))
    fraction = (e**4 - 1) / (e**3 - 1)
    assert text(fraction) == text((e**3 + e**2 + e + 1) / (e**2 + e + 1))
    assert text(fraction) == "(exp(1/2) + exp(1/3) + exp(1/6) + 1)/(exp(1/3) + exp(1/6) + 1)"


def test_mixed_arithmetic_from_both_sides():
    e = exp_of(1)
    assert text(1 + e) == text(e + 1) == text(Fraction(1) + e) == "exp(1) + 1"
    assert text(2 - e) == "-exp(1) + 2"
    assert text(Fraction(3, 2) * e) == "3/2*exp(1)"
    assert text(1 / e) == "exp(-1)"
    assert text(Fraction(1, 2) / (e + 1)) == "1/2/(exp(1) + 1)"
    assert e > 2 and e < 3 and Fraction(27182, 10000) < e < Fraction(27183, 10000)
    assert max(e, 2) is e and min(3, e, Fraction(2)) == 2
    assert e != 2 and Fraction(2) != e and e == e + 0 and bool(e)
    assert abs(2 - e) == e - 2 and abs(e) is e and +e is e
    assert sum([e, e, 1], Fraction(0)) == 2 * e + 1
    assert len({e, exp_of(1), e + 0, exp_of(2) / e}) == 1


def test_signs_that_need_many_bits():
    """A rational approximation of e to 400 digits, from its series: the difference is positive and tiny."""
    partial, term = Fraction(0), Fraction(1)
    for k in range(1, 220):
        partial += term
        term /= k
    assert exp_of(1) > partial
    assert sign(partial - exp_of(1)) == -1
    huge = exp_of(10**6)
    assert huge + 1 > huge and sign(huge - huge * exp_of(-(10**6)) * 2) == 1
    assert exp_of(Fraction(10**30)) > 1


def test_text_is_read_back_to_the_same_number():
    rng = random.Random(3)
    for _ in range(60):
        value, _ = random_value(rng)
        with flint.ctx.workprec(200):
            difference = evaluate(parse_term(text(value))) - enclosed(value)
            assert difference.contains(0) and difference.rad() < flint.arb(10) ** -40
    e = exp_of(HALF)
    assert str((3 * e + 1) / (e + 2)) == "(3*exp(1/2) + 1)/(exp(1/2) + 2)"


def test_denominator_is_normal():
    value = quotient_of({Fraction(5): ONE}, {Fraction(2): Fraction(3), Fraction(4): Fraction(6)})
    assert isinstance(value, ExpSum)
    assert str(value) == "1/6*exp(3)/(exp(2) + 1/2)"


def test_equality_beyond_the_degree_that_is_reduced():
    """At degree 10^7 no common divisor is looked for, yet equal values are equal and hash alike."""
    far = exp_of(10**7)
    a = (far + 1) / (far + exp_of(1))
    b = ((far + 1) * (exp_of(3) + 2)) / ((far + exp_of(1)) * (exp_of(3) + 2))
    assert a == b and hash(a) == hash(b) and type(a - b) is Fraction
    assert a != b + Fraction(1, 10**9)
    assert type(b / a) is Fraction


def test_exp_of_logarithms():
    assert exp_scaled_log(3, 8) == 512
    assert exp_scaled_log(-2, Fraction(2, 3)) == Fraction(9, 4)
    assert exp_scaled_log(Fraction(1, 2), Fraction(4, 9)) == Fraction(2, 3)
    assert exp_scaled_log(0, 7) == 1 and exp_scaled_log(5, 1) == 1
    assert text(exp_scaled_log(2, 3, HALF)) == "9*exp(1/2)"
    with pytest.raises(NotExact):
        exp_scaled_log(HALF, 2)
    with pytest.raises(NotExact):
        exp_scaled_log(Fraction(1, 10**9), 3)
    with pytest.raises(NotExact):
        exp_scaled_log(10**9, 3)
    for base in (0, -1):
        with pytest.raises(BadInput):
            exp_scaled_log(1, base)


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("degree", [0, 8, 4096])
def test_softmax_over_sums_is_the_quotient_of_its_terms(degree, monkeypatch):
    """Against one operation after the other, and against mpmath, whether or not polynomials may be used."""
    rng = random.Random(degree)
    for _ in range(40):
        size = rng.randint(1, 5)
        scores = [Fraction(rng.randint(-4, 4), rng.randint(1, 3)) for _ in range(size)]
        with mpmath.workdps(90):
            drawn = [random_value(rng) for _ in range(size)]
            drawn += [drawn[rng.randrange(size)] for _ in range(2)]
            scores += [rng.choice(scores) for _ in range(2)]
            weights = [mpmath.exp(mpmath.mpf(s.numerator) / s.denominator) for s in scores]
            near = mpmath.fdot(weights, [v for _, v in drawn]) / mpmath.fsum(weights)
            values = [value for value, _ in drawn]
            plain = sum(exp_of(s) * v for s, v in zip(scores, values, strict=True)) / sum(map(exp_of, scores))
            with monkeypatch.context() as limited:
                limited.setattr(expsum, "MAX_DEGREE", degree)
                found = softmax_mean(scores, values)
            assert found == plain and close(found, near)


def test_a_form_gives_its_number_back():
    value = softmax_mean([0, HALF, 2], [1, -3, HALF])
    assert ExpSum.of(value.form) == value and str(ExpSum.of(value.form)) == str(value)
    assert (2 * value).form != value.form == (value + 0).form
    assert len({ExpSum({ONE: ONE}, {ONE * 0: ONE}).form, (1 / exp_of(1) + 0).form, exp_of(1).form}) == 2


def test_softmax_mean_is_softmax():
    assert softmax_mean([0, 0, 0], [1, 2, 6]) == 3
    assert softmax_mean([7], [Fraction(1, 3)]) == Fraction(1, 3)
    assert text(softmax_mean([1, 0], [1, 0])) == "exp(1)/(exp(1) + 1)"
    assert softmax_mean([5, 4], [1, 0]) == softmax_mean([1, 0], [1, 0])
    assert softmax_mean([2, 0, 1], [4, 4, 4]) == 4
    weights = [softmax_mean([0, HALF, 2], [int(j == k) for j in range(3)]) for k in range(3)]
    assert sum(weights, Fraction(0)) == 1
    nested = softmax_mean([0, 1], [weights[0], weights[1]])
    assert nested == (weights[0] + exp_of(1) * weights[1]) / (1 + exp_of(1))
    with pytest.raises(NotExact):
        softmax_mean([exp_of(1), 0], [1, 0])
    with pytest.raises(BadInput):
        softmax_mean([], [])
    with pytest.raises(ValueError, match="zip"):
        softmax_mean([1, 2], [1])


@together(
    "call",
    [
        lambda: exp_of(0.5),
        lambda: exp_of(True),
        lambda: exp_of(1) + 0.5,
        lambda: 0.5 * exp_of(1),
        lambda: exp_of(1) / 2.0,
        lambda: exp_of(1) < 3.0,
        lambda: exp_of(1) == 2.718281828459045,
        lambda: softmax_mean([0.0], [1]),
        lambda: softmax_mean([0], [1.0]),
        lambda: sign(0.0),
        lambda: text(0.5),
        lambda: exp_scaled_log(0.5, 4),
    ],
)
def test_floats_are_refused_and_the_exact_alternative_named(call):
    with pytest.raises(BadInput, match="Fraction"):
        call()


def test_what_has_no_normal_form_is_refused():
    with pytest.raises(NotExact, match="ball"):
        exp_of(exp_of(1))
    with pytest.raises(NotExact, match="ball"):
        _ = exp_of(1) ** HALF
    for call in (
        lambda: exp_of(1) / 0,
        lambda: exp_of(1) / (exp_of(1) - exp_of(1)),
        lambda: quotient_of({}, {}),
        lambda: quotient_of({ONE: ONE}, {ONE: Fraction(0)}),
    ):
        with pytest.raises(ZeroDivisionError):
            call()
