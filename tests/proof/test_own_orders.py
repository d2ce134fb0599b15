"""Claims about probabilities, which are proved from the order of exponents; near misses are not proved."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache, partial
from pathlib import Path

import pytest
from shared import second_checker

import symcook as sc
from symcook.model.modelfile import to_document
from symcook.proof import grammar
from symcook.proof.search.attempts import Failed
from symcook.proof.search.tactics import Goal
from symcook.proof.statements import certify, orders

Shares = dict[str, float]
Oracle = Callable[[str, Shares], bool]


@cache
def coin(mask: str = "none", before: str | None = None, after: str | None = None) -> sc.Transformer:
    """Log-odds by the mean of 1 for h and -1 for t."""
    added = {name: {} for name in (before, after) if name is not None}
    b = sc.Builder(words={"h": {"x": 1}, "t": {"x": -1}, **added}, before=before, after=after)
    mean = b.add(sc.head(value={"m": "x"}, mask=mask))
    b.readout("distribution", "last", mean, labels=("up", "down"), weights=[[1], [-1]])
    return b.build("coin")


@cache
def three() -> sc.Transformer:
    """Three labels with the scores m, -m and 0."""
    b = sc.Builder(words={"h": {"x": 1}, "t": {"x": -1}})
    mean = b.add(sc.head(value={"m": "x"}))
    b.readout("distribution", "last", mean, labels=("up", "down", "level"), weights=[[1], [-1], [0]])
    return b.build("three")


def proved(model: sc.Transformer, sentence: str, seconds: float = 4) -> tuple[certify.Statement, dict] | str:
    """The statement and its certificate, which the first checker accepts; or why there is none."""
    document = to_document(model)
    statement = certify.claim(document, sentence)
    goal = orders.prove(certify.library(statement, certify.citable()), statement, seconds)
    if isinstance(goal, Failed):
        return goal.why
    parts = {"proof": partial(Goal.take, trial=goal)}
    certificate, verdict = certify.certificate_of(statement, parts, certify.models(statement, document), None)
    assert verdict.status == "PROVED" and not verdict.assuming
    return statement, certificate


def shares(word: str, labels: int = 2, positions: int = 0) -> Shares:
    """The probabilities of the labels, by the definition. `positions` is how many tokens are added."""
    mean = (word.count("h") - word.count("t")) / (len(word) + positions)
    powers = dict(zip(("up", "down", "level")[:labels], map(math.exp, (mean, -mean, 0)), strict=False))
    return {label: power / sum(powers.values()) for label, power in powers.items()}


TRUE: list[tuple[sc.Transformer, str, int, int, Oracle]] = [
    (coin(), "probability(up) >= 1/2 <-> count(h) >= count(t)", 2, 0,
     lambda w, p: (p["up"] >= 0.5 - 1e-12) == (w.count("h") >= w.count("t"))),
    (coin(), "probability(up) <= 9/10", 2, 0, lambda _, p: p["up"] <= 0.9),
    (coin(), "2*count(t) <= count(h) -> probability(up) > 13/20", 2, 0,
     lambda w, p: 2 * w.count("t") > w.count("h") or p["up"] > 0.65),
    (coin("causal", before="BOS"), "probability(down) < probability(up) <-> count(t) < count(h)", 2, 1,
     lambda w, p: (p["down"] < p["up"] - 1e-12) == (w.count("t") < w.count("h"))),
    (coin("causal", after="EOS"), "probability(up) < exp(2)/(1 + exp(2))", 2, 1, lambda _, p: p["up"] < 0.8807),
    (three(), "probability(up) <= probability(level) <-> count(h) <= count(t)", 3, 0,
     lambda w, p: (p["up"] <= p["level"] + 1e-12) == (w.count("h") <= w.count("t"))),
    (three(), "probability(up) = probability(down) -> count(h) = count(t)", 3, 0,
     lambda w, p: abs(p["up"] - p["down"]) > 1e-12 or w.count("h") == w.count("t")),
]  # fmt: skip
NEAR = [  # near misses of these
    (coin(), "probability(up) > 1/2 <-> count(h) >= count(t)"),
    (coin(), "probability(up) < 22/25"),
    (coin(), "2*count(t) <= count(h) -> probability(up) > 67/100"),
    (coin(), "probability(up) < exp(2)/(1 + exp(2))"),
    (coin("causal", before="BOS"), "probability(up) <= 3/4"),
    (three(), "probability(up) < probability(level) <-> count(h) <= count(t)"),
]


@pytest.mark.layer_one(1)
@pytest.mark.parametrize(("model", "sentence", "labels", "added", "oracle"), TRUE)
def test_probabilities_in_the_order_of_their_exponents(model, sentence, labels, added, oracle, tmp_path: Path):
    words = ["".join(w) for n in range(0 if added else 1, 6) for w in itertools.product("ht", repeat=n)]
    assert all(oracle(w, shares(w, labels, added)) for w in words)
    found = proved(model, sentence)
    assert not isinstance(found, str), found
    done = second_checker(tmp_path, *found)
    assert done.returncode == 0 and "OPEN" not in done.stdout


@pytest.mark.layer_one(1)
@pytest.mark.parametrize(("model", "sentence"), NEAR)
def test_false_claims_about_probabilities_are_not_proved(model, sentence):
    assert isinstance(proved(model, sentence, 0.4), str)


@pytest.mark.parametrize("position", ["last", "each"])
@pytest.mark.sweep
def test_the_driver_asks_for_exponents(position):
    b = sc.Builder(words={"h": {"x": 1}, "t": {"x": -1}})
    mean = b.add(sc.head(value={"m": "x"}, mask="causal"))
    b.readout("distribution", position, mean, labels=("up", "down"), weights=[[1], [-1]])
    every = "all i in 1..n. probability(up, i) <= 9/10"
    assert b.build("tosses").prove(every if position == "each" else "probability(up) <= 9/10").status == "PROVED"


@pytest.mark.parametrize(("text", "ratio", "bounds"), [
    ("exp(x)/(exp(x) + exp(-x)) <= 9/10", 9, ("21972/10000", "21973/10000")),  # log 9 = 2.19722..
    ("1/10 < exp(x)/(exp(x) + exp(-x))", 9, ("21972/10000", "21973/10000")),
    ("exp(x)/(1 + exp(x)) <= exp(3)/(1 + exp(3))", 1, ("0", "0")),
    ("exp(x)/(exp(x) + exp(y) + 1) < exp(y)/(exp(x) + exp(y) + 1)", 1, ("0", "0")),
    ("exp(x)/(exp(x) + exp(y) + 1) < 1/2", None, None),
    ("exp(x)/(exp(x) - 2) < 1/2", None, None),
    ("x <= 1/2", None, None),
])  # fmt: skip
def test_comparisons_that_are_replaced(text, ratio, bounds):
    found = orders.order(grammar.read_formula(text, {"x": "Real", "y": "Real"}, {}))
    if ratio is None:
        assert found is None
        return
    assert found is not None and found.ratio == ratio
    assert (found.bound(True), found.bound(False)) == tuple(map(Fraction, bounds))
