"""A sentence is tried on short words, and its hypotheses are met by a run: against brute force over exact runs."""

import itertools
import json
import random

import pytest
from families import in_parts, together

import symcook as sc
from symcook.compose.paired import paired
from symcook.errors import BadInput
from symcook.model import modelfile
from symcook.model.checks import Space
from symcook.model.ends import Embedding, Readout
from symcook.model.parts import Head, Layer, SelfAttention
from symcook.model.transformer import Transformer
from symcook.proof import replay
from symcook.proof.search import prooftext
from symcook.proof.statements import certify
from symcook.proof.statements.shortruns import Runs

WORDS = {"a": {"vote": 1}, "b": {"vote": -1}}


def mean(name: str, kind: str = "zero", words=None, position: str = "last", **ends) -> Transformer:
    """The mean of the votes, over all positions."""
    embedding = Embedding(Space(("vote", "mean")), words=words or WORDS, **ends)
    weights: dict = {"weights": [1]} if kind == "sign" else {}
    head = sc.head({}, {"mean": "vote"})
    readout = Readout(kind, position, ("mean",), **weights)
    return Transformer(name, embedding, (Layer(SelfAttention((head,))),), readout)


def bigram() -> Transformer:
    """At each position but the first the answer is the token before."""
    space = Space(("isa", "isb", "pa", "pb", "place"))
    embedding = Embedding(space, words={"a": {"isa": 1}, "b": {"isb": 1}}, positions={"place": "i"})
    reads, value = ("isa", "isb", "place"), [[1, 0, 0], [0, 1, 0]]
    head = Head(reads, ("pa", "pb"), [[0, 0, 0]], [[0, 0, 1]], value, mask="strict-future", weighting="rightmost")
    readout = Readout("largest", "each", ("pa", "pb"), weights=[[1, 0], [0, 1]], labels=("a", "b"))
    return Transformer("bigram", embedding, (Layer(SelfAttention((head,))),), readout)


def document(model: Transformer) -> dict:
    return json.loads(modelfile.dumps(model))


CLS = {"words": {**WORDS, "CLS": {}}, "before": "CLS", "start": 0}
EOS = {"words": {**WORDS, "<": {}, ">": {}}, "before": "<", "after": ">"}
MODELS = {
    "equal with CLS": lambda: mean("equal", **CLS),
    "BOS and EOS": lambda: mean("ends", "sign", **EOS),
    "EOS": lambda: mean("end", "sign", words={**WORDS, ">": {}}, after=">"),
    "bigram": bigram,
    "tinyln": lambda: paired(mean("tinyln", "sign"), name="tinyln"),
    "parity at c = 1": lambda: sc.build("parity").bind({"c": 1}),
    "votes": lambda: mean("votes", "sign"),
}


@pytest.mark.layer_one(1)
@in_parts(
    3,
    ("which", "sentence"),
    [
        ("equal with CLS", "1 <= n"),
        ("equal with CLS", "accept -> count(a) = count(b)"),
        ("BOS and EOS", "accept -> 2 <= n"),
        ("EOS", "1 <= n"),
        ("bigram", "all i in 2..n. answer(a, i) <-> at(a, i - 1)"),
        ("tinyln", "accept -> 1 <= n"),
        ("parity at c = 1", "accept -> 1 <= n"),
        ("votes", "all i in 1..n. vote(i) <= 1"),
        ("votes", "2 <= n & n <= 3 -> at(a, 2) -> 1 <= count(a)"),
    ],
)
def test_a_run_is_the_word_for_the_hypotheses(which, sentence):
    statement = certify.claim(document(MODELS[which]()), sentence)
    answer = certify.settle(statement, document(MODELS[which]()))
    assert answer.certificate and answer.verdict is not None and answer.verdict.status == "PROVED"
    lemmas = {n: replay.statements()[n] for n in answer.certificate["lemmas"]}
    assert replay.judge(statement, answer.certificate, lemmas)[0] == "PROVED"


