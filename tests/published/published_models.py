"""Random small models as numpy computes them, written in the names of each library that symcook reads.

`forward` is the pass of a decoder from the papers' formulas. `stored` writes the same weights as each library stores
them; the names are those of the libraries' own sources.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

LETTERS = "abc"


@dataclass
class Shape:
    """The sizes of a model and its kinds of parts."""

    d: int = 6
    heads: int = 2
    size: int = 3
    groups: int = 2
    hidden: int = 5
    layers: int = 2
    positions: int = 6
    rms: bool = False
    gated: bool = False
    tied: bool = False
    biases: bool = True
    activation: str = "gelu-tanh"
    epsilon: float = 1e-5
    norms: tuple[str, ...] = field(default=("ln1", "ln2", "final"))


def weights(shape: Shape, seed: int, dtype: Any = np.float32) -> dict[str, Any]:
    """Random weights: matrices with outputs as rows."""
    rng = np.random.default_rng(seed)

    def drawn(*sizes: int) -> Any:
        return (rng.standard_normal(sizes) * 0.7).astype(dtype)

    d, wide, shared = shape.d, shape.heads * shape.size, shape.groups * shape.size
    found = {"embed": drawn(len(LETTERS), d)}
    if shape.positions:
        found["positions"] = drawn(shape.positions, d)
    for k in range(shape.layers):
        sizes = {"q": (wide, d), "k": (shared, d), "v": (shared, d), "o": (d, wide), "up": (shape.hidden, d),
                 "down": (d, shape.hidden)}  # fmt: skip
        if shape.gated:
            sizes["gate"] = (shape.hidden, d)
        for name, (rows, columns) in sizes.items():
            found[f"{k}.{name}"] = drawn(rows, columns)
            if shape.biases:
                found[f"{k}.{name}.b"] = drawn(rows)
    for name in [*(f"{k}.ln{j}" for k in range(shape.layers) for j in (1, 2)), "final"]:
        found[name] = drawn(d)
        if not shape.rms and shape.biases:
            found[f"{name}.b"] = drawn(d)
    found["out"] = found["embed"] if shape.tied else drawn(len(LETTERS), d)
    return found


def act(name: str, x: Any) -> Any:
    if name == "relu":
        return np.maximum(x, 0)
    if name == "silu":
        return x / (1 + np.exp(-x))
    if name == "gelu":
        return x * 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def forward(shape: Shape, given: dict[str, Any], word: str) -> Any:
    """The logits at each position, in float64."""
    w = {key: np.asarray(value, dtype=np.float64) for key, value in given.items()}
    n, size = len(word), shape.size
    x = w["embed"][[LETTERS.index(c) for c in word]]
    x = x + (w["positions"][:n] if "positions" in w else 0)

    def norm(name: str, y: Any) -> Any:
        if not shape.rms:
            y = y - y.mean(axis=1, keepdims=True)
        return w[name] * y / np.sqrt((y * y).mean(axis=1, keepdims=True) + shape.epsilon) + w.get(f"{name}.b", 0)

    def linear(name: str, y: Any) -> Any:
        return y @ w[name].T + w.get(f"{name}.b", 0)

    for k in range(shape.layers):
        y = norm(f"{k}.ln1", x)
        q, keys, v = (linear(f"{k}.{name}", y) for name in "qkv")
        parts = []
        for h in range(shape.heads):
            own, shared = h * size, h * shape.groups // shape.heads * size
            scores = q[:, own : own + size] @ keys[:, shared : shared + size].T / math.sqrt(size)
            scores = np.where(np.tri(n, dtype=bool), scores, -np.inf)
            a = np.exp(scores - scores.max(axis=1, keepdims=True))
            parts.append(a / a.sum(axis=1, keepdims=True) @ v[:, shared : shared + size])
        x = x + linear(f"{k}.o", np.concatenate(parts, axis=1))
        y = norm(f"{k}.ln2", x)
        inside = linear(f"{k}.up", y)
        inside = (
            act(shape.activation, linear(f"{k}.gate", y)) * inside if shape.gated else act(shape.activation, inside)
        )
        x = x + linear(f"{k}.down", inside)
    return norm("final", x) @ w["out"].T


def _linear(w: dict[str, Any], here: str, there: str, transposed: bool = False) -> dict[str, Any]:
    """A matrix and its bias under the names of torch.nn.Linear, or of Hugging Face's Conv1D."""
    found = {f"{there}.weight": w[here].T if transposed else w[here]}
    return found | ({f"{there}.bias": w[f"{here}.b"]} if f"{here}.b" in w else {})


