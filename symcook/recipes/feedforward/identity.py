"""identity. Source: Cookbook, Section 4.3, Eqs. (21) and (22)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symcook.recipes.feedforward import DIMENSION, UNIFORM, by_coordinate, pointwise, vector
from symcook.recipes.registry import recipe

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer

NAME = "identity"


@recipe(
    NAME,
    kind="feed-forward",
    summary="x unchanged, without the help of the residual connection",
    source="Cookbook, Section 4.3, Eqs. (21) and (22)",
    formula="x",
    words="x is the difference of its positive and its negative part.",
    computes="relu(x) - relu(-x)",
    region="true",
    uniformity=UNIFORM,
    claims=("cookbook.t1.identity", "cookbook.s4.3.id_scalar", "cookbook.s4.3.id_vector"),
    reference="symcook.spec.feedforward:identity",
    arguments=(DIMENSION,),
    adapt=by_coordinate,
)
def identity(d: int) -> Transformer:
    """out = relu(x) - relu(-x) = x, coordinate by coordinate.

    d: the number of coordinates, 1 to 256. W1 = [I; -I], W2 = [I, -I]. Region: all of R^d.
    Source: Cookbook, Section 4.3, Eq. (21) for d = 1 and Eq. (22).
    """
    import sympy

    one = sympy.eye(d)
    weights = {"W1": one.col_join(-one), "b1": [0] * (2 * d), "W2": one.row_join(-one), "b2": [0] * d}
    return pointwise(NAME, vector("x", d), vector("out", d), weights=weights)
