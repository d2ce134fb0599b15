"""Bounds of what a uniform head writes, by bounds of the sum of its values.

The bounds of the true claims are computed by hand: pairs ``ab`` do not overlap; of n positions, n/2 rounded up are in
the second half; the mean of i/n is (n + 1)/(2*n)."""

from __future__ import annotations

from functools import cache

import pytest

import symcook as sc
from symcook.proof.search.attempts import Failed
from symcook.proof.search.tactics import Goal
from symcook.proof.statements import certify, meanbounds
from symcook.proof.statements.proving import document_of


@cache
def pairs_of_ab() -> sc.Transformer:
    b = sc.Builder(words={"a": {"is_a": 1}, "b": {"is_b": 1}})
    b.add(sc.head(value={"prev_a": "is_a"}, mask="strict-causal", weighting="rightmost"))
    b.add(sc.feedforward(pair="relu(prev_a + is_b - 1)"))
    b.readout("sign", "last", b.add(sc.head(value={"share": "pair"}, mask="causal")), weights=[1])
    return b.build("pairs_of_ab")


@cache
def late() -> sc.Transformer:
    positions = {"half": "I[n < 2*i]", "frac": "i/n"}
    b = sc.Builder(words={"a": {"is_a": 1}, "b": {}}, positions=positions)
    b.add(sc.feedforward(both="relu(is_a + half - 1)", where_a="relu(is_a + frac - 1)"))
    mean = b.add(sc.head(value={"late": "both"}))
    b.add(sc.head(value={"center": "where_a"}))
    b.readout("sign", "last", mean, weights=[1])
    return b.build("late")


def proved(model: sc.Transformer, sentence: str) -> Goal | Failed:
    claim = certify.claim(document_of(model, {}), sentence)
    return meanbounds.prove(certify.library(claim, certify.citable()), claim, 20)


TRUE = [
    (late, "center(n) <= (n + 1)/(2*n)"),
    (late, "late(n) <= 1/2 + 1/(2*n)"),
    (late, "late(n) <= count(a)/n"),
    (pairs_of_ab, "share(n) <= 1/2"),
    (pairs_of_ab, "share(n) <= count(a)/n & share(n) <= count(b)/n"),
]


@pytest.mark.layer_one(0, 1)
@pytest.mark.parametrize(("model", "sentence"), TRUE)
def test_a_true_bound_of_a_mean_is_proved(model, sentence):
    found = proved(model(), sentence)
    assert isinstance(found, Goal) and found.closed


NEAR = [
    (late, "center(n) <= 1/2"),  # a alone: 1
    (late, "late(n) <= 1/2"),  # a alone: 1
    (late, "late(n) <= 1/2 + 1/(3*n)"),  # aaa: 2/3
    (late, "late(n) <= count(b)/n"),
    (pairs_of_ab, "share(n) <= 1/3"),  # ab: 1/2
    (pairs_of_ab, "share(n) <= 1/2 - 1/(2*n)"),  # ab: 1/2
    (pairs_of_ab, "share(n) < count(a)/n"),  # b: 0
]


@pytest.mark.sweep
@pytest.mark.parametrize(("model", "sentence"), NEAR)
def test_a_false_bound_of_a_mean_is_not_proved(model, sentence):
    assert isinstance(proved(model(), sentence), Failed)


@pytest.mark.sweep
def test_the_answer_names_the_strategy():
    answer = pairs_of_ab().prove("share(n) <= 1/2", seconds=20)
    assert answer.status == "PROVED" and answer.method == "automatic proof by bounds of means"
    assert answer.verdict is not None
