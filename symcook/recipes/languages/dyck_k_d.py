from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from symcook.recipes import kit
from symcook.recipes.arguments import integer
from symcook.recipes.languages import NEAREST, bounded_depth
from symcook.recipes.registry import Argument, Recipe, recipe

HEIGHT = "sum(j, {}, {}, sign(bracket(j)))"
PARTNERS = f"{HEIGHT.format('p', 'q')} = 0 & (all r in p..q - 1. 0 < {HEIGHT.format('p', 'r')})"
FORMULA = (
    f"(all p in 1..n. 0 <= {HEIGHT.format(1, 'p')} & {HEIGHT.format(1, 'p')} <= 4) & {HEIGHT.format(1, 'n')} = 0 & "
    f"(all p in 1..n. all q in p + 1..n. 0 < bracket(p) & {PARTNERS} -> bracket(q) = -bracket(p))"
)
"""For D = 4, with the brackets as the numbers of Section 9.2.3."""


def brackets(k: int) -> tuple[str, ...]:
    """Opening and closing brackets of k kinds in turn: ()[]{}<>, and (1 )1 (2 )2 ... for more than four kinds.

    >>> brackets(2), brackets(5)[:4]
    (('(', ')', '[', ']'), ('(1', ')1', '(2', ')2'))
    """
    if k <= 4:
        return tuple("()[]{}<>"[: 2 * k])
    return tuple(f"{side}{kind}" for kind in range(1, k + 1) for side in "()")


def _adapt(function: Callable[..., Any], arguments: Mapping[str, Any], values: Mapping[str, object]) -> Any:
    return function(brackets(arguments["k"]), arguments["D"])


@recipe(
    kind="language",
    summary="well-nested brackets of k kinds and depth at most D, any length",
    source="Cookbook, Section 9.2.3",
    formula=FORMULA,
    computes="all p in 1..n. active(p) = 0",
    region="true",
    uniformity="No weight depends on the length; the position function is i/n. There are 2 D layers; the width does "
    "not depend on k, whose brackets are numbers. The decision is a zero test at all positions.",
    claims=("cookbook.s9.2.3.dyckkD_def", "cookbook.s9.2.3.encoding", "cookbook.s9.2.3.dyckkD_accept"),
    reference="symcook.spec.languages:dyck_bounded",
    arguments=(
        Argument(
            "k", "2", "the number of kinds of brackets: ()[]{}<>, from five on tokens (1 )1 (2 )2 ...", integer(1, 100)
        ),
        Argument("D", "4", "the greatest number of unclosed brackets", integer(1, 100)),
        NEAREST,
    ),
    adapt=_adapt,
)
def dyck_k_d(this: Recipe, k: int, D: int, weighting: str) -> kit.Transformer:
    """Brackets that match the nearest one still active on their side become inactive, D times; a word is accepted if
    none is left.

    Accept iff active = 0 at every position, behind D rounds of matching.

    k: 1 to 100 kinds of brackets; D: 1 to 100, the depth. Bracket t of k opens as token t and closes as -t (Section
    9.2.3); otherwise each round is that of dyck-1-2, which is k = 1 and D = 2. Two layers a round: the first fetches
    both neighbours and tests token + neighbour = 0, the second one updates. Region: every word of at least one bracket.
    """
    return bounded_depth(this, brackets(k), D, weighting)
