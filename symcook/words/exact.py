"""Running sums as rational numbers: of prefixes that differ in one sum alone the least and the greatest are kept.

Prefixes with the same running sums are merged. A sum that no later head averages again is *last*: it reaches the answer
alone. Where there is one such sum, prefixes that differ in nothing else (and have it on the same side of zero) are
merged too; of these the ones with the least and the greatest sum are kept, since whatever follows adds the same to all
of them, so that the others stay between. Where the two part at zero later, they stay one state: which of the others are
on which side is not known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple, cast

import numpy as np
from flint import fmpq

from symcook.domains.protocol import Coefficient
from symcook.errors import BadInput, NotExact, Undecided
from symcook.forward import Result
from symcook.machine import unfollowed
from symcook.model.parts import Head
from symcook.model.rationals import rational
from symcook.model.transformer import Transformer
from symcook.words.prefixes import Array, Level, Prefixes, averages

MOST = 200_000
"""The greatest number of prefixes that are kept at one position."""
ZERO, ONE = fmpq(0), fmpq(1)


class Column(NamedTuple):
    """Numbers, an array of objects, and the numbers of the running sums that they are made of."""

    values: Array
    made_of: frozenset[int] = frozenset()

    def take(self, entries: Array | list[int]) -> Column:
        return Column(self.values[entries], self.made_of)


class Rationals:
    """These numbers at one position. `sums` are the running sums with it, `fed` those that some head averages again,
    `turns` the values that activations saw, and `jumps` whether one was a step."""

    ends, says = 2, "prefixes that the model cannot tell apart are merged; exact"

    def __init__(self, seen: int = 0, entries: int = 0) -> None:
        self.seen, self.nothing = seen, np.full(entries, ZERO)
        self.sums: list[Array] = []
        self.fed: set[int] = set()
        self.turns: list[Array] = []
        self.jumps = False

    def at(self, seen: int, entries: int) -> Rationals:
        return Rationals(seen, entries)

    def number(self, value: Coefficient, **at: int) -> fmpq:
        if isinstance(value, tuple):
            value = rational(value, {name: Fraction(number) for name, number in at.items()})
        return fmpq(value.numerator, value.denominator)

    def values(self, numbers: Sequence[Coefficient]) -> Column:
        return Column(np.array([self.number(value) for value in numbers], dtype=object))

    def position(self, term: Coefficient, i: int, n: int) -> Column:
        return Column(np.array([self.number(term, i=i, n=n)], dtype=object))

    def linear(self, terms: Sequence[tuple[Column, Coefficient]], bias: Coefficient) -> Column:
        total = self.nothing + self.number(bias)
        for column, weight in terms:
            total = total + self.number(weight) * column.values
        return Column(total, frozenset().union(*(column.made_of for column, _ in terms)))

    def activate(self, x: Column, kind: str) -> Column:
        if kind not in ("relu", "step"):
            raise NotExact("prefixes are merged by rational numbers", kind)
        self.turns.append(x.values)
        self.jumps = self.jumps or kind == "step"
        active = np.array([ONE], dtype=object) if kind == "step" else x.values
        return Column(np.where(x.values > 0, active, np.array([ZERO], dtype=object)), x.made_of)

    def added(self, before: Column | None, x: Column) -> Column:
        self.fed |= x.made_of
        self.sums.append(x.values if before is None else before.values + x.values)
        return Column(self.sums[-1], x.made_of | {len(self.sums) - 1})

    def mean(self, total: Column) -> Column:
        return Column(total.values / (self.seen + 1), total.made_of)

    def merged(self, heads: Sequence[Sequence[Column]], entries: int) -> tuple[Array, list[int], Any]:
        last = [k for k in range(len(self.sums)) if k not in self.fed]
        ends = self.sums[last[0]] if len(last) == 1 else self.nothing
        others = [column for k, column in enumerate(self.sums) if len(last) != 1 or k != last[0]]
        # whole numbers have a faster hash
        rows = list(zip(*([(int(x.p), int(x.q)) for x in column] for column in others), strict=True)) or [()] * entries
        signs = [(x > 0) - (x < 0) for x in ends]
        parted = {rows[low] for low in range(0, entries, 2) if signs[low] != signs[low + 1]}
        number: dict[Any, int] = {}
        state = [
            number.setdefault((row, None if row in parted else sign), len(number))
            for row, sign in zip(rows, signs, strict=True)
        ]
        if len(number) > MOST:
            raise Undecided(f"more than {MOST} prefixes stay apart; give a smaller --max-length.")
        chosen = [-1] * (2 * len(number))
        for entry, one in enumerate(state):
            low, high = chosen[2 * one : 2 * one + 2]
            if low < 0 or ends[entry] < ends[low]:
                chosen[2 * one] = entry
            if high < 0 or ends[entry] > ends[high]:
                chosen[2 * one + 1] = entry
        return np.array(state), chosen, tuple(tuple(one.take(chosen) for one in head) for head in heads)


def mergeable(model: Transformer) -> bool:
    """Whether the words of a model can be gone through in this way (numbers apart, which must be rational)."""
    heads = any(isinstance(part, Head) for step in model.sublayers for part in step.parts)
    return heads and averages(model, ("future",)) and not (model.readout.everywhere or model.readout.first)


def merged(model: Transformer, asked: range) -> Iterator[Level]:
    """The words of each length that is asked for, in typed symbols.

    Raises NotExact where a number of the model is not rational, Undecided where too many prefixes stay apart.
    """
    once = unfollowed(model) is None  # the length is in no number of the model, so that one pass serves all lengths
    try:
        for n in asked[-1:] if once else asked:
            for level in Prefixes(model, Rationals(), None if once else n + model.embedding.added).levels():
                if level.n in asked and (once or level.n == n):
                    yield level
                if level.n >= n:
                    break
    except BadInput as error:
        raise NotExact("prefixes are merged by rational numbers", error.given) from None


def moved(level: Level, low: int, shares: Sequence[fmpq]) -> Result:
    """The pass of a level at points between an entry and the next: shares of the way."""
    low_, high = level.origin[low], level.origin[low + 1]
    way = np.array(shares, dtype=object)

    def sums(one: Column) -> Column:
        return Column(one.values[low_] + way * (one.values[high] - one.values[low_]), one.made_of)

    which, held = np.full(len(way), level.which[low]), cast("tuple[tuple[Column, ...], ...]", level.states.sums)
    return level.states.run(level.tokens, which, tuple(tuple(map(sums, head)) for head in held))
