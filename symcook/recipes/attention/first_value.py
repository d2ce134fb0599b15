from __future__ import annotations

from symcook.recipes import kit
from symcook.recipes.adapters import of_rows
from symcook.recipes.attention import LONGEST, MARK, WEIGHTING, over_rows, sharpened
from symcook.recipes.registry import Recipe, recipe


def _region(weighting: str, **_: object) -> str:
    return "value = 0 | value = 1" if weighting == "softmax" else "true"


@recipe(
    kind="attention",
    summary="at every position the value at position 1, which (-1)^i marks",
    source="Cookbook, Section 5.2, with Table 2",
    formula="value(1)",
    region="true",
    largest=False,
    uniformity="No weight depends on the length, but the temperature of softmax does; the position function is (-1)^i.",
    claims=("cookbook.t2.first",),
    reference="symcook.spec.attention:first_value",
    arguments=(WEIGHTING, LONGEST),
    adapt=of_rows(("value",), "found"),
    region_of=_region,
)
def first_value(this: Recipe, weighting: str, N: int) -> kit.Transformer:
    """The first position is marked, as by first-position; a second layer looks where the mark is greatest.

    found_i = value_1, by scores that are the mark I[j = 1] of Section 5.2.

    weighting: average, leftmost, rightmost, or softmax with temperature 1/log(8 N) and the rounding of Section 5.7. N:
    the greatest length, with softmax. Inputs: value, one row a position. Table 2 says that First retrieves the value at
    position 1; the text marks that position, and this is both. Region: any values; with softmax 0 and 1.
    """
    mean = kit.head(value={"mean": "-alternating"}, mask="future")
    mark = kit.Layer(mean, kit.feedforward(first=MARK))
    look = sharpened({("one", "first"): 1}, "value", "found", weighting, N)
    places = {"one": 1, "alternating": "(-1)^i"}
    return over_rows(this, ("value",), places, [mark, look], "found", max_length=N if weighting == "softmax" else None)
