from __future__ import annotations

from symcook.recipes import kit
from symcook.recipes.feedforward import UNIFORM, pointwise
from symcook.recipes.registry import Recipe, Symbol, recipe


@recipe(
    kind="feed-forward",
    summary="c times x for a constant c",
    source="Cookbook, Section 4.6 with Sections 4.3 and 8.2",
    formula="c*x",
    computes="c*relu(x) - c*relu(-x)",
    region="true",
    uniformity=UNIFORM,
    claims=("cookbook.t1.mulconst", "cookbook.s4.6.const_mul", "cookbook.s8.2.routing_ffn"),
    reference="symcook.spec.feedforward:scale",
    symbols=(Symbol("c", "2", "true", "the factor, any real number"),),
)
def scale(this: Recipe) -> kit.Transformer:
    """The identity, with its output multiplied by c.

    out = c relu(x) - c relu(-x) = c x.

    c: any real number, a symbol of the model. The identity recipe followed by the linear map x -> c x, which Lemma 8.1
    absorbs: W2 = c id.W2. Source: Cookbook, Section 4.6 (Table 1 refers to Section 8.2).
    """
    return pointwise(this, ("x",), parameters=[kit.Parameter("c", default=2)])
