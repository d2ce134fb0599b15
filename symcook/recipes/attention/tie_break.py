from __future__ import annotations

from symcook.recipes import kit
from symcook.recipes.adapters import of_rows
from symcook.recipes.arguments import one_of
from symcook.recipes.attention import over_rows
from symcook.recipes.registry import Argument, Recipe, Symbol, recipe

TERMS = ("-1/j", "1/j", "j/n", "-j/n", "-1/(j + 1)", "1/(j + 1)")


@recipe(
    kind="attention",
    summary="the value at the last (or first) greatest score, by average-hard attention",
    source="Cookbook, Section 5.6, Eq. (39)",
    formula="sum(j, 1, n, I[all k in 1..n. score(k) < score(j) | score(k) = score(j) & k <= j]*value(j))",
    computes="sum(j, 1, n, I[all k in 1..n. score(k) - gamma/k < score(j) - gamma/j | k = j]*value(j))",
    region="floor(score) = score",
    largest=False,
    uniformity="No weight depends on the length; the position function is the term.",
    claims=(
        "cookbook.t2.tiebreak",
        "cookbook.s5.6.gap_condition",
        "cookbook.s5.6.tiebreak_terms",
        "cookbook.s5.6.tiebreak_correct",
        "cookbook.s5.6.tiebreak_matrices",
    ),
    reference="symcook.spec.attention:unique_hard",
    arguments=(
        Argument(
            "term",
            "-1/j",
            "-1/j, j/n or -1/(j + 1) for the last position, 1/j, -j/n or 1/(j + 1) for the first",
            one_of(*TERMS),
        ),
    ),
    symbols=(Symbol("gamma", "1/2", "0 < gamma & gamma <= 1", "what different scores differ by at least"),),
    adapt=of_rows(("score", "value"), "found", "term"),
)
def tie_break(this: Recipe, term: str) -> kit.Transformer:
    """A term that grows (or falls) with the position is added to the scores, so small that no lesser score overtakes.

    found_i = the value at the last position where the score is greatest; at the first one, for the terms 1/j, -j/n and
    1/(j + 1).

    Inputs: score and value, one row a position; the scores of every row i are score_j + gamma t(j), with average-hard
    attention. term: t(j). gamma: 0 < gamma <= 1. Region: integer scores, whose differences are 0 or at least 1. Eq.
    (39) asks for more than gamma; at least gamma (1 - 1/n) is enough but for equality, since two terms differ by 1 -
    1/n at most, and so gamma = 1 is allowed. The terms with j + 1 are those of Table 2, which leaves out gamma: there
    they need differences of at least 1/2.
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
