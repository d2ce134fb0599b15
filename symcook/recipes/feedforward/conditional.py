"""if: x where p is 1, y where p is 0. Source: Cookbook, Section 4.9."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symcook.recipes.feedforward import UNIFORM, pointwise
from symcook.recipes.registry import recipe

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer

NAME = "if"


@recipe(
    NAME,
    kind="feed-forward",
    summary="x where p is 1, y where p is 0",
    source="Cookbook, Section 4.9",
    formula="if(p = 1, x, y)",
    words="The bit p pushes the branch that is not wanted below zero, where ReLU drops it.",
    computes="relu(p + x - 1) + relu(y - p)",
    region="(p = 0 | p = 1) & (p = 1 -> 0 <= x & y <= 1) & (p = 0 -> x <= 1 & 0 <= y)",
    largest=False,
    uniformity=UNIFORM,
    claims=("cookbook.t1.conditional", "cookbook.s4.9.conditional"),
    reference="symcook.spec.feedforward:conditional",
)
def conditional() -> Transformer:
    """out = relu(p + x - 1) + relu(y - p) = x if p = 1, y if p = 0.

    Region: x >= 0 and y <= 1 where p = 1, x <= 1 and y >= 0 where p = 0; so all x and y in [0, 1]. Table 1 gives x and
    y in R. For a bit p there is no more: at p = 1, relu(x) + relu(y - 1) = x needs x >= 0, as the left side is, and
    then relu(y - 1) = 0; at p = 0, relu(x - 1) + relu(y) = y likewise. For other p, where "if" has no meaning here, no
    larger region is looked for. Source: Cookbook, Section 4.9.
    """
    return pointwise(NAME, ("p", "x", "y"))
