"""Ends of what a certificate says: which label stands where others may be as great, which input is named first, and
lengths as one types them."""

from __future__ import annotations

import itertools
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symcook as sc
from symcook.errors import BadInput
from symcook.export import archive
from symcook.export.certificate import compare
from symcook.export.diff import diff
from symcook.export.files import FORMATS, held
from symcook.export.guarantee import decision, guarantee


def labelled(labels: int) -> sc.Transformer:
    """A model that picks a label; that of the first of the greatest scores."""
    embedding = sc.Embedding(sc.Space(("a",)), words={"x": {"a": 1}, "y": {}})
    names = tuple("pqrs"[:labels])
    return sc.Transformer("pick", embedding, (), sc.Readout("largest", "last", ("a",), [[1]] * labels, names))


def test_a_label_is_certain_where_every_choice_of_scores_gives_it() -> None:
    """Against all choices of the ends, which are where the greatest changes; several states at once, of which the first
    that is open is named, else the least distance of the label's lower end from the others' upper ones."""
    r = random.Random(5)
    seen = set()
    for _ in range(600):
        labels = r.choice([2, 2, 3, 4])
        states = [[sorted(r.choices(range(-2, 4), k=2)) for _ in range(labels)] for _ in range(r.choice([1, 2, 3]))]
        opened, distances = [], []
        for state in states:
            picked = {max(range(labels), key=lambda k, c=c: (c[k], -k)) for c in itertools.product(*state)}
            opened.append(len(picked) > 1)
            best = max(range(labels), key=lambda k, state=state: (state[k][0], -k))
            distances.append(state[best][0] - max(high for k, (_, high) in enumerate(state) if k != best))
        found: Any = {
            name: tuple(np.array([float(state[k][end]) for state in states]) for end in (0, 1))
            for k, name in enumerate("pqrs"[:labels])
        }
        margin, first = decision(labelled(labels), found)
        assert first == (opened.index(True) if any(opened) else None), states
        assert margin == (None if any(opened) else min(distances)), states
        seen.add((any(opened), margin == 0))
    assert seen == {(True, False), (False, False), (False, True)}


def test_thresholds_and_zeros() -> None:
    """The same of a sign, which 0 has not, and of being 0 together: certain where all values between the ends agree."""
    r = random.Random(6)
    embedding = sc.Embedding(sc.Space(("a", "b")), words={"x": {"a": 1}, "y": {}})
    sign = sc.Transformer("sign", embedding, (), sc.Readout("sign", "last", ("a",), [[1]]))
    zero = sc.Transformer("zero", embedding, (), sc.Readout("zero", "last", ("a", "b")))
    for _ in range(300):
        states = [[sorted(r.choices((-2, -1, 0, 0, 1, 3), k=2)) for _ in "ab"] for _ in range(r.choice([1, 2]))]
        between = [[[low, (low + high) / 2, high] for low, high in state] for state in states]
        for model, names, says in ((sign, ("logit",), lambda a: a > 0), (zero, ("a", "b"), lambda a, b: a == b == 0)):
            answers = [{says(*values) for values in itertools.product(*state[: len(names)])} for state in between]
            if model is zero:  # 0 may lie between the ends of each without being in the middle of all
                for found, state in zip(answers, states, strict=True):
                    if all(low <= 0 <= high for low, high in state):
                        found.add(True)
            ends: Any = {
                name: tuple(np.array([float(state[k][end]) for state in states]) for end in (0, 1))
                for k, name in enumerate(names)
            }
            margin, first = decision(model, ends)
            open_ones = [len(a) > 1 for a in answers]
            assert first == (open_ones.index(True) if any(open_ones) else None), (states, names)
            if not any(open_ones):
                away = [
                    max(0 if low <= 0 <= high else min(abs(low), abs(high)) for low, high in state[: len(names)])
                    for state, found in zip(states, answers, strict=True)
                    if model is sign or found == {False}
                ]
                assert margin == (min(away) if away else None), (states, names)


def test_the_first_input_without_a_run() -> None:
    """Of all lengths: those whose entries are all alike, under a norm that refuses these."""
    norm = sc.LayerNorm(("a", "b"), epsilon=0, zero_variance="refuse")
    head = sc.Head(("a", "b"), ("a",), [[0, 0]], [[0, 0]], [[0, 0]], "none")
    embedding = sc.Embedding(sc.Space(("a", "b")), words={"x": {"a": 1}, "y": {}, "z": {"b": 1}})
    layer = sc.Layer(sc.SelfAttention((head,)), None, (norm,), (), "post")
    model = sc.Transformer("refuses", embedding, (layer,), sc.Readout("sign", "last", ("a",), [[1]]))
    found = compare(model, archive.arrays(model, "float64", 3), 3)
    words = ["".join(w) for n in (1, 2, 3) for w in itertools.product("xyz", repeat=n)]
    none = [w for w in words if "y" in w]
    assert found["no_run"] == {"inputs": len(none), "first": none[0]}
    assert found["inputs"] == len(words) - len(none)


