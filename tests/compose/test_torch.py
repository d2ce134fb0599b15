"""State dicts of torch's own encoder against torch itself, where torch is installed (it is no dependency of ours)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symcook as sc

torch: Any = pytest.importorskip("torch")

VOCABULARY = ("a", "b", "CD")


class Model(torch.nn.Module):
    """Embedding, learnt positions, torch.nn.TransformerEncoder with a causal mask, and an output layer."""

    def __init__(self, *, first: bool, activation: str, final: bool, heads: int) -> None:
        super().__init__()
        self.embedding = torch.nn.Embedding(3, 4)
        self.positions = torch.nn.Embedding(6, 4)
        layer = torch.nn.TransformerEncoderLayer(
            4, heads, 5, dropout=0.0, activation=activation, batch_first=True, norm_first=first
        )
        norm = torch.nn.LayerNorm(4) if final else None
        encoder = torch.nn.TransformerEncoder(layer, 2, norm, enable_nested_tensor=False)
        self.layers, self.norm, self.encoder = encoder.layers, encoder.norm, [encoder]
        self.output = torch.nn.Linear(4, 3)

    def forward(self, word: Any) -> Any:
        n = len(word)
        x = self.embedding(word) + self.positions(torch.arange(n))
        unseen = torch.triu(torch.ones(n, n, dtype=torch.bool), diagonal=1)
        return self.output(self.encoder[0](x[None], mask=unseen)[0])


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize(("final", "heads"), [(True, 2), (False, 1)])
def test_a_torch_encoder_is_read_exactly(first: bool, activation: str, final: bool, heads: int) -> None:
    torch.manual_seed(3 + first + 2 * final)
    source = Model(first=first, activation=activation, final=final, heads=heads)
    with torch.no_grad():
        for weights in source.parameters():  # biases begin at 0 and gains at 1; none does after training
            weights += 0.3 * torch.randn_like(weights)
    source = source.double().eval()
    model = sc.from_state_dict(
        source.state_dict(), vocabulary=VOCABULARY, heads=heads, norm="pre" if first else "post", activation=activation
    )
    for word in (["a"], ["CD", "a"], ["b", "b", "a", "CD", "b", "a"]):
        with torch.no_grad():
            scores = source(torch.tensor([VOCABULARY.index(token) for token in word])).numpy()
        assert model.run(word, "float64").outputs == [VOCABULARY[k] for k in scores.argmax(axis=1)]
    state = {key: value for key, value in source.state_dict().items() if not key.startswith("output")}
    stream = sc.from_state_dict(
        state, vocabulary=VOCABULARY, heads=heads, norm="pre" if first else "post", activation=activation
    )
    source.output = torch.nn.Identity()
    with torch.no_grad():
        wanted = source(torch.tensor([0, 2, 1])).numpy()
    got = np.array([list(row.values()) for row in stream.run(["a", "CD", "b"], "float64").outputs or []])
    assert np.allclose(got, wanted, rtol=1e-9, atol=1e-9)
