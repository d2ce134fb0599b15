"""Comparisons with zero, rounding, and the conditional: Cookbook, Sections 4.7, 4.9 and 5.7."""

from __future__ import annotations

from symcook.errors import BadInput
from symcook.recipes import Argument, Recipe, kit
from symcook.recipes.arguments import fraction
from symcook.recipes.feedforward import EPS, pointwise, positive, recipe


@recipe(
    summary="is x positive? 1 or 0, exact outside the window 0 < x < eps",
    source="Cookbook, Section 4.7, Eq. (29)",
    formula="I[0 < x]",
    computes="(relu(x) - relu(x - eps))/eps",
    region="x <= 0 | eps <= x",
    claims="t1.comparators s4.7.gtzero",
    symbols=(EPS,),
)
def gtzero(this: Recipe) -> kit.Transformer:
    """Two ReLUs make a ramp from 0 to 1 of width eps, to the right of zero.

    out = 0 for x <= 0, x/eps for 0 < x < eps, 1 for x >= eps.
    """
    return pointwise(this, ("x",), parameters=[positive("eps")])


@recipe(
    summary="is x at least zero? 1 or 0, exact outside the window -eps < x < 0",
    source="Cookbook, Section 4.7, Eq. (30)",
    formula="I[0 <= x]",
    computes="(relu(x + eps) - relu(x))/eps",
    region="x <= -eps | 0 <= x",
    claims="t1.comparators s4.7.gezero",
    symbols=(EPS,),
)
def gezero(this: Recipe) -> kit.Transformer:
    """Two ReLUs make a ramp from 0 to 1 of width eps, to the left of zero.

    out = 0 for x <= -eps, 1 + x/eps for -eps < x < 0, 1 for x >= 0.
    """
    return pointwise(this, ("x",), parameters=[positive("eps")])


@recipe(
    summary="is x zero? 1 or 0, exact outside the window 0 < |x| < eps",
    source="Cookbook, Section 4.7, Eq. (31)",
    formula="I[x = 0]",
    computes="(relu(x + eps) - 2*relu(x) + relu(x - eps))/eps",
    region="x = 0 | eps <= abs(x)",
    claims="t1.comparators s4.7.eqzero",
    symbols=(EPS,),
)
def eqzero(this: Recipe) -> kit.Transformer:
    """Three ReLUs make a tent of height 1 and half-width eps around zero.

    out = 0 for |x| >= eps, 1 - |x/eps| for 0 < |x| < eps, 1 for x = 0.
    """
    return pointwise(this, ("x",), parameters=[positive("eps")])


@recipe(
    summary="is x positive? tolerance or 0; the tolerance is an input",
    source="Cookbook, Section 4.7, Eq. (32)",
    formula="tolerance*I[0 < x]",
    computes="relu(x) - relu(x - tolerance)",
    region="x <= min(0, tolerance) | (0 < x & tolerance <= x)",
    claims="s4.7.gtzero_input",
)
def gtzero_input(this: Recipe) -> kit.Transformer:
    """The ramp of gtzero without the division: the answer yes is the tolerance itself.

    out = 0 for x <= 0, x for 0 < x < tolerance, tolerance for x >= tolerance.

    Inputs: x and tolerance > 0. A tolerance t <= 0, which the paper does not allow, is right at x <= t (both units are
    0) and at x > 0 (x - (x - t) = t), and wrong between, where t - x < 0 comes out for 0.
    """
    return pointwise(this, ("x", "tolerance"))


@recipe(
    summary="is x at least zero? tolerance or 0; the tolerance is an input",
    source="Cookbook, Section 4.7, Eq. (33)",
    formula="tolerance*I[0 <= x]",
    computes="relu(x + tolerance) - relu(x)",
    region="(x < 0 & x <= -tolerance) | max(0, -tolerance) <= x",
    claims="s4.7.gezero_input",
)
def gezero_input(this: Recipe) -> kit.Transformer:
    """The ramp of gezero without the division: the answer yes is the tolerance itself.

    out = 0 for x <= -tolerance, x + tolerance for -tolerance < x < 0, tolerance for x >= 0.

    Inputs: x and tolerance > 0. A tolerance t <= 0, which the paper does not allow, is right at x < 0 (both units are
    0) and at x >= -t (x + t - x = t), and wrong between, where -x > t comes out for t.
    """
    return pointwise(this, ("x", "tolerance"))