def _gpt(shape: Shape, w: dict[str, Any], conv: bool, head: bool) -> dict[str, Any]:
    """GPT-2 of Hugging Face (conv), or minGPT and nanoGPT."""
    found = {"transformer.wte.weight": w["embed"], "transformer.wpe.weight": w["positions"]}
    for k in range(shape.layers):
        key = f"transformer.h.{k}."
        both = {"qkv": np.concatenate([w[f"{k}.{x}"] for x in "qkv"])}
        if shape.biases:
            both["qkv.b"] = np.concatenate([w[f"{k}.{x}.b"] for x in "qkv"])
        found |= _linear(both, "qkv", key + "attn.c_attn", conv) | _linear(w, f"{k}.o", key + "attn.c_proj", conv)
        found |= _linear(w, f"{k}.up", key + "mlp.c_fc", conv) | _linear(w, f"{k}.down", key + "mlp.c_proj", conv)
        found |= _linear(w, f"{k}.ln1", key + "ln_1") | _linear(w, f"{k}.ln2", key + "ln_2")
        mask = np.tri(shape.positions, dtype=np.float32)[None, None]
        found |= {key + "attn.bias": mask}
    found |= _linear(w, "final", "transformer.ln_f")
    return found | ({"lm_head.weight": w["out"]} if head else {})


def _numpy(shape: Shape, w: dict[str, Any]) -> dict[str, Any]:
    """The nested parameters of picoGPT, flat."""
    found = {}
    for key, value in _gpt(shape, w, True, False).items():
        if not key.endswith(".attn.bias"):
            name = key.removeprefix("transformer.").replace("h.", "blocks.", 1) if ".h." in key else key[12:]
            norm = ".ln_" in f".{name}"
            found[name.replace(".weight", (".g" if norm else ".w") * ("wte" not in name and "wpe" not in name))
                  .replace(".bias", ".b")] = value  # fmt: skip
    return found


def _llama(shape: Shape, w: dict[str, Any], head: bool) -> dict[str, Any]:
    found = {"model.embed_tokens.weight": w["embed"], "model.norm.weight": w["final"]}
    names = {"q": "self_attn.q_proj", "k": "self_attn.k_proj", "v": "self_attn.v_proj", "o": "self_attn.o_proj",
             "gate": "mlp.gate_proj", "up": "mlp.up_proj", "down": "mlp.down_proj"}  # fmt: skip
    for k in range(shape.layers):
        for here, there in names.items():
            found |= _linear(w, f"{k}.{here}", f"model.layers.{k}.{there}")
        found[f"model.layers.{k}.input_layernorm.weight"] = w[f"{k}.ln1"]
        found[f"model.layers.{k}.post_attention_layernorm.weight"] = w[f"{k}.ln2"]
    return found | ({"lm_head.weight": w["out"]} if head else {})


def _hooked(shape: Shape, w: dict[str, Any]) -> dict[str, Any]:
    found = {"embed.W_E": w["embed"], "pos_embed.W_pos": w["positions"], "unembed.W_U": w["out"].T,
             "unembed.b_U": 0 * w["out"][:, 0]}  # fmt: skip
    size = shape.size
    for k in range(shape.layers):
        key, shared = f"blocks.{k}.", "_" * (shape.groups < shape.heads)
        for name, before, heads in (("q", "", shape.heads), ("k", shared, shape.groups), ("v", shared, shape.groups)):
            place = f"{key}attn.{before}"
            found[f"{place}W_{name.upper()}"] = w[f"{k}.{name}"].reshape(heads, size, shape.d).transpose(0, 2, 1)
            if shape.biases:
                found[f"{place}b_{name.upper()}"] = w[f"{k}.{name}.b"].reshape(heads, size)
        found[f"{key}attn.W_O"] = w[f"{k}.o"].T.reshape(shape.heads, size, shape.d)
        found |= {f"{key}mlp.W_in": w[f"{k}.up"].T, f"{key}mlp.W_out": w[f"{k}.down"].T}
        found |= {f"{key}mlp.W_gate": w[f"{k}.gate"].T} if shape.gated else {}
        if shape.biases:
            found |= {f"{key}attn.b_O": w[f"{k}.o.b"], f"{key}mlp.b_in": w[f"{k}.up.b"]}
            found |= {f"{key}mlp.b_out": w[f"{k}.down.b"]}
        for j in (1, 2):
            found[f"{key}ln{j}.w"] = w[f"{k}.ln{j}"]
            found |= {f"{key}ln{j}.b": w[f"{k}.ln{j}.b"]} if f"{k}.ln{j}.b" in w else {}
    found["ln_final.w"] = w["final"]
    return found | ({"ln_final.b": w["final.b"]} if "final.b" in w else {})


