"""Floats with certified errors that contain the results of every runtime: each operation against short floats that add
in orders drawn at random, at any point that the balls allow."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from families import together
from test_error_norms import columns
from trained import trained

from symcook.domains.batch import Listed
from symcook.domains.radii import MidRadius, Radii, spectral
from symcook.domains.radiiruntime import RuntimeRadii
from symcook.errors import NotExact
from symcook.export.infloats import in_floats
from symcook.forward import forward
from symcook.model.parts import Mask

TYPES = {"float16": np.float16, "float32": np.float32, "float64": np.float64}


class Runtime:
    """Arithmetic in one type: each operation is rounded once, and sums are taken in orders drawn at random."""

    def __init__(self, dtype: str, seed: int) -> None:
        self.type, self.rng = TYPES[dtype], np.random.default_rng(seed)

    def __call__(self, numbers: Any) -> Any:
        return np.asarray(numbers).astype(self.type)

    def total(self, terms: list[Any]) -> Any:
        left = [terms[k] for k in self.rng.permutation(len(terms))]
        while len(left) > 1:
            k = int(self.rng.integers(len(left) - 1))
            left[k : k + 2] = [left[k] + left[k + 1]]
        return left[0]

    def product(self, table: Any, x: Any, *more: Any) -> Any:
        rows = [[w * entry for w, entry in zip(row, x, strict=True)] for row in self(table)]
        return np.array([self.total([*row, *(term[r] for term in more)]) for r, row in enumerate(rows)])

    def divided(self, x: Any, epsilon: float) -> Any:
        mean = self.total([entry * entry for entry in x]) / self.type(len(x))
        return x / np.sqrt(mean + self.type(epsilon))

    def centred(self, x: Any) -> Any:
        return x - self.total([*x]) / self.type(len(x))

    def attend(self, query: Any, keys: Any, values: Any, factor: float, first: bool) -> Any:
        """One row: keys and values have the axes entry, position."""
        seen = range(keys.shape[1])
        scores = [self.total([a * b for a, b in zip(query, keys[:, j], strict=True)]) * self.type(factor) for j in seen]
        powers = [np.exp(score - max(scores)) for score in scores]
        whole = self.total(powers)
        if first:
            shares = [power / whole if self.rng.random() < 0.5 else power * (1 / whole) for power in powers]
            return np.array([self.total([a * v for a, v in zip(shares, row, strict=True)]) for row in values])
        return np.array([self.total([a * v for a, v in zip(powers, row, strict=True)]) / whole for row in values])


def system(dtype: str) -> RuntimeRadii:
    found = RuntimeRadii(dtype, 2)
    found.begin(Listed((tuple("abca"),) * 3), 1)
    return found


def holds(found: Any, point: Any) -> bool:
    error = np.abs(found.mid - point.astype(np.float64))
    return bool((error <= found.rad).all() and (np.sqrt((error**2).sum(axis=0)) <= found.norm).all())


def within(rng: Any, count: int, runtime: Runtime) -> tuple[Any, Any]:
    """Columns, and a point of the type that their balls allow."""
    found, at = columns(rng, count)
    stored_at = runtime(at)
    found.rad = found.rad + np.abs(stored_at - at)
    found._norm = found.norm + np.sqrt(((stored_at - at) ** 2).sum(axis=0))
    return found, stored_at


@together("dtype", list(TYPES))
@together("seed", range(6))
def test_each_operation_contains_what_a_runtime_rounds(dtype: str, seed: int) -> None:
    rng, found, runtime = np.random.default_rng(seed), system(dtype), Runtime(dtype, seed)
    table, added = rng.normal(0, 0.5, (5, 4)), rng.normal(0, 1, (5, 1, 1))
    lines = np.sqrt((table**2).sum(axis=1))[:, None, None] * 1.001
    matrix, bias = (table, np.abs(table), 0.0, lines, spectral(table)), (added, np.zeros_like(added))
    (x, at), (y, other) = within(rng, 4, runtime), within(rng, 5, runtime)
    onto = runtime(added) + np.zeros_like(other)
    assert holds(found.product(matrix, x, bias, "", y), runtime.product(table, at, onto, other))
    assert holds(found.product(matrix, x, None, "relu"), np.maximum(runtime.product(table, at), 0))
    assert holds(found.activate(x, "silu"), at * (1 / (1 + np.exp(-at))))
    assert holds(found.multiplied(x, y[:4]), at * other[:4])
    assert holds(found.plus(x, y[:4]), at + other[:4])
    norm: Any = SimpleNamespace(kept={}, lowered={"gain": [Fraction(k, 3) for k in range(-1, 3)], "bias": [1] * 4})
    gains = runtime(np.array([k / 3 for k in range(-1, 3)]))[:, None, None]
    assert holds(found.scaled(x, norm, "gain", "bias"), gains * at + runtime(1))
    epsilon = Fraction(1, 10)
    assert holds(found.rms_norm(x, epsilon, "refuse"), runtime.divided(at, 0.1))
    assert holds(found.layer_norm(x, epsilon, "refuse"), runtime.divided(runtime.centred(at), 0.1))
    column = found.placed(Fraction(1, 3), Fraction(1, 7))
    value = runtime(1 / 3) * runtime(1 / 7)
    assert (np.abs(column.mid - float(value)) <= column.rad).all()


@together("dtype", list(TYPES))
@together("value", [1, 100, 3000, 60_000, Fraction(1, 10**7)])
@together("weight", [Fraction(3, 10**7), Fraction(1, 10**8), Fraction(1, 10**40), Fraction(-1, 10**320)])
def test_a_term_of_a_position_contains_a_weight_that_underflows(dtype: str, value: Any, weight: Fraction) -> None:
    """A weight that is stored as 0 or with few bits leaves an error of its size times the value."""
    column, stored = system(dtype).placed(Fraction(value), weight), Runtime(dtype, 0)
    product = stored(float(value)) * stored(float(weight))
    assert (np.abs(column.mid - float(product)) <= column.rad).all()


@together("dtype", ["float32", "float64"])
def test_a_norm_adds_a_few_roundings_of_the_type(dtype: str) -> None:
    """Of k entries: k + 6 roundings of the mean of squares, and 3 of the result."""
    found, rng = system(dtype), np.random.default_rng(0)
    entries = MidRadius(rng.integers(-8, 9, (4, 4, 3)) / 4, np.zeros((4, 4, 3)))
    result = found.rms_norm(entries, Fraction(1, 8), "refuse")
    plain = Radii.rms_norm(found, entries, Fraction(1, 8), "refuse")
    assert (result.rad - plain.rad <= 1.2 * (4 + 6 + 3) * found.roundings.unit * np.abs(result.mid) + 1e-40).all()


@together("dtype", list(TYPES))
@together("seed", range(6))
def test_attention_contains_both_orders_of_division(dtype: str, seed: int) -> None:
    rng, found, runtime = np.random.default_rng(seed), system(dtype), Runtime(dtype, seed)
    (q, query), (k, key), (v, value) = (within(rng, count, runtime) for count in (2, 2, 3))
    if seed == 5:  # exponentials that a runtime may flush to zero
        k.mid, key = 50 * k.mid, runtime(50 * k.mid)
        k.rad, k._norm = np.abs(key - k.mid) + 1e-3, None
    mean = found.attend(q, k, v, Mask("future"), "softmax", Fraction(1, 2))
    assert seed == 5 or np.isfinite(mean.rad).all()
    for s in range(3):
        for i in range(4):
            for first in (False, True):
                seen = slice(0, i + 1)
                row = runtime.attend(query[:, i, s], key[:, seen, s], value[:, seen, s], 0.5, first)
                error = np.abs(mean.mid[:, i, s] - row)
                assert (error <= mean.rad[:, i, s]).all() and np.sqrt((error**2).sum()) <= mean.norm[i, s]


def test_what_is_not_decided_is_left() -> None:
    """In a type of few bits, all strings; a head that compares scores is refused."""
    model = trained(5, width=8, layers=3)
    found = in_floats(model, "bfloat16", 2, iter([("a", "b"), ("c", "c")]))
    assert found is not None and found.left == [("a", "b"), ("c", "c")] and found.margin is None and not found.outputs
    with pytest.raises(NotExact, match="softmax heads or uniform ones"):
        (q, _), (v, _) = columns(np.random.default_rng(0), 2), columns(np.random.default_rng(1), 2)
        system("float64").attend(q, q, v, Mask("future"), "leftmost", Fraction(1))
    wide: Any = RuntimeRadii("float64", 9)
    assert forward(model, Listed((("a", "b"),)), wide).answers
