from __future__ import annotations

from symcook.recipes import kit
from symcook.recipes.feedforward import UNIFORM, pointwise
from symcook.recipes.registry import Recipe, recipe


@recipe(
    kind="feed-forward",
    summary="rounds to 0 or 1 what is within 1/4 of it",
    source="Cookbook, Section 5.7",
    formula="I[1/2 < x]",
    computes="2*(relu(x - 1/4) - relu(x - 3/4))",
    region="x <= 1/4 | 3/4 <= x",
    uniformity=UNIFORM,
    claims=("cookbook.s5.7.rounding",),
    reference="symcook.spec.feedforward:round_quarter",
)
def round_quarter(this: Recipe) -> kit.Transformer:
    """gtzero with tolerance 1/2, moved right by 1/4.

    out = GTZero_{1/2}(x - 1/4): 0 for x <= 1/4, 2 x - 1/2 between, 1 for x >= 3/4.

    The weights of Eq. (29) with eps = 1/2, after x -> x - 1/4. Region where it is the nearest of 0 and 1: x <= 1/4 or x
    >= 3/4; between, 2 x - 1/2 lies strictly between 0 and 1.
    """
    return pointwise(this, ("x",))
