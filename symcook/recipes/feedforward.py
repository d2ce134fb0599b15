"""Feed-forward recipes: Cookbook, Table 1 and Section 4, with clip of Section 6.4 and the rounding of Section 5.7.

Each model has one position and one layer with a feed-forward part only. Inputs are called x, y, p (x1, x2, ... for
vectors) and `tolerance`; the answer is the coordinate out (out1, out2, ...), or the input itself where the recipe is
about the residual connection. Weights are those that the paper prints.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from symcook.errors import unknown
from symcook.recipes.arguments import bits, integer
from symcook.recipes.arguments import points as read_points
from symcook.recipes.registry import Argument, Symbol, info, recipe, reference

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


ONE_TO_ONE = ("identity", "scale", "gtzero", "gezero", "eqzero", "cpwl", "clip", "round")
"""The recipes R -> R with output out, which cancel-residual takes."""


def _eye(d: int, value: int = 1) -> list[list[int]]:
    return [[value if row == column else 0 for column in range(d)] for row in range(d)]


def _bit_count(table: tuple[int, ...]) -> int:
    return len(table).bit_length() - 1


def _bit_names(table: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(f"p{c}" for c in range(1, _bit_count(table) + 1))


def _all_bits(table: tuple[int, ...]) -> str:
    return " & ".join(f"({name} = 0 | {name} = 1)" for name in _bit_names(table))


def _one_to_one(given: Any, name: str) -> str:
    if given not in ONE_TO_ONE:
        raise unknown(f"recipe {name}, from R to R,", str(given), ONE_TO_ONE)
    return given


def _inner_region(f: str) -> str:
    return info(f).region


Adapted = Callable[[Mapping[str, Any]], dict[str, Any]]


def _by_coordinate(function: Callable[..., Any], arguments: Mapping[str, Any], values: Mapping[str, Any]) -> Adapted:
    """The scalar reference at each coordinate of a vector."""
    d = arguments["d"]

    def answer(given: Mapping[str, Any]) -> dict[str, Any]:
        pairs = zip(_vector("x", d), _vector("out", d), strict=True)
        return {out: function({"x": given[x]})["out"] for x, out in pairs}

    return answer


def _no_arguments(function: Callable[..., Any], arguments: Mapping[str, Any], values: Mapping[str, Any]) -> Adapted:
    return lambda given: function(given)


def _named_bits(function: Callable[..., Any], arguments: Mapping[str, Any], values: Mapping[str, Any]) -> Adapted:
    table = arguments["table"]
    return lambda given: function(given, table=table, names=_bit_names(table))


def _of_inner(function: Callable[..., Any], arguments: Mapping[str, Any], values: Mapping[str, Any]) -> Adapted:
    inner = reference(arguments["f"], {}, values)
    return lambda given: function(given, f=inner)


@recipe(
    "identity",
    kind="feed-forward",
    summary="x unchanged, without the help of the residual connection",
    source="Cookbook, Section 4.3, Eqs. (21) and (22)",
    formula="x",
    words="x is the difference of its positive and its negative part.",
    computes="relu(x) - relu(-x)",
    region="true",
    uniformity=UNIFORM,
    claims=("cookbook.t1.identity", "cookbook.s4.3.id_scalar", "cookbook.s4.3.id_vector"),
    reference="symcook.spec.feedforward:identity",
    arguments=(DIMENSION,),
    adapt=_by_coordinate,
)
def identity(d: int) -> Transformer:
    """out = relu(x) - relu(-x) = x, coordinate by coordinate.

    d: the number of coordinates, 1 to 256. W1 = [I; -I], W2 = [I, -I]. Region: all of R^d.
    Source: Cookbook, Section 4.3, Eq. (21) for d = 1 and Eq. (22).
    """
    eye, minus = _eye(d), _eye(d, -1)
    W2 = [[*left, *right] for left, right in zip(eye, minus, strict=True)]
    return _pointwise("identity", _vector("x", d), [*eye, *minus], [0] * (2 * d), W2, [0] * d, _vector("out", d))


@recipe(
    "zero",
    kind="feed-forward",
    summary="the network that adds nothing, so that the residual connection keeps x",
    source="Cookbook, Section 4.3",
    formula="x",
    words="All weights are zero; what comes out is the residual connection's x.",
    computes="x",
    region="true",
    uniformity=UNIFORM,
    claims=("cookbook.s4.3.zero",),
    reference="symcook.spec.feedforward:zero",
    arguments=(DIMENSION,),
    adapt=_no_arguments,
)
def zero(d: int) -> Transformer:
    """x + zero(x) = x: the network writes zero onto x itself, and the residual connection keeps x.

    d: the number of coordinates, 1 to 256. Region: all of R^d. Source: Cookbook, Section 4.3.
    """
    names, nothing = _vector("x", d), _eye(d, 0)
    return _pointwise("zero", names, nothing, [0] * d, nothing, [0] * d, names)


@recipe(
    "min",
    kind="feed-forward",
    summary="the lesser of x and y",
    source="Cookbook, Section 4.4",
    formula="min(x, y)",
    words="x, less what x exceeds y by.",
    computes="relu(x) - relu(-x) - relu(x - y)",
    region="true",
    uniformity=UNIFORM,
    claims=("cookbook.t1.minmax", "cookbook.s4.4.min"),
    reference="symcook.spec.feedforward:minimum",
)
def minimum() -> Transformer:
    """out = relu(x) - relu(-x) - relu(x - y) = min(x, y). Region: all of R^2. Source: Cookbook, Section 4.4."""
    return _pointwise("min", ("x", "y"), [[1, 0], [-1, 0], [1, -1]], [0, 0, 0], [[1, -1, -1]], [0])


@recipe(
    "max",
    kind="feed-forward",
    summary="the greater of x and y",
    source="Cookbook, Section 4.4",
    formula="max(x, y)",
    words="x, plus what y exceeds x by.",
    computes="relu(x) - relu(-x) + relu(y - x)",
    region="true",
    uniformity=UNIFORM,
    claims=("cookbook.t1.minmax", "cookbook.s4.4.max"),
    reference="symcook.spec.feedforward:maximum",
)
def maximum() -> Transformer:
    """out = relu(x) - relu(-x) + relu(y - x) = max(x, y). Region: all of R^2. Source: Cookbook, Section 4.4."""
    return _pointwise("max", ("x", "y"), [[1, 0], [-1, 0], [-1, 1]], [0, 0, 0], [[1, -1, 1]], [0])


@recipe(
    "add",
    kind="feed-forward",
    summary="the sum of x and y",
    source="Cookbook, Section 4.5",
    formula="x + y",
    words="The identity of x and that of y, side by side, into one output.",
    computes="relu(x) - relu(-x) + relu(y) - relu(-y)",
    region="true",
    uniformity=UNIFORM,
    claims=("cookbook.t1.addsub", "cookbook.s4.5.add"),
    reference="symcook.spec.feedforward:add",
)
def add() -> Transformer:
    """out = relu(x) - relu(-x) + relu(y) - relu(-y) = x + y. Region: all of R^2. Source: Cookbook, Section 4.5."""
    return _pointwise("add", ("x", "y"), [[1, 0], [-1, 0], [0, 1], [0, -1]], [0] * 4, [[1, -1, 1, -1]], [0])


@recipe(
    "subtract",
    kind="feed-forward",
    summary="x less y",
    source="Cookbook, Section 4.5",
    formula="x - y",
    words="The sum of x and -y, with the sign in the first weights.",
    computes="relu(x) - relu(-x) + relu(-y) - relu(y)",
    region="true",
    uniformity=UNIFORM,
    claims=("cookbook.t1.addsub", "cookbook.s4.5.add"),
    reference="symcook.spec.feedforward:subtract",
)
def subtract() -> Transformer:
    """out = relu(x) - relu(-x) + relu(-y) - relu(y) = x - y.

    The weights of `add` after the routing (x, y) -> (x, -y) of Lemma 8.1: W1 = add.W1 diag(1, -1). The paper says that
    subtraction works like addition and prints no weights. Region: all of R^2. Source: Cookbook, Section 4.5.
    """
    return _pointwise("subtract", ("x", "y"), [[1, 0], [-1, 0], [0, -1], [0, 1]], [0] * 4, [[1, -1, 1, -1]], [0])


@recipe(
    "scale",
    kind="feed-forward",
    summary="c times x for a constant c",
    source="Cookbook, Section 4.6 with Sections 4.3 and 8.2",
    formula="c*x",
    words="The identity, with its output multiplied by c.",
    computes="c*relu(x) - c*relu(-x)",
    region="true",
    uniformity=UNIFORM,
    claims=("cookbook.t1.mulconst", "cookbook.s4.6.const_mul", "cookbook.s8.2.routing_ffn"),
    reference="symcook.spec.feedforward:scale",
    symbols=(Symbol("c", "2", "true", "the factor, any real number"),),
)
def scale() -> Transformer:
    """out = c relu(x) - c relu(-x) = c x.

    c: any real number, a symbol of the model. The identity recipe followed by the linear map x -> c x, which
    Lemma 8.1 absorbs: W2 = c id.W2. Region: all of R. Source: Cookbook, Section 4.6 (Table 1 refers to Section 8.2).
    """
    from symcook.blocks import Parameter

    return _pointwise("scale", ("x",), [[1], [-1]], [0, 0], [["c", "-c"]], [0], ("out",), [Parameter("c", default=2)])


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

    eps > 0. Region where it is I[x > 0]: x <= 0 or x >= eps; between, x/eps lies strictly between 0 and 1. Source:
    Cookbook, Section 4.7, Eq. (29).
    """
    return _pointwise(
        "gtzero", ("x",), [[1], [1]], [0, "-eps"], [["1/eps", "-1/eps"]], [0], ("out",), [_positive("eps")]
    )


