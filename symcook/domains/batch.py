"""Exact batches: every input of a block at once, as integers over denominators that are known before any input is seen.

A column is a list of cells, one a position. A cell holds integer numerators for all inputs of the block, ONE positive
denominator and ONE bound on the numerators' magnitude; the last two follow from the model and the length alone, and the
bound chooses the carrier (int32, int64, Python integers), so that nothing can overflow.

Inputs that share a prefix share its values: a cell that depends on the first j tokens holds |alphabet|^j entries, and
two cells of different sizes are combined by broadcasting the smaller one over its extensions. A causal model therefore
costs about as much for all words of length n as its last position alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from symcook.domains.exact import at_position
from symcook.errors import NotExact, require_known

INT32 = 2**31 - 1
INT64 = 2**63 - 1


def carrier(bound: int) -> np.dtype[Any]:
    """The smallest number type that holds every integer of magnitude at most `bound`.

    >>> [str(carrier(b)) for b in (2**31 - 1, 2**31, 2**63 - 1, 2**63)]
    ['int32', 'int64', 'int64', 'object']
    """
    return np.dtype(np.int32 if bound <= INT32 else np.int64 if bound <= INT64 else object)


@dataclass(frozen=True)
class Words:
    """All words of length n over `alphabet` that begin with `prefix`, in the order of the alphabet.

    The code of a word is its number in that order: the first free token is the most significant digit.

    >>> block = Words(("a", "b"), 3, ("b",))
    >>> block.size, list(block)[2]
    (4, ('b', 'b', 'a'))
    """

    alphabet: tuple[str, ...]
    n: int
    prefix: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """The number of words."""
        return len(self.alphabet) ** (self.n - len(self.prefix))

    def choices(self) -> list[tuple[str, ...]]:
        """The tokens that may stand at each position."""
        return [(token,) for token in self.prefix] + [self.alphabet] * (self.n - len(self.prefix))

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        import itertools

        return itertools.product(*self.choices())

    def blocks(self, limit: int) -> Iterator[Words]:
        """Consecutive blocks of at most `limit` words (at least the words that share all but the last token)."""
        if self.size <= limit or len(self.prefix) >= self.n - 1:
            yield self
            return
        for token in self.alphabet:
            yield from Words(self.alphabet, self.n, (*self.prefix, token)).blocks(limit)


@dataclass(frozen=True)
class Grid:
    """All sequences of rows with the row at each position taken from a list of its own: {input: Fraction}.

    A single position with all points of a grid is the batch of a feed-forward recipe. Order as in `Words`.
    """

    rows: tuple[Sequence[Mapping[str, Fraction]], ...]

    @property
    def size(self) -> int:
        """The number of sequences."""
        return math.prod(len(options) for options in self.rows)

    def choices(self) -> list[Sequence[Mapping[str, Fraction]]]:
        """The rows that may stand at each position."""
        return list(self.rows)

    def __iter__(self) -> Iterator[tuple[Mapping[str, Fraction], ...]]:
        import itertools

        return itertools.product(*self.rows)

    def blocks(self, limit: int) -> Iterator[Grid]:
        """Consecutive blocks of at most `limit` sequences."""
        if self.size <= limit:
            yield self
            return
        place = next(p for p, options in enumerate(self.rows) if len(options) > 1)
        options = self.rows[place]
        step = max(1, limit * len(options) // self.size)
        for start in range(0, len(options), step):
            part = (*self.rows[:place], options[start : start + step], *self.rows[place + 1 :])
            yield from Grid(part).blocks(limit)


@dataclass(frozen=True)
class Cell:
    """One coordinate at one position: `numerators` / `denominator`, each numerator of magnitude at most `bound`."""

    numerators: np.ndarray[Any, Any]
    denominator: int
    bound: int

    @property
    def size(self) -> int:
        return len(self.numerators)

    def fraction(self, code: int) -> Fraction:
        """The entry with number `code` in this cell."""
        return Fraction(int(self.numerators[code]), self.denominator)


Column = list[Cell]


class Batch:
    """The domain of exact batches. `begin` takes `Words` or a `Grid`; softmax and irrational numbers are NotExact."""

    name: ClassVar[str] = "batch"

    def __init__(self) -> None:
        self.length = 0
        self.size = 1
        """The number of inputs in the batch."""

    def context(self) -> AbstractContextManager[Any]:
        return nullcontext()

    def begin(self, sequence: Words | Grid, start: int) -> None:
        self._start = start
        self._choices: list[Any] = list(sequence.choices())
        self.length = len(self._choices)
        self.size = sequence.size
        self._above = [math.prod(len(c) for c in self._choices[:p]) for p in range(self.length)]

    def embed(self, table: Mapping[str, Any]) -> Column:
        exact = {token: rational(value) for token, value in table.items()}
        return [self._given(place, [exact[token] for token in tokens]) for place, tokens in enumerate(self._choices)]

    def input(self, name: str) -> Column:
        return [self._given(place, [rational(row[name]) for row in rows]) for place, rows in enumerate(self._choices)]

    def _given(self, place: int, values: list[Fraction]) -> Cell:
        """What depends on the token at `place` alone, at the size of all prefixes that end there."""
        denominator = math.lcm(*(v.denominator for v in values))
        numerators = [int(v * denominator) for v in values]
        bound = max(map(abs, numerators))
        row = np.array(numerators, dtype=carrier(bound))
        return Cell(np.tile(row, self._above[place]) if len(set(numerators)) > 1 else row[:1], denominator, bound)

    def positions(self, expression: Any) -> Column:
        return [_constant(_at_position(expression, place + self._start, self.length)) for place in range(self.length)]

    def linear(self, terms: Sequence[tuple[Column, Any]], bias: Any) -> Column:
        weights = [rational(weight) for _, weight in terms]
        shift = rational(bias)
        return [
            _combine([(column[place], w) for (column, _), w in zip(terms, weights, strict=True)], shift)
            for place in range(self.length)
        ]

    def activate(self, column: Column, kind: str) -> Column:
        if kind != "relu":
            raise NotExact("an activation must be relu in exact batches", kind)
        return [Cell(np.maximum(c.numerators, 0), c.denominator, c.bound) for c in column]

    def attend(
        self,
        queries: Sequence[Column],
        keys: Sequence[Column],
        values: Sequence[Column],
        mask: str,
        weighting: str,
        factor: Any,
    ) -> list[Column]:
        require_known("mask", mask, ("none", "future"))
        require_known("weighting", weighting, ("average", "softmax"))
        if weighting == "softmax" and queries:
            raise NotExact("exact batches need average attention", "softmax", "the exact domain takes one input")
        if not queries:
            return [self._uniform(column, mask) for column in values]
        rows = []
        for place in range(self.length):
            seen = range(place + 1 if mask == "future" else self.length)
            rows.append(_hard([q[place] for q in queries], [[k[j] for k in keys] for j in seen],
                              [[v[j] for j in seen] for v in values]))  # fmt: skip
        return [[row[v] for row in rows] for v in range(len(values))]

    def _uniform(self, column: Column, mask: str) -> Column:
        if mask == "future":
            total, result = column[0], [column[0]]
            for count, cell in enumerate(column[1:], 2):
                total = _combine([(total, Fraction(1)), (cell, Fraction(1))], Fraction(0))
                result.append(_divide(total, count))
            return result
        total = _combine([(cell, Fraction(1)) for cell in column], Fraction(0))
        return [_divide(total, self.length)] * self.length

    def positive(self, column: Column) -> list[np.ndarray[Any, Any]]:
        return [cell.numerators > 0 for cell in column]

    def zero(self, column: Column) -> list[np.ndarray[Any, Any]]:
        return [cell.numerators == 0 for cell in column]

    def both(self, first: np.ndarray[Any, Any], second: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        large, small = (first, second) if len(first) >= len(second) else (second, first)
        return (large.reshape(len(small), -1) & small[:, None]).reshape(-1)

    def full(self, entries: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """A verdict or numerators at the size of the batch: one entry for each input, in order."""
        return np.repeat(entries, self.size // len(entries)) if len(entries) < self.size else entries

    def read(self, column: Column, place: int) -> Cell:
        return column[place]

    def show(self, value: Cell, digits: int) -> list[str]:
        return [str(Fraction(int(p), value.denominator)) for p in self.full(value.numerators)]

    def settled(self, value: Cell, digits: int) -> bool:
        return True


@lru_cache(maxsize=4096, typed=True)
def rational(value: Any) -> Fraction:
    """A coefficient as a Fraction; NotExact where it is not rational."""
    if isinstance(value, (int, Fraction)):
        return Fraction(value)
    if not getattr(value, "is_Rational", False):
        raise NotExact("exact batches need rational numbers", value, "the exact or the ball domain takes one input")
    return Fraction(int(value.p), int(value.q))


@lru_cache(maxsize=65536)
def _at_position(expression: Any, i: int, n: int) -> Fraction:
    return at_position(expression, i, n)


def _constant(value: Fraction) -> Cell:
    bound = abs(value.numerator)
    return Cell(np.array([value.numerator], dtype=carrier(bound)), value.denominator, bound)


def _divide(cell: Cell, count: int) -> Cell:
    return Cell(cell.numerators, cell.denominator * count, cell.bound)


def _combine(terms: Sequence[tuple[Cell, Fraction]], shift: Fraction) -> Cell:
    """The sum of weight * cell, plus shift, over the least common denominator of what takes part.

    The carrier holds the bound of the result, which also bounds every product and every partial sum.
    """
    live = [(cell, weight) for cell, weight in terms if cell.bound and weight]
    if not live:
        return _constant(shift)
    common = math.lcm(shift.denominator, *(c.denominator * w.denominator for c, w in live))
    factors = [w.numerator * (common // (c.denominator * w.denominator)) for c, w in live]
    constant = int(shift * common)
    shared = math.gcd(common, constant, *factors)
    if shared > 1:
        common, constant, factors = common // shared, constant // shared, [f // shared for f in factors]
    bound = abs(constant) + sum(abs(f) * c.bound for (c, _), f in zip(live, factors, strict=True))
    kind = carrier(bound)
    order = sorted(range(len(live)), key=lambda t: live[t][0].size)
    total: Any = None
    for t in order:
        entries = _times(live[t][0].numerators, factors[t], kind)
        total = entries if total is None else _add(entries, total)
    assert total is not None
    return Cell(total + _scalar(constant, kind) if constant else total, common, bound)


def _scalar(value: int, kind: np.dtype[Any]) -> Any:
    """`value` as a number of the carrier, so that no wider type creeps in."""
    return kind.type(value) if kind.kind == "i" else value


def _times(entries: np.ndarray[Any, Any], factor: int, kind: np.dtype[Any]) -> np.ndarray[Any, Any]:
    entries = entries.astype(kind, copy=False)
    return entries if factor == 1 else entries * _scalar(factor, kind)


def _add(large: np.ndarray[Any, Any], small: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The sum of two arrays, the smaller one repeated over its extensions."""
    if len(large) == len(small):
        return large + small
    return (large.reshape(len(small), -1) + small[:, None]).reshape(-1)


