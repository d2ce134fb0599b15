"""probability(LABEL) in statements: the softmax of the scores, as the model's run has it."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from proof.statement_truth import CONTEXT, worth

import symcook as sc
from symcook.errors import BadInput
from symcook.model.expr import parse_term
from symcook.model.modelfile import to_document
from symcook.proof.statements import certify

LABELS = ("yes", "no", "if")


def model(position: str) -> sc.Transformer:
    """x(i) is 1 for a and -1/2 for b; the scores of three labels are x, -2*x and 0."""
    embedding = sc.Embedding(sc.Space(("x",)), words={"a": {"x": 1}, "b": {"x": "-1/2"}})
    readout = sc.Readout("distribution", position, ("x",), weights=[[1], [-2], [0]], labels=LABELS)
    return sc.Transformer("odds", embedding, (), readout)


@pytest.mark.layer_one(0, 1)
@pytest.mark.parametrize("position", ["first", "last", "each"])
def test_the_term_has_the_probability_of_the_run(position: str) -> None:
    told = model(position)
    for label, word in product(LABELS, ("a", "b", "ab", "ba")):
        i = 1 if position == "first" else len(word)
        sentence = f'probability("{label}"{", n" if position == "each" else ""}) = 0'
        text = certify.claim(to_document(told), sentence).text.rpartition("-> (")[2].partition(" = 0")[0]
        x = {k: Fraction(1) if a == "a" else Fraction(-1, 2) for k, a in enumerate(word, 1)}
        powers = [CONTEXT.exp(CONTEXT.mpf(s.numerator) / s.denominator) for s in (x[i], -2 * x[i], Fraction(0))]
        wanted = powers[LABELS.index(label)] / sum(powers)
        assert abs(worth(parse_term(text), {"n": Fraction(len(word)), "x": x}) - wanted) < 1e-40
        shown: Any = told.run(word, "ball", digits=20).output
        assert abs(float(shown[label]["mid"]) - float(wanted)) < 1e-15


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("sentence, status, word", [
    ("probability(yes) + probability(no) + probability(if) = 1", "PROVED", None),
    ("0 < probability(no)", "PROVED", None),
    ("probability(no) < probability(yes)", "REFUTED", ("b",)),
    ("probability(yes) < 7/10", "REFUTED", ("a",)),
])  # fmt: skip
def test_statements_are_proved_or_refuted(sentence: str, status: str, word: Any) -> None:
    found = certify.settle(
        certify.claim(to_document(model("last")), sentence.replace("(if)", '("if")')), to_document(model("last"))
    )
    assert found.verdict is not None and found.verdict.status == status
    assert (found.tried and found.tried.word) == word


def test_without_a_position_it_is_at_the_last() -> None:
    """Of a readout at each position, as `accept` and `answer` are."""
    document = to_document(model("each"))
    for sentence in ("probability(yes) = probability(yes, n)", "logit(no) = logit(no, n)"):
        found = certify.settle(certify.claim(document, sentence), document)
        assert found.verdict is not None and found.verdict.status == "PROVED", sentence


@pytest.mark.parametrize("position, sentence, said", [
    ("last", "probability(yse) = 0", "column 1, 'probability(yse)': the label 'yse' is unknown; did you mean yes?"),
    ("last", "0 = probability(yes, n)", "column 5, 'probability(yes, n)': probability takes no position"),
    ("last", "probability(yes)", "the statement is a number"),
    ("last", "probability() = 0", "probability takes a label"),
    ("last", "answer(yes)", "answer needs a readout largest"),
])  # fmt: skip
def test_mistakes_get_a_sentence(position: str, sentence: str, said: str) -> None:
    with pytest.raises(BadInput) as caught:
        certify.claim(to_document(model(position)), sentence)
    assert said in str(caught.value)


def test_another_readout_has_no_probability() -> None:
    with pytest.raises(BadInput, match="probability needs a readout distribution"):
        certify.claim(to_document(sc.compile("ltl", "Q_a", alphabet="ab")), "probability(yes) = 0")
