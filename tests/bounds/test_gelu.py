"""GELU: the best constants against mpmath's own optimisation, searches over the plane, and the paper's constant."""

import random

import flint
import mpmath
import pytest

from symcook.__main__ import dispatch
from symcook.bounds import gelu, gelu_multiply, gelu_relu
from symcook.errors import BadInput, SymcookError
from symcook.numbers.evaluate import positive_on, zero

MP = mpmath.mp.clone()
MP.dps = 60


def cdf(form, z):
    """Half of 1 + erf or tanh, as Eqs. (24) and (25) print it."""
    if form == "erf":
        return (1 + MP.erf(z / MP.sqrt(2))) / 2
    return (1 + MP.tanh(MP.sqrt(2 / MP.pi) * (z + MP.mpf("0.044715") * z**3))) / 2


def error(form, x, y):
    parts = [z * cdf(form, z) for z in (x + y, x, y)]
    return MP.sqrt(MP.pi / 2) * (parts[0] - parts[1] - parts[2]) - x * y


@pytest.mark.parametrize("form", gelu.FORMS)
@pytest.mark.sweep
def test_the_constant_of_the_product(form):
    answer = gelu_multiply(form, 50)
    found, radius = MP.mpf(answer.value.mid), MP.mpf(answer.value.rad)

    def ratio(s):
        return abs(error(form, s / 2, s / 2)) / s**3

    place = MP.findroot(lambda s: MP.diff(ratio, s), MP.mpf("2.04"), tol=MP.mpf(10) ** -40)
    assert abs(found - ratio(place)) < MP.mpf(10) ** -48 and radius < MP.mpf(10) ** -50
    assert abs(MP.mpf(answer.extra["at x = y"].mid) - place / 2) < MP.mpf(10) ** -30
    draw = random.Random(7)
    for _ in range(400):  # no pair of either sign exceeds it
        x, y = MP.mpf(draw.uniform(-6, 6)), MP.mpf(draw.uniform(-6, 6))
        assert abs(error(form, x, y)) <= found * (abs(x) + abs(y)) ** 3
    assert answer.holds is True and MP.mpf(answer.claimed.mid) == MP.mpf("0.25")
    assert set(answer.verdicts().values()) == {"PROVED"}


@pytest.mark.layer_one(0, 4)
@pytest.mark.parametrize("form", gelu.FORMS)
@pytest.mark.parametrize("c", ["1", "3", "1/7"])
def test_the_rate(form, c):
    answer = gelu_relu(c, form, 40)
    scale = MP.mpf(eval_fraction(c))

    def difference(x):
        return max(x, 0) - x * cdf(form, scale * x)

    place = MP.findroot(lambda u: MP.diff(lambda v: v * (1 - cdf(form, v)), u), MP.mpf("0.75"), tol=MP.mpf(10) ** -40)
    assert abs(MP.mpf(answer.value.mid) - difference(place / scale)) < MP.mpf(10) ** -38 / scale
    assert abs(MP.mpf(answer.extra["u"].mid) - place) < MP.mpf(10) ** -30
    assert all(difference(MP.mpf(k) / 50) <= MP.mpf(answer.value.mid) for k in range(-400, 400))
    assert answer.holds is True and set(answer.verdicts().values()) == {"PROVED"}


def eval_fraction(text):
    top, _, bottom = text.partition("/")
    return MP.mpf(top) / MP.mpf(bottom or 1)


def test_a_bound_that_is_too_small_does_not_hold(monkeypatch):
    monkeypatch.setitem(gelu.RATES, "tanh", gelu.RATES["erf"])
    answer = gelu_relu(5, "tanh")
    assert answer.holds is False


def test_a_false_shape_is_not_shown():
    """The facts that the derivation needs fail where they are false."""
    shape = gelu._shape("erf")
    with flint.ctx.workprec(128), pytest.raises(SymcookError, match="did not show"):
        shape.show("D falls before its maximum", lambda s: -gelu._slope("erf", s), gelu.Fraction(1), gelu.Fraction(2))
    with flint.ctx.workprec(128):
        assert not positive_on(lambda z: z - 1, gelu.Fraction(0), gelu.Fraction(2))
        assert not positive_on(lambda z: z, gelu.Fraction(0), gelu.Fraction(1))
        assert positive_on(lambda z: z * z - z + 1, gelu.Fraction(0), gelu.Fraction(1))
        with pytest.raises(SymcookError, match="not enclosed"):
            zero(lambda z: z, lambda z: z * 0 + 1, gelu.Fraction(-1), gelu.Fraction(1))


