"""GELU for multiplication and as an approximation of ReLU: the best constants, to any number of digits.

Write gelu(z) = z/2 (1 + T(z)) with T(z) = erf(z/sqrt 2), or in the tanh form T(z) = tanh(sqrt(2/pi)(z + 0.044715 z^3)),
and R(z) = z^2/2 - sqrt(pi/2) z/2 T(z): an even function, of order z^4 at 0. Then

    sqrt(pi/2) (gelu(x + y) - gelu(x) - gelu(y)) - x y = -(R(x + y) - R(x) - R(y)).

**The constant of the product.** Suppose (a) R'' >= 0 and (b) z R'' - R' >= 0 on z >= 0, that is, R(sqrt t) is convex.

- For x, y of one sign, with s = |x| + |y|: R is convex with R(0) = 0, so the error R(s) - R(x) - R(y) is at least 0,
  and largest for given s at x = y, where R(x) + R(y) is smallest.
- For opposite signs: with a = x^2 + y^2 and b = 2 |x y|, by (b) R(|x| + |y|) + R(|x| - |y|) = g(a + b) + g(a - b) >=
  2 g(a) >= 2 R(x) + 2 R(y) where g(t) = R(sqrt t). So R(x) + R(y) - R(|x| - |y|) <= R(|x| + |y|) - R(x) - R(y): the
  error is no greater than for |x|, |y|.

So the best constant is the maximum over s > 0 of D(s) = (R(s) - 2 R(s/2))/s^3. `_Shape` proves (a), (b) and that D
has one maximum, in balls: by Taylor coefficients over small intervals, near 0 by the fourth derivative, from 12 on by
the bounds on T' and T'' in `_Shape.tail`.

**The rate.** relu(u) - gelu(u) = |u| (1 - T(|u|))/2 =: L(|u|), which is zero at 0, positive, and has one critical
point: L' = 0 is 1 - T = u T'. For erf, (1 - T - u T')' = T' (u^2 - 2) is negative up to sqrt 2 and positive beyond,
where the function rises to 0; for tanh, 1 - T = u a' (1 - T)(1 + T) is u a' (1 + T) = 1, whose left side increases.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache

import flint

from symcook.bounds.arguments import Bound, positive, shown
from symcook.door import check_digits
from symcook.errors import SymcookError, unknown
from symcook.locks import PRECISION
from symcook.numbers.balls import arb_of, ball, decide_sign
from symcook.numbers.evaluate import positive_on, zero

FORMS = ("erf", "tanh")
RATES = {
    "erf": (Fraction(16998, 100000), "cookbook.s4.6.gelu_to_relu"),
    "tanh": (Fraction(17005, 100000), "lem.gelutanh_relu"),
}
"""Form -> (a bound of the constant K of the rate K/c, id of the statement that proves it)."""
FAR = 12  # from here on the facts of `_Shape` are proved by the bounds of `_Shape.tail`
NEAR = Fraction(3, 8)  # below, they are proved by derivatives of higher order
BITS = 128  # precision of the proofs in balls


def _half_pi_root() -> flint.arb:
    """sqrt(pi/2)."""
    return (flint.arb.pi() / 2).sqrt()


def _t_series(form: str, z: flint.arb_series) -> flint.arb_series:
    """T(z) for a power series z, which gives T and its derivatives."""
    if form == "erf":
        return (z / flint.arb(2).sqrt()).erf()
    inner = (2 / flint.arb.pi()).sqrt() * (z + flint.arb(flint.fmpq(44715, 10**6)) * z * z * z)
    decay = (-2 * inner).exp()  # e^(2 inner) over a wide ball would give a quotient below -1
    return (1 - decay) / (1 + decay)


def _r_derivatives(form: str, z: flint.arb, order: int) -> list[flint.arb]:
    """R and its derivatives at z, up to `order`, as balls."""
    x = flint.arb_series([z, 1], order + 1)
    series = x * x / 2 - _half_pi_root() / 2 * x * _t_series(form, x)
    factorial, out = 1, []
    for k in range(order + 1):
        factorial *= max(k, 1)
        out.append(series[k] * factorial)
    return out


def _slope(form: str, s: flint.arb) -> flint.arb:
    """D' times s^4: s N' - 3 N with N(s) = R(s) - 2 R(s/2)."""
    big, small = _r_derivatives(form, s, 1), _r_derivatives(form, s / 2, 1)
    return s * (big[1] - small[1]) - 3 * (big[0] - 2 * small[0])


def _d_slope_derivative(form: str, s: flint.arb) -> flint.arb:
    """The derivative of `_slope`: s N'' - 2 N'."""
    big, small = _r_derivatives(form, s, 2), _r_derivatives(form, s / 2, 2)
    return s * (big[2] - small[2] / 2) - 2 * (big[1] - small[1])


