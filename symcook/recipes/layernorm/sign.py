from __future__ import annotations

from symcook.recipes import kit
from symcook.recipes.adapters import with_arguments
from symcook.recipes.arguments import integer
from symcook.recipes.feedforward import positive, vector
from symcook.recipes.layernorm import NOTHING_SHARED, at_a_point
from symcook.recipes.registry import Argument, Recipe, Symbol, recipe


def _region(d: int) -> str:
    return " & ".join(f"(delta <= {x} | {x} <= -delta)" for x in vector("x", d))


@recipe(
    kind="layer norm",
    summary="the sign of every component, by clipping and a layer norm with epsilon = 0",
    source="Cookbook, Section 6.4",
    formula="sign(x1)",
    computes="if(x1 = 0 & x2 = 0, 0, max(-delta, min(delta, x1))/"
    "sqrt((max(-delta, min(delta, x1))^2 + max(-delta, min(delta, x2))^2)/2))",
    region="(delta <= x1 | x1 <= -delta) & (delta <= x2 | x2 <= -delta)",
    largest=False,
    uniformity=NOTHING_SHARED,
    claims=("cookbook.s6.3.pairing", "cookbook.s6.4.doubling", "cookbook.s6.4.sign_by_ln", "cookbook.s6.4.sign_zero"),
    reference="symcook.spec.layernorm:signs",
    arguments=(Argument("d", "2", "the number of components; with 1 it is called x", integer(1, 32)),),
    symbols=(Symbol("delta", None, "0 < delta", "the magnitude that no component falls below"),),
    adapt=with_arguments,
    region_of=_region,
)
def sign(this: Recipe, d: int) -> kit.Transformer:
    """Beside x stands -x, so that the mean is 0; after the clip all components have one magnitude, by which the norm
    divides.

    x_c becomes sign(x_c) for c = 1, ..., d, as LN(clip([x; -x])) with epsilon = 0, gain 1 and bias 0.

    d: 1 to 32 components. delta > 0, a symbol. Layer 1 writes -x beside x; layer 2 replaces every component by its clip
    (Section 6.4, with the residual connection cancelled as in Section 4.2), and its post-norm, which sees the whole
    stream, divides by the root of the mean square, which is delta. If all components are 0, so is the answer. Region:
    |x_c| >= delta for every c; a smaller component changes the answer for all, as the norm cannot be applied to some
    components alone (selective-norm does that); with d = 1 every x gives its sign.
    """
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
    return at_a_point(this, both, names, names, [first, kit.Layer(None, clipped, (), (norm,), "post")], [delta])
