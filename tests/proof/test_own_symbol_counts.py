"""Claims about all positions, which are proved by the counts of symbols; near misses are not proved."""

from __future__ import annotations

import itertools
from fractions import Fraction
from functools import cache, partial
from pathlib import Path

import pytest
from shared import second_checker

import symcook as sc
from symcook.model.modelfile import to_document
from symcook.proof.search.attempts import Failed
from symcook.proof.search.tactics import Goal
from symcook.proof.statements import certify, symbolcounts


@cache
def histogram(symbols: str, before: str | None = None, after: str | None = None) -> sc.Transformer:
    """The share of positions with the symbol here; added tokens have the value 0."""
    added = {token: {} for token in (before, after) if token}
    words = {**added, **{a: {f"is_{a}": 1} for a in symbols}}
    b = sc.Builder(words=words, before=before, after=after)
    names = tuple(f"is_{a}" for a in symbols)
    b.readout("value", "each", b.count("same", names, names))
    return b.build("histogram")


def shares(word: str, added: int = 0) -> list[Fraction]:
    """`same` at each position."""
    return [*[Fraction(0)] * added, *(Fraction(word.count(a), len(word) + added) for a in word)]


def proved(model: sc.Transformer, sentence: str, seconds: float = 5) -> tuple[certify.Statement, dict] | str:
    """The statement and its certificate, which the first checker accepts; or why there is none."""
    document = to_document(model)
    statement = certify.claim(document, sentence)
    goal = symbolcounts.prove(certify.library(statement, certify.citable()), statement, seconds)
    if isinstance(goal, Failed):
        return goal.why
    parts = {"proof": partial(Goal.take, trial=goal)}
    certificate, verdict = certify.certificate_of(statement, parts, certify.models(statement, document), None)
    assert verdict.status == "PROVED" and not verdict.assuming
    return statement, certificate


TRUE = [
    ("ab", None, None, "2*sum(i, 1, n, same(i)) >= n", lambda w, s: 2 * sum(s) >= len(s)),
    ("abc", None, None, "sum(i, 1, n, same(i)) >= 1", lambda w, s: sum(s) >= 1),
    ("abc", None, None, "3*sum(i, 1, n, same(i)) >= n", lambda w, s: 3 * sum(s) >= len(s)),
    ("abc", None, None, "(all i in 1..n. same(i) = 1/n) -> n <= 3",
     lambda w, s: any(x != Fraction(1, len(s)) for x in s) or len(s) <= 3),
    ("ab", None, None, "count(a) = count(b) -> (all i in 1..n. same(i) = 1/2)",
     lambda w, s: w.count("a") != w.count("b") or {*s} == {Fraction(1, 2)}),
    ("ab", None, None, "(all i in 1..n. at(a, i) | same(i) <= 1/2) <-> count(b) <= count(a) | count(b) = 0",
     lambda w, s: all(w[i] == "a" or s[i] <= Fraction(1, 2) for i in range(len(w))) == (w.count("b") <= w.count("a"))),
    ("ab", "BOS", None, "sum(i, 1, n, same(i)) >= count(a)*count(a)/n",
     lambda w, s: sum(s) * len(s) >= w.count("a") ** 2),
    ("ab", None, "EOS", "sum(i, 1, n, same(i)) < n", lambda w, s: sum(s) < len(s)),
    ("ab", None, None, "sum(i, 1, n, I[same(i) > 1/2]) <= n", lambda w, s: True),
]  # fmt: skip
NEAR = [
    ("abc", None, "2*sum(i, 1, n, same(i)) >= n"),
    ("ab", None, "sum(i, 1, n, same(i)) >= 2"),
    ("abc", None, "(all i in 1..n. same(i) = 1/n) -> n <= 2"),
    ("ab", None, "count(a) = count(b) -> (all i in 1..n. same(i) < 1/2)"),
    ("ab", "BOS", "2*sum(i, 1, n, same(i)) >= n"),
]


@pytest.mark.layer_one(0)
@pytest.mark.parametrize(("symbols", "before", "after", "sentence", "oracle"), TRUE)
@pytest.mark.layer_two(every=3)
def test_claims_about_all_positions(symbols, before, after, sentence, oracle, tmp_path: Path):
    added = int(before is not None or after is not None)
    words = ["".join(w) for n in range(1, 5) for w in itertools.product(symbols, repeat=n)]
    assert all(oracle(w, shares(w, added)) for w in words)
    found = proved(histogram(symbols, before, after), sentence)
    assert not isinstance(found, str), found
    done = second_checker(tmp_path, *found)
    assert done.returncode == 0 and "OPEN" not in done.stdout


@pytest.mark.layer_one(1)
@pytest.mark.parametrize(("symbols", "before", "sentence"), NEAR)
def test_false_claims_about_all_positions_are_not_proved(symbols, before, sentence):
    assert isinstance(proved(histogram(symbols, before), sentence, 0.8), str)


@pytest.mark.sweep
def test_the_driver_asks_for_counts_of_symbols():
    assert histogram("ab").prove("2*sum(i, 1, n, same(i)) >= n").status == "PROVED"
