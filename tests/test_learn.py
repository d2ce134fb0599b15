"""The training example: its network against torch's own encoder, and what the command writes."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent


def example() -> Any:
    spec = importlib.util.spec_from_file_location("learn", ROOT / "examples" / "learn.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("language", ["first", "parity"])
def test_the_network_is_torchs_encoder(language: str) -> None:
    torch = pytest.importorskip("torch")
    learn = example()
    torch.manual_seed(1)
    mine = learn.encoder(language, False)
    layers = []
    for layer in mine.layers:
        heads = learn.HEADS[language]
        one = torch.nn.TransformerEncoderLayer(
            learn.WIDTH, heads, learn.HIDDEN, dropout=0, layer_norm_eps=learn.EPSILON, batch_first=True
        )
        parts = (layer.queries, layer.keys, layer.values)
        with torch.no_grad():
            one.self_attn.in_proj_weight.copy_(torch.cat([part.weight for part in parts]))
            one.self_attn.in_proj_bias.copy_(torch.cat([part.bias for part in parts]))
            for to, source in (
                (one.self_attn.out_proj, layer.out),
                (one.linear1, layer.forward_part[0]),
                (one.linear2, layer.forward_part[2]),
            ):
                to.weight.copy_(source.weight)
                to.bias.copy_(source.bias)
        layers.append(one.double())
    mine.double()
    words = torch.tensor([[2, 0, 1, 1, 0, 1], [2, 1, 1, 0, 0, 0]])
    n = words.shape[1]
    positions = torch.zeros(n, learn.WIDTH).double()
    for i in range(n):
        if language == "first":
            positions[i, 0] = i == 1
        else:
            positions[i, 0], positions[i, 1] = i / n, (-1) ** i
    x = mine.words(words) + positions
    for layer in layers:
        x = layer(x)
    logits, seen = mine(words)
    assert torch.allclose(logits, mine.logit(x[:, 0])[:, 0], atol=1e-6)  # positions are single precision in the example
    assert seen.shape == (2, 2, n) and torch.allclose(seen.sum(-1), torch.ones(2, 2).double())


def test_a_short_training_writes_a_line_an_epoch(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch")
    made = tmp_path / "figures"
    line = ["first", "--train", "3,4", "--test", "5", "--epochs", "2", "--seeds", "2", "-o", str(made)]
    assert example().main(line) == 0
    rows = (made / "first-learned.csv").read_text(encoding="ascii").splitlines()
    assert rows[0] == "scores,train_length,epoch,cross_entropy_bits,accuracy,attention_first"
    keys = [tuple(row.split(",")[:3]) for row in rows[1:]]
    assert keys == [(s, n, e) for s in ("plain", "scaled") for n in ("3", "4") for e in ("1", "2")]
    assert all(0 <= float(row.split(",")[4]) <= 1 for row in rows[1:])
    assert "wrote" in capsys.readouterr().out


@pytest.mark.skipif(importlib.util.find_spec("torch") is not None, reason="torch is installed")
def test_without_torch_it_says_what_to_install(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        example().main(["first", "-o", str(tmp_path / "figures")])
    assert stopped.value.code == 2 and not list(tmp_path.iterdir())
    assert "pip install 'symcook[torch]'" in capsys.readouterr().err
