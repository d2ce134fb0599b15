"""The format of TransformerLens: what its state dict computes, in numpy after TransformerLens' own definitions and,
where it is installed, in TransformerLens itself."""

from __future__ import annotations

import importlib.util
import math
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from checkout import ROOT

import symcook as sc
from symcook import verify_export
from symcook.__main__ import main
from symcook.errors import BadInput, Rejected
from symcook.export.archive import arrays
from symcook.export.lens import Lens
from symcook.model.ends import Embedding, Readout
from symcook.model.parts import FeedForward, Head, Layer, LayerNorm
from symcook.model.transformer import Transformer
from symcook.recipes import build

INSTALLED = importlib.util.find_spec("transformer_lens") is not None
FOUND = pytest.mark.skipif(not INSTALLED, reason="transformer_lens is not installed")
NAMES = ("a", "b", "c")


def numbers(rng: random.Random, rows: int, columns: int) -> list[list[sc.Exact]]:
    return [[f"{rng.randint(-8, 8)}/4" for _ in range(columns)] for _ in range(rows)]


def normed(rng: random.Random) -> LayerNorm:
    bias, gain = numbers(rng, 2, 3)
    return LayerNorm(NAMES, gain=gain, bias=bias, epsilon="1/8")


def made(seed: int, activation: str, mask: str, *, norm: bool) -> Transformer:
    """Two heads of different sizes, a layer without attention and one without network, a position table."""
    rng = random.Random(seed)
    heads = (
        Head(NAMES, ("a", "c"), *(numbers(rng, k, 3) for k in (3, 3, 2)), mask, "softmax", scale="1/sqrt(d_key)"),
        Head(("a",), ("b",), [["1/2"]], [[3]], [[-1]], mask, "softmax"),
    )
    mean = Head(("b", "c"), NAMES, [[0, 0]], [[0, 0]], numbers(rng, 3, 2), mask, "average")
    network = FeedForward(
        NAMES, ("a", "b"), numbers(rng, 4, 3), numbers(rng, 1, 4)[0], numbers(rng, 2, 4), ["1/2", 0], activation
    )
    smaller = FeedForward(NAMES, ("c",), numbers(rng, 2, 3), ["1/4", 0], numbers(rng, 1, 2), ["-1/2"], activation)
    both, alone = sc.SelfAttention(heads), sc.SelfAttention((mean,))
    parts: list[tuple[Any, Any]] = [(both, network), (None, smaller), (alone, None)]
    layers = []
    for attention, inside in parts:
        norms = tuple((normed(rng),) if norm and part is not None else () for part in (attention, inside))
        layers.append(Layer(attention, inside, *norms, "pre" if norm else "none"))
    words = {token: dict(zip(NAMES, numbers(rng, 1, 3)[0], strict=True)) for token in ("x", "y", "S")}
    embedding = Embedding(sc.Space(NAMES), words=words, positions={"b": "i/4"}, before="S")
    readout = Readout("largest", "last", NAMES, numbers(rng, 2, 3), ("no", "yes"))
    return Transformer("made", embedding, tuple(layers), readout, final_norm=normed(rng) if norm else None)