@recipe(
    "gezero",
    kind="feed-forward",
    summary="is x at least zero? 1 or 0, exact outside the window -eps < x < 0",
    source="Cookbook, Section 4.7, Eq. (30)",
    formula="I[0 <= x]",
    words="Two ReLUs make a ramp from 0 to 1 of width eps, to the left of zero.",
    computes="(relu(x + eps) - relu(x))/eps",
    region="x <= -eps | 0 <= x",
    uniformity=UNIFORM,
    claims=("cookbook.t1.comparators", "cookbook.s4.7.gezero"),
    reference="symcook.spec.feedforward:gezero",
    symbols=(EPS,),
)
def gezero() -> Transformer:
    """out = 0 for x <= -eps, 1 + x/eps for -eps < x < 0, 1 for x >= 0.

    eps > 0. Region where it is I[x >= 0]: x <= -eps or x >= 0; between, 1 + x/eps > 0 comes out for 0. Source:
    Cookbook, Section 4.7, Eq. (30).
    """
    return _pointwise(
        "gezero", ("x",), [[1], [1]], ["eps", 0], [["1/eps", "-1/eps"]], [0], ("out",), [_positive("eps")]
    )


@recipe(
    "eqzero",
    kind="feed-forward",
    summary="is x zero? 1 or 0, exact outside the window 0 < |x| < eps",
    source="Cookbook, Section 4.7, Eq. (31)",
    formula="I[x = 0]",
    words="Three ReLUs make a tent of height 1 and half-width eps around zero.",
    computes="(relu(x + eps) - 2*relu(x) + relu(x - eps))/eps",
    region="x = 0 | eps <= abs(x)",
    uniformity=UNIFORM,
    claims=("cookbook.t1.comparators", "cookbook.s4.7.eqzero"),
    reference="symcook.spec.feedforward:eqzero",
    symbols=(EPS,),
)
def eqzero() -> Transformer:
    """out = 0 for |x| >= eps, 1 - |x/eps| for 0 < |x| < eps, 1 for x = 0.

    eps > 0. Region where it is I[x = 0]: x = 0 or |x| >= eps; between, 1 - |x/eps| > 0 comes out for 0. Source:
    Cookbook, Section 4.7, Eq. (31).
    """
    W2 = [["1/eps", "-2/eps", "1/eps"]]
    return _pointwise("eqzero", ("x",), [[1], [1], [1]], ["eps", 0, "-eps"], W2, [0], ("out",), [_positive("eps")])


