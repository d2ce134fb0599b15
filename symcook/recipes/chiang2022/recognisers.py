"""PARITY and FIRST: transformers with softmax attention that recognise them at every length, and the first-flawed of
Section 5.2, which without scaling by log n recognises FIRST up to a length only.

A token CLS is before the string, at position 0. In weights and logits n counts it; in formulas of languages and in
regions n is the length of the string. The answer is read at CLS: a string is accepted iff the logit is positive.
Source: Chiang and Cholak 2022, "Overcoming a Theoretical Limitation of Self-Attention".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

from symcook.compose import confident, paired
from symcook.errors import BadInput
from symcook.recipes import Argument, Recipe, Symbol, build, kit
from symcook.recipes import recipe as declared
from symcook.recipes.arguments import positive_or_none, yes_or_no

recipe = partial(declared, kind="language")
ODD, BEGINS = "mod(ones(n), 2) = 1", "ex j in 1..n. j = 1 & w(j) = 1"
"""The languages as formulas: an odd number of 1s; the first symbol is 1."""
# The fields of `Recipe` that the recipes for PARITY share, and those that the recipes for FIRST share.
PARITY = {
    "uniformity": "No weight depends on the length; the position functions are i/n and (-1)^i.",
    "reference": "symcook.spec.languages:parity",
}
FIRST = {
    "uniformity": "No weight depends on the length; the position function is I[i = 1].",
    "reference": "symcook.spec.languages:first",
}
SOURCE = "Chiang and Cholak 2022"
TokenRow: TypeAlias = "Mapping[str, kit.Exact]"
"""A row of a matrix, {coordinate: entry}."""
C = Symbol("c", "1", "0 < c", "the score scale: scores of the last attention layer are c times 1, 0 or -1")
EPSILON = Symbol("epsilon", "1/100000", "0 <= epsilon", "the constant of layer norm that is added to the variance")
SCALED = Argument(
    "scaled", "no", "yes: the scores are multiplied by log n, which is a temperature of 1/log n (Eq. 2)", yes_or_no
)
ETA = Argument(
    "eta", "none", "none, or the cross-entropy in nats that no string exceeds (Propositions 2 and 3)", positive_or_none
)


def score_scale(least: int | None = None) -> kit.Parameter:
    """The declaration of the symbol c: any positive number, or if `least` is given, any number from `least` on."""
    if least is None:
        return kit.Parameter("c", default=1, lower=0)
    return kit.Parameter("c", default=least, lower=least, lower_open=False)


def bits_behind_cls(names: Sequence[str], positions: Mapping[str, str]) -> kit.Embedding:
    """The embedding of strings over 0 and 1 with CLS before them at position 0; tokens are one-hot at zero, one and
    cls."""
    words = {"0": {"zero": 1}, "1": {"one": 1}, "CLS": {"cls": 1}}
    return kit.Embedding(kit.Space(tuple(names)), words=words, positions=positions, start=0, before="CLS")


def printed_head(names: Sequence[str], query: TokenRow, key: TokenRow, value: TokenRow, scaled: bool) -> kit.Head:
    """The softmax head with the rows that the paper prints, over the d coordinates `names`.

    The query row has the paper's factor sqrt(d), and the head has the scale 1/sqrt(d) of the paper's definition of
    attention; they cancel. Q, K and V are 1 x d matrices, and V writes the last coordinate. With `scaled` the
    temperature is 1/log n: Eq. (2).
    """

    def row(entries: TokenRow) -> list[list[Any]]:
        """The 1 x d matrix with these entries."""
        return [[entries.get(name, 0) for name in names]]

    d = len(names)
    return kit.Head(
        tuple(names),
        (names[-1],),
        Q=row({name: f"{entry}*sqrt({d})" for name, entry in query.items()}),
        K=row(key),
        V=row(value),
        weighting="softmax",
        temperature="1/log(n)" if scaled else 1,
        scale=f"1/sqrt({d})",
    )


def normed(this: Recipe, model: kit.Transformer, eta: kit.Fraction | None = None) -> kit.Transformer:
    """The model of Section 4.1: `model` with a coordinate -x for each x, and a layer norm with the symbol epsilon >= 0
    after each sublayer. With `eta` it has the layer of Proposition 2 too, which bounds the cross-entropy by `eta`."""
    epsilon = kit.Parameter("epsilon", default="1/100000", lower=0, lower_open=False)
    declared = kit.replace(model, parameters=(*model.parameters, epsilon), source=f"{SOURCE}, Section 4")
    normed_model = paired(declared, "epsilon", name=this.name)
    return normed_model if eta is None else kit.replace(confident(normed_model, logit_of(eta)), name=this.name)


def defined(scaled: bool, eta: kit.Fraction | None) -> str:
    """The region in which a model with norms has a value; n is the number of symbols, without CLS. With Proposition 2's
    layer and epsilon = 0 the empty string is excluded, since its logit before that layer is 0. Proposition 3 (for
    FIRST) adds no layer, and there the true region is larger."""
    return "true" if eta is None else "1 <= n | 0 < epsilon"


def logit_of(eta: kit.Fraction) -> kit.Exact:
    """A positive logit l whose cross-entropy -log sigma(l) is at most `eta` nats: l = -log(exp(eta) - 1).

    This l is Proposition 2's c sqrt(d/2). The paper uses it for every eta > 0. But from eta = log 2 on it is 0 or
    negative, and a network that multiplies by it recognises nothing, or the complement. For such eta, the result is the
    l of eta = 1/2.
    """
    logit = kit.exact(f"-log(exp({eta}) - 1)")
    return logit if logit.is_positive else kit.exact("-log(exp(1/2) - 1)")


# The coordinates in the order of the paper's dimensions 1 to 9.
PARITY_NAMES = ("zero", "one", "cls", "place", "alternating", "ones", "unit", "hit", "s")


@recipe(
    summary="strings with an odd number of 1s; one softmax head attends to odd positions, one to even positions",
    source=f"{SOURCE}, Section 3.2",
    formula=ODD,
    computes="0 < s",
    **PARITY,
    claims="def.languages def.input def.layer def.att def.output def.recognize s3.2.embed s3.2.posrange s3.2.att1 "
    "s3.2.evenodd fig1 s3.2.ffn1 s3.2.layer2 s3.2.s_even s3.2.sign s3.2.O1n prop1 s3.4.accuracy s3.4.ce "
    "appA.even.alpha appA.even.s appA.odd.Z appA.odd.keven appA.odd.kodd eq2",
    arguments=(SCALED,),
    symbols=(C,),
)  # fmt: skip
def parity(this: Recipe, scaled: bool) -> kit.Transformer:
    """Each position computes the fraction of 1s. From this fraction, position i learns whether the number of 1s is i.
    CLS then learns whether that i is odd.

    The logit is s at CLS. The model accepts iff s > 0. Let k be the number of 1s and n = |w| + 1. For even n, the logit
    is (-1)^(k+1) 2 tanh(c)/n^2.

    With scaled=yes the scores are multiplied by log n (Eq. 2). The parameter c is any positive number. The coordinates
    are the paper's dimensions 1 to 9. Tokens are one-hot: zero, one and cls. The position functions are place (i/n) and
    alternating (cos(i pi)). The layers write ones (k/n), unit (1/n), hit (I[i = k]/n) and s. The model has two layers
    and no norms. It leaves out two sublayers that the paper sets to zero.

    First correction to the paper: for the empty string, s is 0 and not negative. The model rejects it, as it should.
    Second correction: for odd n and odd k, Appendix A must end with sinh(2c). It ends with cosh(2c).
    """
    counts = kit.head(value={"ones": "one", "unit": "cls"})
    tent = kit.feedforward(
        reads=PARITY_NAMES[:7], hit="relu(ones - place - unit) - 2*relu(ones - place) + relu(ones - place + unit)"
    )
    odd = printed_head(PARITY_NAMES, {"cls": "c"}, {"alternating": -1}, {"hit": 1}, scaled)
    even = printed_head(PARITY_NAMES, {"cls": "c"}, {"alternating": 1}, {"hit": -1}, scaled)
    return this.model(
        bits_behind_cls(PARITY_NAMES, {"place": "i/n", "alternating": "(-1)^i"}),
        (kit.Layer(counts, tent), kit.Layer(kit.SelfAttention((odd, even)))),
        kit.Readout("sign", "first", ("s",), weights=[[1]]),
        parameters=(score_scale(),),
    )


@recipe(
    summary="parity with layer norm after each sublayer; eta makes it as confident as you want",
    source=f"{SOURCE}, Section 4.1, from that of Section 3.2",
    formula=ODD,
    computes="0 < s",
    **PARITY,
    claims="def.ln s4.1.pairing s4.1.scaling fig2.eps1e-5 fig2.eps0 appB.homog appB.scalars appB.logits appB.parity "
    "appB.A2 prop2 prop2.ffn prop2.ln prop2.c prop2.ce eq2",
    arguments=(SCALED, ETA),
    symbols=(C, EPSILON),
    region_of=defined,
)  # fmt: skip
def parity_layernorm(this: Recipe, scaled: bool, eta: kit.Fraction | None) -> kit.Transformer:
    """Each coordinate stands beside its negative, so that a norm moves nothing and only rescales each position.

    The recipe parity over x and -x (18 coordinates) with post-norms; accept iff the logit s at CLS is positive.

    scaled: as in parity. eta: the cross-entropy in nats that no string but the empty one exceeds at epsilon = 0, by a
    third layer (Proposition 2): it replaces all coordinates by s and -s, which its norm makes 3 and -3 up to sign, and
    the readout multiplies by -log(exp(eta) - 1)/3; from eta = log 2 on, where that is not positive, it is that of eta =
    1/2. c: any positive number. epsilon: any number of at least 0. Scores are c times the two positions' factors of
    norms. With eta and epsilon = 0 the empty string has s = 0, which the last norm leaves 0: it is rejected, and balls
    cannot tell.

    Corrections to the paper: Appendix B gives all positions one factor A_1 C_1, and it depends on the
    position. The signs stay right: with t_i > 0 the score of position i up to sign, the least and the greatest t differ
    by a factor below sqrt 2 (the squares of a position sum to 2 or more before the first norm and to less than twice
    that before the next), and the sign of s is that of exp(2 t_k) - Z_1/Z_2 for odd k and of Z_2/Z_1 - exp(2 t_k) for
    even k, where Z_1/Z_2 lies between the bounds that the least and the greatest t give. For epsilon > 0 the last norm
    is not the identity (A_2 is not 1). The scale 1/sqrt(d) and the factor sqrt(d) of the query both have the 9 of
    parity.
    """
    return normed(this, build("parity", scaled=scaled), eta)


# The coordinates in the order of the paper's dimensions 1 to 6.
FIRST_NAMES = ("zero", "one", "cls", "start", "hit", "s")


@recipe(
    summary="strings that begin with 1; CLS attends to position 1 by softmax",
    source=f"{SOURCE}, Section 3.3",
    formula=BEGINS,
    computes="0 < s",
    **FIRST,
    claims="def.languages def.input def.layer def.att def.output def.recognize s3.3.embed s3.3.ffn s3.3.eq1 s3.3.first "
    "s3.3.a20 s3.4.accuracy s3.4.ce s5.2.zero eq2 prop3 prop3.noln",
    arguments=(SCALED, ETA),
    symbols=(C,),
)  # fmt: skip
def first(this: Recipe, scaled: bool, eta: kit.Fraction | None) -> kit.Transformer:
    """Position 1 has the value 1/2 or -1/2, and all others have 0. So the sign is right at every length.

    Logit = s = exp(c)/(exp(c) + n - 1) (I[w_1 = 1] - 1/2) at CLS for n = |w| + 1 >= 2: Eq. (1). Accept iff s > 0.

    scaled: whether the scores are multiplied by log n (Eq. 2), so that n^c stands for exp(c). eta: with scaled=yes the
    cross-entropy in nats that no string but the empty one exceeds (Proposition 3): the readout's weight is -4
    log(exp(eta) - 1), as |s| > 1/4, and c must be at least 1; from eta = log 2 on, where that weight is not positive,
    it is that of eta = 1/2. c: any positive number. Coordinates, the paper's dimensions 1 to 6: zero, one and cls
    (one-hot tokens), start I[i = 1], hit I[w_i = 1 and i = 1], and s. Two layers without norms; what the paper sets to
    zero is left out.

    Corrections to the paper: for the empty string no position is the first and s = 0, not the -1/2 of Eq. (1);
    the strict threshold rejects it, with a cross-entropy of log 2 whatever eta is. And |s| <= 1/2 of Proposition 3 is
    |s| <= 1/3 at c = 1.
    """
    if eta is not None and not scaled:
        must = "eta needs attention scaled by log n: without it the logit tends to 0 as strings grow"
        raise BadInput(must, f"eta={eta}", "add scaled=yes")
    starts = kit.feedforward(reads=FIRST_NAMES[:4], hit="relu(start - zero - cls)")
    attention = printed_head(FIRST_NAMES, {"cls": "c"}, {"start": 1}, {"start": "-1/2", "hit": 1}, scaled)
    weight = 1 if eta is None else 4 * logit_of(eta)
    return this.model(
        bits_behind_cls(FIRST_NAMES, {"start": "I[i = 1]"}),
        (kit.Layer(None, starts), kit.Layer(attention)),
        kit.Readout("sign", "first", ("s",), weights=[[weight]]),
        parameters=(score_scale(least=None if eta is None else 1),),
    )


# The coordinates of first_flawed.
FLAWED_NAMES = ("zero", "one", "cls", "start", "s")


def _long_enough(scaled: bool) -> str:
    """The region of first_flawed: the string is short enough for the score c."""
    return "n < (n + 1)^c" if scaled else "n < exp(c)"


@recipe(
    summary="a string that begins with 1, as long as no sum of the other positions outweighs the first",
    source=f"{SOURCE}, Section 5.2",
    region="n < exp(c)",
    uniformity="No weight depends on the length, but c must be above log(n - 1); with log n scaling c = 1 serves all.",
    formula=BEGINS,
    computes="0 < s",
    reference=FIRST["reference"],
    claims="def.languages s5.2.flawed s5.2.threshold eq2 s5.3.flawed",
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
    without norms, whose feed-forward part does nothing and is left out. With scaling c = 1 is enough at every length.
    Outside of the region the string 10...0 is rejected.
    """
    value = {"zero": "-1/2", "one": "1/2", "cls": "-1/2"}
    return this.model(
        bits_behind_cls(FLAWED_NAMES, {"start": "I[i = 1]"}),
        (kit.Layer(printed_head(FLAWED_NAMES, {"cls": "c"}, {"start": 1}, value, scaled)),),
        kit.Readout("sign", "first", ("s",), weights=[[1]]),
        parameters=(score_scale(),),
    )


