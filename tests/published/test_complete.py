"""Settings name an architecture: its weights are all there, and no others, or the model is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symcook as sc
from symcook.published.complete import COMPLETE
from symcook.published.configs import CONFIGS
from symcook.published.formats import FORMATS
from symcook.published.pretrained import ImportChoices, read_weights

STORED = json.loads((Path(__file__).parent / "heads.json").read_text())["models"]
KINDS = {kind: model["settings"]["model_type"] for kind, model in STORED.items()}
OUTPUTS = ("lm_head.weight", "embed_out.weight")


def read(kind: str, weights: dict[str, Any]) -> Any:
    return read_weights(weights, STORED[kind]["settings"], ImportChoices(vocabulary=[*"abc"]))


@pytest.mark.parametrize("kind", [kind for kind in KINDS if KINDS[kind] in COMPLETE])
def test_a_file_without_one_of_its_weights_is_refused(kind: str) -> None:
    """Without the weights of norms, positions, gates or biases another model was read: one that has no such part."""
    weights = STORED[kind]["weights"]
    for key in weights:
        if not key.endswith(OUTPUTS):
            with pytest.raises(sc.BadInput):
                read(kind, {name: array for name, array in weights.items() if name != key})


@pytest.mark.parametrize(
    ("kind", "key"),
    [
        ("qwen3", "model.layers.0.mlp.up_proj.bias"),
        ("llama", "model.layers.0.self_attn.q_norm.weight"),
        ("llama", "model.layers.0.self_attn.q_proj.bias"),
        ("phi3", "model.layers.0.self_attn.qkv_proj.bias"),
    ],
)
def test_a_weight_that_an_architecture_does_not_have_is_refused(kind: str, key: str) -> None:
    """Its library leaves such a weight out; here it had an effect."""
    weights = STORED[kind]["weights"]
    size = len(weights[key.replace("bias", "weight")]) if key.endswith("bias") else 4
    with pytest.raises(sc.BadInput, match="must be only those that its settings speak of"):
        read(kind, {**weights, key: [1] * size})


LENS = {
    "embed.W_E": [[1, 0], [0, 1], [1, 1]], "pos_embed.W_pos": [[0, 1]] * 4, "unembed.W_U": [[1, 0, 2], [0, 1, 1]],
    **{f"blocks.0.attn.W_{name}": [[[1, 0], [0, 1]]] for name in "QKVO"},
    **{f"blocks.0.ln{k}.{name}": [1, 2] for k in "12" for name in "wb"}, "ln_final.w": [1, 2], "ln_final.b": [0, 1],
    "blocks.0.mlp.W_in": [[1, 0, 1], [0, 1, 1]], "blocks.0.mlp.W_out": [[1, 0], [0, 1], [1, 1]],
}  # fmt: skip
SETTINGS = {
    "d_model": 2, "n_ctx": 4, "n_layers": 1, "n_heads": 1, "d_head": 2, "d_mlp": 3, "d_vocab": 3, "act_fn": "relu",
    "normalization_type": "LN", "positional_embedding_type": "standard", "attn_only": False, "gated_mlp": False,
}  # fmt: skip


def read_lens(leave: str = "", **settings: Any) -> Any:
    """A model of TransformerLens without the weights in whose names `leave` stands."""
    weights = {key: array for key, array in LENS.items() if not leave or leave not in key}
    return read_weights(weights, SETTINGS | settings, ImportChoices(vocabulary=[*"abc"]))


@pytest.mark.parametrize(
    ("leave", "settings"),
    [
        ("", {}),
        ("ln", {"normalization_type": None}),
        ("ln", {"normalization_type": "LNPre"}),
        ("pos", {"positional_embedding_type": "rotary", "rotary_dim": 2}),
    ],
)
def test_settings_of_transformerlens_and_their_weights(leave: str, settings: dict[str, Any]) -> None:
    """A model with norms whose weights are missing had gains of 1."""
    read_lens(leave, **settings)
    for others in [{}] if settings else [{"normalization_type": "LNPre"}, {"attn_only": True}, {"gated_mlp": True}]:
        with pytest.raises(sc.BadInput, match="weights of transformerlens must"):
            read_lens(leave, **others)
    for name in ("pos_embed.W_pos", "ln_final.w", "ln_final.b", "ln1.w", "ln2.b") if not settings else ():
        with pytest.raises(sc.BadInput):
            read_lens(name)


def test_every_architecture_of_settings_has_its_weights() -> None:
    assert set(COMPLETE) == set(CONFIGS) - {"transformerlens"}
    assert {one.format for name, one in CONFIGS.items() if name in COMPLETE} <= set(FORMATS)


def test_an_index_of_files_whose_weight_is_in_none_of_them(tmp_path: Path) -> None:
    np.savez(tmp_path / "one.npz", **{"embedding.weight": np.eye(2)})
    table = {"embedding.weight": "one.npz", "output.weight": "one.npz"}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps({"weight_map": table}))
    with pytest.raises(sc.BadInput, match=r"every weight that their index names; given: none for output\.weight"):
        sc.from_pretrained(tmp_path)


def test_a_weight_of_a_nested_table_that_is_given_twice_is_refused(tmp_path: Path) -> None:
    """The later one was taken."""
    file = tmp_path / "model.json"
    table = {"embedding": {"weight": [[1, 0], [0, 1]]}, "embedding.weight": [[2, 0], [0, 2]]}
    for pairs in (list(table.items()), list(table.items())[::-1]):
        file.write_text(json.dumps(dict(pairs)))
        with pytest.raises(sc.BadInput, match=r"must be given only once; given: embedding\.weight twice"):
            sc.from_pretrained(file, vocabulary=["a", "b"])
