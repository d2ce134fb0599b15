"""Many strings of one length at once, in float64 with a certified error: for dense models.

A number is a midpoint and a radius, both float64: the exact value lies between midpoint - radius and midpoint + radius.
The analysis assumes correctly rounded +, -, *, / and sqrt only, sums in any order, fused or not; exponentials are
computed here from those (`exponential`). A radius is computed in floats too, so it is enlarged at the end by more than
its own rounding (`balls`). Where nothing is known the radius is infinite. A comparison that the radii leave undecided
is -1. Everywhere u is `UNIT`, the relative error of one rounding.

The domain implements `symcook.domains.protocol.Matrices` alone: sparse models are not run in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from fractions import Fraction
from functools import lru_cache
from math import factorial
from typing import TYPE_CHECKING, Any, ClassVar

import flint
import numpy as np
from flint import arb, fmpq

from symcook.domains.exact import value_at
from symcook.domains.floatmatrices import FloatArray, nearest
from symcook.domains.protocol import Coefficient
from symcook.domains.rowwise import Positions, visible
from symcook.errors import NotExact
from symcook.locks import PRECISION
from symcook.model.answers import Named
from symcook.model.ends import Embedding
from symcook.model.parts import LayerNorm, Mask
from symcook.model.symbols import lowered
from symcook.numbers.evaluate import float_of
from symcook.numbers.matrix import RationalMatrix

if TYPE_CHECKING:
    import sympy

    from symcook.domains.batch import Listed


UNIT = 2.0**-53
WIDEST = 4096
"""The greatest number of terms of a sum: what its rounding adds to a radius is then below `ENLARGED`."""
ENLARGED, TINY = 1 + 2.0**-40, 2.0**-1000
LEAST = 2.0**-1022
"""The least normal float64: of smaller numbers the nearest float may be off by more than `UNIT` of their size."""
EXP_ERROR = 2.0**-47
"""The relative error of `exponential`, with the rounding of what it takes."""
DEEPEST = 700.0
"""How far a score may lie below the greatest one of its row: beyond, exponentials are subnormal."""
STEEPEST, GELU_ERROR = 1.2, 2.0**-46
"""No gelu, nor an approximation of it, is steeper; and the error of `gelu`, beside 1 and its size."""
PIECES, FAR, TERMS = 32, 24, 11
"""Of a gelu there are so many pieces a unit up to this far from 0, with so many terms each."""
BALL = "use --domain ball on one string"


class MidRadius:
    """Several columns, each with an entry a position and string: arrays of three axes."""

    def __init__(self, mid: FloatArray, rad: FloatArray) -> None:
        self.mid, self.rad = mid, rad

    def __len__(self) -> int:
        return len(self.mid)

    def __getitem__(self, place: Any) -> MidRadius:
        return MidRadius(self.mid[place], self.rad[place])

    def __iter__(self) -> Iterator[MidRadius]:
        return (self[place] for place in range(len(self)))


def balls(mid: FloatArray, rad: FloatArray) -> MidRadius:
    """The columns with a radius enlarged by what it was rounded; infinite where midpoint or radius are no numbers."""
    rad = rad * ENLARGED + TINY
    known = np.isfinite(mid) & np.isfinite(rad)
    if known.all():
        return MidRadius(mid, rad)
    return MidRadius(np.where(known, mid, 0.0), np.where(known, rad, np.inf))


class Radii(Positions[Any, Any, Any]):
    """The domain. `begin` takes `symcook.domains.batch.Listed` strings."""

    matrices: ClassVar[bool] = True
    name: ClassVar[str] = "radii"
    apart = False

    def context(self) -> AbstractContextManager[Any]:
        return np.errstate(all="ignore")

    def begin(self, sequence: Listed, start: int) -> None:
        super().begin(sequence.choices(), start)
        self._codes = np.array(sequence.digits())
        self.size = sequence.size

    def resume(self, sequence: object, start: int, seen: int) -> None:
        raise NotExact("strings that are run together must be run whole", seen)

    def linear(self, terms: Sequence[Any], bias: Coefficient) -> MidRadius:
        """Zero, which is all that a pass over matrices asks for."""
        zero = np.zeros((len(self.rows), self.size))
        return MidRadius(zero, zero)

    # Weights.

    def matrix(
        self, of: Named, name: str, weights: RationalMatrix | sympy.ImmutableMatrix, rows: tuple[int, ...] | None = None
    ) -> tuple[FloatArray, FloatArray, float]:
        """The float64 entries, their sizes, and what each may be off relative to its size."""
        key = self.name, name, rows
        if key not in of.kept:
            if weights.cols > WIDEST:
                raise NotExact(f"a sum must have at most {WIDEST} terms", weights.cols, BALL)
            exact = isinstance(weights, RationalMatrix) and weights.floats is not None
            entries = nearest(weights)
            if not exact and _some_small(weights, entries):
                must = f"a weight that is no float must have a size of at least {LEAST:.3g}"
                raise NotExact(must, "a smaller one", BALL)
            entries = np.ascontiguousarray(entries[slice(None) if rows is None else list(rows)])
            of.kept[key] = entries, np.abs(entries), 0.0 if exact else 2 * UNIT
        return of.kept[key]

    def vector(
        self, of: Named, name: str, numbers: Sequence[Coefficient], rows: tuple[int, ...] | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """A column of numbers, with radii."""
        key = self.name, name, rows
        if key not in of.kept:
            pairs = [_given(x) for x in (numbers if rows is None else [numbers[k] for k in rows])]
            mid, rad = (np.array(part)[:, None, None] for part in zip(*pairs, strict=True))
            of.kept[key] = mid, rad
        return of.kept[key]

    # Blocks.

    def product(
        self, matrix: Any, columns: MidRadius, bias: Any = None, kind: str = "", onto: MidRadius | None = None
    ) -> MidRadius:
        """The product of a matrix with columns, plus a bias and other columns, then an activation `kind`."""
        weights, sizes, off = matrix
        k = len(columns)
        # u = UNIT. A sum of k products in any order is off by at most k u/(1 - k u) times the sum of their sizes
        # (Higham, Accuracy and Stability of Numerical Algorithms, 3.1): below 1.01 k u, as k <= WIDEST. A weight is
        # another number by `off` of its size. The 4 is for the roundings of what is computed here.
        rounding = (k + 4) * UNIT
        size = np.abs(columns.mid)
        total = (weights @ columns.mid.reshape(k, -1)).reshape(len(weights), *columns.mid.shape[1:])
        spread = columns.rad * (1 + off) + size * (rounding * 1.01 + off)
        rad = (sizes @ spread.reshape(k, -1)).reshape(total.shape)
        for mid, extra_radius in ([] if bias is None else [bias]) + ([] if onto is None else [(onto.mid, onto.rad)]):
            total = total + mid
            rad = rad + extra_radius + (np.abs(mid) + np.abs(total)) * rounding
        result = balls(total, rad)
        return self.activate(result, kind) if kind else result

    def activate(self, column: MidRadius, kind: str) -> MidRadius:
        """An activation of each entry: relu and step are exact, a gelu adds its own error."""
        x, rad = column.mid, column.rad
        if kind == "relu":
            return MidRadius(np.maximum(x, 0), rad)
        if kind == "step":
            # Open: 0.5 with radius 0.5 covers both 0 and 1.
            yes, no = x > rad, x <= -rad
            return MidRadius(np.where(yes, 1.0, np.where(no, 0.0, 0.5)), np.where(yes | no, 0.0, 0.5))
        y = gelu(x, kind)
        return balls(y, STEEPEST * rad + (np.abs(y) + 1) * GELU_ERROR)

    def layer_norm(self, columns: MidRadius, epsilon: Coefficient, zero_variance: str) -> MidRadius:
        """(x - mean)/sqrt(variance + epsilon) with a bound of the error of each step."""
        floor, floor_off = _given(epsilon)
        if zero_variance == "refuse" and (floor <= floor_off if isinstance(epsilon, tuple) else epsilon <= 0):
            raise NotExact("a layer norm must have an epsilon above 0 to have a value everywhere", epsilon, BALL)
        x, rad, k = columns.mid, columns.rad, len(columns)
        rounding = (k + 4) * UNIT  # as in `product`: of a sum of k terms, here of sizes and of squares
        # The mean, and how far each centred entry may be off.
        mean = x.sum(axis=0) / k
        off = rad.sum(axis=0) / k + np.abs(x).sum(axis=0) / k * rounding
        centred = x - mean
        apart = rad + off + np.abs(centred) * UNIT
        variance = (centred * centred).sum(axis=0) / k
        total = variance + floor
        # Where c moves by at most a, its square moves by at most a (2 |c| + a).
        spread = (apart * (2 * np.abs(centred) + apart)).sum(axis=0) / k + (variance + total) * rounding + floor_off
        spread = spread * ENLARGED + TINY
        root = np.sqrt(total)
        least = total - spread
        # |sqrt(s) - sqrt(t)| = |s - t|/(sqrt(s) + sqrt(t)), and both are at least `least`.
        moved = np.where(least > 0, spread / np.sqrt(np.maximum(least, TINY)), np.inf) + root * (2 * UNIT)
        under = root - moved * ENLARGED
        y = centred / root
        # c/r - c'/r' = ((c - c') - (c'/r') (r - r'))/r, and r is at least `under`.
        away = np.where(under > 0, (apart + np.abs(y) * moved) / np.maximum(under, TINY), np.inf)
        return balls(y, away + np.abs(y) * (4 * UNIT))

    def scaled(self, columns: MidRadius, norm: LayerNorm) -> MidRadius:
        """Gain times the entries plus bias, of a layer norm."""
        (gain, gain_off), (bias, bias_off) = (self.vector(norm, name, norm.lowered[name]) for name in ("gain", "bias"))
        moved = columns.mid * gain
        result = moved + bias
        rad = (np.abs(gain) + gain_off) * columns.rad + gain_off * np.abs(columns.mid) + bias_off
        return balls(result, rad + (np.abs(moved) + np.abs(result)) * (4 * UNIT))

    def plus(self, columns: MidRadius, others: MidRadius) -> MidRadius:
        total = columns.mid + others.mid
        return balls(total, columns.rad + others.rad + np.abs(total) * (2 * UNIT))

    def embedded(self, embedding: Embedding, names: tuple[str, ...]) -> MidRadius:
        """The embedding: the entries of the tokens, plus the position functions."""
        mid, rad = (np.zeros((len(names), len(self.rows), self.size)) for _ in range(2))
        for row, name in enumerate(names):
            if name in embedding.tables:
                table = embedding.tables[name]
                for place, tokens in enumerate(self._sequence):
                    entries = np.array([_given(table[token]) for token in tokens])[self._codes[place]]
                    mid[row, place], rad[row, place] = entries[:, 0], entries[:, 1]
            if name in embedding.places:
                for place in self.rows:
                    value, off = _given(value_at(embedding.places[name], self._start + place, self.length))
                    mid[row, place] += value
                    rad[row, place] += off + np.abs(mid[row, place]) * (2 * UNIT)
        return balls(mid, rad)

    def picked(self, columns: MidRadius, places: list[int] | slice) -> MidRadius:
        return columns[places]

    def replaced(self, columns: MidRadius, places: list[int] | slice, others: MidRadius) -> MidRadius:
        copied = MidRadius(columns.mid.copy(), columns.rad.copy())
        copied.mid[places], copied.rad[places] = others.mid, others.rad
        return copied

    def joint(self, several: Sequence[MidRadius]) -> MidRadius:
        return MidRadius(
            np.concatenate([columns.mid for columns in several]), np.concatenate([columns.rad for columns in several])
        )

    def narrow(self, columns: MidRadius, place: int) -> MidRadius:
        self.rows = self.rows[place:][:1]
        return columns[:, place:][:, :1]

    # Attention. Arrays have the string first: string x row x position.

    def attend(
        self, queries: MidRadius, keys: MidRadius, values: MidRadius, mask: Mask, weighting: str, factor: Coefficient
    ) -> MidRadius:
        """What a head writes for each value column."""
        sees_key = np.zeros((len(self.rows), self.length), dtype=bool)
        for number, row in enumerate(self.rows):
            sees = visible(mask, row, self.length)
            sees_key[number, sees.start : sees.stop] = True
        transposed = MidRadius(values.mid.transpose(2, 1, 0), values.rad.transpose(2, 1, 0))
        if not len(queries):
            scores = MidRadius(np.zeros((1, *sees_key.shape)), np.zeros((1, *sees_key.shape)))
        else:
            scores = self._scores(queries, keys, factor)
        if weighting == "softmax":
            mid, rad = _softmax(scores, transposed, sees_key)
        else:
            mid, rad = _hard(scores, transposed, sees_key, weighting)
        blind = ~sees_key.any(axis=1)
        mid[:, blind], rad[:, blind] = 0, 0
        result = balls(mid, rad)
        return MidRadius(result.mid.transpose(2, 1, 0), result.rad.transpose(2, 1, 0))

    def _scores(self, queries: MidRadius, keys: MidRadius, factor: Coefficient) -> MidRadius:
        """The scores of all strings: queries times keys, times the factor of each row."""
        rounding = (len(queries) + 4) * UNIT
        asked, asked_off = (part.transpose(2, 1, 0) for part in (queries.mid, queries.rad))
        offered, offered_off = (part.transpose(2, 0, 1) for part in (keys.mid, keys.rad))
        size = np.abs(offered)
        scores = asked @ offered
        # (q + a)(k + b) - q k = q b + a (k + b), and the rounding of the sum as in `product`.
        off = np.abs(asked) @ (offered_off + rounding * size) + asked_off @ (size + offered_off)
        if factor != 1:
            scale = np.array([_given(value_at(factor, self._start + row, self.length)) for row in self.rows])
            by, by_off = scale[:, :1], scale[:, 1:]
            off = (by + by_off) * off + (by_off + 2 * UNIT * by) * np.abs(scores)
            scores = scores * by
        return balls(scores, off)

    def distribution(self, columns: MidRadius) -> MidRadius:
        raise NotExact("strings that are run together must give a verdict or a label", "a distribution", BALL)

    # Verdicts: for each position an array of 1, 0, or -1 where it is open, or of labels.

    def positive(self, column: MidRadius) -> list[FloatArray]:
        return [*np.where(column.mid > column.rad, 1, np.where(column.mid <= -column.rad, 0, -1))]

    def zero(self, column: MidRadius) -> list[FloatArray]:
        return [*np.where(np.abs(column.mid) > column.rad, 0, -1)]

    def largest(self, columns: Sequence[MidRadius]) -> list[FloatArray]:
        """The index of the greatest entry; -1 where another one may be as great."""
        mid, rad = (np.array([getattr(column, part) for column in columns]) for part in ("mid", "rad"))
        best = mid.argmax(axis=0)
        # Sure if the lower end of the best is above the upper end of every other one.
        high, low = mid + rad, np.take_along_axis(mid - rad, best[None], axis=0)[0]
        np.put_along_axis(high, best[None], -np.inf, axis=0)
        return [*np.where(low - high.max(axis=0) > 4 * UNIT * np.abs(low), best, -1)]

    def paired(self, first: Sequence[FloatArray], second: Sequence[FloatArray], size: int) -> list[FloatArray]:
        pairs = zip(first, second, strict=True)
        return [
            np.where((first_place < 0) | (second_place < 0), -1, size * first_place + second_place)
            for first_place, second_place in pairs
        ]

    def conjunction(self, first: FloatArray, second: FloatArray) -> FloatArray:
        """No wins over open, and open over yes."""
        return np.where((first == 0) | (second == 0), 0, np.minimum(first, second))


def _given(value: Coefficient) -> tuple[float, float]:
    """An exact number as float64, and how far that may be off."""
    nearest_float = float_of(value)
    exact = not isinstance(value, tuple) and np.isfinite(nearest_float) and Fraction(nearest_float) == value
    return nearest_float, 0.0 if exact else abs(nearest_float) * 2 * UNIT + TINY


def _some_small(weights: Any, entries: FloatArray) -> bool:
    """Whether some entry is not zero and its float is zero or subnormal, and so off by more than `UNIT` of its size."""
    small = np.flatnonzero(np.abs(entries).ravel() < LEAST)
    if not small.size:
        return False
    if not isinstance(weights, RationalMatrix):
        return any(isinstance(x, tuple) or x != 0 for x in (lowered(weights[int(k)]) for k in small))
    ratios = weights.ratios()
    return any(ratios[k][0] for k in small.tolist())


def exponential(x: FloatArray) -> FloatArray:
    """e^x for -DEEPEST <= x <= 0, to within a relative `EXP_ERROR`: 2^k times a polynomial in what is left of x.

    The first part of log 2 has 33 bits, so that its product with k is exact; what both parts leave out is below 2^-85.
    """
    k = np.rint(x * 1.4426950408889634)  # 1/log 2
    remainder = (x - k * LOG_2[0]) - k * LOG_2[1]
    power = np.full_like(remainder, SERIES[-1])
    for factor in SERIES[-2::-1]:
        power *= remainder
        power += factor
    return np.ldexp(power, k.astype(np.int32))


LOG_2 = 0.6931471803691238, 1.9082149292705877e-10
"""log 2 in two parts."""
SERIES = [1 / factorial(k) for k in range(15)]
"""The coefficients of e^x."""


def gelu(x: FloatArray, kind: str) -> FloatArray:
    """x Phi(x) or an approximation, by its Taylor series around the nearest of many points; beyond them 0 or x."""
    nearest = np.clip(np.rint(np.nan_to_num(x) * PIECES), -FAR * PIECES, FAR * PIECES)
    series, place = pieces(kind), nearest.astype(np.intp) + FAR * PIECES
    remainder = np.clip(x - nearest / PIECES, -1, 1)
    total = series[-1][place]
    for factors in series[-2::-1]:
        total *= remainder
        total += factors[place]
    return np.where(np.abs(x) < FAR, total, np.maximum(x, 0))


@lru_cache
def pieces(kind: str) -> FloatArray:
    """The coefficients of the series of `gelu`: a row a power, a column a point."""
    with PRECISION, flint.ctx.workprec(128):
        points = range(-FAR * PIECES, FAR * PIECES + 1)
        return np.array([list(map(float, taylor(arb(k) / PIECES, kind, TERMS))) for k in points]).T.copy()


def taylor(point: arb, kind: str, terms: int) -> list[arb]:
    """The first coefficients of a gelu around a point; at a ball, those around each of its points lie in them."""
    cap, flint.ctx.cap = flint.ctx.cap, terms
    try:
        x = flint.arb_series([point, 1])
        if kind == "gelu":
            series = x * (-x * arb(2).rsqrt()).erfc() / 2
        else:
            cubic = 2 * (2 / arb.pi()).sqrt() * (x + arb(fmpq(44715, 1000000)) * x * x * x)
            series = x / (1 + (-(cubic if kind == "gelu-tanh" else arb(fmpq(1702, 1000)) * x)).exp())
        return [series[k] for k in range(terms)]
    finally:
        flint.ctx.cap = cap


def _softmax(scores: MidRadius, values: MidRadius, seen: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Means of the values with weights e^score. Each weight has a relative error of at most `error` of its row, so that
    a share p of the whole moves by at most 2 error/(1 - error) p."""
    below = np.where(seen, scores.mid, -np.inf)
    top = below.max(axis=2, keepdims=True)
    depth = np.where(seen, top - scores.mid, 0.0)
    weights = np.where(seen, exponential(-np.minimum(depth, DEEPEST)), 0.0)
    moved = np.where(seen, scores.rad + depth * (2 * UNIT), 0.0).max(axis=2, keepdims=True)
    known = (moved < 0.1) & (depth.max(axis=2, keepdims=True) < DEEPEST)
    error = np.where(known, 1.1 * moved + 2 * EXP_ERROR, 0.5)
    return _mean(weights, error, known, values)


