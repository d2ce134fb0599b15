"""Feed-forward recipes: Cookbook, Table 1 and Section 4, with clip of Section 6.4 and the rounding of Section 5.7.

Each model has one position and one layer with a feed-forward part only. Inputs are called x, y, p (x1, x2, ... for
vectors) and `tolerance`; the answer is the coordinate out (out1, out2, ...), or the input itself where the recipe is
about the residual connection. Weights are those that the paper prints.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from symcook.errors import BadInput
from symcook.recipes.arguments import bits, integer, points, rational_number
from symcook.recipes.registry import Argument, Symbol, info, recipe

if TYPE_CHECKING:
    from fractions import Fraction

    from symcook.blocks import Parameter, Transformer

MAX_WIDTH = 256
MAX_BITS = 12
UNIFORM = "No weight depends on the length; the same network works at every position."
DIMENSION = Argument("d", "1", "the number of coordinates; with 1 they are called x and out", integer(1, MAX_WIDTH))
EPS = Symbol("eps", None, "0 < eps", "tolerance: the width of the window in which the answer is between 0 and 1")


def _vector(name: str, d: int) -> tuple[str, ...]:
    """The coordinate names of a vector: x for d = 1, else x1 to xd."""
    return (name,) if d == 1 else tuple(f"{name}{c}" for c in range(1, d + 1))


def _pointwise(
    name: str,
    inputs: Sequence[str],
    W1: Any,
    b1: Any,
    W2: Any,
    b2: Any,
    outputs: Sequence[str] = ("out",),
    parameters: Sequence[Parameter] = (),
) -> Transformer:
    """A model of one feed-forward part that reads `inputs` and writes `outputs`."""
    from symcook.blocks import Embedding, FeedForward, Layer, Readout, Space, Transformer

    space = Space((*inputs, *(o for o in outputs if o not in inputs)))
    block = FeedForward(tuple(inputs), tuple(outputs), W1, b1, W2, b2)
    return Transformer(
        name,
        Embedding(space, inputs=tuple(inputs)),
        (Layer(None, block),),
        Readout("value", "last", tuple(outputs)),
        parameters=tuple(parameters),
        source=info(name).source,
    )


def _positive(name: str) -> Parameter:
    from symcook.blocks import Parameter

    return Parameter(name, lower=0)


@recipe(
    "gtzero",
    kind="feed-forward",
    summary="is x positive? 1 or 0, exact outside the window 0 < x < eps",
    source="Cookbook, Section 4.7, Eq. (29)",
    formula="I[0 < x]",
    words="Two ReLUs make a ramp from 0 to 1 of width eps, to the right of zero.",
    computes="(relu(x) - relu(x - eps))/eps",
    region="x <= 0 | eps <= x",
    uniformity=UNIFORM,
    claims=("cookbook.t1.comparators", "cookbook.s4.7.gtzero"),
    reference="symcook.spec.feedforward:gtzero",
    symbols=(EPS,),
)
def gtzero() -> Transformer:
    """out = 0 for x <= 0, x/eps for 0 < x < eps, 1 for x >= eps.

    eps > 0. Region where it is I[x > 0]: x <= 0 or x >= eps. Source: Cookbook, Section 4.7, Eq. (29).
    """
    return _pointwise("gtzero", ("x",), [[1], [1]], [0, "-eps"], [["1/eps", "-1/eps"]], [0], ("out",), [_positive("eps")])
