"""Record small models of transformers and what they compute: python tests/published/record_heads.py

The file has, for each kind of head, the settings, the weights (multiples of 1/64) and the logits of two strings, in
float64 (`rounding.py`), with the versions that made them. Needs torch and transformers.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("heads.json")
WORDS = ("b", "cabbac")
SIZES = {"hidden_size": 4, "intermediate_size": 4, "num_hidden_layers": 1, "num_attention_heads": 2, "vocab_size": 3}
ROPE = {"rope_type": "default", "rope_theta": 100.0}
KINDS: dict[str, tuple[str, dict[str, Any], tuple[float, int]]] = {
    "llama": ("Llama", SIZES | {"num_key_value_heads": 1, "head_dim": 4, "rope_parameters": ROPE}, (100.0, 4)),
    "qwen2": ("Qwen2", SIZES | {"num_key_value_heads": 1}, (1e4, 2)),
    "qwen3": ("Qwen3", SIZES | {"num_key_value_heads": 1, "head_dim": 2, "rope_parameters": ROPE}, (100.0, 2)),
    "gpt_neox": ("GPTNeoX", SIZES | {"rope_parameters": ROPE | {"partial_rotary_factor": 1.0}}, (100.0, 2)),
    "phi3": ("Phi3", SIZES | {"num_key_value_heads": 1, "pad_token_id": 0, "rope_parameters": ROPE}, (100.0, 2)),
    "gemma": ("Gemma", SIZES | {"num_key_value_heads": 1, "head_dim": 2, "rope_parameters": ROPE}, (100.0, 2)),
    "bloom": ("Bloom", {"hidden_size": 4, "n_layer": 1, "n_head": 2, "vocab_size": 3}, (0.0, 0)),
}
"""{architecture: (class of transformers, settings, base and width of what turns)}."""


def main() -> None:
    import torch  # pyright: ignore[reportMissingImports]
    import transformers  # pyright: ignore[reportMissingImports]
    from rounding import in_float64

    found: dict[str, Any] = {}
    for kind, (name, sizes, turned) in KINDS.items():
        torch.manual_seed(7)
        module = getattr(transformers, f"{name}ForCausalLM")(getattr(transformers, f"{name}Config")(**sizes))
        with torch.no_grad():
            for weights in module.parameters():
                weights.copy_(torch.round(64 * (weights + 0.5 * torch.randn_like(weights))) / 64)
        settings = {key: value for key, value in module.config.to_dict().items() if key in sizes or key == "model_type"}
        state = {key: value.tolist() for key, value in module.state_dict().items() if "lm_head" not in key}
        if not module.config.tie_word_embeddings:
            state["lm_head.weight"] = module.lm_head.weight.tolist()
        module = module.double().eval()
        with torch.no_grad(), in_float64(module, *turned):
            logits = {
                word: module(torch.tensor([["abc".index(c) for c in word]])).logits[0, -1].tolist() for word in WORDS
            }
        found[kind] = {"settings": settings, "weights": state, "logits": logits}
    versions = {"torch": torch.__version__, "transformers": transformers.__version__}
    FILE.write_text(json.dumps({"versions": versions, "models": found}) + "\n")


if __name__ == "__main__":
    main()