def _spread(cells: Sequence[Cell], factors: Sequence[int], kind: np.dtype[Any], size: int) -> np.ndarray[Any, Any]:
    """The numerators times their factors as rows of one array, each at `size` entries."""
    table = np.empty((len(cells), size), dtype=kind)
    for row, (cell, factor) in enumerate(zip(cells, factors, strict=True)):
        entries = _times(cell.numerators, factor if cell.bound else 1, kind)
        table[row] = np.repeat(entries, size // len(entries))
    return table


def _common(cells: Sequence[Cell]) -> tuple[int, list[int], int]:
    """One denominator for all cells, the factors that bring them to it, and the bound afterwards."""
    denominator = math.lcm(*(c.denominator for c in cells))
    factors = [denominator // c.denominator for c in cells]
    return denominator, factors, max(f * c.bound for f, c in zip(factors, cells, strict=True))


def _product(a: Cell, b: Cell) -> Cell:
    bound = a.bound * b.bound
    kind = carrier(max(bound, a.bound, b.bound))
    large, small = (a, b) if a.size >= b.size else (b, a)
    x, y = large.numerators.astype(kind, copy=False), small.numerators.astype(kind, copy=False)
    return Cell((x.reshape(len(y), -1) * y[:, None]).reshape(-1), a.denominator * b.denominator, bound)


def _hard(queries: Sequence[Cell], keys: Sequence[Sequence[Cell]], values: Sequence[Sequence[Cell]]) -> list[Cell]:
    """One row of average-hard attention: equal weight on the visible positions whose score is the greatest.

    The number of tied positions depends on the input, so that the static denominator takes lcm(1..m) for m positions;
    where no score depends on the input, it is the number itself.
    """
    one = Fraction(1)
    scores = [_combine([(_product(q, k), one) for q, k in zip(queries, row, strict=True)], Fraction(0)) for row in keys]
    _, factors, bound = _common(scores)
    size = max(c.size for c in scores)
    table = _spread(scores, factors, carrier(bound), size)
    chosen = table == table.max(axis=0)
    if size == 1:
        places = [j for j in range(len(keys)) if chosen[j, 0]]
        return [_divide(_combine([(v[j], one) for j in places], Fraction(0)), len(places)) for v in values]
    ties = math.lcm(*range(1, len(keys) + 1))
    count = chosen.sum(axis=0)
    result = []
    for row in values:
        denominator, factors, bound = _common(row)
        most = bound * ties  # a sum over c tied entries is at most c * bound, and is multiplied by ties / c
        kind = carrier(max(most, ties))
        full = max(size, *(c.size for c in row))
        weights = np.repeat(chosen, full // size, axis=1)
        total = (_spread(row, factors, kind, full) * weights.astype(kind)).sum(axis=0, dtype=kind)
        share = np.array([0] + [ties // c for c in range(1, len(keys) + 1)], dtype=kind)
        result.append(Cell(total * np.repeat(share[count], full // size), denominator * ties, most))
    return result
