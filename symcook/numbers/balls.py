"""Balls: real numbers as an Arb midpoint and radius, refined to a given number of digits, printed as decimals.

flint's precision is one global setting. Each function here that computes sets it in a with-block, except `arb_of` and
`Ball._arb`, which take it as it is; a caller that computes outside of `refine` and `decide_sign` must set it too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from typing import TYPE_CHECKING, Any

import flint

from symcook.door import check_digits
from symcook.errors import BadInput, SymcookError, Undecided
from symcook.locks import PRECISION
from symcook.model.rationals import decimal, number_of

GUARD = 2  # digits printed beyond the requested ones, so that rounding uses only a hundredth of the allowed error
MAX_EXACT_BITS = 1 << 23  # a printed ball is checked once more in exact integers of at most about this size


SMALL = 1024
"""A ball stands for one number, as a float or an mpf, where its radius is at most 1/SMALL of its midpoint."""
MAX_FRACTION = 20_000
"""The greatest power of ten in a number of a ball that is written out as a Fraction."""


@dataclass(frozen=True, eq=False)
class Ball:
    """A real number enclosed by decimals: it lies in [mid - rad, mid + rad]; rad includes the rounding of mid.

    A ball is compared with balls and exact numbers by <, <=, >, >=, == and !=. A comparison that the enclosures leave
    open raises Undecided.

    >>> third = Ball("0.3333", "0.0001")
    >>> third < 1, float(third), third == Fraction(1, 2), Ball("0.5", "0") == Fraction(1, 2)
    (True, 0.3333, False, True)
    """

    mid: str
    rad: str

    def to_json(self) -> dict[str, str]:
        """{"mid": decimal, "rad": decimal}."""
        return {"mid": self.mid, "rad": self.rad}

    def __str__(self) -> str:
        return self.mid if self.rad == "0" else f"{self.mid} ± {self.rad}"

    @property
    def exact(self) -> bool:
        """Whether the radius is 0, so that the number is `mid` itself."""
        return self.rad == "0"

    @property
    def fraction(self) -> Fraction:
        """The number as a Fraction; BadInput where the radius is not 0, or the number is too long to write out."""
        if not self.exact:
            raise BadInput(
                "an interval must be a single exact number to become a Fraction",
                str(self),
                "read it with float(..) or .mpf()",
            )
        if self._long():
            raise BadInput(f"a number must be below 10^{MAX_FRACTION:,} to be written out", self.mid, "read its .mid")
        return Fraction(self.mid if self._digits()[1] else 0)

    def __float__(self) -> float:
        """The float nearest to the midpoint; BadInput where the radius is not small against it, or where the number is
        outside the range of floats."""
        self._check_small("a float")
        value = float(self.mid) if abs(self._tens()) <= 400 else 0.0
        if self.mid != "0" and not 0 < abs(value) < float("inf"):
            raise BadInput("a number must be within the range of floats", self.mid, "read it with .mpf()")
        return value

    def _sympy_(self) -> Any:
        """What sympy makes of a ball: its Rational where it is exact. Any other ball is refused, which sympy would
        else turn into a Float without a word."""
        import sympy

        if not self.exact:
            raise sympy.SympifyError(
                f"{self}: an interval is not a number of sympy's; use the mpf() or the mid of the interval"
            )
        return sympy.Rational(self.fraction.numerator, self.fraction.denominator)

    def mpf(self) -> Any:
        """The midpoint as an mpmath number with all its digits; BadInput where the radius is not small against it.

        The number itself is in `interval()`.
        """
        import mpmath

        self._check_small("an mpf")
        with mpmath.workdps(len(self.mid) + 5):
            return mpmath.mpf(self.mid)

    def _no_arithmetic(self, other: object = None) -> Any:
        """BadInput: balls are compared, and not computed with."""
        do = "compute with .interval(), or with .fraction where the radius is 0"
        raise BadInput("an interval must be compared or converted, and not used in arithmetic", str(self), do)

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _no_arithmetic
    __pow__ = __rpow__ = __neg__ = __abs__ = _no_arithmetic

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """AttributeError, which says how to write the ends of the interval."""
            sign = {"lower": "-", "low": "-", "a": "-", "upper": "+", "high": "+", "b": "+"}.get(name)
            do = f"; write Fraction(ball.mid) {sign} Fraction(ball.rad), or ball.interval()" if sign else ""
            raise AttributeError(f"Ball has no attribute {name!r}{do}", name=name, obj=self)

    def interval(self) -> Any:
        """An interval of mpmath (`mpmath.iv.mpf`) that contains the number, at the digits that the ball has."""
        import mpmath

        intervals: Any = mpmath.iv
        old, intervals.dps = intervals.dps, len(self.mid) + 5
        try:
            return intervals.mpf(self.mid) + intervals.mpf(self.rad) * intervals.mpf([-1, 1])
        finally:
            intervals.dps = old

    def _tens(self) -> int:
        """About the power of ten of the midpoint."""
        digits, _, power = self.mid.lower().partition("e")
        return int(power or 0) + len(digits.partition(".")[0])

    def _long(self) -> bool:
        """Whether the midpoint is too large or too small to be written out as a Fraction."""
        _, digits, last = self._digits()
        return abs(last + len(digits)) > MAX_FRACTION

    def _digits(self) -> tuple[bool, str, int]:
        """The midpoint in its one shortest form: whether it is negative, its digits without zeros at the ends, and the
        power of ten of the last digit."""
        digits, _, power = self.mid.lower().lstrip("+-").partition("e")
        whole, _, fraction = digits.partition(".")
        shortest = f"{whole}{fraction}".rstrip("0")
        if not shortest.strip("0"):
            return False, "", 0
        last = int(power or 0) - len(fraction) + len(f"{whole}{fraction}") - len(shortest)
        return self.mid.startswith("-"), shortest.lstrip("0"), last

    def _check_small(self, what: str) -> None:
        """BadInput where the radius is above 1/SMALL of the midpoint."""
        if not self.exact:
            with PRECISION, flint.ctx.workprec(64):
                if not SMALL * flint.arb(self.rad) <= abs(flint.arb(self.mid)):
                    do = "ask for more digits, or compare it"
                    raise BadInput(f"a number must be known to three digits to be read as {what}", str(self), do)

    def _order(self, other: object, sign: str) -> int | None:
        """-1, 0 or 1: how the number compares with `other`; None where `other` is no number. Raises Undecided where the
        enclosures overlap, and BadInput for an exact number that is too long to write out and is compared with an exact
        number of another type that is not apart from it."""
        if self is other:
            return 0
        number = other if isinstance(other, Ball) else _exact_number(other)
        if number is None:
            return None
        exact = self.exact and (not isinstance(number, Ball) or number.exact)
        if exact and isinstance(number, Ball) and self._digits() == number._digits():
            return 0
        if exact and not self._long() and not (isinstance(number, Ball) and number._long()):
            ours, theirs = self.fraction, number.fraction if isinstance(number, Ball) else number
            return (ours > theirs) - (ours < theirs)
        long = 0 if isinstance(number, Ball) else number.numerator.bit_length() + number.denominator.bit_length()
        digits = len(number.mid) if isinstance(number, Ball) else 0
        with PRECISION, flint.ctx.workprec(long + bits_for(max(len(self.mid), digits))):
            difference = self._arb() - (number._arb() if isinstance(number, Ball) else arb_of(number))
        if difference > 0 or difference < 0:
            return 1 if difference > 0 else -1
        if exact:
            do = "compare it with a ball or a smaller number"
            raise BadInput(f"a number must be below 10^{MAX_FRACTION:,} to be compared with one so near", str(self), do)
        raise Undecided(f"{self} {sign} {other} is undecided; ask for more digits.")

    def _arb(self) -> flint.arb:
        """The ball at flint's current precision."""
        return flint.arb(self.mid) + flint.arb(self.rad) * flint.arb(0, 1)

    def __lt__(self, other: object) -> bool:
        order = self._order(other, "<")
        return NotImplemented if order is None else order < 0

    def __le__(self, other: object) -> bool:
        order = self._order(other, "<=")
        return NotImplemented if order is None else order <= 0

    def __gt__(self, other: object) -> bool:
        order = self._order(other, ">")
        return NotImplemented if order is None else order > 0

    def __ge__(self, other: object) -> bool:
        order = self._order(other, ">=")
        return NotImplemented if order is None else order >= 0

    def __eq__(self, other: object) -> bool:
        order = self._order(other, "==")
        return NotImplemented if order is None else order == 0

    def __hash__(self) -> int:
        if not self.exact:
            return hash((self.mid, self.rad))
        return hash(self._digits()) if self._long() else hash(self.fraction)


