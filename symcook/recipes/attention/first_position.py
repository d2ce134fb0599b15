from __future__ import annotations

from symcook.recipes import kit
from symcook.recipes.adapters import named_fold
from symcook.recipes.arguments import alphabet as read_alphabet
from symcook.recipes.arguments import one_of
from symcook.recipes.attention import MARK
from symcook.recipes.registry import Argument, Recipe, recipe


@recipe(
    kind="attention",
    summary="1 at the first position and 0 at every other, from the position function (-1)^i",
    source="Cookbook, Section 5.2",
    formula="I[i = 1]",
    computes=MARK,
    region="true",
    uniformity="No weight depends on the length; the position function is (-1)^i.",
    claims=("cookbook.t2.first", "cookbook.s5.2.first_attention", "cookbook.s5.2.first"),
    reference="symcook.spec.attention:first_position",
    arguments=(
        Argument("alphabet", "01", "the symbols of the words, which it does not look at", read_alphabet),
        Argument("weighting", "average", "average, softmax or leftmost", one_of("average", "softmax", "leftmost")),
    ),
    adapt=named_fold("first"),
)
def first_position(this: Recipe, alphabet: tuple[str, ...], weighting: str) -> kit.Transformer:
    """The prefix mean of -(-1)^i is 1 at the first position and at most 1/3 later; a comparison tells them apart.

    first_i = GTZero_{1/3}(c_i - 1/3) = I[i = 1], where c_i = (1/i) sum_{j<=i} -(-1)^j.

    alphabet: different symbols; tokens embed to nothing, only the position counts. c_1 = 1, and for i > 1 c_i is 0 (i
    even) or 1/i <= 1/3 (i odd). weighting: average or softmax, with scores zero; leftmost with the scores (-1)^j, whose
    greatest is at position 2 where that is seen, so that c_i = -1 for i > 1 (with scores zero it marks every position,
    which Table 2 overlooks). Region: every word of length at least 1.
    """
    unique = weighting == "leftmost"
    places = {"one": 1, "alternating": "(-1)^i"} if unique else {"alternating": "(-1)^i"}
    score = {("one", "alternating"): 1} if unique else None
    mean = kit.head(score, {"mean": "-alternating"}, mask="future", weighting=weighting)
    return this.model(
        kit.Embedding(
            kit.Space((*places, "mean", "first")), words={letter: {} for letter in alphabet}, positions=places
        ),
        (kit.Layer(mean, kit.feedforward(first=MARK)),),
        kit.Readout("value", "each", ("first",)),
    )
