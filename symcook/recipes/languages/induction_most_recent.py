from __future__ import annotations

from symcook.recipes import kit
from symcook.recipes.adapters import made_with
from symcook.recipes.arguments import alphabet as read_alphabet
from symcook.recipes.languages import FETCHING, answered, fetch, letters, over_letters
from symcook.recipes.registry import Argument, Recipe, recipe

FORMULA = (
    "if(ex j in 2..i. w(j - 1) = w(i), sum(j, 2, i, I[w(j - 1) = w(i) & (all k in j + 1..i. w(k - 1) != w(i))]*w(j)), "
    "w(i))"
)


@recipe(
    kind="attention",
    summary="the symbol that followed the last earlier occurrence of the current one",
    source="Cookbook, Section 9.1.1",
    formula=FORMULA,
    region="true",
    uniformity="No weight depends on the length; with average and softmax the position function is i/n, and with "
    "softmax the temperature 1/(n log(8 n)). The width grows with the alphabet.",
    claims=(
        "cookbook.t3.induction",
        "cookbook.s9.1.1.rightmost_def",
        "cookbook.s9.1.1.rightmost_example",
        "cookbook.s9.1.we_example",
        "cookbook.s9.1.1.pred_example",
        "cookbook.s9.1.1.retrieve_rule",
        "cookbook.s9.1.1.max_positions",
        "cookbook.s9.1.1.retrieve_example",
        "cookbook.s9.1.1.gap",
        "cookbook.s9.1.1.soft",
    ),
    reference="symcook.spec.languages:most_recent",
    arguments=(Argument("alphabet", "ABCD", "the symbols of the words", read_alphabet), FETCHING),
    adapt=made_with("alphabet"),
)
def induction_most_recent(this: Recipe, alphabet: tuple[str, ...], weighting: str) -> kit.Transformer:
    """One head fetches the symbol before each position; a second one looks at the last position whose symbol before is
    the current one, and where there is none at the current position itself.

    Induct_rightmost(w)_i: the symbol right after the last earlier occurrence of w_i, w_i itself where there is none.

    alphabet: different symbols, one coordinate each. The first head is the predecessor by the strict future mask (0 at
    the first position), the second one has q_i = WE(x_i), k_j = Pred(x_j) and v_j = WE(x_j) over j <= i: scores 1 where
    the symbol before j is the current one, else 0, rightmost; where all are 0 that is j = i. weighting average: the
    scores of both heads have j/n added, which breaks ties (Section 5.6). weighting softmax: then the temperature 1/(n
    log(8 n)), as the gap is 1/n, and the rounding of Section 5.7 behind each head; the paper takes the gap before ties
    are broken, 1, for which 1/log(8 N) is not enough. Region: every word of length at least 1.
    """
    hot, last, found = (letters(name, alphabet) for name in ("is", "before", "found"))
    if weighting == "rightmost":
        named = {f"{n}{c}": one for n, many in zip(("is", "before", "found"), (hot, last, found), strict=True)
                 for c, one in enumerate(many, 1)}  # fmt: skip
        return this.of_family("induction-most-recent", {"S": len(alphabet)}, alphabet, named)
    b = over_letters(alphabet, weighting)
    fetch(b, hot, last, {}, "strict-future", weighting)
    fetch(b, hot, found, dict.fromkeys(zip(hot, last, strict=True), 1), "future", weighting)
    return answered(b, this, found, alphabet)
