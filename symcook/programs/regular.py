"""Regular expressions over the letters of a model, as tables of automata.

From weakest: `|`; one after the other; `*`, `+`, `?` behind. `( )` groups, `()` is the empty word, `[ab]` one of these
letters, `[]` no word at all, `.` any letter, `\\` stands before a letter that is, or has in it, one of these signs. A
letter of several characters is written as it is; of several that begin alike the longest is meant, and white space
parts them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple

from symcook.errors import BadInput
from symcook.programs.automata import AutomatonTable, reached

SIGNS = "|*+?()[].\\"
DEEP = 200
"""How deep brackets may stand in each other."""


class Places(NamedTuple):
    """An expression by its places (each letter in it is one): whether it has the empty word, where its words may begin
    and end, and which place may follow which. Sets of places are the integers whose bits they are."""

    empty: bool
    first: int
    last: int


class Expression:
    """A reader of one expression, which numbers its places."""

    def __init__(self, text: str, alphabet: Sequence[str]) -> None:
        self.text, self.at, self.deep = text, 0, 0
        self.plain = sorted((a for a in alphabet if not set(a) & set(SIGNS)), key=len, reverse=True)
        self.every = sorted(alphabet, key=len, reverse=True)
        self.alphabet = tuple(alphabet)
        self.read: list[frozenset[str]] = []
        """The letters that may stand at each place."""
        self.follow: list[int] = []

    def fail(self, must: str, do: str) -> BadInput:
        where = "at its end" if self.at >= len(self.text) else f"{self.text[self.at :]} at character {self.at + 1}"
        return BadInput(f"a regular expression {must}", f"{self.text}, {where}" if self.text else "nothing", do)

    def peek(self) -> str:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1
        return self.text[self.at : self.at + 1]

    def whole(self) -> Places:
        found = self.either()
        if self.peek():
            raise self.fail("must close only brackets that it has opened", "quote a symbol that is a sign by \\")
        return found

    def either(self) -> Places:
        self.deep += 1
        if self.deep > DEEP:
            raise self.fail(f"must have at most {DEEP} brackets in each other", "write it with fewer")
        parts = [self.sequence()]
        while self.peek() == "|":
            self.at += 1
            parts.append(self.sequence())
        self.deep -= 1
        return reduce(lambda a, b: Places(a.empty or b.empty, a.first | b.first, a.last | b.last), parts)

    def sequence(self) -> Places:
        found = None
        while self.peek() not in ("", "|", ")"):
            part = self.repeated()
            found = part if found is None else self.joined(found, part)
        if found is None:
            raise self.fail("must have a symbol, or () for the empty string", f"it may use {' '.join(self.alphabet)}")
        return found

    def joined(self, a: Places, b: Places) -> Places:
        self.link(a.last, b.first)
        return Places(a.empty and b.empty, a.first | (b.first if a.empty else 0), b.last | (a.last if b.empty else 0))

    def repeated(self) -> Places:
        found = self.atom()
        while (sign := self.peek()) and sign in "*+?":
            self.at += 1
            if sign != "?":
                self.link(found.last, found.first)
            found = found._replace(empty=found.empty or sign != "+")
        return found

    def link(self, last: int, first: int) -> None:
        while last:
            low = last & -last
            self.follow[low.bit_length() - 1] |= first
            last ^= low

    def place(self, letters: frozenset[str]) -> Places:
        self.read.append(letters)
        self.follow.append(0)
        bit = 1 << (len(self.read) - 1)
        return Places(False, bit, bit)

    def atom(self) -> Places:
        sign = self.peek()
        if sign == "(":
            self.at += 1
            if self.peek() == ")":
                self.at += 1
                return Places(True, 0, 0)
            found = self.either()
            if self.peek() != ")":
                raise self.fail("must close each ( by )", "quote a symbol ( by \\(")
            self.at += 1
            return found
        if sign == ".":
            self.at += 1
            return self.place(frozenset(self.alphabet))
        if sign == "[":
            self.at += 1
            letters = []
            while self.peek() not in ("", "]"):
                letters.append(self.letter())
            if not self.peek():
                raise self.fail("must close each [ by ]", "quote a symbol [ by \\[")
            self.at += 1
            return self.place(frozenset(letters))
        return self.place(frozenset([self.letter()]))

    def letter(self) -> str:
        quoted = self.peek() == "\\"
        self.at += quoted
        for letter in self.every if quoted else self.plain:
            if self.text.startswith(letter, self.at):
                self.at += len(letter)
                return letter
        said = " ".join(f"\\{letter}" if set(letter) & set(SIGNS) else letter for letter in self.alphabet)
        raise self.fail("must be made of the symbols of the model", f"they are written {said}")


def regular_table(text: str, alphabet: Sequence[str]) -> AutomatonTable:
    """The minimal automaton of a regular expression; BadInput where it is none, with the place."""
    reader = Expression(text, alphabet)
    found = reader.whole()
    begin = 1 << len(reader.read)
    sets = [sum(1 << k for k, letters in enumerate(reader.read) if letter in letters) for letter in alphabet]

    def steps(state: int) -> list[int]:
        ahead = found.first if state & begin else 0
        rest = state & ~begin
        while rest:
            low = rest & -rest
            ahead |= reader.follow[low.bit_length() - 1]
            rest ^= low
        return [ahead & own for own in sets]

    ends = found.last | (begin if found.empty else 0)
    return reached(begin, steps, lambda state: bool(state & ends), alphabet).minimal()


def letters_of(text: str) -> tuple[str, ...]:
    """The letters that occur in a regular expression, each of them one character, in the order of their first place."""
    found = re.findall(r"\\(.)|([^|*+?()\[\].\\\s])", text, re.DOTALL)
    return tuple(dict.fromkeys(quoted or plain for quoted, plain in found))
