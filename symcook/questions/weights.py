"""One weight of a model, by a name such as L1.head1.V[kind,one], left free."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from symcook.errors import BadInput, unknown
from symcook.model.layers import SelfAttention
from symcook.model.parts import FeedForward, Part
from symcook.model.symbols import from_sympy, symbol
from symcook.model.transformer import Parameter, Transformer

if TYPE_CHECKING:
    pass

WRITTEN = re.compile(r"\s*(-?)\s*([A-Za-z0-9_.]+)\[([^\[\]]*)\]\s*")


class Weight(NamedTuple):
    """An entry of a matrix: the name of its part (L1.head1, L2.ff, readout), of the matrix, and its row and column from
    0; `sign` is that with which it moves."""

    sign: int
    part: str
    matrix: str
    row: int
    column: int


def free(model: Transformer, names: Sequence[str], name: str = "free") -> tuple[Transformer, Any]:
    """`model` with the weights of these names replaced by a new symbol (those with a minus sign by its negative), and
    the value that it stands for.

    A name is the part, the matrix, and in brackets row and column by what they are called or by number from 1:
    L1.head1.V[kind,one], L1.head2.Q[1,place], L2.ff.W1[3,total], L2.ff.b1[3], L2.ff.W2[level,3], readout[accepted].
    Raises BadInput with the nearest name where there is none, and where the weights are not one number.
    """
    weights = [_read(model, text) for text in names]
    if not weights:
        raise BadInput("a weight must be named", "none", "give --free L1.head1.V[row,column]")
    found = {weight.sign * _value(model, weight) for weight in weights}
    if len(found) > 1:
        shown = ", ".join(map(from_sympy, found))
        raise BadInput("weights that move together must be one number, up to their signs", shown)
    taken = {p.name for p in model.parameters} | set(model.space)
    while name in taken:
        name += "_"
    new = symbol(name)
    model = replace(model, parameters=(*model.parameters, Parameter(name)))
    for weight in weights:
        model = _put(model, weight, weight.sign * new)
    return model, found.pop()


def _parts(model: Transformer) -> Iterator[tuple[str, Part]]:
    for number, layer in enumerate(model.layers, 1):
        if layer.attention is not None:
            for h, head in enumerate(layer.attention.heads, 1):
                yield f"L{number}.head{h}", head
        if layer.feedforward is not None:
            yield f"L{number}.ff", layer.feedforward


def _read(model: Transformer, text: str) -> Weight:
    match = WRITTEN.fullmatch(text)
    if match is None:
        raise BadInput("a weight must be written PART.MATRIX[ROW,COLUMN]", text, "as in L1.head1.V[kind,one]")
    sign, path, inside = -1 if match[1] else 1, match[2], [entry.strip() for entry in match[3].split(",")]
    if path == "readout":
        rows = list(model.readout.labels or ("logit",))
        if model.readout.weights is None:
            given = f"a {model.readout.kind} of {', '.join(model.readout.reads)}"
            raise BadInput("the readout must have weights", given)
        if len(rows) == 1:
            inside = [rows[0], *inside] if len(inside) == 1 else inside
        return Weight(sign, path, "weights", *_places(text, inside, rows, list(model.readout.reads)))
    parts = dict(_parts(model))
    part, _, matrix = path.rpartition(".")
    if part not in parts:
        raise unknown("part of the model", part or path, [*parts, *(["readout"] if model.readout.weights else [])])
    matrices = parts[part].matrices()
    if matrix not in matrices:
        raise unknown(f"matrix of {part}", matrix, list(matrices))
    sides = [_names(parts[part], side) for side in parts[part].FIELDS[matrix]]
    if sides[1] == ["one"] and len(inside) == 1:
        inside = [*inside, "one"]
    return Weight(sign, part, matrix, *_places(text, inside, *sides))


def _names(part: Part, side: str) -> list[str]:
    """What the rows or columns of a matrix are called."""
    if side == "reads":
        return list(part.reads)
    if side == "writes":
        return list(part.writes)
    return ["one"] if side == "one" else [str(k + 1) for k in range(part.sizes()[side])]


def _places(text: str, inside: list[str], rows: list[str], columns: list[str]) -> tuple[int, int]:
    if len(inside) != 2:
        raise BadInput("a weight must have a row and a column", text, f"rows: {_some(rows)}; columns: {_some(columns)}")
    found = []
    for what, given, names in (("row", inside[0], rows), ("column", inside[1], columns)):
        if given in names:
            found.append(names.index(given))
        elif given.isdecimal() and 1 <= int(given[:9]) <= len(names) and len(given) < 9:
            found.append(int(given) - 1)
        else:
            raise unknown(f"{what} of {text.partition('[')[0].strip()}", given, names)
    return found[0], found[1]


def _some(names: list[str]) -> str:
    return ", ".join(names[:6]) + (" ..." if len(names) > 6 else "")


def _value(model: Transformer, weight: Weight) -> Any:
    if weight.part == "readout":
        return model.readout.weights[weight.row, weight.column]
    return dict(_parts(model))[weight.part].matrices()[weight.matrix][weight.row, weight.column]


def _put(model: Transformer, weight: Weight, value: object) -> Transformer:
    def changed(matrix: Any) -> Any:
        found = matrix.as_mutable()
        found[weight.row, weight.column] = value
        return found.as_immutable()

    if weight.part == "readout":
        return replace(model, readout=replace(model.readout, weights=changed(model.readout.weights)))
    layers = []
    for number, layer in enumerate(model.layers, 1):
        if weight.part.partition(".")[0] == f"L{number}":
            if layer.attention is not None:
                heads = [
                    replace(head, **{weight.matrix: changed(getattr(head, weight.matrix))})
                    if weight.part == f"L{number}.head{h}"
                    else head
                    for h, head in enumerate(layer.attention.heads, 1)
                ]
                layer = replace(layer, attention=SelfAttention(tuple(heads)))
            ff = layer.feedforward
            if isinstance(ff, FeedForward) and weight.part == f"L{number}.ff":
                layer = replace(layer, feedforward=replace(ff, **{weight.matrix: changed(getattr(ff, weight.matrix))}))
        layers.append(layer)
    return replace(model, layers=tuple(layers))
