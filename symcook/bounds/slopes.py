"""Derivatives of the smooth activations over balls (Cookbook, Eqs. 24 to 26)."""

from __future__ import annotations

from flint import arb, fmpq


def _gelu_slope(x: arb) -> arb:
    """Phi(x) + x phi(x)."""
    half = (-x * arb(2).rsqrt()).erfc() / 2
    return half + x * (-x * x / 2).exp() / (2 * arb.pi()).sqrt()


def _by_logistic(inner: arb, steep: arb, x: arb) -> arb:
    """The slope of x L(inner(x)), L the logistic function, where inner has the slope `steep`."""
    share = 1 / (1 + (-inner).exp())
    return share + x * share * (1 - share) * steep


def _gelu_tanh_slope(x: arb) -> arb:
    factor, cube = 2 * (2 / arb.pi()).sqrt(), arb(fmpq(44715, 1000000))
    return _by_logistic(factor * (x + cube * x * x * x), factor * (1 + 3 * cube * x * x), x)


def _gelu_sigmoid_slope(x: arb) -> arb:
    factor = arb(fmpq(1702, 1000))
    return _by_logistic(factor * x, factor, x)


GELU_SLOPES = {"gelu": _gelu_slope, "gelu-tanh": _gelu_tanh_slope, "gelu-sigmoid": _gelu_sigmoid_slope}
"""Balls around the derivatives over a ball; where these are not finite, the bound is not."""