@recipe(
    "gtzero-input",
    kind="feed-forward",
    summary="is x positive? tolerance or 0; the tolerance is an input",
    source="Cookbook, Section 4.7, Eq. (32)",
    formula="tolerance*I[0 < x]",
    words="The ramp of gtzero without the division: the answer yes is the tolerance itself.",
    computes="relu(x) - relu(x - tolerance)",
    region="x <= min(0, tolerance) | (0 < x & tolerance <= x)",
    uniformity=UNIFORM,
    claims=("cookbook.s4.7.gtzero_input",),
    reference="symcook.spec.feedforward:gtzero_input",
)
def gtzero_input() -> Transformer:
    """out = 0 for x <= 0, x for 0 < x < tolerance, tolerance for x >= tolerance.

    Inputs: x and tolerance > 0. Region where it is tolerance I[x > 0]: x <= 0 or x >= tolerance, and no other point,
    since x for 0 < x < tolerance is not tolerance. A tolerance t <= 0, which the paper does not allow, is right at
    x <= t (both units are 0) and at x > 0 (x - (x - t) = t), and wrong between, where t - x < 0 comes out for 0.
    Source: Cookbook, Section 4.7, Eq. (32).
    """
    return _pointwise("gtzero-input", ("x", "tolerance"), [[1, 0], [1, -1]], [0, 0], [[1, -1]], [0])


