"""A model of a million weights made of a plain state dict, and exported with its certificate."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from timing import Row, best, faster, longer, same

WIDTH, HIDDEN, LAYERS, TOKENS, LENGTH = 128, 512, 5, 100, 16
"""Sizes of a model with 1,019,008 parameters."""


def state() -> dict[str, Any]:
    """Random weights in float32 under the names of torch's encoder."""
    import numpy as np

    rng = np.random.default_rng(0)
    shapes: dict[str, tuple[int, ...]] = {
        "embedding.weight": (TOKENS, WIDTH), "positions.weight": (LENGTH, WIDTH), "output.weight": (TOKENS, WIDTH)
    }  # fmt: skip
    for number in range(LAYERS):
        key = f"layers.{number}."
        shapes |= {f"{key}self_attn.in_proj_weight": (3 * WIDTH, WIDTH), f"{key}self_attn.in_proj_bias": (3 * WIDTH,)}
        shapes |= {f"{key}self_attn.out_proj.weight": (WIDTH, WIDTH), f"{key}self_attn.out_proj.bias": (WIDTH,)}
        shapes |= {f"{key}linear1.weight": (HIDDEN, WIDTH), f"{key}linear1.bias": (HIDDEN,)}
        shapes |= {f"{key}linear2.weight": (WIDTH, HIDDEN), f"{key}linear2.bias": (WIDTH,)}
        shapes |= {f"{key}norm{k}.{name}": (WIDTH,) for k in (1, 2) for name in ("weight", "bias")}
    return {key: (rng.normal(size=shape) / WIDTH**0.5).astype(np.float32) for key, shape in shapes.items()}


def model(given: dict[str, Any]) -> Any:
    import symcook as sc

    vocabulary = [f"t{k}" for k in range(TOKENS)]
    return sc.from_state_dict(given, vocabulary=vocabulary, heads=4, norm="pre", activation="relu")


def million() -> Iterator[Row]:
    """Against numpy, which writes the same numbers without a certificate."""
    import numpy as np

    given = state()
    ready = model(given)
    size = sum(array.size for array in given.values())
    for dtype in ("float64", "float32"):
        with tempfile.TemporaryDirectory() as folder:

            def ours(place: Path = Path(folder) / "m.npz", dtype: str = dtype) -> Any:
                return ready.export(place, dtype=dtype, force=True)

            def plain(place: Path = Path(folder) / "plain.npz", dtype: str = dtype) -> None:
                np.savez_compressed(place, **{key: array.astype(dtype) for key, array in given.items()})

            seconds, other, document, _ = best(ours, plain, 2, time.process_time)
            with np.load(Path(folder) / "m.npz") as found:
                stored = found["step2.W1"][:, :WIDTH]  # beside a column of biases
                same(np.array_equal(stored, given["layers.0.linear1.weight"].astype(dtype)), "export")
            same(document["dtype"] == dtype, "export")
            yield longer(f"export {size} parameters in {dtype} against numpy.savez_compressed", seconds, other, None)
    seconds, other, *_ = best(lambda: model(given), lambda: [a.tolist() for a in given.values()], 2)
    yield longer(f"an exact model of {size} parameters against their lists of floats", seconds, other, None)


def matrices() -> Iterator[Row]:
    """An exact matrix of floats against sympy's own."""
    import numpy as np
    import sympy

    from symcook.numbers.matrix import RationalMatrix

    floats = np.random.default_rng(0).normal(size=(100, 100))
    entries = [sympy.Rational(*x.as_integer_ratio()) for x in floats.ravel().tolist()]
    seconds, other, made, reference = best(
        lambda: RationalMatrix.of([x.as_integer_ratio() for x in floats.ravel().tolist()], floats.shape),
        lambda: sympy.ImmutableMatrix(*floats.shape, entries),
        3,
        time.thread_time,
    )
    same(made == reference, "matrices")
    yield faster("a matrix of 10,000 rationals against sympy's, which are given as its numbers", seconds, other, None)


def rows() -> Iterator[Row]:
    yield from million()
    yield from matrices()
