"""A random model of the shape of a trained GPT, with learned positions, as a state dict of floats."""

from __future__ import annotations

from typing import Any

import numpy as np

import symcook as sc

LETTERS = "abc"


def state(seed: int = 0, width: int = 8, layers: int = 2, positions: int = 12) -> dict[str, Any]:
    """The weights by the names of torch.nn.TransformerEncoder, in float32."""
    rng = np.random.default_rng(seed)

    def drawn(*shape: int, scale: float = 1.0) -> Any:
        return (rng.standard_normal(shape) * scale).astype(np.float32)

    near, weights = width**-0.5, {}
    weights |= {"embedding.weight": drawn(len(LETTERS), width, scale=0.5)}
    weights |= {"positions.weight": drawn(positions, width, scale=0.3)}
    for layer in range(layers):
        at = f"layers.{layer}."
        weights |= {
            at + "self_attn.in_proj_weight": drawn(3 * width, width, scale=near),
            at + "self_attn.in_proj_bias": drawn(3 * width, scale=0.02),
            at + "self_attn.out_proj.weight": drawn(width, width, scale=near),
            at + "self_attn.out_proj.bias": drawn(width, scale=0.02),
            at + "linear1.weight": drawn(4 * width, width, scale=near),
            at + "linear1.bias": drawn(4 * width, scale=0.02),
            at + "linear2.weight": drawn(width, 4 * width, scale=near / 2),
            at + "linear2.bias": drawn(width, scale=0.02),
        }
        for norm in ("norm1", "norm2"):
            weights |= {
                f"{at}{norm}.weight": 1 + drawn(width, scale=0.02),
                f"{at}{norm}.bias": drawn(width, scale=0.02),
            }
    weights |= {"norm.weight": 1 + drawn(width, scale=0.02), "norm.bias": drawn(width, scale=0.02)}
    return weights | {"output.weight": drawn(2, width, scale=near), "output.bias": drawn(2, scale=0.02)}


def trained(seed: int = 0, **shape: int) -> sc.Transformer:
    """The model of `state`; it answers no or yes at each position."""
    return sc.from_state_dict(
        state(seed, **shape), vocabulary=LETTERS, heads=2, norm="pre", activation="gelu-tanh", labels=["no", "yes"]
    )
