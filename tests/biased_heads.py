"""Random models with heads that have biases and a slope, and what numpy computes of them from their definitions."""

from collections.abc import Sequence
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
from norms_and_gates import floats, matrix

import symcook as sc

SPACE = ("x", "slope", "y2", "out")
"""Names of coordinates; one is the name of a field."""
LETTERS = ("a", "0", "c")
MASKS = ("none", "future", "strict-future", "past", "strict-past")
KINDS = ("biases", "alibi", "both")
"""What a model has: biases alone, a slope alone, or both."""


def column(draw: Random, size: int) -> list[Fraction]:
    return [row[0] for row in matrix(draw, size, 1)]


def head(draw: Random, kind: str, weighting: str, reads: tuple[str, ...] = SPACE) -> sc.BiasedHead:
    keys, writes = draw.randint(0, 3), tuple(draw.sample(SPACE, draw.randint(1, 4)))
    sides = matrix(draw, keys, len(reads)), matrix(draw, keys, len(reads)), matrix(draw, len(writes), len(reads))
    biases: dict[str, Any] = {}
    if kind != "alibi":
        biases = {"q_bias": column(draw, keys), "k_bias": column(draw, keys), "v_bias": column(draw, len(writes))}
        if draw.random() < 0.3:  # values that are a bias alone
            sides = *sides[:2], [[0] * len(reads) for _ in writes]
    slope = 0 if kind == "biases" else draw.choice([Fraction(1, 4), Fraction(-2, 3), 1])
    scale = draw.choice(["1/4", "1/sqrt(d_key)"] if weighting == "softmax" else [1, "1/3"])
    temperature = draw.choice([1, "2/3", "1 + i/n"] if weighting.startswith("softmax") else [1, 2])
    return sc.BiasedHead(
        reads, writes, *sides, **biases, mask=draw.choice(MASKS), weighting=weighting, slope=slope, scale=scale,
        temperature=temperature,
    )  # fmt: skip


def drawn(kind: str, seed: int, weighting: str = "softmax", position: str = "last", **more: Any) -> sc.Transformer:
    """A model of two layers, with plain heads beside the others, and a feed-forward layer between."""
    draw = Random(f"{kind} {seed} {weighting}")
    words = {token: {name: Fraction(draw.randint(-4, 4), 2) for name in SPACE} for token in (*LETTERS, "CLS")}
    layers = []
    for _ in range(2):
        heads = [head(draw, kind, weighting) for _ in range(draw.randint(1, 2))]
        plain = sc.Head(SPACE[:2], SPACE[2:], *(matrix(draw, 2, 2) for _ in "QKV"), "future", weighting, scale="1/5")
        units = sc.FeedForward(SPACE[:2], SPACE[1:2], matrix(draw, 2, 2), [1, 0], matrix(draw, 1, 2), [0])
        attention = sc.SelfAttention((*heads, plain) if draw.random() < 0.3 else tuple(heads))
        layers.append(sc.Layer(attention, units if draw.random() < 0.5 else None))
    ends: dict[str, Any] = {"before": "CLS"} if seed % 2 else {}
    given = words if ends else {token: words[token] for token in LETTERS}
    embedding = sc.Embedding(sc.Space(SPACE), given, start=seed % 3 % 2, **ends)
    readout = more.pop("readout", sc.Readout("value", position, SPACE))
    return sc.Transformer("drawn", embedding, tuple(layers), readout)


# --- numpy ------------------------------------------------------------------------------------------------------------


def attended(part: Any, z: Any, start: int) -> Any:
    """What numpy makes of a head: y of its definition."""
    x, n = z[:, [SPACE.index(name) for name in part.reads]], len(z)
    has = not isinstance(part, sc.Head)
    q, k, v = (x @ floats(getattr(part, name)).T for name in "QKV")
    if has:
        biases = (floats(getattr(part, name))[:, 0] for name in ("q_bias", "k_bias", "v_bias"))
        q, k, v = (side + bias for side, bias in zip((q, k, v), biases, strict=True))
    if isinstance(part, sc.RotaryHead):
        q, k = (turned(part, normed(part, side, gain)) for side, gain in ((q, part.q_gain), (k, part.k_gain)))
    i, j = np.indices((n, n))
    scores = q @ k.T * float(part.scale)
    if isinstance(part, sc.BiasedHead):
        scores = scores + float(part.slope) * (j - i)
    seen = {"none": j == j, "future": j <= i, "strict-future": j < i, "past": j >= i, "strict-past": j > i}[part.mask]
    at = [{"i": start + place, "n": n} for place in range(n)]
    symbols = part.temperature.free_symbols
    warm = np.array([float(part.temperature.subs({s: row[str(s)] for s in symbols})) for row in at])
    scores = scores / warm[:, None]
    top = np.where(seen, scores, -np.inf).max(-1, keepdims=True, initial=-1e9)
    best = seen & (np.abs(scores - top) < 1e-9)
    weights = {
        "softmax": lambda: np.where(seen, np.exp(np.minimum(scores - top, 0)), 0),
        "softmax-plus-one": lambda: best * 0.0,
        "average": lambda: best * 1.0,
        "leftmost": lambda: best * (best.cumsum(-1) == 1),
        "rightmost": lambda: best * (best[:, ::-1].cumsum(-1)[:, ::-1] == 1),
    }[part.weighting]()
    total = weights.sum(-1, keepdims=True)
    if part.weighting == "softmax-plus-one":
        weights, total = np.where(seen, np.exp(scores), 0), 1 + np.where(seen, np.exp(scores), 0).sum(-1, keepdims=True)
    return np.where(total > 0, weights / np.where(total > 0, total, 1), 0) @ v


