"""Terms that have no value at some positions: a coordinate before the first position, a quotient by 0. A statement that
holds at all other positions is not true."""

from __future__ import annotations

import pytest

import symcook as sc


@pytest.fixture(scope="module")
def model() -> sc.Transformer:
    b = sc.Builder(words={"a": {"one": 1, "vote": 1}, "b": {"one": 1, "vote": -1}})
    b.readout("sign", "last", b.add(sc.head(value={"mean": "vote"}, mask="future")), weights=[1])
    return b.build("ones")


@pytest.mark.layer_one(1)
@pytest.mark.parametrize(
    "statement",
    [
        "all i in 1..n. i*one(i - 1) = i",
        "all i in 1..n. i + one(i - 1) >= 2",
        "all i in 1..n. i/(vote(i) + 1) >= 1/2",
        "all i in 1..n. 0/(vote(i) + 1) = 0",
    ],
)
def test_a_place_without_a_value_satisfies_nothing(model: sc.Transformer, statement: str) -> None:
    answer = model.prove(statement, seconds=2)
    assert answer.status in ("OPEN", "REFUTED") and answer.holds is not True
    assert not (answer.why or "").startswith("decided true")


@pytest.mark.parametrize("statement", ["all i in 2..n. i*one(i - 1) = i", "all i in 1..n. i/(vote(i) + 2) >= 1/3"])
def test_elsewhere_it_is_decided(model: sc.Transformer, statement: str) -> None:
    answer = model.prove(statement, seconds=4)
    assert answer.status == "PROVED" or (answer.why or "").startswith("decided true")
