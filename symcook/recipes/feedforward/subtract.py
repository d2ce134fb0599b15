from __future__ import annotations

from symcook.recipes import kit
from symcook.recipes.feedforward import UNIFORM, pointwise
from symcook.recipes.registry import Recipe, recipe


@recipe(
    kind="feed-forward",
    summary="x less y",
    source="Cookbook, Section 4.5",
    formula="x - y",
    computes="relu(x) - relu(-x) + relu(-y) - relu(y)",
    region="true",
    uniformity=UNIFORM,
    claims=("cookbook.t1.addsub", "cookbook.s4.5.add"),
    reference="symcook.spec.feedforward:subtract",
)
def subtract(this: Recipe) -> kit.Transformer:
    """The sum of x and -y, with the sign in the first weights.

    The weights of `add` after the routing (x, y) -> (x, -y) of Lemma 8.1: W1 = add.W1 diag(1, -1). The paper says that
    subtraction works like addition and prints no weights.
    """
    return pointwise(this, ("x", "y"))