@recipe(
    summary="first with layer norm after each sublayer; eta makes it as confident as you want",
    source=f"{SOURCE}, Section 4.1, from that of Section 3.3",
    formula=BEGINS,
    computes="0 < s",
    **FIRST,
    claims="def.ln s4.1.pairing s4.1.scaling fig2.eps1e-5 fig2.eps0 appB.homog appB.scalars appB.logits appB.first "
    "appB.A2 prop2 prop2.ffn prop2.ln prop2.c prop2.ce eq2 prop3 prop3.var prop3.lnlogit prop3.lnbound",
    arguments=(SCALED, ETA),
    symbols=(C, EPSILON),
    region_of=defined,
)  # fmt: skip
def first_layernorm(this: Recipe, scaled: bool, eta: kit.Fraction | None) -> kit.Transformer:
    """Each coordinate stands beside its negative, so that a norm moves nothing and only rescales each position.

    The recipe first over x and -x (12 coordinates) with post-norms; accept iff the logit s at CLS is positive.

    scaled: whether the scores are multiplied by log n (Eq. 2). eta: the cross-entropy in nats that no string but the
    empty one exceeds. Without scaling that is at epsilon = 0 and by a third layer (Proposition 2): it replaces all
    coordinates by s and -s, which its norm makes sqrt 6 and -sqrt 6 up to sign, and the readout multiplies by
    -log(exp(eta) - 1)/sqrt(6). With scaling it is for c >= 1 and 0 <= epsilon <= 1/2 and by the readout's weight alone
    (Proposition 3), -4 sqrt(5/24 + epsilon) log(exp(eta) - 1). From eta = log 2 on, where neither is positive, it is
    that of eta = 1/2. c: any positive number. epsilon: any number of at least 0. The score of position 1 is c times the
    factors of norms at CLS and there. With the third layer and epsilon = 0 the empty string has s = 0, which the last
    norm leaves 0: it is rejected, and balls cannot tell.

    Corrections to the paper: Proposition 3 takes the logit to be s/sqrt((1 + s^2)/6 + epsilon) with |s| > 1/4,
    as if there were one norm. The network has four; its score is log n times a factor that falls with epsilon, and is
    below log n at epsilon = 1, where the logit tends to 0 and no weight serves all lengths: hence epsilon <= 1/2. Nor
    is the last norm the identity for epsilon > 0 (A_2 of Appendix B is not 1).
    """
    plain = build("first", scaled=scaled)
    if eta is None or not scaled:
        return normed(this, plain, eta)
    model = normed(this, plain)
    epsilon = kit.Parameter("epsilon", default="1/100000", lower=0, upper="1/2", lower_open=False)
    weight = 4 * kit.exact("sqrt(5/24 + epsilon)") * logit_of(eta)
    return kit.replace(
        model, readout=kit.replace(model.readout, weights=[[weight]]), parameters=(score_scale(least=1), epsilon)
    )
