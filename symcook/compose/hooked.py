"""State dicts of TransformerLens' HookedTransformer under the names of a plain transformer.

`plain` takes a state dict with keys such as blocks.0.attn.W_Q and returns one with the keys that
`symcook.compose.states` reads: matrices transposed, and the heads of a block side by side in one matrix.
"""

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
"""The keys of a block with their shapes, where s = d/heads. Masks (attn.mask) must be causal and
are left out, as attn.IGNORE is."""
_OUTSIDE = {
    "embed.W_E": "embedding.weight", "pos_embed.W_pos": "positions.weight", "unembed.b_U": "output.bias",
    "ln_final.w": "norm.weight", "ln_final.b": "norm.bias",
}  # fmt: skip
"""Key outside of the blocks -> key of a plain transformer, for weights that need no transposition."""
_PLAIN = {
    "ln1.w": "norm1.weight", "ln1.b": "norm1.bias", "ln2.w": "norm2.weight", "ln2.b": "norm2.bias",
    "mlp.b_in": "linear1.bias", "mlp.b_out": "linear2.bias", "attn.b_O": "self_attn.out_proj.bias",
}  # fmt: skip
"""Key of a block -> key of a layer of a plain transformer, for vectors."""
_BLOCK = re.compile(r"blocks\.(0|[1-9][0-9]{0,5})\.(.+)", re.ASCII)
"""The key of a weight of a block: the block's number, and the key in the block."""


def is_hooked(state: object) -> bool:
    """Whether a state dict has the names of a HookedTransformer."""
    return isinstance(state, Mapping) and "embed.W_E" in state


def plain(state: Mapping[str, object]) -> tuple[dict[str, Any], int]:
    """The state dict under the names of `symcook.compose.states`, and the number of heads. A block without mlp gets one
    that adds 0. BadInput, with the key, for an unknown key or a wrong shape."""
    entries: dict[str, Any] = {}
    blocks: dict[str, dict[str, Any]] = {}
    # A key belongs to a block, to what is outside of the blocks, or to a mask (left out); any other key is refused.
    for key, value in state.items():
        block = _BLOCK.fullmatch(str(key))
        if block is not None and block[2] in KEYS:
            blocks.setdefault(block[1], {})[block[2]] = _as_lists(value)
        elif str(key) in _OUTSIDE:
            entries[_OUTSIDE[key]] = value
        elif key == "unembed.W_U":
            entries["output.weight"] = _transposed(key, _as_lists(value))
        elif block is not None and block[2] == "attn.mask":
            _check_causal(str(key), _as_lists(value))
        elif block is None or block[2] != "attn.IGNORE":
            inside = [f"blocks.{number}.{name}" for number in blocks or ("0",) for name in KEYS]
            raise unknown("key of a HookedTransformer", str(key), [*_OUTSIDE, "unembed.W_U", *inside])
    # Write each block under the names of a plain transformer.
    table = _as_lists(state["embed.W_E"])
    d = len(table[0]) if isinstance(table, list) and table and isinstance(table[0], list) else 0
    heads = set[int]()
    for number, block in blocks.items():
        heads.add(_check_heads(f"blocks.{number}.", block, d))
        of_block = _attention(f"blocks.{number}.", block) | _feedforward(f"blocks.{number}.", block, d)
        entries |= {f"layers.{number}.{name}": value for name, value in of_block.items()}
    if len(heads) > 1:  # a plain transformer is read with one number of heads
        head_counts = ", ".join(map(str, sorted(heads)))
        raise BadInput("all blocks of a HookedTransformer must have the same number of heads", head_counts)
    return entries, max(heads, default=1)


def _check_causal(key: str, table: object) -> None:
    """Raise BadInput for a mask by which a position sees others than itself and all before it, as those of local
    attention."""
    rows = table if isinstance(table, list) else []
    if not rows or any(list(row) != [j <= i for j in range(len(rows))] for i, row in enumerate(rows)):
        raise BadInput(f"{key} must be the causal mask", "another")


