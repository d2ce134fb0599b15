"""Folders and files of published models, written here byte by byte as their formats say."""

from __future__ import annotations

import io
import json
import pickle
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from families import together
from published_models import KINDS, LETTERS, Shape, forward, stored, weights
from shared import call, refused

import symcook as sc
from symcook.published.configs import facts_of
from symcook.published.stored import of_safetensors

GPT2 = {
    "model_type": "gpt2", "n_layer": 2, "n_head": 2, "n_embd": 6, "n_inner": 5, "vocab_size": 3, "n_positions": 6,
    "activation_function": "gelu_new", "layer_norm_epsilon": 1e-05, "architectures": ["GPT2LMHeadModel"],
}  # fmt: skip
LLAMA = {
    "model_type": "llama", "num_hidden_layers": 2, "num_attention_heads": 2, "num_key_value_heads": 2, "head_dim": 3,
    "hidden_size": 6, "intermediate_size": 5, "vocab_size": 3, "hidden_act": "silu", "rms_norm_eps": 1e-05,
    "rope_theta": 10000.0, "tie_word_embeddings": False,
}  # fmt: skip


def safetensors(state: dict[str, Any], **changes: Any) -> bytes:
    """The bytes of a file: the size of the header, the header, the numbers."""
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    data = b""
    for key, array in state.items():
        kind = {"float32": "F32", "float64": "F64", "float16": "F16", "uint16": "BF16"}[array.dtype.name]
        part = np.ascontiguousarray(array).tobytes()
        header[key] = {"dtype": kind, "shape": list(array.shape), "data_offsets": [len(data), len(data) + len(part)]}
        data += part
    for key, entry in changes.items():
        header[key] = header.get(key, {}) | entry
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


def folder(place: Path, kind: str = "gpt2", config: Any = GPT2, **more: Any) -> tuple[Path, Shape, dict[str, Any]]:
    """A folder as Hugging Face publishes it."""
    word, shape, _ = KINDS[kind]
    given = weights(shape, 3)
    (place / "model.safetensors").write_bytes(safetensors(stored(word, shape, given) | more))
    if config is not None:
        (place / "config.json").write_text(json.dumps(config))
    (place / "vocab.json").write_text(json.dumps({letter: k for k, letter in enumerate(LETTERS)}))
    return place, shape, given


def test_a_folder_is_read_and_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place, shape, given = folder(tmp_path)
    code, out, _ = call(capsys, "import", place, "-o", tmp_path / "m.json")
    assert code == 0
    first, *rest = out.splitlines()
    assert first == (
        "gpt2: 2 layers, 2 heads of 3, width 6, 5 hidden units, layer norm before parts 1e-05, gelu-tanh, "
        "positions up to 6, tied"
    )
    count = sum(value.size for key, value in given.items() if key != "out")
    assert f"  weights: {count:,}, each the exact fraction that its float is" in rest
    assert "  tokens: 3 of 3; mask causal; answer: the label of the largest output" in rest
    assert "  left out: transformer.h.0.attn.bias, the causal mask" in rest
    assert [line for line in rest if line.startswith("  x")] == ["  x0 to x5: the residual stream, of 6 coordinates"]
    assert not any(line.startswith("  one:") for line in rest)  # heads have the biases themselves
    model = sc.load(tmp_path / "m.json")
    for word in ("b", "abca"):
        assert model.run(word, "ball").outputs == [LETTERS[k] for k in forward(shape, given, word).argmax(axis=1)]
    assert model.source.startswith(first) and sc.from_pretrained(place, name=model.name) == model


