"""Bounds of the values of a term: an interval with rational ends, each closed or open."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from symcook.proof import grammar
from symcook.proof.statements.exactvalues import written

show = grammar.show


class ValueSpan(NamedTuple):
    """A lower and an upper bound, None for none; each may be strict."""

    low: Fraction | None = None
    high: Fraction | None = None
    above: bool = False
    """Whether the values are greater than `low`."""
    below: bool = False
    """Whether the values are less than `high`."""

    def stated(self, text: str) -> str:
        """The bounds of the term `text`, as a formula; "" if there are none."""
        if self.fixed and self.low is not None:
            return f"{text} = {show(written(self.low))}"
        parts = [f"{show(written(self.low))} {'<' if self.above else '<='} {text}"] if self.low is not None else []
        parts += [f"{text} {'<' if self.below else '<='} {show(written(self.high))}"] if self.high is not None else []
        return " & ".join(parts)

    @property
    def fixed(self) -> bool:
        """Whether the bounds are one number."""
        return self.low is not None and self.low == self.high

    def __neg__(self) -> ValueSpan:
        """The bounds of -x."""
        low, high = (None if end is None else -end for end in (self.high, self.low))
        return ValueSpan(low, high, self.below, self.above)

    def plus(self, other: ValueSpan) -> ValueSpan:
        """The bounds of x + y."""
        low = None if self.low is None or other.low is None else self.low + other.low
        high = None if self.high is None or other.high is None else self.high + other.high
        return ValueSpan(low, high, self.above or other.above, self.below or other.below)

    def times(self, factor: Fraction) -> ValueSpan:
        """The bounds of factor*x."""
        if factor == 0:
            return ValueSpan(Fraction(0), Fraction(0))
        side = self if factor > 0 else -self
        low, high = (None if end is None else end * abs(factor) for end in side[:2])
        return ValueSpan(low, high, side.above, side.below)

    def product(self, other: ValueSpan) -> ValueSpan | None:
        """The bounds of x*y, not strict, if both have two bounds or none is negative; else None."""
        ends = [end for end in (*self[:2], *other[:2]) if end is not None]
        if len(ends) == 4:
            products = [Fraction(x) * y for x in self[:2] if x is not None for y in other[:2] if y is not None]
            return ValueSpan(min(products), max(products))
        if self.low is not None and other.low is not None and min(self.low, other.low) >= 0:
            positive = (self.above or self.low > 0) and (other.above or other.low > 0)
            return ValueSpan(Fraction(self.low * other.low), None, positive and self.low * other.low == 0)
        return None

    def joined(self, other: ValueSpan) -> ValueSpan:
        """The bounds of what lies in one of the two."""
        low = high = None
        above = below = False
        if self.low is not None and other.low is not None:
            low = min(self.low, other.low)
            above = all(span.above for span in (self, other) if span.low == low)
        if self.high is not None and other.high is not None:
            high = max(self.high, other.high)
            below = all(span.below for span in (self, other) if span.high == high)
        return ValueSpan(low, high, above, below)

    def raised(self, least: Fraction) -> ValueSpan:
        """The bounds of max(x, least)."""
        inside = self.low is not None and self.low >= least
        low, above = (self.low, self.above) if inside else (least, False)
        high = None if self.high is None else max(self.high, least)
        return ValueSpan(low, high, above, self.below and self.high == high and high != least)
