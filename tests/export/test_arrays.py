"""Float weights in memory: the arrays of the npz file, and its guarantee."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symcook as sc
from symcook.errors import BadInput


def both(model: sc.Transformer, folder: Path, dtype: str = "float64", **more: Any) -> tuple[Any, Any, Any]:
    certificate = model.export(folder / "m.npz", dtype=dtype, force=True, **more)
    with np.load(folder / "m.npz") as stored:
        return model.arrays(dtype, **more), dict(stored), certificate


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_they_are_those_of_the_file(dtype: str, tmp_path: Path) -> None:
    """A model with CLS at position 0, a parameter with a default, a softmax head and a position table."""
    weights, stored, certificate = both(sc.build("first"), tmp_path, dtype, max_length=4)
    assert set(weights) == set(stored)
    for name, array in weights.items():
        assert array.dtype == stored[name].dtype and array.tolist() == stored[name].tolist(), name
    for entry in ("guaranteed", "compared", "roundings", "symbols", "model_hash", "dtype"):
        assert weights.document[entry] == certificate[entry], entry


def test_a_symbol_has_its_value(tmp_path: Path) -> None:
    weights, stored, _ = both(sc.build("gtzero"), tmp_path, values={"eps": "1/3"})
    assert weights["step1.W2"].tolist() == stored["step1.W2"].tolist() == [[0, 0], [3, -3]]
    assert weights["step1.W2"].tolist() == sc.build("gtzero", eps="1/3").arrays()["step1.W2"].tolist()
    assert "gtzero" in repr(weights) and "step1.W2" in weights.text() and "step1.W2" in weights._repr_html_()
    assert weights.to_json()["arrays"]["step1.W2"] == {"shape": [2, 2], "dtype": "float64"}


@pytest.mark.parametrize(
    ("name", "arguments", "says"),
    [
        ("gtzero", {}, "eps"),
        ("dyck-1", {"dtype": "float8"}, "float64"),
        ("dyck-1", {"max_length": 0}, "from 1 to"),
        ("gtzero", {"values": {"eps": 1}, "max_length": 3}, "max_length"),
        ("first", {"values": {"c": "10^400"}}, "c|fit|float64"),
    ],
)
def test_what_has_no_arrays_is_refused(name: str, arguments: dict[str, Any], says: str) -> None:
    with pytest.raises(BadInput, match=says):
        sc.build(name).arrays(**arguments)
