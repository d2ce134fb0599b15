from __future__ import annotations

from symcook.recipes import kit
from symcook.recipes.feedforward import UNIFORM, pointwise
from symcook.recipes.registry import Recipe, recipe


@recipe(
    kind="feed-forward",
    summary="the greater of x and y",
    source="Cookbook, Section 4.4",
    formula="max(x, y)",
    computes="relu(x) - relu(-x) + relu(y - x)",
    region="true",
    uniformity=UNIFORM,
    claims=("cookbook.t1.minmax", "cookbook.s4.4.max"),
    reference="symcook.spec.feedforward:maximum",
)
def maximum(this: Recipe) -> kit.Transformer:
    """x, plus what y exceeds x by."""
    return pointwise(this, ("x", "y"))