def test_what_else_a_checkpoint_has_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Settings under a name that is not read were dropped without a word."""
    weights = {"embedding.weight": [[1, 0], [0, 1]], "output.weight": [[0, 1], [1, 0]]}
    (tmp_path / "w.json").write_text(json.dumps({"model": weights, "cfg": {"eps": "1/2"}, "step": 7}))
    code, out, _ = call(capsys, "import", tmp_path / "w.json", "-o", tmp_path / "m.json")
    assert code == 0 and "left out: cfg of the checkpoint" in out and "left out: step of the checkpoint" in out
    (tmp_path / "w.json").write_text(json.dumps({"model": weights, "output.bias": [0, 1]}))
    code, _, error = call(capsys, "import", tmp_path / "w.json", "-o", tmp_path / "n.json")
    assert code == 2 and "must have all its weights in model, where most are; given: output.bias beside it" in error


def test_a_file_of_tokens_that_is_missing_is_not_read_as_tokens(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The six characters of a.json were the tokens of an embedding with six rows."""
    rows = [[int(i == j) for j in range(6)] for i in range(6)]
    (tmp_path / "w.json").write_text(json.dumps({"embedding.weight": rows, "output.weight": rows}))
    line = ("import", tmp_path / "w.json", "-o", tmp_path / "m.json", "--vocabulary")
    code, _, error = call(capsys, *line, "a.json")
    assert code == 2 and "the file of the tokens must exist; given: a.json" in error
    assert call(capsys, *line, "a . j s o n")[0] == 0


