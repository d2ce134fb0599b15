"""Exact numbers built from rationals and exponentials of rationals: what softmax over rational scores gives.

An exponential sum is a finite sum of c e^r with rational c and r. By the Lindemann-Weierstrass theorem the powers e^r
of distinct rationals r are linearly independent over the rationals, so the sum is zero exactly when every c is zero:
the list of its terms decides equality, and a sum with a term left has a sign that balls find at some precision.
`ExpSum` is a quotient of two such sums. A value that is rational is never an ExpSum: every function and operation
here answers with a Fraction as soon as the exponentials cancel, so that exact code may mix the two freely.

Normal form: with X = e^(1/q) both sums are Laurent polynomials in X, and X is transcendental, so quotients of sums are
rational functions of X. Both sums are divided by their greatest common divisor. In the denominator, the least exponent
is 0 and the coefficient of the greatest exponent is 1. The common divisor is not computed where the degree in X exceeds
MAX_DEGREE, and it is not divided out where that would more than double the number of terms; equality and hash do not
depend on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm

import flint

from symcook.errors import BadInput, NotExact, SymcookError
from symcook.locks import PRECISION
from symcook.model.rationals import NoValue, quotient
from symcook.numbers.balls import arb_of, decide_sign, ratio_of
from symcook.numbers.roots import Root

Terms = dict[Fraction, Fraction]
"""A sum of c e^r as {r: c}, without zeros."""
SumForm = frozenset[tuple[Fraction, Fraction] | tuple[None, Fraction, Fraction]]
"""Terms (exponent, coefficient) of a sum; the terms of its divisor are triples that begin with None."""
SumNumber = Fraction | int

_ONE: Terms = {Fraction(0): Fraction(1)}

MAX_DEGREE = 4096
"""The greatest degree in X of polynomials whose common divisor is computed."""
MAX_TERMS = 20_000
"""The greatest number of terms of a numerator or denominator."""
MAX_SIGN_BITS = 1 << 22
"""The precision, in bits, at which the search for a sign gives up."""
MAX_POWER_BITS = 1 << 20
"""The greatest size, in bits, of an exact power of a rational number."""
NEAR_BITS = 128
"""The precision, in bits, of `ExpSum.near`."""


class ExpSum:
    """A number that is not rational: (sum of c e^r) / (sum of d e^s), in normal form, immutable.

    Made by `exp_of`, `quotient_of` and arithmetic, not by hand. Supports + - * / and integer powers with ExpSum,
    Fraction and int on either side, comparisons, abs, hash and bool; floats are BadInput.

    >>> e = exp_of(Fraction(1, 2))
    >>> print((3*e + 1) / (e + 2))
    (3*exp(1/2) + 1)/(exp(1/2) + 2)
    >>> (e*e - 1) / (e - 1) - e
    Fraction(1, 1)
    """

    __slots__ = ("__dict__", "_den", "_num")

    def __init__(self, num: Terms, den: Terms) -> None:
        self._num = num
        self._den = den

    def __add__(self, other: ExpSum | SumNumber) -> ExpSum | Fraction:
        return _plus(self, other, 1)

    __radd__ = __add__

    def __sub__(self, other: ExpSum | SumNumber) -> ExpSum | Fraction:
        return _plus(self, other, -1)

    def __rsub__(self, other: ExpSum | SumNumber) -> ExpSum | Fraction:
        return _plus(-self, other, 1)

    def __mul__(self, other: ExpSum | SumNumber) -> ExpSum | Fraction:
        if not isinstance(other, ExpSum):
            factor = _exact(other)
            return ExpSum(_scaled(self._num, factor), self._den) if factor else Fraction(0)
        return quotient_of(_times(self._num, other._num), _times(self._den, other._den))

    __rmul__ = __mul__

    def __truediv__(self, other: ExpSum | SumNumber) -> ExpSum | Fraction:
        if not isinstance(other, ExpSum):
            factor = _exact(other)
            if factor == 0:
                raise ZeroDivisionError("an exponential sum is divided by 0")
            return ExpSum(_scaled(self._num, 1 / factor), self._den)
        return quotient_of(_times(self._num, other._den), _times(self._den, other._num))

    def __rtruediv__(self, other: ExpSum | SumNumber) -> ExpSum | Fraction:
        return quotient_of(_scaled(self._den, _exact(other)), self._num)

    def __pow__(self, exponent: int) -> ExpSum | Fraction:
        if isinstance(exponent, Fraction) and exponent.denominator == 1:
            exponent = exponent.numerator
        if isinstance(exponent, bool) or not isinstance(exponent, int):
            raise NotExact(
                "the power of an exponential sum must be an integer", exponent, "use --domain ball (rigorous intervals)"
            )
        num, den = (self._num, self._den) if exponent >= 0 else (self._den, self._num)
        return quotient_of(_power(num, abs(exponent)), _power(den, abs(exponent)))

    def __neg__(self) -> ExpSum:
        return ExpSum(_scaled(self._num, Fraction(-1)), self._den)

    def __pos__(self) -> ExpSum:
        return self

    def __abs__(self) -> ExpSum:
        return self if self.sign > 0 else -self

    def __bool__(self) -> bool:
        return True

    @cached_property
    def sign(self) -> int:
        """1 or -1, exactly; never 0, for zero is rational."""
        return (self.near > 0) - (self.near < 0) or _sign(self._num) * _sign(self._den)

    @cached_property
    def near(self) -> flint.arb:
        """An enclosure at NEAR_BITS, which suffices to compare most numbers."""
        with PRECISION, flint.ctx.workprec(NEAR_BITS):
            return self.ball()

    def __eq__(self, other: object) -> bool:
        """Exactly; False for every integer and Fraction, since an ExpSum is irrational, BadInput for a float."""
        if not isinstance(other, ExpSum):
            if isinstance(other, float):
                raise _no_float(other)
            return False if isinstance(other, (int, Fraction)) else NotImplemented
        if self._den == other._den:
            return self._num == other._num
        if hash(self) != hash(other) or not self.near.overlaps(other.near):
            return False
        return _times(self._num, other._den) == _times(other._num, self._den)

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        """The hash of the leading and the lowest term of the quotient, which do not change if both sums are multiplied
        by a common factor."""
        parts = []
        for end in (max, min):
            above, below = end(self._num), end(self._den)
            parts.append((above - below, self._num[above] / self._den[below]))
        return hash(("ExpSum", *parts))

    @cached_property
    def form(self) -> SumForm:
        """The terms themselves, as a dictionary key that is faster than the number, since many different numbers have
        the same hash. Equal numbers may have different forms."""
        return frozenset((*self._num.items(), *((None, *term) for term in self._den.items())))

    @classmethod
    def of(cls, form: SumForm) -> ExpSum:
        """The number of a form."""
        below = {term[1]: term[2] for term in form if len(term) == 3}
        return cls(dict(term for term in form if len(term) == 2), below)

    def __lt__(self, other: ExpSum | SumNumber) -> bool:
        return _compared(self, other) < 0

    def __le__(self, other: ExpSum | SumNumber) -> bool:
        return _compared(self, other) <= 0

    def __gt__(self, other: ExpSum | SumNumber) -> bool:
        return _compared(self, other) > 0

    def __ge__(self, other: ExpSum | SumNumber) -> bool:
        return _compared(self, other) >= 0

    def ball(self) -> flint.arb:
        """An enclosure at flint's current precision; not finite where that is too low to show that the denominator is
        not 0."""
        return _ball(self._num) / _ball(self._den)

    def __str__(self) -> str:
        num = _text(self._num)
        if self._den == _ONE:
            return num
        above = f"({num})" if len(self._num) > 1 else num
        return f"{above}/({_text(self._den)})"

    def __repr__(self) -> str:
        return f"<ExpSum {self}>"


SumValue = ExpSum | Fraction
"""A value of exact arithmetic: a Fraction where it is rational."""


def exp_of(exponent: SumNumber | ExpSum) -> SumValue:
    """e to a rational exponent; e^0 is the Fraction 1.

    Raises NotExact for an exponent that is itself an exponential sum or a root, BadInput for a float.
    """
    if isinstance(exponent, ExpSum):
        raise NotExact(
            "an exponential's exponent must be rational to stay exact",
            exponent,
            "use --domain ball (rigorous intervals)",
        )
    power = _exact(exponent)
    return Fraction(1) if power == 0 else ExpSum({power: Fraction(1)}, _ONE)


def exp_scaled_log(factor: SumNumber, base: SumNumber, shift: SumNumber = 0) -> SumValue:
    """exp(factor * log(base) + shift) = base^factor e^shift, for rational base > 0.

    >>> exp_scaled_log(-2, 8)
    Fraction(1, 64)
    >>> exp_scaled_log(Fraction(2, 3), 8)
    Fraction(4, 1)

    Raises NotExact where base^factor is irrational or longer than MAX_POWER_BITS bits, BadInput for base <= 0.
    """
    exponent, positive = _exact(factor), _exact(base)
    if positive <= 0:
        raise NoValue("the argument of a logarithm must be positive", positive)
    return _rational_power(positive, exponent) * exp_of(shift)


def quotient_of(num: Mapping[Fraction, Fraction], den: Mapping[Fraction, Fraction]) -> SumValue:
    """The value of sum num[r] e^r over sum den[r] e^r in normal form; a Fraction where it is rational.

    Raises ZeroDivisionError where den has no nonzero coefficient, NotExact where a sum has more than MAX_TERMS terms.
    """
    above = {r: c for r, c in num.items() if c}
    below = {r: c for r, c in den.items() if c}
    if not below:
        raise ZeroDivisionError("an exponential sum is divided by 0")
    if not above:
        return Fraction(0)
    if len(above) > MAX_TERMS or len(below) > MAX_TERMS:
        raise NotExact(
            f"an exact value must have at most {MAX_TERMS} terms",
            "a longer one",
            "use --domain ball (rigorous intervals)",
        )
    ratio = _ratio(above, below)
    if ratio is not None:
        return ratio
    if len(below) > 1:
        above, below = _reduced(above, below)
    least = min(below)
    lead = below[max(below)]
    return ExpSum(
        {r - least: c / lead for r, c in above.items()},
        {r - least: c / lead for r, c in below.items()},
    )


def softmax_mean(
    scores: Sequence[SumNumber], values: Sequence[SumValue | int], counts: Sequence[int] | None = None
) -> SumValue:
    """sum e^(s_j) v_j / sum e^(s_j): one row of softmax attention with rational scores, divided once. With `counts`,
    the j-th score and value occur counts[j] times.

    Raises NotExact for a score that is not rational, a value that is a root, or too many terms; BadInput for a float or
    an empty row.
    """
    if not scores:
        raise BadInput(
            "a row of softmax must have at least one score", "none", "give a mask by which each position sees one"
        )
    exact = []
    for score in scores:
        if isinstance(score, ExpSum):
            raise NotExact(
                "a softmax score must be rational to stay exact", score, "use --domain ball (rigorous intervals)"
            )
        exact.append(_exact(score))
    # The denominator `den`, and the numerator in parts: one sum for all rational values, and for each other value the
    # sum of its weights.
    den: Terms = {}
    rational: Terms = {}
    weights_by_form: dict[SumForm, Terms] = {}
    for score, value, count in zip(exact, values, counts or [1] * len(exact), strict=True):
        den[score] = den.get(score, Fraction(0)) + count
        if isinstance(value, ExpSum):
            weights = weights_by_form.setdefault(value.form, {})
            weights[score] = weights.get(score, Fraction(0)) + count
        else:
            rational[score] = rational.get(score, Fraction(0)) + _exact(value) * count
    if not weights_by_form:
        return quotient_of(rational, den)
    weighted = ((weights, ExpSum.of(form)) for form, weights in weights_by_form.items())
    # Each exponential value is itself a quotient v._num/v._den, so that its part is weights*v._num over v._den.
    above, below = _added([(rational, _ONE), *((_times(weights, v._num), v._den) for weights, v in weighted)])
    return quotient_of(above, _times(below, den))


def sign(value: SumValue | Root | int) -> int:
    """-1, 0 or 1, exactly."""
    if isinstance(value, (ExpSum, Root)):
        return value.sign
    exact = _exact(value)
    return (exact > 0) - (exact < 0)


def text(value: SumValue | Root | int) -> str:
    """The value in the expression grammar: p/q, a quotient of sums of exp(r), or p + q*sqrt(r)."""
    return str(value) if isinstance(value, (ExpSum, Root)) else quotient(_exact(value))


# Sums as dictionaries {exponent: nonzero coefficient}.


def _no_float(value: object) -> BadInput:
    """The error for a value that is no integer and no Fraction."""
    return BadInput(
        "an exact number must not be a float", value, "give an integer or a Fraction such as Fraction(1, 2)"
    )


def _exact(value: object) -> Fraction:
    """A number as a Fraction; floats, roots and other objects are rejected."""
    if isinstance(value, Fraction):
        return value
    if isinstance(value, Root):
        raise NotExact(
            "an exact value must not mix exponentials and square roots", value, "use --domain ball (rigorous intervals)"
        )
    if isinstance(value, bool) or not isinstance(value, int):
        raise _no_float(value)
    return Fraction(value)


def _plus(a: ExpSum, b: ExpSum | SumNumber, factor: int) -> SumValue:
    """a + factor * b."""
    if isinstance(b, ExpSum):
        bn, bd = b._num, b._den
    else:  # adding a rational number keeps the quotient in lowest terms
        return ExpSum(_sum(a._num, _scaled(a._den, _exact(b)), factor), a._den)
    if a._den == bd:
        return quotient_of(_sum(a._num, bn, factor), bd)
    return quotient_of(_sum(_times(a._num, bd), _times(bn, a._den), factor), _times(a._den, bd))


def _compared(a: ExpSum, b: ExpSum | SumNumber) -> int:
    """The sign of a - b."""
    with PRECISION, flint.ctx.workprec(NEAR_BITS):
        there = b.near if isinstance(b, ExpSum) else arb_of(_exact(b))
        if not a.near.overlaps(there):
            return 1 if a.near > there else -1
    return sign(a - b)


def _sum(a: Terms, b: Terms, factor: int) -> Terms:
    """a + factor * b."""
    total = dict(a)
    for r, c in b.items():
        total[r] = total.get(r, Fraction(0)) + factor * c
    return {r: c for r, c in total.items() if c}


def _added(quotients: Sequence[tuple[Terms, Terms]]) -> tuple[Terms, Terms]:
    """The sum of quotients whose denominators have the least exponent 0, not in lowest terms. If the degree in X allows
    it, they are added as polynomials over the least common multiple of the denominators, and converted back once.
    """
    quotients = [(terms, below) for above, below in quotients if (terms := {r: c for r, c in above.items() if c})]
    if not quotients:
        return {}, _ONE
    exponents = {r: Fraction(1) for above, _ in quotients for r in above}
    divisors = [below for _, below in quotients]
    grid = _Grid.of(exponents, *divisors)
    if grid.degree(exponents) + sum(map(grid.degree, divisors)) > MAX_DEGREE:
        return _one_by_one(quotients)
    # top/bottom is the sum so far; `bottom` becomes the least common multiple with the next denominator.
    lowest = min(exponents)
    top, bottom = flint.fmpq_poly([0]), flint.fmpq_poly([1])
    for above, below in quotients:
        divisor = grid.polynomial(below)
        shared = bottom.gcd(divisor)
        missing = divisor // shared
        top = top * missing + grid.polynomial(above, lowest) * (bottom // shared)
        bottom = bottom * missing
    return grid.back(top, lowest), grid.back(bottom, Fraction(0))


def _one_by_one(quotients: Sequence[tuple[Terms, Terms]]) -> tuple[Terms, Terms]:
    """The sum as in `_added`, term by term instead of by polynomials."""
    top, bottom = quotients[0]
    for above, below in quotients[1:]:
        if below == bottom:
            top = _sum(top, above, 1)
        else:
            top, bottom = _sum(_times(top, below), _times(above, bottom), 1), _times(bottom, below)
    return top, bottom


def _scaled(terms: Terms, factor: Fraction) -> Terms:
    return {r: c * factor for r, c in terms.items()} if factor else {}


def _power(terms: Terms, exponent: int) -> Terms:
    """An integer power >= 0, by repeated squaring."""
    result = _ONE
    while exponent:
        if exponent & 1:
            result = _times(result, terms)
        exponent >>= 1
        if exponent:
            terms = _times(terms, terms)
    return result


def _times(a: Terms, b: Terms) -> Terms:
    """The product of two sums: as polynomials in X where they are dense enough, else term by term.

    Raises NotExact for two long sums that are not dense.
    """
    if not a or not b:
        return {}
    if len(a) * len(b) > 64:
        grid = _Grid.of(a, b)
        if grid.degree(a) + grid.degree(b) <= 4 * len(a) * len(b):
            return grid.back(grid.polynomial(a) * grid.polynomial(b), min(a) + min(b))
        if len(a) * len(b) > 4 * MAX_TERMS:
            raise NotExact(
                f"an exact value must have at most {MAX_TERMS} terms",
                "a longer one",
                "use --domain ball (rigorous intervals)",
            )
    product: Terms = {}
    for r, c in a.items():
        for s, d in b.items():
            product[r + s] = product.get(r + s, Fraction(0)) + c * d
    return {r: c for r, c in product.items() if c}


def _ratio(above: Terms, below: Terms) -> Fraction | None:
    """The rational number above / below, if it is one: exactly where one sum is a multiple of the other."""
    if len(above) != len(below) or above.keys() != below.keys():
        return None
    ratios = {c / below[r] for r, c in above.items()}
    return ratios.pop() if len(ratios) == 1 else None


def _reduced(above: Terms, below: Terms) -> tuple[Terms, Terms]:
    """Both sums divided by their greatest common divisor as polynomials in X, unless the degree is too large, or the
    number of terms would more than double."""
    grid = _Grid.of(above, below)
    if len(above) == 1 or max(grid.degree(above), grid.degree(below)) > MAX_DEGREE:
        return above, below
    p, q = grid.polynomial(above), grid.polynomial(below)
    divisor = p.gcd(q)
    if divisor.degree() < 1:
        return above, below
    lowest = grid.back(p // divisor, min(above)), grid.back(q // divisor, min(below))
    return lowest if sum(map(len, lowest)) <= 2 * (len(above) + len(below)) else (above, below)


class _Grid:
    """The conversion of sums to polynomials in X = e^step: all differences of exponents are multiples of `step`."""

    def __init__(self, step: Fraction) -> None:
        self.step = step

    @classmethod
    def of(cls, *sums: Terms) -> _Grid:
        """The conversion with the largest step that fits all of the sums."""
        differences = [r - least for terms in sums for least in (min(terms),) for r in terms]
        denominator = lcm(*(d.denominator for d in differences))
        numerator = gcd(*(int(d * denominator) for d in differences))
        return cls(Fraction(numerator or 1, denominator))

    def degree(self, terms: Terms) -> int:
        """The degree in X of a sum divided by its least power."""
        return int((max(terms) - min(terms)) / self.step)

    def polynomial(self, terms: Terms, least: Fraction | None = None) -> flint.fmpq_poly:
        """The sum `terms` divided by e^least, by default by its least power, as a polynomial in X."""
        least = min(terms) if least is None else least
        coefficients = [flint.fmpq(0)] * (int((max(terms) - least) / self.step) + 1)
        for r, c in terms.items():
            coefficients[int((r - least) / self.step)] = flint.fmpq(c.numerator, c.denominator)
        return flint.fmpq_poly(coefficients)

    def back(self, polynomial: flint.fmpq_poly, least: Fraction) -> Terms:
        """The sum that is a polynomial in X, times e^least."""
        return {least + k * self.step: ratio_of(c) for k, c in enumerate(polynomial.coeffs()) if c != 0}


def _ball(terms: Terms) -> flint.arb:
    """An enclosure at flint's current precision."""
    total = flint.arb(0)
    for r, c in terms.items():
        total += arb_of(c) * arb_of(r).exp() if r else arb_of(c)
    return total


