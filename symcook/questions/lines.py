"""Numbers that are linear in one weight, for many strings at once: prefixes are grouped as in `symcook.words.exact`.

Every number has two forms. `start` is its value at the model's own weight. On a piece it is the line `at + t slope`:
the weight has moved to the beginning of the piece and moves on by t > 0, up to the first t at which the input of an
activation changes its sign. If exactly one running sum is read by no other, prefixes that differ only in this sum, and
not in its sign, are one class. Two lines are kept for a class, one below and one above the sums of all its prefixes.
Entry 2k is the low line of class k, and entry 2k + 1 its high line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from flint import fmpq, fmpq_poly

from symcook.domains.cells import Array
from symcook.domains.protocol import Coefficient
from symcook.errors import NotExact
from symcook.model.expr import show
from symcook.model.rationals import rational
from symcook.questions.line import Quotient, polynomial
from symcook.words.exact import MOST, ONE, ZERO, outermost

MUST = "to test prefixes in groups, all values must be rational and linear in the weight that moves"
"""What an error says if the numbers of the model are of another kind."""
BASE, PIECE = 1, 2
"""The bits of `LineEntries.open`: BASE if `start` is unknown, PIECE if `at` and `slope` are. They also name the two
forms of a number."""


class Moving(NamedTuple):
    """A number of the model that may depend on the moving weight."""

    start: fmpq
    """Its value at the model's own weight."""
    at: fmpq
    """Its value where the piece begins."""
    slope: fmpq
    """By how much it grows on the piece, per unit of t."""


@dataclass(frozen=True)
class LineEntries:
    """One coordinate or running sum, with one entry for each kept prefix."""

    start: Array
    """The values at the model's own weight."""
    at: Array
    """The values where the piece begins; the same object as `start` if none of them has moved."""
    slope: Array | None = None
    """By how much the values grow on the piece, per unit of t; None if none grows."""
    open: Array | None = None
    """By entry, the bits BASE and PIECE of the forms that are unknown; None if all are known."""
    made_of: frozenset[int] = frozenset()
    """The indices of the running sums (`LineNumbers.sums`) that the values depend on."""

    def take(self, entries: Array | list[int]) -> LineEntries:
        """The chosen `entries` of each array. If `at` is the same object as `start`, this stays so."""
        start = self.start[entries]
        return replace(
            self,
            start=start,
            at=start if self.at is self.start else self.at[entries],
            slope=None if self.slope is None else self.slope[entries],
            open=None if self.open is None else self.open[entries],
        )

    @property
    def inside(self) -> Array:
        """By entry, a number whose sign is that of the entry inside the piece, just after its beginning."""
        return self.at if self.slope is None else np.where(self.at == 0, self.slope, self.at)

    @property
    def turns(self) -> dict[int, fmpq]:
        """By entry, the t > 0 at which its line becomes zero. Open entries, and entries that do not move towards zero,
        are left out."""
        if self.slope is None:
            return {}
        meets = ((self.at > 0) & (self.slope < 0)) | ((self.at < 0) & (self.slope > 0))
        meets = (
            meets if self.open is None else meets & (self.open == 0)
        )  # open entries are split (`along._split_verdicts`)
        return {int(k): -self.at[k] / self.slope[k] for k in np.flatnonzero(meets)}

    def columns(self) -> list[Array]:
        """The arrays of values and slopes: prefixes with equal entries in all of them are one state."""
        at = [] if self.at is self.start else [self.at]
        return [self.start, *at, *([] if self.slope is None else [self.slope])]


def least(*places: fmpq | None) -> fmpq | None:
    """The smallest of these places without the None among them; None if there is no other."""
    return min((place for place in places if place is not None), default=None)


