"""Settings name an architecture: its weights are all there, and no others, or the model is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import published_models
import pytest
from published_models import stored

import symcook as sc
from symcook.published.complete import COMPLETE, FORMAT_NAMES
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
    "unembed.b_U": [0, 0, 0], "blocks.0.attn.b_O": [0, 0], "blocks.0.mlp.b_in": [0, 0, 0], "blocks.0.mlp.b_out": [0, 0],
    **{f"blocks.0.attn.b_{name}": [[0, 0]] for name in "QKV"},
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


@pytest.mark.parametrize("kind", [kind for kind in published_models.KINDS if kind not in ("torch", "qwen")])
def test_weights_alone_have_every_weight_of_their_format(kind: str) -> None:
    """A missing norm was no norm, a missing bias 0, and a model without its output the residual stream."""
    word, shape, words = published_models.KINDS[kind]
    given = stored(word, shape, published_models.weights(shape, 3))
    sc.from_state_dict(given, vocabulary=[*"abc"], **words)
    for name in given:
        left = {key: array for key, array in given.items() if key != name}
        if name.endswith("attn.bias") or (word in ("gpt2", "bloom") and name == "lm_head.weight"):
            continue  # the causal mask; an output that is then the embedding
        with pytest.raises(sc.BadInput):
            sc.from_state_dict(left, vocabulary=[*"abc"], **words)
        with pytest.raises(sc.BadInput):
            read_weights(left, None, ImportChoices(vocabulary=[*"abc"], **words))


@pytest.mark.parametrize(
    ("kind", "more"),
    [
        ("gpt2", {}), ("gpt2 with a head", {"lm_head.bias": 3}), ("llama", {"model.layers.{}.mlp.up_proj.bias": 5}),
        ("hooked", {"blocks.{}.mlp.W_gate": (6, 5)}), ("bridge", {"blocks.{}.mlp.gate.bias": 5}),
    ],
)  # fmt: skip
def test_weights_alone_are_those_of_one_model(kind: str, more: dict[str, Any]) -> None:
    word, shape, words = published_models.KINDS[kind]
    given = stored(word, shape, published_models.weights(shape, 3))
    given |= {key.format(layer): np.ones(size) for key, size in more.items() for layer in range(2)}
    right = kind.startswith(("gpt2", "hooked"))  # of a HookedTransformer, gated units have biases
    if right:
        assert sc.from_state_dict(given, vocabulary=[*"abc"], **words).readout.kind == "largest"
    else:
        with pytest.raises(sc.BadInput, match=r"none for|which no model has together with the others"):
            sc.from_state_dict(given, vocabulary=[*"abc"], **words)


def test_what_weights_alone_tie() -> None:
    """An output of its own was said to be tied."""
    for kind in ("gpt2", "gpt2 with a head"):
        word, shape, words = published_models.KINDS[kind]
        given = stored(word, shape, published_models.weights(shape, 3))
        found = read_weights(given, None, ImportChoices(vocabulary=[*"abc"], **words))
        assert found.facts["tied"] == found.line.endswith("tied") == shape.tied


def test_positions_that_no_weight_shows_are_said() -> None:
    """A HookedTransformer without a table of positions was one without positions; it may have rotary ones."""
    word, shape, words = published_models.KINDS["bridge"]
    given = stored(word, shape, published_models.weights(shape, 3))
    del given["pos_embed.weight"]
    with pytest.raises(sc.BadInput, match=r"without pos_embed\.weight must come with rotary"):
        sc.from_state_dict(given, vocabulary=[*"abc"], **words)
    assert sc.from_state_dict(given, vocabulary=[*"abc"], rotary="none", **words).max_length is None


def test_a_model_without_an_output_says_so() -> None:
    """A Llama whose output is missing answered with the residual stream."""
    word, shape, words = published_models.KINDS["llama"]
    given = stored(word, shape, published_models.weights(shape, 3))
    stream = {key: array for key, array in given.items() if "lm_head" not in key}
    with pytest.raises(sc.BadInput, match=r"must have an output; given: none for lm_head\.weight"):
        sc.from_state_dict(stream, vocabulary=[*"abc"], **words)
    model = sc.from_state_dict(stream, vocabulary=[*"abc"], readout="stream", **words)
    assert model.readout.kind == "value"
    with pytest.raises(sc.BadInput, match="must have no output layer"):
        sc.from_state_dict(given, vocabulary=[*"abc"], readout="stream", **words)


def test_an_output_that_is_not_tied_must_be_there() -> None:
    """By config.json, which says whether the output is that of the embedding, and whether there is one."""
    settings, choices = STORED["llama"]["settings"], ImportChoices(vocabulary=[*"abc"])
    settings = {key: value for key, value in settings.items() if key not in ("architectures", "tie_word_embeddings")}
    left = {key: array for key, array in STORED["llama"]["weights"].items() if key != "lm_head.weight"}
    for words in ({}, {"tie_word_embeddings": False}, {"architectures": ["LlamaForCausalLM"]}):
        with pytest.raises(sc.BadInput, match="must have an output, since the settings do not tie it"):
            read_weights(left, {**settings, **words}, choices)
    assert read_weights(left, {**settings, "tie_word_embeddings": True}, choices).model.readout.kind == "largest"
    headless = {**settings, "architectures": ["LlamaModel"]}
    assert read_weights(left, headless, choices).model.readout.kind == "value"
    with pytest.raises(sc.BadInput, match="must have no output layer"):
        read_weights(STORED["llama"]["weights"], headless, choices)
    for classes in (["LlamaForSequenceClassification"], ["LlamaModel", "LlamaForCausalLM"], "LlamaModel"):
        with pytest.raises(sc.BadInput, match="class of a model of llama must be LlamaModel or LlamaForCausalLM"):
            read_weights(left, {**settings, "architectures": classes, "tie_word_embeddings": True}, choices)


def test_the_class_of_a_module_says_whether_there_is_an_output() -> None:
    """A GPT2Model, whose config ties an output that it has not, answered with the labels of an output."""
    word, shape, _ = published_models.KINDS["gpt2"]
    given = stored(word, shape, published_models.weights(shape, 3))

    class GPT2Model:
        config: dict[str, Any] = {  # noqa: RUF012
            "model_type": "gpt2", "n_head": 2, "n_layer": 2, "architectures": ["GPT2LMHeadModel"],
        }  # fmt: skip

        def state_dict(self) -> Any:
            return {key.removeprefix("transformer."): array for key, array in given.items()}

    class Mine(GPT2Model):
        pass

    for module in (GPT2Model(), Mine()):
        assert sc.from_module(module, vocabulary=[*"abc"]).readout.kind == "value"


def test_every_format_has_its_weights() -> None:
    assert set(FORMAT_NAMES) == {word for word, one in FORMATS.items() if not one.settings}


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