@pytest.mark.layer_one(1)
@pytest.mark.parametrize(
    ("none", "some"),
    [
        ("count(a) < 0 -> accept", "count(a) <= 0 -> ~accept"),
        ("(n = 1 -> 1 <= n) & (at(a, 1) & at(b, 1) -> 0 = 1)", "n = 1 -> at(a, 1) | at(b, 1)"),
        ("accept & ~accept <-> count(a) < 0", "accept <-> count(a) > count(b)"),
        ('matches("(ab)*") & n = 3 -> accept', 'matches("(ab)*") & n = 4 -> ~accept'),
        ("accept & count(a) = 1 -> n = 2 -> 0 = 1", "accept & count(a) = 1 -> n = 1 -> count(b) = 0"),
    ],
)
def test_premises_that_no_string_meets_are_told(none: str, some: str) -> None:
    """What follows from them is true and no claim; its neighbour, whose premises some string meets, is one."""
    made = document(MODELS["votes"]())
    answer = certify.settle(certify.claim(made, none), made)
    assert isinstance(answer.missing, certify.Vacuous) and answer.certificate is None
    assert "only because no string meets its premises" in str(answer.missing)
    assert ("sides of <->" in str(answer.missing)) == ("<->" in none)
    other = certify.settle(certify.claim(made, some), made)
    assert other.verdict is not None and other.verdict.status == "PROVED"


def words(model: Transformer, length: int):
    return itertools.product(model.alphabet, repeat=length)


def answers(model: Transformer, word) -> bool | None:
    try:
        return model.run(word).accept
    except BadInput:
        return None


@pytest.mark.sweep
@together("which", ["equal with CLS", "BOS and EOS", "votes", "tinyln"])
def test_a_false_sentence_is_refuted_with_its_smallest_word(which):
    """Sentences about acceptance and two counts, each against all words up to length 3 by the exact run."""
    model = MODELS[which]()
    made = document(model)
    added = model.embedding.added
    pairs = [(x, y, op) for x in ("count(a)", "1", "0") for y in ("count(b)", "2") for op in ("<", "=", "<=")]
    sides = {"count(a)": lambda w: w.count("a"), "count(b)": lambda w: w.count("b")}
    ops = {"<": lambda x, y: x < y, "=": lambda x, y: x == y, "<=": lambda x, y: x <= y}
    refuted = 0
    for x, y, op in random.Random(which).sample(pairs, 5):
        left, right = (sides.get(s, lambda _, s=s: int(s)) for s in (x, y))
        every = (w for k in range(1 - bool(added), 4) for w in words(model, k))
        says = {w: answers(model, w) == ops[op](left(w), right(w)) for w in every if answers(model, w) is not None}
        wanted = next((w for w, true in says.items() if not true), None)
        statement = certify.claim(made, f"accept <-> {x} {op} {y}")
        runs = Runs(statement, made)
        tried = runs.tried()
        assert tried.word == wanted or (wanted is None and (tried.word is None or len(tried.word) > 3))
        if wanted is not None:
            certificate, verdict = certify.refute(statement, runs)
            assert verdict is not None and verdict.status == "REFUTED"
            assert replay.judge(statement, certificate)[0] == "REFUTED"
            refuted += 1
    assert refuted


def test_words_without_a_run_refute_nothing():
    """A norm that refuses, a temperature below zero, a greatest length: what is false only there stays open."""
    refusing = paired(mean("refusing", "sign", words={"a": {"vote": 1}, "b": {}}), name="refusing")
    assert answers(refusing, "b") is answers(refusing, "bb") is None and answers(refusing, "ba") is True
    made = document(refusing)
    tried = Runs(certify.claim(made, "accept"), made).tried(3)
    assert tried.word is None and tried.length >= 3
    short = mean("short", "sign")
    short = Transformer("short", short.embedding, short.layers, short.readout, max_length=2)
    made = document(short)
    assert Runs(certify.claim(made, "n <= 2"), made).tried(4).word is None
    head = sc.head({}, {"mean": "vote"}, weighting="softmax", temperature="n - 5/2")
    base = mean("cold", "sign")
    cold = Transformer("cold", base.embedding, (Layer(SelfAttention((head,))),), base.readout)
    made = document(cold)
    assert all(answers(cold, w) is None for k in (1, 2) for w in words(cold, k))
    assert Runs(certify.claim(made, "3 <= n"), made).tried(4).word is None
    assert Runs(certify.claim(made, "4 <= n"), made).tried().word == ("a", "a", "a")


def test_positions_behind_the_word_are_said():
    made = document(bigram())
    tried = Runs(certify.claim(made, "at(a, 2) -> answer(a, 3)"), made).tried()
    assert tried.outside and tried.word in (("a", "a"), ("b", "a"))
    inside = Runs(certify.claim(made, "3 <= n -> at(a, 2) -> answer(a, 3)"), made).tried(4)
    assert inside.word is None and inside.length >= 3


