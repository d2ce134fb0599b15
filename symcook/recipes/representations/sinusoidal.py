from __future__ import annotations

from symcook.errors import BadInput
from symcook.recipes import kit
from symcook.recipes.adapters import passing
from symcook.recipes.arguments import alphabet as read_alphabet
from symcook.recipes.arguments import integer, positive
from symcook.recipes.registry import Argument, Recipe, recipe


@recipe(
    kind="representation",
    summary="the sinusoidal positional encodings, d coordinates",
    source="Cookbook, Section 3.5.2",
    formula="if(mod(k, 2) = 0, cos(i/10000^(k/d)), sin(i/10000^((k - 1)/d)))",
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
def sinusoidal(this: Recipe, d: int, M: kit.Fraction, alphabet: tuple[str, ...]) -> kit.Transformer:
    """Coordinates 2c and 2c + 1 are a point that goes round a circle, by 1/M^(2c/d) with each position.

    pe_k at position i = 1 .. n: cos(i/M^(2c/d)) for k = 2c, sin(i/M^(2c/d)) for k = 2c + 1, 0 <= c <= d/2 - 1.

    Each pair goes round the unit circle, so that pe(i + k) is a rotation of pe(i) that depends on k alone. The first
    pair has the angle i whatever M is: the wavelengths 2 pi M^(2c/d) begin at 2 pi, and none is a whole number where
    M^(2c/d) is rational (see modulo for those that are). The text exchanges sine and cosine against Vaswani et al.
    Values are irrational: balls and floats have them. The reference is right to 10^-12. Region: every word of length at
    least 1.
    """
    if d % 2:
        raise BadInput("d must be even, as sines and cosines come in pairs", d, f"give d={d + 1}")
    angles = (f"i/({M})^({2 * c}/{d})" for c in range(d // 2))
    pairs = [f"{function}({angle})" for angle in angles for function in ("cos", "sin")]
    positions = {f"pe_{k}": text for k, text in enumerate(pairs)}
    return this.model(
        kit.Embedding(kit.Space(tuple(positions)), words={letter: {} for letter in alphabet}, positions=positions),
        (),
        kit.Readout("value", "each", tuple(positions)),
    )
