"""Temperatures of imported models with RMS norms, rotary positions and norms of queries and keys."""

import json
from pathlib import Path

import pytest

import symcook as sc
from symcook.compose import harden
from symcook.published.pretrained import ImportChoices, read_weights

RECORDED = json.loads(Path(__file__).with_name("heads.json").read_text())["models"]


def recorded(kind: str) -> sc.Transformer:
    """A model that transformers made, which accepts where the output a leads at the last position."""
    choices = ImportChoices(vocabulary=[*"abc"], readout="leads", label="a", position="last", name=kind)
    return read_weights(RECORDED[kind]["weights"], RECORDED[kind]["settings"], choices).model


def test_one_token_has_the_same_weights_at_every_temperature() -> None:
    assert recorded("qwen3").temperature(1).rows[0]["tau"] is None


@pytest.mark.sweep
@pytest.mark.parametrize("kind", ["qwen3", "llama"])
@pytest.mark.layer_two(every=2)
def test_below_the_temperature_floats_decide_as_hard_attention(kind: str) -> None:
    """Above it the string that is named is decided otherwise. Softmax in float64 at given temperatures is another way
    to the same answers than intervals of temperatures."""
    model = recorded(kind)
    row = model.temperature(2, min_length=2).rows[0]
    words = [a + b for a in "abc" for b in "abc"]
    hard, soft = harden(model), model.soften("tau")

    def at(tau: float) -> list[bool | None]:
        bound = soft.bind({"tau": str(tau)})
        return [bound.run(word, "float64").accept for word in words]

    expected = [hard.run(word, "float64").accept for word in words]
    if row["tau"] is None:
        assert at(0.001) == at(1) == at(1000) == expected
        return
    tau = float(str(row["tau"]).split()[0])
    assert at(tau / 100) == at(0.99 * tau) == expected
    changed = [w for w, one, two in zip(words, at(1.01 * tau), expected, strict=True) if one != two]
    assert row["word"] in changed
