"""The first and the last of a sequence, and of equal scores: Cookbook, Sections 5.2 and 5.6."""

from __future__ import annotations

from symcook.model.choices import WeightingWord
from symcook.recipes import Argument, Recipe, Symbol, kit
from symcook.recipes.arguments import alphabet as read_alphabet
from symcook.recipes.arguments import one_of
from symcook.recipes.attention import LONGEST, MARK, WEIGHTING, alike, over_rows, recipe, sharpened


@recipe(
    summary="1 at the first position and 0 at every other, from the position function (-1)^i",
    source="Cookbook, Section 5.2",
    formula="I[i = 1]",
    computes=MARK,
    uniformity="No weight depends on the length; the position function is (-1)^i.",
    claims="t2.first s5.2.first_attention s5.2.first",
    arguments=(
        Argument("alphabet", "01", "the symbols of the strings, which it does not look at", read_alphabet),
        Argument("weighting", "average", "average, softmax or leftmost", one_of("average", "softmax", "leftmost")),
    ),
)
def first_position(this: Recipe, alphabet: tuple[str, ...], weighting: WeightingWord) -> kit.Transformer:
    """The prefix mean of -(-1)^i is 1 at the first position and at most 1/3 later; a comparison tells them apart.

    first_i = GTZero_{1/3}(c_i - 1/3) = I[i = 1], where c_i = (1/i) sum_{j<=i} -(-1)^j.

    alphabet: different symbols; tokens embed to nothing, only the position counts. c_1 = 1, and for i > 1 c_i is 0 (i
    even) or 1/i <= 1/3 (i odd). weighting: average or softmax, with scores zero; leftmost with the scores (-1)^j, whose
    greatest is at position 2 where that is seen, so that c_i = -1 for i > 1 (with scores zero it marks every position,
    which Table 2 overlooks).
    """
    unique = weighting == "leftmost"
    places = {"one": 1, "alternating": "(-1)^i"} if unique else {"alternating": "(-1)^i"}
    score = {("one", "alternating"): 1} if unique else None
    mean = kit.head(score, {"mean": "-alternating"}, mask="future", weighting=weighting)
    layer = kit.Layer(mean, kit.feedforward(first=MARK))
    return over_rows(this, None, places, [layer], "first", words=alike(alphabet))


def _alike(weighting: WeightingWord, **_: object) -> str:
    """The region of first_value: with softmax, values must be 0 or 1."""
    return "value = 0 | value = 1" if weighting == "softmax" else "true"


@recipe(
    summary="at every position the value at position 1, which (-1)^i marks",
    source="Cookbook, Section 5.2, with Table 2",
    formula="value(1)",
    largest=False,
    uniformity="No weight depends on the length, but the temperature of softmax does; the position function is (-1)^i.",
    claims="t2.first",
    arguments=(WEIGHTING, LONGEST),
    region_of=_alike,
)
def first_value(this: Recipe, weighting: WeightingWord, N: int) -> kit.Transformer:
    """The first position is marked, as by first-position; a second layer looks where the mark is greatest.

    found_i = value_1, by scores that are the mark I[j = 1] of Section 5.2.

    weighting: average, leftmost, rightmost, or softmax with temperature 1/log(8 N) and the rounding of Section 5.7. N:
    the greatest length, with softmax. Inputs: value, one row a position. Table 2 says that First retrieves the value at
    position 1; the text marks that position, and this is both.
    """
    mean = kit.head(value={"mean": "-alternating"}, mask="future")
    mark = kit.Layer(mean, kit.feedforward(first=MARK))
    look = sharpened({("one", "first"): 1}, "value", "found", weighting, N)
    places = {"one": 1, "alternating": "(-1)^i"}
    return over_rows(this, ("value",), places, [mark, look], "found", max_length=N if weighting == "softmax" else None)


@recipe(
    summary="1 at the last position and 0 at every other, from the position function (-1)^i",
    source="Yang et al. 2026, Proposition 10 (b)",
    formula="I[i = n]",
    computes="3*(relu(mean - 1/3) - relu(mean - 2/3) + relu(-mean - 1/3) - relu(-mean - 2/3))",
    uniformity="No weight depends on the length; the position function is (-1)^i.",
    claims="prop10b",
    arguments=(Argument("alphabet", "01", "the symbols of the strings, which it does not look at", read_alphabet),),
)
def last_position(this: Recipe, alphabet: tuple[str, ...]) -> kit.Transformer:
    """The mean of -(-1)^j over the positions from i on is 1 or -1 at the last position, and within 1/3 of 0 before.

    last_i = I[i = n], by uniform past-masked attention to -(-1)^j.

    alphabet: different symbols. Softmax of zero scores, which is uniform; a position sees itself.
    """
    mean = kit.head(value={"mean": "-alternating"}, mask="past", weighting="softmax")
    layer = kit.Layer(mean, kit.feedforward(last=this.computes))
    places, source = {"alternating": "(-1)^i"}, "yang2026, Proposition 10 (b)"
    return over_rows(this, None, places, [layer], "last", words=alike(alphabet), source=source)


TERMS = ("-1/j", "1/j", "j/n", "-j/n", "-1/(j + 1)", "1/(j + 1)")
"""The tie-breaking terms of Section 5.6 and Table 2."""


@recipe(
    summary="the value at the last (or first) largest score, by average-hard attention",
    source="Cookbook, Section 5.6, Eq. (39)",
    formula="sum(j, 1, n, I[all k in 1..n. score(k) < score(j) | score(k) = score(j) & k <= j]*value(j))",
    computes="sum(j, 1, n, I[all k in 1..n. score(k) - gamma/k < score(j) - gamma/j | k = j]*value(j))",
    region="floor(score) = score",
    largest=False,
    uniformity="No weight depends on the length; the position function is the term.",
    claims="t2.tiebreak s5.6.gap_condition s5.6.tiebreak_terms s5.6.tiebreak_correct s5.6.tiebreak_matrices",
    reference="symcook.spec.attention:unique_hard",
    arguments=(
        Argument(
            "term",
            "-1/j",
            "-1/j, j/n or -1/(j + 1) for the last position, 1/j, -j/n or 1/(j + 1) for the first",
            one_of(*TERMS),
        ),
    ),
    symbols=(Symbol("gamma", "1/2", "0 < gamma & gamma <= 1", "the smallest difference of different scores"),),
)
def tie_break(this: Recipe, term: str) -> kit.Transformer:
    """A term that grows (or falls) with the position is added to the scores, so small that no lesser score overtakes.

    found_i = the value at the last position where the score is greatest; at the first one, for the terms 1/j, -j/n and
    1/(j + 1).

    Inputs: score and value, one row a position; the scores of every row i are score_j + gamma t(j), with average-hard
    attention. term: t(j). gamma: 0 < gamma <= 1. Differences of integer scores are 0 or at least 1. Eq. (39) asks for
    more than gamma; more than gamma (1 - 1/n) is enough, since two terms differ by 1 - 1/n at most, and so gamma = 1 is
    allowed. The terms with j + 1 are those of Table 2, which leaves out gamma: there they need differences of at least
    1/2.
    """
    look = kit.head({("one", "score"): 1, ("gamma1", "term"): 1}, {"found": "value"})
    return over_rows(
        this,
        ("score", "value"),
        {"one": 1, "gamma1": "gamma", "term": term.replace("j", "i")},
        [kit.Layer(look)],
        "found",
        parameters=[kit.Parameter("gamma", default="1/2", lower=0, upper=1)],
    )
