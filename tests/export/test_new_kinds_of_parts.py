"""Exports of RMS norms and gated units: each format against a pass of a few lines of numpy, what is read back, and what
is refused."""

from __future__ import annotations

import math
import random
import sys
from fractions import Fraction
from typing import Any

import numpy as np
import numpytorch
import pytest
from test_formats import loaded

import symcook as sc
from symcook.errors import BadInput
from symcook.export.archive import arrays
from symcook.export.files import FORMATS
from symcook.export.guarantee import greatest
from symcook.export.reading import from_archive

SPACE = ("u", "v", "y", "x")
ACTIVATIONS = {
    "silu": lambda x: x / (1 + np.exp(-x)), "relu": lambda x: np.maximum(x, 0),
    "gelu": lambda x: x * (1 + np.vectorize(math.erf)(x / math.sqrt(2))) / 2,
}  # fmt: skip
PLACES = ("pre", "post", "projected pre", "multi pre")


def numbers(r: random.Random, rows: int, columns: int) -> list[list[Fraction]]:
    return [[Fraction(r.randint(-6, 6), r.randint(1, 4)) for _ in range(columns)] for _ in range(rows)]


def drawn(seed: int) -> tuple[sc.Transformer, Any]:
    """A layer with a head and gated units, RMS norms at one of four places, and one at the end; and its pass."""
    r = random.Random(seed)
    activation, place, last = [*ACTIVATIONS][seed % 3], PLACES[seed % 4], seed % 5 == 0
    rows, V, gain = numbers(r, 3, 4), numbers(r, 4, 2), numbers(r, 4, 4)
    units = {"gate": (3, 2), "up": (3, 2), "down": (4, 3)}
    W = {name: numbers(r, *shape) for name, shape in units.items()}
    B = {name: numbers(r, units[name][0], 1) for name in units}
    P, Q = numbers(r, 2, 4), numbers(r, 2, 4)
    epsilon = Fraction(1, 8)
    plain = place in ("pre", "post")
    reads = ("u", "y") if plain else ("p1", "q2") if place == "multi pre" else ("p1", "p2")

    def norm(k: int, names: tuple[str, ...] = (), projection: Any = None) -> sc.RMSNorm:
        return sc.RMSNorm(SPACE, names, gain=gain[k][: len(names) or 4], epsilon=epsilon, projection=projection)

    norms = (norm(0),) if plain else (norm(0, ("p1", "p2"), P),)
    norms += (norm(1, ("q1", "q2"), Q),) if place == "multi pre" else ()
    head = sc.Head(reads, SPACE, [[0, 0]], [[0, 0]], V, "none", "average")
    biases = {f"{name}_bias": [row[0] for row in B[name]] for name in units}
    gated = sc.GatedUnits(reads, SPACE, **W, activation=activation, **biases)
    layer = sc.Layer(head, gated, placement=place, attention_norms=norms, feedforward_norms=norms)
    words = {token: dict(zip(SPACE, row, strict=True)) for token, row in zip("abc", rows, strict=True)}
    readout = sc.Readout("sign", "last", ("u", "x"), [[1, -1]])
    embedding, final = sc.Embedding(sc.Space(SPACE), words), norm(2) if last else None
    model = sc.Transformer(f"drawn-{seed}", embedding, (layer,), readout, final_norm=final)

    def array(given: Any) -> Any:
        return np.array(given, dtype=float)

    def normed(x: Any, k: int, projection: Any = None) -> Any:
        y = x if projection is None else x @ array(projection).T
        scale = np.sqrt((y * y).mean(axis=1, keepdims=True) + float(epsilon))
        return array(gain[k][: y.shape[1]]) * y / scale

    def sublayer(z: Any, f: Any) -> Any:
        if place == "post":
            return normed(z + f(z[:, [0, 2]]), 0)
        if place == "pre":
            return z + f(normed(z, 0)[:, [0, 2]])
        y, other = normed(z, 0, P), normed(z, 1, Q)
        return z + f(y if place == "projected pre" else np.stack([y[:, 0], other[:, 1]], axis=1))

    def units_of(x: Any) -> Any:
        sides = {name: x @ array(W[name]).T + array(B[name])[:, 0] for name in ("gate", "up")}
        hidden = ACTIVATIONS[activation](sides["gate"]) * sides["up"]
        return hidden @ array(W["down"]).T + array(B["down"])[:, 0]

    def run(word: str) -> Any:
        z = array([rows["abc".index(letter)] for letter in word])
        z = sublayer(z, lambda x: np.tile((x @ array(V).T).mean(axis=0), (len(x), 1)))
        z = sublayer(z, units_of)
        return normed(z, 2) if last else z

    return model, run


