"""The model of the tutorial, and one of each kind of head, beside the logits that transformers computed for them."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from checkout import ROOT

import symcook as sc

LOGITS = ROOT / "tests" / "published" / "logits.json"


def test_the_logits_are_those_that_transformers_recorded() -> None:
    recorded = json.loads(LOGITS.read_text())
    assert LOGITS.stat().st_size < 100_000 and recorded["versions"].keys() == {"torch", "transformers"}
    model = sc.from_pretrained(ROOT / "examples" / "brackets")
    assert model.readout.labels == ("(", ")", "yes", "no")
    for word, rows in recorded["logits"].items():
        last = model.run(word, "ball", digits=20).output
        for label, value in zip(model.readout.labels, rows[-1], strict=True):
            near = Fraction(1, 10**10) * (1 + abs(Fraction(value)))
            assert abs(Fraction(last[label]["mid"]) - Fraction(value)) < near


HEADS = ROOT / "tests" / "published" / "heads.json"
KINDS = ("llama", "qwen2", "qwen3", "gpt_neox", "phi3", "gemma", "bloom")


@pytest.mark.parametrize("kind", KINDS)
def test_the_logits_of_rotary_and_grouped_heads_are_those_that_transformers_recorded(kind: str, tmp_path: Path) -> None:
    """`record_heads.py` made them; the gelu of Bloom has sqrt(2/pi) to 8 digits."""
    recorded = json.loads(HEADS.read_text())
    assert HEADS.stat().st_size < 50_000 and recorded["models"].keys() == set(KINDS)
    found = recorded["models"][kind]
    (tmp_path / "config.json").write_text(json.dumps(found["settings"]))
    weights: dict[str, Any] = {key: np.array(value) for key, value in found["weights"].items()}
    np.savez(tmp_path / "model.npz", **weights)
    model = sc.from_pretrained(tmp_path, vocabulary="abc")
    near = Fraction(1, 10 ** (7 if kind == "bloom" else 12))
    for word, row in found["logits"].items():
        last = model.run(word, "ball", digits=20).output
        for label, value in zip("abc", row, strict=True):
            assert Fraction(last[label]["rad"]) < Fraction(1, 10**15)
            assert abs(Fraction(last[label]["mid"]) - Fraction(value)) < near * (1 + abs(Fraction(value)))


@pytest.mark.parametrize(("window", "longest"), [({"sliding_window": 6}, 6), ({}, 4096), ({"sliding_window": None}, 0)])
def test_a_sliding_window_is_the_greatest_length(window: dict[str, Any], longest: int, tmp_path: Path) -> None:
    """A Mistral computes as a Llama does on inputs that its window covers; without the setting, it is 4096."""
    found = json.loads(HEADS.read_text())["models"]["llama"]
    (tmp_path / "config.json").write_text(json.dumps(found["settings"] | {"model_type": "mistral"} | window))
    weights: dict[str, Any] = {key: np.array(value) for key, value in found["weights"].items()}
    np.savez(tmp_path / "model.npz", **weights)
    model = sc.from_pretrained(tmp_path, vocabulary="abc")
    assert (model.max_length or 0) == longest
    for word, row in found["logits"].items():
        last = model.run(word, "float64").output
        assert [float(last[label]) for label in "abc"] == pytest.approx(row, rel=1e-9)
    if longest == 6:
        with pytest.raises(sc.BadInput, match="at most 6"):
            model.run("abcabca")
