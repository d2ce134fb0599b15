"""Exports of tiny models over every readout, activation and weighting: a certificate each, and no defect."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from families import in_parts, pairwise

import symcook as sc
from symcook.__main__ import main
from symcook.export.verify import verify_export
from symcook.model.parts import ACTIVATIONS, WEIGHTINGS

READOUTS = [
    (kind, position)
    for kind in ("sign", "zero", "value", "largest", "distribution")
    for position in ("first", "last", "each", "all")
    if position != "all" or kind in ("sign", "zero")
]
CASES = [(*readout, *rest) for readout, *rest in pairwise(READOUTS, ACTIVATIONS, [*WEIGHTINGS, None], [False, True])]


def tiny(kind: str, position: str, activation: str, weighting: str | None, inputs: bool) -> sc.Transformer:
    """A head (or none), a network and a readout; values are irrational where softmax or a gelu is."""
    names = ("x", "y", "seen", "out")
    words = None if inputs else {"a": {"x": 1, "y": "1/2"}, "b": {"y": 1}}
    embedding = sc.Embedding(sc.Space(names), words=words, inputs=("x", "y") if inputs else None)
    head = None
    if weighting is not None:
        head = sc.Head(("x", "y"), ("seen",), [[1, 0]], [[0, 1]], [[1, -1]], mask="future", weighting=weighting)
    block = sc.FeedForward(("x", "y", "seen"), ("out",), [[1, 1, 1]], ["1/3"], [[1]], [0], activation=activation)
    rows = {"sign": [[1, -1]], "largest": [[1, 0], [0, 1]], "distribution": [[1, 0], [0, 1]]}.get(kind)
    labels = ("p", "q") if kind in ("largest", "distribution") else ()
    ending = sc.Readout(kind, position, ("out", "y"), weights=rows, labels=labels)
    return sc.Transformer("tiny", embedding, (sc.Layer(head, block),), ending)


@pytest.mark.sweep
@in_parts(3, "kind, position, activation, weighting, inputs", CASES)
def test_every_readout(
    kind: str, position: str, activation: str, weighting: str | None, inputs: bool, tmp_path: Path, capsys: Any
) -> None:
    model, file = tmp_path / f"{kind}-{position}-{activation}-{weighting}-{inputs}.json", tmp_path / "m.npz"
    tiny(kind, position, activation, weighting, inputs).save(model)
    pointwise = sc.load(model).pointwise
    length = [] if pointwise else ["--max-length", "2" if inputs else "3"]
    assert main(["export", str(model), "-o", str(file), "--force", *length]) == 0, capsys.readouterr().err
    known = json.loads(file.with_suffix(".certificate.json").read_text())
    found = known["compared"]
    if inputs:  # of which some lie on a threshold, and answers may differ there
        assert found["complete"] or found["ends"]
        assert known["guaranteed"]["ranges"] == []
        return
    assert found["complete"] and found["first_difference"] is None and found["inputs"] == 14, found
    if kind in ("value", "distribution"):
        assert found["largest_difference"] < 1e-12


@pytest.mark.layer_one(0, 3, 4)
@pytest.mark.parametrize("position", ["first", "last", "each"])
@pytest.mark.parametrize("kind", ["value", "distribution"])
def test_values_that_are_not_rational(kind: str, position: str, tmp_path: Path) -> None:
    """Behind a gelu, where only the readout's position is kept; the certificate holds when it is made again."""
    model = tiny(kind, position, "gelu", None, False)
    known = model.export(tmp_path / "m.npz", max_length=3)
    assert known["compared"]["complete"] and known["compared"]["inputs"] == 14
    assert known["guaranteed"]["lengths"][-1]["length"] == 3
    verify_export(tmp_path / "m.npz")
