from __future__ import annotations

from symcook.errors import BadInput
from symcook.recipes import kit
from symcook.recipes.adapters import no_arguments
from symcook.recipes.arguments import fraction
from symcook.recipes.feedforward import UNIFORM, pointwise
from symcook.recipes.registry import Argument, Recipe, recipe

REGION = "(p = 0 | p = 1) & (p = 1 -> 0 <= x & y <= 1) & (p = 0 -> x <= 1 & 0 <= y)"


def _bounded(low: kit.Fraction, high: kit.Fraction) -> str:
    if low >= high:
        raise BadInput("low must be less than high", f"{low} and {high}", "give for example low=-1 high=1")
    if (low, high) == (0, 1):
        return REGION
    taken = f"{low} <= x & y <= {high}"
    return f"(p = 0 | p = 1) & (p = 1 -> {taken}) & (p = 0 -> x <= {high} & {low} <= y)"


@recipe(
    "if",
    kind="feed-forward",
    summary="x where p is 1, y where p is 0",
    source="Cookbook, Section 4.9",
    formula="if(p = 1, x, y)",
    computes="relu(p + x - 1) + relu(y - p)",
    region=REGION,
    largest=False,
    uniformity=UNIFORM,
    claims=("cookbook.t1.conditional", "cookbook.s4.9.conditional"),
    reference="symcook.spec.feedforward:conditional",
    arguments=(
        Argument("low", "0", "the least value of x and y", fraction),
        Argument("high", "1", "the greatest value of x and y", fraction),
    ),
    adapt=no_arguments,
    region_of=_bounded,
)
def conditional(this: Recipe, low: kit.Fraction, high: kit.Fraction) -> kit.Transformer:
    """The bit p pushes the branch that is not wanted below zero, where ReLU drops it.

    out = relu(p + x - 1) + relu(y - p) = x if p = 1, y if p = 0.

    low, high: the interval of x and y, 0 to 1 as printed. For any other, with width B = high - low, out = relu(B p + x
    - high) + relu(y - B p - low) + low, which the paper calls easy; the region is that below with low for 0 and high
    for 1.

    Region: x >= 0 and y <= 1 where p = 1, x <= 1 and y >= 0 where p = 0; so all x and y in [0, 1]. Table 1 gives x and
    y in R. For a bit p there is no more: at p = 1, relu(x) + relu(y - 1) = x needs x >= 0, as the left side is, and
    then relu(y - 1) = 0; at p = 0, relu(x - 1) + relu(y) = y likewise. For other p, where "if" has no meaning here, no
    larger region is looked for.
    """
    _bounded(low, high)
    if (low, high) == (0, 1):
        return pointwise(this, ("p", "x", "y"))
    width = high - low
    weights = {"W1": [[width, 1, 0], [-width, 0, 1]], "b1": [-high, -low], "W2": [[1, 1]], "b2": [low]}
    return pointwise(this, ("p", "x", "y"), weights=weights)
