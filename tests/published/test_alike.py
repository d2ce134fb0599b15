"""Phi-3 and Gemma, which store weights in other ways than Llama; their logits are in `test_recorded_logits.py`."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import symcook as sc
from symcook.published.alike import as_llama
from symcook.published.configs import MISSING, architecture_of
from symcook.published.converted import require_numbers

QKV, BOTH = "model.layers.0.self_attn.qkv_proj.weight", "model.layers.0.mlp.gate_up_proj.weight"
SIZES = {"heads": 2, "key heads": 1, "width": 4, "hidden": 3}


def test_matrices_of_phi3_come_apart_in_their_order() -> None:
    rows = np.arange(32.0).reshape(8, 4)
    found = as_llama("phi3", {QKV: rows, BOTH: rows[:6]}, dict(SIZES))
    parts = [found[f"model.layers.0.self_attn.{name}_proj.weight"] for name in "qkv"]
    assert [part[:, 0].tolist() for part in parts] == [[0, 4, 8, 12], [16, 20], [24, 28]]
    gates = [found[f"model.layers.0.mlp.{name}_proj.weight"][:, 0].tolist() for name in ("gate", "up")]
    assert gates == [[0, 4, 8], [12, 16, 20]]


@pytest.mark.parametrize(("key", "rows"), [(QKV, 7), (BOTH, 5)])
def test_a_matrix_of_phi3_with_other_rows_is_refused(key: str, rows: int) -> None:
    with pytest.raises(sc.BadInput, match=f"{key} must have the . rows that the settings say; given: {rows}"):
        as_llama("phi3", {key: np.ones((rows, 4))}, dict(SIZES))


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize(("whole", "part"), [(QKV, "self_attn.k_proj"), (BOTH, "mlp.up_proj")])
def test_a_weight_of_phi3_that_is_given_twice_is_refused(whole: str, part: str, first: bool) -> None:
    """The later one of the two was taken, so that the other had no effect."""
    pairs = [(whole, np.ones((8 if whole == QKV else 6, 4))), (f"model.layers.0.{part}.weight", np.zeros((2, 4)))]
    with pytest.raises(sc.BadInput, match=f"must be the only weight that says what model.layers.0.{part}.weight is"):
        as_llama("phi3", dict(pairs if first else pairs[::-1]), dict(SIZES))


def test_weights_of_gemma_are_not_rounded() -> None:
    small = np.array([0.5, 2.0**-60, -1.0, 0.0, 0.25], dtype=np.float32)
    state: dict[str, Any] = {"model.norm.weight": small, "model.embed_tokens.weight": np.array([small])}
    facts = {"tied": True}
    found = as_llama("gemma", state, facts)
    assert found["model.norm.weight"].tolist() == [Fraction(float(x)) + 1 for x in small]
    by = Fraction(float(np.float32(5**0.5)))
    rows = found["model.embed_tokens.weight"].tolist()
    assert [Fraction(x) for x in rows[0]] == [Fraction(float(x)) * by for x in small]
    assert (found["lm_head.weight"] == np.array([small])).all() and "tied" not in facts


@pytest.mark.parametrize("kind", [np.float32, np.float16, np.int64, np.uint8, object])
def test_weights_of_gemma_are_the_same_in_each_type(kind: Any) -> None:
    """Integers, as JSON has them, were taken as they are: gains without the 1, and rows without the factor."""
    state = {"model.norm.weight": np.array([0, 2], kind), "model.embed_tokens.weight": np.array([[3, 0]], kind)}
    found = as_llama("gemma", state, {"tied": True})
    rows = [[Fraction(float(np.float32(2**0.5))) * 3, 0]]
    assert (found["model.norm.weight"].tolist(), found["model.embed_tokens.weight"].tolist()) == ([1, 3], rows)


@pytest.mark.parametrize("entry", [True, "1", np.inf, np.longdouble(1)])
def test_an_entry_of_gemma_that_is_no_exact_number_is_refused(entry: Any) -> None:
    """Such entries are left as they are; the reader refuses them."""
    state = {"model.norm.weight": np.array([entry])}
    with pytest.raises(sc.BadInput, match=r"every entry of model.norm.weight must be a finite number"):
        require_numbers("model.norm.weight", as_llama("gemma", state, {})["model.norm.weight"])


def test_another_output_of_a_tied_gemma_is_refused() -> None:
    state = {"model.embed_tokens.weight": np.ones((2, 4)), "lm_head.weight": np.zeros((2, 4))}
    with pytest.raises(sc.BadInput, match="must have the weights of the embedding"):
        as_llama("gemma", state, {"tied": True})


@pytest.mark.parametrize("name", MISSING)
def test_what_an_architecture_has_that_is_not_read_is_named(name: str) -> None:
    with pytest.raises(sc.BadInput, match=f"must be without {MISSING[name]} to be read; given: {name} in config.json"):
        architecture_of({"model_type": name}, None)
