"""Tables as plain text: columns, drawn tables, and the residual stream by coordinate and position."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Iterable, Mapping, Sequence

WIDTH = 100
"""The greatest width of a drawn table."""
LONGEST = 2_000
"""The characters of a single number or formula that a text shows whole."""
WIDE = 118
"""The greatest width of a stream, where no terminal says another."""


def abridged(text: str) -> str:
    """A number or a formula by its two ends where it has more than `LONGEST` characters; lines of text stay.

    >>> abridged("12"), abridged("7" * 2001)[55:]
    ('12', '77777 ... 777777777777777777777777777777 (2001 characters; --json, in Python to_json(), has all of it)')
    """
    if len(text) <= LONGEST:
        return text
    return f"{text[:60]} ... {text[-30:]} ({len(text)} characters; --json, in Python to_json(), has all of it)"


def table(header: Sequence[str], rows: Sequence[Sequence[str]], title: str = "") -> str:
    """A table of at most `WIDTH` characters in a line, without colours, so that it reads the same in a file."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    drawn = Table(box=box.SIMPLE_HEAD, title=title or None, title_justify="left", title_style="")
    for name in header:
        drawn.add_column(Text(name), overflow="fold")
    for row in rows:
        drawn.add_row(*(Text(cell) for cell in row))
    out = io.StringIO()
    Console(file=out, width=WIDTH, color_system=None, force_terminal=False, legacy_windows=False).print(drawn)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines() if line.strip())


def columns(rows: Iterable[Sequence[str]], indent: str = "", width: int | None = None) -> str:
    """Left-aligned columns of plain text; with `width` the last one is broken into lines, so that no word is cut.

    >>> print(columns([("a", "b"), ("long", "c")]))
    a     b
    long  c
    >>> print(columns([("a", "a line of some twenty words")], width=28))
    a  a line of some twenty
       words
    """
    table = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    if width is not None:
        room = max(24, width - len(indent) - sum(widths[:-1]) - 2 * len(widths[:-1]))
        table = [line for row in table for line in _broken(row, room)]
        widths[-1] = room
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in table)
    return "\n".join(indent + line for line in lines)


def _broken(row: list[str], room: int) -> list[list[str]]:
    """A row as several whose last cell has at most `room` characters, but for longer words."""
    import textwrap

    parts = textwrap.wrap(row[-1], room, break_long_words=False, break_on_hyphens=False) or [""]
    return [[*row[:-1], parts[0]], *([*([""] * len(row[:-1])), part] for part in parts[1:])]


def stream_table(stream: Mapping[str, Sequence[str]], start: int, width: int = WIDE) -> str:
    """A line a coordinate and a column a position, counted from `start`; cut into several tables where too wide.

    >>> print(stream_table({"token": ["1", "-1"], "mean": ["1", "0"]}, 1))
      position  1  2
      token     1  -1
      mean      1  0
    """
    if not stream:
        return "  every coordinate is zero"
    table = list(zip(*stream.values(), strict=True))
    tables: list[list[tuple[str, ...]]] = []
    room = 0
    for place, cells in enumerate(table, start):
        column = (str(place), *cells)
        needed = max(map(len, column)) + 2
        if not tables or needed > room:
            tables.append([("position", *stream)])
            room = width - max(map(len, tables[-1][0])) - 2
        tables[-1].append(column)
        room -= needed
    return "\n".join(columns(zip(*part, strict=True), "  ") for part in tables)


def wrapped(text: str, indent: str) -> list[str]:
    """Text over lines of at most WIDTH characters, those after the first indented."""
    return [line for one in text.split("\n") for line in textwrap.wrap(one, WIDTH, subsequent_indent=indent) or [""]]
