"""Which part, position and word a bound names: the same names by words and by constants, positions as a run shows them,
and the ends: one letter, one position, one score that moves."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from families import together

import symcook as sc
from symcook import bounds
from symcook.bounds.error import moves

F = Fraction
NAMES = ("a", "b")


def network(activation: str = "relu", weight: Any = 1) -> sc.FeedForward:
    return sc.FeedForward(("a",), ("b",), [[1]], [0], [[weight]], [0], activation)


def test_parts_have_one_name_each() -> None:
    """By words, by constants and by both: the same names in the same order, the final norm's without a layer."""
    head = sc.Head(("a",), ("b",), [[0]], [[0]], [[1]], "future")
    norm = sc.LayerNorm(NAMES, epsilon=1)
    embedding = sc.Embedding(sc.Space(NAMES), words={"x": {"a": 1}, "y": {"b": 1}})
    layers = (sc.Layer(sc.SelfAttention((head,)), network()), sc.Layer(None, network()))
    model = sc.Transformer("m", embedding, layers, sc.Readout("value", "last", ("b",)), final_norm=norm)
    wanted = ["embedding", "layer 1 attention", "layer 1 feed-forward", "layer 2 feed-forward", "final norm"]
    for given in ({"delta": "1/8", "n": 2}, {"delta": "1/8", "constants": True}, {"dtype": "float32", "n": 2}):
        found = bounds.error_propagation(model, **given)
        assert [name for name in found.extra if name.startswith("after ")] == [f"after {part}" for part in wanted]
        said = [str(found.extra[f"after {part}"]) for part in wanted]
        both = "delta" in given and "n" in given
        assert all(("(constants " in text and "; papers " in text) is both for text in said)
        assert all(("(papers " in text) is ("constants" in given) for text in said)


@together("position", ["first", "last", "each", "all"])
@together("before", [None, "^"])
def test_the_position_at_which_a_score_moves_most(position: str, before: str | None) -> None:
    """gelu is steepest at the square root of 2, where the last position stands; numbers count what the model adds."""
    words: dict[str, Any] = {"x": {}, "y": {}} | ({before: {}} if before else {})
    many = 3 + (before is not None)
    embedding = sc.Embedding(sc.Space(NAMES), words=words, positions={"a": f"7*i/{5 * many}"}, before=before)
    readout = sc.Readout("sign", position, ("b",), [[3]])
    model = sc.Transformer("m", embedding, (sc.Layer(None, network("gelu")),), readout)
    found = bounds.error_propagation(model, delta="1/10^9", n=3)
    place = 1 if position == "first" else many
    assert str(found.extra["logit"]).endswith(f", at position {place} of xxx"), found.extra["logit"]
    assert str(found.extra["coordinate b"]).endswith(f", at position {many} of xxx")
    x = 7 * place / (5 * many)
    slope = (1 + math.erf(x / math.sqrt(2))) / 2 + x * math.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    size = float(str(found.extra["logit"]).removeprefix("at most ").split(",")[0].split(" ")[0])
    assert size == pytest.approx(3e-9 * max(1, slope), rel=1e-4)


def test_one_score_that_moves() -> None:
    """Softmax over one position is that position's value, whatever its score does."""
    head = sc.Head(("a",), ("b",), [[3]], [[5]], [[1]], "future", "softmax")
    embedding = sc.Embedding(sc.Space(NAMES), words={"x": {"a": "1/3"}})
    model = sc.Transformer("m", embedding, (sc.Layer(head),), sc.Readout("value", "last", ("b",)))
    third = abs(F(11184811, 2**25) - F(1, 3))
    found = moves(model, 1, None, "float32", 128)
    assert float(third) <= float(found.coordinates["b"][0]) <= float(third) * (1 + 1e-9)
    alone = moves(model, 1, F(1, 8), None, 128)
    assert float(alone.coordinates["b"][0]) == pytest.approx(1 / 8)  # a and b move by 1/8 together


@together("activation", ["relu", "gelu"])
def test_one_letter(activation: str) -> None:
    """No symbol is another one: nothing changes, exactly and in balls."""
    embedding = sc.Embedding(sc.Space(NAMES), words={"x": {"a": 1}})
    model = sc.Transformer("m", embedding, (sc.Layer(None, network(activation)),), sc.Readout("value", "each", ("b",)))
    for n in (2, 3):
        found = bounds.sensitivity(model, n)
        assert F(found.value.mid) == 0 and found.where == "no symbol changes an output"


@together("activation", ["relu", "gelu"])
@together("weight", [1, -1])
def test_the_words_of_the_greatest_change(activation: str, weight: int) -> None:
    """Three letters of which the middle one is greatest: between it and the least, in either order of their outputs."""
    words = {"x": {"a": 1}, "y": {"a": 5}, "z": {"a": 2}}
    head = sc.Head(("b",), ("c",), [[0]], [[0]], [[1]], "none")
    layers = (sc.Layer(None, network(activation, weight)), sc.Layer(head))
    embedding = sc.Embedding(sc.Space((*NAMES, "c")), words=words)
    model = sc.Transformer("m", embedding, layers, sc.Readout("value", "last", ("c",)))
    said = {bounds.sensitivity(model, n).where for n in (1, 2)}
    first, last = ("x", "y") if weight > 0 else ("y", "x")
    assert said == {f"by c between {first} and {last}", f"by c between {first}x and {last}x"}
