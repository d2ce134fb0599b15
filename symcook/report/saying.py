"""What the lines of a definition are made of: words, formulas and signs, and small functions that build lists of them.

A line is a tuple of `Said`. Those who print it as text, LaTeX or HTML join the pieces, each drawn in its own way.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from symcook.model.expr import Tree
from symcook.model.plainfamily import Range

Said = str | Tree
"""Words, a term or formula, or one of `SIGNS` as ("sign", text)."""
# Each sign with how it is written in text and in LaTeX.
SIGNS = {":=": (" := ", " := "), "+=": (" += ", r" \mathrel{+}= "), "=": (" = ", " = "), "..": (", .., ", r",\dots,")}
SIGNS |= {"d_key": ("d_key", r"d_{\mathrm{key}}"), "LN": ("LN", r"\mathrm{LN}")}


class DefinitionRow(NamedTuple):
    """A line: its label, and what it says, in words and formulas; `depth` sets it in."""

    label: str | Tree
    said: tuple[Said, ...]
    depth: int = 0


class Section(NamedTuple):
    """A part of a definition: its title and its lines."""

    title: str
    rows: tuple[DefinitionRow, ...]


def listed(parts: Iterable[Sequence[Said]], between: str = "; ") -> list[Said]:
    """The parts one after another, with the text `between` them."""
    out: list[Said] = []
    for part in parts:
        out += [*([between] if out else []), *part]
    return out


def mark(text: str) -> Tree:
    """One of `SIGNS` as a piece of a line."""
    return ("sign", text)


def meant(over: Sequence[Range]) -> list[Said]:
    """What follows something that is meant at all indices: for f in 1, .., N, ..; nothing where there is no index."""
    out: list[Said] = []
    for index in over:
        out += [", " if out else " for ", ("name", index.name), " in ", *span(index.low, index.high)]
    return out


def index_names(over: Sequence[Range]) -> list[Tree]:
    """The indices as terms."""
    return [("name", index.name) for index in over]


def span(low: Tree, high: Tree) -> list[Said]:
    """The integers of a range: low, .., high."""
    return [low, mark(".."), high]


def called(name: str, args: Iterable[Tree]) -> Tree:
    """A name with its arguments; the name alone where there are none."""
    args = tuple(args)
    return ("call", name, args) if args else ("name", name)
