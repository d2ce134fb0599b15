"""State dicts with the names of TransformerLens' HookedTransformer, as those of a plain transformer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from symcook.errors import BadInput, unknown

KEYS = {
    "attn.W_Q": "heads x d x s", "attn.W_K": "heads x d x s", "attn.W_V": "heads x d x s", "attn.W_O": "heads x s x d",
    "attn.b_Q": "heads x s", "attn.b_K": "heads x s", "attn.b_V": "heads x s", "attn.b_O": "d",
    "mlp.W_in": "d x h", "mlp.b_in": "h", "mlp.W_out": "h x d", "mlp.b_out": "d",
    "ln1.w": "d", "ln1.b": "d", "ln2.w": "d", "ln2.b": "d",
}  # fmt: skip
"""The keys of a block, with s = d/heads. Masks (attn.mask, attn.IGNORE) are left out: the model has its own."""
_OUTSIDE = {
    "embed.W_E": "embedding.weight", "pos_embed.W_pos": "positions.weight", "unembed.b_U": "output.bias",
    "ln_final.w": "norm.weight", "ln_final.b": "norm.bias",
}  # fmt: skip
_PLAIN = {
    "ln1.w": "norm1.weight", "ln1.b": "norm1.bias", "ln2.w": "norm2.weight", "ln2.b": "norm2.bias",
    "mlp.b_in": "linear1.bias", "mlp.b_out": "linear2.bias", "attn.b_O": "self_attn.out_proj.bias",
}  # fmt: skip
_BLOCK = re.compile(r"blocks\.(0|[1-9][0-9]{0,5})\.(.+)", re.ASCII)


def is_hooked(state: object) -> bool:
    """Whether a state dict has the names of a HookedTransformer."""
    return isinstance(state, Mapping) and "embed.W_E" in state


def plain(state: Mapping[str, object]) -> tuple[dict[str, Any], int]:
    """The state dict under the names of `symcook.compose.states`, and the number of heads. A block without mlp gets one
    that adds nothing. BadInput, with the key, for what does not fit."""
    found: dict[str, Any] = {}
    blocks: dict[str, dict[str, Any]] = {}
    for key, value in state.items():
        block = _BLOCK.fullmatch(str(key))
        if block is not None and block[2] in KEYS:
            blocks.setdefault(block[1], {})[block[2]] = _nested(value)
        elif str(key) in _OUTSIDE:
            found[_OUTSIDE[key]] = value
        elif key == "unembed.W_U":
            found["output.weight"] = _transposed(key, _nested(value))
        elif block is None or block[2] not in ("attn.mask", "attn.IGNORE"):
            inside = [f"blocks.{number}.{name}" for number in blocks or ("0",) for name in KEYS]
            raise unknown("key of a HookedTransformer", str(key), [*_OUTSIDE, "unembed.W_U", *inside])
    table = _nested(state["embed.W_E"])
    d = len(table[0]) if isinstance(table, list) and table and isinstance(table[0], list) else 0
    heads = 1
    for number, block in blocks.items():
        heads = _attention(found, f"blocks.{number}.", f"layers.{number}.", block, d)
        for name, other in _PLAIN.items():
            if name in block:
                found[f"layers.{number}.{other}"] = block[name]
        if "mlp.W_in" in block or "mlp.W_out" in block:
            for name, other in (("mlp.W_in", "linear1"), ("mlp.W_out", "linear2")):
                if name not in block:
                    raise BadInput("a state dict must have both matrices of an mlp", f"none for blocks.{number}.{name}")
                found[f"layers.{number}.{other}.weight"] = _transposed(f"blocks.{number}.{name}", block[name])
        else:
            found[f"layers.{number}.linear1.weight"] = [[0] * d]
            found[f"layers.{number}.linear2.weight"] = [[0]] * d
    return found, heads


def _attention(found: dict[str, Any], key: str, target: str, block: Mapping[str, Any], d: int) -> int:
    """Put the heads of a block side by side; their number."""
    for name in ("attn.W_Q", "attn.W_K", "attn.W_V", "attn.W_O"):
        if name not in block:
            raise BadInput("a state dict must have every matrix of attention", f"none for {key}{name}")
    heads = len(block["attn.W_Q"])
    size = d // heads if heads else 0
    for name, shape in (("Q", (d, size)), ("K", (d, size)), ("V", (d, size)), ("O", (size, d))):
        table = block[f"attn.W_{name}"]
        rows = [part for part in table if isinstance(part, list) and len(part) == shape[0]]
        if not heads or heads * size != d or len(table) != heads or len(rows) != heads or any(
            not isinstance(row, list) or len(row) != shape[1] for part in rows for row in part
        ):  # fmt: skip
            wanted = f"{KEYS[f'attn.W_{name}']} with s = d/heads"
            raise BadInput(f"{key}attn.W_{name} must have the shape {wanted}", f"d = {d}")
    inward, biases = [], []
    for name in ("Q", "K", "V"):
        for part in block[f"attn.W_{name}"]:
            inward += _transposed(f"{key}attn.W_{name}", part)
        bias = block.get(f"attn.b_{name}") or [[0] * size for _ in range(heads)]
        if len(bias) != heads or any(not isinstance(row, list) or len(row) != size for row in bias):
            raise BadInput(f"{key}attn.b_{name} must have the shape heads x s", f"d = {d}")
        biases += [x for row in bias for x in row]
    outward = [row for part in block["attn.W_O"] for row in part]
    found[f"{target}self_attn.in_proj_weight"] = inward
    found[f"{target}self_attn.in_proj_bias"] = biases
    found[f"{target}self_attn.out_proj.weight"] = _transposed(f"{key}attn.W_O", outward)
    return heads


def _nested(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else value


def _transposed(key: str, table: object) -> list[list[Any]]:
    rows = table if isinstance(table, list) else []
    if not rows or not all(isinstance(row, list) and len(row) == len(rows[0]) for row in rows):
        raise BadInput(f"{key} must be a matrix of numbers", type(table).__name__)
    return [list(column) for column in zip(*rows, strict=True)]
