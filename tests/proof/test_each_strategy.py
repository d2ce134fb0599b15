"""Each strategy against a plain question: one that it ends, and one for which it says why it has no result."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import Any

import pytest
from test_claims_places import pairs
from test_own_mean_bounds import pairs_of_ab
from test_own_norm_signs import epsilon
from test_own_norms import model as normed
from test_own_orders import coin
from test_own_parts import tabled
from test_own_renamed import votes
from test_own_states import alternates
from test_own_symbol_counts import histogram
from test_own_weight_sums import slope

import symcook as sc
from symcook.alarm import Until
from symcook.proof.claims import decision
from symcook.proof.claims.byautomata import placed
from symcook.proof.claims.decision import ClaimDecision
from symcook.proof.programs import byprogram
from symcook.proof.search.attempts import Failed
from symcook.proof.statements import bylanguage, certify, inparts, languages, strategies
from symcook.proof.statements.proving import document_of
from symcook.proof.statements.strategies import DecidedTrue, Ended, StatementAsked


@cache
def compiled() -> sc.Transformer:
    return sc.compile("ltl", "Q_b & prev(Q_a)", alphabet="ab")


def asked(model: sc.Transformer, sentence: str, seconds: float = 20) -> StatementAsked:
    document = document_of(model, {})
    claim = certify.claim(document, sentence)
    return StatementAsked(model, claim, document, None, seconds, Until(seconds))


PROVED: list[tuple[str, Any, str]] = [
    ("automata and counts", votes, "accept <-> count(a) > count(b)"),
    ("the proof of its program", compiled, "all i in 1..n. accept(i) <-> holds(Q_b & prev(Q_a), i)"),
    ("exponents", coin, "probability(up) <= 9/10"),
    ("norms", lambda: normed("rms"), "at(c, n) -> v(n) > 1/2"),
    ("parts", tabled, "accept -> ~at(b, n)"),
    ("search", tabled, "accept -> ~at(b, n)"),
    ("edited strings", votes, "accept -> prepended(a).accept"),
    ("counts of symbols", lambda: histogram("ab"), "2*sum(i, 1, n, same(i)) >= n"),
    ("sums of weights", slope, "1 - exp(-1) <= weight(1, 1, n, n)"),
    ("bounds of means", pairs_of_ab, "share(n) <= 1/2"),
    ("signs of norms", epsilon, "abs(sgn(n)) < 1"),
    ("states", alternates, "accept -> abs(count(a) - count(b)) <= 1"),
]


@pytest.mark.layer_one(0, 1, 2, 4)
@pytest.mark.parametrize(("name", "model", "sentence"), PROVED, ids=[row[0] for row in PROVED])
def test_a_strategy_ends_with_a_certificate(name, model, sentence):
    question = asked(model(), sentence)
    if name == "states":
        question.outcomes["languages"] = DecidedTrue(languages.AUTOMATA)
    outcome = dict(strategies.STRATEGIES)[name](question)
    assert isinstance(outcome, Ended) and outcome.settled.verdict is not None
    assert outcome.settled.verdict.status == "PROVED"


@pytest.mark.parametrize("name", ["short strings", "languages"])
def test_a_strategy_ends_with_a_string(name):
    sentence = "accept -> at(a, n)" if name == "short strings" else 'accept -> matches("(a|ba)*")'
    outcome = dict(strategies.STRATEGIES)[name](asked(votes(), sentence))
    assert isinstance(outcome, Ended) and outcome.settled.verdict is not None
    assert outcome.settled.verdict.status == "REFUTED"


FAILED: list[tuple[str, Any, str, str]] = [
    ("the proof of its program", votes, "accept", "the model is not compiled"),
    ("automata and counts", coin, "probability(up) <= 9/10", strategies.UNDECIDED),
    ("edited strings", votes, "accept", "the statement is not about an edited string"),
    ("languages", votes, "all i in 1..n. mean(i) <= 1", "decide does not answer the statement: "),
    ("states", votes, "accept", "no automaton of the model decides the statement"),
    ("short strings", votes, "accept | ~accept", "true of all strings with at most "),
    ("exponents", votes, "accept", "the statement compares no powers of e"),
    ("norms", votes, "accept", "no values of norms: "),
    ("counts of symbols", votes, "accept", "the counts are not compared: "),
    ("sums of weights", votes, "accept", "no sums of weights: "),
    ("bounds of means", tabled, "accept", "no bounds of means: "),
    ("signs of norms", votes, "accept", "no facts of norms: "),
    ("parts", votes, "1 <= n", strategies.UNDIVIDED),
    ("search", coin, "probability(up) <= 9/10", ""),
]


@pytest.mark.layer_one(*range(13))
@pytest.mark.parametrize(("name", "model", "sentence", "why"), FAILED, ids=[row[0] for row in FAILED])
def test_a_strategy_says_why_it_has_no_result(name, model, sentence, why):
    question = asked(model(), sentence, 2)
    outcome = dict(strategies.STRATEGIES)[name](question)
    assert isinstance(outcome, Failed) and outcome.why and why in outcome.why
    assert "\n" not in outcome.why
    assert {row[0] for row in FAILED} == {name for name, _ in strategies.STRATEGIES}


# --- Limits -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("decided", [False, True])
def test_the_search_for_what_is_decided_has_a_share_of_the_time(decided, monkeypatch):
    left = []

    def searched(claim, script, subject, until, *further):
        left.append(until.left)
        return certify.Settled(None, None, None, certify.OutOfTime("the time is over"))

    monkeypatch.setattr(certify, "searched", searched)
    question = asked(votes(), "accept", 100)
    if decided:
        question.outcomes["languages"] = DecidedTrue(languages.INVARIANTS)
    assert strategies.by_search(question) == Failed("the time is over")
    assert (left[0] <= 100 / strategies.SHARE) is decided


def test_a_prover_has_a_share_of_the_time(monkeypatch):
    given = []

    def prove(home, claim, seconds, **_):
        given.append(seconds)
        return Failed("nothing")

    monkeypatch.setattr(inparts, "prove", prove)
    monkeypatch.setattr(bylanguage, "prove", prove)
    question = asked(votes(), "accept", 100)
    question.outcomes["languages"] = DecidedTrue(languages.AUTOMATA)
    assert strategies.by_parts(question) == strategies.by_states(question) == Failed("nothing")
    assert 20 < given[0] <= 100 / strategies.SHARE and 40 < given[1] <= 100 / strategies.FOR_STATES


def test_a_piece_has_its_time_and_pieces_are_few(monkeypatch):
    given = []
    monkeypatch.setattr(inparts.InParts, "_decided", lambda self, statement, seconds: given.append(seconds))
    monkeypatch.setattr(inparts.InParts, "_searched", lambda self, statement, seconds: given.append(seconds))
    question = asked(tabled(), "accept -> ~at(b, n)")
    home = certify.library(question.claim, certify.citable())
    parts = inparts.InParts(inparts.problem(question.claim), home, Until(1000))
    assert not any(parts.proved(parts.whole.claim) for _ in range(inparts.MOST_PIECES + 5))
    assert given == [inparts.PIECE / 2] * (2 * inparts.MOST_PIECES)


def test_an_expression_is_short_whatever_the_states():
    """Nine a's take 11 states and few characters; the symbol but four has 32 states, and none of that length."""
    from symcook.programs.regular import regular_table

    nine = regular_table("b*" + "ab*" * 9, ("a", "b"))
    assert len(nine) == 11 and len(bylanguage.expression(nine, True) or "") in range(20, 100)
    assert bylanguage.expression(regular_table("(a|b)*a(a|b)(a|b)(a|b)(a|b)", ("a", "b")), True) is None


