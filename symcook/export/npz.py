"""Weights as a numpy archive: plain arrays without pickles, masks and weightings as names, never an infinity.

Arrays of the archive, with d coordinates, V tokens, N the greatest length of the tables, s, h, k = 1, 2, ...:

    format, name, steps, dtype           text and a number
    coordinates (d), vocabulary (V), inputs     names; either vocabulary or inputs is empty
    before, after                        the token that the model puts around every input, or the empty text
    embedding (V, d)                     the row of each token
    positions (N, N, d)                  at [n - 1, p] what is added at index p of an input of length n; absent if zero
    step{s}.layer                        the layer of what is added to the stream z next: heads or a network
    step{s}.head{h}.mask, .weighting     names of `symcook.model.parts`
    step{s}.head{h}.Q, .K (key, r), .V (d, r)   scores (Q x_i) . (K x_j) * factor[n - 1, i]; x is z or, with norms in
                                         front, what these give side by side, of length r
    step{s}.head{h}.factor (N, N)        scale over temperature; absent where it is 1
    step{s}.W1 (u, r), .b1, .W2 (d, u), .b2, .activation      z + W2 act(W1 x + b1) + b2
    step{s}.before{k}, step{s}.after     norms before a step, and the one that replaces z behind it, each with
        .P (m, d)                        the projection; absent where the norm is over the stream
        .gain, .bias (m), .epsilon       gain (x - mean)/sqrt(variance + epsilon) + bias
        .zero_variance                   what stands for a quotient by zero: zero, or refuse
    readout.kind, .position, .reads      names; readout.weights (d) for a sign readout, (labels, d) for a largest or a
                                         distribution readout, with readout.labels

Lengths count the tokens that the model adds. `evaluate` is what these arrays mean; export/run_npz.py says it again
with numpy alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from symcook.errors import BadInput, require_known
from symcook.model.expr import names
from symcook.model.parts import ACTIVATIONS, MASKS, WEIGHTINGS, FeedForward, Head, LayerNorm
from symcook.model.space import Space
from symcook.model.symbols import lowered
from symcook.model.transformer import Transformer

if TYPE_CHECKING:
    import numpy as np

FORMAT = "symcook npz 3"


def arrays(model: Transformer, dtype: str, n_max: int) -> dict[str, np.ndarray[Any, Any]]:
    """The archive of a model whose symbols all have values, with position tables to length `n_max`.

    Raises BadInput where a number does not fit `dtype`.
    """
    import numpy as np

    space = list(model.space)
    embedding, readout = model.embedding, model.readout
    found: dict[str, Any] = {
        "format": np.array(FORMAT),
        "name": np.array(model.name),
        "dtype": np.array(dtype),
        "steps": np.array(len(model.sublayers)),
        "coordinates": np.array(space),
        "vocabulary": np.array(list(embedding.words or ()), dtype=str),
        "before": np.array(embedding.before or ""),
        "after": np.array(embedding.after or ""),
        "inputs": np.array(list(embedding.inputs or ()), dtype=str),
        "readout.kind": np.array(readout.kind),
        "readout.position": np.array(readout.position),
        "readout.reads": np.array(list(readout.reads)),
    }
    if embedding.words is not None:
        found["embedding"] = _floats([[row.get(c, 0) for c in space] for row in embedding.words.values()], dtype)
    if embedding.positions:
        table = np.zeros((n_max, n_max, len(space)), dtype=dtype)
        for name, expression in embedding.positions.items():
            for n, row in enumerate(position_table(expression, embedding.start, n_max), 1):
                table[n - 1, :n, space.index(name)] = _floats(row, dtype)
        found["positions"] = table
    for s, step in enumerate(model.sublayers, 1):
        key = f"step{s}."
        found[key + "layer"] = np.array(step.layer)
        for k, norm in enumerate(step.before, 1):
            found |= _norm(norm, model.space, dtype, f"{key}before{k}.")
        view = (
            Space(tuple(name for norm in step.before for name in _written(norm, model.space)))
            if step.before
            else model.space
        )
        for h, part in enumerate(step.parts, 1):
            if isinstance(part, Head):
                found |= _head(part, view, model, dtype, n_max, f"{key}head{h}.")
            else:
                found |= _network(part, view, model, dtype, key)
        if step.after is not None:
            found |= _norm(step.after, model.space, dtype, f"{key}after.")
    if readout.weights is not None:
        weights = _floats((readout.weights * model.space.routing(readout.reads)).tolist(), dtype)
        found["readout.weights"] = weights if readout.labels else weights[0]
    if readout.labels:
        found["readout.labels"] = np.array(list(readout.labels))
    return found


def _written(norm: LayerNorm, space: Space) -> tuple[str, ...]:
    """The names of what a norm gives, in the order of the archive."""
    return tuple(space) if norm.projection is None else norm.writes


def _network(block: FeedForward, view: Space, model: Transformer, dtype: str, key: str) -> dict[str, Any]:
    import numpy as np

    reads, writes = view.routing(block.reads), model.space.routing(block.writes).T
    values = {"W1": block.W1 * reads, "b1": block.b1, "W2": writes * block.W2, "b2": writes * block.b2}
    found: dict[str, Any] = {key + "activation": np.array(block.activation)}
    for name, m in values.items():
        array = _floats(m.tolist(), dtype, len(view))
        found[key + name] = array.reshape(-1) if name.startswith("b") else array
    return found


def _head(head: Head, view: Space, model: Transformer, dtype: str, n_max: int, key: str) -> dict[str, Any]:
    import numpy as np

    reads, writes = view.routing(head.reads), model.space.routing(head.writes).T
    values = {"Q": head.Q * reads, "K": head.K * reads, "V": writes * head.V * reads}
    found: dict[str, Any] = {key + name: _floats(m.tolist(), dtype, len(view)) for name, m in values.items()}
    found |= {key + "mask": np.array(head.mask), key + "weighting": np.array(head.weighting)}
    if head.factor != 1:
        table = np.ones((n_max, n_max), dtype=dtype)
        for n, row in enumerate(position_table(head.factor, model.embedding.start, n_max), 1):
            table[n - 1, :n] = _floats(row, dtype)
        found[key + "factor"] = table
    return found


def _norm(norm: LayerNorm, space: Space, dtype: str, key: str) -> dict[str, Any]:
    import numpy as np

    found: dict[str, Any] = {
        key + "epsilon": _floats([norm.epsilon], dtype)[0],
        key + "zero_variance": np.array(norm.zero_variance),
    }
    order = list(range(len(norm.writes)))
    if norm.projection is None:  # over the whole stream, in any order: written in that of the coordinates
        order = [norm.reads.index(name) for name in space]
    else:
        found[key + "P"] = _floats((norm.projection * space.routing(norm.reads)).tolist(), dtype)
    for name in ("gain", "bias"):
        found[key + name] = _floats([getattr(norm, name)[k] for k in order], dtype)
    return found


def position_table(expression: Any, start: int, n_max: int) -> list[list[Any]]:
    """The exact values of an expression in i and n: for each length n from 1 to `n_max`, one a position."""
    from symcook.domains.exact import value_at

    lengths, term = range(1, n_max + 1), lowered(expression)
    if not isinstance(term, tuple):
        return [[term] * length for length in lengths]
    if "n" not in names(term):
        values = [value_at(term, start + place, n_max) for place in range(n_max)]
        return [values[:length] for length in lengths]
    return [[value_at(term, start + place, length) for place in range(length)] for length in lengths]


def _floats(values: Any, dtype: str, width: int = 0) -> np.ndarray[Any, Any]:
    """Exact numbers as an array; `width` is the number of columns where there may be no row."""
    import numpy as np

    from symcook.domains.floats import nearest

    if isinstance(values, list) and not values:
        return np.zeros((0, width), dtype=dtype)
    if isinstance(values[0], (list, tuple)):
        flat, shape = [v for row in values for v in row], (len(values), len(values[0]))
    else:
        flat, shape = list(values), (len(values),)
    with np.errstate(over="ignore"):
        result = np.array([nearest(lowered(v)) for v in flat], dtype=dtype).reshape(shape)
    if not np.isfinite(result).all():
        raise BadInput(f"every weight must fit {dtype}", "too large a number", "choose other values of the symbols")
    return result


def embed(m: Mapping[str, Any], tokens: Any) -> Any:
    """The residual stream of a batch of token numbers (B, n), before position values are added: (B, n, d)."""
    return m["embedding"][tokens]


def place(m: Mapping[str, Any], rows: Any) -> Any:
    """The residual stream of a batch of input rows (B, n, inputs), in the order of the archive's names: (B, n, d)."""
    import numpy as np

    names = list(m["coordinates"])
    z = np.zeros((*rows.shape[:2], len(names)), dtype=str(m["dtype"]))
    z[:, :, [names.index(name) for name in m["inputs"]]] = rows
    return z


