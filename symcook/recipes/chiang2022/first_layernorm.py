from __future__ import annotations

from symcook.recipes import kit
from symcook.recipes.adapters import decides
from symcook.recipes.chiang2022 import EPSILON, ETA, FIRST, SCALED, SOURCE, C, defined, logit_of, normed, score_scale
from symcook.recipes.registry import Recipe, build, recipe


@recipe(
    kind="language",
    summary="first with layer norm behind each part of a layer; with eta as sure of its answer as one likes",
    source=f"{SOURCE}, Section 4.1, from that of Section 3.3",
    formula=FIRST,
    computes="0 < s",
    region="true",
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
    adapt=decides,
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
