"""State dicts against a plain numpy transformer written here from the definition of torch's encoder layer."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from families import together

import symcook as sc

VOCABULARY = ("a", "b", "CD")


def state(rng: np.random.Generator, *, d: int = 4, h: int = 5, layers: int = 2, bias: bool = True, **more: bool) -> Any:
    """Random weights in float32; `more` says which of positions, final and output are there."""

    def draw(*shape: int) -> Any:
        return rng.normal(0, 0.7, shape).astype(np.float32)

    found: dict[str, Any] = {"embedding.weight": draw(3, d)}
    for k in range(layers):
        key = f"encoder.layers.{k}."
        found |= {key + "self_attn.in_proj_weight": draw(3 * d, d), key + "self_attn.out_proj.weight": draw(d, d)}
        found |= {key + "linear1.weight": draw(h, d), key + "linear2.weight": draw(d, h)}
        found |= {key + "linear1.bias": draw(h), key + "linear2.bias": draw(d)}
        if bias:
            found |= {key + "self_attn.in_proj_bias": draw(3 * d), key + "self_attn.out_proj.bias": draw(d)}
        if more.get("norms"):
            for norm in ("norm1", "norm2"):
                found |= {key + norm + ".weight": draw(d), key + norm + ".bias": draw(d)}
    if more.get("positions"):
        found["encoder.positions.weight"] = draw(6, d)
        found["encoder.embedding.weight"] = found.pop("embedding.weight")
    if more.get("final"):
        found |= {"norm.weight": draw(d), "norm.bias": draw(d)}
    if more.get("output"):
        found |= {"output.weight": draw(3, d)}
        if bias:
            found |= {"output.bias": draw(3)}
    return found


def plain(given: Any, word: list[str], heads: int, norm: str, epsilon: float) -> Any:
    """What torch.nn.TransformerEncoder computes with a causal mask, in float64."""
    weights = {key.removeprefix("encoder."): np.asarray(value, dtype=np.float64) for key, value in given.items()}
    z = weights["embedding.weight"][[VOCABULARY.index(t) for t in word]]
    n, d = z.shape
    if "positions.weight" in weights:
        z = z + weights["positions.weight"][:n]

    def normed(key: str, x: Any) -> Any:
        x = x - x.mean(axis=1, keepdims=True)
        x = x / np.sqrt((x * x).mean(axis=1, keepdims=True) + epsilon)
        return x * weights[key + ".weight"] + weights[key + ".bias"]

    def attention(key: str, x: Any) -> Any:
        bias = weights.get(key + "in_proj_bias", np.zeros(3 * d))
        q, k, v = (
            x @ m.T + b for m, b in zip(np.split(weights[key + "in_proj_weight"], 3), np.split(bias, 3), strict=True)
        )
        size, parts = d // heads, []
        for head in range(heads):
            cut = slice(head * size, (head + 1) * size)
            scores = q[:, cut] @ k[:, cut].T / math.sqrt(size)
            scores = np.where(np.tril(np.ones((n, n))) > 0, scores, -np.inf)
            a = np.exp(scores - scores.max(axis=1, keepdims=True))
            parts.append(a / a.sum(axis=1, keepdims=True) @ v[:, cut])
        return np.concatenate(parts, axis=1) @ weights[key + "out_proj.weight"].T + weights.get(
            key + "out_proj.bias", 0
        )

    def network(key: str, x: Any) -> Any:
        inside = np.maximum(x @ weights[key + "linear1.weight"].T + weights[key + "linear1.bias"], 0)
        return inside @ weights[key + "linear2.weight"].T + weights[key + "linear2.bias"]

    k = 0
    while f"layers.{k}.linear1.weight" in weights:
        key = f"layers.{k}."
        for part, name, own in ((attention, "norm1", key + "self_attn."), (network, "norm2", key)):
            if norm == "pre":
                z = z + part(own, normed(key + name, z))
            else:
                z = z + part(own, z)
                z = normed(key + name, z) if norm == "post" else z
        k += 1
    z = normed("norm", z) if "norm.weight" in weights else z
    return z @ weights["output.weight"].T + weights.get("output.bias", 0) if "output.weight" in weights else z


CASES = {
    "pre": ("pre", {"norms": True}),
    "pre, all": ("pre", {"norms": True, "positions": True, "final": True}),
    "post without biases of attention": ("post", {"norms": True, "bias": False, "final": True}),
    "post": ("post", {"norms": True, "positions": True}),
    "post, final": ("post", {"norms": True, "final": True}),
    "none": ("none", {"positions": True}),
    "none, final": ("none", {"final": True, "layers": 1}),
}


@together("what", CASES)
@together("heads", [1, 2])
def test_a_state_dict_runs_as_its_source(what: str, heads: int) -> None:
    norm, parts = CASES[what]
    given = state(np.random.default_rng(len(what) + heads), **parts)  # type: ignore[arg-type]
    model = sc.from_state_dict(given, vocabulary=VOCABULARY, heads=heads, norm=norm, activation="relu")
    for word in (["a"], ["CD", "a"], ["b", "b", "a", "CD", "b"]):
        wanted = plain(given, word, heads, norm, 1e-5)
        got = np.array([list(row.values()) for row in model.run(word, "float64").outputs or []])
        assert np.allclose(got, wanted, rtol=1e-9, atol=1e-9)
    balls = model.run(["b", "a"], "ball", digits=20).outputs or []
    wanted = plain(given, ["b", "a"], heads, norm, 1e-5)
    for row, right in zip(balls, wanted, strict=True):
        for ball, value in zip(row.values(), right, strict=True):
            assert abs(float(Fraction(ball["mid"])) - value) < 1e-9


def test_labels_of_the_largest_output() -> None:
    given = state(np.random.default_rng(5), norms=True, final=True, output=True)
    model = sc.from_state_dict(given, vocabulary=VOCABULARY, heads=2, norm="pre", activation="relu")
    for word in (["a", "b"], ["CD", "CD", "a"]):
        scores = plain(given, word, 2, "pre", 1e-5)
        assert model.run(word, "ball").outputs == [VOCABULARY[k] for k in scores.argmax(axis=1)]


def test_weights_are_the_floats_themselves() -> None:
    given = {"embedding.weight": np.array([[0.1, 1.0], [2.0, -0.5]])}
    model = sc.from_state_dict(given, vocabulary="ab", norm="none")
    assert model.run("a").output["x0"] == "3602879701896397/36028797018963968"


def test_it_is_saved_and_exported(tmp_path: Any) -> None:
    given = state(np.random.default_rng(2), layers=1, norms=True, positions=True)
    model = sc.from_state_dict(given, vocabulary=VOCABULARY, heads=1, norm="pre", activation="relu")
    assert sc.load(model.save(tmp_path / "m.json")) == model
    assert model.max_length == 6
    with pytest.raises(sc.BadInput, match="at most 6"):
        model.run(["a"] * 7, "float64")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"layers.0.linear1.weight": None}, "none for layers.0.linear1.weight"),
        ({"layers.0.linear2.weight": np.zeros((4, 3))}, "layers.0.linear2.weight must have shape 4 x 5"),
        ({"layers.0.self_attn.in_proj_bias": np.zeros(11)}, "layers.0.self_attn.in_proj_bias must have shape"),
        ({"layers.0.norm3.weight": np.zeros(4)}, "did you mean layers.0.norm"),
        ({"embedding.weight": np.full((3, 4), np.nan)}, "every entry of embedding.weight must be a finite number"),
        ({"embedding.weight": "words"}, "embedding.weight must"),
    ],
)
def test_what_does_not_fit_is_named(change: dict[str, Any], says: str) -> None:
    given = {k.removeprefix("encoder."): v for k, v in state(np.random.default_rng(1), layers=1, norms=True).items()}
    given |= change
    given = {key: value for key, value in given.items() if value is not None}
    with pytest.raises(sc.BadInput, match=says):
        sc.from_state_dict(given, vocabulary=VOCABULARY, heads=1, norm="pre", activation="relu")


@pytest.mark.parametrize("bias", [True, False])
def test_labels_behind_post_norms(bias: bool) -> None:
    given = state(np.random.default_rng(6), norms=True, final=True, output=True, bias=bias)
    model = sc.from_state_dict(given, vocabulary=VOCABULARY, heads=1, norm="post", activation="relu")
    assert bool(model.final_norm) != bias  # without biases the norms stand where they stood
    for word in (["a", "b"], ["CD", "CD", "a"]):
        scores = plain(given, word, 1, "post", 1e-5)
        assert model.run(word, "ball").outputs == [VOCABULARY[k] for k in scores.argmax(axis=1)]


def test_heads_must_divide() -> None:
    given = state(np.random.default_rng(1), norms=True)
    with pytest.raises(sc.BadInput, match="must divide the 4 coordinates"):
        sc.from_state_dict(given, vocabulary=VOCABULARY, heads=3, norm="pre", activation="relu")


def test_entries_may_be_any_exact_numbers_or_floats_of_one_kind() -> None:
    """Lists of ints, Fractions, floats and numpy's float64 are what arrays of them are; anything else is named."""
    rows = [[1, Fraction(1, 2), 0.25, np.float64(2.0)]] * 2
    given = {"embedding.weight": rows, "output.weight": np.array(rows, dtype=float)}
    model = sc.from_state_dict(given, vocabulary="ab", norm="none")
    assert [str(v) for v in (model.embedding.words or {})["a"].values()] == ["1", "1/2", "1/4", "2"]
    assert list(model.readout.weights)[:4] == list((model.embedding.words or {})["a"].values())
    for wrong in (float("inf"), float("nan"), True, "1", None):
        with pytest.raises(sc.BadInput, match=r"every entry of output\.weight must be a finite number"):
            sc.from_state_dict(given | {"output.weight": [[1, 2, 3, wrong]] * 2}, vocabulary="ab", norm="none")


