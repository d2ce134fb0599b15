"""An imported GPT: certified questions about given strings, beside numpy's own pass over these strings."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from typing import Any

from timing import Row, best, longer, same

LETTERS, WIDTH, HEADS, LAYERS, POSITIONS = "abc", 48, 3, 3, 11
"""Sizes of a model with 85,344 parameters and learned positions."""
HIDDEN = 4 * WIDTH


def state() -> dict[str, Any]:
    """Random weights in float32 under the names of nanoGPT."""
    import numpy as np

    rng = np.random.default_rng(0)

    def drawn(*shape: int) -> Any:
        return (rng.normal(size=shape) * (0.15 if len(shape) == 2 else 0.1)).astype(np.float32)

    found = {"transformer.wte.weight": drawn(len(LETTERS), WIDTH), "transformer.wpe.weight": drawn(POSITIONS, WIDTH)}
    for number in range(LAYERS):
        key = f"transformer.h.{number}."
        sizes = {"attn.c_attn": 3 * WIDTH, "attn.c_proj": WIDTH, "mlp.c_fc": HIDDEN, "mlp.c_proj": WIDTH}
        for name, rows in sizes.items():
            columns = HIDDEN if name == "mlp.c_proj" else WIDTH
            found |= {f"{key}{name}.weight": drawn(rows, columns), f"{key}{name}.bias": drawn(rows)}
        for name in ("ln_1", "ln_2"):
            found |= {f"{key}{name}.weight": 1 + drawn(WIDTH), f"{key}{name}.bias": drawn(WIDTH)}
    found |= {"transformer.ln_f.weight": 1 + drawn(WIDTH), "transformer.ln_f.bias": drawn(WIDTH)}
    return found | {"lm_head.weight": drawn(len(LETTERS), WIDTH)}


def forward(w: dict[str, Any], word: str) -> Any:
    """The logits at each position, by numpy in float64."""
    import numpy as np

    def norm(key: str, x: Any) -> Any:
        x = x - x.mean(axis=1, keepdims=True)
        return x / np.sqrt((x * x).mean(axis=1, keepdims=True) + 1e-5) * w[f"{key}.weight"] + w[f"{key}.bias"]

    def linear(key: str, x: Any) -> Any:
        return x @ w[f"{key}.weight"].T.astype(float) + w[f"{key}.bias"]

    def head(queries: Any, keys: Any, values: Any) -> Any:
        scores = np.where(np.tri(len(queries), dtype=bool), queries @ keys.T / (WIDTH // HEADS) ** 0.5, -np.inf)
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        return weights / weights.sum(axis=1, keepdims=True) @ values

    x = w["transformer.wte.weight"][[LETTERS.index(symbol) for symbol in word]].astype(float)
    x = x + w["transformer.wpe.weight"][: len(word)]
    for number in range(LAYERS):
        key = f"transformer.h.{number}."
        columns = np.split(linear(key + "attn.c_attn", norm(key + "ln_1", x)), 3 * HEADS, axis=1)
        heads = [head(*columns[k::HEADS]) for k in range(HEADS)]
        x = x + linear(key + "attn.c_proj", np.concatenate(heads, axis=1))
        inner = linear(key + "mlp.c_fc", norm(key + "ln_2", x))
        inner = inner / 2 * (1 + np.tanh((2 / np.pi) ** 0.5 * (inner + 0.044715 * inner**3)))
        x = x + linear(key + "mlp.c_proj", inner)
    return norm("transformer.ln_f", x) @ w["lm_head.weight"].T.astype(float)


def strings(count: int) -> list[str]:
    """Distinct random strings, of 6 to 11 letters."""
    rng, found = random.Random(0), dict[str, None]()
    while len(found) < count:
        found["".join(rng.choices(LETTERS, k=rng.randint(6, POSITIONS)))] = None
    return list(found)


def model(given: dict[str, Any]) -> Any:
    import symcook as sc

    return sc.from_state_dict(given, vocabulary=LETTERS, heads=HEADS, activation="gelu-tanh")


def rows() -> Iterator[Row]:
    import numpy as np

    given = state()
    ready, size = model(given), sum(array.size for array in given.values())
    some, many = strings(20), strings(100)

    def distances() -> float:
        """The smallest distance between the two greatest logits at the last position."""
        return min(float(np.diff(np.sort(forward(given, word)[-1])[-2:])[0]) for word in some)

    def margins() -> Any:
        return ready.margin(POSITIONS, inputs=some, positions="last")

    def answers(word: str) -> list[str]:
        return [LETTERS[k] for k in forward(given, word).argmax(axis=1)]

    def checked() -> Any:
        return ready.check(answers, POSITIONS, inputs=many, domain="ball")

    seconds, other, found, reference = best(margins, distances, 2, time.process_time)
    what = f"margins of 20 strings in a GPT of {size} parameters: against numpy"
    same(abs(min(float(row["margin"].mid) for row in found.rows) - reference) < 1e-9, what)
    yield longer(what, seconds, other, None)
    seconds, other, found, _ = best(checked, lambda: [*map(answers, many)], 2, time.process_time)
    same(found.holds, what)
    yield longer(f"check of 100 strings in a GPT of {size} parameters: against numpy alone", seconds, other, None)
