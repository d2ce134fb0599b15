"""Inputs that the shipped script has no answer for: too long for a table, and numbers that are not finite."""

from __future__ import annotations

import pytest

import symcook as sc
from symcook.export import run_npz
from symcook.export.archive import arrays


def test_the_angles_of_rotary_heads_end_too(capsys: pytest.CaptureFixture[str]) -> None:
    """A model whose only tables are those of its angles."""
    head = sc.RotaryHead(("x", "y"), ("y",), [[1, 0], [0, 1]], [[1, 0], [0, 1]], [[1, 0]], angles=["1/3"], scale=1)
    words = {"a": {"x": 1}, "c": {"x": -1}}
    embedding, ending = sc.Embedding(sc.Space(("x", "y")), words), sc.Readout("sign", "last", ("y",), weights=[1])
    model = sc.Transformer("turns", embedding, (sc.Layer(sc.SelfAttention((head,))),), ending)
    m = arrays(model, "float64", 3)
    assert not any(key.endswith(".factor") for key in m) and "positions" not in m
    run_npz.answer(m, "aca", {})
    assert capsys.readouterr().out.startswith(("accept", "reject"))
    with pytest.raises(SystemExit) as refused:
        run_npz.answer(m, "acac", {})
    assert refused.value.code == 2 and "must have length at most 3: the archive" in capsys.readouterr().err


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_numbers_are_finite_in_the_format(dtype: str, capsys: pytest.CaptureFixture[str]) -> None:
    m = arrays(sc.build("min"), dtype, 3)
    largest = {"float16": "65504", "float32": "3e38", "float64": "1e308"}[dtype]
    run_npz.answer(m, f"{largest},1", {})
    assert capsys.readouterr().out.startswith("  out ")
    for number in ("nan", "inf", "-inf", "1e999", largest.replace("3e", "4e").replace("65504", "65536")):
        if number != largest:
            with pytest.raises(SystemExit) as refused:
                run_npz.answer(m, f"{number},1", {})
            error = capsys.readouterr().err
            assert refused.value.code == 2 and f"must be finite in the format {dtype}: {number},1" in error
