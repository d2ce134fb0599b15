"""What the commands print: one JSON document, plain columns, tables, and progress on stderr."""

from __future__ import annotations

import math
import sys
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

EMPTY_WORD = "the empty word"
WIDTH = 118


def say(text: str = "") -> None:
    """Print to stdout."""
    print(text)


def print_json(document: Any) -> None:
    """Print one JSON document; a float that JSON cannot write becomes text."""
    import json

    print(json.dumps(_finite(document), indent=2, allow_nan=False))


def _finite(value: Any) -> Any:
    if isinstance(value, float) and (value != value or abs(value) == float("inf")):
        return repr(value)
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return value


def line_width() -> int:
    """How many characters a line may have: the terminal's width, or `WIDTH` where there is no terminal."""
    import shutil

    return max(40, shutil.get_terminal_size((WIDTH, 0)).columns)


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


def stream_table(stream: Mapping[str, Sequence[str]], start: int, width: int = WIDTH) -> str:
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


def value_text(value: Any) -> str:
    """One value as a reader wants it: a ball as mid ± rad, a float by its shortest text."""
    if isinstance(value, float) and math.isfinite(value):
        from symcook.model.rationals import rewritten

        return rewritten(repr(value))
    if isinstance(value, dict) and value.keys() == {"mid", "rad"}:
        return f"{value['mid']} ± {value['rad']}"
    if isinstance(value, dict):
        return "(" + ", ".join(f"{key} {value_text(item)}" for key, item in value.items()) + ")"
    if isinstance(value, bool):
        return "accept" if value else "reject"
    return "undecided" if value is None else str(value)


class Progress:
    """Progress on stderr: redrawn in place on a terminal, a line every ten seconds elsewhere, silent when quick."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.started = self.last = time.monotonic()
        self.drawn = False

    def __call__(self, done: Any, total: Any = None) -> None:
        now = time.monotonic()
        terminal = sys.stderr is not None and sys.stderr.isatty()
        if now - self.started < 1 or now - self.last < (0.2 if terminal else 10):
            return
        self.last, self.drawn = now, terminal
        text = f"{self.what}: {done}" + (f" of {total}" if total is not None else "")
        print(f"\r{text:<78}" if terminal else text, end="" if terminal else "\n", file=sys.stderr, flush=True)

    def close(self) -> None:
        """Clear what stands on the terminal's line."""
        if self.drawn:
            print("\r" + " " * 78 + "\r", end="", file=sys.stderr, flush=True)


class Waiting:
    """Around a computation that has no steps to count: says on stderr how long it has taken, silent when quick."""

    def __init__(self, what: str) -> None:
        self.progress = Progress(what)
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._tell, daemon=True)

    def _tell(self) -> None:
        while not self.over.wait(0.5):
            self.progress(f"{time.monotonic() - self.progress.started:.0f} s")

    def __enter__(self) -> None:
        self.thread.start()

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.thread.join()
        self.progress.close()
