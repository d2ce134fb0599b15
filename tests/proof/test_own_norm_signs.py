"""Signs and sizes of what a layer norm with an epsilon writes: y = m/sqrt(m^2 + 1/4) for the mean m of the votes."""

from __future__ import annotations

from functools import cache

import pytest

import symcook as sc
from symcook.proof.search.attempts import Failed
from symcook.proof.search.tactics import Goal
from symcook.proof.statements import certify, normfacts
from symcook.proof.statements.proving import document_of


@cache
def epsilon() -> sc.Transformer:
    space, words = ("vote", "mean", "sgn"), {"a": {"vote": 1}, "b": {"vote": -1}, "c": {"vote": 0}}
    mean = sc.Head(("vote",), ("mean",), Q=[], K=[], V=[[1]], mask="causal")
    norm = sc.LayerNorm(("mean",), ("u", "v"), epsilon="1/4", projection=[[1], [-1]], zero_variance="zero")
    copy = sc.FeedForward(("u",), ("sgn",), W1=[[1], [-1]], b1=[0, 0], W2=[[1, -1]], b2=[0])
    layers = (sc.Layer(mean, None), sc.Layer(None, copy, (), (norm,), "projected pre"))
    embedding = sc.Embedding(sc.Space(space), words)
    return sc.Transformer("epsilon", embedding, layers, sc.Readout("sign", "last", ("sgn",), [[1]]))


def proved(sentence: str) -> Goal | Failed:
    claim = certify.claim(document_of(epsilon(), {}), sentence)
    return normfacts.prove(certify.library(claim, certify.citable()), claim, 20)


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("sentence", ["abs(sgn(n)) < 1", "accept <-> count(b) < count(a)"])
def test_a_true_claim_about_a_norm_with_epsilon_is_proved(sentence):
    found = proved(sentence)
    assert isinstance(found, Goal) and found.closed


@pytest.mark.sweep
@pytest.mark.parametrize(
    "sentence",
    [
        "abs(sgn(n)) < 4/5",  # a alone: 1/sqrt(5/4), which is 0.894
        "accept <-> count(b) < count(a) + 1",  # c alone
    ],
)
def test_a_false_claim_about_a_norm_with_epsilon_is_not_proved(sentence):
    assert isinstance(proved(sentence), Failed)
