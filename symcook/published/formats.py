"""The formats of weights that symcook reads: for each a table from its names to ours.

A row says what a weight is, its shape, and how its numbers are ordered. Shapes are written over letters: V tokens, N
positions, d coordinates, H heads of size s, a = H s, G heads of keys and values, g = G s, f hidden units, L labels.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

LAYER = "{l}"
"""Stands for the number of a layer in the names of weights, which count from 0."""


@dataclass(frozen=True)
class WeightRow:
    """What one weight of a format is: its name here, its shape, and the order of its numbers.

    Orders: "rows", as a matrix whose rows are outputs; "columns", the transpose of that; "thirds" and "column thirds",
    queries, keys and values one after another; "head thirds", the same head after head; "heads", a matrix H x d x s or
    a vector H x s; "heads out", H x s x d.
    """

    to: str
    shape: str
    order: str = "rows"


@dataclass(frozen=True)
class WeightFormat:
    """A format of weights.

    Arguments:
        title: its name in messages.
        sign: a pattern; a state dict with such a key has this format.
        rows: {name of a weight: its row}.
        masks: names of tables that must be the causal mask, and are left out.
        hidden: names of the score of what a mask hides, which is so low that nothing of it comes through.
        refused: {name: what it stands for, which no model here has}.
        prefixes: what may stand before every name.
        turned: names of stored tables of sines and cosines, or of frequencies. They are compared with those that the
            base of the rotary positions gives.
        turns: how the positions of such a model turn, as arguments of `Rotary`; None where positions are not rotary
            unless settings or a weight say so.
        rounded: what the library rounds in a way that is not followed here.
        facts: what the format itself says, by the names of `symcook.published.configs`.
        final: whether a model with norms has one at the end, also where no weight says it.
        settings: whether the weights are read with settings alone, which say how much of a head turns.
        others: what has the same names and computes something else; then the keys alone do not say the format.
    """

    title: str
    sign: str
    rows: Mapping[str, WeightRow]
    masks: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    refused: Mapping[str, str] = field(default_factory=dict)
    prefixes: tuple[str, ...] = ()
    turned: tuple[str, ...] = ()
    turns: Mapping[str, Any] | None = None
    rounded: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)
    final: bool = False
    settings: bool = False
    others: str = ""


def _rows(table: str) -> dict[str, WeightRow]:
    """Rows from lines "name | name here | shape | order"."""
    found = {}
    for line in table.strip().splitlines():
        name, *rest = (cell.strip() for cell in line.split("|"))
        found[name] = WeightRow(*rest)
    return found


GPT2 = _rows("""
    wte.weight                  | embedding.weight            | V x d
    wpe.weight                  | positions.weight            | N x d
    h.{l}.ln_1.weight           | layers.{l}.norm1.weight     | d
    h.{l}.ln_1.bias             | layers.{l}.norm1.bias       | d
    h.{l}.attn.c_attn.weight    | layers.{l}.qkv.weight       | d x 3a | column thirds
    h.{l}.attn.c_attn.bias      | layers.{l}.qkv.bias         | 3a     | thirds
    h.{l}.attn.c_proj.weight    | layers.{l}.o.weight         | a x d  | columns
    h.{l}.attn.c_proj.bias      | layers.{l}.o.bias           | d
    h.{l}.ln_2.weight           | layers.{l}.norm2.weight     | d
    h.{l}.ln_2.bias             | layers.{l}.norm2.bias       | d
    h.{l}.mlp.c_fc.weight       | layers.{l}.linear1.weight   | d x f  | columns
    h.{l}.mlp.c_fc.bias         | layers.{l}.linear1.bias     | f
    h.{l}.mlp.c_proj.weight     | layers.{l}.linear2.weight   | f x d  | columns
    h.{l}.mlp.c_proj.bias       | layers.{l}.linear2.bias     | d
    ln_f.weight                 | norm.weight                 | d
    ln_f.bias                   | norm.bias                   | d
    lm_head.weight              | output.weight               | L x d
    lm_head.bias                | output.bias                 | L
