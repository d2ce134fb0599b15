"""Which weights a model of an architecture has: each of them must be given, and no other one.

A file without the weights of a norm is incomplete, and no model without this norm. Where settings name the
architecture, they say which weights there are; a bias that the architecture does not have would be left out by its
library. Of weights alone the format says which sets of weights its models have.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from symcook.errors import BadInput
from symcook.published.formats import FORMATS, LAYER, name_in_format


def _in_layers(names: str) -> frozenset[str]:
    """Names of weights of a layer, with the place of its number."""
    return frozenset(f"layers.{LAYER}.{name}" for name in names.split())


WEIGHTS = _in_layers("norm1.weight q.weight k.weight v.weight o.weight norm2.weight linear1.weight linear2.weight")
GATED = WEIGHTS | _in_layers("gate.weight")
ATTENTION_BIASES = _in_layers("q.bias k.bias v.bias o.bias")
MLP_BIASES = _in_layers("linear1.bias linear2.bias")
NORM_BIASES = _in_layers("norm1.bias norm2.bias")
ALL_BIASES = ATTENTION_BIASES | MLP_BIASES | NORM_BIASES
FINAL = frozenset({"embedding.weight", "norm.weight"})
OUTPUT = "output.weight"
ENDS = frozenset({"embedding.weight", OUTPUT})


@dataclass(frozen=True)
class WeightNames:
    """The names of the weights of an architecture, by our names.

    Arguments:
        always: those that each model has.
        said: {fact of the settings: (its value by default, the names that models have for which it is true)}.

    The output may be left out if it has the weights of the embedding, or if the model answers with the residual stream.
    """

    always: frozenset[str]
    said: Mapping[str, tuple[bool, frozenset[str]]] = field(default_factory=dict)


_ATTENTION = {"attention biases": (False, ATTENTION_BIASES)}
COMPLETE: Mapping[str, WeightNames] = {
    "gpt2": WeightNames(WEIGHTS | ALL_BIASES | FINAL | {"norm.bias", "positions.weight"}),
    "mingpt": WeightNames(WEIGHTS | ALL_BIASES | FINAL | {"norm.bias", "positions.weight"}),
    "nanogpt": WeightNames(WEIGHTS | FINAL | {"positions.weight"}, {"biases": (True, ALL_BIASES | {"norm.bias"})}),
    "llama": WeightNames(
        GATED | FINAL, {**_ATTENTION, "mlp biases": (False, MLP_BIASES | _in_layers("gate.bias"))}
    ),
    "mistral": WeightNames(GATED | FINAL),
    "phi3": WeightNames(GATED | FINAL),
    "gemma": WeightNames(GATED | FINAL, _ATTENTION),
    "qwen2": WeightNames(GATED | FINAL | _in_layers("q.bias k.bias v.bias")),
    "qwen3": WeightNames(GATED | FINAL | _in_layers("self_attn.q_norm.weight self_attn.k_norm.weight"), _ATTENTION),
    "bloom": WeightNames(
        WEIGHTS | ALL_BIASES | FINAL | {"norm.bias", "embedding_norm.weight", "embedding_norm.bias"}
    ),
    "gpt_neox": WeightNames(
        WEIGHTS | MLP_BIASES | NORM_BIASES | FINAL | {"norm.bias"}, {"attention biases": (True, ATTENTION_BIASES)}
    ),
}  # fmt: skip
"""{architecture: its weights}. Models of TransformerLens have what their settings say (`_of_lens`)."""


def _unions(*choices: Iterable[Collection[str]]) -> tuple[frozenset[str], ...]:
    """The unions of one set of each choice."""
    return tuple(frozenset[str]().union(*some) for some in product(*choices))


_QKV_BIASES = _in_layers("q.bias k.bias v.bias")
_POSITIONS = ((), ("positions.weight",))
_OUTPUT_BIAS = ((), ("output.bias",))


def _lens(gated: Iterable[frozenset[str]]) -> tuple[frozenset[str], ...]:
    """The names of models of TransformerLens, whose norms may be none or without weights, RMS norms or layer norms;
    `gated` are those of gated units."""
    attention = _in_layers("q.weight k.weight v.weight o.weight") | ATTENTION_BIASES | ENDS | {"output.bias"}
    plain = _in_layers("linear1.weight linear2.weight") | MLP_BIASES
    first, both = (
        _in_layers("norm1.weight") | {"norm.weight"},
        _in_layers("norm1.weight norm2.weight") | {"norm.weight"},
    )

    def norms(gains: frozenset[str]) -> tuple[Collection[str], ...]:
        return (), gains, gains | {name.replace("weight", "bias") for name in gains}

    alone, whole = [attention], [attention | mlp for mlp in (plain, *gated)]
    return _unions(alone, norms(first), _POSITIONS) + _unions(whole, norms(both), _POSITIONS)


_GATED_UNITS = _in_layers("gate.weight linear1.weight linear2.weight")
FORMAT_NAMES: Mapping[str, tuple[frozenset[str], ...]] = {
    "gpt2": _unions([COMPLETE["gpt2"].always | {OUTPUT}], _OUTPUT_BIAS),
    "mingpt": _unions(
        [WEIGHTS | ENDS | {"norm.weight", "positions.weight"}], ((), ALL_BIASES | {"norm.bias"}), _OUTPUT_BIAS
    ),
    "numpy": (COMPLETE["gpt2"].always | {OUTPUT},),
    "llama": _unions(
        [GATED | ENDS | {"norm.weight"}],
        ((), _QKV_BIASES, ATTENTION_BIASES),
        ((), MLP_BIASES | _in_layers("gate.bias")),
        ((), _in_layers("self_attn.q_norm.weight self_attn.k_norm.weight")),
    ),
    "bloom": (COMPLETE["bloom"].always | {OUTPUT},),
    "hooked": _lens([_GATED_UNITS | MLP_BIASES]),
    "bridge": _lens([_GATED_UNITS, _GATED_UNITS | MLP_BIASES | _in_layers("gate.bias")]),
}
"""{word for a format: the sets of weights that its models have}, with an output, which may be that of the embedding.
Those of a layer have the place of its number. GPT-NeoX is not read without settings."""


def require_format(
    word: str, names: Collection[str], tied: bool = False, stream: bool = False, rotary: object = None
) -> None:
    """Raise BadInput, with the name in the format, where `names` are none of the sets of weights that models of a
    format have, and where nothing says what the positions are.

    Arguments:
        word: the word for the format of the weights.
        names: those that are given, by our names.
        tied: whether the output has the weights of the embedding.
        stream: whether the model answers with the residual stream, so that it has no output.
        rotary: what is said about rotary positions; None where nothing is.
    """
    if word not in FORMAT_NAMES:
        return
    each, one = _each(names), FORMATS[word]
    apart = {OUTPUT, "output.bias"} if stream else set[str]()
    given = set(names) - apart | ({OUTPUT} - apart if tied else set())
    models = [each(some) - apart for some in FORMAT_NAMES[word]]
    nearest = min(models, key=lambda some: (len(some ^ given), len(given - some)))
    missing = sorted(nearest - given, key=lambda name: (name in (OUTPUT, "output.bias"), name))
    if missing and missing[0] == OUTPUT:
        raise BadInput(
            f"weights of {one.title} must have an output",
            f"none for {name_in_format(one, OUTPUT)}",
            'give it, as a copy of the embedding if the two are tied, or write readout="stream" if there is none',
        )
    if missing:
        raise BadInput(
            f"weights of {one.title} must be all weights of a model",
            f"none for {name_in_format(one, missing[0])}",
            "give the missing weight; for a bias that the model does not have, give zeros",
        )
    if more := sorted(given - nearest):
        raise BadInput(
            f"weights of {one.title} must be those of one model",
            f"{name_in_format(one, more[0])}, which no model has together with the others",
            "leave it out, or give what belongs to it",
        )
    if rotary is None and "positions.weight" not in given and any("positions.weight" in some for some in models):
        raise BadInput(
            f"weights of {one.title} without {name_in_format(one, 'positions.weight')} must come with rotary",
            "none",
            'write its base, such as rotary="10000", or rotary="none" if the model knows no positions',
        )


def _each(names: Collection[str]) -> Callable[[Iterable[str]], set[str]]:
    """The function that gives names in all layers; `names` are those of the weights."""
    numbers = sorted({name.split(".")[1] for name in names if name.startswith("layers.")}, key=int)

    def each(some: Iterable[str]) -> set[str]:
        return {name.replace(LAYER, number) for name in some for number in numbers if LAYER in name} | {
            name for name in some if LAYER not in name
        }

    return each


def require_complete(architecture: str | None, word: str, names: Collection[str], settings: Mapping[str, Any],
                     facts: Mapping[str, Any], stream: bool = False, rotary: object = None) -> None:  # fmt: skip
    """Raise BadInput, with the name in the format, for a weight that a model of this architecture has and that is not
    among `names`, or the reverse.

    Arguments:
        architecture: the one of the settings; None where there are none.
        word: the word for the format of the weights.
        names: those that are given, by our names.
        settings: the settings themselves.
        facts: those of the settings, and without these those of the format.
        stream: as in `require_format`.
        rotary: as in `require_format`.
    """
    if word not in FORMATS:
        return
    each, tied = _each(names), bool(facts.get("tied"))
    table = COMPLETE.get(architecture or "")
    if table is not None:
        said = (some for fact, (default, some) in table.said.items() if facts.get(fact, default))
        wanted = each(table.always.union(*said))
        unwanted = set(names) - wanted - {OUTPUT}
        wanted |= set() if stream or tied else {OUTPUT}
    elif architecture == "transformerlens":
        wanted, unwanted = map(each, _of_lens(settings))
        rotary = "settings"
    else:
        wanted = unwanted = set[str]()
    if missing := sorted(wanted - set(names), key=lambda name: (name == OUTPUT, name)):
        must = f"weights of {architecture} must have every weight of this architecture"
        given = f"none for {name_in_format(FORMATS[word], missing[0])}"
        do = "give all files of weights, or weights without config.json"
        if missing[0] == OUTPUT:
            must = f"weights of {architecture} must have an output, since the settings do not tie it to the embedding"
            do = 'give it, write "tie_word_embeddings": true into the settings, or readout="stream" if there is none'
        raise BadInput(must, given, do)
    if more := sorted(unwanted & set(names)):
        must = f"weights of {architecture} must be only those that its settings speak of"
        do = "give the config.json of these weights, or the weights without it"
        raise BadInput(must, f"{name_in_format(FORMATS[word], more[0])} too", do)
    if table is None:
        require_format(word, names, tied, stream, rotary)


def _of_lens(settings: Mapping[str, Any]) -> tuple[set[str], set[str]]:
    """The weights that a model of TransformerLens has by its settings, and those that it has not. What no setting says
    is open: an object may have some of the settings only."""
    wanted, unwanted = set[str](), set[str]()

    def has(condition: bool, some: Iterable[str]) -> None:
        (wanted if condition else unwanted).update(some)

    if (positions := settings.get("positional_embedding_type")) is not None:
        has(positions == "standard", ["positions.weight"])
    attention_alone = settings.get("attn_only")
    if attention_alone is not None:
        has(not attention_alone, _in_layers("linear1.weight linear2.weight"))
    if settings.get("gated_mlp") is not None and not attention_alone:
        has(bool(settings["gated_mlp"]), _in_layers("gate.weight"))
    if "normalization_type" in settings:
        kind = str(settings["normalization_type"]).upper()
        parts = "norm1.weight" if attention_alone else "norm1.weight norm2.weight"
        has(kind in ("LN", "RMS"), _in_layers(parts) | {"norm.weight"})
        has(kind == "LN", {name.replace("weight", "bias") for name in _in_layers(parts) | {"norm.weight"}})
    return wanted, unwanted
