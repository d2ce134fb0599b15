"""Claims about all prefixes of the strings of a language, by bounds in each state; near misses have no proof.

The expected truths are those of loops over short strings."""

from __future__ import annotations

import itertools
import random
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from shared import second_checker

import symcook as sc
from symcook.proof.claims import counts
from symcook.proof.claims.byautomata.regular import Regular
from symcook.proof.claims.bycounts.casefacts import Unclosed
from symcook.proof.claims.bycounts.problem import problem
from symcook.proof.search.tactics import Goal
from symcook.proof.statements import certify
from symcook.proof.statements.proving import document_of


@cache
def ballot(down: int = 1, **ends: Any) -> sc.Transformer:
    """It accepts where a's and (`down` times) b's are even at the end, and no prefix has more b's."""
    steps = {"a": {"step": 1}, "b": {"step": -down}, "c": {}}
    b = sc.Builder(words={**steps, **{token: {} for token in ends.values() if isinstance(token, str)}}, **ends)
    b.add(sc.head(value={"height": "step"}, mask="causal"))
    b.add(sc.feedforward(below="relu(-height)"))
    b.add(sc.head(value={"total": "below"}, mask="causal"))
    b.readout("zero", "last", ["height", "total"])
    return b.build("ballot")


def goal(model: sc.Transformer, sentence: str, prefixes: bool = True) -> Goal:
    statement = certify.claim(document_of(model, {}), sentence)
    asked = problem(statement).here
    g = Goal(certify.library(statement, certify.citable()), statement.formula, {}, {})
    counts.prove(asked, g, None, Regular(asked), prefixes)
    return g


def holds(claim: str, word: str, accept: bool) -> bool:
    """The truth of one of the claims below on a string, without the library."""
    sentence = re.fullmatch(r'matches\("(.*)"\) -> (.*)', claim)
    assert sentence is not None
    language, rest = sentence.groups()
    if re.fullmatch(language, word) is None:
        return True
    if rest == "accept":
        return accept
    bound = re.fullmatch(r"\(all j in 1\.\.n\. count\((.), j\) <= count\((.), j\) \+ (\d)\)", rest)
    assert bound is not None
    smaller, larger, shift = bound.groups()
    prefixes = (word[:k] for k in range(1, len(word) + 1))
    return all(p.count(smaller) <= p.count(larger) + int(shift) for p in prefixes)


TRUE: dict[str, tuple[dict[str, Any], str]] = {
    "depth one": ({}, 'matches("(c|ac*b)*") -> accept'),
    "depth two": ({}, 'matches("(a(ab)*b)*") -> accept'),
    "after an added token": ({"before": "^"}, 'matches("(c|ac*b)*") -> accept'),
    "between added tokens, counted from 0": ({"before": "^", "after": "$", "start": 0}, 'matches("(ab|c)*") -> accept'),
    "two a's for each b": ({"down": 2}, 'matches("(aab|c)*") -> accept'),
    "all prefixes": ({}, 'matches("(ab|c)*") -> (all j in 1..n. count(b, j) <= count(a, j) + 0)'),
    "the other way round": ({}, 'matches("(ba|c)*b?") -> (all j in 1..n. count(a, j) <= count(b, j) + 0)'),
    "one ahead": ({}, 'matches("(ab|ba)*") -> (all j in 1..n. count(b, j) <= count(a, j) + 1)'),
}
FALSE: dict[str, tuple[dict[str, Any], str]] = {
    "b before a": ({}, 'matches("(c|bc*a)*") -> accept'),
    "one a is left": ({}, 'matches("(c|ac*b)*a?") -> accept'),
    "below once, deep in the string": ({}, 'matches("(ab)*(ba)?(ab)*") -> accept'),
    "after an added token, one b is left": ({"before": "^"}, 'matches("(c|ac*b)*b?") -> accept'),
    "one a for two b's": ({"down": 2}, 'matches("(ab)*") -> accept'),
    "not ahead": ({}, 'matches("(ab|ba)*") -> (all j in 1..n. count(b, j) <= count(a, j) + 0)'),
    "two ahead": ({}, 'matches("(abb|a)*") -> (all j in 1..n. count(b, j) <= count(a, j) + 0)'),
}


def false_on(ends: dict[str, Any], sentence: str) -> str | None:
    """The first string up to length 4 on which a claim is false."""
    model = ballot(**ends)
    shortest = 0 if ends.get("before") else 1
    words = ("".join(w) for n in range(shortest, 5) for w in itertools.product("abc", repeat=n))
    asked = "accept" in sentence
    return next((w for w in words if not holds(sentence, w, asked and model.run(list(w)).accept is True)), None)


@pytest.mark.layer_one(5)
@pytest.mark.parametrize("case", TRUE)
def test_a_claim_about_all_prefixes_is_proved(case: str, tmp_path: Path) -> None:
    ends, sentence = TRUE[case]
    assert false_on(ends, sentence) is None
    found, document = goal(ballot(**ends), sentence), document_of(ballot(**ends), {})
    statement = certify.claim(document, sentence)
    settled = certify.settle(statement, document, {"proof": lambda g: g.take(found)})
    assert settled.verdict is not None and settled.certificate is not None
    assert settled.verdict.status == "PROVED"
    if case != "all prefixes":  # in layer one, the first checker alone
        assert f"PROVED   {statement.id} " in second_checker(tmp_path, statement, settled.certificate).stdout


@pytest.mark.layer_one(5)
@pytest.mark.parametrize("case", FALSE)
def test_a_near_miss_about_all_prefixes_has_no_proof(case: str) -> None:
    ends, sentence = FALSE[case]
    assert false_on(ends, sentence) is not None
    with pytest.raises(Unclosed):
        goal(ballot(**ends), sentence)


@pytest.mark.sweep
def test_prove_asks_for_bounds_of_prefixes() -> None:
    """Without them there is no proof; `prove` finds one, and a string for a near miss."""
    sentence = TRUE["depth one"][1]
    with pytest.raises(Unclosed):
        goal(ballot(), sentence, prefixes=False)
    answer = ballot().prove(sentence, seconds=20)
    assert answer.status == "PROVED", answer.why
    miss = ballot().prove(FALSE["one a is left"][1], seconds=20)
    assert (miss.status, miss.counterexample) == ("REFUTED", "a")


@pytest.mark.sweep
def test_drawn_claims_about_all_prefixes_are_as_short_strings_say() -> None:
    """Of drawn languages, each true claim is proved and no false one."""
    rng, found = random.Random(79), 0
    for _ in range(24):
        blocks = "|".join("".join(rng.choice("aabbc") for _ in range(rng.randrange(1, 4))) for _ in range(2))
        one, two = rng.sample("ab", 2)
        shift = rng.randrange(3)
        sentence = f'matches("({blocks})*") -> (all j in 1..n. count({one}, j) <= count({two}, j) + {shift})'
        words = ("".join(w) for n in range(1, 8) for w in itertools.product("abc", repeat=n))
        true = all(holds(sentence, w, True) for w in words)
        try:
            goal(ballot(), sentence)
        except (Unclosed, counts.Stuck):
            continue
        assert true, sentence
        found += 1
    assert found >= 4
