"""Weights as a numpy archive: plain arrays without pickles, masks and weightings as names, never an infinity.

Arrays of the archive, with d coordinates, V tokens, N the greatest length of the tables, l = 1, 2, ...:

    format, name, layers, dtype          text and a number
    coordinates (d), vocabulary (V), inputs     names; either vocabulary or inputs is empty
    embedding (V, d)                     the row of each token
    positions (N, N, d)                  at [n - 1, p] what is added at index p of an input of length n; absent if zero
    layer{l}.mask, .weighting            "none" or "future"; "average" or "softmax"
    layer{l}.Q, .K (key, d), .V (d, d)   scores (Q z_i) . (K z_j) * factor[n - 1, i]
    layer{l}.factor (N, N)               scale over temperature; absent where it is 1
    layer{l}.W1 (h, d), .b1, .W2 (d, h), .b2     z + W2 relu(W1 z + b1) + b2
    readout.kind, .position, .reads      names; readout.weights (d) for a sign readout

`evaluate` is what these arrays mean; examples/run_npz.py says it again in twenty lines of numpy.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from symcook.blocks import FeedForward, Transformer
from symcook.errors import BadInput
from symcook.symbols import symbol

if TYPE_CHECKING:
    import numpy as np

FORMAT = "symcook npz 1"


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
        "layers": np.array(len(model.layers)),
        "coordinates": np.array(space),
        "vocabulary": np.array(list(model.alphabet), dtype=str),
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
    for number, layer in enumerate(model.layers, 1):
        for part in layer.parts():
            reads, writes = model.space.routing(part.reads), model.space.routing(part.writes).T
            values: dict[str, Any]
            if isinstance(part, FeedForward):
                values = {"W1": part.W1 * reads, "b1": part.b1, "W2": writes * part.W2, "b2": writes * part.b2}
                values = {name: _floats(m.tolist(), dtype) for name, m in values.items()}
                values["b1"], values["b2"] = values["b1"].reshape(-1), values["b2"].reshape(-1)
            else:
                values = {"Q": part.Q * reads, "K": part.K * reads, "V": writes * part.V * reads}
                values = {name: _floats(m.tolist(), dtype, len(space)) for name, m in values.items()}
                values |= {"mask": np.array(part.mask), "weighting": np.array(part.weighting)}
                if part.factor != 1:
                    table = np.ones((n_max, n_max), dtype=dtype)
                    for n, row in enumerate(position_table(part.factor, embedding.start, n_max), 1):
                        table[n - 1, :n] = _floats(row, dtype)
                    values["factor"] = table
            found |= {f"layer{number}.{name}": value for name, value in values.items()}
    if readout.weights is not None:
        found["readout.weights"] = _floats((readout.weights * model.space.routing(readout.reads)).tolist()[0], dtype)
    return found


def position_table(expression: Any, start: int, n_max: int) -> list[list[Any]]:
    """The exact values of an expression in i and n: for each length n from 1 to `n_max`, one a position."""
    i, n = symbol("i"), symbol("n")
    if not getattr(expression, "free_symbols", ()):
        return [[expression] * length for length in range(1, n_max + 1)]
    if n not in expression.free_symbols:
        values = [expression.subs(i, start + place) for place in range(n_max)]
        return [values[:length] for length in range(1, n_max + 1)]
    return [
        [expression.subs({i: start + place, n: length}) for place in range(length)] for length in range(1, n_max + 1)
    ]


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
        result = np.array([nearest(v) for v in flat], dtype=dtype).reshape(shape)
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
    """The residual stream after the last layer, for a batch z (B, n, d) of embedded inputs."""
    import numpy as np

    n = z.shape[1]
    if "positions" in m:
        z = z + m["positions"][n - 1, :n]
    seen = np.ones((n, n), dtype=bool)
    for number in range(1, int(m["layers"]) + 1):
        layer = f"layer{number}."
        if layer + "V" in m:
            mask = np.tril(seen) if str(m[layer + "mask"]) == "future" else seen
            scores = (z @ m[layer + "Q"].T) @ (z @ m[layer + "K"].T).transpose(0, 2, 1)
            if layer + "factor" in m:
                scores = scores * m[layer + "factor"][n - 1, :n, None]
            top = np.where(mask, scores, -np.inf).max(axis=2, keepdims=True)
            if str(m[layer + "weighting"]) == "softmax":
                weights = np.exp(np.minimum(scores - top, 0)) * mask
            else:
                weights = ((scores == top) & mask).astype(z.dtype)
            z = z + (weights @ (z @ m[layer + "V"].T)) / weights.sum(axis=2, keepdims=True)
        if layer + "W1" in m:
            z = z + np.maximum(z @ m[layer + "W1"].T + m[layer + "b1"], 0) @ m[layer + "W2"].T + m[layer + "b2"]
    return z


def verdicts(m: Mapping[str, Any], z: Any) -> Any:
    """The answers of a deciding readout for a batch: (B), or (B, n) where it answers at each position."""
    if str(m["readout.kind"]) == "sign":
        answers = z @ m["readout.weights"] > 0
    else:
        names = list(m["coordinates"])
        answers = (z[:, :, [names.index(name) for name in m["readout.reads"]]] == 0).all(axis=2)
    position = str(m["readout.position"])
    if position == "all":
        return answers.all(axis=1)
    return answers if position == "each" else answers[:, 0 if position == "first" else -1]
