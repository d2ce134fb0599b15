"""Many strings of one length at once, in float64 with a certified error: for dense models.

A number is a midpoint and a radius, both float64: the exact value lies between midpoint - radius and midpoint + radius.
Besides, the errors of all columns at one position, as a vector, have a bounded Euclidean norm. A matrix lengthens that
vector at most by its own norm, which is far below what its entries' sizes allow: the radii of deep models need it.
The analysis assumes only that +, -, *, / and sqrt are correctly rounded; sums may be taken in any order, fused or not.
Exponentials are computed here from these operations (`exponential`). Radii are computed in floats too; `balls` enlarges
each by more than its own rounding error. An infinite radius means that the value is unknown. A comparison that the
radii do not decide gives -1. In comments, u is `UNIT`, the relative error of one rounding.

Of `symcook.domains.protocol.Domain`, the module has only what a pass over matrices needs (`Matrices`), so it runs dense
models only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from fractions import Fraction
from functools import lru_cache
from math import factorial
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import flint
import numpy as np
from flint import arb, fmpq

from symcook.domains.exact import value_at
from symcook.domains.floatmatrices import FloatArray, nearest
from symcook.domains.protocol import Coefficient, unknown_activation, unknown_weighting
from symcook.domains.rounding import EXP_ULPS
from symcook.domains.rowwise import Positions, visible
from symcook.errors import NotExact
from symcook.locks import PRECISION
from symcook.model.answers import Named
from symcook.model.ends import Embedding
from symcook.model.entries import all_rational
from symcook.model.parts import PLUS_ONE, SIGMOIDS, Mask, Part
from symcook.model.symbols import lowered
from symcook.numbers.evaluate import float_of

if TYPE_CHECKING:
    import sympy

    from symcook.domains.batch import Listed
    from symcook.numbers.matrix import RationalMatrix


UNIT = 2.0**-53
"""The greatest relative error of one rounding in float64."""
WIDEST = 4096
"""The greatest number of columns of a weight matrix. Sums of up to so many terms have errors in computing a radius
below the factor `ENLARGED`. The sums of attention, scores and layer norm are not tested."""
ENLARGED, TINY = 1 + 2.0**-40, 2.0**-1000
"""A radius is multiplied by the first and increased by the second, for its own rounding and underflow."""
LEAST = 2.0**-1022
"""The least normal float64. The nearest float of a smaller number may have a relative error above `UNIT`."""
EXP_ERROR = 2.0**-47
"""The greatest relative error of `exponential`, including the rounding of its argument."""
DEEPEST = 700.0
"""The greatest allowed distance of a score from the maximum of its row: beyond it, exponentials would be subnormal."""
STEEPEST, GELU_ERROR = 1.2, 2.0**-46
"""A bound of the slope of gelu and its approximations; the error of `gelu` relative to 1 + |value|."""
PIECES, TERMS = 32, 11
"""`gelu` has PIECES Taylor series for each unit of length, with TERMS terms each, between -far and far (`FAR`)."""
FAR = {"gelu": 24, "gelu-tanh": 24, "gelu-sigmoid": 24, "silu": 40}
"""Where an activation is max(0, x) up to `GELU_ERROR`; that of silu is at most 40 e^-40 there."""
SMALL = 2.0**-500
"""A norm is increased by this for the underflow of squares."""
SQUARINGS = 5
"""How often a matrix is multiplied with its transpose to bound its norm: the bound of a matrix of rank r is at most
r^(1/64) times the norm."""
BALL = "use --domain ball (rigorous intervals) on one string"
"""The advice in errors of this module."""


class Roundings(NamedTuple):
    """What a runtime adds to the results that a ball contains; all are zero where only exact results count."""

    unit: float = 0.0
    """The unit roundoff u of the runtime."""
    tiny: float = 0.0
    """The greatest absolute error of one rounding below the least normal number."""
    flushed: float = 0.0
    """The least normal number: smaller exponentials may become zero."""

    def relative(self, count: int) -> float:
        """An upper bound of the relative error after `count` roundings; inf where they are too many for this bound."""
        error = count * self.unit
        return 1.02 * error if error <= 0.01 else np.inf


class MidRadius:
    """Several columns: midpoints and radii as arrays with the axes column, position, string; and the bound `norm` of
    the Euclidean norm of their errors, with the axes position, string."""

    def __init__(self, mid: FloatArray, rad: FloatArray, norm: FloatArray | None = None) -> None:
        self.mid, self.rad, self._norm = mid, rad, norm

    @property
    def norm(self) -> FloatArray:
        """The bound of the norm of the errors, that of the radii where there is no other."""
        if self._norm is None:
            self._norm = euclidean(self.rad)
        return self._norm

    def __len__(self) -> int:
        return len(self.mid)

    def __getitem__(self, place: Any) -> MidRadius:
        """Some columns, or with a pair of slices some columns at some positions. One column has no norm."""
        rad = self.rad[place]
        if self._norm is None or rad.ndim < self.rad.ndim:
            return MidRadius(self.mid[place], rad)
        norm = self._norm[place[1:]] if isinstance(place, tuple) else self._norm
        return MidRadius(self.mid[place], rad, np.minimum(norm, euclidean(rad)))

    def __iter__(self) -> Iterator[MidRadius]:
        return (self[place] for place in range(len(self)))


def euclidean(sizes: FloatArray) -> FloatArray:
    """An upper bound of the Euclidean norm over the first axis."""
    return np.sqrt((sizes * sizes).sum(axis=0)) * ENLARGED + SMALL


def balls(mid: FloatArray, rad: FloatArray, norm: FloatArray | None = None) -> MidRadius:
    """The columns with radii, and the norm of their errors where it is given, enlarged for their own rounding; infinite
    where midpoint or radius is not finite."""
    rad = rad * ENLARGED + TINY
    if norm is not None:
        norm = np.where(np.isnan(norm), np.inf, norm * ENLARGED + SMALL)
        rad = np.fmin(rad, norm)  # no error is greater than the norm of all
    finite = np.isfinite(mid) & np.isfinite(rad)
    if not finite.all():
        mid, rad = np.where(finite, mid, 0.0), np.where(finite, rad, np.inf)
    return MidRadius(mid, rad, None if norm is None else np.minimum(norm, euclidean(rad)))


def spectral(weights: FloatArray, squarings: int = SQUARINGS) -> float:
    """An upper bound of the norm of a matrix: how much it lengthens a vector at most. With B = A^T A, rounded, the
    square of the norm of A is at most the norm of B plus the rounding errors."""
    size = float(np.abs(weights).max(initial=0.0))
    if size == 0 or not np.isfinite(size):
        return size
    scale = 2.0 ** np.frexp(size)[1]  # a power of two, so that the quotients are exact
    entries = weights / scale
    # Both sums of squares are sums of n terms in any order, with an error of at most 1.01 n u of the sum itself.
    n = entries.size + 4
    squares = float((entries * entries).sum()) * (1 + 2 * n * UNIT) + SMALL
    if squarings == 0:
        return float(scale * np.sqrt(squares) * ENLARGED)
    product = entries.T @ entries if len(entries) >= entries.shape[1] else entries @ entries.T
    rounding = (max(entries.shape) + 4) * UNIT * 1.01
    return float(scale * np.sqrt(spectral(product, squarings - 1) + rounding * squares) * ENLARGED)


class Radii(Positions[Any, Any, Any]):
    """The domain of midpoints and radii. `begin` accepts `symcook.domains.batch.Listed` strings."""

    matrices: ClassVar[bool] = True
    name: ClassVar[str] = "radii"
    apart = False  # see `FloatMatrices.apart`; a dense pass sets it, but radii hold for every order of sums
    roundings: Roundings = Roundings()
    """The roundings of the runtime that balls contain too (`symcook.domains.radiiruntime`)."""

    def context(self) -> AbstractContextManager[Any]:
        return np.errstate(all="ignore")

    def begin(self, sequence: Listed, start: int) -> None:
        super().begin(sequence.choices(), start)
        self._codes = np.array(sequence.digits())
        self.size = sequence.size

    def resume(self, sequence: object, start: int, seen: int) -> None:
        raise NotExact("strings that are run together must be run as a whole, not continued symbol by symbol", seen)

    def linear(self, terms: Sequence[Any], bias: Coefficient) -> MidRadius:
        """A column of zeros: a pass over matrices only asks for that."""
        if terms:
            raise NotExact(
                "strings that are run together must be run with full attention matrices", "a sum of columns", BALL
            )
        zero = np.zeros((len(self.rows), self.size))
        return MidRadius(zero, zero)

    # Weights.

    def matrix(
        self, of: Named, name: str, weights: RationalMatrix | sympy.ImmutableMatrix, rows: tuple[int, ...] | None = None
    ) -> tuple[FloatArray, FloatArray, float, FloatArray, float]:
        """(float64 entries, their absolute values, a bound of their relative errors, the norms of the rows, the norm);
        norms are upper bounds for the exact weights."""
        key = self.name, name, rows
        if key not in of.kept:
            if weights.cols > WIDEST:
                raise NotExact(f"a sum must have at most {WIDEST} terms", weights.cols, BALL)
            exact = all_rational(weights) and weights.floats is not None
            entries = nearest(weights)
            if not exact and _has_inexact_small(weights, entries):
                must = f"a weight that is not a float must have a size of at least {LEAST:.3g}"
                raise NotExact(must, "a smaller one", BALL)
            entries = np.ascontiguousarray(entries[slice(None) if rows is None else list(rows)])
            off, sizes = 0.0 if exact else 2 * UNIT, np.abs(entries)
            lines = euclidean(sizes.T)[:, None, None] * (1 + off)
            # The weights differ from the entries by at most `off` of their sizes, whose norm is that of `lines`.
            norm = spectral(entries) + off * float(euclidean(lines.ravel()))
            of.kept[key] = entries, sizes, off, lines, norm
        return of.kept[key]

    def vector(
        self, of: Named, name: str, numbers: Sequence[Coefficient], rows: tuple[int, ...] | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """The numbers of a vector and their radii, as columns of one position and string (broadcast to all)."""
        key = self.name, name, rows
        if key not in of.kept:
            pairs = [float_and_error(x) for x in (numbers if rows is None else [numbers[k] for k in rows])]
            mid, rad = (np.array(part)[:, None, None] for part in zip(*pairs, strict=True))
            of.kept[key] = mid, rad
        return of.kept[key]

    # Blocks; methods without a docstring are described in `symcook.domains.protocol.Matrices`.

    def product(
        self, matrix: Any, columns: MidRadius, bias: Any = None, kind: str = "", onto: MidRadius | None = None
    ) -> MidRadius:
        """activation(matrix times columns + bias + onto); an empty `kind` means no activation."""
        weights, sizes, off, lines, norm_of_weights = matrix
        k = len(columns)
        # The error of a sum of k products, in any order, is at most k u/(1 - k u) times the sum of their absolute
        # values (Higham, Accuracy and Stability of Numerical Algorithms, 3.1). The factor is below 1.01 k u, as k <=
        # WIDEST. A weight has the relative error `off`. The 4 in `rounding` covers the roundings of this computation.
        rounding = (k + 4) * UNIT
        size = np.abs(columns.mid)
        total = (weights @ columns.mid.reshape(k, -1)).reshape(len(weights), *columns.mid.shape[1:])
        # The errors of the entries reach a result by their sizes, and at most by the norm of its row times their norm.
        by_sizes = (sizes @ (columns.rad * (1 + off)).reshape(k, -1)).reshape(total.shape)
        own = (sizes @ (size * (rounding * 1.01 + off)).reshape(k, -1)).reshape(total.shape)
        rad = np.fmin(by_sizes, lines * columns.norm) + own
        norm = norm_of_weights * columns.norm + euclidean(own)
        more = [] if bias is None else [(*bias, euclidean(bias[1]))]
        more += [] if onto is None else [(onto.mid, onto.rad, onto.norm)]
        for mid, extra_radius, extra_norm in more:
            total = total + mid
            own = (np.abs(mid) + np.abs(total)) * rounding
            rad, norm = rad + extra_radius + own, norm + extra_norm + euclidean(own)
        result = balls(total, rad, norm)
        return self.activate(result, kind) if kind else result

    def activate(self, column: MidRadius, kind: str) -> MidRadius:
        """The activation of each entry: relu and step are exact, a gelu adds its own error."""
        x, rad = column.mid, column.rad
        if kind == "relu":
            return MidRadius(np.maximum(x, 0), rad, column.norm)
        if kind == "step":
            # Undecided: midpoint 0.5 and radius 0.5 cover both 0 and 1.
            yes, no = x > rad, x <= -rad
            return MidRadius(np.where(yes, 1.0, np.where(no, 0.0, 0.5)), np.where(yes | no, 0.0, 0.5))
        if kind not in FAR:  # only of these the error is known
            raise unknown_activation(kind)
        y = gelu(x, kind)
        own = (np.abs(y) + 1) * GELU_ERROR
        return balls(y, STEEPEST * rad + own, STEEPEST * column.norm + euclidean(own))

    def layer_norm(self, columns: MidRadius, epsilon: Coefficient, zero_variance: str) -> MidRadius:
        """(x - mean)/sqrt(variance + epsilon), with an error bound for each step; as `rms_norm` of x - mean."""
        return self.rms_norm(self.centred(columns), epsilon, zero_variance)

    def centred(self, columns: MidRadius) -> MidRadius:
        """The entries minus their mean, with a bound of the error of each."""
        x, rad, k = columns.mid, columns.rad, len(columns)
        rounding = (k + 4) * UNIT  # of a sum of k terms, as in `product`
        mean = x.sum(axis=0) / k
        own = np.abs(x).sum(axis=0) / k * rounding
        centred = x - mean
        # To subtract the mean of the errors does not lengthen them.
        own = own + np.abs(centred) * UNIT
        return balls(centred, rad + rad.sum(axis=0) / k + own, columns.norm + euclidean(own))

    def rms_norm(self, columns: MidRadius, epsilon: Coefficient, zero_square: str) -> MidRadius:
        """x/sqrt(mean of squares + epsilon), with an error bound for each step. NotExact for "refuse" if epsilon is not
        certainly positive. For "zero", the radius is infinite where mean of squares + epsilon is not certainly
        positive."""
        floor, floor_off = float_and_error(epsilon)
        if zero_square == "refuse" and (floor <= floor_off if isinstance(epsilon, tuple) else epsilon <= 0):
            raise NotExact(
                "a norm must have an epsilon above 0, so that it is defined also at variance 0", epsilon, BALL
            )
        centred, centred_error, k = columns.mid, columns.rad, len(columns)
        rounding = (k + 4) * UNIT  # of a sum of k squares
        variance = (centred * centred).sum(axis=0) / k
        total = variance + floor
        # If c has an error of at most a, its square has one of at most a (2 |c| + a).
        own = ((variance + total) * rounding + floor_off) * ENLARGED + TINY
        spread = (centred_error * (2 * np.abs(centred) + centred_error)).sum(axis=0) / k * ENLARGED + own
        root = np.sqrt(total)
        # The root of the mean of squares changes by at most norm/sqrt(k), and `own` is what its computation adds.
        own_root = _root_error(total, own) + root * (2 * UNIT)
        by_norm = columns.norm / np.sqrt(k) + own_root
        root_error = np.fmin(_root_error(total, spread) + root * (2 * UNIT), by_norm)
        under = root - root_error * ENLARGED
        y = centred / root
        # c/r - c'/r' = ((c - c') - (c'/r') (r - r'))/r, and r is at least `under`.
        away = np.where(under > 0, (centred_error + np.abs(y) * root_error) / np.maximum(under, TINY), np.inf)
        # The derivative of c/r(c) is (I - c c^T/(k r^2))/r, with a norm of at most 1/r, and r is at least `under`
        # between the exact c and the computed one.
        norm = np.where(under > 0, (columns.norm + euclidean(y) * own_root) / np.maximum(under, TINY), np.inf)
        own = np.abs(y) * (4 * UNIT)
        return balls(y, away + own, norm + euclidean(own))

    def multiply(self, left: MidRadius, right: MidRadius) -> MidRadius:
        return self.multiplied(left, right)

    def multiplied(self, columns: MidRadius, others: MidRadius) -> MidRadius:
        total = columns.mid * others.mid
        left, right, own = np.abs(columns.mid), np.abs(others.mid), np.abs(total) * (2 * UNIT)
        rad = left * others.rad + right * columns.rad + columns.rad * others.rad + own
        # A factor lengthens the errors of the other at most by its greatest entry.
        moved = left.max(axis=0) * others.norm + right.max(axis=0) * columns.norm + columns.norm * others.norm
        return balls(total, rad, moved + euclidean(own))

    def scaled(self, columns: MidRadius, norm: Part, gain: str, bias: str | None) -> MidRadius:
        """The entries times the gain of a norm, plus its bias."""
        factor, factor_off = self.vector(norm, gain, norm.lowered[gain])
        added, added_off = (0.0, 0.0) if bias is None else self.vector(norm, bias, norm.lowered[bias])
        products = columns.mid * factor
        result = products + added
        sizes = np.abs(factor) + factor_off
        own = factor_off * np.abs(columns.mid) + added_off + (np.abs(products) + np.abs(result)) * (4 * UNIT)
        return balls(result, sizes * columns.rad + own, sizes.max(axis=0) * columns.norm + euclidean(own))

    def plus(self, columns: MidRadius, others: MidRadius) -> MidRadius:
        total = columns.mid + others.mid
        own = np.abs(total) * (2 * UNIT)
        return balls(total, columns.rad + others.rad + own, columns.norm + others.norm + euclidean(own))

    def embedded(self, embedding: Embedding, names: tuple[str, ...]) -> MidRadius:
        """The columns of the coordinates `names`: entries of the tokens, plus position functions."""
        mid, rad = (np.zeros((len(names), len(self.rows), self.size)) for _ in range(2))
        for row, name in enumerate(names):
            if name in embedding.tables:
                table = embedding.tables[name]
                for place, tokens in enumerate(self._sequence):
                    entries = np.array([float_and_error(table[token]) for token in tokens])[self._codes[place]]
                    mid[row, place], rad[row, place] = entries[:, 0], entries[:, 1]
        embedded = self.stored(balls(mid, rad))
        rows = [row for row, name in enumerate(names) if name in embedding.places]
        if not rows:
            return embedded
        at = self.name, names, self._start, self.rows, self.length

        def values() -> FloatArray:
            """For each coordinate and position, the value and its error."""
            functions = [embedding.places[names[row]] for row in rows]
            places = [self._start + place for place in self.rows]
            return np.array([[float_and_error(value_at(f, i, self.length)) for i in places] for f in functions])

        added = embedding.by_position(at, values)[:, :, None]
        mid, rad = np.zeros_like(mid), np.zeros_like(rad)
        mid[rows], rad[rows] = added[..., 0], added[..., 1]
        return self.plus(embedded, self.stored(balls(mid, rad)))

    def stored(self, numbers: MidRadius) -> MidRadius:
        """Numbers of the model as a runtime has them."""
        return numbers

    def placed(self, term: Coefficient, weight: Coefficient) -> MidRadius:
        values = [float_and_error(value_at(term, self._start + place, self.length)) for place in self.rows]
        value, value_off = np.array(values).T[:, None, :, None]
        factor, factor_off = float_and_error(weight)
        mid, size = value * factor, np.zeros((1, len(self.rows), self.size))
        # The errors of both factors, and the rounding of their product.
        rad = abs(factor) * value_off + factor_off * (np.abs(value) + value_off) + np.abs(mid) * (2 * UNIT)
        return balls(mid + size, rad + size)

    def picked(self, columns: MidRadius, places: list[int] | slice) -> MidRadius:
        return columns[places]

    def replaced(self, columns: MidRadius, places: list[int] | slice, others: MidRadius) -> MidRadius:
        mid, rad, rest = columns.mid.copy(), columns.rad.copy(), columns.rad.copy()
        mid[places], rad[places], rest[places] = others.mid, others.rad, 0.0
        norm = np.hypot(np.minimum(columns.norm, euclidean(rest)), others.norm)
        return MidRadius(mid, rad, norm * ENLARGED + SMALL)

    def joint(self, several: Sequence[MidRadius]) -> MidRadius:
        mid, rad = (np.concatenate([getattr(columns, part) for columns in several]) for part in ("mid", "rad"))
        return MidRadius(mid, rad, euclidean(np.array([columns.norm for columns in several])))

    def narrow(self, columns: MidRadius, place: int) -> MidRadius:
        self.rows = self.rows[place:][:1]
        return columns[:, place:][:, :1]

    # Attention. Arrays here have the axes string, row, position.

    def attend(
        self, queries: MidRadius, keys: MidRadius, values: MidRadius, mask: Mask, weighting: str, factor: Coefficient
    ) -> MidRadius:
        """The output of a head for each value column."""
        sees_key = np.zeros((len(self.rows), self.length), dtype=bool)
        for number, row in enumerate(self.rows):
            sees = visible(mask, row, self.length)
            sees_key[number, sees.start : sees.stop] = True
        transposed = MidRadius(values.mid.transpose(2, 1, 0), values.rad.transpose(2, 1, 0), values.norm.T)
        if not len(queries):
            scores = MidRadius(np.zeros((1, *sees_key.shape)), np.zeros((1, *sees_key.shape)))
        else:
            scores = self._scores(queries, keys, factor)
        if weighting == "softmax":
            mid, rad, norm = _softmax(scores, transposed, sees_key, self.roundings)
        elif weighting == PLUS_ONE:
            mid, rad, norm = _softmax(*_with_one(scores, transposed, sees_key), self.roundings)
        elif weighting not in ("average", "leftmost", "rightmost"):
            raise unknown_weighting(weighting)
        else:
            mid, rad, norm = _hard(scores, transposed, sees_key, weighting, self.roundings)
        sees_none = ~sees_key.any(axis=1)
        mid[:, sees_none], rad[:, sees_none], norm[:, sees_none] = 0, 0, 0
        return balls(mid.transpose(2, 1, 0), rad.transpose(2, 1, 0), norm.T)

    def _scores(self, queries: MidRadius, keys: MidRadius, factor: Coefficient) -> MidRadius:
        """The scores of all strings: queries times keys, times the factor of each row, which must be positive."""
        rounding = (len(queries) + 4) * UNIT
        query, query_off = (part.transpose(2, 1, 0) for part in (queries.mid, queries.rad))
        key, key_off = (part.transpose(2, 0, 1) for part in (keys.mid, keys.rad))
        size = np.abs(key)
        scores = query @ key
        # With errors a of q and b of k: (q + a)(k + b) - q k = q b + a (k + b). The sum is rounded as in `product`.
        off = np.abs(query) @ key_off + query_off @ (size + key_off)
        # The same with norms in place of sums over coordinates.
        lengths, moved = (euclidean(part).T[:, :, None] for part in (queries.mid, queries.rad))
        moved = np.minimum(moved, queries.norm.T[:, :, None])
        key_length, key_norm = euclidean(keys.mid).T[:, None], keys.norm.T[:, None]
        off = np.fmin(off, lengths * key_norm + moved * (key_length + key_norm)) + np.abs(query) @ (rounding * size)
        if factor != 1:
            scale = self.factors(factor)
            row_factor, factor_off = scale[:, :1], scale[:, 1:]
            off = (row_factor + factor_off) * off + (factor_off + 2 * UNIT * row_factor) * np.abs(scores)
            scores = scores * row_factor
        return balls(scores, off)

    def factors(self, factor: Coefficient) -> FloatArray:
        """For each row the factor of its scores, and its error."""
        return np.array([float_and_error(value_at(factor, self._start + row, self.length)) for row in self.rows])

    def distribution(self, columns: MidRadius) -> MidRadius:
        raise NotExact("strings that are run together must give a verdict or a label", "a distribution", BALL)

    # Verdicts: for each position an array over the strings, of 1, 0 or -1 (undecided), or of the index of a label.
    # `zero` never gives 1.

    def positive(self, column: MidRadius) -> list[FloatArray]:
        return [*np.where(column.mid > column.rad, 1, np.where(column.mid <= -column.rad, 0, -1))]

    def zero(self, column: MidRadius) -> list[FloatArray]:
        return [*np.where(np.abs(column.mid) > column.rad, 0, -1)]

    def largest(self, columns: Sequence[MidRadius]) -> list[FloatArray]:
        """The index of the greatest entry; -1 where another entry may be as great."""
        mid, rad = (np.array([getattr(column, part) for column in columns]) for part in ("mid", "rad"))
        best = mid.argmax(axis=0)
        # Certain if the lower end of the best entry is above the upper end of every other entry.
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
        """The verdict that both hold: 0 if one is 0, else -1 if one is -1, else 1."""
        return np.where((first == 0) | (second == 0), 0, np.minimum(first, second))


def float_and_error(value: Coefficient) -> tuple[float, float]:
    """(the nearest float64 of an exact number, a bound of its error)."""
    nearest_float = float_of(value)
    exact = not isinstance(value, tuple) and np.isfinite(nearest_float) and Fraction(nearest_float) == value
    return nearest_float, 0.0 if exact else abs(nearest_float) * 2 * UNIT + TINY


def _has_inexact_small(weights: Any, entries: FloatArray) -> bool:
    """Whether some entry is not zero, but its float is zero or subnormal: its relative error may be above `UNIT`."""
    small = np.flatnonzero(np.abs(entries).ravel() < LEAST)
    if not small.size:
        return False
    if not all_rational(weights):
        return any(isinstance(x, tuple) or x != 0 for x in (lowered(weights[int(k)]) for k in small))
    ratios = weights.ratios()
    return any(ratios[k][0] for k in small.tolist())


def exponential(x: FloatArray) -> FloatArray:
    """e^x for -DEEPEST <= x <= 0, with a relative error of at most `EXP_ERROR`: 2^k times a polynomial in x - k log 2.

    The first part of log 2 has 33 bits, so that its product with k is exact. The sum of both parts differs from log 2
    by less than 2^-85.
    """
    k = np.rint(x * 1.4426950408889634)  # 1/log 2
    remainder = (x - k * LOG_2[0]) - k * LOG_2[1]
    power = np.full_like(remainder, SERIES[-1])
    for factor in SERIES[-2::-1]:
        power *= remainder
        power += factor
    return np.ldexp(power, k.astype(np.int32))


LOG_2 = 0.6931471803691238, 1.9082149292705877e-10
"""Two floats whose sum is log 2, up to 2^-85."""
SERIES = [1 / factorial(k) for k in range(15)]
"""The coefficients of the Taylor series of e^x."""


def gelu(x: FloatArray, kind: str) -> FloatArray:
    """x Phi(x), an approximation or silu, by its Taylor series around the nearest of the points k/PIECES; 0 or x for
    |x| >= FAR[kind]."""
    far = FAR[kind]
    nearest = np.clip(np.rint(np.nan_to_num(x) * PIECES), -far * PIECES, far * PIECES)
    series, place = pieces(kind), nearest.astype(np.intp) + far * PIECES
    remainder = np.clip(x - nearest / PIECES, -1, 1)
    total = series[-1][place]
    for factors in series[-2::-1]:
        total *= remainder
        total += factors[place]
    return np.where(np.abs(x) < far, total, np.maximum(x, 0))


@lru_cache
def pieces(kind: str) -> FloatArray:
    """The coefficients of the series of `gelu`: a row for each power, a column for each point."""
    with PRECISION, flint.ctx.workprec(128):
        points = range(-FAR[kind] * PIECES, FAR[kind] * PIECES + 1)
        return np.array([list(map(float, taylor(arb(k) / PIECES, kind, TERMS))) for k in points]).T.copy()


def taylor(point: arb, kind: str, terms: int) -> list[arb]:
    """The first coefficients of the Taylor series of a gelu around a point. For a ball, they enclose the coefficients
    around each of its points."""
    cap, flint.ctx.cap = flint.ctx.cap, terms
    try:
        x = flint.arb_series([point, 1])
        if kind == "gelu":
            series = x * (-x * arb(2).rsqrt()).erfc() / 2
        elif kind == "gelu-tanh":
            cubic = 2 * (2 / arb.pi()).sqrt() * (x + arb(fmpq(44715, 1000000)) * x * x * x)
            series = x / (1 + (-cubic).exp())
        elif kind in SIGMOIDS:
            series = x / (1 + (-(arb(fmpq(*SIGMOIDS[kind].as_integer_ratio())) * x)).exp())
        else:
            raise unknown_activation(kind)
        return [series[k] for k in range(terms)]
    finally:
        flint.ctx.cap = cap


def _root_error(total: FloatArray, spread: FloatArray) -> FloatArray:
    """The error of sqrt(total) for an error of at most `spread`: |sqrt(s) - sqrt(t)| = |s - t|/(sqrt(s) + sqrt(t)), and
    both s and t are at least total - spread."""
    least = total - spread
    return np.where(least > 0, spread / np.sqrt(np.maximum(least, TINY)), np.inf)


Means = tuple[FloatArray, FloatArray, FloatArray]
"""Midpoints and radii with the axes string, row, column, and the norms of the errors with the axes string, row."""


def _with_one(scores: MidRadius, values: MidRadius, seen: FloatArray) -> tuple[MidRadius, MidRadius, FloatArray]:
    """Scores, values and what is seen with one more key, which every row sees: its score and its values are 0."""
    after, none = (0, 1), (0, 0)
    to_scores, to_values = (none, none, after), (none, after, none)
    return (
        MidRadius(np.pad(scores.mid, to_scores), np.pad(scores.rad, to_scores)),
        MidRadius(np.pad(values.mid, to_values), np.pad(values.rad, to_values), np.pad(values.norm, (none, after))),
        np.pad(seen, (none, after), constant_values=True),
    )


def _softmax(scores: MidRadius, values: MidRadius, seen: FloatArray, runtime: Roundings) -> Means:
    """The means of the values with weights e^score. `error` bounds the relative errors of a
    row's weights; a share p of the total then has an error of at most 2 error/(1 - error) p."""
    visible_scores = np.where(seen, scores.mid, -np.inf)
    top = visible_scores.max(axis=2, keepdims=True)
    depth = np.where(seen, top - scores.mid, 0.0)
    weights = np.where(seen, exponential(-np.minimum(depth, DEEPEST)), 0.0)
    moved = np.where(seen, scores.rad + depth * (2 * UNIT + runtime.relative(1)), 0.0).max(axis=2, keepdims=True)
    # A runtime subtracts its own largest score, which may be off by two radii; weights have no common factor then.
    moved = moved + 2 * np.where(seen, scores.rad, 0.0).max(axis=2, keepdims=True) * runtime.relative(1)
    # Scores with an error of m < 0.1 give weights with a relative error of at most e^m - 1 < 1.1 m.
    bounded = (moved < 0.1) & (depth.max(axis=2, keepdims=True) < DEEPEST)
    own = 2 * EXP_ERROR + 1.2 * runtime.relative(2 * EXP_ULPS)
    error = np.where(bounded, np.minimum(1.1 * moved + own, 0.5), 0.5)
    return _mean(weights, error, bounded & (error < 0.5), values, runtime)