def _exact_number(value: Any) -> Fraction | None:
    """An exact number of Python's, sympy's or mpmath's types as a Fraction, a float as the binary number that it is;
    None for anything else. BadInput for a number of sympy's that is not rational, and for a ball of flint's."""
    if (number := number_of(value)) is not None:
        return number
    if isinstance(value, (Decimal, float)):
        return Fraction(value) if isfinite(value) else None
    if hasattr(value, "_mpf_"):  # an mpf: infinities and nan have a power without a mantissa
        sign, mantissa, power, _ = value._mpf_
        return None if power and not mantissa else (-1) ** sign * int(mantissa) * Fraction(2) ** int(power)
    if getattr(value, "is_number", False) is True or isinstance(value, flint.arb):
        must = "an interval must be compared with an exact rational number or another interval"
        raise BadInput(must, str(value), "compare its mpf(), or a difference of bounds")
    return None


class AlikeByText:
    """A frozen dataclass with balls: two are equal where their fields are, balls compared as text. (As numbers, two
    balls of one text may enclose different numbers, and `==` refuses.)"""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and _texts(vars(self)) == _texts(vars(other))

    def __hash__(self) -> int:
        return hash(repr(_texts(vars(self))))


def _texts(value: object) -> Any:
    """`value` with each ball in mappings and sequences as a pair of texts."""
    if isinstance(value, Ball):
        return Ball, value.mid, value.rad
    if isinstance(value, Mapping):
        return {key: _texts(part) for key, part in value.items()}
    return tuple(map(_texts, value)) if isinstance(value, (list, tuple)) else value


