"""Attention recipes. Source: Cookbook, Sections 5.1, 5.2 and 5.3."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from symcook.recipes.arguments import alphabet as read_alphabet
from symcook.recipes.registry import Argument, recipe

if TYPE_CHECKING:
    from symcook.blocks import Transformer


def _of_rows(inputs: tuple[str, ...], output: str) -> Callable[..., Callable[[Any], Any]]:
    """Lift a reference on plain lists to rows {input: value} and answers {output: value}."""

    def adapt(function: Callable[[Any], Any], arguments: Mapping[str, Any], values: Mapping[str, Any]) -> Any:
        def answer(rows: Any) -> list[dict[str, Any]]:
            plain = [row[inputs[0]] if len(inputs) == 1 else tuple(row[name] for name in inputs) for row in rows]
            return [{output: value} for value in function(plain)]

        return answer

    return adapt


def _of_length(function: Callable[[int], Any], arguments: Mapping[str, Any], values: Mapping[str, Any]) -> Any:
    return lambda word: [{"first": value} for value in function(len(word))]


def _mean(name: str, mask: str) -> Transformer:
    from symcook.blocks import Embedding, Head, Layer, Readout, SelfAttention, Space, Transformer

    head = Head(("x",), ("mean",), Q=[[0]], K=[[0]], V=[[1]], mask=mask)
    return Transformer(
        name,
        Embedding(Space(("x", "mean")), inputs=("x",)),
        (Layer(SelfAttention((head,))),),
        Readout("value", "each", ("mean",)),
        source="Cookbook, Section 5.1.2",
    )


@recipe(
    "average",
    kind="attention",
    summary="at every position the mean of x over all positions",
    source="Cookbook, Section 5.1.2",
    formula="sum(j, 1, n, x(j))/n",
    words="Queries and keys are zero, so every position gives equal weight to all positions.",
    computes="sum(j, 1, n, x(j))/n",
    region="true",
    uniformity="No weight depends on the length.",
    claims=("cookbook.t2.uniform_avg", "cookbook.s5.1.2.avg"),
    reference="symcook.spec.attention:average",
    adapt=_of_rows(("x",), "mean"),
)
def average() -> Transformer:
    """mean_i = (1/n) sum_{k=1..n} x_k.

    Inputs: x, one value a position. No mask; average-hard weighting, and with all scores 0 softmax is the same. Region:
    all rational sequences of length at least 1. Source: Cookbook, Section 5.1.2.
    """
    return _mean("average", "none")


@recipe(
    "prefix-average",
    kind="attention",
    summary="at position i the mean of x over positions 1 to i",
    source="Cookbook, Section 5.1.2",
    formula="sum(j, 1, i, x(j))/i",
    words="Queries and keys are zero and the mask hides the future, so position i weighs positions 1 to i equally.",
    computes="sum(j, 1, i, x(j))/i",
    region="true",
    uniformity="No weight depends on the length.",
    claims=("cookbook.t2.uniform_avg", "cookbook.s5.1.2.avg_prefix", "cookbook.s2.2.2.future_mask"),
    reference="symcook.spec.attention:prefix_average",
    adapt=_of_rows(("x",), "mean"),
)
def prefix_average() -> Transformer:
    """mean_i = (1/i) sum_{k=1..i} x_k.

    Inputs: x, one value a position. Future mask (a position sees itself). Region: all rational sequences of length at
    least 1. Source: Cookbook, Section 5.1.2.
    """
    return _mean("prefix-average", "future")


@recipe(
    "first-position",
    kind="attention",
    summary="1 at the first position and 0 at every other, from the position function (-1)^i",
    source="Cookbook, Section 5.2",
    formula="I[i = 1]",
    words="The prefix mean of -(-1)^i is 1 at the first position and at most 1/3 later; a comparison tells them apart.",
    computes="3*(relu(mean - 1/3) - relu(mean - 2/3))",
    region="true",
    uniformity="No weight depends on the length; the position function is (-1)^i.",
    claims=("cookbook.t2.first", "cookbook.s5.2.first_attention", "cookbook.s5.2.first"),
    reference="symcook.spec.attention:first_position",
    arguments=(Argument("alphabet", "01", "the symbols of the words, which it does not look at", read_alphabet),),
    adapt=_of_length,
)
def first_position(alphabet: tuple[str, ...]) -> Transformer:
    """first_i = GTZero_{1/3}(c_i - 1/3) = I[i = 1], where c_i = (1/i) sum_{j<=i} -(-1)^j.

    alphabet: a string of different symbols; tokens embed to nothing, only the position counts. c_1 = 1, and for i > 1
    c_i is 0 (i even) or 1/i <= 1/3 (i odd). Region: every word of length at least 1. Source: Cookbook, Section 5.2.
    """
    from symcook.blocks import Embedding, FeedForward, Head, Layer, Readout, SelfAttention, Space, Transformer

    head = Head(("alternating",), ("mean",), Q=[[0]], K=[[0]], V=[[-1]], mask="future")
    test = FeedForward(("mean",), ("first",), W1=[[1], [1]], b1=["-1/3", "-2/3"], W2=[[3, -3]], b2=[0])
    return Transformer(
        "first-position",
        Embedding(
            Space(("alternating", "mean", "first")),
            words={letter: {} for letter in alphabet},
            positions={"alternating": "(-1)^i"},
        ),
        (Layer(SelfAttention((head,)), test),),
        Readout("value", "each", ("first",)),
        source="Cookbook, Section 5.2",
    )


@recipe(
    "lookup-quadratic",
    kind="attention",
    summary="at every position the value at the position that its query names",
    source="Cookbook, Section 5.3.4",
    formula="value(query(i))",
    words="The score 2 q j - j^2 is greatest at j = q, so average-hard attention reads the value there.",
    computes="value(query(i))",
    region="ex j in 1..n. query = j",
    uniformity="No weight depends on the length; the position functions i and i^2 are not bounded.",
    claims=(
        "cookbook.t2.index_lookup",
        "cookbook.t5.quadmax",
        "cookbook.s5.3.lookup_spec",
        "cookbook.s5.3.4.quadmax",
        "cookbook.s5.3.4.argmax",
        "cookbook.s5.3.4.gap",
    ),
    reference="symcook.spec.attention:lookup_quadratic",
    adapt=_of_rows(("query", "value"), "found"),
)
def lookup_quadratic() -> Transformer:
    """found_i = value at position query_i, by scores 2 query_i j - j^2 = query_i^2 - (query_i - j)^2.

    Inputs: query and value, one row a position; the embedding adds one = 1, index = i and square = i^2. Scale 1: the
    printed scores leave out the factor 1/sqrt(d_key) = 1/sqrt(2) of Definition 2.3, which moves no maximum. Region:
    each query is a position, 1 to n, which is where the formula means something; any other query reads the nearest
    position, or the mean of two equally near.
    Source: Cookbook, Section 5.3.4.
    """
    from symcook.blocks import Embedding, Head, Layer, Readout, SelfAttention, Space, Transformer

    head = Head(
        ("query", "one", "index", "square", "value"),
        ("found",),
        Q=[[1, 0, 0, 0, 0], [0, 1, 0, 0, 0]],
        K=[[0, 0, 2, 0, 0], [0, 0, 0, -1, 0]],
        V=[[0, 0, 0, 0, 1]],
    )
    return Transformer(
        "lookup-quadratic",
        Embedding(
            Space(("query", "one", "index", "square", "value", "found")),
            inputs=("query", "value"),
            positions={"one": 1, "index": "i", "square": "i^2"},
        ),
        (Layer(SelfAttention((head,))),),
        Readout("value", "each", ("found",)),
        source="Cookbook, Section 5.3.4",
    )
