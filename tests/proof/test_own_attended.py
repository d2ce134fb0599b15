"""weight(L, H, i, j) and score(L, H, i, j) in statements, beside weights that are computed here from the model's own
definition; and accept at the last position."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import pytest
from proof.statement_truth import term

import symcook as sc
from symcook.errors import BadInput
from symcook.model.expr import show
from symcook.model.modelfile import to_document
from symcook.proof.statements import certify
from symcook.proof.statements.vocabulary import ModelMeaning, Sentence

MASKS = {
    "none": lambda i, j: True,
    "causal": lambda i, j: j <= i,
    "strict-causal": lambda i, j: j < i,
    "anti-causal": lambda i, j: i <= j,
    "strict-anti-causal": lambda i, j: i < j,
}


def two_heads(mask: str, weighting: str, start: int, scored: bool) -> sc.Transformer:
    """A model whose second head has query 1 + x, key 3x - y, scale 2 and temperature 3; with scores 0 unless
    `scored`."""
    score: Any = {("one", "x"): 3, ("x", "x"): 3, ("one", "y"): -1, ("x", "y"): -1} if scored else {}
    words = {"a": {"one": 1, "x": 1}, "b": {"one": 1, "y": 1}, "c": {"one": 1}}
    b = sc.Builder(words={**words, "^": {}}, start=0, before="^") if start == 0 else sc.Builder(words=words)
    b.add(sc.head(value={"m": "x"}, mask="causal"))
    y = b.add(sc.head(score=score, value={"v": "x"}, mask=mask, weighting=weighting, scale=2, temperature=3))
    b.readout("sign", "each", y, weights=[1])
    return b.build("two_heads")


def read(model: sc.Transformer, word: str, name: str) -> list[int]:
    rows = {"a": {"one": 1, "x": 1}, "b": {"one": 1, "y": 1}, "c": {"one": 1}, "^": {}}
    return [rows[x].get(name, 0) for x in [*model.embedding.ends[0], *word]]


def expected(model: sc.Transformer, word: str, mask: str, weighting: str, scored: bool) -> tuple[Any, Any]:
    """The scores and the weights of the second head; scores of masked positions are None."""
    one, x, y = (read(model, word, name) for name in ("one", "x", "y"))
    places = range(len(one))
    scores = [
        [Fraction((one[i] + x[i]) * (3 * x[j] - y[j]) * scored * 2, 3) if MASKS[mask](i, j) else None for j in places]
        for i in places
    ]
    weights = []
    for row in scores:
        seen = [j for j in places if row[j] is not None]
        best = [j for j in seen if row[j] == max(row[k] for k in seen)]
        best = best[:1] if weighting == "leftmost" else best[-1:] if weighting == "rightmost" else best
        weights.append([Fraction(j in best, max(len(best), 1)) for j in places])
    return scores, weights


def value(model: sc.Transformer, text: str, word: str, **at: int) -> Any:
    """The value of a term of a statement, `text`, at positions, by the evaluator of the tests."""
    start = model.embedding.start
    last = "n - 1" if start == 0 else "n"
    meaning = ModelMeaning(to_document(model), certify.definitions())
    tree: Any = Sentence(meaning, f"all i in {start}..{last}. all j in {start}..{last}. {text} <= 1").made
    names = {"i": tree[1], "j": tree[4][1]}
    made = tree[4][4][1]
    coordinates = model.run(list(word), trace=True).trace[-1]["coordinates"]
    first = {c: x for c, x in coordinates.items() if c in ("one", "x", "y")}  # those that the second head reads
    given: dict[str, Any] = {c: dict(enumerate(map(Fraction, map(str, x)), start)) for c, x in first.items()}
    given |= {"n": Fraction(len(word) + len(model.embedding.ends[0]))}
    given |= {names[name]: Fraction(place) for name, place in at.items()}
    return term(made, tuple(sorted(given)))(given, {}, None, None)


@pytest.mark.layer_one(9)
@pytest.mark.layer_two(*(2 * pair + pair % 2 for pair in range(3 * len(MASKS))))  # each pair, with either start
@pytest.mark.parametrize("start", [1, 0])
@pytest.mark.parametrize("weighting", ["average", "leftmost", "rightmost"])
@pytest.mark.parametrize("mask", MASKS)
def test_weights_and_scores_are_those_of_the_head(mask: str, weighting: str, start: int) -> None:
    for scored in (True, False):
        model = two_heads(mask, weighting, start, scored)
        for word in ("a", "ab", "cab", "aabc"):
            scores, weights = expected(model, word, mask, weighting, scored)
            for i, j in itertools.product(range(len(scores)), repeat=2):
                at = {"i": i + start, "j": j + start}
                assert Fraction(str(value(model, "weight(1, 2, i, j)", word, **at))) == weights[i][j], (word, i, j)
                if mask == "none":
                    assert Fraction(str(value(model, "score(1, 2, i, j)", word, **at))) == scores[i][j], (word, i, j)


def test_softmax_weights_are_shares_of_exponentials() -> None:
    from math import exp

    model = two_heads("causal", "softmax", 1, True)
    scores, _ = expected(model, "abca", "causal", "average", True)
    for i, j in itertools.product(range(4), repeat=2):
        total = sum(exp(s) for s in scores[i] if s is not None)
        weight = 0 if scores[i][j] is None else exp(scores[i][j]) / total
        assert abs(float(value(model, "weight(1, 2, i, j)", "abca", i=i + 1, j=j + 1)) - weight) < 1e-9


@pytest.mark.layer_one(0, 1, 4, 5)
@pytest.mark.parametrize("mask, weighting, sentence, status", [
    ("causal", "average", "all i in 1..n. all j in 1..n. i < j -> weight(1, 1, i, j) = 0", "PROVED"),
    ("causal", "softmax", "all i in 1..n. all j in 1..i. at(c, j) -> score(1, 2, i, j) = 0", "PROVED"),
    ("causal", "softmax", "all i in 1..n. all j in 1..i. 0 < weight(1, 2, i, j)", "PROVED"),
    ("causal", "softmax", "all i in 1..n. all j in 1..i. weight(1, 2, i, j) < 1", "REFUTED"),
    ("causal", "average", "2 <= n -> score(1, 2, 2, 1) <= 2", "PROVED"),
    ("causal", "average", "all i in 1..n. all j in 1..n. j < i + 1 -> score(1, 2, i, j) <= 2", "PROVED"),
])  # fmt: skip
def test_answers(mask: str, weighting: str, sentence: str, status: str) -> None:
    b = sc.Builder(words={"a": {"one": 1, "x": 1}, "b": {"one": 1}, "c": {"one": 1}})
    b.add(sc.head(value={"m": "x"}, mask="causal"))
    head = sc.head(score={("one", "x"): 1}, value={"v": "x"}, mask=mask, weighting=weighting, temperature="1/2")
    b.readout("sign", "each", b.add(head), weights=[1])
    found = b.build("two").prove(sentence, seconds=60)
    assert found.status == status and found.certificate is not None


@pytest.mark.parametrize("sentence, said", [
    ("all i in 1..n. all j in 1..n. score(1, 2, i, j) <= 4",
     "a masked position has no score; position i sees the positions 1 to i"),
    ("all i in 1..n. all r:Real. r < 2 -> score(1, 2, i, r) <= 4", "a masked position has no score"),
    ("all i in 1..n. score(1, 2, i, i + 1) <= 4", "a masked position has no score"),
    ("score(1, 2, n, n + 1) <= 4", "a masked position has no score"),
    ("score(1, 2, 2, 1) <= 4", "a masked position has no score"),  # the string may have one position
    ("all i in 1..n. all j in 1..i. score(1, 3, i, j) <= 4", "layer 1 has 2 heads, counted from 1"),
    ("all i in 1..n. all j in 1..i. score(1, 0, i, j) <= 4", "layer 1 has 2 heads, counted from 1"),
    ("weight(2, 1, n, n) <= 1", "layer 2 has no heads; the layers with heads are 1"),
    ("weight(n, 1, n, n) <= 1", "the layer and the head must be numbers, counted from 1"),
    ("weight(1, 1, n) <= 1", "weight takes a layer and a head, from 1, and the positions of the query and of the key"),
    ("other.weight(1, 1, n, n) <= 1", "other.NAME is about a second model"),
])  # fmt: skip
def test_mistakes_get_a_sentence_with_the_column(sentence: str, said: str) -> None:
    with pytest.raises(BadInput) as caught:
        certify.claim(to_document(two_heads("causal", "average", 1, True)), sentence)
    assert said in str(caught.value) and "column " in str(caught.value)


@pytest.mark.sweep
def test_a_second_run_has_weights_and_scores() -> None:
    model = two_heads("none", "average", 1, True)
    for sentence in ("weight(1, 1, n, 1) = other.weight(1, 1, n, 1)", "score(1, 2, n, 1) = other.score(1, 2, n, 1)"):
        assert model.prove(sentence, other=model, seconds=60).status == "PROVED"
    assert model.prove("score(1, 2, 1, 1) = changed(1, a).score(1, 2, 1, 1)", seconds=60).counterexample == "b"


def test_a_coordinate_of_an_old_model_wins_and_the_message_says_so() -> None:
    space = sc.Space(("weight", "score"))
    embedding = sc.Embedding(space, words={"a": {"weight": 1}, "b": {"score": 1}})
    model = sc.Transformer("old", embedding, (), sc.Readout("sign", "last", ("weight",), weights=[1]))
    text = certify.claim(to_document(model), "weight(n) + score(n) = 1").text
    assert "(all i in 1..n. weight(i) = I[w(i) = 0])" in text and text.endswith("(weight(n) + score(n) = 1)")
    with pytest.raises(BadInput, match="this model has a coordinate weight, so that"):
        certify.claim(to_document(model), "weight(1, 1, n, n) = 1")


@pytest.mark.parametrize(
    "name", ["weight", "score", "swapped", "permuted", "appended", "prepended", "deleted", "prefix"]
)
def test_a_new_model_must_not_have_such_a_coordinate(name: str) -> None:
    for make in (lambda: sc.Builder(words={"a": {name: 1}}), lambda: sc.Builder(words="ab").position(name, "i")):
        with pytest.raises(BadInput, match=f"a name that means something else in statements; given: {name}"):
            make()


def test_accept_without_a_position_is_at_the_last_one() -> None:
    model = two_heads("strict-causal", "average", 1, False)
    assert certify.claim(to_document(model), "accept").text.endswith(f"({certified(model, 'accept(n)')})")
    zero = two_heads("causal", "average", 0, False)
    assert certified(zero, "accept") == certified(zero, "accept(n - 1)")
    b = sc.Builder(words={"a": {"x": 1}, "b": {"x": -1}})
    b.readout("largest", "each", ("x",), weights=[[1], [-1]], labels=("yes", "no"))
    labelled = b.build("labelled")
    assert certified(labelled, "answer(yes)") == certified(labelled, "answer(yes, n)")
    assert labelled.prove("answer(yes) <-> at(a, n)").status == "PROVED"


def certified(model: sc.Transformer, sentence: str) -> str:
    """The end of the formal statement, behind its premises."""
    meaning = ModelMeaning(to_document(model), certify.definitions())
    return show(Sentence(meaning, sentence).made)
