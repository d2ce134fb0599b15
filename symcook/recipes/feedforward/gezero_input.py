from __future__ import annotations

from symcook.recipes import kit
from symcook.recipes.feedforward import UNIFORM, pointwise
from symcook.recipes.registry import Recipe, recipe


@recipe(
    kind="feed-forward",
    summary="is x at least zero? tolerance or 0; the tolerance is an input",
    source="Cookbook, Section 4.7, Eq. (33)",
    formula="tolerance*I[0 <= x]",
    computes="relu(x + tolerance) - relu(x)",
    region="(x < 0 & x <= -tolerance) | max(0, -tolerance) <= x",
    uniformity=UNIFORM,
    claims=("cookbook.s4.7.gezero_input",),
    reference="symcook.spec.feedforward:gezero_input",
)
def gezero_input(this: Recipe) -> kit.Transformer:
    """The ramp of gezero without the division: the answer yes is the tolerance itself.

    out = 0 for x <= -tolerance, x + tolerance for -tolerance < x < 0, tolerance for x >= 0.

    Inputs: x and tolerance > 0. Region where it is tolerance I[x >= 0]: x <= -tolerance or x >= 0, and no other point,
    since between them x + tolerance > 0 comes out for 0. A tolerance t <= 0, which the paper does not allow, is right
    at x < 0 (both units are 0) and at x >= -t (x + t - x = t), and wrong between, where -x > t comes out for t.
    """
    return pointwise(this, ("x", "tolerance"))
