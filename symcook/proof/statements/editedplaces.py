"""The positions of an edited string, and where the symbols at them stand in the first string.

The edited string is a row of `Segment`s. ``appended(b)`` of a string with an added EOS has three: the typed symbols,
the position of the b, and that of EOS, which stands one position further than in the first string. Nothing here is
trusted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from symcook.proof.claims.bycounts.problem import PlaceRange, Problem
from symcook.proof.inequalities import reify
from symcook.proof.normal import nf
from symcook.proof.search.opengoal import NoResult
from symcook.proof.terms import Term, num

KINDS = ("appended", "prepended", "deleted", "prefix")
"""The edits whose strings have another length. The other edits keep it, and the decision procedures read them."""


class Untranslated(NoResult):
    """The error for a statement that is not translated into one about the first run; the text names the reason."""


def simplified(t: Term) -> Term:
    """A term in normal form."""
    return reify.term(nf(t))


def plus(term: Term, number: int | Term) -> Term:
    """The term plus a number or another term, simplified."""
    return simplified(("+", None, (term, num(number) if isinstance(number, int) else number)))


def minus(one: Term, two: Term) -> Term:
    """The difference of two terms, simplified."""
    return simplified(("-", None, (one, two)))


def equal(one: Term, two: Term) -> bool:
    """Whether two terms are equal by computation."""
    return one == two or nf(one) == nf(two)


class Segment(NamedTuple):
    """The positions `low` to `high` of the second string. At `low` stands the symbol of the first string at `source`,
    and so on; if `source` is None, a symbol that was put in. `single`: it is one position, that of an added token or of
    a symbol that was put in."""

    low: Term
    high: Term
    source: Term | None
    single: bool = False

    @property
    def shift(self) -> Term:
        """How much further a symbol stands in the first string."""
        if self.source is None:
            raise Untranslated("a symbol that was put in")
        return minus(self.source, self.low)

    @property
    def steps(self) -> int:
        """The `shift`, which must be a number."""
        shift = self.shift
        if shift[0] != "num":
            raise Untranslated("a piece that is moved by a number that depends on the string")
        return int(shift[1][0])

    def source_of(self, place: Term) -> Term:
        """The position in the first string of the symbol at `place`."""
        return plus(place, self.shift)


@dataclass(frozen=True)
class EditedPlaces:
    """The positions of an edited string, and those of the first string."""

    first: PlaceRange
    """The first and the last position of the first string."""
    typed: PlaceRange
    """Those of its typed symbols."""
    tokens: Mapping[Term, int]
    """The numbers of the added tokens, by their positions in the first string."""
    segments: tuple[Segment, ...]
    """The segments of the second string, in order."""

    @property
    def ends(self) -> PlaceRange:
        """The first and the last position of the second string."""
        return PlaceRange(self.segments[0].low, self.segments[-1].high)

    @staticmethod
    def of(kind: str, symbols: int, place: Term | None, parsed: Problem) -> EditedPlaces:
        """The positions for an edit of the strings of a statement."""
        first, tokens = parsed.places, dict[Term, int]()
        low, high = first
        before, after = list[Segment](), list[Term]()
        if parsed.before is not None:
            tokens[low] = parsed.before
            before, low = [Segment(low, low, low, True)], plus(low, 1)
        if parsed.after is not None:
            tokens[high] = parsed.after
            after, high = [high], plus(high, -1)
        typed = PlaceRange(low, high)
        segments: list[Segment]
        if kind == "appended":
            places = [plus(high, k) for k in range(1, symbols + 1)]
            segments = [Segment(low, high, low), *(Segment(at, at, None, True) for at in places)]
        elif kind == "prepended":
            places = [plus(low, k) for k in range(symbols)]
            moved = Segment(plus(low, symbols), plus(high, symbols), low)
            segments = [*(Segment(at, at, None, True) for at in places), moved]
        elif place is None:
            raise Untranslated("an edit without a position")
        elif kind == "deleted":
            segments = [Segment(low, plus(place, -1), low), Segment(place, plus(high, -1), plus(place, 1))]
        else:
            segments = [Segment(low, place, low)]
        for source in after:
            at = plus(segments[-1].high, 1)
            segments.append(Segment(at, at, source, True))
        return EditedPlaces(first, typed, tokens, (*before, *segments))