def _d_slope_fourth(form: str, s: flint.arb) -> flint.arb:
    """The fourth derivative of `_slope`: s N''''' + N''''. The lower ones are 0 at 0: R is of order z^4."""
    big, small = _r_derivatives(form, s, 5), _r_derivatives(form, s / 2, 5)
    return s * (big[5] - small[5] / 16) + big[4] - small[4] / 8


def _d_value(form: str, s: flint.arb) -> flint.arb:
    """D(s) of the module."""
    return (_r_derivatives(form, s, 0)[0] - 2 * _r_derivatives(form, s / 2, 0)[0]) / s**3


class _Shape:
    """Proofs in balls of the facts about R and D for one form of GELU, done once, and the place where D is largest."""

    def __init__(self, form: str) -> None:
        self.form = form
        self.maxima: dict[int, flint.arb] = {}
        """Precision in bits -> the s at which D is largest."""
        start, far = Fraction(0), Fraction(FAR)
        # The hypotheses (a) and (b) of the module: near 0, between NEAR and FAR, and from FAR on.
        with PRECISION, flint.ctx.workprec(BITS):
            self.show("R'''' > 0 near 0", lambda z: _r_derivatives(form, z, 4)[4], start, NEAR)
            self.show("R'' > 0", lambda z: _r_derivatives(form, z, 2)[2], NEAR, far)
            self.show("z R'' - R' > 0", self.curve, NEAR, far)
            self.tail()
            # D increases before the interval `top`, D' s^4 decreases on it, and D decreases after it: D has one
            # maximum.
            self.top = Fraction(2), Fraction(21, 10)
            self.show("D rises near 0", lambda s: _d_slope_fourth(form, s), start, NEAR)
            self.show("D rises", lambda s: _slope(form, s), NEAR, self.top[0])
            self.show("D bends down", lambda s: -_d_slope_derivative(form, s), *self.top)
            self.show("D falls", lambda s: -_slope(form, s), self.top[1], far)

    def best(self) -> flint.arb:
        """The s at which D is largest, at flint's precision."""
        bits = flint.ctx.prec
        if bits not in self.maxima:
            self.maxima[bits] = zero(
                lambda s: _slope(self.form, s), lambda s: _d_slope_derivative(self.form, s), *self.top
            )
        return self.maxima[bits]

    def curve(self, z: flint.arb) -> flint.arb:
        """z R'' - R', the expression of (b)."""
        series = _r_derivatives(self.form, z, 2)
        return z * series[2] - series[1]

    def show(self, what: str, function: Callable[[flint.arb], flint.arb], low: Fraction, high: Fraction) -> None:
        """Raises SymcookError unless balls prove that the function is positive from `low` to `high`."""
        if not positive_on(function, low, high):
            raise SymcookError(f"rigorous intervals did not show that {what} between {low} and {high}")

    def tail(self) -> None:
        """Proves (a), (b) and D' < 0 from FAR on; raises SymcookError if balls do not.

        With c = sqrt(pi/2): R'' = 1 - c (T' + z T''/2), z R'' - R' = c/2 (T - z T' - z^2 T''), and D' s^4 = -s^2/4 +
        c s (T(s) - T(s/2)) - c s^2/2 (T'(s) - T'(s/2)/2) <= s^2 (-1/4 + c/s + c T'(s/2)/4). All follow for z, s/2 >=
        6 from 0 < T' and z^2 (T' + |T''|) <= 1/100, T >= 1/2. For erf T' = sqrt(2/pi) e^(-z^2/2), T'' = -z T'. For
        tanh with inner function a: T' <= 4 a' e^(-2 a), |T''| <= 4 (a'' + 2 a'^2) e^(-2 a). Both bounds times z^2
        fall from 6 on: a polynomial of degree at most 6 (its logarithm grows by at most 6/z <= 1 a unit) times an
        exponential whose logarithm falls by at least z >= 6 or 2 a' >= 8 a unit.
        """
        z = flint.arb(FAR) / 2
        if self.form == "erf":
            bound = z**2 * (1 + z) * (2 / flint.arb.pi()).sqrt() * (-(z**2) / 2).exp()
        else:
            root, small = (2 / flint.arb.pi()).sqrt(), flint.arb(flint.fmpq(44715, 10**6))
            a, first, second = root * (z + small * z**3), root * (1 + 3 * small * z**2), root * 6 * small * z
            bound = z**2 * 4 * (first + second + 2 * first**2) * (-2 * a).exp()
            if not 2 * first > 8:
                raise SymcookError("rigorous intervals did not show that the exponential falls fast enough")
        if not (bound < flint.arb("0.01") and _t_series(self.form, flint.arb_series([z], 1))[0] > flint.arb("0.5")):
            raise SymcookError("rigorous intervals did not show the bounds from 12 on")
        if not _half_pi_root() / FAR + flint.arb("0.01") < flint.arb("0.25"):
            raise SymcookError("rigorous intervals did not show that D falls from 12 on")


