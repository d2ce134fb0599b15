from __future__ import annotations

from symcook.recipes import kit
from symcook.recipes.feedforward import UNIFORM, pointwise
from symcook.recipes.registry import Recipe, recipe


@recipe(
    kind="feed-forward",
    summary="the lesser of x and y",
    source="Cookbook, Section 4.4",
    formula="min(x, y)",
    computes="relu(x) - relu(-x) - relu(x - y)",
    region="true",
    uniformity=UNIFORM,
    claims=("cookbook.t1.minmax", "cookbook.s4.4.min"),
    reference="symcook.spec.feedforward:minimum",
)
def minimum(this: Recipe) -> kit.Transformer:
    """x, less what x exceeds y by."""
    return pointwise(this, ("x", "y"))
