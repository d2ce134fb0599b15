"""Answers of domains that round: what is called reliable, or decided, is right; exact numbers or precise balls say what
is right.

    python tests/test_rounding.py [COUNT] [SEED]

runs the attack on COUNT models and prints how many answers were left open.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import dense
import flint
import mpmath
import numpy as np
import pytest

from symcook.blocks import (
    ACTIVATIONS,
    MASKS,
    WEIGHTINGS,
    Embedding,
    FeedForward,
    Head,
    Layer,
    LayerNorm,
    Readout,
    SelfAttention,
    Space,
    Transformer,
)
from symcook.domains.ball import Ball
from symcook.domains.rounding import EXP_ULPS, FORMATS, Format, Rounding
from symcook.errors import BadInput, Undecided
from symcook.forward import forward, make_domain, run

NAMES = ("one", "a", "b", "c", "d")
RUNS: list[tuple[str, dict[str, Any]]] = [
    ("float64", {}), ("float32", {}), ("float16", {}), ("mpmath", {"digits": 15}), ("mpmath", {"digits": 40}),
    ("mpmath", {"bits": 8}), ("mpmath", {"bits": 24}), ("mpmath", {"bits": 60}),
]  # fmt: skip


def drawn(rng: random.Random) -> Transformer:
    """A model of words in x, y, z, with tokens of its own around them or not, that shows all its coordinates."""
    rational: list[Any] = [0, 0, 1, -1, 2, "1/2", "-1/3", "3/7", "1/10"]
    pool = rational + rng.choice([[], [], ["sqrt(2)", "-sqrt(3)/3", "log(2)", "exp(-1)"]])

    def matrix(rows: int, columns: int) -> list[list[Any]]:
        return [[rng.choice(pool) for _ in range(columns)] for _ in range(rows)]

    def head() -> Head:
        weighting, d = rng.choice(["average", "softmax", *WEIGHTINGS]), rng.choice([1, 2])
        writes = tuple(rng.sample(NAMES[1:], rng.choice([1, 2])))
        soft = weighting == "softmax"
        return Head(NAMES, writes, matrix(d, 5), matrix(d, 5), matrix(len(writes), 5), rng.choice(MASKS), weighting,
                    rng.choice([1, 1, "1/n", "i + 1", "1/log(n + 1)"]) if soft else 1,
                    rng.choice([1, "1/sqrt(d_key)"]) if soft else 1)  # fmt: skip

    def network() -> FeedForward:
        hidden = rng.choice([1, 2, 3])
        activation = rng.choice(["relu", "relu", "relu", *ACTIVATIONS])
        return FeedForward(NAMES, ("d", "b"), matrix(hidden, 5), matrix(hidden, 1), matrix(2, hidden), matrix(2, 1),
                           activation)  # fmt: skip

    def norm(projected: bool) -> LayerNorm:
        projection = [[int(r == c) or rng.choice([0, 0, "1/2"]) for c in range(5)] for r in range(5)]
        gain, bias = [rng.choice([1, -1, 2, "1/3"]) for _ in NAMES], [rng.choice([0, 0, 1, "1/7"]) for _ in NAMES]
        return LayerNorm(NAMES, NAMES, gain, bias, rng.choice([0, 1, "1/100", "1/100000"]),
                         projection if projected else None, rng.choice(["zero", "refuse"]))  # fmt: skip

    def layer() -> Layer:
        placement = rng.choice(["none", "none", "post", "pre", "projected pre"])
        heads = SelfAttention(tuple(head() for _ in range(rng.choice([1, 2]))))
        forwards = network() if rng.random() < 0.7 else None
        norms = [(norm(placement == "projected pre"),) if placement != "none" else () for _ in range(2)]
        return Layer(heads, forwards, norms[0], norms[1] if forwards else (), placement)

    words = {token: {"one": 1} | {name: rng.choice(pool) for name in NAMES[1:]} for token in ("x", "y", "z", "B", "E")}
    before, after = rng.choice([(None, None), ("B", None), ("B", "E")])
    words = {token: values for token, values in words.items() if token in ("x", "y", "z", before, after)}
    positions = rng.choice([{}, {"c": "i/n"}, {"d": "1/i"}, {"a": "(-1)^i"}, {"b": "sqrt(i)"}])
    embedding = Embedding(Space(NAMES), words, positions=positions, before=before, after=after)
    layers = tuple(layer() for _ in range(rng.choice([1, 1, 2])))
    return Transformer("drawn", embedding, layers, Readout("value", rng.choice(["first", "last"]), NAMES))


def precise(model: Transformer, tokens: tuple[str, ...], bits: int) -> Any:
    """The result in balls of so many bits; None where it has no value there, or balls leave a choice open."""
    domain = Ball(bits)
    with domain.context():
        try:
            return forward(model, tokens, domain)
        except (BadInput, Undecided):
            return None


def questions(seed: int, count: int) -> Iterator[tuple[Transformer, tuple[str, ...], bool]]:
    """Models with words whose decision has a margin of 10^-1 to 10^-45, or is a tie, and what is right."""
    rng = random.Random(seed)
    while count:
        model = drawn(rng)
        tokens = model.tokens("".join(rng.choice("xyz") for _ in range(rng.choice([1, 2, 3, 4, 6, 9]))))
        found = precise(model, tokens, 600)
        if found is None:
            continue
        with flint.ctx.workprec(600):
            values = found.values()
            name = rng.choice(NAMES[1:])
            if values["one"].contains(0):
                continue
            ratio = values[name] / values["one"]
            if not ratio.is_finite() or abs(ratio) > 10**6:
                continue
            middle = Fraction(*(int(part) for part in (ratio.mid().fmpq().p, ratio.mid().fmpq().q)))
        digits = rng.choice([1, 3, 5, 7, 9, 12, 14, 15, 16, 17, 20, 30, 45])
        near = Fraction(round(middle * 10**digits) + rng.choice([-1, 0, 1]), 10**digits)
        row = [-near if entry == "one" else int(entry == name) for entry in NAMES]
        model = replace(model, readout=Readout("sign", model.readout.position, NAMES, [row]))
        truth = precise(model, tokens, 4000)
        if truth is None or truth.accept is None:
            continue
        count -= 1
        yield model, tokens, truth.accept


def attack(count: int, seed: int) -> Counter[tuple[str, str]]:
    """How often each kind of run came to each end; AssertionError where one is wrong without saying so."""
    ends: Counter[tuple[str, str]] = Counter()
    for model, tokens, truth in questions(seed, count):
        word = [t for t in tokens if t not in (model.embedding.before, model.embedding.after)]
        for domain, options in RUNS:
            kind = " ".join([domain, *(f"{key}={value}" for key, value in options.items())])
            try:
                found = run(model, word, domain, **options)
            except (BadInput, Undecided) as error:
                ends[kind, "refused" if isinstance(error, BadInput) else "open"] += 1
                continue
            if found.simulates:
                assert found.result.reliable in (True, False)
                right = found.accept is truth
                assert right or not found.result.reliable, (seed, word, domain, options)
                ends[kind, ("reliable" if found.result.reliable else "right" if right else "wrong, and says so")] += 1
            else:
                assert found.accept in (truth, None), (seed, word, domain, options)
                ends[kind, "open" if found.accept is None else "reliable"] += 1
    return ends


def test_what_is_reliable_is_right() -> None:
    ends = attack(60, 1)
    assert ends["float64", "reliable"] > 20 and ends["float16", "wrong, and says so"] > 3


if __name__ == "__main__":
    found = attack(*(int(text) for text in [*sys.argv[1:], "200", "1"][:2]))
    for (kind, end), number in sorted(found.items()):
        print(f"{kind:20} {end:20} {number}")
