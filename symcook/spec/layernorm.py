"""References of the recipes about layer norm, on rational points (the Cookbook's section 6)."""

from collections.abc import Mapping
from fractions import Fraction

from symcook.errors import BadInput


def _sign(value: Fraction | int) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, (int, Fraction)):
        raise BadInput("an input must be an exact number", value, "give an integer or a Fraction")
    return Fraction((value > 0) - (value < 0))


def signs(values: Mapping[str, Fraction], d: int) -> dict[str, Fraction]:
    """The sign of each of d components x, or x1 to xd (section 6.4)."""
    names = ["x"] if d == 1 else [f"x{c}" for c in range(1, d + 1)]
    return {name: _sign(values[name]) for name in names}


def greater(values: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """Under x the sign of x - y (section 6.4)."""
    return {"x": _sign(values["x"] - values["y"])}


def sign_beside(values: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """The sign of x, and y as it was (section 5.3.3)."""
    return {"out": _sign(values["x"]), "y": Fraction(values["y"])}
