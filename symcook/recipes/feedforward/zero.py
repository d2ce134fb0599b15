"""zero: the network that adds nothing, so that the residual connection keeps x. Source: Cookbook, Section 4.3."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symcook.recipes.adapters import no_arguments
from symcook.recipes.feedforward import DIMENSION, UNIFORM, pointwise, vector
from symcook.recipes.registry import recipe

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer

NAME = "zero"


@recipe(
    NAME,
    kind="feed-forward",
    summary="the network that adds nothing, so that the residual connection keeps x",
    source="Cookbook, Section 4.3",
    formula="x",
    words="All weights are zero; what comes out is the residual connection's x.",
    computes="x",
    region="true",
    uniformity=UNIFORM,
    claims=("cookbook.s4.3.zero",),
    reference="symcook.spec.feedforward:zero",
    arguments=(DIMENSION,),
    adapt=no_arguments,
)
def zero(d: int) -> Transformer:
    """x + zero(x) = x: the network writes zero onto x itself, and the residual connection keeps x.

    d: the number of coordinates, 1 to 256. Region: all of R^d. Source: Cookbook, Section 4.3.
    """
    import sympy

    names, nothing = vector("x", d), sympy.zeros(d, d)
    return pointwise(NAME, names, names, weights={"W1": nothing, "b1": [0] * d, "W2": nothing, "b2": [0] * d})
