"""The lines of a definition: pieces that are words, formulas or signs, and small functions that build lists of pieces.

A line is a tuple of `Said`. The modules that print it as text or LaTeX print each piece in their way and join them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from symcook.model.expr import Tree
from symcook.model.plainfamily import Range

Said = str | Tree
"""A piece of a line: words, a term or formula, or one of `SIGNS` as ("sign", text)."""
# Each sign with its text and its LaTeX.
SIGNS = {":=": (" := ", " := "), "+=": (" += ", r" \mathrel{+}= "), "=": (" = ", " = "), "..": (", .., ", r",\dots,")}
SIGNS |= {"d_key": ("d_key", r"d_{\mathrm{key}}"), "LN": ("LN", r"\mathrm{LN}")}


class DefinitionRow(NamedTuple):
    """A line of a definition."""

    label: str | Tree
    """The label at its left, as words or a formula; "" for a line that continues the one before it."""
    said: tuple[Said, ...]
    """The pieces of its content."""
    depth: int = 0
    """The level of indentation; -1 for a line without a column for labels, which is printed over the whole width."""


class Section(NamedTuple):
    """A part of a definition: its title and its lines."""

    title: str
    rows: tuple[DefinitionRow, ...]


def listed(parts: Iterable[Sequence[Said]], between: str = "; ") -> list[Said]:
    """All parts in one list of pieces, with the text `between` two parts."""
    out: list[Said] = []
    for part in parts:
        out += [*([between] if out else []), *part]
    return out


def mark(text: str) -> Tree:
    """One of `SIGNS` as a piece of a line."""
    return ("sign", text)


def meant(over: Sequence[Range]) -> list[Said]:
    """The pieces of " for f in 1, .., N, ..": the indices of something and their ranges; [] without an index."""
    out: list[Said] = []
    for index in over:
        out += [", " if out else " for ", ("name", index.name), " in ", *span(index.low, index.high)]
    return out


def index_names(over: Sequence[Range]) -> list[Tree]:
    """The indices as terms."""
    return [("name", index.name) for index in over]


def span(low: Tree, high: Tree) -> list[Said]:
    """The pieces of "low, .., high"."""
    return [low, mark(".."), high]


def called(name: str, args: Iterable[Tree]) -> Tree:
    """A name with its arguments; the name alone where there are none."""
    args = tuple(args)
    return ("call", name, args) if args else ("name", name)
