from __future__ import annotations

from symcook.recipes import kit
from symcook.recipes.adapters import decides
from symcook.recipes.chiang2022 import EPSILON, ETA, PARITY, SCALED, SOURCE, C, defined, logit_of, normed
from symcook.recipes.registry import Recipe, build, recipe


@recipe(
    kind="language",
    summary="parity with layer norm behind each part of a layer; with eta as sure of its answer as one likes",
    source=f"{SOURCE}, Section 4.1, from that of Section 3.2",
    formula=PARITY,
    computes="0 < s",
    region="true",
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
    adapt=decides,
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
