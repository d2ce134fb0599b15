"""Models of torch, transformers and TransformerLens, made here with random weights, against what they compute."""

from __future__ import annotations

import warnings
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symcook as sc

SYMBOLS = "abcde"


def shaken(module: Any, seed: int = 1) -> Any:
    """A module whose weights are random, in float64: biases begin at 0 and gains at 1, and none does after training."""
    import torch

    torch.manual_seed(seed)
    with torch.no_grad():
        for weights in module.parameters():
            weights += 0.4 * torch.randn_like(weights)
    return module.double().eval()


def agrees(model: sc.Transformer, logits: Any, word: str, near: float = 1e-10) -> None:
    """The balls of the last position hold the logits, which are rounded a few hundred times."""
    run = model.run(word, "ball", digits=20)
    for label, value in zip(model.readout.labels, logits[-1].tolist(), strict=True):
        ball = run.output[label]
        assert abs(float(Fraction(ball["mid"])) - value) < near * (1 + abs(value))
        assert float(Fraction(ball["rad"])) < 1e-15
    assert run.outputs == [model.readout.labels[k] for k in logits.argmax(axis=1)]


@pytest.mark.tools("torch", "transformers")
@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(3))
def test_gpt2_of_hugging_face(seed: int, tmp_path: Path) -> None:
    """As a module, and as the folder that it saves, in safetensors."""
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel

    config = GPT2Config(n_embd=8, n_layer=1 + seed, n_head=(2, 1, 4)[seed], vocab_size=5, n_positions=7)
    config.activation_function = ("gelu_new", "relu", "gelu")[seed]
    source = shaken(GPT2LMHeadModel(config))
    source.save_pretrained(tmp_path)
    for model in (sc.from_module(source, vocabulary=SYMBOLS), sc.from_pretrained(tmp_path, vocabulary=SYMBOLS)):
        for word in ("c", "deabb"):
            with torch.no_grad():
                logits = source(torch.tensor([[SYMBOLS.index(c) for c in word]])).logits[0].numpy()
            agrees(model, logits, word)


SIZES = {
    "hidden_size": 8, "intermediate_size": 12, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "vocab_size": 5, "max_position_embeddings": 16,
}  # fmt: skip
ROPE = {"rope_type": "default", "rope_theta": 100.0}
SLOWER = {"rope_type": "linear", "rope_theta": 100.0, "factor": 3.0}
TURNED: dict[str, tuple[str, dict[str, Any], tuple[float, int, float], str]] = {
    "llama": ("Llama", SIZES, (1e4, 2, 1.0), "rotary positions with base 10000;"),
    "slower": (
        "Llama",
        SIZES | {"head_dim": 6, "attention_bias": True, "rope_parameters": SLOWER},
        (100.0, 6, 3.0),
        "rotary positions with base 100 slowed down 3 times;",
    ),
    "mistral": ("Mistral", SIZES | {"sliding_window": None}, (1e4, 2, 1.0), "rotary positions with base 10000;"),
    "qwen2": ("Qwen2", SIZES | {"tie_word_embeddings": True}, (1e4, 2, 1.0), "rotary positions with base 10000, tied;"),
    "qwen3": (
        "Qwen3",
        SIZES | {"head_dim": 4, "rope_parameters": ROPE},
        (100.0, 4, 1.0),
        "rotary positions with base 100, queries and keys normed;",
    ),
    "neox": (
        "GPTNeoX",
        SIZES | {"num_attention_heads": 2, "rope_parameters": ROPE | {"partial_rotary_factor": 0.5}},
        (100.0, 2, 1.0),
        "parallel parts, rotary positions with base 100 in 1/2 of the dimensions of a head;",
    ),
    "neox in turn": (
        "GPTNeoX",
        SIZES | {"num_attention_heads": 1, "use_parallel_residual": False},
        (1e4, 2, 1.0),
        "gelu, rotary positions with base 10000 in 1/4 of the dimensions of a head;",
    ),
    "bloom": ("Bloom", {"hidden_size": 12, "n_layer": 2, "n_head": 3, "vocab_size": 5}, (0.0, 0, 1.0), "ALiBi, tied;"),
}
"""{kind: (class in transformers, its settings, base and width and slowness of what turns, what is said of it)}."""


