"""A model as TransformerLens 4 holds it: a state dict with its names, and code that makes a `TransformerBridge` of it.

TransformerLens has one kind of model: layers of softmax heads (all causal, or none) and one network, with a position
table and an unembedding. A model fits where it is such a one; what does not fit is refused by name. Nothing is rounded
but the factor of scores into Q: smaller heads are padded with zeros, V is kept as it is and O writes its rows to where
they belong, and Q is doubled for a scale of 2, since TransformerLens takes a scale of 1 for an oversight.
"""

from __future__ import annotations

from collections.abc import Iterator
from pprint import pformat
from typing import Any, NoReturn

from symcook.errors import BadInput
from symcook.export.archive import Archive, cast

ACTIVATIONS = {"relu": "relu", "gelu": "gelu", "gelu-tanh": "gelu_new"}
DIRECTIONS = {"future": "causal", "none": "bidirectional"}
SCALE = 2.0

WHY = (
    "TransformerLens divides the weights of softmax before it sums, and norms in an order of its own, which the error "
    "model does not cover: the npz, torch and onnx formats of this model have guarantees"
)
"""Why nothing is guaranteed of this runtime."""

CODE = '''"""The transformer {title}, for TransformerLens 4.

Written by symcook for the weights in {weights}; described in {certificate}. Use it as

    bridge = load()                      # a TransformerBridge with the weights, in {dtype}
    logits, cache = bridge.run_with_cache(tokens({example}))
    print(answer(logits))

or from a shell: python {code} WORD.
"""

import hashlib
import sys
from pathlib import Path

import torch
from transformer_lens.config import TransformerBridgeConfig
from transformer_lens.model_bridge import TransformerBridge

WEIGHTS = Path(__file__).with_name({weights!r})
SHA256 = {sha256!r}
DTYPE = torch.{dtype}
{constants}
CONFIG = {config}


def load():
    """The model with its weights, which must be those that the certificate speaks of."""
    data = WEIGHTS.read_bytes()
    if hashlib.sha256(data).hexdigest() != SHA256:
        sys.exit(f"{{WEIGHTS}} is not the file that this code was written for: a byte of it has changed")
    bridge = TransformerBridge.boot_native(TransformerBridgeConfig(**CONFIG), dtype=DTYPE)
    state = torch.load(WEIGHTS, weights_only=True)
    if state.keys() != bridge.state_dict().keys():
        sys.exit("this TransformerLens has other weights than TransformerLens 4.3 has")
    with torch.no_grad():
        for key, value in state.items():  # load_state_dict does not know the names that state_dict gives
            place = bridge
            for part in key.split("."):
                place = place[int(part)] if part.isdigit() else getattr(place, part)
            place.copy_(value)
    return bridge.eval()


{tokens}

def answer(logits):
    """What the model says for the first input of a batch: the answers, or the shown values by name."""
    shown = {{"first": logits[0, :1], "last": logits[0, -1:], "each": logits[0], "all": logits[0]}}[POSITION]
{readout}


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("give one input")
    with torch.no_grad():
        print(answer(load()(tokens(sys.argv[1]))))
'''

READOUTS = {
    "sign": "yes = (shown[:, 0] > 0).tolist()\n    return all(yes) if POSITION == 'all' else yes",
    "zero": "yes = (shown == 0).all(dim=1).tolist()\n    return all(yes) if POSITION == 'all' else yes",
    "largest": "return [LABELS[k] for k in shown.argmax(dim=1).tolist()]",
    "distribution": "weights = torch.softmax(shown, dim=1)\n"
    "    return {label: weights[:, k].tolist() for k, label in enumerate(LABELS)}",
    "value": "return {c: shown[:, k].tolist() for k, c in enumerate(READS)}",
}


def _refuse(part: str, given: object) -> NoReturn:
    must = f"TransformerLens must have what {part} needs"
    raise BadInput(must, given, "use --format torch, safetensors, npz or onnx, which have it")


