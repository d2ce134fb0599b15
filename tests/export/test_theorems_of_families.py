"""A member of a family cites the proved theorems about the family's runs that round, at its own sizes."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

import symcook as sc
from symcook.__main__ import main
from symcook.compose.routing import rename
from symcook.export import archive, members, provedbits
from symcook.model.family import load, shipped
from symcook.model.instance import instance
from symcook.model.modelfile import dumps, loads


def member(family: str, tokens: str | None = None, **sizes: int) -> sc.Transformer:
    return instance(load(shipped(family)), sizes, tokens)


def cited(model: sc.Transformer, dtype: str, n: int = 9) -> tuple[Any, list[dict[str, Any]]]:
    """The arrays of a model, and the theorems that its certificate cites."""
    roundings = dict[str, Any]()
    m = archive.arrays(model.bind(model.values(None)), dtype, n, roundings)
    return m, provedbits.cited(model, None, m, roundings)


@pytest.mark.parametrize(
    ("model", "about", "length"),
    [
        (sc.build("lookup-one-hot"), "family-lookup-one-hot at N = 8", 8),
        (member("lookup-one-hot", N=3), "family-lookup-one-hot at N = 3", 3),
    ],
)
def test_a_lookup_cites_up_to_its_own_length(model: sc.Transformer, about: str, length: int) -> None:
    """A run of the family has at most N rows: 832*N*u <= 1 alone would give every length. In numpy each query for a
    position gets the value there within 3 roundings, at inputs of both ends of the range."""
    m, (theorem,) = cited(model, "float32")
    assert (theorem["id"], theorem["member"], theorem["length"]) == ("lem.rounded_lookup_one_hot", about, length)
    k = int(theorem["where"][-1].rpartition("^")[2])
    values = np.array([(-1) ** j * 2.0 ** (k if j % 2 else -k) for j in range(length)])
    for shift in range(length):
        places = [(j + shift) % length for j in range(length)]
        rows = np.array([[[place + 1, value] for place, value in zip(places, values, strict=True)]])
        with np.errstate(under="raise", over="raise"):
            found = archive.evaluate(m, archive.place(m, rows))[0, :, list(m["coordinates"]).index("found")]
        assert (abs(found - values[places]) <= 4 * abs(values[places]) * 2.0 ** -theorem["bits"]).all()


def test_too_few_bits_for_the_size() -> None:
    """832*N <= 2^11 at N = 2 only; exports in float16 of larger members cite nothing."""
    first = {n: next(provedbits.theorems(member("lookup-one-hot", N=n))) for n in range(1, 5)}
    assert [n for n, theorem in first.items() if theorem.longest(11)] == [1, 2]
    assert cited(member("lookup-one-hot", N=3), "float16")[1] == []


def followed(string: tuple[int, ...], symbol: int) -> int:
    """How often a symbol stands behind an earlier occurrence of the last one."""
    return sum(a == string[-1] and b == symbol for a, b in zip(string, string[1:], strict=False))


@pytest.mark.parametrize("size", [2, 3])
def test_an_induction_head_of_any_alphabet(size: int) -> None:
    """16*n*(S + 4)^2 <= 2^24. In numpy the largest score is at a symbol that followed most often, else the symbol's."""
    model = member("induction-most-frequent", S=size)
    m, (theorem,) = cited(model, "float32", 2000)
    longest = max(n for n in range(1, 2**20) if 16 * n * (size + 4) ** 2 <= 2**24)
    assert theorem["member"] == f"family-induction-most-frequent at S = {size}"
    assert theorem["length"] == min(2000, longest) and theorem["accepts"] is None
    places = [list(m["coordinates"]).index(f"score{c + 1}") for c in range(size)]
    for string in product(range(size), repeat=5):
        scores = archive.evaluate(m, archive.embed(m, np.array([string])))[0, -1, places]
        counts = [followed(string, c) for c in range(size)]
        if string[-1] not in string[:-1]:
            assert int(scores.argmax()) == string[-1]
        else:
            assert counts[int(scores.argmax())] == max(counts)


def changed(model: sc.Transformer, old: str, new: str) -> sc.Transformer:
    text = dumps(model)
    assert old in text
    return loads(text.replace(old, new))


def with_names(model: sc.Transformer, **names: str) -> sc.Transformer:
    """The model with other names for some coordinates."""
    return rename(model, names)


