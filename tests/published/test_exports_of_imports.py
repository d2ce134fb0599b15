"""Exports of imported models: what floats with certified errors guarantee, and what each format makes of them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from published_models import KINDS, LETTERS, stored, weights
from trained import trained

import symcook as sc
from symcook.export import archive, infloats
from symcook.export.guarantee import guarantee
from symcook.export.infloats import certified, in_floats


def of_llama(**turned: Any) -> sc.Transformer:
    """A random Llama of two layers with grouped heads, gated units and RMS norms."""
    word, shape, options = KINDS["qwen"]
    shape = replace(shape, tied=False)
    state = {key: 0.5 * array for key, array in stored(word, shape, weights(shape, 3)).items()}
    return sc.from_state_dict(state, vocabulary=LETTERS, **options | turned)


@pytest.mark.layer_one(0, 1)
@pytest.mark.parametrize("model", [trained(5, width=8, layers=3), of_llama(), of_llama(rotary=100)])
def test_outputs_of_models_contain_numpy_and_intervals(model: sc.Transformer) -> None:
    assert model.dense
    for word in ("a", "bca", "cabab"):
        for dtype in ("float64", "float32"):
            found = in_floats(model, dtype, len(word), iter([tuple(word)]))
            assert found is not None and found.count == 1
            if found.left:
                assert dtype == "float32" and not found.outputs
                continue
            arrays = archive.arrays(model, dtype, len(word))
            tokens = np.array([[LETTERS.index(c) for c in word]])
            rows = archive.shown(arrays, archive.evaluate(arrays, archive.embed(arrays, tokens)))[0]
            exact = model.run(word, "ball", digits=20)
            for label, column in zip(model.readout.labels, rows.T, strict=True):
                low, high = found.outputs[label]
                assert low <= min(column) and max(column) <= high
                assert low <= float(Fraction(exact.output[label]["mid"])) <= high
            answers = certified(model, [tuple(word)])[0]
            assert [model.readout.label(k) for k in answers] == exact.outputs


def test_a_guarantee_is_of_every_string_in_floats(monkeypatch: pytest.MonkeyPatch) -> None:
    """A string that floats leave open is run in rigorous intervals; with too many strings the search ends."""
    model = of_llama(rotary=100)
    found = guarantee(model, "float64", 3)
    assert found["ranges"] == found["divided_first"]["ranges"] == [[1, 3]] and found["not_asked"] is None
    assert found["method"] == f"{infloats.SAYS}, from length 1"
    assert [entry["runs"] for entry in found["lengths"]] == [3, 9, 27]

    def leaves(model: sc.Transformer, dtype: str, n: int, strings: Any) -> Any:
        answers = in_floats(model, dtype, n, strings)
        return None if answers is None else replace(answers, left=[("a",) * n])

    monkeypatch.setattr(infloats, "in_floats", leaves)
    monkeypatch.setattr(infloats, "MOST_STRINGS", 3)
    short = guarantee(model, "float64", 2)
    assert short["ranges"] == [[1, 1]] and short["lengths"][0]["margin"] == found["lengths"][0]["margin"]
    assert short["not_asked"]["why"].startswith("length 2 has 9 strings, too many for a model of ")