def _mean(
    weights: FloatArray, error: FloatArray | float, known: FloatArray | bool, values: MidRadius
) -> tuple[FloatArray, FloatArray]:
    # Two sums over the row, a product each, and a quotient are rounded: less than 2 k + 8 units. The shares add up to
    # 1, so that `share` of the mean of the sizes is the most by which the weights move it.
    total = weights.sum(axis=2, keepdims=True)
    rounding = (2 * weights.shape[2] + 8) * UNIT
    mid = weights @ values.mid / total
    share = 2 * error / (1 - error)
    size, off = weights @ np.abs(values.mid) / total, weights @ values.rad / total
    return mid, np.where(known, (share + rounding) * size + (1 + share + rounding) * off, np.inf)


def _hard(scores: MidRadius, values: MidRadius, seen: FloatArray, weighting: str) -> tuple[FloatArray, FloatArray]:
    """What the greatest score has; where several may be the greatest, a ball around the values of them all. Without
    scores all are equal."""
    if not scores.mid.any() and not scores.rad.any():
        places = np.arange(seen.shape[1])
        if weighting == "leftmost":
            seen = seen & (places == seen.argmax(axis=1)[:, None])
        elif weighting == "rightmost":
            seen = seen & (places == seen.shape[1] - 1 - seen[:, ::-1].argmax(axis=1)[:, None])
        weights = np.broadcast_to(seen.astype(np.float64), (len(values.mid), *seen.shape))
        return _mean(weights, 0.0, True, values)
    # A position whose upper end is below the lower end of another one is not the greatest; both ends are rounded.
    least = np.where(seen, scores.mid - scores.rad, -np.inf).max(axis=2, keepdims=True)
    may = seen & (scores.mid + scores.rad >= least - np.abs(least) * 4 * UNIT)
    low, high = (np.full((*may.shape[:2], values.mid.shape[2]), end) for end in (np.inf, -np.inf))
    for place in range(may.shape[2]):
        here = may[:, :, place, None]
        mid, rad = values.mid[:, place, None], values.rad[:, place, None]
        low = np.where(here, np.minimum(low, mid - rad), low)
        high = np.where(here, np.maximum(high, mid + rad), high)
    mid = (low + high) / 2
    return mid, (high - low) / 2 + (np.abs(low) + np.abs(high)) * (4 * UNIT)
