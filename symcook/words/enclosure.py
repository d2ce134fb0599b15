"""The error model of a certificate in each type of float, and ends of its sets as numbers and as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from symcook.errors import require_known

if TYPE_CHECKING:
    from symcook.domains.ball import Value
    from symcook.domains.rounding import Rounding

DTYPES = ("float64", "float32", "float16", "bfloat16")
DIGITS = 10
"""Digits of the ends that a certificate shows, rounded outwards."""


def domain(dtype: str, kind: type[Rounding] | None = None, divides_first: bool = False) -> Any:
    """The domain of all that an arithmetic in `dtype` may compute: weights, columns and every operation rounded to it.
    `divides_first` is the order of averages (`symcook.domains.rounding`).

    What computes an operation in more bits and rounds at its end, as float16 runtimes do, stays in the same sets: a
    double rounding is off by less than u y, since one rounding to nearest is off by at most u/(1 + u) y.
    """
    from symcook.domains.rounding import RUNTIMES, Rounding

    require_known("dtype", dtype, DTYPES)
    format, _ = RUNTIMES[dtype]
    return (kind or Rounding)(format, format, divides_first=divides_first)


def ends(x: Value) -> tuple[float, float]:
    """The ends of a set of the rounding domain as float64, rounded outwards."""
    import math

    from flint import arb

    if not isinstance(x, arb):
        x = arb(x)
    if not x.is_finite():
        return -math.inf, math.inf
    low, high = x.lower(), x.upper()
    below, above = float(low), float(high)
    while arb(below) > low:
        below = math.nextafter(below, -math.inf)
    while arb(above) < high:
        above = math.nextafter(above, math.inf)
    return below, above


def outward(low: float, high: float) -> list[str]:
    """Ends as text of `DIGITS` digits, rounded outwards; "-inf" and "inf" where nothing is known.

    >>> outward(1/3, 1/3), outward(-1.0, 2.0)
    (['0.3333333333', '0.3333333334'], ['-1', '2'])
    """
    return [_text(low, "ROUND_FLOOR"), _text(high, "ROUND_CEILING")]


def _text(x: float, rounding: str) -> str:
    import decimal
    import math

    from symcook.model.rationals import decimal as written

    if math.isinf(x):
        return "inf" if x > 0 else "-inf"
    shown = decimal.Context(prec=DIGITS, rounding=rounding).create_decimal(decimal.Decimal(x))
    sign, digits, exponent = shown.as_tuple()
    return written(("-" if sign else "") + "".join(map(str, digits)), int(exponent))
