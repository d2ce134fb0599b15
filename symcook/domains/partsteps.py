"""The steps of a part as functions over columns, for any number system.

A step becomes a function once, with the numbers of its part in place (`terms_of`, `columns_of`), and the function is
kept with the part: a short run would spend a good part of its time on the match. It takes a number system and columns
by coordinate; coordinates that are zero by construction have no column. What it gives is the entries of a vector by
index, with those alone that are asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple, TypeVar

from symcook.domains.protocol import Coefficient, Column
from symcook.model.expr import parse_term
from symcook.model.parts import Mask, Part
from symcook.model.rationals import quotient
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
from symcook.model.symbols import Number, lowered

ColumnsBy = Mapping[Any, Any]
"""Columns by coordinate, or by index."""
TermsAndBias = tuple[Sequence[tuple[Column, Coefficient]], Coefficient]
"""Terms (column, weight) and a bias, which are not yet added: the last sum of a part and the residual
stream are one sum."""
TermsOf = Callable[[Any, ColumnsBy], dict[int, TermsAndBias[Any]]]
ColumnsOf = Callable[[Any, ColumnsBy], dict[int, Any]]
Wanted = tuple[int, ...] | None
"""The indices of the entries that are asked for; None for all."""
Function = TypeVar("Function")


def terms_of(part: Part, step: PartStep, wanted: Wanted = None) -> TermsOf:
    """The function that gives the entries `wanted` of a step of a part as terms."""
    return _once(part, _terms_of, step, wanted)


def columns_of(part: Part, step: PartStep, wanted: Wanted = None) -> ColumnsOf:
    """The function that gives the entries `wanted` of a step of a part as columns."""
    return _once(part, _columns_of, step, wanted)


class HeadFunctions(NamedTuple):
    """What a head asks, offers and gives, and which positions a row sees, with what weights. Where scores depend on the
    distance, `per_position` is what the product of query and key has in addition from one position to the next; else
    0."""

    queries: TermsOf
    keys: TermsOf
    values: TermsOf
    mask: Mask
    weighting: str
    per_position: Coefficient


def head_of(head: Part, wanted: Wanted) -> HeadFunctions:
    """The functions of a head whose outputs `wanted` are asked for."""
    return _once(head, _head_of, head.steps, wanted)


def _head_of(head: Part, step: PartStep, wanted: Wanted) -> HeadFunctions:
    """See `head_of`."""
    match step:
        case Attend(Products(queries, keys, _, _), values, mask, weighting):
            sides = terms_of(head, queries), terms_of(head, keys)
            return HeadFunctions(*sides, terms_of(head, values, wanted), Mask(mask), weighting, 0)
        case Attend(ByDistance(products, "slope"), values, mask, weighting):
            plain = _head_of(head, Attend(products, values, mask, weighting), wanted)
            return plain._replace(per_position=head.lowered["per_position"])
    unknown_step("the forward pass", step)


def combine(domain: Any, terms: Sequence[tuple[Any, Coefficient]], bias: Coefficient) -> Any:
    """A weighted sum of columns and a bias; a single column with weight 1 stays the same object."""
    if bias == 0 and len(terms) == 1 and terms[0][1] == 1:
        return terms[0][0]
    return domain.linear(terms, bias)


def row(weights: Mapping[Any, Any], columns: ColumnsBy) -> list[tuple[Any, Any]]:
    """The terms (column, weight) of one row of a matrix; coordinates that are zero are left out."""
    return [(columns[name], weight) for name, weight in weights.items() if name in columns]


def _once(part: Part, make: Callable[..., Function], step: PartStep, wanted: Wanted) -> Function:
    """The function of a step, made once. A part has few steps, which live as long as it does."""
    key = make, id(step), wanted
    if key not in part.kept:
        part.kept[key] = make(part, step, wanted)
    return part.kept[key]


def _terms_of(part: Part, step: PartStep, wanted: Wanted) -> TermsOf:
    """See `terms_of`."""
    numbers = part.lowered
    match step:
        case Read():
            names = [(k, part.reads[k]) for k in _indices(wanted, len(part.reads))]
            return lambda _, columns: {k: ([(columns[name], 1)] if name in columns else [], 0) for k, name in names}
        case LinearMap(Read(), matrix, bias):
            rows = _rows(numbers, matrix, bias, wanted)
            return lambda _, columns: {k: (row(weights, columns), added) for k, weights, added in rows}
        case LinearMap(of, matrix, bias):
            rows = _rows(numbers, matrix, bias, wanted)
            inner = columns_of(part, of, tuple(sorted(set().union(*(weights for _, weights, _ in rows)))))

            def linear(domain: Any, columns: ColumnsBy) -> dict[int, TermsAndBias[Any]]:
                made = inner(domain, columns)
                return {k: (row(weights, made), added) for k, weights, added in rows}

            return linear
        case ScaleEntries(of, gain, bias):
            gains, inner = numbers[gain], columns_of(part, of, wanted)
            biases: Sequence[Coefficient] = [0] * len(gains) if bias is None else numbers[bias]
            scaled = [(k, gains[k], gains[k] != 0, biases[k]) for k in _indices(wanted, len(gains))]

            def scale(domain: Any, columns: ColumnsBy) -> dict[int, TermsAndBias[Any]]:
                made = inner(domain, columns)
                return {k: ([(made[k], factor)] if counts else [], added) for k, factor, counts, added in scaled}

            return scale
        case Activate(_, _) | Multiply(_, _) | DivideByRms(_, _, _) | Rotate(_, _):
            whole = columns_of(part, step, wanted)
            return lambda domain, columns: {k: ([(column, 1)], 0) for k, column in whole(domain, columns).items()}
    unknown_step("the forward pass", step)


def _columns_of(part: Part, step: PartStep, wanted: Wanted) -> ColumnsOf:
    """See `columns_of`."""
    match step:
        case Read():
            names = [(k, part.reads[k]) for k in _indices(wanted, len(part.reads))]

            def read(domain: Any, columns: ColumnsBy) -> dict[int, Any]:
                zero = domain.linear([], 0)
                return {k: columns.get(name, zero) for k, name in names}

            return read
        case LinearMap(_, _, _) | ScaleEntries(_, _, _):
            terms = terms_of(part, step, wanted)
            return lambda domain, columns: {k: combine(domain, *sum_) for k, sum_ in terms(domain, columns).items()}
        case Activate(of, kind):
            inner = columns_of(part, of, wanted)
            return lambda domain, columns: {
                k: domain.activate(column, kind) for k, column in inner(domain, columns).items()
            }
        case Multiply(left, right):
            sides = columns_of(part, left, wanted), columns_of(part, right, wanted)

            def multiply(domain: Any, columns: ColumnsBy) -> dict[int, Any]:
                first, second = (side(domain, columns) for side in sides)
                return {k: domain.multiply(column, second[k]) for k, column in first.items()}

            return multiply
        case Rotate(of, angles):
            return _turned(part, columns_of(part, of), part.lowered[angles], wanted)
        case DivideByRms(Centre(of), epsilon, zero):
            return _normed("layer_norm", part, of, epsilon, zero, wanted)
        case DivideByRms(of, epsilon, zero):
            return _normed("rms_norm", part, of, epsilon, zero, wanted)
    unknown_step("the forward pass", step)


def turns(angles: Sequence[Any]) -> list[tuple[Number, Number]]:
    """Of each angle the cosine and the sine of its product with the position, as terms in i."""
    i: Any = lowered("i")
    trees = (angle if isinstance(angle, tuple) or angle == 0 else parse_term(quotient(angle)) for angle in angles)
    scaled = (tree if tree == 0 else ("*", tree, i) for tree in trees)
    still = Fraction(1), Fraction(0)
    return [still if turn == 0 else (("call", "cos", (turn,)), ("call", "sin", (turn,))) for turn in scaled]


def _turned(part: Part, inner: ColumnsOf, angles: Sequence[Any], wanted: Wanted) -> ColumnsOf:
    """A rotation of pairs. The cosines and sines are columns, as they depend on the position."""
    half, terms = len(angles), turns(angles)

    def turned(domain: Any, columns: ColumnsBy) -> dict[int, Any]:
        entries, found = inner(domain, columns), dict[int, Any]()
        for k in _indices(wanted, 2 * half):
            x, y = entries[k % half], entries[k % half + half]
            cos, sin = terms[k % half]
            if sin == 0:
                found[k] = entries[k]
                continue
            by_cos, by_sin = domain.positions(cos), domain.positions(sin)
            sums = ((x, by_cos, 1), (y, by_sin, -1)) if k < half else ((x, by_sin, 1), (y, by_cos, 1))
            found[k] = domain.linear([(domain.multiply(column, by), sign) for column, by, sign in sums], 0)
        return found

    return turned


def _normed(operation: str, part: Part, of: PartStep, epsilon: str, zero: str, wanted: Wanted) -> ColumnsOf:
    """A norm, one operation of number systems: they store its result once."""
    inner, numbers = columns_of(part, of, None), part.lowered

    def normed(domain: Any, columns: ColumnsBy) -> dict[int, Any]:
        entries = inner(domain, columns)
        made = getattr(domain, operation)(list(entries.values()), numbers[epsilon], zero)
        return dict(enumerate(made)) if wanted is None else {k: made[k] for k in wanted}

    return normed


def _rows(numbers: Mapping[str, Any], matrix: str, bias: str | None, wanted: Wanted) -> list[tuple[int, Any, Any]]:
    """The index, the weights and the bias of each row that is asked for."""
    rows, biases = numbers[matrix], None if bias is None else numbers[bias]
    return [(k, rows[k], 0 if biases is None else biases[k]) for k in _indices(wanted, len(rows))]


def _indices(wanted: Wanted, count: int) -> Iterable[int]:
    """The indices that are asked for."""
    return range(count) if wanted is None else wanted
