"""What docs/guides/cookbook-versions.md says of the constructions that the older text has and that are wrong."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from symcook.compose import Builder
from symcook.model.parts import Layer, SelfAttention
from symcook.model.transformer import Transformer
from symcook.model.weights import head
from symcook.recipes import build, info
from symcook.recipes.languages.induction import answered, fetch, letters, over_letters


def active_score(sign: int) -> Transformer:
    """dyck-1-2 whose left head has the scores j/n + sign a_j, and the right one sign a_j - j/n."""
    model = build("dyck-1-2")
    sides = (("left", "strict-future", 1), ("right", "strict-past", -1))
    heads = tuple(
        head({("one", "active"): sign, ("one", "share"): share}, {side: "token"}, mask=mask)
        for side, mask, share in sides
    )
    layers = (Layer(SelfAttention(heads), layer.feedforward) if layer.attention else layer for layer in model.layers)
    return replace(model, layers=tuple(layers))


def test_scores_of_section_9_2_2() -> None:
    """i/n - (a_i - 1) is i/n - a_i up to the constant 1, which changes no maximum."""
    assert active_score(1).run("(())").accept is True
    assert active_score(-1).run("(())").accept is False


@pytest.mark.parametrize(
    ("printed", "word", "answer"), [("newer", "AB", "AB"), ("older", "AB", "AA"), ("older", "ABCA", "AABC")]
)
def test_queries_and_keys_of_section_9_1_1(printed: str, word: str, answer: str) -> None:
    hot, last, found = (letters(name, "ABC") for name in ("is", "before", "found"))
    b = over_letters("ABC", "rightmost")
    fetch(b, hot, last, {}, "strict-future", "rightmost")
    queries, keys = (hot, last) if printed == "newer" else (last, hot)
    fetch(b, hot, found, dict.fromkeys(zip(queries, keys, strict=True), 1), "future", "rightmost")
    got: Any = answered(b, info("induction-most-recent"), found, "ABC").run(word).outputs
    assert "".join(got) == answer


@pytest.mark.parametrize("weighting", ["average", "rightmost"])
def test_a_value_of_1_counts_nothing(weighting: str) -> None:
    """Section 9.1.2: with the value 1 at every position, attention to the bigram AC gives 1 with or without one."""
    b = Builder(words={"A": {"a": 1}, "C": {"c": 1}}, positions={"one": 1})
    b.add(head(value={"a_before": "a"}, mask="strict-future", weighting="rightmost"))
    score = {("one", "a_before"): 1, ("one", "c"): 1}
    b.add(head(score, {"count": "one"}, mask="future", weighting=weighting))
    b.readout("value", "each", ("count",))
    model = b.build("older")
    for word in ("AC", "ACAC", "CCA"):
        outputs: Any = model.run(word).outputs
        assert [Fraction(one) for one in outputs] == [1] * len(word)