@pytest.mark.parametrize(
    ("norm", "final", "bias", "says"),
    [
        ("pre", True, True, "a state dict with 1 layer; layers of their own here for the norm at the end, 2 in all"),
        ("pre", True, False, "a state dict with 1 layer"),
        ("pre", False, True, "a state dict with 1 layer"),
        ("none", False, True, "a state dict with 1 layer"),
        ("post", False, False, "a state dict with 1 layer"),
        ("post", False, True, "a state dict with 1 layer; layers of their own here for parts and norms, 4 in all"),
    ],
)
def test_one_layer_that_is_shown_as_several_says_why(norm: str, final: bool, bias: bool, says: str) -> None:
    """Only a bias of the output needs a coordinate that norms must not change."""
    given = state(np.random.default_rng(3), layers=1, norms=norm != "none", final=final, output=True)
    given |= {} if bias else {"output.bias": np.zeros(3)}
    model = sc.from_state_dict(given, vocabulary=VOCABULARY, heads=1, norm=norm, activation="relu")
    many, how = len(model.layers), "read with 1 head, the mask causal" + " and epsilon 1/100000" * (norm != "none")
    says = says.replace("1 layer", f"1 layer, {how}")
    assert (many > 1) == ("in all" in says) and (many == 1 or f"{many} in all" in says)
    assert f"Source: {says} " in " ".join(model.text().split()) and f"Source: {says}<" in model._repr_html_()


