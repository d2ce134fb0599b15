from __future__ import annotations

from symcook.recipes import kit
from symcook.recipes.adapters import with_arguments
from symcook.recipes.layernorm import NOTHING_SHARED, at_a_point
from symcook.recipes.registry import Recipe, recipe


@recipe(
    kind="layer norm",
    summary="the sign of x, by a layer norm behind a map that masks the rest of the stream",
    source="Cookbook, Section 6.3, with the selective layer norm of Section 5.3.3",
    formula="sign(x)",
    region="true",
    uniformity=NOTHING_SHARED,
    claims=("cookbook.s5.3.3.selective_ln", "cookbook.s6.3.pairing"),
    reference="symcook.spec.layernorm:sign_beside",
    adapt=with_arguments,
)
def selective_norm(this: Recipe) -> kit.Transformer:
    """A linear map in front of the norm keeps x and -x and drops y, so that y does not change what the norm divides by.

    out = sign(x), by f(LN(W_N z)) + z with W_N (x, y) = (x, -x) and a feed-forward part f that copies.

    Inputs: x, and y, which stands for all else in the stream and stays as it is. epsilon = 0; zero variance, where x =
    0, gives 0. Region: everywhere. Source: Cookbook, Section 5.3.3 (selective layer norm) and Section 6.3 (pairs x and
    -x).
    """
    masked = kit.LayerNorm(("x", "y"), ("seen", "seen_minus"), projection=[[1, 0], [-1, 0]], zero_variance="zero")
    copy = kit.feedforward(out="relu(seen) - relu(-seen)")
    return at_a_point(
        this, ("x", "y", "out"), ("x", "y"), ("out", "y"), [kit.Layer(None, copy, (), (masked,), "projected pre")]
    )