""")
"""The names of GPT-2, whose matrices are stored as inputs x outputs."""
LINEAR = {"d x 3a": ("3a x d", "thirds"), "a x d": ("d x a", "rows"), "d x f": ("f x d", "rows"),
          "f x d": ("d x f", "rows")}  # fmt: skip
"""{shape of a matrix of GPT-2: its shape and order where it is stored as outputs x inputs}."""
MINGPT = {
    name: WeightRow(row.to, *LINEAR[row.shape]) if row.shape in LINEAR else row for name, row in GPT2.items()
}  # fmt: skip
"""The names of minGPT and nanoGPT: those of GPT-2, with matrices as torch.nn.Linear stores them."""
NUMPY = _rows("""
    wte                         | embedding.weight            | V x d
    wpe                         | positions.weight            | N x d
    blocks.{l}.ln_1.g           | layers.{l}.norm1.weight     | d
    blocks.{l}.ln_1.b           | layers.{l}.norm1.bias       | d
    blocks.{l}.attn.c_attn.w    | layers.{l}.qkv.weight       | d x 3a | column thirds
    blocks.{l}.attn.c_attn.b    | layers.{l}.qkv.bias         | 3a     | thirds
    blocks.{l}.attn.c_proj.w    | layers.{l}.o.weight         | a x d  | columns
    blocks.{l}.attn.c_proj.b    | layers.{l}.o.bias           | d
    blocks.{l}.ln_2.g           | layers.{l}.norm2.weight     | d
    blocks.{l}.ln_2.b           | layers.{l}.norm2.bias       | d
    blocks.{l}.mlp.c_fc.w       | layers.{l}.linear1.weight   | d x f  | columns
    blocks.{l}.mlp.c_fc.b       | layers.{l}.linear1.bias     | f
    blocks.{l}.mlp.c_proj.w     | layers.{l}.linear2.weight   | f x d  | columns
    blocks.{l}.mlp.c_proj.b     | layers.{l}.linear2.bias     | d
    ln_f.g                      | norm.weight                 | d
    ln_f.b                      | norm.bias                   | d
""")
"""The names of the arrays of picoGPT: wte, blocks.0.attn.c_attn.w, ln_f.g."""

LLAMA = _rows("""
    embed_tokens.weight                         | embedding.weight          | V x d
    layers.{l}.input_layernorm.weight           | layers.{l}.norm1.weight   | d
    layers.{l}.self_attn.q_proj.weight          | layers.{l}.q.weight       | a x d
    layers.{l}.self_attn.q_proj.bias            | layers.{l}.q.bias         | a
    layers.{l}.self_attn.k_proj.weight          | layers.{l}.k.weight       | g x d
    layers.{l}.self_attn.k_proj.bias            | layers.{l}.k.bias         | g
    layers.{l}.self_attn.v_proj.weight          | layers.{l}.v.weight       | g x d
    layers.{l}.self_attn.v_proj.bias            | layers.{l}.v.bias         | g
    layers.{l}.self_attn.q_norm.weight          | layers.{l}.self_attn.q_norm.weight | s
    layers.{l}.self_attn.k_norm.weight          | layers.{l}.self_attn.k_norm.weight | s
    layers.{l}.self_attn.o_proj.weight          | layers.{l}.o.weight       | d x a
    layers.{l}.self_attn.o_proj.bias            | layers.{l}.o.bias         | d
    layers.{l}.post_attention_layernorm.weight  | layers.{l}.norm2.weight   | d
    layers.{l}.mlp.gate_proj.weight             | layers.{l}.gate.weight    | f x d
    layers.{l}.mlp.gate_proj.bias               | layers.{l}.gate.bias      | f
    layers.{l}.mlp.up_proj.weight               | layers.{l}.linear1.weight | f x d
    layers.{l}.mlp.up_proj.bias                 | layers.{l}.linear1.bias   | f
    layers.{l}.mlp.down_proj.weight             | layers.{l}.linear2.weight | d x f
    layers.{l}.mlp.down_proj.bias               | layers.{l}.linear2.bias   | d
    norm.weight                                 | norm.weight               | d
    lm_head.weight                              | output.weight             | L x d
