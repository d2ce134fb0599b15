"""The value of the position before or after: Cookbook, Section 5.4."""

from __future__ import annotations

from symcook.model.choices import MaskWord, WeightingWord
from symcook.recipes import Argument, Recipe, kit
from symcook.recipes.arguments import one_of
from symcook.recipes.attention import HARD, MARK, over_rows, recipe


@recipe(
    summary="the value of the position before, from (-1)^i by rightmost attention",
    source="Cookbook, Section 5.4",
    formula="if(i = 1, 0, value(i - 1))",
    computes="relu(value(i) - 1) + if(i = 1, relu(value(i) - 1), relu(value(i - 1)))",
    region="0 <= value & value <= 1",
    largest=False,
    uniformity="No weight depends on the length; the position function is (-1)^i.",
    claims="t2.predecessor s5.4.pred_spec s5.4.pred_odd s5.4.pred_even s5.4.is_even s5.4.pred_formula",
)
def predecessor(this: Recipe) -> kit.Transformer:
    """One head looks at the last even position, one at the last odd one; a conditional takes the one that is before i,
    and another puts 0 at the first position.

    out_1 = 0 and out_i = value_(i-1) for i > 1.

    The heads pred.odd and pred.even attend to 1..i, rightmost, with the scores (-1)^j and -(-1)^j. The conditional
    if(GTZero_1((-1)^i), pred.even, pred.odd) is the value before i for i > 1, but value_1 at i = 1; a second one, with
    the mark of Section 5.2, puts 0 there, which the paper's formula leaves out. Both conditionals need values in [0,
    1]; no larger region is looked for.
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


@recipe(
    summary="the value of the position before, by quadratic lookup",
    source="Cookbook, Section 5.4, by quadratic lookup (Section 5.3.4)",
    formula="if(i = 1, 0, value(i - 1))",
    computes="if(i = 1, relu(value(i) - 1), relu(value(i - 1)))",
    region="0 <= value & value <= 1",
    largest=False,
    uniformity="No weight depends on the length; the position functions i and i^2 are not bounded.",
    claims="t2.predecessor s5.4.pred_quadmax",
    reference="symcook.spec.attention:predecessor",
    arguments=(
        Argument("weighting", "average", "average, leftmost or rightmost: one score is the largest", one_of(*HARD)),
    ),
)
def predecessor_quadratic(this: Recipe, weighting: WeightingWord) -> kit.Transformer:
    """The score 2 (i - 1) j - j^2 is greatest at j = i - 1; at the first position, marked as in Section 5.2, a
    conditional puts 0.

    out_1 = 0 and out_i = value_(i-1) for i > 1, by the scores 2 (i - 1) j - j^2.

    weighting: any hard one, as no two scores of a row are equal greatest. Coordinate before = i - 1 is a position
    function; at i = 1 the head reads position 1, and relu(found - first) puts 0 there. That step needs value_1 <= 1 at
    i = 1, and at the others values that are not negative.
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


def nearest(this: Recipe, mask: MaskWord, side: int, weighting: WeightingWord) -> kit.Transformer:
    """The model that retrieves the value of the nearest position that the strict mask allows. With weighting "average"
    it has the scores `side` j/n; a leftmost or rightmost weighting needs no scores."""
    score = {("one", "share"): side} if weighting == "average" else None
    look = kit.head(score, {"out": "value"}, mask=mask, weighting=weighting)
    return over_rows(this, ("value",), {"one": 1, "share": "i/n"} if score else {}, [kit.Layer(look)], "out")


@recipe(
    summary="the value of the position before, by the strict future mask",
    source="Cookbook, Section 5.4",
    formula="if(i = 1, 0, value(i - 1))",
    uniformity="No weight depends on the length; with average the position function is i/n.",
    claims="t2.predecessor s5.4.pred_strict_ahat s5.4.pred_strict_uhat s5.4.strict_weights",
    reference="symcook.spec.attention:predecessor",
    arguments=(
        Argument(
            "weighting",
            "rightmost",
            "rightmost, with scores zero; or average, with the scores j/n",
            one_of("rightmost", "average"),
        ),
    ),
)
def predecessor_strict(this: Recipe, weighting: WeightingWord) -> kit.Transformer:
    """Only the positions before i are seen, and the nearest of them is the last one; where there is none attention adds
    0.

    out_1 = 0 and out_i = value_(i-1) for i > 1.

    weighting rightmost: all scores are zero, and ties are broken towards i. weighting average: the scores are j/n, with
    one greatest at the nearest position. The row of the first position is empty and gives 0.
    """
    return nearest(this, "strict-future", 1, weighting)


@recipe(
    summary="the value of the position after, by the strict past mask",
    source="Cookbook, Section 5.4, with the mask of Section 9.2.2",
    formula="if(i = n, 0, value(i + 1))",
    uniformity="No weight depends on the length; with average the position function is -i/n.",
    claims="s9.2.2.step1_fetch",
    arguments=(
        Argument(
            "weighting",
            "leftmost",
            "leftmost, with scores zero; or average, with the scores -j/n",
            one_of("leftmost", "average"),
        ),
    ),
)
def successor(this: Recipe, weighting: WeightingWord) -> kit.Transformer:
    """Only the positions after i are seen, and the nearest of them is the first one; where there is none attention adds
    0.

    out_n = 0 and out_i = value_(i+1) for i < n.

    weighting leftmost: all scores are zero, and ties are broken towards i. weighting average: the scores are -j/n, with
    one greatest at the nearest position. The row of the last position is empty and gives 0. The mirror image of the
    predecessor by the strict mask, which Section 9.2.2 uses.
    """
    return nearest(this, "strict-past", -1, weighting)
