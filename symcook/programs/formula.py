"""Formulas of temporal and counting logic as lists of lines: each line is a set of letters, or one operator on earlier
lines. Equal subformulas are one line.

Source: Yang et al. (2026), Definitions 11, 14 and 19.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

from symcook.errors import BadInput, unknown
from symcook.files import repeated
from symcook.model.checks import symbol_text
from symcook.model.typedtext import listed_symbols

Alphabet = str | Iterable[str | float]
"""An alphabet as a user gives it; `alphabet_of` reads it."""
UNARY = ("not", "prev", "next")
"""The operators on one line."""
BINARY = ("and", "or", "since", "until")
"""The operators on two lines."""
TEMPORAL = ("prev", "next", "since", "until")
"""The operators that look at other positions."""
COUNTING = ("at least", "remainder", "table")
"""The operators of lines about counts or the position."""
WIDEST = 60
"""The maximum number of characters of a line that `Formula.text` does not abridge."""
_LEVEL = {
    "or": 1, "and": 2, "since": 3, "until": 3, "not": 4, "prev": 4, "next": 4,
    "letters": 5, "at least": 5, "remainder": 5, "table": 5,
}  # fmt: skip
"""How strongly each operator binds: an operand that binds less strongly gets brackets."""
_SIGN = {
    "not": "~", "prev": "prev ", "next": "next ", "once": "once ", "eventually": "eventually ",
    "and": " & ", "or": " | ", "since": " since ", "until": " until ",
}  # fmt: skip
"""How an operator is written, before its operand or between its operands."""


class Count(NamedTuple):
    """A factor times the number of positions at which a line is true, among the positions up to the current one (side
    "left") or from the current one on ("right")."""

    factor: int
    side: str
    line: int


class FormulaLine(NamedTuple):
    """One line. `op` "letters": the letter at the position is in the set `letters`. Operators of BINARY and UNARY: on
    the lines with the numbers `left` and `right`.

    Operators of COUNTING: "at least": the sum of `counts` is at least `bound`. "remainder": the only count (if there is
    none, the position) has the remainder `bound` modulo `divisor`. "table": entry number k of `table` is 1, where k is
    the only count (if there is none, the position); entries are numbered from 0.
    """

    op: str
    left: int = -1
    right: int = -1
    letters: frozenset[str] = frozenset()
    counts: tuple[Count, ...] = ()
    bound: int = 0
    divisor: int = 0
    table: str = ""

    @property
    def counted(self) -> str:
        """The beginning of the text of a line about counts, such as "#left"; for a line about the position, the name of
        its predicate."""
        if self.counts:
            return f"#{self.counts[0].side}"
        return "TABLE" if self.op == "table" else "ODD" if (self.divisor, self.bound) == (2, 1) else "MOD"

    @property
    def reads(self) -> tuple[int, ...]:
        """The numbers of the lines that this line reads."""
        if self.op in COUNTING:
            return tuple(dict.fromkeys(count.line for count in self.counts))
        return (self.left, self.right) if self.op in BINARY else (self.left,) if self.op in UNARY else ()


@dataclass(frozen=True)
class Formula:
    """A formula over an alphabet: its lines, and its output at each position.

    `outputs` is ((None, line),) if the output is true or false; else pairs of a label and a line. Then the output is
    the label of the first line that is true at the position; the last line is true everywhere.
    """

    alphabet: tuple[str, ...]
    lines: tuple[FormulaLine, ...]
    outputs: tuple[tuple[str | None, int], ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the outputs, each once; empty if the output is true or false."""
        return tuple(dict.fromkeys(label for label, _ in self.outputs if label is not None))

    @property
    def longest(self) -> int | None:
        """The maximum string length that all tables of positions cover; None if there is no such table."""
        return min((len(line.table) - 1 for line in self.lines if line.op == "table" and not line.counts), default=None)

    @property
    def operators(self) -> int:
        """The number of lines that are not sets of letters."""
        return sum(line.op != "letters" for line in self.lines)

    @property
    def nesting(self) -> int:
        """The nesting depth of operators on other positions (prev, next, since, until)."""
        deep: list[int] = []
        for line in self.lines:
            deep.append(max((deep[k] for k in line.reads), default=0) + (line.op in TEMPORAL))
        return max((deep[k] for _, k in self.outputs), default=0)

    def text(self, number: int) -> str:
        """The text of a line. One of more than `WIDEST` characters is abridged, for example to ...since..., unless the
        line is a set of letters."""
        return self._texts[number][0]

    @cached_property
    def _texts(self) -> list[tuple[str, int]]:
        """The text of each line, with brackets where they are needed, and its level (see `_LEVEL`)."""
        texts: list[tuple[str, int]] = []
        for line in self.lines:
            level = _LEVEL[line.op]
            if line.op == "letters":
                texts.append((letters_text(line.letters, self.alphabet), level))
                continue
            if line.op in COUNTING:
                texts.append((_counted(line, texts), level))
                continue
            op, reads = line.op, line.reads
            # true since F is written once F, and true until F as eventually F: prefix operators, of level 4.
            if op in ("since", "until") and self.lines[line.left].letters == frozenset(self.alphabet):
                op, reads = {"since": "once", "until": "eventually"}[op], (line.right,)
                level = 4
            parts = []
            for operand_number, number in enumerate(reads):
                inner, operand_level = texts[number]
                # An operand with since or until (level 3) needs no brackets only as the left operand of its own
                # operator.
                in_brackets = operand_level < level or (
                    operand_level == level == 3 and (operand_number == 1 or self.lines[number].op != op)
                )
                parts.append(f"({inner})" if in_brackets else inner)
            line_text = f"{_SIGN[op]}{parts[0]}" if level == 4 else _SIGN[op].join(parts)
            texts.append((line_text, level) if len(line_text) <= WIDEST else (f"...{line.op}...", 5))
        return texts


