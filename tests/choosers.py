"""Models at random whose heads choose, or average by softmax: several heads, all masks, positions as i/n, i and 1/i,
tokens before and after, every readout."""

from __future__ import annotations

import random
from typing import Any

from symcook.model.checks import Space
from symcook.model.ends import Embedding, Readout
from symcook.model.parts import FeedForward, Head, Layer, SelfAttention
from symcook.model.transformer import Transformer

NAMES = ("a", "b", "c", "d")


def chooser(
    seed: int, ways: tuple[str, ...] = ("average", "leftmost", "rightmost")
) -> tuple[Transformer, random.Random]:
    r = random.Random(seed)

    def table(rows: int, columns: int, size: int = 1) -> list[list[int]]:
        return [[r.randint(-size, size) for _ in range(columns)] for _ in range(rows)]

    masks = ["none", "future", "past", "strict-future", "strict-past"]

    def head() -> Head:
        writes = r.choice([("c",), ("c", "d")])
        weighting = r.choice(ways)
        return Head(NAMES, writes, table(1, 4), [[r.randint(-1, 1), r.randint(-1, 1), 0, 1]], table(len(writes), 4),
                    r.choice(masks), weighting)  # fmt: skip

    layers = []
    for _ in range(r.choice([1, 2])):
        network = FeedForward(NAMES, ("c", "d"), table(3, 4), [r.randint(-1, 1) for _ in range(3)], table(2, 3),
                              [0, 0], r.choice(["relu", "step"]))  # fmt: skip
        layers.append(Layer(SelfAttention(tuple(head() for _ in range(r.choice([1, 2])))), network))
    before, after = r.choice([(None, None), ("CLS", None), (None, "END")])
    words = {"x": {"a": 1}, "y": {"b": r.choice([1, 2])}, "CLS": {"c": 1}, "END": {"d": 1}}
    used = {token: numbers for token, numbers in words.items() if token in ("x", "y", before, after)}
    place = r.choice([{}, {"d": "i/n"}, {"d": "i"}, {"d": "1/i"}])
    kind = r.choice(["sign", "zero", "largest"])
    reads: tuple[str, ...] = ("b", "c")
    more: dict[str, Any] = {"sign": {"weights": table(1, 2)}, "largest": {"weights": table(2, 2), "labels": ("p", "q")}}
    position = r.choice(["first", "last", "each"] + ["all"] * (kind != "largest"))
    readout = Readout(kind, position, reads, **more.get(kind, {}))
    embedding = Embedding(Space(NAMES), words=used, positions=place, before=before, after=after)
    return Transformer(f"chooser-{seed}", embedding, tuple(layers), readout), r
