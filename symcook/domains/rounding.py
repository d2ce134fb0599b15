"""What any runtime may compute: every value is a set that contains the exact number and every possible rounded result.

The error model, for an arithmetic with unit roundoff u (`Format`):

- a given number, a product, a quotient, a root and a sum of two are rounded once: y (1 + d) + e with |d| <= u and |e|
  at most half the least subnormal number; with a fused operation d = 0 for the product in it;
- a sum of k terms, in any order, by pairs or fused, is off by at most g sum |term| with g = (k - 1) u/(1 - (k - 1) u);
- an exponential is off by at most `EXP_ULPS` units in the last place (2u of the value each), and may be flushed to zero
  below the least normal number; e^0 is 1. Softmax subtracts some number, the greatest score up to rounding, first;
- the factor of x in a gelu, which lies between 0 and 1, is off by at most `GELU_ULPS` 2u;
- a layer norm takes the mean, then the mean of the squares of what is left, then divides by the root;
- in hard attention equal keys have equal scores;
- an average is divided once, after the sum; with `divides_first` each weight is divided before the sum: by the sum of
  the weights, or multiplied by its rounded inverse;
- a result that overflows may be anything.

A step whose every possible intermediate result is a number of the format is exact: integers, mostly. The exact number
is in the set whatever the model assumes, since the sets are Arb balls, so that a verdict that the whole set agrees on
is right; that every runtime gives it too rests on the model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import frexp, inf, isfinite, nextafter
from typing import Any, ClassVar

import flint
from flint import arb, fmpq

from symcook.domains.ball import ACTIVATIONS, ZERO, BallColumn, BallColumns, BallDomain, BallValue
from symcook.domains.ballmatrices import RoundedMatrices, anything
from symcook.domains.protocol import Coefficient
from symcook.domains.rowwise import Rowwise, Scores
from symcook.errors import BadInput
from symcook.model.checks import one_of
from symcook.model.parts import Mask
from symcook.present import present

EXP_ULPS = 4
"""The greatest error of an exponential, in units in the last place."""
GELU_ULPS = 8
"""The greatest error of the factor in a gelu, in units in the last place of 1."""


@dataclass(frozen=True)
class Format:
    """Floating numbers of `bits` bits, rounded to nearest; normal from 2^least up, below 2^most; None: no such end.

    >>> Format(24, -126, 128).unit
    1/16777216
    """

    bits: int
    least: int | None = None
    most: int | None = None

    @cached_property
    def unit(self) -> fmpq:
        """The unit roundoff u."""
        return _two(-self.bits)

    @cached_property
    def _relative(self) -> arb:
        return 1 + arb(0, arb(self.unit))

    @cached_property
    def _absolute(self) -> arb:
        """What a result below the least normal number may lose to rounding."""
        return arb(0) if self.least is None else arb(0, arb(_two(self.least - self.bits)))

    @cached_property
    def _flushed(self) -> arb:
        """What is lost where such a result becomes zero."""
        return arb(0) if self.least is None else arb(0, arb(_two(self.least)))

    def holds(self, x: BallValue) -> bool:
        """Whether a value is one number of this format, not a subnormal one."""
        if isinstance(x, fmpq):
            return x == 0 or self.holds(arb(x))
        if not x.is_exact() or x.bits() > self.bits:
            return False
        return self.least is None or x == 0 or (abs(x) >= _two(self.least) and self._fits(x))

    def rounded(self, x: BallValue) -> BallValue:
        """A value with what rounding to this format makes of it."""
        if self.holds(x):
            return x
        return self.checked(arb(x) * self._relative + self._absolute)

    def stored(self, value: Coefficient) -> Fraction:
        """The number that stands for a given one: rounded to the nearest, over float64 as exports do it."""
        from symcook.numbers.evaluate import float_of

        in_float64 = float_of(value)
        if not isfinite(in_float64):
            raise BadInput("every number of the model must fit the type of floats", value)
        # The last bit that the format keeps of a number of this size.
        _, exponent = frexp(in_float64)
        last = exponent - self.bits
        if self.least is not None:
            last = max(last, self.least - self.bits + 1)
        nearest = Fraction(round(Fraction(in_float64) / Fraction(2) ** last)) * Fraction(2) ** last
        if self.most is not None and abs(nearest) >= Fraction(2) ** self.most:
            raise BadInput("every number of the model must fit the type of floats", value)
        return nearest

    def total(self, parts: Sequence[BallValue]) -> BallValue:
        """The sum of numbers of this format, in any order."""
        running = _Running(self)
        for part in parts:
            running.add(part)
        return running.value()

    def softmax(self, scores: Sequence[BallValue]) -> list[BallValue]:
        """Weights e^(score - top), up to a common positive factor."""
        # The number that the runtime subtracts is the greatest score up to rounding: within `reach` of `top`.
        best = [arb(score) for score in scores]
        top = max(best, key=lambda score: score.mid() if score.is_finite() else arb.neg_inf()).mid()
        reach: Any = arb(0)  # how far the number that is subtracted may be from `top`
        for score in best:
            if not score < top:
                reach = reach.max((score - top).abs_upper())
        if not reach < 1:
            return [anything() for _ in best]
        result: list[BallValue] = []
        for score in best:
            power: Any = score - top
            # e^0 is exactly 1.
            if power.is_zero() and reach.is_zero():
                result.append(arb(1))
                continue
            moved = power + arb(0, ((power.abs_upper() + reach) * self.unit).upper())
            result.append(moved.exp() * (1 + arb(0, arb(2 * EXP_ULPS * self.unit))) + self._flushed * reach.exp())
        return result

    @property
    def tiny(self) -> arb:
        """The most that a rounding takes from a number however small."""
        return self._absolute.abs_upper()

    @property
    def flushed(self) -> arb:
        """The least normal number, below which an exponential may be flushed to zero."""
        return self._flushed.abs_upper()

    def fits(self, x: arb) -> bool:
        """Whether numbers of this size are below the end of the format."""
        return bool(self._fits(x))

    def _fits(self, x: arb) -> bool:
        return self.most is None or abs(x) < self._end

    @cached_property
    def _end(self) -> arb:
        return arb(_two(present(self.most)) * (1 - self.unit))

    def checked(self, x: arb) -> arb:
        """The set itself; anything if it may overflow."""
        return x if x.is_finite() and self._fits(x) else anything()


class _Running:
    """A sum as it grows, with what rounding may add to it."""

    def __init__(self, format: Format) -> None:
        self.format = format
        self.sum, self.size, self.count = arb(0), arb(0), 0
        self.exponent: int | None = 0  # all terms are multiples of 2^exponent; None: not known to be multiples of any

    def add(self, x: BallValue) -> None:
        """Add one term."""
        if isinstance(x, fmpq):
            if not x:
                return
            x = arb(x)
        self.count += 1
        self.sum = self.sum + x
        self.size = self.size + x.abs_upper()
        if self.exponent is not None:
            if self.format.holds(x):
                exponent = int(x.man_exp()[1])
                self.exponent = exponent if self.count == 1 else min(self.exponent, exponent)
            else:
                self.exponent = None

    def value(self) -> BallValue:
        """The set of all results of the sum, in any order."""
        if self.count < 2:
            return self.sum if self.count else ZERO
        if self.exponent is not None and self.size <= _two(self.exponent + self.format.bits):
            # every partial sum is a multiple of 2^exponent of at most `bits` bits
            return ZERO if self.sum == 0 else self.format.checked(self.sum)
        if self.count == 2:
            return self.format.checked(self.sum * self.format._relative)
        # The general bound of the error model.
        error = (self.count - 1) * self.format.unit
        if 2 * error > 1 or not self.format._fits(2 * self.size):
            return anything()
        return self.format.checked(self.sum + arb(0, (self.size * (error / (1 - error))).upper()))

    def shared(self, count: int) -> BallValue:
        """The sum of the terms each times 1/count, which is rounded before: their average, as far as they are all that
        is not zero among so many."""
        if not self.count or count == 1:
            return self.value()
        format, share, power = self.format, fmpq(1, count), count & (count - 1) == 0
        # Exact, if the count is a power of 2 and nothing becomes subnormal.
        if power and self.exponent is not None and self.size <= _two(self.exponent + format.bits):
            least = self.exponent - count.bit_length() + 1  # the products are multiples of 2^least
            if format.least is None or least >= format.least:
                return ZERO if self.sum == 0 else format.checked(self.sum * share)
        error = (self.count - 1) * format.unit
        if 2 * error > 1 or not format._fits(2 * self.size):
            return anything()
        growth = 1 + error / (1 - error)
        factor = fmpq(1) if power else (1 + format.unit) ** 2  # the roundings of the share and of the product
        slack = self.size * share * (factor * growth - 1) + self.count * format.tiny * growth
        return format.checked(self.sum * share + arb(0, slack.upper()))


FORMATS: Mapping[str, tuple[Format, Format]] = {
    "float64": (Format(53, -1022, 1024), Format(53, -1022, 1024)),
    "float32": (Format(24, -126, 128), Format(24, -126, 128)),
    "float16": (Format(11, -14, 16), Format(24, -126, 128)),
}
"""The type of stored columns, and the one inside an operation (scores, weights, sums, layer norm)."""
RUNTIMES = {**FORMATS, "bfloat16": (Format(8, -126, 128), Format(8, -126, 128))}
"""The same with a type that numpy has not."""


class Rounding(RoundedMatrices, BallDomain):
    """The domain of these sets; with `stored` columns, and `inner` the arithmetic inside one operation. `divides_first`
    is the order of a plain `softmax(scores) @ values`.

    >>> from fractions import Fraction
    >>> domain = Rounding(Format(8))
    >>> with domain.context():
    ...     domain.begin(("a", "b"), 1)
    ...     column = domain.embed({"a": Fraction(1, 3), "b": 5})
    ...     domain.positive(domain.linear([(column, 3)], -1)), domain.positive(domain.linear([(column, 3)], -2))
    ([None, True], [False, True])
    """

    matrices: ClassVar[bool] = True
    name: ClassVar[str] = "rounding"
    sifts: ClassVar[bool] = False
    proportional: ClassVar[bool] = False
    recalls: ClassVar[bool] = False

    def __init__(self, stored: Format, inner: Format | None = None, *, divides_first: bool = False) -> None:
        super().__init__(stored.bits)
        self.stored, self.inner, self.divides_first = stored, inner or stored, divides_first
        self._format = stored
        self._given_in: dict[Format, dict[Any, BallValue]] = {stored: self._numbers_of}

    def context(self) -> AbstractContextManager[Any]:
        return flint.ctx.workprec(2 * max(self.stored.bits, self.inner.bits) + 64)

    def positions(self, expression: Coefficient) -> BallColumn:
        with self._in(self.stored):
            return super().positions(expression)

    def _entry(self, x: BallValue) -> BallValue:
        return self._format.rounded(x)

    def activation(self, x: BallValue, kind: str) -> BallValue:
        if not kind.startswith("gelu"):
            return super().activation(x, kind)
        error = arb(0, arb(2 * GELU_ULPS * self.stored.unit))
        return ZERO if x == 0 else self.stored.rounded(ACTIVATIONS[kind](x) + arb(x) * error)

    def layer_norm(self, columns: BallColumns, epsilon: Coefficient, zero_variance: str) -> list[BallColumn]:
        first, self.divides_first = self.divides_first, False  # its means are no averages of attention
        try:
            with self._in(self.inner):
                normed_columns = super().layer_norm(columns, epsilon, zero_variance)
        finally:
            self.divides_first = first
        return self._kept(normed_columns)

    def attend(
        self,
        queries: BallColumns,
        keys: BallColumns,
        values: BallColumns,
        mask: Mask,
        weighting: str,
        factor: Coefficient,
    ) -> list[BallColumn]:
        """What a head writes, computed in the inner type, then stored. A result that is no input is a number of its own
        in each row."""
        with self._in(self.inner):
            attended = super().attend(queries, keys, values, mask, weighting, factor)
        inputs = {id(x) for column in values for x in column}
        return self._kept([[x if id(x) in inputs else _another(x) for x in column] for column in attended])

    soft = Rowwise.soft
    shares = Rowwise.shares

    def scoring(self, queries: BallColumns, keys: BallColumns, compared: bool) -> Scores:
        return Rowwise.scoring(self, queries, keys, compared)

    def weights(self, scores: Sequence[BallValue]) -> list[BallValue]:
        return self._format.softmax(scores)

    def softmax(
        self, scores: Sequence[BallValue], scale: BallValue | None, rows: Sequence[Sequence[BallValue]]
    ) -> Sequence[BallValue]:
        if not self.divides_first:
            return super().softmax(scores, scale, rows)
        weights = self.weights(scores if scale is None else [self.times(scale, score) for score in scores])
        total = self.total(weights)
        shares = [self._format.rounded(self.over(weight, total)) for weight in weights]
        return [self.total([self.times(share, x) for share, x in zip(shares, row, strict=True)]) for row in rows]

    def mean(self, entries: Sequence[BallValue]) -> BallValue:
        if not self.divides_first:
            return super().mean(entries)
        running = _Running(self._format)
        for x in entries:
            running.add(x)
        return running.shared(len(entries))

    def plain(self, column: BallColumn, seen: Sequence[range], weighting: str) -> BallColumn:
        """Rows whose scores are all zero; with `divides_first` each entry is multiplied by the share of its row."""
        same_rows = all(sees == seen[0] for sees in seen)
        if not self.divides_first or same_rows or weighting in ("leftmost", "rightmost"):
            return super().plain(column, seen, weighting)
        running, means = _Running(self._format), [self.nothing]
        for count, x in enumerate(column[::-1] if seen[0].start < seen[-1].start else column, 1):
            running.add(x)
            means.append(running.shared(count))
        return [means[len(sees)] for sees in seen]

    def distribution(self, columns: BallColumns) -> list[BallColumn]:
        with self._in(self.inner):
            shares = super().distribution(columns)
        return self._kept(shares)

    @contextmanager
    def _in(self, format: Format) -> Iterator[None]:
        """Compute in another format for a while."""
        before = self._format, self._numbers_of
        self._format, self._numbers_of = format, self._given_in.setdefault(format, {})
        try:
            yield
        finally:
            self._format, self._numbers_of = before

    def _kept(self, columns: BallColumns) -> list[BallColumn]:
        """Columns rounded to the stored type."""
        if self.inner == self.stored:
            return list(columns)
        return [self.each([column], lambda entries: self.stored.rounded(entries[0])) for column in columns]

    linear = Rowwise.linear  # what is rounded does not cancel

    def times(self, a: BallValue, b: BallValue) -> BallValue:
        if (type(a) is fmpq and not a) or (type(b) is fmpq and not b):
            return ZERO
        return self._format.rounded(arb(a) * b)

    def total(self, parts: Sequence[BallValue]) -> BallValue:
        return parts[0] if len(parts) == 1 else self._format.total(parts)

    def running(self, column: Sequence[BallValue]) -> BallColumn:
        running, sums = _Running(self._format), list[BallValue]([ZERO])
        for x in column:
            running.add(x)
            sums.append(running.value())
        return sums

    def over(self, a: BallValue, b: BallValue) -> BallValue:
        return ZERO if type(a) is fmpq and not a and b > 0 else self._format.rounded(arb(a) / b)

    def _root(self, x: BallValue) -> BallValue:
        return self._format.rounded(arb(x).sqrt())

    def _flat(self, entries: Sequence[BallValue]) -> bool:
        """Equal entries are rounded as others are."""
        return False


def _another(x: BallValue) -> BallValue:
    """A result of one row of attention: a product of matrices may round equal rows in different ways."""
    return x if isinstance(x, fmpq) or x.is_exact() else arb(x)


def _two(exponent: int) -> fmpq:
    """2 to an integer power."""
    return fmpq(2) ** exponent


def domain(dtype: str, kind: type[Rounding] | None = None, divides_first: bool = False) -> Any:
    """The domain of all that an arithmetic in `dtype` may compute: weights, columns and every operation rounded to it.
    `divides_first` is the order of averages.

    What computes an operation in more bits and rounds at its end, as float16 runtimes do, stays in the same sets: a
    double rounding is off by less than u y, since one rounding to nearest is off by at most u/(1 + u) y.
    """
    one_of("dtype", dtype, tuple(RUNTIMES))
    format, _ = RUNTIMES[dtype]
    return (kind or Rounding)(format, format, divides_first=divides_first)


def ends(x: BallValue) -> tuple[float, float]:
    """The ends of a set of the rounding domain as float64, rounded outwards."""
    if not isinstance(x, arb):
        x = arb(x)
    if not x.is_finite():
        return -inf, inf
    low, high = x.lower(), x.upper()
    below, above = float(low), float(high)
    while arb(below) > low:
        below = nextafter(below, -inf)
    while arb(above) < high:
        above = nextafter(above, inf)
    return below, above
