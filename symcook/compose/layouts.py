"""Names of weights in other layouts than those that are read, so that messages can name the layout."""

from __future__ import annotations

import re
from collections.abc import Iterable

LAYOUTS = {
    "GPT-2": r"(?:transformer\.)?h\.\d+\.attn\.c_attn\.",
    "GPT-Neo": r"(?:transformer\.)?h\.\d+\.attn\.attention\.",
    "GPT-NeoX (Pythia)": r"(?:gpt_neox\.)?layers\.\d+\.attention\.query_key_value\.",
    "Llama and its like": r"(?:model\.)?layers\.\d+\.self_attn\.q_proj\.",
    "BERT and its like": r"(?:\w+\.)?encoder\.layer\.\d+\.attention\.self\.",
    "T5": r"encoder\.block\.\d+\.layer\.\d+\.",
    "torch.nn.TransformerDecoder": r"(?:[\w.]+\.)?layers\.\d+\.multihead_attn\.",
}
"""{layout: how the key of one of its weights begins}."""
READ = "the names of torch.nn.TransformerEncoder or of a HookedTransformer"


def seen(keys: Iterable[str]) -> str:
    """Which layout the keys of weights have: its name and a key, or the first keys.

    >>> seen(["wte.weight", "h.0.attn.c_attn.weight"])
    'the layout of GPT-2 (h.0.attn.c_attn.weight)'
    """
    keys = list(keys)
    for name, start in LAYOUTS.items():
        for key in keys:
            if re.match(start, key):
                return f"the layout of {name} ({key})"
    return f"the keys {', '.join(keys[:3])}{', ..' * (len(keys) > 3)}" if keys else "no key"
