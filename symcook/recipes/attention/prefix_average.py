from __future__ import annotations

from symcook.recipes import kit
from symcook.recipes.adapters import of_rows
from symcook.recipes.attention import UNIFORM_WEIGHTING, mean
from symcook.recipes.registry import Recipe, recipe


@recipe(
    kind="attention",
    summary="at position i the mean of x over positions 1 to i",
    source="Cookbook, Section 5.1.2",
    formula="sum(j, 1, i, x(j))/i",
    region="true",
    uniformity="No weight depends on the length.",
    claims=("cookbook.t2.uniform_avg", "cookbook.s5.1.2.avg_prefix", "cookbook.s2.2.2.future_mask"),
    reference="symcook.spec.attention:prefix_average",
    arguments=(UNIFORM_WEIGHTING,),
    adapt=of_rows(("x",), "mean"),
)
def prefix_average(this: Recipe, weighting: str) -> kit.Transformer:
    """Queries and keys are zero and the mask hides the future, so position i weighs positions 1 to i equally.

    mean_i = (1/i) sum_{k=1..i} x_k.

    Inputs: x, one value a position. Future mask (a position sees itself). weighting: average or softmax, the same as
    all scores are 0. Region: all rational sequences of length at least 1.
    """
    return mean(this, "future", weighting)
