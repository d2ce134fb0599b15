"""subtract: x less y. Source: Cookbook, Section 4.5."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symcook.recipes.feedforward import UNIFORM, pointwise
from symcook.recipes.registry import recipe

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer

NAME = "subtract"


@recipe(
    NAME,
    kind="feed-forward",
    summary="x less y",
    source="Cookbook, Section 4.5",
    formula="x - y",
    words="The sum of x and -y, with the sign in the first weights.",
    computes="relu(x) - relu(-x) + relu(-y) - relu(y)",
    region="true",
    uniformity=UNIFORM,
    claims=("cookbook.t1.addsub", "cookbook.s4.5.add"),
    reference="symcook.spec.feedforward:subtract",
)
def subtract() -> Transformer:
    """out = relu(x) - relu(-x) + relu(-y) - relu(y) = x - y.

    The weights of `add` after the routing (x, y) -> (x, -y) of Lemma 8.1: W1 = add.W1 diag(1, -1). The paper says that
    subtraction works like addition and prints no weights. Region: all of R^2. Source: Cookbook, Section 4.5.
    """
    return pointwise(NAME, ("x", "y"))
