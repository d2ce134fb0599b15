from __future__ import annotations

from symcook.errors import BadInput
from symcook.recipes import kit
from symcook.recipes.adapters import named
from symcook.recipes.arguments import alphabet as read_alphabet
from symcook.recipes.arguments import one_of
from symcook.recipes.registry import Argument, Recipe, recipe


@recipe(
    kind="representation",
    summary="how often a symbol occurs: C/n over the word, or C/i up to position i",
    source="Cookbook, Section 3.3",
    formula="C(n)/n",
    region="true",
    uniformity="No weight depends on the length. The count itself would not be bounded, its share is.",
    claims=("cookbook.s3.3.integer_reps", "cookbook.s3.3.bounded_values"),
    reference="symcook.spec.representations:share",
    arguments=(
        Argument("alphabet", "ab", "the symbols of the words; the first one is counted", read_alphabet),
        Argument("by", "n", "n for C/n, or i for C/i", one_of("n", "i")),
    ),
    adapt=named("share", "alphabet", "by"),
)
def count(this: Recipe, alphabet: tuple[str, ...], by: str) -> kit.Transformer:
    """Uniform attention to 1 at the symbol and 0 at the others, without mask for C/n and with the future mask for C/i.

    share_i = C/n, or with by=i C_i/i, for the count C of the first symbol in the word (C_i: in its first i symbols).

    alphabet: at least two different symbols. Region: every word of length at least 1.
    """
    if len(alphabet) < 2:
        raise BadInput("alphabet must have two symbols or more", " ".join(alphabet), "give alphabet=ab")
    words = {letter: {"hit": int(letter == alphabet[0])} for letter in alphabet}
    mean = kit.head(value={"share": "hit"}, mask="none" if by == "n" else "future")
    return this.model(
        kit.Embedding(kit.Space(("hit", "share")), words=words),
        (kit.Layer(mean),),
        kit.Readout("value", "each", ("share",)),
    )
