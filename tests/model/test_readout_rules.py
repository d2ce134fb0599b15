"""A kind of readout whose rule an engine does not know is refused there, and never answered as another kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import symcook as sc
from symcook.errors import BadInput
from symcook.export import archive
from symcook.model import ends
from symcook.words import rounded, simulated

SMALLEST = "smallest"
SAYS = "must be of kind|must decide|the kind of a readout must be one that .* knows"


def model(kind: str, position: str = "last") -> sc.Transformer:
    """It compares the share of a's with 1/3, by counts."""
    head = sc.Head(("x",), ("m",), [[0]], [[0]], [[1]], mask="future")
    embedding = sc.Embedding(sc.Space(("x", "t", "m")), {"a": {"x": 1}, "b": {}}, positions={"t": "1/3"})
    rows = {"sign": [[1, -1]], "largest": [[1, 0], [0, 1]]}.get(kind)
    readout = sc.Readout(kind, position, ("m", "t"), rows, ("many", "few") if kind == "largest" else ())
    return sc.Transformer("shares", embedding, (sc.Layer(head),), readout)


def last(kind: str) -> sc.Transformer:
    """It compares the last token with 1/3: a finite automaton."""
    one = model(kind)
    reads = replace(one.readout, reads=("x", "t"))
    return replace(one, layers=(), readout=reads)


@pytest.fixture
def smallest(monkeypatch: pytest.MonkeyPatch) -> Callable[[sc.Transformer], sc.Transformer]:
    """What gives a model the readout "smallest", as if ends.py had this kind, which answers with a label."""
    monkeypatch.setitem(ends.RULES, SMALLEST, SMALLEST)
    monkeypatch.setattr(ends.Readout, "labelled", property(lambda it: it.kind in (SMALLEST, "largest", "groups")))

    def made(one: sc.Transformer) -> sc.Transformer:
        readout, changed = replace(one.readout), replace(one)
        object.__setattr__(readout, "kind", SMALLEST)
        object.__setattr__(changed, "readout", readout)
        return changed

    return made


ASKED: dict[str, Callable[[sc.Transformer], Any]] = {
    "run": lambda it: it.run("ab"),
    "run in floats": lambda it: it.run("ab", domain="float64"),
    "run in balls": lambda it: it.run("ab", domain="ball"),
    "derive": lambda it: it.derive(),
    "decide by counts": lambda it: it.decide(),
    "margin": lambda it: it.margin(3),
    "precision": lambda it: it.precision(3),
    "diff": lambda it: it.diff(it, 2),
    "archive": lambda it: archive.arrays(it, "float64", 3),
    "show": lambda it: it.text(),
}


@pytest.mark.layer_one(0, 1, 2, 3, 4, 5, 7, 8, 9)
@pytest.mark.parametrize("name", ASKED)
def test_a_new_kind_is_refused(name: str, smallest: Callable[[sc.Transformer], sc.Transformer]) -> None:
    for one in (model("largest"), last("largest")):
        ASKED[name](one)
        with pytest.raises(BadInput, match=SAYS):
            ASKED[name](smallest(one))


@pytest.mark.parametrize("engine", [rounded.told, simulated.said])
def test_engines_over_all_strings_refuse_it(engine: Any, smallest: Callable[[sc.Transformer], sc.Transformer]) -> None:
    ends_of = [rounded.Values(*(np.array([value]),) * 3) for value in (1.0, 2.0)]
    columns = ends_of if engine is rounded.told else [simulated.RunEntries(np.array([value])) for value in (1.0, 2.0)]
    assert list(engine(model("largest").readout, columns, 1)) == [1]
    with pytest.raises(BadInput, match=SAYS):
        engine(smallest(model("largest")).readout, columns, 1)


@pytest.mark.parametrize(("kind", "rule", "rows"), [
    ("sign", "positive", [{"m": 1, "t": -1}]),
    ("zero", "zero", [{"m": 1}, {"t": 1}]),
    ("largest", "largest", [{"m": 1}, {"t": 1}]),
])  # fmt: skip
def test_what_is_compared(kind: str, rule: str, rows: list[dict[str, int]]) -> None:
    assert model(kind).readout.choice() == (rule, tuple(rows))
    with pytest.raises(BadInput, match="must be of kind groups"):
        model(kind).readout.choice("largest of each group")


def test_values_have_no_rule() -> None:
    with pytest.raises(BadInput, match="must be of kind sign or zero or largest"):
        model("value").readout.choice()


@pytest.mark.parametrize("kind", [sc.Head, sc.FeedForward, sc.LayerNorm])
def test_a_subclass_of_a_part_is_refused(kind: type) -> None:
    """An RMS norm that is a subclass of a layer norm would run as one and be saved as the other."""
    with pytest.raises(BadInput, match=f"direct subclass of Part; given: RMSNorm, a subclass of {kind.__name__}"):
        type("RMSNorm", (kind,), {})
