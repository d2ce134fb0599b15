"""Numbers that are linear in one weight, of many strings at once: prefixes are grouped as in `symcook.words.exact`.

Every number is known twice: at the model's own weight (`start`), and on a piece, as `at + t slope` for a weight that
has moved to the beginning of the piece and goes on by t > 0, up to the first t at which an activation changes its sign.
Prefixes that differ in the last running sum alone are one class; two lines are kept of them, one below and one above
the sums of all.
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

MUST = "prefixes are grouped by rational numbers that are linear in the weight"
BASE, PIECE = 1, 2
"""Of a number: as it stands, and in the piece."""


class Moving(NamedTuple):
    """A given number: at the weight as it stands, where the piece begins, and by how much it grows there."""

    start: fmpq
    at: fmpq
    slope: fmpq


@dataclass(frozen=True)
class LineEntries:
    """One coordinate or running sum, one entry for each kept prefix: at the model's own weight (`start`), where the
    piece begins (`at`) and how it grows there (`slope`; None: not at all).

    `open` has for each entry the bit BASE where `start` is unknown and PIECE where `at` and `slope` are (None: all are
    known). `made_of` has the indices of the running sums that the coordinate depends on."""

    start: Array
    at: Array
    slope: Array | None = None
    open: Array | None = None
    made_of: frozenset[int] = frozenset()

    def take(self, entries: Array | list[int]) -> LineEntries:
        """The chosen entries of each array; `at` stays the same object as `start` where nothing has moved."""
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
        """A number with the sign that each entry has in the piece."""
        return self.at if self.slope is None else np.where(self.at == 0, self.slope, self.at)

    @property
    def turns(self) -> dict[int, fmpq]:
        """By entry, the t > 0 at which it becomes zero; entries that move away from zero have none."""
        if self.slope is None:
            return {}
        meets = ((self.at > 0) & (self.slope < 0)) | ((self.at < 0) & (self.slope > 0))
        meets = meets if self.open is None else meets & (self.open == 0)  # what is open is looked at again
        return {int(k): -self.at[k] / self.slope[k] for k in np.flatnonzero(meets)}

    def columns(self) -> list[Array]:
        """The arrays by which states are distinguished."""
        at = [] if self.at is self.start else [self.at]
        return [self.start, *at, *([] if self.slope is None else [self.slope])]


def least(*places: fmpq | None) -> fmpq | None:
    """The least of some places, None where there is none."""
    return min((place for place in places if place is not None), default=None)


@dataclass
class Line:
    """The piece of one pass: the symbol that moves, from where it stands; where the piece begins, in which direction it
    goes (0: it is this place alone), and where it `end`s as far as is known (None: nowhere)."""

    name: str
    start: fmpq
    at: fmpq
    direction: int
    end: fmpq | None = None
    known: dict[Coefficient, Moving] = field(default_factory=dict)

    def number(self, value: Coefficient) -> Moving:
        """A number of the model as it moves with the weight."""
        known_value = self.known.get(value)
        if known_value is None:
            known_value = self.known[value] = self._given(value)
        return known_value

    def _given(self, value: Coefficient) -> Moving:
        """A number of the model in the piece; NotExact where it is not linear in the weight."""
        if not isinstance(value, tuple):
            exact = fmpq(value.numerator, value.denominator)
            return Moving(exact, exact, ZERO)
        form = polynomial(value, self.name, fmpq_poly([0, 1]))
        if isinstance(form, Quotient) or (line := fmpq_poly(form)).degree() > 1:
            raise NotExact(MUST, show(value))
        return Moving(line(self.start), line(self.at), line[1] * self.direction)


class LineNumbers:
    """These numbers at one position; see `symcook.words.exact.ExactNumbers`. `end` notes where the activations after
    the last head end the piece, for this position alone: no longer string reads them."""

    ends, says = 2, "prefixes that the model cannot tell apart while the weight moves are grouped; exact"

    def __init__(self, line: Line, seen: int = 0, entries: int = 0) -> None:
        self.line, self.seen, self.nothing = line, seen, np.full(entries, ZERO)
        self.sums: list[LineEntries] = []
        self.fed: set[int] = set()
        self.end: fmpq | None = None
        self.turned: list[LineEntries] = []
        """What activations saw, as far as it was open there first."""

    def at(self, seen: int, entries: int) -> LineNumbers:
        return LineNumbers(self.line, seen, entries)

    def values(self, numbers: Sequence[Coefficient]) -> LineEntries:
        return _entries([self.line.number(value) for value in numbers])

    def position(self, term: Coefficient, i: int, n: int) -> LineEntries:
        """A position function at i, which does not move."""
        if not isinstance(term, tuple):
            return self.values([term])
        value = rational(term, {"i": Fraction(i), "n": Fraction(n)})
        return self.values([value])

    def linear(self, terms: Sequence[tuple[LineEntries, Coefficient]], bias: Coefficient) -> LineEntries:
        """The affine combination of columns; NotExact where weight and column both move (the result is quadratic)."""
        weighted = [(column, self.line.number(weight)) for column, weight in terms]
        first = self.line.number(bias)
        # Until something moves, `at` is the same array as `start`, which halves the work and tells states apart faster.
        fixed = first.start == first.at and all(x.at is x.start and w.start == w.at for x, w in weighted)
        start = self.nothing + first.start
        at = start if fixed else self.nothing + first.at
        slope = self.nothing + first.slope if first.slope != 0 else None
        for x, w in weighted:
            start = start + w.start * x.start
            at = start if fixed else at + w.at * x.at
            # The derivative of w x is w x' + w' x; one of the two vanishes.
            if x.slope is not None and w.slope != 0:
                raise NotExact(MUST, "a product of two numbers that move")
            if x.slope is not None or w.slope != 0:
                term_slope = w.at * x.slope if x.slope is not None else w.slope * x.at
                slope = term_slope if slope is None else slope + term_slope
        made_of = frozenset[int]().union(*(x.made_of for x, _ in weighted))
        return LineEntries(start, at, slope, either([x.open for x, _ in weighted]), made_of)

    def activate(self, x: LineEntries, kind: str) -> LineEntries:
        """The activation of each entry, with its slope in the piece."""
        if kind not in ("relu", "step"):
            raise NotExact("prefixes are grouped by rational numbers", kind)
        # The piece ends where an entry changes its sign.
        self.end = least(self.end, *x.turns.values())
        # Two entries of a class that lie on different sides of zero leave the activation of what is between them open.
        parted = BASE * _parted(x.start, kind == "step") + PIECE * _parted(x.inside, kind == "step")
        turned = np.repeat(parted, 2) if parted.any() else None
        if turned is not None:
            self.turned.append(replace(x, open=turned if x.open is None else turned & ~x.open))
        open_ = either([x.open, turned])
        # Whether it is active as the weight stands, and in the piece.
        before, on = x.start > 0, x.inside > 0
        # The step function is constant in the piece.
        if kind == "step":
            start, at = (np.where(where, np.array([ONE]), np.array([ZERO])) for where in (before, on))
            return LineEntries(start, at, None, open_, x.made_of)
        start = np.where(before, x.start, np.array([ZERO]))
        at = start if x.at is x.start and x.slope is None else np.where(on, x.at, np.array([ZERO]))
        slope = None if x.slope is None else np.where(on, x.slope, np.array([ZERO]))
        return LineEntries(start, at, slope, open_, x.made_of)

    def added(self, before: LineEntries | None, x: LineEntries) -> LineEntries:
        """The running sum with one more position; the ends of its activations then bind all longer strings too."""
        if x.open is not None:
            raise NotExact("prefixes are grouped where their activations are known", "one that is open")
        self.line.end = least(self.line.end, self.end)
        self.fed |= x.made_of
        total = x
        if before is not None:
            start = before.start + x.start
            same = before.at is before.start and x.at is x.start
            slopes = [slope for slope in (before.slope, x.slope) if slope is not None]
            slope = sum(slopes[1:], slopes[0]) if slopes else None
            total = LineEntries(start, start if same else before.at + x.at, slope)
        self.sums.append(replace(total, made_of=x.made_of | {len(self.sums)}))
        return self.sums[-1]

    def mean(self, total: LineEntries) -> LineEntries:
        """A running sum divided by the number of positions."""
        start = total.start / (self.seen + 1)
        at = start if total.at is total.start else total.at / (self.seen + 1)
        return replace(total, start=start, at=at, slope=None if total.slope is None else total.slope / (self.seen + 1))

    def merged(
        self, heads: Sequence[Sequence[LineEntries]], entries: int, labels: Array | None
    ) -> tuple[Array, list[int], Any]:
        """The state of each entry, the entries that are kept (two for each state), and the running sums of these."""
        # A running sum that no later sum reads: of it only the hull is kept, where there is one such sum.
        last = [k for k in range(len(self.sums)) if k not in self.fed]
        single = self.sums[last[0]] if len(last) == 1 else None
        others = [column for total in self.sums if total is not single for column in total.columns()]
        rows = list(zip(*([(int(x.p), int(x.q)) for x in column] for column in others), strict=True)) or [()] * entries
        if labels is not None:
            rows = [(label, *row) for label, row in zip(labels, rows, strict=True)]
        # States also differ by the sign of that sum, except where the two lines of one class have different signs.
        signs = (
            [()] * entries if single is None else list(zip(_signs(single.start), _signs(single.inside), strict=True))
        )
        parted = {rows[low] for low in range(0, entries, 2) if signs[low] != signs[low + 1]}
        number: dict[Any, int] = {}
        state = np.array([
            number.setdefault((row, None if row in parted else sign), len(number))
            for row, sign in zip(rows, signs, strict=True)
        ])  # fmt: skip
        if len(number) > MOST:
            raise NotExact(f"at most {MOST} prefixes may stay apart", f"{len(number)} of {self.seen + 1} symbols")
        # For each state the entries with the least and the greatest sum at the end of the piece.
        chosen = outermost(_last(single, self.line.end) if single is not None else self.nothing, state, len(number))
        taken_sums = {id(total): total.take(chosen) for total in self.sums if total is not single}
        if single is not None:
            taken_sums[id(single)] = _hull(single, chosen, state, self.line.end)
        return state, chosen, tuple(tuple(taken_sums[id(total)] for total in head) for head in heads)


def _entries(numbers: Sequence[Moving]) -> LineEntries:
    """Numbers as one column; `at` is the array `start` where none has moved."""
    start, at, slope = (np.array(column, dtype=object) for column in zip(*numbers, strict=True))
    moves, still = any(moving.slope != 0 for moving in numbers), all(moving.start == moving.at for moving in numbers)
    return LineEntries(start, start if still else at, slope if moves else None)


def either(flags: Sequence[Array | None]) -> Array | None:
    """The bits that are set in some of these arrays; None where all are None."""
    arrays = [flag for flag in flags if flag is not None]
    return np.bitwise_or.reduce(arrays) if arrays else None


def _parted(numbers: Array, strict: bool) -> Array:
    """For each pair of entries whether zero lies strictly between them; with `strict` (a step, which jumps at zero)
    whether exactly one of them is positive."""
    low, high = numbers[::2], numbers[1::2]
    if strict:
        return (low > 0) != (high > 0)
    return ((low > 0) & (high < 0)) | ((low < 0) & (high > 0))


def _signs(numbers: Array) -> list[int]:
    return [(x > 0) - (x < 0) for x in numbers]


def _last(total: LineEntries, end: fmpq | None) -> Array:
    """The numbers at the end of the piece; their slopes where the piece has no end."""
    if total.slope is None:
        return total.at
    return total.slope if end is None else total.at + end * total.slope


def _hull(total: LineEntries, chosen: list[int], state: Array, end: fmpq | None) -> LineEntries:
    """For each state a line below and a line above those of all its entries; `chosen` are the entries with the least
    and the greatest number at the end of the piece."""
    states = len(chosen) // 2
    start = total.start[outermost(total.start, state, states)]
    if total.slope is None:
        return replace(total, start=start, at=start if total.at is total.start else total.at[chosen])
    # Lines below and above: from the outermost values where the piece begins to the outermost ones at its end.
    at, last = total.at[outermost(total.at, state, states)], _last(total, end)[chosen]
    return replace(total, start=start, at=at, slope=last if end is None else (last - at) / end)
