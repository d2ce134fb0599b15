"""A model for TransformerLens 4: a state dict with its names, and code that loads it as a `TransformerBridge`.

TransformerLens has one architecture: layers of softmax heads (all causal, or none) and one feed-forward layer, with a
position table and an unembedding. A model of any other architecture is refused, by the name of the part that does not
fit. Of the weights only Q is rounded again, as it is multiplied by the factor of the scores; where constants become
biases (`ChosenNorms`), so are these. Smaller heads are padded with zeros, V is kept, and O writes the rows of V to
their coordinates. Q is doubled for an attention scale of 2, since TransformerLens treats a scale of 1 as an oversight.
"""

from __future__ import annotations

from collections.abc import Iterator
from pprint import pformat
from typing import TYPE_CHECKING, Any, NoReturn

from symcook.errors import BadInput, chosen
from symcook.export.archive import Archive, ArraysRead, cast, numbered

if TYPE_CHECKING:
    import numpy as np

ACTIVATIONS = {"relu": "relu", "gelu": "gelu", "gelu-tanh": "gelu_new"}
"""The name in TransformerLens of each activation that it has."""
DIRECTIONS = {"future": "causal", "none": "bidirectional"}
"""The name in TransformerLens of each mask that it has."""
ENGINE = "the export for TransformerLens"
"""How messages call this module."""
SCALE = 2.0
"""By what TransformerLens divides scores (`attn_scale`); Q is multiplied by it."""

WHY = (
    "TransformerLens normalises attention weights before it sums, and computes norms in its own order, which the "
    "floating-point error model does not cover: the npz, torch and onnx formats of this model have guarantees"
)
"""Why a certificate guarantees nothing of this runtime."""