def _counted(line: FormulaLine, texts: Sequence[tuple[str, int]]) -> str:
    """The text of a line about counts, from the texts of the lines before; a long text is abridged."""
    summands = [(count.factor, f"#{count.side}[{texts[count.line][0]}]") for count in line.counts]
    if line.op != "at least":
        name = f"MOD({line.divisor}, {line.bound})" if line.op == "remainder" else f"TABLE({line.table})"
        text = name + (f"({summands[0][1]})" if summands else "")
        return text if len(text) <= WIDEST else "...TABLE..."
    parts = [text if factor == 1 else f"{factor}*{text}" for factor, text in summands]
    text = f"{' + '.join(parts)} >= {line.bound}"
    return text if len(text) <= WIDEST else "...counts..."


def letters_text(letters: Iterable[str], alphabet: Sequence[str]) -> str:
    """A set of letters as the text of a formula."""
    named = [a for a in alphabet if a in set(letters)]
    if len(named) in (0, len(alphabet)):
        return "true" if named else "false"
    written_letters = [a if a.isalnum() and a.isascii() else quoted(a) for a in named]
    return f"Q_{written_letters[0]}" if len(written_letters) == 1 else f"Q_{{{', '.join(written_letters)}}}"


def foreign(letter: str, alphabet: Sequence[str]) -> BadInput:
    """The error for a letter of a program that is not in its alphabet."""
    error = unknown("symbol", letter, list(alphabet))
    return BadInput("each symbol of the formula or program must be in the alphabet", letter, error.do)


def quoted(letter: str) -> str:
    """A letter in quotes."""
    return '"' + letter.replace("\\", "\\\\").replace('"', '\\"') + '"'


