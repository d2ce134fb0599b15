"""Weights by name: L1.head1.V[kind,one], L2.ff.W1[3,total], readout[accepted]. Layers, heads and units count from 1;
rows and columns are named by their coordinates, or by their numbers from 1.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from symcook.errors import BadInput, unknown
from symcook.model.parts import Part, SelfAttention
from symcook.model.reads import BIASED_HEADS, PartsRead
from symcook.model.transformer import Transformer

READS = PartsRead("the names of weights", **BIASED_HEADS)

WRITTEN = re.compile(r"\s*(-?)\s*([A-Za-z0-9_.]+)\[([^\[\]]*)\]\s*")
"""A weight as the user writes it: an optional minus sign, PART.MATRIX or readout, and [ROW,COLUMN]; a vector, or a
readout with one score, needs only one of the two."""


class Weight(NamedTuple):
    """An entry of a matrix: the names of its part (L1.head1, L2.ff, readout) and of its matrix, and its row and column,
    counted from 0. If `sign` is -1, it moves in the opposite direction."""

    sign: int
    part: str
    matrix: str
    row: int
    column: int

    @property
    def place(self) -> tuple[str, str, int, int]:
        """The part, the matrix, the row and the column, which two names of one weight share."""
        return self.part, self.matrix, self.row, self.column


def named_parts(model: Transformer) -> Iterator[tuple[str, Part]]:
    """The heads and feed-forward layers with their names."""
    for number, layer in enumerate(READS.of(model).layers, 1):
        if layer.attention is not None:
            for h, head in enumerate(layer.attention.heads, 1):
                yield f"L{number}.head{h}", head
        if layer.feedforward is not None:
            yield f"L{number}.ff", layer.feedforward


def read_weight(model: Transformer, text: str) -> Weight:
    """The weight with the name `text`, for example L2.ff.W1[3,total]. Raises BadInput for an invalid name."""
    match = WRITTEN.fullmatch(text)
    if match is None:
        raise BadInput("a weight must be written PART.MATRIX[ROW,COLUMN]", text, "as in L1.head1.V[kind,one]")
    sign, path, inside = -1 if match[1] else 1, match[2], [entry.strip() for entry in match[3].split(",")]
    # readout[score,coordinate]; a readout with one score needs no name for it.
    if path == "readout":
        rows = list(model.readout.labels or ("logit",))
        if model.readout.weights is None:
            raise BadInput(
                "the output layer (readout) must have weights to be named",
                f"one of {', '.join(model.readout.reads)} without weights",
                "name a weight of a layer, such as L1.head1.V[row,column]",
            )
        if len(rows) == 1:
            inside = [rows[0], *inside] if len(inside) == 1 else inside
        return Weight(sign, path, "weights", *_places(text, inside, rows, list(model.readout.reads)))
    # PART.MATRIX[row,column]; a vector (one column, called "one") needs no column.
    part_name, _, matrix = path.rpartition(".")
    part = require_part(model, part_name or path)
    matrices = part.matrices()
    if matrix not in matrices:
        raise unknown(f"matrix of {part_name}", matrix, list(matrices))
    sides = [_names(part, side) for side in part.FIELDS[matrix]]
    if sides[1] == ["one"] and len(inside) == 1:
        inside = [*inside, "one"]
    return Weight(sign, part_name, matrix, *_places(text, inside, *sides))


def _names(part: Part, side: str) -> list[str]:
    """The names of the rows or columns on one `side` of a matrix, where `side` is as in `Part.FIELDS`: coordinates for
    "reads" and "writes", the name "one" for a vector, else numbers from 1."""
    if side == "reads":
        return list(part.reads)
    if side == "writes":
        return list(part.writes)
    return ["one"] if side == "one" else [str(k + 1) for k in range(part.sizes()[side])]


def _places(text: str, inside: list[str], rows: list[str], columns: list[str]) -> tuple[int, int]:
    """The row and column, counted from 0, for the two entries `inside` the brackets. An entry is one of the names in
    `rows` or `columns`, or a number from 1. BadInput for any other."""
    if len(inside) != 2:
        raise BadInput(
            "a weight must be named by a row and a column of its matrix",
            text,
            f"rows: {_first_six(rows)}; columns: {_first_six(columns)}",
        )
    indices = []
    for what, entry, names in (("row", inside[0], rows), ("column", inside[1], columns)):
        if entry in names:
            indices.append(names.index(entry))
        elif entry.isdecimal() and 1 <= int(entry[:9]) <= len(names) and len(entry) < 9:
            indices.append(int(entry) - 1)
        else:
            raise unknown(f"{what} of {text.partition('[')[0].strip()}", entry, names)
    return indices[0], indices[1]


def _first_six(names: list[str]) -> str:
    """The first six names, as text."""
    return ", ".join(names[:6]) + (" ..." if len(names) > 6 else "")


def weight_value(model: Transformer, weight: Weight) -> Any:
    """The value of a weight in `model`."""
    part: Any = model.readout if weight.part == "readout" else dict(named_parts(model))[weight.part]
    return getattr(part, weight.matrix)[weight.row, weight.column]


def with_weight(model: Transformer, weight: Weight, value: object) -> Transformer:
    """The model with another `value` for a weight."""

    def changed(part: Any) -> Any:
        """The part with the new value."""
        changed_matrix = getattr(part, weight.matrix).as_mutable()
        changed_matrix[weight.row, weight.column] = value
        return replace(part, **{weight.matrix: changed_matrix.as_immutable()})

    return with_part(model, weight.part, changed)


def with_part(model: Transformer, name: str, change: Callable[[Any], Any]) -> Transformer:
    """The model with `change` applied to the part with this name, such as L1.head1, L2.ff or readout; BadInput, with
    the nearest name, where the model has no such part."""
    if name == "readout":
        return replace(model, readout=change(model.readout))
    require_part(model, name)
    layers = []
    for number, layer in enumerate(READS.of(model).layers, 1):
        new: dict[str, Any] = {}
        if name == f"L{number}.ff":
            new["feedforward"] = change(layer.feedforward)
        elif name.startswith(f"L{number}.head"):
            heads = enumerate(layer.attention.heads, 1)
            new["attention"] = SelfAttention(
                tuple(change(head) if name == f"L{number}.head{h}" else head for h, head in heads)
            )
        layers.append(replace(layer, **new) if new else layer)
    return replace(model, layers=tuple(layers))


def require_part(model: Transformer, name: str) -> Part:
    """The head or feed-forward layer with this name; BadInput, with the nearest name, where there is none."""
    parts = dict(named_parts(model))
    if name not in parts:
        raise unknown("part of the model", name, [*parts, *(["readout"] if model.readout.weights else [])])
    return parts[name]
