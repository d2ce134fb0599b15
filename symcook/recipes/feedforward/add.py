"""add: the sum of x and y. Source: Cookbook, Section 4.5."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symcook.recipes.feedforward import UNIFORM, pointwise
from symcook.recipes.registry import recipe

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer

NAME = "add"


@recipe(
    NAME,
    kind="feed-forward",
    summary="the sum of x and y",
    source="Cookbook, Section 4.5",
    formula="x + y",
    words="The identity of x and that of y, side by side, into one output.",
    computes="relu(x) - relu(-x) + relu(y) - relu(-y)",
    region="true",
    uniformity=UNIFORM,
    claims=("cookbook.t1.addsub", "cookbook.s4.5.add"),
    reference="symcook.spec.feedforward:add",
)
def add() -> Transformer:
    """out = relu(x) - relu(-x) + relu(y) - relu(-y) = x + y. Region: all of R^2. Source: Cookbook, Section 4.5."""
    return pointwise(NAME, ("x", "y"))
