from __future__ import annotations

from symcook.recipes import kit
from symcook.recipes.adapters import of_rows
from symcook.recipes.attention import LONGEST, POSITION, WEIGHTING, lookup_region, over_rows, sharpened
from symcook.recipes.registry import Recipe, recipe


@recipe(
    kind="attention",
    summary="at every position the value at the position that its query names",
    source="Cookbook, Section 5.3.4",
    formula="value(query(i))",
    region=POSITION,
    largest=False,
    uniformity="No weight depends on the length, but the temperature of softmax does; i and i^2 are not bounded.",
    claims=(
        "cookbook.t2.index_lookup",
        "cookbook.t5.quadmax",
        "cookbook.s5.3.lookup_spec",
        "cookbook.s5.3.4.quadmax",
        "cookbook.s5.3.4.argmax",
        "cookbook.s5.3.4.gap",
    ),
    reference="symcook.spec.attention:lookup_quadratic",
    arguments=(WEIGHTING, LONGEST),
    adapt=of_rows(("query", "value"), "found"),
    region_of=lookup_region,
)
def lookup_quadratic(this: Recipe, weighting: str, N: int) -> kit.Transformer:
    """The score 2 q j - j^2 is greatest at j = q, so average-hard attention reads the value there.

    found_i = value at position query_i, by scores 2 query_i j - j^2 = query_i^2 - (query_i - j)^2.

    Inputs: query and value, one row a position; the embedding adds one = 1, index = i and square = i^2. Scale 1: the
    printed scores leave out the factor 1/sqrt(d_key) = 1/sqrt(2) of Definition 2.3, which moves no maximum. Region:
    each query is a position, 1 to n, which is where the formula means something; any other query reads the nearest
    position, or the mean of two equally near. weighting softmax: temperature 1/log(8 N), the gap being 1, and the
    rounding of Section 5.7, to length N for values 0 and 1.
    """
    look = sharpened({("query", "index"): 2, ("one", "square"): -1}, "value", "found", weighting, N)
    return over_rows(
        this,
        ("query", "value"),
        {"one": 1, "index": "i", "square": "i^2"},
        [look],
        "found",
        order=("query", "one", "index", "square", "value"),
        max_length=N if weighting == "softmax" else None,
    )