@recipe(
    summary="is x zero? tolerance or 0; the tolerance is an input",
    source="Cookbook, Section 4.7, Eq. (34)",
    formula="tolerance*I[x = 0]",
    computes="relu(x + tolerance) - 2*relu(x) + relu(x - tolerance)",
    region="abs(tolerance) <= abs(x) | (x = 0 & 0 <= tolerance)",
    claims="s4.7.eqzero_input",
)
def eqzero_input(this: Recipe) -> kit.Transformer:
    """The tent of eqzero without the division: the answer yes is the tolerance itself.

    out = 0 for |x| >= tolerance, tolerance - |x| for 0 < |x| < tolerance, tolerance for x = 0.

    Inputs: x and tolerance > 0. A tolerance t <= 0, which the paper does not allow, gives the tent of -t (the outer
    units change places): right at |x| >= -t, and wrong nearer to 0, where -t - |x| > 0 comes out for 0 or for t.
    """
    return pointwise(this, ("x", "tolerance"))


BRANCHES = "(p = 0 | p = 1) & (p = 1 -> 0 <= x & y <= 1) & (p = 0 -> x <= 1 & 0 <= y)"
"""The region of the conditional for low = 0 and high = 1."""


def _bounded(low: kit.Fraction, high: kit.Fraction) -> str:
    """The region of the conditional for values between `low` and `high`. BadInput unless low < high."""
    if low >= high:
        raise BadInput("low must be less than high", f"{low} and {high}", "give for example low=-1 high=1")
    if (low, high) == (0, 1):
        return BRANCHES
    bounds_taken = f"{low} <= x & y <= {high}"
    return f"(p = 0 | p = 1) & (p = 1 -> {bounds_taken}) & (p = 0 -> x <= {high} & {low} <= y)"


@recipe(
    "if",
    summary="x where p is 1, y where p is 0",
    source="Cookbook, Section 4.9",
    formula="if(p = 1, x, y)",
    computes="relu(p + x - 1) + relu(y - p)",
    region=BRANCHES,
    largest=False,
    claims="t1.conditional s4.9.conditional",
    arguments=(
        Argument("low", "0", "the smaller of x and y", fraction),
        Argument("high", "1", "the larger of x and y", fraction),
    ),
    region_of=_bounded,
)
def conditional(this: Recipe, low: kit.Fraction, high: kit.Fraction) -> kit.Transformer:
    """The bit p pushes the branch that is not wanted below zero, where ReLU drops it.

    out = relu(p + x - 1) + relu(y - p) = x if p = 1, y if p = 0.

    low, high: the interval of x and y, 0 to 1 as printed. For any other, with width B = high - low, out = relu(B p + x
    - high) + relu(y - B p - low) + low, which the paper calls easy; the region is then that of [0, 1] with low for 0
    and high for 1.

    All x and y in [0, 1] are in the region; Table 1 gives x and y in R. For a bit p it holds no more: at p = 1, relu(x)
    + relu(y - 1) = x needs x >= 0, as the left side is, and then relu(y - 1) = 0; at p = 0, relu(x - 1) + relu(y) = y
    likewise. For other p, where "if" has no meaning here, no larger region is looked for.
    """
    _bounded(low, high)
    if (low, high) == (0, 1):
        return pointwise(this, ("p", "x", "y"))
    width = high - low
    weights = {"W1": [[width, 1, 0], [-width, 0, 1]], "b1": [-high, -low], "W2": [[1, 1]], "b2": [low]}
    return pointwise(this, ("p", "x", "y"), weights=weights)


@recipe(
    "round",
    summary="rounds a number within 1/4 of 0 or 1 to 0 or 1",
    source="Cookbook, Section 5.7",
    formula="I[1/2 < x]",
    computes="2*(relu(x - 1/4) - relu(x - 3/4))",
    region="x <= 1/4 | 3/4 <= x",
    claims="s5.7.rounding",
)
def round_quarter(this: Recipe) -> kit.Transformer:
    """gtzero with tolerance 1/2, moved right by 1/4.

    out = GTZero_{1/2}(x - 1/4): 0 for x <= 1/4, 2 x - 1/2 between, 1 for x >= 3/4.

    The weights of Eq. (29) with eps = 1/2, after x -> x - 1/4.
    """
    return pointwise(this, ("x",))
