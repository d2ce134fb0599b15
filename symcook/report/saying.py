"""What the lines of a definition are made of: words, formulas and signs, and what stands behind a "for"."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from symcook.model.expr import Tree
from symcook.model.plainfamily import Range

Said = str | Tree
"""Words, a term or formula, or one of `SIGNS` as ("sign", text)."""
SIGNS = {":=": (" := ", " := "), "+=": (" += ", r" \mathrel{+}= "), "=": (" = ", " = "), "..": (", .., ", r",\dots,")}
SIGNS |= {"d_key": ("d_key", r"d_{\mathrm{key}}"), "LN": ("LN", r"\mathrm{LN}")}


class DefinitionRow(NamedTuple):
    """A line: its label, and what it says, in words and formulas; `depth` sets it in."""

    label: str | Tree
    said: tuple[Said, ...]
    depth: int = 0


class Section(NamedTuple):
    title: str
    rows: tuple[DefinitionRow, ...]


def listed(parts: Iterable[Sequence[Said]], between: str = "; ") -> list[Said]:
    out: list[Said] = []
    for part in parts:
        out += [*([between] if out else []), *part]
    return out


def mark(text: str) -> Tree:
    return ("sign", text)


def meant(over: Sequence[Range]) -> list[Said]:
    """What stands behind something that is meant at all indices."""
    out: list[Said] = []
    for index in over:
        out += [", " if out else " for ", ("name", index.name), " in ", *span(index.low, index.high)]
    return out


def index_names(over: Sequence[Range]) -> list[Tree]:
    return [("name", index.name) for index in over]


def span(low: Tree, high: Tree) -> list[Said]:
    return [low, mark(".."), high]


def called(name: str, args: Iterable[Tree]) -> Tree:
    args = tuple(args)
    return ("call", name, args) if args else ("name", name)