def arb_of(value: flint.arb | Fraction | int) -> flint.arb:
    """A ball around an exact number at flint's current precision; a ball is returned as it is.

    Raises BadInput for anything else, such as a float or a bool.
    """
    if isinstance(value, flint.arb):
        return value
    if isinstance(value, bool) or not isinstance(value, (int, Fraction)):
        must = "an exact number must be an integer or a Fraction"
        raise BadInput(must, value, "give an integer or a Fraction such as Fraction(1, 2)")
    return flint.arb(flint.fmpq(value.numerator, value.denominator))


def resolving(low: Fraction, high: Fraction, bits: int) -> int:
    """The precision at which numbers between `low` and `high` are known to (high - low)/2^bits; `bits` where the two
    are equal.

    >>> resolving(Fraction(1, 3), Fraction(1, 3) + Fraction(1, 2**100), 64)
    165
    """
    return bits + int(max(1, abs(low), abs(high)) / (high - low)).bit_length() if low < high else bits


def hull(low: flint.arb | Fraction | int, high: flint.arb | Fraction | int, bits: int) -> flint.arb:
    """A ball that contains all numbers from `low` to `high`, at a precision of `bits` bits.

    >>> hull(Fraction(1, 3), Fraction(1, 3) + Fraction(1, 2**100), 165).rad() < flint.arb(2) ** -100
    True
    """
    with PRECISION, flint.ctx.workprec(bits):
        return arb_of(low).union(arb_of(high))


