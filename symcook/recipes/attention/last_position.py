"""last-position. Source: Yang et al. 2026, Proposition 10 (b)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symcook.recipes.adapters import named
from symcook.recipes.arguments import alphabet as read_alphabet
from symcook.recipes.registry import Argument, info, recipe

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer

NAME = "last-position"


@recipe(
    NAME,
    kind="attention",
    summary="1 at the last position and 0 at every other, from the position function (-1)^i",
    source="Yang et al. 2026, Proposition 10 (b)",
    formula="I[i = n]",
    words="The mean of -(-1)^j over the positions from i on is 1 or -1 at the last position, and within 1/3 of 0 "
    "before.",
    computes="3*(relu(mean - 1/3) - relu(mean - 2/3) + relu(-mean - 1/3) - relu(-mean - 2/3))",
    region="true",
    uniformity="No weight depends on the length; the position function is (-1)^i.",
    claims=("yang2026.prop10b",),
    reference="symcook.spec.attention:last_position",
    arguments=(Argument("alphabet", "01", "the symbols of the words, which it does not look at", read_alphabet),),
    adapt=named("last"),
)
def last_position(alphabet: tuple[str, ...]) -> Transformer:
    """last_i = I[i = n], by uniform past-masked attention to -(-1)^j.

    alphabet: different symbols. Softmax of zero scores, which is uniform; a position sees itself. Region:
    every word of length at least 1. Source: Yang et al. 2026, Proposition 10 (b).
    """
    from symcook.model.ends import Embedding, Readout
    from symcook.model.layers import Layer
    from symcook.model.space import Space
    from symcook.model.transformer import Transformer
    from symcook.model.weights import feedforward, head

    mean = head(value={"mean": "-alternating"}, mask="past", weighting="softmax")
    return Transformer(
        NAME,
        Embedding(
            Space(("alternating", "mean", "last")),
            words={letter: {} for letter in alphabet},
            positions={"alternating": "(-1)^i"},
        ),
        (Layer(mean, feedforward(last=info(NAME).computes)),),
        Readout("value", "each", ("last",)),
        source="yang2026, Proposition 10 (b)",
    )
