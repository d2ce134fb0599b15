"""Leftmost and rightmost attention as average-hard attention, with a term in i/n in the scores that breaks the ties.

`untie` takes a model and a size c of the term for each such head; if c is at most the gap of the scores, every head
attends to the position that it attended to before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from symcook.compose.routing import fresh
from symcook.compose.stacking import widen
from symcook.door import door
from symcook.errors import BadInput
from symcook.model.parts import Head, SelfAttention
from symcook.model.symbols import exact
from symcook.model.transformer import Transformer

if TYPE_CHECKING:
    import sympy

UNIQUE = {"rightmost": 1, "leftmost": -1}
"""The weightings that break ties by place, with the sign of the term that does so in their stead."""


@door()
def untie(model: Transformer, terms: Mapping[tuple[int, int], str]) -> Transformer:
    """`model` with average-hard attention in place of leftmost and rightmost, with c i/n added to the scores of a
    rightmost head and subtracted from those of a leftmost one.

    `terms` gives c of head (layer, number), both from 1: an expression in n. A head whose scores have a gap of at least
    c chooses the same position, and then has a gap of at least c/n. Raises BadInput where a head is left out.
    """
    layers = []
    for number, layer in enumerate(model.layers, 1):
        heads = []
        for place, head in enumerate(layer.attention.heads if layer.attention else (), 1):
            if head.weighting in UNIQUE:
                if (number, place) not in terms:
                    head_text = f"none for head {place} of layer {number}"
                    raise BadInput("every head that breaks ties must have a term", head_text)
                model, constant = with_position(model, "one", "1")
                model, tie = with_position(model, "tie", f"({terms[number, place]})*i/n")
                head = _averaged(head, constant, tie)
            heads.append(head)
        layers.append(replace(layer, attention=SelfAttention(tuple(heads))) if heads else layer)
    return replace(model, name=f"{model.name} untied", layers=tuple(layers))


def with_position(model: Transformer, name: str, function: str) -> tuple[Transformer, str]:
    """The model with a coordinate that holds a position function and nothing else, and its name: one that is there, or
    a new one, called `name` where that is free."""
    embedding = model.embedding
    words = (c for row in (embedding.words or {}).values() for c in row)
    written = (c for layer in model.layers for part in layer.parts() for c in part.writes)
    # A coordinate that something else writes does not hold the function alone.
    occupied = {*words, *(embedding.inputs or ()), *written}
    for known, value in embedding.positions.items():
        if known not in occupied and value == exact(function):
            return model, known
    name = fresh(name, model.space)
    wide = widen(model, (name,))
    positions = dict(wide.embedding.positions) | {name: exact(function)}
    return replace(wide, embedding=replace(wide.embedding, positions=positions)), name


def _averaged(head: Head, one: str, tie: str) -> Head:
    """The head with the coordinate `tie` added to its scores, or subtracted."""
    reads = tuple(dict.fromkeys((*head.reads, one, tie)))
    zero = head.uniform
    sign = exact(UNIQUE[head.weighting]) / (1 if zero else head.scale)

    # The score is multiplied by the scale, so the new row of Q is divided by it.
    def rows(matrix: sympy.MatrixBase) -> list[list[Any]]:
        old = {name: c for c, name in enumerate(head.reads)}
        return [[matrix[r, old[name]] if name in old else 0 for name in reads] for r in range(matrix.shape[0])]

    Q, K = ([], []) if zero else (rows(head.Q), rows(head.K))
    Q.append([sign if name == one else 0 for name in reads])
    K.append([int(name == tie) for name in reads])
    return Head(reads, head.writes, Q, K, rows(head.V), head.mask, "average", 1, 1 if zero else head.scale)
