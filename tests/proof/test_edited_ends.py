"""Edited strings of models with added tokens, and of models that answer at each position; runs of the model are the
truth."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from shared import second_checker

import symcook as sc
from symcook.model.modelfile import to_document
from symcook.proof.search.attempts import Failed
from symcook.proof.statements import certify, editedruns


@cache
def majority(added: str = "", start: int = 1, at: str = "last", mask: str = "causal", lead: int = 0) -> sc.Transformer:
    """More a's than b's, with the `added` tokens BOS and EOS; BOS has the vote `lead`."""
    before, after = ("BOS" if "BOS" in added else None), ("EOS" if "EOS" in added else None)
    words = {"BOS": {"vote": lead}, "a": {"vote": 1}, "b": {"vote": -1}, "EOS": {}}
    words = {token: row for token, row in words.items() if len(token) == 1 or token in added}
    b = sc.Builder(words=words, before=before, after=after, start=start)
    b.readout("sign", at, b.add(sc.head(value={"mean": "vote"}, mask=mask)), weights=[1])
    return b.build("majority")


@cache
def passed(added: str = "") -> sc.Transformer:
    """The same by a step unit."""
    words = {"a": {"vote": 1}, "b": {"vote": -1}} | ({added: {}} if added else {})
    b = sc.Builder(words=words, after=added or None)
    b.add(sc.head(value={"mean": "vote"}, mask="causal"))
    b.readout("sign", "last", b.add(sc.feedforward(passed="step(mean)")), weights=[1])
    return b.build("passed")


@cache
def two_heads() -> sc.Transformer:
    """More a's than b's by two heads and a ReLU, read at EOS."""
    b = sc.Builder(words={"a": {"x": 1}, "b": {"y": 1}, "EOS": {}}, after="EOS")
    b.add(sc.head(value={"share_a": "x"}, mask="causal"))
    b.add(sc.head(value={"share_b": "y"}, mask="causal"))
    b.readout("sign", "last", b.add(sc.feedforward(more="relu(share_a - share_b)")), weights=[1])
    return b.build("two_heads")


@cache
def soft() -> sc.Transformer:
    """The share of a's by softmax with BOS, where an a weighs exp(2) as much as another token."""
    b = sc.Builder(words={"BOS": {"one": 1}, "a": {"one": 1, "x": 1}, "b": {"one": 1}}, before="BOS")
    b.add(sc.head({("one", "x"): 2}, {"share": "x"}, mask="causal", weighting="softmax"))
    b.readout("sign", "last", "share", weights=[1])
    return b.build("soft")


@cache
def backward() -> sc.Transformer:
    """Whether from each position on there are more a's than b's."""
    b = sc.Builder(words={"a": {"x": 1}, "b": {"x": -1}, "EOS": {}}, after="EOS")
    b.readout("sign", "each", b.add(sc.head(value={"rest": "x"}, mask="anti-causal")), weights=[1])
    return b.build("backward")


@cache
def strictly_before(added: str) -> sc.Transformer:
    """More a's than b's before the last position, which is that of EOS if this is added."""
    words = {"BOS": {}, "a": {"x": 1}, "b": {"x": -1}, "EOS": {}}
    words = {token: row for token, row in words.items() if len(token) == 1 or token == added}
    b = sc.Builder(words=words, **({"before" if added == "BOS" else "after": added} if added else {}))
    b.readout("sign", "last", b.add(sc.head(value={"m": "x"}, mask="strict-causal")), weights=[1])
    return b.build("strictly_before")


@cache
def alternating() -> sc.Transformer:
    """As many a's at even positions as at odd ones."""
    b = sc.Builder(words={"a": {"is_a": 1}, "b": {}}, positions={"alt": "(-1)^i"})
    b.add(sc.feedforward(signed="relu(alt + is_a - 1) - relu(is_a - alt - 1)"))
    b.readout("zero", "last", b.add(sc.head(value={"drift": "signed"}, mask="causal")))
    return b.build("alternating")


