"""Who reads whom: each coordinate is a wire from left to right, each part a column with a mark on the wires that it
reads and writes, drawn from the names and the weights that are not zero."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from symcook.model.answers import brief
from symcook.model.parts import FeedForward, Head, LayerNorm

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer

MOST = {"coordinates": 64, "parts": 48}
"""What a diagram holds; of more nothing could be read, and the table beside it says the same."""
_WIRE, _COLUMN, _TOP, _EDGE, _LETTER = 24, 92, 56, 12, 7.5
_NAME = 22
"""The letters that a name shows."""


@dataclass(frozen=True)
class DrawnPart:
    """A part: its name, for each name that it reads what as (q, k, v, or x), and what it writes."""

    title: tuple[str, str]
    reads: Mapping[str, str]
    writes: tuple[str, ...]
    inner: bool = False
    """Whether what it writes is not the stream, but what the next part reads: a norm in front of it."""
    behind: bool = False
    """Whether it reads what such norms give."""

    @property
    def name(self) -> str:
        return ", ".join(filter(None, self.title))


def columns(model: Transformer) -> list[DrawnPart]:
    """The parts in order: the embedding, what each step is made of, the readout."""
    embedding = model.embedding
    set_ = {*embedding.tables, *embedding.places, *(embedding.inputs or ())}
    parts = [DrawnPart(("embedding", ""), {}, tuple(name for name in model.space if name in set_))]
    for step in model.sublayers:
        where = f"layer {step.layer}" if step.block is not None else "final norm"
        for number, norm in enumerate(step.before, 1):
            of = f"norm {number}" if len(step.before) > 1 else "norm"
            parts.append(DrawnPart((where, of), _read(norm), norm.writes, inner=True))
        for number, part in enumerate(step.parts, 1):
            number_text = f" {number}" if len(step.parts) > 1 else ""
            what = f"head{number_text}" if isinstance(part, Head) else "feed-forward"
            parts.append(DrawnPart((where, what), _read(part), _written(part), behind=bool(step.before)))
        if step.after is not None:
            parts.append(
                DrawnPart((where, "norm" if step.block is not None else ""), _read(step.after), step.after.writes)
            )
    readout = model.readout
    used = [name for row in readout.rows for name in row] if readout.rows else readout.reads
    parts.append(DrawnPart(("readout", ""), {name: "x" for name in readout.reads if name in used}, ()))
    return parts


def _read(part: Head | FeedForward | LayerNorm) -> dict[str, str]:
    """What a part reads with a weight that is not zero, in the order of its names; of a head, as what."""
    numbers: Any = part.lowered
    if isinstance(part, Head):
        letters_of = {name: "" for name in part.reads}
        pairs = [(q, k) for q, k in zip(numbers["Q"], numbers["K"], strict=True) if q and k]
        for letter, rows in (("q", [q for q, _ in pairs]), ("k", [k for _, k in pairs]), ("v", numbers["V"])):
            for name in {name for row in rows for name in row}:
                letters_of[name] += letter
        return {name: letters for name, letters in letters_of.items() if letters}
    rows = numbers["W1"] if isinstance(part, FeedForward) else numbers.get("projection")
    used = part.reads if rows is None else {name for row in rows for name in row}
    return {name: "x" for name in part.reads if name in used}


def _written(part: Head | FeedForward) -> tuple[str, ...]:
    numbers: Any = part.lowered
    if isinstance(part, Head):
        rows: Sequence[object] = numbers["V"]
    else:
        rows = [row or bias != 0 for row, bias in zip(numbers["W2"], numbers["b2"], strict=True)]
    return tuple(name for name, row in zip(part.writes, rows, strict=True) if row)


def sentences(model: Transformer) -> list[tuple[str, list[tuple[str, str]], str]]:
    """For each part its name, what it reads with the parts that wrote it, and what it writes: the diagram as a
    table."""
    writers: dict[str, list[str]] = {}
    inner: dict[str, str] = {}
    rows = []
    for column in columns(model):
        reads = []
        for name, letters in column.reads.items():
            by = [inner[name]] if column.behind and name in inner else writers.get(name, ["nothing"])
            role = {"q": "queries", "k": "keys", "v": "values"}
            words = " and ".join(role[letter] for letter in letters) if letters != "x" else ""
            reads.append((f"{name}{f' ({words})' if words else ''}", ", ".join(by)))
        rows.append((column.name, reads, ", ".join(column.writes) or "nothing"))
        if column.inner:
            inner |= dict.fromkeys(column.writes, column.name)
            continue
        if column.title[1].endswith("norm") or column.title[0] == "final norm":  # in place of what was there
            writers |= {name: [column.name] for name in column.writes}
        else:
            for name in column.writes:
                writers.setdefault(name, []).append(column.name)
    return rows


def svg(model: Transformer) -> str:
    """The diagram as inline SVG, with classes that the page colours; empty where it would be too large."""
    parts, space = columns(model), list(model.space)
    space += [name for name in dict.fromkeys(n for c in parts if c.inner for n in c.writes) if name not in space]
    if len(space) > MOST["coordinates"] or len(parts) > MOST["parts"]:
        return ""
    names = {name: brief(name, _NAME) for name in space}
    left = round(_EDGE + max(len(label) for label in names.values()) * _LETTER + 14)
    width, height = left + _COLUMN * len(parts) + _EDGE, _TOP + _WIRE * len(space) + _EDGE
    at = {name: _TOP + _WIRE * k + _WIRE // 2 for k, name in enumerate(space)}
    shapes = list(_wires(parts, at, names, left, width))
    for k, column in enumerate(parts):
        shapes += _column(column, at, left + _COLUMN * k + _COLUMN // 2)
    words = f"Each part of {model.name} with the coordinates that it reads and writes; the table below says the same"
    return (
        f'<svg class="diagram" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
        f'aria-label="{escape(words)}">{"".join(shapes)}</svg>'
    )


def _wires(
    parts: Sequence[DrawnPart], at: Mapping[str, int], names: Mapping[str, str], left: int, width: int
) -> Iterator[str]:
    """The wires: faint until something is written, so that one sees from where on a coordinate holds something."""
    for name, y in at.items():
        first = next((k for k, column in enumerate(parts) if name in column.writes), len(parts))
        start = left + _COLUMN * first + _COLUMN // 2
        yield f'<text class="name" x="{left - 10}" y="{y + 4}">{escape(names[name])}</text>'
        yield f'<line class="idle" x1="{left}" y1="{y}" x2="{min(start, width - _EDGE)}" y2="{y}"/>'
        if first < len(parts):
            yield f'<line class="wire" x1="{start}" y1="{y}" x2="{width - _EDGE}" y2="{y}"/>'


def _column(column: DrawnPart, at: Mapping[str, int], x: int) -> Iterator[str]:
    """The title of a part, its line and its marks: a ring with letters where it reads, a square where it writes."""
    for k, words in enumerate(filter(None, column.title)):
        yield f'<text class="part" x="{x}" y="{18 + 15 * k}">{escape(words)}</text>'
    touched = [at[name] for name in (*column.reads, *column.writes)]
    if touched:
        yield f'<line class="join" x1="{x}" y1="{min(touched)}" x2="{x}" y2="{max(touched)}"/>'
    for name, letters in column.reads.items():
        y, both = at[name], name in column.writes
        middle, label = x - 16 if both else x, "" if letters == "x" else letters
        room = max(7, 4 * len(label) + 3)
        yield (
            f'<rect class="read" x="{middle - room}" y="{y - 8}" width="{2 * room}" height="16" rx="8">'
            f"<title>{escape(f'{column.name} reads {name}')}</title></rect>"
        )
        yield f'<text class="letters" x="{middle}" y="{y + 4}">{label}</text>' if label else ""
    for name in column.writes:
        y, middle = at[name], x + 14 if name in column.reads else x
        yield (
            f'<rect class="write" x="{middle - 7}" y="{y - 7}" width="14" height="14" rx="2">'
            f"<title>{escape(f'{column.name} writes {name}')}</title></rect>"
        )
