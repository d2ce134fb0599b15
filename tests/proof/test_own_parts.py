"""Statements that are proved in parts: conjuncts, contrapositives, cases by a symbol; what is false is not proved."""

from __future__ import annotations

import random
from functools import cache, partial
from itertools import product

import pytest

import symcook as sc
from symcook.proof.search.attempts import Failed
from symcook.proof.search.tactics import Goal
from symcook.proof.statements import certify, inparts
from symcook.proof.statements.proving import document_of

VALUES = {"a": {"x": 3, "y": 4}, "b": {"x": 0, "y": -2}, "c": {"x": 1, "y": -1}}


@cache
def tabled() -> sc.Transformer:
    """Accepts where y is positive at the last position: a. No layer changes it."""
    b = sc.Builder(words=VALUES)
    b.add(sc.head(value={"mean": "x"}, mask="causal"))
    b.readout("sign", "last", "y", weights=[1])
    return b.build("tabled")


def in_parts(model: sc.Transformer, text: str, seconds: float = 3) -> str | None:
    """The checker's status of the proof in parts; None without one."""
    document = document_of(model, {})
    claim = certify.claim(document, text)
    proved = inparts.prove(certify.library(claim, certify.citable()), claim, seconds)
    if isinstance(proved, Failed):
        return None
    parts = {"proof": partial(Goal.take, trial=proved)}
    return certify.certificate_of(claim, parts, certify.models(claim, document), None)[1].status


@pytest.mark.layer_one(1, 2, 4, 5)
@pytest.mark.parametrize(
    "text",
    ["accept <-> at(a, n)", "accept -> ~at(b, n)", "y(n) > 0 -> at(a, n)", "all i in 1..n. x(i) + y(i) <= 7",
     "all i in 1..n. at(a, i) -> y(i) > 0 & y(i) < 100", "(accept -> at(a, n)) & (at(b, n) -> ~accept)",
     "all i in 1..n. y(i) > 0 -> at(a, i)", "all i in 1..n. x(i) - y(i) = 2 <-> ~at(a, i)"],
)  # fmt: skip
def test_parts_prove(text):
    assert in_parts(tabled(), text) == "PROVED"


@pytest.mark.parametrize(
    "text",
    ["accept <-> ~at(b, n)", "accept -> at(b, n)", "y(n) >= -1 -> at(a, n)", "all i in 1..n. x(i) + y(i) <= 6",
     "all i in 1..n. at(a, i) -> y(i) > 0 & y(i) < 4", "(accept -> at(a, n)) & (at(c, n) -> accept)"],
)  # fmt: skip
@pytest.mark.layer_one(3)
@pytest.mark.layer_two(every=2)
def test_near_misses_are_not_proved(text):
    assert in_parts(tabled(), text, 1) is None


@pytest.mark.layer_two(0)
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.sweep
def test_drawn_statements_about_a_table(seed):
    """What is proved is true of the table's rows; what is true and about one position is proved."""
    draw = random.Random(seed)
    p, q, bound = draw.randint(-2, 2), draw.randint(-2, 2), draw.randint(-6, 6)
    symbol, sign = draw.choice("abc"), draw.choice(["->", "<->"])
    text = f"all i in 1..n. at({symbol}, i) {sign} {p}*x(i) + {q}*y(i) <= {bound}"

    def true(letter: str) -> bool:
        small = p * VALUES[letter]["x"] + q * VALUES[letter]["y"] <= bound
        return small if letter == symbol else sign == "->" or not small

    assert (in_parts(tabled(), text) == "PROVED") is all(map(true, VALUES))


def test_the_driver_asks_for_parts():
    """A statement whose halves need different provers; its strings are tried before."""
    model = tabled()
    words = [w for n in range(1, 5) for w in product("abc", repeat=n)]
    assert all((model.run("".join(w)).holds is True) == (w[-1] == "a") for w in words)
    assert model.prove("accept <-> at(a, n)", seconds=20).status == "PROVED"
    answer = model.prove("accept <-> ~at(b, n)", seconds=20)
    assert (answer.status, answer.counterexample) == ("REFUTED", "c")
