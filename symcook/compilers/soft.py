"""The heads of a compiled formula with softmax, and bounds on their distance from hard attention.

A bit that softmax retrieves has a small error, and the next network rounds it. A network can round a sum of several
bits: it returns exactly 0 below 1/4 and exactly 1 above 3/4, so the errors of the bits in the sum may add up to 1/4.
Each head gets the least integer gamma >= 3 for which they do.

A retrieved bit has an error of at most 2 e^-gamma: for values of absolute value at most 1, softmax is within 4 e^-gamma
of hard attention (Lemmas 6 and 8 of Yang et al., 2026); bits become values of absolute value at most 1/2 if 1/2 is
subtracted, which changes no error, since both weightings have sum 1. A retrieved number j has an error of at most
3/2 e^-gamma (Lemma 7).

There are two kinds. "soft" has the temperature 1/n, and position functions i/n, which are bounded. "soft, tau 1" has
the temperature 1, for runtimes that have no other: the queries have a factor instead, which is n for next and until,
and i^2 for since; prev looks up position i - 1. So for operators to the left, the position functions do not depend on
n, and all heads have the same mask.
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
"""The least gamma, which is the gamma of the printed constructions."""
ROOM = Fraction(1, 4)
"""The maximum sum of the errors of the bits that one network rounds."""
BIT, NUMBER = Fraction(2), Fraction(3, 2)
"""The constants c of the error bounds c e^-gamma: of a retrieved bit, and of a retrieved number."""
EULER = Fraction(2718, 1000)
"""A rational number slightly less than e."""

MASKS = {"prev": "strict-future", "next": "strict-past", "since": "future", "until": "past"}
"""The mask of each temporal operator. For "soft, tau 1", prev has the mask of since."""
ScoreForm = dict[tuple[str, str], Fraction | int]
"""A score as a sum of products: {(coordinate of the query, coordinate of the key): factor}."""


@dataclass
class SoftHead(Look):
    """A head whose gamma depends on the networks that read it, so it is chosen at the end; `score` is for gamma = 1."""

    lemma: str = ""
    """The lemma that bounds the error."""
    constant: Fraction = BIT
    """The constant c of the error bound c e^-gamma."""
    load: int = 0
    """The maximum, over the networks that round a sum with this head's values, of the sum of the absolute factors of
    all retrieved values in that sum; 0 if there is no such network."""

    @property
    def gamma(self) -> int:
        """The least integer from LEAST on for which `load` errors add up to at most ROOM."""
        gamma = LEAST
        while self.load * self.error(gamma) > ROOM:
            gamma += 1
        return gamma

    def error(self, gamma: int) -> Fraction:
        """A bound on the error of a retrieved value: a rational number above c e^-gamma."""
        return self.constant / EULER**gamma

    def budget(self) -> str:
        """A text with the lemma, gamma and the error, and if a network rounds the value, how much of 1/4 is left."""
        gamma = self.gamma
        within = f"{self.lemma}, gamma {gamma}: within {_shown(self.error(gamma))}"
        return within if not self.load else f"{within}, {_shown(ROOM - self.load * self.error(gamma), -1)} left of 1/4"


def _shown(value: Fraction, towards: int = 1) -> str:
    """A nonnegative number with at most four decimal places, rounded up, or for `towards` -1 down; "less than 1/10000"
    if that is 0."""
    places = 10**4
    steps = -(-value * places // 1) if towards > 0 else value * places // 1
    return f"{int(steps) / places:.4f}".rstrip("0").rstrip(".") if steps else f"less than 1/{places}"


class Retrieval(NamedTuple):
    """How a head retrieves: its score (None: all equal), its mask, the lemma that bounds the error of softmax ("" for
    hard attention and for plain means, which have no error), and the weighting of hard attention."""

    form: ScoreForm | None
    mask: str
    lemma: str = ""
    weighting: str = "average"


class SoftScores:
    """The scores of one kind of softmax attention; `positions` collects {coordinate: position function} that they need.
    `plain` is the kind "soft, tau 1"."""

    def __init__(self, attention: str) -> None:
        self.plain = attention == PLAIN
        self.temperature = "1" if self.plain else "1/n"
        self.positions: dict[str, str] = {}

    def at(self, name: str, function: str) -> str:
        """Return `name`, after `function` is recorded as its position function."""
        if self.positions.setdefault(name, function) != function:
            raise RuntimeError(f"the coordinate {name} would have two position functions")
        return name

    def temporal(self, op: str, one: str, stop: str | None) -> Retrieval:
        """The retrieval from the nearest position where the coordinate `stop` is 1 (if there is none, or `stop` is
        None, from the nearest one); for prev and next the position itself is excluded. `one` is a coordinate that is 1.
        For "soft, tau 1", whose mask for prev includes it, prev at position 1 retrieves from position 1."""
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
        """The score that is maximal at position C + 1; the coordinate `less` holds C/k, and `inverse` 1/k, with k <=
        n."""
        if self.plain:
            index, square = self.at("index_scaled", "i*n"), self.at("square_scaled", "i^2*n")
        else:
            index, square = self.at("index", "i"), self.at("square", "i^2")
        return {(less, index): 2, (inverse, index): 2, (inverse, square): -1}
