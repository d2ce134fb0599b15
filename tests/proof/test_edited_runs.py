"""Statements about strings of another length, proved by terms of the first run; the model's own runs are the truth."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from shared import second_checker

import symcook as sc
from symcook.model.modelfile import to_document
from symcook.proof.search.attempts import Failed
from symcook.proof.statements import certify, editedruns


@cache
def votes(mask: str = "causal") -> sc.Transformer:
    """Accepts strings with more a's than b's."""
    b = sc.Builder(words={"a": {"vote": 1}, "b": {"vote": -1}})
    b.add(sc.head(value={"mean": "vote"}, mask=mask))
    b.readout("sign", "last", "mean", weights=[1])
    return b.build("votes")


@cache
def soft() -> sc.Transformer:
    """The share of a's by softmax, where an a weighs exp(2) as much as a b."""
    b = sc.Builder(words={"a": {"one": 1, "x": 1}, "b": {"one": 1}})
    b.add(sc.head({("one", "x"): 2}, {"share": "x"}, mask="causal", weighting="softmax"))
    b.readout("sign", "last", "share", weights=[1])
    return b.build("soft")


@cache
def leftmost() -> sc.Transformer:
    """The value at the first of the positions with the greatest key."""
    b = sc.Builder(words={"a": {"one": 1, "key": 1, "v": 2}, "b": {"one": 1, "v": -1}})
    b.add(sc.head({("one", "key"): 1}, {"found": "v"}, mask="causal", weighting="leftmost"))
    b.readout("sign", "last", "found", weights=[1])
    return b.build("leftmost")


TRUE = [
    (votes(), "accept -> appended(a).accept"),
    (votes(), "appended(a).mean(n + 1) = (n*mean(n) + 1)/(n + 1)"),
    (votes("none"), "accept <-> prepended(a, b).accept"),
    (votes("none"), "abs(appended(b).mean(1) - mean(1)) <= 2/(n + 1)"),
    (votes(), "all p in 1..n. 2 <= n & at(b, p) & accept -> deleted(p).accept"),
    (votes(), "2 <= n & accept & at(a, 1) -> 0 <= deleted(1).mean(n - 1)"),
    (votes(), "all p in 1..n. all i in 1..p. prefix(p).mean(i) = mean(i)"),
    (votes(), 'matches("(ab)*") -> appended(a).accept'),
    (votes(), "appended(a).mean(n + 1) = prepended(a).mean(n + 1)"),
    (soft(), "accept -> prepended(a, b).accept"),
    (soft(), "appended(a).share(n) = share(n)"),
    (sc.build("dyck-1"), "accept -> ~appended('(').accept"),
]
FALSE = [
    (votes(), "accept -> prepended(b).accept"),
    (votes(), "all p in 1..n. 2 <= n & accept -> deleted(p).accept"),
    (votes(), "all p in 1..n. prefix(p).accept <-> accept"),
    (votes("none"), "appended(a).mean(1) = mean(1)"),
    (soft(), "appended(b).share(n + 1) = share(n)"),
]


@pytest.mark.layer_one(6)
@pytest.mark.parametrize("model, sentence", TRUE, ids=[said for _, said in TRUE])
@pytest.mark.layer_two(every=2)
def test_a_true_statement_is_proved_by_terms_of_the_first_run(model: sc.Transformer, sentence: str) -> None:
    answer = model.prove(sentence, seconds=30)
    assert answer.status == "PROVED" and str(answer.method).startswith(editedruns.METHOD)


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("model, sentence", FALSE, ids=[said for _, said in FALSE])
def test_a_false_statement_has_no_such_proof(model: sc.Transformer, sentence: str) -> None:
    statement = certify.claim(document := to_document(model), sentence)
    library = certify.library(statement, certify.citable())
    assert isinstance(editedruns.decided(statement, document, library, 20), Failed)
    assert editedruns.searched(document, library, statement, 5) is None


@pytest.mark.sweep
def test_the_second_checker_accepts_a_proof_by_terms_of_the_first_run(tmp_path: Path) -> None:
    for sentence in ("accept -> appended(a).accept", "2 <= n & at(b, p) & accept -> deleted(p).accept"):
        found = votes().prove(sentence, seconds=30)
        assert found.certificate is not None
        assert "PROVED   own.votes " in second_checker(tmp_path, found.claim, found.certificate).stdout


def test_what_is_read_at_each_position_is_named() -> None:
    statement = certify.claim(document := to_document(leftmost()), "accept -> appended(a).accept")
    found = editedruns.decided(statement, document, certify.library(statement, certify.citable()), 20)
    assert found == Failed("appended_key is read at each position")


Words = Callable[[str, int], list[str]]
EDITED: dict[str, Words] = {
    "appended(a)": lambda w, p: [w + "a"],
    "appended(b, a)": lambda w, p: [w + "ba"],
    "prepended(b)": lambda w, p: ["b" + w],
    "prepended(a, b, b)": lambda w, p: ["abb" + w],
    "deleted(p)": lambda w, p: [w[: p - 1] + w[p:]] if len(w) > 1 else [],
    "prefix(p)": lambda w, p: [w[:p]],
}


def drawn(rng: random.Random) -> sc.Transformer:
    """A head of one of several kinds and a feed-forward step, over a and b."""
    words = {s: {"one": 1, "u": rng.choice((-1, 0, 1, 2)), "s": rng.choice((0, 1))} for s in "ab"}
    b = sc.Builder(words=words)
    score, mask = rng.choice(({}, {}, {("one", "s"): 1})), rng.choice(("none", "future", "past"))
    b.add(sc.head(score, {"f": "u"}, mask=mask, weighting="softmax" if score else "average"))
    b.add(sc.feedforward(g=rng.choice(("relu(u - f)", "relu(f)", "2*relu(-f)"))))
    b.readout("sign", rng.choice(("first", "last")), rng.choice(("f", "g")), weights=[rng.choice((1, -1))])
    return b.build("drawn")


@pytest.mark.sweep
@pytest.mark.layer_two(0, 1)
@pytest.mark.parametrize("seed", range(12))
def test_nothing_false_is_proved_of_drawn_models(seed: int) -> None:
    """Each proof beside the model's runs on all strings up to length 4 and their edited strings."""
    model, proved = drawn(random.Random(seed)), 0
    runs = cache(lambda word: model.run(word).accept)
    for prefix in [*EDITED] if seed else ["appended(a)", "deleted(p)"]:
        for sentence, test in (
            (f"{prefix}.accept -> accept", lambda x, y: x or not y),
            (f"accept -> {prefix}.accept", lambda x, y: y or not x),
            (f"accept & at(a, 1) -> {prefix}.accept", None),
        ):
            said = "".join(("all p in 1..n. ", "2 <= n -> " * (prefix[0] == "d"), f"({sentence})")
                           if "p)" in prefix else (sentence,))  # fmt: skip
            statement = certify.claim(document := to_document(model), said)
            library = certify.library(statement, certify.citable())
            if isinstance(editedruns.decided(statement, document, library, 10), Failed):
                continue
            proved += 1
            for word in ("".join(w) for size in range(1, 5) for w in itertools.product("ab", repeat=size)):
                for p in range(1, len(word) + 1):
                    for other in EDITED[prefix](word, p):
                        x, y = runs(word), runs(other)
                        assert test(x, y) if test else y or not (x and word[0] == "a"), (said, word, p)
    assert proved or seed
