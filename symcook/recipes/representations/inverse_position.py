"""inverse-position: 1/(n + 1) or 1/(i + 1) from BOS. Source: Cookbook, Section 3.4."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symcook.errors import BadInput
from symcook.recipes.adapters import named
from symcook.recipes.arguments import alphabet as read_alphabet
from symcook.recipes.arguments import one_of
from symcook.recipes.registry import Argument, info, recipe

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer

NAME = "inverse-position"


@recipe(
    NAME,
    kind="representation",
    summary="1/(i + 1) at position i, or 1/(n + 1), from BOS and uniform attention",
    source="Cookbook, Section 3.4, also Section 3.5.1",
    formula="1/(i + 1)",
    words="BOS is 1 and every other token 0, so that their mean is 1 over the number of tokens that are seen.",
    computes="1/(i + 1)",
    region="true",
    uniformity="No weight depends on the length, and no position function is needed.",
    claims=("cookbook.s3.4.one_over_nplus1", "cookbook.s3.5.1.one_over_i"),
    reference="symcook.spec.representations:inverse",
    arguments=(
        Argument("alphabet", "ab", "the symbols of the words", read_alphabet),
        Argument("by", "i", "i for 1/(i + 1), with the future mask; n for 1/(n + 1), without", one_of("i", "n")),
    ),
    adapt=named("inverse", "by"),
)
def inverse_position(alphabet: tuple[str, ...], by: str) -> Transformer:
    """inverse = 1/(i + 1) at position i of the word, BOS being at position 0; with by=n it is 1/(n + 1) everywhere.

    alphabet: different symbols, not BOS. The answers begin with that at BOS. Region: every word, the empty one too.
    Source: Cookbook, Section 3.4.
    """
    from symcook.model.ends import Embedding, Readout
    from symcook.model.layers import Layer
    from symcook.model.space import Space
    from symcook.model.transformer import Transformer
    from symcook.model.weights import head

    if "BOS" in alphabet:
        raise BadInput("alphabet must not have BOS, which stands before each word", "BOS")
    words: dict[str, dict[str, int]] = {letter: {} for letter in alphabet}
    mean = head(value={"inverse": "begin"}, mask="none" if by == "n" else "future")
    return Transformer(
        NAME,
        Embedding(Space(("begin", "inverse")), words=words | {"BOS": {"begin": 1}}, start=0, before="BOS"),
        (Layer(mean),),
        Readout("value", "each", ("inverse",)),
        source=info(NAME).source,
    )
