"""Numbers with one square root against sympy's own arithmetic and signs."""

import operator
from fractions import Fraction
from itertools import pairwise

import flint
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from symcook.errors import BadInput, NotExact
from symcook.model.symbols import exact
from symcook.numbers.expsum import exp_of, sign, text
from symcook.numbers.roots import Algebraic, Root, ball_of, between, rational_root, root, roots, squarefree

small = st.fractions(min_value=-4, max_value=4, max_denominator=5)
radicand = st.sampled_from([2, 8, Fraction(1, 2), Fraction(9, 4), 18, Fraction(25, 8)])  # all are 2 a^2 or a^2
number = st.builds(lambda p, q, r: p + q * root(r), small, small, radicand)


def as_sympy(value):
    if isinstance(value, Root):
        return sympy.Rational(value.p) + sympy.Rational(value.q) * sympy.sqrt(value.r)
    return sympy.Rational(value)


@pytest.mark.sweep
@settings(derandomize=True, max_examples=40, deadline=None)
@given(number, number)
def test_arithmetic_order_and_text_equal_sympys(a, b):
    x, y = as_sympy(a), as_sympy(b)
    for operation in (operator.add, operator.sub, operator.mul, operator.truediv):
        if operation is operator.truediv and b == 0:
            continue
        found = operation(a, b)
        assert sympy.radsimp(sympy.expand(operation(x, y) - as_sympy(found))) == 0
        assert isinstance(found, Fraction) == bool(as_sympy(found).is_Rational)
    difference = sympy.expand(x - y)
    assert (a < b, a <= b, a == b, a >= b, a > b) == (
        bool(difference < 0), bool(difference <= 0), difference == 0, bool(difference >= 0), bool(difference > 0)
    )  # fmt: skip
    assert hash(a) == hash(b) or a != b
    assert sign(a) == sympy.sign(x)
    assert exact(text(a)) == x


@settings(derandomize=True, max_examples=50, deadline=None)
@given(number)
def test_the_root_of_a_square_is_the_absolute_value(a):
    assert root(a * a) == abs(a)


def test_equal_numbers_written_differently_and_neighbours():
    assert root(8) == 2 * root(2) == Root(Fraction(0), Fraction(1), 8)
    assert hash(Root(Fraction(0), Fraction(1), 8)) == hash(2 * root(2))
    assert Root(Fraction(0), Fraction(1), 8) != -2 * root(2)
    assert root(8) - 2 * root(2) == 0
    prime = 10**60 + 7
    assert root(prime**2 * 3) == prime * root(3)
    assert root(2) != root(2) + Fraction(1, 10**80)
    close = Fraction(665857, 470832)  # a convergent of sqrt(2)
    assert root(2) < close
    assert (root(2) - close).sign == -1
    assert root(2) + 1 > root(5)
    assert root(3) + 1 < root(5) + 1
    assert max([Fraction(1), root(3), root(5), root(2)]) == root(5)
    assert squarefree(2 * 3 * 3 * 5**5) == (75, 10)
    assert rational_root(Fraction(2, 8)) == Fraction(1, 2)
    assert rational_root(Fraction(2)) is None


def test_refusals():
    for operation in (operator.add, operator.sub):
        with pytest.raises(NotExact, match='domain="ball"'):
            operation(root(2), root(3))
    with pytest.raises(NotExact, match='domain="ball"'):
        (1 + root(2)) * root(3)
    assert root(2) * root(3) == root(6)
    with pytest.raises(NotExact, match='domain="ball"'):
        root(1 + root(2))
    with pytest.raises(BadInput, match="negative"):
        root(Fraction(-1))
    with pytest.raises(BadInput, match="negative"):
        root(1 - root(2))
    for operation in (operator.add, operator.sub, operator.mul, operator.truediv, operator.lt):
        for pair in ((exp_of(1), root(2)), (root(2), exp_of(1))):
            with pytest.raises(NotExact, match='domain="ball"'):
                operation(*pair)
    assert root(2) != exp_of(1)
    with pytest.raises(TypeError):
        root(2) + 0.5


@pytest.mark.sweep
@settings(max_examples=10, deadline=None)
@given(st.lists(st.integers(-6, 6), min_size=2, max_size=6), st.lists(st.integers(-6, 6), min_size=2, max_size=5))
def test_real_roots_equal_sympys(first, second):
    """Values, kinds, order among both polynomials' roots, signs of the other polynomial, and numbers between."""
    x = sympy.Symbol("x")
    places = []
    for coefficients in (first, second):
        if not any(coefficients[1:]):
            return
        expected = sympy.real_roots(sympy.Poly(coefficients[::-1], x), multiple=True)
        expected = sorted(set(expected), key=lambda value: value.evalf(40))
        found = roots(flint.fmpq_poly(coefficients))
        assert len(found) == len(expected)
        for place, value in zip(found, expected, strict=True):
            assert abs(sympy.Float(str(ball_of(place).mid().str(15, radius=False)), 15) - value.evalf(30)) < 1e-12
            degree = sympy.degree(sympy.minimal_polynomial(value, x))
            assert type(place) is {1: Fraction, 2: Root}.get(degree, Algebraic)
            other = sympy.Poly(second[::-1], x).eval(value)
            if degree > 1:
                assert place.sign_of(flint.fmpq_poly(second)) == (0 if other.equals(0) else sympy.sign(other.evalf(40)))
        places += zip(found, expected, strict=True)
    for a, value in places:
        for b, other in places:
            same = bool(abs(value.evalf(40) - other.evalf(40)) < 1e-25)
            assert (a == b) is same and (a < b) is (not same and bool(value.evalf(40) < other.evalf(40)))
            assert (a <= b) is (a == b or a < b) and (a >= b) is not (a < b) and (a != b or hash(a) == hash(b))
    for a, b in pairwise(sorted({a for a, _ in places})):
        assert a < between(a, b) < b < between(b, None)


@pytest.mark.parametrize(("text", "solved"), [("-x^3 + 2", "x^3 - 2 = 0"), ("4*x^2 - 4*x - 1", "4*x^2 - 4*x - 1 = 0")])
def test_a_root_says_its_equation(text, solved):
    coefficients = sympy.Poly(sympy.sympify(text.replace("^", "**"))).all_coeffs()
    for place in roots(flint.fmpq_poly([int(c) for c in coefficients[::-1]])):
        assert place.text("x") == solved
