"""Published models as exact ones: from a folder or a file, from a model of TransformerLens, from a module of torch.

All three read the weights and the settings, bring the weights under our names (`symcook.published.converted`), choose
the tokens that are used, and make the model (`symcook.compose.states`). `Imported` says what was read and left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from symcook.compose.layouts import READ, seen
from symcook.compose.states import assembled
from symcook.door import door
from symcook.errors import BadInput, require_known, unknown
from symcook.model.choices import MaskWord, PositionWord, shown_word
from symcook.model.symbols import Exact
from symcook.model.transformer import Transformer
from symcook.published.alike import as_llama
from symcook.published.complete import require_complete
from symcook.published.configs import CLASSES, architecture_of, facts_of, headless, require_native
from symcook.published.converted import (
    Converted,
    add_final_norm,
    arrays,
    convert,
    recognised,
    require_numbers,
    require_settings,
    require_words,
)
from symcook.published.formats import FORMATS, TORCH, WORDS
from symcook.published.stored import stored
from symcook.published.tokens import listed, tokens_of
from symcook.published.tokens import seen as visible
from symcook.published.turning import require_tables, rotary_said

MOST_WEIGHTS = 2_000_000
"""The greatest number of weights of an imported model."""
MOST_TOKENS = 2_000
"""The greatest number of tokens that are taken without being chosen."""


@dataclass(frozen=True)
class ImportChoices:
    """What a user says about a published model; None for what the files say. See `from_pretrained`."""

    format: str | None = None
    vocabulary: Sequence[str] | None = None
    symbols: Sequence[str] | None = None
    labels: Sequence[str] | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    heads: int | None = None
    norm: str | None = None
    activation: str | None = None
    mask: str | None = None
    epsilon: Exact | None = None
    rotary: Exact | None = None
    readout: str | None = None
    label: str | None = None
    position: str = "each"
    before: str | None = None
    after: str | None = None
    max_length: int | None = None
    name: str | None = None


@dataclass(frozen=True)
class Imported:
    """A model with what was read of it.

    `facts` are the numbers and words about it, `left_out` says what was not read, `coordinates` what the coordinates
    of the model hold, `files` which files were read.
    """

    model: Transformer
    facts: Mapping[str, Any]
    left_out: tuple[str, ...]
    coordinates: Mapping[str, str]
    files: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        """What was read, on one line."""
        f = self.facts
        plural = lambda count, what: f"{count:,} {what}{'s' * (count != 1)}"  # noqa: E731
        parts = [plural(f["layers"], "layer")]
        if f["heads"]:
            of = f" of {f['head_size']}" if f["head_size"] else ""
            parts.append(f"{plural(f['heads'], 'head')}{of}")
            parts += [f"{f['key_heads']} for keys and values"] * (f["key_heads"] != f["heads"])
        parts += [f"width {f['width']}", f"{f['hidden']} hidden units" + ", gated" * f["gated"]] * bool(f["layers"])
        parts.append(f"{f['norm']}" + f" {f['epsilon']}" * (f["norm"] != "no norms"))
        parts.append(str(f["activation"]))
        parts += ["parallel parts"] * f["parallel"]
        places = [f"positions up to {f['positions']}"] * bool(f["positions"]) + [f["turns"]] * bool(f["turns"])
        parts += places or ["no table of positions"]
        parts += ["tied"] * f["tied"]
        return f"{f['format']}: {', '.join(parts)}"

    def text(self) -> str:
        """All that is printed of an import."""
        f = self.facts
        rows = [self.line, f"  weights: {f['weights']:,}, each the exact fraction that its float is"]
        rows.append(f"  tokens: {f['tokens']:,} of {f['all_tokens']:,}; mask {f['mask']}; answer: {f['answer']}")
        rows += [f"  left out: {what}" for what in self.left_out]
        rows += [f"  {name}: {what}" for name, what in self.coordinates.items()]
        return "\n".join(rows)

    def to_json(self) -> dict[str, Any]:
        """The entries of the JSON document."""
        found = {key: str(value) if isinstance(value, Fraction) else value for key, value in self.facts.items()}
        return {
            **found,
            "left_out": list(self.left_out),
            "coordinates": dict(self.coordinates),
            "files": list(self.files),
        }


@door()
def from_pretrained(
    place: str | Path,
    *,
    format: str | None = None,
    vocabulary: Sequence[str] | None = None,
    symbols: Sequence[str] | None = None,
    labels: Sequence[str] | None = None,
    names: Mapping[str, str] | None = None,
    heads: int | None = None,
    norm: str | None = None,
    activation: str | None = None,
    mask: MaskWord | None = None,
    epsilon: Exact | None = None,
    rotary: Exact | None = None,
    readout: str | None = None,
    label: str | None = None,
    position: PositionWord = "each",
    before: str | None = None,
    after: str | None = None,
    max_length: int | None = None,
    name: str | None = None,
) -> Transformer:
    """The exact model of published weights: a folder of Hugging Face, or a file. No code in the files is run.

    Weights are read from safetensors, torch (.pt, .bin; with torch), npz and JSON; the settings from config.json or the
    checkpoint; the tokens from vocab.json, tokenizer.json, vocab.txt or meta.pkl. The formats are those of
    `from_state_dict`. You must give what the files do not say. With config.json, each weight of the architecture must
    be there, and no other one. `model.source` names what was read.

    Arguments:
        place: path. The folder or the file.
        format: str or None (None). The format of the weights, as in `from_state_dict`.
        vocabulary: list of str or None (None). All tokens, in the order of the embedding; by default those of the
            files, else "0", "1", ..
        symbols: list of str or None (None). The tokens that the model has; by default all, at most 2,000.
        labels: list of str or None (None). The outputs to keep, as a list of tokens; or a name for each output, where
            outputs are not tokens. By default the symbols.
        names: {name in the file: name in the format} or None (None). Names of weights that differ.
        heads: int or None (None). The number of heads.
        norm: str or None (None). "pre", "post" or "none".
        activation: str or None (None). As in `FeedForward`.
        mask: str or None (None). The mask of every head; causal for decoders.
        epsilon: exact or None (None). The epsilon of the norms; 1/100000 where no settings say it.
        rotary: exact, "none" or None (None). The base of rotary positions, as in `from_state_dict`.
        readout: str or None (None). As in `from_state_dict`.
        label: str or None (None). As in `from_state_dict`.
        position: str ("each"). As in `from_state_dict`.
        before: str or None (None). A token before every input, as in `from_state_dict`.
        after: str or None (None). A token after every input.
        max_length: int or None (None). Positions after this one are left out.
        name: str or None (None). The name of the model; by default that of the folder or file.

    Returns: Transformer, of at most 2,000,000 weights.

    Raises: BadInput: an unknown architecture or format, a weight whose shape does not fit, a part that symcook does not
    support; the message has the key of the weight or setting.

    Example:

    >>> import json, pathlib, tempfile, symcook as sc
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     weights = {"embedding.weight": [[1, 0], [0, 1]], "output.weight": [[0, 1], [1, 0]]}
    ...     file = pathlib.Path(folder) / "swap.json"
    ...     _ = file.write_text(json.dumps(weights))
    ...     sc.from_pretrained(file, vocabulary=["a", "b"]).run("ab").outputs
    ['b', 'a']

    Source: Cookbook, Section 2.2.
    """
    choices = ImportChoices(
        format, vocabulary, symbols, labels, names or {}, heads, norm, activation, mask, epsilon, rotary, readout,
        label, position, before, after, max_length, name,
    )  # fmt: skip
    return read_files(Path(place), choices).model


@door()
def from_hooked(
    model: object,
    *,
    vocabulary: Sequence[str] | None = None,
    symbols: Sequence[str] | None = None,
    labels: Sequence[str] | None = None,
    readout: str | None = None,
    label: str | None = None,
    position: PositionWord = "each",
    before: str | None = None,
    after: str | None = None,
    max_length: int | None = None,
    name: str | None = None,
) -> Transformer:
    """The exact model of a HookedTransformer of TransformerLens, or of a TransformerBridge made by boot_native.

    Everything about the model is read from `model.cfg`, and the tokens from its tokenizer, if there is one.

    Arguments:
        model: HookedTransformer or TransformerBridge. The model.
        vocabulary: list of str or None (None). As in `from_pretrained`.
        symbols: list of str or None (None). As in `from_pretrained`.
        labels: list of str or None (None). As in `from_pretrained`.
        readout: str or None (None). As in `from_state_dict`.
        label: str or None (None). As in `from_state_dict`.
        position: str ("each"). As in `from_state_dict`.
        before: str or None (None). As in `from_pretrained`.
        after: str or None (None). As in `from_pretrained`.
        max_length: int or None (None). As in `from_pretrained`.
        name: str or None (None). The name of the model.

    Returns: Transformer.

    Raises: BadInput: an object without state_dict and cfg, a setting or a weight that is not read.

    Example:

    >>> class Model:  # what is asked of a model of TransformerLens
    ...     cfg = {"d_model": 2, "n_ctx": 4, "n_layers": 0, "normalization_type": None}
    ...     def state_dict(self):
    ...         embedding, output = [[1, 0], [0, 1]], [[0, 1], [1, 0]]
    ...         return {"embed.W_E": embedding, "unembed.W_U": output, "unembed.b_U": [0, 0]}
    >>> from_hooked(Model(), vocabulary="ab").run("ab").outputs
    ['b', 'a']

    Source: Cookbook, Section 2.2.
    """
    state, config = _state_of(model), getattr(model, "cfg", None)
    settings = settings_of(config)
    if settings is None or "d_model" not in settings:
        raise BadInput(
            "a model of TransformerLens must have the attribute cfg, its settings",
            type(model).__name__,
            "give modules of other libraries to from_module",
        )
    tokenizer: Any = getattr(model, "tokenizer", None)
    if vocabulary is None and hasattr(tokenizer, "get_vocab"):
        table = tokenizer.get_vocab()
        vocabulary = visible(listed(table, "the tokenizer"), "the tokenizer")
    choices = ImportChoices(
        vocabulary=vocabulary, symbols=symbols, labels=labels, readout=readout, label=label, position=position,
        before=before, after=after, max_length=max_length, name=name or "hooked",
    )  # fmt: skip
    return read_weights(state, settings, choices).model


@door()
def from_module(
    module: object,
    *,
    vocabulary: Sequence[str] | None = None,
    symbols: Sequence[str] | None = None,
    labels: Sequence[str] | None = None,
    names: Mapping[str, str] | None = None,
    mask: MaskWord | None = None,
    activation: str | None = None,
    readout: str | None = None,
    label: str | None = None,
    position: PositionWord = "each",
    before: str | None = None,
    after: str | None = None,
    max_length: int | None = None,
    name: str | None = None,
) -> Transformer:
    """The exact model of a module of torch: one of Hugging Face, minGPT or nanoGPT, of TransformerLens, or your own
    around torch.nn.TransformerEncoder.

    The settings are read from `module.config`, or from the encoder's layers. In a module of your own, symcook takes the
    only torch.nn.Embedding as the embedding, and the only torch.nn.Linear outside the encoder as the output. If there
    are several, name them in `names`. An encoder gets its mask at each call, so give `mask`. The code of `forward` is
    not read: it must do no more than the modules say.

    Arguments:
        module: torch.nn.Module. The module.
        vocabulary: list of str or None (None). As in `from_pretrained`.
        symbols: list of str or None (None). As in `from_pretrained`.
        labels: list of str or None (None). As in `from_pretrained`.
        names: {name in the module: name in the format} or None (None). Names of weights that differ.
        mask: str or None (None). The mask of every head; causal for decoders.
        activation: str or None (None). The activation, if the module does not name it.
        readout: str or None (None). As in `from_state_dict`.
        label: str or None (None). As in `from_state_dict`.
        position: str ("each"). As in `from_state_dict`.
        before: str or None (None). As in `from_pretrained`.
        after: str or None (None). As in `from_pretrained`.
        max_length: int or None (None). As in `from_pretrained`.
        name: str or None (None). The name of the model; by default that of the module's class.

    Returns: Transformer.

    Raises: BadInput: an object without state_dict, a setting or a weight that is not read.

    Example:

    >>> class Module:  # what is asked of a module of torch
    ...     def state_dict(self):
    ...         return {"embedding.weight": [[1, 0], [0, 1]], "output.weight": [[0, 1], [1, 0]]}
    ...     def modules(self):
    ...         return [self]
    >>> from_module(Module(), vocabulary="ab").run("ab").outputs
    ['b', 'a']

    Source: Cookbook, Section 2.2.
    """
    state, settings = _state_of(module), settings_of(getattr(module, "config", None))
    if settings is not None:  # the module's own class says more than its config, which may be that of a file
        known = {name for pair in CLASSES.values() for name in pair}
        own = [one.__name__ for one in type(module).__mro__ if one.__name__ in known]
        settings |= {"architectures": own[:1]} if own else {}
    found = settings_of(getattr(module, "cfg", None))
    if settings is None and found is not None and "d_model" in found:
        settings = found
    said, renamed = _read_modules(module) if settings is None else ({}, {})
    if said and mask is None:
        raise BadInput("mask must be given, since an encoder gets its mask at each call", "none", 'write mask="causal"')
    inner: Callable[[], Any] | None = getattr(module, "modules", None)
    kinds = {_activation(part) for part in (inner() if callable(inner) else ())} - {None}
    if activation is not None and len(kinds) == 1 and {activation} != kinds:
        raise BadInput(
            f"activation must agree with the module, {min(map(str, kinds))}", activation, "leave activation out"
        )
    choices = ImportChoices(
        vocabulary=vocabulary, symbols=symbols, labels=labels, names={**renamed, **(names or {})}, mask=mask,
        activation=activation or (kinds.pop() if len(kinds) == 1 and not (settings or {}).get("model_type") else None),
        readout=readout, label=label, position=position, before=before, after=after, max_length=max_length,
        name=name or type(module).__name__.lower(), heads=said.get("heads"), norm=said.get("norm"),
        epsilon=said.get("epsilon"),
    )  # fmt: skip
    return read_weights(state, settings, choices).model


def _state_of(model: object) -> dict[str, Any]:
    """The state dict of a module; BadInput for an object without one."""
    get: Callable[[], Any] | None = getattr(model, "state_dict", None)
    if not callable(get):
        raise BadInput("a module must have state_dict()", type(model).__name__, "give a state dict to from_state_dict")
    return {str(key): value for key, value in dict(get()).items()}


def settings_of(config: object) -> dict[str, Any] | None:
    """The settings in an object: a mapping, one with to_dict(), or one with attributes; None where there are none."""
    if config is None:
        return None
    to_dict = getattr(config, "to_dict", None)
    table: Any = to_dict() if callable(to_dict) else config if isinstance(config, Mapping) else vars(config)
    return {str(key): value for key, value in table.items() if not str(key).startswith("__")}


def _activation(part: object) -> str | None:
    """The activation that a module is, as it is called here; None for any other module."""
    match type(part).__name__:
        case "GELU":
            return "gelu-tanh" if getattr(part, "approximate", "none") == "tanh" else "gelu"
        case "NewGELU" | "NewGELUActivation":
            return "gelu-tanh"
        case "ReLU":
            return "relu"
        case "SiLU":
            return "silu"
        case "TransformerEncoderLayer":
            return getattr(getattr(part, "activation", None), "__name__", None)
    return None


WITHOUT_WEIGHTS = ("Dropout", "Identity", "ModuleDict", "ModuleList", "Sequential")
"""Modules of torch without weights that change no output; losses are others."""


def _require_plain(parts: Sequence[tuple[str, Any]], layers: Sequence[Any]) -> None:
    """Raise BadInput where a module around encoder layers computes what its weights do not show.

    Arguments:
        parts: (name, module) pairs, the whole module first.
        layers: the encoder layers among them.
    """
    do = "take it out, or give from_state_dict the weights if the outputs do not depend on it"
    for name, part in parts[1:]:
        kind = type(part).__name__
        if ".layers." not in f".{name}" and not (
            kind in WITHOUT_WEIGHTS or kind.endswith("Loss") or any(True for _ in part.parameters())
        ):
            must = "a module around an encoder must have weights, which are read, or change nothing"
            raise BadInput(must, f"{name}, a {kind}", do)
        if getattr(part, "max_norm", None) is not None:
            raise BadInput("an embedding must have no max_norm, which is not read", f"{name} with {part.max_norm}", do)
    if any(layer.self_attn.add_zero_attn for layer in layers):
        raise BadInput("attention must be without add_zero_attn to be read", "True", do)
    activations = {_activation(layer) or _activation(layer.activation) for layer in layers}
    if len(activations) > 1:
        must, given = "all layers of an encoder must have the same activation", ", ".join(sorted(map(str, activations)))
        raise BadInput(must, given, "give from_state_dict an encoder whose layers are alike")


def _read_modules(module: object) -> tuple[dict[str, Any], dict[str, str]]:
    """What the layers of torch.nn.TransformerEncoder in a module say, and the names of its embedding and output."""
    named: Callable[[], Any] | None = getattr(module, "named_modules", None)
    parts = list(named()) if callable(named) else []
    layers = [part for _, part in parts if type(part).__name__ == "TransformerEncoderLayer"]
    if not layers:
        return {}, {}
    said = {(x.self_attn.num_heads, "pre" if x.norm_first else "post", x.norm1.eps, x.norm2.eps) for x in layers}
    finals = {part.eps for name, part in parts if type(part).__name__ == "LayerNorm" and ".layers." not in f".{name}"}
    heads, norm, epsilon, _ = next(iter(said))
    _require_plain(parts, layers)
    if len(said) > 1 or {epsilon} != {e for *_, a, b in said for e in (a, b)} | finals | {epsilon}:
        raise BadInput(
            "all layers of an encoder must have the same number of heads, norms and epsilon",
            "; ".join(f"{heads} heads, {norm}, epsilon {a} and {b}" for heads, norm, a, b in sorted(said)),
            "give from_state_dict an encoder whose layers are alike",
        )
    renamed = {}
    for kind, name in (("Embedding", "embedding"), ("Linear", "output")):
        outside = [n for n, part in parts if type(part).__name__ == kind and ".layers." not in f".{n}"]
        if len(outside) == 1 and outside[0] != name:
            renamed |= {f"{outside[0]}.{x}": f"{name}.{x}" for x in ("weight", "bias")}
    for place in {name.rpartition("layers.0")[0] for name, _ in parts if name.endswith("layers.0")} - {""}:
        renamed |= {f"{place}norm.{x}": f"norm.{x}" for x in ("weight", "bias")}
        renamed |= {f"{place}layers.": "layers."}
    return {"heads": heads, "norm": norm, "epsilon": Fraction(str(epsilon))}, renamed


def read_files(place: Path, choices: ImportChoices) -> Imported:
    """The model in a folder or a file, with what was read."""
    found = stored(place)
    files = [str(file) for file in found.files]
    if choices.vocabulary is None:
        tokens = tokens_of(place if place.is_dir() else place.parent)
        if tokens is not None:
            choices = ImportChoices(**{**vars(choices), "vocabulary": tokens[0]})
            files.append(str(tokens[1]))
    name = choices.name or re.sub(r"[^\w.-]+", "-", place.resolve().stem).strip("-.") or "imported"
    imported = read_weights(found.state, found.settings, ImportChoices(**{**vars(choices), "name": name}), files)
    return replace(imported, left_out=(*imported.left_out, *found.left_out))


def read_weights(
    state: Mapping[str, Any], settings: Mapping[str, Any] | None, choices: ImportChoices, files: Sequence[str] = ()
) -> Imported:
    """The model of weights and settings, with what was read. `files` are named in the answer."""
    given = arrays(_renamed(state, choices.names))
    require_known("format", choices.format or TORCH, WORDS)
    # The settings say the format where they know the architecture; else the keys do.
    architecture, facts, inner = None, dict[str, Any](), dict[str, Any]()
    if settings is not None:
        architecture, inner = architecture_of(settings, choices.format)
        facts = facts_of(architecture, inner)
        if choices.readout is None and headless(architecture, inner):
            choices = replace(choices, readout="stream")
    stream = choices.readout == "stream"
    if stream:
        facts["tied"] = False
    if settings is not None:
        given = as_llama(architecture, given, facts)
    word = _format(given, architecture, choices.format)
    if architecture is None:
        require_settings(word)
    else:
        require_native(word, inner)
    found = _converted(given, word, facts, choices)
    for name, value in (("heads", choices.heads), ("norm", choices.norm), ("activation", choices.activation),
                        ("mask", choices.mask), ("epsilon", choices.epsilon)):  # fmt: skip
        if value is not None:
            if name in facts and name != "epsilon" and facts[name] not in (value, shown_word(str(value))):
                raise BadInput(
                    f"{name} must agree with the model's settings, {facts[name]}", value, f"leave {name} out"
                )
            facts[name] = value
    require_words(word, choices.norm, choices.activation)
    facts = {**found.facts, **facts}
    if word != "torch":
        if "norm" not in facts and any(".norm1." in key for key in found.state):
            facts["norm"] = "pre"
        add_final_norm(found, facts.get("norm"))
    facts["rotary"] = rotary_said(word, choices.rotary, facts)
    require_tables(facts["rotary"], found.turns, found.head_size(facts.get("heads")))
    chosen = _Chosen(found, facts, choices, architecture or word)
    require_complete(architecture, word, found.names, inner, facts, stream, choices.rotary)
    require_read(choices, found.state, facts)
    return chosen.imported(files)


def require_read(choices: ImportChoices, state: Collection[str], facts: Mapping[str, Any]) -> None:
    """Raise BadInput for a choice about layers or norms, where the weights `state` have none."""
    layers = any("layers." in key for key in state)
    normed = any("norm" in key for key in state) or (layers and facts.get("norm", "none") != "none")
    rotary, norm = (None if value == "none" else value for value in (choices.rotary, choices.norm))
    of_layers = {"heads": choices.heads, "activation": choices.activation, "mask": choices.mask, "rotary": rotary}
    of_norms = {"norm": norm, "epsilon": choices.epsilon}
    for parts, has_parts, chosen in (("layers", layers, of_layers), ("norms", normed, of_norms)):
        for name, value in chosen.items():
            if value is not None and not has_parts:
                must = f"{name} must be given only for weights with {parts}"
                raise BadInput(must, f"{value}, for weights without {parts}", f"leave {name} out")


def _renamed(state: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """The weights with other names. A name that ends in a dot stands for all that begin so."""
    found = {}
    for key, value in state.items():
        whole = names.get(key)
        start = next((name for name in names if name.endswith(".") and key.startswith(name)), None)
        new = whole if whole is not None else key if start is None else names[start] + key.removeprefix(start)
        if new in found:
            raise BadInput(
                "each weight must be given only once",
                f"{key}, whose name in the format, {new}, is that of another weight too",
                "name each once in names",
            )
        found[new] = value
    return found


def _format(state: Mapping[str, Any], architecture: str | None, word: str | None) -> str:
    """The word for the format of some weights; BadInput where the settings are of another one."""
    from symcook.published.configs import CONFIGS

    wanted = CONFIGS[architecture].format if architecture in CONFIGS else None
    if wanted is not None and word in (None, wanted):
        from symcook.published.formats import format_of

        keys = format_of({key: array.shape for key, array in state.items()})
        if keys != wanted:
            must = (
                f"the weights must have the names of {FORMATS[wanted].title}, since the settings are of {architecture}"
            )
            raise BadInput(must, seen(state), "give other settings, or weights with these names")
        return wanted
    found = recognised(state, word)
    if found is None:
        if not any(key == "embedding.weight" or key.endswith("self_attn.in_proj_weight") for key in state):
            do = 'name your weights so, or write names={"theirs": "ours"}'
            raise BadInput(f"the weights must have {READ}", seen(state), do)
        return TORCH
    return found


def _converted(given: dict[str, Any], word: str, facts: Mapping[str, Any], choices: ImportChoices) -> Converted:
    """The weights under our names. Facts of the settings that the format knows better are those of the settings."""
    if word == TORCH:
        for key, array in given.items():
            require_numbers(key, array)
        return Converted(TORCH, given, {})
    heads = choices.heads if choices.heads is not None else facts.get("heads")
    kind = facts.get("kind")
    return convert(given, word, heads, kind, facts.get("tied"))


class _Chosen:
    """The tokens, outputs and positions that are kept, and the model of these."""

    def __init__(self, found: Converted, facts: dict[str, Any], choices: ImportChoices, format: str) -> None:
        import numpy as np

        self.np, self.choices, self.facts, self.format = np, choices, facts, format
        self.state, self.left_out = dict(found.state), list(found.left_out)
        prefix = next(
            (key.removesuffix("embedding.weight") for key in self.state if key.endswith("embedding.weight")), ""
        )
        self.embedding, self.outputs = f"{prefix}embedding.weight", "output.weight"
        if self.embedding not in self.state:
            raise BadInput(
                "the weights must have an embedding",
                seen(self.state),
                'name it with names={"theirs": "embedding.weight"}',
            )
        self.all_tokens, self.d = self.state[self.embedding].shape
        self.require_sizes(found.sizes)
        self.require_biases(found.names)

    def require_sizes(self, shapes: Mapping[str, int]) -> None:
        """Raise BadInput where the settings speak of another number of layers, coordinates or tokens, or of other sizes
        of heads and hidden units; `shapes` are the sizes of the weights by the letters of `symcook.published.formats`.
        """
        numbers = {int(m[1]) for key in self.state if (m := re.search(r"layers\.(\d+)\.", key))}
        self.layers = len(numbers)
        sizes = {"layers": self.layers, "width": self.d, "tokens": self.all_tokens}
        if "positions.weight" in self.state:
            sizes["positions"] = len(self.state["positions.weight"])
        # The heads together have so many rows of queries, and of keys.
        heads, wide, shared = self.facts.get("heads"), shapes.get("a"), shapes.get("g")
        if heads and wide is not None:
            sizes["size"] = wide // heads
            if shared is not None and wide >= heads:
                sizes["key heads"] = shared // sizes["size"]
        sizes |= {name: shapes[letter] for name, letter in (("size", "s"), ("key heads", "G")) if letter in shapes}
        # A layer that has no mlp was given one as lists.
        networks = [v for k, v in self.state.items() if k.endswith("linear1.weight") and hasattr(v, "ndim")]
        found = [*sizes.items(), *(("hidden", len(v)) for v in networks)]
        words = {"size": "dimensions of a head", "hidden": "hidden units", "key heads": "heads of keys and values"}
        for name, size in found:
            if self.facts.get(name, size) != size:
                what, wanted = words.get(name, name), self.facts[name]
                must = f"the weights must have as many {what} as the settings say, {wanted:,}"
                raise BadInput(must, f"{size:,}", "give the config.json of these weights")

    def require_biases(self, names: Collection[str]) -> None:
        """Raise BadInput where the settings say that parts have biases, and the weights are without, or the reverse;
        `names` are those of all weights."""
        ends = {
            "attention biases": ("q.bias", "k.bias", "v.bias", "o.bias"),
            "mlp biases": ("linear1.bias", "linear2.bias", "gate.bias"),
            "biases": (".bias",),
        }
        for fact, some in ends.items():
            present_here = any(name.startswith("layers.") and name.endswith(some) for name in names)
            if self.layers and self.facts.get(fact, present_here) != present_here:
                setting = {"attention biases": "attention_bias", "mlp biases": "mlp_bias", "biases": "bias"}[fact]
                must = f"the layers must have the biases that the setting {setting} = {not present_here} speaks of"
                raise BadInput(must, "weights with biases" if present_here else "weights without biases",
                               "give the config.json of these weights")  # fmt: skip

    def tokens(self) -> list[str]:
        """All tokens, in the order of the embedding: those that are given, else the numbers."""
        given = self.choices.vocabulary
        tokens = [str(k) for k in range(self.all_tokens)] if given is None else list(given)
        if given is not None and len(tokens) < self.all_tokens and self.choices.symbols is not None:
            tokens += [f"<unused-{k}>" for k in range(len(tokens), self.all_tokens)]
        if len(tokens) != self.all_tokens:
            raise BadInput(
                f"the vocabulary must have a token for each row of the embedding, {self.all_tokens:,}",
                f"{len(tokens):,} tokens",
                "give all tokens in the order of the embedding",
            )
        return tokens

    def keep(self) -> tuple[list[str], list[str] | None]:
        """Keep the rows of the chosen tokens and outputs; return the tokens and the labels."""
        tokens, chosen = self.tokens(), self.choices.symbols
        if chosen is None and len(tokens) > MOST_TOKENS:
            must = f"the tokens that are used must be chosen where there are more than {MOST_TOKENS:,}"
            raise BadInput(must, f"{len(tokens):,}", "give them with --symbols 'a b c'")
        kept = tokens if chosen is None else [*chosen]
        added = [t for t in (self.choices.before, self.choices.after) if t is not None and t not in kept]
        kept = [*kept, *added] if chosen is not None else kept
        rows = [self.number(tokens, token) for token in kept]
        outputs, bias = self.state.get(self.outputs), self.state.get("output.bias")
        labels = self.choices.labels
        if outputs is not None:
            names = None if len(outputs) != len(tokens) else tokens
            if labels is None and names is not None and chosen is not None:
                labels = list(chosen)
            if labels is not None and names is not None and set(labels) <= set(names):
                if len(labels) == len(names) and list(labels) not in ([*names], [*(chosen or ())]):
                    must = "labels must be the tokens in their order, some of them, or names that are not tokens"
                    do = "leave them out if each output is of its token"
                    raise BadInput(must, "all tokens in another order, which may name the outputs anew", do)
                picked = [self.number(tokens, one) for one in labels]
                self.state[self.outputs] = outputs[picked]
                if bias is not None:
                    self.state["output.bias"] = self.np.asarray(bias)[picked]
                if len(picked) < len(outputs):
                    self.left_out.append(f"outputs for {len(outputs) - len(picked):,} of {len(outputs):,} tokens")
            elif labels is None and names is None:
                labels = [str(k) for k in range(len(outputs))]
            elif labels is not None and names is not None:
                for label, token in zip(labels, names, strict=False):  # the readout refuses too few and too many
                    if label != token and label in names:
                        must = "a label that is a token must name the output of this token"
                        do = "give some of the tokens, or a name that is no token for each output"
                        raise BadInput(must, f"{label}, for the output of {token}", do)
        if chosen is not None:
            self.state[self.embedding] = self.state[self.embedding][rows]
            if len(rows) < len(tokens):
                self.left_out.append(f"{len(tokens) - len(rows):,} of {len(tokens):,} tokens as inputs")
        return kept, None if labels is None else list(labels)

    def number(self, tokens: Sequence[str], token: str) -> int:
        """The number of a token; BadInput for one that the vocabulary does not have."""
        table = self.places = getattr(self, "places", None) or {token: k for k, token in enumerate(tokens)}
        if token not in table:
            raise unknown("token of the vocabulary", token, list(tokens)[:5000])
        return table[token]

    def cut(self) -> None:
        """Leave out the positions after the maximum length."""
        longest, table = self.choices.max_length, self.state.get("positions.weight")
        if longest is None:
            return
        if longest < 1:
            raise BadInput("the maximum length must be at least 1", longest, "give for example max_length=16")
        if table is not None and longest > len(table):
            must = f"the maximum length must be at most {len(table):,}, the number of positions"
            raise BadInput(must, longest, "leave the maximum length out")
        if table is not None and longest < len(table):
            self.left_out.append(f"positions {longest + 1} to {len(table):,}")
            self.state["positions.weight"] = table[:longest]

    def imported(self, files: Iterable[str]) -> Imported:
        """The imported model, with the report on what was read and what was left out."""
        tokens, labels = self.keep()
        self.cut()
        count = sum(self.np.asarray(value).size for value in self.state.values())
        if self.facts.get("tied") and self.outputs in self.state and self.choices.labels is None:
            count -= self.np.asarray(self.state[self.outputs]).size  # those of the embedding
        if count > MOST_WEIGHTS:
            must = f"a model must have at most {MOST_WEIGHTS:,} weights to be read exactly"
            raise BadInput(
                must, f"{count:,}", "choose fewer tokens with --symbols, or fewer positions with --max-length"
            )
        c, f = self.choices, self.facts
        ends = (c.readout, c.label, c.position, c.before, c.after)
        model = assembled(
            self.state, TORCH if self.format == TORCH else self.format, f, tokens, labels, c.name or "imported", ends
        )
        facts = self.described(model, tokens, count)
        source = Imported(model, facts, (), {}).line
        # Up to its length, a sliding window leaves out no position that a causal mask shows.
        window, longest = f.get("window"), model.max_length
        if window is not None and (longest is None or longest > window):
            self.left_out.append(f"inputs of more than {window:,} tokens, where the sliding window begins to move")
            model = replace(model, max_length=window)
        # Without a table of positions, which is cut, the maximum length is one of the model alone.
        longest, wanted = model.max_length, c.max_length
        if wanted is not None and (longest is None or longest > wanted):
            self.left_out.append(f"inputs of more than {wanted:,} tokens")
            model = replace(model, max_length=wanted)
        model = replace(model, source=f"{source}; {model.source}")
        return Imported(model, facts, tuple(self.left_out), self.coordinates(model), tuple(files))

    def described(self, model: Transformer, tokens: Sequence[str], count: int) -> dict[str, Any]:
        """The numbers and words about the model."""
        state, f = self.state, self.facts
        inward = next((v for k, v in state.items() if k.endswith("self_attn.in_proj_weight")), None)
        hidden = next((len(v) for k, v in state.items() if k.endswith("linear1.weight")), 0)
        heads = f.get("heads") or (1 if inward is not None else 0)
        norm = {"pre": "before parts", "post": "after parts"}.get(str(f.get("norm", "none")))
        kind = "RMS norm" if f.get("kind") == "rms" else "layer norm"
        epsilon = f.get("epsilon", "1/100000")
        output = state.get(self.outputs)
        return {
            "format": self.format, "layers": self.layers, "heads": heads,
            "head_size": len(inward) // 3 // heads if inward is not None else 0,
            "key_heads": f.get("key heads", heads), "width": self.d, "hidden": hidden,
            "gated": any(".gate." in key for key in state),
            "norm": f"{kind} {norm}" if norm else "no norms", "epsilon": _decimal(epsilon),
            "activation": f.get("activation", "no activation"), "positions": len(state.get("positions.weight", ())),
            "tied": output is not None and bool(f.get("tied")), "weights": count, "tokens": len(tokens),
            "parallel": bool(f.get("parallel")), "turns": self.turns(),
            "all_tokens": self.all_tokens, "mask": shown_word(str(f.get("mask", "causal"))),
            "answer": self.answer(),
        }  # fmt: skip

    def turns(self) -> str:
        """How scores depend on positions, in words; empty where they do not."""
        normed = "queries and keys normed" * any(key.endswith("q_norm.weight") for key in self.state)
        words = "ALiBi" if self.facts.get("alibi") else str(self.facts.get("rotary") or "")
        return ", ".join(part for part in (words, normed) if part)

    def answer(self) -> str:
        """The answer of the model in words."""
        if self.outputs not in self.state:
            return "the residual stream"
        match self.choices.readout:
            case "positive":
                return "which outputs are above 0"
            case "leads":
                return f"whether {self.choices.label} has the largest output"
        return "the label of the largest output"

    def coordinates(self, model: Transformer) -> dict[str, str]:
        """What the coordinates of the model hold, by their names."""
        names = model.space.names
        found = {f"x0 to x{self.d - 1}": f"the residual stream, of {self.d} coordinates"}
        if "one" in names:
            found["one"] = "1 at every position, for the bias of the output"
        if self.facts.get("parallel"):
            found[f"x0_0 to x{self.d - 1}_{self.layers - 1}"] = "what attention adds, layer by layer"
        for name in "yz":
            if f"{name}{self.d - 1}" in names:
                found[f"{name}0 to {name}{self.d - 1}"] = "the residual stream after the final norm"
        return found


def _decimal(epsilon: object) -> str:
    """An epsilon as published models write it, where it is a power of ten."""
    number = Fraction(str(epsilon)) if not isinstance(epsilon, Fraction) else epsilon
    text = f"{float(number):g}"
    return text if Fraction(text) == number else str(number)
