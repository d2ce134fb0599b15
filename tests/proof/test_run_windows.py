"""The run relation of one head over each mask, against the exact domain, small and each day; and documents in which a
number or a name would mean something else in a statement."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from families import together
from proof.test_runrel import NORM, Compared

import symcook as sc
from symcook.errors import BadInput
from symcook.model.modelfile import to_document
from symcook.proof.runrel import Relation, stored_model


@together("start", [0, 1])
@together("mask", ["none", "future", "strict-future", "past", "strict-past"])
@together(("weighting", "scored"), [("average", False), ("average", True), ("leftmost", True), ("rightmost", False),
                                    ("leftmost", False), ("softmax", False)])  # fmt: skip
def test_one_head(weighting: str, scored: bool, mask: str, start: int) -> None:
    """Of what a row sees: how many, which is first and last, and where it sees nothing."""
    names = ("a", "place", "m")
    keys = ([[1, 0]], [[1, 0]]) if scored else ([[0, 0]], [[0, 0]])
    head = sc.Head(names[:2], ("m",), *keys, [[2, 1]], mask, weighting)
    embedding = sc.Embedding(
        sc.Space(names), words={"x": {"a": 1}, "y": {"a": "-1/3"}}, positions={"place": "i^2"}, start=start
    )
    model = sc.Transformer("one", embedding, (sc.Layer(head),), sc.Readout("sign", "last", ("m",), [[1]]))
    compared = Compared(model)
    for word in itertools.chain(itertools.product("xy", repeat=1), itertools.product("xy", repeat=3)):
        compared.agrees(word)


def test_a_query_or_a_key_of_zero_leaves_no_score() -> None:
    """Whatever the other is, each product is 0: the relation is that of a head without scores."""

    def relation(query: int, key: int) -> str:
        head = sc.Head(("a",), ("m",), [[query]], [[key]], [[1]], "future", "leftmost")
        embedding = sc.Embedding(sc.Space(("a", "m")), words={"x": {"a": 1}, "y": {}})
        model = sc.Transformer("one", embedding, (sc.Layer(head),), sc.Readout("sign", "last", ("m",), [[1]]))
        return Relation(to_document(model)).run()

    assert relation(0, 1) == relation(1, 0) == relation(0, 0) != relation(1, 1)


@together("place", ["(1/2)^i", "2^(n - i)", "i^2/n", "(-1)^i"])
def test_powers_of_positions(place: str) -> None:
    embedding = sc.Embedding(sc.Space(("a", "b")), words={"x": {"a": 1}}, positions={"b": place})
    network = sc.FeedForward(("a", "b"), ("a",), [[1, -1]], [0], [[1]], [0])
    readout = sc.Readout("sign", "last", ("a", "b"), [[1, "-1/3"]])
    compared = Compared(sc.Transformer("power", embedding, (sc.Layer(None, network),), readout))
    for n in (1, 2, 4):
        compared.agrees("x" * n)
    assert ("i^2" in compared.relation.run()) is ("i^2" in place)  # as normal forms know it


def test_a_model_of_rows_without_layers_has_no_equations() -> None:
    embedding = sc.Embedding(sc.Space(("a",)), inputs=("a",))
    model = sc.Transformer("none", embedding, (), sc.Readout("zero", "last", ("a",)))
    assert Relation(to_document(model)).run() == "true"
    only = sc.Readout("largest", "last", ("a",), [[1]], ("yes",))
    model = sc.Transformer("one", embedding, (), only)
    assert Relation(to_document(model)).answer("yes") == "true"  # with one label there is no other answer


def token(value: str) -> Any:
    return lambda d: d["embedding"]["words"]["("].update(token=value)


@together(
    "change",
    [
        token("gamma"),
        token("token(1)"),
        lambda d: d["embedding"].update(start=True),
        lambda d: d["embedding"].update(start=2),
        lambda d: d.update(space=[1, *d["space"][1:]]),
        lambda d: d.update(space=["n", *d["space"][1:]]),
        lambda d: d["embedding"]["words"].update({"(": {}, ")": {}}) or d.update(space=[*d["space"], "w"]),
        lambda d: d.update(space=[*d["space"], "k"]),
        lambda d: d.update(final_norm=NORM | {"reads": d["space"][::-1], "writes": d["space"]}),
        lambda d: d.update(final_norm=NORM | {"reads": d["space"], "writes": d["space"][::-1]}),
        lambda d: d["readout"].update(reads=["height"]),
        lambda d: d.update(symbols=[{"name": "token"}]),
        lambda d: d["layers"][0]["attention"][0].update(temperature="gamma"),
        lambda d: d["embedding"].update(positions={"token": "gamma"}),
    ],
)
def test_documents_that_would_say_something_else(change: Any) -> None:
    document = json.loads(json.dumps(dict(stored_model("dyck-1"))))
    Relation(document)
    change(document)
    with pytest.raises(BadInput):
        Relation(document)
    assert to_document(sc.build("dyck-1")) == stored_model("dyck-1")
