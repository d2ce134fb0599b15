"""Which weights a model of an architecture has: each of them must be given, and no other one.

Weights alone are what their names say. Where settings name the architecture, a file without the weights of a norm is
incomplete, and no model without this norm; a bias that the architecture does not have would be left out by its library.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
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


@dataclass(frozen=True)
class WeightNames:
    """The names of the weights of an architecture, by our names.

    Arguments:
        always: those that each model has.
        said: {fact of the settings: (its value by default, the names that models have for which it is true)}.

    The output may be left out: models without one answer with the residual stream.
    """

    always: frozenset[str]
    said: Mapping[str, tuple[bool, frozenset[str]]] = field(default_factory=dict)


_ATTENTION = {"attention biases": (False, ATTENTION_BIASES)}
OUTPUT = "output.weight"
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


def require_complete(architecture: str | None, word: str, names: Collection[str], settings: Mapping[str, Any],
                     facts: Mapping[str, Any]) -> None:  # fmt: skip
    """Raise BadInput, with the name in the format, for a weight that a model of this architecture has and that is not
    among `names`, or the reverse.

    Arguments:
        architecture: the one of the settings; None where there are none.
        word: the word for the format of the weights.
        names: those that are given, by our names.
        settings: the settings themselves.
        facts: those of the settings.
    """
    table = COMPLETE.get(architecture or "")
    if word not in FORMATS or (table is None and architecture != "transformerlens"):
        return
    numbers = sorted({name.split(".")[1] for name in names if name.startswith("layers.")}, key=int)

    def each(some: Iterable[str]) -> set[str]:
        """The names in all layers."""
        return {name.replace(LAYER, number) for name in some for number in numbers if LAYER in name} | {
            name for name in some if LAYER not in name
        }

    if table is None:
        wanted, unwanted = map(each, _of_lens(settings))
    else:
        said = (some for fact, (default, some) in table.said.items() if facts.get(fact, default))
        wanted = each(table.always.union(*said))
        unwanted = set(names) - wanted - {OUTPUT}
    if missing := sorted(wanted - set(names)):
        must = f"weights of {architecture} must have every weight of this architecture"
        given = f"none for {name_in_format(FORMATS[word], missing[0])}"
        raise BadInput(must, given, "give all files of weights, or weights without config.json")
    if more := sorted(unwanted & set(names)):
        must = f"weights of {architecture} must be only those that its settings speak of"
        do = "give the config.json of these weights, or the weights without it"
        raise BadInput(must, f"{name_in_format(FORMATS[word], more[0])} too", do)


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