def check(seed: int, kind: str) -> None:
    """What a format says of three words, and of the model that is read back."""
    model, run = drawn(seed)
    dtype = "float32" if kind == "onnx" else "float64"  # onnxruntime has no erf in float64
    m = arrays(model, dtype, 4)
    ran = loaded(kind, m)
    for word in ("a", "cab", "bbac"):
        wanted = run(word)
        found = ran(np.array([["abc".index(letter) for letter in word]]))[0]
        assert np.abs(found - wanted).max() <= (1e-12 if dtype == "float64" else 2e-5) * max(1, np.abs(wanted).max())
        assert np.abs(wanted).max() <= greatest(m, 4) < math.inf


@pytest.mark.layer_one(0, 1, 2, 3)
@pytest.mark.parametrize("seed", range(30))
def test_the_script_computes_them(seed: int) -> None:
    check(seed, "npz")


@pytest.mark.tools("onnx", "onnxruntime")
@pytest.mark.layer_one(0, 1)
@pytest.mark.parametrize("seed", range(30))
def test_an_onnx_graph_computes_them(seed: int) -> None:
    check(seed, "onnx")


@pytest.mark.layer_one(0, 1, 2, 3)
@pytest.mark.parametrize("seed", range(30))
def test_the_code_for_torch_computes_them(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, module in numpytorch.modules().items():
        monkeypatch.setitem(sys.modules, name, module)
    model, run = drawn(seed)
    files = FORMATS["torch"].encode(dict(arrays(model, "float64", 4)), "m")
    for word in ("a", "cab", "bbac"):
        said, stream = numpytorch.answered(files[".py"].decode(), files[".pt"], word)
        wanted = run(word)
        assert np.abs(stream - wanted).max() <= 1e-12 * max(1, np.abs(wanted).max())
        assert said == [bool(wanted[-1, 0] > wanted[-1, 3])]


@pytest.mark.layer_one(0, 1, 2, 3)
@pytest.mark.parametrize("seed", range(30))
def test_what_is_read_back_computes_the_same(seed: int) -> None:
    model, run = drawn(seed)
    ran = loaded("npz", arrays(from_archive(arrays(model, "float64", 4)), "float64", 4))
    for word in ("a", "cab"):
        found = ran(np.array([["abc".index(letter) for letter in word]]))[0]
        assert np.abs(found - run(word)).max() <= 1e-12 * max(1, np.abs(run(word)).max())


@pytest.mark.parametrize("key", ["step2.kind", "step2.steps", "step2.gate", "step2.before1.steps"])
def test_an_archive_of_another_part_is_refused(key: str) -> None:
    m = arrays(drawn(0)[0], "float64", 4)
    read = np.array('["Read"]')
    wrong = {"step2.kind": np.array("network"), "step2.steps": read, "step2.before1.steps": read}
    changed = {**m, key: wrong[key]} if key in wrong else {name: array for name, array in m.items() if name != key}
    with pytest.raises(BadInput):
        from_archive(changed)
    with pytest.raises((BadInput, KeyError)):
        greatest(changed, 4)


def test_an_array_that_no_step_reads_is_refused() -> None:
    m = arrays(drawn(0)[0], "float64", 4) | {"step2.invented": np.array(1.0)}
    with pytest.raises(BadInput, match=r"only arrays that the bound on overflow reads; given: step2\.invented"):
        greatest(m, 4)


def test_transformer_lens_refuses_them() -> None:
    with pytest.raises(BadInput, match="; given: one of the kind rms-norm"):
        FORMATS["transformerlens"].encode(dict(arrays(drawn(0)[0], "float64", 4)), "m")
