"""Few strings are asked one by one, without a search for classes, which costs as much as many runs of the model."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import trained

import symcook as sc
from symcook.words import inputs

WORDS = ["abca", "ccab", "bbbb", "ab"]


@pytest.fixture
def no_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    """No search for classes."""
    monkeypatch.setattr(inputs, "classes", lambda *_, **__: pytest.fail("classes were looked for"))


def scores(word: str) -> Any:
    """The scores of the model of seed 1 by numpy, in float64: a row for each position."""
    weights = {name: table.astype(np.float64) for name, table in trained.state(1).items()}
    ids = [trained.LETTERS.index(letter) for letter in word]
    n, d = len(word), 8
    stream = weights["embedding.weight"][ids] + weights["positions.weight"][:n]

    def norm(x: Any, name: str) -> Any:
        centred = x - x.mean(-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)
        return scaled * weights[f"{name}.weight"] + weights[f"{name}.bias"]

    for layer in range(2):
        at = f"layers.{layer}."
        read = norm(stream, at + "norm1") @ weights[at + "self_attn.in_proj_weight"].T
        query, key, value = np.split(read + weights[at + "self_attn.in_proj_bias"], 3, -1)
        heads = []
        for head in (slice(0, d // 2), slice(d // 2, d)):
            compared = query[:, head] @ key[:, head].T / np.sqrt(d // 2) + np.triu(np.full((n, n), -np.inf), 1)
            share = np.exp(compared - compared.max(-1, keepdims=True))
            heads.append(share / share.sum(-1, keepdims=True) @ value[:, head])
        joined = np.concatenate(heads, -1)
        stream = stream + joined @ weights[at + "self_attn.out_proj.weight"].T + weights[at + "self_attn.out_proj.bias"]
        hidden = norm(stream, at + "norm2") @ weights[at + "linear1.weight"].T + weights[at + "linear1.bias"]
        hidden = 0.5 * hidden * (1 + np.tanh(np.sqrt(2 / np.pi) * (hidden + 0.044715 * hidden**3)))
        stream = stream + hidden @ weights[at + "linear2.weight"].T + weights[at + "linear2.bias"]
    return norm(stream, "norm") @ weights["output.weight"].T + weights["output.bias"]


def test_a_margin_over_a_list_of_a_trained_model(no_classes: None) -> None:
    answer = trained.trained(1).margin(4, inputs=WORDS, positions="last")
    by_numpy = {word: abs(float(np.subtract(*scores(word)[-1]))) for word in WORDS}
    for n in (2, 4):
        word = min((word for word in WORDS if len(word) == n), key=by_numpy.__getitem__)
        assert answer.row(n)["word"] == word
        value: Any = answer.row(n)["margin"]
        assert abs(float(value.mid) - by_numpy[word]) < 1e-4  # the state has float32
    assert "one by one" in answer.notes["method"]


def test_all_strings_of_a_trained_model_are_asked_while_they_are_few(no_classes: None) -> None:
    answer = trained.trained(1).margin(2, positions="last")
    every = ["".join(word) for word in itertools.product(trained.LETTERS, repeat=2)]
    nearest = min(every, key=lambda word: abs(float(np.subtract(*scores(word)[-1]))))
    assert answer.row(2)["word"] == nearest


def test_entropy_and_an_export_over_a_list(no_classes: None, tmp_path: Any) -> None:
    model = trained.trained(1)
    assert model.entropy(2, inputs=["ab"]).rows
    written = model.export(tmp_path / "m.npz", inputs=["ab", "b"])
    assert written["guaranteed"]["length"] == 2


def test_a_sensitivity_of_few_strings(monkeypatch: pytest.MonkeyPatch) -> None:
    from symcook.bounds import flips

    monkeypatch.setattr(flips, "classes", lambda *_, **__: pytest.fail("classes were looked for"))
    assert float(sc.bound("sensitivity", model="parity", n=1).value.mid) > 0


def test_a_long_list_of_a_model_that_counts_is_still_asked_by_classes() -> None:
    model = sc.build("parity")
    words = ["".join(word) for word in itertools.product("01", repeat=8)]
    answer = model.margin(8, inputs=words)
    assert "one by one" not in answer.notes["method"]
    assert str(answer.row(8)["margin"]) == str(model.margin(8).row(8)["margin"])
