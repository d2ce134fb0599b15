"""Balls: the printed decimals enclose the value and are narrow enough; precision is restored; terms against mpmath."""

import random
from fractions import Fraction

import flint
import mpmath
import pytest
from families import together

from symcook.door import MAX_DIGITS, check_digits
from symcook.errors import BadInput, Undecided
from symcook.model.expr import parse_term
from symcook.numbers.balls import (
    Ball,
    arb_of,
    ball,
    decide_sign,
    limit_for,
    refine,
)
from symcook.numbers.evaluate import evaluate


def exact_ends(x):
    """The end points of an arb as Fractions."""

    def fraction(part):
        mantissa, exponent = (int(p) for p in part.man_exp())
        return Fraction(mantissa) * Fraction(2) ** exponent

    return fraction(x.mid()) - fraction(x.rad()), fraction(x.mid()) + fraction(x.rad())


def encloses(printed, low, high):
    mid, rad = Fraction(printed.mid), Fraction(printed.rad)
    return rad >= 0 and mid - rad <= low and high <= mid + rad


def narrow(printed, digits, relative):
    mid, rad = Fraction(printed.mid), Fraction(printed.rad)
    return rad <= Fraction(1, 10**digits) * (abs(mid) if relative else max(1, abs(mid)))


TERMS = [
    "1/3",
    "-22/7",
    "exp(-5)",
    "exp(-1000)",
    "exp(100)",
    "log(8*64)",
    "sqrt(2)*10^30",
    "-pi/10^40",
    "sin(1) - cos(1)",
    "999999999999/1000000000000",
    "1/1024",
    "10^25",
    "12345.678",
]


@together("term", TERMS)
@together("relative", [False, True])
def test_printed_decimals_enclose_and_are_narrow(term, relative):
    tree = parse_term(term)
    for digits in (1, 2, 5, 30, 400):
        printed = ball(refine(lambda: evaluate(tree), digits, relative), digits, relative)
        with flint.ctx.workprec(4 * digits + 2000):
            low, high = exact_ends(evaluate(tree))
        assert encloses(printed, low, high)
        assert narrow(printed, digits, relative)


def test_random_balls_are_enclosed_whatever_their_radius():
    rng = random.Random(5)
    for _ in range(400):
        middle = rng.getrandbits(rng.choice([1, 20, 200])) * rng.choice([-1, 1])
        with flint.ctx.workprec(400):
            x = flint.arb(middle, rng.getrandbits(29)) * flint.arb(2) ** rng.randint(-300, 200)
            if rng.random() < 0.3:
                x = x.mid()
        printed = ball(x, rng.choice([1, 3, 10, 50]), rng.random() < 0.5)
        assert encloses(printed, *exact_ends(x))


def test_the_enclosure_test_rejects_planted_errors():
    with flint.ctx.workprec(200):
        x = flint.arb(2).sqrt()
    low, high = exact_ends(x)
    good = ball(x, 10)
    assert encloses(good, low, high)
    assert not encloses(Ball(good.mid, "0"), low, high)
    assert not encloses(Ball("1.4142135624", "1e-12"), low, high)
    assert not encloses(Ball("1.41421356237", "1e-13"), low, high)
    assert not narrow(good, 20, False)


def test_exact_values_have_radius_zero():
    for term, shown in (("1/2", "0.5"), ("0", "0"), ("-3", "-3"), ("2^-10", "0.0009765625"), ("100", "100")):
        assert ball(refine(lambda t=term: evaluate(parse_term(t)), 30), 30) == Ball(shown, "0")


def test_sizes_beyond_any_exact_check():
    printed = ball(refine(lambda: evaluate(parse_term("exp(-10^12)")), 12, True), 12, True)
    assert printed.mid.startswith("5.59979784230") and printed.mid.endswith("e-434294481904")
    assert ball(refine(lambda: evaluate(parse_term("exp(-10^12)")), 12), 12).mid == "0"


def test_precision_is_restored_also_after_an_error():
    before = flint.ctx.prec
    refine(lambda: evaluate(parse_term("exp(1)")), 500)
    with pytest.raises(Undecided):
        refine(lambda: flint.arb(1, 1), 5, limit_bits=256)
    with pytest.raises(BadInput):
        refine(lambda: evaluate(parse_term("log(0 - 1)")), 5)
    with pytest.raises(Undecided):
        decide_sign(lambda: evaluate(parse_term("log(2) - log(2)")), "log(2) - log(2) > 0", 512)
    assert flint.ctx.prec == before


def test_refine_doubles_until_it_is_good_and_no_further():
    seen = []

    def compute():
        seen.append(flint.ctx.prec)
        return evaluate(parse_term("(10^60 + exp(1)) - 10^60"))

    result = refine(compute, 10)
    assert len(seen) > 1 and all(b == 2 * a for a, b in zip(seen, seen[1:], strict=False))
    assert abs(result - flint.arb(1).exp()) < 1e-10
    assert limit_for(30) >= 1 << 16


def test_undecided_names_what_it_was_about():
    with pytest.raises(Undecided, match=r"the score .* 20 relative digits .* 1024 bits"):
        refine(lambda: evaluate(parse_term("log(6) - log(2) - log(3)")), 20, True, 1024, "the score")
    with pytest.raises(Undecided, match="x > 0"):
        decide_sign(lambda: flint.arb(0, 1), "x > 0", 128)


