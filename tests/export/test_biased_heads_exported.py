"""Exports of heads with biases and slopes: each format against numpy, what is read back, what is refused, and the
certificate."""

from __future__ import annotations

import json
import math
import sys
from typing import Any

import numpy as np
import numpytorch
import pytest
from biased_heads import KINDS, ROTARY, SPACE, drawn, drawn_rotary, stream
from test_formats import loaded

import symcook as sc
from symcook.errors import BadInput
from symcook.export import run_npz
from symcook.export.archive import arrays
from symcook.export.files import FORMATS
from symcook.export.guarantee import greatest
from symcook.export.reading import from_archive

WORDS = ("a", "ca0", "00ac")
READ_BACK = [(kind, seed) for kind in KINDS for seed in range(30)]
CASES = [(kind, seed) for kind in (*KINDS, *ROTARY, "below") for seed in range(30)]
WEIGHTINGS = ("softmax", "softmax", "average", "leftmost", "rightmost")


def model_of(kind: str, seed: int) -> sc.Transformer:
    if kind == "below":
        readout = sc.Readout("sign", "last", ("x", "out"), [[1, -1]])
        return drawn("biases", seed, "softmax-plus-one", readout=readout)
    if kind in ROTARY:
        return drawn_rotary(kind, seed, sign=True)
    return drawn(kind, seed, WEIGHTINGS[seed % 5], readout=sc.Readout("sign", "last", ("x", "out"), [[1, -1]]))


def check(kind: str, seed: int, format: str) -> None:
    """What a format says of three strings."""
    model = model_of(kind, seed)
    dtype = "float32" if format == "onnx" else "float64"
    m = arrays(model, dtype, 6)
    ran = loaded(format, m)
    for word in WORDS:
        wanted, tokens = stream(model, word), model.tokens(word)
        codes = [m["vocabulary"].tolist().index(token) for token in tokens]
        found = ran(np.array([codes]))[0]
        if model.compares and dtype == "float32":  # ties of rounded scores
            continue
        assert np.abs(found - wanted).max() <= (1e-12 if dtype == "float64" else 2e-5) * max(1, np.abs(wanted).max())
        assert np.abs(wanted).max() <= greatest(m, 6) < math.inf


@pytest.mark.layer_one(0, 31, 62, 90, 120, 150, 180)
@pytest.mark.parametrize(("kind", "seed"), CASES)
@pytest.mark.layer_two(every=3)
def test_the_script_computes_biased_heads(kind: str, seed: int) -> None:
    check(kind, seed, "npz")


@pytest.mark.layer_two(every=6)
@pytest.mark.tools("onnx", "onnxruntime")
@pytest.mark.layer_one(0, 62, 150, 180)
@pytest.mark.parametrize(("kind", "seed"), CASES)
def test_an_onnx_graph_computes_biased_heads(kind: str, seed: int) -> None:
    check(kind, seed, "onnx")


@pytest.mark.layer_one(0, 31, 62, 90, 120, 150, 180)
@pytest.mark.parametrize(("kind", "seed"), CASES)
@pytest.mark.layer_two(every=3)
def test_the_code_for_torch_computes_biased_heads(kind: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, module in numpytorch.modules().items():
        monkeypatch.setitem(sys.modules, name, module)
    model = model_of(kind, seed)
    files = FORMATS["torch"].encode(dict(arrays(model, "float64", 6)), "m")
    for word in WORDS:
        said, found = numpytorch.answered(files[".py"].decode(), files[".pt"], word)
        wanted = stream(model, word)
        assert np.abs(found - wanted).max() <= 1e-12 * max(1, np.abs(wanted).max())
        assert said == [bool(wanted[-1, 0] > wanted[-1, SPACE.index("out")])]


@pytest.mark.layer_one(0, 31, 62)
@pytest.mark.parametrize(("kind", "seed"), READ_BACK)
def test_biased_heads_that_are_read_back_compute_the_same(kind: str, seed: int) -> None:
    model = model_of(kind, seed)
    back = from_archive(m := arrays(model, "float64", 5))
    ran, vocabulary = loaded("npz", arrays(back, "float64", 5)), m["vocabulary"].tolist()
    for word in ("a", "ca0"):
        found = ran(np.array([[vocabulary.index(token) for token in model.tokens(word)]]))[0]
        wanted = stream(model, word)
        assert model.compares or np.abs(found - wanted).max() <= 1e-12 * max(1, np.abs(wanted).max())


def small(slope: Any = "1/2", **more: Any) -> sc.Transformer:
    embedding = sc.Embedding(sc.Space(("x", "y")), {"a": {"x": 1}, "b": {"x": -1}})
    fields: dict[str, Any] = {"mask": "causal", "weighting": "softmax", "slope": slope} | more
    head = sc.BiasedHead(("x",), ("y",), [[1]], [[2]], [[1]], [1], ["1/3"], ["1/4"], **fields)
    return sc.Transformer("m", embedding, (sc.Layer(head),), sc.Readout("sign", "last", ("y",), [[1]]))


@pytest.mark.parametrize("slope", [0, "1/2"])
def test_an_export_has_a_certificate_that_a_run_of_the_script_agrees_with(slope: Any, tmp_path: Any) -> None:
    """The set of possible values of the error model holds what the script computes."""
    model = small(slope)
    model.export(tmp_path / "m.npz", max_length=5)
    certificate = json.loads((tmp_path / "m.certificate.json").read_text(encoding="utf-8"))
    assert certificate["guaranteed"]["length"] == 5
    ran = loaded("npz", arrays(model, "float64", 5))
    for word in ("a", "ab", "bab", "bbbbb"):
        found = ran(np.array([["ab".index(token) for token in word]]))[0]
        assert model.run(word).accept == bool(found[-1, 1] > 0)


@pytest.mark.tools("torch")
def test_biases_go_to_transformer_lens_and_a_slope_does_not() -> None:
    files = FORMATS["transformerlens"].encode(dict(arrays(small(0), "float64", 4)), "m")
    assert files
    with pytest.raises(BadInput, match=r"the scores of step1\.head1 of the model; given: a slope by the distance"):
        FORMATS["transformerlens"].encode(dict(arrays(small(), "float64", 4)), "m")
    with pytest.raises(BadInput, match=r"the scores of step1\.head1 of the model; given: rotary positions, or norms"):
        FORMATS["transformerlens"].encode(dict(arrays(drawn_rotary("rotary", 0), "float64", 4)), "m")


def test_a_rotary_head_is_not_read_back() -> None:
    must = r"only exports without rotary positions and norms of queries can be read back; given: those of step1\.head1"
    with pytest.raises(BadInput, match=must):
        from_archive(arrays(drawn_rotary("rotary", 0), "float64", 4))


@pytest.mark.parametrize("key", ["step1.head1.kind", "step1.head1.steps", "step1.head1.q_bias", "step1.head1.slope"])
def test_an_archive_of_a_biased_head_without_an_array_is_refused(key: str) -> None:
    m = arrays(small(), "float64", 4)
    changed = {name: array for name, array in m.items() if name != key}
    if not key.endswith("steps"):  # the kind says which they are
        with pytest.raises(BadInput):
            from_archive(changed)
        with pytest.raises((BadInput, KeyError)):
            greatest(changed, 4)
    if not key.endswith("kind"):  # the script goes by the steps alone
        with pytest.raises((BadInput, KeyError, run_npz.Unknown)):
            run_npz.evaluate(changed, changed["embedding"])