def _check_heads(key: str, block: Mapping[str, Any], d: int) -> int:
    """The number of heads of a block; BadInput, with the key, where a matrix or a bias has a wrong shape."""
    for name in ("attn.W_Q", "attn.W_K", "attn.W_V", "attn.W_O"):
        if name not in block:
            raise BadInput("a state dict must have every matrix of attention", f"none for {key}{name}")
    heads = len(block["attn.W_Q"])
    size = d // heads if heads else 0
    for name, (height, width) in (("Q", (d, size)), ("K", (d, size)), ("V", (d, size)), ("O", (size, d))):
        table = block[f"attn.W_{name}"]
        fits = heads and heads * size == d and len(table) == heads
        if not fits or not all(_has_shape(matrix, height, width) for matrix in table):
            wanted = f"{KEYS[f'attn.W_{name}']} with s = d/heads"
            raise BadInput(f"{key}attn.W_{name} must have the shape {wanted}", f"d = {d}")
    for name in ("Q", "K", "V"):
        bias = block.get(f"attn.b_{name}")
        if bias and not _has_shape(bias, heads, size):
            raise BadInput(f"{key}attn.b_{name} must have the shape heads x s", f"d = {d}")
    return heads


def _has_shape(matrix: object, height: int, width: int) -> bool:
    """Whether nested lists have this shape."""
    rows = matrix if isinstance(matrix, list) else []
    return len(rows) == height and all(isinstance(row, list) and len(row) == width for row in rows)


def _attention(key: str, block: Mapping[str, Any]) -> dict[str, Any]:
    """The attention of a block under the names of a plain transformer: the rows of all heads' queries, then keys, then
    values, in one matrix."""
    heads = len(block["attn.W_Q"])
    inward, biases = [], []
    for name in ("Q", "K", "V"):
        matrices = block[f"attn.W_{name}"]
        for matrix in matrices:
            inward += _transposed(f"{key}attn.W_{name}", matrix)
        for row in block.get(f"attn.b_{name}") or [[0] * len(matrices[0][0])] * heads:
            biases += row
    outward = [row for matrix in block["attn.W_O"] for row in matrix]
    return {
        "self_attn.in_proj_weight": inward,
        "self_attn.in_proj_bias": biases,
        "self_attn.out_proj.weight": _transposed(f"{key}attn.W_O", outward),
    }


def _feedforward(key: str, block: Mapping[str, Any], d: int) -> dict[str, Any]:
    """The mlp of a block, its norms and biases under the names of a plain transformer. BadInput where only one matrix
    of the mlp is there."""
    entries = {name: block[hooked] for hooked, name in _PLAIN.items() if hooked in block}
    if "mlp.W_in" not in block and "mlp.W_out" not in block:
        if "ln1.w" in block:  # the norm of the part that adds 0
            entries = {"norm2.weight": [1] * d, "norm2.bias": [0] * d} | entries
        return entries | {"linear1.weight": [[0] * d], "linear2.weight": [[0]] * d}
    for hooked, name in (("mlp.W_in", "linear1"), ("mlp.W_out", "linear2")):
        if hooked not in block:
            raise BadInput("a state dict must have both matrices of an mlp", f"none for {key}{hooked}")
        entries[f"{name}.weight"] = _transposed(f"{key}{hooked}", block[hooked])
    return entries


def _as_lists(value: Any) -> Any:
    """An array as nested lists."""
    return value.tolist() if hasattr(value, "tolist") else value


def _transposed(key: str, table: object) -> list[list[Any]]:
    """The transpose of a matrix of numbers; BadInput, with the key, where `table` is no matrix."""
    rows = table if isinstance(table, list) else []
    if not rows or not all(isinstance(row, list) and len(row) == len(rows[0]) for row in rows):
        raise BadInput(f"{key} must be a matrix of numbers", type(table).__name__)
    return [list(column) for column in zip(*rows, strict=True)]
