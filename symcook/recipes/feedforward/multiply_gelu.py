from __future__ import annotations

from symcook.recipes import kit
from symcook.recipes.adapters import no_arguments
from symcook.recipes.arguments import one_of
from symcook.recipes.feedforward import UNIFORM, pointwise
from symcook.recipes.registry import Argument, Recipe, recipe


@recipe(
    kind="feed-forward",
    summary="the product of x and y by GELU, with an error of at most (|x| + |y|)^3/12",
    source="Cookbook, Section 4.6",
    formula="x*y",
    computes="sqrt(pi/2)*(gelu(x + y) - gelu(x) - gelu(y))",
    region="true",
    largest=False,
    error="(abs(x) + abs(y))^3/12",
    uniformity=UNIFORM,
    claims=(
        "cookbook.t1.mul",
        "cookbook.s4.6.def4.2_gelu",
        "cookbook.s4.6.gelu_tanh",
        "cookbook.s4.6.gelu_taylor",
        "cookbook.s4.6.gelu_remainder",
        "cookbook.s4.6.mul_identity",
        "cookbook.s4.6.mul_error",
        "cookbook.s4.6.mul_ffn",
        "cookbook.s4.6.mul_needs_curvature",
    ),
    reference="symcook.spec.feedforward:multiply",
    arguments=(Argument("form", "erf", "of GELU: erf (Eq. 24) or tanh (Eq. 25)", one_of("erf", "tanh")),),
    adapt=no_arguments,
)
def multiply_gelu(this: Recipe, form: str) -> kit.Transformer:
    """GELU is z/2 + z^2/sqrt(2 pi) and a remainder of third order; the squares of x + y, x and y give the product.

    out = sqrt(pi/2) (GELU(x + y) - GELU(x) - GELU(y)), which is x y but for an error of the third order.

    form: erf or tanh. The paper bounds the error by (|x| + |y|)^3/4; the least factor is 0.0824... for both forms
    (`symcook bound gelu-multiply`), so that 1/12 is enough. The weights sqrt(pi/2) are irrational: the exact domain has
    no value, balls do. Where x or y is 0 the product is exact.
    """
    call = {"erf": "gelu", "tanh": "gelu_tanh"}[form]
    text = f"sqrt(pi/2)*{call}(x + y) - sqrt(pi/2)*{call}(x) - sqrt(pi/2)*{call}(y)"
    block = kit.feedforward(out=text)
    parts = {name: getattr(block, name) for name in ("W1", "b1", "W2", "b2", "activation")}
    return pointwise(this, ("x", "y"), weights=parts)
