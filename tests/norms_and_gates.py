"""Random models with RMS norms or gated units, and what numpy computes of them from the definitions of the papers."""

import math
from collections.abc import Sequence
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np

import symcook as sc
from symcook.model.parts import ACTIVATIONS, NORMS

SPACE = ("x", "gate", "y2", "out")
"""Names of coordinates; one is the name of a field."""
LETTERS = ("a", "0", "c")


def matrix(draw: Random, rows: int, columns: int) -> list[list[Fraction]]:
    return [[Fraction(draw.randint(-6, 6), 4) for _ in range(columns)] for _ in range(rows)]


def rms(draw: Random, reads: tuple[str, ...] = SPACE, projects: int = 0, stem: str = "p") -> sc.RMSNorm:
    """A norm, with a projection to so many coordinates where there are any."""
    writes = tuple(f"{stem}{k}" for k in range(projects)) if projects else reads
    gain = None if draw.random() < 0.3 else [Fraction(draw.randint(-4, 8), 4) for _ in writes]
    projection = matrix(draw, projects, len(reads)) if projects else None
    epsilon = draw.choice(["1/100", "1", "2/7"])
    return sc.RMSNorm(reads, writes, gain, epsilon, projection, draw.choice(["refuse", "zero"]))


def gated(draw: Random, reads: tuple[str, ...] = SPACE, activation: str = "silu") -> sc.GatedUnits:
    writes, hidden = tuple(draw.sample(SPACE, draw.randint(1, 4))), draw.randint(1, 4)
    biases: dict[str, Any] = {name: None if draw.random() < 0.3 else [row[0] for row in matrix(draw, size, 1)]
              for name, size in (("gate_bias", hidden), ("up_bias", hidden), ("down_bias", len(writes)))}  # fmt: skip
    sides = (matrix(draw, hidden, len(reads)), matrix(draw, hidden, len(reads)))
    return sc.GatedUnits(reads, writes, *sides, matrix(draw, len(writes), hidden), activation, **biases)


def head(draw: Random, reads: tuple[str, ...] = SPACE) -> sc.Head:
    keys, writes = draw.randint(0, 2), tuple(draw.sample(SPACE, 2))
    sides = matrix(draw, keys, len(reads)), matrix(draw, keys, len(reads)), matrix(draw, 2, len(reads))
    return sc.Head(reads, writes, *sides, draw.choice(["future", "none", "strict-past"]), "softmax", scale="1/16")


def drawn(kind: str, seed: int) -> sc.Transformer:
    """A model of two layers with parts of one of the new kinds."""
    draw = Random(f"{kind} {seed}")
    embedding = {token: {name: Fraction(draw.randint(-4, 4), 2) for name in SPACE} for token in (*LETTERS, "CLS")}
    placement = "none" if kind == "GatedUnits" else ("pre", "post", "projected pre", "multi pre")[seed % 4]
    layers = []
    for _ in range(2):
        seen: tuple[str, ...] = SPACE
        norms: list[Any] = [() for _ in range(2)]
        if placement in ("pre", "post"):
            norms = [(rms(draw),) for _ in range(2)]
        elif placement == "projected pre":
            norms, seen = [(rms(draw, ("x", "out"), 3),) for _ in range(2)], ("p0", "p1", "p2")
        elif placement == "multi pre":
            norms, seen = [(rms(draw, SPACE, 2), rms(draw, ("y2",), 1, "q")) for _ in range(2)], ("q0", "p1", "p0")
        activation = ACTIVATIONS[seed % len(ACTIVATIONS)]
        heads = sc.SelfAttention(tuple(head(draw, seen) for _ in range(draw.randint(1, 2))))
        hidden = draw.randint(1, 3)
        sides = matrix(draw, hidden, len(seen)), [1] * hidden, matrix(draw, 2, hidden), [0, 1]
        plain = sc.FeedForward(seen, ("x", "out"), *sides, activation)
        network = gated(draw, seen, activation) if kind == "GatedUnits" else plain
        layers.append(sc.Layer(heads, network, norms[0], norms[1], placement))
    final = rms(draw) if kind == "RMSNorm" and seed % 3 else None
    ends: dict[str, Any] = {"before": "CLS"} if seed % 2 else {}
    words = embedding if ends else {token: embedding[token] for token in LETTERS}
    start = sc.Embedding(sc.Space(SPACE), words, positions={"out": "i/n"}, start=seed % 2, **ends)
    return sc.Transformer("drawn", start, tuple(layers), sc.Readout("value", "last", SPACE), final_norm=final)


