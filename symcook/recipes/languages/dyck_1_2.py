from __future__ import annotations

from symcook.recipes import kit
from symcook.recipes.adapters import decides
from symcook.recipes.languages import NEAREST, bounded_depth
from symcook.recipes.registry import Recipe, recipe


@recipe(
    kind="language",
    summary="well-nested brackets ( and ) of depth at most 2, any length",
    source="Cookbook, Section 9.2.2",
    formula="(all p in 1..n. closes(p) <= opens(p) & opens(p) <= closes(p) + 2) & opens(n) = closes(n)",
    computes="all p in 1..n. active(p) = 0",
    region="true",
    uniformity="No weight depends on the length; the position function is i/n. The decision is a zero test at all "
    "positions.",
    claims=(
        "cookbook.t3.dyck12",
        "cookbook.s9.2.2.dyck12_def",
        "cookbook.s9.2.2.example",
        "cookbook.s9.2.2.embedding",
        "cookbook.s9.2.2.step1_fetch",
        "cookbook.s9.2.2.step1_rule",
        "cookbook.s9.2.2.step2_scores",
        "cookbook.s9.2.2.step2_values",
        "cookbook.s9.2.2.step2_rule",
        "cookbook.s9.2.2.accept",
    ),
    reference="symcook.spec.languages:dyck1_2",
    arguments=(NEAREST,),
    adapt=decides,
)
def dyck_1_2(this: Recipe, weighting: str) -> kit.Transformer:
    """Brackets that match their neighbour become inactive; then those that match the nearest one still active; a word
    is accepted if none is left.

    Accept iff active = 0 at every position, behind two rounds of matching.

    The embedding of Eq. (45): token o_i = 1 for ( and -1 for ), active 1, left and right 0, share i/n. In each round
    two heads fetch the nearest active token on each side, by the scores active_j + j/n with the strict future mask and
    active_j - j/n with the strict past mask; a feed-forward part tests token + right = 0 and token + left = 0, a second
    one sets active to 0 where an opening bracket has its partner on the right or a closing one on the left, and clears
    what was fetched. In the first round all are active, so that it is that of predecessor and successor. weighting:
    average, where one score is greatest, or unique (rightmost on the left side, leftmost on the right). An empty side
    gives 0. Region: every word of at least one bracket. Source: Cookbook, Section 9.2.2, Eqs. (45) to (49).
    """
    return bounded_depth(this, "()", 2, weighting)
