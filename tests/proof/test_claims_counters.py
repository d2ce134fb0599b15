"""Automata with counters: claims with a state at the last position and counts, for both checkers."""

from __future__ import annotations

import operator
import random
import re
from pathlib import Path
from typing import Any

import pytest
from shared import second_checker

import symcook as sc
from symcook.errors import Rejected
from symcook.proof.claims import counts
from symcook.proof.claims.byautomata.regular import Regular
from symcook.proof.claims.bycounts.casefacts import Unclosed
from symcook.proof.claims.bycounts.problem import problem
from symcook.proof.search import limits
from symcook.proof.search.tactics import Goal
from symcook.proof.statements import certify
from symcook.proof.statements.proving import document_of


def votes(**ends: Any) -> sc.Transformer:
    """It accepts where there are more a's than b's; c has no vote."""
    b = sc.Builder(words={x: {"vote": {"a": 1, "b": -1}.get(x, 0)} for x in (*"abc", *ends.values())}, **ends)
    mean = b.add(sc.head(value={"mean": "vote"}, mask="causal"))
    b.readout("sign", "last", mean, weights=[1])
    return b.build("votes")


def proof(model: sc.Transformer, sentence: str) -> Goal:
    statement = certify.claim(document_of(model, {}), sentence)
    asked = problem(statement)
    goal = Goal(certify.library(statement, certify.citable()), statement.formula, {}, {})
    counts.prove(asked, goal, None, Regular(asked))
    return goal


TRUE: dict[str, tuple[dict[str, Any], str]] = {
    "a language that is accepted": ({}, 'matches("(ab|c)*a") -> accept'),
    "an equation, after an added token": ({"before": "^"}, 'matches("(aab)*") -> count(a) = 2*count(b)'),
    "both tokens are added": ({"before": "^", "after": "$"}, 'matches("(ab)*") -> mean(n) = 0'),
    "the first symbol": ({}, 'matches("a(a|b|c)*") & count(a) > count(b) <-> accept & at(a, 1)'),
    "a remainder beside counts": ({}, "count(a) mod 2 = 1 & count(a) <= count(b) & at(c, n) -> 3 <= n"),
    "a remainder of the length, after an added token": (
        {"before": "^"},
        "count(c) = 0 & accept & n mod 2 = 1 -> count(a) >= count(b) + 2",
    ),
    "two remainders": ({}, "count(a) mod 3 = 1 & count(b) mod 3 = 2 & accept -> count(a) >= count(b) + 2"),
    "a remainder that follows": ({}, "2*count(a) = 3*count(b) & count(c) = 0 -> n mod 5 = 0"),
    "a remainder with an automaton": (
        {},
        'matches("(aa|b)*") & count(a) <= count(b) & n mod 2 = 1 -> count(a) < count(b)',
    ),
    "a period of the automaton": ({}, 'matches("(aaa|bb)*") & count(a) = count(b) + 1 -> n mod 6 = 5'),
    "a lattice of counts, after an added token": (
        {"before": "^"},
        'matches("(aab|cc)*") & count(b) <= count(c) & n mod 4 = 1 -> count(a) mod 4 = 0',
    ),
    "what is the same in all strings of a state": ({}, 'matches("(aab|c)*") -> (accept <-> count(b) >= 1)'),
    "two remainders compared": ({}, "count(a) mod 4 = count(b) mod 4 & accept -> count(a) >= count(b) + 4"),
    "remainders as numbers": ({}, "mod(count(a), 4) = mod(count(b), 2) -> mod(count(a), 2) = mod(count(b), 2)"),
    "a remainder above 12": ({"after": "$"}, "mod(count(a), 16) = 3 -> mod(count(a), 8) = 3"),
    "a remainder above 20": ({"before": "^"}, "mod(n, 40) = 7 -> mod(n, 20) = 7"),
    "an equation without a factor 1": ({}, "6*count(a) = 10*count(b) -> count(a) mod 5 = 0"),
    "no automaton, both tokens": ({"before": "^", "after": "$"}, "accept <-> count(a) > count(b)"),
}


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("case", TRUE)
@pytest.mark.layer_two(every=4)
def test_a_true_claim_is_proved(case: str) -> None:
    ends, sentence = TRUE[case]
    document = document_of(votes(**ends), {})
    goal = proof(votes(**ends), sentence)
    settled = certify.settle(certify.claim(document, sentence), document, {"proof": lambda g: g.take(goal)})
    assert settled.verdict is not None
    assert settled.verdict.status == "PROVED"


FALSE = [
    'matches("(ab|c)*") -> accept',
    'matches("(aab)*") -> count(a) <= count(b)',
    "count(c) = 0 & accept & n mod 2 = 0 -> count(a) >= count(b) + 3",
    "2*count(a) = 3*count(b) & count(c) = 0 -> n mod 10 = 0",
    'matches("(aa|b)*") & count(a) <= count(b) -> n mod 2 = 0 | count(a) + 1 < count(b)',
    'matches("(aaa|bb)*") & count(a) = count(b) -> n mod 24 = 0',
    'matches("(aab|cc)*") & count(b) <= count(c) -> count(a) mod 4 = 0',
    "count(a) mod 4 = count(b) mod 4 & accept -> count(a) >= count(b) + 5",
    "mod(count(a), 4) = mod(count(b), 2) -> mod(count(a), 4) = mod(count(b), 4)",
    "6*count(a) = 10*count(b) -> count(a) mod 10 = 0",
    "mod(n, 40) = 7 -> mod(n, 30) = 7",
]


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("sentence", FALSE)
def test_what_is_false_has_no_proof(sentence: str) -> None:
    with pytest.raises(Unclosed):
        proof(votes(), sentence)


