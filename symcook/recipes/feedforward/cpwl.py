from __future__ import annotations

from symcook.recipes import kit
from symcook.recipes.arguments import points as read_points
from symcook.recipes.feedforward import pointwise
from symcook.recipes.registry import Argument, Recipe, recipe


@recipe(
    kind="feed-forward",
    summary="a continuous piecewise linear function of one variable, from points",
    source="Cookbook, Section 4.1",
    formula="min(x, 2 - x)",
    computes="relu(x) - relu(-x) - 2*relu(x - 1)",
    region="true",
    uniformity="No weight depends on the length. The hidden width is n + 1 for n pieces.",
    claims=(
        "cookbook.t1.cpwl",
        "cookbook.s4.1.slopes",
        "cookbook.s4.1.relu_sum",
        "cookbook.s4.1.cpwl_ffn",
        "cookbook.s4.1.cpwl_hidden_width",
    ),
    reference="symcook.spec.feedforward:cpwl",
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