""")
_TOGETHER = """
    LAYER.input_layernorm.weight              | layers.{l}.norm1.weight   | d
    LAYER.input_layernorm.bias                | layers.{l}.norm1.bias     | d
    LAYER.ATTENTION.query_key_value.weight | layers.{l}.qkv.weight | 3a x d | head thirds
    LAYER.ATTENTION.query_key_value.bias   | layers.{l}.qkv.bias   | 3a     | head thirds
    LAYER.ATTENTION.dense.weight           | layers.{l}.o.weight       | d x a
    LAYER.ATTENTION.dense.bias             | layers.{l}.o.bias         | d
    LAYER.post_attention_layernorm.weight     | layers.{l}.norm2.weight   | d
    LAYER.post_attention_layernorm.bias       | layers.{l}.norm2.bias     | d
    LAYER.mlp.dense_h_to_4h.weight            | layers.{l}.linear1.weight | f x d
    LAYER.mlp.dense_h_to_4h.bias              | layers.{l}.linear1.bias   | f
    LAYER.mlp.dense_4h_to_h.weight            | layers.{l}.linear2.weight | d x f
    LAYER.mlp.dense_4h_to_h.bias              | layers.{l}.linear2.bias   | d
"""
"""The layers of Bloom and GPT-NeoX, whose queries, keys and values are stored head after head."""
BLOOM = _rows(
    """
    word_embeddings.weight           | embedding.weight       | V x d
    word_embeddings_layernorm.weight | embedding_norm.weight  | d
    word_embeddings_layernorm.bias   | embedding_norm.bias    | d
    ln_f.weight                      | norm.weight            | d
    ln_f.bias                        | norm.bias              | d
    lm_head.weight                   | output.weight          | L x d"""
    + _TOGETHER.replace("LAYER", "h.{l}").replace("ATTENTION", "self_attention")
)
NEOX = _rows(
    """
    embed_in.weight                  | embedding.weight       | V x d
    final_layer_norm.weight          | norm.weight            | d
    final_layer_norm.bias            | norm.bias              | d
    embed_out.weight                 | output.weight          | L x d
    lm_head.weight                   | output.weight          | L x d"""
    + _TOGETHER.replace("LAYER", "layers.{l}").replace("ATTENTION", "attention")
)
HOOKED = _rows("""
    embed.W_E                | embedding.weight          | V x d
    pos_embed.W_pos          | positions.weight          | N x d
    blocks.{l}.ln1.w         | layers.{l}.norm1.weight   | d
    blocks.{l}.ln1.b         | layers.{l}.norm1.bias     | d
    blocks.{l}.attn.W_Q      | layers.{l}.q.weight       | H x d x s | heads
    blocks.{l}.attn.b_Q      | layers.{l}.q.bias         | H x s     | heads
    blocks.{l}.attn.W_K      | layers.{l}.k.weight       | H x d x s | heads
    blocks.{l}.attn.b_K      | layers.{l}.k.bias         | H x s     | heads
    blocks.{l}.attn.W_V      | layers.{l}.v.weight       | H x d x s | heads
    blocks.{l}.attn.b_V      | layers.{l}.v.bias         | H x s     | heads
    blocks.{l}.attn._W_K     | layers.{l}.k.weight       | G x d x s | heads
    blocks.{l}.attn._b_K     | layers.{l}.k.bias         | G x s     | heads
    blocks.{l}.attn._W_V     | layers.{l}.v.weight       | G x d x s | heads
    blocks.{l}.attn._b_V     | layers.{l}.v.bias         | G x s     | heads
    blocks.{l}.attn.W_O      | layers.{l}.o.weight       | H x s x d | heads out
    blocks.{l}.attn.b_O      | layers.{l}.o.bias         | d
    blocks.{l}.ln2.w         | layers.{l}.norm2.weight   | d
    blocks.{l}.ln2.b         | layers.{l}.norm2.bias     | d
    blocks.{l}.mlp.W_gate    | layers.{l}.gate.weight    | d x f     | columns
    blocks.{l}.mlp.W_in      | layers.{l}.linear1.weight | d x f     | columns
    blocks.{l}.mlp.b_in      | layers.{l}.linear1.bias   | f
    blocks.{l}.mlp.W_out     | layers.{l}.linear2.weight | f x d     | columns
    blocks.{l}.mlp.b_out     | layers.{l}.linear2.bias   | d
    ln_final.w               | norm.weight               | d
    ln_final.b               | norm.bias                 | d
    unembed.W_U              | output.weight             | d x L     | columns
    unembed.b_U              | output.bias               | L
