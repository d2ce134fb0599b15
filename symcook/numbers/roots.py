"""Real algebraic numbers: roots of polynomials. All are compared exactly; those with one square root have arithmetic.

A layer norm of rational numbers gives numbers p + q sqrt(r). Equal numbers have equal p, equal signs of q and equal
q^2 r, whatever r is: sqrt(r) is irrational, so 1 and sqrt(r) are linearly independent over the rationals, and two roots
are rational multiples of each other exactly when r1 r2 is a square. So comparison needs no factorisation; small square
factors are taken out of r only to keep answers short. A rational value is a Fraction, a value of degree two a `Root`,
and a root of a polynomial of higher degree is `Algebraic`. A sum with two independent roots is rejected.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property, lru_cache
from math import gcd, isqrt
from typing import Any

import flint

from symcook.errors import NotExact
from symcook.locks import PRECISION
from symcook.model.expr import numeral
from symcook.model.rationals import NoValue, quotient
from symcook.numbers.balls import arb_of, decide_sign, fraction_of
from symcook.present import present

Rational = Fraction | int

MAX_ORDER_BITS = 1 << 22  # the precision, in bits, at which a comparison gives up
_TRIAL = 10_000  # square factors of primes up to this number are always found
_SHORT_BITS = 96  # in numbers of at most so many bits all square factors are found


class Algebraic:
    """A real root of an irreducible polynomial of degree at least 3 (a root of degree 2 is a `Root`): the real root
    number `index`, from 0, in increasing order. `coefficients` are integers, the constant one first. Numbers of this
    kind are ordered among each other and with rational numbers."""

    coefficients: tuple[int, ...]

    def __init__(self, coefficients: tuple[int, ...], index: int) -> None:
        self.coefficients, self.index = coefficients, index

    def ball(self) -> flint.arb:
        """An enclosure at flint's current precision."""
        return _enclosed(self.coefficients, flint.ctx.prec)[self.index]

    def text(self, name: str) -> str:
        """The equation that it solves, in an unknown of this name."""
        terms = []
        for k, c in reversed(list(enumerate(self.coefficients))):
            power = "" if k == 0 else name if k == 1 else f"{name}^{k}"
            if c != 0:
                terms.append(str(c) if k == 0 else power if c == 1 else f"-{power}" if c == -1 else f"{c}*{power}")
        return " + ".join(terms).replace("+ -", "- ") + " = 0"

    def sign_of(self, polynomial: flint.fmpq_poly) -> int:
        """-1, 0 or 1: the sign of a polynomial at this number; 0 iff the polynomial of this number divides it."""
        remainder: Any = polynomial % flint.fmpq_poly(list(self.coefficients))
        if not remainder:
            return 0
        coefficients = list(remainder.numer().coeffs())
        return decide_sign(lambda: flint.arb_poly(coefficients)(self.ball()), "a sign", MAX_ORDER_BITS)

    def __eq__(self, other: object) -> bool:
        if type(other) is Algebraic:
            return (self.coefficients, self.index) == (other.coefficients, other.index)
        return False if isinstance(other, _ORDERED) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.coefficients, self.index))

    def __lt__(self, other: RealPlace | int) -> bool:
        return self._order(other) < 0 if isinstance(other, _ORDERED) else NotImplemented

    def __le__(self, other: RealPlace | int) -> bool:
        return self._order(other) <= 0 if isinstance(other, _ORDERED) else NotImplemented

    def __gt__(self, other: RealPlace | int) -> bool:
        return self._order(other) > 0 if isinstance(other, _ORDERED) else NotImplemented

    def __ge__(self, other: RealPlace | int) -> bool:
        return self._order(other) >= 0 if isinstance(other, _ORDERED) else NotImplemented

    def _order(self, other: Any) -> int:
        """-1, 0 or 1 as this is less than, equal to or greater than `other`. Different numbers have disjoint balls at
        some precision."""
        if self == other:
            return 0
        return decide_sign(lambda: self.ball() - ball_of(other), "the order of two numbers", MAX_ORDER_BITS)