def normed(part: sc.RotaryHead, side: Any, gain: Any) -> Any:
    """Queries or keys, divided by the roots of their mean squares."""
    if gain is None:
        return side
    return floats(gain)[:, 0] * side / np.sqrt((side * side).mean(-1, keepdims=True) + float(part.qk_epsilon))


def turned(part: sc.RotaryHead, side: Any) -> Any:
    """Queries or keys as complex numbers, each times e^(i angle position)."""
    if part.angles is None:
        return side
    half = part.angles.shape[0]
    pairs = side[:, :half] + 1j * side[:, half:]
    pairs = pairs * np.exp(1j * np.outer(np.arange(len(side)), floats(part.angles)[:, 0]))
    return np.concatenate([pairs.real, pairs.imag], axis=1)


def stream(model: sc.Transformer, word: Sequence[str]) -> Any:
    """The residual stream at the end, a row for each position."""
    tokens, start = model.tokens(word), model.embedding.start
    z = np.array([[float(model.embedding.words[t].get(name, 0)) for name in SPACE] for t in tokens])  # type: ignore[index]
    for layer in model.layers:
        before = z.copy()
        for part in layer.attention.heads:
            added = attended(part, before, start)
            for k, name in enumerate(part.writes):
                z[:, SPACE.index(name)] += added[:, k]
        if (f := layer.feedforward) is not None:
            x = z[:, [SPACE.index(name) for name in f.reads]]
            added = np.maximum(x @ floats(f.W1).T + floats(f.b1)[:, 0], 0) @ floats(f.W2).T + floats(f.b2)[:, 0]
            z[:, [SPACE.index(name) for name in f.writes]] += added
    return z


# --- Rotary heads -----------------------------------------------------------------------------------------------------

ROTARY = ("rotary", "normed", "rotary and normed")
"""What a model has: turned queries and keys, normed ones, or both."""
ANGLES = {"1": 1.0, "1/100": 0.01, "pi/2": np.pi / 2, "0": 0.0, "-2/3": -2 / 3}


def rotary_head(draw: Random, kind: str, weighting: str = "softmax", quarter: bool = False) -> sc.RotaryHead:
    pairs, writes = draw.randint(1, 2), tuple(draw.sample(SPACE, draw.randint(1, 4)))
    keys = 2 * pairs
    sides = matrix(draw, keys, 4), matrix(draw, keys, 4), matrix(draw, len(writes), 4)
    choice = ["pi/2", "0", "pi"] if quarter else [*ANGLES]
    more: dict[str, Any] = {} if kind == "normed" else {"angles": [draw.choice(choice) for _ in range(pairs)]}
    if kind != "rotary":
        more |= {"q_gain": column(draw, keys), "k_gain": column(draw, keys), "qk_epsilon": "1/50"}
    if draw.random() < 0.6:
        more |= {"q_bias": column(draw, keys), "k_bias": column(draw, keys), "v_bias": column(draw, len(writes))}
    temperature = draw.choice([1, "2/3", "1 + i/n"] if weighting.startswith("softmax") else [1, 2])
    return sc.RotaryHead(
        SPACE, writes, *sides, **more, mask=draw.choice(MASKS), weighting=weighting, scale=draw.choice([1, "1/4"]),
        temperature=temperature,
    )  # fmt: skip


def drawn_rotary(
    kind: str, seed: int, weighting: str = "softmax", quarter: bool = False, sign: bool = False
) -> sc.Transformer:
    """A model of two layers with one or two rotary heads each."""
    draw = Random(f"{kind} {seed} {weighting}")
    words = {token: {name: Fraction(draw.randint(-4, 4), 2) for name in SPACE} for token in LETTERS}
    heads = [[rotary_head(draw, kind, weighting, quarter) for _ in range(draw.randint(1, 2))] for _ in range(2)]
    layers = tuple(sc.Layer(sc.SelfAttention(tuple(some))) for some in heads)
    embedding = sc.Embedding(sc.Space(SPACE), words, start=seed % 2)
    signed = sc.Readout("sign", "last", ("x", "out"), [[1, -1]])
    return sc.Transformer("drawn", embedding, layers, signed if sign else sc.Readout("value", "last", SPACE))
