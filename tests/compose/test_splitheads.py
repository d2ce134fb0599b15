"""The heads of published attention layers beside numpy, which computes all heads at once, as the papers do."""

from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest

import symcook as sc
from symcook.compose.splitheads import alibi_slopes, rotary_angles, split_heads
from symcook.domains import make_domain
from symcook.errors import BadInput
from symcook.forward import forward

SPACE = ("u", "v", "x", "y")
WORDS = {token: dict(zip(SPACE, row, strict=True)) for token, row in
         {"a": (1, 0, -1, 2), "b": (0, 2, 1, -1), "c": (-1, 1, 1, 1)}.items()}  # fmt: skip
KINDS = ("plain", "biases", "alibi", "rotary", "interleaved", "partial", "normed")


def table(draw: Random, *shape: int) -> Any:
    return np.array([draw.randint(-8, 8) / 8 for _ in range(int(np.prod(shape)))]).reshape(shape)


def layer_and_reference(kind: str, seed: int) -> tuple[sc.Transformer, Any]:
    """A model with one attention layer, and the function that numpy has of its input rows."""
    draw = Random(f"{kind} {seed}")
    groups = draw.choice([1, 2])
    heads, width, size = groups * draw.choice([1, 2]), draw.choice([2, 4]) * 2, draw.choice([1, 3])
    Q, K = table(draw, heads * width, 4), table(draw, groups * width, 4)
    V, outward = table(draw, groups * size, 4), table(draw, 4, heads * size)
    more: dict[str, Any] = {"heads": heads, "groups": groups}
    bias = kind in ("biases", "rotary", "normed")
    named = {"query_bias": len(Q), "key_bias": len(K), "value_bias": len(V), "output_bias": 4}
    biases = {name: table(draw, length) if bias else np.zeros(length) for name, length in named.items()}
    if bias:
        more |= biases
    angles: list[float] = []
    if kind == "alibi":
        more["slopes"] = alibi_slopes(heads)
    if kind in ("rotary", "interleaved", "normed", "partial"):
        turns = width // 2 if kind == "partial" else width
        more |= {"angles": rotary_angles(turns, 100), "interleaved": kind == "interleaved"}
        angles = [100.0 ** (-2 * k / turns) for k in range(turns // 2)]
    gains = table(draw, width), table(draw, width)
    if kind == "normed":
        more |= {"query_gain": gains[0], "key_gain": gains[1], "epsilon": "1/100"}
    attention = split_heads(SPACE, SPACE, Q, K, V, outward, **more)
    readout = sc.Readout("value", "last", SPACE)
    model = sc.Transformer("m", sc.Embedding(sc.Space(SPACE), WORDS), (sc.Layer(attention),), readout)

    def turn(side: Any) -> Any:
        """(n, heads, width), by complex numbers."""
        turned, count = side.copy(), len(angles)
        n = np.exp(1j * np.outer(np.arange(len(side)), angles))[:, None, :]
        first, second = (slice(0, 2 * count, 2), slice(1, 2 * count, 2)) if kind == "interleaved" else (
            slice(count), slice(count, 2 * count))  # fmt: skip
        pairs = (side[..., first] + 1j * side[..., second]) * n
        turned[..., first], turned[..., second] = pairs.real, pairs.imag
        return turned

    def run(x: Any) -> Any:
        n = len(x)
        q = (x @ Q.T + biases["query_bias"]).reshape(n, heads, width)
        k = (x @ K.T + biases["key_bias"]).reshape(n, groups, width)
        v = (x @ V.T + biases["value_bias"]).reshape(n, groups, size)
        if kind == "normed":
            q, k = (g * s / np.sqrt((s * s).mean(-1, keepdims=True) + 0.01) for g, s in zip(gains, (q, k), strict=True))
        if angles:
            q, k = turn(q), turn(k)
        k, v = (np.repeat(side, heads // groups, axis=1) for side in (k, v))
        scores = np.einsum("ihd,jhd->hij", q, k) / np.sqrt(width)
        i, j = np.indices((n, n))
        if kind == "alibi":
            slopes = [2.0 ** (-8 * (h + 1) / heads) for h in range(heads)]
            scores = scores - np.array(slopes)[:, None, None] * (i - j)
        weights = np.where(j <= i, np.exp(scores), 0)
        weights = weights / weights.sum(-1, keepdims=True)
        return x + np.einsum("hij,jhd->ihd", weights, v).reshape(n, -1) @ outward.T + biases["output_bias"]

    return model, run


@pytest.mark.layer_one(0, 31, 62, 93, 124, 155, 186)
@pytest.mark.parametrize(("kind", "seed"), [(kind, seed) for kind in KINDS for seed in range(30)])
def test_split_heads_are_the_layer(kind: str, seed: int) -> None:
    model, run = layer_and_reference(kind, seed)
    for word in ("a", "cab"):
        wanted = run(np.array([list(WORDS[token].values()) for token in word], dtype=float))[-1]
        values = forward(model, model.tokens(word), make_domain("float64")).values()
        assert np.abs(np.array(list(values.values())) - wanted).max() < 1e-12 * (1 + np.abs(wanted).max())


def test_the_kind_of_a_head_is_the_simplest() -> None:
    kinds = {kind: type(layer_and_reference(kind, 0)[0].layers[0].attention.heads[0]).__name__ for kind in KINDS}
    assert [kinds[kind] for kind in KINDS] == ["Head", *["BiasedHead"] * 2, *["RotaryHead"] * 4]


def test_slopes_and_angles_are_exact() -> None:
    assert alibi_slopes(8) == [Fraction(1, 2**k) for k in range(1, 9)]
    assert alibi_slopes(3) == [Fraction(1, 16), Fraction(1, 256), Fraction(1, 4)]
    assert rotary_angles(4, 100) == ["1", "(100)^(-1/2)"]


@pytest.mark.parametrize(
    ("more", "must"),
    [
        ({"heads": 3, "groups": 2}, "a multiple of the number of key-value groups; given: 3 heads and 2 groups"),
        ({"heads": 2, "output": [[1]]}, "output must have shape 1 x 2; given: 1 x 1"),
        ({"heads": 2, "slopes": [1, 1], "angles": [1]}, "not both; given: both"),
        ({"heads": 2, "query_bias": [1]}, "query_bias must have 2 entries; given: 1 x 1"),
        ({"heads": 2, "angles": [1]}, "at least two for each angle; given: key dimensions: 1, angles: 1"),
        ({"heads": 2, "key": [[float("nan")], [1.0]]}, "key must .*finite"),
    ],
)
def test_what_does_not_fit_is_refused(more: dict[str, Any], must: str) -> None:
    fields: dict[str, Any] = {"query": [[1], [1]], "key": [[1], [1]], "value": [[1], [1]], "output": [[1, 1]]}
    with pytest.raises(BadInput, match=must):
        split_heads(["x"], ["y"], **(fields | more))


@pytest.mark.parametrize("more", [{"mask": "strict-causal"}, {"weighting": "softmax-plus-one"}])
def test_a_bias_of_the_output_needs_weights_that_add_up_to_one(more: dict[str, Any]) -> None:
    """It becomes a bias of values, which a position that sees nothing would not get."""
    with pytest.raises(BadInput, match="weights that add up to 1 at every position"):
        split_heads(["x"], ["y"], [[0]], [[0]], [[0]], [[1]], heads=1, scale=1, output_bias=[5], **more)
