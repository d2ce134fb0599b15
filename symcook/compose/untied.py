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
from symcook.model.reads import PartsRead
from symcook.model.symbols import exact
from symcook.model.transformer import Transformer

if TYPE_CHECKING:
    import sympy

READS = PartsRead("the untying of scores")

UNIQUE = {"rightmost": 1, "leftmost": -1}
"""The weightings that break ties by position, with the sign of the term c i/n that replaces them."""


@door()
def untie(model: Transformer, terms: Mapping[tuple[int, int], str]) -> Transformer:
    """`model` with average-hard attention in place of leftmost and rightmost, with c i/n added to the scores of a
    rightmost head and subtracted from those of a leftmost one.

    `terms` gives c of head (layer, number), both from 1: an expression in n. A head whose scores have a gap of at least
    c chooses the same position, and then has a gap of at least c/n. Raises BadInput where a head is left out.
    """
    layers = []
    for number, layer in enumerate(READS.of(model).layers, 1):
        heads = []
        for place, head in enumerate(layer.attention.heads if layer.attention else (), 1):
            if head.weighting in UNIQUE:
                if (number, place) not in terms:
                    head_text = f"none for head {place} of layer {number}"
                    raise BadInput(
                        "a tie-breaking term must be given for every leftmost or rightmost head",
                        head_text,
                        "give a tie-breaking term for this head",
                    )
                model, constant = with_position(model, "one", "1")
                model, tie = with_position(model, "tie", f"({terms[number, place]})*i/n")
                head = _averaged(head, constant, tie)
            heads.append(head)
        layers.append(replace(layer, attention=SelfAttention(tuple(heads))) if heads else layer)
    return replace(model, name=f"{model.name} untied", layers=tuple(layers))


def with_position(model: Transformer, name: str, function: str) -> tuple[Transformer, str]:
    """The model with a coordinate that has a position function and nothing else, and the coordinate's name. An existing
    coordinate is used if there is one; else a new one is added, called `name` if that is free."""
    embedding = model.embedding
    words = (c for row in (embedding.words or {}).values() for c in row)
    written = (c for layer in READS.of(model).layers for part in layer.parts() for c in part.writes)
    # A coordinate that tokens, inputs or blocks write does not have the position function as its only value.
    occupied = {*words, *(embedding.inputs or ()), *written}
    for known, value in embedding.positions.items():
        if known not in occupied and value == exact(function):
            return model, known
    name = fresh(name, model.space)
    wide = widen(model, (name,))
    positions = dict(wide.embedding.positions) | {name: exact(function)}
    return replace(wide, embedding=replace(wide.embedding, positions=positions)), name


def _averaged(head: Head, one: str, tie: str) -> Head:
    """The head with average weighting, and with the coordinate `tie` added to its scores or subtracted from them. Q and
    K get one more row, whose product is `one` at the query times `tie` at the key."""
    reads = tuple(dict.fromkeys((*head.reads, one, tie)))
    # Scores are multiplied by the scale, so the new row of Q is divided by it. Without scores the new row is the only
    # one, and the new head has the scale 1.
    zero = head.uniform
    sign = exact(UNIQUE[head.weighting]) / (1 if zero else head.scale)

    def rows(matrix: sympy.MatrixBase) -> list[list[Any]]:
        """The rows of a matrix of the head over the coordinates `reads`, with zeros for the new ones."""
        old = {name: c for c, name in enumerate(head.reads)}
        return [[matrix[r, old[name]] if name in old else 0 for name in reads] for r in range(matrix.shape[0])]

    Q, K = ([], []) if zero else (rows(head.Q), rows(head.K))
    Q.append([sign if name == one else 0 for name in reads])
    K.append([int(name == tie) for name in reads])
    return Head(reads, head.writes, Q, K, rows(head.V), head.mask, "average", 1, 1 if zero else head.scale)