def fraction_of(value: flint.arb) -> Fraction:
    """A ball of radius 0, such as an end or a midpoint of a ball, as an exact number."""
    mantissa, exponent = value.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def ratio_of(value: flint.fmpq) -> Fraction:
    """A rational number of flint's as a Fraction."""
    return Fraction(int(value.p), int(value.q))


def bits_for(digits: int) -> int:
    """The binary precision to start from for that many decimal digits, with some spare bits."""
    return digits * 10 // 3 + 64


def limit_for(digits: int) -> int:
    """The binary precision at which `refine` gives up by default."""
    return max(1 << 16, 16 * bits_for(digits))


def ladder(first: int, last: int) -> Iterator[int]:
    """Working precisions: `first`, doubled as long as it is below `last`, then `last` (which comes alone where `first`
    is not below it).

    >>> list(ladder(64, 300))
    [64, 128, 256, 300]
    """
    bits = first
    while bits < last:
        yield bits
        bits *= 2
    yield last


def refine(
    compute: Callable[[], flint.arb],
    digits: int,
    relative: bool = False,
    limit_bits: int | None = None,
    what: str = "the value",
) -> flint.arb:
    """The result of `compute` at the first precision that gives the requested digits.

    compute: called with flint's precision set; first 64 bits more than the digits need, then doubled each time. The
    radius must be at most 10^-digits max(1, |mid|), or, where `relative`, 10^-digits |mid|; a quarter of that is
    reached, which leaves room for rounding in `ball`. Raises Undecided at `limit_bits` (default `limit_for`), and
    BadInput for an invalid number of digits.
    """
    wanted = check_digits(digits)
    limit = limit_for(wanted) if limit_bits is None else limit_bits
    for bits in ladder(bits_for(wanted), limit):
        with PRECISION, flint.ctx.workprec(bits):
            result = compute()
        if settled(result, wanted, relative):
            return result
    kind = "relative digits" if relative else "digits"
    raise Undecided(f"{what} did not reach {wanted} {kind} at the limit of {limit} bits; ask for fewer digits.")


def decide_sign(compute: Callable[[], flint.arb], what: str, limit_bits: int = 1 << 16) -> int:
    """-1, 0 or 1: the sign of the number that `compute` encloses; 0 only where a ball is exactly zero.

    Raises Undecided where every ball up to `limit_bits` contains zero; `what` names the comparison.
    """
    for bits in ladder(64, limit_bits):
        with PRECISION, flint.ctx.workprec(bits):
            result = compute()
        if result.is_zero():
            return 0
        if result > 0:
            return 1
        if result < 0:
            return -1
    raise Undecided(f"{what} was undecided at {limit_bits} bits; an exact or simpler expression would settle it.")


def settled(x: flint.arb, digits: int, relative: bool = False) -> bool:
    """Whether the radius is at most a quarter of 10^-digits max(1, |mid|), or of 10^-digits |mid| where `relative`."""
    if not x.is_finite():
        return False
    with PRECISION, flint.ctx.workprec(64):
        radius = x.rad()
        if radius.is_zero():
            return True
        middle = abs(x.mid())
        scale = middle if relative or middle > 1 else flint.arb(1)
        return bool(4 * radius * flint.arb(10) ** digits <= scale)


