from __future__ import annotations

from symcook.recipes import kit
from symcook.recipes.adapters import of_rows
from symcook.recipes.attention import UNIFORM_WEIGHTING, mean
from symcook.recipes.registry import Recipe, recipe


@recipe(
    kind="attention",
    summary="at every position the mean of x over all positions",
    source="Cookbook, Section 5.1.2",
    formula="sum(j, 1, n, x(j))/n",
    region="true",
    uniformity="No weight depends on the length.",
    claims=("cookbook.t2.uniform_avg", "cookbook.s5.1.2.avg"),
    reference="symcook.spec.attention:average",
    arguments=(UNIFORM_WEIGHTING,),
    adapt=of_rows(("x",), "mean"),
)
def average(this: Recipe, weighting: str) -> kit.Transformer:
    """Queries and keys are zero, so every position gives equal weight to all positions.

    mean_i = (1/n) sum_{k=1..n} x_k.

    Inputs: x, one value a position. No mask. weighting: average or softmax, the same as all scores are 0. Region: all
    rational sequences of length at least 1.
    """
    return mean(this, "none", weighting)
