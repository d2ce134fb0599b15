from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from symcook.recipes import kit
from symcook.recipes.arguments import called, recipe_of
from symcook.recipes.feedforward import UNIFORM, Adapted, pointwise
from symcook.recipes.registry import Argument, Recipe, build, recipe, reference, region

ONE_TO_ONE = ("identity", "scale", "gtzero", "gezero", "eqzero", "cpwl", "clip", "round")
"""The recipes R -> R with output out, which it takes."""


def _inner_region(f: str) -> str:
    inner, given = called(f)
    return region(inner, **given)


def _of_inner(function: Callable[..., Any], arguments: Mapping[str, Any], values: Mapping[str, Any]) -> Adapted:
    inner = reference(*called(arguments["f"]), values)
    return lambda given: function(given, f=inner)


@recipe(
    kind="feed-forward",
    summary="a network f without the residual connection: f(x) replaces x",
    source="Cookbook, Section 4.2",
    formula="min(x, 2 - x)",
    computes="x + relu(x) - relu(-x) - 2*relu(x - 1) - relu(x) + relu(-x)",
    region="true",
    uniformity=UNIFORM,
    claims=("cookbook.t1.cancel_residual", "cookbook.s4.2.cancel_residual", "cookbook.s4.2.residual_optional"),
    reference="symcook.spec.feedforward:cancel_residual",
    arguments=(
        Argument(
            "f",
            "cpwl",
            f"a feed-forward recipe with one input and one output: {', '.join(ONE_TO_ONE)}; cpwl(points=0,0; 1,1; 2,3)",
            recipe_of(ONE_TO_ONE, "from R to R"),
        ),
    ),
    adapt=_of_inner,
    region_of=_inner_region,
)
def cancel_residual(this: Recipe, f: str) -> kit.Transformer:
    """The network adds f(x) - x to x, so that the residual connection leaves f(x).

    x becomes x + f'(x) = f(x).

    f'.W1 = [f.W1; I; -I], f'.b1 = [f.b1; 0; 0], f'.W2 = [f.W2, -I, I], f'.b2 = f.b2. f: a feed-forward recipe R -> R,
    with arguments in brackets or its default ones; its symbols stay symbols. The answer is the coordinate x itself.
    Region: wherever f is exact.
    """
    inner, given = called(f)
    model = build(inner, **given)
    block = model.layers[0].feedforward
    assert block is not None  # a name that the argument's reader let through
    weights = {
        "W1": [*block.W1.tolist(), [1], [-1]],
        "b1": [*block.b1, 0, 0],
        "W2": [[*block.W2, -1, 1]],
        "b2": list(block.b2),
    }
    return pointwise(this, ("x",), ("x",), weights=weights, parameters=model.parameters)
