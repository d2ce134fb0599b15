from __future__ import annotations

from symcook.recipes import kit
from symcook.recipes.adapters import of_rows
from symcook.recipes.arguments import one_of
from symcook.recipes.attention import HARD, MARK, over_rows
from symcook.recipes.registry import Argument, Recipe, recipe


@recipe(
    kind="attention",
    summary="the value of the position before, by quadratic lookup",
    source="Cookbook, Section 5.4, by quadratic lookup (Section 5.3.4)",
    formula="if(i = 1, 0, value(i - 1))",
    region="0 <= value & value <= 1",
    largest=False,
    uniformity="No weight depends on the length; the position functions i and i^2 are not bounded.",
    claims=("cookbook.t2.predecessor", "cookbook.s5.4.pred_quadmax"),
    reference="symcook.spec.attention:predecessor",
    arguments=(
        Argument("weighting", "average", "average, leftmost or rightmost: one score is greatest", one_of(*HARD)),
    ),
    adapt=of_rows(("value",), "out"),
)
def predecessor_quadratic(this: Recipe, weighting: str) -> kit.Transformer:
    """The score 2 (i - 1) j - j^2 is greatest at j = i - 1; at the first position, marked as in Section 5.2, a
    conditional puts 0.

    out_1 = 0 and out_i = value_(i-1) for i > 1, by the scores 2 (i - 1) j - j^2.

    weighting: any hard one, as no two scores of a row are equal greatest. Coordinate before = i - 1 is a position
    function; at i = 1 the head reads position 1, and relu(found - first) puts 0 there. Region: all values in [0, 1], as
    that step needs at i = 1, and at the others values that are not negative.
    """
    look = kit.head({("before", "index"): 2, ("one", "square"): -1}, {"found": "value"}, weighting=weighting)
    mean = kit.head(value={"mean": "-alternating"}, mask="future")
    mark = kit.feedforward(first=MARK)
    zeroed = kit.feedforward(out="relu(found - first)")
    return over_rows(
        this,
        ("value",),
        {"one": 1, "before": "i - 1", "index": "i", "square": "i^2", "alternating": "(-1)^i"},
        [kit.Layer(kit.SelfAttention((look, mean)), mark), kit.Layer(None, zeroed)],
        "out",
    )
