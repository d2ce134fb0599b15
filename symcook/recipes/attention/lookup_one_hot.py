from __future__ import annotations

from symcook.recipes import kit
from symcook.recipes.adapters import of_rows
from symcook.recipes.arguments import integer
from symcook.recipes.attention import POSITION, WEIGHTING, encoded, lookup_region, over_rows, sharpened
from symcook.recipes.registry import Argument, Recipe, recipe


@recipe(
    kind="attention",
    summary="the value at the position that a query names, by one-hot positions",
    source="Cookbook, Section 5.3.1, Eq. (36)",
    formula="value(query(i))",
    region=POSITION,
    largest=False,
    uniformity="The width is 2 N + 1 for the greatest length N, beside the query itself.",
    claims=(
        "cookbook.t2.index_lookup",
        "cookbook.t5.onehot",
        "cookbook.s5.3.lookup_spec",
        "cookbook.s3.2.onehot_width",
        "cookbook.s5.3.1.onehot",
        "cookbook.s5.3.1.gap",
        "cookbook.s5.3.1.width",
    ),
    reference="symcook.spec.attention:lookup",
    arguments=(Argument("N", "8", "the greatest length", integer(1, 128)), WEIGHTING),
    adapt=of_rows(("query", "value"), "found"),
    region_of=lookup_region,
)
def lookup_one_hot(this: Recipe, N: int, weighting: str) -> kit.Transformer:
    """The query becomes a one-hot vector, whose product with the one-hot vector of position j is 1 at the position
    asked for and 0 elsewhere.

    found_i = value at position query_i, with W^(Q) = [I 0 0], W^(K) = [0 I 0] and W^(V) = [0 0 1] as printed.

    N: the greatest length, 1 to 128. weighting: average, leftmost, rightmost, or softmax with temperature 1/log(8 N)
    and the rounding of Section 5.7 (the gap is 1). Inputs: query and value, one row a position. The paper takes the
    vector e_q as given; here a first feed-forward part makes it, entry k by relu(q - k + 1) - 2 relu(q - k) + relu(q -
    k - 1). Region: each query is a position, 1 to n, and with softmax each value 0 or 1.
    """
    if weighting != "softmax":
        return this.of_family(
            "lookup-one-hot", {"N": N}, names={f"hot{k}": f"query{k}" for k in range(1, N + 1)}, ties=weighting
        )
    places = {f"at{k}": f"I[i = {k}]" for k in range(1, N + 1)}
    hot = {f"query{k}": {k: 1} for k in range(1, N + 1)}
    score = {(f"query{k}", f"at{k}"): 1 for k in range(1, N + 1)}
    layers = [encoded(hot, N), sharpened(score, "value", "found", weighting, N)]
    return over_rows(this, ("query", "value"), places, layers, "found", max_length=N)