@dataclass
class Line:
    """The piece of the line that one pass is about."""

    name: str
    """The symbol in place of the weight that moves."""
    start: fmpq
    """The model's own weight."""
    at: fmpq
    """The weight where the piece begins."""
    direction: int
    """1 or -1: whether the weight rises or falls along the piece; 0 if the piece is the one weight `at`."""
    end: fmpq | None = None
    """The smallest t so far at which the piece ends; None for no end. A pass makes it smaller."""
    known: dict[Coefficient, Moving] = field(default_factory=dict)
    """The numbers of the model that have been computed (`number`)."""

    def number(self, value: Coefficient) -> Moving:
        """The number `value` of the model, as it depends on the weight; NotExact if it is not linear in it."""
        known_value = self.known.get(value)
        if known_value is None:
            known_value = self.known[value] = self._given(value)
        return known_value

    def _given(self, value: Coefficient) -> Moving:
        """As `number`, computed anew."""
        if not isinstance(value, tuple):
            exact = fmpq(value.numerator, value.denominator)
            return Moving(exact, exact, ZERO)
        form = polynomial(value, self.name, fmpq_poly([0, 1]))
        if isinstance(form, Quotient) or (line := fmpq_poly(form)).degree() > 1:
            raise NotExact(MUST, show(value))
        return Moving(line(self.start), line(self.at), line[1] * self.direction)


