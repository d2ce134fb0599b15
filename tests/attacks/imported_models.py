"""Random small models of transformers, saved as its users save them, imported and run in rigorous intervals.

    python tests/attacks/imported_models.py [--seed S] [--from K] [--count N]

A model of each kind is drawn for each number: heads, groups, widths, layers, bases of rotary positions, epsilons, tied
or not. Each logit must lie within 10^-10 of that of transformers in float64 (10^-6 for Bloom, whose gelu has sqrt(2/pi)
to 8 digits). Needs torch and transformers. Exit 1 where one does not.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).resolve().parent.parent / folder) for folder in ("", "published")]

import symcook as sc

LETTERS = "abc"
KINDS = {"gpt2": "GPT2LMHeadModel", "llama": "LlamaForCausalLM", "mistral": "MistralForCausalLM",
         "qwen2": "Qwen2ForCausalLM", "qwen3": "Qwen3ForCausalLM", "gpt_neox": "GPTNeoXForCausalLM",
         "bloom": "BloomForCausalLM"}  # fmt: skip
"""{architecture: class of transformers}."""


def drawn(kind: str, draw: random.Random) -> tuple[dict[str, Any], tuple[float, int]]:
    """The settings of a model, and the base and width of what its rotary positions turn (0 and 0 without any)."""
    heads, size, layers = draw.choice([1, 2, 4]), draw.choice([2, 4]), draw.choice([1, 2])
    width, hidden, base = heads * size, draw.choice([4, 6]), draw.choice([100.0, 10000.0])
    epsilon, tied = draw.choice([1e-5, 1e-6, 0.01]), draw.random() < 0.5
    if kind == "gpt2":
        own = {"n_embd": width, "n_layer": layers, "n_head": heads, "n_inner": hidden, "n_positions": 8}
        chosen = {"activation_function": draw.choice(["gelu_new", "relu", "gelu"]), "layer_norm_epsilon": epsilon}
        return own | chosen | {"tie_word_embeddings": tied}, (0.0, 0)
    if kind == "bloom":
        return {"hidden_size": width, "n_layer": layers, "n_head": heads, "layer_norm_epsilon": epsilon}, (0.0, 0)
    rope: dict[str, Any] = {"rope_type": "default", "rope_theta": base}
    own = {"hidden_size": width, "intermediate_size": hidden, "num_hidden_layers": layers}
    own |= {"num_attention_heads": heads, "tie_word_embeddings": tied, "max_position_embeddings": 16}
    if kind == "gpt_neox":
        share = draw.choice([1.0, 0.5]) if size == 4 else 1.0
        rope["partial_rotary_factor"] = share
        more = {"layer_norm_eps": epsilon, "use_parallel_residual": draw.random() < 0.5}
        return own | more | {"rope_parameters": rope}, (base, int(size * share))
    own |= {"num_key_value_heads": draw.choice([g for g in (1, 2, 4) if heads % g == 0]), "rms_norm_eps": epsilon}
    wide = size if kind == "qwen2" else draw.choice([2, 4, 6])
    own |= {} if kind == "qwen2" else {"head_dim": wide}
    own |= {"sliding_window": None} if kind == "mistral" else {}
    return own | {"rope_parameters": rope}, (base, wide)


def wrong(kind: str, seed: int, number: int) -> str | None:
    """What is wrong with the imported model of a number; None where nothing is."""
    import torch  # pyright: ignore[reportMissingImports]
    import transformers  # pyright: ignore[reportMissingImports]
    from rounding import in_float64  # pyright: ignore[reportMissingImports]

    draw = random.Random(f"{kind} {seed} {number}")
    settings, turned = drawn(kind, draw)
    torch.manual_seed(1000 * seed + number)
    made = getattr(transformers, KINDS[kind])
    module = made(made.config_class(vocab_size=len(LETTERS), bos_token_id=None, eos_token_id=None, **settings))
    with torch.no_grad():
        for weights in module.parameters():
            weights.add_(0.4 * torch.randn_like(weights))
    with tempfile.TemporaryDirectory() as folder:
        module.save_pretrained(folder)
        model = sc.from_pretrained(folder, vocabulary=LETTERS)
    module, near = module.double().eval(), Fraction(1, 10 ** (6 if kind == "bloom" else 10))
    for length in (1, draw.randint(2, 6)):
        word = "".join(draw.choice(LETTERS) for _ in range(length))
        with torch.no_grad(), in_float64(module, *turned):
            row = module(torch.tensor([[LETTERS.index(c) for c in word]])).logits[0, -1].tolist()
        ours = model.run(word, "ball", digits=15).output
        for label, value in zip(LETTERS, row, strict=True):
            if abs(Fraction(ours[label]["mid"]) - Fraction(value)) > near * (1 + abs(Fraction(value))):
                return f"{settings} on {word}: {label} is {value}, and here {ours[label]['mid']}"
    return None


def main() -> int:
    given = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    given.add_argument("--seed", type=int, default=1)
    given.add_argument("--from", type=int, default=0, dest="first")
    given.add_argument("--count", type=int, default=30)
    options, found = given.parse_args(), Counter[str]()
    for number in range(options.first, options.first + options.count):
        for kind in KINDS:
            try:
                fault = wrong(kind, options.seed, number)
            except sc.BadInput as error:
                fault = f"refused: {error}"
            found[kind] += 1
            if fault is not None:
                found["wrong"] += 1
                print(f"WRONG {kind} {number}: {fault}", flush=True)
    print(f"{dict(found)}")
    return bool(found["wrong"])


if __name__ == "__main__":
    sys.exit(main())