""")
BRIDGE = _rows("""
    embed.weight             | embedding.weight          | V x d
    pos_embed.weight         | positions.weight          | N x d
    blocks.{l}.ln1.weight    | layers.{l}.norm1.weight   | d
    blocks.{l}.ln1.bias      | layers.{l}.norm1.bias     | d
    blocks.{l}.attn.q.weight | layers.{l}.q.weight       | a x d
    blocks.{l}.attn.q.bias   | layers.{l}.q.bias         | a
    blocks.{l}.attn.k.weight | layers.{l}.k.weight       | g x d
    blocks.{l}.attn.k.bias   | layers.{l}.k.bias         | g
    blocks.{l}.attn.v.weight | layers.{l}.v.weight       | g x d
    blocks.{l}.attn.v.bias   | layers.{l}.v.bias         | g
    blocks.{l}.attn.o.weight | layers.{l}.o.weight       | d x a
    blocks.{l}.attn.o.bias   | layers.{l}.o.bias         | d
    blocks.{l}.ln2.weight    | layers.{l}.norm2.weight   | d
    blocks.{l}.ln2.bias      | layers.{l}.norm2.bias     | d
    blocks.{l}.mlp.gate.weight | layers.{l}.gate.weight  | f x d
    blocks.{l}.mlp.gate.bias | layers.{l}.gate.bias      | f
    blocks.{l}.mlp.in.weight | layers.{l}.linear1.weight | f x d
    blocks.{l}.mlp.in.bias   | layers.{l}.linear1.bias   | f
    blocks.{l}.mlp.out.weight | layers.{l}.linear2.weight | d x f
    blocks.{l}.mlp.out.bias  | layers.{l}.linear2.bias   | d
    ln_final.weight          | norm.weight               | d
    ln_final.bias            | norm.bias                 | d
    unembed.weight           | output.weight             | L x d
    unembed.bias             | output.bias               | L
