"""Feed-forward recipes: Cookbook, Table 1 and Section 4, with clip of Section 6.4 and the rounding of Section 5.7.

Each model has one position and one layer with a feed-forward part only. Inputs are called x, y, p (x1, x2, ... for
vectors) and `tolerance`; the answer is the coordinate out (out1, out2, ...), or the input itself where the recipe is
about the residual connection. The weights are those that the paper prints: they are read from the recipe's formula
`computes`, or given as matrices where the paper prints blocks of any size.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from symcook.recipes.arguments import integer
from symcook.recipes.registry import Argument, Symbol, info

if TYPE_CHECKING:
    from symcook.model.transformer import Parameter, Transformer

MAX_WIDTH = 256
UNIFORM = "No weight depends on the length; the same network works at every position."
DIMENSION = Argument("d", "1", "the number of coordinates; with 1 they are called x and out", integer(1, MAX_WIDTH))
EPS = Symbol("eps", None, "0 < eps", "tolerance: the width of the window in which the answer is between 0 and 1")


def vector(name: str, d: int) -> tuple[str, ...]:
    """The coordinate names of a vector: x for d = 1, else x1 to xd."""
    return (name,) if d == 1 else tuple(f"{name}{c}" for c in range(1, d + 1))


def pointwise(
    name: str,
    inputs: Sequence[str],
    outputs: Sequence[str] = ("out",),
    *,
    weights: Mapping[str, Any] | None = None,
    parameters: Sequence[Parameter] = (),
) -> Transformer:
    """A model of one feed-forward part that reads `inputs` and writes `outputs`.

    Its weights are W1, b1, W2 and b2 of `weights`, else those of the recipe's formula `computes` (one output).
    """
    from symcook.model.ends import Embedding, Readout
    from symcook.model.layers import Layer
    from symcook.model.parts import FeedForward
    from symcook.model.space import Space
    from symcook.model.transformer import Transformer
    from symcook.model.weights import feedforward

    recipe = info(name)
    if weights is None:
        block = feedforward({outputs[0]: recipe.computes}, reads=inputs, symbols=parameters)
    else:
        block = FeedForward(tuple(inputs), tuple(outputs), **weights)
    return Transformer(
        name,
        Embedding(Space(tuple(dict.fromkeys((*inputs, *outputs)))), inputs=tuple(inputs)),
        (Layer(None, block),),
        Readout("value", "last", tuple(outputs)),
        parameters=tuple(parameters),
        source=recipe.source,
    )


def positive(name: str) -> Parameter:
    """The declaration of a symbol that is any number above zero."""
    from symcook.model.transformer import Parameter

    return Parameter(name, lower=0)


Adapted = Callable[[Mapping[str, Any]], dict[str, Any]]


def by_coordinate(function: Callable[..., Any], arguments: Mapping[str, Any], values: Mapping[str, Any]) -> Adapted:
    """The scalar reference at each coordinate of a vector."""
    d = arguments["d"]

    def answer(given: Mapping[str, Any]) -> dict[str, Any]:
        pairs = zip(vector("x", d), vector("out", d), strict=True)
        return {out: function({"x": given[x]})["out"] for x, out in pairs}

    return answer
