"""Formulas of temporal and counting logic as lists of lines: each line is a set of letters, or one operator on earlier
lines. Equal subformulas are one line.

Source: Yang et al. (2026), Definitions 11, 14 and 19.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from symcook.errors import BadInput, unknown

UNARY = ("not", "prev", "next")
BINARY = ("and", "or", "since", "until")
TEMPORAL = ("prev", "next", "since", "until")
COUNTING = ("at least", "remainder", "table")
WIDEST = 60
"""The characters of a formula that `Formula.text` shows of a line."""
_LEVEL = {
    "or": 1, "and": 2, "since": 3, "until": 3, "not": 4, "prev": 4, "next": 4,
    "letters": 5, "at least": 5, "remainder": 5, "table": 5,
}  # fmt: skip
_SIGN = {
    "not": "~", "prev": "prev ", "next": "next ", "once": "once ", "eventually": "eventually ",
    "and": " & ", "or": " | ", "since": " since ", "until": " until ",
}  # fmt: skip


class Count(NamedTuple):
    """How often a line is true up to a position (side "left") or from it on ("right"), times a factor."""

    factor: int
    side: str
    line: int


class FormulaLine(NamedTuple):
    """One line: `letters` (a letter of the set stands here), or an operator on the lines of two numbers.

    "at least": the sum of the counts is at least `bound`. "remainder": the one count, or without one the position,
    leaves `bound` when divided by `divisor`. "table": `table` has a 1 at that number, counted from 0.
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
        """How its count is written, or of a line about the position its predicate."""
        if self.counts:
            return f"#{self.counts[0].side}"
        return "TABLE" if self.op == "table" else "ODD" if (self.divisor, self.bound) == (2, 1) else "MOD"

    @property
    def reads(self) -> tuple[int, ...]:
        """The lines that it reads."""
        if self.op in COUNTING:
            return tuple(dict.fromkeys(count.line for count in self.counts))
        return (self.left, self.right) if self.op in BINARY else (self.left,) if self.op in UNARY else ()


