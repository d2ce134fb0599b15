"""How often a symbol occurs, as a share and modulo m: Cookbook, Sections 3.3 and 3.5.2."""

from __future__ import annotations

from typing import Any

from symcook.errors import BadInput
from symcook.model.choices import WeightingWord
from symcook.recipes import Argument, Recipe, Symbol, kit
from symcook.recipes.arguments import alphabet as read_alphabet
from symcook.recipes.arguments import integer, one_of
from symcook.recipes.attention import HARD, LONGEST, over_rows
from symcook.recipes.representations import recipe

ALPHABET = Argument("alphabet", "ab", "the symbols of the strings; the first one is counted", read_alphabet)


@recipe(
    summary="how often a symbol occurs: C/n over the string, or C/i up to position i",
    source="Cookbook, Section 3.3",
    formula="C(n)/n",
    uniformity="No weight depends on the length. The count itself would not be bounded, its share is.",
    claims="s3.3.integer_reps s3.3.bounded_values",
    reference="symcook.spec.representations:share",
    arguments=(
        ALPHABET,
        Argument("by", "n", "n for C/n, or i for C/i", one_of("n", "i")),
    ),
)
def count(this: Recipe, alphabet: tuple[str, ...], by: str) -> kit.Transformer:
    """Uniform attention to 1 at the symbol and 0 at the others, without mask for C/n and with the future mask for C/i.

    share_i = C/n, or with by=i C_i/i, for the count C of the first symbol in the string (C_i: in its first i symbols).

    alphabet: at least two different symbols.
    """
    if len(alphabet) < 2:
        raise BadInput("the alphabet must have at least two symbols", " ".join(alphabet), "give alphabet=ab")
    words = {letter: {"hit": int(letter == alphabet[0])} for letter in alphabet}
    mean = kit.head(value={"share": "hit"}, mask="none" if by == "n" else "future")
    return over_rows(this, None, {}, [kit.Layer(mean)], "share", order=("hit",), words=words)


WEIGHTING = Argument(
    "weighting",
    "average",
    "average, leftmost or rightmost, which are the same here; or softmax, at a temperature",
    one_of(*HARD, "softmax"),
)
POSITIONS = {"index": "i", "square": "i^2", "cosine": "cos(2*pi*i/m)", "sine": "sin(2*pi*i/m)"}
"""The position functions of modulo and modulo-angle; m is replaced by the modulus."""
COORDINATES = ("begin", "hit", *POSITIONS, "share", "inverse", "cosines", "sines")


@recipe(
    summary="how often a symbol has occurred, modulo m, as a point of the unit circle, by sinusoids and lookup",
    source="Cookbook, Section 3.5.2",
    formula="if(k = 0, cos(2*pi*C(i)/m), sin(2*pi*C(i)/m))",
    error="1/10^12",
    uniformity="No weight depends on the length. The sinusoids have the period m, which those of Section 3.5.2 have "
    "for no m up to 6.",
    claims="s3.5.2.parity",
    reference="symcook.spec.representations:counted_angle",
    arguments=(ALPHABET,),
    symbols=(Symbol("m", "2", "0 < m", "the modulus; a whole number, though any positive number will do"),),
)
def modulo_angle(this: Recipe, alphabet: tuple[str, ...]) -> kit.Transformer:
    """Uniform attention gives the share C_i/(i + 1), and 1/(i + 1) from BOS; quadratic lookup with these, scaled
    queries, finds position C_i, whose sinusoids of the period m are the point that C_i has modulo m.

    (cosines, sines)_i = (cos(2 pi C_i/m), sin(2 pi C_i/m)), for the count C_i of a symbol up to position i.

    alphabet: the symbols of the strings; the first one is counted. m: the modulus. BOS stands at position 0: C_0 = 0.
    Layer 1: future-masked averages of hit and begin, share = C_i/(i + 1) and inverse = 1/(i + 1). Layer 2: the
    scores 2 share_i j - inverse_i j^2 = (C_i^2 - (C_i - j)^2)/(i + 1) are greatest at j = C_i alone, which is at most
    i; its values are cosine = cos(2 pi j/m) and sine = sin(2 pi j/m). All hard weightings give the same. Two counts
    have the same point iff m divides their difference (m a whole number). Values are irrational but for m = 1, 2 and 4;
    balls and floats have them. The reference is right to 10^-12. The text gives no construction; the lookup is that of
    Section 5.3.4.
    """
    return this.model(
        embedded(alphabet, "m"),
        layers("average", "1"),
        kit.Readout("value", "each", ("cosines", "sines")),
        parameters=(kit.Parameter("m", default=2, lower=0),),
    )


