"""Margins of models whose merged sums part at zero, touch it and turn on the way, against every word by itself."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pytest
from asked import words
from families import in_parts

import symcook as sc
from symcook.domains.exact import Exact
from symcook.forward import forward
from symcook.numbers.balls import Ball


def drawn(seed: int) -> sc.Transformer:
    """A mean of numbers that are drawn for each symbol and position, with a network behind it, relu or step, a mean of
    symbols beside it, tokens in front and behind, and a sign or a zero test of one or two coordinates."""
    draw = random.Random(seed)
    counted = range(1, draw.choice([3, 4, 5]))
    names = ("u", "t", "d", "e", "f", *(f"p{k}" for k in counted))
    rows, below, out = [], [], []
    for k in counted:
        no, yes = (Fraction(draw.randint(-12, 12), draw.choice([1, 2, 5])) for _ in range(2))
        at = [int(name == f"p{k}") for name in names]
        rows += [[1, *at[1:]], at]
        below += [[-1], [0]]
        out += [yes - no, no]

    def head(read: str, write: str) -> sc.Head:
        return sc.Head(
            names, (write,), [[0] * len(names)], [[0] * len(names)], [[int(x == read) for x in names]], "future"
        )

    def network() -> sc.FeedForward:
        into = [[draw.choice([1, -1, 2]) if x == "d" else draw.choice([0, 0, 1, -1]) for x in names] for _ in "ab"]
        bias = [[draw.choice([0, 1, -1, Fraction(1, 2)])] for _ in "ab"]
        back = [[draw.choice([1, -1, 0, 2]) for _ in "ab"] for _ in "ef"]
        return sc.FeedForward(names, ("e", "f"), into, bias, back, [[1], [0]], draw.choice(["relu", "relu", "step"]))

    heads = (head("t", "d"), head("u", "e")) if draw.random() < 0.4 else (head("t", "d"),)
    layers = [sc.Layer(None, sc.FeedForward(names, ("t",), rows, below, [out], [[0]]))]
    layers.append(sc.Layer(sc.SelfAttention(heads), network() if draw.random() < 0.6 else None))
    layers += [sc.Layer(None, network())] * (draw.random() < 0.3) + [sc.Layer(head("d", "f"))] * (draw.random() < 0.2)
    before, after = draw.choice([(None, None), (None, None), ("B", None), (None, "E"), ("B", "E")])
    tokens = {"x": {"u": 1}, "y": {"u": 0}} | {one: {"u": draw.choice([0, 1])} for one in (before, after) if one}
    embedding = sc.Embedding(
        sc.Space(names), words=tokens, positions={f"p{k}": f"I[i = {k}]" for k in counted},
        before=before, after=after, start=draw.choice([0, 1]),
    )  # fmt: skip
    kind, reads = draw.choice(["sign", "zero"]), draw.choice([("d",), ("d", "e"), ("e",), ("f", "d")])
    weights = [[draw.choice([1, -1, 2]) for _ in reads]] if kind == "sign" else None
    return sc.Transformer("drawn", embedding, tuple(layers), sc.Readout(kind, "last", reads, weights=weights))


def is_or_holds(cell: Any, value: Fraction | None) -> bool:
    if isinstance(cell, Ball):
        return value is not None and abs(Fraction(cell.mid) - value) <= Fraction(cell.rad)
    return cell == value


@pytest.mark.layer_one(0)
@in_parts(2, "seed", range(20))
def test_no_word_between_two_that_are_kept_is_lost(seed: int) -> None:
    model = drawn(seed)
    found = model.margin(4)
    for row in found.rows:
        sizes: dict[bool, dict[str, Fraction]] = {True: {}, False: {}}
        for word in words(model.alphabet, row["n"]):
            result = forward(model, model.tokens(word), Exact())
            seen = [Fraction(str(result.domain.read(column, result.place))) for column in result.watched.values()]
            if model.readout.kind == "sign" or any(seen):
                sizes[model.readout.kind == "sign" and seen[0] > 0]["".join(word)] = max(map(abs, seen))
        least = {side: min(of.values(), default=None) for side, of in sizes.items()}
        every = [size for size in least.values() if size is not None]
        assert is_or_holds(row["margin"], min(every, default=None)), (row, least)
        if isinstance(row["margin"], Fraction):
            assert (sizes[True] | sizes[False])[row["word"]] == row["margin"]
            for name, side in (("accepted", True), ("rejected", False)) if model.readout.kind == "sign" else ():
                assert is_or_holds(row[name], least[side]) or (row[name] is None and "sides" in found.notes), (
                    row,
                    name,
                )
