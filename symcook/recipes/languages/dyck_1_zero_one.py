from __future__ import annotations

from symcook.recipes import kit
from symcook.recipes.adapters import decides
from symcook.recipes.languages import BRACKETS, FORMULA
from symcook.recipes.registry import Recipe, recipe


@recipe(
    kind="language",
    summary="well-nested brackets ( and ), any length; the decision is one number, 0 or 1",
    source="Cookbook, Section 9.2.1 (nonuniform implementation)",
    formula=FORMULA,
    computes="0 < accepted",
    region="true",
    uniformity="No weight depends on the length, although the text holds that the decision as one number needs it.",
    claims=("cookbook.s9.2.1.uniform_limit",),
    reference="symcook.spec.languages:dyck1",
    adapt=decides,
)
def dyck_1_zero_one(this: Recipe) -> kit.Transformer:
    """The balance is the query and the token the key, so that average-hard attention gives its sign exactly; a second
    such head asks whether any prefix has the sign -1.

    Logit 1 for members and 0 for others, whatever the length; accept iff it is positive.

    Coordinates: token o_i = 1 for ( and -1 for ), balance B_i/i as in dyck-1. The second layer scores balance_i o_j
    over j <= i: where B_i > 0 the greatest scores are at the opening brackets, where B_i < 0 at the closing ones, and
    where B_i = 0 all scores are 0, so that the average of o_j is sign(B_i): 1, -1 or 0. violated is 1 where it is -1,
    uneven where it is not 0. The third layer scores violated_j and averages it: any is 1 iff some prefix is violated.
    accepted = relu(1 - any - uneven). Average-hard attention, future mask, no layer norm. Region: every word of at
    least one bracket. Source: it answers Cookbook, Section 9.2.1, which says that one number needs a nonuniform
    construction.
    """
    balance = kit.head(value={"balance": "token"}, mask="future")
    sign = kit.head({("balance", "token"): 1}, {"side": "token"}, mask="future")
    tests = kit.feedforward(violated="relu(-side)", uneven="relu(side) + relu(-side)")
    some = kit.head({("one", "violated"): 1}, {"any": "violated"}, mask="future")
    both = kit.feedforward(accepted="relu(one - any - uneven)")
    space = kit.Space(("token", "one", "balance", "side", "violated", "uneven", "any", "accepted"))
    return this.model(
        kit.Embedding(space, words=BRACKETS, positions={"one": 1}),
        (kit.Layer(balance), kit.Layer(sign, tests), kit.Layer(some, both)),
        kit.Readout("sign", "last", ("accepted",), weights=[[1]]),
        source="Cookbook, Section 9.2.1",
    )