class Root(Algebraic):
    """A number p + q sqrt(r) that is not rational: p and q rational, q not 0, r an integer that is no square.

    Made by `root` and arithmetic, not by hand. Supports + - * / with Root, Fraction and int, order, abs, hash and bool.

    >>> two = root(Fraction(2))
    >>> print((1 + two) / (3 - two), two * two, root(8) - 2*two)
    5/7 + 4*sqrt(2)/7 2 0
    >>> root(3) < 2*two
    True

    Raises NotExact where a result would need two independent roots.
    """

    def __init__(self, p: Fraction, q: Fraction, r: int) -> None:
        self.p = p
        self.q = q
        self.r = r

    def __add__(self, other: Root | Rational) -> Root | Fraction:
        """The sum; NotExact for two roots whose ratio is irrational."""
        if isinstance(other, Root):
            # The other root as a multiple of this one.
            q = other.q if self.r == other.r else other._over(self.r, "a sum")
            return _made(self.p + other.p if other.p else self.p, self.q + q, self.r)
        if isinstance(other, (int, Fraction)):
            return Root(self.p + other, self.q, self.r)
        return NotImplemented

    __radd__ = __add__

    def __neg__(self) -> Root:
        return Root(-self.p, -self.q, self.r)

    def __sub__(self, other: Root | Rational) -> Root | Fraction:
        return self + -other if isinstance(other, (Root, int, Fraction)) else NotImplemented

    def __rsub__(self, other: Rational) -> Root | Fraction:
        return -self + other if isinstance(other, (int, Fraction)) else NotImplemented

    def __mul__(self, other: Root | Rational) -> Root | Fraction:
        """The product. For two roots with an irrational ratio it is NotExact, unless both have p = 0."""
        if isinstance(other, Root):
            if not self.p and not other.p:
                # sqrt(r) sqrt(s) = g sqrt((r/g)(s/g)) with g = gcd(r, s), so that nothing has to be factored.
                common = gcd(self.r, other.r)
                inside = self.r // common * (other.r // common)
                square_root = isqrt(inside)
                q = self.q * other.q if common == 1 else self.q * other.q * common
                return q * square_root if square_root * square_root == inside else Root(self.p, q, inside)
            q = other._over(self.r, "a product")
            return _made(self.p * other.p + self.q * q * self.r, self.p * q + self.q * other.p, self.r)
        if isinstance(other, (int, Fraction)):
            return _made(self.p * other, self.q * other, self.r)
        return NotImplemented

    __rmul__ = __mul__

    @property
    def inverse(self) -> Root:
        """1 over this number; its norm p^2 - q^2 r is not 0, because sqrt(r) is irrational."""
        norm = self.p**2 - self.q**2 * self.r
        return Root(self.p / norm, -self.q / norm, self.r)

    def __truediv__(self, other: Root | Rational) -> Root | Fraction:
        if isinstance(other, Root):
            return self * other.inverse
        return self * (1 / Fraction(other)) if isinstance(other, (int, Fraction)) else NotImplemented

    def __rtruediv__(self, other: Rational) -> Root | Fraction:
        return self.inverse * other if isinstance(other, (int, Fraction)) else NotImplemented

    def __pos__(self) -> Root:
        return self

    def __abs__(self) -> Root:
        return self if self.sign > 0 else -self

    def __bool__(self) -> bool:
        return True

    @cached_property
    def sign(self) -> int:
        """1 or -1, exactly: the sign of p or of q sqrt(r), whichever has the greater square."""
        leading = self.p if self.p**2 > self.q**2 * self.r else self.q
        return 1 if leading > 0 else -1

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Root):
            return self._normal == other._normal
        return False if isinstance(other, (int, Fraction)) else NotImplemented

    def __hash__(self) -> int:
        return hash(("Root", *self._normal))

    @cached_property
    def _normal(self) -> tuple[Fraction, Fraction]:
        """p, and the square of q sqrt(r) with the sign of q: two roots are equal exactly if both numbers are."""
        return self.p, self.q * abs(self.q) * self.r

    def _order(self, other: RealPlace | int) -> int:
        """As for any algebraic number, but without balls where the other number is rational, or a `Root` with the same
        root up to a rational factor, or where both have p = 0."""
        # Two numbers q sqrt(r): their squares with signs are compared.
        if isinstance(other, Root) and not self.p and not other.p:
            mine, theirs = self._normal[1], other._normal[1]
            return (mine > theirs) - (mine < theirs)
        # A number with another root is compared by balls; for all others, the difference is a Root or rational.
        if isinstance(other, Algebraic) and not (isinstance(other, Root) and _ratio(other.r, self.r)):
            return super()._order(other)
        difference = self - other
        return difference.sign if isinstance(difference, Root) else (difference > 0) - (difference < 0)

    @cached_property
    def coefficients(self) -> tuple[int, ...]:  # type: ignore[override]
        """The coefficients of its polynomial x^2 - 2 p x + p^2 - q^2 r, as integers without a common divisor."""
        monic = flint.fmpq_poly([_rational(self.p**2 - self.q**2 * self.r), _rational(-2 * self.p), 1])
        return tuple(map(int, monic.numer().coeffs()))

    def _over(self, r: int, what: str) -> Fraction:
        """The factor k with q sqrt(self.r) = k sqrt(r), for the given r; NotExact where k is irrational. `what` is for
        the message."""
        ratio = _ratio(self.r, r)
        if ratio is None:
            must = f"{what} must hold at most one square root in exact arithmetic"
            raise NotExact(must, f"sqrt({self.r}) and sqrt({r})", "use --domain ball (rigorous intervals)")
        return self.q * ratio

    def ball(self) -> flint.arb:
        return arb_of(self.p) + arb_of(self.q) * flint.arb(self.r).sqrt()

    def __str__(self) -> str:
        """The number in the expression grammar, such as 5/7 + 4*sqrt(2)/7."""
        size = abs(self.q)
        body = f"sqrt({numeral(self.r)})"
        body = body if size.numerator == 1 else f"{numeral(size.numerator)}*{body}"
        body = body if size.denominator == 1 else f"{body}/{numeral(size.denominator)}"
        if not self.p:
            return body if self.q > 0 else f"-{body}"
        return f"{quotient(self.p)} {'+' if self.q > 0 else '-'} {body}"

    def __repr__(self) -> str:
        return f"<Root {self}>"


