from __future__ import annotations

from symcook.recipes import kit
from symcook.recipes.adapters import of_rows
from symcook.recipes.attention import LONGEST, POSITION, WEIGHTING, lookup_region, over_rows, sharpened
from symcook.recipes.registry import Recipe, recipe


@recipe(
    kind="attention",
    summary="the value at the position that a query names, by layer-norm hashes",
    source="Cookbook, Section 5.3.3",
    formula="value(query(i))",
    region=POSITION,
    largest=False,
    uniformity="No weight depends on the length; the position function 1/i is bounded.",
    claims=(
        "cookbook.t2.index_lookup",
        "cookbook.t5.lnhash",
        "cookbook.s3.3.integer_reps",
        "cookbook.s5.3.lookup_spec",
        "cookbook.s5.3.3.lh",
        "cookbook.s5.3.3.lh_scale",
        "cookbook.s5.3.3.lh_from_ratio",
        "cookbook.s5.3.3.lh_key",
        "cookbook.s5.3.3.lh_argmax",
        "cookbook.s5.3.3.lh_gap",
        "cookbook.s5.3.3.selective_ln",
    ),
    reference="symcook.spec.attention:lookup_hash",
    arguments=(WEIGHTING, LONGEST),
    adapt=of_rows(("query", "value"), "found"),
    region_of=lookup_region,
)
def lookup_layernorm_hash(this: Recipe, weighting: str, N: int) -> kit.Transformer:
    """Layer norm of (x, 1, -x, -1), applied to four components alone, is a vector of one length for every x; the
    product of two is greatest where they are equal.

    found_i = value at position query_i, by scores lh(query_i) . lh(j) with lh(x) = LN([x; 1; -x; -1]), epsilon = 0.

    Two norms with projections, W_N x = (q, 1, -q, -1) and (1, 1/j, -1, -1/j), see four components each; a feed-forward
    part copies what they give, lh(q_i) and lh(j), into the stream, and the head has W^(Q) = [I 0 0], W^(K) = [0 I 0]
    and W^(V) = [0 0 1] as printed. lh does not change with the scale, so that a query q_i/i beside 1/i would do as well
    as q_i beside 1. weighting: average, leftmost or rightmost; softmax with temperature 2/(N^4 log(8 N)) to length N
    and the rounding of Section 5.7, as two of these scores differ by 2/N^4 or more (`symcook bound layernorm-hash`,
    times 4 as lh has length 2). Region: each query is a position, 1 to n. Any other query reads the position whose
    direction (j, 1) is nearest to that of (q, 1).
    """
    asked = kit.LayerNorm(("query", "one"), ("a1", "a2", "a3", "a4"), projection=[[1, 0], [0, 1], [-1, 0], [0, -1]])
    place = kit.LayerNorm(("one", "inverse"), ("b1", "b2", "b3", "b4"), projection=[[1, 0], [0, 1], [-1, 0], [0, -1]])
    copies = {f"query{c}": f"relu(a{c}) - relu(-a{c})" for c in range(1, 5)}
    copies |= {f"at{c}": f"relu(b{c}) - relu(-b{c})" for c in range(1, 5)}
    hashes = kit.Layer(None, kit.feedforward(copies), (), (asked, place), "multi pre")
    score = {(f"query{c}", f"at{c}"): 1 for c in range(1, 5)}
    look = sharpened(score, "value", "found", weighting, N, gap=f"2/{N**4}")
    return over_rows(
        this,
        ("query", "value"),
        {"one": 1, "inverse": "1/i"},
        [hashes, look],
        "found",
        max_length=N if weighting == "softmax" else None,
    )
