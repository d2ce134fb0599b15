from __future__ import annotations

from symcook.recipes import kit
from symcook.recipes.adapters import with_arguments
from symcook.recipes.layernorm import NOTHING_SHARED, at_a_point
from symcook.recipes.registry import Recipe, recipe


@recipe(
    kind="layer norm",
    summary="which of two numbers is greater, 1 or -1 or 0, by a layer norm alone",
    source="Cookbook, Section 6.4",
    formula="sign(x - y)",
    region="true",
    uniformity=NOTHING_SHARED,
    claims=("cookbook.s6.4.ln_lipschitz", "cookbook.s6.4.sign_zero"),
    reference="symcook.spec.layernorm:greater",
    adapt=with_arguments,
)
def sign_norm(this: Recipe) -> kit.Transformer:
    """Two numbers less their mean are each other's negatives, and the norm divides by their magnitude.

    x becomes sign(x - y), and y the negative of that: LN([x; y]) with epsilon = 0.

    Zero variance, where x = y, gives 0. Region: everywhere; no neighbourhood of x = y has a Lipschitz constant, which
    only epsilon = 0 allows.
    """
    pair = ("x", "y")
    nothing = kit.FeedForward(pair, pair, [[0, 0]], [0], [[0], [0]], [0, 0])
    norm = kit.LayerNorm(pair, zero_variance="zero")
    return at_a_point(this, pair, pair, ("x",), [kit.Layer(None, nothing, (), (norm,), "post")])
