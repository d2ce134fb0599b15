from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from symcook.errors import BadInput
from symcook.recipes import kit
from symcook.recipes.arguments import alphabet as read_alphabet
from symcook.recipes.arguments import integer, one_of
from symcook.recipes.attention import HARD
from symcook.recipes.registry import Argument, Recipe, Symbol, recipe

ALPHABET = Argument("alphabet", "ab", "the symbols of the words; the first one is counted", read_alphabet)
WEIGHTING = Argument(
    "weighting",
    "average",
    "average, leftmost or rightmost, which are the same here; or softmax, at a temperature",
    one_of(*HARD, "softmax"),
)
LONGEST = Argument("N", "64", "the greatest length, with softmax", integer(1, 10**6))
POSITIONS = {"index": "i", "square": "i^2", "cosine": "cos(2*pi*i/m)", "sine": "sin(2*pi*i/m)"}
COORDINATES = ("begin", "hit", *POSITIONS, "share", "inverse", "cosines", "sines")


def point(function: Callable[..., Any], arguments: Mapping[str, Any], values: Mapping[str, Any]) -> Callable[..., Any]:
    """The reference on words, for the model's answers."""
    return lambda word: function(word, arguments["alphabet"], values["m"])


@recipe(
    kind="representation",
    summary="how often a symbol has occurred, modulo m, as a point of the unit circle, by sinusoids and lookup",
    source="Cookbook, Section 3.5.2",
    formula="cos(2*pi*C(i)/m)",
    region="true",
    error="1/10^12",
    uniformity="No weight depends on the length. The sinusoids have the period m, which those of Section 3.5.2 have "
    "for no m up to 6.",
    claims=("cookbook.s3.5.2.parity",),
    reference="symcook.spec.representations:counted_angle",
    arguments=(ALPHABET,),
    symbols=(Symbol("m", "2", "0 < m", "the modulus; a whole number, though any positive number will do"),),
    adapt=point,
)
def modulo_angle(this: Recipe, alphabet: tuple[str, ...]) -> kit.Transformer:
    """Uniform attention gives the share C_i/(i + 1), and 1/(i + 1) from BOS; quadratic lookup with these, scaled
    queries, finds position C_i, whose sinusoids of the period m are the point that C_i has modulo m.

    (cosines, sines)_i = (cos(2 pi C_i/m), sin(2 pi C_i/m)), for the count C_i of a symbol up to position i.

    alphabet: the symbols of the words; the first one is counted. m: the modulus. BOS stands at position 0, where C_0 =
    0. Layer 1: future-masked averages of hit and begin, share = C_i/(i + 1) and inverse = 1/(i + 1). Layer 2: the
    scores 2 share_i j - inverse_i j^2 = (C_i^2 - (C_i - j)^2)/(i + 1) are greatest at j = C_i alone, which is at most
    i; its values are cosine = cos(2 pi j/m) and sine = sin(2 pi j/m). All hard weightings give the same. Two counts
    have the same point iff m divides their difference (m a whole number). Values are irrational but for m = 1, 2 and 4;
    balls and floats have them. The reference is right to 10^-12. Region: every word, the empty one too. Source:
    Cookbook, Section 3.5.2, which gives no construction, with the lookup of Section 5.3.4.
    """
    return this.model(
        embedded(alphabet, "m"),
        layers("average", "1"),
        kit.Readout("value", "each", ("cosines", "sines")),
        parameters=(kit.Parameter("m", default=2, lower=0),),
    )


def embedded(alphabet: tuple[str, ...], m: str) -> Any:
    """The words, behind BOS, with the sinusoids of period `m`."""
    if "BOS" in alphabet:
        raise BadInput("alphabet must not have BOS, which stands before each word", "BOS")
    words = {letter: {"hit": int(letter == alphabet[0])} for letter in alphabet} | {"BOS": {"begin": 1}}
    positions = {name: text.replace("m", m) for name, text in POSITIONS.items()}
    return kit.Embedding(kit.Space(COORDINATES), words=words, positions=positions, start=0, before="BOS")


def layers(weighting: str, temperature: str) -> tuple[kit.Layer, kit.Layer]:
    """The averages, and the lookup of the position that is the count."""
    averages = kit.head(value={"share": "hit", "inverse": "begin"}, mask="future")
    scores = {("share", "index"): 2, ("inverse", "square"): -1}
    found = {"cosines": "cosine", "sines": "sine"}
    how = {"weighting": weighting} | ({"temperature": temperature} if weighting == "softmax" else {})
    return kit.Layer(averages), kit.Layer(kit.head(scores, found, mask="future", **how))
