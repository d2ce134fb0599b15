"""The heads of a compiled formula with softmax, and how far each is off from hard attention.

A bit that softmax retrieves is within an error of 0 or 1; the next network rounds it. A network may round the sum of
several: below 1/4 it gives 0 and above 3/4 it gives 1, exactly, so that the errors of the bits that it sums may be 1/4
together. That sum is what a head's gamma is chosen by, the least from 3 on. For gamma and values in [0, 1] a retrieved
bit is off by at most 2 e^-gamma: softmax is 4 e^-gamma from hard attention for values of size 1 (Lemmas 6 and 8 of Yang
et al., 2026), and values may be moved by 1/2, since both weightings have sum 1. A retrieved number j is off by at most
3/2 e^-gamma (Lemma 7).

Two kinds: "soft" divides scores by the temperature 1/n, and the positions give i/n, which is bounded. "soft, tau 1" has
the temperature 1, for runtimes that have no other: the factor stands in the queries, for operators to the left i^2, by
positions that do not know n, and under one mask.
Source: Yang et al. (2026), Theorems 12, 15, 16 and 20, with a strict mask for the two heads of Theorem 12.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from symcook.compilers.values import Look
from symcook.present import present
from symcook.programs import PLAIN

LEAST = 3
"""The least gamma, that of the printed constructions."""
ROOM = Fraction(1, 4)
"""What the errors of the bits that one network rounds may be together."""
BIT, NUMBER = Fraction(2), Fraction(3, 2)
"""The constants c of errors c e^-gamma: of a retrieved bit, and of a retrieved number."""
EULER = Fraction(2718, 1000)
"""Below e."""

MASKS = {"prev": "strict-future", "next": "strict-past", "since": "future", "until": "past"}
"""What a temporal operator sees."""
ScoreForm = dict[tuple[str, str], Fraction | int]
"""Scores as products of a query's and a key's coordinate."""


@dataclass
class SoftHead(Look):
    """A head whose gamma is chosen when all that reads it is known; its scores are those at gamma = 1."""

    lemma: str = ""
    constant: Fraction = BIT
    load: int = 0
    """How often, at most, its error enters a sum that is rounded."""

    @property
    def gamma(self) -> int:
        """The least integer from 3 on at which the errors leave room."""
        gamma = LEAST
        while self.load * self.error(gamma) > ROOM:
            gamma += 1
        return gamma

    def error(self, gamma: int) -> Fraction:
        """What a retrieved value may be off at most: a rational number above c e^-gamma."""
        return self.constant / EULER**gamma

    def budget(self) -> str:
        """The lemma, gamma and error, and how much room is left where it is rounded."""
        gamma = self.gamma
        within = f"{self.lemma}, gamma {gamma}: within {_shown(self.error(gamma))}"
        return within if not self.load else f"{within}, {_shown(ROOM - self.load * self.error(gamma), -1)} left of 1/4"


def _shown(value: Fraction, towards: int = 1) -> str:
    """A number in four places, rounded up, or down for `towards` -1."""
    places = 10**4
    steps = -(-value * places // 1) if towards > 0 else value * places // 1
    return f"{int(steps) / places:.4f}".rstrip("0").rstrip(".") if steps else f"less than 1/{places}"


class Retrieval(NamedTuple):
    """Scores of an operator (None: equal) and the mask; the lemma that bounds the error of softmax, or the weighting of
    hard attention."""

    form: ScoreForm | None
    mask: str
    lemma: str = ""
    weighting: str = "average"


class SoftScores:
    """The scores of each construction, and the position functions that they need, {coordinate: function}."""

    def __init__(self, attention: str) -> None:
        self.plain = attention == PLAIN
        self.temperature = "1" if self.plain else "1/n"
        self.positions: dict[str, str] = {}

    def at(self, name: str, function: str) -> str:
        """The coordinate with a position function."""
        if self.positions.setdefault(name, function) != function:
            raise RuntimeError(f"the coordinate {name} would have two position functions")
        return name

    def temporal(self, op: str, one: str, stop: str | None) -> Retrieval:
        """The nearest position where `stop` is 1 (None: any), for previous and next another than this one. Under the
        one mask of "soft, tau 1" the first position has itself as the previous one."""
        to_left = op in ("prev", "since")
        if self.plain and op == "prev":
            before, index = self.at("before", "i - 1"), self.at("index", "i")
            form: ScoreForm = {(before, index): 2, (one, self.at("square", "i^2")): -1}
            return Retrieval(form, "future", "Lemma 6")
        if self.plain and to_left:
            stop = present(stop)
            scale = self.at("square", "i^2")
            return Retrieval({(scale, stop): 1, (scale, self.at("inverse", "1/i")): -1}, "future", "Lemma 8a")
        query = self.at("length", "n") if self.plain else one
        form = {(query, self.at("share", "i/n")): 1 if to_left else -1}
        if stop is not None:
            form[query, stop] = 2
        return Retrieval(form, MASKS[op], f"Lemma 8{'b' if to_left else 'c'}")

    def lookup(self, less: str, inverse: str) -> ScoreForm:
        """The position C + 1, for `less` the coordinate of C/k and `inverse` of 1/k, k at most n."""
        if self.plain:
            index, square = self.at("index_scaled", "i*n"), self.at("square_scaled", "i^2*n")
        else:
            index, square = self.at("index", "i"), self.at("square", "i^2")
        return {(less, index): 2, (inverse, index): 2, (inverse, square): -1}
