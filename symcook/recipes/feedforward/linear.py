"""Linear and piecewise linear functions by feed-forward networks: Cookbook, Sections 4.1 to 4.6 and 6.4."""

from __future__ import annotations

from symcook.present import present
from symcook.recipes import Argument, Recipe, Symbol, build, kit, region
from symcook.recipes.arguments import called, recipe_of
from symcook.recipes.arguments import points as read_points
from symcook.recipes.feedforward import (
    DIMENSION,
    by_coordinate,
    of_inner,
    pointwise,
    positive,
    recipe,
    vector,
)


@recipe(
    summary="a continuous piecewise linear function of one variable, from points",
    source="Cookbook, Section 4.1",
    formula="min(x, 2 - x)",
    computes="relu(x) - relu(-x) - 2*relu(x - 1)",
    uniformity="No weight depends on the length. The hidden width is n + 1 for n pieces.",
    claims="t1.cpwl s4.1.slopes s4.1.relu_sum s4.1.cpwl_ffn s4.1.cpwl_hidden_width",
    arguments=(
        Argument("points", "0,0; 1,1; 2,0", "n + 1 points x,y with increasing x, for n >= 2 pieces", read_points),
    ),
)
def cpwl(this: Recipe, points: tuple[tuple[kit.Fraction, kit.Fraction], ...]) -> kit.Transformer:
    """The first line, and at each knot a ReLU that adds the change of slope.

    out = y_1 + m_1 (x - x_1) + sum_{k=2..n} (m_k - m_(k-1)) relu(x - x_k), with slopes m_k.

    points: n + 1 >= 3 points (x_k, y_k), strictly increasing in x. The inner ones are the knots; the outer ones fix the
    first and last line, which go on to infinity. Hidden width n + 1.
    """
    (x1, y1), knots = points[0], points[1:-1]
    slopes = [(y - v) / (x - u) for (u, v), (x, y) in zip(points, points[1:], strict=False)]
    changes = [after - before for before, after in zip(slopes, slopes[1:], strict=False)]
    weights = {
        "W1": [[-1], [1], *([1] for _ in knots)],
        "b1": [0, 0, *(-x for x, _ in knots)],
        "W2": [[-slopes[0], slopes[0], *changes]],
        "b2": [y1 - slopes[0] * x1],
    }
    return pointwise(this, ("x",), weights=weights)


ONE_TO_ONE = ("identity", "scale", "gtzero", "gezero", "eqzero", "cpwl", "clip", "round")
"""The recipes that cancel-residual accepts: those from R to R with the output out."""


def _inner_region(f: str) -> str:
    """The region of cancel-residual, which is that of the recipe f."""
    inner, inner_arguments = called(f)
    return region(inner, **inner_arguments)


@recipe(
    summary="a feed-forward layer f without the residual connection: f(x) replaces x",
    source="Cookbook, Section 4.2",
    formula="min(x, 2 - x)",
    computes="x + relu(x) - relu(-x) - 2*relu(x - 1) - relu(x) + relu(-x)",
    claims="t1.cancel_residual s4.2.cancel_residual s4.2.residual_optional",
    arguments=(
        Argument(
            "f",
            "cpwl",
            f"a feed-forward recipe with one input and one output: {', '.join(ONE_TO_ONE)}; cpwl(points=0,0; 1,1; 2,3)",
            recipe_of(ONE_TO_ONE, "from R to R"),
        ),
    ),
    adapt=of_inner,
    region_of=_inner_region,
)
def cancel_residual(this: Recipe, f: str) -> kit.Transformer:
    """The network adds f(x) - x to x, so that the residual connection leaves f(x).

    x becomes x + f'(x) = f(x).

    f'.W1 = [f.W1; I; -I], f'.b1 = [f.b1; 0; 0], f'.W2 = [f.W2, -I, I], f'.b2 = f.b2. f: a feed-forward recipe R -> R,
    with arguments in brackets or its default ones; its symbols stay symbols. The answer is the coordinate x itself.
    """
    inner, inner_arguments = called(f)
    model = build(inner, **inner_arguments)
    block = model.layers[0].feedforward
    block = present(block)
    weights = {
        "W1": [*block.W1.tolist(), [1], [-1]],
        "b1": [*block.b1, 0, 0],
        "W2": [[*block.W2, -1, 1]],
        "b2": list(block.b2),
    }
    return pointwise(this, ("x",), ("x",), weights=weights, parameters=model.parameters)


