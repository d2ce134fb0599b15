from __future__ import annotations

from symcook.recipes import kit
from symcook.recipes.adapters import of_rows
from symcook.recipes.arguments import one_of
from symcook.recipes.attention import over_rows
from symcook.recipes.registry import Argument, Recipe, recipe


@recipe(
    kind="attention",
    summary="the value of the position after, by the strict past mask",
    source="Cookbook, Section 5.4, with the mask of Section 9.2.2",
    formula="if(i = n, 0, value(i + 1))",
    region="true",
    uniformity="No weight depends on the length; with average the position function is -i/n.",
    claims=("cookbook.s9.2.2.step1_fetch",),
    reference="symcook.spec.attention:successor",
    arguments=(
        Argument(
            "weighting",
            "leftmost",
            "leftmost, with scores zero; or average, with the scores -j/n",
            one_of("leftmost", "average"),
        ),
    ),
    adapt=of_rows(("value",), "out"),
)
def successor(this: Recipe, weighting: str) -> kit.Transformer:
    """Only the positions after i are seen, and the nearest of them is the first one; where there is none attention adds
    0.

    out_n = 0 and out_i = value_(i+1) for i < n.

    weighting leftmost: all scores are zero, and ties are broken towards i. weighting average: the scores are -j/n, with
    one greatest at the nearest position. The row of the last position is empty and gives 0. Region: all rational
    sequences. The mirror image of the predecessor by the strict mask, which Section 9.2.2 uses.
    """
    if weighting == "leftmost":
        return over_rows(
            this,
            ("value",),
            {},
            [kit.Layer(kit.head(value={"out": "value"}, mask="strict-past", weighting="leftmost"))],
            "out",
        )
    look = kit.head({("one", "share"): -1}, {"out": "value"}, mask="strict-past")
    return over_rows(this, ("value",), {"one": 1, "share": "i/n"}, [kit.Layer(look)], "out")