class LineNumbers:
    """The arithmetic of columns of `LineEntries` at one position, as in `symcook.words.exact.ExactNumbers`.

    `seen` is the number of positions before this one, `nothing` a column of zeros. `sums` are the running sums that
    include this position, `fed` the indices of the sums that a later running sum reads. `end` is the smallest t at
    which an activation at this position ends the piece. If a running sum is computed after it, the end holds for all
    longer strings too (`Line.end`); otherwise it is for strings that end here."""

    # `ends`: the number of entries kept for each state.
    ends, says = 2, "prefixes that the model cannot tell apart while the weight moves are grouped; exact"

    def __init__(self, line: Line, seen: int = 0, entries: int = 0) -> None:
        self.line, self.seen, self.nothing = line, seen, np.full(entries, ZERO)
        self.sums: list[LineEntries] = []
        self.fed: set[int] = set()
        self.end: fmpq | None = None
        self.turned: list[LineEntries] = []
        """The inputs of activations at which a class became open; `open` has only the bits that are new there."""

    def at(self, seen: int, entries: int) -> LineNumbers:
        """The arithmetic at the position after `seen` others, for `entries` entries."""
        return LineNumbers(self.line, seen, entries)

    def values(self, numbers: Sequence[Coefficient]) -> LineEntries:
        """The column with these numbers of the model."""
        return _entries([self.line.number(value) for value in numbers])

    def position(self, term: Coefficient, i: int, n: int) -> LineEntries:
        """The value of a position function at position i of n, as a column with one entry. It does not depend on the
        weight."""
        if not isinstance(term, tuple):
            return self.values([term])
        value = rational(term, {"i": Fraction(i), "n": Fraction(n)})
        return self.values([value])

    def linear(self, terms: Sequence[tuple[LineEntries, Coefficient]], bias: Coefficient) -> LineEntries:
        """The affine combination of columns, each times its weight, plus `bias`. NotExact if a weight and its column
        both move, since their product is quadratic in t."""
        weighted = [(column, self.line.number(weight)) for column, weight in terms]
        bias_number = self.line.number(bias)
        # If nothing has moved, `at` is the same array as `start`: this halves the work and makes states faster to
        # distinguish.
        unmoved = bias_number.start == bias_number.at and all(x.at is x.start and w.start == w.at for x, w in weighted)
        start = self.nothing + bias_number.start
        at = start if unmoved else self.nothing + bias_number.at
        slope = self.nothing + bias_number.slope if bias_number.slope != 0 else None
        for x, w in weighted:
            start = start + w.start * x.start
            at = start if unmoved else at + w.at * x.at
            # The derivative of w x is w x' + w' x, and one of the two derivatives is 0.
            if x.slope is not None and w.slope != 0:
                raise NotExact(MUST, "a product of two numbers that move")
            if x.slope is not None or w.slope != 0:
                term_slope = w.at * x.slope if x.slope is not None else w.slope * x.at
                slope = term_slope if slope is None else slope + term_slope
        made_of = frozenset[int]().union(*(x.made_of for x, _ in weighted))
        return LineEntries(start, at, slope, either([x.open for x, _ in weighted]), made_of)

    def activate(self, x: LineEntries, kind: str) -> LineEntries:
        """The ReLU or step of each entry, with its slope on the piece. NotExact for any other activation."""
        if kind not in ("relu", "step"):
            raise NotExact("to test prefixes in groups, the model must compute rational numbers", kind)
        # The piece ends where an entry changes its sign.
        self.end = least(self.end, *x.turns.values())
        # If the two lines of a class are on different sides of zero, the activation of the prefixes between is open.
        undecided = BASE * _separated_by_zero(x.start, kind == "step") + PIECE * _separated_by_zero(
            x.inside, kind == "step"
        )
        newly_open = np.repeat(undecided, 2) if undecided.any() else None
        if newly_open is not None:
            self.turned.append(replace(x, open=newly_open if x.open is None else newly_open & ~x.open))
        open_bits = either([x.open, newly_open])
        # Whether each entry is active: at the model's own weight, and on the piece.
        active_at_base, active_on_piece = x.start > 0, x.inside > 0
        # A step has the slope 0 on the piece.
        if kind == "step":
            start, at = (
                np.where(where, np.array([ONE]), np.array([ZERO])) for where in (active_at_base, active_on_piece)
            )
            return LineEntries(start, at, None, open_bits, x.made_of)
        start = np.where(active_at_base, x.start, np.array([ZERO]))
        at = start if x.at is x.start and x.slope is None else np.where(active_on_piece, x.at, np.array([ZERO]))
        slope = None if x.slope is None else np.where(active_on_piece, x.slope, np.array([ZERO]))
        return LineEntries(start, at, slope, open_bits, x.made_of)

    def added(self, before: LineEntries | None, x: LineEntries) -> LineEntries:
        """The running sum `before` (None: no positions yet) with the column `x` of this position added. Raises
        NotExact if an entry of `x` has no fixed value. The end of the piece at this position then holds for all longer
        strings too: it is written to `Line.end`. The sum is appended to `sums`."""
        if x.open is not None:
            raise NotExact(
                "to test prefixes in groups, the sign of the input of each activation must be decided",
                "an undecided sign",
            )
        self.line.end = least(self.line.end, self.end)
        self.fed |= x.made_of
        total = x
        if before is not None:
            start = before.start + x.start
            unmoved = before.at is before.start and x.at is x.start
            slopes = [slope for slope in (before.slope, x.slope) if slope is not None]
            slope = sum(slopes[1:], slopes[0]) if slopes else None
            total = LineEntries(start, start if unmoved else before.at + x.at, slope)
        self.sums.append(replace(total, made_of=x.made_of | {len(self.sums)}))
        return self.sums[-1]

    def mean(self, total: LineEntries) -> LineEntries:
        """The running sum divided by the number of positions, which is `seen` + 1."""
        start = total.start / (self.seen + 1)
        at = start if total.at is total.start else total.at / (self.seen + 1)
        return replace(total, start=start, at=at, slope=None if total.slope is None else total.slope / (self.seen + 1))

    def merged(
        self, heads: Sequence[Sequence[LineEntries]], entries: int, labels: Array | None
    ) -> tuple[Array, list[int], Any]:
        """Group the entries into states. Returns the state of each entry, the two entries that are kept for each state,
        and the running sums of each head with these entries.

        `heads` has the columns of `sums` by head, and `labels` are further values by which states differ, such as
        states of an automaton. NotExact for more than `MOST` states."""
        # `single` is the running sum that no later sum reads, if there is exactly one: only its hull is kept. The
        # values of all other sums, and the labels, are the `rows` that distinguish states.
        unread_sums = [k for k in range(len(self.sums)) if k not in self.fed]
        single = self.sums[unread_sums[0]] if len(unread_sums) == 1 else None
        compared_columns = [column for total in self.sums if total is not single for column in total.columns()]
        # Fractions are pairs of integers, which hash faster. Without columns, all entries have the same row ().
        pairs = [[(int(x.p), int(x.q)) for x in column] for column in compared_columns]
        rows = list(zip(*pairs, strict=True)) or [()] * entries
        if labels is not None:
            rows = [(label, *row) for label, row in zip(labels, rows, strict=True)]
        # States also differ by the signs of `single`, at the model's own weight and on the piece. The exception are
        # rows with a class whose two lines have different signs, since the signs between these lines are unknown.
        signs = (
            [()] * entries if single is None else list(zip(_signs(single.start), _signs(single.inside), strict=True))
        )
        mixed_rows = {rows[low] for low in range(0, entries, 2) if signs[low] != signs[low + 1]}
        state_numbers: dict[Any, int] = {}
        state = np.array([
            state_numbers.setdefault((row, None if row in mixed_rows else sign), len(state_numbers))
            for row, sign in zip(rows, signs, strict=True)
        ])  # fmt: skip
        if len(state_numbers) > MOST:
            raise NotExact(
                f"prefixes that the model tells apart must form at most {MOST} groups",
                f"{len(state_numbers)} of {self.seen + 1} symbols",
            )
        # For each state, the entries whose `single` is smallest and largest at the end of the piece.
        chosen = outermost(
            _at_end(single, self.line.end) if single is not None else self.nothing, state, len(state_numbers)
        )
        taken_sums = {id(total): total.take(chosen) for total in self.sums if total is not single}
        if single is not None:
            taken_sums[id(single)] = _hull(single, chosen, state, self.line.end)
        return state, chosen, tuple(tuple(taken_sums[id(total)] for total in head) for head in heads)