def _sign(terms: Terms) -> int:
    """The sign of a sum with at least one term; it is not zero, so that some precision shows its sign."""
    signs = {c > 0 for c in terms.values()}
    if len(signs) == 1:
        return 1 if signs.pop() else -1
    greatest = max(terms)  # dividing by e^greatest keeps the sign and avoids huge terms
    shifted = {r - greatest: c for r, c in terms.items()}
    return decide_sign(lambda: _ball(shifted), f"the sign of a sum of {len(terms)} exponentials", MAX_SIGN_BITS)


def _text(terms: Terms) -> str:
    """A sum in the expression grammar, the largest exponent first."""
    if not terms:
        raise SymcookError("an exponential sum without terms was printed")
    pieces = []
    for r, c in sorted(terms.items(), reverse=True):
        size = abs(c)
        growth = f"exp({quotient(r)})"
        body = quotient(size) if r == 0 else growth if size == 1 else f"{quotient(size)}*{growth}"
        mark = "-" if c < 0 else "+"
        pieces.append(f" {mark} {body}" if pieces else f"-{body}" if c < 0 else body)
    return "".join(pieces)


def _rational_power(base: Fraction, exponent: Fraction) -> Fraction:
    """base^exponent for base > 0. Raises NotExact where it is irrational or too long."""
    if base == 1 or exponent == 0:
        return Fraction(1)
    root = exponent.denominator
    parts = []
    # base^(p/q) is rational iff numerator and denominator are q-th powers.
    for part in (base.numerator, base.denominator):
        integer_root = int(flint.fmpz(part).root(root)) if root <= part.bit_length() else 1
        if integer_root**root != part:
            raise NotExact(
                "a power must be rational to stay exact",
                f"({base})^({exponent})",
                "use --domain ball (rigorous intervals)",
            )
        parts.append(integer_root)
    size = max(part.bit_length() for part in parts)
    if abs(exponent.numerator) * size > MAX_POWER_BITS:
        must = f"an exact power must have at most {MAX_POWER_BITS:,} bits"
        raise NotExact(must, f"({base})^({exponent})", "use --domain ball (rigorous intervals)")
    return Fraction(*parts) ** exponent.numerator