# --- numpy ------------------------------------------------------------------------------------------------------------

SIGMOID = {"silu": 1.0, "gelu-sigmoid": 1.702}


def floats(entries: Any) -> Any:
    return np.array([[float(v) for v in row] for row in entries.tolist()]).reshape(entries.shape)


def activated(kind: str, x: Any) -> Any:
    if kind == "relu":
        return np.maximum(x, 0)
    if kind == "step":
        return (x > 0) * 1.0
    if kind == "gelu":
        return x * np.vectorize(lambda t: (1 + math.erf(t / math.sqrt(2))) / 2, otypes=[float])(x)
    if kind == "gelu-tanh":
        return x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    return x / (1 + np.exp(-SIGMOID[kind] * x))


def part_of(part: Any, z: Any, names: Sequence[str]) -> Any:
    """What numpy makes of a part: y of its definition."""
    x = z[:, [names.index(name) for name in part.reads]]
    match type(part).__name__:
        case "RMSNorm":
            x = x if part.projection is None else x @ floats(part.projection).T
            return x / np.sqrt((x * x).mean(-1, keepdims=True) + float(part.epsilon)) * floats(part.gain)[:, 0]
        case "GatedUnits":
            gate = activated(part.activation, x @ floats(part.gate).T + floats(part.gate_bias)[:, 0])
            units = gate * (x @ floats(part.up).T + floats(part.up_bias)[:, 0])
            return units @ floats(part.down).T + floats(part.down_bias)[:, 0]
        case "FeedForward":
            units = activated(part.activation, x @ floats(part.W1).T + floats(part.b1)[:, 0])
            return units @ floats(part.W2).T + floats(part.b2)[:, 0]
    scores = x @ floats(part.Q).T @ (x @ floats(part.K).T).T * float(part.scale)
    i, j = np.indices(scores.shape)
    seen = {"future": j <= i, "none": j == j, "strict-past": j > i}[part.mask]
    top = np.where(seen, scores, -np.inf).max(-1, keepdims=True, initial=-1e9)
    weights = np.where(seen, np.exp(np.minimum(scores - top, 0)), 0)
    total = weights.sum(-1, keepdims=True)
    return np.where(total > 0, weights / np.where(total > 0, total, 1), 0) @ x @ floats(part.V).T


def stream(model: sc.Transformer, word: Sequence[str]) -> Any:
    """The residual stream at the end, a row for each position."""
    tokens, start = model.tokens(word), model.embedding.start
    z = np.array([[float(model.embedding.words[t].get(name, 0)) for name in SPACE] for t in tokens])  # type: ignore[index]
    z[:, SPACE.index("out")] += (np.arange(len(tokens)) + start) / len(tokens)

    def written(part: Any, onto: Any, added: Any) -> None:
        for k, name in enumerate(part.writes):
            onto[:, SPACE.index(name)] += added[:, k]

    for layer in model.layers:
        for block, norms in layer.blocks():
            view, names = z.copy(), SPACE
            if layer.placement not in ("none", "post"):
                view = np.concatenate([part_of(norm, z, SPACE) for norm in norms], axis=1)
                names = tuple(name for norm in norms for name in norm.writes)
            for part in block.heads if isinstance(block, sc.SelfAttention) else (block,):
                written(part, z, part_of(part, view, names))
            if layer.placement == "post":
                z = part_of(norms[0], z, SPACE)
    assert model.final_norm is None or isinstance(model.final_norm, NORMS)
    return z if model.final_norm is None else part_of(model.final_norm, z, SPACE)
