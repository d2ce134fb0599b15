"""Attention recipes: rows of numbers or strings in, a number at each position out. Source: Cookbook, Sections 5.1 to
5.7, and Yang et al. 2026. The helpers here serve recipes of other chapters too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from symcook.model.choices import MaskWord, WeightingWord
from symcook.recipes import Argument, Recipe, kit
from symcook.recipes import recipe as declared
from symcook.recipes.arguments import integer, one_of

recipe = partial(declared, kind="attention", uniformity="No weight depends on the length.")
HARD = ("average", "leftmost", "rightmost")
"""The weightings of hard attention."""
WEIGHTING = Argument(
    "weighting",
    "average",
    "average, leftmost or rightmost, which are exact for any values; or softmax, at a temperature with rounding "
    "behind it, for values 0 and 1",
    one_of(*HARD, "softmax"),
)
UNIFORM_WEIGHTING = Argument(
    "weighting", "average", "average or softmax, the same where all scores are zero", one_of("average", "softmax")
)
LONGEST = Argument("N", "64", "the greatest length, with softmax", integer(1, 10**6), ("weighting", "softmax"))
POSITION = "ex j in 1..n. query = j"
"""The region in which the input `query` is a position of the sequence."""
GREATEST = "I[all k in 1..n. score(k) <= score(j)]"
"""1 if position j has the maximum score."""
READ = f"sum(j, 1, n, {GREATEST}*value(j))/sum(j, 1, n, {GREATEST})"
"""The result of average-hard attention: the mean value over the positions with the maximum score."""
MARK = "3*(relu(mean - 1/3) - relu(mean - 2/3))"
"""I[i = 1], from the mean of -(-1)^j over positions 1 to i: 1 at i = 1, at most 1/3 later. Cookbook, Section 5.2."""


def rounding(pairs: Mapping[str, str]) -> kit.FeedForward:
    """The network that rounds to 0 or 1: `pairs` is {output: coordinate within 1/4 of 0 or 1}. Source: Cookbook,
    Section 5.7."""
    return kit.feedforward({output: f"2*(relu({c} - 1/4) - relu({c} - 3/4))" for output, c in pairs.items()})


def over_rows(
    this: Recipe,
    inputs: tuple[str, ...] | None,
    positions: Mapping[str, object],
    layers: Sequence[kit.Layer],
    *outputs: str,
    order: Sequence[str] = (),
    words: Mapping[str, Mapping[str, kit.Exact]] | None = None,
    **more: object,
) -> kit.Transformer:
    """A model over rows of `inputs`, or over strings with the embedding `words`, that answers with `outputs` at each
    position. Its coordinates are `order`, the inputs, the position functions, and what the layers write, in this order.
    `more` are further arguments of the Transformer."""
    written = [c for layer in layers for part in layer.parts() for c in part.writes]
    space = kit.Space(tuple(dict.fromkeys((*order, *(inputs or ()), *positions, *written))))
    embedding = kit.Embedding(space, inputs=inputs, words=words, positions=positions)
    return this.model(embedding, tuple(layers), kit.Readout("value", "each", outputs), **more)


def alike(alphabet: Sequence[str]) -> dict[str, dict[str, int]]:
    """The embedding in which every letter is the zero vector."""
    return {letter: {} for letter in alphabet}


def sharpened(
    score: Mapping[tuple[str, str], kit.Exact],
    value: str,
    output: str,
    weighting: WeightingWord,
    N: int,
    *,
    gap: str = "1",
    mask: MaskWord = "none",
) -> kit.Layer:
    """The layer that writes to `output` the coordinate `value` at the position with the maximum score.

    With weighting "softmax" the temperature is gap/log(8 N), and the rounding of Section 5.7 follows. The result is
    then exact up to length N for values 0 and 1, if a single position has the maximum score, and all other scores are
    lower by at least `gap`, a text in the grammar. Other weightings use neither `gap` nor N. Source: Cookbook, Section
    5.7.
    """
    if weighting != "softmax":
        return kit.Layer(kit.head(score, {output: value}, mask=mask, weighting=weighting))
    soft = kit.head(score, {"blend": value}, mask=mask, weighting="softmax", temperature=f"({gap})/log({8 * N})")
    return kit.Layer(soft, rounding({output: "blend"}))


def encoded(vectors: Mapping[str, Mapping[int, int]], N: int) -> kit.Layer:
    """The layer that turns the integer `query`, 1 to N, into a vector: coordinate c is vectors[c][query].

    Each coordinate is a sum of hat functions relu(q - k + 1) - 2 relu(q - k) + relu(q - k - 1), which are 1 at k and 0
    at every other integer. All share the hidden units relu(q - k) for k from 0 to N + 1. Source: Cookbook, Section 4.1.
    """
    rows = []
    for entries in vectors.values():
        row = [0] * (N + 2)
        for k, value in entries.items():
            for place, bend in ((k - 1, 1), (k, -2), (k + 1, 1)):
                row[place] += bend * value
        rows.append(row)
    bends = [-k for k in range(N + 2)]
    return kit.Layer(None, kit.FeedForward(("query",), tuple(vectors), [[1]] * (N + 2), bends, rows, [0] * len(rows)))


def lookup_region(weighting: WeightingWord, **_: object) -> str:
    """The region in which a lookup is exact: every query is a position, and with softmax every value is 0 or 1."""
    return f"({POSITION}) & (value = 0 | value = 1)" if weighting == "softmax" else POSITION


def mean(this: Recipe, mask: MaskWord, weighting: WeightingWord) -> kit.Transformer:
    """The model that writes the mean of x over the positions that `mask` allows."""
    return over_rows(
        this, ("x",), {}, [kit.Layer(kit.head(value={"mean": "x"}, mask=mask, weighting=weighting))], "mean"
    )