def evaluate(m: Mapping[str, Any], z: Any) -> Any:
    """The residual stream at the end, for a batch z (B, n, d) of embedded inputs.

    Where a norm refuses zero variance, what it gives is not a number. Raises BadInput for a mask, weighting or
    activation that is no name of `symcook.model.parts`.
    """
    import numpy as np

    n = z.shape[1]
    if "positions" in m:
        z = z + m["positions"][n - 1, :n]
    for step in (f"step{s}." for s in range(1, int(m["steps"]) + 1)):
        norms = [_normed(m, key, z) for key in _numbered(m, step + "before", "gain")]
        x = np.concatenate(norms, axis=-1) if norms else z
        for head in _numbered(m, step + "head", "V"):
            z = z + _attend(m, head, x)
        if step + "W1" in m:
            hidden = _activate(m, step, x @ m[step + "W1"].T + m[step + "b1"])
            z = z + hidden @ m[step + "W2"].T + m[step + "b2"]
        z = _normed(m, step + "after.", z) if step + "after.gain" in m else z
    return z


def _name(m: Mapping[str, Any], key: str, kind: str, valid: tuple[str, ...]) -> str:
    name = str(m[key])
    require_known(kind, name, valid)
    return name


def _numbered(m: Mapping[str, Any], stem: str, last: str) -> Iterator[str]:
    """The keys stem1., stem2., ... that the archive has."""
    k = 1
    while f"{stem}{k}.{last}" in m:
        yield f"{stem}{k}."
        k += 1


