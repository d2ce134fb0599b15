from __future__ import annotations

from symcook.recipes import kit
from symcook.recipes.adapters import of_rows
from symcook.recipes.arguments import one_of
from symcook.recipes.attention import over_rows
from symcook.recipes.registry import Argument, Recipe, recipe


@recipe(
    kind="attention",
    summary="x unchanged: attention whose values are zero",
    source="Cookbook, Section 5.1.1",
    formula="x(i)",
    region="true",
    uniformity="No weight depends on the length.",
    claims=("cookbook.t2.identity", "cookbook.s5.1.1.identity"),
    reference="symcook.spec.attention:identity",
    arguments=(
        Argument(
            "weighting",
            "average",
            "average, softmax, leftmost or rightmost",
            one_of("average", "softmax", "leftmost", "rightmost"),
        ),
    ),
    adapt=of_rows(("x",), "x"),
)
def attention_identity(this: Recipe, weighting: str) -> kit.Transformer:
    """All values are zero, so attention adds nothing, whatever it looks at.

    x_i + 0 = x_i, with W^(Q) = W^(K) = W^(V) = 0.

    Inputs: x, one value a position. weighting: any, since all values are zero. Region: all rational sequences of length
    at least 1.
    """
    nothing = kit.Head(("x",), ("x",), [[0]], [[0]], [[0]], weighting=weighting)
    return over_rows(this, ("x",), {}, [kit.Layer(nothing)], "x")
