"""Automata with counters: claims with a state at the last position and counts, for both checkers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from shared import second_checker

import symcook as sc
from symcook.errors import Rejected
from symcook.proof import limits, own
from symcook.proof.claims import counts
from symcook.proof.claims.casefacts import Unclosed
from symcook.proof.claims.problem import problem
from symcook.proof.claims.regular import Regular
from symcook.proof.proving import document_of
from symcook.proof.search.tactics import Goal


def votes(**ends: Any) -> sc.Transformer:
    """It accepts where there are more a's than b's; c has no vote."""
    b = sc.Builder(words={x: {"vote": {"a": 1, "b": -1}.get(x, 0)} for x in (*"abc", *ends.values())}, **ends)
    mean = b.add(sc.head(value={"mean": "vote"}, mask="causal"))
    b.readout("sign", "last", mean, weights=[1])
    return b.build("votes")


def proof(model: sc.Transformer, sentence: str) -> Goal:
    statement = own.claim(document_of(model, {}), sentence)
    asked = problem(statement)
    goal = Goal(own.library(statement, own.citable()), statement.formula, {}, {})
    counts.prove(asked, goal, None, Regular(asked))
    return goal


TRUE: dict[str, tuple[dict[str, Any], str]] = {
    "a language that is accepted": ({}, 'matches("(ab|c)*a") -> accept'),
    "an equation, after an added token": ({"before": "^"}, 'matches("(aab)*") -> count(a) = 2*count(b)'),
    "both tokens are added": ({"before": "^", "after": "$"}, 'matches("(ab)*") -> mean(n) = 0'),
    "the first symbol": ({}, 'matches("a(a|b|c)*") & count(a) > count(b) <-> accept & at(a, 1)'),
    "no automaton, both tokens": ({"before": "^", "after": "$"}, "accept <-> count(a) > count(b)"),
}


@pytest.mark.parametrize("case", TRUE)
def test_a_true_claim_is_proved(case: str) -> None:
    ends, sentence = TRUE[case]
    document = document_of(votes(**ends), {})
    goal = proof(votes(**ends), sentence)
    settled = own.settle(own.claim(document, sentence), document, {"proof": lambda g: g.take(goal)})
    assert settled.verdict is not None
    assert settled.verdict.status == "PROVED"


@pytest.mark.parametrize("sentence", ['matches("(ab|c)*") -> accept', 'matches("(aab)*") -> count(a) <= count(b)'])
def test_what_is_false_has_no_proof(sentence: str) -> None:
    with pytest.raises(Unclosed):
        proof(votes(), sentence)


def test_both_checkers_accept_it_and_refuse_it_for_a_near_miss(tmp_path: Path) -> None:
    document = document_of(votes(), {})
    true, miss = (own.claim(document, f'matches("({x})*") -> ~accept') for x in ("ab", "aab"))
    goal = proof(votes(), 'matches("(ab)*") -> ~accept')
    certificate = own.settle(true, document, {"proof": lambda g: g.take(goal)}).certificate
    assert certificate is not None
    assert f"PROVED   {true.id} " in second_checker(tmp_path, true, certificate).stdout
    moved = {**certificate, "id": miss.id}
    with pytest.raises(Rejected):
        limits.judged(miss, moved)
    assert f"PROVED   {miss.id} " not in second_checker(tmp_path, miss, moved).stdout
