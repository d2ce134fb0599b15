"""Which model a certificate is about: an instance of a family is proved to be one only if its runs are the instance's.

Where a certificate is made, `diff` with the fresh instance finds nothing. More than the tests do, by a command:

    python tests/proof/test_same_model.py 2000 [SEED]
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sympy as sp
from proof.family_cases import NAMES, case, chosen, family

import symcook as sc
from symcook.__main__ import main
from symcook.errors import BadInput
from symcook.model.instance import Instance, instance
from symcook.model.modelfile import to_document
from symcook.model.parts import FeedForward, SelfAttention
from symcook.model.structure import differences
from symcook.proof.bridges.bridge import Bridge, Unbridged, checked

SLOW = {"turing", "turing-no-start", "logic", "logic-past", "counting", "counting-past", "temporal", "temporal-past"}


def widened(part: Any, space: tuple[str, ...], rng: random.Random) -> Any:
    """A head or feed-forward layer that writes a coordinate more, or one less."""
    fields: dict[str, Any]
    weights = "V" if not isinstance(part, FeedForward) else "W2"
    matrix = sp.Matrix(getattr(part, weights))
    others = [name for name in space if name not in part.writes]
    if len(part.writes) > 1 and (not others or rng.random() < 0.5):
        row = rng.randrange(len(part.writes))
        writes = tuple(name for k, name in enumerate(part.writes) if k != row)
        fields = {"writes": writes, weights: [[*matrix.row(k)] for k in range(len(part.writes)) if k != row]}
        if weights == "W2":
            fields["b2"] = [value for k, value in enumerate(part.b2) if k != row]
        return replace(part, **fields)
    if not others:
        return part
    more = [rng.choice([0, 1, -1]) for _ in range(matrix.cols)]
    fields = {"writes": (*part.writes, rng.choice(others))}
    fields[weights] = [*([*matrix.row(k)] for k in range(matrix.rows)), more]
    if weights == "W2":
        fields["b2"] = [*part.b2, 0]
    return replace(part, **fields)


def reweighted(part: Any, rng: random.Random) -> Any:
    """A head or feed-forward layer with one other weight."""
    name = rng.choice(["W1", "W2"] if isinstance(part, FeedForward) else ["Q", "K", "V"])
    rows = sp.Matrix(getattr(part, name)).tolist()
    if not rows or not rows[0]:
        return part
    row, column = rng.randrange(len(rows)), rng.randrange(len(rows[0]))
    rows[row][column] += rng.choice([1, -1, sp.Rational(1, 2)])
    return replace(part, **{name: rows})


def changed(model: sc.Transformer, rng: random.Random) -> sc.Transformer:
    """The model with one of its blocks, position functions or lengths changed."""
    if rng.random() < 0.1:
        return replace(model, max_length=9)
    if not model.layers:
        return replace(model, embedding=replace(model.embedding, positions={next(iter(model.space)): "i"}))
    number = rng.randrange(len(model.layers))
    layer, change = (
        model.layers[number],
        rng.choice([reweighted, lambda part, rng: widened(part, tuple(model.space), rng)]),
    )
    heads = [] if layer.attention is None else list(layer.attention.heads)
    if heads and (layer.feedforward is None or rng.random() < 0.5):
        place = rng.randrange(len(heads))
        heads[place] = change(heads[place], rng)
        other = replace(layer, attention=SelfAttention(tuple(heads)))
    else:
        other = replace(layer, feedforward=change(layer.feedforward, rng))
    return replace(model, layers=(*model.layers[:number], other, *model.layers[number + 1 :]))


def outcome(name: str, rng: random.Random) -> str:
    """What is said of a changed instance at small sizes; an error where it is PROVED and its runs are others."""
    read = family(name, chosen(name, rng))
    values, _ = case(name, rng)
    try:
        fresh = instance(read, values)
        model = changed(fresh, rng)
        bridge = Bridge(read, Instance(read, values), to_document(model), "bridge.changed")
        _, verdict = checked(bridge)
    except Unbridged:
        return "no instance"
    except BadInput:
        return "refused"
    assert verdict.status == "PROVED", (name, values, verdict.reason)
    try:
        found = model.diff(fresh, 3 if len(fresh.alphabet) <= 4 else 2)
    except BadInput as error:
        assert "at least" in str(error) or "length" in str(error) or "zero" in str(error), error
        return "no run"
    assert found.same is not False, (name, values, found.text())
    return "harmless"


@pytest.mark.sweep
@pytest.mark.parametrize("name", sorted({*NAMES} - SLOW))
@pytest.mark.layer_two(every=8)
def test_a_changed_instance_has_no_certificate_or_the_same_runs(name: str) -> None:
    rng = random.Random(f"changed {name}")
    many = 4 if name.startswith(("automaton", "since")) else 8  # these are large
    assert "no instance" in {outcome(name, rng) for _ in range(many)}


def count() -> sc.Transformer:
    """The counting family at two symbols; its one head writes the shares."""
    return instance(family("count"), {"S": 2})


def with_head(model: sc.Transformer, **fields: Any) -> sc.Transformer:
    head = model.layers[0].attention.heads[0]
    return replace(model, layers=(replace(model.layers[0], attention=replace(head, **fields)), *model.layers[1:]))


@pytest.mark.sweep
def test_a_head_that_writes_more_is_refused_by_its_coordinate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fresh = count()
    head = fresh.layers[0].attention.heads[0]
    wide = with_head(fresh, writes=(*head.writes, "is1"), V=[*sp.Matrix(head.V).tolist(), [1] * sp.Matrix(head.V).cols])
    wide.save(tmp_path / "wide.json")
    assert main(["prove", str(tmp_path / "wide.json"), "--set", "S=2"][:2]) != 0
    said = capsys.readouterr()
    assert "PROVED" not in said.out
    with pytest.raises(Unbridged, match="attention of layer 1 writes, is1, share1, share2 where the family has share1"):
        Bridge(family("count"), Instance(family("count"), {"S": 2}), to_document(wide), "bridge.wide")
    (apart,) = differences(wide, fresh)
    assert "is1, share1, share2 and share1, share2" in str(apart)


def test_a_row_of_zeros_is_no_write() -> None:
    fresh = count()
    head = fresh.layers[0].attention.heads[0]
    idle = with_head(fresh, writes=(*head.writes, "is1"), V=[*sp.Matrix(head.V).tolist(), [0] * sp.Matrix(head.V).cols])
    assert not list(differences(idle, fresh))
    bridge = Bridge(family("count"), Instance(family("count"), {"S": 2}), to_document(idle), "bridge.idle")
    assert checked(bridge)[1].status == "PROVED"


if __name__ == "__main__":
    rng, seen = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 2026), Counter[str]()
    for k in range(int(sys.argv[1])):
        seen[outcome(sorted({*NAMES} - SLOW)[k % len({*NAMES} - SLOW)], rng)] += 1
    print(dict(seen))
