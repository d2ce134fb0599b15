"""Signs of numbers by layer norm, and layer norm of selected coordinates: Cookbook, Section 6."""

from __future__ import annotations

from symcook.recipes import Argument, Recipe, Symbol, kit
from symcook.recipes.arguments import integer
from symcook.recipes.feedforward import over_numbers, positive, vector
from symcook.recipes.layernorm import recipe


def _region(d: int) -> str:
    """The region of `sign`: every component has an absolute value of at least delta."""
    return " & ".join(f"(delta <= {x} | {x} <= -delta)" for x in vector("x", d))


@recipe(
    summary="the sign of every component, by clipping and a layer norm with epsilon = 0",
    source="Cookbook, Section 6.4",
    formula="if(k = 0, sign(x1), sign(x2))",
    computes="if(x1 = 0 & x2 = 0, 0, max(-delta, min(delta, if(k = 0, x1, x2)))/"
    "sqrt((max(-delta, min(delta, x1))^2 + max(-delta, min(delta, x2))^2)/2))",
    region="(delta <= x1 | x1 <= -delta) & (delta <= x2 | x2 <= -delta)",
    largest=False,
    claims="s6.3.pairing s6.4.doubling s6.4.sign_by_ln s6.4.sign_zero",
    reference="symcook.spec.layernorm:signs",
    arguments=(Argument("d", "2", "the number of components; with 1 it is called x", integer(1, 32)),),
    symbols=(Symbol("delta", None, "0 < delta", "the magnitude that no component falls below"),),
    region_of=_region,
)
def sign(this: Recipe, d: int) -> kit.Transformer:
    """Beside x stands -x, so that the mean is 0; after the clip all components have one magnitude, by which the norm
    divides.

    x_c becomes sign(x_c) for c = 1, ..., d, as LN(clip([x; -x])) with epsilon = 0, gain 1 and bias 0.

    d: 1 to 32 components. delta > 0, a symbol. Layer 1 writes -x beside x; layer 2 replaces every component by its clip
    (Section 6.4, with the residual connection cancelled as in Section 4.2), and its post-norm, which sees the whole
    stream, divides by the root of the mean square, which is delta. If all components are 0, so is the answer. A
    component smaller than delta changes the answer for all, as the norm cannot be applied to some components alone
    (selective-norm does that); with d = 1 every x gives its sign.
    """
    # `doubled` writes -x next to x; `clipped` adds clip(x) - x, which leaves clip(x).
    delta = positive("delta")
    names = vector("x", d)
    minus = tuple(f"{x}_minus" for x in names)
    doubled = kit.feedforward({m: f"relu(-{x}) - relu({x})" for x, m in zip(names, minus, strict=True)})
    both = (*names, *minus)
    clipped = kit.feedforward(
        {x: f"relu({x} + delta) - relu({x} - delta) - delta - relu({x}) + relu(-{x})" for x in both}, symbols=[delta]
    )
    norm = kit.LayerNorm(both, zero_variance="zero")
    first = kit.Layer(None, doubled)
    return over_numbers(this, both, names, names, [first, kit.Layer(None, clipped, (), (norm,), "post")], [delta])


@recipe(
    summary="which of two numbers is larger, 1 or -1 or 0, by a layer norm only",
    source="Cookbook, Section 6.4",
    formula="sign(x - y)",
    claims="s6.4.ln_lipschitz s6.4.sign_zero",
    reference="symcook.spec.layernorm:greater",
)
def sign_norm(this: Recipe) -> kit.Transformer:
    """Two numbers less their mean are each other's negatives, and the norm divides by their magnitude.

    x becomes sign(x - y), and y the negative of that: LN([x; y]) with epsilon = 0.

    Zero variance, where x = y, gives 0. No neighbourhood of x = y has a Lipschitz constant, which only epsilon = 0
    allows.
    """
    pair = ("x", "y")
    # A layer must have a sublayer: this one adds nothing.
    zero_network = kit.FeedForward(pair, pair, [[0, 0]], [0], [[0], [0]], [0, 0])
    norm = kit.LayerNorm(pair, zero_variance="zero")
    return over_numbers(this, pair, pair, ("x",), [kit.Layer(None, zero_network, (), (norm,), "post")])


@recipe(
    summary="the sign of x, by a layer norm after a map that masks the rest of the residual stream",
    source="Cookbook, Section 6.3, with the selective layer norm of Section 5.3.3",
    formula="if(k = 0, sign(x), y)",
    claims="s5.3.3.selective_ln s6.3.pairing",
    reference="symcook.spec.layernorm:sign_beside",
)
def selective_norm(this: Recipe) -> kit.Transformer:
    """A linear map in front of the norm keeps x and -x and drops y, so that y does not change what the norm divides by.

    out = sign(x), by f(LN(W_N z)) + z with W_N (x, y) = (x, -x) and a feed-forward part f that copies.

    Inputs: x, and y, which stands for all else in the stream and stays as it is. epsilon = 0; zero variance, where x =
    0, gives 0. The pairs x and -x are those of Section 6.3.
    """
    masked = kit.LayerNorm(("x", "y"), ("seen", "seen_minus"), projection=[[1, 0], [-1, 0]], zero_variance="zero")
    copy = kit.feedforward(out="relu(seen) - relu(-seen)")
    return over_numbers(
        this, ("x", "y", "out"), ("x", "y"), ("out", "y"), [kit.Layer(None, copy, (), (masked,), "projected pre")]
    )
