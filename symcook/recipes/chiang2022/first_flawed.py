from __future__ import annotations

from symcook.recipes import kit
from symcook.recipes.adapters import decides
from symcook.recipes.chiang2022 import FIRST, SCALED, SOURCE, C, bits_behind_cls, printed_head, score_scale
from symcook.recipes.registry import Recipe, recipe

NAMES = ("zero", "one", "cls", "start", "s")


def _long_enough(scaled: bool) -> str:
    return "n < (n + 1)^c" if scaled else "n < exp(c)"


@recipe(
    kind="language",
    summary="a word that begins with 1, as long as no sum of the other positions outweighs the first",
    source=f"{SOURCE}, Section 5.2",
    formula=FIRST,
    computes="0 < s",
    region="n < exp(c)",
    uniformity="No weight depends on the length, but c must be above log(n - 1); with log n scaling c = 1 serves all.",
    claims=(
        "chiang2022.def.languages", "chiang2022.s5.2.flawed", "chiang2022.s5.2.threshold", "chiang2022.eq2",
        "chiang2022.s5.3.flawed",
    ),
    reference="symcook.spec.languages:first",
    arguments=(SCALED,),
    symbols=(C,),
    adapt=decides,
    region_of=_long_enough,
)  # fmt: skip
def first_flawed(this: Recipe, scaled: bool) -> kit.Transformer:
    """Every position holds 1/2 or -1/2; CLS sees most of position 1, and in long words too little of it.

    Logit = s = (exp(c) - 1)/(exp(c) + n - 1) (I[w_1 = 1] - 1/2) + (k - n/2)/(exp(c) + n - 1) at CLS, with k the number
    of 1s and n = |w| + 1. Accept iff s > 0.

    scaled: whether the scores are multiplied by log n (Eq. 2), so that n^c stands for exp(c). c: any positive number.
    Coordinates, the paper's dimensions 1 to 5: zero, one and cls (one-hot tokens), start I[i = 1], and s. One layer
    without norms, whose feed-forward part does nothing and is left out. Region, with n the number of letters: n <
    exp(c), or n < (n + 1)^c with scaling, which c = 1 satisfies at every length. At any other n >= 1 the word 10...0 is
    rejected. Source: Chiang and Cholak 2022, Sections 5.2 and 5.3.
    """
    value = {"zero": "-1/2", "one": "1/2", "cls": "-1/2"}
    return this.model(
        bits_behind_cls(NAMES, {"start": "I[i = 1]"}),
        (kit.Layer(printed_head(NAMES, {"cls": "c"}, {"start": 1}, value, scaled)),),
        kit.Readout("sign", "first", ("s",), weights=[[1]]),
        parameters=(score_scale(),),
    )
