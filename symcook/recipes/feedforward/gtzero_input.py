from __future__ import annotations

from symcook.recipes import kit
from symcook.recipes.feedforward import UNIFORM, pointwise
from symcook.recipes.registry import Recipe, recipe


@recipe(
    kind="feed-forward",
    summary="is x positive? tolerance or 0; the tolerance is an input",
    source="Cookbook, Section 4.7, Eq. (32)",
    formula="tolerance*I[0 < x]",
    computes="relu(x) - relu(x - tolerance)",
    region="x <= min(0, tolerance) | (0 < x & tolerance <= x)",
    uniformity=UNIFORM,
    claims=("cookbook.s4.7.gtzero_input",),
    reference="symcook.spec.feedforward:gtzero_input",
)
def gtzero_input(this: Recipe) -> kit.Transformer:
    """The ramp of gtzero without the division: the answer yes is the tolerance itself.

    out = 0 for x <= 0, x for 0 < x < tolerance, tolerance for x >= tolerance.

    Inputs: x and tolerance > 0. Region where it is tolerance I[x > 0]: x <= 0 or x >= tolerance, and no other point,
    since x for 0 < x < tolerance is not tolerance. A tolerance t <= 0, which the paper does not allow, is right at x <=
    t (both units are 0) and at x > 0 (x - (x - t) = t), and wrong between, where t - x < 0 comes out for 0.
    """
    return pointwise(this, ("x", "tolerance"))