@recipe(
    "gezero-input",
    kind="feed-forward",
    summary="is x at least zero? tolerance or 0; the tolerance is an input",
    source="Cookbook, Section 4.7, Eq. (33)",
    formula="tolerance*I[0 <= x]",
    words="The ramp of gezero without the division: the answer yes is the tolerance itself.",
    computes="relu(x + tolerance) - relu(x)",
    region="(x < 0 & x <= -tolerance) | max(0, -tolerance) <= x",
    uniformity=UNIFORM,
    claims=("cookbook.s4.7.gezero_input",),
    reference="symcook.spec.feedforward:gezero_input",
)
def gezero_input() -> Transformer:
    """out = 0 for x <= -tolerance, x + tolerance for -tolerance < x < 0, tolerance for x >= 0.

    Inputs: x and tolerance > 0. Region where it is tolerance I[x >= 0]: x <= -tolerance or x >= 0, and no other point,
    since between them x + tolerance > 0 comes out for 0. A tolerance t <= 0, which the paper does not allow, is right
    at x < 0 (both units are 0) and at x >= -t (x + t - x = t), and wrong between, where -x > t comes out for t. Source:
    Cookbook, Section 4.7, Eq. (33).
    """
    return _pointwise("gezero-input", ("x", "tolerance"), [[1, 1], [1, 0]], [0, 0], [[1, -1]], [0])


@recipe(
    "eqzero-input",
    kind="feed-forward",
    summary="is x zero? tolerance or 0; the tolerance is an input",
    source="Cookbook, Section 4.7, Eq. (34)",
    formula="tolerance*I[x = 0]",
    words="The tent of eqzero without the division: the answer yes is the tolerance itself.",
    computes="relu(x + tolerance) - 2*relu(x) + relu(x - tolerance)",
    region="abs(tolerance) <= abs(x) | (x = 0 & 0 <= tolerance)",
    uniformity=UNIFORM,
    claims=("cookbook.s4.7.eqzero_input",),
    reference="symcook.spec.feedforward:eqzero_input",
)
def eqzero_input() -> Transformer:
    """out = 0 for |x| >= tolerance, tolerance - |x| for 0 < |x| < tolerance, tolerance for x = 0.

    Inputs: x and tolerance > 0. Region where it is tolerance I[x = 0]: x = 0 or |x| >= tolerance, and no other point,
    since between them tolerance - |x| > 0 comes out for 0. A tolerance t <= 0, which the paper does not allow, gives
    the tent of -t (the outer units change places): right at |x| >= -t, and wrong nearer to 0, where -t - |x| > 0 comes
    out for 0 or for t. Source: Cookbook, Section 4.7, Eq. (34).
    """
    return _pointwise("eqzero-input", ("x", "tolerance"), [[1, 1], [1, 0], [1, -1]], [0, 0, 0], [[1, -2, 1]], [0])


