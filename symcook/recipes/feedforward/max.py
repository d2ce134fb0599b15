"""max: the greater of x and y. Source: Cookbook, Section 4.4."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symcook.recipes.feedforward import UNIFORM, pointwise
from symcook.recipes.registry import recipe

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer

NAME = "max"


@recipe(
    NAME,
    kind="feed-forward",
    summary="the greater of x and y",
    source="Cookbook, Section 4.4",
    formula="max(x, y)",
    words="x, plus what y exceeds x by.",
    computes="relu(x) - relu(-x) + relu(y - x)",
    region="true",
    uniformity=UNIFORM,
    claims=("cookbook.t1.minmax", "cookbook.s4.4.max"),
    reference="symcook.spec.feedforward:maximum",
)
def maximum() -> Transformer:
    """out = relu(x) - relu(-x) + relu(y - x) = max(x, y). Region: all of R^2. Source: Cookbook, Section 4.4."""
    return pointwise(NAME, ("x", "y"))