def _bridge(shape: Shape, w: dict[str, Any]) -> dict[str, Any]:
    found = {"embed.weight": w["embed"], "pos_embed.weight": w["positions"], "unembed.weight": w["out"],
             "unembed.bias": 0 * w["out"][:, 0]}  # fmt: skip
    for k in range(shape.layers):
        key = f"blocks.{k}."
        for name in "qkvo":
            found |= _linear(w, f"{k}.{name}", f"{key}attn.{name}")
        found |= _linear(w, f"{k}.up", f"{key}mlp.in") | _linear(w, f"{k}.down", f"{key}mlp.out")
        found |= _linear(w, f"{k}.ln1", f"{key}ln1") | _linear(w, f"{k}.ln2", f"{key}ln2")
    return found | _linear(w, "final", "ln_final")


def _torch(shape: Shape, w: dict[str, Any]) -> dict[str, Any]:
    found = {"embedding.weight": w["embed"], "positions.weight": w["positions"], "output.weight": w["out"]}
    for k in range(shape.layers):
        key = f"layers.{k}."
        found[f"{key}self_attn.in_proj_weight"] = np.concatenate([w[f"{k}.{x}"] for x in "qkv"])
        found[f"{key}self_attn.in_proj_bias"] = np.concatenate([w[f"{k}.{x}.b"] for x in "qkv"])
        found |= _linear(w, f"{k}.o", f"{key}self_attn.out_proj")
        found |= _linear(w, f"{k}.up", f"{key}linear1") | _linear(w, f"{k}.down", f"{key}linear2")
        found |= _linear(w, f"{k}.ln1", f"{key}norm1") | _linear(w, f"{k}.ln2", f"{key}norm2")
    return found | _linear(w, "final", "norm")


def stored(word: str, shape: Shape, w: dict[str, Any]) -> dict[str, Any]:
    """The weights as the library `word` stores them."""
    match word:
        case "gpt2":
            return _gpt(shape, w, True, not shape.tied)
        case "mingpt":
            return _gpt(shape, w, False, True)
        case "numpy":
            return _numpy(shape, w)
        case "llama":
            return _llama(shape, w, not shape.tied)
        case "hooked":
            return _hooked(shape, w)
        case "bridge":
            return _bridge(shape, w)
    return _torch(shape, w)


KINDS: dict[str, tuple[str, Shape, dict[str, Any]]] = {
    "torch": ("torch", Shape(activation="gelu"), {"heads": 2, "norm": "pre", "activation": "gelu"}),
    "gpt2": ("gpt2", Shape(tied=True), {"heads": 2, "activation": "gelu-tanh"}),
    "gpt2 with a head": ("gpt2", Shape(), {"heads": 2, "activation": "gelu-tanh"}),
    "mingpt": ("mingpt", Shape(), {"heads": 2, "activation": "gelu-tanh"}),
    "nanogpt": ("mingpt", Shape(tied=True, biases=False, activation="gelu"), {"heads": 2, "activation": "gelu"}),
    "numpy": ("numpy", Shape(tied=True), {"heads": 2}),
    "llama": (
        "llama",
        Shape(rms=True, gated=True, biases=False, activation="silu", positions=0),
        {"heads": 2, "activation": "silu", "format": "llama", "rotary": "none"},
    ),
    "qwen": (
        "llama",
        Shape(rms=True, gated=True, heads=4, groups=2, size=2, biases=False, activation="silu", positions=0, tied=True),
        {"heads": 4, "activation": "silu", "format": "llama", "rotary": "none"},
    ),
    "wide heads": (
        "llama",
        Shape(rms=True, gated=True, size=5, biases=False, activation="silu", positions=0),
        {"heads": 2, "activation": "silu", "format": "llama", "rotary": "none"},
    ),
    "hooked": ("hooked", Shape(activation="relu"), {"activation": "relu"}),
    "hooked with groups": ("hooked", Shape(heads=4, groups=2, size=2, activation="relu"), {"activation": "relu"}),
    "bridge": ("bridge", Shape(activation="relu"), {"heads": 2, "activation": "relu"}),
}
"""{kind: (format, shape, what from_state_dict must be given)}."""
