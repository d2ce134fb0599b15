"""The identity by zero values, and uniform attention: Cookbook, Section 5.1."""

from __future__ import annotations

from symcook.model.choices import WeightingWord
from symcook.recipes import Argument, Recipe, kit
from symcook.recipes.arguments import one_of
from symcook.recipes.attention import UNIFORM_WEIGHTING, mean, over_rows, recipe


@recipe(
    summary="x unchanged: attention whose values are zero",
    source="Cookbook, Section 5.1.1",
    formula="x(i)",
    claims="t2.identity s5.1.1.identity",
    reference="symcook.spec.attention:identity",
    arguments=(
        Argument(
            "weighting",
            "average",
            "average, softmax, leftmost or rightmost",
            one_of("average", "softmax", "leftmost", "rightmost"),
        ),
    ),
)
def attention_identity(this: Recipe, weighting: WeightingWord) -> kit.Transformer:
    """All values are zero, so attention adds zero, whatever it looks at.

    x_i + 0 = x_i, with W^(Q) = W^(K) = W^(V) = 0.

    Inputs: x, one value a position. weighting: any, since all values are zero.
    """
    zero_head = kit.Head(("x",), ("x",), [[0]], [[0]], [[0]], weighting=weighting)
    return over_rows(this, ("x",), {}, [kit.Layer(zero_head)], "x")


@recipe(
    summary="at every position the mean of x over all positions",
    source="Cookbook, Section 5.1.2",
    formula="sum(j, 1, n, x(j))/n",
    claims="t2.uniform_avg s5.1.2.avg",
    arguments=(UNIFORM_WEIGHTING,),
)
def average(this: Recipe, weighting: WeightingWord) -> kit.Transformer:
    """Queries and keys are zero, so every position gives equal weight to all positions.

    mean_i = (1/n) sum_{k=1..n} x_k.

    Inputs: x, one value a position. No mask. weighting: average or softmax, the same as all scores are 0.
    """
    return mean(this, "none", weighting)


@recipe(
    summary="at position i the mean of x over positions 1 to i",
    source="Cookbook, Section 5.1.2",
    formula="sum(j, 1, i, x(j))/i",
    claims="t2.uniform_avg s5.1.2.avg_prefix s2.2.2.future_mask",
    arguments=(UNIFORM_WEIGHTING,),
)
def prefix_average(this: Recipe, weighting: WeightingWord) -> kit.Transformer:
    """Queries and keys are zero and the mask hides the future, so position i weighs positions 1 to i equally.

    mean_i = (1/i) sum_{k=1..i} x_k.

    Inputs: x, one value a position. Future mask (a position sees itself). weighting: average or softmax, the same as
    all scores are 0.
    """
    return mean(this, "future", weighting)