def test_a_maximum_length_is_one_that_the_positions_allow(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place, _, _ = folder(tmp_path)
    code, _, error = call(capsys, "import", place, "-o", tmp_path / "m.json", "--max-length", "9999")
    assert code == 2 and "maximum length must be at most" in error and "the number of positions; given: 9999" in error


def test_the_document_of_an_import(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place, _, _ = folder(tmp_path)
    line = ("import", place, "-o", tmp_path / "m.json", "--symbols", "ca", "--max-length", "4", "--json")
    code, out, _ = call(capsys, *line)
    document = json.loads(out)
    assert code == 0 and document["tokens"] == 2 and document["all_tokens"] == 3 and document["positions"] == 4
    assert "1 of 3 tokens as inputs" in document["left_out"] and "positions 5 to 6" in document["left_out"]
    assert sc.load(tmp_path / "m.json").alphabet == ("c", "a")


@together("ending", [".npz", ".json", ".safetensors"])
def test_a_file_alone_needs_what_its_keys_leave_open(tmp_path: Path, ending: str) -> None:
    word, shape, options = KINDS["nanogpt"]
    given = weights(shape, 5)
    state, file = stored(word, shape, given), tmp_path / f"w{ending}"
    if ending == ".npz":
        np.savez(file, **state)
    elif ending == ".json":
        file.write_text(json.dumps({key: value.tolist() for key, value in state.items()}))
    else:
        file.write_bytes(safetensors(state))
    with pytest.raises(sc.BadInput, match="activation must be given"):
        sc.from_pretrained(file, heads=2)
    model = sc.from_pretrained(file, vocabulary=LETTERS, **options)
    assert model.name == "w" and model.run("bc", "float64").outputs == [
        LETTERS[k] for k in forward(shape, given, "bc").argmax(axis=1)
    ]


def test_numbers_of_sixteen_bits_are_exact() -> None:
    """1.5, -2 and the smallest number of bfloat16, whose bits are those of float32 cut in half."""
    bits = np.array([0x3FC0, 0xC000, 0x0001], dtype=np.uint16)
    found = of_safetensors(safetensors({"a": bits, "b": np.array([0.1], dtype=np.float16)}), "here")
    assert found["a"].tolist() == [1.5, -2.0, 2.0**-133] and found["b"][0] == np.float16(0.1)


def test_parts_of_an_index_are_read_together(tmp_path: Path) -> None:
    _, shape, given = folder(tmp_path)
    state = stored("gpt2", shape, given)
    keys, table = list(state), {}
    (tmp_path / "model.safetensors").unlink()
    for k, part in enumerate((keys[:7], keys[7:])):
        table |= dict.fromkeys(part, f"part-{k}.safetensors")
        (tmp_path / f"part-{k}.safetensors").write_bytes(safetensors({key: state[key] for key in part}))
    index = tmp_path / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": table}))
    assert sc.from_pretrained(tmp_path).run("ab", "float64").outputs
    index.write_text(json.dumps({"weight_map": {"a": "../../etc/passwd"}}))
    with pytest.raises(sc.BadInput, match="files in its own folder"):
        sc.from_pretrained(tmp_path)


def test_tokens_that_are_not_seen_and_many_tokens(tmp_path: Path) -> None:
    """A space is Ġ as in GPT-2; of 40,000 tokens those that are used are read, and the answer is among them."""
    rng = np.random.default_rng(0)
    embedding = rng.standard_normal((40_000, 2)).astype(np.float32)
    (tmp_path / "model.safetensors").write_bytes(
        safetensors({"embedding.weight": embedding, "output.weight": embedding})
    )
    names = {" ": 7, "\n": 11, "a": 39_999}
    table = names | {f"t{k}": k for k in range(39_999) if k not in (7, 11)}
    (tmp_path / "tokenizer.json").write_text(json.dumps({"model": {"vocab": table}, "added_tokens": []}))
    with pytest.raises(sc.BadInput, match=r"must be chosen where there are more than 2,000; given: 40,000"):
        sc.from_pretrained(tmp_path)
    model = sc.from_pretrained(tmp_path, symbols=["Ġ", "Ċ", "a"])
    rows = embedding[[7, 11, 39_999]].astype(float)
    assert model.run("Ġa").outputs == [("Ġ", "Ċ", "a")[k] for k in (rows[[0, 2]] @ rows.T).argmax(axis=1)]
    with pytest.raises(sc.BadInput, match="token of the vocabulary must be a known name; given: zz"):
        sc.from_pretrained(tmp_path, symbols=["zz"])


def test_more_than_two_million_weights_are_refused(tmp_path: Path) -> None:
    (tmp_path / "m.safetensors").write_bytes(safetensors({"embedding.weight": np.zeros((1500, 1400), np.float32)}))
    with pytest.raises(sc.BadInput, match=r"at most 2,000,000 weights.*given: 2,100,000"):
        sc.from_pretrained(tmp_path)


def test_a_table_of_nanogpt_is_read_without_code(tmp_path: Path) -> None:
    folder(tmp_path, "mingpt", None)
    (tmp_path / "vocab.json").unlink()
    meta = tmp_path / "meta.pkl"
    meta.write_bytes(pickle.dumps({"stoi": {"x": 0, "y": 1, "\n": 2}, "itos": {0: "x"}}))
    assert sc.from_pretrained(tmp_path, heads=2, activation="gelu").alphabet == ("x", "y", "Ċ")
    meta.write_bytes(pickle.dumps({"stoi": Path(".")}))
    with pytest.raises(sc.BadInput, match=r"only texts and numbers, since .*pathlib"):
        sc.from_pretrained(tmp_path, heads=2, activation="gelu")


def damaged(place: Path, how: str) -> None:
    """A folder with one thing wrong."""
    config, file = place / "config.json", place / "model.safetensors"
    settings = json.loads(config.read_text())
    match how:
        case "architecture":
            settings = {"model_type": "mamba"}
        case "setting":
            settings["scale_attn_by_inverse_layer_idx"] = True
        case "unknown setting":
            settings["sliding_attention"] = 3
        case "layers":
            settings["n_layer"] = 3
        case "activation":
            settings["activation_function"] = "mish"
        case "llama config":
            settings = LLAMA
        case "rotary rule":
            settings = LLAMA | {"rope_scaling": {"rope_type": "yarn", "factor": 4.0}}
        case "rotary setting":
            settings = LLAMA | {"rope_parameters": {"rope_theta": 1e4, "beta_fast": 32}}
        case "rotary base":
            settings = LLAMA | {"rope_theta": -3}
        case "window":
            settings = LLAMA | {"model_type": "mistral", "sliding_window": 0}
        case "window in some layers":
            settings = LLAMA | {"model_type": "qwen2", "sliding_window": 4096, "use_sliding_window": True}
        case "code of its own":
            settings["auto_map"] = {"AutoModel": "modeling_mine.Mine"}
        case "two bases":
            settings = LLAMA | {"rope_parameters": {"rope_theta": 500.0, "rope_type": "default"}}
        case "tied to another":
            settings |= {"tie_word_embeddings": True}
            output = {"lm_head.weight": np.ones((3, 6), dtype=np.float32)}
            folder(place, config=settings, **output)
        case "size of heads":
            folder(place, "llama", config=LLAMA | {"head_dim": 2})
            return
        case "heads of keys":
            folder(place, "llama", config=LLAMA | {"num_key_value_heads": 1})
            return
        case "hidden units":
            settings["n_inner"] = 4
        case "no biases":
            folder(place, "llama", config=LLAMA | {"attention_bias": True})
            return
        case "tied to nothing":
            settings["tie_word_embeddings"] = None
        case "no object":
            config.write_text("[1]")
            return
        case "truncated":
            file.write_bytes(file.read_bytes()[:-3])
        case "longer":
            file.write_bytes(file.read_bytes() + b"\0")
        case "empty":
            file.write_bytes(b"")
        case "gguf":
            file.write_bytes(b"GGUF" + bytes(60))
        case "pointer":
            file.write_bytes(b"version https://git-lfs.github.com/spec/v1\n")
        case "vocabulary":
            (place / "vocab.json").write_text('{"a": 0, "b": 0}')
        case "short vocabulary":
            (place / "vocab.json").write_text('{"a": 0, "b": 1}')
    config.write_text(json.dumps(settings))


@together(
    ("how", "says"),
    [
        (
            "architecture",
            "a model must be without state spaces in place of attention to be read; given: mamba in config.json; give "
            "a model of another architecture: gpt2, llama, mistral, qwen2, qwen3, phi3, gemma, bloom, gpt_neox.",
        ),
        ("setting", "a model must have the setting scale_attn_by_inverse_layer_idx = False to be read; given: True"),
        ("unknown setting", "the setting of gpt2 must be a known name; given: sliding_attention"),
        ("layers", "as many layers as the settings say, 3; given: 2"),
        ("activation", "the activation must be a known name; given: mish"),
        ("llama config", "the weights must have the names of Llama, Mistral and Qwen, since the settings are of llama"),
        ("rotary rule", "must follow the rule default or linear to be read; given: rope_type = yarn"),
        ("rotary setting", "may have only the settings partial_rotary_factor, rope_theta; given: beta_fast"),
        ("rotary base", "rope_theta must be a number greater than 0; given: -3"),
        ("window", "sliding_window must be an integer of at least 1, or null; given: 0"),
        ("window in some layers", "must have the setting use_sliding_window = False to be read; given: True"),
        ("code of its own", "must have the setting auto_map = None to be read; given: {'AutoModel'"),
        ("two bases", "rope_theta of rotary positions must be given once; given: 10000.0 and 500.0; keep one of them"),
        ("tied to another", "must have the weights of the embedding, since the settings tie them; given: others in"),
        ("size of heads", "as many dimensions of a head as the settings say, 2; given: 3"),
        ("heads of keys", "as many heads of keys and values as the settings say, 1; given: 2"),
        ("hidden units", "as many hidden units as the settings say, 4; given: 5"),
        ("no biases", "the setting attention_bias = True speaks of; given: weights without biases"),
        ("tied to nothing", "tie_word_embeddings must be true or false"),
        ("no object", "config.json must be a JSON object"),
        ("truncated", "must have a header and all the numbers"),
        ("longer", "bytes too many"),
        ("empty", "nothing, it is empty"),
        ("gguf", "(GGUF)"),
        ("pointer", "a Git LFS pointer, without the weights"),
        ("vocabulary", "numbered by different integers"),
        ("short vocabulary", "a token for each row of the embedding, 3; given: 2"),
    ],
)
def test_a_folder_that_does_not_fit_is_refused_in_one_sentence(
    how: str, says: str, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    place = folder(tmp_path_factory.mktemp("published"))[0]
    damaged(place, how)
    said = refused(capsys, "import", place, "-o", place / "m.json")
    assert says in said and not (place / "m.json").exists()


def test_one_setting_under_two_names_has_one_value() -> None:
    """Bloom has two names for some of its settings."""
    sizes = {"model_type": "bloom", "n_layer": 2, "n_head": 2, "hidden_size": 6, "vocab_size": 3}
    assert facts_of("bloom", sizes | {"num_attention_heads": 2})["heads"] == 2
    with pytest.raises(sc.BadInput, match=r"n_head and num_attention_heads, which are one setting.*given: 2 and 3"):
        facts_of("bloom", sizes | {"num_attention_heads": 3})


NEOX = {"hidden_size": 16, "num_attention_heads": 1}
BOTH = {"rope_parameters": {"rope_theta": 100}, "rope_scaling": {"type": "linear", "factor": 2}}


@pytest.mark.parametrize(
    ("architecture", "settings", "says"),
    [
        ("llama", {"partial_rotary_factor": 0.5}, "partial_rotary_factor must be 1, since models of this architecture"),
        ("qwen3", {"rope_parameters": {"partial_rotary_factor": 0.5}}, "partial_rotary_factor must be 1, since models"),
        ("llama", BOTH, "must be in one of the settings rope_parameters and rope_scaling"),
        ("gpt_neox", {"rope_theta": 100}, "rope_theta must agree with rotary_emb_base.*given: 100 and 10000"),
        ("gpt_neox", {"partial_rotary_factor": 0.5}, "partial_rotary_factor must agree with rotary_pct.*: 0.5 and 1/4"),
        ("gpt_neox", {"rms_norm_eps": 0.5}, "setting of gpt_neox must be a known name; given: rms_norm_eps"),
        ("bloom", {"pretraining_tp": 2, "slow_but_exact": True}, "must have the setting slow_but_exact = False"),
        ("qwen2", {"layer_types": ["full_attention", "sliding_attention"]}, "layer_types must be a list whose entries"),
        ("qwen3", {"layer_types": "full_attention"}, "layer_types must be a list whose entries"),
    ],
)
def test_a_setting_that_the_library_does_not_read_is_refused(
    architecture: str, settings: dict[str, Any], says: str
) -> None:
    """Or that changes what the library computes. Each was read as something else, or ignored."""
    with pytest.raises(sc.BadInput, match=says):
        facts_of(architecture, settings)


def test_copies_of_settings_that_the_library_writes() -> None:
    """Releases of transformers wrote both names."""
    said = {"rotary_pct": 0.5, "rotary_emb_base": 100, "rope_theta": 100.0, "partial_rotary_factor": "0.5"}
    found = facts_of("gpt_neox", {**NEOX, **said})["rotary"]
    assert (found.base, found.share) == (100, Fraction(1, 2))
    assert facts_of("gpt_neox", {**NEOX, "rope_theta": 10000})["rotary"].base == 10000
    assert facts_of("phi3", {"partial_rotary_factor": 0.5})["rotary"].share == Fraction(1, 2)


def test_a_maximum_length_without_a_table_of_positions(tmp_path: Path) -> None:
    file = tmp_path / "w.json"
    file.write_text(json.dumps({"embedding.weight": [[1, 0], [0, 1]], "output.weight": [[0, 1], [1, 0]]}))
    model = sc.from_pretrained(file, vocabulary="ab", max_length=3)
    assert model.max_length == 3 and model.run("aab").outputs == ["b", "b", "a"]
    with pytest.raises(sc.BadInput, match="length"):
        model.run("aaba")


def test_two_tables_of_weights_or_of_settings_are_no_guess(tmp_path: Path) -> None:
    """Two state dicts in one checkpoint; settings in it, and others in config.json beside it."""
    table = {"embedding.weight": [[1, 0], [0, 1]]}
    both = tmp_path / "both.json"
    both.write_text(json.dumps({"model": table, "state_dict": table}))
    with pytest.raises(sc.BadInput, match="its weights under one name; given: model and state_dict"):
        sc.from_pretrained(both, vocabulary="ab")
    word, shape, _ = KINDS["nanogpt"]
    state = {key: value.tolist() for key, value in stored(word, shape, weights(shape, 5)).items()}
    args = {"n_layer": 2, "n_head": 2, "n_embd": 6, "block_size": 6, "bias": False, "vocab_size": 3, "dropout": 0.0}
    file, config = tmp_path / "ckpt.json", tmp_path / "config.json"
    file.write_text(json.dumps({"model": state, "model_args": args}))
    config.write_text(json.dumps(args))
    assert sc.from_pretrained(file, vocabulary=LETTERS, activation="gelu").layers
    config.write_text(json.dumps(args | {"n_head": 3}))
    with pytest.raises(sc.BadInput, match="must agree about n_head; given: 3 and 2"):
        sc.from_pretrained(file, vocabulary=LETTERS, activation="gelu")


def test_a_setting_that_only_the_checkpoint_has_is_not_dropped(tmp_path: Path) -> None:
    word, shape, _ = KINDS["nanogpt"]
    state = {key: value.tolist() for key, value in stored(word, shape, weights(shape, 5)).items()}
    args = {"n_layer": 2, "n_head": 2, "n_embd": 6, "block_size": 6, "bias": False, "vocab_size": 3}
    file, config = tmp_path / "ckpt.json", tmp_path / "config.json"
    file.write_text(json.dumps({"model": state, "model_args": args | {"n_head": 3}}))
    config.write_text(json.dumps({key: value for key, value in args.items() if key != "n_head"}))
    with pytest.raises(sc.BadInput, match="must agree about n_head; given: none and 3"):
        sc.from_pretrained(file, vocabulary=LETTERS, activation="gelu", heads=2)


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("vocab.json", '["a", "b", "a"]', "a twice"),
        ("vocab.json", '{"a": 2, "b": 1, "c": 0, "a": 0}', "the key a is there twice"),
        ("vocab.txt", "a\nb\na\n", "a twice"),
        ("tokenizer.json", '{"model": {"vocab": [["a", 0], ["b", 0], ["a", 0]]}}', "a twice"),
        (
            "tokenizer.json",
            '{"model": {"vocab": {"a": 0, "b": 1, "c": 2}}, "added_tokens": [{"content": "a", "id": 2}]}',
            "a with 0 and 2",
        ),
        ("config.json", '{"n_layer": 0, "n_layer": 1}', "the key n_layer is there twice"),
    ],
)
def test_a_name_that_is_there_twice_is_refused(name: str, text: str, says: str, tmp_path: Path) -> None:
    """One of two tokens, or of two settings, would be dropped."""
    table = {"embedding.weight": [[1, 0], [0, 1], [1, 1]], "output.weight": [[0, 1], [1, 0], [0, 0]]}
    (tmp_path / "model.json").write_text(json.dumps(table))
    (tmp_path / name).write_text(text)
    with pytest.raises(sc.BadInput, match=says):
        sc.from_pretrained(tmp_path / "model.json")


def test_a_tokenizer_with_a_number_left_out() -> None:
    """Its tokens keep their numbers: c is the fourth row of the embedding."""

    class Tokenizer:
        def get_vocab(self) -> dict[str, int]:
            return {"a": 0, "c": 3, "b": 1}

    class Model:
        cfg: Any = {"d_model": 2, "n_ctx": 4, "n_layers": 0, "normalization_type": None}  # noqa: RUF012
        tokenizer = Tokenizer()

        def state_dict(self) -> Any:
            output = {"unembed.W_U": [[1, 0, 0, 0], [1, 0, 0, 0]], "unembed.b_U": [0, 0, 0, 0]}
            return {"embed.W_E": [[1, 0], [0, 1], [5, 5], [-1, -1]], **output}

    assert sc.from_hooked(Model(), symbols=["c"], labels=["a", "c"]).run("c").outputs == ["c"]


def test_words_that_the_format_contradicts_are_refused(tmp_path: Path) -> None:
    place = folder(tmp_path)[0]
    for options, says in (({"norm": "post"}, "norm of the format gpt2"), ({"activation": "relu"}, "must agree")):
        with pytest.raises(sc.BadInput, match=says):
            sc.from_pretrained(place, **options)
    word, shape, _ = KINDS["numpy"]
    with pytest.raises(sc.BadInput, match="activation of the format numpy"):
        sc.from_state_dict(stored(word, shape, weights(shape, 3)), vocabulary=LETTERS, heads=2, activation="relu")


def test_weights_that_are_no_numbers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = np.full((6, 18), np.nan, dtype=np.float32)
    place = folder(tmp_path, **{"transformer.h.1.attn.c_attn.weight": wrong})[0]
    said = refused(capsys, "import", place, "-o", tmp_path / "m.json")
    assert "every entry of transformer.h.1.attn.c_attn.weight must be a finite number; given: nan" in said
    assert not (tmp_path / "m.json").exists()


@together(
    ("entry", "says"),
    [
        ({"shape": [2, 2]}, "a has 12 bytes of 16"),
        ({"dtype": "F8_E4M3"}, "types"),
        ({"data_offsets": [4, 16]}, "the entry|bytes"),
        ({"data_offsets": "x"}, "the entry of a"),
        ({"shape": [-3]}, "the entry of a"),
    ],
)
def test_a_header_that_does_not_fit_its_numbers(entry: Any, says: str) -> None:
    data = safetensors({"a": np.zeros(3, np.float32)}, a=entry)
    with pytest.raises(sc.BadInput, match=says):
        of_safetensors(data, "here")


@pytest.mark.tools("torch")
def test_files_of_torch_and_no_code(tmp_path: Path) -> None:
    """A checkpoint of nanoGPT with its settings; a pickle that would call a function is refused, and calls nothing."""
    import torch

    word, shape, _ = KINDS["nanogpt"]
    given = weights(shape, 5)
    state = {f"_orig_mod.{key}": torch.tensor(value) for key, value in stored(word, shape, given).items()}
    args = {"n_layer": 2, "n_head": 2, "n_embd": 6, "block_size": 6, "bias": False, "vocab_size": 3, "dropout": 0.0}
    torch.save({"model": state, "model_args": args}, tmp_path / "ckpt.pt")
    model = sc.from_pretrained(tmp_path / "ckpt.pt", vocabulary=LETTERS, activation="gelu")
    assert model.run("bc", "float64").outputs == [LETTERS[k] for k in forward(shape, given, "bc").argmax(axis=1)]

    class Runs:
        def __reduce__(self) -> Any:
            return (Path.touch, (tmp_path / "ran",))

    torch.save({"model": Runs()}, tmp_path / "bad.pt")
    (tmp_path / "old.bin").write_bytes(pickle.dumps({"w": Runs()}))
    for name in ("bad.pt", "old.bin"):
        with pytest.raises(sc.BadInput, match="only weights, since reading anything else would run its code"):
            sc.from_pretrained(tmp_path / name)
    assert not (tmp_path / "ran").exists()


def test_an_archive_of_numpy_with_objects_is_refused(tmp_path: Path) -> None:
    file = io.BytesIO()
    np.savez(file, a=np.array([{}], dtype=object))
    (tmp_path / "w.npz").write_bytes(file.getvalue())
    with pytest.raises(sc.BadInput, match="only arrays of numbers"):
        sc.from_pretrained(tmp_path / "w.npz")


@together(
    "said", [{"heads": 2}, {"activation": "gelu"}, {"mask": "none"}, {"rotary": 100}, {"norm": "pre"}, {"epsilon": 1}]
)
def test_what_is_said_of_layers_needs_layers(tmp_path: Path, said: dict[str, Any]) -> None:
    (tmp_path / "w.json").write_text('{"embedding.weight": [[1, 0], [0, 1]], "output.weight": [[0, 1], [1, 0]]}')
    with pytest.raises(sc.BadInput, match=f"{next(iter(said))} must be given only for weights with (layers|norms)"):
        sc.from_pretrained(tmp_path / "w.json", vocabulary="ab", **said)


@together(
    ("labels", "answers"),
    [("abc", "abc"), ("xyz", "xyz"), ("xbz", "xbz"), ("ca", "ca"), ("cab", None), ("bac", None), ("bxz", None)],
)
def test_labels_are_tokens_or_names(tmp_path: Path, labels: str, answers: str | None) -> None:
    """All tokens in another order may be meant as tokens, or as new names of the outputs in their order."""
    word, shape, options = KINDS["nanogpt"]
    given = weights(shape, 5)
    np.savez(tmp_path / "w.npz", **stored(word, shape, given))
    if answers is None:
        with pytest.raises(sc.BadInput, match=r"labels must be the tokens in their order|for the output of a"):
            sc.from_pretrained(tmp_path / "w.npz", vocabulary=LETTERS, labels=[*labels], **options)
        return
    model = sc.from_pretrained(tmp_path / "w.npz", vocabulary=LETTERS, labels=[*labels], **options)
    rows = [LETTERS.index(x) for x in labels] if set(labels) <= set(LETTERS) else [0, 1, 2]
    best = forward(shape, given, "bca")[:, rows].argmax(axis=1)
    assert model.run("bca", "float64").outputs == [answers[k] for k in best]
