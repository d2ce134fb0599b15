"""Sign sets, intervals, and the exact signs of a polynomial in one variable on an interval (`univariate`).

A *sign set* is a bit mask of the signs that a value may take: NEGATIVE, ZERO, POSITIVE.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from flint import fmpq, fmpq_poly

NEGATIVE, ZERO, POSITIVE = 1, 2, 4  # bits of a sign set
ANY = NEGATIVE | ZERO | POSITIVE
NONNEGATIVE, NONPOSITIVE, NONZERO = POSITIVE | ZERO, NEGATIVE | ZERO, POSITIVE | NEGATIVE


def product(first: int, second: int) -> int:
    """The sign set of a product of values with the given sign sets.

    >>> product(NONPOSITIVE, NEGATIVE) == NONNEGATIVE
    True
    """
    return _PRODUCT[first][second]


def total(first: int, second: int) -> int:
    """The sign set of a sum of values with the given sign sets.

    >>> total(POSITIVE, NONNEGATIVE) == POSITIVE, total(POSITIVE, NEGATIVE) == ANY
    (True, True)
    """
    return _TOTAL[first][second]


def _pairs(first: int, second: int, sum_of: bool) -> int:
    """The sign set of a sum or product of values with these sign sets; see `total` and `product`."""
    signs = {NEGATIVE: -1, ZERO: 0, POSITIVE: 1}
    result = 0
    for a, x in signs.items():
        for b, y in signs.items():
            if first & a and second & b:
                result |= (ANY if x * y < 0 else of_number(x + y)) if sum_of else of_number(x * y)
    return result


def of_number(value: fmpq | int) -> int:
    """The sign set of a number: one sign."""
    return POSITIVE if value > 0 else NEGATIVE if value < 0 else ZERO


_PRODUCT = [[_pairs(a, b, False) for b in range(8)] for a in range(8)]
_TOTAL = [[_pairs(a, b, True) for b in range(8)] for a in range(8)]


def flip(signs: int) -> int:
    """The sign set of the negated value."""
    return product(signs, NEGATIVE)


@dataclass(frozen=True)
class Span:
    """An interval that contains all values of a generator; an end of None is infinite."""

    lower: fmpq | None = None
    upper: fmpq | None = None
    lower_open: bool = True
    upper_open: bool = True

    @property
    def empty(self) -> bool:
        """Whether no number lies in the interval."""
        if self.lower is None or self.upper is None:
            return False
        return self.lower > self.upper or (self.lower == self.upper and (self.lower_open or self.upper_open))

    @property
    def signs(self) -> int:
        """The signs of the values in the interval."""
        if self.empty:
            return 0
        result = 0
        if self.lower is None or self.lower < 0:
            result |= NEGATIVE
        if self.upper is None or self.upper > 0:
            result |= POSITIVE
        if self.contains(fmpq(0)):
            result |= ZERO
        return result

    def contains(self, x: fmpq) -> bool:
        """Whether a number lies in the interval."""
        below = self.lower is None or self.lower < x or (self.lower == x and not self.lower_open)
        return below and (self.upper is None or x < self.upper or (self.upper == x and not self.upper_open))

    def above(self, x: fmpq, is_open: bool) -> Span:
        """The part of the interval at or above `x`; with `is_open`, strictly above it."""
        if self.lower is not None and (self.lower > x or (self.lower == x and self.lower_open)):
            return self
        return replace(self, lower=x, lower_open=is_open)

    def below(self, x: fmpq, is_open: bool) -> Span:
        """The part of the interval at or below `x`; with `is_open`, strictly below it."""
        if self.upper is not None and (self.upper < x or (self.upper == x and self.upper_open)):
            return self
        return replace(self, upper=x, upper_open=is_open)


EVERYWHERE = Span()
"""The whole real line."""


def univariate(p: fmpq_poly, box: Span) -> int:
    """The exact sign set of a polynomial in one variable on an interval.

    >>> univariate(fmpq_poly([1, -2, 1]), Span(fmpq(0), None)) == NONNEGATIVE  # (x - 1)^2
    True
    """
    if box.empty:
        return 0
    if p.degree() <= 0:
        return of_number(p[0])
    if box.lower is not None and box.lower == box.upper:
        return of_number(p(box.lower))
    if p.degree() == 1:
        return _linear(p, box)
    # The value 0 occurs if a factor has a root in the interval. The sign changes only at roots of odd multiplicity,
    # those of the polynomial `odd`: without such a root inside, the sign of one inner point is that of all nonzero
    # values.
    lead, factors = p.factor_squarefree()
    result, odd = 0, fmpq_poly([lead])
    for factor, power in factors:
        ends = [e for e in (box.lower, box.upper) if e is not None and factor(e) == 0]
        if any(box.contains(e) for e in ends) or _roots_inside(factor, box):
            result |= ZERO
        if power % 2:
            odd *= factor
    if _roots_inside(odd, box):
        return result | POSITIVE | NEGATIVE
    return result | of_number(odd(_inner_point(odd, box)))


def _linear(p: fmpq_poly, box: Span) -> int:
    """The signs of a polynomial of degree 1 on an interval."""
    slope = POSITIVE if p[1] > 0 else NEGATIVE
    root = -p[0] / p[1]
    if box.lower is not None and root <= box.lower:
        return slope | (ZERO if box.contains(root) else 0)
    if box.upper is not None and root >= box.upper:
        return flip(slope) | (ZERO if box.contains(root) else 0)
    return ANY


def _roots_inside(p: fmpq_poly, box: Span) -> int:
    """The number of different roots of a squarefree polynomial strictly inside an interval, by Sturm's theorem."""
    # Divide out the roots at the ends, since the theorem needs nonzero values there.
    for end in (box.lower, box.upper):
        if end is not None and p(end) == 0:
            p = p // fmpq_poly([-end, 1])
    chain = [p, p.derivative()]
    while chain[-1].degree() > 0:
        chain.append(-(chain[-2] % chain[-1]))

    def changes(values: list[fmpq]) -> int:
        """The number of sign changes in a sequence, without its zeros."""
        signs = [v > 0 for v in values if v != 0]
        return sum(a != b for a, b in zip(signs, signs[1:], strict=False))

    def at(end: fmpq | None, side: int) -> list[Any]:
        """The values of Sturm's chain at an end. At an infinite end (side -1 or 1), numbers with the signs that the
        polynomials have there."""
        if end is not None:
            return [q(end) for q in chain]
        return [q[q.degree()] * (side if q.degree() % 2 else 1) if q.degree() >= 0 else fmpq(0) for q in chain]

    return changes(at(box.lower, -1)) - changes(at(box.upper, 1))


def _inner_point(p: fmpq_poly, box: Span) -> fmpq:
    """A point strictly inside `box`, which has more than one point; `p` is not used."""
    if box.lower is not None and box.upper is not None:
        return (box.lower + box.upper) / 2
    if box.lower is not None:
        return box.lower + 1
    return fmpq(0) if box.upper is None else box.upper - 1
