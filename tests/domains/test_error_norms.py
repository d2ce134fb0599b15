"""Norms of errors in floats with certified errors: what is computed at any point that the radii and the norm allow lies
within the radii and the norm of the result."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from families import together
from flint import arb
from trained import trained

from symcook.domains import make_domain
from symcook.domains.batch import Listed
from symcook.domains.radii import MidRadius, Radii, spectral
from symcook.forward import forward
from symcook.model.parts import Mask

ROWS, STRINGS = 4, 3


def domain() -> Radii:
    found = Radii()
    found.begin(Listed((tuple("abca"),) * STRINGS), 1)
    return found


def columns(rng: np.random.Generator, count: int) -> tuple[MidRadius, Any]:
    """Columns with radii and a norm below that of the radii, and a point that both allow."""
    mid, rad = rng.normal(0, 1, (count, ROWS, STRINGS)), rng.uniform(0, 2e-3, (count, ROWS, STRINGS))
    away = rng.choice([-1, 1], mid.shape) * rad
    norm = np.sqrt((away**2).sum(axis=0)) * rng.uniform(0.3, 1, (ROWS, STRINGS))
    away = away * norm / np.sqrt((away**2).sum(axis=0))
    return MidRadius(mid, rad, norm * (1 + 1e-12)), mid + away


def holds(found: MidRadius, point: Any) -> bool:
    error = np.abs(found.mid - point)
    return bool((error <= found.rad).all() and (np.sqrt((error**2).sum(axis=0)) <= found.norm).all())


@together("seed", range(8))
def test_each_block_keeps_the_errors_within_their_norm(seed: int) -> None:
    rng, system = np.random.default_rng(seed), domain()
    table = rng.normal(0, 0.5, (6, 5))
    matrix = table, np.abs(table), 0.0, np.sqrt((table**2).sum(axis=1))[:, None, None] * 1.001, spectral(table)
    bias = rng.normal(0, 1, (6, 1, 1)), np.zeros((6, 1, 1))
    (x, at), (y, other) = columns(rng, 5), columns(rng, 6)
    product = np.einsum("rk,kps->rps", table, at)
    assert holds(system.product(matrix, x, bias, "", y), product + bias[0] + other)
    assert holds(system.activate(x, "relu"), np.maximum(at, 0))
    assert holds(system.activate(x, "silu"), at / (1 + np.exp(-at)))
    norm: Any = SimpleNamespace(kept={}, lowered={"gain": [Fraction(k, 3) for k in range(-2, 3)], "bias": [1] * 5})
    gains = np.array([k / 3 for k in range(-2, 3)])[:, None, None]
    assert holds(system.scaled(x, norm, "gain", "bias"), gains * at + 1)
    for centre in (True, False):
        c = at - at.mean(axis=0) if centre else at
        wanted = c / np.sqrt((c**2).mean(axis=0) + 1e-5)
        found = (system.layer_norm if centre else system.rms_norm)(x, Fraction(1, 100_000), "refuse")
        assert holds(found, wanted)
    joined = system.joint([x, y])
    assert holds(joined, np.concatenate([at, other])) and holds(joined[2:7], np.concatenate([at, other])[2:7])
    assert holds(system.replaced(y, [4, 1], x[:2]), np.concatenate([other[:1], at[1:2], other[2:4], at[:1], other[5:]]))
    assert holds(system.plus(x, y[:5]), at + other[:5])


@together("seed", range(4))
@together("weighting", ["softmax", "average", "leftmost"])
def test_attention_keeps_the_errors_within_their_norm(seed: int, weighting: str) -> None:
    rng, system = np.random.default_rng(seed), domain()
    (q, query), (k, key), (v, value) = columns(rng, 2), columns(rng, 2), columns(rng, 5)
    found = system.attend(q, k, v, Mask("future"), weighting, Fraction(1, 2))
    for s in range(STRINGS):
        for i in range(ROWS):
            scores = query[:, i, s] @ key[:, : i + 1, s] / 2
            if weighting == "softmax":
                weights = np.exp(scores - scores.max())
            else:
                weights = (scores == scores.max()).astype(float)
            mean = value[:, : i + 1, s] @ weights / weights.sum()
            error = np.abs(found.mid[:, i, s] - mean)
            assert (error <= found.rad[:, i, s]).all() and np.sqrt((error**2).sum()) <= found.norm[i, s]


@together("shape", [(1, 1), (3, 7), (40, 12), (12, 40)])
def test_the_norm_of_a_matrix_is_bounded_and_little_above(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(1)
    for scale in (1e-200, 1.0, 1e9):
        table = rng.normal(0, scale, shape)
        exact = np.linalg.svd(table)[1][0]
        assert exact <= spectral(table) * (1 + 1e-12) and spectral(table) <= 1.08 * exact + 1e-140
    assert spectral(np.zeros((2, 3))) == 0 and spectral(np.zeros((0, 3))) == 0


@pytest.mark.parametrize("layers", [3])
def test_three_layers_of_a_random_gpt_are_decided_and_right(layers: int) -> None:
    """With radii alone nothing was: they grow by a factor of 10^4 to 10^6 a layer."""
    model = trained(5, width=8, layers=layers)
    words = [tuple(word) for word in ("abcab", "ccccc", "bacba")]
    found = forward(model, Listed(tuple(words)), Radii())
    assert all((column >= 0).all() for column in found.answers)
    for code, word in enumerate(words):
        exact = forward(model, word, make_domain("ball", bits=200))
        for name, column in found.scores.items():
            for place, true in enumerate(exact.scores[name]):
                mid, rad = float(column.mid[place, code]), float(column.rad[place, code])
                assert rad < 1e-6 and arb(mid, rad).contains(arb(true))
