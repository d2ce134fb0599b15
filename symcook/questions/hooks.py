"""TransformerLens's names for what a run computed: ``run["blocks.0.attn.hook_pattern"]``; blocks count from 0.

Shapes are those of TransformerLens without the batch: (positions, d_model) for the residual stream, with the model's
coordinates in their order; (positions, heads, width) for queries, keys, values and what heads add; (heads, positions,
positions) for scores and weights. Heads differ in two ways. Their output matrix is a part of V, so values have the
coordinates of the model too, and the sum of `hook_z` over the heads is `hook_attn_out`. Queries and keys of different
widths are filled with zeros.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from symcook.domains.partsteps import head_of
from symcook.errors import NEAR, BadInput
from symcook.locks import PRECISION
from symcook.model.parts import Mask, Part, Sublayer
from symcook.model.steps import placed_numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from symcook.questions.activations import Activations

NAME = re.compile(r"blocks\.(\d{1,6})\.((?:attn\.)?hook_\w+)")


def hooked(activations: Activations, name: object) -> NDArray[Any]:
    """The array with a name of TransformerLens. BadInput for a name that is not in `HOOKS`, and for a layer without the
    sublayer that the name is about."""
    if isinstance(name, tuple) and len(name) == 2:  # TransformerLens's short names: ("pattern", 0)
        found = [hook for hook in HOOKS if hook.rpartition("hook_")[2] == name[0]]
        if found and type(name[1]) is int and name[1] >= 0:
            name = f"blocks.{name[1]}.{found[0]}"
    if name == "hook_embed":
        with PRECISION, activations.system.context():
            return _embedded(activations)
    match = NAME.fullmatch(name) if isinstance(name, str) else None
    if match is None or match[2] not in HOOKS:
        raise BadInput("the name must be a hook of TransformerLens that symcook has", name, _similar(name))
    layer = int(match[1]) + 1
    if not _sublayers(activations, layer):
        blocks = " ".join(dict.fromkeys(f"blocks.{step.layer - 1}" for step in activations.steps if step.block))
        raise BadInput("the block must be one of the model, counted from 0", match[1], blocks or "the model has none")
    with PRECISION, activations.system.context():
        return HOOKS[match[2]](activations, layer)


def _similar(name: object) -> str:
    """Advice for a name that is not in `HOOKS`: the nearest one, at the same block, else all."""
    import difflib

    text = name if isinstance(name, str) else ""
    block = re.match(r"blocks\.\d{1,6}(?=\.)", text)
    prefix = block[0] if block else "blocks.0"
    shorts = {hook.rpartition(".")[2]: f"{prefix}.{hook}" for hook in HOOKS} | {"hook_embed": "hook_embed"}
    if near := difflib.get_close_matches(text.rpartition(".")[2], shorts, 1, NEAR):
        return f"did you mean {shorts[near[0]]}?"
    return f"known: {', '.join(['hook_embed', *(f'blocks.0.{hook}' for hook in HOOKS)])}"


def _sublayers(activations: Activations, layer: int) -> dict[str, tuple[int, Sublayer]]:
    """{kind: (index, step)} of the sublayers of a layer, counted from 1; without the final norm."""
    steps = enumerate(activations.steps)
    return {step.kind: (number, step) for number, step in steps if step.layer == layer and step.block is not None}


def _sublayer(activations: Activations, layer: int, kind: str) -> tuple[int, Sublayer]:
    """The attention or feed-forward sublayer of a layer; BadInput where it has none."""
    found = _sublayers(activations, layer)
    if kind not in found:
        what = "attention" if kind == "attention" else "a feed-forward layer"
        raise BadInput(
            f"the block must have {what}",
            f"blocks.{layer - 1}, which has {' and '.join(found)} alone",
            "choose another block or name",
        )
    return found[kind]


def _spread(activations: Activations, columns: Mapping[str, Any]) -> NDArray[Any]:
    """Columns by coordinate, as an array over all coordinates of the model; other coordinates are zero."""
    return activations.array([columns.get(name, activations.zero) for name in activations.model.space])


def _embedded(activations: Activations) -> NDArray[Any]:
    """What the tokens give, without position functions; the given inputs for a model that reads rows."""
    embedding, system = activations.model.embedding, activations.system
    tables = {name: system.embed(table) for name, table in embedding.tables.items()}
    return _spread(activations, tables or {name: system.input(name) for name in embedding.inputs or ()})


def _pre(activations: Activations, layer: int) -> NDArray[Any]:
    """The residual stream before a layer."""
    numbers = [number for number, _ in _sublayers(activations, layer).values()]
    return _spread(activations, activations.before(min(numbers)))


def _mid(activations: Activations, layer: int) -> NDArray[Any]:
    """The residual stream between attention and feed-forward layer."""
    found = _sublayers(activations, layer)
    if "attention" in found:
        return _spread(activations, activations.after(found["attention"][0]))
    return _spread(activations, activations.before(found["feed-forward"][0]))


def _post(activations: Activations, layer: int) -> NDArray[Any]:
    """The residual stream after a layer."""
    numbers = [number for number, _ in _sublayers(activations, layer).values()]
    return _spread(activations, activations.after(max(numbers)))


def _by_head(activations: Activations, layer: int, columns: Callable[[Part, Any], Sequence[Any]]) -> NDArray[Any]:
    """Columns of each head, with zeros for heads that have fewer: (heads, positions, columns)."""
    number, step = _sublayer(activations, layer, "attention")
    view = activations.view(number, step)
    heads = [activations.array(columns(head, view)) for head in step.parts]
    widest = max(array.shape[1] for array in heads)
    return np.stack([np.pad(array, ((0, 0), (0, widest - array.shape[1]))) for array in heads])


def _spaced(activations: Activations, columns: Mapping[str, Any]) -> list[Any]:
    """Columns in the order of the model's coordinates."""
    return [columns.get(name, activations.zero) for name in activations.model.space]


