"""Signs and intervals where data are not symmetric: boxes with one end or ends that are not 0, odd powers of negatives,
empty boxes, exponentials and tanh. Expected signs are found by hand, or by sampling with mpmath."""

import itertools
import random
from fractions import Fraction
from math import prod

import mpmath
import pytest
import sympy
from families import together
from flint import fmpq

from symcook.domains.field import Field
from symcook.domains.intervals import ANY, NEGATIVE, NONNEGATIVE, NONPOSITIVE, NONZERO, POSITIVE, ZERO, Span
from symcook.domains.signs import Impossible, KnownSigns

X, Y = sympy.Symbol("x"), sympy.Symbol("y")


def q(value):
    return None if value is None else fmpq(Fraction(value).numerator, Fraction(value).denominator)


def box(lower, upper, shape="[]"):
    return Span(q(lower), q(upper), shape[0] == "(" or lower is None, shape[1] == ")" or upper is None)


def over(first=None, second=None):
    """A field with x and y, and its signs on two boxes."""
    field = Field()
    x, y = field.symbol(X), field.symbol(Y)
    given = {symbol: one for symbol, one in ((X, first), (Y, second)) if one is not None}
    return field, KnownSigns(field, given), x, y


def exponential(field, base, exponent=1):
    g, power = field.exponential(base, Fraction(exponent))
    return field.generator(g) ** power


# Boxes


@together("lower", [None, -1, 0, "1/2", 2])
@together("upper", [None, -1, 0, "1/2", 2])
@together("shape", ["[]", "[)", "(]", "()"])
def test_a_box_is_what_it_contains(lower, upper, shape):
    """`empty`, `signs`, `contains`, `above` and `below` against membership, at all ends and points between."""
    one = box(lower, upper, shape)
    places = [Fraction(k, 4) for k in range(-14, 15)]

    def within(v):
        low = lower is None or v > Fraction(lower) or (v == Fraction(lower) and shape[0] == "[")
        return low and (upper is None or v < Fraction(upper) or (v == Fraction(upper) and shape[1] == "]"))

    members = {v for v in places if within(v)}
    assert {v for v in places if one.contains(q(v))} == members
    assert one.empty is (not members)
    signs = (NEGATIVE if any(v < 0 for v in members) else 0) | (POSITIVE if any(v > 0 for v in members) else 0)
    assert one.signs == signs | (ZERO if 0 in members else 0)
    for cut, is_open in itertools.product((Fraction(-2), Fraction(0), Fraction(1, 2), Fraction(3)), (True, False)):
        above, below = one.above(q(cut), is_open), one.below(q(cut), is_open)
        assert {v for v in places if above.contains(q(v))} == {
            v for v in members if v > cut or (v == cut and not is_open)
        }
        assert {v for v in places if below.contains(q(v))} == {
            v for v in members if v < cut or (v == cut and not is_open)
        }


def test_not_zero_is_positive_or_negative():
    assert NONZERO == POSITIVE | NEGATIVE == ANY & ~ZERO


def test_what_holds_nowhere_is_impossible():
    _, signs, x, _ = over(box(0, 1))
    signs.assume(x - fmpq(1), NONNEGATIVE)
    assert signs.of(x) == POSITIVE
    with pytest.raises(Impossible):
        signs.assume(x - fmpq(1), POSITIVE)
    _, signs, x, _ = over(box(0, 2, "[)"))
    with pytest.raises(Impossible):
        signs.assume(x - fmpq(2), ZERO)
    with pytest.raises(Impossible):
        over(box(2, 1))[1].of(over(box(2, 1))[2])


def test_an_assumption_beyond_the_box_changes_nothing():
    """x <= 1 and then x < 5: 1 stays the end, and stays closed."""
    _, signs, x, _ = over(box(None, 1))
    signs.assume(x - fmpq(5), NEGATIVE)
    assert signs.of(x - fmpq(1)) == NONPOSITIVE
    signs.assume(x - fmpq(1), NONPOSITIVE)
    assert signs.of(x - fmpq(1)) == NONPOSITIVE
    signs.assume(x - fmpq(1), NEGATIVE)
    assert signs.of(x - fmpq(1)) == NEGATIVE