def _mean(
    weights: FloatArray, error: FloatArray | float, bounded: FloatArray | bool, values: MidRadius, runtime: Roundings
) -> Means:
    """The means of the values. The weights have relative errors of at most `error`; radii are
    infinite where not `bounded`. The sum of a runtime's weights is at least 1/2."""
    # Two sums over a row of k positions, the products in them and a quotient are rounded: less than 2 k + 8 units. The
    # errors of the weights change the mean by at most `share` times the mean of the absolute values. The same bound
    # holds for a runtime that divides each weight, or multiplies it with the rounded inverse of the sum, at first.
    total, k = weights.sum(axis=2, keepdims=True), weights.shape[2]
    rounding = (2 * k + 8) * UNIT + runtime.relative(2 * k + 8)
    mid = weights @ values.mid / total
    share = 2 * error / (1 - error)
    size, off = weights @ np.abs(values.mid) / total, weights @ values.rad / total
    # Sizes and errors of whole values, by their norms, have the same means.
    lengths = euclidean(values.mid.transpose(2, 0, 1))
    length, norm = (weights @ part[..., None] / total for part in (lengths, values.norm))
    sizes = ((size, off), (length, norm))
    rad, norm = ((share + rounding) * a + (1 + share + rounding) * b for a, b in sizes)
    if runtime.tiny:
        # Underflow of shares and products, and of weights that are flushed to zero, in the sums of k terms.
        largest = (np.abs(values.mid) + values.rad).max(axis=1, keepdims=True)
        small = 4 * (k + 2) * (runtime.tiny * (largest + 1) + runtime.flushed * largest)
        rad, norm = rad + small, norm + euclidean(small.transpose(2, 0, 1))[..., None]
    return mid, np.where(bounded, rad, np.inf), np.where(bounded, norm, np.inf)[..., 0]


