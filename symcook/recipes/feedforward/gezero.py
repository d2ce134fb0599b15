from __future__ import annotations

from symcook.recipes import kit
from symcook.recipes.feedforward import EPS, UNIFORM, pointwise, positive
from symcook.recipes.registry import Recipe, recipe


@recipe(
    kind="feed-forward",
    summary="is x at least zero? 1 or 0, exact outside the window -eps < x < 0",
    source="Cookbook, Section 4.7, Eq. (30)",
    formula="I[0 <= x]",
    computes="(relu(x + eps) - relu(x))/eps",
    region="x <= -eps | 0 <= x",
    uniformity=UNIFORM,
    claims=("cookbook.t1.comparators", "cookbook.s4.7.gezero"),
    reference="symcook.spec.feedforward:gezero",
    symbols=(EPS,),
)
def gezero(this: Recipe) -> kit.Transformer:
    """Two ReLUs make a ramp from 0 to 1 of width eps, to the left of zero.

    out = 0 for x <= -eps, 1 + x/eps for -eps < x < 0, 1 for x >= 0.

    eps > 0. Region where it is I[x >= 0]: x <= -eps or x >= 0; between, 1 + x/eps > 0 comes out for 0.
    """
    return pointwise(this, ("x",), parameters=[positive("eps")])
