"""The words that arguments of public functions accept, as types, so that a type checker sees a word that is none; and
the words in which the library shows what it keeps under older names.

Model files, JSON keys and hashes have the older names (`future` for causal), and both are read.
"""

from __future__ import annotations

from typing import Literal

MaskWord = Literal[
    "none", "causal", "strict-causal", "anti-causal", "strict-anti-causal", "bidirectional",
    "future", "strict-future", "past", "strict-past",
]  # fmt: skip
WeightingWord = Literal["average", "softmax", "leftmost", "rightmost", "ahat", "uhat-left", "uhat-right"]
ActivationWord = Literal["relu", "gelu", "gelu-tanh", "gelu-sigmoid", "step"]
ReadoutWord = Literal["value", "sign", "zero", "argmax", "largest", "distribution", "groups"]
PositionWord = Literal["first", "last", "each", "all"]
DomainWord = Literal["exact", "ball", "mpmath", "float64", "float32", "float16"]
LanguageWord = Literal["ltl", "c-rasp", "count", "srasp", "dfa", "tm"]
DtypeWord = Literal["float64", "float32", "float16", "bfloat16"]
FormatWord = Literal["npz", "safetensors", "torch", "onnx", "transformerlens"]

SHOWN = {
    "future": "causal", "strict-future": "strict-causal", "past": "anti-causal", "strict-past": "strict-anti-causal",
    "largest": "argmax",
}  # fmt: skip
"""{a word as it is kept: the word that is shown}."""


def shown_word(word: str) -> str:
    """The word that is shown for one that is kept.

    >>> shown_word("strict-future"), shown_word("none")
    ('strict-causal', 'none')
    """
    return SHOWN.get(word, word)
