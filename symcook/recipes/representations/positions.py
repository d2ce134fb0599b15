"""Positions as numbers: Cookbook, Sections 3.4 and 3.5."""

from __future__ import annotations

from symcook.errors import BadInput
from symcook.recipes import Argument, Recipe, asked, kit
from symcook.recipes.arguments import alphabet as read_alphabet
from symcook.recipes.arguments import integer, one_of, positive
from symcook.recipes.attention import alike, over_rows
from symcook.recipes.representations import recipe


@recipe(
    summary="1/(i + 1) at position i, or 1/(n + 1), from BOS and uniform attention",
    source="Cookbook, Section 3.4, also Section 3.5.1",
    formula="1/(i + 1)",
    uniformity="No weight depends on the length, and no position function is needed.",
    claims="s3.4.one_over_nplus1 s3.5.1.one_over_i",
    reference="symcook.spec.representations:inverse",
    arguments=(
        Argument("alphabet", "ab", "the symbols of the strings", read_alphabet),
        Argument("by", "i", "i for 1/(i + 1), with the future mask; n for 1/(n + 1), without", one_of("i", "n")),
    ),
)
def inverse_position(this: Recipe, alphabet: tuple[str, ...], by: str) -> kit.Transformer:
    """BOS is 1 and every other token 0, so that their mean is 1 over the number of tokens that are seen.

    inverse = 1/(i + 1) at position i of the string, BOS being at position 0; with by=n it is 1/(n + 1) everywhere.

    alphabet: different symbols, not BOS. The answers begin with that at BOS.
    """
    if "BOS" in alphabet:
        raise BadInput("the alphabet must not contain BOS, the token before each string", "BOS", "give other symbols")
    words: dict[str, dict[str, int]] = {letter: {} for letter in alphabet}
    mean = kit.head(value={"inverse": "begin"}, mask="none" if by == "n" else "future")
    return this.model(
        kit.Embedding(kit.Space(("begin", "inverse")), words=words | {"BOS": {"begin": 1}}, start=0, before="BOS"),
        (kit.Layer(mean),),
        kit.Readout("value", "each", ("inverse",)),
    )


SCALARS = {"inverse": "1/i", "share": "i/n", "alternating": "(-1)^i"}
"""The position functions of the encodings that have one coordinate, by kind."""


@recipe(
    summary="the positional encodings 1/i, i/n, (-1)^i, powers of i and one-hot",
    source="Cookbook, Section 3.5.1, also Sections 5.2 and 5.3.1",
    formula="1/i",
    uniformity="1/i, (-1)^i and the powers depend on i alone, i/n on the length too. One-hot needs a greatest length "
    "N, which is its width. All but the powers are bounded.",
    claims="s3.5.1.one_over_i s3.5.1.i_over_n s3.5.1.powers",
    reference="symcook.spec.representations:encoded",
    adapt=asked,
    arguments=(
        Argument(
            "kind",
            "inverse",
            "inverse for 1/i, share for i/n, alternating for (-1)^i, powers for i, i^2 and so on, or one-hot",
            one_of(*SCALARS, "powers", "one-hot"),
        ),
        Argument("powers", "2", "with powers, how many: i to i^powers", integer(1, 16), ("kind", "powers")),
        Argument("N", "8", "with one-hot, the greatest length", integer(1, 128), ("kind", "one-hot")),
        Argument("alphabet", "a", "the symbols of the strings, which do not matter", read_alphabet),
    ),
)
def positional_encoding(this: Recipe, kind: str, powers: int, N: int, alphabet: tuple[str, ...]) -> kit.Transformer:
    """What a token is does not matter, its position does: the encoding stands beside the token and is read by the
    layers above.

    pe at position i = 1 .. n, or pe_1 .. pe_powers with powers and pe_1 .. pe_N with one-hot.

    What each makes computable: inverse, that average-hard attention picks the last of several greatest scores
    (tie-break; 1/i comes of BOS too, see inverse-position). share, the position before and the nearest active one under
    the strict mask (predecessor-strict, dyck-1-2); a mean over all positions gives 1/n and no i/n, which is therefore
    an encoding. alternating, the first position and with it 1/i (first-position), the position before without a strict
    mask (predecessor), whether i is even. powers, lookup of an index by i and i^2 (lookup-quadratic), of a table by i^3
    (Yang et al.): the gap between scores is 1 or more at every length. one-hot, lookup of an index (lookup-one-hot).

    alphabet: different symbols.
    """
    if kind == "powers":
        positions = {f"pe_{k}": f"i^{k}" for k in range(1, powers + 1)}
    elif kind == "one-hot":
        positions = {f"pe_{k}": f"I[i = {k}]" for k in range(1, N + 1)}
    else:
        positions = {"pe": SCALARS[kind]}
    longest = N if kind == "one-hot" else None
    return over_rows(this, None, positions, (), *positions, words=alike(alphabet), max_length=longest)


@recipe(
    summary="the sinusoidal positional encodings, d coordinates",
    source="Cookbook, Section 3.5.2",
    formula="if(mod(k, 2) = 0, cos(i/10000^(k/d)), sin(i/10000^((k - 1)/d)))",
    error="1/10^12",
    uniformity="No weight depends on the length.",
    claims="s3.5.2.sinusoidal",
    reference="symcook.spec.representations:sinusoids",
    arguments=(
        Argument("d", "4", "the number of coordinates, even", integer(2, 1000)),
        Argument("M", "10000", "the base of the wavelengths, positive; the text has a large number", positive),
        Argument("alphabet", "a", "the symbols of the strings, which do not matter", read_alphabet),
    ),
)
def sinusoidal(this: Recipe, d: int, M: kit.Fraction, alphabet: tuple[str, ...]) -> kit.Transformer:
    """Coordinates 2c and 2c + 1 are a point that goes round a circle, by 1/M^(2c/d) with each position.

    pe_k at position i = 1 .. n: cos(i/M^(2c/d)) for k = 2c, sin(i/M^(2c/d)) for k = 2c + 1, 0 <= c <= d/2 - 1.

    Each pair goes round the unit circle, so that pe(i + k) is a rotation of pe(i) that depends on k alone. The first
    pair has the angle i whatever M is: the wavelengths 2 pi M^(2c/d) begin at 2 pi, and none is a whole number where
    M^(2c/d) is rational (see modulo for those that are). The text exchanges sine and cosine against Vaswani et al.
    Values are irrational: balls and floats have them. The reference is right to 10^-12.
    """
    if d % 2:
        raise BadInput("d must be even, as sines and cosines come in pairs", d, f"give d={d + 1}")
    angles = (f"i/({M})^({2 * c}/{d})" for c in range(d // 2))
    pairs = [f"{function}({angle})" for angle in angles for function in ("cos", "sin")]
    positions = {f"pe_{k}": text for k, text in enumerate(pairs)}
    return over_rows(this, None, positions, (), *positions, words=alike(alphabet))