@recipe(
    "boolean",
    kind="feed-forward",
    summary="any Boolean function of m bits, from its truth table",
    source="Cookbook, Section 4.8, Eq. (35)",
    formula="I[p1 + p2 = 1]",
    words="One hidden unit for each assignment, 1 where the input is that one; the output adds those that are true.",
    computes="relu(p2 - p1) + relu(p1 - p2)",
    region="(p1 = 0 | p1 = 1) & (p2 = 0 | p2 = 1)",
    largest=False,
    uniformity="No weight depends on the length. The hidden width is 2^m for m bits.",
    claims=(
        "cookbook.t1.boolean",
        "cookbook.s4.8.boolean_ffn",
        "cookbook.s4.8.hidden_indicator",
        "cookbook.s4.8.boolean_size",
    ),
    reference="symcook.spec.feedforward:boolean",
    arguments=(
        Argument(
            "table",
            "0110",
            "2^m bits, one for each assignment k = 0 ... 2^m - 1; p1 is the first bit of k",
            bits(MAX_BITS),
        ),
    ),
    adapt=_named_bits,
    region_of=_all_bits,
)
def boolean(table: tuple[int, ...]) -> Transformer:
    """out = sum_k table_k relu((2 xi_k - 1) . p - 1 . xi_k + 1) = the entry of `table` at the assignment p.

    table: 2^m bits, m from 1 to 12, for the assignments xi_0 to xi_(2^m - 1) in order. Inputs p1 to pm; p1 is the most
    significant bit of k, as the displayed rows (-1 ... -1 1) for k = 1 have it. So 0110 is exclusive or, and 0100 is
    "p2 and not p1". Region: every input is 0 or 1; elsewhere the table says nothing, so that no larger region is looked
    for. Size: 2^m hidden units. Source: Cookbook, Section 4.8, Eq. (35).
    """
    m = _bit_count(table)
    assignments = [[k >> (m - 1 - c) & 1 for c in range(m)] for k in range(len(table))]
    W1 = [[2 * bit - 1 for bit in xi] for xi in assignments]
    return _pointwise("boolean", _bit_names(table), W1, [1 - sum(xi) for xi in assignments], [list(table)], [0])


@recipe(
    "if",
    kind="feed-forward",
    summary="x where p is 1, y where p is 0",
    source="Cookbook, Section 4.9",
    formula="if(p = 1, x, y)",
    words="The bit p pushes the branch that is not wanted below zero, where ReLU drops it.",
    computes="relu(p + x - 1) + relu(y - p)",
    region="(p = 0 | p = 1) & (p = 1 -> 0 <= x & y <= 1) & (p = 0 -> x <= 1 & 0 <= y)",
    largest=False,
    uniformity=UNIFORM,
    claims=("cookbook.t1.conditional", "cookbook.s4.9.conditional"),
    reference="symcook.spec.feedforward:conditional",
)
def conditional() -> Transformer:
    """out = relu(p + x - 1) + relu(y - p) = x if p = 1, y if p = 0.

    Region: x >= 0 and y <= 1 where p = 1, x <= 1 and y >= 0 where p = 0; so all x and y in [0, 1]. Table 1 gives x and
    y in R. For a bit p there is no more: at p = 1, relu(x) + relu(y - 1) = x needs x >= 0, as the left side is, and
    then relu(y - 1) = 0; at p = 0, relu(x - 1) + relu(y) = y likewise. For other p, where "if" has no meaning here, no
    larger region is looked for. Source: Cookbook, Section 4.9.
    """
    return _pointwise("if", ("p", "x", "y"), [[1, 1, 0], [-1, 0, 1]], [-1, 0], [[1, 1]], [0])


