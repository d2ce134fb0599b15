"""Running sums as far as a decision needs them: exact if their terms depend on tokens and positions only, else only
their sign and an interval.

A sum of outputs of attention differs for nearly every string, but answers depend on little of it. So a state keeps the
sign of such a sum, and the ends of an interval that contains it for all strings of the state. At one
position, values are affine in these sums: an exact number plus a multiple of each. So relu(t) - relu(t - eps) is eps
for t > eps, which the ends alone would not show. If the ends leave the sign of a unit undecided, `KeepApart` is raised
with the sums that the unit depends on; the caller starts again and keeps these sums exactly. Only the ends are rounded,
outwards, to multiples of 2^-GRID.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from symcook.domains.cells import (
    INT64,
    ONE,
    ZERO,
    Array,
    Cell,
    combine,
    common,
    constant,
    divide,
    largest,
    relu,
    scalar,
    scaled,
    step,
)
from symcook.domains.protocol import Coefficient, unknown_weighting
from symcook.errors import BadInput, Unmerged
from symcook.model.expr import show
from symcook.model.parts import Mask
from symcook.model.rationals import rational
from symcook.words.exact import HeldSum, Position
from symcook.words.keyed import KeepApart, Kept, KeyFold, KeyTable, grouped, masked, taken, tight

MOST = 100_000
"""The greatest number of states that are kept at one position."""
GRID = 40
"""The ends of intervals are multiples of 2^-GRID, or known to be strictly between two neighbouring multiples."""
NO, YES, OPEN = 0, 1, 2
"""Verdicts in arrays; OPEN is undecided."""
HEAD = frozenset({"head"})
"""What the output of an attention depends on (`AffineEntries.of`)."""


@dataclass(frozen=True)
class AffineEntries:
    """One coordinate, with an entry for each state and token (or one entry for all). A value is `cell` plus, for each
    number k in `parts`, the multiple parts[k] of running sum k, which is known by its ends only. `of` says what a value
    depends on: "token", "place" (the position), and "head" (an attention, or anything that is no sum of a term of the
    token and one of the position)."""

    cell: Cell
    parts: Mapping[int, Cell]
    of: frozenset[str] = frozenset()

    def take(self, entries: Array) -> AffineEntries:
        """The column with the chosen entries."""
        return replace(
            self, cell=taken(self.cell, entries), parts={k: taken(c, entries) for k, c in self.parts.items()}
        )


@dataclass(frozen=True)
class Ends:
    """An interval that contains a running sum, by the codes of its ends. The code 2a is the point a/2^GRID, and the
    code 2a + 1 any point strictly between a/2^GRID and (a + 1)/2^GRID. `bound` is a bound on the size of the codes."""

    low: Array
    high: Array
    bound: int

    def take(self, entries: Array) -> Ends:
        """The chosen entries."""
        return Ends(self.low[entries], self.high[entries], self.bound)

    @property
    def sign(self) -> Array:
        """For each entry the sign 1, -1 or 0 of the sum; 2 where it is unknown."""
        return np.where(self.low > 0, 1, np.where(self.high < 0, -1, np.where((self.low | self.high) == 0, 0, 2)))


@dataclass(frozen=True)
class Course:
    """A running sum of `count` terms. `number` identifies the sum: sums are numbered in the order of evaluation."""

    total: Cell | Ends
    count: int
    number: int

    def take(self, entries: Array) -> Course:
        """The chosen entries."""
        total = self.total
        return replace(self, total=total.take(entries) if isinstance(total, Ends) else taken(total, entries))


def wide(bound: int) -> np.dtype:
    """The numpy type for integers up to `bound` in size: 64 bits, or Python integers."""
    return np.dtype(np.int64) if bound <= 2**62 else np.dtype(object)


Total = Course | KeyTable | None
"""What states have of a value column of a head: a running sum, the best keys of a hard head, or nothing yet."""


class AffineNumbers:
    """The arithmetic of affine values at one position.

    kept: the sums and heads that are kept exactly (see `KeepApart`). heads: the names of the heads, in the order in
    which they are evaluated. seen: how many positions are before this one. asked, number: how many heads and running
    sums were evaluated so far at this position.
    """

    ends = 1
    """How many entries a state has."""
    says = "grouped by prefixes"

    def __init__(self, heads: Sequence[str] = (), kept: frozenset[Kept] = frozenset()) -> None:
        self.heads, self.kept = heads, kept
        self.boxes: dict[int, Ends] = {}
        """{number of a running sum: its ends}, for the sums that are averaged at this position."""
        self.seen = self.asked = self.number = 0
        self._known: dict[Coefficient, Cell] = {}

    def at(self, seen: int, entries: int) -> AffineNumbers:
        """The arithmetic of the next position, with `seen` positions before it."""
        new = copy(self)
        new.seen, new.asked, new.number, new.boxes = seen, 0, 0, {}
        return new

    # --- Values ---

    def cell(self, value: Coefficient) -> Cell:
        """A rational number as a cell with one entry. Unmerged for a number that is not rational."""
        if value not in self._known:
            self._known[value] = constant(_rational(value))
        return self._known[value]

    def values(self, numbers: Sequence[Coefficient]) -> AffineEntries:
        """The column of a value for each token."""
        tables, denominator, bound = common([self.cell(value) for value in numbers])
        table = np.concatenate(tables)
        if (table == table[0]).all():
            table = table[:1]
        return AffineEntries(Cell(table, denominator, bound), {}, frozenset({"token"}))

    def position(self, term: Coefficient, i: int, n: int) -> AffineEntries:
        """The column of a position function: one entry, its value at position i of n."""
        value = _rational(term, i=Fraction(i), n=Fraction(n))
        return AffineEntries(constant(value), {}, frozenset({"place"} if isinstance(term, tuple) else ()))

    def linear(self, terms: Sequence[tuple[AffineEntries, Coefficient]], bias: Coefficient) -> AffineEntries:
        """The weighted sum of columns and a bias: of their exact parts, and of the multiples of each sum."""
        weighted = [(column, _rational(weight)) for column, weight in terms]
        cell = combine([(x.cell, weight) for x, weight in weighted], _rational(bias))
        parts = {}
        for number in dict.fromkeys(k for x, _ in weighted for k in x.parts):
            multiple = combine([(x.parts[number], w) for x, w in weighted if number in x.parts], ZERO)
            if multiple.table.any():
                parts[number] = multiple
        if cell.bound > INT64:
            cell = tight(cell)
        return AffineEntries(cell, parts, frozenset[str]().union(*(x.of for x, _ in weighted)))

    def activate(self, x: AffineEntries, kind: str) -> AffineEntries:
        """A ReLU or step of a column; KeepApart where the ends leave the sign of an entry undecided, Unmerged for
        another activation."""
        if kind not in ("relu", "step"):
            raise Unmerged(
                "to test strings in groups, every activation of the model must be relu or step", f"activation {kind}"
            )
        of = x.of if len(x.of) < 2 else HEAD
        # An exact number has a sign. Of any other value, the sign must follow from the ends.
        if not x.parts:
            return AffineEntries(relu(x.cell) if kind == "relu" else step(x.cell), {}, of)
        positive, off = self.above(x)
        on = positive if kind == "step" else self.not_below(x)
        if not (on | off).all():
            raise KeepApart(apart("sum", x.parts))
        on = on & ~off  # for a ReLU, a value of exactly 0 satisfies both conditions
        if kind == "step":
            return AffineEntries(Cell(on.astype(np.int32), 1, 1), {}, of)
        parts = {k: masked(on, c) for k, c in x.parts.items()} if on.any() else {}
        return AffineEntries(masked(on, x.cell), parts, of)

    # --- Ends ---

    def above(self, x: AffineEntries) -> tuple[Array, Array]:
        """Where a value is known to be positive, and where it is known not to be."""
        low, high, low_open, _, _ = self.around(x)
        return (low > 0) | ((low == 0) & low_open), high <= 0

    def not_below(self, x: AffineEntries) -> Array:
        """Where a value is known not to be negative."""
        return self.around(x)[0] >= 0

    def around(self, x: AffineEntries) -> tuple[Array, Array, Array, Array, int]:
        """For each entry, as integers over one denominator: the smallest and the largest value that it may have;
        whether each of these is excluded (open), because some sum lies strictly between two grid points; and the
        denominator."""
        closed = np.zeros(1, dtype=bool)
        if not x.parts:
            return x.cell.numerators, x.cell.numerators, closed, closed, x.cell.denominator
        # One denominator for all terms. The number type must be wide enough for every sum below.
        below = math.lcm(x.cell.denominator, *(cell.denominator for cell in x.parts.values()))
        first = (below << GRID) // x.cell.denominator
        factors = {k: below // cell.denominator for k, cell in x.parts.items()}
        size = first * max(x.cell.bound, 1)
        size += sum(factors[k] * max(c.bound, 1) * (self.boxes[k].bound + 1) for k, c in x.parts.items())
        kind = wide(size)
        low = high = scaled(x.cell.numerators, first, kind)
        low_open = high_open = closed
        for k, cell in x.parts.items():
            box, multiple = self.boxes[k], scaled(cell.numerators, factors[k], kind)
            # A negative multiple exchanges the ends. An odd code 2a + 1 is between a and a + 1, so that end is open.
            up, nonzero = multiple >= 0, multiple != 0
            least, most = np.where(up, box.low, box.high), np.where(up, box.high, box.low)
            low = low + multiple * scaled(np.where(up, least >> 1, (least + 1) >> 1), 1, kind)
            high = high + multiple * scaled(np.where(up, (most + 1) >> 1, most >> 1), 1, kind)
            low_open = low_open | (nonzero & ((least & 1) != 0))
            high_open = high_open | (nonzero & ((most & 1) != 0))
        return low, high, low_open, high_open, below << GRID

    def between(self, x: AffineEntries) -> Ends:
        """The smallest interval, as codes, that contains the value of each entry."""
        # An exact value has one code for both ends: even for a grid point, odd between two of them. Any other value has
        # the codes of its two ends, rounded outwards.
        if not x.parts:
            cell = x.cell
            kind = wide(max(cell.bound << GRID, cell.denominator))
            quotient, remainder = _divided(scaled(cell.numerators, 1 << GRID, kind), cell.denominator, kind)
            low = high = 2 * quotient + (remainder != 0)
        else:
            least, most, low_open, high_open, below = self.around(x)
            below >>= GRID
            kind = wide(max(below, int(np.abs(least).max()), int(np.abs(most).max())))
            quotient, remainder = _divided(scaled(least, 1, kind), below, kind)
            low = 2 * quotient + ((remainder != 0) | low_open)
            quotient, remainder = _divided(-scaled(most, 1, kind), below, kind)
            high = -2 * quotient - ((remainder != 0) | high_open)
        bound = max(int(np.abs(low).max()), int(np.abs(high).max()))
        return Ends(low.astype(wide(bound)), high.astype(wide(bound)), bound)

    # --- Heads ---

    def added(self, before: Course | None, x: AffineEntries) -> Course:
        """The running sum with one more term: exact where its terms depend on tokens and positions only, or where it
        must be kept exactly; else by its ends."""
        number, self.number = self.number, self.number + 1
        count = self.seen + 1
        if "head" in x.of and ("sum", number) not in self.kept:
            new = self.between(x)
            if before is None:
                return Course(new, count, number)
            old: Any = before.total
            bound = old.bound + new.bound + 1
            low, new_low = old.low.astype(wide(bound)), new.low.astype(wide(bound))
            high, new_high = old.high.astype(wide(bound)), new.high.astype(wide(bound))
            # Two values strictly between grid points have a sum strictly within two steps: both of its ends are odd.
            ends = Ends(low + new_low - (low & new_low & 1), high + new_high + (high & new_high & 1), bound)
            return Course(ends, count, number)
        # An exact sum of terms that are known by their ends only is impossible.
        if x.parts:
            raise KeepApart(apart("sum", x.parts))
        total: Any = x.cell if before is None else combine([(before.total, ONE), (x.cell, ONE)], ZERO)  # type: ignore[list-item]
        return Course(tight(total) if total.bound > INT64 else total, count, number)

    def mean(self, course: Course | None) -> AffineEntries:
        """The average of all terms of a sum; zero if there is no sum. If the sum has ends only, they are noted in
        `boxes`."""
        if course is None:
            return AffineEntries(constant(ZERO), {}, HEAD)
        if isinstance(course.total, Cell):
            return AffineEntries(divide(course.total, course.count), {}, HEAD)
        self.boxes[course.number] = course.total
        return AffineEntries(constant(ZERO), {course.number: constant(Fraction(1, course.count))}, HEAD)

    def merged(self, heads: Sequence[Sequence[Total]], entries: int, labels: Array | None) -> tuple[Array, Array, Any]:
        """Group entries with equal exact sums, signs, tables of keys and labels into states.

        Returns the new state of each entry, the first entry of each state, and the running sums (or tables of keys) of
        the states. Unmerged where more than `MOST` states are left.
        """
        # States differ in labels, tables of keys, exact sums, or the signs of other sums.
        columns = [] if labels is None else [labels]
        for total in (summed for head in heads for summed in head):
            if isinstance(total, KeyTable):
                columns += total.columns()
            elif isinstance(total, Course):
                columns.append(total.total.sign if isinstance(total.total, Ends) else total.total.numerators)
        state, first = grouped(columns, entries)
        if len(first) > MOST:
            must = f"at most {MOST:,} groups of prefixes must remain where strings are grouped"
            raise Unmerged(must, f"{len(first)} prefixes of {self.seen + 1} symbols stay apart, more than {MOST:,}")
        # The interval of a state is the union of those of its entries. All else is equal, so the first entry is taken.
        order = np.argsort(state, kind="stable")
        starts = np.searchsorted(state[order], np.arange(len(first)))

        def moved(total: Total) -> Total:
            """The running sum, or the table of keys, of the new states."""
            if isinstance(total, Course) and isinstance(total.total, Ends):
                low, high = (np.broadcast_to(end, entries)[order] for end in (total.total.low, total.total.high))
                low, high = np.minimum.reduceat(low, starts), np.maximum.reduceat(high, starts)
                return replace(total, total=Ends(low, high, total.total.bound))
            return None if total is None else total.take(first)

        return state, first, tuple(tuple(map(moved, head)) for head in heads)


class AffinePosition(Position):
    """The domain of one position in affine numbers, with verdicts as arrays."""

    name = "merged"

    def attend(
        self,
        queries: Sequence[AffineEntries],
        keys: Sequence[HeldSum],
        values: Sequence[HeldSum],
        mask: Mask,
        weighting: str,
        factor: Coefficient,
    ) -> list[Any]:
        """What a head gives to each state: a plain average from a running sum, any other hard attention from a fold by
        key, which is kept in the first value column. Unmerged for softmax over scores."""
        numbers = self.numbers
        head, numbers.asked = numbers.asked, numbers.asked + 1
        if not queries and weighting in ("average", "softmax"):
            return super().attend(queries, keys, values, mask, weighting, factor)
        if weighting == "softmax":
            raise Unmerged(
                "to test strings in groups, every head must have hard attention",
                self.said(head, "softmax over scores"),
            )
        columns: list[list[Any]] = [
            list(queries),
            [key_column.column for key_column in keys],
            [key_column.column for key_column in values],
        ]
        exact = [self._exact(column) for column in columns]
        if weighting not in ("average", "leftmost", "rightmost"):
            raise unknown_weighting(weighting)
        fold = KeyFold(weighting, ("head", head) in numbers.kept, head, lambda what: self.said(head, what))
        before: Any = values[0].before
        after = fold.joined(before, exact[1], exact[2], len(self.which))
        values[0].total = after  # type: ignore[assignment]
        read_cells = fold.read(after if mask.here else before, exact[0], len(values))
        return [AffineEntries(cell, {}, HEAD) for cell in read_cells]

    def said(self, head: int, what: str) -> str:
        """`what`, with the name of the head, for a message."""
        return f"{what}: {self.numbers.heads[head]}" if head < len(self.numbers.heads) else what

    def _exact(self, columns: Sequence[AffineEntries]) -> list[Cell]:
        """The columns as exact cells. KeepApart where one is known by its ends only."""
        parts = [k for x in columns for k in x.parts]
        if parts:
            raise KeepApart(apart("sum", parts))
        return [x.cell for x in columns]

    # --- Verdicts: NO, YES or OPEN ---

    def positive(self, column: AffineEntries) -> list[Array]:
        """Whether each value is positive."""
        yes, no = self.numbers.above(column)
        return [self._told(yes, no)]

    def zero(self, column: AffineEntries) -> list[Array]:
        """Whether each value is zero."""
        low, high, low_open, high_open, _ = self.numbers.around(column)
        nonzero = (low > 0) | (high < 0) | ((low == 0) & low_open) | ((high == 0) & high_open)
        return [self._told((low == 0) & (high == 0) & ~nonzero, nonzero)]

    def _told(self, yes: Array, no: Array) -> Array:
        """Verdicts from where the answer is known to be yes, and where no."""
        return np.broadcast_to(np.where(yes, YES, np.where(no, NO, OPEN)), len(self.which))

    def largest(self, columns: Sequence[AffineEntries]) -> list[Array]:
        """The index of the first largest column in each state; -1 where it is undecided."""
        if not any(x.parts for x in columns):
            return [np.broadcast_to(largest([x.cell for x in columns]), len(self.which))]
        best = np.full(len(self.which), -1)
        for k, column in enumerate(columns):
            is_best = np.ones(len(self.which), dtype=bool)
            # Column k is the first largest one if it is greater than all before it, and no later one is greater.
            for j, rival in enumerate(columns):
                if j != k:
                    yes, no = self.numbers.above(
                        self.linear([(column, 1), (rival, -1)] if j < k else [(rival, 1), (column, -1)], 0)
                    )
                    is_best &= yes if j < k else no
            best = np.where(is_best, k, best)
        return [best]

    def conjunction(self, first: Array, second: Array) -> Array:
        """The conjunction of verdicts: the product is 0 if one is NO, 1 if both are YES, and at least 2 otherwise."""
        return np.minimum(first * second, OPEN)


def apart(kind: str, numbers: Iterable[int]) -> frozenset[Kept]:
    """The set of `Kept` for `numbers` of one kind, "sum" or "head"."""
    return frozenset((kind, number) for number in numbers)


def _rational(value: Coefficient, **at: Fraction) -> Fraction:
    """A number, or a term at values of i and n, as a Fraction; Unmerged where it is not rational."""
    if not isinstance(value, tuple):
        return Fraction(value)
    try:
        return rational(value, at)
    except BadInput:
        must = "to test strings in groups, all numbers of the model must be rational"
        raise Unmerged(must, f"the number {show(value)}") from None


def _divided(numerators: Array, below: int, kind: np.dtype) -> tuple[Array, Array]:
    """The quotients rounded down, and the remainders."""
    quotients = numerators // scalar(below, kind)
    return quotients, numerators - quotients * scalar(below, kind)