@recipe(
    summary="x unchanged, without the help of the residual connection",
    source="Cookbook, Section 4.3, Eqs. (21) and (22)",
    formula="x",
    computes="relu(x) - relu(-x)",
    claims="t1.identity s4.3.id_scalar s4.3.id_vector",
    arguments=(DIMENSION,),
    adapt=by_coordinate,
)
def identity(this: Recipe, d: int) -> kit.Transformer:
    """x is the difference of its positive and its negative part.

    out = relu(x) - relu(-x) = x, coordinate by coordinate.

    d: the number of coordinates, 1 to 256. W1 = [I; -I], W2 = [I, -I]. Eq. (21) is that for d = 1.
    """
    signed = [(sign, row) for sign in (1, -1) for row in range(d)]
    W1 = [[sign * (row == column) for column in range(d)] for sign, row in signed]
    W2 = [[sign * (row == column) for sign, column in signed] for row in range(d)]
    weights = {"W1": W1, "b1": [0] * (2 * d), "W2": W2, "b2": [0] * d}
    return pointwise(this, vector("x", d), vector("out", d), weights=weights)


@recipe(
    summary="the network that adds nothing, so that the residual connection keeps x",
    source="Cookbook, Section 4.3",
    formula="x",
    claims="s4.3.zero",
    arguments=(DIMENSION,),
)
def zero(this: Recipe, d: int) -> kit.Transformer:
    """All weights are zero; what comes out is the residual connection's x.

    x + zero(x) = x: the network writes zero onto x itself, and the residual connection keeps x.

    d: the number of coordinates, 1 to 256.
    """
    names, zeros = vector("x", d), [[0] * d] * d
    return pointwise(this, names, names, weights={"W1": zeros, "b1": [0] * d, "W2": zeros, "b2": [0] * d})


@recipe(
    "max",
    summary="the greater of x and y",
    source="Cookbook, Section 4.4",
    formula="max(x, y)",
    computes="relu(x) - relu(-x) + relu(y - x)",
    claims="t1.minmax s4.4.max",
)
def maximum(this: Recipe) -> kit.Transformer:
    """x, plus what y exceeds x by."""
    return pointwise(this, ("x", "y"))


@recipe(
    "min",
    summary="the lesser of x and y",
    source="Cookbook, Section 4.4",
    formula="min(x, y)",
    computes="relu(x) - relu(-x) - relu(x - y)",
    claims="t1.minmax s4.4.min",
)
def minimum(this: Recipe) -> kit.Transformer:
    """x, less what x exceeds y by."""
    return pointwise(this, ("x", "y"))


@recipe(
    summary="the sum of x and y",
    source="Cookbook, Section 4.5",
    formula="x + y",
    computes="relu(x) - relu(-x) + relu(y) - relu(-y)",
    claims="t1.addsub s4.5.add",
)
def add(this: Recipe) -> kit.Transformer:
    """The identity of x and that of y, side by side, into one output."""
    return pointwise(this, ("x", "y"))


@recipe(
    summary="x less y",
    source="Cookbook, Section 4.5",
    formula="x - y",
    computes="relu(x) - relu(-x) + relu(-y) - relu(y)",
    claims="t1.addsub s4.5.add",
)
def subtract(this: Recipe) -> kit.Transformer:
    """The sum of x and -y, with the sign in the first weights.

    The weights of `add` after the routing (x, y) -> (x, -y) of Lemma 8.1: W1 = add.W1 diag(1, -1). The paper says that
    subtraction works like addition and prints no weights.
    """
    return pointwise(this, ("x", "y"))


@recipe(
    summary="c times x for a constant c",
    source="Cookbook, Section 4.6 with Sections 4.3 and 8.2",
    formula="c*x",
    computes="c*relu(x) - c*relu(-x)",
    claims="t1.mulconst s4.6.const_mul s8.2.routing_ffn",
    symbols=(Symbol("c", "2", "true", "the factor, any real number"),),
)
def scale(this: Recipe) -> kit.Transformer:
    """The identity, with its output multiplied by c.

    out = c relu(x) - c relu(-x) = c x.

    c: any real number, a symbol of the model. The identity recipe followed by the linear map x -> c x, which Lemma 8.1
    absorbs: W2 = c id.W2. Table 1 refers to Section 8.2.
    """
    return pointwise(this, ("x",), parameters=[kit.Parameter("c", default=2)])


@recipe(
    summary="x kept within -delta and delta",
    source="Cookbook, Section 6.4",
    formula="max(-delta, min(delta, x))",
    computes="relu(x + delta) - relu(x - delta) - delta",
    claims="s6.4.clip",
    symbols=(Symbol("delta", None, "0 < delta", "the bound"),),
)
def clip(this: Recipe) -> kit.Transformer:
    """A ramp of slope 1 from -delta to delta; so delta times the sign of x where |x| is at least delta.

    delta > 0. The paper prints b2 = [-delta; delta], two entries for a map R -> R with a W2 of one row; here b2 =
    [-delta], the entry that gives the clip.
    """
    return pointwise(this, ("x",), parameters=[positive("delta")])
