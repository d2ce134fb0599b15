"""Closed forms of softmax heads over symbols of several scores: what they divide by is a sum of powers of e times
counts, which is positive since the counts together are a number of positions."""

from __future__ import annotations

import itertools
import math

import pytest
from flint import fmpq
from forms_said import Answer

import symcook as sc
from symcook.domains.names import I, count
from symcook.domains.tablesigns import POSITIVE
from symcook.domains.world import World
from symcook.errors import BadInput

CASES: list[tuple[dict[str, object], dict[str, object]]] = [
    ({"a": 1, "b": 2}, {}),
    ({"a": 1, "b": -2, "c": "1/2"}, {}),
    ({"a": 1, "b": -2, "c": "1/2"}, {"cls": True}),
    ({"a": 1, "b": -2}, {"cls": True, "mask": "strict-causal", "readout": "each"}),
    ({"a": 0, "b": "1/3", "c": 1}, {"readout": "each", "query": 2}),
    ({"a": 1, "b": 2, "c": 3, "d": -1, "e": 0}, {}),
]


def soft(scores: dict[str, object], cls: bool = False, mask: str = "causal", readout: str = "last", query: int = 1):
    """The softmax mean of the scores of the symbols, with each score times `query` as its exponent."""
    words = {symbol: {"x": score, "one": query} for symbol, score in scores.items()}
    added = {"before": "CLS"} if cls else {}
    b = sc.Builder(words=words | ({"CLS": {"x": 1, "one": 1}} if cls else {}), **added)
    matrices = {"Q": [[1, 0]], "K": [[0, 1]], "V": [[0, 1]]}
    b.attention("mean", ["one", "x"], weighting="softmax", mask=mask, **matrices)
    b.readout("value", readout, "mean")
    return b.build("soft")


@pytest.mark.layer_one(0, 3)
@pytest.mark.parametrize("scores, named", CASES)
def test_the_form_is_what_the_model_computes(scores, named) -> None:
    model = soft(scores, **named)
    answer = Answer(sc.derive(model))
    strings = ("".join(s) for n in range(1, 4) for s in itertools.product(model.alphabet, repeat=n))
    assert sum(map(answer.compare, strings)) > 0



@pytest.mark.parametrize("low, high", [(1, 2), (-1, 1), (0, 1), (-1, -2), (1, 0)])
def test_signs_at_the_ends_of_a_count(low: int, high: int) -> None:
    """low*e*count(a, i) + high*(i - count(a, i)) has the signs that it has at pairs of counts with a sum of at least 1,
    and 0 is among them only where it is among these."""
    world = World(("a", "b"), 1, None, None, None)
    world.of_symbols = lambda _: POSITIVE  # a power of e is
    a, i = world.name(count("a", I)), world.name(I)
    e = world.field.function("exp", fmpq(1))
    value = a * e * fmpq(low) + (i - a) * fmpq(high)
    pairs = [(k, n - k) for n in range(1, 9) for k in range(n + 1)]
    met = {(x > 0) - (x < 0) for first, second in pairs for x in [low * math.e * first + high * second]}
    assert met <= world.signs(value, {}) and (low * high < 0 or world.signs(value, {}) == met)


def test_what_a_form_misses_is_named_in_words_of_statements() -> None:
    b = sc.Builder(words={"a": {"x": 1, "one": 1}, "b": {"x": 2, "one": 1}, "CLS": {"one": 1}}, before="CLS")
    b.attention("u", ["one", "x"], Q=[[1, 0]], K=[[0, 1]], V=[[0, 1]], weighting="softmax", mask="causal")
    b.add(sc.head(value={"v": "u"}, mask="causal"))
    b.feedforward("z", ["u", "v"], W1=[[2, -1]], b1=[0], W2=[[1]])
    b.readout("value", "last", "z")
    with pytest.raises(BadInput, match=r"given: z: a unit needs the sign of .*count\(a") as caught:
        sc.derive(b.build("far"))
    assert "sum 1" not in str(caught.value)
