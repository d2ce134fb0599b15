"""What a part reads to compute what is wanted of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from symcook.model.entries import filled_columns, held
from symcook.model.parts import Part
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
    unknown_step,
)

Filled = Callable[[str], Iterable[Collection[int]]]
"""For each row of the matrix with a name, the columns of the entries that are not zero."""


def coordinates_needed(part: Part, wanted: Collection[str]) -> set[str]:
    """The coordinates that a part reads to compute the coordinates `wanted`."""
    rows = {k for k, name in enumerate(part.writes) if name in wanted}
    if not rows:
        return set()
    columns = _needed(part.steps, rows, len(part.reads), lambda matrix: filled_columns(held(part, matrix)))
    return {part.reads[c] for c in columns}


def _needed(step: PartStep, wanted: Collection[int] | None, count: int, filled: Filled) -> set[int]:
    """The indices of what a part reads (`count` coordinates) that the entries `wanted` of a step (None: all) depend
    on."""
    match step:
        case Read():
            return set(range(count) if wanted is None else wanted)
        case LinearMap(of, matrix, _):
            rows = [columns for k, columns in enumerate(filled(matrix)) if wanted is None or k in wanted]
            return _needed(of, set().union(*rows), count, filled)
        case Activate(of, _) | ScaleEntries(of, _, _):
            return _needed(of, wanted, count, filled)
        case Multiply(left, right):
            return _needed(left, wanted, count, filled) | _needed(right, wanted, count, filled)
        case Centre(of) | DivideByRms(of, _, _) | Rotate(of, _):
            return _needed(of, None, count, filled)
        case Attend(ByDistance(products, _), values, mask, weighting):
            return _needed(Attend(products, values, mask, weighting), wanted, count, filled)
        case Attend(Products(queries, keys, _, _), values, _, _):
            scores = _needed(queries, None, count, filled) | _needed(keys, None, count, filled)
            return scores | _needed(values, wanted, count, filled)
    unknown_step("what a model says of itself", step)
