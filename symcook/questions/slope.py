"""The slope of a model's logit along one weight, and the rational weight at which the logit is exactly zero.

Intervals alone cannot show that a weight is a threshold. If the logit is exactly zero at a rational number and its
slope has one sign around it, this number is the only zero there (`only_zero`).
"""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import flint
from flint import arb

from symcook.bounds.moved import ONE, Moved, Off
from symcook.domains.exact import Exact
from symcook.domains.protocol import Coefficient
from symcook.errors import BadInput, NotExact, Undecided
from symcook.forward import forward
from symcook.locks import PRECISION
from symcook.model.expr import Tree, names
from symcook.model.transformer import Transformer
from symcook.numbers.balls import hull, resolving
from symcook.proof.search.cover import simplest

BITS = 128


class Sloped(Moved):
    """The domain of `symcook.bounds.moved` whose one source is the symbol `name`, anywhere between two numbers."""

    name: ClassVar[str] = "along"

    def __init__(self, name: str, low: Fraction, high: Fraction) -> None:
        super().__init__(resolving(low, high, BITS), (), Fraction(0))
        self.symbol, self.width = name, 1
        with PRECISION, self.context():
            value_range = hull(low, high, self.bits)
            self.known[("name", name)] = Off(self, value_range.mid(), self.one(0, ONE))
            self.radius = value_range.rad()

    def begin(self, sequence: object, start: int) -> None:
        super().begin(sequence, start)
        self.width = 1

    def size(self, slope: flint.arb_mat) -> arb:
        return (slope[0, 0].abs_upper() * self.radius).upper()

    def given(self, value: Coefficient) -> Off:
        self._refuse(value)
        return super().given(value)

    def position(self, term: Tree, i: int) -> Off:
        self._refuse(term)
        return super().position(term, i)

    def _refuse(self, value: object) -> None:
        if isinstance(value, tuple) and self.symbol in names(value):
            raise NotExact("a slope must be of the weight itself", self.symbol)

    def slope(self, x: Off) -> arb:
        """A ball with all slopes of a number while the symbol is in its interval. A kink is k |u|/2 for an input u
        whose sign is open: its slope lies between those of k u/2 and -k u/2."""
        own_slopes = arb(0) if x.slope is None else x.slope[0, 0]
        return sum((arb(0, (k * self.slope(self.bent[at]) / 2).abs_upper()) for at, k in x.kinks.items()), own_slopes)


def only_zero(model: Transformer, sequence: object, name: str, low: Fraction, high: Fraction) -> Fraction | None:
    """The one rational number from `low` to `high` at which the logit of an input is exactly zero; None where that is
    not proved. Only the simplest fraction of the interval is tried."""
    place = simplest(low, high)
    return place if _steepness(model, sequence, name, low, high) and _is_zero(model, sequence, name, place) else None


def falls(model: Transformer, sequence: object, name: str, start: Fraction, end: Fraction) -> bool:
    """Whether the logit of an input is exactly zero at `start`, and shown to be negative from there to `end`."""
    steepness = _steepness(model, sequence, name, min(start, end), max(start, end))
    return steepness * (end - start) < 0 and _is_zero(model, sequence, name, start)


def _steepness(model: Transformer, sequence: object, name: str, low: Fraction, high: Fraction) -> int:
    """1 where the logit rises with the number from `low` to `high`, -1 where it falls, 0 where neither is shown."""
    if not model.readout.signed or model.readout.everywhere:
        return 0
    try:
        along = Sloped(name, low, high)
        with PRECISION, along.context():
            moved = forward(model, sequence, along)
            slope = along.slope(moved.scores["logit"][moved.place])
            return bool(slope > 0) - bool(slope < 0)
    except (NotExact, Undecided, BadInput):
        return 0


def _is_zero(model: Transformer, sequence: object, name: str, place: Fraction) -> bool:
    """Whether the logit is exactly zero there; False where that is not shown."""
    exact = Exact()
    try:
        result = forward(model.bind({name: place}), sequence, exact)
        return bool(exact.is_zero(result.scores["logit"][result.place]))
    except (NotExact, Undecided, BadInput):
        return False
