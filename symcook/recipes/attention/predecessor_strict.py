from __future__ import annotations

from symcook.recipes import kit
from symcook.recipes.adapters import of_rows
from symcook.recipes.arguments import one_of
from symcook.recipes.attention import over_rows
from symcook.recipes.registry import Argument, Recipe, recipe


@recipe(
    kind="attention",
    summary="the value of the position before, by the strict future mask",
    source="Cookbook, Section 5.4",
    formula="if(i = 1, 0, value(i - 1))",
    region="true",
    uniformity="No weight depends on the length; with average the position function is i/n.",
    claims=(
        "cookbook.t2.predecessor",
        "cookbook.s5.4.pred_strict_ahat",
        "cookbook.s5.4.pred_strict_uhat",
        "cookbook.s5.4.strict_weights",
    ),
    reference="symcook.spec.attention:predecessor",
    arguments=(
        Argument(
            "weighting",
            "rightmost",
            "rightmost, with scores zero; or average, with the scores j/n",
            one_of("rightmost", "average"),
        ),
    ),
    adapt=of_rows(("value",), "out"),
)
def predecessor_strict(this: Recipe, weighting: str) -> kit.Transformer:
    """Only the positions before i are seen, and the nearest of them is the last one; where there is none attention adds
    0.

    out_1 = 0 and out_i = value_(i-1) for i > 1.

    weighting rightmost: all scores are zero, and ties are broken towards i. weighting average: the scores are j/n, with
    one greatest at the nearest position. The row of the first position is empty and gives 0. Region: all rational
    sequences.
    """
    if weighting == "rightmost":
        return over_rows(
            this,
            ("value",),
            {},
            [kit.Layer(kit.head(value={"out": "value"}, mask="strict-future", weighting="rightmost"))],
            "out",
        )
    look = kit.head({("one", "share"): 1}, {"out": "value"}, mask="strict-future")
    return over_rows(this, ("value",), {"one": 1, "share": "i/n"}, [kit.Layer(look)], "out")