@pytest.mark.tools("torch", "transformers")
@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("kind", TURNED)
def test_models_of_hugging_face_with_heads_of_their_own(kind: str, seed: int, tmp_path: Path) -> None:
    """As transformers computes them, with float32 inside of norms and angles; and with float64 there, closely.

    The gelu of Bloom has sqrt(2/pi) to 8 digits."""
    import torch  # pyright: ignore[reportMissingImports]
    import transformers  # pyright: ignore[reportMissingImports]
    from rounding import in_float64

    name, sizes, turned, says = TURNED[kind]
    sizes = {k: v for k, v in sizes.items() if name != "GPTNeoX" or k != "num_key_value_heads"}
    source = shaken(getattr(transformers, f"{name}ForCausalLM")(getattr(transformers, f"{name}Config")(**sizes)), seed)
    source.save_pretrained(tmp_path)
    read = [sc.from_module(source, vocabulary=SYMBOLS), sc.from_pretrained(tmp_path, vocabulary=SYMBOLS)]
    assert all(says in model.source for model in read) and read[0].layers == read[1].layers
    near = 1e-7 if kind == "bloom" else 1e-10
    for word in ("c", "deabb"):
        numbers = torch.tensor([[SYMBOLS.index(c) for c in word]])
        with torch.no_grad():
            agrees(read[seed], source(numbers).logits[0].double().numpy(), word, 1e-4)
    with torch.no_grad(), in_float64(source, *turned):
        for word in ("c", "deabb"):
            numbers = torch.tensor([[SYMBOLS.index(c) for c in word]])
            agrees(read[seed], source(numbers).logits[0].numpy(), word, near)


@pytest.mark.tools("torch", "transformers")
@pytest.mark.sweep
def test_whether_a_label_of_bloom_leads() -> None:
    """The norm of the embedding is copied, since the comparison of five outputs adds coordinates."""
    import torch  # pyright: ignore[reportMissingImports]
    from transformers import BloomConfig, BloomForCausalLM  # pyright: ignore[reportMissingImports]

    source = shaken(BloomForCausalLM(BloomConfig(hidden_size=6, n_layer=1, n_head=2, vocab_size=5)))
    for word in ("c", "deabb"):
        with torch.no_grad():
            best = int(source(torch.tensor([[SYMBOLS.index(c) for c in word]])).logits[0, -1].argmax())
        for label in (SYMBOLS[best], SYMBOLS[best - 1]):
            leads = sc.from_module(source, vocabulary=SYMBOLS, readout="leads", label=label, position="last")
            assert leads.run(word, "ball").accept == (label == SYMBOLS[best])


