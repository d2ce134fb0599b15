"""Up to which length each operation of a run in floats has its relative error: nothing overflows or underflows.

A theorem about runs that round has unlimited exponents. So it holds of a float format where no number overflows
(`symcook.export.guarantee.greatest`) and no rounded result is subnormal, unless it is exact. The second is shown by
bounds that depend on the weights only: each number of a run is 0, or has at least a certain size and is a multiple of
a certain power of two, which sums keep. Formats keep subnormal numbers, as IEEE 754 has it.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from symcook.domains import rounding
from symcook.errors import BadInput, chosen
from symcook.export.archive import Archive, ArraysRead, has_network, numbered
from symcook.export.guarantee import MASKED, greatest
from symcook.model.steps import Activate, Attend, LinearMap, Multiply, PartStep, Products, Read, unknown_step

ENGINE = "the bound on underflow"
"""How messages call this engine."""
KEPT: dict[str, None] = dict.fromkeys(("relu",))
"""Activations whose values are 0 or the argument."""


class SizeBounds(NamedTuple):
    """Bounds on the numbers at several places: `most` on their sizes, and of those that are not 0 the exponents of two
    powers of two: `least` is at most the size, and the number is a multiple of the other one, `grid`. `sign` is 1 or -1
    where no number has the other sign, else 0. Where all numbers are 0, `most` is 0 and the exponents are infinite."""

    most: Any
    least: Any
    grid: Any
    sign: Any


class _Subnormal(Exception):
    """Raised where an operation may underflow."""


def bits_kept(roundings: Mapping[str, Any], bits: int) -> int:
    """The greatest p up to `bits` such that no stored number has a relative error above 2^-p. `roundings` has which
    numbers were rounded, as `archive.arrays` has them."""
    worst = max((entry["greatest_relative_error"] for entry in roundings.values()), default=0.0)
    return next((p for p in range(bits, 0, -1) if worst <= 2.0**-p), 0)


def longest_in_range(m: Archive, most: int, divided_last: bool = False) -> int:
    """The greatest length up to `most`, the added tokens included, at which no operation on the arrays `m` of an export
    overflows or underflows; 0 if there is none, or a part is not read here. With `divided_last` only runtimes count
    that divide the averages of attention after the sum. For a model that reads numbers it is the greatest number of
    rows n such that this holds where each input is 0 or has a size from 1/2^k to 2^k, with 2^k the power of two after
    n."""
    numbers = len(m["inputs"]) > 0

    def inside(n: int) -> bool:
        return _in_range(m, n, divided_last, n.bit_length() if numbers else None)

    try:
        if not inside(1):
            return 0
        low, high = 1, most + 1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if inside(middle) else (low, middle)
        return low
    except BadInput:  # a part, an activation or a word that is not read here
        return 0


def inputs_in_range(m: Archive, n: int, divided_last: bool = False) -> int:
    """The greatest k such that no operation overflows or underflows where each input is 0 or has a size from 2^-k to
    2^k, for a model that reads numbers and `n` rows, at most as many as `longest_in_range` gives."""
    format, _ = rounding.RUNTIMES[str(m["dtype"])]
    low, high = n.bit_length(), format.most or 0
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _in_range(m, n, divided_last, middle) else (low, middle)
    return low


def _in_range(m: Archive, n: int, divided_last: bool, inputs: int | None) -> bool:
    """Whether no operation of a run on at most `n` tokens, or rows of inputs of sizes 2^-inputs to 2^inputs and 0,
    overflows or underflows."""
    import numpy as np

    format, _ = rounding.RUNTIMES[str(m["dtype"])]
    end = 2.0 ** ((format.most or 0) - 1) * float(2 - Fraction(2, 2**format.bits))
    if greatest(m, n, None if inputs is None else 2.0**inputs) >= end:
        return False
    try:
        with np.errstate(all="ignore"):
            _Underflow(np, m, n, format.bits, format.least or 0, divided_last).run(inputs)
    except _Subnormal:
        return False
    return True


class _Underflow:
    """The pass over the arrays; it ends with _Subnormal."""

    def __init__(self, np: Any, m: Archive, n: int, bits: int, least: int, divided_last: bool) -> None:
        self.np, self.m = np, ArraysRead(m, ENGINE)
        self.n, self.bits, self.least = n, bits, least
        self.divided_last = divided_last
        self.log_n = float((n - 1).bit_length())
        """n is at most 2 to this power."""

    def rounded(self, x: SizeBounds) -> SizeBounds:
        """Numbers after one rounding each: a number of at least 2^k becomes a multiple of 2^(k - bits + 1). Where it
        may be subnormal it must be a multiple of the least number of the format, so that nothing is lost."""
        np = self.np
        if ((x.least < self.least) & (x.grid < self.least - self.bits + 1)).any():
            raise _Subnormal
        most = x.most * (1 + 2.0**-self.bits) * (1 + 2.0**-50)
        return SizeBounds(most, x.least, np.maximum(x.grid, x.least - self.bits + 1), x.sign)

    def product(self, x: SizeBounds, y: SizeBounds) -> SizeBounds:
        """The rounded products."""
        return self.rounded(SizeBounds(x.most * y.most, x.least + y.least, x.grid + y.grid, x.sign * y.sign))

    def total(self, x: SizeBounds) -> SizeBounds:
        """The rounded sums over the last axis. A sum of terms of one sign is at least the smallest of them; other sums
        keep the common power of two. A subnormal sum is exact."""
        np = self.np
        used, grid = np.isfinite(x.least), np.min(x.grid, axis=-1, initial=np.inf)
        one_sign = (np.where(used, x.sign, 1) == 1).all(axis=-1) | (np.where(used, x.sign, -1) == -1).all(axis=-1)
        least = np.where(one_sign | (used.sum(axis=-1) == 1), np.min(x.least, axis=-1, initial=np.inf), grid)
        sign = np.where(one_sign, np.where(used, x.sign, 0).sum(axis=-1).clip(-1, 1), 0)
        most = x.most.sum(axis=-1) * np.exp((x.most.shape[-1] + 1) * 2.0**-self.bits)
        return SizeBounds(most, least, grid, sign)

    def both(self, x: SizeBounds, y: SizeBounds) -> SizeBounds:
        """The rounded sums of two."""
        np = self.np
        return self.total(
            SizeBounds(*(np.stack(np.broadcast_arrays(a, b), axis=-1) for a, b in zip(x, y, strict=True)))
        )

    def held(self, array: Any) -> SizeBounds:
        """The numbers of an array."""
        np = self.np
        sizes = np.abs(array.astype(np.float64))
        mantissa, exponent = np.frexp(sizes)
        whole = np.ldexp(mantissa, 53).astype(np.int64)
        _, lowest = np.frexp((whole & -whole).astype(np.float64))
        zero = sizes == 0
        least, grid = exponent - 1.0, exponent - 54.0 + lowest
        return SizeBounds(
            sizes, np.where(zero, np.inf, least), np.where(zero, np.inf, grid), np.sign(array).astype(int)
        )

    def entered(self, inputs: int) -> SizeBounds:
        """The rows of a model that reads numbers of the format, 0 or of a size from 2^-inputs to 2^inputs."""
        np, m = self.np, self.m
        given = np.isin(m["coordinates"], m["inputs"])
        grid = max(-inputs, self.least) - self.bits + 1
        return SizeBounds(
            np.where(given, 2.0**inputs, 0.0), np.where(given, -inputs, np.inf), np.where(given, grid, np.inf),
            np.zeros(len(given), dtype=int),
        )  # fmt: skip

    def run(self, inputs: int | None = None) -> None:
        """The pass. `inputs` is None for a model that reads strings."""
        m = self.m
        z = self.covering(self.held(m["embedding"])) if inputs is None else self.entered(inputs)
        if "positions" in m:
            table = m["positions"]
            seen = table[: self.n] if table.ndim == 2 else table[: self.n, : self.n].reshape(-1, table.shape[-1])
            z = self.both(z, self.covering(self.held(seen)))
        for step in (f"step{s}." for s in range(1, int(m["steps"]) + 1)):
            if numbered(m, step + "before", "gain") or step + "after.gain" in m:
                raise BadInput(
                    "for bounds on its values, a model must have no norm", step, "symcook bounds no values after a norm"
                )
            read = z
            for head in numbered(m, step + "head", "V"):
                z = self.both(z, self.made(head, m.steps(head, "head"), read))
            if has_network(m, step):
                z = self.both(z, self.made(step, m.steps(step, "network"), read))
        if "readout.weights" in m:
            self.total(self.product(self.held(m["readout.weights"]), z))
        m.all_read()

    def covering(self, x: SizeBounds) -> SizeBounds:
        """Bounds for all rows of a table."""
        np = self.np
        used = np.isfinite(x.least)
        positive = np.where(used, x.sign, 1).min(axis=0) == 1
        negative = np.where(used, x.sign, -1).max(axis=0) == -1
        sign = np.where(positive, 1, np.where(negative, -1, 0))
        return SizeBounds(x.most.max(axis=0), x.least.min(axis=0), x.grid.min(axis=0), sign)

    def made(self, key: str, step: PartStep, x: SizeBounds) -> SizeBounds:
        """What a step makes of numbers within `x`."""
        np = self.np
        m = self.m
        match step:
            case Read():
                return x
            case LinearMap(of, matrix, bias):
                inner = self.made(key, of, x)
                sums = self.total(self.product(self.held(m[m.array(key, matrix)]), inner))
                return sums if bias is None else self.both(sums, self.held(m[key + bias]))
            case Activate(of, kind):
                chosen(ENGINE, "activation", kind, KEPT)
                argument = self.made(key, of, x)
                return argument._replace(sign=np.ones_like(argument.sign))
            case Multiply(left, right):
                return self.product(self.made(key, left, x), self.made(key, right, x))
            case Attend(Products(asks, offers, "scale", "temperature"), values, mask, weighting):
                chosen(ENGINE, "mask", mask, MASKED)
                query, offered, value = (self.made(key, side, x) for side in (asks, offers, values))
                score = self.total(self.product(query, offered))
                if key + "factor" in m:
                    factor = self.held(m[key + "factor"][: self.n])
                    score = self.product(score, self.covering(factor))
                means = {
                    "average": self.averaged, "softmax": self.shared, "leftmost": self.one, "rightmost": self.one
                }  # fmt: skip
                return chosen(ENGINE, "weighting", weighting, means)(value, score)
        unknown_step(ENGINE, step)

    def one(self, value: SizeBounds, _: SizeBounds) -> SizeBounds:
        """One of the values, or 0."""
        return value

    def averaged(self, value: SizeBounds, _: SizeBounds) -> SizeBounds:
        """Their mean, divided after the sum, or each weight before."""
        return self.means(value, value, 0.0)

    def shared(self, value: SizeBounds, score: SizeBounds) -> SizeBounds:
        """Their mean by softmax: a weight is the exponential of a difference of two scores, which is exact where it is
        subnormal."""
        np = self.np
        # log2(e) is below 1.4427; the scores of a run are rounded.
        least = float(np.floor(-2 * float(score.most) * 1.4427 * (1 + 2.0**-5))) - 1
        one = np.float64(1)
        weight = self.rounded(SizeBounds(one, np.float64(least), np.float64(-np.inf), 1))
        return self.means(value, self.product(weight, value), least - 1)

    def means(self, value: SizeBounds, terms: SizeBounds, least: float) -> SizeBounds:
        """Means of numbers within `value`: `terms` are weights times values, and a weight divided by the sum of weights
        is at least 2^(least - log n)."""
        np = self.np
        unknown, before = np.full_like(terms.grid, -np.inf), least != 0
        after = self.rounded(SizeBounds(value.most, self.summed(terms) - self.log_n - before, unknown, value.sign))
        most = value.most * np.exp((self.n + 8) * 2.0**-self.bits)
        if self.divided_last:
            return after._replace(most=most)
        share = self.rounded(SizeBounds(np.float64(1), np.float64(least - self.log_n), np.float64(-np.inf), 1))
        first = self.product(share, value)
        return SizeBounds(
            most, np.minimum(after.least, self.summed(first)), np.minimum(after.grid, first.grid), value.sign
        )

    def summed(self, terms: SizeBounds) -> Any:
        """The exponents of least sizes of sums over positions."""
        np = self.np
        return np.where(terms.sign == 0, terms.grid, terms.least)
