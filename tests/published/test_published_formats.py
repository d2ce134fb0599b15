"""State dicts with the names of each library, against a numpy pass written from the papers' formulas."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from families import together
from published_models import KINDS, LETTERS, Shape, forward, stored, weights

import symcook as sc
from symcook.model.expr import parse_term
from symcook.model.rationals import rational
from symcook.published.formats import FORMATS, format_of
from symcook.published.turning import Rotary, require_tables, rotary_in


def imported(kind: str, seed: int = 3, **more: Any) -> tuple[Shape, dict[str, Any], sc.Transformer]:
    word, shape, options = KINDS[kind]
    given = weights(shape, seed)
    shape = replace(shape, tied=shape.tied and word != "llama")  # what Llama ties is said by config.json alone
    model = sc.from_state_dict(stored(word, shape, given), vocabulary=LETTERS, **options, **more)
    return shape, given, model


def is_near(ball: dict[str, str], value: float) -> bool:
    """Whether a number of float64 is a rounding of what a ball holds."""
    radius = float(Fraction(ball["rad"]))
    return radius < 1e-15 and abs(float(Fraction(ball["mid"])) - value) < radius + 1e-10 * (1 + abs(value))


@pytest.mark.layer_one(1, 4, 6, 10)
@pytest.mark.parametrize("kind", KINDS)
def test_the_logits_of_each_format_are_those_of_numpy(kind: str) -> None:
    shape, given, model = imported(kind)
    for word in ("a", "cab"):
        right = forward(shape, given, word)
        run = model.run(word, "ball", digits=20)
        assert run.outputs == [LETTERS[k] for k in right.argmax(axis=1)]
        assert all(is_near(run.output[label], value) for label, value in zip(LETTERS, right[-1], strict=True))


@together("kind", KINDS)
def test_the_keys_tell_the_format(kind: str) -> None:
    word, shape, _ = KINDS[kind]
    found = format_of({key: value.shape for key, value in stored(word, shape, weights(shape, 1)).items()})
    assert found == (None if word == "torch" else word) and (found is None or found in FORMATS)


def test_each_output_above_zero_and_the_one_that_leads() -> None:
    """Against numpy: which of three outputs are above 0, and whether c is above both others."""
    shape, given, positive = imported("gpt2", readout="positive", position="last")
    leads = imported("gpt2", readout="leads", label="c", position="last")[2]
    one = sc.from_state_dict(
        {"embedding.weight": [[1, 0], [-1, 0]], "output.weight": [[1, 0]]},
        vocabulary="ab",
        labels=["a"],
        readout="positive",
        position="last",
    )
    words = [x + y + z for x in LETTERS for y in ("", *LETTERS) for z in ("", *LETTERS)][::5]
    for word in words:
        last = forward(shape, given, word)[-1]
        names = [name if value > 0 else f"no-{name}" for name, value in zip(LETTERS, last, strict=True)]
        assert positive.run(word, "float64").outputs == [",".join(names)]
        assert leads.run(word, "float64").accept == (last[2] > max(last[:2]))
    assert [one.run(word).holds for word in ("a", "b", "ba")] == [True, False, True]


def test_a_token_before_every_input() -> None:
    shape, given, model = imported("mingpt", before="b")
    assert model.alphabet == ("a", "c")
    right = forward(shape, given, "bca")
    assert model.run("ca", "ball").outputs == [LETTERS[k] for k in right.argmax(axis=1)]


GPT = stored("gpt2", KINDS["gpt2"][1], weights(KINDS["gpt2"][1], 1))
LLAMA = stored("llama", KINDS["llama"][1], weights(KINDS["llama"][1], 1))


@together(
    ("given", "options", "says"),
    [
        (
            GPT | {"transformer.h.0.mlp.c_fc.weight": np.zeros((5, 6))},
            {},
            r"h\.0\.mlp\.c_fc\.weight must have the shape d x f with d = 6.*5 x 6",
        ),
        (
            GPT | {"transformer.h.1.attn.c_attn.bias": np.zeros(17)},
            {},
            r"c_attn\.bias must have the shape 3a with a = 6; given: 17",
        ),
        (
            GPT | {"transformer.wte.weight": np.full((3, 6), np.nan)},
            {},
            r"every entry of transformer\.wte\.weight must be a finite number; given: nan",
        ),
        (GPT | {"transformer.h.0.attn.c_attn.lora": np.zeros(2)}, {}, "key of GPT-2.*did you mean"),
        (
            GPT | {"transformer.h.0.crossattention.q_attn.weight": np.zeros((6, 6))},
            {},
            "without attention to an encoder",
        ),
        (GPT | {"transformer.h.0.attn.bias": np.ones((1, 1, 6, 6))}, {}, "must be the causal mask"),
        (GPT | {"transformer.h.1.attn.masked_bias": np.zeros(())}, {}, "must be at most -1000; given: 0"),
        (
            {key: value for key, value in GPT.items() if "h.1.attn.c_proj.weight" not in key},
            {},
            r"none for h\.1\.attn\.c_proj\.weight",
        ),
        ({key: value for key, value in GPT.items() if "h.1.ln_2" not in key}, {}, r"none for h\.1\.ln_2"),
        ({key: value for key, value in GPT.items() if "h.0." not in key}, {}, "numbered from 0 without a gap"),
        (GPT, {"activation": None}, "activation must be given"),
        (GPT, {"heads": None}, "number of heads must be given"),
        (GPT, {"heads": 4}, "must divide"),
        (GPT, {"norm": "post"}, "norm of the format gpt2"),
        (GPT, {"format": "gpt3"}, "format must be a known name; given: gpt3; did you mean gpt2"),
        (GPT, {"format": "llama"}, "key of Llama"),
        (GPT, {"readout": "leads"}, 'label must be given for readout="leads"'),
        (GPT, {"readout": "leads", "label": "d"}, "label must be a known name; given: d"),
        (GPT, {"readout": "argmin"}, "readout must be a known name"),
        (LLAMA, {"rotary": "none"}, "Gemma and OLMo have the names of Llama, Mistral and Qwen too"),
        (LLAMA, {"format": "llama"}, 'the base of the rotary positions must be given.*write rotary="10000"'),
        (LLAMA, {"format": "llama", "rotary": "half"}, "rotary must be a number greater than 0; given: half"),
        (LLAMA, {"format": "llama", "rotary": 0}, "rotary must be a number greater than 0; given: 0"),
        (LLAMA, {"format": "llama", "rotary": 100}, "must be even, and at most the 3 of a head; given: 3"),
        (
            LLAMA | {"model.layers.0.self_attn.q_norm.weight": np.ones(3)},
            {"format": "llama"},
            r"none for layers\.1\.self_attn\.q_norm\.weight",
        ),
        (
            LLAMA | {f"model.layers.{k}.self_attn.{side}_norm.weight": np.ones(2) for k in (0, 1) for side in "qk"},
            {"format": "llama", "rotary": "none"},
            r"q_norm\.weight must have shape 3 entries",
        ),
        (
            LLAMA | {f"model.layers.{k}.self_attn.k_norm.weight": np.ones(3) for k in (0, 1)},
            {"format": "llama", "rotary": "none"},
            r"all weights of a model; given: none for layers\.0\.self_attn\.q_norm\.weight",
        ),
        (
            LLAMA | {"model.layers.0.self_attn.rotary_emb.inv_freq": np.ones(3)},
            {"format": "llama", "rotary": "none"},
            "the base of the rotary positions: the weights have some; given: none, and .*inv_freq",
        ),
        (
            {"embed_in.weight": np.ones((3, 6)), "layers.0.attention.query_key_value.weight": np.ones((18, 6))},
            {},
            "weights of GPT-NeoX .* need their settings",
        ),
        (LLAMA | {"model.layers.0.self_attn.k_proj.weight": np.ones((5, 6))}, {"format": "llama"}, "k_proj|v_proj"),
        ({"wte": [[1, 2], [3]], "blocks.0.attn.c_attn.w": [[1]]}, {}, "wte must be a matrix or a vector"),
    ],
)  # fmt: skip
def test_what_no_format_holds_is_named(given: Any, options: dict[str, Any], says: str) -> None:
    words: dict[str, Any] = {"vocabulary": LETTERS, "heads": 2, "activation": "gelu-tanh"}
    with pytest.raises(sc.BadInput, match=says):
        sc.from_state_dict(given, **words | options)


@pytest.mark.parametrize("factor", ["2.5", 0.75, 3])
def test_the_angles_are_divided_by_a_factor_that_is_no_integer(factor: Any) -> None:
    """A head of four dimensions with the base 100 turns by 1 and by 1/10, and with a factor so much less."""
    settings = {"rope_type": "linear", "rope_theta": 100, "factor": factor}
    angles = rotary_in([("rope_parameters", settings)], {}).angles(4)
    assert float(rational(parse_term(angles[0]))) == pytest.approx(1 / float(factor))
    assert angles[1].endswith(f")^(-1/2)/({Fraction(str(factor))})")


def test_a_stored_table_is_that_of_the_rotary_positions() -> None:
    """Frequencies of heads of four dimensions with the base 100 are 1 and 1/10; sines are those of their multiples."""
    rotary, angles = Rotary(Fraction(100)), np.arange(6)[:, None] * np.array([1, 0.1, 1, 0.1])
    for table in ([1, 0.1], [1, 0.1001]):
        require_tables(rotary, {"inv_freq": table}, 4)
    require_tables(rotary, {"rotary_sin": np.sin(angles), "rotary_cos": np.cos(angles)}, 4)
    neighbours = {"rotary_sin": np.sin(angles[:, [0, 2, 1, 3]])}
    require_tables(replace(rotary, interleaved=True), neighbours, 4)
    wrong: list[dict[str, Any]] = [{"inv_freq": table} for table in ([1, 0.25], [1], [1, 0.1, 0.01], [[1, 0.1]])]
    for tables in (*wrong, neighbours, {"rotary_sin": np.cos(angles)}):
        with pytest.raises(sc.BadInput, match="must be that of the rotary positions"):
            require_tables(rotary, tables, 4)
    with pytest.raises(sc.BadInput, match="no rotary positions"):
        require_tables(None, {"inv_freq": [1, 0.1]}, 4)


@pytest.mark.parametrize("pairs", [False, True])
def test_a_bridge_turns_neighbours_whatever_its_settings_say(pairs: bool) -> None:
    """Against numpy. The settings of TransformerBridge say "rotary_adjacent_pairs": false, which it does not read."""
    rng, d = np.random.default_rng(5), 4
    given = {f"blocks.0.attn.{name}.{part}": rng.normal(size=(d, d)[: 1 + (part == "weight")])
             for name in "qkvo" for part in ("weight", "bias")}  # fmt: skip
    given |= {"embed.weight": rng.normal(size=(3, d)), "unembed.weight": rng.normal(size=(3, d))}
    given["unembed.bias"] = rng.normal(size=3)
    settings = {
        "d_model": d, "n_ctx": 5, "n_layers": 1, "n_heads": 1, "d_head": d, "d_vocab": 3, "attn_only": True,
        "normalization_type": None, "positional_embedding_type": "rotary", "rotary_dim": d, "rotary_base": 100,
        "rotary_adjacent_pairs": pairs, "architecture": "TransformerLensNative",
    }  # fmt: skip

    class Bridge:
        def __init__(self, **more: Any) -> None:
            self.cfg = settings | more

        def state_dict(self) -> Any:
            return given

    x = given["embed.weight"][[2, 0, 1, 1]]
    q, k, v = (x @ given[f"blocks.0.attn.{n}.weight"].T + given[f"blocks.0.attn.{n}.bias"] for n in "qkv")

    def turned(y: Any) -> Any:
        angles = np.arange(len(y))[:, None] * np.array([1, 0.1])
        number = (y[:, 0::2] + 1j * y[:, 1::2]) * np.exp(1j * angles)
        return np.stack([number.real, number.imag], axis=-1).reshape(y.shape)

    weights = np.exp(np.where(np.tri(4, dtype=bool), turned(q) @ turned(k).T / 2, -np.inf))
    x = x + weights / weights.sum(1, keepdims=True) @ v @ given["blocks.0.attn.o.weight"].T
    right = (x + given["blocks.0.attn.o.bias"]) @ given["unembed.weight"].T + given["unembed.bias"]
    run = sc.from_hooked(Bridge(), vocabulary=LETTERS).run("cabb", "ball", digits=20)
    assert all(is_near(run.output[label], value) for label, value in zip(LETTERS, right[-1], strict=True))
    with pytest.raises(sc.BadInput, match="must have the setting architecture = TransformerLensNative"):
        sc.from_hooked(Bridge(architecture="GPT2LMHeadModel"), vocabulary=LETTERS)
    with pytest.raises(sc.BadInput, match="rotary positions of a TransformerBridge must be those of its settings"):
        sc.from_state_dict(given, vocabulary=LETTERS, heads=1, rotary=100)


def test_a_score_by_which_nothing_comes_through_is_left_out() -> None:
    options = {"vocabulary": LETTERS, "heads": 2, "activation": "gelu-tanh"}
    score = {"transformer.h.0.attn.masked_bias": np.array(-1e4)}
    assert sc.from_state_dict(GPT | score, **options) == sc.from_state_dict(GPT, **options)
