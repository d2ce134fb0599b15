"""Leftmost and rightmost attention as average-hard attention, whose ties a term in i/n breaks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from symcook.compose.routing import fresh
from symcook.compose.stacking import widen
from symcook.door import door
from symcook.errors import BadInput
from symcook.model.layers import SelfAttention
from symcook.model.parts import Head
from symcook.model.symbols import exact
from symcook.model.transformer import Transformer

UNIQUE = {"rightmost": 1, "leftmost": -1}
"""The weightings that break ties by place, with the sign of the term that does so in their stead."""


@door()
def untie(model: Transformer, terms: Mapping[tuple[int, int], str]) -> Transformer:
    """`model` with average-hard attention in place of leftmost and rightmost, with c i/n added to the scores of a
    rightmost head and subtracted from those of a leftmost one.

    `terms` gives c of head (layer, number), both from 1: an expression in n. A head whose scores have a gap of at least
    c chooses the same position, and then has a gap of at least c/n. Raises BadInput where a head is left out.
    """
    positions = dict(model.embedding.positions)
    words = (c for row in (model.embedding.words or {}).values() for c in row)
    held = {*words, *(model.embedding.inputs or ()), *(name for layer in model.layers for part in layer.parts()
                                                      for name in part.writes)}  # fmt: skip
    new: list[str] = []

    def at(base: str, function: str) -> str:
        for name, given in positions.items():
            if name not in held and exact(given) == exact(function):
                return name
        name = fresh(base, (*model.space, *new))
        positions[name] = exact(function)
        new.append(name)
        return name

    layers = []
    for number, layer in enumerate(model.layers, 1):
        heads = []
        for place, head in enumerate(layer.attention.heads if layer.attention else (), 1):
            if head.weighting not in UNIQUE:
                heads.append(head)
                continue
            if (number, place) not in terms:
                raise BadInput(
                    "every head that breaks ties must have a term", f"none for head {place} of layer {number}"
                )
            one, tie = at("one", "1"), at("tie", f"({terms[number, place]})*i/n")
            heads.append(_averaged(head, one, tie))
        layers.append(replace(layer, attention=SelfAttention(tuple(heads))) if heads else layer)
    wide = widen(model, tuple(new)) if new else model
    embedding = replace(wide.embedding, positions=positions)
    return replace(wide, name=f"{model.name} untied", embedding=embedding, layers=tuple(layers))


def _averaged(head: Head, one: str, tie: str) -> Head:
    """The head with the coordinate `tie` added to its scores, or subtracted."""
    reads = tuple(dict.fromkeys((*head.reads, one, tie)))
    zero = head.uniform
    sign = exact(UNIQUE[head.weighting]) / (1 if zero else head.scale)

    def rows(matrix: Any) -> list[list[Any]]:
        old = {name: c for c, name in enumerate(head.reads)}
        return [[matrix[r, old[name]] if name in old else 0 for name in reads] for r in range(matrix.shape[0])]

    Q, K = ([], []) if zero else (rows(head.Q), rows(head.K))
    Q.append([sign if name == one else 0 for name in reads])
    K.append([int(name == tie) for name in reads])
    return Head(reads, head.writes, Q, K, rows(head.V), head.mask, "average", 1, 1 if zero else head.scale)
