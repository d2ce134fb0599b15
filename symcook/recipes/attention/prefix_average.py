"""prefix-average: at position i the mean of x over positions 1 to i. Source: Cookbook, Section 5.1.2."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symcook.recipes.adapters import of_rows
from symcook.recipes.attention import UNIFORM_WEIGHTING, mean
from symcook.recipes.registry import recipe

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer

NAME = "prefix-average"


@recipe(
    NAME,
    kind="attention",
    summary="at position i the mean of x over positions 1 to i",
    source="Cookbook, Section 5.1.2",
    formula="sum(j, 1, i, x(j))/i",
    words="Queries and keys are zero and the mask hides the future, so position i weighs positions 1 to i equally.",
    computes="sum(j, 1, i, x(j))/i",
    region="true",
    uniformity="No weight depends on the length.",
    claims=("cookbook.t2.uniform_avg", "cookbook.s5.1.2.avg_prefix", "cookbook.s2.2.2.future_mask"),
    reference="symcook.spec.attention:prefix_average",
    arguments=(UNIFORM_WEIGHTING,),
    adapt=of_rows(("x",), "mean"),
)
def prefix_average(weighting: str) -> Transformer:
    """mean_i = (1/i) sum_{k=1..i} x_k.

    Inputs: x, one value a position. Future mask (a position sees itself). weighting: average or softmax, the same as
    all scores are 0. Region: all rational sequences of length at least 1. Source: Cookbook, Section 5.1.2.
    """
    return mean(NAME, "future", weighting)
