"""How great numbers may be on the way: nothing is certain at a length where one may overflow, also where no answer
depends on it, since 0 times infinity is no number in a product of matrices."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from families import together
from test_export import EVERYTHING

import symcook as sc
from symcook.export import archive
from symcook.export.certificate import compare
from symcook.export.guarantee import greatest, guarantee

F = Fraction
END = {"float16": F(65504), "float32": F(2**128 - 2**104), "bfloat16": F(2**128 - 2**120)}


def dead(size: Any, where: str) -> sc.Transformer:
    """The sign of 1, beside something of a great size that has no weight in it: a hidden unit, a coordinate that is
    read with weight 0, a score, or the sum of what a head averages."""
    names = ("one", "t", "u", "v")
    words: dict[str, Any] = {"a": {"one": 1, "t": size if where == "a coordinate" else 1}, "b": {"one": 1, "t": 0}}
    head = block = None
    if where == "a unit":
        block = sc.FeedForward(("t",), ("u",), [[size]], [0], [[0]], [0])
    if where == "a bias":
        block = sc.FeedForward(("t",), ("u",), [[1]], [-size], [[1]], [0])
    if where == "an output":
        block = sc.FeedForward(("t",), ("u",), [[1]], [0], [[size]], [0])
    if where == "a score":
        head = sc.Head(("t",), ("u",), [[size]], [[1]], [[0]], "future", "softmax")
    if where == "a sum":
        head = sc.Head(("t",), ("u",), [[0]], [[0]], [[size]], "none", "average")
    readout = sc.Readout("sign", "last", ("one", "t", "u"), [[1, 0, 0]])
    return sc.Transformer(
        "dead", sc.Embedding(sc.Space(names), words=words), (sc.Layer(head, block),) if head or block else (), readout
    )


@together("where", ["a coordinate", "a unit", "a bias", "an output", "a score", "a sum"])
def test_what_has_no_weight_must_not_overflow_either(where: str) -> None:
    """Below the end, by what may be rounded, all lengths are certain (of a sum so far as n of them are)."""
    for dtype, end in END.items():
        quarter, most = (F(20, 100), F(60, 100)) if dtype == "bfloat16" else (F(24, 100), F(95, 100))
        for share, certain in ((F(1, 1000), 4), (quarter, 4), (most, 1 if where == "a sum" else 4)):
            found = guarantee(dead(F(int(end * share)), where), dtype, 4)
            assert found["length"] == found["divided_first"]["length"] == certain, (where, dtype, share)
            assert ("too great for " + dtype in found["why"]) == (certain < 4)


@together("where", ["a unit", "an output", "a score", "a sum"])
def test_twice_what_has_no_weight_may_overflow(where: str) -> None:
    """The greatest number of the type, by a token of 2."""
    for dtype, end in END.items():
        model = dead(end * F(3, 4), where)
        twice = sc.Embedding(model.embedding.space, words={"a": {"one": 1, "t": 2}, "b": {"one": 1}})
        found = guarantee(sc.Transformer("dead", twice, model.layers, model.readout), dtype, 3)
        assert found["length"] == 0 and found["ranges"] == []
        assert found["why"] == f"some number of a string of length 1 may be too great for {dtype}"


def test_a_unit_without_weight_spoils_an_answer() -> None:
    """Exactly: accepted; in numpy 0 * inf is no number, and rejected."""
    network = sc.FeedForward(("t",), ("u",), [["2^100"], ["2^100"]], [0, 0], [[0, 0]], [1])
    embedding = sc.Embedding(sc.Space(("t", "u")), words={"a": {"t": "2^100"}, "b": {"t": 1}})
    readout = sc.Readout("sign", "last", ("u",), [[1]])
    model = sc.Transformer("dead", embedding, (sc.Layer(None, network),), readout)
    assert compare(model, archive.arrays(model, "float32", 2), 2)["first_difference"] == "a"
    assert guarantee(model, "float32", 2)["length"] == 0 and guarantee(model, "float64", 2)["length"] == 2


def test_sizes_by_hand() -> None:
    """The greatest of all sums of sizes; each case adds a part behind which it is greater than before."""
    words = {"a": {"x": 3, "y": 1}, "b": {"x": -5}}
    embedding = sc.Embedding(sc.Space(("x", "y", "z")), words=words, positions={"y": "i"})

    def size(*layers: sc.Layer, n: int = 4, readout: sc.Readout | None = None, norm: sc.LayerNorm | None = None) -> Any:
        read = readout or sc.Readout("value", "last", ("x",))
        model = sc.Transformer("t", embedding, layers, read, final_norm=norm)
        return greatest(archive.arrays(model, "float64", 6), n)

    def near(x: float) -> Any:
        return pytest.approx(x, rel=1e-12)

    head = sc.Head(("x", "y"), ("z",), [[0, 0]], [[0, 0]], [[2, -7]], "future", "average")
    scored = sc.Head(("x", "y"), ("z",), [[2, 1]], [[-3, 4]], [[0, 0]], "future", "softmax", temperature="1/(2*i)")
    block = sc.FeedForward(("x", "y"), ("z",), [[1, -1], [10, 0]], [4, -1], [[6, -1]], [-9])
    norm = sc.LayerNorm(("x", "y", "z"), epsilon=1)
    x, y = 5, 1 + 4  # of the tokens, and of the greatest of four positions
    z = 2 * x + 7 * y
    assert size() == near(max(x, y))
    assert size(n=6) == near(1 + 6) and size(n=2) == near(max(x, 1 + 2))
    assert size(sc.Layer(head)) == near(4 * z)
    assert size(sc.Layer(scored)) == near((2 * x + y) * (3 * x + 4 * y) * 2 * 4)
    assert size(sc.Layer(None, block)) == near(6 * (x + y + 4) + (10 * x + 1) + 9)
    assert size(sc.Layer(head, block)) == near(z + 6 * (x + y + 4) + (10 * x + 1) + 9)
    assert size(readout=sc.Readout("sign", "last", ("x", "y"), [[-11, 2]])) == near(11 * x + 2 * y)
    mean = F(x + y, 3)
    squares = (x + mean) ** 2 + (y + mean) ** 2 + mean**2 + 1
    assert size(norm=norm) == near(float(squares))
    both = size(norm=norm, readout=sc.Readout("sign", "last", ("x",), [[100]]))
    assert both == near(max(float(squares), 100 * math.sqrt(3)))


@together("dtype, bits", [("float16", 11), ("bfloat16", 8)])
def test_what_is_rounded_adds_to_sizes(dtype: str, bits: int) -> None:
    """A sum of k terms is off by a factor of at most (1 + u)^k."""
    embedding = sc.Embedding(sc.Space(("x", "y")), words={"a": {"x": 1}})
    head = sc.Head(("x",), ("y",), [[0]], [[0]], [[1]], "none", "average")
    model = sc.Transformer("t", embedding, (sc.Layer(head),), sc.Readout("value", "last", ("y",)))
    for n in (1, 10, 100):
        found = greatest(archive.arrays(model, dtype, 100), n)
        assert found >= n * (1 + F(1, 2**bits)) ** n
        assert found <= max(n, 2) * (1 + F(1, 2**bits)) ** (3 * n + 40)


@together("name", EVERYTHING)
def test_every_number_of_a_run_is_below(name: str) -> None:
    """The residual stream and the readout of all short words, in float64."""
    model = EVERYTHING[name]
    if model.embedding.inputs is not None:
        return
    m = archive.arrays(model, "float64", 4)
    count = len(model.embedding.words or ())
    for n in range(1, 4):
        words = np.array(list(itertools.product(range(count), repeat=n)))[:200]
        z = archive.evaluate(m, archive.embed(m, words), refuse=False)
        assert np.nanmax(np.abs(z), initial=0) <= greatest(m, n)
        assert greatest(m, n) <= greatest(m, n + 1)
