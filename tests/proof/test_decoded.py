"""decoded(m) in sentences: from position m on the word is what the model goes on with.

What it is written out to is evaluated by `statement_truth` at the values of `forward` and compared with runs on the
prefixes, in exact numbers, where each must answer the next token.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest
from proof.statement_truth import program
from proof.test_runrel import Recorded, environment
from shared import call, refused

import symcook as sc
from symcook.decode import generate
from symcook.errors import BadInput
from symcook.model.expr import parse_formula
from symcook.model.modelfile import to_document
from symcook.proof.statements import certify


def turns(position: str = "each", labels: tuple[str, ...] = ("a", "b", "end"), **embedding: object) -> sc.Transformer:
    """a and b in turn; the third label is never the first of the greatest."""
    space = sc.Space(("ka", "kb"))
    words = {"a": {"ka": 1}, "b": {"kb": 1}} | ({"$": {}} if embedding else {})
    weights = [[0, 1], [1, 0], [Fraction(1, 2), Fraction(1, 2)]]
    readout = sc.Readout("largest", position, ("ka", "kb"), weights=weights, labels=labels)
    return sc.Transformer("turns", sc.Embedding(space, words=words, **embedding), (), readout)


def ended() -> sc.Transformer:
    """Behind aa the end, else a."""
    space = sc.Space(("x", "one", "heard"))
    embedding = sc.Embedding(space, words={"a": {"x": 1, "one": 1}, "b": {"one": 1}})
    head = sc.head({}, {"heard": "x"}, mask="future")
    weights = [[0, 1], [1, Fraction(1, 4)]]
    readout = sc.Readout("largest", "last", ("heard", "one"), weights=weights, labels=("a", "end"))
    return sc.Transformer("ended", embedding, (sc.Layer(sc.SelfAttention((head,))),), readout)


def automaton(variant: str) -> sc.Transformer:
    return sc.compile("dfa", "a*", alphabet="a", variant=variant)


def compared(model: sc.Transformer, words: list[tuple[str, ...]]) -> tuple[int, int]:
    """How often decoded(m) was true and false: each time as the runs on prefixes say."""
    document = to_document(model)
    text, relation = (
        certify.meaning(document, "all m in 0..n. decoded(m)").text("all m in 0..n. decoded(m)"),
        Recorded(document),
    )
    body = parse_formula(text)
    assert body[0] == "all in"
    added, true, false = int(model.embedding.before is not None), 0, 0
    for word in words:
        env, *_ = environment(model, relation, word)
        right = [model.run(list(word[:k])).result.label(-1) == word[k] if k + added else True for k in range(len(word))]
        low = int(relation.low)
        for m in range(low + added, low + added + len(word)):
            here = env | {body[1]: Fraction(m)}
            wanted = all(right[m - low - added + 1 :])
            assert program(body[4], tuple(sorted(here)))(here, {}, None, None) == wanted, (word, m)
            true, false = true + wanted, false + (not wanted)
    return true, false


@pytest.mark.parametrize("model, longest", [
    (turns(), 5), (turns("last"), 5), (turns("last", before="$", start=0), 4), (ended(), 5),
    (automaton("strict"), 3), (automaton("nonstrict"), 3), (automaton("no-start"), 3),
])  # fmt: skip
def test_it_says_what_runs_on_prefixes_do(model: sc.Transformer, longest: int) -> None:
    words = [word for n in range(1, longest + 1) for word in product(model.alphabet, repeat=n)]
    true, false = compared(model, words[:: 1 + len(words) // 60])
    assert true and false


@pytest.mark.sweep
def test_what_is_generated_is_decoded() -> None:
    model = automaton("strict")
    for letters in (1, 2, 3):
        word = (*"a" * letters, *generate(model, "a" * letters, 12).appended)
        altered = [(*word[:k], "no" if word[k] != "no" else "a", *word[k + 1 :]) for k in range(letters, len(word))]
        true, false = compared(model, [word, *altered])
        assert true and false
        assert compared(model, [word])[1] == letters - 1  # behind a letter that is not the last the next is no answer


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("sentence, verdict", [
    ("decoded(1) -> (all i in 1..n - 1. at(a, i) -> at(b, i + 1))", "PROVED"),
    ("decoded(1) & 2 <= n -> (at(a, 1) <-> at(b, 2))", "PROVED"),
    ("decoded(1) -> (all i in 1..n - 1. at(a, i) -> at(a, i + 1))", "REFUTED"),
    ("decoded(2) -> (all i in 1..n - 1. at(a, i) -> at(b, i + 1))", "REFUTED"),
])  # fmt: skip
def test_sentences_about_what_is_decoded(
    sentence: str, verdict: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "turns.json"
    turns().save(str(file))
    code, out, _ = call(capsys, "prove", file, "--statement", sentence)
    assert code == (verdict == "REFUTED") and out.startswith(f"{verdict}  {sentence}\n"), out


def test_a_run_that_has_ended_goes_on_with_nothing() -> None:
    document = to_document(ended())
    found = certify.settle(certify.claim(document, "decoded(1) & 3 <= n & at(a, 1) -> ~at(a, 2)"), document, seconds=5)
    assert (found.tried and found.tried.word) is None and isinstance(
        found.missing, certify.Vacuous
    )  # behind an a it ends
    found = certify.settle(certify.claim(document, "decoded(1) & at(a, 1) -> n = 1"), document, seconds=4)
    assert (found.tried and found.tried.word) is None
    found = certify.settle(certify.claim(document, "decoded(1) -> n = 1"), document, seconds=60)
    assert found.tried is not None and found.tried.word == ("b", "a")


@pytest.mark.parametrize("text", ["decoded()", "decoded(a, 1)", "decoded(1, 2)", "decoded", "decoded(at(a, 1))"])
def test_mistakes(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "turns.json"
    turns().save(str(file))
    refused(capsys, "prove", file, "--statement", f"{text} -> n = 1")


def test_a_model_that_looks_ahead_or_gives_no_label_has_none() -> None:
    ahead = replace(ended(), layers=(sc.Layer(sc.SelfAttention((sc.head({}, {"heard": "x"}),))),))
    numbered = sc.Embedding(sc.Space(("ka", "kb")), words={"a": {"ka": 1}, "b": {}}, positions={"kb": "1/n"})
    for model in (ahead, replace(turns(), embedding=numbered), turns("last", after="$")):
        with pytest.raises(BadInput, match="looks back only"):
            certify.claim(to_document(model), "decoded(1) -> n = 1")
    for model in (turns("first"), sc.build("dyck-1"), sc.build("max")):
        with pytest.raises(BadInput, match=r"decoded needs|no string"):
            certify.claim(to_document(model), "decoded(1) -> 1 = 2")