def embedded(alphabet: tuple[str, ...], m: str) -> Any:
    """The embedding of strings with BOS before them, and with the sinusoids of period `m`, a symbol or number."""
    if "BOS" in alphabet:
        raise BadInput("the alphabet must not contain BOS, the token before each string", "BOS", "give other symbols")
    words = {letter: {"hit": int(letter == alphabet[0])} for letter in alphabet} | {"BOS": {"begin": 1}}
    positions = {name: text.replace("m", m) for name, text in POSITIONS.items()}
    return kit.Embedding(kit.Space(COORDINATES), words=words, positions=positions, start=0, before="BOS")


def layers(weighting: WeightingWord, temperature: str) -> tuple[kit.Layer, kit.Layer]:
    """Two layers: the averages, and the lookup of the position whose number is the count."""
    averages = kit.head(value={"share": "hit", "inverse": "begin"}, mask="future")
    scores = {("share", "index"): 2, ("inverse", "square"): -1}
    copied = {"cosines": "cosine", "sines": "sine"}
    how: dict[str, Any] = {"weighting": weighting} | ({"temperature": temperature} if weighting == "softmax" else {})
    return kit.Layer(averages), kit.Layer(kit.head(scores, copied, mask="future", **how))


@recipe(
    summary="how often a symbol occurs, modulo m: PARITY for m = 2",
    source="Cookbook, Section 3.5.2",
    formula="mod(C(n), m)",
    uniformity="No weight depends on the length, but the temperature of softmax does. The sinusoids have the period m.",
    claims="s3.5.2.parity",
    reference="symcook.spec.representations:residue",
    arguments=(Argument("m", "2", "the modulus", integer(1, 1000)), ALPHABET, WEIGHTING, LONGEST),
)
def modulo(this: Recipe, m: int, alphabet: tuple[str, ...], weighting: WeightingWord, N: int) -> kit.Transformer:
    """The count as a point of the circle (modulo-angle), compared with the m points that residues have.

    The residue modulo m of how often the first symbol of the alphabet occurs in the string: a label 0 .. m - 1.

    The model is modulo-angle, whose point at the last position is multiplied with those of the residues: logit r is
    cos(2 pi r/m) cosines + sin(2 pi r/m) sines = cos(2 pi (C - r)/m), which is 1 for the residue of C and at most 1 -
    6/m^2 for every other. weighting softmax: the gap of the scores is at least 1/(N + 1), and at temperature 1/((N + 1)
    log(8 N m^2)) each logit is off by at most 1/(4 m^2), so that no rounding is needed to length N. The exact domain
    has the values for m = 1, 2 and 4, others are irrational: use balls. The text gives no construction.
    """
    points = [[f"cos(2*pi*{r}/{m})", f"sin(2*pi*{r}/{m})"] for r in range(m)]
    return this.model(
        embedded(alphabet, str(m)),
        layers(weighting, f"1/({N + 1}*log({8 * N * m * m}))"),
        kit.Readout("largest", "last", ("cosines", "sines"), weights=points, labels=tuple(map(str, range(m)))),
        max_length=N + 1 if weighting == "softmax" else None,
    )
