"""Places on a line: rational and real algebraic numbers, compared exactly."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import flint
from flint import arb, arb_poly, fmpq, fmpq_poly, fmpz_poly

from symcook.numbers.balls import fraction_of


@dataclass(frozen=True)
class Root:
    """The real root number `index`, from the left, of an irreducible polynomial of degree at least 2 with integer
    coefficients, the constant one first."""

    coefficients: tuple[int, ...]
    index: int

    def ball(self) -> arb:
        """An enclosure at flint's precision."""
        return _real(self.coefficients)[self.index]

    def text(self, name: str) -> str:
        """The equation that it solves, in an unknown of this name."""
        terms = []
        for k, c in reversed(list(enumerate(self.coefficients))):
            power = "" if k == 0 else name if k == 1 else f"{name}^{k}"
            if c != 0:
                terms.append(str(c) if k == 0 else power if c == 1 else f"-{power}" if c == -1 else f"{c}*{power}")
        return " + ".join(terms).replace("+ -", "- ") + " = 0"


Place = Fraction | Root


def ball_of(place: Place) -> arb:
    """A place as a ball at flint's precision."""
    return arb(fmpq(place.numerator, place.denominator)) if isinstance(place, Fraction) else place.ball()


def below(a: Place, b: Place) -> bool:
    """Whether a < b."""
    if a == b:
        return False
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a < b
    bits = 64
    while True:  # different algebraic numbers part at some precision
        with flint.ctx.workprec(bits):
            x, y = ball_of(a), ball_of(b)
            if x < y:
                return True
            if x > y:
                return False
        bits *= 2


def between(a: Place, b: Place | None) -> Fraction:
    """A short rational number above a and below b (anything above a where b is None)."""
    bits = 64
    while True:
        with flint.ctx.workprec(bits):
            low = ball_of(a).upper()
            high = (low + abs(low) + 1).upper() if b is None else ball_of(b).lower()
            if low < high:
                return _shortest(fraction_of(low), fraction_of(high))
        bits *= 2


def _shortest(low: Fraction, high: Fraction) -> Fraction:
    """The number strictly between with the least power of two below it, near the middle."""
    middle, scale = (low + high) / 2, 1
    while True:
        found = Fraction(round(middle * scale), scale)
        if low < found < high:
            return found
        scale *= 2


def roots(polynomial: fmpq_poly) -> tuple[Place, ...]:
    """The real roots, from the left, each once."""
    return _roots(tuple(map(int, polynomial.numer().coeffs())))


@lru_cache(maxsize=4096)
def _roots(coefficients: tuple[int, ...]) -> tuple[Place, ...]:
    found: list[Place] = []
    for factor, _ in fmpz_poly(list(coefficients)).factor()[1]:
        parts = tuple(map(int, factor.coeffs()))
        if factor.degree() == 1:
            found.append(Fraction(-parts[0], parts[1]))
        else:
            found += [Root(parts, k) for k in range(len(_real(parts)))]
    with flint.ctx.workprec(128):
        return tuple(sorted(found, key=_Order))


class _Order:
    """A key that sorts places."""

    def __init__(self, place: Place) -> None:
        self.place = place

    def __lt__(self, other: _Order) -> bool:
        return below(self.place, other.place)


@lru_cache(maxsize=4096)
def _at(coefficients: tuple[int, ...], bits: int) -> tuple[arb, ...]:
    with flint.ctx.workprec(bits):
        every: Any = fmpz_poly(list(coefficients)).complex_roots()
        found = [z for z, _ in every if z.imag.is_zero()]
    return tuple(sorted((z.real for z in found), key=lambda x: fraction_of(x.mid())))


def _real(coefficients: tuple[int, ...]) -> tuple[arb, ...]:
    return _at(coefficients, flint.ctx.prec)


def sign_at(polynomial: fmpq_poly, place: Root) -> int:
    """-1, 0 or 1: the sign of a polynomial at a root of another."""
    rest: Any = polynomial % fmpq_poly(list(place.coefficients))
    if not rest:
        return 0
    coefficients = list(rest.numer().coeffs())
    bits = 64
    while True:  # what is not zero parts from it at some precision
        with flint.ctx.workprec(bits):
            found = arb_poly(coefficients)(place.ball())
            if found > 0 or found < 0:
                return 1 if found > 0 else -1
        bits *= 2