@pytest.mark.sweep
def test_a_false_claim_has_a_string_of_the_language_with_its_counts() -> None:
    """The least has 6 of each: 3 divides the number of a's and 2 that of b's."""
    document = document_of(votes(before="^", after="$"), {})
    statement = certify.claim(document, 'matches("(aaa|bb)*") & count(a) = count(b) & 2 < n -> n mod 24 = 2')
    asked = problem(statement)
    found = counts.decide(asked, certify.library(statement, certify.citable()), Regular(asked)).string
    assert found is not None
    text = "".join("abc^$"[k] for k in found)
    assert re.fullmatch(r"\^(aaa|bb)*\$", text) and text.count("a") == text.count("b") == 6


@pytest.mark.sweep
def test_the_hypotheses_are_met_by_a_string_that_counts_find() -> None:
    """The shortest string of the language with as many a's as b's has 12 positions, beyond all that are tried."""
    document = document_of(votes(), {})
    settled = certify.settle(
        certify.claim(document, 'matches("(aaa|bb)*") & count(a) = count(b) -> n mod 12 = 0'), document
    )
    assert settled.verdict is not None
    assert settled.verdict.status == "PROVED"


def drawn(rng: random.Random) -> tuple[str, Any]:
    """A claim about counts of a and b and remainders, and whether it is true of two counts."""

    def atom() -> tuple[str, Any]:
        x, y, k = rng.choice([1, 1, 2, 3]), rng.choice([-1, 0, 0, 1, 2]), rng.choice([0, 0, 1, -1])
        text = f"{x}*count(a) + {y}*count(b) + {k}"
        if rng.random() < 0.5:
            m, r = rng.choice([2, 2, 3, 4]), rng.randrange(2)
            return f"({text}) mod {m} = {r}", lambda a, b: (x * a + y * b + k) % m == r
        op = rng.choice(["<", "<=", "="])
        return f"{text} {op} 2*count(b)", lambda a, b: OPERATORS[op](x * a + y * b + k, 2 * b)

    (p, first), (q, second), (r, third) = atom(), atom(), atom()
    if rng.random() < 0.5:
        return f"{p} & {q} -> {r}", lambda a, b: not (first(a, b) and second(a, b)) or third(a, b)
    return f"{p} & {q} -> ~({r})", lambda a, b: not (first(a, b) and second(a, b) and third(a, b))


OPERATORS = {"<": operator.lt, "<=": operator.le, "=": operator.eq}


@pytest.mark.sweep
def test_random_claims_with_remainders_are_as_small_counts_say() -> None:
    """Proved is only what is true of all counts up to 14, by loops; most of these are proved."""
    rng, b = random.Random(55), sc.Builder(words={"a": {"x": 1}, "b": {"x": -1}})
    b.readout("sign", "last", ("x",), weights=[1])
    document, found, true = document_of(b.build("last"), {}), 0, 0
    for _ in range(25):
        sentence, holds = drawn(rng)
        statement = certify.claim(document, sentence)
        decided = counts.decide(problem(statement), certify.library(statement, certify.citable()))
        expected = all(holds(n - k, k) for n in range(1, 15) for k in range(n + 1))
        true, found = true + expected, found + (decided.proved is not None)
        assert expected or decided.proved is None, sentence
    assert found >= 0.9 * true > 0, (found, true)


@pytest.mark.sweep
def test_random_periods_are_as_small_powers_say() -> None:
    """Claims about (u|v)*, whose strings have the counts of i*u + j*v: true are those of all i, j up to 14."""
    rng, document, found, true = random.Random(56), document_of(votes(), {}), 0, 0
    for _ in range(8):
        u, v = rng.sample(["aa", "aaa", "bb", "bbb", "ab", "aab", "abb", "aabb"], 2)
        x, y, k, m = rng.choice([1, 1, 2, 3]), rng.choice([1, 1, 2]), rng.choice([0, 0, 1, 2]), rng.choice([2, 3, 4, 6])
        parikh = [(i * u.count("a") + j * v.count("a"), i * u.count("b") + j * v.count("b"))
                  for i in range(15) for j in range(15) if i + j]  # fmt: skip
        rests = {(a + b) % m for a, b in parikh if x * a + k == y * b}
        rest = rng.choice([*rests, 0])
        sentence = f'matches("({u}|{v})*") & {x}*count(a) + {k} = {y}*count(b) -> n mod {m} = {rest}'
        statement = certify.claim(document, sentence)
        asked = problem(statement)
        decided = counts.decide(asked, certify.library(statement, certify.citable()), Regular(asked))
        expected = rests <= {rest}
        true, found = true + expected, found + (decided.proved is not None)
        assert expected or decided.proved is None, sentence
    assert found >= 0.9 * true > 0, (found, true)


@pytest.mark.sweep
def test_both_checkers_accept_it_and_refuse_it_for_a_near_miss(tmp_path: Path) -> None:
    document = document_of(votes(), {})
    sentence = 'matches("({})*") & count(b) mod 2 = 1 -> ~accept & (n mod 4 = 2 | count(a) mod 2 = 0)'
    true, miss = (certify.claim(document, sentence.format(x)) for x in ("ab", "aab"))
    goal = proof(votes(), sentence.format("ab"))
    certificate = certify.settle(true, document, {"proof": lambda g: g.take(goal)}).certificate
    assert certificate is not None
    assert f"PROVED   {true.id} " in second_checker(tmp_path, true, certificate).stdout
    moved = {**certificate, "id": miss.id}
    with pytest.raises(Rejected):
        limits.judged(miss, moved)
    assert f"PROVED   {miss.id} " not in second_checker(tmp_path, miss, moved).stdout