CODE = '''"""The transformer {title}, for TransformerLens 4.

Written by symcook for the weights in {weights}; described in {certificate}. Use it as

    bridge = load()                      # a TransformerBridge with the weights, in {dtype}
    logits, cache = bridge.run_with_cache(tokens({example}))
    print(answer(logits))

or from a shell: python {code} STRING.
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
        said = answer(load()(tokens(sys.argv[1])))
    print(*said if isinstance(said, list) else [said])
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
    """Raises BadInput: `part` of the model has `given`, which TransformerLens does not support."""
    must = f"TransformerLens must support {part} of the model"
    raise BadInput(must, given, "use --format torch, safetensors, npz or onnx, which have it")


class Lens:
    """An archive as a configuration and weights of TransformerLens. Raises BadInput, which names the part, for a model
    that TransformerLens cannot represent."""

    def __init__(self, m: Archive) -> None:
        import numpy as np

        kinds = [str(m[key]) for key in m if key.startswith("step") and key.endswith(".kind")]
        if kind := next((kind for kind in kinds if kind not in ("biased", "rotary")), None):
            _refuse("each part", f"one of the kind {kind}")
        for name in (k.removesuffix(".kind") for k in m if k.startswith("step") and k.endswith(".kind")):
            if f"{name}.cos" in m or f"{name}.q_gain" in m:
                _refuse(f"the scores of {name}", "rotary positions, or norms of queries and keys")
            if m.get(f"{name}.slope", 0) != 0:
                _refuse(f"the scores of {name}", "a slope by the distance")
        # If norms choose coordinates, the chosen coordinates become the residual stream.
        if any(key.endswith(".P") for key in m):
            m = ChosenNorms(ArraysRead(m, ENGINE)).archive()
        self.m, self.np = m, np = ArraysRead(m, ENGINE), np
        if not len(m["vocabulary"]):
            _refuse("the embedding", "rows of numbers as inputs")
        if "positions" in m and m["positions"].ndim > 2:
            _refuse("the position table", "values that depend on the length of the input")
        # TransformerLens has one size for all heads, one number of heads for all layers, and one hidden size. Take the
        # largest of each; smaller ones are padded with zeros.
        self.d = len(m["coordinates"])
        self.layers = self.paired()
        self.masks: set[str] = set()
        self.heads: list[Any] = [self.head(key) for layer in self.layers for key in self.head_keys(layer[0])]
        self.size = max((max(len(weights[0]), len(rows)) for weights, _, rows in self.heads), default=1)
        self.count = max([1, *(len(self.head_keys(layer[0])) for layer in self.layers)])
        networks = [f"step{s}." for _, s in self.layers if s]
        self.hidden = max([1, *(len(m[key + "b1"]) for key in networks)])
        # TransformerLens has one activation for all layers.
        kinds = {str(m[key + "activation"]) for key in networks}
        if len(kinds) > 1 or not kinds <= ACTIVATIONS.keys():
            _refuse("the activation", " and ".join(sorted(kinds)))
        self.activation = ACTIVATIONS[kinds.pop()] if kinds else "relu"
        self.epsilon = self.norms()

    def paired(self) -> list[tuple[int | None, int | None]]:
        """For each layer the numbers of its attention step and its feed-forward step, None for a missing one. A step
        that is only a norm belongs to no layer."""
        pairs: list[tuple[int | None, int | None]] = []
        for s in range(1, int(self.m["steps"]) + 1):
            # Attention opens a layer; a feed-forward sublayer joins it, or is a layer by itself.
            if f"step{s}.head1.V" in self.m:
                pairs.append((s, None))
            elif f"step{s}.W1" in self.m:
                if pairs and pairs[-1][1] is None:
                    pairs[-1] = (pairs[-1][0], s)
                else:
                    pairs.append((None, s))
        return pairs

    def head_keys(self, step: int | None) -> list[str]:
        """The prefixes of the keys of the heads of a step."""
        return [] if step is None else numbered(self.m, f"step{step}.head", "V")

    def head(self, key: str) -> tuple[Any, Any, Any]:
        """(Q, K, the rows of V that are not zero or have a bias) of a head; their biases; and the coordinates that the
        rows of V write. Q and its bias are multiplied by the factor and by `SCALE`. The mask is noted in `masks`."""
        m, np = self.m, self.np
        Q, K, V, name = m[key + "Q"], m[key + "K"], m[key + "V"], key.rstrip(".")
        self.masks.add(str(m[key + "mask"]))
        if len(self.masks) > 1 or not self.masks <= DIRECTIONS.keys():
            _refuse(f"the mask of {name}", " beside ".join(sorted(self.masks)))
        # If all scores are equal, average-hard attention is softmax attention.
        uniform = not ((Q.any() and K.any()) or key + "kind" in m)
        if str(m[key + "weighting"]) != "softmax" and not (uniform and str(m[key + "weighting"]) == "average"):
            _refuse(f"the weighting of {name}", f"{m[key + 'weighting']} (hard attention)")
        factor: Any = m.get(key + "factor", np.ones(1))
        if factor.ndim > 1 or (factor != factor[0]).any():
            _refuse(f"the temperature of {name}", "one that depends on the position")
        # A head with biases has them under the names of its fields; the steps of its kind and a slope of 0 say no more.
        own = key + "kind" in m
        m.read |= {key + name for name in ("kind", "steps", "slope") if own}
        names = [f"{part.lower()}_bias" if own else f"b{part}" for part in "QKV"]
        stored = zip(names, (Q, K, V), strict=True)
        biases: list[Any] = [m.get(key + name, np.zeros(len(matrix), dtype=Q.dtype)) for name, matrix in stored]
        # Q and its bias are multiplied by the factor of the scores, and by the scale that TransformerLens divides by.
        Q, biases[0] = (
            cast(matrix.astype(np.float64) * (float(factor[0]) * SCALE), str(m["dtype"])) for matrix in (Q, biases[0])
        )
        rows = np.flatnonzero(V.any(axis=1) | (biases[2] != 0))
        return (Q, K, V[rows]), (biases[0], biases[1], biases[2][rows]), rows

    def norms(self) -> float | None:
        """The epsilon of all norms; None where there are none. TransformerLens has a norm of the residual stream before
        each sublayer and one at the end, or no norms."""
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
        for key in keys:  # with an epsilon above zero the variance is never zero
            m.word(key + "zero_variance", {"refuse": None, "zero": None})
        if len(epsilons) > 1 or 0.0 in epsilons:
            _refuse("the norms", f"epsilon {', '.join(map(str, sorted(epsilons)))}")
        return epsilons.pop()

    def config(self) -> dict[str, Any]:
        """The keyword arguments of `TransformerBridgeConfig`."""
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
        """The matrix of the unembedding: the weights of the scores, or rows that select the coordinates shown."""
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
        # Embedding and positions.
        arrays = {"embed.weight": m["embedding"], "pos_embed.weight": zeros(self.config()["n_ctx"], self.d)}
        if "positions" in m:
            arrays["pos_embed.weight"] = m["positions"][: self.config()["n_ctx"]]
        heads, wide = iter(self.heads), self.count * self.size
        # Each layer: its norms, its heads side by side in rows of size `size`, and its feed-forward sublayer.
        for number, (attention, network) in enumerate(self.layers):
            key = f"blocks.{number}."
            arrays |= dict(self.norm(f"{key}ln1", attention))
            names, biases_of = ("q", "k", "v"), {name: zeros(wide) for name in "qkv"} | {"o": zeros(self.d)}
            parts = {name: zeros(wide, self.d) for name in names} | {"o": zeros(self.d, wide)}
            for h in range(len(self.head_keys(attention))):
                weights, biases, rows = next(heads)
                low = h * self.size
                for name, matrix, bias in zip(names, weights, biases, strict=True):
                    parts[name][low : low + len(matrix)], biases_of[name][low : low + len(bias)] = matrix, bias
                # V has only the rows that `head` kept, and O writes them to their coordinates.
                parts["o"][rows, range(low, low + len(rows))] = 1
            for name, matrix in parts.items():
                arrays |= {f"{key}attn.{name}.weight": matrix, f"{key}attn.{name}.bias": biases_of[name]}
            arrays |= dict(self.norm(f"{key}ln2", network))
            W1, b1, W2, b2 = zeros(self.hidden, self.d), zeros(self.hidden), zeros(self.d, self.hidden), zeros(self.d)
            if network is not None:
                W1_stored, W2_stored = m[f"step{network}.W1"], m[f"step{network}.W2"]
                W1[: len(W1_stored)], W2[:, : len(W1_stored)] = W1_stored, W2_stored
                b1[: len(W1_stored)], b2 = m[f"step{network}.b1"], m[f"step{network}.b2"]
            arrays |= {f"{key}mlp.in.weight": W1, f"{key}mlp.in.bias": b1, f"{key}mlp.out.weight": W2}
            arrays[f"{key}mlp.out.bias"] = b2
        # The final norm, and the unembedding.
        if self.epsilon is not None:
            last = f"step{int(m['steps'])}.after."
            arrays |= {"ln_final.weight": m[last + "gain"], "ln_final.bias": m[last + "bias"]}
        rows = self.unembedding()
        m.all_read()
        return arrays | {"unembed.weight": rows, "unembed.bias": m.get("readout.bias", zeros(len(rows)))}

    def norm(self, key: str, step: int | None) -> Iterator[tuple[str, Any]]:
        """The gain and bias of the norm before a sublayer; 1 and 0 where the layer has no such sublayer. Nothing for a
        model without norms."""
        np, kind = self.np, self.m["embedding"].dtype
        if self.epsilon is not None:
            norm_key = f"step{step}.before1."
            yield f"{key}.weight", np.ones(self.d, dtype=kind) if step is None else self.m[norm_key + "gain"]
            yield f"{key}.bias", np.zeros(self.d, dtype=kind) if step is None else self.m[norm_key + "bias"]


class ChosenNorms:
    """An archive whose norms choose coordinates, as `from_state_dict` makes them. It is rewritten so that the residual
    stream has the chosen coordinates only.

    Each step reads the norm of the same coordinates, and constants, which become biases. The last step copies a norm to
    other coordinates, and becomes the final norm: the readout reads these copies, and constants.
    """

    def __init__(self, m: ArraysRead) -> None:
        import numpy as np

        self.m, self.np, self.last = m, np, f"step{int(m['steps'])}."
        first = "step1.before1.P"
        self.stream = self.places("step1.before1") if first in m else _refuse("the norm step1.before1", "none at all")
        self.size = len(self.stream)

    def places(self, norm: str) -> list[int]:
        """The coordinates that the projection of a norm chooses; BadInput for a norm that does more or has none."""
        P = self.m.get(f"{norm}.P")
        if P is None or ((P != 0).sum(axis=1) != 1).any() or (P.max(axis=1) != 1).any():
            _refuse(f"the norm {norm}", "a projection that does more than choose coordinates")
        return P.argmax(axis=1).tolist()

    def constants(self, step: str) -> Any:
        """The constants that a step reads in the columns after the chosen coordinates: the biases of its norms after
        the first, whose gains must be 0."""
        entries, k = [], 2
        if self.places(f"{step}before1") != self.stream:
            _refuse(f"the norm {step}before1", "coordinates that the first norm does not read")
        while f"{step}before{k}.gain" in self.m:
            if self.m[f"{step}before{k}.gain"].any():
                _refuse(f"the norm {step}before{k}", "a second norm before one part")
            entries += self.m[f"{step}before{k}.bias"].tolist()
            self.m.read |= {
                f"{step}before{k}.{name}" for name in ("P", "epsilon")
            }  # a gain of 0 leaves nothing of them
            self.m.word(f"{step}before{k}.zero_variance", {"zero": None, "refuse": None})
            k += 1
        return self.np.array(entries)

    def kept(self, key: str) -> Any:
        """The rows of a matrix that write chosen coordinates; BadInput if another row is not zero."""
        table, unread = self.m[key], sorted(set(range(len(self.m["coordinates"]))) - set(self.stream))
        if table[unread].any():
            _refuse(key, "a write to a coordinate that no norm reads")
        return table[self.stream]

    def split(self, table: np.ndarray, constants: np.ndarray) -> tuple[Any, Any]:
        """The columns of a matrix for the chosen coordinates, and the bias that its other columns give for the
        constants."""
        bias = table[:, self.size :].astype(self.np.float64) @ constants
        return table[:, : self.size], cast(bias, str(self.m["dtype"]))

    def archive(self) -> Archive:
        """The archive with the chosen coordinates as its residual stream."""
        m, np, dtype = self.m, self.np, str(self.m["dtype"])
        arrays = {key: value for key, value in m.items() if not key.startswith("step")}
        arrays |= {"steps": m["steps"], "coordinates": m["coordinates"][self.stream]}
        for key in ("embedding", "positions"):
            if key in m:
                arrays[key] = m[key][..., self.stream]
        # All steps but the last: constants that a step reads become biases.
        for step in (f"step{s}." for s in range(1, int(m["steps"]))):
            constants = self.constants(step)
            for name in ("gain", "bias", "epsilon", "zero_variance"):
                arrays[f"{step}before1.{name}"] = m[f"{step}before1.{name}"]
            for key in (key for key in m if key.startswith(f"{step}head")):
                if key[-2:] in (".Q", ".K", ".V"):
                    table = self.kept(key) if key.endswith("V") else m[key]
                    arrays[key], bias = self.split(table, constants)
                    own = f"{key[:-1]}{key[-1].lower()}_bias"
                    if own in m:  # a head with biases adds its own
                        given = self.kept(own) if key.endswith("V") else m[own]
                        arrays[own] = cast(given.astype(np.float64) + bias, dtype)
                    else:
                        arrays[f"{key[:-1]}b{key[-1]}"] = bias
                elif not key.endswith("_bias"):
                    arrays[key] = m[key]
            if f"{step}W1" in m:
                W1, bias = self.split(m[f"{step}W1"], constants)
                b1 = cast(m[f"{step}b1"].astype(np.float64) + bias, dtype)
                arrays |= {f"{step}W1": W1, f"{step}b1": b1, f"{step}activation": m[f"{step}activation"]}
                arrays |= {f"{step}W2": self.kept(f"{step}W2"), f"{step}b2": self.kept(f"{step}b2")}
        arrays |= self.final()
        m.all_read()
        return arrays

    def final(self) -> Archive:
        """The last step as the final norm, and the readout after it."""
        m, np, key = self.m, self.np, self.last
        copied_columns = self.copied()
        others = sorted(set(range(len(m["coordinates"]))) - set(copied_columns))
        arrays = {
            f"{key}after.{name}": m[f"{key}before1.{name}"] for name in ("gain", "bias", "epsilon", "zero_variance")
        }
        # A readout that shows coordinates must read those that the final norm gives.
        if "readout.weights" not in m:
            names = m["coordinates"].tolist()
            if not {names.index(name) for name in m["readout.reads"].tolist()} <= set(copied_columns):
                _refuse("the readout", "coordinates that the final norm does not give")
            arrays["readout.reads"] = m["coordinates"][
                [self.stream[copied_columns.index(names.index(name))] for name in m["readout.reads"].tolist()]
            ]
            return arrays
        # A readout with scores may also read constants, which become its bias.
        weights = np.atleast_2d(m["readout.weights"])
        used = [k for k in others if weights[:, k].any()]
        table = m["positions"][:, used] if "positions" in m else np.zeros((1, len(used)))
        # The other coordinates that the readout uses must be constant: no step and no token writes them, and they are
        # the same at every position.
        written = any(m[name][used].any() for name in m if name.endswith((".V", ".W2", ".b2")))
        if written or m["embedding"][:, used].any() or (table != table[0]).any():
            _refuse("the readout", "coordinates that the final norm does not give")
        bias = weights[:, used].astype(np.float64) @ table[0].astype(np.float64)
        arrays |= {"readout.weights": weights[:, copied_columns], "readout.bias": cast(bias, str(m["dtype"]))}
        return arrays

    def copied(self) -> list[int]:
        """The coordinates to which the last step copies its norm, as relu(x) - relu(-x)."""
        m, np, key, size = self.m, self.np, self.last, self.size
        identity = np.eye(size)
        copies = f"{key}W1" in m and str(m[f"{key}activation"]) == "relu" and not m[f"{key}b1"].any()
        if not copies or not m[f"{key}W2"].any() or m[f"{key}b2"].any() or self.constants(key).size > 1:
            _refuse("the final norm", "none at all")
        rows = np.flatnonzero(m[f"{key}W2"].any(axis=1)).tolist()
        # W1 = (I; -I) and W2 = (I, -I) compute relu(x) - relu(-x) = x. It is added to the target coordinates, which
        # must be zero before.
        W1, W2 = m[f"{key}W1"], m[f"{key}W2"][rows]
        both_signs = np.hstack([np.vstack([identity, -identity]), np.zeros((2 * size, W1.shape[1] - size))])
        fresh = not m["embedding"][:, rows].any() and ("positions" not in m or not m["positions"][..., rows].any())
        if not fresh or not np.array_equal(W1, both_signs) or not np.array_equal(W2, np.hstack([identity, -identity])):
            _refuse("the final norm", "a last feed-forward layer that does more than copy a norm")
        return rows


def code(m: Archive, stem: str, sha256: str) -> str:
    """The text of the module for an archive whose state dict is in ``stem.pth``."""
    from textwrap import indent

    from symcook.export.torch_code import constants, example, plain, words_code

    answer_code = chosen(ENGINE, "kind of the readout", str(m["readout.kind"]), READOUTS)
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
        tokens=words_code(),
        readout=indent(answer_code, "    ", lambda line: not line.startswith("    ")),
    )
