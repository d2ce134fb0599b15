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


def shaken(module: Any) -> Any:
    """A module whose weights are random, in float64: biases begin at 0 and gains at 1, and none does after training."""
    import torch

    torch.manual_seed(1)
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


@pytest.mark.tools("torch", "transformers")
@pytest.mark.sweep
def test_llama_and_qwen_of_hugging_face_name_what_is_not_there(tmp_path: Path) -> None:
    from transformers import LlamaConfig, LlamaForCausalLM, Qwen3Config, Qwen3ForCausalLM

    sizes = {"hidden_size": 8, "intermediate_size": 12, "num_hidden_layers": 1, "num_attention_heads": 2}
    sizes |= {"num_key_value_heads": 1, "vocab_size": 5, "max_position_embeddings": 16}
    for module in (LlamaForCausalLM(LlamaConfig(**sizes)), Qwen3ForCausalLM(Qwen3Config(**sizes))):
        with pytest.raises(sc.BadInput, match=r"without rotary positions to be read.*given: rope_parameters"):
            sc.from_module(module)


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
