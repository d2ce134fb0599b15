"""Sentences about models whose values are roots, exponentials, logarithms: against runs by balls and plain formulas."""

import itertools
import json
import math
import random
from typing import Any

import pytest
from families import in_parts, together

import symcook as sc
from symcook.errors import BadInput
from symcook.model import modelfile
from symcook.model.checks import Space
from symcook.model.ends import Embedding, Readout
from symcook.model.parts import Head, Layer, SelfAttention
from symcook.model.transformer import Transformer
from symcook.proof import replay
from symcook.proof.search.tactics import Goal
from symcook.proof.statements import certify, witness
from symcook.proof.statements.shortruns import Runs


def votes(weighting: str = "softmax") -> Transformer:
    """Votes 1 and -1, weighted by what e to the product with one's own vote says."""
    embedding = Embedding(Space(("vote", "mean")), words={"a": {"vote": 1}, "b": {"vote": -1}})
    head = Head(("vote",), ("mean",), [[1]], [[1]], [[1]], weighting=weighting)
    readout = Readout("sign", "last", ("mean",), weights=[1])
    return Transformer("soft", embedding, (Layer(SelfAttention((head,))),), readout)


def mean(word: str) -> float:
    """The mean in plain numbers, at the last position."""
    vote = {"a": 1, "b": -1}
    weights = [math.exp(vote[word[-1]] * vote[x]) for x in word]
    return sum(q * vote[x] for q, x in zip(weights, word, strict=True)) / sum(weights)


MODELS = {
    "votes": votes,
    "average": lambda: votes("average"),
    "first": lambda: sc.build("first").bind({"c": 1}),
    "first-layernorm": lambda: sc.build("first-layernorm").bind({"c": 1, "epsilon": "1/2"}),
    "parity-layernorm": lambda: sc.build("parity-layernorm").bind({"c": 1, "epsilon": "1/2"}),
}


def claimed(which: str, sentence: str):
    made = json.loads(modelfile.dumps(MODELS[which]()))
    return made, certify.claim(made, sentence)


def judged(statement, certificate) -> str:
    lemmas = {n: replay.statements()[n] for n in certificate["lemmas"]}
    return replay.judge(statement, certificate, lemmas)[0]


@pytest.mark.layer_one(0)
@in_parts(
    3,
    ("which", "sentence"),
    [
        ("first", "accept -> 1 <= n"),
        ("first-layernorm", "accept -> 1 <= n"),
        ("votes", "accept -> 1 <= n"),
        ("average", "accept -> 1 <= n"),
        ("parity-layernorm", "1 <= n"),
    ],
)
def test_a_run_with_roots_and_exponentials_is_the_word_for_the_hypotheses(which, sentence):
    made, statement = claimed(which, sentence)
    answer = certify.settle(statement, made)
    assert answer.certificate and answer.verdict is not None and answer.verdict.status == "PROVED"
    assert judged(statement, answer.certificate) == "PROVED"


def refuted(made, statement):
    """The word of a refutation whose certificate the checker takes."""
    answer = certify.settle(statement, made, None, 20)
    assert answer.tried is not None and answer.tried.word is not None and answer.certificate
    assert judged(statement, answer.certificate) == "REFUTED"
    return answer.tried.word


@pytest.mark.layer_one(0)
@in_parts(2, "which", ["votes", "average", "first", "first-layernorm"])
def test_the_smallest_false_word_is_that_of_runs_by_balls(which):
    model = MODELS[which]()
    letters = sorted(model.alphabet)
    words = [w for k in range(3) for w in itertools.product(letters, repeat=k) if w or model.embedding.added]
    for sentence, says in (
        ("accept -> n <= 0", lambda w: False),
        (f"accept -> at({letters[0]}, n{' - 1' if model.embedding.added else ''})", lambda w: w[-1] == letters[0]),
    ):
        made, statement = claimed(which, sentence)
        wanted = next((w for w in words if model.run(w, domain="ball").accept is True and not says(w)), None)
        if wanted is not None:
            assert refuted(made, statement) == wanted
        else:
            assert Runs(statement, made).tried(len(words[-1])).word is None


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("seed", range(6))
def test_bounds_on_a_softmax_head_against_plain_numbers(seed):
    """mean(n) against a random number: refuted with the smallest word, or true of all words to length 3."""
    draw = random.Random(f"soft {seed}")
    bound, below = draw.randint(-97, 97), draw.random() < 0.5
    guard = draw.choice(["", "2 <= n -> ", "at(a, 1) -> ", "at(b, n) -> "])
    meets = {"": lambda w: True, "2 <= n -> ": lambda w: len(w) >= 2}
    meets |= {"at(a, 1) -> ": lambda w: w[0] == "a", "at(b, n) -> ": lambda w: w[-1] == "b"}
    words = ["".join(w) for k in (1, 2, 3) for w in itertools.product("ab", repeat=k)]
    values = {w: mean(w) for w in words}
    assert all(abs(v - bound / 101) > 1e-9 for v in values.values())
    false = [w for w in words if meets[guard](w) and (values[w] < bound / 101) is not below]
    made, statement = claimed("votes", f"{guard}mean(n) < {bound}/101" if below else f"{guard}{bound}/101 < mean(n)")
    if false:
        assert refuted(made, statement) == tuple(false[0])
    else:
        tried = Runs(statement, made).tried(3)
        assert tried.word is None and tried.length == 3


@pytest.mark.sweep
@together(
    ("sentence", "word"),
    [
        ("0 < log(2 + vote(n)) - 1/2", "b"),
        ("gelu(vote(n)) < 1/2", "a"),
        ("erf(vote(n)) < 3/4", "a"),
        ("0 < log(2 + mean(n))", "b"),
        ("3 <= n -> sqrt(1 + mean(n)) < 6/5", "aaa"),
        ("sqrt(2)*exp(mean(n)) < 2", "a"),
        ("2 <= n -> exp(sqrt(1 + mean(n))) < 7/2", "aa"),
        ("~(exp(sqrt(2)) = exp(vote(n)*sqrt(2)))", "a"),
        ("exp(sqrt(2)*vote(n)) = exp(sqrt(2))", "b"),
    ],
)
def test_balls_decide_what_has_no_exact_value(sentence, word):
    assert refuted(*claimed("votes", sentence)) == tuple(word)


def test_what_balls_find_true_is_refuted_by_no_word():
    for sentence in ("log(2 + mean(n)) < 11/10", "gelu(vote(n)) < 9/10", "0 < mean(n) -> 0 < gelu(mean(n))"):
        made, statement = claimed("votes", sentence)
        tried = Runs(statement, made).tried(3)
        assert tried.word is None and tried.length == 3 and tried.open_at is None


def test_a_part_that_is_closed_at_a_string_stays_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a part after it is refused at this string, only that part is tried at other strings."""
    document, statement = claimed(
        "average", "(at(a, 1) & n = 2 -> mean(1) = 1) & (at(a, 2) & n = 2 -> 0 <= mean(2))"
    )
    close, seen = witness._closed_here, list[Goal]()

    def closed(part: Goal, *more: Any) -> bool:
        seen.append(part)
        if len(seen) == 2:
            raise BadInput("a value must be open here")
        return close(part, *more)

    monkeypatch.setattr(witness, "_closed_here", closed)
    goal = witness.shown_inhabited(certify.library(statement, {}), statement, Runs(statement, document), [(0, 0)])
    assert goal is not None and seen.count(seen[0]) == 1 and seen[1] is seen[2] is not seen[0]