""")

LAYER_NORM, RMS_NORM = {"kind": "layer"}, {"kind": "rms"}

FORMATS: dict[str, WeightFormat] = {
    "gpt2": WeightFormat(
        "GPT-2 (Hugging Face)",
        r"h\.\d+\.attn\.c_attn\.weight",
        GPT2,
        masks=("h.{l}.attn.bias",),
        hidden=("h.{l}.attn.masked_bias",),
        refused={
            "h.{l}.crossattention.*": "attention to an encoder",
            "h.{l}.ln_cross_attn.*": "attention to an encoder",
        },
        prefixes=("transformer.",),
        facts=LAYER_NORM | {"norm": "pre", "tied": True},
    ),
    "mingpt": WeightFormat(
        "minGPT and nanoGPT",
        r"h\.\d+\.attn\.c_attn\.weight",
        MINGPT,
        masks=("h.{l}.attn.bias",),
        prefixes=("_orig_mod.", "module.", "transformer."),
        facts=LAYER_NORM | {"norm": "pre"},
    ),
    "numpy": WeightFormat(
        "picoGPT (numpy)",
        r"blocks\.\d+\.attn\.c_attn\.w",
        NUMPY,
        facts=LAYER_NORM | {"norm": "pre", "tied": True, "activation": "gelu-tanh"},
    ),
    "llama": WeightFormat(
        "Llama, Mistral and Qwen",
        r"layers\.\d+\.self_attn\.q_proj\.weight",
        LLAMA,
        turned=("layers.{l}.self_attn.rotary_emb.inv_freq", "rotary_emb.inv_freq"),
        turns={},
        refused={
            "layers.{l}.self_attn.sinks": "a softmax with a sink",
            "layers.{l}.mlp.experts.*": "experts",
            "layers.{l}.mlp.gate.weight": "experts",
        },
        prefixes=("model.",),
        facts=RMS_NORM | {"norm": "pre"},
        others="Gemma and OLMo",
    ),
    "bloom": WeightFormat(
        "Bloom",
        r"h\.\d+\.self_attention\.query_key_value\.weight",
        BLOOM,
        prefixes=("transformer.",),
        rounded="the rounding of sqrt(2/pi) to 8 digits in the gelu of Bloom",
        facts=LAYER_NORM | {"norm": "pre", "tied": True, "activation": "gelu-tanh", "alibi": True},
        others="Falcon",
    ),
    "neox": WeightFormat(
        "GPT-NeoX (Pythia)",
        r"layers\.\d+\.attention\.query_key_value\.weight",
        NEOX,
        masks=("layers.{l}.attention.bias",),
        hidden=("layers.{l}.attention.masked_bias",),
        prefixes=("gpt_neox.",),
        turned=("layers.{l}.attention.rotary_emb.inv_freq",),
        facts=LAYER_NORM | {"norm": "pre"},
        settings=True,
    ),
    "hooked": WeightFormat(
        "HookedTransformer (TransformerLens 1 to 3)",
        r"embed\.W_E",
        HOOKED,
        masks=("blocks.{l}.attn.mask",),
        turned=("blocks.{l}.attn.rotary_sin", "blocks.{l}.attn.rotary_cos"),
        hidden=("blocks.{l}.attn.IGNORE",),
        refused={
            "blocks.{l}.attn.q_norm.*": "norms of queries and keys",
            "blocks.{l}.attn.k_norm.*": "norms of queries and keys",
            "blocks.{l}.ln1_post.*": "a norm after a part",
            "blocks.{l}.ln2_post.*": "a norm after a part",
            "blocks.{l}.mlp.ln.*": "a norm inside of an mlp",
            "blocks.{l}.mlp.experts.*": "experts",
        },
        final=True,
    ),
    "bridge": WeightFormat(
        "TransformerBridge (TransformerLens 3 and 4)",
        r"blocks\.\d+\.attn\.q\.weight",
        BRIDGE,
        refused={
            "blocks.{l}.attn.q_norm.*": "norms of queries and keys",
            "blocks.{l}.attn.k_norm.*": "norms of queries and keys",
        },
        final=True,
    ),
}
"""{the word for a format: the format}, but for "torch", whose names are ours."""
TORCH = "torch"
WORDS = (TORCH, *FORMATS)
"""The words for all formats that are read."""


def pattern(name: str) -> re.Pattern[str]:
    """The pattern of a name in a table; its first group is the number of the layer, where it has one. A star stands for
    any end."""
    text = re.escape(name).replace(re.escape(LAYER), r"(0|[1-9][0-9]{0,5})").replace(r"\*", ".+")
    return re.compile(text, re.ASCII)


def bare(keys: Iterable[str], prefixes: Iterable[str]) -> dict[str, str]:
    """{key: key without the prefixes of its format}. A prefix may be on some keys only, as "model." of Llama is."""
    found = {}
    for key in keys:
        name = key
        for prefix in prefixes:
            name = name.removeprefix(prefix)
        found[key] = name
    return found


def format_of(shapes: Mapping[str, tuple[int, ...]]) -> str | None:
    """The word for the format of a state dict with these keys and shapes; None where it has none of `FORMATS`.

    >>> format_of({"transformer.h.0.attn.c_attn.weight": (8, 24)}), format_of({"h.0.attn.c_attn.weight": (24, 8)})
    ('gpt2', 'mingpt')
    """
    for word, one in FORMATS.items():
        signs = [key for key, name in bare(shapes, one.prefixes).items() if re.fullmatch(one.sign, name)]
        # GPT-2 and minGPT have the same names, and the shapes of the matrices tell them apart.
        if word == "gpt2" and any(len(shapes[key]) == 2 and shapes[key][0] > shapes[key][1] for key in signs):
            continue
        if signs:
            return word
    return None


def targets(row: WeightRow) -> Iterator[tuple[str, int | None]]:
    """Our names of a row, each with the third that it is (None: all of it)."""
    if row.order.endswith("thirds"):
        for third, name in enumerate("qkv"):
            yield row.to.replace(".qkv.", f".{name}."), third
    else:
        yield row.to, None


def name_in_format(one: WeightFormat, target: str) -> str:
    """A name of the format for one of our names."""
    head, dot, rest = target.partition(".")
    number, _, inner = rest.partition(".")
    generic = f"layers.{LAYER}.{inner}" if head == "layers" and dot else target
    names = [name for name, row in one.rows.items() if generic in {part for part, _ in targets(row)}]
    return (names or [target])[0].replace(LAYER, number)
