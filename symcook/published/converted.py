"""Weights of a format of `symcook.published.formats` under the names that `symcook.compose.states` reads.

Each weight is looked up in the table of its format, its shape is compared with that of the table, and its numbers are
put into the order of torch.nn.TransformerEncoder. Messages have the names that were given.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from symcook.errors import BadInput, require_known, unknown
from symcook.published.formats import (
    FORMATS,
    LAYER,
    WeightFormat,
    WeightRow,
    bare,
    format_of,
    name_in_format,
    pattern,
    targets,
)

LOW = -1000
"""The greatest score of what a mask hides: in floats nothing of it comes through. GPT-2 has -10000."""
MATRICES = ("q.weight", "k.weight", "v.weight", "o.weight")
"""What every layer must have."""


@dataclass
class Converted:
    """Weights under the names of `symcook.compose.states`, and what was found about them.

    `facts` has the number of heads where the shapes say it, the norm where the keys say it, and what the format says.
    `left_out` says in words what was not read. `sizes` are those of the shapes by their letters (`formats`), `names`
    the weights that were given, by our names, and `turns` the stored tables of rotary positions, by their keys.
    """

    word: str
    state: dict[str, Any]
    facts: dict[str, Any]
    left_out: list[str] = field(default_factory=list)
    sizes: Mapping[str, int] = field(default_factory=dict)
    names: Collection[str] = ()
    turns: Mapping[str, Any] = field(default_factory=dict)

    def head_size(self, heads: int | None) -> int | None:
        """The number of key dimensions of a head; None where neither the shapes nor `heads` say it."""
        return self.sizes.get("s") or (self.sizes["a"] // heads if heads and "a" in self.sizes else None)


def arrays(state: Mapping[str, object]) -> dict[str, Any]:
    """The weights as arrays of numpy; lists become arrays of objects. BadInput, with the key, for a list that is no
    rectangle."""
    import numpy as np

    found = {}
    for key, value in state.items():
        given: Any = value
        if hasattr(given, "detach"):  # a tensor; numpy has no bfloat16, all of whose numbers float32 has
            given = given.detach().cpu()
            given = (given.float() if "bfloat16" in str(given.dtype) else given).numpy()
        elif not isinstance(given, np.ndarray):
            try:
                given = np.array(given, dtype=object)
            except ValueError:
                given = np.array([[]])
            if any(isinstance(entry, (list, tuple)) for entry in given.ravel()) or given.shape == (1, 0):
                raise BadInput(
                    f"{key} must be a matrix or a vector of numbers",
                    "rows of different lengths",
                    "give rows of equal length",
                )
        found[str(key)] = given
    return found


def require_numbers(key: str, array: Any) -> None:
    """Raise BadInput, with the key, where an entry is no finite number."""
    import numpy as np

    if array.dtype.kind == "f" and array.dtype.itemsize <= 8:  # wider floats have numbers that float64 has not
        wrong = array[~np.isfinite(array)]
        if wrong.size:
            raise BadInput(f"every entry of {key} must be a finite number", wrong.ravel()[0], "repair the weight")
    elif array.dtype.kind not in "iu":
        for entry in array.ravel().tolist():
            if not isinstance(entry, (int, float, Fraction)) or isinstance(entry, bool) or entry - entry != 0:
                raise BadInput(f"every entry of {key} must be a finite number", repr(entry), "repair the weight")


def require_settings(word: str) -> None:
    """Raise BadInput for weights alone, where their format is read with settings only."""
    if word in FORMATS and FORMATS[word].settings:
        must = f"weights of {FORMATS[word].title} need their settings, which say how many dimensions of a head rotate"
        raise BadInput(must, "weights alone", "give the folder with config.json, or the module to from_module")


def require_words(word: str, norm: str | None, activation: str | None) -> None:
    """Raise BadInput where a user says another norm or activation than the models of a format have."""
    if word not in FORMATS:
        return
    facts = FORMATS[word].facts
    if norm is not None:
        require_known(f"norm of the format {word}", norm, (facts["norm"],) if "norm" in facts else ("none", "pre"))
    if activation is not None and "activation" in facts:
        require_known(f"activation of the format {word}", activation, (facts["activation"],))


def recognised(state: Mapping[str, Any], word: str | None) -> str | None:
    """The word for the format of some weights: `word` where it is given, else what their keys say; None for the names
    of torch. BadInput where other libraries use the same names for something else."""
    if word is not None:
        return word
    found = format_of({key: array.shape for key, array in state.items()})
    if found is not None and (others := FORMATS[found].others):
        must = f"the format must be given, since {others} have the names of {FORMATS[found].title} too"
        raise BadInput(
            must, "none", f'write format="{found}" if that is what it is, or give the folder with config.json'
        )
    return found


def convert(
    state: Mapping[str, object], word: str, heads: int | None, kind: str | None = None, tied: bool | None = None
) -> Converted:
    """The weights of the format `word` under our names.

    Arguments:
        state: {key: tensor, array or nested list}.
        word: the word for the format.
        heads: the number of heads, where the caller knows it; else it is that of the shapes, or stays open.
        kind: "layer" or "rms" where the caller knows which norms these are.
        tied: whether the output has the weights of the embedding, where the caller knows it.

    Raises BadInput, with the key, for a weight that the format does not have, that no model here has, or whose shape
    does not fit.
    """
    import numpy as np

    one = FORMATS[word]
    table = _Table(one, arrays(state), heads)
    said = {"kind": kind, "tied": tied}
    facts = dict(one.facts) | {name: value for name, value in said.items() if value is not None}
    if table.turned:
        facts["turned"] = next(iter(table.turned))
    if one.turns is not None:
        facts["turns"] = dict(one.turns)
    if one.rounded:
        table.left_out.append(one.rounded)
    if "H" in table.sizes:
        facts["heads"] = table.sizes["H"]
    elif heads is not None:
        facts["heads"] = heads
    if not any(".linear1." in name for name in table.found):  # `plain` gives each layer an mlp that adds 0
        facts.setdefault("activation", "relu")
    state = table.plain(facts, tied)
    if facts.get("tied") and tied is None:  # the format alone says so, and an output of its own may be given
        facts["tied"] = np.array_equal(state["output.weight"], state["embedding.weight"])
    return Converted(word, state, facts, table.left_out, table.sizes, frozenset(table.found), table.turned)


def add_final_norm(found: Converted, norm: str | None) -> None:
    """Give a model whose norms have no weights the one at the end, where its format has it: its gains are 1. Where the
    norms of layers have weights, the one at the end has them too, or there is none."""
    weighted = any(".norm1." in key or ".norm2." in key for key in found.state)
    if FORMATS[found.word].final and norm == "pre" and "norm.weight" not in found.state and not weighted:
        d = len(found.state["embedding.weight"][0])
        found.state["norm.weight"] = [1] * d
        if found.facts.get("kind") != "rms":
            found.state["norm.bias"] = [0] * d


class _Table:
    """Reads weights by the table of a format. `sizes` has the sizes of shapes by their letters, `found` the weights by
    our names, each with the key that was given."""

    def __init__(self, one: WeightFormat, state: Mapping[str, Any], heads: int | None) -> None:
        self.format, self.sizes, self.left_out = one, dict[str, int](), list[str]()
        self.found: dict[str, tuple[str, Any]] = {}
        self.heads, self.turned = heads, dict[str, Any]()
        turned = [pattern(name) for name in one.turned]
        rows = [(pattern(name), row) for name, row in one.rows.items()]
        hidden = [pattern(name) for name in one.hidden]
        masks, refused = [pattern(name) for name in one.masks], [(pattern(n), why) for n, why in one.refused.items()]
        names = bare(state, one.prefixes)
        # The embedding first: it gives the number of coordinates, with which all other shapes are compared.
        for key in sorted(state, key=lambda key: (not names[key].startswith(("wte", "embed")), key)):
            name, array = names[key], state[key]
            if (match := _first(rows, name)) is not None:
                self.put(key, array, *match)
            elif any(mask.fullmatch(name) for mask in masks):
                _require_causal(key, array)
                self.left_out.append(f"{key}, the causal mask")
            elif any(rotary.fullmatch(name) for rotary in turned):
                require_numbers(key, array)
                self.turned[key] = array
                self.left_out.append(f"{key}, which follows from the base of the rotary positions")
            elif any(score.fullmatch(name) for score in hidden):
                _require_low(key, array)
                self.left_out.append(f"{key}, the score of what a mask hides")
            elif (why := _first(refused, name)) is not None:
                raise BadInput(
                    f"a model must be without {why[0]} to be read", key, "symcook does not support this part yet"
                )
            else:
                known = [row.replace(LAYER, number) for number in self.numbers() for row in one.rows]
                raise unknown(f"key of {one.title}", name, known)
        if heads is not None and self.sizes.setdefault("H", heads) != heads:
            raise BadInput(
                f"the number of heads must be that of the weights, {self.sizes['H']}", heads, "leave heads out"
            )
        self.require_all()

    def numbers(self) -> list[str]:
        """The numbers of the layers that were found so far, for messages."""
        return sorted({name.split(".")[1] for name in self.found if name.startswith("layers.")}) or ["0"]

    def put(self, key: str, array: Any, row: WeightRow, layer: str | None) -> None:
        """One weight, with its shape compared and its numbers in our order."""
        letters = row.shape.split(" x ")
        self.compare(key, array, letters, row.shape)
        require_numbers(key, array)
        for name, part in _ordered(array, row, self.heads):
            target = name if layer is None else name.replace(LAYER, str(int(layer)))
            if target in self.found:
                raise BadInput(
                    "each weight must be given only once",
                    f"{key} and {self.found[target][0]}, which are the same weight",
                    "leave one of the two out",
                )
            self.found[target] = (key, part)

    def compare(self, key: str, array: Any, letters: Sequence[str], shape: str) -> None:
        """Raise BadInput, with the key, where a shape differs from that of the table; else note what it says."""
        given = " x ".join(map(str, array.shape)) or "a number"
        if array.ndim != len(letters):
            raise BadInput(
                f"{key} must have the shape {shape}",
                given,
                "give the weights of a model of this format, or another format",
            )
        for text, size in zip(letters, array.shape, strict=True):
            times, letter = (3, text[1:]) if text[0] == "3" else (1, text)
            if size == 0 or size % times or self.sizes.get(letter, size // times) != size // times:
                wanted = " and ".join(f"{x.lstrip('3')} = {self.sizes[x.lstrip('3')]}" for x in letters
                                      if x.lstrip("3") in self.sizes)  # fmt: skip
                raise BadInput(
                    f"{key} must have the shape {shape}{f' with {wanted}' * bool(wanted)}",
                    given,
                    "give the weights of a model of this format, or another format",
                )
            # Hidden units, and labels of an output, may differ from layer to layer.
            if letter != "f":
                self.sizes[letter] = size // times

    def layers(self) -> int:
        """The number of layers; BadInput where one between is missing."""
        numbers = {int(name.split(".")[1]) for name in self.found if name.startswith("layers.")}
        for number in range(len(numbers)):
            if number not in numbers:
                raise BadInput(
                    "the layers must be numbered from 0 without a gap",
                    f"no layer {number}",
                    "give the missing layer, or number the layers anew",
                )
        return len(numbers)

    def given_name(self, target: str) -> str:
        """A name of the format for one of our names."""
        return name_in_format(self.format, target)

    def require_all(self) -> None:
        """Raise BadInput where a matrix is missing: the embedding, one of attention, one of an mlp."""
        wanted = ["embedding.weight"]
        for number in range(self.layers()):
            layer = f"layers.{number}."
            wanted += [f"{layer}{name}" for name in MATRICES]
            if any(name.startswith((f"{layer}linear", f"{layer}gate")) for name in self.found):
                wanted += [f"{layer}linear1.weight", f"{layer}linear2.weight"]
                if f"{layer}gate.bias" in self.found:
                    wanted.append(f"{layer}gate.weight")
        # What one layer has, all have.
        inner = {name.partition(".")[2].partition(".")[2] for name in self.found if name.startswith("layers.")}
        wanted += [f"layers.{number}.{name}" for number in range(self.layers()) for name in sorted(inner)]
        for name in wanted:
            if name not in self.found:
                must = f"weights of {self.format.title} must have every matrix, and the same matrices in every layer"
                raise BadInput(must, f"none for {self.given_name(name)}", "give the missing weight")

    def plain(self, facts: Mapping[str, Any], tied: bool | None) -> dict[str, Any]:
        """All weights under the names of `symcook.compose.states`; BadInput where the settings say `tied` and the
        weights of the output are others."""
        import numpy as np

        state = {name: part for name, (_, part) in self.found.items()}
        if facts.get("tied") and "output.weight" not in state:
            state["output.weight"] = state["embedding.weight"]
        if tied and not np.array_equal(state["output.weight"], state["embedding.weight"]):
            do = "leave the output out of the weights, or say tie_word_embeddings = false"
            must = "the output must have the weights of the embedding, since the settings tie them"
            raise BadInput(must, f"others in {self.given_name('output.weight')}", do)
        for number in range(self.layers()):
            layer = f"layers.{number}."
            q, k, v = (state.pop(f"{layer}{name}.weight") for name in "qkv")
            zeros = {name: np.zeros(len(part), dtype=part.dtype) for name, part in zip("qkv", (q, k, v), strict=True)}
            given = [f"{layer}{name}.bias" in state for name in "qkv"]
            biases = [state.pop(f"{layer}{name}.bias", zeros[name]) for name in "qkv"]
            heads = facts.get("heads")
            parts = [
                self.repeated(f"{layer}{name}", part, len(q), heads) for name, part in zip("kv", (k, v), strict=True)
            ]
            if heads is not None and (type(heads) is not int or heads < 1 or len(q) % heads):
                must = f"the number of heads must divide the {len(q)} rows of {self.given_name(f'{layer}q.weight')}"
                raise BadInput(must, heads, "give heads=, a number that divides them")
            state[f"{layer}self_attn.in_proj_weight"] = np.concatenate([q, *parts])
            if any(given):
                more = [
                    self.repeated(f"{layer}{n}", part, len(q), heads) for n, part in zip("kv", biases[1:], strict=True)
                ]
                state[f"{layer}self_attn.in_proj_bias"] = np.concatenate([biases[0], *more])
            state[f"{layer}self_attn.out_proj.weight"] = state.pop(f"{layer}o.weight")
            if f"{layer}o.bias" in state:
                state[f"{layer}self_attn.out_proj.bias"] = state.pop(f"{layer}o.bias")
            self.without_mlp(state, layer)
        self.biases_of_norms(state, facts.get("kind"))
        return state

    def repeated(self, name: str, part: Any, wide: int, heads: int | None) -> Any:
        """The rows of keys or values for every head: where several heads share them, each has a copy."""
        import numpy as np

        if len(part) == wide:
            return part
        key = self.given_name(f"{name}.weight")
        if heads is None:
            raise BadInput(
                "the number of heads must be given, since several heads share keys and values",
                key,
                "give heads=, or the folder with config.json",
            )
        size = wide // heads
        if wide % heads or len(part) % size or heads % (len(part) // size):
            must = f"{key} must have the rows of a number of heads that divides {heads}"
            raise BadInput(
                must,
                f"{len(part)} rows, for heads of size {wide / heads:g}",
                "give heads=, the number of heads of the queries",
            )
        groups = part.reshape(len(part) // size, size, *part.shape[1:])
        return np.repeat(groups, heads // len(groups), axis=0).reshape(wide, *part.shape[1:])

    def without_mlp(self, state: dict[str, Any], layer: str) -> None:
        """Give a layer without an mlp one that adds 0, and its norm."""
        if f"{layer}linear1.weight" in state:
            return
        d = self.sizes["d"]
        if f"{layer}norm1.weight" in state and f"{layer}norm2.weight" not in state:
            state[f"{layer}norm2.weight"] = [1] * d
            if f"{layer}norm1.bias" in state:
                state[f"{layer}norm2.bias"] = [0] * d
        state |= {f"{layer}linear1.weight": [[0] * d], f"{layer}linear2.weight": [[0]] * d}

    def biases_of_norms(self, state: dict[str, Any], kind: str | None) -> None:
        """Give layer norms that have none a bias of 0; BadInput for an RMS norm that has one."""
        for name in [name for name in state if re.fullmatch(r"(layers\.\d+\.norm[12]|norm)\.weight", name)]:
            bias = f"{name.removesuffix('weight')}bias"
            if kind == "layer":
                state.setdefault(bias, [0] * self.sizes["d"])
            elif kind == "rms" and bias in state:
                raise BadInput(
                    "an RMS norm must be without a bias",
                    self.found[bias][0],
                    "leave the bias out, if it is 0 everywhere",
                )


def _first(rows: Sequence[tuple[re.Pattern[str], Any]], name: str) -> tuple[Any, str | None] | None:
    """What the first pattern of a name has, and the number of the layer; None where none fits."""
    for one, what in rows:
        if (match := one.fullmatch(name)) is not None:
            return what, match[1] if one.groups else None
    return None


def _ordered(array: Any, row: WeightRow, heads: int | None) -> Iterator[tuple[str, Any]]:
    """The parts of a weight by our names, each with outputs as rows."""
    match row.order:
        case "head thirds":  # H 3 s rows to 3 H s
            if heads is None:
                raise BadInput(
                    "the number of heads must be given, since the weights are stored one head after the other",
                    "none",
                    "give heads=, or the folder with config.json",
                )
            if heads < 1 or len(array) % (3 * heads):
                raise BadInput(
                    f"the number of heads must divide the {len(array) // 3} rows of queries",
                    heads,
                    "give heads=, a number that divides them",
                )
            apart = array.reshape(heads, 3, -1, *array.shape[1:])
            table = apart.swapaxes(0, 1).reshape(array.shape)
        case "rows" | "thirds":
            table = array
        case "columns" | "column thirds":
            table = array.T
        case "heads":  # H x d x s to H s x d, and H x s to H s
            table = array.reshape(-1) if array.ndim == 2 else array.transpose(0, 2, 1).reshape(-1, array.shape[1])
        case "heads out":  # H x s x d to d x H s
            table = array.reshape(-1, array.shape[2]).T
        case _:
            raise BadInput(
                "the storage order of weights must be one that symcook reads, such as rows, columns or heads",
                row.order,
                'write "rows" or "columns"',
            )
    for name, third in targets(row):
        size = len(table) // 3
        yield name, table if third is None else table[third * size : (third + 1) * size]


def _require_low(key: str, array: Any) -> None:
    """Raise BadInput for a score of hidden positions by which something of them would come through."""
    if array.size and not (array <= LOW).all():
        must = f"the stored score {key} of what a mask hides must be at most {LOW}"
        raise BadInput(must, array.max(), "symcook reads models that see nothing of later positions")


def _require_causal(key: str, array: Any) -> None:
    """Raise BadInput for a mask by which a position sees others than itself and all before it."""
    import numpy as np

    table = (
        array.reshape(array.shape[-2:]) if array.ndim >= 2 and array.size == array.shape[-1] * array.shape[-2] else None
    )
    if (
        table is None
        or table.shape[0] != table.shape[1]
        or not (table.astype(bool) == np.tri(len(table), dtype=bool)).all()
    ):
        raise BadInput(
            f"the stored mask {key} must be the causal mask",
            "another mask",
            "symcook reads models that see all earlier positions, and no other mask",
        )