def test_a_statement_that_is_not_evaluated_decides_nothing():
    made = document(MODELS["votes"]())
    for sentence in ("sin(vote(n)) <= 1", "log(2) + log(3) <= log(6)", "sqrt(2)*exp(log(3) + 1) <= 3*sqrt(2)*exp(1)"):
        tried = Runs(certify.claim(made, sentence), made).tried(2)
        assert tried.word is None and tried.length == 0 and tried.open_at == ("a",)


@pytest.mark.sweep
def test_the_time_ends_sums_of_any_length():
    import time

    made = document(MODELS["votes"]())
    for sentence in (
        "sum(j, 1, 4000, sum(k, 1, 4000, vote(n)*j)) <= 0 | 1 <= 2",
        "0 < prod(j, 1, 4000, 1 + abs(vote(n)))",
    ):
        start = time.process_time()
        answer = certify.settle(certify.claim(made, sentence), made, None, 2)
        assert answer.verdict is not None or isinstance(answer.missing, certify.OutOfTime)
        assert time.process_time() - start < 15


def test_a_written_refutation_is_taken():
    made = document(MODELS["votes"]())
    text = prooftext.read("refutation own.votes\n  witness 1; i. 0; i. 1; i. 1\n  qed\n")
    answer = certify.settle(certify.claim(made, "count(a) = 17"), made, text)
    assert answer.verdict is not None and answer.verdict.status == "REFUTED" and answer.tried is None


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("which", [
    "votes", "bigram", "EOS",
    "equal with CLS",
    "BOS and EOS",
    "parity at c = 1",
])  # fmt: skip
def test_counts_are_counts_of_positions(which):
    """Each is at most n, and all together they are n."""
    made = document(MODELS[which]())
    one, *others = [f'count("{token}")' for token in made["embedding"]["words"]]
    for sentence in (f"{one} <= n", f"{' + '.join(others)} = n - {one}"):
        verdict = certify.settle(certify.claim(made, sentence), made).verdict
        assert verdict is not None and verdict.status == "PROVED"


def test_counts_that_are_too_many_stay_false():
    made = document(MODELS["votes"]())
    for sentence in ("count(a) + count(b) <= n - 1", "count(a) < n", "count(a) + count(a) <= n"):
        verdict = certify.settle(certify.claim(made, sentence), made).verdict
        assert verdict is not None and verdict.status == "REFUTED"


def test_counts_in_other_places():
    """Beside quantifiers, over a part of the word, with coordinates that are called like the lines about counts."""
    made = document(MODELS["votes"]())
    text = json.dumps(made)
    for name, other in {"vote": "all_tokens", "mean": "one_token_each"}.items():
        text = text.replace(f'"{name}"', f'"{other}"')
    for given, sentence, known in (
        (made, "all i in 1..n. sum(j, 1, i, I[w(j) = 0]) <= i", None),
        (made, "(all i in 1..n. sum(j, 1, i, I[w(j) = 1]) <= i) -> count(a) <= n", "PROVED"),
        (made, "sum(j, 1, n - 1, I[w(j) = 0]) <= n - 1", None),
        (made, "all k:Int. w(k) = 0 -> count(a) <= n", "PROVED"),
        (json.loads(text), "count(a) <= n", "PROVED"),
    ):
        answer = certify.settle(certify.claim(given, sentence), given)
        status = None if answer.verdict is None else answer.verdict.status
        assert status in (known, "PROVED"), sentence


@pytest.mark.sweep
def test_nested_roots_that_are_equal_are_no_difference():
    """Behind a norm of a norm a value is the root of a number with roots, which the run writes without: nothing tells
    the two apart, so that nothing is wrong."""
    names = ("x", "y", "z")
    bias = ["0", "1/7", "0"]
    norms = [sc.LayerNorm(names, bias=bias, epsilon=1), sc.LayerNorm(names, zero_variance="refuse")]
    still = sc.FeedForward(names, ("x",), [[0, 0, 0]], [0], [[0]], [0])
    layers = tuple(sc.Layer(None, still, (), (norm,), "post") for norm in norms)
    embedding = sc.Embedding(sc.Space(names), words={"a": {"y": -1}})
    model = sc.Transformer("twice", embedding, layers, sc.Readout("sign", "last", ("x",), weights=[[1]]))
    made = document(model)
    # y is the odd one out: the others are 1/sqrt(2) of the deviation above or below it
    for sentence, word in (("x(n) <= 0", ("a",)), ("x(n) <= -2", ("a",)), ("x(n) <= 1", None)):
        assert certify.settle(certify.claim(made, sentence), made, None, 8).tried.word == word