# Several symbols


def test_odd_powers_of_negatives():
    _, signs, x, y = over(box(None, 0, "()"), box(0, None, "(]"))
    for power, expected in ((1, NEGATIVE), (2, POSITIVE), (3, NEGATIVE), (4, POSITIVE), (5, NEGATIVE), (6, POSITIVE)):
        assert signs.of(x**power * y) == expected
        assert signs.of(-(x**power) * y**3) in ((POSITIVE,) if expected == NEGATIVE else (NEGATIVE,))
        assert signs.of((x - y) ** power) == expected


def test_boxes_with_one_end_in_several_symbols():
    _, signs, x, y = over(box(None, 2), box(0, None))
    assert signs.of(y - x + fmpq(2)) == NONNEGATIVE
    assert signs.of(y - x + fmpq(3)) == POSITIVE
    assert signs.of(x - y - fmpq(3)) == NEGATIVE
    assert signs.of(y - x + fmpq(1)) == ANY
    _, signs, x, y = over(box(-3, None, "(]"), box(None, -1))
    assert signs.of(x - y + fmpq(2)) == POSITIVE
    assert signs.of(x - y + fmpq(1)) == ANY
    _, signs, x, y = over(box(-3, None), box(None, -1))
    assert signs.of(x - y + fmpq(2)) == NONNEGATIVE


def test_boxes_with_two_ends_that_are_not_zero():
    _, signs, x, y = over(box(1, 3), box(2, 5))
    assert signs.of(x * y - fmpq(15)) == NONPOSITIVE
    assert signs.of(fmpq(16) - x * y) == POSITIVE
    assert signs.of(x + y - fmpq(3)) == NONNEGATIVE
    assert signs.of(x * y + x - fmpq(3)) == NONNEGATIVE
    assert signs.of(x * y - fmpq(14)) == ANY
    _, signs, x, y = over(box(-3, -1, "(]"), box("1/2", "3/2", "[)"))
    assert signs.of(x + y - fmpq(1, 2)) == NEGATIVE
    assert signs.of(x * y + fmpq(9, 2)) == POSITIVE
    assert signs.of(x * y + fmpq(4)) == ANY
    assert signs.of(x * y + fmpq(1, 2)) == NONPOSITIVE


# Exponentials and tanh


def test_exponentials_of_powers_are_bounded_by_the_powers():
    """x in [0, 3]: e^(x^2) reaches e^9 = 8103.08."""
    field, signs, x, _ = over(box(0, 3))
    value = exponential(field, x * x)
    assert signs.of(fmpq(8104) - value) == POSITIVE
    assert signs.of(fmpq(7000) - value) == ANY
    assert signs.of(value - fmpq(1)) == NONNEGATIVE
    field, signs, x, y = over(box(1, 2), box(0, 1))
    value = exponential(field, x**3 - y)
    assert signs.of(fmpq(2981) - value) == POSITIVE  # e^8 = 2980.96
    assert signs.of(fmpq(2900) - value) == ANY
    assert signs.of(value - fmpq(99, 100)) == POSITIVE


def test_exponentials_of_what_is_unbounded_on_one_side():
    field, signs, x, y = over(box(0, None), box(0, 2))
    value = exponential(field, y - x)
    assert signs.of(fmpq(739, 100) - value) == POSITIVE  # e^2 = 7.389
    assert signs.of(fmpq(73, 10) - value) == ANY
    value = exponential(field, x * y - y)
    assert signs.of(value - fmpq(1, 8)) == POSITIVE  # e^-2 = 0.135
    assert signs.of(value - fmpq(1, 7)) == ANY
    value = exponential(field, fmpq(1) - x * x)
    assert signs.of(fmpq(272, 100) - value) == POSITIVE


