from __future__ import annotations

from symcook.recipes import kit
from symcook.recipes.adapters import of_rows
from symcook.recipes.attention import MARK, over_rows
from symcook.recipes.registry import Recipe, recipe


@recipe(
    kind="attention",
    summary="the value of the position before, from (-1)^i by rightmost attention",
    source="Cookbook, Section 5.4",
    formula="if(i = 1, 0, value(i - 1))",
    region="0 <= value & value <= 1",
    largest=False,
    uniformity="No weight depends on the length; the position function is (-1)^i.",
    claims=(
        "cookbook.t2.predecessor",
        "cookbook.s5.4.pred_spec",
        "cookbook.s5.4.pred_odd",
        "cookbook.s5.4.pred_even",
        "cookbook.s5.4.is_even",
        "cookbook.s5.4.pred_formula",
    ),
    reference="symcook.spec.attention:predecessor",
    adapt=of_rows(("value",), "out"),
)
def predecessor(this: Recipe) -> kit.Transformer:
    """One head looks at the last even position, one at the last odd one; a conditional takes the one that is before i,
    and another puts 0 at the first position.

    out_1 = 0 and out_i = value_(i-1) for i > 1.

    The heads pred.odd and pred.even attend to 1..i, rightmost, with the scores (-1)^j and -(-1)^j. The conditional
    if(GTZero_1((-1)^i), pred.even, pred.odd) is the value before i for i > 1, but value_1 at i = 1; a second one, with
    the mark of Section 5.2, puts 0 there, which the paper's formula leaves out. Region: all values in [0, 1], as both
    conditionals need; no larger one is looked for.
    """
    reads = ("one", "alternating", "value")
    odds = kit.Head(reads, ("odds",), [[1, 0, 0]], [[0, 1, 0]], [[0, 0, 1]], mask="future", weighting="rightmost")
    evens = kit.Head(reads, ("evens",), [[1, 0, 0]], [[0, -1, 0]], [[0, 0, 1]], mask="future", weighting="rightmost")
    mean = kit.Head(("alternating",), ("mean",), [[0]], [[0]], [[-1]], mask="future")
    tests = kit.feedforward(first=MARK, even="relu(alternating) - relu(alternating - 1)")
    joined = kit.feedforward(reads=("even", "evens", "odds"), pred="relu(even + evens - 1) + relu(odds - even)")
    zeroed = kit.feedforward(reads=("first", "pred"), out="relu(first - 1) + relu(pred - first)")
    return over_rows(
        this,
        ("value",),
        {"one": 1, "alternating": "(-1)^i"},
        [kit.Layer(kit.SelfAttention((odds, evens, mean)), tests), kit.Layer(None, joined), kit.Layer(None, zeroed)],
        "out",
        order=reads,
    )
