"""Certificates of fragment A: what automata decide true is proved by cases on positions, for both checkers."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import pytest
import sympy
from shared import second_checker

import symcook as sc
from symcook.alarm import Until
from symcook.errors import Rejected
from symcook.proof.claims import decision
from symcook.proof.claims.byautomata import placedcases
from symcook.proof.claims.byautomata.placed import Unplaced
from symcook.proof.claims.byautomata.regular import Regular
from symcook.proof.claims.bycounts.problem import OutsideFragment, problem
from symcook.proof.claims.decision import REGULAR
from symcook.proof.search import limits
from symcook.proof.search.attempts import Failed
from symcook.proof.search.tactics import Goal, Stuck
from symcook.proof.statements import certify
from symcook.proof.statements.proving import document_of


def pairs(start: int = 1, **ends: Any) -> sc.Transformer:
    """`old` is the bit of a at the position before, `pair` says ab ends here, `share` is the mean of that."""
    words = {x: {"isa": int(x == "a"), "isb": int(x == "b")} for x in (*"ab", *ends.values())}
    b = sc.Builder(words=words, positions={"unit": "1", "index": "i"}, start=start, **ends)
    b.add(sc.head({}, {"old": "isa"}, mask="strict-future", weighting="rightmost"))
    b.add(sc.feedforward({"pair": "relu(old + isb - 1)"}))
    b.add(sc.head({}, {"share": "pair"}, mask="future"))
    b.readout("sign", "last", ["share"], weights=[[1]])
    return b.build("pairs")


def firsts(mask: str = "none", **ends: Any) -> sc.Transformer:
    """`lead` is where the first a stands, `best` the mean bit of b over the positions with a, or over all."""
    words = {x: {"isa": int(x == "a"), "isb": int(x == "b")} for x in (*"ab", *ends.values())}
    b = sc.Builder(words=words, positions={"unit": "1", "index": "i"}, start=1, **ends)
    b.add(sc.head({("unit", "isa"): 2}, {"lead": "index"}, mask=mask, weighting="leftmost"))
    b.add(sc.head({("unit", "isa"): 2}, {"best": "isb"}, mask=mask))
    b.readout("sign", "last", ["best"], weights=[[1]])
    return b.build("firsts")


def nearest(query: str, mask: str = "none", scale: str = "1", **ends: Any) -> sc.Transformer:
    """`there` is v of the position that is nearest to `query`; accepts if v is the same at the last position."""
    words = {x: {"v": k, "one": 1} for k, x in enumerate("ab")} | {x: {"one": 1} for x in ends.values()}
    b = sc.Builder(words=words, positions={"query": query, "index": "i", "square": "i^2"}, **ends)
    scores = {("query", "index"): f"2*{scale}", ("one", "square"): f"-{scale}"}
    b.add(sc.head(scores, {"there": "v"}, mask=mask))
    b.add(sc.feedforward({"gap": "relu(v - there) + relu(there - v)"}))
    b.readout("zero", "last", ["gap"])
    return b.build("nearest")


def register() -> sc.Transformer:
    """`held` is what the last 0 or 1 wrote; r writes nothing."""
    words = {"0": {"write": 1}, "1": {"write": 1, "one": 1}, "r": {}}
    b = sc.Builder(words=words, positions={"unit": "1"})
    b.add(sc.head({("unit", "write"): 1}, {"held": "one"}, mask="future", weighting="rightmost"))
    b.readout("sign", "last", ["held"], weights=[[1]])
    return b.build("register")


def proof(model: sc.Transformer, sentence: str) -> Goal:
    statement = certify.claim(document_of(model, {}), sentence)
    asked = problem(statement)
    return placedcases.prove(asked, certify.library(statement, certify.citable()), Regular(asked))


TRUE = {
    "a head that looks one back": (pairs(), "all i in 2..n. old(i) = I[at(a, i - 1)]"),
    "at the first position it sees nothing": (pairs(0), "old(0) = 0 & pair(0) = 0"),
    "an existence": (pairs(), "accept <-> ex i in 1..n - 1. at(a, i) & at(b, i + 1)"),
    "a token that the model adds": (pairs(before="CLS"), "accept -> 3 <= n"),
    "what was found stays": (pairs(), "all i in 2..n. share(i - 1) > 0 -> share(i) > 0"),
    "a strict bound": (pairs(), "share(n) < 1"),
    "a first position": (firsts(), "1 <= count(a) -> lead(n) = first(a)"),
    "a distance of positions": (firsts(), "all i in 1..n. lead(n) - i <= n - 1"),
    "one position for all": (firsts(after="EOS"), "all i in 2..n. lead(i) = lead(i - 1)"),
    "an average over equal values": (firsts("future"), "all i in 1..n. at(a, i) -> best(i) = 0"),
    "scores that are a parabola, with its top one back": (nearest("i - 1"), "2 <= n -> (accept <-> w(n) = w(n - 1))"),
    "its top before the string": (nearest("i - 3", "future", before="CLS"), "n <= 4 & 2 <= n -> there(n) = 0"),
    "its top between positions": (nearest("i + 1/3", scale="2/3"), "accept"),
    "its top behind the string": (nearest("7", after="EOS"), "n <= 7 -> there(n) = 0"),
    "states that tell the last three symbols": (nearest("i - 2"), 'matches("(a|b)*a(a|b)a") -> accept'),
    "a few symbols behind the first ones": (nearest("i - 2"), 'matches("ab*bab") -> accept'),
    "a number as the top": (nearest("2", "future", "1/3"), "3 <= n -> (accept <-> w(n) = w(2))"),
    "a state that a position inside the string excludes": (
        pairs(), 'matches("(a|ab)*") -> (all j in 1..n. at(b, j) -> 2 <= j & at(a, j - 1))'
    ),
    "a count that only the end adds to": (pairs(), "at(a, n) & 2 <= count(a) -> (ex j in 1..n - 1. at(a, j))"),
    "a position that is one of two neighbours": (register(), "all i in 2..n. at(r, i) -> held(i) = held(i - 1)"),
}


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("case", TRUE)
@pytest.mark.layer_two(every=5)
def test_a_true_claim_is_proved(case):
    model, sentence = TRUE[case]
    statement = certify.claim(document_of(model, {}), sentence)
    goal = proof(model, sentence)
    settled = certify.settle(statement, document_of(model, {}), {"proof": lambda g: g.take(goal)})
    assert settled.verdict is not None
    assert settled.verdict.status == "PROVED"


def test_a_proof_of_what_is_decided_true_has_more_time(monkeypatch):
    """Automata and counts end by the first limit; cases on positions by the second one, where the claim is true."""
    statement = certify.claim(document_of(model := pairs(), {}), "all i in 1..n. pair(i) = 1 -> at(b, i)")
    first, second, asked = Until(50), Until(100), {}
    attempted = decision.attempted

    def recorded(search, until=None, name=""):
        asked[name] = until
        return Failed("nothing") if name == "counts" else attempted(search, until, name)

    monkeypatch.setattr(decision, "attempted", recorded)
    home = certify.library(statement, certify.citable())
    found = decision.decide(statement, home, first, for_cases=second)
    assert found.true and found.proved is not None and asked["cases on positions"] is second
    assert asked["automata"].left < 26 and asked["counts"].left < 17
    decision.decide(statement, home, first)
    assert asked["cases on positions"] is first
    false = certify.claim(document_of(model, {}), "all i in 1..n. pair(i) = 1 -> at(a, i)")
    asked.clear()
    assert decision.decide(false, home, first, for_cases=second).string and "cases on positions" not in asked


@pytest.mark.sweep
def test_a_register_that_is_written_has_no_proof_that_it_stays():
    """The near miss of "a position that is one of two neighbours", and its smallest counterexample."""
    miss = 'all i in 2..n. at("1", i) -> held(i) = held(i - 1)'
    with pytest.raises((Unplaced, Rejected, Stuck)):
        proof(register(), miss)
    answer = register().prove(miss, seconds=20)
    assert (answer.status, answer.counterexample) == ("REFUTED", "01")


@pytest.mark.sweep
def test_both_checkers_accept_it_and_refuse_it_for_a_near_miss(tmp_path):
    model = pairs()
    answer = model.prove("accept <-> ex i in 2..n. at(a, i - 1) & at(b, i)", seconds=60)
    assert answer.status == "PROVED"
    assert answer.method == REGULAR
    assert answer.certificate is not None
    assert f"PROVED   {answer.claim.id} " in second_checker(tmp_path, answer.claim, answer.certificate).stdout
    miss = certify.claim(document_of(model, {}), "accept <-> ex i in 2..n. at(b, i - 1) & at(b, i)")
    moved = {**answer.certificate, "id": miss.id}
    with pytest.raises(Rejected):
        limits.judged(miss, moved)
    assert f"PROVED   {miss.id} " not in second_checker(tmp_path, miss, moved).stdout


@pytest.mark.layer_one(0, 1, 2, 3)
@pytest.mark.parametrize(
    "sentence",
    [
        "all i in 1..n. i != n | ~at(a, i + 1)",  # positions that no string has
        "2 <= n | old(n - 1) = 0",
        "all i in 0..n. at(a, i) -> 1 <= count(a)",
        "all i in 1..n. old(i) = I[at(a, i - 1)]",  # at i = 1 the head sees nothing
        "share(n) <= 1/2 - 1/n",
    ],
)
def test_what_is_false_has_no_proof(sentence):
    with pytest.raises((Unplaced, Stuck, Rejected, OutsideFragment)):
        proof(pairs(), sentence)


QUERIES = ["i - 1", "i + 1", "2", "n - 1", "i - 3", "i + 1/3", "3"]


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("mask", ["none", "future"])
def test_the_nearest_position_as_each_short_string_says(query, mask):
    """Whether no string up to length 4 has `there` = v at a position beside: by the distances of positions."""
    ends = {"before": "CLS"} if mask == "future" else {}
    model = nearest(query, mask, **ends)
    claims = ["there(n) = 1", "there(n) <= 1/2", "accept"]
    shortest: dict[str, int] = {}
    for size in range(5):
        for typed in itertools.product((0, 1), repeat=size):
            v = [0, *typed] if ends else list(typed)
            n = len(v)
            if not n:
                continue
            away = [abs(k - value(query, n)) for k in range(1, n + 1)]
            best = [v[k] for k in range(n) if away[k] == min(away)]
            there = Fraction(sum(best), len(best))
            for claim, true in zip(claims, (there == 1, there <= Fraction(1, 2), there == v[-1]), strict=True):
                if not true:
                    shortest.setdefault(claim, n)
    for claim in claims:
        statement = certify.claim(document_of(model, {}), claim)
        found = Regular(problem(statement)).decided()
        assert (found.string is None) == (claim not in shortest), claim
        assert found.string is None or len(found.string) == shortest[claim]


def value(query: str, n: int) -> Fraction:
    """The query at the last position."""
    return Fraction(str(sympy.sympify(query).subs({"i": n, "n": n})))