def test_signs():
    for term, expected in (("exp(-100)", 1), ("3 - pi", -1), ("log(1)", 0), ("exp(pi) - pi - 20", -1)):
        assert decide_sign(lambda t=term: evaluate(parse_term(t)), term) == expected
    assert decide_sign(lambda: evaluate(parse_term("(1 + 2^-5000) - 1")), "tiny") == 1


@together("digits", [0, -1, MAX_DIGITS + 1, 1.5, True, None, "x", "", "0", "1e3", "9" * 5000, "²"])
def test_digits_are_checked(digits):
    with pytest.raises(BadInput, match="digits"):
        check_digits(digits)


def test_digits_in_range():
    assert check_digits(1) == 1 and check_digits(MAX_DIGITS) == MAX_DIGITS and check_digits(" 30 ") == 30


def test_functions_agree_with_mpmath():
    terms = [
        "exp(x) + log(y) - sqrt(y)",
        "sin(x)*cos(y)/erf(x)",
        "sinh(x) + cosh(x) - tanh(y)",
        "abs(x) + min(x, y) - max(x, y, 1/3) + relu(x) + relu(y)",
        "x^3 - y^(1/3) + y^-2 + 2^x",
        "if(x < y, x, y) + I[x = y] + I[x != y]*pi",
        "sum(j, 1, 10, y^j/j) + prod(j, 1, 4, x + j)",
        "if(x < 0 & ~(y <= 0), 5, 7) + if(x < 0 -> y < 0, 1, 2) + if(x < 0 | y < 0, 1, 2)",
    ]
    functions = {
        "exp": mpmath.exp,
        "log": mpmath.log,
        "sqrt": mpmath.sqrt,
        "sin": mpmath.sin,
        "cos": mpmath.cos,
        "erf": mpmath.erf,
        "sinh": mpmath.sinh,
        "cosh": mpmath.cosh,
        "tanh": mpmath.tanh,
    }
    with mpmath.workdps(60):
        for x, y in ((Fraction(-3, 7), Fraction(5, 2)), (Fraction(2), Fraction(1, 9))):
            a, b = (mpmath.mpf(v.numerator) / v.denominator for v in (x, y))
            f = functions
            expected = [
                f["exp"](a) + f["log"](b) - f["sqrt"](b),
                f["sin"](a) * f["cos"](b) / f["erf"](a),
                f["sinh"](a) + f["cosh"](a) - f["tanh"](b),
                abs(a) + min(a, b) - max(a, b, mpmath.mpf(1) / 3) + max(a, 0) + max(b, 0),
                a**3 - mpmath.cbrt(b) + b**-2 + mpmath.mpf(2) ** a,
                min(a, b) + mpmath.pi,
                sum(b**j / j for j in range(1, 11)) + (a + 1) * (a + 2) * (a + 3) * (a + 4),
                (5 if a < 0 else 7) + (2 if a < 0 else 1) + (1 if a < 0 else 2),
            ]
            for term, number in zip(terms, expected, strict=True):
                printed = ball(refine(lambda t=term, p=x, q=y: evaluate(parse_term(t), {"x": p, "y": q}), 40), 40)
                assert abs(mpmath.mpf(printed.mid) - number) < mpmath.mpf(10) ** -39 * max(1, abs(number)), term


@pytest.mark.parametrize("term", ["(9^9999)^9999", "9^9^9^9", "2^-(10^9)", "(1/2)^(10^30)", "pow(10, 10^8)"])
def test_powers_too_large_are_refused_at_once(term: str) -> None:
    with pytest.raises(BadInput, match="bits"):
        evaluate(parse_term(term))


def test_towers_of_exponentials_stop_at_the_limit() -> None:
    with pytest.raises(Undecided):
        refine(lambda: evaluate(parse_term("exp(exp(exp(exp(100))))")), 10, limit_bits=1024)


@pytest.mark.parametrize(
    "term",
    [
        "1/0",
        "1/(1 - 1)",
        "0^-1",
        "log(0)",
        "log(-1)",
        "sqrt(-2)",
        "(-8)^(1/3)",
        "x",
        "f(1)",
        "sum(j, 1, 10^9, j)",
        "sum(j, 1, 1/2, j)",
        pytest.param("sum(j, 1, 10000, sum(k, 1, 10000, j*k))", marks=pytest.mark.sweep),
        "if(all x:Real. x = x, 1, 2)",
    ],
)
def test_what_has_no_value_is_bad_input(term):
    with pytest.raises(BadInput):
        refine(lambda: evaluate(parse_term(term)), 10)


def test_a_float_value_is_refused():
    with pytest.raises(BadInput, match="Fraction"):
        evaluate(parse_term("x"), {"x": 0.5})  # type: ignore[dict-item]
    with pytest.raises(BadInput, match="Fraction"):
        arb_of(True)


def test_an_open_comparison_is_no_branch():
    """Where the balls cannot compare, both branches are in the answer, so no digits are claimed."""
    term = parse_term("if(log(6) <= log(2) + log(3), 1, 2)")
    with flint.ctx.workprec(200):
        hull = evaluate(term)
    assert hull.contains(1) and hull.contains(2)
    with pytest.raises(Undecided):
        refine(lambda: evaluate(term), 5, limit_bits=512)


@pytest.mark.parametrize("text", ["(i/3 - 1/3)^2", "(i/3 - 1/3)^3", "(1/3 - i/3)^7"])
def test_powers_of_a_ball_around_zero_are_small_and_not_nan(text: str) -> None:
    value = evaluate(parse_term(text), {"i": 1})
    assert value.is_finite() and value.contains(0) and value.rad() < 1e-30
