from __future__ import annotations

from symcook.recipes import kit
from symcook.recipes.feedforward import UNIFORM, pointwise, positive
from symcook.recipes.registry import Recipe, Symbol, recipe


@recipe(
    kind="feed-forward",
    summary="x kept within -delta and delta",
    source="Cookbook, Section 6.4",
    formula="max(-delta, min(delta, x))",
    computes="relu(x + delta) - relu(x - delta) - delta",
    region="true",
    uniformity=UNIFORM,
    claims=("cookbook.s6.4.clip",),
    reference="symcook.spec.feedforward:clip",
    symbols=(Symbol("delta", None, "0 < delta", "the bound"),),
)
def clip(this: Recipe) -> kit.Transformer:
    """A ramp of slope 1 from -delta to delta; so delta times the sign of x where |x| is at least delta.

    delta > 0. Region: all of R; where |x| >= delta it is delta times the sign of x. The paper prints b2 = [-delta;
    delta], two entries for a map R -> R with a W2 of one row; here b2 = [-delta], the entry that gives the clip.
    """
    return pointwise(this, ("x",), parameters=[positive("delta")])
