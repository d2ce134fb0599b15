from __future__ import annotations

from symcook.errors import BadInput
from symcook.recipes import Argument, Recipe, kit
from symcook.recipes.arguments import one_of
from symcook.recipes.feedforward import UNIFORM, pointwise
from symcook.recipes.representations import recipe

REGIONS = {
    "closed": "true",
    "zero-one": "x = 0 | x = 1",
    "signs": "x = -1 | x = 1",
    "open": "x != 0",
    "zero-or-more": "x = 0 | 1 <= x",
    "pair": "(x1 = -1 & x2 = 1) | (x1 = 1 & x2 = -1)",
    "pair-delta": "x1 != 0 & x2 = -x1",
}
"""The representations of Table 4 in its order, and the region in which each is false or true."""
BIT = {
    "zero-one": "relu(x) - relu(-x)",
    "signs": "relu(x)/2 - relu(-x)/2 + 1/2",
    "zero-or-more": "relu(x) - relu(x - 1)",
    "pair": "relu(x1)/2 - relu(-x1)/2 + 1/2",
}
"""The formula that converts to 0 and 1, for each representation with a gap between false and true."""
NUMBER = {"closed": "relu(x) - relu(-x)", "open": "relu(x) - relu(-x)", "pair-delta": "relu(x1) - relu(-x1)"}
"""For the other representations the formula of a number that is positive for true; it is 0 or less for false."""
NONE = {"closed": "closed", "open": "open", "pair-delta": "pair_delta"}
"""The last part of the name of the statement lem.no_converter_..., for each representation without a gap."""


def _region(given: str, wanted: str) -> str:
    """The region of the conversion, which depends only on the given representation."""
    return REGIONS[given]


def _outputs(given: str, wanted: str) -> dict[str, str]:
    """{output: formula} of the conversion. BadInput if no continuous map converts."""
    # With a gap any representation is possible, by way of the bit. Without a gap only some are.
    paired = wanted in ("pair", "pair-delta")
    if given in BIT:
        bit = BIT[given]
        if wanted in ("closed", "zero-one", "zero-or-more"):
            return {"out": bit}
        signs = f"2*({bit}) - 1"
        return {"out1": signs, "out2": f"1 - 2*({bit})"} if paired else {"out": signs}
    number = NUMBER[given]
    if wanted == "closed" or (given != "closed" and wanted == "open"):
        return {"out": number}
    if given != "closed" and wanted == "pair-delta":
        return {"out1": number, "out2": f"-({number})"}
    possible = "closed alone" if given == "closed" else "closed, open or pair-delta"
    hint = "" if given == "closed" else "; a layer norm makes pair of pair-delta"
    raise BadInput(
        f"wanted must be {possible}, as a feed-forward network is continuous and {given} has no gap at 0",
        wanted,
        f"give wanted={given}{hint}; symcook prove lem.no_converter_{NONE[given]} shows that there is no converter",
    )


@recipe(
    summary="a Boolean from one representation of Table 4 to another",
    source="Cookbook, Section 3.1 and Table 4",
    formula="2*x - 1",
    computes="2*relu(x) - 2*relu(-x) - 1",
    region="x = 0 | x = 1",
    largest=False,
    uniformity=UNIFORM,
    claims="t4.halfline_closed t4.zero_one t4.pm_one t4.halfline_open t4.zero_geone t4.pair_pm1 t4.pair_pmdelta "
    "s3.1.negation_discontinuous s3.1.pair_rep s3.1.no_best_rep",
    reference="symcook.spec.representations:converted",
    arguments=(
        Argument("given", "zero-one", f"a representation: {', '.join(REGIONS)}", one_of(*REGIONS)),
        Argument("wanted", "signs", "a representation", one_of(*REGIONS)),
    ),
    region_of=_region,
)
def convert_boolean(this: Recipe, given: str, wanted: str) -> kit.Transformer:
    """With a gap between false and true a line, or a ramp, takes one to the other; without a gap only what keeps the
    sign.

    out has the truth value that x has, in another representation.

    The rows of Table 4, false and then true: closed (-inf, 0] and (0, inf); zero-one 0 and 1; signs -1 and 1; open
    (-inf, 0) and (0, inf); zero-or-more 0 and [1, inf); pair (-1, 1) and (1, -1); pair-delta (-delta, delta) and
    (delta, -delta) for any delta > 0. Pairs have the coordinates x1, x2 and out1, out2. From those with a gap there is
    a converter to every one; from open and pair-delta only to closed, open and pair-delta, and from closed only to
    itself, as a function that is continuous at 0 does not jump there. All of this is proved: lem.converters_... and
    lem.no_converter_..., with the name of `given`. Section 3.1 prints the pair with false = (1, -1), which Table 4 has
    for true.
    """
    inputs = ("x1", "x2") if given in ("pair", "pair-delta") else ("x",)
    return pointwise(this, inputs, formulas=_outputs(given, wanted))
