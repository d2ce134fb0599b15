from __future__ import annotations

from symcook.errors import BadInput
from symcook.recipes import kit
from symcook.recipes.adapters import decides
from symcook.recipes.chiang2022 import (
    ETA,
    FIRST,
    SCALED,
    SOURCE,
    C,
    bits_behind_cls,
    logit_of,
    printed_head,
    score_scale,
)
from symcook.recipes.registry import Recipe, recipe

NAMES = ("zero", "one", "cls", "start", "hit", "s")


@recipe(
    kind="language",
    summary="a word that begins with 1, any length, by softmax attention of CLS to position 1",
    source=f"{SOURCE}, Section 3.3",
    formula=FIRST,
    computes="0 < s",
    region="true",
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
    adapt=decides,
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
