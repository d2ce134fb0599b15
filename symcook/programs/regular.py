"""Regular expressions over the letters of a model, translated to automata (Glushkov's construction).

Operators, weakest first: `|`; concatenation; suffixes `*`, `+`, `?`, `{3}`, `{2,}`, `{2,5}`. What is repeated twice, as
in `(a{2})*`, has brackets: other tools read `a+?` as another language. `( )` groups, `()` is the empty string, `[ab]`
one of these letters, `[0-9]` a letter of a range, `[]` no string at all, `.` any letter. A letter that is, or contains,
one of these signs needs a `\\` before it. A letter may have several characters: the longest letter that fits is read,
and white space can separate letters. If a letter of the alphabet contains `{`, then `{` is not a sign, and there are no
counted repetitions.

A *place* is an occurrence of a letter, a class or `.` in the expression, with repetitions written out. An automaton
state is the set of places that may have been read last.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple

from symcook.errors import BadInput
from symcook.files import is_path
from symcook.programs.automata import Automaton, reached

SIGNS = "|*+?()[].\\"
"""The characters that are operators unless they are quoted."""
TIMES = re.compile(r"\{([0-9]{1,5})(,([0-9]{0,5}))?\}")
"""A counted repetition: at least, and after a comma at most."""
PLACES = 20_000
"""The maximum number of places of an expression."""
DEEP = 200
"""The maximum depth of nested brackets."""


FOREIGN = (
    (re.compile(r"[\^$]"), "leave ^ and $ out, since an expression is about the whole string"),
    (re.compile(r"\\[wWdDsS]"), "write a class of symbols, such as [ab], or . for every symbol"),
    (re.compile(r"\\[bBAZ]"), "leave this sign out: an expression is about the whole string"),
    (re.compile(r"\\[1-9]"), "write the group once more: there are no references to groups"),
    (re.compile(r"\?(?:[:=!<>]|P<)"), "write ( for (?: and leave out what looks ahead or behind"),
)
"""Signs of other tools at the character that is no symbol, with what to write instead."""


class Places(NamedTuple):
    """A part of an expression: whether it matches the empty string, and the sets of places at which a match may begin
    (`first`) and end (`last`). A set of places is an int with a bit for each place."""

    empty: bool
    first: int
    last: int


class Expression:
    """A recursive-descent parser of one expression, which numbers its places.

    at: the next character. plain: the letters without signs, longest first; every: all letters, longest first. read:
    the letters at each place. follow: for each place the set of places that may follow it.
    """

    def __init__(self, text: str, alphabet: Sequence[str]) -> None:
        self.text, self.at, self.depth = text, 0, 0
        self.plain = sorted((a for a in alphabet if not set(a) & set(SIGNS)), key=len, reverse=True)
        self.every = sorted(alphabet, key=len, reverse=True)
        self.alphabet = tuple(alphabet)
        self.read: list[frozenset[str]] = []
        self.follow: list[int] = []

    def fail(self, must: str, do: str) -> BadInput:
        """The error for the next character."""
        where = "at its end" if self.at >= len(self.text) else f"at character {self.at + 1}"
        return BadInput(f"a regular expression, {where}, {must}", self.text or "nothing", do)

    def quoted(self) -> str:
        """The letters as they are written in an expression, for messages."""
        return " ".join(f"\\{letter}" if set(letter) & set(SIGNS) else letter for letter in self.alphabet)

    def peek(self) -> str:
        """Skip white space; return the next character, "" at the end."""
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1
        return self.text[self.at : self.at + 1]

    def parse(self) -> Places:
        """Parse the whole expression."""
        places = self.alternation()
        if self.peek():
            raise self.fail("must close only brackets that it has opened", "quote a symbol that is a sign by \\")
        return places

    def alternation(self) -> Places:
        """Parse alternatives, separated by |."""
        self.depth += 1
        if self.depth > DEEP:
            raise self.fail(f"must have brackets nested at most {DEEP} deep", "use fewer brackets")
        parts = [self.sequence()]
        while self.peek() == "|":
            self.at += 1
            parts.append(self.sequence())
        self.depth -= 1
        return reduce(lambda a, b: Places(a.empty or b.empty, a.first | b.first, a.last | b.last), parts)

    def sequence(self) -> Places:
        """Parse a concatenation."""
        places = None
        while self.peek() not in ("", "|", ")"):
            operand = self.repeated()
            places = operand if places is None else self.joined(places, operand)
        if places is None:
            raise self.fail("must have a symbol, or () for the empty string", f"write the symbols as {self.quoted()}")
        return places

    def joined(self, a: Places, b: Places) -> Places:
        """The concatenation of two parts: a first place of b may follow a last place of a."""
        self.link(a.last, b.first)
        return Places(a.empty and b.empty, a.first | (b.first if a.empty else 0), b.last | (a.last if b.empty else 0))

    def repeated(self) -> Places:
        """Parse an atom and its repetition. BadInput for a second one."""
        begin, operand = self.at, self.atom()
        sign = self.peek()
        if sign and sign in "*+?":
            self.at += 1
            if sign != "?":
                self.link(operand.last, operand.first)
            operand = operand._replace(empty=operand.empty or sign != "+")
        elif (times := self.times()) is not None:
            operand = self.counted(begin, operand, *times)
        else:
            return operand
        # Other tools read the ? of a+? as "the shortest match", and the + of a*+ as "without going back".
        if ((sign := self.peek()) and sign in "*+?") or self.times() is not None:
            raise self.fail("must have brackets around what is repeated twice", "write (a+)? for a+?, or a+")
        return operand

    def times(self) -> tuple[int, int | None, int] | None:
        """Parse a counted repetition, without moving on: the least and the greatest number (None: any), and the number
        of the character after it. None if there is none here."""
        match = TIMES.match(self.text, self.at)
        if match is None or any("{" in letter for letter in self.alphabet):
            return None
        low = int(match[1])
        high = low if match[2] is None else int(match[3]) if match[3] else None
        if high is not None and high < low:
            raise self.fail("must have a range {m,n} with m at most n", "write {2,5}")
        return low, high, match.end()

    def counted(self, begin: int, operand: Places, low: int, high: int | None, end: int) -> Places:
        """The operand, whose text is from `begin` to the current character, `low` to `high` times. Each copy gets its
        own places, so its text is parsed again; afterwards reading continues at `end`."""
        total = Places(True, 0, 0)
        if not operand.first:
            high = 0  # the operand matches only the empty string, however often it is repeated
        # Copies after the first `low` are optional. Without an upper bound, the last copy can be repeated.
        for k in range(low + 1 if high is None else high):
            if k:
                self.at = begin
                operand = self.atom()
            if high is None and k == low:
                self.link(operand.last, operand.first)
            total = self.joined(total, operand._replace(empty=operand.empty or k >= low))
        self.at = end
        return total

    def link(self, last: int, first: int) -> None:
        """Let each place of the set `first` follow each place of the set `last`."""
        while last:  # take the lowest bit of `last`
            low = last & -last
            self.follow[low.bit_length() - 1] |= first
            last ^= low

    def place(self, letters: frozenset[str]) -> Places:
        """A part that is one new place for these letters."""
        if len(self.read) == PLACES:
            raise self.fail(
                f"must have at most {PLACES} symbols with all repetitions written out", "use smaller repetitions"
            )
        self.read.append(letters)
        self.follow.append(0)
        bit = 1 << (len(self.read) - 1)
        return Places(False, bit, bit)

    def atom(self) -> Places:
        """Parse a group, a class, `.` or a letter."""
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
        # A class is one place for all its letters. [] is a place without letters, which matches no string.
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
        """Parse an entry of a class: a letter, or a range of letters by their code points."""
        first = self.letter()
        next_two = self.text[self.at : self.at + 2]
        if not next_two.startswith("-") or next_two[1:] in ("", "]") or len(first) > 1:
            return [first]
        self.at += 1
        last = self.letter()
        if len(last) > 1 or last < first:
            raise self.fail("must have ranges from a character to a later one", "write [0-9], and \\- for the letter")
        return [letter for letter in self.alphabet if len(letter) == 1 and first <= letter <= last]

    def letter(self) -> str:
        """Parse the longest letter that fits here. Only after a backslash may it contain signs."""
        quoted = self.peek() == "\\"
        self.at += quoted
        for letter in self.every if quoted else self.plain:
            # Other tools read a backslash before a letter or a digit as a class or a place: only signs may have one.
            if quoted and letter[0].isalnum() and not set(letter) & set(SIGNS):
                continue
            if self.text.startswith(letter, self.at):
                self.at += len(letter)
                return letter
        here = self.text[self.at - quoted :]
        do = next((do for sign, do in FOREIGN if sign.match(here)), f"write the symbols as {self.quoted()}")
        if here[:1] == "^" and self.text[: self.at].rstrip().endswith("["):
            do = "write the other symbols: there is no class of what is left out"
        raise self.fail("must be made of the symbols of the model", do)


def regular_table(text: str, alphabet: Sequence[str]) -> Automaton:
    """The minimal automaton of a regular expression. BadInput, with the character, if it is not one."""
    reader = Expression(text, alphabet)
    places = reader.parse()
    # A state is the set of places that may have been read last; `begin` is an additional place for the start.
    begin = 1 << len(reader.read)
    with_letter = [sum(1 << k for k, letters in enumerate(reader.read) if letter in letters) for letter in alphabet]

    def successors(state: int) -> list[int]:
        """The next state for each letter: the places with that letter that may follow a place of `state`."""
        following = places.first if state & begin else 0
        remaining = state & ~begin
        while remaining:
            low = remaining & -remaining
            following |= reader.follow[low.bit_length() - 1]
            remaining ^= low
        return [following & of_letter for of_letter in with_letter]

    final = places.last | (begin if places.empty else 0)
    return reached(begin, successors, lambda state: bool(state & final), alphabet).minimal()


def expression(text: str, must: str) -> str:
    """`text`, where a file may be given too. BadInput, with the sentence `must`, where it is a path
    (`symcook.files.is_path`)."""
    if is_path(text):
        shown = text if len(text) <= 60 else f"{text[:30]}...{text[-20:]}"
        raise BadInput(must, text, f"in brackets it is an expression: ({shown})")
    return text


def letters_of(text: str) -> tuple[str, ...]:
    """The letters that occur in a regular expression, read as single characters, in the order of occurrence.

    BadInput for a character that another tool may read as something else: without quotes only letters, digits and _ are
    symbols that need no alphabet, and with \\ only other characters.
    """
    # Remove counted repetitions and write out ranges; all other characters are letters, unless they are signs.
    text = re.sub(r"(?<!\\)\{[0-9]+(,[0-9]*)?\}", "", text)
    text = re.sub(r"(?<!\\)\[(?:\\.|[^\]\\])*\]", lambda inside: re.sub(r"(\w)-(\w)", _range, inside[0]), text)
    occurrences = re.findall(r"\\(.)|([^|*+?()\[\].\\\s])", text, re.DOTALL)
    for quoted, plain in occurrences:
        if quoted.isalnum() or not (quoted or plain.isalnum() or plain == "_"):
            must = "an expression with other symbols than letters and digits must have an alphabet"
            raise BadInput(must, f"\\{quoted}" if quoted else plain, "give the alphabet, for example --alphabet ab")
    return tuple(dict.fromkeys(quoted or plain for quoted, plain in occurrences))


def _range(ends: re.Match[str]) -> str:
    """The characters of a range, whose ends are the two groups of a match."""
    return "".join(map(chr, range(ord(ends[1]), ord(ends[2]) + 1)))


def name_of(file: str, alphabet: Sequence[str]) -> str:
    """What an answer calls a file: its name, with "the file" before it if the name is also a valid expression."""
    try:
        regular_table(file, alphabet)
    except BadInput:
        return file
    return f"the file {file}"