@cache
def _shape(form: str) -> _Shape:
    """The proofs for a form, done at the first call."""
    return _Shape(form)


def gelu_multiply(form: str = "erf", digits: int | str = 30) -> Bound:
    """The smallest K such that the product by GELU has an error of at most K (|x| + |y|)^3, against 1/4.

    The product x y is approximated by sqrt(pi/2) (gelu(x + y) - gelu(x) - gelu(y)), for all x and y.

    Arguments:
        form: str ("erf"). The form of GELU: "erf" (Eq. 24) or "tanh" (Eq. 25).
        digits: int (30). Decimal digits of both rigorous intervals.

    Returns: Bound.

    Raises: BadInput: an unknown form, or digits out of range.

    Example:

    >>> gelu_multiply(digits=4).holds
    True

    Source: Cookbook, Section 4.6.
    """
    wanted = check_digits(digits)
    shape = _shape(_check_form(form))

    def value() -> flint.arb:
        return _d_value(form, shape.best())

    quarter = flint.arb(flint.fmpq(1, 4))
    return Bound(
        kind="gelu-multiply",
        parameters={"form": form},
        value=shown(value, wanted, "the constant"),
        claimed=ball(quarter, wanted, relative=True),
        holds=decide_sign(lambda: quarter - value(), "the constant <= 1/4") >= 0,
        attained=True,
        where="at x = y, and x = y negated",
        source="Cookbook, Section 4.6",
        labels=("smallest K", "claimed K"),
        proofs=("cookbook.s4.6.mul_error", "lem.mul_sharp"),
        extra={"at x = y": shown(lambda: shape.best() / 2, wanted, "the place")},
    )


def gelu_relu(c: str | int | Fraction = 1, form: str = "erf", digits: int | str = 30) -> Bound:
    """The largest difference between GELU(c x)/c and ReLU(x) over all x, against a proved bound.

    The paper gives no rate. Stored proofs give 0.16998/c for erf and 0.17005/c for tanh.

    Arguments:
        c: exact (1). A positive factor.
        form: str ("erf"). The form of GELU: "erf" (Eq. 24) or "tanh" (Eq. 25).
        digits: int (30). Decimal digits of both rigorous intervals.

    Returns: Bound.

    Raises: BadInput: c, form or digits are invalid.

    Example:

    >>> gelu_relu(2, digits=4).holds
    True

    Source: Cookbook, Section 4.6, Eq. (27).
    """
    wanted = check_digits(digits)
    text, scale = positive(c, "c")
    bound, proof = RATES[_check_form(form)]

    by_precision: dict[int, flint.arb] = {}

    def place() -> flint.arb:
        """The critical point u of L, computed once for each precision."""
        bits = flint.ctx.prec
        if bits not in by_precision:
            by_precision[bits] = zero(
                lambda u: _l_slope(form, u), lambda u: _l_slope_derivative(form, u), Fraction(1, 2), Fraction(1)
            )
        return by_precision[bits]

    def value() -> flint.arb:
        u = place()
        return u * (1 - _t_series(form, flint.arb_series([u], 1))[0]) / 2 / scale()

    def claimed() -> flint.arb:
        return arb_of(bound) / scale()

    return Bound(
        kind="gelu-relu",
        parameters={"c": text, "form": form},
        value=shown(value, wanted, "the largest difference"),
        claimed=shown(claimed, wanted, "the bound"),
        holds=decide_sign(lambda: claimed() - value(), "the largest difference <= the bound") >= 0,
        attained=True,
        where="at two places x = u/c and -u/c",
        source="Cookbook, Section 4.6, Eq. (27)",
        labels=("largest difference", f"{bound}/c"),
        proofs=(proof,),
        extra={"u": shown(place, wanted, "the place")},
    )


def _l_slope(form: str, u: flint.arb) -> flint.arb:
    """Twice the derivative of L(u) = u (1 - T(u))/2."""
    series = _t_series(form, flint.arb_series([u, 1], 2))  # T and T'
    return 1 - series[0] - u * series[1]


def _l_slope_derivative(form: str, u: flint.arb) -> flint.arb:
    """The derivative of `_l_slope`: -2 T' - u T''."""
    series = _t_series(form, flint.arb_series([u, 1], 3))  # T, T' and T''/2
    return -2 * series[1] - 2 * u * series[2]


def _check_form(form: str) -> str:
    """The form itself; BadInput unless it is one of `FORMS`."""
    if form not in FORMS:
        raise unknown("form of GELU", str(form), FORMS)
    return form
