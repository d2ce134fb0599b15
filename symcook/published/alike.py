"""Architectures that compute as Llama does, but store it in another way: their weights under the names of Llama.

Phi-3 stores queries, keys and values as one matrix, and gates and units as one. Gemma stores the gains of norms minus
1, and multiplies the embedding by the root of its width, which the library rounds to float32.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from symcook.errors import BadInput

Weights = Mapping[str, Any]


def as_llama(architecture: str | None, weights: Weights, facts: dict[str, Any]) -> dict[str, Any]:
    """The weights under the names of Llama; those of any other architecture as they are.

    `facts` are those of the settings; an output that has the weights of the embedding before they are multiplied is no
    longer tied. BadInput, with the key, for a shape that does not fit.
    """
    change = ALIKE.get(architecture or "")
    return dict(weights) if change is None else change(weights, facts)


def _phi3(weights: Weights, facts: dict[str, Any]) -> dict[str, Any]:
    """The weights of Phi-3, with each matrix by itself."""
    heads, width = facts.get("heads", 1), facts.get("width", 0)
    size = facts.get("size") or width // max(heads, 1)
    rows, shared = heads * size, facts.get("key heads", heads) * size
    found = dict[str, Any]()

    def add(whole: str, parts: dict[str, Any]) -> None:
        """Add the parts of the matrix `whole`. BadInput where another weight has the name of one of them."""
        if again := next((name for name in parts if name in weights), None):
            must = f"{whole} must be the only weight that says what {again} is"
            raise BadInput(must, f"{again} too", "leave one of them out")
        found.update(parts)

    for key, array in weights.items():
        start, dot, name = key.rpartition(".self_attn.qkv_proj.")
        if dot:
            _require_rows(key, array, rows + 2 * shared)
            ends = {"q": (0, rows), "k": (rows, rows + shared), "v": (rows + shared, rows + 2 * shared)}
            add(key, {f"{start}.self_attn.{part}_proj.{name}": array[a:b] for part, (a, b) in ends.items()})
            continue
        start, dot, name = key.rpartition(".mlp.gate_up_proj.")
        if dot:
            half = facts.get("hidden", len(array) // 2)
            _require_rows(key, array, 2 * half)
            add(key, {f"{start}.mlp.gate_proj.{name}": array[:half], f"{start}.mlp.up_proj.{name}": array[half:]})
            continue
        found[key] = array
    return found


def _gemma(weights: Weights, facts: dict[str, Any]) -> dict[str, Any]:
    """The weights of Gemma, with the gains of norms themselves, and the embedding multiplied."""
    import numpy as np

    found, tied = {}, facts.pop("tied", True)
    for key, array in weights.items():
        if key.endswith("norm.weight"):
            found[key] = _exactly(array, 1, Fraction(1))
        elif key.endswith("embed_tokens.weight"):
            found[key] = _exactly(array, Fraction(float(np.float32(array.shape[-1] ** 0.5))), Fraction(0))
            if tied:
                found.setdefault("lm_head.weight", array)
                given = weights.get("lm_head.weight", array)
                if not np.array_equal(given, array):
                    must = "the output must have the weights of the embedding, since the settings tie them"
                    raise BadInput(must, "others in lm_head.weight", "say tie_word_embeddings = false")
        else:
            found[key] = array
    return found


def _exactly(array: Any, factor: Fraction | int, added: Fraction) -> Any:
    """Entries times a factor plus a number, without rounding: in float64 where floats give such numbers, else as
    fractions."""
    import numpy as np

    entries = array.ravel().tolist()
    if not all(type(entry) in (int, float, Fraction) and entry - entry == 0 for entry in entries):
        return array  # refused later, with its key
    exact = [Fraction(entry) * factor + added for entry in entries]
    if array.dtype.kind == "f":
        changed = array.astype(np.float64) * float(factor) + float(added)
        if [Fraction(entry) for entry in changed.ravel().tolist()] == exact:
            return changed
    fractions = np.empty(len(exact), dtype=object)
    fractions[:] = exact
    return fractions.reshape(array.shape)


def _require_rows(key: str, array: Any, rows: int) -> None:
    """Raise BadInput, with the key, for a matrix with another number of rows."""
    if len(array) != rows:
        must = f"{key} must have the {rows} rows that the settings say"
        raise BadInput(must, len(array), "correct the numbers of heads and of hidden units in config.json")


ALIKE: Mapping[str, Callable[[Weights, dict[str, Any]], dict[str, Any]]] = {"phi3": _phi3, "gemma": _gemma}
"""{architecture: what makes its weights those of Llama}."""
