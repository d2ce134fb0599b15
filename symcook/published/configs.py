"""Architecture of published models: for each architecture a table from its names to ours.

Facts by name: "layers", "heads", "key heads", "size" (of a head), "width", "hidden", "tokens", "positions", "epsilon",
"activation", "tied", "rotary", "window", "alibi", "parallel", "kind" (of norms), "mask", "biases" (of all parts),
"attention biases", "mlp biases". A setting that is in no table may change what the model computes, and is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from symcook.errors import BadInput, unknown
from symcook.model.rationals import quotient
from symcook.published.turning import Rotary, above_zero, alike, rotary_in

ACTIVATIONS = {
    "relu": "relu", "gelu": "gelu", "gelu_new": "gelu-tanh", "gelu_pytorch_tanh": "gelu-tanh",
    "quick_gelu": "gelu-sigmoid", "silu": "silu", "swish": "silu",
}  # fmt: skip
"""{an activation as others call it: as it is called here}. gelu_fast has a rounded constant, and is none of them."""
NORMS = {"LN": "layer", "LNPRE": "layer", "RMS": "rms", "RMSPRE": "rms"}
"""The kinds of the norms of TransformerLens, before the parts. Those that end in PRE have no weights."""


@dataclass(frozen=True)
class Architecture:
    """The settings of an architecture.

    Arguments:
        format: the word for the format of its weights; None where it is that of the names.
        facts: {setting: fact}.
        defaults: {fact: value} where the setting is missing.
        must: {setting: the values that it may have}; another value means a part that is not read.
        idle: settings that change nothing of the outputs.
        copies: {setting that its class does not read: a name in `Rotary`}. Some releases write such copies.
        partial: whether a part of a head may turn; the classes of the others turn whole heads or fail.
    """

    format: str | None
    facts: Mapping[str, str]
    defaults: Mapping[str, Any] = field(default_factory=dict)
    must: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    idle: tuple[str, ...] = ()
    copies: Mapping[str, str] = field(default_factory=dict)
    partial: bool = False


COMMON = (
    "transformers_version", "architectures", "output_hidden_states", "return_dict", "dtype", "torch_dtype",
    "chunk_size_feed_forward", "id2label", "label2id", "problem_type", "use_cache", "bos_token_id", "eos_token_id",
    "pad_token_id", "initializer_range", "_name_or_path", "model_type", "output_attentions", "attention_dropout",
    "torchscript", "use_bfloat16", "num_labels", "task_specific_params", "tokenizer_class", "_attn_implementation",
    "_commit_hash", "gradient_checkpointing", "name_or_path", "sep_token_id", "prefix", "attn_implementation",
)  # fmt: skip
"""Architecture of Hugging Face that no model computes with."""
PLAIN = {
    "is_encoder_decoder": (False,), "pruned_heads": ({}, None), "quantization_config": (None,), "auto_map": (None, {}),
}  # fmt: skip
"""Architecture of Hugging Face that must be as they are by default. With auto_map the model is code of its own."""
WORDS = {
    "num_hidden_layers": "layers", "num_attention_heads": "heads", "num_key_value_heads": "key heads",
    "head_dim": "size", "hidden_size": "width", "intermediate_size": "hidden", "vocab_size": "tokens",
    "rms_norm_eps": "epsilon", "hidden_act": "activation", "tie_word_embeddings": "tied",
    "rope_theta": "rotary", "rope_parameters": "rotary", "rope_scaling": "rotary", "partial_rotary_factor": "rotary",
}  # fmt: skip

TURNS = ("rope_parameters", "rope_scaling")
"""Settings with entries that say how positions turn."""
OLDER = {"rotary_pct": "partial_rotary_factor", "rotary_emb_base": "rope_theta"}
"""{a setting of rotary positions that GPT-NeoX had: what it is called now}."""

CONFIGS: dict[str, Architecture] = {
    "gpt2": Architecture(
        "gpt2",
        {
            "n_layer": "layers",
            "n_head": "heads",
            "n_embd": "width",
            "n_inner": "hidden",
            "vocab_size": "tokens",
            "n_positions": "positions",
            "layer_norm_epsilon": "epsilon",
            "activation_function": "activation",
            "tie_word_embeddings": "tied",
        },
        {"epsilon": "1e-05", "activation": "gelu_new", "tied": True},
        PLAIN
        | {
            "scale_attn_weights": (True,),
            "scale_attn_by_inverse_layer_idx": (False,),
            "add_cross_attention": (False,),
        },
        (
            *COMMON,
            "n_ctx",
            "resid_pdrop",
            "embd_pdrop",
            "attn_pdrop",
            "summary_type",
            "summary_use_proj",
            "summary_activation",
            "summary_proj_to_labels",
            "summary_first_dropout",
            "reorder_and_upcast_attn",
        ),
    ),
    "llama": Architecture(
        "llama",
        WORDS | {"attention_bias": "attention biases", "mlp_bias": "mlp biases"},
        {"epsilon": "1e-06", "activation": "silu", "tied": False, "rotary": {}},
        PLAIN | {"pretraining_tp": ("1", 1)},
        (*COMMON, "max_position_embeddings"),
    ),
    "mistral": Architecture(
        "llama",
        WORDS | {"sliding_window": "window"},
        {"epsilon": "1e-06", "activation": "silu", "tied": False, "rotary": {}, "window": 4096},
        PLAIN,
        (*COMMON, "max_position_embeddings", "layer_types"),
    ),
    "qwen2": Architecture(
        "llama",
        WORDS | {"layer_types": "kinds of layers"},
        {"epsilon": "1e-06", "activation": "silu", "tied": False, "rotary": {}},
        PLAIN | {"use_sliding_window": (False,)},
        (*COMMON, "max_position_embeddings", "sliding_window", "max_window_layers", "use_mrope"),
    ),
    "qwen3": Architecture(
        "llama",
        WORDS | {"attention_bias": "attention biases", "layer_types": "kinds of layers"},
        {"epsilon": "1e-06", "activation": "silu", "tied": False, "rotary": {}},
        PLAIN | {"use_sliding_window": (False,)},
        (*COMMON, "max_position_embeddings", "sliding_window", "max_window_layers"),
    ),
    "phi3": Architecture(
        "llama",
        WORDS | {"sliding_window": "window"},
        {"epsilon": "1e-05", "activation": "silu", "tied": False, "rotary": {}, "window": None},
        PLAIN,
        (
            *COMMON,
            "max_position_embeddings",
            "original_max_position_embeddings",
            "embd_pdrop",
            "resid_pdrop",
            "layer_types",
        ),
        partial=True,
    ),
    "gemma": Architecture(
        "llama",
        {name: fact for name, fact in WORDS.items() if fact != "activation"} | {"attention_bias": "attention biases"},
        {"epsilon": "1e-06", "activation": "gelu_pytorch_tanh", "tied": True, "rotary": {}, "size": 256},
        # Older versions of the library compute gelu-tanh whatever hidden_act says.
        PLAIN
        | {
            "hidden_act": ("gelu_pytorch_tanh",),
            "hidden_activation": ("gelu_pytorch_tanh", None),
            "use_bidirectional_attention": (None, False),
        },
        (*COMMON, "max_position_embeddings"),
    ),
    "bloom": Architecture(
        "bloom",
        {
            "n_layer": "layers",
            "num_hidden_layers": "layers",
            "n_head": "heads",
            "num_attention_heads": "heads",
            "hidden_size": "width",
            "n_embed": "width",
            "vocab_size": "tokens",
            "layer_norm_epsilon": "epsilon",
            "tie_word_embeddings": "tied",
        },
        {"epsilon": "1e-05", "tied": True},
        # Slow and exact, the library leaves out two biases if there were parallel parts in training.
        PLAIN | {"apply_residual_connection_post_layernorm": (False,), "slow_but_exact": (False,)},
        (
            *COMMON,
            "hidden_dropout",
            "pretraining_tp",
            "unk_token_id",
            "masked_softmax_fusion",
            "bias_dropout_fusion",
            "attention_softmax_in_fp32",
            "offset_alibi",
            "seq_length",
            "skip_bias_add",
            "skip_bias_add_qkv",
        ),
    ),
    "gpt_neox": Architecture(
        "neox",
        {
            "num_hidden_layers": "layers",
            "num_attention_heads": "heads",
            "hidden_size": "width",
            "intermediate_size": "hidden",
            "vocab_size": "tokens",
            "layer_norm_eps": "epsilon",
            "hidden_act": "activation",
            "tie_word_embeddings": "tied",
            "use_parallel_residual": "parallel",
            "rope_parameters": "rotary",
            "rope_scaling": "rotary",
            "rotary_pct": "rotary",
            "rotary_emb_base": "rotary",
            "attention_bias": "attention biases",
        },
        {
            "epsilon": "1e-05",
            "activation": "gelu",
            "tied": False,
            "parallel": True,
            "rotary": {"partial_rotary_factor": "1/4"},
        },
        PLAIN,
        (*COMMON, "max_position_embeddings", "hidden_dropout", "classifier_dropout", "is_decoder"),
        {"rope_theta": "base", "partial_rotary_factor": "share"},
        partial=True,
    ),
    "nanogpt": Architecture(
        "mingpt",
        {
            "n_layer": "layers",
            "n_head": "heads",
            "n_embd": "width",
            "vocab_size": "tokens",
            "block_size": "positions",
            "bias": "biases",
        },
        {"epsilon": "1e-05"},
        {},
        ("dropout",),
    ),
    "mingpt": Architecture(
        "mingpt",
        {"n_layer": "layers", "n_head": "heads", "n_embd": "width", "vocab_size": "tokens", "block_size": "positions"},
        {"epsilon": "1e-05", "activation": "gelu_new", "tied": False},
        {},
        ("model_type", "embd_pdrop", "resid_pdrop", "attn_pdrop"),
    ),
    "transformerlens": Architecture(
        None,
        {
            "n_layers": "layers",
            "n_heads": "heads",
            "n_key_value_heads": "key heads",
            "d_head": "size",
            "d_model": "width",
            "d_mlp": "hidden",
            "d_vocab": "tokens",
            "n_ctx": "positions",
            "eps": "epsilon",
            "act_fn": "activation",
            "normalization_type": "norm",
            "attention_dir": "mask",
            "positional_embedding_type": "embedded",
            "attn_scale": "scale",
            "rotary_base": "base",
            "rotary_dim": "turning",
            "rotary_adjacent_pairs": "interleaved",
        },
        {"epsilon": "1e-05", "embedded": "standard", "mask": "causal", "norm": "LN"},
        {
            "parallel_attn_mlp": (False,),
            "use_local_attn": (False,),
            "use_attn_scale": (True,),
            "use_NTK_by_parts_rope": (False,),
            "rotary_scaling": (None, 1, 1.0),
            "scale_attn_by_inverse_layer_idx": (False,),
            "post_embedding_ln": (False,),
            "use_qk_norm": (False,),
            "rotary_interleaved_cos_sin": (False,),
            "use_normalization_before_and_after": (False,),
            "attn_scores_soft_cap": (-1.0,),
            "output_logits_soft_cap": (-1.0,),
            "num_experts": (None,),
            "rmsnorm_uses_offset": (False,),
            "window_size": (None,),
            "scale_embedding": (None, False),
            "per_layer_head_dim": (None,),
            "per_layer_num_key_value_heads": (None,),
            "is_audio_model": (False,),
            "is_visual_model": (False,),
            "is_stateful": (False,),
            "is_multimodal": (False,),
            "layer_norm_folding": (False,),
            "load_in_4bit": (False,),
            "final_rms": (False,),
        },
        (
            "device",
            "use_attn_result",
            "use_split_qkv_input",
            "default_prepend_bos",
            "attn_only",
            "gated_mlp",
            "uses_rms_norm",
            "experts_per_token",
            "dtype",
            "architecture",
            "tokenizer_prepends_bos",
            "tokenizer_appends_eos",
            "default_padding_side",
            "split_attention_weights",
            "model_name",
            "use_hook_mlp_in",
            "use_attn_in",
            "original_architecture",
            "from_checkpoint",
            "checkpoint_index",
            "checkpoint_label_type",
            "checkpoint_value",
            "tokenizer_name",
            "attn_types",
            "init_mode",
            "n_devices",
            "seed",
            "initializer_range",
            "init_weights",
            "d_vocab_out",
            "n_params",
            "use_hook_tokens",
            "trust_remote_code",
            "qk_norm_after_rope",
            "relative_attention_max_distance",
            "relative_attention_num_buckets",
            "decoder_start_token_id",
            "tie_word_embeddings",
            "NTK_by_parts_low_freq_factor",
            "NTK_by_parts_high_freq_factor",
            "NTK_by_parts_factor",
            "NTK_original_ctx_len",
            "attn_implementation",
            "vision_hidden_size",
            "vision_num_layers",
            "vision_num_heads",
            "mm_tokens_per_image",
            "ungroup_grouped_query_attention",
            "weight_init_mode",
            "rotary_base_local",
        ),
    ),
}
"""{architecture: its settings}."""
CLASSES = {
    "gpt2": ("GPT2Model", "GPT2LMHeadModel"), "llama": ("LlamaModel", "LlamaForCausalLM"),
    "mistral": ("MistralModel", "MistralForCausalLM"), "qwen2": ("Qwen2Model", "Qwen2ForCausalLM"),
    "qwen3": ("Qwen3Model", "Qwen3ForCausalLM"), "phi3": ("Phi3Model", "Phi3ForCausalLM"),
    "gemma": ("GemmaModel", "GemmaForCausalLM"), "bloom": ("BloomModel", "BloomForCausalLM"),
    "gpt_neox": ("GPTNeoXModel", "GPTNeoXForCausalLM"),
}  # fmt: skip
"""{architecture of Hugging Face: its class that answers with the residual stream, and its class with an output}, as
"architectures" of config.json names them."""

AFTER_PARTS = "norms of the outputs of sublayers"
EXPERTS = "feed-forward layers with experts, of which each token takes some"
MISSING = {
    "olmo2": AFTER_PARTS, "olmo3": AFTER_PARTS, "gemma2": AFTER_PARTS, "gemma3": AFTER_PARTS,
    "gemma3_text": AFTER_PARTS, "glm4": AFTER_PARTS,
    "mixtral": EXPERTS, "qwen2_moe": EXPERTS, "qwen3_moe": EXPERTS, "deepseek_v3": EXPERTS, "gpt_oss": EXPERTS,
    "t5": "scores by relative positions", "bert": "embeddings of segments",
    "mamba": "state spaces in place of attention", "mamba2": "state spaces in place of attention",
}  # fmt: skip
"""{architecture that is not read: what it has that no model here has}."""


def architecture_of(settings: Mapping[str, Any], word: str | None) -> tuple[str, Mapping[str, Any]]:
    """The architecture that settings are of, and the settings themselves (minGPT has them within others).

    `word` is the format that the weights have. Raises BadInput for an architecture that is not known.
    """
    inner = settings.get("model")
    if isinstance(inner, Mapping) and "n_layer" in inner:
        return "mingpt", inner
    if "d_model" in settings and "n_ctx" in settings:
        return "transformerlens", settings
    if "block_size" in settings:
        return ("mingpt" if "embd_pdrop" in settings else "nanogpt"), settings
    known = [name for name in CONFIGS if name not in ("mingpt", "nanogpt", "transformerlens")]
    name = settings.get("model_type")
    if name is None and word in CONFIGS:
        name = word
    if name in MISSING:
        must = f"a model must be without {MISSING[name]} to be read"
        raise BadInput(must, f"{name} in config.json", f"give a model of another architecture: {', '.join(known)}")
    if name not in known:
        given = "config.json without model_type" if name is None else name
        raise unknown("architecture of config.json", str(given), known, f"known: {', '.join(known)}")
    return str(name), settings


def headless(architecture: str, settings: Mapping[str, Any]) -> bool:
    """Whether the settings name the class without an output. BadInput for a class that is not read: its outputs are
    others."""
    named = settings.get("architectures")
    if architecture not in CLASSES or not named:
        return False
    classes = CLASSES[architecture]
    if not isinstance(named, (list, tuple)) or len(named) != 1 or named[0] not in classes:
        do = "take architectures out of config.json if the model is one of these"
        raise BadInput(f"the class of a model of {architecture} must be {' or '.join(classes)} to be read", named, do)
    return named[0] == classes[0]


def require_native(word: str, settings: Mapping[str, Any]) -> None:
    """Raise BadInput for a TransformerBridge around a model of another library, which computes as that library does."""
    native = "TransformerLensNative"
    if word == "bridge" and settings.get("architecture") != native:
        must = f"a TransformerBridge must have the setting architecture = {native} to be read"
        do = "make it with boot_native, or give the model of the other library to from_module"
        raise BadInput(must, settings.get("architecture", "none"), do)


def facts_of(architecture: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """What settings say, by our names. BadInput, with the setting, for one that is in no table, or whose value means a
    part that is not read."""
    table = CONFIGS[architecture]
    facts, turns, said = dict(table.defaults), list[tuple[str, Any]](), dict[str, str]()
    copies = dict[str, Any]()
    for key, value in settings.items():
        if key in table.facts:
            fact = table.facts[key]
            if fact == "rotary":
                turns.append((OLDER.get(key, key), value))
                continue
            if value is not None or fact in ("norm", "tied", "parallel", "window"):
                if fact in said and facts[fact] != value:
                    must = f"{said[fact]} and {key}, which are one setting, must have one value"
                    raise BadInput(must, f"{facts[fact]} and {value}", "keep one of them")
                facts[fact], said[fact] = value, key
        elif key in table.copies:
            copies[key] = value
        elif key in table.must:
            if value not in table.must[key]:
                must = f"a model must have the setting {key} = {table.must[key][0]} to be read"
                raise BadInput(must, value, "symcook does not support this setting")
        elif key not in table.idle:
            do = "take it out of the settings if the outputs do not depend on it"
            raise unknown(f"setting of {architecture}", key, [*table.facts, *table.must], do)
    if "rotary" in facts:
        facts["rotary"] = _turns(table, turns, copies, facts["rotary"])
    return _checked(facts)


def _turns(
    table: Architecture, settings: list[tuple[str, Any]], copies: Mapping[str, Any], default: Mapping[str, Any]
) -> Rotary:
    """The rotary positions that settings say. BadInput where the class of the architecture reads others."""
    whole = [value for key, value in settings if key in TURNS and value]
    if len(whole) > 1 and whole[0] != whole[1]:
        must = "rotary positions must be in one of the settings rope_parameters and rope_scaling"
        raise BadInput(must, "both", "keep the one that the model was trained with")
    found = rotary_in(settings, default)
    if found.share != 1 and not table.partial:
        must = "the setting partial_rotary_factor must be 1, since models of this architecture turn whole heads"
        raise BadInput(must, found.share, "take it out of config.json")
    for key, value in copies.items():
        name = table.copies[key]
        if value is not None and not alike(value, getattr(found, name)):
            own = next(older for older, newer in OLDER.items() if newer == key)
            must = f"the setting {key} must agree with {own}, which is what the library reads"
            raise BadInput(must, f"{value} and {quotient(getattr(found, name))}", f"give {own}")
    return found


def _checked(facts: dict[str, Any]) -> dict[str, Any]:
    """The facts with our words for their values; BadInput, with the setting, for a value that is not read."""
    if "activation" in facts:
        name = facts["activation"]
        if name not in ACTIVATIONS:
            raise unknown("activation", str(name), list(ACTIVATIONS), f"known: {', '.join(ACTIVATIONS)}")
        facts["activation"] = ACTIVATIONS[name]
    for name in ("layers", "heads", "key heads", "size", "width", "hidden", "tokens", "positions"):
        if name in facts:
            if not str(facts[name]).isdecimal() or isinstance(facts[name], bool):
                raise BadInput(
                    f"the number of {name} in the settings must be an integer",
                    facts[name],
                    "write the number in digits",
                )
            facts[name] = int(facts[name])
    kinds = facts.pop("kinds of layers", ())
    if not isinstance(kinds, (list, tuple)) or any(kind != "full_attention" for kind in kinds):
        must = "the setting layer_types must be a list whose entries are full_attention to be read"
        raise BadInput(must, kinds, "symcook does not support other kinds of layers")
    window = facts.get("window")  # None: there is no window
    if window is not None and (not isinstance(window, int) or isinstance(window, bool) or window < 1):
        raise BadInput("sliding_window must be an integer of at least 1, or null", window, "correct config.json")
    if "epsilon" in facts:
        try:
            facts["epsilon"] = Fraction(str(facts["epsilon"]))
        except (ValueError, ZeroDivisionError):
            raise BadInput(
                "epsilon in the settings must be a number", facts["epsilon"], "write for example 1e-5"
            ) from None
    for name, setting in (
        ("tied", "tie_word_embeddings"),
        ("parallel", "use_parallel_residual"),
        ("biases", "bias"),
        ("attention biases", "attention_bias"),
        ("mlp biases", "mlp_bias"),
    ):
        if name in facts and not isinstance(facts[name], bool):
            raise BadInput(f"{setting} must be true or false", facts[name], "write true or false")
    if "norm" in facts:
        word = facts["norm"] and str(facts["norm"]).upper()
        if word is not None and word not in NORMS:
            raise unknown("normalization_type", str(facts["norm"]), list(NORMS))
        facts |= {"kind": NORMS[word], "norm": "pre"} if word else {"norm": "none"}
    if "scale" in facts:  # a number that scores are divided by; not above 0: the root of the size of a head
        scale = float(facts.pop("scale"))
        if scale > 0 and ("size" not in facts or scale != float(facts["size"]) ** 0.5):
            facts["scale"] = 1 / Fraction(scale)
    match facts.pop("embedded", None):
        case "rotary":
            width, interleaved = facts.get("turning"), bool(facts.get("interleaved"))
            if width is not None and (not str(width).isdecimal() or isinstance(width, bool)):
                raise BadInput("rotary_dim must be an integer", width, "write the number in digits")
            base = above_zero("rotary_base", facts.get("base", 10000))
            facts["rotary"] = Rotary(base, width=None if width is None else int(width), interleaved=interleaved)
        case "standard":
            facts["rotary"] = None
        case None:
            pass
        case kind:
            raise BadInput(
                "positional_embedding_type must be standard or rotary to be read",
                kind,
                "symcook reads only these two kinds of positions",
            )
    if "mask" in facts:
        masks = {"causal": "causal", "bidirectional": "none"}
        if facts["mask"] not in masks:
            raise unknown("attention_dir", str(facts["mask"]), list(masks))
        facts["mask"] = masks[facts["mask"]]
    return facts
