from __future__ import annotations

from symcook.recipes import kit
from symcook.recipes.adapters import passing
from symcook.recipes.arguments import alphabet as read_alphabet
from symcook.recipes.arguments import integer, one_of
from symcook.recipes.registry import Argument, Recipe, recipe

SCALARS = {"inverse": "1/i", "share": "i/n", "alternating": "(-1)^i"}


@recipe(
    kind="representation",
    summary="the positional encodings 1/i, i/n, (-1)^i, powers of i and one-hot",
    source="Cookbook, Section 3.5.1, also Sections 5.2 and 5.3.1",
    formula="1/i",
    region="true",
    uniformity="1/i, (-1)^i and the powers depend on i alone, i/n on the length too. One-hot needs a greatest length "
    "N, which is its width. All but the powers are bounded.",
    claims=("cookbook.s3.5.1.one_over_i", "cookbook.s3.5.1.i_over_n", "cookbook.s3.5.1.powers"),
    reference="symcook.spec.representations:encoded",
    arguments=(
        Argument(
            "kind",
            "inverse",
            "inverse for 1/i, share for i/n, alternating for (-1)^i, powers for i, i^2 and so on, or one-hot",
            one_of(*SCALARS, "powers", "one-hot"),
        ),
        Argument("powers", "2", "with powers, how many: i to i^powers", integer(1, 16)),
        Argument("N", "8", "with one-hot, the greatest length", integer(1, 128)),
        Argument("alphabet", "a", "the symbols of the words, which do not matter", read_alphabet),
    ),
    adapt=passing("kind", "powers", "N"),
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

    alphabet: different symbols. Region: every word of length at least 1, with one-hot to length N. Source: Cookbook,
    Section 3.5.1; (-1)^i Section 5.2, one-hot Section 5.3.1.
    """
    if kind == "powers":
        positions = {f"pe_{k}": f"i^{k}" for k in range(1, powers + 1)}
    elif kind == "one-hot":
        positions = {f"pe_{k}": f"I[i = {k}]" for k in range(1, N + 1)}
    else:
        positions = {"pe": SCALARS[kind]}
    return this.model(
        kit.Embedding(kit.Space(tuple(positions)), words={letter: {} for letter in alphabet}, positions=positions),
        (),
        kit.Readout("value", "each", tuple(positions)),
        max_length=N if kind == "one-hot" else None,
    )
