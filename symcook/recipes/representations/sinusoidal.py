"""sinusoidal: the positional encodings of Vaswani et al. Source: Cookbook, Section 3.5.2."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symcook.errors import BadInput
from symcook.recipes.adapters import passing
from symcook.recipes.arguments import alphabet as read_alphabet
from symcook.recipes.arguments import integer, positive
from symcook.recipes.registry import Argument, info, recipe

if TYPE_CHECKING:
    from fractions import Fraction

    from symcook.model.transformer import Transformer

NAME = "sinusoidal"


@recipe(
    NAME,
    kind="representation",
    summary="the sinusoidal positional encodings, d coordinates",
    source="Cookbook, Section 3.5.2",
    formula="if(mod(k, 2) = 0, cos(i/10000^(k/d)), sin(i/10000^((k - 1)/d)))",
    words="Coordinates 2c and 2c + 1 are a point that goes round a circle, by 1/M^(2c/d) with each position.",
    computes="if(mod(k, 2) = 0, cos(i/10000^(k/d)), sin(i/10000^((k - 1)/d)))",
    region="true",
    error="1/10^12",
    uniformity="No weight depends on the length.",
    claims=("cookbook.s3.5.2.sinusoidal",),
    reference="symcook.spec.representations:sinusoids",
    arguments=(
        Argument("d", "4", "the number of coordinates, even", integer(2, 1000)),
        Argument("M", "10000", "the base of the wavelengths, positive; the text has a large number", positive),
        Argument("alphabet", "a", "the symbols of the words, which do not matter", read_alphabet),
    ),
    adapt=passing("d", "M"),
)
def sinusoidal(d: int, M: Fraction, alphabet: tuple[str, ...]) -> Transformer:
    """pe_k at position i = 1 .. n: cos(i/M^(2c/d)) for k = 2c, sin(i/M^(2c/d)) for k = 2c + 1, 0 <= c <= d/2 - 1.

    Each pair goes round the unit circle, so that pe(i + k) is a rotation of pe(i) that depends on k alone. The first
    pair has the angle i whatever M is: the wavelengths 2 pi M^(2c/d) begin at 2 pi, and none is a whole number where
    M^(2c/d) is rational (see modulo for those that are). The text exchanges sine and cosine against Vaswani et al.
    Values are irrational: balls and floats have them. The reference is right to 10^-12. Region: every word of length
    at least 1. Source: Cookbook, Section 3.5.2.
    """
    from symcook.model.ends import Embedding, Readout
    from symcook.model.space import Space
    from symcook.model.transformer import Transformer

    if d % 2:
        raise BadInput("d must be even, as sines and cosines come in pairs", d, f"give d={d + 1}")
    angles = (f"i/({M})^({2 * c}/{d})" for c in range(d // 2))
    pairs = [f"{function}({angle})" for angle in angles for function in ("cos", "sin")]
    positions = {f"pe_{k}": text for k, text in enumerate(pairs)}
    return Transformer(
        NAME,
        Embedding(Space(tuple(positions)), words={letter: {} for letter in alphabet}, positions=positions),
        (),
        Readout("value", "each", tuple(positions)),
        source=info(NAME).source,
    )
