from __future__ import annotations

from symcook.recipes import kit
from symcook.recipes.feedforward import UNIFORM, pointwise
from symcook.recipes.registry import Recipe, recipe


@recipe(
    kind="feed-forward",
    summary="the sum of x and y",
    source="Cookbook, Section 4.5",
    formula="x + y",
    computes="relu(x) - relu(-x) + relu(y) - relu(-y)",
    region="true",
    uniformity=UNIFORM,
    claims=("cookbook.t1.addsub", "cookbook.s4.5.add"),
    reference="symcook.spec.feedforward:add",
)
def add(this: Recipe) -> kit.Transformer:
    """The identity of x and that of y, side by side, into one output."""
    return pointwise(this, ("x", "y"))
