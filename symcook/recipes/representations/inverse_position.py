from __future__ import annotations

from symcook.errors import BadInput
from symcook.recipes import kit
from symcook.recipes.adapters import named
from symcook.recipes.arguments import alphabet as read_alphabet
from symcook.recipes.arguments import one_of
from symcook.recipes.registry import Argument, Recipe, recipe


@recipe(
    kind="representation",
    summary="1/(i + 1) at position i, or 1/(n + 1), from BOS and uniform attention",
    source="Cookbook, Section 3.4, also Section 3.5.1",
    formula="1/(i + 1)",
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
def inverse_position(this: Recipe, alphabet: tuple[str, ...], by: str) -> kit.Transformer:
    """BOS is 1 and every other token 0, so that their mean is 1 over the number of tokens that are seen.

    inverse = 1/(i + 1) at position i of the word, BOS being at position 0; with by=n it is 1/(n + 1) everywhere.

    alphabet: different symbols, not BOS. The answers begin with that at BOS. Region: every word, the empty one too.
    """
    if "BOS" in alphabet:
        raise BadInput("alphabet must not have BOS, which stands before each word", "BOS")
    words: dict[str, dict[str, int]] = {letter: {} for letter in alphabet}
    mean = kit.head(value={"inverse": "begin"}, mask="none" if by == "n" else "future")
    return this.model(
        kit.Embedding(kit.Space(("begin", "inverse")), words=words | {"BOS": {"begin": 1}}, start=0, before="BOS"),
        (kit.Layer(mean),),
        kit.Readout("value", "each", ("inverse",)),
    )
