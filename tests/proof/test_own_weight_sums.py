"""Claims about softmax heads whose weights have a sum in closed form: by symbol, and linear in the position.

The values of the true claims are computed by hand: with scores 2 for a and 0 for b, the weights of a row add up to
e^2*count(a) + count(b); with scores j, to (e^(i + 1) - e)/(e - 1)."""

from __future__ import annotations

from functools import cache

import pytest

import symcook as sc
from symcook.proof.search.attempts import Failed
from symcook.proof.search.tactics import Goal
from symcook.proof.statements import certify, weightsums
from symcook.proof.statements.proving import document_of


@cache
def by_symbol(mask: str = "causal") -> sc.Transformer:
    b = sc.Builder(words={"a": {"one": 1, "is_a": 1}, "b": {"one": 1}})
    f = b.add(sc.head({("one", "is_a"): 2}, {"f": "is_a"}, mask=mask, weighting="softmax"))
    b.readout("sign", "last", [*f, "one"], weights=[1, "-1/2"])
    return b.build("by_symbol")


@cache
def sink() -> sc.Transformer:
    words = {"BOS": {"bos": 1, "one": 1}, "a": {"one": 1}, "b": {"one": 1}}
    b = sc.Builder(words=words, before="BOS")
    b.readout("value", "last", b.add(sc.head({("one", "bos"): 3}, {"s": "bos"}, mask="causal", weighting="softmax")))
    return b.build("sink")


@cache
def slope(by: int = 1) -> sc.Transformer:
    b = sc.Builder(words={"a": {"is_a": 1}, "b": {}}, positions={"place": "i", "one": "1"})
    f = b.add(sc.head({("one", "place"): by}, {"f": "is_a"}, mask="causal", weighting="softmax"))
    b.readout("sign", "last", [*f, "one"], weights=[1, "-1/2"])
    return b.build("slope")


@cache
def distance() -> sc.Transformer:
    """ALiBi: the score of j at i is 2*(j - i)."""
    b = sc.Builder(words={"a": {"is_a": 1}, "b": {}}, positions={"place": "i", "one": "1"})
    score = {("one", "place"): 2, ("place", "one"): -2}
    f = b.add(sc.head(score, {"f": "is_a"}, mask="causal", weighting="softmax"))
    b.readout("sign", "last", [*f, "one"], weights=[1, "-1/2"])
    return b.build("distance")


def proved(model: sc.Transformer, sentence: str) -> Goal | Failed:
    claim = certify.claim(document_of(model, {}), sentence)
    return weightsums.prove(certify.library(claim, certify.citable()), claim, 20)


TRUE = [
    (slope, "weight(1, 1, n, 1) <= exp(1 - n)"),
    (slope, "1 - exp(-1) <= weight(1, 1, n, n)"),
    (distance, "1 - exp(-2) <= weight(1, 1, n, n)"),
    (by_symbol, "all i in 1..n. weight(1, 1, n, i) <= exp(2)/(exp(2) + n - 1)"),
    (slope, "accept <-> at(a, n)"),
    (by_symbol, "0 < count(a) -> exp(2)/(exp(2) + n - 1) <= f(n)"),
    (sink, "all i in 1..n. weight(1, 1, i, 1) = exp(3)/(exp(3) + i - 1)"),
    (sink, "all i in 2..n. weight(1, 1, n, i) <= 1/(n + 19)"),
    (lambda: by_symbol("none"), "all i in 1..n. at(b, i) -> weight(1, 1, i, i) <= 1/n"),
]


@pytest.mark.layer_one(0, 1)
@pytest.mark.parametrize(("model", "sentence"), TRUE)
def test_a_true_claim_about_sums_of_weights_is_proved(model, sentence):
    found = proved(model(), sentence)
    assert isinstance(found, Goal) and found.closed


NEAR = [
    (slope, "weight(1, 1, n, 1) <= exp(-n)"),  # at n = 1 the weight is 1
    (slope, "2/3 <= weight(1, 1, n, n)"),  # 0.665 at n = 3
    (distance, "1 - exp(-3) <= weight(1, 1, n, n)"),  # below 0.95 from n = 2 on
    (by_symbol, "all i in 1..n. weight(1, 1, n, i) <= exp(2)/(exp(2) + n)"),
    (by_symbol, "exp(2)/(exp(2) + n - 1) <= f(n)"),  # b alone
    (sink, "all i in 1..n. weight(1, 1, i, 1) = exp(3)/(exp(3) + i)"),
    (sink, "all i in 2..n. weight(1, 1, n, i) <= 1/(n + 20)"),  # e^3 - 1 is 19.08
    (lambda: slope(-1), "accept <-> at(a, n)"),  # the first position has most
]


@pytest.mark.sweep
@pytest.mark.parametrize(("model", "sentence"), NEAR)
def test_a_false_claim_about_sums_of_weights_is_not_proved(model, sentence):
    assert isinstance(proved(model(), sentence), Failed)


@pytest.mark.sweep
def test_the_checker_accepts_a_geometric_sum():
    answer = slope().prove("weight(1, 1, n, 1) <= exp(1 - n)", seconds=20)  # exact runs of strings take most of it
    assert answer.status == "PROVED" and answer.verdict is not None
    assert "sums of weights" not in dict(answer.asked)


def test_the_law_of_scores_is_read():
    heads = weightsums.HeadFacts(weightsums.Facts(certify.claim(document_of(distance(), {}), "f(n) <= 1")))
    law = weightsums.WeightSums(heads).laws["f"]
    assert (law.by_token, law.slope) == ({}, 2) and weightsums.show(law.offset) == "-2*i"
    heads = weightsums.HeadFacts(weightsums.Facts(certify.claim(document_of(sink(), {}), "s(n) <= 1")))
    assert weightsums.WeightSums(heads).laws["s"].by_token == {0: 3, 1: 0, 2: 0}


def test_scores_by_symbol_and_position_have_no_law():
    words = {"a": {"is_a": 1}, "b": {}}
    b = sc.Builder(words=words, positions={"place": "i", "one": "1"})
    score = {("one", "is_a"): 1, ("one", "place"): 1}
    b.readout("value", "last", b.add(sc.head(score, {"f": "is_a"}, mask="causal", weighting="softmax")))
    assert isinstance(found := proved(b.build("both"), "f(n) <= 1"), Failed)
    assert found.why == "no sums of weights: no head of the statement has weights by symbol or by distance"
