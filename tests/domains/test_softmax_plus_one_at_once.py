"""Strings of a dense model with softmax-plus-one heads, run together in floats with certified errors."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

import symcook as sc
from symcook.domains.batch import Listed
from symcook.domains.radii import Radii
from symcook.forward import forward


def drawn(seed: int, mask: str, size: int = 16) -> sc.Transformer:
    """A head of random weights over two symbols; the model answers by the sum of what it writes."""
    draw = random.Random(seed)

    def matrix(rows: int, columns: int) -> list[list[Fraction]]:
        return [[Fraction(draw.randint(-9, 9), 8) for _ in range(columns)] for _ in range(rows)]

    reads, writes = ([f"{letter}{k}" for k in range(size)] for letter in "xy")
    b = sc.Builder(words={symbol: dict(zip(reads, *matrix(1, size), strict=True)) for symbol in "ab"})
    matrices = {"Q": matrix(8, size), "K": matrix(8, size), "V": matrix(size, size)}
    b.attention(writes, reads, weighting="softmax-plus-one", mask=mask, **matrices)
    b.readout("sign", "last", writes, weights=[1] * size)
    return b.build("drawn")


@pytest.mark.layer_one(0, 1)
@pytest.mark.parametrize("mask", ["causal", "strict-causal", "anti-causal", "none"])
def test_the_answers_are_those_of_each_run_in_balls(mask: str) -> None:
    """Of twelve models whose answers turn on the size of weights, each is decided on every string."""
    words = ["abba", "bbbb", "aaab", "aaaa"]
    for seed in range(12):
        model = drawn(seed, mask)
        assert model.dense
        (found,) = forward(model, Listed(tuple(map(tuple, words))), Radii()).answers
        assert found.tolist() == [int(bool(model.run(word, "ball").accept)) for word in words]


def test_a_check_in_balls_is_that_of_single_runs() -> None:
    model = drawn(2, "causal")
    assert model.check(lambda word: model.run(word, "ball").accept, max_length=4, domain="ball").holds
    assert not model.check(lambda word: not model.run(word, "ball").accept, max_length=2, domain="ball").holds
