"""Names of weights in layouts that are not read, so that messages can name the layout."""

from __future__ import annotations

import re
from collections.abc import Iterable

from symcook.published.formats import FORMATS

LAYOUTS = {
    "GPT-Neo": r"(?:transformer\.)?h\.\d+\.attn\.attention\.",
    "BERT and its like": r"(?:\w+\.)?encoder\.layer\.\d+\.attention\.self\.",
    "T5": r"encoder\.block\.\d+\.layer\.\d+\.",
    "torch.nn.TransformerDecoder": r"(?:[\w.]+\.)?layers\.\d+\.multihead_attn\.",
}
"""{layout: how the key of one of its weights begins}."""
READ = "the names of torch.nn.TransformerEncoder, GPT-2, minGPT, Llama, Bloom, GPT-NeoX, TransformerLens or picoGPT"


def seen(keys: Iterable[str]) -> str:
    """Which layout the keys of weights have: its name and a key, or the first keys.

    >>> seen(["wte.weight", "h.0.attn.c_attn.weight"])
    'the layout of GPT-2 (Hugging Face) (h.0.attn.c_attn.weight)'
    """
    keys = list(keys)
    read = {one.title: rf"(?:\w+\.)*{one.sign}" for one in FORMATS.values()}
    for name, start in {**read, **LAYOUTS}.items():
        for key in keys:
            if re.match(start, key):
                return f"the layout of {name} ({key})"
    return f"the keys {', '.join(keys[:3])}{', ..' * (len(keys) > 3)}" if keys else "no key"
