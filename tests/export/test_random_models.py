"""Random models as arrays: what numpy and ONNX Runtime make of them is what a plain pass makes of the model, and what
is read back is the model of the rounded weights. Queries unlike keys, all masks, weightings, temperatures and places of
norms, tokens in front and behind, several heads, tables by position and length, every readout."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace
from fractions import Fraction
from typing import Any

import dense
import numpy as np
import pytest
from attacks.bound_error import made
from families import every
from test_formats import loaded, runtimes

import symcook as sc
from symcook.export import archive
from symcook.export.archive import arrays
from symcook.export.files import FORMATS
from symcook.export.reading import from_archive

COMPARED: list[int] = []
"""How many words of a model were compared: those without ties, or choices that rounding may turn."""
CLOSE = {"float64": 1e-9, "float32": 2e-3}


def drawn(seed: int) -> sc.Transformer:
    """The models of `attacks.bound_error` with another activation, and a readout of each kind at each place."""
    model, _, r = made(seed)
    model = model.bind() if hasattr(model, "bind") else model
    layers = []
    for layer in model.layers:
        network = layer.feedforward
        if network is not None:
            kind = r.choice(["relu", "relu", "step", "gelu-tanh", "gelu-sigmoid"])
            network = replace(network, activation=kind)
        layers.append(replace(layer, feedforward=network))
    reads = tuple(r.sample(list(model.space), 2))
    kind, place = r.choice(["sign", "zero", "value", "largest"]), r.choice(["first", "last", "each", "all"])
    if place == "all" and kind in ("value", "largest"):
        place = "each"
    rows = [[Fraction(r.randint(-5, 5), r.randint(1, 3)) for _ in reads] for _ in range(3)]
    more: dict[str, Any] = {"sign": {"weights": rows[:1]}, "largest": {"weights": rows, "labels": ("p", "q", "r")}}.get(
        kind, {}
    )
    return replace(model, layers=tuple(layers), readout=sc.Readout(kind, place, reads, **more))


def words(model: sc.Transformer) -> list[tuple[str, ...]]:
    return [w for n in (1, 2, 4) for w in itertools.islice(itertools.product(model.alphabet, repeat=n), 0, 81, 5)]


def check(seed: int, kind: str, dtype: str) -> None:
    model = drawn(seed)
    longest = 4 + model.embedding.added
    m = arrays(model, dtype, longest)
    number = {token: k for k, token in enumerate(model.embedding.words or ())}
    run, compared = loaded(kind, m), 0
    for word in words(model):
        tokens, exact = dense.typed(model, word), dense.Decimal(40)
        try:
            stream = dense.run(model, tokens, exact)
        except dense.ZeroVariance:
            continue
        if exact.fragile or exact.tie:
            continue
        given = np.array([[number[t] for t in tokens]])
        found = run(given)[0]
        wanted = np.array([[float(row[name]) for name in model.space] for row in stream])
        size = max(1.0, np.abs(wanted).max())
        assert np.abs(found - wanted).max() <= CLOSE[dtype] * size, (seed, kind, word)
        compared += 1
        if kind != "npz":
            continue
        z = archive.evaluate(m, archive.embed(m, given))
        shown = archive.shown(m, z)[0]
        rows = dense.read(model, tokens, exact)
        for got, (values, _) in zip(shown, rows, strict=True):
            if model.readout.kind in ("value", "largest"):
                assert np.allclose(got, [float(v) for v in values.values()], rtol=0, atol=CLOSE[dtype] * size * 10)
        if model.readout.kind != "value" and not exact.fragile:
            answers = [a for _, a in rows]
            place = model.readout.position
            got = archive.verdicts(m, z)[0]
            wanted_answer = {"first": answers[0], "last": answers[-1], "each": answers}.get(place)
            assert np.array_equal(got, all(answers) if place == "all" else wanted_answer), (seed, word)
    COMPARED.append(compared)


SEEDS = range(5, 45)


@pytest.mark.sweep
@pytest.mark.parametrize("kind", ["npz", "onnx"])
@pytest.mark.layer_two(every=2)
def test_values_are_those_of_a_plain_pass(kind: str) -> None:
    if kind not in runtimes():
        pytest.skip(f"{kind} is not installed")
    COMPARED.clear()
    every([(seed, kind, "float64") for seed in SEEDS], check)
    assert sum(COMPARED) > 100 and sum(n > 0 for n in COMPARED) > len(SEEDS) / 2


@pytest.mark.sweep
def test_values_in_float32() -> None:
    every([(seed, "npz", "float32") for seed in SEEDS[::4]], check)


def asked(seed: int) -> None:
    """Scores and answers of the graph, in a batch of words of one length, are those of the plain pass."""
    import onnxruntime

    onnxruntime.set_default_logger_severity(3)
    model = drawn(seed)
    if seed % 5 == 0 and model.readout.labels:
        model = replace(model, readout=replace(model.readout, kind="distribution"))
    m = arrays(model, "float64", 3 + model.embedding.added)
    session = onnxruntime.InferenceSession(FORMATS["onnx"].encode(dict(m), "m")[".onnx"])
    names = [output.name for output in session.get_outputs()]
    number = {token: k for k, token in enumerate(model.embedding.words or ())}
    for n in (1, 3):
        batch = list(itertools.islice(itertools.product(model.alphabet, repeat=n), 0, 27, 4))
        tokens = [[number[t] for t in dense.typed(model, word)] for word in batch]
        found = dict(zip(names, session.run(names, {"tokens": np.array(tokens)}), strict=True))
        assert {"answer"} & found.keys() == ({"answer"} if model.readout.answers else set())
        assert ("scores" in found) == (model.readout.weights is not None)
        for k, word in enumerate(batch):
            exact = dense.Decimal(40)
            try:
                rows = dense.read(model, dense.typed(model, word), exact)
            except dense.ZeroVariance:
                continue
            if exact.fragile or exact.tie:
                continue
            if "scores" in found:
                shown = [[float(v) for name, v in values.items() if name == "logit" or model.readout.labels]
                         for values, _ in rows]  # fmt: skip
                assert np.allclose(found["scores"][k], shown, rtol=1e-9, atol=1e-9 * max(1, np.abs(shown).max()))
            if "answer" in found:
                answers, place = [a for _, a in rows], model.readout.position
                wanted = {"first": answers[0], "last": answers[-1], "all": all(answers), "each": answers}[place]
                assert np.array_equal(found["answer"][k], wanted), (seed, word)


@pytest.mark.sweep
def test_what_a_graph_answers() -> None:
    if "onnx" not in runtimes():
        pytest.skip("onnx is not installed")
    every([(seed,) for seed in SEEDS], asked)


def again(seed: int) -> None:
    """Read back, the arrays are the same, and so are the exact values of the weights as they were rounded."""
    model = drawn(seed)
    m = arrays(model, "float32", 3 + model.embedding.added)
    found = from_archive(m)
    twice = arrays(found, "float32", 3 + model.embedding.added)
    assert m.keys() == twice.keys()
    for key in m:
        assert m[key].dtype == twice[key].dtype and np.array_equal(m[key], twice[key]), (seed, key)
    assert found.embedding.ends == model.embedding.ends and found.alphabet == model.alphabet
    assert found.readout.kind == model.readout.kind and found.readout.position == model.readout.position
    assert found.readout.labels == model.readout.labels and found.readout.reads == model.readout.reads
    assert [layer.placement for layer in found.layers] == [layer.placement for layer in model.layers]


def test_what_is_read_back() -> None:
    every([(seed,) for seed in range(5, 30)], again)


@pytest.mark.parametrize(("W2", "b2"), [
    ([[1], [0]], [0, 5]), ([[0], [0]], [3, 0]), ([[0], [2]], [0, 0]), ([[0], [0]], [0, 0]), ([[0], [1]], [-1, 0]),
])  # fmt: skip
def test_a_network_that_writes_by_its_bias_alone(W2: Any, b2: Any) -> None:
    network = sc.FeedForward(("a",), ("a", "b"), [[1]], [1], W2, b2)
    embedding = sc.Embedding(sc.Space(("a", "b")), words={"x": {"a": 2}, "y": {"b": 1}})
    model = sc.Transformer("m", embedding, (sc.Layer(None, network),), sc.Readout("value", "last", ("a", "b")))
    found = from_archive(arrays(model, "float64", 2))
    for word in ("x", "y"):
        assert dense.run(found, word) == dense.run(model, word)


def roundings(seed: int) -> None:
    """How many numbers of an array are rounded, and by how much at most: each against the fraction that it is for."""
    r = random.Random(seed)
    values = [Fraction(r.choice([0, 1, -3, r.randint(-(10**6), 10**6)]), r.choice([1, 2, 3, 7, 10])) for _ in range(70)]
    words = {f"t{k}": {"a": v} for k, v in enumerate(values)}
    embedding = sc.Embedding(sc.Space(("a", "b")), words=words)
    head = sc.Head(("a",), ("b",), [[0]], [[0]], [[1]], "none")
    model = sc.Transformer("rounded", embedding, (sc.Layer(head),), sc.Readout("value", "last", ("b",)))
    for dtype, bits in (("float64", 53), ("float32", 24), ("float16", 11), ("bfloat16", 8)):
        if dtype == "float16" and max(map(abs, values)) > 60000:
            continue
        found: dict[str, Any] = {}
        m = arrays(model, dtype, 1, found)
        stored = [Fraction(float(x)) for x in m["embedding"][:, 0]]
        off = [(v, s) for v, s in zip(values, stored, strict=True) if v != s]
        errors = [abs(s - v) / abs(v) for v, s in off]
        assert all(e <= Fraction(1, 2**bits) for e in errors) or dtype == "float16"
        entry = found.get("embedding")
        assert (entry is None) == (not off)
        if entry is not None:
            assert entry["rounded"] == len(off) and len(entry["first"]) == min(len(off), 50)
            greatest = Fraction(entry["greatest_relative_error"])
            room = 1 + Fraction(1, 2**40)
            assert greatest / room <= max(errors) <= greatest * room
            for said, (v, s) in zip(entry["first"], off, strict=False):
                assert Fraction(said["exact"]) == v and Fraction(float.fromhex(said["stored"])) == s
                assert said["index"] == [values.index(v), 0] or values.count(v) > 1


def test_what_is_said_of_roundings() -> None:
    every([(seed,) for seed in range(6)], roundings)