@pytest.mark.parametrize(
    "names", [{"score1": "score_1", "score2": "score_2"}, {"score1": "score_a", "score2": "score_b"}, {"is1": "x"}]
)
def test_a_member_may_name_coordinates_by_numbers_or_tokens(names: dict[str, str]) -> None:
    (theorem,) = provedbits.theorems(with_names(member("induction-most-frequent", tokens="ab", S=2), **names))
    assert theorem.member == "family-induction-most-frequent at S = 2"


def test_a_premise_about_another_coordinate() -> None:
    """With at1 named `query`, the premise query(a) = q held at a = q = 1 of a run whose found(1) is value(2)."""
    model = with_names(member("lookup-one-hot", N=2), query="asked", at1="query")
    run = model.run([{"asked": 2, "value": 5}, {"asked": 1, "value": 7}])
    assert run.outputs == ["7", "5"]
    assert list(provedbits.theorems(model)) == []


def test_a_kind_of_readout_is_no_name() -> None:
    """A readout of kind `value` is that of the family, also where the coordinate `value` has another name."""
    model = with_names(member("lookup-one-hot", N=2), value="sign")
    assert members.size_of_member(model, "lookup-one-hot") == {"N": 2}
    document = json.loads(dumps(model))
    document["readout"] |= {"kind": "sign", "weights": [["1"]]}
    assert members.size_of_member(loads(json.dumps(document)), "lookup-one-hot") is None


def listed_otherwise(model: sc.Transformer) -> sc.Transformer:
    """The model with the tokens of its file in another order."""
    document = json.loads(dumps(model))
    words = document["embedding"]["words"]
    document["embedding"]["words"] = {token: words[token] for token in reversed(words)}
    return loads(json.dumps(document))


@pytest.mark.parametrize(
    "other",
    [
        lambda: changed(member("lookup-one-hot", N=3), '"-2"', '"-3"'),  # another weight
        lambda: changed(member("lookup-one-hot", N=3), '"found"', '"seen"'),  # the statement speaks of `found`
        lambda: changed(member("lookup-one-hot", N=3), '"max_length": 3', '"max_length": 4'),
        lambda: with_names(member("lookup-one-hot", N=3), query="asked", at1="query"),  # a premise speaks of `query`
        lambda: with_names(member("lookup-one-hot", N=3), found="value", value="found"),
        lambda: with_names(member("induction-most-frequent", S=2), score1="score_2", score2="score_1"),
        lambda: with_names(member("induction-most-frequent", S=2, tokens="ab"), score1="score_b", score2="score_a"),
        lambda: listed_otherwise(member("induction-most-frequent", S=2)),
        lambda: instance(load(shipped("lookup-one-hot"), {"ties": "leftmost"}), {"N": 3}),
        lambda: sc.build("first-layernorm"),
    ],
)
def test_other_models_are_no_members(other: Callable[[], sc.Transformer]) -> None:
    assert list(provedbits.theorems(other())) == []


def test_tokens_called_as_a_coordinate_and_as_its_place_stay_apart() -> None:
    """The token `is1` got the place of the coordinate `is1` for a name, #0, and so that of another token."""
    model = instance(load(shipped("induction-most-recent")), {"S": 3}, ["is1", "#0", "z"])
    assert [theorem.id for theorem in provedbits.theorems(model)] == ["lem.floats_induction"]
    document = json.loads(dumps(model))
    document["embedding"]["words"]["is1"] = {"is2": "5"}
    assert list(provedbits.theorems(loads(json.dumps(document)))) == []


def test_the_answers_name_the_family(capsys: pytest.CaptureFixture[str]) -> None:
    """An export says to which length, and a run in bits too."""
    text = " ".join(sc.build("lookup-one-hot").arrays(max_length=3, dtype="float32").text().split())
    assert "lem.rounded_lookup_one_hot about family-lookup-one-hot at N = 8 proves abs(found(a) - value(q))" in text
    assert "up to length 3 in float32, with u = 2^-24 where 1 <= a" in text
    assert main(["run", "lookup-one-hot", "--rows", "2,5;1,6", "--domain", "mpmath", "--bits", "13"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "lem.rounded_lookup_one_hot covers inputs up to length 8 in 13 bits where 1 <= a" in said
