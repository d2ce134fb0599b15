"""Sets of possible results: every value is a set with the exact number and every rounded result of any runtime.

The error model, for an arithmetic with unit roundoff u (`Format`):

- a number of the model or input, a product, a quotient, a root and a sum of two are rounded once: y (1 + d) + e with
  |d| <= u and |e| at most half the least subnormal number; in a fused operation, d = 0 for the product;
- a sum of k terms, in any order, by pairs or fused, has an error of at most g sum |term|, where
  g = (k - 1) u/(1 - (k - 1) u);
- an exponential has an error of at most `EXP_ULPS` units in the last place (each at most 2u times the value), and may
  be flushed to zero below the least normal number; e^0 is 1. Softmax first subtracts the maximum score, up to rounding;
- the factor of x in a gelu, which lies between 0 and 1, has an error of at most `GELU_ULPS` times 2u;
- a layer norm subtracts the mean, takes the mean of the squares of the differences, then divides by the root;
- in hard attention equal keys have equal scores;
- an average is divided once, after the sum; with `divides_first`, each weight is divided before the sum, either by the
  sum of the weights or by a multiplication with its rounded inverse;
- a result that overflows may be any number.

A step is exact if every possible intermediate result is a number of the format (mostly integers). The sets are Arb
balls that contain the exact number without any assumption. So a verdict on which the whole set agrees is right. That
every runtime gives the same verdict depends on the error model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
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
from symcook.domains.protocol import Coefficient, unknown_activation
from symcook.domains.rowwise import Rowwise, Scores
from symcook.errors import BadInput
from symcook.model.checks import one_of
from symcook.model.parts import SMOOTH, Mask
from symcook.present import present

EXP_ULPS = 4
"""The greatest error of an exponential, in units in the last place."""
GELU_ULPS = 8
"""The greatest error of the factor in a gelu, in units in the last place of 1."""


@dataclass(frozen=True)
class Format:
    """A floating-point format with `bits` bits, rounded to nearest. Normal numbers are at least 2^least and below
    2^most in absolute value; None means no limit on that side.

    >>> Format(24, -126, 128).unit
    1/16777216
    """

    bits: int
    least: int | None = None
    most: int | None = None

    @cached_property
    def unit(self) -> fmpq:
        """The unit roundoff u."""
        return _power_of_two(-self.bits)

    @cached_property
    def _relative(self) -> arb:
        """The factors 1 + d of one rounding, with |d| <= u."""
        return 1 + arb(0, arb(self.unit))

    @cached_property
    def _absolute(self) -> arb:
        """The absolute error of one rounding below the least normal number."""
        return arb(0) if self.least is None else arb(0, arb(_power_of_two(self.least - self.bits)))

    @cached_property
    def _flushed(self) -> arb:
        """The absolute error if a result below the least normal number becomes zero."""
        return arb(0) if self.least is None else arb(0, arb(_power_of_two(self.least)))

    def holds(self, x: BallValue) -> bool:
        """Whether a value is certainly one number of this format, and not a subnormal one."""
        if isinstance(x, fmpq):
            return x == 0 or self.holds(arb(x))
        if not x.is_exact() or x.bits() > self.bits:
            return False
        return self.least is None or x == 0 or (abs(x) >= _power_of_two(self.least) and self._fits(x))

    def rounded(self, x: BallValue) -> BallValue:
        """The set of a value and all its roundings to this format."""
        if self.holds(x):
            return x
        return self.checked(arb(x) * self._relative + self._absolute)

    def stored(self, value: Coefficient) -> Fraction:
        """The number of the format for a coefficient: rounded to float64 first and then to the format, as exports
        do."""
        from symcook.numbers.evaluate import float_of

        in_float64 = float_of(value)
        if not isfinite(in_float64):
            raise BadInput(
                "every number of the model must be within the range of the float type", value, "use a wider --dtype"
            )
        # `last` is the exponent of the last bit that the format has for a number of this size.
        _, exponent = frexp(in_float64)
        last = exponent - self.bits
        if self.least is not None:
            last = max(last, self.least - self.bits + 1)
        nearest = Fraction(round(Fraction(in_float64) / Fraction(2) ** last)) * Fraction(2) ** last
        if self.most is not None and abs(nearest) >= Fraction(2) ** self.most:
            raise BadInput(
                "every number of the model must be within the range of the float type", value, "use a wider --dtype"
            )
        return nearest

    def total(self, parts: Sequence[BallValue]) -> BallValue:
        """The set of all rounded sums of numbers of this format, added in any order."""
        running = _Running(self)
        for part in parts:
            running.add(part)
        return running.value()

    def softmax(self, scores: Sequence[BallValue]) -> list[BallValue]:
        """Sets of the rounded weights e^(score - top), up to a common positive factor."""
        # The runtime subtracts the maximum score up to rounding. This number differs from `top` by at most `reach`.
        score_sets = [arb(score) for score in scores]
        top = max(score_sets, key=lambda score: score.mid() if score.is_finite() else arb.neg_inf()).mid()
        reach: Any = arb(0)
        for score in score_sets:
            if not score < top:
                reach = reach.max((score - top).abs_upper())
        if not reach < 1:
            return [anything() for _ in score_sets]
        result: list[BallValue] = []
        for score in score_sets:
            power: Any = score - top
            # e^0 is exactly 1.
            if power.is_zero() and reach.is_zero():
                result.append(arb(1))
                continue
            rounded_power = power + arb(0, ((power.abs_upper() + reach) * self.unit).upper())
            result.append(
                rounded_power.exp() * (1 + arb(0, arb(2 * EXP_ULPS * self.unit))) + self._flushed * reach.exp()
            )
        return result

    @property
    def tiny(self) -> arb:
        """The greatest absolute error of a rounding below the least normal number."""
        return self._absolute.abs_upper()

    @property
    def flushed(self) -> arb:
        """The least normal number; a smaller exponential may be flushed to zero."""
        return self._flushed.abs_upper()

    def fits(self, x: arb) -> bool:
        """Whether all numbers of the set are certainly in the range of the format."""
        return bool(self._fits(x))

    def _fits(self, x: arb) -> bool:
        """`fits` without conversion to bool."""
        return self.most is None or abs(x) < self._largest_in_range

    @cached_property
    def _largest_in_range(self) -> arb:
        """A bound below which absolute values are in range, also after a rounding."""
        return arb(_power_of_two(present(self.most)) * (1 - self.unit))

    def checked(self, x: arb) -> arb:
        """The set itself; all real numbers if it may overflow."""
        return x if x.is_finite() and self._fits(x) else anything()


class _Running:
    """A sum that terms are added to, with the data for bounds of its rounding errors.

    `sum` encloses the exact sum, `size` bounds the sum of absolute values, and `count` is the number of terms that are
    not exactly zero rationals.
    """

    def __init__(self, format: Format) -> None:
        self.format = format
        self.sum, self.size, self.count = arb(0), arb(0), 0
        self.exponent: int | None = 0  # all terms are multiples of 2^exponent; None: no such exponent is known

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
        """The set of all rounded results of the sum, in any order of addition."""
        if self.count < 2:
            return self.sum if self.count else ZERO
        if self.exponent is not None and self.size <= _power_of_two(self.exponent + self.format.bits):
            # exact: every partial sum is a multiple of 2^exponent with at most `bits` bits
            return ZERO if self.sum == 0 else self.format.checked(self.sum)
        if self.count == 2:
            return self.format.checked(self.sum * self.format._relative)
        # The bound of the error model for any number of terms.
        error = (self.count - 1) * self.format.unit
        if 2 * error > 1 or not self.format._fits(2 * self.size):
            return anything()
        return self.format.checked(self.sum + arb(0, (self.size * (error / (1 - error))).upper()))

    def shared(self, count: int) -> BallValue:
        """The set of all rounded results of the average of `count` entries, of which the terms are the nonzero ones,
        where each term is multiplied by the rounded 1/count before the sum (`divides_first`)."""
        if not self.count or count == 1:
            return self.value()
        format, share, power = self.format, fmpq(1, count), count & (count - 1) == 0
        # Exact if the count is a power of 2 and no product becomes subnormal.
        if power and self.exponent is not None and self.size <= _power_of_two(self.exponent + format.bits):
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
"""For each float domain: the format of columns, and the format inside one operation (scores, weights, sums, layer
norm)."""
RUNTIMES = {**FORMATS, "bfloat16": (Format(8, -126, 128), Format(8, -126, 128))}
"""`FORMATS`, and a type that numpy does not have. `domain` uses the first format of each pair only."""


class Rounding(RoundedMatrices, BallDomain):
    """The domain of these sets. `stored` is the format of columns, `inner` that inside one operation. With
    `divides_first`, averages are computed like `softmax(scores) @ values`, else divided after the sum.

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
    sifts: ClassVar[bool] = False  # the scores of `sieve` are exact ones, and a runtime compares rounded ones
    proportional: ClassVar[bool] = False  # sets have the rounding of a runtime
    recalls: ClassVar[bool] = False  # the sets must be those of a pass over all positions

    def __init__(self, stored: Format, inner: Format | None = None, *, divides_first: bool = False) -> None:
        super().__init__(stored.bits)
        self.stored, self.inner, self.divides_first = stored, inner or stored, divides_first
        self._format = stored
        """The format of the operation that is running (`_using`)."""
        self._memo_by_format: dict[Format, dict[Any, BallValue]] = {stored: self._numbers_of}
        """Format -> the memo of `number` in this format."""

    def context(self) -> AbstractContextManager[Any]:
        return flint.ctx.workprec(2 * max(self.stored.bits, self.inner.bits) + 64)

    def positions(self, expression: Coefficient) -> BallColumn:
        with self._using(self.stored):
            return super().positions(expression)

    def _entry(self, x: BallValue) -> BallValue:
        return self._format.rounded(x)

    def activation(self, x: BallValue, kind: str) -> BallValue:
        if kind in ("relu", "step"):
            return super().activation(x, kind)
        if kind not in SMOOTH:
            raise unknown_activation(kind)
        error = arb(0, arb(2 * GELU_ULPS * self.stored.unit))
        return ZERO if x == 0 else self.stored.rounded(ACTIVATIONS[kind](x) + arb(x) * error)

    def layer_norm(self, columns: BallColumns, epsilon: Coefficient, zero_variance: str) -> list[BallColumn]:
        """The layer norm, computed in the inner format and then stored; its means are always divided after the sum."""
        return self._stored_norm(super().layer_norm, columns, epsilon, zero_variance)

    def rms_norm(self, columns: BallColumns, epsilon: Coefficient, zero_square: str) -> list[BallColumn]:
        """The same of an RMS norm."""
        return self._stored_norm(super().rms_norm, columns, epsilon, zero_square)

    def _stored_norm(
        self, norm: Callable[..., list[BallColumn]], columns: BallColumns, epsilon: Coefficient, zero: str
    ) -> list[BallColumn]:
        """A norm, computed in the inner format and then stored."""
        first, self.divides_first = self.divides_first, False  # it concerns the averages of attention only
        try:
            with self._using(self.inner):
                normed_columns = norm(columns, epsilon, zero)
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
        """The output of a head, computed in the inner format and then stored. A result that is neither exact nor one of
        the value entries is a separate object in each row."""
        with self._using(self.inner):
            attended = super().attend(queries, keys, values, mask, weighting, factor)
        inputs = {id(x) for column in values for x in column}
        return self._kept([[x if id(x) in inputs else _new_object(x) for x in column] for column in attended])

    # Not as in `BallDomain`, whose products of matrices do not bound rounding.
    soft = Rowwise.soft
    shares = Rowwise.shares

    def scoring(self, queries: BallColumns, keys: BallColumns, compared: bool) -> Scores:
        return Rowwise.scoring(self, queries, keys, compared)

    def weights(self, scores: Sequence[BallValue]) -> list[BallValue]:
        return self._format.softmax(scores)

    def softmax(
        self, scores: Sequence[BallValue], scale: BallValue | None, rows: Sequence[Sequence[BallValue]]
    ) -> Sequence[BallValue]:
        """The weighted mean of each row of values; with `divides_first` the weights are divided by their sum first."""
        if not self.divides_first:
            return Rowwise.softmax(self, scores, scale, rows)
        weights = self.weights(scores if scale is None else [self.times(scale, score) for score in scores])
        total = self.total(weights)
        # `over` rounds once; the second rounding is for runtimes that multiply by the rounded inverse.
        shares = [self._format.rounded(self.over(weight, total)) for weight in weights]
        return [self.total([self.times(share, x) for share, x in zip(shares, row, strict=True)]) for row in rows]

    def mean(self, entries: Sequence[BallValue]) -> BallValue:
        """The mean; with `divides_first` each entry is multiplied by the rounded share 1/count before the sum."""
        if not self.divides_first:
            return super().mean(entries)
        running = _Running(self._format)
        for x in entries:
            running.add(x)
        return running.shared(len(entries))

    def plain(self, column: BallColumn, seen: Sequence[range], weighting: str) -> BallColumn:
        """Attention with all scores zero; with `divides_first`, each entry is multiplied by the share 1/count of its
        row, for each number of entries in turn (where all rows see the same positions, `mean` does that)."""
        same_rows = all(sees == seen[0] for sees in seen)
        if not self.divides_first or same_rows or weighting in ("leftmost", "rightmost"):
            return super().plain(column, seen, weighting)
        running, means = _Running(self._format), [self.nothing]
        for count, x in enumerate(column[::-1] if seen[0].start < seen[-1].start else column, 1):
            running.add(x)
            means.append(running.shared(count))
        return [means[len(sees)] for sees in seen]

    def distribution(self, columns: BallColumns) -> list[BallColumn]:
        with self._using(self.inner):
            shares = super().distribution(columns)
        return self._kept(shares)

    @contextmanager
    def _using(self, format: Format) -> Iterator[None]:
        """A context in which operations round to `format`."""
        before = self._format, self._numbers_of
        self._format, self._numbers_of = format, self._memo_by_format.setdefault(format, {})
        try:
            yield
        finally:
            self._format, self._numbers_of = before

    def _kept(self, columns: BallColumns) -> list[BallColumn]:
        """The columns rounded to the stored format."""
        if self.inner == self.stored:
            return list(columns)
        return [self.each([column], lambda entries: self.stored.rounded(entries[0])) for column in columns]

    linear = Rowwise.linear  # rounded values do not cancel exactly

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

    def _all_same(self, entries: Sequence[BallValue]) -> bool:
        """False: a mean of equal entries is rounded like any other."""
        return False


