from __future__ import annotations

from symcook.recipes import kit
from symcook.recipes.adapters import no_arguments
from symcook.recipes.feedforward import DIMENSION, UNIFORM, pointwise, vector
from symcook.recipes.registry import Recipe, recipe


@recipe(
    kind="feed-forward",
    summary="the network that adds nothing, so that the residual connection keeps x",
    source="Cookbook, Section 4.3",
    formula="x",
    region="true",
    uniformity=UNIFORM,
    claims=("cookbook.s4.3.zero",),
    reference="symcook.spec.feedforward:zero",
    arguments=(DIMENSION,),
    adapt=no_arguments,
)
def zero(this: Recipe, d: int) -> kit.Transformer:
    """All weights are zero; what comes out is the residual connection's x.

    x + zero(x) = x: the network writes zero onto x itself, and the residual connection keeps x.

    d: the number of coordinates, 1 to 256.
    """
    names, nothing = vector("x", d), [[0] * d] * d
    return pointwise(this, names, names, weights={"W1": nothing, "b1": [0] * d, "W2": nothing, "b2": [0] * d})
