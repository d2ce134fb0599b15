"""Guarantees of models whose weights have few bits and exponents near both ends of the type: what is certain of a
length is so of all its words, in the exact model and in numpy, and what a certificate shows holds the exact outputs.
"""

from __future__ import annotations

import itertools
import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import symcook as sc
from symcook.errors import BadInput
from symcook.export import archive
from symcook.export.guarantee import guarantee

F = Fraction
NAMES = ("a", "b", "c", "d")
ENDS = {"float64": (-1074, 1020, 53), "float32": (-149, 126, 24), "float16": (-24, 14, 11), "bfloat16": (-133, 126, 8)}
"""About the least and the greatest exponent, and the bits."""


def drawn(seed: int) -> tuple[sc.Transformer, str]:
    """One or two layers of a mean and a network, over two tokens; and a type."""
    r = random.Random(seed)
    dtype = r.choice(list(ENDS))
    low, high, bits = ENDS[dtype]
    exponents = [0, 0, 0, -1, 1, low // 2, low // 2 + 3, high // 2, low + 2, low // 3, bits]

    def weight() -> Fraction:
        return F(0) if r.random() < 0.2 else F(r.choice([1, 1, -1, 3, -3, 5])) * F(2) ** r.choice(exponents)

    words = {token: {name: weight() for name in ("a", "b")} for token in "xy"}
    layers = []
    for number in range(r.choice([1, 1, 2])):
        head = None
        if r.random() < 0.5:
            reads = NAMES if number else ("a", "b")
            zeros, values = [[0] * len(reads)], [[weight() for _ in reads]]
            head = sc.Head(reads, ("c",), zeros, zeros, values, r.choice(["future", "none", "strict-future"]))
        reads = NAMES if number else ("a", "b", "c")
        inside = [[weight() for _ in reads] for _ in range(2)], [weight() for _ in range(2)]
        behind, kind = ([[weight(), weight()]], [weight()]), r.choice(["relu", "relu", "step"])
        layers.append(sc.Layer(head, sc.FeedForward(reads, ("c",) if number else ("d",), *inside, *behind, kind)))
    kind = r.choice(["sign", "sign", "zero"])
    readout = sc.Readout(kind, "last", ("c", "d"), [[weight(), weight()]] if kind == "sign" else None)
    return sc.Transformer("far", sc.Embedding(sc.Space(NAMES), words=words), tuple(layers), readout), dtype


def within(exact: Any, ends: list[str]) -> bool:
    low, high = ends
    below = low == "-inf" or F(low) <= F(str(exact))
    return below and (high == "inf" or F(str(exact)) <= F(high))


@pytest.mark.parametrize(
    "seeds", [range(290, 310), range(2045, 2065), *(range(k, k + 20) for k in range(3000, 3200, 20))]
)
@pytest.mark.layer_two(every=2)
@pytest.mark.sweep
def test_what_is_certain_is_so(seeds: range) -> None:
    certain = 0
    for seed in seeds:
        model, dtype = drawn(seed)
        try:
            m = archive.arrays(model, dtype, 3)
        except BadInput:  # a weight that the type does not hold
            continue
        found = guarantee(model, dtype, 3, m=m)
        for each in (found, found["divided_first"]):
            for length in each["lengths"]:
                words = list(itertools.product("xy", repeat=length["length"]))
                with np.errstate(all="ignore"):
                    tokens = np.array([["xy".index(t) for t in word] for word in words])
                    z = archive.evaluate(m, archive.embed(m, tokens))
                    answers = archive.verdicts(m, z).tolist()
                for word, answer in zip(words, answers, strict=True):
                    run = model.run("".join(word), "exact")
                    assert run.accept == answer, (seed, dtype, word)
                    for name, ends in length["outputs"].items():
                        exact = run.output.get(name)
                        assert exact is None or len(str(exact)) > 200 or within(exact, ends), (seed, dtype, word, name)
                    certain += 1
    assert certain > 100
