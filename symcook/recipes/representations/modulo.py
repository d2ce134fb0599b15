from __future__ import annotations

from symcook.recipes import kit
from symcook.recipes.adapters import made_with
from symcook.recipes.arguments import integer
from symcook.recipes.registry import Argument, Recipe, recipe
from symcook.recipes.representations.modulo_angle import ALPHABET, LONGEST, WEIGHTING, embedded, layers


@recipe(
    kind="representation",
    summary="how often a symbol occurs, modulo m: PARITY for m = 2",
    source="Cookbook, Section 3.5.2",
    formula="mod(C(n), m)",
    region="true",
    uniformity="No weight depends on the length, but the temperature of softmax does. The sinusoids have the period m.",
    claims=("cookbook.s3.5.2.parity",),
    reference="symcook.spec.representations:residue",
    arguments=(Argument("m", "2", "the modulus", integer(1, 1000)), ALPHABET, WEIGHTING, LONGEST),
    adapt=made_with("alphabet", "m"),
)
def modulo(this: Recipe, m: int, alphabet: tuple[str, ...], weighting: str, N: int) -> kit.Transformer:
    """The count as a point of the circle (modulo-angle), compared with the m points that residues have.

    The residue modulo m of how often the first symbol of the alphabet occurs in the word: a label 0 .. m - 1.

    The model is modulo-angle, whose point at the last position is multiplied with those of the residues: logit r is
    cos(2 pi r/m) cosines + sin(2 pi r/m) sines = cos(2 pi (C - r)/m), which is 1 for the residue of C and at most 1 -
    6/m^2 for every other. weighting softmax: the gap of the scores is at least 1/(N + 1), and at temperature 1/((N + 1)
    log(8 N m^2)) each logit is off by at most 1/(4 m^2), so that no rounding is needed to length N. The exact domain
    has the values for m = 1, 2 and 4, others are irrational: use balls. Region: every word, the empty one too. Source:
    Cookbook, Section 3.5.2, which gives no construction.
    """
    points = [[f"cos(2*pi*{r}/{m})", f"sin(2*pi*{r}/{m})"] for r in range(m)]
    return this.model(
        embedded(alphabet, str(m)),
        layers(weighting, f"1/({N + 1}*log({8 * N * m * m}))"),
        kit.Readout("largest", "last", ("cosines", "sines"), weights=points, labels=tuple(map(str, range(m)))),
        max_length=N + 1 if weighting == "softmax" else None,
    )