@pytest.mark.parametrize(("given", "says"), [({}, "given: an empty one"), (5, "given: 5")])
def test_no_state_dict_is_named(given: Any, says: str) -> None:
    with pytest.raises(sc.BadInput, match=says):
        sc.from_state_dict(given, vocabulary=VOCABULARY)


# --- What the keys leave open -----------------------------------------------------------------------------------------


HOOKED = {
    "embed.W_E": [[1.0, 0.0], [0.0, 1.0]], "pos_embed.W_pos": [[0.0, 0.0]] * 6,
    "unembed.W_U": [[1.0, 0.0], [0.0, 2.0]], "unembed.b_U": [1.5, 0.0],
    "blocks.0.attn.W_Q": [[[0.0, 0.0]] * 2], "blocks.0.attn.W_K": [[[0.0, 0.0]] * 2],
    "blocks.0.attn.W_V": [[[1.0, 0.0], [0.0, 1.0]]], "blocks.0.attn.W_O": [[[1.0, 0.0], [0.0, 1.0]]],
    **{f"blocks.0.attn.b_{name}": [[0.0, 0.0]] for name in "QKV"}, "blocks.0.attn.b_O": [0.0, 0.0],
}  # fmt: skip
"""A HookedTransformer of attention alone, without weights of norms."""
NORM = {f"{norm}.{name}": [1.0, 1.0] for norm in ("blocks.0.ln1", "ln_final") for name in "wb"}
LATER = {f"blocks.0.ln2.{name}": [1.0, 1.0] for name in "wb"}
MLP = {
    "blocks.0.mlp.W_in": [[1.0], [1.0]], "blocks.0.mlp.W_out": [[1.0, 1.0]],
    "blocks.0.mlp.b_in": [0.0], "blocks.0.mlp.b_out": [0.0, 0.0],
}  # fmt: skip
PLAIN = state(np.random.default_rng(1), norms=True)
QUERIES_OF_BIASES = PLAIN | {
    key: np.concatenate([0 * value[:4], value[4:]]) for key, value in PLAIN.items() if key.endswith("in_proj_weight")
}
"""Queries that are the same at every position, and by which scores still depend on the number of heads."""
ZERO = {key: 0 * value for key, value in PLAIN.items() if key.endswith("in_proj_weight")}


