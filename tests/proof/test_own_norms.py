"""Norms before the first head have one value for each symbol, by which claims are proved; near misses are not."""

from __future__ import annotations

import itertools
import math
from functools import cache, partial
from pathlib import Path

import pytest
from shared import second_checker

import symcook as sc
from symcook.model.modelfile import to_document
from symcook.proof.search.attempts import Failed
from symcook.proof.search.tactics import Goal
from symcook.proof.statements import bysymbol, certify

SPACE = ("u", "v")
VALUES = {"a": (3, 1), "b": (-1, 0), "c": (0, 2)}


@cache
def model(kind: str, mask: str = "none", before: str | None = None, after: str | None = None) -> sc.Transformer:
    """u of the tokens is normed, averaged and added to v."""
    added = {token: {"v": 1} for token in (before, after) if token}
    values = {token: {name: x for name, x in zip(SPACE, pair, strict=True) if x} for token, pair in VALUES.items()}
    words = sc.Embedding(sc.Space(SPACE), {**added, **values}, before=before, after=after)
    head = sc.Head(SPACE, SPACE, Q=[], K=[], V=[[0, 0], [1, 0]], mask=mask)
    norm = {
        "rms": lambda: sc.RMSNorm(SPACE),
        "gain": lambda: sc.RMSNorm(SPACE, gain=[2, "1/2"]),
        "layer": lambda: sc.LayerNorm(SPACE, zero_variance="zero"),
        "epsilon": lambda: sc.LayerNorm(SPACE, epsilon="1/100"),
    }[kind]()
    layers = (sc.Layer(head, None, (norm,), (), "pre"),)
    return sc.Transformer("normed", words, layers, sc.Readout("sign", "last", ("v",), [[1]]))


def normed(kind: str, u: float, v: float) -> float:
    """u after the norm, by the definition."""
    if kind in ("rms", "gain"):
        return (2 if kind == "gain" else 1) * u / math.sqrt((u * u + v * v) / 2)
    mu = (u + v) / 2
    deviation = math.sqrt(((u - mu) ** 2 + (v - mu) ** 2) / 2 + (0.01 if kind == "epsilon" else 0))
    return (u - mu) / deviation if deviation else 0


def last(kind: str, word: str, added: int = 0) -> float:
    """v at the last position, by plain loops. `added` tokens with u = 0, v = 1 come before the string."""
    pairs = [*[(0, 1)] * added, *(VALUES[a] for a in word)]
    return pairs[-1][1] + sum(normed(kind, *pair) for pair in pairs) / len(pairs)


def proved(told: sc.Transformer, sentence: str, seconds: float = 6) -> tuple[certify.Statement, dict] | str:
    """The statement and its certificate, which the first checker accepts; or why there is none."""
    document = to_document(told)
    statement = certify.claim(document, sentence)
    goal = bysymbol.prove(certify.library(statement, certify.citable()), statement, seconds)
    if isinstance(goal, Failed):
        return goal.why
    parts = {"proof": partial(Goal.take, trial=goal)}
    certificate, verdict = certify.certificate_of(statement, parts, certify.models(statement, document), None)
    assert verdict.status == "PROVED" and not verdict.assuming
    return statement, certificate


TRUE = [
    ("rms", None, "at(c, n) -> v(n) > 1/2", lambda w, v: w[-1] != "c" or v > 0.5),
    ("rms", None, "count(a) + count(c) = 0 -> v(n) = -sqrt(2)", lambda w, v: set(w) != {"b"} or abs(v + 2**0.5) < 1e-9),
    ("gain", None, "v(n) <= 1 + 3*sqrt(2)", lambda w, v: v <= 5.25),
    ("layer", None, "v(n) < 3", lambda w, v: v < 3),
    ("layer", None, "v(n) = v@0(n) + (count(a) - count(b) - count(c))/n",
     lambda w, v: abs(v - VALUES[w[-1]][1] - (w.count("a") - w.count("b") - w.count("c")) / len(w)) < 1e-9),
    ("epsilon", None, "count(a) = n -> v(n) > 1 + 99/100", lambda w, v: set(w) != {"a"} or v > 1.99),
    ("rms", "BOS", "count(a) = 0 -> v(n) <= 2", lambda w, v: "a" in w or v <= 2),
    ("layer", "BOS", "count(a) >= n - 1 -> v(n) <= 2", lambda w, v: set(w) != {"a"} or v <= 2),
]  # fmt: skip
NEAR = [
    ("rms", None, "at(c, n) -> v(n) > 3/5"),
    ("gain", None, "v(n) < 3 + sqrt(2)"),
    ("layer", None, "v(n) <= 2"),
    ("epsilon", None, "count(a) = n -> v(n) >= 2"),
    ("rms", "BOS", "count(a) = 0 -> v(n) <= 1"),
]


@pytest.mark.layer_one(0)
@pytest.mark.parametrize(("kind", "before", "sentence", "oracle"), TRUE)
def test_norms_of_symbols(kind, before, sentence, oracle, tmp_path: Path):
    words = ["".join(w) for n in range(1, 5) for w in itertools.product("abc", repeat=n)]
    assert all(oracle(w, last(kind, w, int(before is not None))) for w in words)
    found = proved(model(kind, "causal" if before else "none", before), sentence)
    assert not isinstance(found, str), found
    done = second_checker(tmp_path, *found)
    assert done.returncode == 0 and "OPEN" not in done.stdout


@pytest.mark.layer_one(2)
@pytest.mark.parametrize(("kind", "before", "sentence"), NEAR)
def test_false_claims_about_norms_are_not_proved(kind, before, sentence):
    assert isinstance(proved(model(kind, "causal" if before else "none", before), sentence, 0.5), str)


@pytest.mark.sweep
@pytest.mark.parametrize("end", ["before", "after"])
@pytest.mark.parametrize("kind", ["rms", "gain", "layer", "epsilon"])
def test_values_with_added_tokens(kind, end):
    told = model(kind, "causal", **{end: "BOS" if end == "before" else "EOS"})
    assert not isinstance(found := proved(told, "all i in 1..n. v(i) <= 6"), str), found


@pytest.mark.sweep
def test_the_driver_asks_for_norms():
    space, votes = ("u", "v"), {"a": {"u": 3}, "b": {"u": -1}, "c": {"v": 2}}
    head = sc.Head(space, space, Q=[], K=[], V=[[0, 0], [1, 0]], mask="none")
    layers = (sc.Layer(head, None, (sc.RMSNorm(space),), (), "pre"),)
    words = sc.Embedding(sc.Space(space), votes)
    told = sc.Transformer("votes", words, layers, sc.Readout("sign", "last", ("v",), [[1]]))
    assert told.prove("at(b, n) -> (accept <-> count(a) > count(b))").status == "PROVED"
