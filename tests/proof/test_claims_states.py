"""Certificates by induction along the string: states of automata and remainders, for both checkers."""

from __future__ import annotations

from pathlib import Path

import pytest
from proof.test_claims_places import pairs, proof
from shared import second_checker

import symcook as sc
from symcook.errors import Rejected
from symcook.proof.claims.byautomata.placed import Unplaced
from symcook.proof.claims.bycounts.problem import OutsideFragment
from symcook.proof.search import limits
from symcook.proof.search.tactics import Stuck
from symcook.proof.statements import certify
from symcook.proof.statements.proving import document_of


def odd() -> sc.Transformer:
    """`turn` is the remainder of the position by 2, `old` the one before."""
    b = sc.Builder(words={"a": {"isa": 1}, "b": {"isa": 0}}, positions={"turn": "mod(i, 2)"}, start=1)
    b.add(sc.head({}, {"old": "turn"}, mask="strict-future", weighting="rightmost"))
    b.readout("sign", "last", ["turn"], weights=[[1]])
    return b.build("odd")


TRUE = {
    "a model and an expression": (pairs(), 'accept <-> ~matches("b*a*")'),
    "the state at each position": (pairs(), 'all i in 1..n. matches("b*a*", i) -> share(i) = 0'),
    "no two neighbours are equal": (
        pairs(),
        '(all i in 2..n. ~(at(a, i) <-> at(a, i - 1))) & at(a, 1) & at(b, n) <-> matches("(ab)(ab)*")',
    ),
    "the length": (pairs(), 'matches("((a|b)(a|b))*") <-> mod(n, 2) = 0'),
    "a count, with added tokens": (pairs(0, before="CLS"), 'matches("(b*ab*a)*b*") <-> mod(count(a), 2) = 0'),
    "remainders of one number": (pairs(), "mod(n, 2) = 1 -> mod(n + 3, 2) = 0"),
    "a model that counts positions": (odd(), "accept <-> mod(n, 2) = 1"),
    "positions in turn": (odd(), "all i in 2..n. turn(i) + old(i) = 1"),
}
FALSE = ("mod(n, 2) = 0 -> mod(n, 3) = 0", 'matches("(aab?)*") -> mod(n, 2) = 0')


@pytest.mark.sweep
@pytest.mark.parametrize("case", TRUE)
def test_a_true_claim_is_proved(case: str) -> None:
    model, sentence = TRUE[case]
    statement = certify.claim(document_of(model, {}), sentence)
    goal = proof(model, sentence)
    settled = certify.settle(statement, document_of(model, {}), {"proof": lambda g: g.take(goal)})
    assert settled.verdict is not None
    assert settled.verdict.status == "PROVED"


@pytest.mark.parametrize("sentence", FALSE)
def test_what_is_false_has_no_proof(sentence: str) -> None:
    with pytest.raises((Unplaced, Stuck, Rejected, OutsideFragment)):
        proof(pairs(), sentence)


def test_both_checkers_accept_it_and_refuse_it_for_a_near_miss(tmp_path: Path) -> None:
    model = pairs()
    true, miss = (certify.claim(document_of(model, {}), f'matches("({x})*") -> mod(n, 2) = 0') for x in ("ab", "a?b"))
    goal = proof(model, 'matches("(ab)*") -> mod(n, 2) = 0')
    certificate = certify.settle(true, document_of(model, {}), {"proof": lambda g: g.take(goal)}).certificate
    assert certificate is not None
    assert f"PROVED   {true.id} " in second_checker(tmp_path, true, certificate).stdout
    moved = {**certificate, "id": miss.id}
    with pytest.raises(Rejected):
        limits.judged(miss, moved)
    assert f"PROVED   {miss.id} " not in second_checker(tmp_path, miss, moved).stdout
