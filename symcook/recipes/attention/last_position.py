from __future__ import annotations

from symcook.recipes import kit
from symcook.recipes.adapters import named
from symcook.recipes.arguments import alphabet as read_alphabet
from symcook.recipes.registry import Argument, Recipe, recipe


@recipe(
    kind="attention",
    summary="1 at the last position and 0 at every other, from the position function (-1)^i",
    source="Yang et al. 2026, Proposition 10 (b)",
    formula="I[i = n]",
    computes="3*(relu(mean - 1/3) - relu(mean - 2/3) + relu(-mean - 1/3) - relu(-mean - 2/3))",
    region="true",
    uniformity="No weight depends on the length; the position function is (-1)^i.",
    claims=("yang2026.prop10b",),
    reference="symcook.spec.attention:last_position",
    arguments=(Argument("alphabet", "01", "the symbols of the words, which it does not look at", read_alphabet),),
    adapt=named("last"),
)
def last_position(this: Recipe, alphabet: tuple[str, ...]) -> kit.Transformer:
    """The mean of -(-1)^j over the positions from i on is 1 or -1 at the last position, and within 1/3 of 0 before.

    last_i = I[i = n], by uniform past-masked attention to -(-1)^j.

    alphabet: different symbols. Softmax of zero scores, which is uniform; a position sees itself. Region: every word of
    length at least 1.
    """
    mean = kit.head(value={"mean": "-alternating"}, mask="past", weighting="softmax")
    return this.model(
        kit.Embedding(
            kit.Space(("alternating", "mean", "last")),
            words={letter: {} for letter in alphabet},
            positions={"alternating": "(-1)^i"},
        ),
        (kit.Layer(mean, kit.feedforward(last=this.computes)),),
        kit.Readout("value", "each", ("last",)),
        source="yang2026, Proposition 10 (b)",
    )
