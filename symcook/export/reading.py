"""Exported weights as exact models: every float stands for the dyadic number that it is.

The input is an archive as a file has it, the result a `Transformer` with the coordinates, norms and heads that the
arrays describe. Tables of positions become expressions by cases.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symcook.compose.states import table_of
from symcook.door import door
from symcook.errors import BadInput
from symcook.export.archive import FORMAT, Archive, ArraysRead, has_network, numbered
from symcook.export.files import FORMATS, WEIGHTS_FILE, certificate_of, decode, read
from symcook.files import content
from symcook.model.checks import Space, stored_value
from symcook.model.ends import Embedding, Readout
from symcook.model.parts import (
    KINDS,
    AnyHead,
    AnyNetwork,
    AnyNorm,
    BiasedHead,
    FeedForward,
    GatedUnits,
    Head,
    Layer,
    LayerNorm,
    Part,
    RMSNorm,
    RotaryHead,
    SelfAttention,
)
from symcook.model.rationals import quotient
from symcook.model.transformer import Transformer

if TYPE_CHECKING:
    import numpy as np

MOST_CELLS = 2000
"""The greatest number of entries of one coordinate in a position table, unless it is the same number at all positions
of a table without lengths."""


@door()
def from_npz(path: str | Path) -> Transformer:
    """The exact model whose weights are the floats of an npz export (see `from_archive`).

    If the certificate is next to the weights, both must be unchanged.

    Arguments:
        path: path. The weights.

    Returns: Transformer.

    Raises: Rejected: weights or certificate were changed. BadInput: a file that is missing, truncated or no export;
    the message has the name of the array.

    Example:

    >>> import tempfile, symcook as sc
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = sc.build("identity").export(f"{folder}/m.npz")
    ...     sc.from_npz(f"{folder}/m.npz").space.names
    ('x', 'out')
    """
    return from_file(path, "npz")


@door()
def from_safetensors(path: str | Path) -> Transformer:
    """The exact model whose weights are the floats of a safetensors export.

    If the certificate is next to the weights, both must be unchanged.

    Arguments:
        path: path. The weights.

    Returns: Transformer.

    Raises: as `from_npz`.

    Example:

    >>> import tempfile, symcook as sc
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = sc.build("identity").export(f"{folder}/m.safetensors", format="safetensors")
    ...     sc.from_safetensors(f"{folder}/m.safetensors").space.names
    ('x', 'out')
    """
    return from_file(path, "safetensors")


def from_file(path: str | Path, kind: str) -> Transformer:
    """The exact model in a file of weights, in the format `kind`."""
    place = Path(path)
    if place.suffix != FORMATS[kind].ending:
        raise BadInput(
            f"a file of the format {kind} must end in {FORMATS[kind].ending}",
            path,
            f"rename the file to end in {FORMATS[kind].ending}",
        )
    data = read(place)[2][place] if certificate_of(place).exists() else content(place, WEIGHTS_FILE)
    return from_archive(decode(place, data), place)


def from_archive(m: Archive, place: object = "the archive") -> Transformer:
    """The exact model of an archive (`symcook.export.archive`), with the coordinates, tokens and layers of the exported
    model. Its weights are the floats of the archive, its position functions are the tables, as functions of i and n,
    and its maximum length is that of the shortest table (None without tables).

    `place` names the archive in messages.
    """
    if "format" not in m:
        do = "give the tensors of another file to from_state_dict"
        raise BadInput("a file of weights must be an export of symcook", place, do)
    if str(m["format"]) != FORMAT:
        raise BadInput(f"the format of an export must be {FORMAT}", str(m["format"]), "export the model again")
    try:
        return _Reader(m).model()
    except KeyError as error:
        raise BadInput(
            "an export must have every array of its sublayers", f"none called {error.args[0]}", "export the model again"
        ) from None
    except (ValueError, TypeError, IndexError) as error:
        raise BadInput(
            "the arrays of an export must have the shapes of its model", f"{place} ({error})", "export the model again"
        ) from None


class _Reader:
    """Builds the model from the arrays.

    `start` is the number of the first position, 1. `longest` is the length of the shortest table so far; None if none.
    """

    def __init__(self, m: Archive) -> None:
        self.m = m = ArraysRead(m, "the reader of exports")
        self.space: list[str] = m["coordinates"].tolist()
        self.start, self.longest = 1, None

    def matrix(self, key: str, columns: int) -> list[list[Fraction]]:
        """The matrix `key` as rows of exact numbers."""
        array = self.m[key]
        if array.ndim != 2 or array.shape[1] != columns:
            raise BadInput(f"{key} must be a matrix with {columns} columns", array.shape, "export the model again")
        return [self.row(key, row) for row in array.tolist()]

    def vector(self, key: str, length: int) -> list[Fraction]:
        """The vector `key` as exact numbers."""
        if self.m[key].shape != (length,):
            raise BadInput(f"{key} must have {length} entries", self.m[key].shape, "export the model again")
        return self.row(key, self.m[key].tolist())

    def row(self, key: str, entries: Sequence[float]) -> list[Fraction]:
        """Floats as exact numbers; BadInput, with `key`, where one is not finite."""
        try:
            return [Fraction(x) for x in entries]
        except (OverflowError, ValueError):
            raise BadInput(
                f"every entry of {key} must be a finite number", "one that is not", "export the model again"
            ) from None

    def model(self) -> Transformer:
        """The model. Raises BadInput where a step has an array that no part of the model uses."""
        m = self.m
        words, inputs, places = None, None, {}
        # Tokens with their rows, or inputs.
        if len(m["vocabulary"]):
            table = self.matrix("embedding", len(self.space))
            rows = zip(m["vocabulary"].tolist(), table, strict=True)
            words = {token: {c: x for c, x in zip(self.space, row, strict=True) if x} for token, row in rows}
        else:
            inputs = tuple(m["inputs"].tolist())
        # Position functions by coordinate, zero ones left out.
        if "positions" in m:
            self.longest = len(m["positions"])  # where each entry of the table is zero, too
            for c, name in enumerate(self.space):
                if m["positions"][..., c].any():
                    places[name] = self.function("positions", m["positions"][..., c])
        before, after = (str(m[key]) or None for key in ("before", "after"))
        layers, final = self.layers()
        if unread := m.left():
            raise BadInput(
                "an export must have every array of its sublayers",
                f"{unread}, without the other arrays of its sublayer",
                "export the model again",
            )
        return Transformer(
            str(m["name"]),
            Embedding(Space(tuple(self.space)), words, inputs, places, self.start, before, after),
            tuple(layers),
            self.readout(),
            max_length=self.longest,
            final_norm=final,
        )

    def function(self, key: str, table: np.ndarray) -> str:
        """One coordinate of a table, of shape (N) or (N, N), as an expression in i (from 1) and n. Its length N is
        noted in `longest`."""
        self.longest = len(table) if self.longest is None else min(self.longest, len(table))
        values = self.row(key, table.reshape(-1).tolist())
        if table.ndim == 1 and len(set(values)) == 1:
            return quotient(values[0])
        if len(values) > MOST_CELLS:
            do = "export it with a smaller --max-length"
            raise BadInput(f"{key} must have at most {MOST_CELLS} values for each coordinate", len(values), do)
        if table.ndim == 1:
            return table_of(values, 1)
        rows = (values[n * len(table) : n * len(table) + n + 1] for n in range(len(table)))
        return table_of([table_of(row, 1) for row in rows], 1, "n")

    def layers(self) -> tuple[list[Layer], AnyNorm | None]:
        """The layers, each from its one or two steps, and the final norm, which is a step without a sublayer."""
        m, layer_parts = self.m, dict[int, dict[str, Any]]()
        final = None
        # A step with heads or a feed-forward sublayer goes to its layer; one with neither must have a norm after it,
        # the final one.
        for s in range(1, int(m["steps"]) + 1):
            key = f"step{s}."
            before = [self.norm(name) for name in numbered(self.m, key + "before", "gain")]
            after = self.norm(key + "after.") if key + "after.gain" in m else None
            view = [name for norm in before for name in norm.writes] if before else self.space
            norms = (after,) if after is not None else tuple(before)
            heads = [self.head(name, view) for name in numbered(self.m, key + "head", "V")]
            if not heads and not has_network(m, key):
                if after is None:
                    raise KeyError(key + "W1")
                final = after
                continue
            parts = layer_parts.setdefault(int(m[key + "layer"]), {"placement": "none"})
            parts["attention" if heads else "feedforward"] = (
                SelfAttention(tuple(heads)) if heads else self.network(key, view)
            )
            parts["attention_norms" if heads else "feedforward_norms"] = norms
            # The placement follows from the norm after the step, or from the number and projections of the norms
            # before. If one sublayer of the layer has several norms, the placement is "multi pre", even if the other
            # has one.
            if after is not None:
                parts["placement"] = "post"
            elif before and before[0].projection is None:
                parts["placement"] = "pre"
            elif len(before) > 1:
                parts["placement"] = "multi pre"
            elif before and parts["placement"] == "none":
                parts["placement"] = "projected pre"
        return [Layer(**parts) for parts in layer_parts.values()], final

    def value(self, key: str) -> str:
        """A mask, a weighting or a kind of readout; BadInput for an alias."""
        return stored_value(str(self.m[key]), key)

    def norm(self, key: str) -> AnyNorm:
        """A norm. The names that a projecting norm writes are made from its key."""
        m, size = self.m, len(self.m[key + "gain"])
        stem = key[:-1].replace(".", "_").replace("before", "norm")
        writes = tuple(f"{stem}_{k}" for k in range(size))
        if self.kind(key, "norm") is RMSNorm:
            values = self.by_fields(RMSNorm, key, len(self.space))
            return RMSNorm(tuple(self.space), writes if values["projection"] else tuple(self.space), **values)
        fields: dict[str, Any] = {name: self.vector(key + name, size) for name in ("gain", "bias")}
        fields["epsilon"] = self.row(key + "epsilon", [float(m[key + "epsilon"])])[0]
        fields["zero_variance"] = str(m[key + "zero_variance"])
        if key + "P" not in m:
            return LayerNorm(tuple(self.space), **fields)
        return LayerNorm(tuple(self.space), writes, projection=self.matrix(key + "P", len(self.space)), **fields)

    def head(self, key: str, view: Sequence[str]) -> AnyHead:
        """A head over the coordinates that it uses."""
        m, biases = self.m, dict[str, Any]()
        if self.kind(key, "head") is RotaryHead:
            must = "only exports without rotary positions and norms of queries can be read back"
            raise BadInput(must, f"those of {key.rstrip('.')}", "load the model file")
        if self.kind(key, "head") is BiasedHead:
            sizes = {"q_bias": len(m[key + "Q"]), "k_bias": len(m[key + "K"]), "v_bias": len(m[key + "V"])}
            biases = {name: self.vector(key + name, size) for name, size in sizes.items()}
        Q, K, V = (self.matrix(key + name, len(view)) for name in ("Q", "K", "V"))
        reads = _used(range(len(view)), lambda c: any(row[c] for part in (Q, K, V) for row in part))
        writes = _used(range(len(V)), lambda r: any(V[r]) or bool(biases and biases["v_bias"][r]))
        temperature = "1"
        # An archive has only the quotient of scale and temperature: the scale becomes 1, and the temperature 1/factor.
        if key + "factor" in m:
            temperature = f"1/({self.function(key + 'factor', m[key + 'factor'])})"
        Q, K, V = ([[row[c] for c in reads] for row in part] for part in (Q, K, [V[r] for r in writes]))
        names = tuple(view[c] for c in reads), tuple(self.space[r] for r in writes)
        words = self.value(key + "mask"), self.value(key + "weighting")
        if not biases:
            return Head(*names, Q, K, V, *words, temperature)
        biases["v_bias"] = [biases["v_bias"][r] for r in writes]
        slope = self.row(key + "slope", [float(m[key + "slope"])])[0]
        sides = {"q_bias": biases["q_bias"], "k_bias": biases["k_bias"], "v_bias": biases["v_bias"]}
        more: dict[str, Any] = {"mask": words[0], "weighting": words[1], "slope": slope, "temperature": temperature}
        return BiasedHead(names[0], names[1], Q, K, V, **{**sides, **more})

    def kind(self, key: str, place: str) -> type[Part]:
        """The kind of the part at a place whose arrays have the prefix `key`."""
        self.m.steps(key, place)  # which are those of its kind
        return KINDS[str(self.m.get(key + "kind", place))]

    def by_fields(self, kind: type[Part], key: str, width: int) -> dict[str, Any]:
        """The fields of a part that reads `width` coordinates, each from the array of its name."""
        m, values = self.m, dict[str, Any]()
        for name, form in kind.FIELDS.items():
            if name in kind.OPTIONAL and key + name not in m:
                values[name] = None
            elif form == "word":
                values[name] = self.value(key + name)
            elif form == "number":
                values[name] = self.row(key + name, [float(m[key + name])])[0]
            elif form[1] == "one":
                values[name] = self.vector(key + name, len(m[key + name]))
            else:
                values[name] = self.matrix(key + name, width if form[1] == "reads" else m[key + name].shape[-1])
        return values

    def gated(self, key: str, view: Sequence[str]) -> GatedUnits:
        """Gated units over the coordinates that they use."""
        values = self.by_fields(GatedUnits, key, len(view))
        reads = _used(range(len(view)), lambda c: any(row[c] for name in ("gate", "up") for row in values[name]))
        written = [[*row, bias] for row, bias in zip(values["down"], values["down_bias"], strict=True)]
        writes = _used(range(len(written)), lambda r: any(written[r]))
        values |= {name: [[row[c] for c in reads] for row in values[name]] for name in ("gate", "up")}
        values |= {name: [values[name][r] for r in writes] for name in ("down", "down_bias")}
        return GatedUnits(tuple(view[c] for c in reads), tuple(self.space[r] for r in writes), **values)

    def network(self, key: str, view: Sequence[str]) -> AnyNetwork:
        """A feed-forward sublayer over the coordinates that it uses."""
        if self.kind(key, "network") is GatedUnits:
            return self.gated(key, view)
        m, hidden = self.m, len(self.m[key + "b1"])
        W1, W2 = self.matrix(key + "W1", len(view)), self.matrix(key + "W2", hidden)
        b1, b2 = self.vector(key + "b1", hidden), self.vector(key + "b2", len(self.space))
        reads = _used(range(len(view)), lambda c: any(row[c] for row in W1))
        writes = _used(range(len(W2)), lambda r: any(W2[r]) or bool(b2[r]))
        names = tuple(view[c] for c in reads), tuple(self.space[r] for r in writes)
        inner = [[row[c] for c in reads] for row in W1]
        return FeedForward(
            *names, inner, b1, [W2[r] for r in writes], [b2[r] for r in writes], str(m[key + "activation"])
        )

    def readout(self) -> Readout:
        """The readout; its weights over the coordinates that it reads."""
        m, reads = self.m, self.m["readout.reads"].tolist()
        kind, position = self.value("readout.kind"), str(m["readout.position"])
        if "readout.weights" not in m:
            return Readout(kind, position, tuple(reads))
        table = m["readout.weights"]
        rows = [self.row("readout.weights", row) for row in (table if table.ndim == 2 else table[None]).tolist()]
        weights = [[row[self.space.index(name)] for name in reads] for row in rows]
        labels: Mapping[str, Any] = {"labels": tuple(m["readout.labels"].tolist())} if "readout.labels" in m else {}
        return Readout(kind, position, tuple(reads), weights, **labels)


def _used(numbers: Sequence[int], filled: Callable[[int], bool]) -> list[int]:
    """The rows or columns that are not zero; the first one where all are."""
    return [k for k in numbers if filled(k)] or list(numbers[:1])