class Lines:
    """A formula while its lines are added. Equal lines are added once; methods return the number of a line."""

    def __init__(self, alphabet: Sequence[str]) -> None:
        self.alphabet = alphabet_of(alphabet)
        self.lines: list[FormulaLine] = []
        self._numbers: dict[FormulaLine, int] = {}

    def letters(self, letters: Iterable[str]) -> int:
        """The line of a set of letters. BadInput if one is not in the alphabet."""
        chosen = frozenset(letters)
        for letter in sorted(chosen):
            if letter not in self.alphabet:
                raise foreign(letter, self.alphabet)
        return self._add(FormulaLine("letters", letters=chosen))

    def add(self, op: str, left: int, right: int = -1) -> int:
        """The line of an operator on earlier lines."""
        return self._add(FormulaLine(op, left, right))

    def at_least(self, counts: Mapping[tuple[str, int], int], bound: int) -> int:
        """The line that is true if a sum of counts, {(side, line): factor}, is at least `bound`."""
        terms = tuple(Count(factor, *key) for key, factor in sorted(counts.items()) if factor)
        return self._add(FormulaLine("at least", counts=terms, bound=bound))

    def remainder(self, divisor: int, rest: int, count: tuple[str, int] | None) -> int:
        """The line that is true if a count, or if that is None the position, has the remainder `rest`."""
        if divisor == 1:
            return self.letters(self.alphabet)
        terms = () if count is None else (Count(1, *count),)
        return self._add(FormulaLine("remainder", counts=terms, bound=rest, divisor=divisor))

    def table(self, bits: str, count: tuple[str, int] | None) -> int:
        """The line that is true if bit number k of a table is 1, where k is a count, or if that is None the position;
        bits are numbered from 0."""
        terms = () if count is None else (Count(1, *count),)
        return self._add(FormulaLine("table", counts=terms, table=bits))

    def _add(self, line: FormulaLine) -> int:
        """The number of a line, which is added if it is new."""
        number = self._numbers.setdefault(line, len(self.lines))
        if number == len(self.lines):
            self.lines.append(line)
        return number

    def formula(self, outputs: Sequence[tuple[str | None, int]]) -> Formula:
        """The formula with these outputs. Lines that no output needs are left out, the others renumbered."""
        new = renumbered(self.lines, {line for _, line in outputs})
        needed_lines = tuple(
            line._replace(
                left=new.get(line.left, -1),
                right=new.get(line.right, -1),
                counts=tuple(count._replace(line=new[count.line]) for count in line.counts),
            )
            for line in (self.lines[old] for old in new)
        )
        return Formula(self.alphabet, needed_lines, tuple((label, new[line]) for label, line in outputs))


def renumbered(lines: Sequence[Any], needed: set[int]) -> dict[int, int]:
    """{old number: new number} of the lines in `needed` and all lines that they read. Numbers are added to `needed`."""
    for number in range(len(lines) - 1, -1, -1):
        if number in needed:
            needed.update(lines[number].reads)
    return {old: new_number for new_number, old in enumerate(sorted(needed))}


def is_numeric(given: Iterable[object]) -> bool:
    """Whether the symbols of an alphabet, given as a list or set, are numbers."""
    return all(isinstance(symbol, (int, float, Fraction)) and not isinstance(symbol, bool) for symbol in given)


def alphabet_of(given: Alphabet) -> tuple[str, ...]:
    """The symbols of an alphabet, given as a list or set of texts and whole numbers (a set in their order), as a text
    with spaces between symbols, or as a text without spaces where each character is a symbol. BadInput if it is empty,
    or has an invalid or repeated symbol."""
    if isinstance(given, str):
        given = listed_symbols(given)
    if not isinstance(given, Iterable) or isinstance(given, (bytes, Mapping)):
        must = "an alphabet must be text, or a list or set of symbols"
        raise BadInput(must, given, 'for example alphabet=["a", "b"]')
    if isinstance(given, Set):  # it has no order: numbers by value, then texts
        numbers = sorted(symbol for symbol in given if isinstance(symbol, (int, float)))
        given = [*numbers, *sorted((symbol for symbol in given if symbol not in numbers), key=str)]
    letters: tuple[Any, ...] = tuple(map(symbol_text, given))
    if not letters:
        raise BadInput("an alphabet must have at least one symbol", "none", "for example --alphabet ab")
    for letter in letters:
        if not isinstance(letter, str) or not letter or letter != letter.strip() or not letter.isprintable():
            raise BadInput(
                "a symbol must be printable text without spaces around it",
                letter,
                "remove the spaces, or give the symbol another name",
            )
    if (twice := repeated(letters)) is not None:
        raise BadInput("an alphabet must have each symbol once", f"{twice} twice", "leave one of the two out")
    return letters
