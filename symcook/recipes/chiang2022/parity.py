"""PARITY, without and with layer norm."""

from __future__ import annotations

from symcook.recipes import kit
from symcook.recipes.chiang2022 import (
    EPSILON,
    ETA,
    PARITY,
    SCALED,
    SOURCE,
    C,
    bits_behind_cls,
    defined,
    logit_of,
    normed,
    printed_head,
    recipe,
    score_scale,
)
from symcook.recipes.registry import Recipe, build

NAMES = ("zero", "one", "cls", "place", "alternating", "ones", "unit", "hit", "s")


@recipe(
    summary="an odd number of 1s, any length, by two softmax heads that look at odd and at even positions",
    source=f"{SOURCE}, Section 3.2",
    formula=PARITY,
    computes="0 < s",
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


@recipe(
    summary="parity with layer norm behind each part of a layer; with eta as sure of its answer as one likes",
    source=f"{SOURCE}, Section 4.1, from that of Section 3.2",
    formula=PARITY,
    computes="0 < s",
    uniformity="No weight depends on the length; the position functions are i/n and (-1)^i.",
    claims=(
        "chiang2022.def.ln", "chiang2022.s4.1.pairing", "chiang2022.s4.1.scaling", "chiang2022.fig2.eps1e-5",
        "chiang2022.fig2.eps0", "chiang2022.appB.homog", "chiang2022.appB.scalars", "chiang2022.appB.logits",
        "chiang2022.appB.parity", "chiang2022.appB.A2", "chiang2022.prop2", "chiang2022.prop2.ffn",
        "chiang2022.prop2.ln", "chiang2022.prop2.c", "chiang2022.prop2.ce", "chiang2022.eq2",
    ),
    reference="symcook.spec.languages:parity",
    arguments=(SCALED, ETA),
    symbols=(C, EPSILON),
    region_of=defined,
)  # fmt: skip
def parity_layernorm(this: Recipe, scaled: bool, eta: kit.Fraction | None) -> kit.Transformer:
    """Each coordinate stands beside its negative, so that a norm moves nothing and only rescales each position.

    The recipe parity over x and -x (18 coordinates) with post-norms; accept iff the logit s at CLS is positive.

    scaled: as in parity. eta: the cross-entropy in nats that no word exceeds at epsilon = 0, by a third layer
    (Proposition 2): it replaces all coordinates by s and -s, which its norm makes 3 and -3 up to sign, and the readout
    multiplies by -log(exp(eta) - 1)/3; from eta = log 2 on, where that is not positive, it is that of eta = 1/2. c: any
    positive number. epsilon: any number of at least 0. Scores are c times the two positions' factors of norms. Region:
    every word; with eta and epsilon = 0 every word but the empty one, where s = 0 has no norm.

    Where the paper needs a word more: Appendix B gives all positions one factor A_1 C_1, and it depends on the
    position. The signs stay right: with t_i > 0 the score of position i up to sign, the least and the greatest t differ
    by a factor below sqrt 2 (the squares of a position sum to 2 or more before the first norm and to less than twice
    that before the next), and the sign of s is that of exp(2 t_k) - Z_1/Z_2 for odd k and of Z_2/Z_1 - exp(2 t_k) for
    even k, where Z_1/Z_2 lies between the bounds that the least and the greatest t give. For epsilon > 0 the last norm
    is not the identity (A_2 is not 1). The scale 1/sqrt(d) and the factor sqrt(d) of the query both have the 9 of
    parity. Source: Chiang and Cholak 2022, Section 4 and Appendix B.
    """
    model = normed(this, build("parity", scaled=scaled))
    return model if eta is None else kit.replace(kit.confident(model, logit_of(eta)), name=this.name)
