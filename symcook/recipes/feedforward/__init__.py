"""Feed-forward recipes: Cookbook, Table 1 and Section 4, with clip of Section 6.4 and the rounding of Section 5.7.

Each model reads one row of numbers, as its only position, and has one layer, a feed-forward layer without attention;
max-min has several. Inputs are called x, y, p (x1, x2, ... for vectors) and `tolerance`, or by an argument of the
recipe; the answer is the coordinate out (out1, out2, ...), or the input itself where the recipe is about the residual
connection. The weights are those that the paper prints: they are read from the recipe's formula `computes`, or given as
matrices where the paper prints blocks of any size.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

from symcook.recipes import Argument, Recipe, Symbol, info, kit, reference
from symcook.recipes import recipe as declared
from symcook.recipes.arguments import called, integer

MAX_WIDTH = 256
"""The maximum number of coordinates of a vector."""
UNIFORM = "No weight depends on the length; the same network works at every position."
recipe = partial(declared, kind="feed-forward", uniformity=UNIFORM)
DIMENSION = Argument("d", "1", "the number of coordinates; with 1 they are called x and out", integer(1, MAX_WIDTH))
EPS = Symbol("eps", None, "0 < eps", "tolerance: the width of the window in which the answer is between 0 and 1")


def vector(name: str, d: int) -> tuple[str, ...]:
    """The coordinate names of a vector: x for d = 1, else x1 to xd."""
    return (name,) if d == 1 else tuple(f"{name}{c}" for c in range(1, d + 1))


def pointwise(
    this: Recipe,
    inputs: Sequence[str],
    outputs: Sequence[str] = ("out",),
    *,
    weights: Any = None,
    formulas: Mapping[str, str] | None = None,
    parameters: Sequence[kit.Parameter] = (),
) -> kit.Transformer:
    """A model of one feed-forward layer that reads `inputs` and writes `outputs`.

    `weights` has W1, b1, W2 and b2. If it is None, the weights are those of `formulas`, {output: formula}, whose keys
    then replace `outputs`; if that is None too, those of the recipe's text `computes`, for a single output.
    """
    if weights is None:
        block = kit.feedforward(formulas or {outputs[0]: this.computes}, reads=inputs, symbols=parameters)
    else:
        block = kit.FeedForward(tuple(inputs), tuple(outputs), **weights)
    space = tuple(dict.fromkeys((*inputs, *block.writes)))
    return over_numbers(this, space, inputs, block.writes, [kit.Layer(None, block)], parameters)


def over_numbers(
    this: Recipe,
    space: Sequence[str],
    inputs: Sequence[str],
    outputs: Sequence[str],
    layers: Sequence[kit.Layer],
    parameters: Sequence[kit.Parameter] = (),
) -> kit.Transformer:
    """A model whose inputs are numbers and whose output layer reads `outputs` at the last position."""
    return this.model(
        kit.Embedding(kit.Space(tuple(space)), inputs=tuple(inputs)),
        tuple(layers),
        kit.Readout("value", "last", tuple(outputs)),
        parameters=tuple(parameters),
    )


def two_valued(names: Sequence[str], low: int = 0) -> str:
    """The region in which each name is `low` or 1."""
    return " & ".join(f"({name} = {low} | {name} = 1)" for name in names)


def positive(name: str) -> kit.Parameter:
    """The declaration of a symbol whose value is any positive number."""
    return kit.Parameter(name, lower=0)


RecipeOutputs: TypeAlias = "dict[str, kit.Fraction]"
"""{output: value}."""
Adapted = Callable[[Mapping[str, Any]], dict[str, Any]]
"""A reference as a function from {input: value} to {output: value}."""


def by_coordinate(function: Callable[..., RecipeOutputs], known: Mapping[str, Any]) -> Adapted:
    """The reference `function` of one number, applied to each of the d coordinates of a vector."""
    d = known["d"]

    def answer(given: Mapping[str, kit.Fraction]) -> dict[str, Any]:
        pairs = zip(vector("x", d), vector("out", d), strict=True)
        return {out: function({"x": given[x]})["out"] for x, out in pairs}

    return answer


def of_inner(function: Callable[..., RecipeOutputs], known: Mapping[str, Any]) -> Adapted:
    """The reference `function` with the reference of another recipe as its argument f. That recipe is named by the
    argument f in `known`; the values of its symbols are in `known` too."""
    inner, inner_arguments = called(known["f"])
    values = {
        inner_symbol.name: known[inner_symbol.name]
        for inner_symbol in info(inner).symbols
        if inner_symbol.name in known
    }
    return partial(function, f=reference(inner, inner_arguments, values))
