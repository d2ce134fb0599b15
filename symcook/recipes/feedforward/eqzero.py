from __future__ import annotations

from symcook.recipes import kit
from symcook.recipes.feedforward import EPS, UNIFORM, pointwise, positive
from symcook.recipes.registry import Recipe, recipe


@recipe(
    kind="feed-forward",
    summary="is x zero? 1 or 0, exact outside the window 0 < |x| < eps",
    source="Cookbook, Section 4.7, Eq. (31)",
    formula="I[x = 0]",
    computes="(relu(x + eps) - 2*relu(x) + relu(x - eps))/eps",
    region="x = 0 | eps <= abs(x)",
    uniformity=UNIFORM,
    claims=("cookbook.t1.comparators", "cookbook.s4.7.eqzero"),
    reference="symcook.spec.feedforward:eqzero",
    symbols=(EPS,),
)
def eqzero(this: Recipe) -> kit.Transformer:
    """Three ReLUs make a tent of height 1 and half-width eps around zero.

    out = 0 for |x| >= eps, 1 - |x/eps| for 0 < |x| < eps, 1 for x = 0.

    eps > 0. Region where it is I[x = 0]: x = 0 or |x| >= eps; between, 1 - |x/eps| > 0 comes out for 0.
    """
    return pointwise(this, ("x",), parameters=[positive("eps")])
