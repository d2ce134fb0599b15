"""The second string of ``swapped(p, q).X``, ``appended(a, ..).X``, ``prepended(a, ..).X``, ``deleted(p).X`` and
``prefix(p).X`` in a statement, written with the tokens w of the first string.

The second string is a list of pieces: at the positions i of a piece stands one symbol, or the symbol of the first
string at another position. A token that the model adds stays at its end of the string.

``permuted.X`` is the string with two neighbours swapped. A statement that relates X to permuted.X by ``<->``, ``->``,
``=`` or ``<=`` and is true of all swaps of neighbours is true of all permutations, since each permutation is a sequence
of such swaps and these relations are transitive; the strings between must have runs (`vocabulary` refuses others).

Trusted: a statement about a second string means what is printed here. Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

_I = re.compile(r"\bi\b")


class PlaceTest(NamedTuple):
    """A comparison of the position i, or its negation."""

    text: str
    holds: bool = True

    @property
    def formula(self) -> str:
        """The condition as a formula."""
        return self.text if self.holds else f"~({self.text})"

    @property
    def bit(self) -> str:
        """The condition as a number, 1 or 0."""
        return f"I[{self.text}]" if self.holds else f"(1 - I[{self.text}])"


class StringPiece(NamedTuple):
    """The positions i at which all `conditions` hold: there stands `symbol` or, where this is None, the symbol of the
    first string at the position `source`. No position is in two pieces."""

    conditions: tuple[PlaceTest, ...]
    source: str = ""
    symbol: str | None = None
    guards: bool = False
    """Whether the source is no position of the first string at other positions i of the second one."""


class TypedEnds(NamedTuple):
    """Where the typed symbols of the first string are: the first position of the model (0 or 1), the first and the last
    typed position, and the tokens that the model adds before and after the string, None for none."""

    start: int
    low: int
    high: str
    before: str | None
    after: str | None


@dataclass(frozen=True)
class EditedString:
    """A string made from the string w of a statement."""

    ends: TypedEnds
    pieces: tuple[StringPiece, ...]
    length: str
    """The number of its positions."""
    premises: tuple[str, ...] = ()
    """What must hold of the named positions."""

    def stands(self, token: str, place: str, numbers: Mapping[str, int]) -> str:
        """The formula that `token` stands at `place` of the string; `numbers` are the numbers of the tokens in w."""
        if token in (self.ends.before, self.ends.after):
            return self._end(token, place)
        parts = (self._conjuncts(piece, token, numbers) for piece in self.pieces)
        ways = [f"({' & '.join(part)})" for part in parts if part]
        return _placed(f"({' | '.join(ways)})", place) if ways else "false"

    def bit(self, token: str, place: str, numbers: Mapping[str, int]) -> str:
        """The term that is 1 if `token` stands at `place` of the string, else 0, made of indicators of comparisons."""
        if token in (self.ends.before, self.ends.after):
            return f"I[{self._end(token, place)}]"
        products = []
        for piece in self.pieces:
            if piece.guards:  # w has no value at the source elsewhere: one indicator, whose conditions come first
                products += [f"I[{' & '.join(part)}]" for part in [self._conjuncts(piece, token, numbers)] if part]
            elif piece.symbol in (None, token):
                same = [] if piece.symbol is not None else [f"I[w({piece.source}) = {numbers[token]}]"]
                products.append("*".join([*(one.bit for one in piece.conditions), *same]))
        return _placed(f"({' + '.join(products)})", place) if products else "0"

    def _conjuncts(self, piece: StringPiece, token: str, numbers: Mapping[str, int]) -> list[str]:
        """The parts of the formula that `token` stands at i by this piece; empty for another symbol."""
        if piece.symbol not in (None, token):
            return []
        same = [] if piece.symbol is not None else [f"w({piece.source}) = {numbers[token]}"]
        return [*(one.formula for one in piece.conditions), *same]

    def _end(self, token: str, place: str) -> str:
        """The formula that `place` is the position of an added token."""
        last = self.length if self.ends.start else f"{self.length} - 1"
        return f"{place} = {self.ends.start if token == self.ends.before else last}"


def swapped(ends: TypedEnds, p: str, q: str) -> EditedString:
    """The string with the symbols at the positions p and q exchanged."""
    at_p, at_q = f"i = {p}", f"i = {q}"
    pieces = (
        StringPiece((PlaceTest(at_p),), q),
        StringPiece((PlaceTest(at_q), PlaceTest(at_p, False)), p),
        StringPiece((PlaceTest(at_p, False), PlaceTest(at_q, False)), "i"),
    )
    return EditedString(ends, pieces, "n", (*_typed(ends, p), *_typed(ends, q)))


def appended(ends: TypedEnds, symbols: Sequence[str]) -> EditedString:
    """The string with these symbols after it."""
    added = (StringPiece((PlaceTest(f"i = {ends.high} + {k}"),), symbol=symbol) for k, symbol in enumerate(symbols, 1))
    return EditedString(
        ends, (StringPiece((PlaceTest(f"i <= {ends.high}"),), "i", guards=True), *added), f"n + {len(symbols)}"
    )


def prepended(ends: TypedEnds, symbols: Sequence[str]) -> EditedString:
    """The string with these symbols before it."""
    many = len(symbols)
    added = (StringPiece((PlaceTest(f"i = {ends.low + k}"),), symbol=symbol) for k, symbol in enumerate(symbols))
    moved = StringPiece((PlaceTest(f"{ends.low + many} <= i"),), f"i - {many}", guards=True)
    return EditedString(ends, (*added, moved), f"n + {many}")


def deleted(ends: TypedEnds, p: str) -> EditedString:
    """The string without the symbol at the position p. It must have a position."""
    before = f"i < {p}"
    pieces = (StringPiece((PlaceTest(before),), "i"), StringPiece((PlaceTest(before, False),), "i + 1"))
    return EditedString(ends, pieces, "n - 1", (*_typed(ends, p), "1 <= n - 1"))


def prefix(ends: TypedEnds, p: str) -> EditedString:
    """The string up to the position p, with it."""
    more = 1 - ends.start + (ends.after is not None)
    length = f"{p} + {more}" if more else p
    return EditedString(ends, (StringPiece((PlaceTest(f"i <= {p}"),), "i"),), length, _typed(ends, p))


def _typed(ends: TypedEnds, p: str) -> tuple[str, str]:
    """That p is the position of a typed symbol."""
    return f"{ends.low} <= {p}", f"{p} <= {ends.high}"


def _placed(text: str, place: str) -> str:
    """A text about i, made by this module, about another position."""
    return text if place == "i" else _I.sub(f"({place})", text)