def _queries(activations: Activations, layer: int) -> NDArray[Any]:
    return _by_head(activations, layer, activations.queries).swapaxes(0, 1)


def _keys(activations: Activations, layer: int) -> NDArray[Any]:
    return _by_head(activations, layer, activations.keys).swapaxes(0, 1)


def _values(activations: Activations, layer: int) -> NDArray[Any]:
    made = _by_head(activations, layer, lambda head, view: _spaced(activations, activations.contents(head, view)))
    return made.swapaxes(0, 1)


def _added(activations: Activations, layer: int) -> NDArray[Any]:
    made = _by_head(activations, layer, lambda head, view: _spaced(activations, activations.outputs(head, view)))
    return made.swapaxes(0, 1)


def _pattern(activations: Activations, layer: int) -> NDArray[Any]:
    return _by_head(activations, layer, activations.weights)


def _scores(activations: Activations, layer: int) -> NDArray[Any]:
    """(scale query . key + slope (j - i))/temperature; minus infinity where the mask hides the key."""
    _, step = _sublayer(activations, layer, "attention")
    asked, offered = _by_head(activations, layer, activations.queries), _by_head(activations, layer, activations.keys)
    scores = np.einsum("hid,hjd->hij", asked, offered)
    i, j = np.indices(scores.shape[1:])
    for place, head in enumerate(step.parts):
        functions, system = head_of(head, None), activations.system
        if functions.per_position != 0:
            scores[place] += activations.array([system.linear([], functions.per_position)]) * (j - i)
        rows = activations.array([system.positions(head.lowered[name]) for name in placed_numbers(head.steps)])
        scores[place] *= (rows[:, 0] / rows[:, 1])[:, None]
        scores[place][~_visible(functions.mask, len(scores[place]))] = -np.inf
    return scores


def _visible(mask: Mask, n: int) -> NDArray[Any]:
    """Which positions (columns) each position (row) sees."""
    i, j = np.indices((n, n))
    return ((j < i) & mask.before) | ((j == i) & mask.here) | ((j > i) & mask.after)


def _attn_out(activations: Activations, layer: int) -> NDArray[Any]:
    """What all heads of a layer add to the residual stream."""
    number, step = _sublayer(activations, layer, "attention")
    view, added = activations.view(number, step), dict[str, Any]()
    for head in step.parts:
        for name, column in activations.outputs(head, view).items():
            added[name] = activations.system.linear([(column, 1), *([(added[name], 1)] if name in added else [])], 0)
    return _spread(activations, added)


def _mlp_out(activations: Activations, layer: int) -> NDArray[Any]:
    """What the feed-forward layer adds to the residual stream."""
    number, step = _sublayer(activations, layer, "feed-forward")
    [part] = step.parts
    return _spread(activations, activations.network(part, activations.view(number, step)))


HOOKS: Mapping[str, Callable[[Activations, int], NDArray[Any]]] = {
    "hook_resid_pre": _pre,
    "hook_resid_mid": _mid,
    "hook_resid_post": _post,
    "attn.hook_q": _queries,
    "attn.hook_k": _keys,
    "attn.hook_v": _values,
    "attn.hook_z": _added,
    "attn.hook_attn_scores": _scores,
    "attn.hook_pattern": _pattern,
    "hook_attn_out": _attn_out,
    "hook_mlp_out": _mlp_out,
}
"""{name after ``blocks.L.``: what makes the array of a layer, counted from 1}."""
