"""scale: c times x for a constant c. Source: Cookbook, Section 4.6 with Sections 4.3 and 8.2."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symcook.recipes.feedforward import UNIFORM, pointwise
from symcook.recipes.registry import Symbol, recipe

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer

NAME = "scale"


@recipe(
    NAME,
    kind="feed-forward",
    summary="c times x for a constant c",
    source="Cookbook, Section 4.6 with Sections 4.3 and 8.2",
    formula="c*x",
    words="The identity, with its output multiplied by c.",
    computes="c*relu(x) - c*relu(-x)",
    region="true",
    uniformity=UNIFORM,
    claims=("cookbook.t1.mulconst", "cookbook.s4.6.const_mul", "cookbook.s8.2.routing_ffn"),
    reference="symcook.spec.feedforward:scale",
    symbols=(Symbol("c", "2", "true", "the factor, any real number"),),
)
def scale() -> Transformer:
    """out = c relu(x) - c relu(-x) = c x.

    c: any real number, a symbol of the model. The identity recipe followed by the linear map x -> c x, which
    Lemma 8.1 absorbs: W2 = c id.W2. Region: all of R. Source: Cookbook, Section 4.6 (Table 1 refers to Section 8.2).
    """
    from symcook.model.transformer import Parameter

    return pointwise(NAME, ("x",), parameters=[Parameter("c", default=2)])
