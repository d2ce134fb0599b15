"""The literature's names of masks, weightings and outputs are accepted in Python, and shown by the listed name."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

import symcook as sc
from symcook.errors import BadInput
from symcook.model.checks import ALIASES
from symcook.model.ends import READOUTS
from symcook.model.modelfile import dumps, loads
from symcook.model.parts import MASKS, WEIGHTINGS

SEEN: dict[str, set[int]] = {  # by the meaning of each name: which of three positions the second one sees
    "causal": {1, 2}, "strict-causal": {1}, "anti-causal": {2, 3}, "strict-anti-causal": {3},
    "bidirectional": {1, 2, 3},
}  # fmt: skip
ATTENDED: dict[str, Callable[[list[int]], list[int]]] = {  # which of the positions with the largest score count
    "ahat": lambda most: most, "uhat-left": lambda most: most[:1], "uhat-right": lambda most: most[-1:],
}  # fmt: skip


def model(text: dict[str, dict[str, int]], **how: Any) -> sc.Transformer:
    b = sc.Builder(words=text)
    mean = b.add(sc.head(value={"mean": "vote"}, **how))
    b.readout("value", "each", mean)
    return b.build("m")


@pytest.mark.parametrize("mask", SEEN)
def test_a_mask_sees_what_its_name_means(mask: str) -> None:
    votes = {"a": 1, "b": 3, "c": 7}
    mean = Fraction(sum(vote for i, vote in enumerate(votes.values(), 1) if i in SEEN[mask]), len(SEEN[mask]))
    found = model({letter: {"vote": vote} for letter, vote in votes.items()}, mask=mask)
    assert found.run("abc").outputs[1] == str(mean)
    assert found.layers[0].attention.heads[0].mask == ALIASES[mask] in MASKS  # type: ignore[union-attr]


@pytest.mark.parametrize("weighting", ATTENDED)
def test_a_weighting_attends_as_its_name_means(weighting: str) -> None:
    text = {"a": {"one": 1, "hot": 1, "vote": 1}, "b": {"one": 1, "vote": 5}, "c": {"one": 1, "hot": 1, "vote": 4}}
    found = model(text, score={("one", "hot"): 1}, weighting=weighting)
    attended = [text[letter]["vote"] for letter in "abac" if text[letter].get("hot")]
    attended = ATTENDED[weighting](attended)
    assert found.run("abac").outputs[0] == str(Fraction(sum(attended), len(attended)))
    assert found.layers[0].attention.heads[0].weighting == ALIASES[weighting] in WEIGHTINGS  # type: ignore[union-attr]


def test_argmax_answers_with_the_label_of_the_largest_logit() -> None:
    models = []
    for kind in ("argmax", "largest"):
        b = sc.Builder(words="ab")
        b.readout(kind, "last", b.tokens, labels=("first", "second"))
        models.append(b.build("m"))
    assert models[0] == models[1] and models[0].readout.kind == "largest"
    assert [models[0](text).outputs for text in ("a", "b")] == [["first"], ["second"]]


def test_a_recipe_accepts_aliases() -> None:
    assert sc.build("average", weighting="AHAT") == sc.build("average", weighting="average")


def test_each_alias_has_a_listed_name_and_is_none() -> None:
    listed = {*MASKS, *WEIGHTINGS, *READOUTS}
    assert {*ALIASES.values()} <= listed and not {*ALIASES} & listed
    assert {*ALIASES} == {*SEEN, *ATTENDED, "argmax"}


def test_a_model_file_holds_the_listed_name_alone() -> None:
    text = dumps(model({"a": {"vote": 1}}, mask="causal", weighting="uhat-left"))
    assert '"future"' in text and '"leftmost"' in text and loads(text)
    document = json.loads(text)
    document["layers"][0]["attention"][0]["mask"] = "causal"
    with pytest.raises(BadInput, match='write "future"'):
        loads(json.dumps(document))


def test_an_unknown_name_is_still_an_error() -> None:
    with pytest.raises(BadInput, match="mask"):
        model({"a": {"vote": 1}}, mask="ahat")


@pytest.mark.parametrize("norms", [0, 1])
def test_the_name_of_a_mask_is_no_placement_of_norms(norms: int) -> None:
    """ "bidirectional" is the mask "none"; it was taken for a placement with norms, which no number system has."""
    layer = sc.build("first").layers[0]
    norm = sc.LayerNorm(reads=("k",), zero_variance="zero")
    given = {"attention_norms": (norm,) * norms, "feedforward_norms": (norm,) * norms}
    with pytest.raises(BadInput, match="placement of a norm must be a known name; given: bidirectional"):
        replace(layer, placement="bidirectional", **given)
