"""State dicts with HookedTransformer's names, against einsums written from its documentation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from families import together

import symcook as sc
from symcook.errors import BadInput

VOCABULARY = ("a", "b", "c")
V, D, HEADS, H, N = 3, 4, 2, 5, 6
S = D // HEADS


def state(seed: int, *, mlp: bool = True, folded: bool = False) -> dict[str, Any]:
    rng = np.random.default_rng(seed)

    def table(*shape: int) -> Any:
        return rng.standard_normal(shape)

    found = {
        "embed.W_E": table(V, D),
        "pos_embed.W_pos": table(N, D),
        "unembed.W_U": table(D, V),
        "unembed.b_U": table(V),
    }
    for block in range(2):
        key = f"blocks.{block}."
        found |= {key + f"attn.W_{name}": table(HEADS, D, S) for name in "QKV"}
        found |= {key + f"attn.b_{name}": table(HEADS, S) for name in "QKV"}
        found |= {key + "attn.W_O": table(HEADS, S, D), key + "attn.b_O": table(D)}
        found |= {key + "attn.mask": np.tril(np.ones((N, N), dtype=bool)), key + "attn.IGNORE": np.array(-np.inf)}
        if mlp:
            found |= {key + "mlp.W_in": table(D, H), key + "mlp.b_in": table(H)}
            found |= {key + "mlp.W_out": table(H, D), key + "mlp.b_out": table(D)}
        if not folded:
            found |= {key + f"{name}.{part}": table(D) for name in ("ln1", "ln2")[: 1 + mlp] for part in "wb"}
    if not folded:
        found |= {"ln_final.w": table(D), "ln_final.b": table(D)}
    return found


def logits(given: dict[str, Any], word: list[int], norm: bool = True) -> Any:
    """The forward pass of a HookedTransformer with relu."""

    def normed(x: Any, key: str) -> Any:
        if not norm:
            return x
        x = x - x.mean(-1, keepdims=True)
        x = x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-5)
        return x * given.get(key + ".w", 1) + given.get(key + ".b", 0)

    n = len(word)
    x = given["embed.W_E"][word] + given["pos_embed.W_pos"][:n]
    for block in range(2):
        key = f"blocks.{block}."
        y = normed(x, key + "ln1")
        q, k, v = (
            np.einsum("nd,hds->nhs", y, given[key + f"attn.W_{name}"]) + given[key + f"attn.b_{name}"] for name in "QKV"
        )
        scores = np.einsum("ihs,jhs->hij", q, k) / np.sqrt(S)
        scores = np.where(np.tril(np.ones((n, n), dtype=bool)), scores, -np.inf)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        weights = weights / weights.sum(-1, keepdims=True)
        z = np.einsum("hij,jhs->ihs", weights, v)
        x = x + np.einsum("ihs,hsd->id", z, given[key + "attn.W_O"]) + given[key + "attn.b_O"]
        if key + "mlp.W_in" in given:
            y = normed(x, key + "ln2")
            hidden = np.maximum(y @ given[key + "mlp.W_in"] + given[key + "mlp.b_in"], 0)
            x = x + hidden @ given[key + "mlp.W_out"] + given[key + "mlp.b_out"]
    if "ln_final.w" in given:
        x = normed(x, "ln_final")
    return x @ given["unembed.W_U"] + given["unembed.b_U"]


@together("seed", range(4))
@together("mlp", [True, False])
@together("norm", ["pre", "none"])
def test_a_hooked_transformer_is_read_exactly(seed: int, mlp: bool, norm: str) -> None:
    given = state(seed, mlp=mlp, folded=norm == "none")
    model = sc.from_state_dict(given, vocabulary=VOCABULARY, norm=norm, activation="relu")
    for word in ([0], [2, 1], [1, 1, 0, 2, 2, 0]):
        wanted = logits(given, word, norm == "pre")
        found = model.run([VOCABULARY[t] for t in word], "float64")
        got = np.array(list(found.result.columns().values())).T
        assert np.allclose(got, wanted, rtol=1e-10, atol=1e-10)
        assert found.outputs == [VOCABULARY[k] for k in wanted.argmax(axis=1)]


def test_thirty_digits_of_a_trained_model() -> None:
    given = state(7)
    model = sc.from_state_dict(given, vocabulary=VOCABULARY, activation="relu")
    found = model.run("abca", "ball", digits=30)
    wanted = logits(given, [0, 1, 2, 0])[-1]
    for label, value in zip(VOCABULARY, wanted.tolist(), strict=True):
        ball = found.output[label]
        assert float(ball["mid"]) == pytest.approx(value, rel=1e-10)
        assert float(ball["rad"]) <= 1e-29


@together(
    ("changes", "says"),
    [
        ({"blocks.0.attn.W_Q": None}, r"blocks\.0\.attn\.W_Q"),
        ({"blocks.1.mlp.W_out": None}, r"blocks\.1\.mlp\.W_out"),
        ({"blocks.0.attn.W_Z": np.zeros(2)}, r"blocks\.0\.attn\.W_Z; did you mean"),
        ({"blocks.1.attn.W_K": np.zeros((2, 4, 3))}, r"blocks\.1\.attn\.W_K"),
        ({"blocks.1.attn.W_O": np.zeros((3, 2, 4))}, r"blocks\.1\.attn\.W_O"),
        ({"blocks.0.attn.W_Q": np.zeros((3, 4, 1))}, r"blocks\.0\.attn\.W_Q"),
        ({"blocks.0.attn.b_V": np.zeros((4,))}, r"blocks\.0\.attn\.b_V"),
        (
            {f"blocks.1.attn.{name}": np.zeros((1, 4, 4)) for name in ("W_Q", "W_K", "W_V", "W_O")}
            | {f"blocks.1.attn.{name}": None for name in ("b_Q", "b_K", "b_V")},
            r"blocks\.1\.attn\.W_K must have the shape H x d x s with H = 2",
        ),
        ({"unembed.W_U": np.zeros(4)}, r"unembed\.W_U"),
        ({"embed.W_E": np.zeros(4)}, "embed|embedding|attn"),
        ({"pos_embed.W_pos": np.full((6, 4), np.nan)}, "finite"),
    ],
)
def test_a_hooked_state_that_does_not_fit(changes: dict[str, Any], says: str) -> None:
    given = {key: value for key, value in (state(1) | changes).items() if value is not None}
    with pytest.raises(BadInput, match=says):
        sc.from_state_dict(given, vocabulary=VOCABULARY, activation="relu")
    with pytest.raises(BadInput, match="heads"):
        sc.from_state_dict(state(1), vocabulary=VOCABULARY, heads=4)
