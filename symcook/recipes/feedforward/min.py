"""min: the lesser of x and y. Source: Cookbook, Section 4.4."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symcook.recipes.feedforward import UNIFORM, pointwise
from symcook.recipes.registry import recipe

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer

NAME = "min"


@recipe(
    NAME,
    kind="feed-forward",
    summary="the lesser of x and y",
    source="Cookbook, Section 4.4",
    formula="min(x, y)",
    words="x, less what x exceeds y by.",
    computes="relu(x) - relu(-x) - relu(x - y)",
    region="true",
    uniformity=UNIFORM,
    claims=("cookbook.t1.minmax", "cookbook.s4.4.min"),
    reference="symcook.spec.feedforward:minimum",
)
def minimum() -> Transformer:
    """out = relu(x) - relu(-x) - relu(x - y) = min(x, y). Region: all of R^2. Source: Cookbook, Section 4.4."""
    return pointwise(NAME, ("x", "y"))
