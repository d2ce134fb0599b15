"""Networks of GELU: Cookbook, Section 4.6."""

from __future__ import annotations

from typing import Any

from symcook.recipes import Argument, Recipe, Symbol, build, kit, region
from symcook.recipes.arguments import called, one_of, recipe_of
from symcook.recipes.feedforward import of_inner, pointwise, recipe


@recipe(
    summary="the product of x and y by GELU, with an error of at most (|x| + |y|)^3/12",
    source="Cookbook, Section 4.6",
    formula="x*y",
    computes="sqrt(pi/2)*(gelu(x + y) - gelu(x) - gelu(y))",
    largest=False,
    error="(abs(x) + abs(y))^3/12",
    claims="t1.mul s4.6.def4.2_gelu s4.6.gelu_tanh s4.6.gelu_taylor s4.6.gelu_remainder s4.6.mul_identity "
    "s4.6.mul_error s4.6.mul_ffn s4.6.mul_needs_curvature",
    reference="symcook.spec.feedforward:multiply",
    arguments=(Argument("form", "erf", "of GELU: erf (Eq. 24) or tanh (Eq. 25)", one_of("erf", "tanh")),),
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
    return pointwise(this, ("x", "y"), formulas={"out": text})


RECIPES = (
    "cpwl", "identity", "max", "min", "add", "subtract", "gtzero", "gezero", "eqzero", "gtzero-input", "gezero-input",
    "eqzero-input", "boolean", "if", "round", "clip",
)  # fmt: skip
"""The recipes that by-gelu accepts: each has one ReLU layer, and with its default arguments the output out."""
WORST = "171/1000"
"""An upper bound on |GELU(z) - ReLU(z)|, for each of the three forms of GELU."""


def _inner_region(f: str, form: str) -> str:
    """The region of by-gelu: c > 0, and the region of the recipe f. The references of the three comparators with eps
    are right everywhere, also in the window, so that their region is not needed."""
    name, inner_arguments = called(f)
    inner = region(name, **inner_arguments)
    return "0 < c" if inner == "true" or name in ("gtzero", "gezero", "eqzero") else f"0 < c & ({inner})"


def _inner_error(f: str, form: str) -> str:
    """The error bound of by-gelu: WORST/c times the sum of the absolute values of the output weights of f. Rational
    weights are added up; symbolic ones are left as abs(..)."""
    name, inner_arguments = called(f)
    block: Any = build(name, **inner_arguments).layers[0].feedforward
    weights = list(block.W2)
    rational_sum = sum(abs(weight) for weight in weights if weight.is_Rational)
    sizes = [kit.from_sympy(rational_sum)] if rational_sum else []
    sizes += [f"abs({kit.from_sympy(weight)})" for weight in weights if not weight.is_Rational]
    return f"{WORST}*{sizes[0]}/c" if len(sizes) == 1 else f"{WORST}*({' + '.join(sizes)})/c"


@recipe(
    summary="a ReLU recipe made with GELU at the scale c, with an error of order 1/c",
    source="Cookbook, Section 4.6, Eq. (27)",
    formula="max(x, y)",
    computes="gelu(c*x)/c - gelu(-c*x)/c + gelu(c*(y - x))/c",
    region="0 < c",
    largest=False,
    error="171/1000*3/c",
    error_of=_inner_error,
    claims="s4.6.gelu_to_relu s4.6.phi_limit s4.6.gelu_sigmoid",
    reference="symcook.spec.feedforward:of_recipe",
    arguments=(
        Argument(
            "f",
            "max",
            f"the recipe: {', '.join(RECIPES)}; boolean(table=0111)",
            recipe_of(RECIPES, "one layer of ReLU"),
        ),
        Argument("form", "erf", "of GELU: erf, tanh or sigmoid (Eqs. 24 to 26)", one_of("erf", "tanh", "sigmoid")),
    ),
    symbols=(Symbol("c", "1000", "0 < c", "the scale"),),
    adapt=of_inner,
    region_of=_inner_region,
)
def by_gelu(this: Recipe, f: str, form: str) -> kit.Transformer:
    """GELU(c x)/c nears ReLU(x) as c grows; each hidden unit differs by 0.171/c at most.

    out = W2 GELU(c (W1 x + b1))/c + b2 for a recipe f with out = W2 ReLU(W1 x + b1) + b2.

    f: a recipe of one ReLU layer, with arguments in brackets or its default ones, and its symbols. c: the scale, a
    symbol, 1000 unless set. Since |GELU(z) - ReLU(z)| <= 0.171 in each form (`symcook bound gelu-relu` has the sharp
    values), the error is at most 0.171/c times the sum of the magnitudes of W2. That of a comparator grows with 1/eps.
    Eq. (28) and Figure 1 belong to it.
    """
    inner, inner_arguments = called(f)
    model = build(inner, **inner_arguments)
    block: Any = model.layers[0].feedforward
    c = kit.symbol("c")
    activation = {"erf": "gelu", "tanh": "gelu-tanh", "sigmoid": "gelu-sigmoid"}[form]
    scaled = kit.replace(block, W1=block.W1 * c, b1=block.b1 * c, W2=block.W2 / c, activation=activation)
    parameters = (*model.parameters, kit.Parameter("c", default=1000, lower=0))
    return kit.replace(
        model, name=this.name, layers=(kit.Layer(None, scaled),), parameters=parameters, source=this.source
    )