@dataclass(frozen=True)
class Formula:
    """A formula over an alphabet: its lines, and what is put out at a position.

    `outputs` is ((None, line),) for a formula, which is true or false at each position; else pairs of a label and a
    line: the answer is the label of the first line that is true there, and the last is true everywhere.
    """

    alphabet: tuple[str, ...]
    lines: tuple[FormulaLine, ...]
    outputs: tuple[tuple[str | None, int], ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels that may be put out, each once; none where the answer is true or false."""
        return tuple(dict.fromkeys(label for label, _ in self.outputs if label is not None))

    @property
    def longest(self) -> int | None:
        """The greatest length that all tables of positions reach; None where there is none."""
        return min((len(line.table) - 1 for line in self.lines if line.op == "table" and not line.counts), default=None)

    @property
    def operators(self) -> int:
        """How many lines are no set of letters."""
        return sum(line.op != "letters" for line in self.lines)

    @property
    def nesting(self) -> int:
        """How deep operators on other positions (prev, next, since, until) stand inside of one another."""
        deep: list[int] = []
        for line in self.lines:
            deep.append(max((deep[k] for k in line.reads), default=0) + (line.op in TEMPORAL))
        return max((deep[k] for _, k in self.outputs), default=0)

    def text(self, number: int) -> str:
        """A line as it is written, abridged with ... where it is long."""
        return self._texts[number][0]

    @cached_property
    def _texts(self) -> list[tuple[str, int]]:
        """Each line as text, with how tightly it holds together (5: never in brackets), those of its parts in brackets
        where needed."""
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
            # true since F is once F, and true until F eventually F; both are prefix words, of level 4.
            if op in ("since", "until") and self.lines[line.left].letters == frozenset(self.alphabet):
                op, reads = {"since": "once", "until": "eventually"}[op], (line.right,)
                level = 4
            parts = []
            for place, number in enumerate(reads):
                inner, at = texts[number]
                # since and until (level 3) stand without brackets only on the left of themselves.
                in_brackets = at < level or (at == level == 3 and (place == 1 or self.lines[number].op != op))
                parts.append(f"({inner})" if in_brackets else inner)
            line_text = f"{_SIGN[op]}{parts[0]}" if level == 4 else _SIGN[op].join(parts)
            texts.append((line_text, level) if len(line_text) <= WIDEST else (f"...{line.op}...", 5))
        return texts


def _counted(line: FormulaLine, texts: Sequence[tuple[str, int]]) -> str:
    """A line about counts as it is written."""
    summands = [(count.factor, f"#{count.side}[{texts[count.line][0]}]") for count in line.counts]
    if line.op != "at least":
        name = f"MOD({line.divisor}, {line.bound})" if line.op == "remainder" else f"TABLE({line.table})"
        text = name + (f"({summands[0][1]})" if summands else "")
        return text if len(text) <= WIDEST else "...TABLE..."
    parts = [text if factor == 1 else f"{factor}*{text}" for factor, text in summands]
    text = f"{' + '.join(parts)} >= {line.bound}"
    return text if len(text) <= WIDEST else "...counts..."


def letters_text(letters: Iterable[str], alphabet: Sequence[str]) -> str:
    """A set of letters as a formula."""
    named = [a for a in alphabet if a in set(letters)]
    if len(named) in (0, len(alphabet)):
        return "true" if named else "false"
    written_letters = [a if a.isalnum() and a.isascii() else quoted(a) for a in named]
    return f"Q_{written_letters[0]}" if len(written_letters) == 1 else f"Q_{{{', '.join(written_letters)}}}"


def foreign(letter: str, alphabet: Sequence[str]) -> BadInput:
    """The error for a letter of a program that is not in its alphabet."""
    error = unknown("letter", letter, list(alphabet))
    return BadInput("each symbol of the formula or program must be in the alphabet", letter, error.do)


def quoted(letter: str) -> str:
    """A letter in quotes."""
    return '"' + letter.replace("\\", "\\\\").replace('"', '\\"') + '"'


class Lines:
    """Lines as they are added; equal ones are added once."""

    def __init__(self, alphabet: Sequence[str]) -> None:
        self.alphabet = alphabet_of(alphabet)
        self.lines: list[FormulaLine] = []
        self._numbers: dict[FormulaLine, int] = {}

    def letters(self, letters: Iterable[str]) -> int:
        """The line of a set of letters; BadInput where one is not in the alphabet."""
        chosen = frozenset(letters)
        for letter in sorted(chosen):
            if letter not in self.alphabet:
                raise foreign(letter, self.alphabet)
        return self._add(FormulaLine("letters", letters=chosen))

    def add(self, op: str, left: int, right: int = -1) -> int:
        """The line of an operator on lines that are there."""
        return self._add(FormulaLine(op, left, right))

    def at_least(self, counts: Mapping[tuple[str, int], int], bound: int) -> int:
        """The line that a sum of counts, {(side, line): factor}, is at least a number."""
        terms = tuple(Count(factor, *key) for key, factor in sorted(counts.items()) if factor)
        return self._add(FormulaLine("at least", counts=terms, bound=bound))

    def remainder(self, divisor: int, rest: int, count: tuple[str, int] | None) -> int:
        """The line that a count, or the position, leaves `rest` when divided."""
        if divisor == 1:
            return self.letters(self.alphabet)
        terms = () if count is None else (Count(1, *count),)
        return self._add(FormulaLine("remainder", counts=terms, bound=rest, divisor=divisor))

    def table(self, bits: str, count: tuple[str, int] | None) -> int:
        """The line that a table of bits has a 1 at a count, or at the position, numbered from 0."""
        terms = () if count is None else (Count(1, *count),)
        return self._add(FormulaLine("table", counts=terms, table=bits))

    def _add(self, line: FormulaLine) -> int:
        number = self._numbers.setdefault(line, len(self.lines))
        if number == len(self.lines):
            self.lines.append(line)
        return number

    def formula(self, outputs: Sequence[tuple[str | None, int]]) -> Formula:
        """The formula with these outputs, without lines that none of them needs."""
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
    """New numbers for the lines that are needed, with all that these read."""
    for number in range(len(lines) - 1, -1, -1):
        if number in needed:
            needed.update(lines[number].reads)
    return {old: place for place, old in enumerate(sorted(needed))}


def alphabet_of(given: str | Sequence[str]) -> tuple[str, ...]:
    """The letters of an alphabet: text with a letter a character, or with spaces where they are longer; or a list."""
    if isinstance(given, str):
        given = given.split() if " " in given.strip() else list(given.strip())
    letters = tuple(given)
    if not letters:
        raise BadInput("an alphabet must have a symbol", "none", "for example --alphabet ab")
    for letter in letters:
        if not isinstance(letter, str) or not letter or letter != letter.strip() or not letter.isprintable():
            raise BadInput("a symbol must be printable text without spaces around it", letter)
    if len(set(letters)) < len(letters):
        repeated = next(a for a in letters if letters.count(a) > 1)
        raise BadInput("a symbol must stand once in an alphabet", repeated)
    return letters
