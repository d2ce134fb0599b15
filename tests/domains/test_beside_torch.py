"""RMS norms and gated units beside torch's own modules of the same weights, in float64."""

from itertools import product
from typing import Any

import norms_and_gates
import numpy as np
import pytest
from norms_and_gates import LETTERS, SPACE, drawn, floats, stream

import symcook as sc
from symcook.domains import make_domain
from symcook.forward import forward

BY_NUMPY = norms_and_gates.part_of


def activated(kind: str, x: Any) -> Any:
    """torch's function of this name."""
    import torch

    match kind:
        case "gelu-tanh":
            return torch.nn.functional.gelu(x, approximate="tanh")
        case "gelu-sigmoid":
            return x * torch.sigmoid(1.702 * x)
        case "step":
            return torch.heaviside(x, torch.zeros_like(x))
    return getattr(torch.nn.functional, kind)(x)


def part_of_torch(part: Any, z: Any, names: Any) -> Any:
    """What torch's modules make of a norm or of gated units; numpy's values of another part."""
    import torch

    if isinstance(part, sc.RMSNorm):
        x = torch.tensor(z[:, [names.index(name) for name in part.reads]])
        if part.projection is not None:
            x = x @ torch.tensor(floats(part.projection)).T
        norm = torch.nn.RMSNorm(x.shape[-1], eps=float(part.epsilon), dtype=torch.float64)
        norm.weight.data = torch.tensor(floats(part.gain)[:, 0])
        return norm(x).detach().numpy()
    if isinstance(part, sc.GatedUnits):
        x = torch.tensor(z[:, [names.index(name) for name in part.reads]])

        def linear(weights: Any, bias: Any) -> Any:
            layer = torch.nn.Linear(weights.shape[1], weights.shape[0], dtype=torch.float64)
            layer.weight.data = torch.tensor(floats(weights))
            layer.bias.data = torch.tensor(floats(bias)[:, 0])
            return layer

        gate, up = linear(part.gate, part.gate_bias)(x), linear(part.up, part.up_bias)(x)
        units = activated(part.activation, gate) * up
        return linear(part.down, part.down_bias)(units).detach().numpy()
    return BY_NUMPY(part, z, names)


@pytest.mark.tools("torch")
@pytest.mark.parametrize(("kind", "seed"), [(kind, seed) for kind in ("RMSNorm", "GatedUnits") for seed in range(30)])
def test_random_models_are_what_torch_computes(kind: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    model, asked = drawn(kind, seed), []

    def part_of(part: Any, z: Any, names: Any) -> Any:
        asked.append(type(part).__name__)
        return part_of_torch(part, z, names)

    monkeypatch.setattr(norms_and_gates, "part_of", part_of)
    for word in [word for n in (1, 2, 3) for word in product(LETTERS, repeat=n)][seed % 7 :: 7]:
        expected = stream(model, word)
        result = forward(model, model.tokens(word), make_domain("ball"), trace=True)
        found = np.array([
            [float(result.domain.read(result.stream[name], k).mid()) for name in SPACE]
            for k in result.domain.places_of(result.stream[SPACE[0]])
        ])  # fmt: skip
        assert np.abs(found - expected).max() < 1e-12 * (1 + np.abs(expected).max()), word
    assert kind in asked
