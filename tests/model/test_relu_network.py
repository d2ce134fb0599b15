"""family-relu-network: its instances compute what a network of layers does, and no other weights have their bridge."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest

from symcook.errors import BadInput
from symcook.model.family import Family, load, shipped
from symcook.model.instance import Instance, instance
from symcook.model.modelfile import to_document
from symcook.proof.bridges.bridge import Bridge, Unbridged, checked
from symcook.run import run

Network = dict[str, Any]
"""L, m, and A, W, b, V, c as nested lists."""
FAMILY = load(shipped("relu-network"))
SHAPES = [(1, 1), (1, 3), (2, 1), (3, 2), (4, 3)]


def network(rng: random.Random, layers: int, width: int) -> Network:
    def number() -> Fraction:
        return Fraction(rng.randint(-7, 7), rng.choice([1, 2, 3, 5]))

    def row() -> list[Fraction]:
        return [number() for _ in range(width)]

    square = [[row() for _ in range(width)] for _ in range(layers - 1)]
    return {"L": layers, "m": width, "A": row(), "W": square, "b": [row() for _ in range(layers)], "V": row(),
            "c": number()}  # fmt: skip


def value(given: Network, x: Fraction) -> Fraction:
    """The output, layer by layer."""
    units = [max(a * x + bias, Fraction(0)) for a, bias in zip(given["A"], given["b"][0], strict=True)]
    for rows, biases in zip(given["W"], given["b"][1:], strict=True):
        units = [max(_dot(row, units) + bias, Fraction(0)) for row, bias in zip(rows, biases, strict=True)]
    return _dot(given["V"], units) + given["c"]


def _dot(row: Sequence[Fraction], units: Sequence[Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(row, units, strict=True)), Fraction(0))


@pytest.mark.parametrize(("layers", "width"), SHAPES)
def test_an_instance_computes_the_network(layers: int, width: int) -> None:
    rng, seen = random.Random(f"relu {layers} {width}"), set[Fraction]()
    for _ in range(3):
        given = network(rng, layers, width)
        model = instance(FAMILY, given)
        assert len(model.layers) == layers + 1
        for x in (Fraction(0), *(Fraction(rng.randint(-20, 20), rng.choice([1, 2, 7])) for _ in range(5))):
            wanted = value(given, x)
            assert run(model, {"x": x}).output == {"out": str(wanted)}, (given, x)
            seen.add(wanted)
    assert len(seen) > 3


@pytest.mark.layer_one(0)
@pytest.mark.parametrize(("layers", "width"), SHAPES[:4])
def test_an_instance_has_a_bridge_and_one_with_another_weight_has_none(layers: int, width: int) -> None:
    rng = random.Random(f"bridge {layers} {width}")
    given = network(rng, layers, width)
    document = to_document(instance(FAMILY, given))
    assert checked(Bridge(FAMILY, Instance(FAMILY, given), document, "bridge.tried"))[1].status == "PROVED"
    for name in ("A", "W", "b", "V", "c"):
        other = {**given, name: changed(given[name], rng)}
        if other[name] == given[name]:  # a table without entries
            assert name == "W" and layers == 1
            continue
        with pytest.raises(Unbridged, match="must have its weights"):
            Bridge(FAMILY, Instance(FAMILY, other), document, "bridge.tried").certificate()


def changed(entries: Any, rng: random.Random) -> Any:
    """One of the numbers with 1 added."""
    if not isinstance(entries, list):
        return entries + 1
    place = rng.randrange(len(entries)) if entries else None
    return [changed(one, rng) if k == place else one for k, one in enumerate(entries)]


def test_the_sawtooth_goes_up_and_down_four_times() -> None:
    given: Network = {"L": 3, "m": 2, "A": "1 1", "W": "2 -4 " * 4, "b": "0 -1/2 " * 3, "V": "2 -4", "c": 0}
    model = instance(FAMILY, given)
    found = [run(model, {"x": Fraction(k, 8)}).output for k in range(9)]
    assert found == [{"out": str(k % 2)} for k in range(9)]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"L": 0}, "the sizes of relu-network must satisfy 1 <= L; given: L = 0"),
        ({"m": 0}, "the sizes of relu-network must satisfy 1 <= m; given: m = 0"),
        ({"W": "1"}, "the table W must have 4 entries, row by row; given: 1"),
        ({"W": {(2, 1, 1): 1, (2, 1, 2): 1, (2, 2, 1): 1, (2, 2, 3): 1}}, "the table W must have 4 entries, at the"),
        ({"b": "0 0 0 x"}, "the entries of the table b must be rational numbers; given: x"),
    ],
)
def test_what_is_no_network_is_refused(change: Network, sentence: str) -> None:
    usual: Network = {"L": 2, "m": 2, "A": "1 1", "W": "1 1 1 1", "b": "0 0 0 0", "V": "1 1", "c": 0}
    with pytest.raises(BadInput) as error:
        instance(FAMILY, usual | change)
    assert str(error.value).startswith(sentence)


def test_a_table_has_at_most_three_indices() -> None:
    document = dict(FAMILY.document)
    document["tables"] = {
        **document["tables"],
        "all p in 1..m. all q in 1..m. all r in 1..m. all s in 1..m. T(p, q, r, s)": "Int",
    }
    with pytest.raises(BadInput, match="a table must have at most three indices"):
        Family(document)
