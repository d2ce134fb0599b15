from __future__ import annotations

from symcook.recipes import kit
from symcook.recipes.adapters import decides
from symcook.recipes.chiang2022 import PARITY, SCALED, SOURCE, C, bits_behind_cls, printed_head, score_scale
from symcook.recipes.registry import Recipe, recipe

NAMES = ("zero", "one", "cls", "place", "alternating", "ones", "unit", "hit", "s")


@recipe(
    kind="language",
    summary="an odd number of 1s, any length, by two softmax heads that look at odd and at even positions",
    source=f"{SOURCE}, Section 3.2",
    formula=PARITY,
    computes="0 < s",
    region="true",
    uniformity="No weight depends on the length; the position functions are i/n and (-1)^i.",
    claims=(
        "chiang2022.def.languages", "chiang2022.def.input", "chiang2022.def.layer", "chiang2022.def.att",
        "chiang2022.def.output", "chiang2022.def.recognize", "chiang2022.s3.2.embed", "chiang2022.s3.2.posrange",
        "chiang2022.s3.2.att1", "chiang2022.s3.2.evenodd", "chiang2022.fig1", "chiang2022.s3.2.ffn1",
        "chiang2022.s3.2.layer2", "chiang2022.s3.2.s_even", "chiang2022.s3.2.sign", "chiang2022.s3.2.O1n",
        "chiang2022.prop1", "chiang2022.s3.4.accuracy", "chiang2022.s3.4.ce", "chiang2022.appA.even.alpha",
        "chiang2022.appA.even.s", "chiang2022.appA.odd.Z", "chiang2022.appA.odd.keven", "chiang2022.appA.odd.kodd",
        "chiang2022.eq2",
    ),
    reference="symcook.spec.languages:parity",
    arguments=(SCALED,),
    symbols=(C,),
    adapt=decides,
)  # fmt: skip
def parity(this: Recipe, scaled: bool) -> kit.Transformer:
    """CLS learns the mean number of 1s, each position whether it is that number, CLS again whether that position is
    odd.

    Logit = s at CLS; accept iff it is positive. With k the number of 1s and n = |w| + 1, for even n s = (-1)^(k+1) 2
    tanh(c)/n^2.

    scaled: whether the scores are multiplied by log n (Eq. 2), which replaces c by c log n. c: any positive number.
    Coordinates, the paper's dimensions 1 to 9: zero, one and cls (one-hot tokens), place i/n, alternating cos(i pi),
    ones k/n, unit 1/n, hit I[i = k]/n, and s. Two layers without norms; the second head of the first layer and the
    second feed-forward part, which the paper sets to zero, are left out. Region: every word, the empty one too.

    Where the paper needs a word more: the sign of s is "negative if k is even" but for the empty word, where n = 1 and
    s = 0; the strict threshold rejects it as it should. For odd n and odd k Appendix A ends with cosh(2c) where its own
    line before gives sinh(2c). Source: Chiang and Cholak 2022, Section 3.2 and Appendix A.
    """
    counts = kit.head(value={"ones": "one", "unit": "cls"})
    tent = kit.feedforward(
        reads=NAMES[:7], hit="relu(ones - place - unit) - 2*relu(ones - place) + relu(ones - place + unit)"
    )
    odd = printed_head(NAMES, {"cls": "c"}, {"alternating": -1}, {"hit": 1}, scaled)
    even = printed_head(NAMES, {"cls": "c"}, {"alternating": 1}, {"hit": -1}, scaled)
    return this.model(
        bits_behind_cls(NAMES, {"place": "i/n", "alternating": "(-1)^i"}),
        (kit.Layer(counts, tent), kit.Layer(kit.SelfAttention((odd, even)))),
        kit.Readout("sign", "first", ("s",), weights=[[1]]),
        parameters=(score_scale(),),
    )
