"""Regular expressions over the letters of a model, as tables of automata: Glushkov's automaton, a state for each place.

From weakest: `|`; one after the other; `*`, `+`, `?`, `{3}`, `{2,}`, `{2,5}` behind. `( )` groups, `()` is the empty
string, `[ab]` one of these letters, `[0-9]` one of a range, `[]` no string at all, `.` any letter, `\\` stands before a
letter that is, or has in it, one of these signs. A letter of several characters is written as it is; of several that
begin alike the longest is meant, and white space parts them. `{` is a letter where the alphabet has it, and repeats
nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple

from symcook.errors import BadInput
from symcook.programs.automata import Automaton, reached

SIGNS = "|*+?()[].\\"
TIMES = re.compile(r"\{(\d{1,5})(,(\d{0,5}))?\}")
PLACES = 20_000
"""How many letters an expression may have, each as often as it is repeated."""
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
        self.text, self.at, self.depth = text, 0, 0
        self.plain = sorted((a for a in alphabet if not set(a) & set(SIGNS)), key=len, reverse=True)
        self.every = sorted(alphabet, key=len, reverse=True)
        self.alphabet = tuple(alphabet)
        self.read: list[frozenset[str]] = []
        """The letters that may stand at each place."""
        self.follow: list[int] = []

    def fail(self, must: str, do: str) -> BadInput:
        """The error for the character that is read next."""
        where = "at its end" if self.at >= len(self.text) else f"at character {self.at + 1}"
        return BadInput(f"a regular expression, {where}, {must}", self.text or "nothing", do)

    def quoted(self) -> str:
        """The symbols as an expression writes them."""
        return " ".join(f"\\{letter}" if set(letter) & set(SIGNS) else letter for letter in self.alphabet)

    def peek(self) -> str:
        """The next character that is not white space, "" at the end; reading moves on to it."""
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1
        return self.text[self.at : self.at + 1]

    def parse(self) -> Places:
        """The whole expression."""
        places = self.alternation()
        if self.peek():
            raise self.fail("must close only brackets that it has opened", "quote a symbol that is a sign by \\")
        return places

    def alternation(self) -> Places:
        """Alternatives, with | between them."""
        self.depth += 1
        if self.depth > DEEP:
            raise self.fail(f"must have at most {DEEP} brackets in each other", "write it with fewer")
        parts = [self.sequence()]
        while self.peek() == "|":
            self.at += 1
            parts.append(self.sequence())
        self.depth -= 1
        return reduce(lambda a, b: Places(a.empty or b.empty, a.first | b.first, a.last | b.last), parts)

    def sequence(self) -> Places:
        """Operands one after the other."""
        places = None
        while self.peek() not in ("", "|", ")"):
            operand = self.repeated()
            places = operand if places is None else self.joined(places, operand)
        if places is None:
            raise self.fail("must have a symbol, or () for the empty string", f"write the symbols as {self.quoted()}")
        return places

    def joined(self, a: Places, b: Places) -> Places:
        """The concatenation of two expressions: what may end the first may be followed by what may begin the second."""
        self.link(a.last, b.first)
        return Places(a.empty and b.empty, a.first | (b.first if a.empty else 0), b.last | (a.last if b.empty else 0))

    def repeated(self, end: int | None = None) -> Places:
        """An atom with its signs of repetition, to the character `end`."""
        begin, operand = self.at, self.atom()
        while (sign := self.peek()) and self.at != end:
            if sign in "*+?":
                self.at += 1
                if sign != "?":
                    self.link(operand.last, operand.first)
                operand = operand._replace(empty=operand.empty or sign != "+")
            elif (times := self.times()) is not None:
                operand = self.counted(begin, operand, *times)
            else:
                break
        return operand

    def times(self) -> tuple[int, int | None, int] | None:
        """How often, at least and at most (None: any number), what stands before is repeated, and where that ends."""
        match = TIMES.match(self.text, self.at)
        if match is None or any("{" in letter for letter in self.alphabet):
            return None
        low = int(match[1])
        high = low if match[2] is None else int(match[3]) if match[3] else None
        if high is not None and high < low:
            raise self.fail("must repeat at least as often as at most", "write {2,5}")
        return low, high, match.end()

    def counted(self, begin: int, operand: Places, low: int, high: int | None, end: int) -> Places:
        """The operand that was read from `begin` to here so many times in a row, each with its own places."""
        here, total = self.at, Places(True, 0, 0)
        if not operand.first:
            high = 0  # the operand is the empty word alone, however often it is repeated
        for k in range(low + 1 if high is None else high):
            if k:
                self.at = begin
                operand = self.repeated(here)
            if high is None and k == low:
                self.link(operand.last, operand.first)
            total = self.joined(total, operand._replace(empty=operand.empty or k >= low))
        self.at = end
        return total

    def link(self, last: int, first: int) -> None:
        """Let each of the places `first` follow each of the places `last`."""
        while last:
            low = last & -last
            self.follow[low.bit_length() - 1] |= first
            last ^= low

    def place(self, letters: frozenset[str]) -> Places:
        """A new place, where one of these letters stands."""
        if len(self.read) == PLACES:
            raise self.fail(f"must have at most {PLACES} letters, each as often as it is repeated", "repeat less")
        self.read.append(letters)
        self.follow.append(0)
        bit = 1 << (len(self.read) - 1)
        return Places(False, bit, bit)

    def atom(self) -> Places:
        """A group, a letter, a range or any letter."""
        sign = self.peek()
        # ( ) is a group, () the empty string.
        if sign == "(":
            self.at += 1
            if self.peek() == ")":
                self.at += 1
                return Places(True, 0, 0)
            group = self.alternation()
            if self.peek() != ")":
                raise self.fail("must close each ( by )", "quote a symbol ( by \\(")
            self.at += 1
            return group
        if sign == ".":
            self.at += 1
            return self.place(frozenset(self.alphabet))
        # One place for all letters of the class; [] has none, so that no string fits.
        if sign == "[":
            self.at += 1
            letters = list[str]()
            while self.peek() not in ("", "]"):
                letters += self.letters()
            if not self.peek():
                raise self.fail("must close each [ by ]", "quote a symbol [ by \\[")
            self.at += 1
            return self.place(frozenset(letters))
        return self.place(frozenset([self.letter()]))

    def letters(self) -> list[str]:
        """A letter, or all from one to another by their code points."""
        first = self.letter()
        ahead = self.text[self.at : self.at + 2]
        if not ahead.startswith("-") or ahead[1:] in ("", "]") or len(first) > 1:
            return [first]
        self.at += 1
        last = self.letter()
        if len(last) > 1 or last < first:
            raise self.fail("must have ranges from a character to a later one", "write [0-9], and \\- for the letter")
        return [letter for letter in self.alphabet if len(letter) == 1 and first <= letter <= last]

    def letter(self) -> str:
        """The longest symbol of the alphabet that stands here; one that is a sign, or has one in it, only after a
        backslash."""
        quoted = self.peek() == "\\"
        self.at += quoted
        for letter in self.every if quoted else self.plain:
            if self.text.startswith(letter, self.at):
                self.at += len(letter)
                return letter
        raise self.fail("must be made of the symbols of the model", f"write the symbols as {self.quoted()}")


def regular_table(text: str, alphabet: Sequence[str]) -> Automaton:
    """The minimal automaton of a regular expression; BadInput where it is none, with the place."""
    reader = Expression(text, alphabet)
    places = reader.parse()
    # A state is the set of places that were just read; `begin` is a place of its own, before the first.
    begin = 1 << len(reader.read)
    with_letter = [sum(1 << k for k, letters in enumerate(reader.read) if letter in letters) for letter in alphabet]

    def successors(state: int) -> list[int]:
        ahead = places.first if state & begin else 0
        remaining = state & ~begin
        while remaining:
            low = remaining & -remaining
            ahead |= reader.follow[low.bit_length() - 1]
            remaining ^= low
        return [ahead & of_letter for of_letter in with_letter]

    final = places.last | (begin if places.empty else 0)
    return reached(begin, successors, lambda state: bool(state & final), alphabet).minimal()


def letters_of(text: str) -> tuple[str, ...]:
    """The letters that occur in a regular expression, each of them one character, in the order of their first place."""
    text = re.sub(r"(?<!\\)\{\d+(,\d*)?\}", "", text)
    text = re.sub(r"(?<!\\)\[(?:\\.|[^\]\\])*\]", lambda inside: re.sub(r"(\w)-(\w)", _range, inside[0]), text)
    occurrences = re.findall(r"\\(.)|([^|*+?()\[\].\\\s])", text, re.DOTALL)
    return tuple(dict.fromkeys(quoted or plain for quoted, plain in occurrences))


def _range(ends: re.Match[str]) -> str:
    return "".join(map(chr, range(ord(ends[1]), ord(ends[2]) + 1)))


def name_of(file: str, alphabet: Sequence[str]) -> str:
    """What a file is called in an answer: its name, with "the file" before it where that is an expression too."""
    try:
        regular_table(file, alphabet)
    except BadInput:
        return file
    return f"the file {file}"
