"""What the arrays of `symcook.export.archive` mean, in numpy, for many inputs at once; a numpy archive holds them as
they are, without pickles and without an infinity. export/run_npz.py says it again for one input.

Operations stand in the order of the error model of `symcook.domains.rounding`: scores are multiplied by their factor,
softmax subtracts the greatest score first and divides once, behind the sum.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from symcook.domains.protocol import TEMPERATURE, VARIANCE
from symcook.errors import BadInput, NoRun, require_known
from symcook.export.archive import arrays as arrays
from symcook.export.archive import held_as, reach
from symcook.export.archive import position_table as position_table
from symcook.model.parts import ACTIVATIONS, MASKS, WEIGHTINGS


def embed(m: Mapping[str, Any], tokens: Any) -> Any:
    """The residual stream of a batch of token numbers (B, n), before position values are added: (B, n, d)."""
    return m["embedding"][tokens]


def place(m: Mapping[str, Any], rows: Any) -> Any:
    """The residual stream of a batch of input rows (B, n, inputs), in the order of the archive's names: (B, n, d)."""
    import numpy as np

    names = list(m["coordinates"])
    z = np.zeros((*rows.shape[:2], len(names)), dtype=held_as(str(m["dtype"])))
    z[:, :, [names.index(name) for name in m["inputs"]]] = rows
    return z


def evaluate(m: Mapping[str, Any], z: Any, *, refuse: bool = True) -> Any:
    """The residual stream at the end, for a batch z (B, n, d) of embedded inputs.

    Raises NoRun, as a run of the model does, where one of them has no run: a norm that refuses meets zero variance, or
    a temperature is not positive at this length. Without `refuse` what such a norm gives is not a number, and the other
    inputs have theirs. Raises BadInput for inputs longer than the tables, and for a mask, weighting or activation that
    is no name of `symcook.model.parts`.
    """
    import numpy as np

    n, longest = z.shape[1], reach(m)
    if longest is not None and n > longest:
        raise BadInput(f"an input must have length at most {longest}: the archive has tables to there", n)
    if "positions" in m:
        z = z + at_length(m["positions"], n, 2)
    for step in (f"step{s}." for s in range(1, int(m["steps"]) + 1)):
        norms = [_normed(m, key, z, refuse) for key in _numbered(m, step + "before", "gain")]
        x = np.concatenate(norms, axis=-1) if norms else z
        for head in _numbered(m, step + "head", "V"):
            z = z + _attend(m, head, x, refuse)
        if step + "W1" in m:
            hidden = _activate(m, step, x @ m[step + "W1"].T + m[step + "b1"])
            z = z + hidden @ m[step + "W2"].T + m[step + "b2"]
        z = _normed(m, step + "after.", z, refuse) if step + "after.gain" in m else z
    return z


def at_length(table: Any, n: int, axes: int) -> Any:
    """The part of a table for inputs of length `n`; one with more than `axes` axes has a part for each length."""
    return table[:n] if table.ndim == axes else table[n - 1, :n]


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


def _normed(m: Mapping[str, Any], key: str, z: Any, refuse: bool) -> Any:
    import numpy as np

    refused = _name(m, key + "zero_variance", "outcome of zero variance", ("refuse", "zero")) == "refuse"
    x = z @ m[key + "P"].T if key + "P" in m else z
    x = x - x.mean(axis=-1, keepdims=True)
    total = (x * x).mean(axis=-1, keepdims=True) + m[key + "epsilon"]
    if refuse and refused and (total == 0).any():
        given, index = np.argwhere(total == 0)[0, :2].tolist()
        raise NoRun(VARIANCE[0], f"zero at index {index} of input {given}", VARIANCE[1])
    with np.errstate(all="ignore"):
        scaled = np.where(total == 0, np.nan if refused else 0, x / np.sqrt(total))
    return (scaled * m[key + "gain"] + m[key + "bias"]).astype(z.dtype)


def _attend(m: Mapping[str, Any], head: str, x: Any, refuse: bool) -> Any:
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
    factor = at_length(m[head + "factor"], n, 1)[:, None] if head + "factor" in m else None
    if refuse and factor is not None and ((factor < 0) | np.isinf(factor)).any():  # 0 is an infinite temperature
        raise NoRun(TEMPERATURE, f"at length {n} it is not")
    queries, keys = x @ m[head + "Q"].T, x @ m[head + "K"].T
    if not queries.any() and np.isfinite(keys).all():  # all scores are zero, and the weights are one for all inputs
        scores = np.zeros((1, n, n), dtype=x.dtype)
    else:
        scores = queries @ keys.transpose(0, 2, 1)
        scores = scores if factor is None else scores * factor
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