def trained(seed: int) -> Transformer:
    """A state dict with the names of a HookedTransformer and all its biases and norms, read as an exact model."""
    rng, d, hidden, heads = np.random.default_rng(seed), 4, 5, 2

    def table(*shape: int) -> Any:
        return rng.normal(size=shape).astype(np.float32)

    state = {"embed.W_E": table(3, d), "pos_embed.W_pos": table(6, d), "unembed.W_U": table(d, 2)}
    state |= {"unembed.b_U": table(2), "ln_final.w": table(d), "ln_final.b": table(d)}
    for key in ("blocks.0.", "blocks.1."):
        state |= {f"{key}attn.W_{name}": table(heads, d, d // heads) for name in "QKV"}
        state |= {f"{key}attn.b_{name}": table(heads, d // heads) for name in "QKV"}
        state |= {f"{key}attn.W_O": table(heads, d // heads, d), f"{key}attn.b_O": table(d)}
        state |= {f"{key}mlp.W_in": table(d, hidden), f"{key}mlp.b_in": table(hidden)}
        state |= {f"{key}mlp.W_out": table(hidden, d), f"{key}mlp.b_out": table(d)}
        state |= {f"{key}ln{k}.{name}": table(d) for k in (1, 2) for name in "wb"}
    return sc.from_state_dict(state, vocabulary="xyz", labels=("no", "yes"), activation="gelu-tanh", epsilon="1/1000")


def models() -> dict[str, Transformer]:
    """Of each kind one, by what is special."""
    found = {f"{activation} {mask}": made(k, activation, mask, norm=norm) for k, activation, mask, norm in CASES}
    return found | {"trained": trained(4)}


def typed(model: Transformer, word: str) -> list[int]:
    """The numbers of the tokens, with those that the model adds."""
    return [list(model.embedding.words or ()).index(t) for t in model.embedding.surround(tuple(word))]


def logits(m: dict[str, Any], tokens: list[int]) -> Any:
    """The forward pass of TransformerLens' native model, in float64 and one position after the other."""
    config, state = Lens(m).config(), {key: np.asarray(a, dtype=np.float64) for key, a in Lens(m).state().items()}

    def norm(key: str, x: Any) -> Any:
        if config["normalization_type"] is None:
            return x
        x = x - x.mean()
        return x / math.sqrt((x * x).mean() + config["eps"]) * state[f"{key}.weight"] + state[f"{key}.bias"]

    def linear(key: str, x: Any) -> Any:
        return state[f"{key}.weight"] @ x + state[f"{key}.bias"]

    def act(x: float) -> float:
        if config["act_fn"] == "relu":
            return max(x, 0.0)
        if config["act_fn"] == "gelu":
            return x * 0.5 * (1 + math.erf(x / math.sqrt(2)))
        return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))

    z = [state["embed.weight"][t] + state["pos_embed.weight"][p] for p, t in enumerate(tokens)]
    for number in range(config["n_layers"]):
        key, size = f"blocks.{number}", config["d_head"]
        x = [norm(f"{key}.ln1", row) for row in z]
        q, k, v = ([linear(f"{key}.attn.{name}", row) for row in x] for name in "qkv")
        added = []
        for i in range(len(z)):
            seen = range(i + 1) if config["attention_dir"] == "causal" else range(len(z))
            row = np.zeros(config["n_heads"] * size)
            for h in range(config["n_heads"]):
                part = slice(h * size, (h + 1) * size)
                weights = [math.exp(q[i][part] @ k[j][part] / config["attn_scale"]) for j in seen]
                row[part] = sum(w * v[j][part] for w, j in zip(weights, seen, strict=True)) / sum(weights)
            added.append(linear(f"{key}.attn.o", row))
        z = [row + more for row, more in zip(z, added, strict=True)]
        for p, row in enumerate(z):
            inside = linear(f"{key}.mlp.in", norm(f"{key}.ln2", row))
            z[p] = row + linear(f"{key}.mlp.out", np.array([act(u) for u in inside]))
    return np.array([linear("unembed", norm("ln_final", row)) for row in z])


CASES = [(1, "relu", "future", False), (2, "gelu", "none", False), (3, "gelu-tanh", "future", True)]


@pytest.mark.layer_one(0, 1, 2)
@pytest.mark.parametrize("kind", ["relu future", "gelu none", "gelu-tanh future", "trained"])
def test_the_state_dict_computes_what_the_model_does(kind: str) -> None:
    model = models()[kind]
    m = arrays(model, "float64", 6)
    for word in ("x", "y", "xyyx"):
        got = logits(m, typed(model, word))
        for domain in ("float64", "ball"):
            assert got[-1] == pytest.approx(values(model, word, domain), rel=1e-9, abs=1e-9)


def test_a_formula_compiled_with_tau_one_fits_and_one_with_a_temperature_does_not() -> None:
    source = "Q_z & prev (~Q_y since Q_x)"
    model = sc.compile("ltl", source, alphabet="xyz", soft=True, tau=1)
    hard = sc.compile("ltl", source, alphabet="xyz")
    m = arrays(model, "float64", 8)
    for word in ("z", "xz", "xxzz", "zxzxyz", "yxzyzxxz"):
        assert [row[0] > 0 for row in logits(m, typed(model, word))] == hard.run(word).outputs, word
    with pytest.raises(BadInput, match="TransformerLens"):
        Lens(arrays(sc.compile("ltl", source, alphabet="xyz", soft=True), "float64", 8))


def test_a_model_without_layers() -> None:
    base = made(1, "relu", "future", norm=False)
    model = Transformer("flat", base.embedding, (), base.readout)
    config = Lens(arrays(model, "float64", 4)).config()
    assert (config["n_layers"], config["n_heads"], config["d_head"]) == (0, 1, 1)
    network = FeedForward(("a",), ("b",), [[1]], [0], [[1]], [0])
    config = Lens(arrays(replace(model, layers=(Layer(None, network),)), "float64", 4)).config()
    assert (config["n_layers"], config["n_heads"], config["d_head"], config["d_mlp"]) == (1, 1, 1, 1)
    for word in ("x", "yx"):
        got = logits(arrays(model, "float64", 4), typed(model, word))
        assert got[-1] == pytest.approx(values(model, word, "float64"), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("table", [False, True])
@pytest.mark.parametrize("place", ["words", "positions", "nowhere"])
def test_a_norm_is_copied_to_coordinates_that_are_zero_before(place: str, table: bool) -> None:
    """Whatever else stood in them would be lost; with other positions or without any."""
    model = trained(4)
    block = model.layers[-1].feedforward
    assert block is not None
    fresh = block.writes[0]
    words = {
        token: dict(row) | ({fresh: 1} if place == "words" else {}) for token, row in model.embedding.words.items()
    }
    positions = (dict(model.embedding.positions) if table else {}) | ({fresh: "1/2"} if place == "positions" else {})
    changed = replace(model, embedding=replace(model.embedding, words=words, positions=positions))
    if place == "nowhere":
        m = arrays(changed, "float64", 4)
        assert logits(m, typed(changed, "xy"))[-1] == pytest.approx(values(changed, "xy", "ball"), rel=1e-9, abs=1e-9)
    else:
        with pytest.raises(BadInput, match="a last feed-forward layer that does more than copy a norm"):
            Lens(arrays(changed, "float64", 4))


def values(model: Transformer, word: str, domain: str) -> list[float]:
    """The scores of the labels at the last position."""
    shown = model.run(word, domain).output
    return [float(v["mid"] if isinstance(v, dict) else v) for v in shown.values()]


def test_what_does_not_fit_is_refused_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refused = {
        "parity": "position table .* depend on the length",
        "first-layernorm": r"the norm step1\.after",
        "identity": "rows of numbers",
    }
    for name, match in refused.items():
        with pytest.raises(BadInput, match=match) as error:
            Lens(arrays(build(name).bind(), "float64", 4))
        assert "use --format torch" in error.value.sentence
    hard = Head(("a",), ("b",), [[1]], [[1]], [[1]], "future", "leftmost")
    step = FeedForward(("a",), ("b",), [[1]], [0], [[1]], [0], "step")
    base = made(1, "relu", "future", norm=False)
    for layer, match in ((Layer(hard), "weighting of step1.head1"), (Layer(None, step), "activation")):
        changed = Transformer("t", base.embedding, (layer,), base.readout)
        with pytest.raises(BadInput, match=match):
            Lens(arrays(changed, "float64", 4))
    mixed = (Head(("a",), ("b",), [[1]], [[1]], [[1]], mask, "softmax") for mask in ("none", "future"))
    with pytest.raises(BadInput, match=r"mask of step2\.head1 of the model; given: future beside none"):
        Lens(arrays(Transformer("t", base.embedding, tuple(map(Layer, mixed)), base.readout), "float64", 4))
    whole = made(3, "gelu-tanh", "future", norm=True)
    for epsilon in (0, "1/9"):
        other = replace(whole, final_norm=replace(normed(random.Random(1)), epsilon=epsilon))
        with pytest.raises(BadInput, match="the norms of the model; given: epsilon 0"):
            Lens(arrays(other, "float64", 4))
    with pytest.raises(BadInput, match="norms elsewhere than before each part and at the end"):
        Lens(
            arrays(
                replace(
                    whole, layers=(Layer(whole.layers[0].attention, whole.layers[0].feedforward), *whole.layers[1:])
                ),
                "float64",
                4,
            )
        )
    with pytest.raises(BadInput, match="the final norm of the model; given: none at all"):
        Lens(arrays(replace(trained(1), layers=trained(1).layers[:-1]), "float64", 4))
    m = arrays(trained(4), "float64", 4)
    m["step1.before1.P"] = m["step1.before1.P"] * 2
    with pytest.raises(BadInput, match="a projection that does more than choose coordinates"):
        Lens(m)
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "transformer_lens" else found(name))
    with pytest.raises(BadInput, match=r"symcook\[transformerlens\]"):
        build("dyck-1").export(tmp_path / "m.pth", format="transformerlens")
    assert not list(tmp_path.iterdir())


@FOUND
@pytest.mark.parametrize("kind", ["relu future", "gelu none", "gelu-tanh future", "trained"])
def test_transformer_lens_computes_it(kind: str, tmp_path: Path) -> None:
    import torch  # type: ignore[import-not-found]

    model = models()[kind]
    for dtype, near in (("float64", 1e-9), ("float32", 1e-3)):
        place = tmp_path / f"{dtype}.pth"
        document = model.export(place, format="transformerlens", dtype=dtype, max_length=6)
        assert document["guaranteed"]["ranges"] == [] and "TransformerLens" in document["guaranteed"]["why"]
        names: dict[str, Any] = {"__name__": "m", "__file__": str(place.with_suffix(".py"))}
        exec(compile(place.with_suffix(".py").read_text(), "m.py", "exec"), names)
        bridge = names["load"]()
        for word in ("x", "y", "xyyx"):
            with torch.no_grad():
                got = bridge(names["tokens"](word))[0, -1].tolist()
            for domain in ("float64", "ball"):
                assert got == pytest.approx(values(model, word, domain), rel=near, abs=near)
        verify_export(place)


@FOUND
def test_dyck_1_in_transformer_lens_from_a_shell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / "d.pth"
    assert main(["export", "dyck-1", "-o", str(place), "--max-length", "8"]) == 0
    assert "TransformerLens: python" in capsys.readouterr().out
    for word, answer in (("(())()", "True"), ("(()", "False"), ("())(", "False")):
        done = subprocess.run([sys.executable, str(tmp_path / "d.py"), word], capture_output=True, text=True, cwd=ROOT)
        assert done.stdout.strip() == answer, done.stderr
    assert main(["verify-export", str(tmp_path / "d.py")]) == 0
    data = bytearray(place.read_bytes())
    data[len(data) // 2] ^= 1
    place.write_bytes(data)
    with pytest.raises(Rejected, match="has been changed"):
        verify_export(place)
    done = subprocess.run([sys.executable, str(tmp_path / "d.py"), "()"], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 1 and "a byte of it has changed" in done.stderr


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_every_number_of_a_state_dict_has_the_type_of_the_weights(dtype: str) -> None:
    """Those of norms and networks that a layer has not, too."""
    for name, model in models().items():
        state = Lens(arrays(model, dtype, 4)).state()
        assert {str(array.dtype) for array in state.values()} == {dtype}, name


def test_two_activations_are_refused() -> None:
    networks = [FeedForward(NAMES, ("a",), [[1, 0, 0]], [0], [[1]], [0], kind) for kind in ("relu", "gelu")]
    one = made(1, "relu", "future", norm=False)
    for kinds in (networks, networks[::-1]):
        model = replace(one, layers=tuple(Layer(None, network) for network in kinds))
        with pytest.raises(BadInput, match="the activation of the model"):
            Lens(arrays(model, "float32", 4))
    assert Lens(arrays(replace(one, layers=(Layer(None, networks[1]),)), "float32", 4)).activation == "gelu"