@pytest.mark.parametrize("form", gelu.FORMS)
def test_what_is_shown_positive_is_what_the_derivation_needs(form, monkeypatch):
    """Each function whose sign is shown, against mpmath's derivatives of R and of N(s) = R(s) - 2 R(s/2)."""

    def rest(z):
        return z**2 / 2 - MP.sqrt(MP.pi / 2) * z / 2 * (2 * cdf(form, z) - 1)

    def product(s):
        return rest(s) - 2 * rest(s / 2)

    def slope(s):
        return s * MP.diff(product, s) - 3 * product(s)

    expected = {
        "R'''' > 0 near 0": lambda z: MP.diff(rest, z, 4),
        "R'' > 0": lambda z: MP.diff(rest, z, 2),
        "z R'' - R' > 0": lambda z: z * MP.diff(rest, z, 2) - MP.diff(rest, z),
        "D rises near 0": lambda s: (
            s * MP.diff(product, s, 5) + MP.diff(product, s, 4)
        ),  # slope'''' by the product rule
        "D rises": slope,
        "D bends down": lambda s: -(s * MP.diff(product, s, 2) - 2 * MP.diff(product, s)),  # -slope'
        "D falls": lambda s: -slope(s),
    }
    shown = {}
    monkeypatch.setattr(gelu._Shape, "show", lambda self, what, f, low, high: shown.update({what: (f, low, high)}))
    gelu._Shape(form)
    assert list(shown) == list(expected)
    low, high = (2, gelu.Fraction(21, 10))  # around the maximum, at 2.04 and 2.06
    ends = [(0, gelu.NEAR), (gelu.NEAR, gelu.FAR), (gelu.NEAR, gelu.FAR), (0, gelu.NEAR)]
    assert [place[1:] for place in shown.values()] == [*ends, (gelu.NEAR, low), (low, high), (high, gelu.FAR)]
    for what, (function, low, high) in shown.items():
        for k in (1, 3, 4):
            place = low + (high - low) * gelu.Fraction(k, 5)
            with flint.ctx.workprec(256):
                found = MP.mpf(function(gelu.arb_of(place)).mid().str(40, radius=False))
            with MP.workdps(80):
                value = expected[what](MP.mpf(place.numerator) / place.denominator)
            assert abs(found - value) < MP.mpf(10) ** -25 * (1 + abs(value)), what


@pytest.mark.parametrize(
    ("form", "far", "shows"),
    [("erf", "8.4", False), ("erf", "8.46", True), ("erf", "6", False), ("tanh", "3", False), ("tanh", "12", True)],
)
def test_the_bounds_far_out_fail_where_they_are_false(form, far, shows, monkeypatch):
    """z^2 (1 + z) sqrt(2/pi) e^(-z^2/2) is 0.0108 at z = 4.2 and 0.0097 at 4.23; 1/100 is asked for."""
    z = MP.mpf(far) / 2
    if form == "erf":
        assert (z**2 * (1 + z) * MP.sqrt(2 / MP.pi) * MP.exp(-(z**2) / 2) < MP.mpf("0.01")) is shows
    shape = gelu._shape(form)
    monkeypatch.setattr(gelu, "FAR", flint.arb(far))
    with flint.ctx.workprec(128):
        if shows:
            shape.tail()
        else:
            with pytest.raises(SymcookError, match="did not show"):
                shape.tail()


@pytest.mark.parametrize("digits", [1, 30, 400])
def test_digits(digits):
    wide, narrow = gelu_multiply("erf", digits).value, gelu_multiply("erf", 60).value
    assert abs(MP.mpf(wide.mid) - MP.mpf(narrow.mid)) <= MP.mpf(wide.rad) + MP.mpf(narrow.rad)


@pytest.mark.parametrize(
    "call",
    [
        lambda: gelu_multiply("sigmoid"),
        lambda: gelu_multiply("erf", 0),
        lambda: gelu_relu(0),
        lambda: gelu_relu(-1),
        lambda: gelu_relu("x"),
        lambda: gelu_relu(1, "ERF"),
    ],
)
def test_bad_input(call):
    with pytest.raises(BadInput):
        call()


def test_the_command(capsys):
    assert dispatch(["bound", "gelu-multiply", "--form", "tanh", "--digits", "50"]) == 0
    assert "0.0823711002" in capsys.readouterr().out
    assert dispatch(["bound", "gelu-relu", "--c", "10"]) == 0
    assert "0.01699712" in capsys.readouterr().out
