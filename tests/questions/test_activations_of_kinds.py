"""Arrays and attributions of models with biased and rotary heads, RMS norms and gated units, beside numpy."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import biased_heads
import norms_and_gates
import numpy as np
import pytest

import symcook as sc
from symcook.errors import BadInput

ROWS = [[1, 0, -1, 2], [0, 3, 1, 1]]


def with_scores(model: sc.Transformer) -> sc.Transformer:
    """The model with two scores at each position."""
    return replace(model, readout=sc.Readout("largest", "each", tuple(model.space)[:4], ROWS, ("p", "q")))


def close(found: Any, wanted: Any) -> None:
    np.testing.assert_allclose(np.asarray(found, dtype=float), wanted, atol=1e-9)


def check_attention(run: sc.Run, model: sc.Transformer, layer: int) -> None:
    """What heads add is that of numpy; and the scores give the weights, where these are softmax."""
    before, heads = run[f"blocks.{layer}.hook_resid_pre"], model.layers[layer].attention.heads
    added = np.zeros_like(before)
    for k, head in enumerate(heads):
        wanted = biased_heads.attended(head, before, model.embedding.start)
        places = [biased_heads.SPACE.index(name) for name in head.writes]
        close(run[f"blocks.{layer}.attn.hook_z"][:, k, places], wanted)
        added[:, places] += wanted
        scores, weights = (run[f"blocks.{layer}.attn.hook_{name}"][k] for name in ("attn_scores", "pattern"))
        if head.weighting.startswith("softmax"):
            most = np.where(np.isfinite(scores).any(-1), scores.max(-1), 0)
            powers = np.exp(scores - most[:, None])
            below = powers.sum(-1) + (np.exp(-most) if head.weighting == "softmax-plus-one" else 0)
            close(weights, powers / np.where(below > 0, below, 1)[:, None])
    close(run[f"blocks.{layer}.hook_attn_out"], added)


@pytest.mark.layer_one(0, 1, 2, 4)
@pytest.mark.parametrize("kind", [*biased_heads.KINDS, *biased_heads.ROTARY])
def test_heads_are_those_of_numpy(kind: str) -> None:
    for seed in range(4):
        make = biased_heads.drawn if kind in biased_heads.KINDS else biased_heads.drawn_rotary
        model = with_scores(make(kind, seed))
        run = model.run("a0c", domain="float64")
        for layer in range(2):
            check_attention(run, model, layer)
        logits = biased_heads.stream(model, "a0c") @ np.array(ROWS).T
        close(run.logits, logits)
        for label, column in (("p", 0), ("q", 1)):
            found = run.attribution(label, position=model.embedding.start + 1)
            close([found.logit, sum(found.parts.values())], [logits[1, column]] * 2)


def test_gated_units_are_those_of_numpy() -> None:
    for seed in range(6):
        model = with_scores(norms_and_gates.drawn("GatedUnits", seed))
        run = model.run("c0", domain="float64")
        part, names = model.layers[1].feedforward, norms_and_gates.SPACE
        wanted = norms_and_gates.part_of(part, run["blocks.1.hook_resid_mid"], names)
        close(run["blocks.1.hook_mlp_out"][:, [names.index(name) for name in part.writes]], wanted)
        found = run.attribution("p")
        close(sum(found.parts.values()), float(found.logit))
        assert sum(name.startswith("L2.ff.unit") for name in found.parts) == part.hidden
        assert ("L2.ff.down_bias" in found.parts) == any(part.down_bias)


def test_contributions_through_an_rms_norm_add_up() -> None:
    """At norms after a block there is a refusal."""
    sums = 0
    for seed in range(12):
        model = with_scores(norms_and_gates.drawn("RMSNorm", seed))
        run = model.run("ac0", domain="float64")
        if seed % 4 == 1:
            with pytest.raises(BadInput, match="without norms after blocks"):
                run.attribution("q")
            continue
        found = run.attribution("q")
        close(sum(found.parts.values()), float(found.logit))
        sums += model.final_norm is not None
    assert sums >= 4