BOS, EOS, BOTH = majority("BOS"), majority("EOS"), majority("BOS EOS")
BALLOT = majority("BOS", start=0, at="all", lead=1)
TRUE = [
    (EOS, "accept -> appended(a, b, a).accept"),
    (BALLOT, "accept -> prepended(a).accept"),
    (majority("BOS", at="each"), "all i in 1..n. prepended(a, b).accept(i + 2) <-> accept(i)"),
    (BOS, "accept -> appended(a).accept"),
    (BOTH, "accept <-> prepended(a, b).accept"),
    (BOTH, "prefix(p).accept <-> count(a, p) > count(b, p)"),
    (BOTH, "2 <= p & at(b, p) & accept -> deleted(p).accept"),
    (majority("BOS", start=0), "at(b, p) & accept -> deleted(p).accept"),
    (majority("BOS", mask="none"), "accept <-> appended(a, b).accept"),
    (BALLOT, "accept -> prefix(p).accept"),
    (BALLOT, "accept & at(b, p) -> deleted(p).accept"),
    (BALLOT, "accept -> appended(a).accept"),
    (majority("BOS EOS", at="all", lead=2), "accept -> appended(a).accept"),
    (passed("EOS"), "appended(b).accept -> accept"),
    (passed(), "appended(b, b, b).accept -> 4 <= count(a)"),
    (two_heads(), "accept <-> appended(b, a).accept"),
    (soft(), "count(a) != 0 -> appended(b).share(n + 1) < share(n)"),
    (backward(), "all i in 1..n. accept(i) <-> prepended(a).accept(i + 1)"),
    (backward(), "appended(b).rest(1) < rest(1) | n = 1"),
    (strictly_before("EOS"), "accept <-> appended(a, b).accept"),
    (strictly_before(""), "accept -> prepended(a).accept"),
    (strictly_before("BOS"), "accept & at(a, n) -> appended(b).accept"),
    (alternating(), "accept <-> prepended(b).accept"),
    (alternating(), "all i in 1..n. prepended(b).signed(i + 1) = -signed(i)"),
    (alternating(), "all i in 1..n. prepended(b, b).signed(i + 2) = signed(i)"),
]
FALSE = [
    (EOS, "accept -> appended(b).accept"),
    (BOS, "accept <-> appended(a).accept"),
    (BOTH, "at(a, p) & accept -> deleted(p).accept"),
    (BOTH, "all p in 2..n - 1. prefix(p).accept <-> accept"),
    (BALLOT, "accept -> prepended(b).accept"),
    (BALLOT, "prefix(p).accept -> accept"),
    (BALLOT, "accept -> appended(b).accept"),
    (majority("BOS", at="each"), "all i in 1..n. prepended(a, b).accept(i + 1) <-> accept(i)"),
    (backward(), "all i in 1..n. accept(i) <-> appended(a).accept(i)"),
    (strictly_before("EOS"), "accept -> appended(b).accept"),
    (strictly_before("BOS"), "accept -> appended(a).accept"),
    (alternating(), "accept <-> prepended(a).accept"),
    (alternating(), "all i in 1..n. prepended(b).signed(i + 1) = signed(i)"),
]


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("model, sentence", TRUE, ids=[f"{k}: {said}" for k, (_, said) in enumerate(TRUE)])
@pytest.mark.layer_two(every=9)
def test_a_statement_about_the_ends_of_an_edited_string_is_proved(model: sc.Transformer, sentence: str) -> None:
    answer = model.prove(sentence, seconds=20)
    assert answer.status == "PROVED" and str(answer.method).startswith(editedruns.METHOD)


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("model, sentence", FALSE, ids=[f"{k}: {said}" for k, (_, said) in enumerate(FALSE)])
@pytest.mark.layer_two(every=3)
def test_a_false_statement_about_the_ends_has_no_such_proof(model: sc.Transformer, sentence: str) -> None:
    statement = certify.claim(document := to_document(model), sentence)
    library = certify.library(statement, certify.citable())
    assert isinstance(editedruns.decided(statement, document, library, 10), Failed)


@pytest.mark.sweep
def test_the_second_checker_accepts_a_proof_about_added_tokens(tmp_path: Path) -> None:
    model, sentence = TRUE[1]
    found = model.prove(sentence, seconds=20)
    assert found.certificate is not None
    assert "PROVED   own.majority " in second_checker(tmp_path, found.claim, found.certificate).stdout


EDITED = {
    "appended(a)": lambda w, p: w + "a",
    "appended(b, a)": lambda w, p: w + "ba",
    "prepended(b)": lambda w, p: "b" + w,
    "prepended(a, b, b)": lambda w, p: "abb" + w,
    "deleted(p)": lambda w, p: w[:p] + w[p + 1 :],
    "prefix(p)": lambda w, p: w[: p + 1],
}
"""By prefix: the second string for the first one and the index p of a symbol."""


def drawn(rng: random.Random) -> sc.Transformer:
    """One or two heads, a feed-forward step and added tokens, over a and b."""
    before, after = rng.choice((("BOS", None), (None, "EOS"), ("BOS", "EOS")))
    tokens = [token for token in (before, "a", "b", after) if token]
    words = {token: {"u": rng.choice((-1, 0, 1, 2)), "v": rng.choice((0, 1)), "one": 1} for token in tokens}
    positions = {"alt": "(-1)^i"} if rng.random() < 0.3 else {}
    b = sc.Builder(words=words, before=before, after=after, start=rng.choice((0, 1)), positions=positions)
    score, mask = rng.choice(({}, {}, {("one", "v"): 1})), rng.choice(("none", "causal", "anti-causal"))
    b.add(sc.head(score, {"f": "u"}, mask=mask, weighting="softmax" if score else "average"))
    signed = "relu(alt + v - 1) - relu(f)" if positions else "relu(v - f)"
    b.add(sc.feedforward(g=rng.choice(("relu(u - f)", "step(f)", "2*relu(-f)", signed))))
    b.add(sc.head(value={"h": rng.choice(("v", "g"))}, mask=rng.choice(("causal", "none"))))
    coordinate, at = rng.choice(("f", "g", "h")), rng.choice(("first", "last", "all"))
    b.readout("sign", at, coordinate, weights=[rng.choice((1, -1))])
    return b.build("drawn")


def answers(model: sc.Transformer, prefix: str) -> Iterator[tuple[bool, bool]]:
    """The answers to each string up to length 4 and to its edited string."""
    runs = cache(lambda word: model.run(word).accept)
    for word in ("".join(w) for size in range(5) for w in itertools.product("ab", repeat=size)):
        for p in range(len(word)) if "p)" in prefix else [0]:
            yield runs(word), runs(EDITED[prefix](word, p))


@pytest.mark.sweep
@pytest.mark.layer_two(0)
@pytest.mark.parametrize("seed", range(24))
def test_nothing_false_is_proved_of_drawn_models_with_added_tokens(seed: int) -> None:
    model = drawn(random.Random(seed))
    document = to_document(model)
    for prefix in EDITED:
        found = set(answers(model, prefix))
        for sentence, refuting in (
            (f"{prefix}.accept -> accept", (False, True)),
            (f"accept -> {prefix}.accept", (True, False)),
        ):
            statement = certify.claim(document, sentence)
            library = certify.library(statement, certify.citable())
            if isinstance(editedruns.decided(statement, document, library, 10), Failed):
                continue
            assert refuting not in found, sentence