@pytest.mark.parametrize("kind", ["tanh", "erf"])
def test_the_sign_of_an_odd_function_is_that_of_its_argument(kind):
    for one, expected in (
        (box(None, None), ANY),
        (box(None, 0, "()"), NEGATIVE),
        (box(-2, 0), NONPOSITIVE),
        (box(0, None), NONNEGATIVE),
        (box("1/2", 3), POSITIVE),
        (box(-1, 1), ANY),
    ):
        field, signs, x, y = over(one, box(-1, 1))
        value = field.function(kind, x)
        assert signs.of(value) == expected
        assert signs.of(value + fmpq(1)) == POSITIVE and signs.of(value - fmpq(1)) == NEGATIVE
        assert signs.of(value * (y * y + fmpq(1))) == expected
    field, signs, *_ = over()
    assert signs.of(field.function(kind, fmpq(-1))) == NEGATIVE


SHAPES = [(None, None), (0, None), (None, 0), ("1/2", None), (None, "-1/3"), (-1, 2), (1, 3), (-3, -1)]


@together("seed", range(60))
def test_every_sampled_sign_is_among_the_signs(seed):
    """Polynomials of degree 3 in x, y, an exponential and a tanh of polynomials, on boxes of all shapes."""
    r = random.Random(seed)
    boxes = [box(*r.choice(SHAPES), r.choice(("[]", "[)", "(]", "()"))) for _ in range(2)]
    field, signs, x, y = over(*boxes)
    inside = [r.randint(-2, 2) for _ in range(3)]
    outer = [r.choice((-2, -1, 1, 2)) for _ in range(2)]
    u = x * fmpq(inside[0]) + y * fmpq(inside[1]) + x * x * fmpq(inside[2])
    v = x * fmpq(outer[0]) + y * fmpq(outer[1])
    e = exponential(field, u) if any(inside) else fmpq(1)
    atoms = [x, y, e, field.function("tanh", v)]
    terms = [(r.choice((-3, -1, 1, 2, 5)), [r.randrange(4) for _ in range(r.randint(0, 3))]) for _ in range(3)]
    constant = r.randint(-2, 2)
    value = fmpq(constant)
    for c, chosen in terms:
        value = value + prod((atoms[k] for k in chosen), start=fmpq(c))
    found = signs.of(value)

    def sample(one):
        low = -6 if one.lower is None else one.lower
        high = 6 if one.upper is None else one.upper
        ends = [p for p in (one.lower, one.upper) if p is not None and one.contains(p)]
        some = fmpq(r.randint(1, 99), 100)
        return r.choice([*ends, low + (high - low) * some, low + (high - low) * some])

    with mpmath.workdps(60):
        for _ in range(40):
            at = [sample(one) for one in boxes]
            a, b = (mpmath.mpf(int(p.p)) / int(p.q) for p in at)
            level = [a, b, mpmath.exp(a * inside[0] + b * inside[1] + a * a * inside[2])]
            level.append(mpmath.tanh(a * outer[0] + b * outer[1]))
            size = constant + sum(c * mpmath.fprod(level[k] for k in chosen) for c, chosen in terms)
            if abs(size) > mpmath.mpf(10) ** -40:
                assert found & (POSITIVE if size > 0 else NEGATIVE), (at, found)


def test_exponents_that_make_no_fraction():
    """exp over x from 10^12 on, or to -10^12, on either side: a bound that is a fraction, and signs that are right.
    Before, the fraction of exp(10^12) was asked for, which no memory holds."""
    field, signs, x, _ = over(box("1000000000000", None))
    big = exponential(field, x)
    assert signs.of(big - fmpq(10) ** 1000) == POSITIVE
    field, signs, x, _ = over(box(None, "-1000000000000"))
    assert signs.of(exponential(field, x) - fmpq(1)) == NEGATIVE
    assert signs.of(exponential(field, x) - fmpq(1, 10**1000)) & NEGATIVE  # open, or right
    field, signs, x, _ = over(box("-1000000000000", "1000000000000"))
    assert signs.of(exponential(field, x)) == POSITIVE
