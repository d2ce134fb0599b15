"""The data flow of a model: each coordinate is a wire from left to right, and each part is a column with a mark on each
wire that it reads or writes. Weights that are zero do not count as reading or writing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from symcook.model.answers import brief
from symcook.model.parts import Part
from symcook.model.reads import STEP_WORDS, StepsRead
from symcook.model.steps import (
    Activate,
    Attend,
    ByDistance,
    Centre,
    DivideByRms,
    LinearMap,
    Multiply,
    PartStep,
    Products,
    Read,
    Rotate,
    ScaleEntries,
    attention,
    unknown_step,
)

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer

READS = StepsRead("the diagram", **STEP_WORDS)

MOST = {"coordinates": 64, "parts": 48}
"""The size of the largest diagram that is drawn: a larger one could not be read, and a table has the same content."""
_WIRE, _COLUMN, _TOP, _EDGE, _LETTER = 24, 92, 56, 12, 7.5
"""In pixels: height of a wire, width of a column, height of the titles, margin, width of a character."""
_NAME = 22
"""The greatest number of characters of a name."""


@dataclass(frozen=True)
class DrawnPart:
    """A part of the model as a column of the diagram."""

    title: tuple[str, str]
    """Its layer and its kind, each on a line."""
    reads: Mapping[str, str]
    """{coordinate that it reads: its roles}: letters of q, k and v (query, key, value) for a head, else x."""
    writes: tuple[str, ...]
    inner: bool = False
    """Whether it is a norm before a block: it writes only for this block, not to the residual stream."""
    behind: bool = False
    """Whether it is a part of a block after such a norm, and reads the outputs of the norm."""

    @property
    def name(self) -> str:
        """Its title on one line."""
        return ", ".join(filter(None, self.title))


def columns(model: Transformer) -> list[DrawnPart]:
    """The parts in order: the embedding, the norms and parts of each sublayer, the readout."""
    embedding = model.embedding
    set_ = {*embedding.tables, *embedding.places, *(embedding.inputs or ())}
    parts = [DrawnPart(("embedding", ""), {}, tuple(name for name in model.space if name in set_))]
    for step in READS.of(model).sublayers:
        where = f"layer {step.layer}" if step.block is not None else "final norm"
        for number, norm in enumerate(step.before, 1):
            which_norm = f"norm {number}" if len(step.before) > 1 else "norm"
            parts.append(DrawnPart((where, which_norm), _roles(norm), norm.writes, inner=True))
        for number, part in enumerate(step.parts, 1):
            number_text = f" {number}" if len(step.parts) > 1 else ""
            what = f"head{number_text}" if step.kind == "attention" else step.kind
            parts.append(DrawnPart((where, what), _roles(part), _written(part), behind=bool(step.before)))
        if step.after is not None:
            parts.append(
                DrawnPart((where, "norm" if step.block is not None else ""), _roles(step.after), step.after.writes)
            )
    readout = model.readout
    used = [name for row in readout.rows for name in row] if readout.rows else readout.reads
    parts.append(DrawnPart(("readout", ""), {name: "x" for name in readout.reads if name in used}, ()))
    return parts


def _roles(part: Part) -> dict[str, str]:
    """{coordinate that a part reads with a nonzero weight: its roles, as in `DrawnPart.reads`}."""
    if (head := attention(part.steps)) is None:
        used = _used(part, part.steps)
        return {name: "x" for name in part.reads if name in used}
    match head.scores:
        case (
            Products(LinearMap(Read(), asks, ask), LinearMap(Read(), offers, offer), _, _)
            | ByDistance(Products(LinearMap(Read(), asks, ask), LinearMap(Read(), offers, offer), _, _), _)
        ):
            # A query counts where its key is not zero.
            pairs = list(zip(_sums(part, asks, ask), _sums(part, offers, offer), strict=True))
            pairs = [pair for pair in pairs if all(row or added != 0 for row, added in pair)]
            sides = [{name for pair in pairs for name in pair[side][0]} for side in (0, 1)]
        case Products(queries, keys, _, _):
            sides = [_used(part, queries), _used(part, keys)]
        case step:
            unknown_step("the diagram", step)
    letters_of = {name: "" for name in part.reads}
    for letter, used in zip("qkv", (*sides, _used(part, head.values)), strict=True):
        for name in used:
            letters_of[name] += letter
    return {name: letters for name, letters in letters_of.items() if letters}


def _sums(part: Part, matrix: str, bias: str | None) -> list[tuple[Any, Any]]:
    """For each entry of queries or keys its weights and its bias."""
    rows = part.lowered[matrix]
    return list(zip(rows, [0] * len(rows) if bias is None else part.lowered[bias], strict=True))


def _used(part: Part, step: PartStep) -> set[str]:
    """The coordinates that a step reads with a nonzero weight."""
    match step:
        case Read():
            return {*part.reads}
        case LinearMap(Read(), matrix, _):
            return {name for row in part.lowered[matrix] for name in row}
        case LinearMap(of, _, _) | ScaleEntries(of, _, _) | Activate(of, _) | Centre(of) | DivideByRms(of, _, _):
            return _used(part, of)
        case Rotate(of, _):
            return _used(part, of)
        case Multiply(left, right):
            return _used(part, left) | _used(part, right)
    unknown_step("the diagram", step)


def _written(part: Part) -> tuple[str, ...]:
    """The coordinates that a part writes with a nonzero weight or bias."""
    numbers: Any = part.lowered
    match part.steps:
        case LinearMap(_, matrix, bias) | Attend(_, LinearMap(_, matrix, bias), _, _):
            biases = [0] * len(part.writes) if bias is None else numbers[bias]
            rows = zip(part.writes, numbers[matrix], biases, strict=True)
            return tuple(name for name, row, added in rows if row or added != 0)
        case step:
            unknown_step("the diagram", step)


def sentences(model: Transformer) -> list[tuple[str, list[tuple[str, str]], str]]:
    """The diagram as a table: (part, [(coordinate that it reads, the parts that wrote it)], coordinates it writes)."""
    # The parts that have written a coordinate so far, and the norms that have written one for the present block.
    writers: dict[str, list[str]] = {}
    inner: dict[str, str] = {}
    rows = []
    for column in columns(model):
        reads = []
        for name, letters in column.reads.items():
            writers_of_it = [inner[name]] if column.behind and name in inner else writers.get(name, ["nothing"])
            role = {"q": "queries", "k": "keys", "v": "values"}
            role_text = " and ".join(role[letter] for letter in letters) if letters != "x" else ""
            reads.append((f"{name}{f' ({role_text})' if role_text else ''}", ", ".join(writers_of_it)))
        rows.append((column.name, reads, ", ".join(column.writes) or "nothing"))
        if column.inner:
            inner |= dict.fromkeys(column.writes, column.name)
            continue
        # A norm after a block replaces the coordinate; any other part adds to it.
        if column.title[1].endswith("norm") or column.title[0] == "final norm":
            writers |= {name: [column.name] for name in column.writes}
        else:
            for name in column.writes:
                writers.setdefault(name, []).append(column.name)
    return rows


def svg(model: Transformer) -> str:
    """The diagram as inline SVG, with classes that the page colours; "" if it is larger than MOST."""
    parts, space = columns(model), list(model.space)
    space += [name for name in dict.fromkeys(n for c in parts if c.inner for n in c.writes) if name not in space]
    if len(space) > MOST["coordinates"] or len(parts) > MOST["parts"]:
        return ""
    names = {name: brief(name, _NAME) for name in space}
    left = round(_EDGE + max(len(label) for label in names.values()) * _LETTER + 14)
    width, height = left + _COLUMN * len(parts) + _EDGE, _TOP + _WIRE * len(space) + _EDGE
    heights = {name: _TOP + _WIRE * k + _WIRE // 2 for k, name in enumerate(space)}
    shapes = list(_wires(parts, heights, names, left, width))
    for k, column in enumerate(parts):
        shapes += _column(column, heights, left + _COLUMN * k + _COLUMN // 2)
    words = f"Each sublayer of {model.name} with the coordinates that it reads and writes, as in the table below"
    return (
        f'<svg class="diagram" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
        f'aria-label="{escape(words)}">{"".join(shapes)}</svg>'
    )


def _wires(
    parts: Sequence[DrawnPart], heights: Mapping[str, int], names: Mapping[str, str], left: int, width: int
) -> Iterator[str]:
    """The wires and their names. A wire is faint until the first part that writes its coordinate."""
    for name, y in heights.items():
        first = next((k for k, column in enumerate(parts) if name in column.writes), len(parts))
        start = left + _COLUMN * first + _COLUMN // 2
        yield f'<text class="name" x="{left - 10}" y="{y + 4}">{escape(names[name])}</text>'
        yield f'<line class="idle" x1="{left}" y1="{y}" x2="{min(start, width - _EDGE)}" y2="{y}"/>'
        if first < len(parts):
            yield f'<line class="wire" x1="{start}" y1="{y}" x2="{width - _EDGE}" y2="{y}"/>'


def _column(column: DrawnPart, heights: Mapping[str, int], x: int) -> Iterator[str]:
    """The title of a part, its vertical line and its marks: a ring with letters on a wire that it reads, a square on a
    wire that it writes. `heights` are those of the wires."""
    for k, line in enumerate(filter(None, column.title)):
        yield f'<text class="part" x="{x}" y="{18 + 15 * k}">{escape(line)}</text>'
    touched = [heights[name] for name in (*column.reads, *column.writes)]
    if touched:
        yield f'<line class="join" x1="{x}" y1="{min(touched)}" x2="{x}" y2="{max(touched)}"/>'
    for name, letters in column.reads.items():
        y, also_writes = heights[name], name in column.writes
        middle, label = x - 16 if also_writes else x, "" if letters == "x" else letters
        half_width = max(7, 4 * len(label) + 3)
        yield (
            f'<rect class="read" x="{middle - half_width}" y="{y - 8}" width="{2 * half_width}" height="16" rx="8">'
            f"<title>{escape(f'{column.name} reads {name}')}</title></rect>"
        )
        yield f'<text class="letters" x="{middle}" y="{y + 4}">{label}</text>' if label else ""
    for name in column.writes:
        y, middle = heights[name], x + 14 if name in column.reads else x
        yield (
            f'<rect class="write" x="{middle - 7}" y="{y - 7}" width="14" height="14" rx="2">'
            f"<title>{escape(f'{column.name} writes {name}')}</title></rect>"
        )
