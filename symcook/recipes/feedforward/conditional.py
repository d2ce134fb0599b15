"""if: x where p is 1, y where p is 0. Source: Cookbook, Section 4.9."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symcook.recipes.feedforward import UNIFORM, pointwise
from symcook.recipes.registry import recipe

if TYPE_CHECKING:
    from symcook.blocks import Transformer

NAME = "if"


@recipe(
    NAME,
    kind="feed-forward",
    summary="x where p is 1, y where p is 0",
    source="Cookbook, Section 4.9",
    formula="if(p = 1, x, y)",
    words="The bit p pushes the branch that is not wanted below zero, where ReLU drops it.",
    computes="relu(p + x - 1) + relu(y - p)",
    region="(p = 0 | p = 1) & 0 <= x <= 1 & 0 <= y <= 1",
    uniformity=UNIFORM,
    claims=("cookbook.t1.conditional", "cookbook.s4.9.conditional"),
    reference="symcook.spec.feedforward:conditional",
)
def conditional() -> Transformer:
    """out = relu(p + x - 1) + relu(y - p) = x if p = 1, y if p = 0.

    Region: p in {0, 1}, x and y in [0, 1]. Table 1 gives x and y in R; outside [0, 1] the weights fail, for example at
    p = 0, x = 2, y = 0. Source: Cookbook, Section 4.9.
    """
    return pointwise(NAME, ("p", "x", "y"))