def _normed(m: Mapping[str, Any], key: str, z: Any) -> Any:
    import numpy as np

    refused = _name(m, key + "zero_variance", "outcome of zero variance", ("refuse", "zero")) == "refuse"
    x = z @ m[key + "P"].T if key + "P" in m else z
    x = x - x.mean(axis=-1, keepdims=True)
    total = (x * x).mean(axis=-1, keepdims=True) + m[key + "epsilon"]
    with np.errstate(all="ignore"):
        scaled = np.where(total == 0, np.nan if refused else 0, x / np.sqrt(total))
    return (scaled * m[key + "gain"] + m[key + "bias"]).astype(z.dtype)


def _attend(m: Mapping[str, Any], head: str, x: Any) -> Any:
    """What a head adds."""
    import numpy as np

    n = x.shape[1]
    row, column = np.arange(n)[:, None], np.arange(n)[None, :]
    seen = {
        "none": (row == row) & (column == column),
        "future": column <= row,
        "strict-future": column < row,
        "past": column >= row,
        "strict-past": column > row,
    }[_name(m, head + "mask", "mask", MASKS)]
    weighting = _name(m, head + "weighting", "weighting", WEIGHTINGS)
    scores = (x @ m[head + "Q"].T) @ (x @ m[head + "K"].T).transpose(0, 2, 1)
    if head + "factor" in m:
        scores = scores * m[head + "factor"][n - 1, :n, None]
    top = np.where(seen, scores, -np.inf).max(axis=2, keepdims=True)
    top = np.where(seen.any(axis=1)[:, None], top, 0)
    if weighting == "softmax":
        weights = np.exp(np.minimum(scores - top, 0)) * seen
    else:
        weights = (scores == top) & seen
        if weighting == "leftmost":
            weights &= weights.cumsum(axis=2) == 1
        elif weighting == "rightmost":
            weights &= weights[:, :, ::-1].cumsum(axis=2)[:, :, ::-1] == 1
    weights = weights.astype(x.dtype)
    total = weights.sum(axis=2, keepdims=True)
    return (weights @ (x @ m[head + "V"].T)) / np.where(total == 0, 1, total)  # a row that sees nothing is zero


def _activate(m: Mapping[str, Any], layer: str, x: Any) -> Any:
    import math

    import numpy as np

    kind = _name(m, layer + "activation", "activation", ACTIVATIONS)
    if kind == "relu":
        return np.maximum(x, 0)
    if kind == "step":
        return (x > 0).astype(x.dtype)
    if kind == "gelu":
        normal = 0.5 * np.vectorize(math.erfc, otypes=[float])(-x / math.sqrt(2))
    elif kind == "gelu-tanh":
        normal = 0.5 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    else:
        with np.errstate(over="ignore"):
            normal = 1 / (1 + np.exp(-1.702 * x))
    return (x * normal).astype(x.dtype)


def shown(m: Mapping[str, Any], z: Any) -> Any:
    """What a readout shows at each position (B, n, k): the coordinates that it reads, the scores of its labels, or
    their probabilities."""
    import numpy as np

    kind = str(m["readout.kind"])
    if kind not in ("largest", "distribution"):
        names = list(m["coordinates"])
        return z[:, :, [names.index(name) for name in m["readout.reads"]]]
    scores = z @ m["readout.weights"].T
    if kind == "largest":
        return scores
    weights = np.exp(scores - scores.max(axis=2, keepdims=True))
    return weights / weights.sum(axis=2, keepdims=True)


def verdicts(m: Mapping[str, Any], z: Any) -> Any:
    """The answers of a sign, zero or largest readout for a batch: (B), or (B, n) where it answers at each position.
    Of a largest readout, the index of the label."""
    kind = _name(m, "readout.kind", "readout that decides", ("sign", "zero", "largest"))
    if kind == "sign":
        answers = z @ m["readout.weights"] > 0
    elif kind == "zero":
        answers = (shown(m, z) == 0).all(axis=2)
    else:
        answers = shown(m, z).argmax(axis=2)
    position = str(m["readout.position"])
    if position == "all":
        return answers.all(axis=1)
    return answers if position == "each" else answers[:, 0 if position == "first" else -1]