class Lens:
    """The configuration and the weights that an archive has in TransformerLens. Raises BadInput, with the part, where a
    model has something that TransformerLens has not."""

    def __init__(self, m: Archive) -> None:
        import numpy as np

        self.m, self.np = m, np
        if not len(m["vocabulary"]):
            _refuse("the embedding", "rows of numbers as inputs")
        if "positions" in m and m["positions"].ndim > 2:
            _refuse("the position table", "values that depend on the length of the input")
        self.d = len(m["coordinates"])
        self.layers = self.paired()
        self.masks: set[str] = set()
        self.heads = [self.head(key) for layer in self.layers for key in self.head_keys(layer[0])]
        self.size = max((max(len(Q), len(rows)) for _, Q, _, _, rows in self.heads), default=1)
        self.count = max((len(self.head_keys(layer[0])) for layer in self.layers), default=1) or 1
        networks = [f"step{s}." for _, s in self.layers if s]
        self.hidden = max((len(m[key + "b1"]) for key in networks), default=1) or 1
        kinds = {str(m[key + "activation"]) for key in networks}
        if len(kinds) > 1 or not kinds <= ACTIVATIONS.keys():
            _refuse("the activation", " and ".join(sorted(kinds)))
        self.activation = ACTIVATIONS[kinds.pop()] if kinds else "relu"
        self.epsilon = self.norms()

    def paired(self) -> list[tuple[int | None, int | None]]:
        """The steps of attention and network of each layer; the final norm is none of them."""
        found: list[tuple[int | None, int | None]] = []
        for s in range(1, int(self.m["steps"]) + 1):
            if f"step{s}.head1.V" in self.m:
                found.append((s, None))
            elif f"step{s}.W1" in self.m:
                if found and found[-1][1] is None:
                    found[-1] = (found[-1][0], s)
                else:
                    found.append((None, s))
        return found

    def head_keys(self, step: int | None) -> list[str]:
        keys: list[str] = []
        while step is not None and f"step{step}.head{len(keys) + 1}.V" in self.m:
            keys.append(f"step{step}.head{len(keys) + 1}.")
        return keys

    def head(self, key: str) -> tuple[str, Any, Any, Any, Any]:
        """A head's name, its Q and K, and of V the rows that are not zero, with their places."""
        m, np = self.m, self.np
        Q, K, V, name = m[key + "Q"], m[key + "K"], m[key + "V"], key.rstrip(".")
        self.masks.add(str(m[key + "mask"]))
        if len(self.masks) > 1 or not self.masks <= DIRECTIONS.keys():
            _refuse(f"the mask of {name}", " beside ".join(sorted(self.masks)))
        uniform = not Q.any() or not K.any()
        if str(m[key + "weighting"]) != "softmax" and not (uniform and str(m[key + "weighting"]) == "average"):
            _refuse(f"the weighting of {name}", f"{m[key + 'weighting']} (hard attention)")
        factor = m.get(key + "factor", np.ones(1))
        if factor.ndim > 1 or (factor != factor[0]).any():
            _refuse(f"the temperature of {name}", "one that depends on the position")
        Q = cast(Q.astype(np.float64) * (float(factor[0]) * SCALE), str(m["dtype"]))
        rows = np.flatnonzero(V.any(axis=1))
        return name, Q, K, V[rows], rows

    def norms(self) -> float | None:
        """The epsilon of all norms, None where there are none: in TransformerLens one over the stream stands before
        each part and one at the end, or nowhere."""
        m, steps = self.m, int(self.m["steps"])
        keys = [key.removesuffix("gain") for key in m if key.endswith(".gain")]
        if not keys:
            return None
        wanted = {f"step{s}.before1." for s in range(1, steps)} | {f"step{steps}.after."}
        for key in sorted(set(keys) ^ wanted):
            _refuse(f"the norm {key.rstrip('.')}", "norms elsewhere than before each part and at the end")
        epsilons = {float(m[key + "epsilon"]) for key in keys}
        for key in keys:
            if key + "P" in m:
                _refuse(f"the norm {key.rstrip('.')}", "a projection")
        if len(epsilons) > 1 or 0.0 in epsilons:
            _refuse("the norms", f"epsilon {', '.join(map(str, sorted(epsilons)))}")
        return epsilons.pop()

    def config(self) -> dict[str, Any]:
        m = self.m
        tables = [len(table) for key, table in m.items() if key == "positions" or key.endswith(".factor")]
        return {
            "architecture": "TransformerLensNative",
            "d_model": self.d,
            "n_layers": len(self.layers),
            "n_heads": self.count,
            "d_head": self.size,
            "attn_scale": SCALE,
            "d_mlp": self.hidden,
            "act_fn": self.activation,
            "n_ctx": min(tables, default=2048),
            "d_vocab": len(m["vocabulary"]),
            "d_vocab_out": len(self.unembedding()),
            "normalization_type": None if self.epsilon is None else "LN",
            "eps": 1e-5 if self.epsilon is None else self.epsilon,
            "attention_dir": DIRECTIONS[next(iter(self.masks), "future")],
            "init_weights": False,
        }

    def unembedding(self) -> Any:
        """What is shown at a position: scores, or coordinates."""
        np, m = self.np, self.m
        if "readout.weights" in m:
            return np.atleast_2d(m["readout.weights"])
        names = m["coordinates"].tolist()
        rows = np.zeros((len(m["readout.reads"]), self.d), dtype=m["embedding"].dtype)
        rows[range(len(rows)), [names.index(name) for name in m["readout.reads"].tolist()]] = 1
        return rows

    def state(self) -> dict[str, Any]:
        """The arrays by the names that the state dict of a bridge has."""
        np, m = self.np, self.m
        kind = m["embedding"].dtype
        zeros = lambda *shape: np.zeros(shape, dtype=kind)  # noqa: E731
        found = {"embed.weight": m["embedding"], "pos_embed.weight": zeros(self.config()["n_ctx"], self.d)}
        if "positions" in m:
            found["pos_embed.weight"] = m["positions"][: self.config()["n_ctx"]]
        heads, wide = iter(self.heads), self.count * self.size
        for number, (attention, network) in enumerate(self.layers):
            key = f"blocks.{number}."
            found |= dict(self.norm(f"{key}ln1", attention))
            names = ("q", "k", "v")
            parts = {name: zeros(wide, self.d) for name in names} | {"o": zeros(self.d, wide)}
            for h in range(len(self.head_keys(attention))):
                _, Q, K, V, rows = next(heads)
                at = h * self.size
                for name, matrix in zip(names, (Q, K, V), strict=True):
                    parts[name][at : at + len(matrix)] = matrix
                parts["o"][rows, range(at, at + len(rows))] = 1
            for name, matrix in parts.items():
                found |= {f"{key}attn.{name}.weight": matrix, f"{key}attn.{name}.bias": zeros(len(matrix))}
            found |= dict(self.norm(f"{key}ln2", network))
            W1, b1, W2, b2 = zeros(self.hidden, self.d), zeros(self.hidden), zeros(self.d, self.hidden), zeros(self.d)
            if network is not None:
                inside, behind = m[f"step{network}.W1"], m[f"step{network}.W2"]
                W1[: len(inside)], W2[:, : len(inside)] = inside, behind
                b1[: len(inside)], b2 = m[f"step{network}.b1"], m[f"step{network}.b2"]
            found |= {f"{key}mlp.in.weight": W1, f"{key}mlp.in.bias": b1, f"{key}mlp.out.weight": W2}
            found[f"{key}mlp.out.bias"] = b2
        if self.epsilon is not None:
            last = f"step{int(m['steps'])}.after."
            found |= {"ln_final.weight": m[last + "gain"], "ln_final.bias": m[last + "bias"]}
        rows = self.unembedding()
        return found | {"unembed.weight": rows, "unembed.bias": zeros(len(rows))}

    def norm(self, key: str, step: int | None) -> Iterator[tuple[str, Any]]:
        """The gain and bias of the norm before a part; 1 and 0 where there is no part to read it."""
        np, kind = self.np, self.m["embedding"].dtype
        if self.epsilon is not None:
            own = f"step{step}.before1."
            yield f"{key}.weight", np.ones(self.d, dtype=kind) if step is None else self.m[own + "gain"]
            yield f"{key}.bias", np.zeros(self.d, dtype=kind) if step is None else self.m[own + "bias"]


def code(m: Archive, stem: str, sha256: str) -> str:
    """The text of the module for an archive whose state dict is in ``stem.pth``."""
    from textwrap import indent

    from symcook.export.torch_code import WORDS, constants, example, plain

    return CODE.format(
        title=plain(str(m["name"])),
        weights=f"{stem}.pth",
        certificate=f"{stem}.pth.certificate.json",
        code=f"{stem}.py",
        dtype=str(m["dtype"]),
        example=example(m),
        sha256=sha256,
        constants="\n".join(constants(m)),
        config=pformat(Lens(m).config(), width=116, sort_dicts=False),
        tokens=WORDS,
        readout=indent(READOUTS[str(m["readout.kind"])], "    ", lambda line: not line.startswith("    ")),
    )
