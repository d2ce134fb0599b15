"""Many strings at once in the error model of `symcook.domains.rounding`: grouped by their running sums, or in boxes.

Running sums. A coordinate is an array with one entry for each state. An entry is a pair of float64 ends, rounded
outwards, around the exact number and everything that the error model allows, with the exponent e of a grid. If e is
above `OPEN`, the float and the exact value are equal, a multiple of 2^e, for every string of the state; as in that
module, a step is exact if all of its intermediate results are numbers of the format.

Two states are replaced by one interval hull if they differ only in sums of the same sign, and not in an exact sum over
values of the embedding (`Hulls.kept`): those are kept apart. A verdict on a state holds for all its strings; merging
can make a verdict undecided, never wrong.

Boxes. A box is a set of strings that one run handles: some positions hold any token, or tokens in any order with given
counts. The run computes with sets that are hulls over what may stand at a position. If all positions are averaged
alike, the sum of values that depend on the token only is computed from the counts: it is the same sum in another
order. A decided verdict holds for every string of the box.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, reduce
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from symcook.domains import rounding
from symcook.domains.cells import Array
from symcook.domains.protocol import unknown_activation
from symcook.locks import PRECISION
from symcook.model.ends import Readout
from symcook.model.parts import FeedForward, Head
from symcook.model.reads import BIASED_HEADS, NORMS_AND_GATES, ROTARY_HEADS, PartsRead
from symcook.model.transformer import Transformer
from symcook.words import Word
from symcook.words.cells import Cells, classes
from symcook.words.exact import averages
from symcook.words.keyed import grouped

if TYPE_CHECKING:
    from symcook.domains.ball import BallColumn, BallValue
    from symcook.domains.protocol import Coefficient

READS = PartsRead("the run over rounded sums", **NORMS_AND_GATES, **BIASED_HEADS, **ROTARY_HEADS)

MOST_STATES = 20_000
"""The greatest number of states at one position; callers stop, or raise NotExact, where there are more."""
OPEN = -(10**6)
"""The grid exponent of a value that rounding may have changed."""
ZERO = 10**6
"""The grid exponent of zero, which is a multiple of every power of two."""


@dataclass
class Values:
    """One coordinate in all states: arrays with an entry for each state."""

    low: Array
    """The lower ends."""
    high: Array
    """The upper ends."""
    grid: Array
    """The exponents of the grid: the value is an exact multiple of 2^grid, or `OPEN`."""

    def take(self, states: Array) -> Values:
        """The chosen states."""
        return Values(self.low[states], self.high[states], self.grid[states])


ARRAYS = "low", "high", "size", "grid", "largest", "smallest", "below", "above"
"""The fields of `Sums` that are arrays."""
LEAST = ("low", "grid", "largest", "below")
"""The fields of `Sums` whose minimum over the grouped states is taken; of all others, the maximum."""


@dataclass
class Sums:
    """A running sum in all states: arrays with an entry for each state."""

    low: Array
    """The lower end of the exact sum of the terms."""
    high: Array
    """The upper end of that sum."""
    size: Array
    """A bound on the sum of the sizes of the terms."""
    grid: Array
    """The exponent of the common grid of the terms, or `OPEN`."""
    largest: Array
    """The greatest lower end of a term, at least 0."""
    smallest: Array
    """The least upper end of a term, at most 0."""
    below: Array
    """The least lower end of a term, at most 0: it is 0 if no term can be negative."""
    above: Array
    """The greatest upper end of a term, at least 0: it is 0 if no term can be positive."""
    count: int = 0
    """The number of terms."""
    came: Values | None = field(default=None, init=False)
    """A cache: the possible results of the sum in floats (`RoundedSums.value`)."""

    def take(self, states: Array) -> Sums:
        """The chosen states."""
        return self.moved(lambda _, array: array[states])

    def moved(self, put: Callable[[str, Array], Array]) -> Sums:
        """The sum with `put(name, array)` in place of each array."""
        return Sums(*[put(name, getattr(self, name)) for name in ARRAYS], count=self.count)


def _down(x: Array) -> Array:
    """The next smaller float64 of each number."""
    return -_up(-x)


def _up(x: Array) -> Array:
    """The next larger float64 of each number: `np.nextafter(x, np.inf)`, but much faster where all are below infinity.

    Read as an integer, the bits of a float64 that is not negative grow by 1 with the next float; those of a negative
    float decrease by 1.
    """
    if not (x < np.inf).all():
        return np.nextafter(x, np.inf)
    bits = (x + 0.0).view(np.int64)  # without -0.0
    return (bits + (1 | bits >> 63)).view(np.float64)


def _where(those: Array, chosen: Array, otherwise: Array) -> Array:
    """`np.where(those, chosen, otherwise)`, which is fast where all entries of `those` are equal."""
    return chosen if those.all() else np.where(those, chosen, otherwise) if those.any() else otherwise


def _exponents(x: Array) -> tuple[Array, Array]:
    """For each number x the greatest e such that x is a multiple of 2^e (`ZERO` for zero), and the number of bits of
    x/2^e (a negative number for zero)."""
    mantissa, exponent = np.frexp(x)
    integers = np.ldexp(mantissa, 53).astype(np.int64)
    lowest = np.frexp((integers & -integers).astype(float))[1] - 1
    grid = np.where(x == 0, ZERO, exponent - 53 + lowest)
    return grid, exponent - grid


def _span(of: np.ufunc, x: Values, by: Values) -> tuple[Array, Array]:
    """The least and the greatest result of the operation `of` at the ends of `x` and `by`."""
    results = [of(a, b) for b in ((by.low,) if by.low is by.high else (by.low, by.high)) for a in (x.low, x.high)]
    return reduce(np.minimum, results), reduce(np.maximum, results)


class RoundedSums:
    """The operations of the error model on `Values`, in one format and with one order of averages."""

    def __init__(self, dtype: str | rounding.Format, divides_first: bool = False) -> None:
        self.domain = rounding.domain(dtype) if isinstance(dtype, str) else rounding.Rounding(dtype)
        self.divides_first = divides_first
        self.wild = False
        """Whether some number may have overflowed."""
        self.format = self.domain.stored
        self.bits, self.least = self.format.bits, self.format.least or OPEN // 2
        self.unit = 2.0**-self.bits
        self.tiny = 2.0 ** max(self.least - self.bits, -1074)
        self.end = 2.0 ** ((self.format.most or 1024) - 1) * (2 - 2 * self.unit)
        self._known: dict[Any, Values] = {}

    def number(self, value: Coefficient) -> Values:
        """A given number, rounded to the format: arrays of one entry."""
        if value not in self._known:
            with PRECISION, self.domain.context():
                self._known[value] = self.column([self.domain.number(value)])
        return self._known[value]

    def column(self, entries: Sequence[BallValue]) -> Values:
        """The column with an entry for each given set of the rounding domain."""
        ends = [rounding.ends(x) for x in entries]
        low, high = (np.array([pair[k] for pair in ends]) for k in (0, 1))
        exact = (low == high) & np.array([self.format.holds(x) for x in entries])
        high = low if (low == high).all() else high
        return Values(low, high, np.where(exact, _exponents(np.where(exact, low, 0))[0], OPEN))

    def fits(self, low: Array, high: Array, grid: Array) -> Values:
        """The values, with unbounded ends in place of entries that may overflow or are NaN; `wild` notes whether there
        are such entries."""
        wild = ~(np.maximum(np.abs(low), np.abs(high)) < self.end)
        if not wild.any():
            return Values(low, high, grid)
        self.wild = True
        return Values(np.where(wild, -np.inf, low), np.where(wild, np.inf, high), np.where(wild, OPEN, grid))

    def rounded(self, low: Array, high: Array, exact: Array, grid: Array, up: Array, down: Array) -> Values:
        """The results of an operation whose exact result is rounded once.

        low, high: the ends of the exact result, each rounded to float64. exact: where the result is exact, on `grid`.
        up, down: where the exact result is not negative, or not positive; rounding keeps signs.
        """
        if exact.all():
            return self.fits(low, high, grid)
        least, most = _down(low), _up(high)
        below = _down(least - _up(np.abs(least) * self.unit + self.tiny))
        above = _up(most + _up(np.abs(most) * self.unit + self.tiny))
        below, above = _where(up, np.maximum(below, 0), below), _where(down, np.minimum(above, 0), above)
        return self.fits(_where(exact, low, below), _where(exact, high, above), np.where(exact, grid, OPEN))

    def held(self, size: Array, grid: Array) -> Array:
        """Whether all multiples of 2^grid up to `size` are numbers of the format. A `size` of more than 53 bits was
        rounded to float64, perhaps down to a power of two, so that a format of 53 bits does not accept 2^53 times the
        grid."""
        if not (grid > OPEN).any():
            return np.zeros(np.broadcast_shapes(size.shape, grid.shape), dtype=bool)
        mantissa, exponent = np.frexp(size)
        over = exponent - self.bits - grid  # 1 for a size that is 2^bits times the grid, whose mantissa is 1/2
        inside = (over <= 0) | (size == 0)
        if self.bits < 53:
            inside |= (over == 1) & (mantissa == 0.5)
        return (grid >= self.least) & inside & (size < self.end)

    def times(self, c: Values, x: Values) -> Values:
        """A product of the error model: exact where it needs no more bits than the format has, else rounded once."""
        low, high = _span(np.multiply, x, c)
        size = np.maximum(np.abs(low), np.abs(high))
        # 0 times anything is 0, also times an infinite end, where arithmetic would give NaN.
        zero = ((c.low == 0) & (c.high == 0)) | ((x.low == 0) & (x.high == 0))
        grid = np.where(zero, ZERO, np.where((c.grid > OPEN) & (x.grid > OPEN), c.grid + x.grid, OPEN))
        exact = zero | ((grid > OPEN) & self.held(size, grid))
        low, high = np.where(zero, 0.0, low), np.where(zero, 0.0, high)
        up = ((c.low >= 0) & (x.low >= 0)) | ((c.high <= 0) & (x.high <= 0))
        down = ((c.low >= 0) & (x.high <= 0)) | ((c.high <= 0) & (x.low >= 0))
        return self.rounded(low, high, exact, grid, up, down)

    def total(self, terms: Sequence[Values]) -> Values:
        """The sum of numbers of the format, in any order; a single number is not rounded."""
        if len(terms) == 1:
            return terms[0]
        sums = self.empty(1)
        for term in terms:
            sums = self.added(sums, term)
        return self.value(sums)

    def linear(self, terms: Sequence[tuple[Values, Coefficient]], bias: Coefficient) -> Values:
        """The weighted sum of columns and a bias, each product rounded before it is added."""
        parts = [] if bias == 0 and terms else [self.number(bias)]
        parts += [x if c == 1 else self.times(self.number(c), x) for x, c in terms]
        return self.total(parts)

    def empty(self, states: int) -> Sums:
        """The sum of no terms in each state."""
        zeros = np.zeros(states)
        return Sums(zeros, zeros, zeros, np.full(states, ZERO), zeros, zeros, zeros, zeros)

    def added(self, sums: Sums, x: Values) -> Sums:
        """The running sum with one more term."""
        grid = np.minimum(sums.grid, x.grid)
        size = sums.size + np.maximum(np.abs(x.low), np.abs(x.high))
        low, high = sums.low + x.low, sums.high + x.high
        plain = (grid > OPEN) & self.held(size, grid)
        if not plain.all():  # where the sum is not exact in float64, it is rounded outwards
            low, high = _where(plain, low, _down(low)), _where(plain, high, _up(high))
            size, grid = _where(plain, size, _up(size)), np.where(plain, grid, OPEN)
        return Sums(
            low,
            high,
            size,
            grid,
            np.maximum(sums.largest, x.low),
            np.minimum(sums.smallest, x.high),
            np.minimum(sums.below, x.low),
            np.maximum(sums.above, x.high),
            sums.count + 1,
        )

    def value(self, sums: Sums) -> Values:
        """The interval of the possible results of a sum in floats, in any order of its terms. A sum of numbers of one
        sign is at least as large in size as the largest of them."""
        if sums.came is not None:
            return sums.came
        exact = sums.grid > OPEN
        if exact.all():
            sums.came = self.fits(sums.low, sums.high, sums.grid)
            return sums.came
        # The standard bound of a sum of k terms in any order: (1 + u)^(k - 1) - 1 times the sum of their sizes.
        error = max(sums.count - 1, 1) * self.unit
        growth = error / (1 - error) if error < 0.5 else math.expm1(error)  # both are upper bounds
        slack = _up(_up(sums.size * (growth * (1 + 2.0**-40))) + self.tiny)
        low, high = _down(sums.low - slack), _up(sums.high + slack)
        low = _where(sums.below >= 0, np.maximum(low, sums.largest), low)
        high = _where(sums.above <= 0, np.minimum(high, sums.smallest), high)
        sums.came = self.fits(_where(exact, sums.low, low), _where(exact, sums.high, high), sums.grid)
        return sums.came

    def mean(self, sums: Sums | None) -> Values:
        """The average of all terms of a sum; zero of none."""
        if sums is None:
            return self.number(0)
        if self.divides_first and sums.count > 1:
            return self.shared(sums)
        return self.over(self.value(sums), sums.count)

    def shared(self, sums: Sums) -> Values:
        """The average if each term is first multiplied by the rounded number 1/count."""
        count, power = sums.count, sums.count & (sums.count - 1) == 0
        error = (count - 1) * self.unit
        growth = error / (1 - error) if error < 0.5 else math.expm1(error)
        per_term = 0.0 if power else 2 * self.unit + self.unit**2  # of the share, and of the product
        relative = (growth + per_term + growth * per_term) * (1 + 2.0**-40)
        slack = _up(_up(_up(sums.size / count) * relative) + 2 * (1 + growth) * count * self.tiny)
        low, high = _down(_down(sums.low / count) - slack), _up(_up(sums.high / count) + slack)
        low = np.where(sums.below >= 0, np.maximum(low, 0), low)  # products and sums keep the sign of all terms
        high = np.where(sums.above <= 0, np.minimum(high, 0), high)
        zero = sums.size == 0
        grid = np.where(sums.grid > OPEN, sums.grid - count.bit_length() + 1, OPEN)
        exact = zero | (power & (sums.grid > OPEN) & self.held(sums.size / count, grid))
        ends = np.where(exact, sums.low / count, low), np.where(exact, sums.high / count, high)
        return self.fits(*ends, np.where(zero, ZERO, np.where(exact, grid, OPEN)))

    def over(self, x: Values, count: int) -> Values:
        """The quotient of a sum by the number of its terms."""
        by = self.number(count)
        low, high = _span(np.divide, x, by)
        zero = (x.low == 0) & (x.high == 0)
        grid, bits = _exponents(np.where(np.isfinite(low), low, 0))
        alone = (x.grid > OPEN) & (x.low == x.high) & (by.grid > OPEN) & (bits + _exponents(by.low)[1] <= 53)
        exact = zero | (alone & (low * by.low == x.low) & (bits <= self.bits) & self.held(np.abs(low), grid))
        return self.rounded(low, high, exact, grid, x.low >= 0, x.high <= 0)

    def activate(self, x: Values, kind: str) -> Values:
        """A ReLU or step of a column, which is exact."""
        if kind == "relu":
            return Values(np.maximum(x.low, 0), np.maximum(x.high, 0), x.grid)
        if kind != "step":
            raise unknown_activation(kind)
        low, high = (x.low > 0).astype(float), (x.high > 0).astype(float)
        return Values(low, high, np.where((low == high) | (x.grid > OPEN), 0, OPEN))


class Hulls(RoundedSums):
    """The operations of the error model on the states of prefixes of a model."""

    ends, says = 1, "strings with the same running sums grouped"

    def __init__(self, model: Transformer, dtype: str | rounding.Format, divides_first: bool = False) -> None:
        super().__init__(dtype, divides_first)
        wanted, heads = model.live, READS.of(model).sublayers[0].parts if READS.of(model).sublayers else ()
        embedded = wanted[0] & {*model.embedding.tables, *model.embedding.places}
        rows = [zip(head.writes, head.lowered["V"], strict=True) for head in heads if isinstance(head, Head)]
        self.kept = sum(any(name in wanted[1] and embedded & weights.keys() for name, weights in row) for row in rows)
        """How many heads of the first sublayer read the embedding. The exact sums of so many heads, from the first one
        on, are kept apart."""

    def at(self, seen: int, entries: int) -> Hulls:
        """The arithmetic of the next position, with so many entries: the same object."""
        self.entries = entries
        return self

    def added(self, sums: Sums | None, x: Values) -> Sums:
        """The running sum with one more term; None is the empty sum."""
        return super().added(sums or self.empty(self.entries), x)

    def values(self, numbers: Sequence[Coefficient]) -> Values:
        """The column of a value for each token."""
        parts = [self.number(value) for value in numbers]
        return Values(*(np.concatenate([getattr(part, f) for part in parts]) for f in ("low", "high", "grid")))

    def position(self, term: Coefficient, i: int, n: int) -> Values:
        """The value of a position function, a column of one entry."""
        with PRECISION, self.domain.context():
            self.domain.begin(("",), i)
            return self.column(self.domain.positions(term))

    def merged(
        self, heads: Sequence[Sequence[Sums]], entries: int, labels: Array | None, apart: Sequence[Array] = ()
    ) -> tuple[Array, Array, Any]:
        """Group entries into states: those with equal labels, equal numbers in `apart`, sums of equal signs and, in the
        first `kept` heads, equal exact sums. Returns the state of each entry, the first entry of each state, and the
        hulls of the running sums."""
        columns = [*apart] if labels is None else [labels, *apart]
        for number, head in enumerate(heads):
            for value in map(self.value, head):
                known = ((value.low == 0) & (value.high == 0)).astype(np.int8)
                columns.append((value.low > 0) + 2 * (value.high < 0) + 4 * known)
                if number < self.kept:
                    exact = (value.low == value.high) & (value.grid > OPEN)
                    columns += [exact, _where(exact, value.low, np.zeros(entries))]
        state, first = grouped(columns, entries)
        order = np.argsort(state.astype(np.min_scalar_type(len(first))), kind="stable")  # two bytes are sorted faster
        starts = np.searchsorted(state[order], np.arange(len(first)))

        def hull(name: str, array: Array) -> Array:
            """The minimum or maximum of a field of `Sums` over each new state."""
            return (np.minimum if name in LEAST else np.maximum).reduceat(array[order], starts)

        return state, first, tuple(tuple(pair.moved(hull) for pair in head) for head in heads)


def told(readout: Readout, columns: Sequence[Values], states: int) -> Array:
    """For each state the verdict, or the index of the label, that holds for all its strings; -1 if it is undecided."""
    lows, highs = (
        np.array([np.broadcast_to(end, states) for end in ends])
        for ends in ([column.low for column in columns], [column.high for column in columns])
    )
    rule, _ = readout.choice()
    if rule == "positive":
        return np.where(lows[0] > 0, 1, np.where(highs[0] <= 0, 0, -1))
    if rule == "zero":
        zero, nonzero = ((lows == 0) & (highs == 0)).all(axis=0), ((lows > 0) | (highs < 0)).any(axis=0)
        return np.where(zero, 1, np.where(nonzero, 0, -1))
    # The label with the greatest lower end, if no upper end of another reaches it; of equal scores the first counts.
    best = lows.argmax(axis=0)
    place = np.arange(len(lows))[:, None]
    others = np.where(place == best, -np.inf, highs)
    alone = np.where(place < best, others < lows.max(axis=0), others <= lows.max(axis=0)).all(axis=0)
    return np.where(alone, best, -1)


def streams(model: Transformer) -> bool:
    """Whether a model answers (by verdicts or labels), and can be run on all its strings by running sums."""
    readout = model.readout
    if not readout.answers or not (readout.last or readout.everywhere):
        return False
    if readout.everywhere and model.embedding.ends[1]:
        return False
    parts = [part for step in READS.of(model).sublayers for part in step.parts]
    turns = all(part.activation in ("relu", "step") for part in parts if isinstance(part, FeedForward))
    # With a temperature that depends on the position, the strings of some length may have no run.
    soft = (part.lowered["temperature"] for part in parts if isinstance(part, Head) and part.weighting == "softmax")
    return turns and averages(model) and model.unfollowed() is None and not any(type(t) is tuple for t in soft)


LEVELS = ("any token at each position", "the first token fixed", "strings with the same numbers of tokens grouped",
          "the same with the first token fixed", "one string for all of which sums in all orders make the same",
          "every string")  # fmt: skip
"""The ways to divide the strings of a length into boxes, from the coarsest to single strings."""
CLASSES = 4
"""The level of the classes of `symcook.words.cells`, which hold for every order of sums."""


class Box(NamedTuple):
    """A set of strings that one run handles, with the tokens that the model adds. `word` is one of the strings.

    The strings differ at the positions `free` only. There they have any of `tokens` or, with `counted`, the tokens that
    `word` has there, in any order.
    """

    word: Word
    tokens: tuple[str, ...]
    free: tuple[int, ...] = ()
    counted: bool = False

    @property
    def fixed(self) -> tuple[str | None, ...]:
        """The tokens of `word`, with None at the free positions."""
        return tuple(None if place in self.free else token for place, token in enumerate(self.word))

    @property
    def counts(self) -> tuple[int, ...] | None:
        """How often each token occurs at the free positions; None where any token may be there."""
        inside = [self.word[place] for place in self.free]
        return tuple(map(inside.count, self.tokens)) if self.counted else None


@lru_cache(maxsize=64)
def cells(model: Transformer, n: int, level: int, bits: int) -> Cells:
    """The classes of the strings of length `n` (with added tokens) at a level, an index of `LEVELS`; `bits` is the
    precision of the runtimes."""
    free = n - model.embedding.added
    if level == CLASSES:
        return replace(classes(free, model, bits=bits), text=LEVELS[level])
    fixed = free if level > CLASSES else min(free, level % 2)
    others = (tuple(range(fixed, free)),) if level in (2, 3) else ()
    return Cells(model.alphabet, free, (*((place,) for place in range(fixed)), *others), LEVELS[level])


def boxes(model: Transformer, n: int, level: int, bits: int) -> Iterator[Box]:
    """The strings of length `n` (with added tokens) as boxes, at a level of `LEVELS`; see `cells`."""
    word_classes = cells(model, n, level, bits)
    before = len(model.embedding.ends[0])
    free = () if level >= CLASSES else tuple(range(before + min(word_classes.n, level % 2), before + word_classes.n))
    for word, _ in word_classes:
        yield Box(model.embedding.surround(word), model.alphabet, free, level in (2, 3))


class Tokenwise(list[Any]):
    """A column that depends on the token only: the entries, and `by`, the value of each token."""

    def __init__(self, entries: Sequence[BallValue], by: Mapping[str, BallValue]) -> None:
        super().__init__(entries)
        self.by = by


class Boxed(rounding.Rounding):
    """The domain of rounding whose sequence is a box: the tokens of `box`, which the caller sets before each run, with
    None at its free positions."""

    box: Box

    def begin(self, sequence: Any, start: int) -> None:
        """Begin a run on the box."""
        super().begin(sequence, start)
        self.counts = self.box.counts

    def embed(self, table: Mapping[str, Coefficient]) -> Any:
        """The column of a table of token values."""
        return self.spread({token: self.number(value) for token, value in table.items()})

    def spread(self, by: Mapping[str, BallValue]) -> Tokenwise:
        """The column in which each token has its value, with a hull of the possible values at free positions. A hull of
        different values is an object of its own at each position, so that no two positions count as equal."""
        may = [t for t, c in zip(self.box.tokens, self.counts or (1,) * len(self.box.tokens), strict=True) if c]
        values = [by[token] for token in may]

        def entry(token: str | None) -> Any:
            """The value of a token; for None, a hull of all possible values."""
            if token is not None:
                return by[token]
            return values[0] if all(v is values[0] for v in values) else reduce(_union, values)

        return Tokenwise([entry(token) for token in self._sequence], by)

    def linear(self, terms: Sequence[tuple[BallColumn, Coefficient]], bias: Coefficient) -> Any:
        """The weighted sum of columns and a bias. If some column depends on the token only, and all others do too or
        are constant, it is computed token by token, and the result is a `Tokenwise` column too."""
        tables = self.tables([column for column, _ in terms])
        if tables is None:
            return super().linear(terms, bias)
        by = {}
        for token in tables[0]:
            entries = [([table[token]], weight) for table, (_, weight) in zip(tables, terms, strict=True)]
            by[token] = super().linear(entries, bias)[0]
        return self.spread(by)

    def activate(self, column: BallColumn, kind: str) -> Any:
        """An activation of a column, token by token where it depends on the token only."""
        if isinstance(column, Tokenwise):
            return self.spread({token: self.activation(value, kind) for token, value in column.by.items()})
        return super().activate(column, kind)

    def tables(self, columns: Sequence[BallColumn]) -> list[Mapping[str, BallValue]] | None:
        """{token: value} of each column; None where a column is neither `Tokenwise` nor constant, or none is
        `Tokenwise`."""
        token = next((column.by for column in columns if isinstance(column, Tokenwise)), None)
        if token is None:
            return None
        by_column = []
        for column in columns:
            if isinstance(column, Tokenwise):
                by_column.append(column.by)
            elif all(x is column[0] for x in column):
                by_column.append(dict.fromkeys(token, column[0]))
            else:
                return None
        return by_column

    def plain(self, column: BallColumn, seen: Sequence[range], weighting: str) -> Any:
        """The average of a column. Where all positions are seen and the counts of tokens are known, the sum is made of
        each token's value, taken as often as the token occurs."""
        counts = self.counts
        sees_all = all(len(sees) == self.length for sees in seen)
        if (
            counts is None
            or not isinstance(column, Tokenwise)
            or not sees_all
            or weighting not in ("average", "softmax")
        ):
            return super().plain(column, seen, weighting)
        entries = [column.by[token] for token in self._sequence if token is not None]
        for token, count in zip(self.box.tokens, counts, strict=True):
            entries += [column.by[token]] * count
        return [self.mean(entries)] * len(seen)


def _union(a: BallValue, b: BallValue) -> Any:
    """An interval that contains both sets."""
    from flint import arb

    return arb(a).union(arb(b))
