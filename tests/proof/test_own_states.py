"""Claims about the language of a model with finitely many values, proved by the states of its automaton; near misses
are not proved."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

import pytest
from shared import second_checker

import symcook as sc
from symcook.model.modelfile import to_document
from symcook.programs.automata import Automaton
from symcook.proof.search.attempts import Failed
from symcook.proof.search.tactics import Goal
from symcook.proof.statements import bylanguage, certify


@cache
def alternates() -> sc.Transformer:
    """No symbol is followed by itself: a strict head, a test of both symbols, and a mean of the tests."""
    b = sc.Builder(words={"a": {"is_a": 1}, "b": {"is_b": 1}})
    b.add(sc.head(value={"prev_a": "is_a", "prev_b": "is_b"}, mask="strict-causal", weighting="rightmost"))
    b.add(sc.feedforward(same="relu(prev_a + is_a - 1) + relu(prev_b + is_b - 1)"))
    b.readout("zero", "last", b.add(sc.head(value={"total": "same"}, mask="causal")))
    return b.build("alternates")


@cache
def without_b(before: str | None = None, after: str | None = None, start: int = 1) -> sc.Transformer:
    """No b occurs."""
    added = {token: {} for token in (before, after) if token}
    b = sc.Builder(words={**added, "a": {}, "b": {"is_b": 1}}, before=before, after=after, start=start)
    b.readout("zero", "last", b.add(sc.head(value={"total": "is_b"}, mask="causal")))
    return b.build("without_b")


MODELS = {
    "alternates": alternates,
    "BOS": lambda: without_b("BOS", None, 0),
    "EOS": lambda: without_b(None, "EOS"),
}


def accepts(name: str, word: str) -> bool:
    return re.search("aa|bb", word) is None if name == "alternates" else "b" not in word


def proved(model: sc.Transformer, sentence: str, seconds: float = 30) -> tuple[certify.Statement, dict] | str:
    """The statement and its certificate, which the first checker accepts; or why there is none."""
    document = to_document(model)
    statement = certify.claim(document, sentence)
    home = certify.library(statement, certify.citable())
    goal = bylanguage.prove(home, statement, seconds, model, document)
    if isinstance(goal, Failed):
        return goal.why
    parts = {"proof": partial(Goal.take, trial=goal)}
    certificate, verdict = certify.certificate_of(statement, parts, certify.models(statement, document), None)
    assert verdict.status == "PROVED" and not verdict.assuming
    return statement, certificate


TRUE: list[tuple[str, str, Callable[[str, bool], bool]]] = [
    ("alternates", "accept -> abs(count(a) - count(b)) <= 1",
     lambda w, x: not x or abs(w.count("a") - w.count("b")) <= 1),
    ("alternates", "accept & n mod 2 = 0 -> count(a) = count(b)",
     lambda w, x: not x or len(w) % 2 == 1 or w.count("a") == w.count("b")),
    ("alternates", "2 + count(b) <= count(a) -> ~accept", lambda w, x: w.count("a") < w.count("b") + 2 or not x),
    ("BOS", "accept -> 2*count(b) <= count(a)", lambda w, x: not x or 2 * w.count("b") <= w.count("a")),
    ("EOS", "accept <-> count(b) < 1", lambda w, x: x == (w.count("b") < 1)),
]  # fmt: skip
NEAR = [
    ("alternates", "accept -> count(a) = count(b)"),
    ("alternates", "accept -> abs(count(a) - count(b)) < 1"),
    ("alternates", "abs(count(a) - count(b)) <= 1 -> accept"),
    ("BOS", "accept -> 1 <= count(a)"),
    ("EOS", "count(b) <= 1 -> accept"),
]


@pytest.mark.layer_one(5)
@pytest.mark.parametrize(("name", "sentence", "truth"), TRUE)
@pytest.mark.layer_two(every=5)
def test_a_claim_about_a_language_is_proved(name, sentence, truth, tmp_path: Path):
    model = MODELS[name]()
    for word in ("".join(w) for n in range(1, 7) for w in itertools.product("ab", repeat=n)):
        assert model.run(word).accept is accepts(name, word) and truth(word, accepts(name, word))
    found = proved(model, sentence)
    assert not isinstance(found, str), found
    done = second_checker(tmp_path, *found)
    assert done.returncode == 0 and "OPEN" not in done.stdout


@pytest.mark.layer_one(5)
@pytest.mark.parametrize(("name", "sentence"), NEAR)
@pytest.mark.layer_two(every=3)
def test_a_near_miss_about_a_language_is_not_proved(name, sentence):
    assert isinstance(proved(MODELS[name](), sentence, 4), str)


@pytest.mark.sweep
def test_prove_asks_for_the_states():
    """What `decide` found out by automata has a certificate."""
    answer = alternates().prove("accept -> abs(count(a) - count(b)) <= 1", seconds=20)
    assert answer.status == "PROVED", answer.why


def drawn(seed: int) -> Automaton:
    draw = random.Random(seed)
    letters, states = ("a", "(", "b*")[: 2 + seed % 2], 1 + seed % 5
    moves = tuple(tuple(draw.randrange(states) for _ in letters) for _ in range(states))
    return Automaton(letters, moves, tuple(draw.choice([True, False, None]) for _ in range(states))).minimal()


@pytest.mark.parametrize("seed", range(40))
def test_an_expression_has_the_strings_of_its_automaton(seed):
    """Beside the derivatives of the table: its own reader, on all strings up to length 5."""
    automaton = drawn(seed)
    text = bylanguage.expression(automaton, True)
    if text is None:
        assert len(automaton) > 2
        return
    table = bylanguage.regular_table(text, automaton.alphabet)
    for word in (w for n in range(6) for w in itertools.product(automaton.alphabet, repeat=n)):
        assert table(word) is (automaton(word) is True)


def test_other_letters_and_large_automata_have_no_expression():
    assert bylanguage.expression(Automaton(("{", "a"), ((0, 0),), (True,)), True) is None
    count = bylanguage.LONGEST + 1
    turning = Automaton(("a",), tuple(((k + 1) % count,) for k in range(count)), tuple(k == 0 for k in range(count)))
    assert bylanguage.expression(turning, True) is None
