"""successor. Source: Cookbook, Section 5.4."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symcook.recipes.adapters import of_rows
from symcook.recipes.arguments import one_of
from symcook.recipes.attention import over_rows
from symcook.recipes.registry import Argument, recipe

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer

NAME = "successor"


@recipe(
    NAME,
    kind="attention",
    summary="the value of the position after, by the strict past mask",
    source="Cookbook, Section 5.4, with the mask of Section 9.2.2",
    formula="if(i = n, 0, value(i + 1))",
    words="Only the positions after i are seen, and the nearest of them is the first one; where there is none "
    "attention adds 0.",
    computes="if(i = n, 0, value(i + 1))",
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
def successor(weighting: str) -> Transformer:
    """out_n = 0 and out_i = value_(i+1) for i < n.

    weighting leftmost: all scores are zero, and ties are broken towards i. weighting average: the scores are -j/n,
    with one greatest at the nearest position. The row of the last position is empty and gives 0. Region: all rational
    sequences. The mirror image of the predecessor by the strict mask, which Section 9.2.2 uses. Source: Cookbook,
    Section 5.4.
    """
    from symcook.model.layers import Layer
    from symcook.model.weights import head

    if weighting == "leftmost":
        return over_rows(
            NAME, ("value",), {}, [Layer(head(value={"out": "value"}, mask="strict-past", weighting="leftmost"))], "out"
        )
    look = head({("one", "share"): -1}, {"out": "value"}, mask="strict-past")
    return over_rows(NAME, ("value",), {"one": 1, "share": "i/n"}, [Layer(look)], "out")