def _entries(numbers: Sequence[Moving]) -> LineEntries:
    """The numbers as one column; `at` is the same array as `start` if none has moved."""
    start, at, slope = (np.array(column, dtype=object) for column in zip(*numbers, strict=True))
    moves, still = any(moving.slope != 0 for moving in numbers), all(moving.start == moving.at for moving in numbers)
    return LineEntries(start, start if still else at, slope if moves else None)


def either(flags: Sequence[Array | None]) -> Array | None:
    """By entry, the bits that are set in at least one of these arrays; None if all of them are None."""
    arrays = [flag for flag in flags if flag is not None]
    return np.bitwise_or.reduce(arrays) if arrays else None


def _separated_by_zero(numbers: Array, strict: bool) -> Array:
    """For each pair of entries, whether zero is strictly between them. With `strict`, for the step function, which
    jumps at zero: whether exactly one of them is positive."""
    low, high = numbers[::2], numbers[1::2]
    if strict:
        return (low > 0) != (high > 0)
    return ((low > 0) & (high < 0)) | ((low < 0) & (high > 0))


def _signs(numbers: Array) -> list[int]:
    """The signs -1, 0 or 1 of the numbers."""
    return [(x > 0) - (x < 0) for x in numbers]


def _at_end(total: LineEntries, end: fmpq | None) -> Array:
    """The values at the end of the piece; for a piece without an end the slopes, which order the values far out."""
    if total.slope is None:
        return total.at
    return total.slope if end is None else total.at + end * total.slope


def _hull(total: LineEntries, chosen: list[int], state: Array, end: fmpq | None) -> LineEntries:
    """For each state, a line below and a line above the lines of all its entries. `chosen` has, for each state, the
    entries with the smallest and the largest value at the end of the piece."""
    states = len(chosen) // 2
    start = total.start[outermost(total.start, state, states)]
    if total.slope is None:
        return replace(total, start=start, at=start if total.at is total.start else total.at[chosen])
    # Each line goes from the outermost value where the piece begins to the outermost value at its end.
    at, last = total.at[outermost(total.at, state, states)], _at_end(total, end)[chosen]
    return replace(total, start=start, at=at, slope=last if end is None else (last - at) / end)
