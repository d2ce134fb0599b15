"""The example constructions over words: recognisers and induction heads, and what they share. Source: Cookbook, Section
9."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from symcook.recipes import kit
from symcook.recipes.arguments import one_of
from symcook.recipes.attention import rounding
from symcook.recipes.registry import Argument, Recipe

BRACKETS = {"(": {"token": 1}, ")": {"token": -1}}
FORMULA = "(all p in 1..n. closes(p) <= opens(p)) & opens(n) = closes(n)"
CLAIMS = (
    "cookbook.t3.dyck1",
    "cookbook.s9.2.dyck1_def",
    "cookbook.s9.2.1.prefix_counts",
    "cookbook.s9.2.1.embedding",
    "cookbook.s9.2.1.balance",
    "cookbook.s9.2.1.violation",
    "cookbook.s9.2.1.ffn_error",
    "cookbook.s9.2.1.aggregate",
    "cookbook.s9.2.1.state_trace",
)


def counting() -> tuple[kit.Head, kit.FeedForward, kit.Head]:
    """Eq. (44): the balance B_i/i, its error relu(-B_i/i), and the mean error t_i."""
    return (
        kit.head(value={"balance": "token"}, mask="future"),
        kit.feedforward(error="relu(-balance)"),
        kit.head(value={"total": "error"}, mask="future"),
    )


FETCHING = Argument(
    "weighting",
    "rightmost",
    "rightmost; average, with j/n added to the scores; or softmax, then at temperature 1/(n log(8 n)) with rounding",
    one_of("rightmost", "average", "softmax"),
)


def letters(name: str, alphabet: Sequence[str]) -> tuple[str, ...]:
    """A coordinate for each symbol of an alphabet: NAME_A for letters or digits of ASCII, else NAME_symbol3."""
    taken = any(one.startswith("symbol") for one in alphabet)  # by a symbol that is so called itself
    plain = (one.isascii() and one.isalnum() and not taken for one in alphabet)
    ends = (one if own else f"symbol{place}" for place, (one, own) in enumerate(zip(alphabet, plain, strict=True), 1))
    return tuple(f"{name}_{end}" for end in ends)


def over_letters(alphabet: Sequence[str], weighting: str, **positions: object) -> kit.Builder:
    """A Builder over one-hot words, coordinates is_A, is_B, ..., with what `fetch` needs."""
    places = {} if weighting == "rightmost" else {"one": 1, "share": "i/n"}
    words = {letter: {name: 1} for letter, name in zip(alphabet, letters("is", alphabet), strict=True)}
    return kit.Builder(words=words, positions=places | positions)


def fetch(
    b: kit.Builder,
    reads: Sequence[str],
    writes: Sequence[str],
    score: Mapping[tuple[str, str], Any],
    mask: str,
    weighting: str,
) -> None:
    """Steps that read the one-hot group `reads` at the last position of the greatest score, where scores are 0 and 1.

    With average j/n is added to the scores, which breaks ties and leaves a gap of 1/n (Cookbook, Section 5.6);
    softmax has the temperature 1/(n log(8 n)) and the rounding of Section 5.7.
    """
    if weighting == "rightmost":
        b.add(kit.head(score, dict(zip(writes, reads, strict=True)), mask=mask, weighting="rightmost"))
        return
    tied = {**score, ("one", "share"): 1}
    if weighting == "average":
        b.add(kit.head(tied, dict(zip(writes, reads, strict=True)), mask=mask))
        return
    blends = dict(zip((f"{name}_blend" for name in writes), reads, strict=True))
    b.add(kit.head(tied, blends, mask=mask, weighting="softmax", temperature="1/(n*log(8*n))"))
    b.add(rounding(dict(zip(writes, blends, strict=True))))


def answered(b: kit.Builder, this: Recipe, scores: Sequence[str], alphabet: Sequence[str]) -> kit.Transformer:
    """The model that gives at each position the symbol of the largest score, the first of several."""
    b.readout("largest", "each", scores, labels=alphabet)
    return b.build(this.name, source=this.source)


NEAREST = Argument(
    "weighting", "average", "average, or unique, which is rightmost and leftmost", one_of("average", "unique")
)


def bounded_depth(this: Recipe, brackets: Sequence[str], depth: int, weighting: str) -> kit.Transformer:
    """Matching in `depth` rounds over brackets (opening and closing in turn). Source: Cookbook, Eqs. (45) to (49)."""
    sides = {"left_ties": "rightmost", "right_ties": "leftmost"} if weighting == "unique" else {}
    return this.of_family("dyck-k-d", {"K": len(brackets) // 2, "D": depth}, brackets, None, **sides)
