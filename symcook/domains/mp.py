"""mpmath floats: arithmetic rounded to p bits at every operation, and a second engine to check the balls against.

Every product, sum, quotient, root and exponential is rounded to nearest at `bits` bits, in the order in which it is
written: sums run over positions, coordinates or hidden units from left to right, in attention from the first visible
position on. Inputs, coefficients, position functions and temperatures are rounded once, from their exact values.
Exponents are not bounded, so nothing overflows. The total effect of rounding is bounded by `symcook.domains.rounding`:
a verdict within that bound is undecided. With `simulates` a verdict is that of a runtime with these numbers, right or
wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import mpmath
from mpmath.libmp import from_rational

from symcook.domains.exact import rational_at
from symcook.domains.protocol import MEAN_SQUARE, VARIANCE, Coefficient, refuse_zero_root, unknown_activation
from symcook.domains.rounding import Format, Rounding
from symcook.domains.rowwise import Shortening
from symcook.errors import BadInput, NotExact
from symcook.model.expr import Tree
from symcook.model.parts import SIGMOIDS
from symcook.model.rationals import rewritten
from symcook.numbers.evaluate import nearest

if TYPE_CHECKING:
    from mpmath.ctx_mp_python import _mpf

MAX_BITS = 1_000_000
"""The greatest precision that a user may request."""


def check_bits(bits: object) -> int:
    """`bits` as an int in 1..MAX_BITS; BadInput for anything else."""
    if isinstance(bits, bool) or not isinstance(bits, int) or not 1 <= bits <= MAX_BITS:
        raise BadInput(
            f"the number of bits must be an integer from 1 to {MAX_BITS}", bits, "give for example --bits 24"
        )
    return bits


def rounded(value: Coefficient, bits: int) -> Any:
    """An exact number rounded once to `bits` bits, in the raw form of mpmath's library (`mpmath.libmp`)."""
    if isinstance(value, tuple):
        return nearest(value, {}, bits)
    return from_rational(value.numerator, value.denominator, bits, "n")


class Mp(Shortening):
    """The domain of mpmath numbers with `bits` bits. Values are shown with `digits` digits; None: as many as `show` is
    given. In the example, 17 has five bits and is rounded to 16 before the mean is computed.

    >>> from symcook.model.parts import Mask
    >>> domain = Mp(4)
    >>> with domain.context():
    ...     domain.begin(("a",) * 3, 1)
    ...     third = domain.attend([], [], [domain.embed({"a": 17})], Mask.NONE, "average", 1)[0][0]
    ...     domain.show(third, 30)
    '16'
    """

    name: ClassVar[str] = "mpmath"
    in_order = True

    def __init__(self, bits: int = 128, digits: int | None = None, simulates: bool = False) -> None:
        super().__init__()
        self.bits = check_bits(bits)
        self.mp: Any = mpmath.MPContext()
        """A separate context, since the precision of the default one is global."""
        self.mp.prec = self.bits
        self.nothing = self.mp.mpf(0)
        self.digits = digits
        self.simulates = simulates
        self._rounded: dict[Any, Any] = {}
        """Exact number -> the same number rounded."""

    def context(self) -> AbstractContextManager[Any]:
        return nullcontext()

    def rounding(self) -> Rounding:
        return Rounding(Format(self.bits))

    def number(self, value: Coefficient) -> Any:
        """An exact number rounded once to the precision. An irrational number may be off by one unit in the last
        bit."""
        result = self._rounded.get(value)
        if result is None:
            result = self._rounded[value] = self.mp.make_mpf(rounded(value, self.bits))
        return result

    def position(self, term: Tree, i: int) -> Any:
        """The exact value of the term, rounded once."""
        try:
            return self.number(rational_at(term, i, self.length))
        except NotExact:
            return self.mp.make_mpf(nearest(term, {"i": i, "n": self.length}, self.bits))

    def activation(self, x: Any, kind: str) -> Any:
        """An activation of a number, each operation rounded."""
        if kind == "relu":
            return x if x > 0 else self.mp.mpf(0)
        if kind == "step":
            return self.mp.mpf(1 if x > 0 else 0)
        if kind == "gelu":
            return x * (self.mp.mpf("0.5") * self.mp.erfc(-x / self.mp.sqrt(self.mp.mpf(2))))
        if kind in SIGMOIDS:
            return x * self._logistic(self.number(SIGMOIDS[kind]) * x)
        if kind == "gelu-tanh":
            cubic, scale = self.number(Fraction(44715, 1000000)), 2 * self.mp.sqrt(2 / +self.mp.pi)
            return x * self._logistic(scale * (x + cubic * (x * x * x)))
        raise unknown_activation(kind)

    def _logistic(self, x: _mpf) -> Any:
        """1/(1 + e^-x), with the small exponential on either side."""
        small = self.mp.exp(-abs(x))
        return (small if x < 0 else self.mp.mpf(1)) / (1 + small)

    def normalised(self, entries: Sequence[object], epsilon: object, zero_variance: str, i: int) -> list[Any]:
        """(x - mean)/sqrt(variance + epsilon) of the entries."""
        mean = self.mean(entries)
        return self._divided([x - mean for x in entries], epsilon, zero_variance, i, VARIANCE)

    multiplies = True

    def by_rms(self, entries: Sequence[object], epsilon: object, zero_square: str, i: int) -> list[Any]:
        return self._divided(entries, epsilon, zero_square, i, MEAN_SQUARE)

    def _divided(self, entries: Sequence[Any], epsilon: object, zero: str, i: int, must: tuple[str, str]) -> list[Any]:
        """x/sqrt(mean of squares + epsilon) of the entries; `must` is what NoRun says of a root of zero."""
        square = self.mean([x * x for x in entries]) + epsilon
        if square == 0:
            refuse_zero_root(zero, i, must)
            return [self.nothing for _ in entries]
        root = self.mp.sqrt(square)
        return [x / root for x in entries]

    def weights(self, scores: Sequence[_mpf]) -> list[Any]:
        """e^(score - maximum score) for each score."""
        top = max(scores)
        return [self.mp.exp(score - top) for score in scores]

    def show(self, value: object, digits: int) -> str:
        digits_to_show = digits if self.digits is None else self.digits
        if not self.mp.isfinite(value):
            return str(value)
        return rewritten(str(self.mp.nstr(value, digits_to_show)))


def digits_of(bits: int) -> int:
    """Decimal digits that tell any two numbers of `bits` bits apart.

    >>> digits_of(53)
    17
    """
    return -(-bits * 30103 // 100000) + 1
