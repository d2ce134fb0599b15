from __future__ import annotations

from symcook.recipes import kit
from symcook.recipes.feedforward import EPS, UNIFORM, pointwise, positive
from symcook.recipes.registry import Recipe, recipe


@recipe(
    kind="feed-forward",
    summary="is x positive? 1 or 0, exact outside the window 0 < x < eps",
    source="Cookbook, Section 4.7, Eq. (29)",
    formula="I[0 < x]",
    computes="(relu(x) - relu(x - eps))/eps",
    region="x <= 0 | eps <= x",
    uniformity=UNIFORM,
    claims=("cookbook.t1.comparators", "cookbook.s4.7.gtzero"),
    reference="symcook.spec.feedforward:gtzero",
    symbols=(EPS,),
)
def gtzero(this: Recipe) -> kit.Transformer:
    """Two ReLUs make a ramp from 0 to 1 of width eps, to the right of zero.

    out = 0 for x <= 0, x/eps for 0 < x < eps, 1 for x >= eps.

    eps > 0. Region where it is I[x > 0]: x <= 0 or x >= eps; between, x/eps lies strictly between 0 and 1.
    """
    return pointwise(this, ("x",), parameters=[positive("eps")])