def test_lengths_that_are_not_compared_are_those_one_types() -> None:
    """With a token in front: of 2 symbols there are 2^18 inputs to length 17, 2^18 - 1 of less, so that 18 is left."""
    embedding = sc.Embedding(sc.Space(("a",)), words={"x": {"a": 1}, "y": {}, "CLS": {}}, before="CLS")
    model = sc.Transformer("long", embedding, (), sc.Readout("sign", "last", ("a",), [[1]]))
    found = compare(model, archive.arrays(model, "float64", 30), 30)
    assert found["ends"] == f"length 18 has {2**18} more inputs, and at most {2**18} are compared in exact batches"
    assert (found["greatest_length"], found["inputs"], found["complete"]) == (18, 2**18 - 1, False)


def test_nothing_is_said_of_the_lengths_of_rows() -> None:
    """A model over numbers that decides: no list of its inputs is all, and no length is named, not even 0."""
    embedding = sc.Embedding(sc.Space(("a",)), inputs=("a",))
    model = sc.Transformer("rows", embedding, (), sc.Readout("sign", "last", ("a",), [[1]]))
    found = guarantee(model, "float32", 3)
    assert (found["length"], found["ranges"], found["lengths"]) == (None, [], [])
    assert found["divided_first"]["length"] is None


def test_attention_without_keys_in_every_format() -> None:
    """Scores of nothing are zero: a mean of what is seen, by hand."""
    head = sc.Head(("a",), ("m",), [], [], [["1"]], "future")
    embedding = sc.Embedding(sc.Space(("a", "m")), words={"x": {"a": 1}, "y": {"a": 3}})
    model = sc.Transformer("mean", embedding, (sc.Layer(head),), sc.Readout("value", "last", ("m",)))
    onnxruntime = pytest.importorskip("onnxruntime")
    session = onnxruntime.InferenceSession(FORMATS["onnx"].encode(archive.arrays(model, "float32", 3), "m")[".onnx"])
    stream = session.run(["stream"], {"tokens": np.array([[0, 1, 1], [1, 0, 0]])})[0]
    np.testing.assert_allclose(stream[:, :, 1], [[1, 2, 7 / 3], [3, 2, 5 / 3]], rtol=1e-6)
    m = archive.arrays(model, "float64", 3)
    z = archive.evaluate(m, archive.embed(m, np.array([[0, 1, 1], [1, 0, 0]])), refuse=False)
    np.testing.assert_allclose(z[:, :, 1], [[1, 2, 7 / 3], [3, 2, 5 / 3]])


def test_a_temperature_so_great_that_its_inverse_is_zero() -> None:
    """The weights run as with equal scores: 10^-60 is no float32, and 0 is no temperature below zero."""
    head = sc.Head(("a",), ("m",), [[1]], [[1]], [[1]], "future", "softmax", "10^60")
    embedding = sc.Embedding(sc.Space(("a", "m")), words={"x": {"a": 1}, "y": {"a": 3}})
    model = sc.Transformer("hot", embedding, (sc.Layer(head),), sc.Readout("value", "last", ("m",)))
    m = archive.arrays(model, "float32", 3)
    z = archive.evaluate(m, archive.embed(m, np.array([[0, 1, 1], [1, 0, 0]])))
    np.testing.assert_allclose(z[:, :, 1], [[1, 2, 7 / 3], [3, 2, 5 / 3]], rtol=1e-6)


def test_words_of_long_symbols_are_read_with_spaces(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By the script beside the weights, whose symbols are letters where all of them are."""
    from symcook.export import run_npz

    for one, other, typed in (("up", "down", "up down up"), ("u", "d", "udu")):
        embedding = sc.Embedding(sc.Space(("a",)), words={one: {"a": 1}, other: {"a": -1}})
        model = sc.Transformer("turn", embedding, (), sc.Readout("sign", "last", ("a",), [[1]]))
        model.export(tmp_path / f"{one}.npz", max_length=3)
        run_npz.main(str(tmp_path / f"{one}.npz"), typed)
        assert capsys.readouterr().out.startswith("accept\n")


def test_models_over_other_numbers_are_not_compared() -> None:
    """Nor one over numbers with one over words."""
    space, readout = sc.Space(("a", "b")), sc.Readout("value", "last", ("a",))
    one, other = (
        sc.Transformer("rows", sc.Embedding(space, inputs=names), (), readout) for names in (("a",), ("a", "b"))
    )
    word = sc.Transformer("words", sc.Embedding(space, words={"x": {"a": 1}}), (), readout)
    assert diff(one, one).same and diff(one, one).inputs == 4  # rows of 0, 1, -1 and 1/2, of which it takes one
    for pair in ((one, other), (one, word), (word, other)):
        with pytest.raises(BadInput, match="two models that are compared must read the same inputs"):
            diff(*pair)


def test_what_a_state_dict_holds() -> None:
    """The numbers of an archive, not its words; the other formats hold all of it."""
    m = archive.arrays(labelled(2), "float32", 3)
    assert held("torch", m).keys() == {"embedding", "readout.weights"}
    assert all(held("torch", m)[key] is m[key] for key in held("torch", m))
    assert held("npz", m).keys() == held("safetensors", m).keys() == m.keys()
