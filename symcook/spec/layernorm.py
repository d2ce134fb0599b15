"""References of the recipes about layer norm, on rational points (the Cookbook's section 6)."""

from collections.abc import Mapping
from fractions import Fraction

from symcook.errors import BadInput


def _sign(value: Fraction | int) -> Fraction:
    """-1, 0 or 1. Raises BadInput for a value that is no integer or Fraction."""
    if isinstance(value, bool) or not isinstance(value, (int, Fraction)):
        raise BadInput("an input must be an exact number", value, "give an integer or a Fraction")
    return Fraction((value > 0) - (value < 0))


def signs(values: Mapping[str, Fraction], d: int) -> dict[str, Fraction]:
    """The sign of each of the d components x1 to xd, or of x for d = 1, under the same name (section 6.4)."""
    names = ["x"] if d == 1 else [f"x{c}" for c in range(1, d + 1)]
    return {name: _sign(values[name]) for name in names}


def greater(values: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """x becomes the sign of x - y (section 6.4)."""
    return {"x": _sign(values["x"] - values["y"])}


def sign_beside(values: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """out = the sign of x; y is unchanged (section 5.3.3)."""
    return {"out": _sign(values["x"]), "y": Fraction(values["y"])}
