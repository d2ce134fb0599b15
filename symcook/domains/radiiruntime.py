"""Many strings at once, in float64 balls with the results of every runtime: `symcook.domains.radii` in the error model
of `symcook.domains.rounding`.

A ball has the exact number and every rounded result, and so has the bound on the Euclidean norm of errors. An operation
takes all points that the balls of its operands allow, as in `Radii`, and is then enlarged by what a runtime may round
at such a point. Averages that are divided before or after their sum have the same bound.

No number may overflow: `symcook.export.guarantee.greatest` is asked for that. Where the bounds of many roundings do not
hold, as for sums of many terms in a short type, radii are infinite.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from symcook.domains.floatmatrices import FloatArray
from symcook.domains.protocol import Coefficient
from symcook.domains.radii import BALL, TINY, MidRadius, Radii, Roundings, balls, euclidean, float_and_error
from symcook.domains.rounding import GELU_ULPS, RUNTIMES
from symcook.errors import NotExact
from symcook.model.parts import PLUS_ONE, Mask, Part
from symcook.present import present


def sizes_of(columns: MidRadius) -> FloatArray:
    """Upper bounds of the absolute values of all numbers in the balls."""
    return np.abs(columns.mid) + columns.rad


def widened(columns: MidRadius, own: FloatArray) -> MidRadius:
    """The columns with radii that are greater by `own`."""
    return balls(columns.mid, columns.rad + own, columns.norm + euclidean(own))


class RuntimeRadii(Radii):
    """`Radii` for runtimes that round weights and operations to `dtype`, a key of `RUNTIMES`. `terms` is the greatest
    number of terms of a residual sum: the stream, and an output of each part that is added at once."""

    matrices: ClassVar[bool] = True

    def __init__(self, dtype: str, terms: int) -> None:
        super().__init__()
        format, _ = RUNTIMES[dtype]
        least = present(format.least)
        self.roundings = Roundings(
            2.0**-format.bits, max(2.0 ** max(least - format.bits, -1000), TINY), 2.0 ** max(least, -1000)
        )
        self.terms = terms

    def rounded(self, columns: MidRadius, count: int, sizes: FloatArray | None = None) -> MidRadius:
        """The columns after `count` roundings of numbers of these sizes; by default of their own."""
        sizes = sizes_of(columns) if sizes is None else sizes
        return widened(columns, sizes * self.roundings.relative(count) + 2 * count * self.roundings.tiny)

    def stored(self, numbers: MidRadius) -> MidRadius:
        return self.rounded(numbers, 1)

    def product(
        self,
        matrix: tuple[FloatArray, FloatArray, float, FloatArray, float],
        columns: MidRadius,
        bias: tuple[FloatArray, FloatArray] | None = None,
        kind: str = "",
        onto: MidRadius | None = None,
    ) -> MidRadius:
        """The sum of k products, the bias and another column, in any order; weights and biases are stored rounded."""
        _, weights, off, _, _ = matrix
        result, sizes, k = super().product(matrix, columns, bias, "", onto), sizes_of(columns), len(columns)
        total = ((1 + off) * weights @ sizes.reshape(k, -1)).reshape(result.mid.shape)
        # The weights and products that underflow.
        total_small = self.roundings.tiny * (sizes.sum(axis=0) + k + 2)
        if bias is not None:
            total = total + np.abs(bias[0]) + bias[1]
        if onto is not None:
            total = total + sizes_of(onto)
        result = widened(result, total * self.roundings.relative(k + 5 + self.terms) + 2 * total_small)
        return self.activate(result, kind) if kind else result

    def activate(self, column: MidRadius, kind: str) -> MidRadius:
        result = super().activate(column, kind)
        if kind in ("relu", "step"):
            return result
        # Each of these is x times a factor between 0 and 1.
        return self.rounded(result, 2 * GELU_ULPS + 2, sizes_of(column))

    def centred(self, columns: MidRadius) -> MidRadius:
        result, k = super().centred(columns), len(columns)
        mean = sizes_of(columns).sum(axis=0) / k * self.roundings.relative(k + 2)
        return self.rounded(widened(result, mean + np.zeros_like(result.rad)), 2)

    def rms_norm(self, columns: MidRadius, epsilon: Coefficient, zero_square: str) -> MidRadius:
        """The squares, their sum, the quotient by k and epsilon are positive, so that their relative errors count."""
        floor, floor_off = float_and_error(epsilon)
        if floor <= 2 * floor_off:
            raise NotExact("a norm must have an epsilon above 0 for many strings at once", epsilon, BALL)
        result = super().rms_norm(columns, epsilon, zero_square)
        error = self.roundings.relative(len(columns) + 6) + 12 * self.roundings.tiny / floor
        share = 1.1 * error + self.roundings.relative(3) if error < 0.05 else np.inf
        return widened(result, sizes_of(result) * share + 2 * self.roundings.tiny)

    def multiplied(self, columns: MidRadius, others: MidRadius) -> MidRadius:
        return self.rounded(super().multiplied(columns, others), 1, sizes_of(columns) * sizes_of(others))

    def scaled(self, columns: MidRadius, norm: Part, gain: str, bias: str | None) -> MidRadius:
        result, sizes = super().scaled(columns, norm, gain, bias), sizes_of(columns)
        factor, factor_off = self.vector(norm, gain, norm.lowered[gain])
        total = (np.abs(factor) + factor_off) * sizes
        if bias is not None:
            added, added_off = self.vector(norm, bias, norm.lowered[bias])
            total = total + np.abs(added) + added_off
        return widened(result, total * self.roundings.relative(4) + 2 * self.roundings.tiny * (sizes + 4))

    def plus(self, columns: MidRadius, others: MidRadius) -> MidRadius:
        """One of the sums of at most `terms` terms, which a runtime takes in any order."""
        sizes = sizes_of(columns) + sizes_of(others)
        return self.rounded(super().plus(columns, others), self.terms + 1, sizes)

    def placed(self, term: Coefficient, weight: Coefficient) -> MidRadius:
        value, factor = sizes_of(super().placed(term, 1)), abs(float_and_error(weight)[0])
        result = self.rounded(super().placed(term, weight), 4)
        # The value and the weight may underflow before they are multiplied, each by its rounding times the other.
        return widened(result, 2 * self.roundings.tiny * (1 + value + factor))

    def attend(
        self, queries: MidRadius, keys: MidRadius, values: MidRadius, mask: Mask, weighting: str, factor: Coefficient
    ) -> MidRadius:
        if weighting == PLUS_ONE or (len(queries) and weighting != "softmax"):
            raise NotExact("many strings at once must have softmax heads or uniform ones", weighting, BALL)
        return super().attend(queries, keys, values, mask, weighting, factor)

    def _scores(self, queries: MidRadius, keys: MidRadius, factor: Coefficient) -> MidRadius:
        result, k = super()._scores(queries, keys, factor), len(queries)
        total = sizes_of(queries).transpose(2, 1, 0) @ sizes_of(keys).transpose(2, 0, 1)
        greatest = np.ones((1, 1))
        if factor != 1:
            greatest = self.factors(factor)[:, :1] * (1 + 2.0**-50)
        small = self.roundings.tiny * ((k + 2) * (1 + greatest) + total)
        return balls(result.mid, result.rad + total * greatest * self.roundings.relative(k + 5) + 2 * small)
