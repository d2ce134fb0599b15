"""Each line that `derive` prints of a recipe, and of models at random, is a statement that `prove` takes, and is
true of short strings."""

from __future__ import annotations

import pytest
from odd_names import asked, drawn
from said_lines import accepted, formed
from test_said_lines import corpus, expansions

import symcook as sc
from symcook.recipes import names

LONG = ("parity-layernorm",)
"""Recipes whose lines are longer than a statement may be, with the long values that they need written out."""


@pytest.mark.parametrize("name", names())
@pytest.mark.layer_two(every=24)
def test_the_lines_of_each_recipe(name: str) -> None:
    """Of lines that differ in numbers alone, as those of lookup-almost-orthogonal for each digit, the first."""
    model = sc.build(name)
    found = None if model.pointwise else formed(model)
    if found is not None and name not in LONG:
        assert accepted(found, alike=True)[0]


@pytest.mark.campaign
@pytest.mark.parametrize("name", [name for name in names() if name not in LONG])
def test_all_lines_of_each_recipe(name: str) -> None:
    model = sc.build(name)
    found = None if model.pointwise else formed(model)
    assert found is None or accepted(found)[0]


@pytest.mark.layer_two(every=30)
@pytest.mark.parametrize("seeds", [range(k, k + 15) for k in range(0, 450, 15)], ids=str)
def test_the_lines_of_models_with_odd_names(seeds: range) -> None:
    """90 draws, of which more than 30 have closed forms; 360 more by the campaign `cases`."""
    reached = 0
    for seed in seeds:
        if asked(seed, 2) is not None and (found := formed(drawn(seed))) is not None:
            reached += accepted(found)[0] > 0
    assert reached > 3


def test_all_statements_of_the_corpus_mean_what_they_meant() -> None:
    assert expansions(corpus()) == "bc0d4b3ce88ff85cf3e009b67132dc9eb156ef77a0087fd2d76dafd823a259ce"
