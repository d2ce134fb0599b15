from __future__ import annotations

from symcook.recipes import kit
from symcook.recipes.feedforward import DIMENSION, UNIFORM, by_coordinate, pointwise, vector
from symcook.recipes.registry import Recipe, recipe


@recipe(
    kind="feed-forward",
    summary="x unchanged, without the help of the residual connection",
    source="Cookbook, Section 4.3, Eqs. (21) and (22)",
    formula="x",
    computes="relu(x) - relu(-x)",
    region="true",
    uniformity=UNIFORM,
    claims=("cookbook.t1.identity", "cookbook.s4.3.id_scalar", "cookbook.s4.3.id_vector"),
    reference="symcook.spec.feedforward:identity",
    arguments=(DIMENSION,),
    adapt=by_coordinate,
)
def identity(this: Recipe, d: int) -> kit.Transformer:
    """x is the difference of its positive and its negative part.

    out = relu(x) - relu(-x) = x, coordinate by coordinate.

    d: the number of coordinates, 1 to 256. W1 = [I; -I], W2 = [I, -I]. Source: Cookbook, Section 4.3, Eq. (21) for d =
    1 and Eq. (22).
    """
    signed = [(sign, row) for sign in (1, -1) for row in range(d)]
    W1 = [[sign * (row == column) for column in range(d)] for sign, row in signed]
    W2 = [[sign * (row == column) for sign, column in signed] for row in range(d)]
    weights = {"W1": W1, "b1": [0] * (2 * d), "W2": W2, "b2": [0] * d}
    return pointwise(this, vector("x", d), vector("out", d), weights=weights)