def ball(x: flint.arb, digits: int, relative: bool = False) -> Ball:
    """Decimals that enclose every point of `x`; mid has GUARD digits more than requested, or fewer where the radius
    justifies no more.

    relative: digits count from the first nonzero one; otherwise, if |x| < 1, from the decimal point. The radius is
    rounded up. The enclosure is right for any radius of `x`; `refine` makes the radius small. Raises BadInput for an
    invalid number of digits, SymcookError for a ball that is not finite.
    """
    wanted = check_digits(digits)
    if not x.is_finite():
        raise SymcookError("symcook tried to print an infinite interval")
    if x.is_zero():
        return Ball("0", "0")
    # The last decimal place that is printed: by the digits asked for, and no finer than the radius.
    mantissa, exponent = (int(part) for part in x.mid().man_exp())
    # `_tens` is at most 1 away from the true power of ten, which changes only the number of guard digits.
    leading = _tens(exponent + mantissa.bit_length())
    size = leading if mantissa and (relative or leading > 0) else 0
    last = size - wanted - GUARD  # mid is a multiple of 10^last
    if not x.is_exact():  # a wide ball is printed with no more digits than its radius justifies
        radius_mantissa, radius_exponent = (int(part) for part in x.rad().man_exp())
        last = max(last, _tens(radius_exponent + radius_mantissa.bit_length()) - GUARD - 3)
    # The midpoint as an integer multiple of 10^last, and how far the ball reaches from there.
    bits = bits_for(wanted) + 4 * (abs(last).bit_length() + abs(exponent).bit_length()) + mantissa.bit_length()
    if 0 < -last < 4 * wanted + 64:
        bits += -3 * last  # with these bits, 10^-last and short decimals are exact
    with PRECISION, flint.ctx.workprec(bits):
        scaled = x * flint.arb(10) ** -last
        middle = (scaled.mid() + flint.arb(0.5)).floor().unique_fmpz()
        if middle is None:
            raise SymcookError("the midpoint of an interval was not rounded to an integer")
        error = (scaled - middle).abs_upper()
    error_digits, error_place = _round_up(error, last)
    printed = Ball(decimal(str(middle), last), decimal(str(error_digits), error_place))  # flint writes any length
    if not _encloses(x, middle, last, error_digits, error_place):
        raise SymcookError(f"the decimals {str(printed)[:60]} do not enclose their interval")
    return printed


def _tens(bits: int) -> int:
    """The exponent of the power of ten that is about as large as 2^bits: bits log10(2), rounded down."""
    return bits * 301029995663981195213738894724 // 10**30


def _round_up(error: flint.arb, place: int) -> tuple[flint.fmpz, int]:
    """Integers m, p with error * 10^place <= m 10^p and m of few digits."""
    if error.is_zero():
        return flint.fmpz(0), 0
    mantissa, exponent = (int(part) for part in error.man_exp())
    shift = GUARD + 1 - _tens(exponent + mantissa.bit_length())
    with PRECISION, flint.ctx.workprec(128 + 2 * abs(shift).bit_length()):  # enough for a few digits of 10^shift
        units = (error * flint.arb(10) ** shift).upper().ceil().unique_fmpz()
    if units is None:
        raise SymcookError("the radius of an interval was not rounded to an integer")
    return units, place - shift


def _encloses(x: flint.arb, middle: flint.fmpz, last: int, error: flint.fmpz, place: int) -> bool:
    """Whether |x - middle 10^last| <= error 10^place for every point of x, in exact integers.

    True without a check for sizes beyond MAX_EXACT_BITS: the numbers are from ball arithmetic, which is rigorous too.
    """
    mid_m, mid_e = x.mid().man_exp()
    rad_m, rad_e = x.rad().man_exp()
    twos, tens = min(int(mid_e), int(rad_e), 0), min(last, place, 0)
    greatest = max(abs(int(mid_e)), abs(int(rad_e)), 4 * abs(last), 4 * abs(place))
    if greatest > MAX_EXACT_BITS:
        return True
    # All numbers are multiplied by 2^-twos 10^-tens, which makes them integers.
    two, ten = flint.fmpz(2), flint.fmpz(10)
    tens_unit, twos_unit = ten ** (-tens), two ** (-twos)
    mid = mid_m * two ** int(mid_e - twos) * tens_unit
    rad = rad_m * two ** int(rad_e - twos) * tens_unit
    centre = middle * ten ** (last - tens) * twos_unit
    allowed = error * ten ** (place - tens) * twos_unit
    return bool(abs(mid - centre) + rad <= allowed)
