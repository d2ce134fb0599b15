"""FIRST, without and with layer norm, and a construction that fails."""

from __future__ import annotations

from symcook.errors import BadInput
from symcook.recipes import kit
from symcook.recipes.chiang2022 import (
    EPSILON,
    ETA,
    FIRST,
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

NAMES = ("zero", "one", "cls", "start", "hit", "s")


@recipe(
    summary="a word that begins with 1, any length, by softmax attention of CLS to position 1",
    source=f"{SOURCE}, Section 3.3",
    formula=FIRST,
    computes="0 < s",
    uniformity="No weight depends on the length; the position function is I[i = 1].",
    claims=(
        "chiang2022.def.languages", "chiang2022.def.input", "chiang2022.def.layer", "chiang2022.def.att",
        "chiang2022.def.output", "chiang2022.def.recognize", "chiang2022.s3.3.embed", "chiang2022.s3.3.ffn",
        "chiang2022.s3.3.eq1", "chiang2022.s3.3.first", "chiang2022.s3.3.a20", "chiang2022.s3.4.accuracy",
        "chiang2022.s3.4.ce", "chiang2022.s5.2.zero", "chiang2022.eq2", "chiang2022.prop3", "chiang2022.prop3.noln",
    ),
    reference="symcook.spec.languages:first",
    arguments=(SCALED, ETA),
    symbols=(C,),
)  # fmt: skip
def first(this: Recipe, scaled: bool, eta: kit.Fraction | None) -> kit.Transformer:
    """Position 1 holds 1/2 or -1/2 and every other 0, so that the sign is right however little CLS sees of it.

    Logit = s = exp(c)/(exp(c) + n - 1) (I[w_1 = 1] - 1/2) at CLS for n = |w| + 1 >= 2: Eq. (1). Accept iff s > 0.

    scaled: whether the scores are multiplied by log n (Eq. 2), so that n^c stands for exp(c). eta: with scaled=yes the
    cross-entropy in nats that no word exceeds (Proposition 3): the readout's weight is -4 log(exp(eta) - 1), since |s|
    > 1/4, and c must be at least 1; from eta = log 2 on, where that weight is not positive, it is that of eta = 1/2. c:
    any positive number. Coordinates, the paper's dimensions 1 to 6: zero, one and cls (one-hot tokens), start I[i = 1],
    hit I[w_i = 1 and i = 1], and s. Two layers without norms; what the paper sets to zero is left out. Region: every
    word, the empty one too.

    Where the paper needs a word more: for the empty word no position is the first and s = 0, not the -1/2 of Eq. (1);
    the strict threshold rejects it, with a cross-entropy of log 2 whatever eta is. And |s| <= 1/2 of Proposition 3 is
    |s| <= 1/3. Source: Chiang and Cholak 2022, Section 3.3, and Proposition 3 of Section 5.3.
    """
    if eta is not None and not scaled:
        must = "eta needs attention scaled by log n: without it the logit tends to 0 as words grow"
        raise BadInput(must, f"eta={eta}", "add scaled=yes")
    starts = kit.feedforward(reads=NAMES[:4], hit="relu(start - zero - cls)")
    attention = printed_head(NAMES, {"cls": "c"}, {"start": 1}, {"start": "-1/2", "hit": 1}, scaled)
    weight = 1 if eta is None else 4 * logit_of(eta)
    return this.model(
        bits_behind_cls(NAMES, {"start": "I[i = 1]"}),
        (kit.Layer(None, starts), kit.Layer(attention)),
        kit.Readout("sign", "first", ("s",), weights=[[weight]]),
        parameters=(score_scale(least=None if eta is None else 1),),
    )


FLAWED_NAMES = ("zero", "one", "cls", "start", "s")


def _long_enough(scaled: bool) -> str:
    return "n < (n + 1)^c" if scaled else "n < exp(c)"


@recipe(
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
        bits_behind_cls(FLAWED_NAMES, {"start": "I[i = 1]"}),
        (kit.Layer(printed_head(FLAWED_NAMES, {"cls": "c"}, {"start": 1}, value, scaled)),),
        kit.Readout("sign", "first", ("s",), weights=[[1]]),
        parameters=(score_scale(),),
    )


@recipe(
    summary="first with layer norm behind each part of a layer; with eta as sure of its answer as one likes",
    source=f"{SOURCE}, Section 4.1, from that of Section 3.3",
    formula=FIRST,
    computes="0 < s",
    uniformity="No weight depends on the length; the position function is I[i = 1].",
    claims=(
        "chiang2022.def.ln", "chiang2022.s4.1.pairing", "chiang2022.s4.1.scaling", "chiang2022.fig2.eps1e-5",
        "chiang2022.fig2.eps0", "chiang2022.appB.homog", "chiang2022.appB.scalars", "chiang2022.appB.logits",
        "chiang2022.appB.first", "chiang2022.appB.A2", "chiang2022.prop2", "chiang2022.prop2.ffn",
        "chiang2022.prop2.ln", "chiang2022.prop2.c", "chiang2022.prop2.ce", "chiang2022.eq2", "chiang2022.prop3",
        "chiang2022.prop3.var", "chiang2022.prop3.lnlogit", "chiang2022.prop3.lnbound",
    ),
    reference="symcook.spec.languages:first",
    arguments=(SCALED, ETA),
    symbols=(C, EPSILON),
    region_of=defined,
)  # fmt: skip
def first_layernorm(this: Recipe, scaled: bool, eta: kit.Fraction | None) -> kit.Transformer:
    """Each coordinate stands beside its negative, so that a norm moves nothing and only rescales each position.

    The recipe first over x and -x (12 coordinates) with post-norms; accept iff the logit s at CLS is positive.

    scaled: whether the scores are multiplied by log n (Eq. 2). eta: the cross-entropy in nats that no word but the
    empty one exceeds. Without scaling that is at epsilon = 0 and by a third layer (Proposition 2): it replaces all
    coordinates by s and -s, which its norm makes sqrt 6 and -sqrt 6 up to sign, and the readout multiplies by
    -log(exp(eta) - 1)/sqrt(6). With scaling it is for c >= 1 and 0 <= epsilon <= 1/2 and by the readout's weight alone
    (Proposition 3), -4 sqrt(5/24 + epsilon) log(exp(eta) - 1). From eta = log 2 on, where neither is positive, it is
    that of eta = 1/2. c: any positive number. epsilon: any number of at least 0. The score of position 1 is c times the
    factors of norms at CLS and there. Region: every word; with the third layer and epsilon = 0 every word but the empty
    one, where s = 0 has no norm.

    Where the paper needs a word more: Proposition 3 takes the logit to be s/sqrt((1 + s^2)/6 + epsilon) with |s| > 1/4,
    as if there were one norm. The network has four; its score is log n times a factor that falls with epsilon, and is
    below log n at epsilon = 1, where the logit tends to 0 and no weight serves all lengths: hence epsilon <= 1/2. Nor
    is the last norm the identity for epsilon > 0 (A_2 of Appendix B is not 1). Source: Chiang and Cholak 2022, Section
    4, Appendix B, and Proposition 3 of Section 5.3.
    """
    model = normed(this, build("first", scaled=scaled))
    if eta is None:
        return model
    if not scaled:
        return kit.replace(kit.confident(model, logit_of(eta)), name=this.name)
    epsilon = kit.Parameter("epsilon", default="1/100000", lower=0, upper="1/2", lower_open=False)
    weight = 4 * kit.exact("sqrt(5/24 + epsilon)") * logit_of(eta)
    return kit.replace(
        model, readout=kit.replace(model.readout, weights=[[weight]]), parameters=(score_scale(least=1), epsilon)
    )