@pytest.mark.parametrize(
    ("given", "words", "says"),
    [
        (HOOKED, {}, 'norm must be given.*write norm="pre" or "post" or "none"'),
        (HOOKED | MLP | NORM | LATER, {}, 'activation must be given.*write activation="relu" or .*"step"'),
        (PLAIN, {"activation": "relu", "heads": 1}, "norm must be given"),
        (PLAIN, {"norm": "post", "heads": 1}, "activation must be given"),
        (PLAIN, {}, 'norm and activation must be given.*norm="pre" or .*, and activation="relu" or'),
        (PLAIN, {"norm": "post", "activation": "relu"}, "number of heads must be given.*heads=1"),
        (QUERIES_OF_BIASES, {"norm": "post", "activation": "relu"}, "number of heads must be given.*heads=1"),
    ],
)
def test_what_the_keys_leave_open_has_no_default(given: Any, words: dict[str, Any], says: str) -> None:
    vocabulary = "ab" if "embed.W_E" in given else VOCABULARY
    with pytest.raises(sc.BadInput, match=says):
        sc.from_state_dict(given, vocabulary=vocabulary, **words)


def test_what_the_keys_say_or_does_not_matter_need_not_be_given() -> None:
    assert sc.from_state_dict(HOOKED, vocabulary="ab", norm="none").run("aab", domain="ball").outputs == ["a", "a", "b"]
    assert sc.from_state_dict(HOOKED | NORM, vocabulary="ab").layers[0].placement == "projected pre"
    only = {"embedding.weight": [[1, 0], [0, 1]], "output.weight": [[1, 0], [0, 1]]}
    assert sc.from_state_dict(only, vocabulary="ab").run("ab").outputs == ["a", "b"]
    one = sc.from_state_dict(PLAIN | ZERO, vocabulary=VOCABULARY, norm="pre", activation="relu")
    two = sc.from_state_dict(PLAIN | ZERO, vocabulary=VOCABULARY, heads=2, norm="pre", activation="relu")
    word = ["a", "b", "CD"]
    assert one.run(word, "ball", digits=15).outputs == two.run(word, "ball", digits=15).outputs


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (
            HOOKED | {f"{norm}.w": [1.0, 1.0] for norm in ("blocks.0.ln1", "ln_final")},
            "RMS norm.*none for layers.0.norm1.bias",
        ),
        ({key: value for key, value in PLAIN.items() if not key.endswith("norm2.bias")}, "RMS norm.*norm2.bias"),
        ({key: value for key, value in PLAIN.items() if "layers.1.norm2" not in key}, "none for layers.1.norm2.weight"),
        (HOOKED | MLP | NORM, r"none for blocks\.0\.ln2\.b"),
        (HOOKED | {"blocks.0.attn.mask": [[True, False], [False, True]]}, "blocks.0.attn.mask must be the causal mask"),
        (HOOKED | {"blocks.0.attn.mask": [[True, True], [True, True]]}, "must be the causal mask"),
    ],
)
def test_what_would_be_read_as_something_else_is_refused(given: Any, says: str) -> None:
    vocabulary = "ab" if "embed.W_E" in given else VOCABULARY
    with pytest.raises(sc.BadInput, match=says):
        sc.from_state_dict(given, vocabulary=vocabulary, norm="pre", activation="relu", heads=1)


def test_a_hooked_transformer_has_no_post_norms() -> None:
    with pytest.raises(sc.BadInput, match="norm of the format hooked"):
        sc.from_state_dict(HOOKED, vocabulary="ab", norm="post")


