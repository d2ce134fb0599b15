"""Cells: integer numerators for many inputs at once, with one static denominator and one static bound of magnitude.

A cell that depends on the first j tokens has one entry for each prefix of length j. The index of a prefix is the number
whose digits are its tokens, with the FIRST token least significant. Extending all prefixes by a token therefore repeats
the cell as a whole, and a short cell is combined with a long one by going through both in order of memory. The bound
follows from the operations alone and chooses the carrier before values are computed, so no overflow occurs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from symcook.domains.rowwise import Quantity

INT32 = 2**31 - 1
INT64 = 2**63 - 1
UNBOUNDED = INT64 + 1
"""The `bound` of cells with irrational numbers. They need no bound: this one makes `carrier` choose Python objects."""
ONE, ZERO = Fraction(1), Fraction(0)

Array = np.ndarray[Any, Any]
Carrier = Callable[[int], "np.dtype[Any]"]
"""A function from a bound to the number type of cells with that bound: `carrier` or `floating`."""
_KINDS = (np.dtype(np.int32), np.dtype(np.int64), np.dtype(object))
_FLOAT = np.dtype(np.float64)


def carrier(bound: int) -> np.dtype[Any]:
    """The smallest number type that holds every integer of magnitude at most `bound`.

    >>> [str(carrier(b)) for b in (2**31 - 1, 2**31, 2**63 - 1, 2**63)]
    ['int32', 'int64', 'int64', 'object']
    """
    return _KINDS[0 if bound <= INT32 else 1 if bound <= INT64 else 2]


def floating(bound: int) -> np.dtype[Any]:
    """float64 for every bound. It rounds beyond 2^53, and serves only to compare speeds."""
    return _FLOAT


@dataclass(frozen=True, slots=True)
class Cell:
    """One coordinate at one position: `numerators` / `denominator`, each numerator of magnitude at most `bound`.

    Without `codes`, `table` has the numerators. With `codes`, it has the different values, and the numerators are
    table[codes]: operations on wide integers then run once for each value, not for each entry. After a softmax or a
    weight that is a root, the numerators are numbers of the exact domain, and the denominator is 1 until a division.
    """

    table: Array
    denominator: int
    bound: int
    codes: Array | None = None

    @property
    def numerators(self) -> Array:
        return self.table if self.codes is None else self.table[self.codes]

    @property
    def size(self) -> int:
        return len(self.table if self.codes is None else self.codes)

    def each(self, function: Callable[[Array], Array]) -> Array:
        """`function`, which acts on arrays entry by entry, of all numerators."""
        results = function(self.table)
        return results if self.codes is None else results[self.codes]


def aligned(*arrays: Array) -> tuple[Array, ...]:
    """Views of arrays of different sizes, shaped so that numpy broadcasts them along the order of cells. Of two sizes,
    the smaller divides the larger.

    >>> a, b = aligned(np.array([1, 2]), np.array([10, 20, 30, 40]))
    >>> (a + b).reshape(-1).tolist()
    [11, 22, 31, 42]
    """
    sizes = sorted({len(array) for array in arrays})
    if len(sizes) == 1:
        return arrays
    steps = [sizes[0], *(large // small for small, large in zip(sizes, sizes[1:], strict=False))]
    shapes = {size: (1,) * (len(sizes) - 1 - k) + tuple(steps[k::-1]) for k, size in enumerate(sizes)}
    return tuple(array.reshape(shapes[len(array)]) for array in arrays)


def constant(value: Fraction, kinds: Carrier = carrier) -> Cell:
    """A cell with one entry for all inputs."""
    bound = abs(value.numerator)
    return Cell(np.array([value.numerator], dtype=kinds(bound)), value.denominator, bound)


def divide(cell: Cell, count: int) -> Cell:
    """The cell divided by `count`, a positive integer: only the denominator changes."""
    return Cell(cell.table, cell.denominator * count, cell.bound, cell.codes)


def relu(cell: Cell) -> Cell:
    """max(0, x)."""
    table = np.maximum(cell.table, scalar(0, cell.table.dtype))
    if cell.codes is None:
        return Cell(table, cell.denominator, cell.bound)
    table, codes = _without_repeats(table, cell.codes)
    return Cell(table, cell.denominator, cell.bound, codes)


def step(cell: Cell, kinds: Carrier = carrier) -> Cell:
    """I[x > 0]."""
    return Cell(cell.each(lambda table: (table > 0).astype(kinds(1))), 1, min(1, cell.bound))


def combine(terms: Sequence[tuple[Cell, Fraction]], shift: Fraction, kinds: Carrier = carrier) -> Cell:
    """The sum of weight * cell, plus shift, over the least common denominator of its nonzero terms, divided by common
    factors. A single cell with weight 1 and no shift is returned itself.

    The carrier holds the bound of the result, which also bounds every product and every partial sum.
    """
    live = [(cell, weight) for cell, weight in terms if cell.bound and weight]
    if not live:
        return constant(shift, kinds)
    if not shift and len(live) == 1 and live[0][1] == 1:
        return live[0][0]
    # Write the sum as (added + sum of factor * numerators) / common, with integers in lowest terms.
    denominators = [cell.denominator * weight.denominator for cell, weight in live]
    common = math.lcm(shift.denominator, *denominators)
    factors = [weight.numerator * (common // d) for (_, weight), d in zip(live, denominators, strict=True)]
    added = shift.numerator * (common // shift.denominator)
    shared = math.gcd(common, added, *factors)
    if shared > 1:
        common, added, factors = common // shared, added // shared, [f // shared for f in factors]
    bound = abs(added) + sum(abs(f) * cell.bound for (cell, _), f in zip(live, factors, strict=True))
    kind = kinds(bound)
    parts = sorted(zip((cell for cell, _ in live), factors, strict=True), key=lambda part: part[0].size)
    # Python integers are slow: if few different values occur, add values instead of entries.
    if kind.kind == "O":
        by_values = _by_values(parts, added)
        if by_values is not None:
            return Cell(by_values[0], common, bound, by_values[1])
    # From the smallest cell to the largest, so that most additions are on short arrays.
    total = parts[0][0].each(lambda table: scaled(table, parts[0][1], kind))
    if added:  # now, while the array is short
        total = total + scalar(added, kind)
    for cell, factor in parts[1:]:
        total = _broadcast_sum(total, cell.each(lambda table, factor=factor: scaled(table, factor, kind)))
    return Cell(total, common, bound)


def irrational(terms: Sequence[tuple[Cell, Quantity]], shift: Fraction) -> Cell:
    """The sum of weight * cell, plus shift, where weights are numbers of the exact domain, such as roots."""
    total = np.array([shift], dtype=object)
    for cell, weight in sorted(terms, key=lambda term: term[0].size):
        factor = weight * Fraction(1, cell.denominator)
        total = _broadcast_sum(total, cell.each(lambda table, factor=factor: scaled(table, 1, _KINDS[-1]) * factor))
    return Cell(total, 1, UNBOUNDED)


def _broadcast_sum(small: Array, large: Array) -> Array:
    """The sum of a small array and a large one, in the order of cells."""
    if len(small) == len(large):
        return small + large
    return (large.reshape(-1, len(small)) + small).reshape(-1)


FEW = 512
"""Up to this many entries, a cell without codes is searched for equal values."""

Coded = tuple[Array, Array]
"""(table of values, for each entry the index of its value in the table)."""


def _by_values(parts: Sequence[tuple[Cell, int]], added: int) -> Coded | None:
    """The sum of factor * cell, plus `added`, computed once for each combination of values that occurs. None if these
    are so many that the sum entry by entry is as fast. The cells must be sorted by size."""
    total: Coded | None = None
    for cell, factor in parts:
        coded_cell = _coded(cell)
        if coded_cell is None:
            return None
        part = scaled(coded_cell[0], factor, _KINDS[-1]), coded_cell[1]
        total = (part[0] + added, part[1]) if total is None else _pair_sums(total, part)
        if total is None:
            return None
    return total


def _coded(cell: Cell) -> Coded | None:
    """The different values of a cell with codes, if they are known or fast to find; else None. Some of the values may
    not occur."""
    table = cell.table
    if cell.codes is not None:
        return table, cell.codes
    if cell.size <= FEW:
        return _without_repeats(table, np.arange(cell.size, dtype=np.int32))
    if table.dtype.kind == "i" and 2 * cell.bound < cell.size:  # all integers up to the bound
        return np.arange(-cell.bound, cell.bound + 1, dtype=table.dtype), table + scalar(cell.bound, table.dtype)
    return None


def _pair_sums(small: Coded, large: Coded) -> Coded | None:
    """The sums of two coded cells, the smaller one first; None if too many different pairs of values occur."""
    size_right, size = len(large[0]), len(large[1])
    space = len(small[0]) * size_right
    if space > 16 * size + FEW:
        return None
    # The code of a pair is (code in small) * size_right + (code in large). Find the pairs that occur.
    before, here = aligned(small[1].astype(np.int64) * size_right, large[1])
    pairs = (before + here).reshape(-1)
    occurs = np.zeros(space, dtype=bool)
    occurs[pairs] = True
    used = np.flatnonzero(occurs)
    if 4 * len(used) > 3 * size > 3 * FEW:
        return None
    # Number the pairs that occur, and add each pair once.
    left_place, right = np.divmod(used, size_right)
    place = np.empty(space, dtype=np.int32)
    place[used] = np.arange(len(used), dtype=np.int32)
    table, codes = small[0][left_place] + large[0][right], place[pairs]
    return _without_repeats(table, codes) if 4 * len(used) <= max(size, 4 * FEW) else (table, codes)


def _without_repeats(table: Array, codes: Array) -> Coded:
    """The same entries with a table in which no value occurs twice."""
    number_of: dict[int, int] = {}
    places = [number_of.setdefault(value, len(number_of)) for value in table.tolist()]
    if len(number_of) == len(table):
        return table, codes
    return np.array(list(number_of), dtype=table.dtype), np.array(places, dtype=np.int32)[codes]


def scalar(value: int, kind: np.dtype) -> Any:
    """`value` in the number type `kind`, so that numpy does not convert to a wider type."""
    return kind.type(value) if kind.kind in "if" else value


def scaled(entries: Array, factor: int, kind: np.dtype) -> Array:
    """factor * entries in the carrier `kind`."""
    if entries.dtype != kind:
        entries = entries.astype(kind)
    return entries if factor == 1 else -entries if factor == -1 else entries * scalar(factor, kind)


def product(a: Cell, b: Cell, kinds: Carrier = carrier) -> Cell:
    """The product of two cells."""
    bound = a.bound * b.bound
    kind = kinds(max(bound, a.bound, b.bound))
    x, y = aligned(scaled(a.numerators, 1, kind), scaled(b.numerators, 1, kind))
    return Cell((x * y).reshape(-1), a.denominator * b.denominator, bound)


def common(cells: Sequence[Cell], kinds: Carrier = carrier) -> tuple[list[Array], int, int]:
    """The numerators of all cells over one denominator, that denominator, and the bound of all of them."""
    denominator = math.lcm(*(cell.denominator for cell in cells))
    factors = [denominator // cell.denominator for cell in cells]
    bound = max(f * cell.bound for f, cell in zip(factors, cells, strict=True))
    kind = kinds(bound)
    # The bound does not cover the factor of a cell of zeros, which needs none.
    parts = (scaled(cell.numerators, f if cell.bound else 1, kind) for cell, f in zip(cells, factors, strict=True))
    return list(parts), denominator, bound


def largest(cells: Sequence[Cell], kinds: Carrier = carrier) -> Array:
    """For each input, the index of the first cell with the maximum value."""
    scores, _, _ = common(cells, kinds)
    best, index = scores[0], np.zeros(1, dtype=np.int32)
    for k, score in enumerate(scores[1:], 1):
        score, best, index = aligned(score, best, index)
        index = np.where(score > best, np.int32(k), index).reshape(-1)
        best = np.maximum(score, best).reshape(-1)
    return index


def hard(
    scores: Sequence[Cell], rows: Sequence[Sequence[Cell]], weighting: str, kinds: Carrier = carrier
) -> list[Cell]:
    """One row of hard attention: a cell for each coordinate.

    `scores` has a cell for each visible position, at least one; `rows` has for each coordinate its values there.
    leftmost and rightmost take the first or last position with the maximum score; average puts equal weight on all of
    them. The number of tied positions depends on the input. So with average and m positions the static denominator gets
    the factor lcm(1..m); if no score depends on the input, it gets the number of ties.
    """
    # If all inputs have the same scores, the positions are the same for all inputs too.
    tests, _, _ = common(scores, kinds)
    if all(len(test) == 1 for test in tests):
        entries = [test[0] for test in tests]
        ties = [j for j, entry in enumerate(entries) if entry == max(entries)]
        places = ties if weighting == "average" else ties[:1] if weighting == "leftmost" else ties[-1:]
        return [divide(combine([(row[j], ONE) for j in places], ZERO, kinds), len(places)) for row in rows]
    # For each position after the first, an array over the inputs. `moves`: the maximum moves to this position.
    # `joins` (average only): its score equals the maximum of the positions before.
    moves: list[Array] = []
    joins: list[Array] = []
    best = tests[0]
    for test in tests[1:]:
        here, before = aligned(test, best)
        moves.append((here >= before if weighting == "rightmost" else here > before).reshape(-1))
        if weighting == "average":
            joins.append((here == before).reshape(-1))
        best = np.maximum(here, before).reshape(-1)
    if weighting == "average":
        return _means(moves, joins, rows, kinds)
    # leftmost and rightmost: replay the moves on the values.
    result = []
    for row in rows:
        values, denominator, bound = common(row, kinds)
        chosen = values[0]
        for value, move in zip(values[1:], moves, strict=True):
            chosen = np.where(*aligned(move, value, chosen)).reshape(-1)
        result.append(Cell(chosen, denominator, bound))
    return result


def _means(
    moves: Sequence[Array], joins: Sequence[Array], rows: Sequence[Sequence[Cell]], kinds: Carrier
) -> list[Cell]:
    """The means of the tied values. A running sum starts again where the maximum moves; see `hard` for the arrays."""
    position_count = len(moves) + 1
    ties = math.lcm(*range(1, position_count + 1))
    count = np.ones(1, dtype=np.int32)
    for move, join in zip(moves, joins, strict=True):
        move, join, count = aligned(move, join, count)
        count = np.where(move, np.int32(1), count + join).reshape(-1)
    result = []
    for row in rows:
        values, denominator, bound = common(row, kinds)
        # c tied entries have a sum of at most c * bound, which is then multiplied by ties / c.
        kind = kinds(max(bound * ties, ties))
        total = scaled(values[0], 1, kind)
        for value, move, join in zip(values[1:], moves, joins, strict=True):
            value, move, join, total = aligned(scaled(value, 1, kind), move, join, total)
            total = np.where(move, value, np.where(join, total + value, total)).reshape(-1)
        share = np.array([0] + [ties // c for c in range(1, position_count + 1)], dtype=kind)
        x, y = aligned(total, share[count])
        result.append(Cell((x * y).reshape(-1), denominator * ties, bound * ties))
    return result