def test_the_time_for_the_shorter_statement_is_what_is_left_then(monkeypatch):
    """The decision of the reduced statement spends time; what is left after it is the limit, not what was left before.
    """
    question = asked(compiled(), "accept -> at(b, n)")
    theorem = byprogram.ByProgram(question.model, question.document)
    until, given = SimpleNamespace(left=100.0), []

    def decide(*_):
        until.left = 1.0
        return ClaimDecision()

    monkeypatch.setattr(byprogram.onlyplace, "search", lambda statement, seconds: given.append(seconds))
    monkeypatch.setattr(byprogram.decision, "decide", decide)
    monkeypatch.setattr(theorem, "_without_letter_lines", lambda r, library, seconds: given.append(seconds))
    theorem.decide(question.claim, certify.library(question.claim, certify.citable()), until)
    assert given == [byprogram.FOR_LOOKUPS, 1.0]


@pytest.mark.parametrize(("limit", "why"), [("MOST_STEPS", "more than 1 steps of work"),
                                            ("MOST_NAMED", "more than 1 named positions")])  # fmt: skip
def test_the_limits_of_cases_on_positions_are_named_where_they_end_a_proof(limit, why, monkeypatch):
    monkeypatch.setattr(placed, limit, 1)
    monkeypatch.setattr(decision.counts, "decide", lambda *_: decision.counts.CountedDecision(why="nothing"))
    question = asked(pairs(), "all i in 1..n. pair(i) = 1 -> (ex j in 1..n. j < i & at(a, j))")
    found = decision.decide(question.claim, certify.library(question.claim, certify.citable()), Until(20))
    assert found.true and found.proved is None and why in (found.outside or "")