@pytest.mark.parametrize(
    ("key", "says"),
    [
        ("transformer.h.0.attn.attention.q_proj.weight", "GPT-Neo"),
        ("bert.encoder.layer.0.attention.self.query.weight", "BERT"),
        ("w", "the keys w"),
    ],
)
@pytest.mark.parametrize("metadata", [None, {"format": "pt"}, {"format": "1"}])
def test_another_layout_is_named(key: str, says: str, metadata: Any, tmp_path: Any) -> None:
    """In a file of safetensors as Hugging Face writes it, and as a dict."""
    entry = {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}
    header = json.dumps(({"__metadata__": metadata} if metadata else {}) | {key: entry}).encode()
    file = tmp_path / "model.safetensors"
    file.write_bytes(len(header).to_bytes(8, "little") + header + bytes(4))
    with pytest.raises(sc.BadInput, match=f"must be an export of symcook.*{says}.*from_state_dict"):
        sc.from_safetensors(file)
    with pytest.raises(sc.BadInput, match=f"must have the names of torch.*{says}"):
        sc.from_state_dict({key: [1.0]}, vocabulary="ab")


def test_an_answer_without_an_output_layer_is_refused() -> None:
    """What is written about an output that there is not: the residual stream would be another answer."""
    stream = {"embedding.weight": [[1, 0], [0, 1]]}
    assert sc.from_state_dict(stream, vocabulary="ab").readout.kind == "value"
    words: tuple[tuple[str, Any], ...] = (("readout", "largest"), ("label", "a"), ("labels", ["x", "y"]))
    for what, given in words:
        with pytest.raises(sc.BadInput, match=f"{what} needs an output layer, with the weights output.weight"):
            sc.from_state_dict(stream, vocabulary="ab", **{what: given})
    with_output = stream | {"output.weight": [[0, 1], [1, 0]]}
    assert sc.from_state_dict(with_output, vocabulary="ab", readout="largest").run("ab").outputs == ["b", "a"]


IDLE_LAYER = {
    "self_attn.out_proj.weight": np.eye(4), "linear1.weight": np.zeros((1, 4)), "linear2.weight": np.zeros((4, 1)),
}  # fmt: skip


def with_keys(keys: Any, bias: Any) -> Any:
    """A state dict whose queries and values are the embedding, with one layer."""
    inward = {"self_attn.in_proj_weight": np.vstack([np.eye(4), keys, np.eye(4)])}
    inward |= {} if bias is None else {"self_attn.in_proj_bias": np.array([0] * 4 + [bias] * 4 + [0] * 4)}
    return {"embedding.weight": np.eye(4)[:3]} | {
        f"layers.0.{key}": part for key, part in (IDLE_LAYER | inward).items()
    }


def test_each_weight_has_an_effect_or_is_refused() -> None:
    """A bias without the weights of its output, two weights that a prefix makes one, and two labels of one name."""
    table = {"embedding.weight": [[1, 0], [0, 1], [1, 1]]}
    with pytest.raises(sc.BadInput, match=r"output\.bias must come with output\.weight"):
        sc.from_state_dict({**table, "output.bias": [1, 2]}, vocabulary=VOCABULARY)
    one = state(np.random.default_rng(1), final=True)
    with pytest.raises(sc.BadInput, match=r"only once; given: norm\.weight and encoder\.norm\.weight"):
        sc.from_state_dict(
            {**one, "encoder.norm.weight": one["norm.weight"], "encoder.norm.bias": one["norm.bias"]},
            vocabulary=VOCABULARY, heads=1, norm="none", activation="relu",
        )  # fmt: skip
    weights = {**table, "output.weight": [[1, 0], [0, 1], [1, 1]]}
    for words in ({}, {"readout": "leads", "label": "a"}, {"readout": "positive"}):
        with pytest.raises(sc.BadInput, match="the labels must be different from one another; given: a twice"):
            sc.from_state_dict(weights, vocabulary=VOCABULARY, labels=["a", "a", "b"], **words)


def test_the_number_of_heads_is_open_only_where_scores_are_equal() -> None:
    """A bias of keys alone gives every position one score, unless positions are rotary."""
    words: dict[str, Any] = {"vocabulary": VOCABULARY, "norm": "none", "activation": "relu"}
    one, two = (sc.from_state_dict(with_keys(np.zeros((4, 4)), 1.0), heads=k, **words) for k in (1, 2))
    assert sc.from_state_dict(with_keys(np.zeros((4, 4)), 1.0), **words) == one
    for word in ("ab", "abb"):
        assert one.run(word).outputs == two.run(word).outputs
    assert sc.from_state_dict(with_keys(np.zeros((4, 4)), None), rotary=100, **words)
    with pytest.raises(sc.BadInput, match="the number of heads must be given"):
        sc.from_state_dict(with_keys(np.zeros((4, 4)), 1.0), rotary=100, **words)
