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
"""The precision of the intervals, in bits, beyond what tells the two ends of the symbol's interval apart."""


class Sloped(Moved):
    """The number system of `symcook.bounds.moved`, for one symbol that may have any value from `low` to `high`.

    `Moved` follows how each number depends on several sources of error, which are the columns of a slope matrix. Here
    the only source is the symbol `name`, so every slope has one column (`width`), and a number moves by at most its
    slope times the `radius` of the symbol's interval."""

    name: ClassVar[str] = "along"

    def __init__(self, name: str, low: Fraction, high: Fraction) -> None:
        super().__init__(resolving(low, high, BITS), (), Fraction(0))
        self.symbol, self.width = name, 1
        with PRECISION, self.context():
            # The symbol itself: the middle of its interval, with slope 1 towards source 0.
            value_range = hull(low, high, self.bits)
            self.known[("name", name)] = Off(self, value_range.mid(), self.one(0, ONE))
            self.radius = value_range.rad()

    def begin(self, sequence: object, start: int) -> None:
        """As in `Moved`, which would set `width` by the length of the sequence."""
        super().begin(sequence, start)
        self.width = 1

    def size(self, slope: flint.arb_mat) -> arb:
        """How far a number with this slope moves at most."""
        return (slope[0, 0].abs_upper() * self.radius).upper()

    def given(self, value: Coefficient) -> Off:
        """A number of the model; NotExact if it contains the symbol but is not the symbol itself."""
        self._refuse(value)
        return super().given(value)

    def position(self, term: Tree, i: int) -> Off:
        """A position function at i; NotExact if it contains the symbol."""
        self._refuse(term)
        return super().position(term, i)

    def _refuse(self, value: object) -> None:
        """Raise NotExact for a term that contains the symbol."""
        if isinstance(value, tuple) and self.symbol in names(value):
            raise NotExact("a slope is computed only with respect to the weight itself", self.symbol)

    def slope(self, x: Off) -> arb:
        """A ball that contains every slope of a number, for all values of the symbol in its interval.

        A number may have kinks: summands k |u|/2 for an input u of an activation whose sign is open (`bent` has each
        u). The slope of such a summand is between those of k u/2 and -k u/2."""
        own_slopes = arb(0) if x.slope is None else x.slope[0, 0]
        return sum((arb(0, (k * self.slope(self.bent[at]) / 2).abs_upper()) for at, k in x.kinks.items()), own_slopes)


def only_zero(model: Transformer, sequence: object, name: str, low: Fraction, high: Fraction) -> Fraction | None:
    """The only number from `low` to `high` at which the logit of an input is zero, if it is rational; None if that is
    not proved. Only the simplest fraction between the two is tried."""
    place = simplest(low, high)
    return place if _steepness(model, sequence, name, low, high) and _is_zero(model, sequence, name, place) else None


def falls(model: Transformer, sequence: object, name: str, start: Fraction, end: Fraction) -> bool:
    """Whether it is proved that the logit of an input is exactly zero at `start` and negative from there to `end`."""
    steepness = _steepness(model, sequence, name, min(start, end), max(start, end))
    return steepness * (end - start) < 0 and _is_zero(model, sequence, name, start)


def _steepness(model: Transformer, sequence: object, name: str, low: Fraction, high: Fraction) -> int:
    """1 if the logit is proved to rise as the number goes from `low` to `high`, -1 if it is proved to fall, else 0."""
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
    """Whether it is proved that the logit is exactly zero if the symbol has the value `place`."""
    exact = Exact()
    try:
        result = forward(model.bind({name: place}), sequence, exact)
        return bool(exact.is_zero(result.scores["logit"][result.place]))
    except (NotExact, Undecided, BadInput):
        return False
