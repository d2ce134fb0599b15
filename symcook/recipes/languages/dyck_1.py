from __future__ import annotations

from symcook.recipes import kit
from symcook.recipes.adapters import decides
from symcook.recipes.languages import BRACKETS, CLAIMS, FORMULA, counting
from symcook.recipes.registry import Recipe, recipe


@recipe(
    kind="language",
    summary="well-nested brackets ( and ), any length; the decision is a zero test of two coordinates",
    source="Cookbook, Section 9.2.1 (uniform implementation)",
    formula=FORMULA,
    computes="total = 0 & balance = 0",
    region="true",
    uniformity="No weight depends on the length; the price is that the decision is a zero test outside the model.",
    claims=(*CLAIMS, "cookbook.s9.2.1.accept", "cookbook.s9.2.1.two_layers"),
    reference="symcook.spec.languages:dyck1",
    adapt=decides,
)
def dyck_1(this: Recipe) -> kit.Transformer:
    """Every prefix has at least as many ( as ), and the whole word has as many of each.

    Accept iff total = 0 and balance = 0 at the last position.

    Coordinates: token o_i = 1 for ( and -1 for ), balance (1/i) sum_{j<=i} o_j, error relu(-balance), total (1/i)
    sum_{j<=i} error_j. Average-hard attention, future mask (a position sees itself), no layer norm. Region: every word
    of at least one bracket. Source: Cookbook, Section 9.2.1, Eqs. (41) to (44). Eq. (41) prints five rows and Eq. (44)
    four; four are enough.
    """
    balance, error, total = counting()
    return this.model(
        kit.Embedding(kit.Space(("token", "balance", "error", "total")), words=BRACKETS),
        (kit.Layer(balance, error), kit.Layer(total)),
        kit.Readout("zero", "last", ("total", "balance")),
        source="Cookbook, Section 9.2.1",
    )