def _new_object(x: BallValue) -> BallValue:
    """A result of attention as a new object, unless it is exact: runtimes may round equal rows in different ways, so
    results of two rows must not count as the same number."""
    return x if isinstance(x, fmpq) or x.is_exact() else arb(x)


def _power_of_two(exponent: int) -> fmpq:
    """2 to an integer power."""
    return fmpq(2) ** exponent


def domain(dtype: str, kind: type[Rounding] | None = None, divides_first: bool = False) -> Any:
    """A domain of class `kind` (`Rounding` if None) for runtimes that round weights, columns and every operation to
    `dtype`, a key of `RUNTIMES`. For `divides_first` see `Rounding`.

    A runtime that computes an operation in more bits and rounds its result, as for float16, stays in the same sets: one
    rounding to nearest has an error of at most u/(1 + u) y, so that a double rounding has one of less than u y.
    """
    one_of("dtype", dtype, tuple(RUNTIMES))
    format, _ = RUNTIMES[dtype]
    return (kind or Rounding)(format, format, divides_first=divides_first)


def ends(x: BallValue) -> tuple[float, float]:
    """(lower end, upper end) of a set, as float64 rounded outwards."""
    if not isinstance(x, arb):
        x = arb(x)
    if not x.is_finite():
        return -inf, inf
    low, high = x.lower(), x.upper()
    low_float, high_float = float(low), float(high)
    while arb(low_float) > low:
        low_float = nextafter(low_float, -inf)
    while arb(high_float) < high:
        high_float = nextafter(high_float, inf)
    return low_float, high_float
