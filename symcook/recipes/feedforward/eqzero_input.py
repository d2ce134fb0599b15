from __future__ import annotations

from symcook.recipes import kit
from symcook.recipes.feedforward import UNIFORM, pointwise
from symcook.recipes.registry import Recipe, recipe


@recipe(
    kind="feed-forward",
    summary="is x zero? tolerance or 0; the tolerance is an input",
    source="Cookbook, Section 4.7, Eq. (34)",
    formula="tolerance*I[x = 0]",
    computes="relu(x + tolerance) - 2*relu(x) + relu(x - tolerance)",
    region="abs(tolerance) <= abs(x) | (x = 0 & 0 <= tolerance)",
    uniformity=UNIFORM,
    claims=("cookbook.s4.7.eqzero_input",),
    reference="symcook.spec.feedforward:eqzero_input",
)
def eqzero_input(this: Recipe) -> kit.Transformer:
    """The tent of eqzero without the division: the answer yes is the tolerance itself.

    out = 0 for |x| >= tolerance, tolerance - |x| for 0 < |x| < tolerance, tolerance for x = 0.

    Inputs: x and tolerance > 0. Region where it is tolerance I[x = 0]: x = 0 or |x| >= tolerance, and no other point,
    since between them tolerance - |x| > 0 comes out for 0. A tolerance t <= 0, which the paper does not allow, gives
    the tent of -t (the outer units change places): right at |x| >= -t, and wrong nearer to 0, where -t - |x| > 0 comes
    out for 0 or for t.
    """
    return pointwise(this, ("x", "tolerance"))