def _hard(scores: MidRadius, values: MidRadius, seen: FloatArray, weighting: str, runtime: Roundings) -> Means:
    """The results of hard attention. Where several positions may have the maximum score, the ball has the
    values of all of them. If all scores are exactly zero, they are equal, and the result is the mean, first or last
    value."""
    if not scores.mid.any() and not scores.rad.any():
        places = np.arange(seen.shape[1])
        if weighting == "leftmost":
            seen = seen & (places == seen.argmax(axis=1)[:, None])
        elif weighting == "rightmost":
            seen = seen & (places == seen.shape[1] - 1 - seen[:, ::-1].argmax(axis=1)[:, None])
        weights = np.broadcast_to(seen.astype(np.float64), (len(values.mid), *seen.shape))
        return _mean(weights, 0.0, True, values, runtime)
    # A position may have the maximum score unless the upper end of its score is below the lower end of another score.
    # The tolerance covers the rounding of both ends.
    best_lower_end = np.where(seen, scores.mid - scores.rad, -np.inf).max(axis=2, keepdims=True)
    may = seen & (scores.mid + scores.rad >= best_lower_end - np.abs(best_lower_end) * 4 * UNIT)
    low, high = (np.full((*may.shape[:2], values.mid.shape[2]), end) for end in (np.inf, -np.inf))
    for place in range(may.shape[2]):
        candidate = may[:, :, place, None]
        mid, rad = values.mid[:, place, None], values.rad[:, place, None]
        low = np.where(candidate, np.minimum(low, mid - rad), low)
        high = np.where(candidate, np.maximum(high, mid + rad), high)
    mid, rad = (low + high) / 2, (high - low) / 2 + (np.abs(low) + np.abs(high)) * (4 * UNIT)
    return mid, rad, euclidean(rad.transpose(2, 0, 1))