RealPlace = Fraction | Algebraic
"""A real algebraic number."""
_ORDERED = (Algebraic, int, Fraction)


def root(value: Root | Rational) -> Root | Fraction:
    """The nonnegative square root of a rational number, or of p + q sqrt(r) where it is again of that form.

    >>> print(root(Fraction(9, 4)), root(Fraction(1, 2)), root(3 + 2*root(2)))
    3/2 sqrt(2)/2 1 + sqrt(2)

    Raises BadInput for a negative number, NotExact where the root is of no such form.
    """
    if isinstance(value, Root):
        return _nested(value)
    exact = Fraction(value)
    if exact < 0:
        raise NoValue("the argument of sqrt must not be negative", exact)
    outside, inside = squarefree(exact.numerator * exact.denominator)
    return _made(Fraction(0), Fraction(outside, exact.denominator), inside)


def rational_root(value: Fraction) -> Fraction | None:
    """The nonnegative square root of a rational number where it is rational, else None."""
    if value < 0:
        return None
    p, q = isqrt(value.numerator), isqrt(value.denominator)
    return Fraction(p, q) if p * p == value.numerator and q * q == value.denominator else None


@lru_cache(maxsize=4096)
def squarefree(number: int) -> tuple[int, int]:
    """(a, b) with number = a^2 b. b is squarefree for numbers of at most 96 bits; it is always 0, 1 or no square."""
    if number < 2:
        return 1, number
    square_root = isqrt(number)
    if square_root * square_root == number:
        return square_root, 1
    n = flint.fmpz(number)
    factors = n.factor() if number.bit_length() <= _SHORT_BITS else n.factor(trial_limit=_TRIAL)
    outside, inside = 1, 1
    for prime, power in factors:
        p, k = int(prime), int(power)
        # A factor that trial division left whole need not be prime: it may be a square.
        square_root = isqrt(p)
        if square_root * square_root == p:
            p, k = square_root, 2 * k
        outside *= p ** (k // 2)
        inside *= p ** (k % 2)
    return outside, inside


def _made(p: Fraction, q: Fraction, r: int) -> Root | Fraction:
    """p + q sqrt(r), as a Fraction where it is rational."""
    if r == 1 or not q:
        return p + q * r if r else p
    return Root(p, q, r) if r else p


@lru_cache(maxsize=4096)
def _ratio(r: int, s: int) -> Fraction | None:
    """sqrt(r)/sqrt(s) where it is rational, else None."""
    return Fraction(1) if r == s else rational_root(Fraction(r, s))


def _nested(value: Root) -> Root | Fraction:
    """sqrt(p + q sqrt(r)) = a + b sqrt(r) with a^2 + b^2 r = p and 2 a b = q, where a and b are rational."""
    if value.sign < 0:
        raise NoValue("the argument of sqrt must not be negative", value)
    norm = rational_root(value.p**2 - value.q**2 * value.r)
    for side in (1, -1) if norm is not None else ():
        a = rational_root((value.p + side * present(norm)) / 2)
        if a:
            return abs(Root(a, value.q / (2 * a), value.r))
    must = "a value must hold at most one square root in exact arithmetic"
    raise NotExact(must, f"sqrt({value})", "use --domain ball (rigorous intervals)")


# Roots of polynomials.


def _rational(value: Fraction) -> flint.fmpq:
    """A Fraction in flint's form."""
    return flint.fmpq(value.numerator, value.denominator)


def ball_of(place: RealPlace) -> flint.arb:
    """A number as a ball at flint's precision."""
    return arb_of(place) if isinstance(place, (Fraction, int)) else place.ball()


def roots(polynomial: flint.fmpq_poly) -> tuple[RealPlace, ...]:
    """The real roots, from the left, each once.

    >>> print(*roots(flint.fmpq_poly([2, 0, -1])), *roots(flint.fmpq_poly([0, 3, 2])))
    -sqrt(2) sqrt(2) -3/2 0
    """
    return _roots(tuple(map(int, polynomial.numer().coeffs())))


@lru_cache(maxsize=4096)
def _roots(coefficients: tuple[int, ...]) -> tuple[RealPlace, ...]:
    """The real roots of a polynomial, given by its coefficients, from the left, each once."""
    places: list[RealPlace] = []
    for factor, _ in flint.fmpz_poly(list(coefficients)).factor()[1]:
        parts = tuple(map(int, factor.coeffs()))
        if factor.degree() == 1:
            places.append(Fraction(-parts[0], parts[1]))
        elif factor.degree() == 2:
            # The two roots are middle - half and middle + half, if they are real.
            middle, square = Fraction(-parts[1], 2 * parts[2]), parts[1] ** 2 - 4 * parts[0] * parts[2]
            half = root(Fraction(square, 4 * parts[2] ** 2)) if square > 0 else None
            places += [] if half is None else [middle - half, middle + half]
        else:
            places += [Algebraic(parts, k) for k in range(len(_enclosed(parts, 128)))]
    return tuple(sorted(places))


@lru_cache(maxsize=4096)
def _enclosed(coefficients: tuple[int, ...], bits: int) -> tuple[flint.arb, ...]:
    """Enclosures of the real roots of an irreducible polynomial, from the left, at a precision of `bits` bits."""
    with PRECISION, flint.ctx.workprec(bits):
        every: Any = flint.fmpz_poly(list(coefficients)).complex_roots()
        real_roots = [z for z, _ in every if z.imag.is_zero()]
    return tuple(sorted((z.real for z in real_roots), key=lambda x: fraction_of(x.mid())))


def between(a: RealPlace, b: RealPlace | None) -> Fraction:
    """A short rational number above a and below b (anything above a where b is None). a must be less than b: otherwise
    the search does not end."""
    bits = 64
    while True:  # different numbers have disjoint balls at some precision
        with PRECISION, flint.ctx.workprec(bits):
            low = ball_of(a).upper()
            high = (low + abs(low) + 1).upper() if b is None else ball_of(b).lower()
            if low < high:
                return _shortest(fraction_of(low), fraction_of(high))
        bits *= 2


def _shortest(low: Fraction, high: Fraction) -> Fraction:
    """A number strictly between `low` and `high`, near the middle, whose denominator is the least possible power of
    two."""
    middle, scale = (low + high) / 2, 1
    while True:
        candidate = Fraction(round(middle * scale), scale)
        if low < candidate < high:
            return candidate
        scale *= 2
