"""The model of the tutorial, beside the logits that transformers computed for it (`record.py`)."""

from __future__ import annotations

import json
from fractions import Fraction

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