@pytest.mark.tools("torch")
@pytest.mark.parametrize(("first", "activation"), [(True, "gelu"), (False, "relu")])
def test_an_encoder_with_names_of_its_own(first: bool, activation: str) -> None:
    import torch

    class Tagger(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.letters = torch.nn.Embedding(5, 6)
            layer = torch.nn.TransformerEncoderLayer(6, 2, 7, 0.0, activation, 1e-3, batch_first=True, norm_first=first)
            self.body = torch.nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
            self.tags = torch.nn.Linear(6, 3)

        def forward(self, word: Any) -> Any:
            return self.tags(self.body(self.letters(word)))

    source = shaken(Tagger())
    with pytest.raises(sc.BadInput, match="mask must be given"):
        sc.from_module(source, vocabulary=SYMBOLS)
    model = sc.from_module(source, vocabulary=SYMBOLS, labels=["x", "y", "z"], mask="none")
    assert model.name == "tagger"
    for word in ("b", "dcca"):
        with torch.no_grad():
            agrees(model, source(torch.tensor([[SYMBOLS.index(c) for c in word]]))[0].numpy(), word)


@pytest.mark.tools("torch")
def test_what_a_module_computes_without_weights_is_refused() -> None:
    """A norm without weights, an activation, positions that no file has, a table that renormalises, a key of zeros."""
    import torch

    def tagger(what: str) -> Any:
        module, layer = torch.nn.Module(), torch.nn.TransformerEncoderLayer(6, 2, 7, 0.0, batch_first=True)
        norm = torch.nn.LayerNorm(6, elementwise_affine=False) if what == "norm" else None
        module.letters = torch.nn.Embedding(5, 6, max_norm=1.0 if what == "max_norm" else None)
        module.body = torch.nn.TransformerEncoder(layer, 2, norm, enable_nested_tensor=False)
        module.tags, module.drop, module.loss = torch.nn.Linear(6, 5), torch.nn.Dropout(), torch.nn.CrossEntropyLoss()
        if what == "positions":
            module.angles = torch.nn.Module()
            module.angles.register_buffer("table", torch.zeros(9, 6), persistent=False)
        if what == "squash":
            module.squash = torch.nn.Tanh()
        if what == "zeros":
            module.body.layers[1].self_attn.add_zero_attn = True
        if what == "activation":
            module.body.layers[1].activation = torch.nn.functional.gelu
        return shaken(module)

    assert sc.from_module(tagger("plain"), vocabulary=SYMBOLS, mask="none").layers
    cases = {
        "norm": "must have weights.*given: body.norm, a LayerNorm", "positions": "given: angles, a Module",
        "squash": "given: squash, a Tanh", "max_norm": "max_norm", "zeros": "add_zero_attn",
        "activation": "same activation; given: gelu, relu",
    }  # fmt: skip
    for what, says in cases.items():
        chosen = "gelu" if what == "activation" else None
        with pytest.raises(sc.BadInput, match=says):
            sc.from_module(tagger(what), vocabulary=SYMBOLS, mask="none", activation=chosen)
    with pytest.raises(sc.BadInput, match="activation must agree with the module, relu; given: gelu"):
        sc.from_module(tagger("plain"), vocabulary=SYMBOLS, mask="none", activation="gelu")


@pytest.mark.tools("torch")
def test_nanogpt_says_its_activation_by_a_module() -> None:
    """A module with nanoGPT's names, and only what is read of it."""
    import torch
    from published_models import KINDS, forward, stored, weights

    word, shape, _ = KINDS["nanogpt"]
    given = weights(shape, 4)

    class GPT(torch.nn.Module):
        def __init__(self, approximate: str) -> None:
            super().__init__()
            self.gelu = torch.nn.GELU(approximate)
            self.config = type("GPTConfig", (), {})()
            self.config.__dict__ |= {"n_layer": 2, "n_head": 2, "n_embd": 6, "block_size": 6, "vocab_size": 3,
                                     "dropout": 0.0, "bias": False}  # fmt: skip

        def state_dict(self, *args: Any, **more: Any) -> Any:
            return {key: torch.tensor(value) for key, value in stored(word, shape, given).items()}

    exact, tanh = (sc.from_module(GPT(kind), vocabulary="abc") for kind in ("none", "tanh"))
    assert [model.layers[0].feedforward.activation for model in (exact, tanh)] == ["gelu", "gelu-tanh"]
    agrees(exact, forward(shape, given, "cab"), "cab")


@pytest.mark.tools("torch", "transformer_lens")
@pytest.mark.sweep
@pytest.mark.parametrize(
    "more",
    [
        {"act_fn": "gelu_new", "normalization_type": "LN"},
        {"act_fn": "relu", "normalization_type": "LNPre", "d_head": 3},
        {"act_fn": "silu", "normalization_type": "RMS", "gated_mlp": True, "n_key_value_heads": 1},
        {"act_fn": "gelu", "normalization_type": None, "attention_dir": "bidirectional"},
        {"act_fn": "relu", "normalization_type": "RMSPre", "attn_scale": 2.5},
        {"act_fn": "relu", "normalization_type": "LN", "attn_only": True},
        {"act_fn": "relu", "normalization_type": "LN", "positional_embedding_type": "rotary", "rotary_base": 100},
    ],
)
def test_a_bridge_of_transformer_lens(more: dict[str, Any]) -> None:
    import torch

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from transformer_lens.config import TransformerBridgeConfig
        from transformer_lens.model_bridge import TransformerBridge

        sizes = {"d_model": 8, "n_layers": 2, "n_heads": 2, "d_head": 4, "d_mlp": 12, "n_ctx": 7, "d_vocab": 5,
                 "d_vocab_out": 5, "eps": 1e-5, "seed": 0, "architecture": "TransformerLensNative"}  # fmt: skip
        source = shaken(TransformerBridge.boot_native(TransformerBridgeConfig(**sizes | more), dtype=torch.float64))
        model = sc.from_hooked(source, vocabulary=SYMBOLS)
        for word in ("c", "deabb"):
            with torch.no_grad():
                logits = source(torch.tensor([[SYMBOLS.index(c) for c in word]]))[0].numpy()
            agrees(model, np.asarray(logits), word, 1e-6)  # its norms divide in float32
