"""Hard attention as a fold: of all positions that a head sees, those with the maximum score have one key, or several
keys with tied scores.

Positions with the same key have the same score. So a state stores for each key that has occurred one value: the common
one (average), the first (leftmost) or the last (rightmost). That is not enough if an average has different
values under one key, or if tied keys have different values. Then `KeepApart` names the head, and the caller starts
again with more stored for it: counts and sums of each key, or the order in which keys came first or last.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from symcook.domains.cells import ONE, ZERO, Array, Cell, carrier, combine, common, constant, scaled
from symcook.errors import Unmerged

KEYS = 64
"""The greatest number of different keys of one head."""
Kept = tuple[str, int]
"""What may be stored in full: ("sum", number of a sum) or ("head", number of a head)."""
HeadKey = tuple[Fraction, ...]
"""The key of a position, one number for each coordinate of the key."""


class KeepApart(Exception):
    """Raised where a decision stays undecided. `kept` names the sums and heads that must be stored in full, in place of
    the sign of a sum or one value for each key of a head."""

    def __init__(self, kept: frozenset[Kept]) -> None:
        self.kept = kept
        super().__init__(kept)


@dataclass(frozen=True)
class KeyTable:
    """The keys and values that a head has seen, in all states at once. Each field has an entry for each key;
    `more` is empty where it is not stored. The values of a key in states where it is not present have no meaning."""

    keys: tuple[HeadKey, ...]
    present: tuple[Array, ...]
    """Whether the key has occurred, by state."""
    values: tuple[tuple[Cell, ...], ...]
    """The value of the key in each coordinate, by state; the sum of all its values, if keys are counted."""
    more: tuple[Array, ...] = ()
    """If it is stored: how often the key has occurred, or its rank, from 1, in the order in which the present keys came
    first (or last)."""

    def take(self, entries: Array) -> KeyTable:
        """The table for the chosen states."""
        values = tuple(tuple(taken(cell, entries) for cell in row) for row in self.values)
        present, more = (tuple(array[entries] for array in arrays) for arrays in (self.present, self.more))
        return KeyTable(self.keys, present, values, more)

    def columns(self) -> list[Array]:
        """The arrays by which states are distinguished."""
        values = [
            np.where(here, cell.numerators, np.zeros(1, dtype=cell.table.dtype))
            for here, row in zip(self.present, self.values, strict=True)
            for cell in row
        ]
        return [*self.present, *values, *self.more]


@dataclass(frozen=True)
class KeyFold:
    """The fold of one head over the positions of a prefix."""

    weighting: str
    kept: bool
    """Whether the counts of keys (for an average), or their order, are stored."""
    head: int
    """The number of the head."""
    said: Callable[[str], str]
    """Adds the name of the head to a message."""

    def joined(self, before: KeyTable | None, keys: Sequence[Cell], values: Sequence[Cell], entries: int) -> KeyTable:
        """The table after the position whose keys and values are given. Unmerged for more than `KEYS` keys, KeepApart
        where an average needs more stored."""
        # The different keys of this position (`entry_keys`), and for each state the index of its key (`state`).
        keys = [tight(cell) for cell in keys]
        state, first = grouped([cell.numerators for cell in keys], entries)
        entry_keys = [tuple(_entry(cell, place) for cell in keys) for place in first]
        old = before or KeyTable((), (), ())
        number = {key: k for k, key in enumerate(old.keys)}
        for key in entry_keys:
            number.setdefault(key, len(number))
        if len(number) > KEYS:
            must = f"to test strings in groups, every head must have at most {KEYS} different keys"
            raise Unmerged(must, self.said(f"more than {KEYS} different keys"))
        # Extend the table by the keys that occur for the first time. `here`: which states have the key now; `were`:
        # which states had it before.
        zero_row, absent = tuple(constant(ZERO) for _ in values), np.zeros(entries, dtype=bool)
        here = [absent] * len(number)
        for code, key in enumerate(entry_keys):
            here[number[key]] = state == code
        missing = len(number) - len(old.keys)
        were, rows = (*old.present, *[absent] * missing), (*old.values, *[zero_row] * missing)
        counts_or_order = (*old.more, *[np.zeros(entries, dtype=np.int64)] * missing) if self.kept else ()
        counted = self.kept and self.weighting == "average"
        rows_joined = []
        # The values. If keys are counted, add them up; else take those of the first or last occurrence. For an average
        # without counts, all values of a key must be equal.
        for now, was, row in zip(here, were, rows, strict=True):
            if now is absent:  # no state has this key now
                rows_joined.append(row)
            elif counted:
                rows_joined.append(
                    tuple(_plus(known, masked(now, new)) for known, new in zip(row, values, strict=True))
                )
            else:
                if self.weighting == "average":
                    self.same(now & was, row, values)
                chosen = now & ~was if self.weighting == "leftmost" else now
                rows_joined.append(tuple(_where(chosen, new, known) for known, new in zip(row, values, strict=True)))
        present = tuple(was | now for was, now in zip(were, here, strict=True))
        if counted:
            counts_or_order = tuple(count + now for count, now in zip(counts_or_order, here, strict=True))
        elif self.kept:
            counts_or_order = self.ordered(counts_or_order, here, were)
        return KeyTable(tuple(number), present, tuple(rows_joined), counts_or_order)

    def same(self, where: Array, row: Sequence[Cell], values: Sequence[Cell]) -> None:
        """KeepApart where a key occurs again with another value, since one stored value is not their average."""
        for x, new in zip(row, values, strict=True):
            old_numerators, new_numerators = common([x, new])[0]
            if (where & (old_numerators != new_numerators)).any():
                raise KeepApart(frozenset({("head", self.head)}))

    def ordered(self, order: Sequence[Array], here: Sequence[Array], were: Sequence[Array]) -> tuple[Array, ...]:
        """The ranks of the keys after this position, by first occurrence (leftmost) or by last occurrence."""
        occurred = sum(were, np.zeros(len(here[0]), dtype=np.int64))
        # Order of first occurrences: a new key gets the last rank, and no other rank changes.
        if self.weighting == "leftmost":
            return tuple(np.where(now & ~was, occurred + 1, x) for x, now, was in zip(order, here, were, strict=True))
        # Order of last occurrences: the key gets the last rank, and the ranks of keys after it decrease by one.
        own = sum((np.where(now, x, 0) for x, now in zip(order, here, strict=True)), np.zeros_like(occurred))
        last_place = occurred + (own == 0)  # one more than before only if the key is new
        moved_up = (np.where((own > 0) & (x > own), x - 1, x) for x in order)
        return tuple(np.where(now, last_place, x) for x, now in zip(moved_up, here, strict=True))

    def read(self, seen: KeyTable | None, queries: Sequence[Cell], width: int) -> list[Cell]:
        """The value that a head with these queries retrieves, in each coordinate; zeros if no position is seen.
        KeepApart where tied keys have different values, and nothing more is stored."""
        if seen is None:
            return [constant(ZERO)] * width
        # The greatest score of a key that has occurred, in each state; `top` says which keys have it.
        scores = [combine(list(zip(queries, key, strict=True)), ZERO) for key in seen.keys]
        tests = common(scores)[0]
        best, any_seen = tests[0], np.zeros(1, dtype=bool)
        for test, here in zip(tests, seen.present, strict=True):
            best = np.where(here & (~any_seen | (test > best)), test, best)
            any_seen = any_seen | here
        top = [here & (test == best) for test, here in zip(tests, seen.present, strict=True)]
        # Several keys may be tied. With counts, take the average; with an order, the first or last key.
        if self.kept and self.weighting == "average":
            return self.means(seen, top, width)
        if self.kept:
            top = self.foremost(seen, top)
        # With neither, all tied keys must have the same value.
        columns_read = []
        for column in range(width):
            tables, denominator, bound = common([row[column] for row in seen.values])
            value, any_seen = np.zeros(1, dtype=tables[0].dtype), np.zeros(1, dtype=bool)
            for table, here in zip(tables, top, strict=True):
                if (here & any_seen & (table != value)).any():
                    raise KeepApart(frozenset({("head", self.head)}))
                value, any_seen = np.where(here, table, value), any_seen | here
            columns_read.append(tight(Cell(value, denominator, bound)))
        return columns_read

    def foremost(self, seen: KeyTable, top: Sequence[Array]) -> list[Array]:
        """Which of the tied keys counts in each state: the one that came first (leftmost) or last (rightmost)."""
        sign = -1 if self.weighting == "leftmost" else 1
        ranks = [np.where(here, sign * order, -KEYS - 1) for here, order in zip(top, seen.more, strict=True)]
        best = np.maximum.reduce(ranks)
        return [here & (rank == best) for here, rank in zip(top, ranks, strict=True)]

    def means(self, seen: KeyTable, top: Sequence[Array], width: int) -> list[Cell]:
        """The average over all positions with a tied key, in each coordinate."""
        # The number of tied positions in each state; 1 in place of 0, where the sum is 0 too.
        tied = sum(
            (np.where(here, count, 0) for here, count in zip(top, seen.more, strict=True)), np.zeros(1, dtype=np.int64)
        )
        tied = np.maximum(tied, 1)
        common_multiple = math.lcm(*np.unique(tied).tolist())
        columns_read = []
        for column in range(width):
            tables, denominator, bound = common([row[column] for row in seen.values])
            kind = carrier(len(tables) * bound * common_multiple)
            total = sum(
                (np.where(here, scaled(x, 1, kind), 0) for x, here in zip(tables, top, strict=True)),
                np.zeros(1, dtype=kind),
            )
            # sum / tied = sum * (multiple / tied) / multiple, in whole numbers.
            share = (np.array([common_multiple], dtype=carrier(common_multiple)) // tied).astype(kind)
            columns_read.append(tight(Cell(total * share, denominator * common_multiple, 0)))
        return columns_read


def grouped(columns: Sequence[Array], entries: int) -> tuple[Array, Array]:
    """Number the different rows of a table in the order of their first occurrences.

    `columns` are the columns of the table; one with a single entry has it in all rows. Returns the number of the row of
    each entry, and for each number the first entry with that row.
    """
    # `codes` has each row, as far as it is read, as one integer below `span`.
    codes, span = np.zeros(entries, dtype=np.int64), 1
    for column in columns:
        # Big integers and floats are first replaced by small integers.
        if column.dtype == object:
            number: dict[int, int] = {}
            column = np.array([number.setdefault(value, len(number)) for value in column.tolist()], dtype=np.int64)
        elif column.dtype == float:
            column = np.unique(column, return_inverse=True)[1].reshape(-1)
        low, width = int(column.min()), int(column.max()) - int(column.min()) + 1
        # A column with a single value distinguishes no rows.
        if width == 1:
            continue
        # Renumber the codes before they would exceed 64 bits.
        if span * width > 2**62:
            codes = np.unique(codes, return_inverse=True)[1]
            column = np.unique(column, return_inverse=True)[1]
            span, low, width = int(codes.max()) + 1, 0, int(column.max()) + 1
        codes, span = codes * width + (column.astype(np.int64) - low), span * width
    # Classes are runs of equal codes in sorted order; they are renumbered by their first entries.
    order = np.argsort(codes)
    ranked = codes[order]
    starts = np.flatnonzero(np.concatenate([[True], ranked[1:] != ranked[:-1]]))
    first = np.minimum.reduceat(order, starts)
    by_first, state = np.argsort(first), np.empty(entries, dtype=np.int64)
    rank = np.empty_like(by_first)
    rank[by_first] = np.arange(len(first))
    state[order] = np.repeat(rank, np.diff(starts, append=entries))
    return state, first[by_first]


def taken(cell: Cell, entries: Array) -> Cell:
    """The chosen entries of a cell; a single entry, which holds for all states, stays single."""
    return cell if cell.size == 1 else Cell(cell.numerators[entries], cell.denominator, cell.bound)


def tight(cell: Cell) -> Cell:
    """The cell in lowest terms, with the exact bound on its numerators."""
    table = cell.numerators
    shared = math.gcd(int(np.gcd.reduce(table)), cell.denominator) if cell.denominator > 1 else 1
    if shared > 1:
        table = table // (shared if shared < 2**31 else np.array([shared], dtype=object))
    bound = int(np.abs(table).max())
    return Cell(table.astype(carrier(bound)), cell.denominator // shared, bound)


def masked(here: Array, cell: Cell) -> Cell:
    """The entries where `here` is true, zeros elsewhere."""
    return Cell(np.where(here, cell.numerators, np.zeros(1, dtype=cell.table.dtype)), cell.denominator, cell.bound)


def _entry(cell: Cell, place: int) -> Fraction:
    """One entry of a cell."""
    return Fraction(int(cell.table[place if cell.size > 1 else 0]), cell.denominator)


def _where(here: Array, new: Cell, old: Cell) -> Cell:
    """The entries of `new` where `here` is true, those of `old` elsewhere."""
    (new_numerators, old_numerators), denominator, bound = common([new, old])
    return tight(Cell(np.where(here, new_numerators, old_numerators), denominator, bound))


def _plus(x: Cell, y: Cell) -> Cell:
    """The sum of two cells."""
    return tight(combine([(x, ONE), (y, ONE)], ZERO))
