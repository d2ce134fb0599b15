"""Float64 does what a float runtime does: close to exact where that is well conditioned, and no better."""

import math
import random
from fractions import Fraction

import numpy as np
import pytest

from symcook.blocks import Embedding, FeedForward, Head, Layer, Readout, Space, Transformer
from symcook.domains import floats
from symcook.errors import BadInput
from symcook.forward import run
from symcook.verify.sweep import check

WORDS = Embedding(Space(("token", "mean", "out")), words={"+": {"token": 1}, "-": {"token": "-1/3"}})


def rows(**columns):
    names = list(columns)
    return [dict(zip(names, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def lookup(weighting="softmax", mask="none", temperature=1):
    head = Head(("q", "key", "v"), ("out",), [[1, 0, 0]], [[0, 1, 0]], [[0, 0, 1]], mask, weighting, temperature)
    embedding = Embedding(Space(("q", "key", "v", "out")), inputs=("q", "key", "v"))
    return Transformer("lookup", embedding, (Layer(head),), Readout("value", "each", ("out",)))


@pytest.mark.parametrize("mask", ["none", "future"])
def test_running_means_follow_exact_ones(mask):
    head = Head(("token",), ("mean",), [[0]], [[0]], [[1]], mask=mask)
    model = Transformer("mean", WORDS, (Layer(head),), Readout("value", "each", ("mean",)))
    word = "".join(random.Random(5).choices("+-", k=300))
    values = [Fraction(1) if c == "+" else Fraction(-1, 3) for c in word]
    found = run(model, word, "float64").outputs
    for i, value in enumerate(found, 1):
        seen = values[:i] if mask == "future" else values
        assert type(value) is float and math.isclose(value, sum(seen) / len(seen), abs_tol=1e-12)


@pytest.mark.parametrize("block", [1, 7, 2**20])
@pytest.mark.parametrize("mask", ["none", "future"])
@pytest.mark.parametrize("weighting", ["softmax", "average"])
def test_attention_by_blocks_follows_the_definition(monkeypatch, block, mask, weighting):
    monkeypatch.setattr(floats, "BLOCK", block)
    generator = random.Random(9)
    q, k, v = ([Fraction(generator.randint(-6, 6), 2) for _ in range(9)] for _ in range(3))
    found = run(lookup(weighting, mask, "1/i"), rows(q=q, key=k, v=v), "float64").outputs
    for i in range(9):
        seen = range(i + 1) if mask == "future" else range(9)
        if weighting == "average":
            best = [j for j in seen if q[i] * k[j] == max(q[i] * k[s] for s in seen)]
            expected = float(sum((v[j] for j in best), Fraction(0)) / len(best))
        else:
            weights = {j: math.exp(float((i + 1) * q[i] * k[j])) for j in seen}
            expected = sum(w * v[j] for j, w in weights.items()) / sum(weights.values())
        assert math.isclose(found[i], expected, rel_tol=1e-12, abs_tol=1e-12)


def test_softmax_of_enormous_scores_is_finite():
    out = run(lookup(), rows(q=[10**9] * 3, key=[1, -1, 1], v=[1, 50, 3]), "float64").outputs
    assert out == [2.0, 2.0, 2.0]


def test_hard_attention_sees_ties_as_floats_do():
    # 1/10 + 2/10 and 3/10 tie exactly; as float64 they differ, and the first is the greater
    head = Head(("a", "b", "v"), ("out",), [[1, 0, 0], [0, 1, 0]], [[1, 0, 0], [0, 1, 0]], [[0, 0, 1]])
    embedding = Embedding(Space(("a", "b", "v", "out")), inputs=("a", "b", "v"))
    model = Transformer("tie", embedding, (Layer(head),), Readout("value", "first", ("out",)))
    given = [{"a": 1, "b": 1, "v": 0}, {"a": "1/10", "b": "2/10", "v": 1}, {"a": "3/10", "b": 0, "v": 3}]
    assert run(model, given, "float64").output == run(model, given).output | {"out": 0.0}
    assert 0.1 + 0.2 > 0.3
    only = Head(("a", "b", "v"), ("out",), [[0, 0, 1], [0, 0, 1]], [[1, 0, 0], [0, 1, 0]], [[0, 0, 1]])
    model = Transformer("tie", embedding, (Layer(only),), Readout("value", "first", ("out",)))
    given = [{"a": "1/10", "b": "2/10", "v": 1}, {"a": "3/10", "b": 0, "v": 3}]
    assert run(model, given, "float64").output == {"out": 1.0}
    assert run(model, given).output == {"out": "2"}


def test_a_float_verdict_may_be_wrong_and_says_so_as_a_float_would():
    block = FeedForward(("token",), ("out",), [[1]], ["10^-20"], [[1]], [0])
    readout = Readout("zero", "last", ("mean",))
    model = Transformer("tiny", WORDS, (Layer(None, block), Layer(None, FeedForward(
        ("out", "token"), ("mean",), [[1, -1]], [0], [[1]], [0]))), readout)  # fmt: skip
    assert run(model, "+").accept is False and run(model, "+", "float64").accept is True


def test_overflow_warns_nobody():
    block = FeedForward(("token",), ("out",), [["10^300"]], [0], [["10^300"]], [0])
    model = Transformer("big", WORDS, (Layer(None, block),), Readout("sign", "last", ("out",), weights=[[1]]))
    assert run(model, "+", "float64").accept is True
    assert run(model, "+", "float64").output["out"] == "inf"
    huge = FeedForward(("token",), ("out",), [["10^400"]], [0], [["-10^400"]], [0])
    model = Transformer("huge", WORDS, (Layer(None, huge),), Readout("value", "last", ("out",)))
    assert run(model, "+", "float64").output["out"] == "-inf"


def test_a_position_function_without_a_value_is_bad_input():
    embedding = Embedding(Space(("x",)), words={"a": {}}, positions={"x": "1/(i - 2)"})
    block = FeedForward(("x",), ("x",), [[1]], [0], [[1]], [0])
    model = Transformer("pole", embedding, (Layer(None, block),), Readout("value", "last", ("x",)))
    for domain in ("float64", "ball", "exact"):
        assert run(model, "a", domain).output
        with pytest.raises(BadInput):
            run(model, "aa", domain)
    with pytest.raises(BadInput):
        check(model, lambda w: 0, 2)


def test_long_inputs_in_linear_memory():
    head = Head(("token",), ("mean",), [[0]], [[0]], [[1]], mask="future")
    model = Transformer("mean", WORDS, (Layer(head),), Readout("value", "last", ("mean",)))
    value = run(model, "+" * 100_000, "float64").output["mean"]  # a dense score matrix would take 80 GB
    assert np.isclose(value, 1.0)