@recipe(
    "cpwl",
    kind="feed-forward",
    summary="a continuous piecewise linear function of one variable, from points",
    source="Cookbook, Section 4.1",
    formula="min(x, 2 - x)",
    words="The first line, and at each knot a ReLU that adds the change of slope.",
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
def cpwl(points: tuple[tuple[Fraction, Fraction], ...]) -> Transformer:
    """out = y_1 + m_1 (x - x_1) + sum_{k=2..n} (m_k - m_(k-1)) relu(x - x_k), with slopes m_k.

    points: n + 1 >= 3 points (x_k, y_k), strictly increasing in x. The inner ones are the knots; the outer ones fix the
    first and last line, which go on to infinity. Hidden width n + 1. Region: all of R. Source: Cookbook, Section 4.1.
    """
    (x1, y1), knots = points[0], points[1:-1]
    slopes = [(y - v) / (x - u) for (u, v), (x, y) in zip(points, points[1:], strict=False)]
    changes = [after - before for before, after in zip(slopes, slopes[1:], strict=False)]
    W1 = [[-1], [1], *([1] for _ in knots)]
    b1 = [0, 0, *(-x for x, _ in knots)]
    return _pointwise("cpwl", ("x",), W1, b1, [[-slopes[0], slopes[0], *changes]], [y1 - slopes[0] * x1])


@recipe(
    "cancel-residual",
    kind="feed-forward",
    summary="a network f without the residual connection: f(x) replaces x",
    source="Cookbook, Section 4.2",
    formula="min(x, 2 - x)",
    words="The network adds f(x) - x to x, so that the residual connection leaves f(x).",
    computes="x + relu(x) - relu(-x) - 2*relu(x - 1) - relu(x) + relu(-x)",
    region="true",
    uniformity=UNIFORM,
    claims=("cookbook.t1.cancel_residual", "cookbook.s4.2.cancel_residual", "cookbook.s4.2.residual_optional"),
    reference="symcook.spec.feedforward:cancel_residual",
    arguments=(
        Argument(
            "f", "cpwl", "a feed-forward recipe with one input and one output: " + ", ".join(ONE_TO_ONE), _one_to_one
        ),
    ),
    adapt=_of_inner,
    region_of=_inner_region,
)
def cancel_residual(f: str) -> Transformer:
    """x becomes x + f'(x) = f(x).

    f'.W1 = [f.W1; I; -I], f'.b1 = [f.b1; 0; 0], f'.W2 = [f.W2, -I, I], f'.b2 = f.b2. f: the name of a feed-forward
    recipe R -> R, with its default arguments; its symbols stay symbols. The answer is the coordinate x itself. Region:
    wherever f is exact. Source: Cookbook, Section 4.2.
    """
    inner = info(f)
    model = inner.make(**inner.read({}))
    block = model.layers[0].feedforward
    assert block is not None  # a name that _one_to_one let through
    rows = [block.W1[h, 0] for h in range(block.hidden)]
    W1 = [*([w] for w in rows), [1], [-1]]
    W2 = [[*(block.W2[0, h] for h in range(block.hidden)), -1, 1]]
    b1 = [*block.b1, 0, 0]
    return _pointwise("cancel-residual", ("x",), W1, b1, W2, list(block.b2), ("x",), model.parameters)


@recipe(
    "clip",
    kind="feed-forward",
    summary="x kept within -delta and delta",
    source="Cookbook, Section 6.4",
    formula="max(-delta, min(delta, x))",
    words="A ramp of slope 1 from -delta to delta; so delta times the sign of x where |x| is at least delta.",
    computes="relu(x + delta) - relu(x - delta) - delta",
    region="true",
    uniformity=UNIFORM,
    claims=("cookbook.s6.4.clip",),
    reference="symcook.spec.feedforward:clip",
    symbols=(Symbol("delta", None, "0 < delta", "the bound"),),
)
def clip() -> Transformer:
    """out = relu(x + delta) - relu(x - delta) - delta = max(-delta, min(delta, x)).

    delta > 0. Region: all of R; where |x| >= delta it is delta times the sign of x. The paper prints
    b2 = [-delta; delta], two entries for a map R -> R with a W2 of one row; here b2 = [-delta], the entry that gives
    the clip. Source: Cookbook, Section 6.4.
    """
    return _pointwise(
        "clip", ("x",), [[1], [1]], ["delta", "-delta"], [[1, -1]], ["-delta"], ("out",), [_positive("delta")]
    )


@recipe(
    "round",
    kind="feed-forward",
    summary="rounds to 0 or 1 what is within 1/4 of it",
    source="Cookbook, Section 5.7",
    formula="I[1/2 < x]",
    words="gtzero with tolerance 1/2, moved right by 1/4.",
    computes="2*(relu(x - 1/4) - relu(x - 3/4))",
    region="x <= 1/4 | 3/4 <= x",
    uniformity=UNIFORM,
    claims=("cookbook.s5.7.rounding",),
    reference="symcook.spec.feedforward:round_quarter",
)
def round_quarter() -> Transformer:
    """out = GTZero_{1/2}(x - 1/4): 0 for x <= 1/4, 2 x - 1/2 between, 1 for x >= 3/4.

    The weights of Eq. (29) with eps = 1/2, after x -> x - 1/4. Region where it is the nearest of 0 and 1: x <= 1/4 or x
    >= 3/4; between, 2 x - 1/2 lies strictly between 0 and 1. Source: Cookbook, Section 5.7.
    """
    return _pointwise("round", ("x",), [[1], [1]], ["-1/4", "-3/4"], [[2, -2]], [0])
