"""S-RASP programs as lists of lines. A line is a sequence, which has a value at every position of a string, or a
selector, which is true or false for each pair of positions. RASP's select, aggregate and selector_width are lines too.
Equal lines are one line.

Source: Strobl et al. (2025), as used by Yang et al. (2026), Appendix D; Weiss et al. (2021) for RASP.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

from symcook.errors import BadInput
from symcook.programs.formula import Alphabet, alphabet_of, quoted, renumbered

MASKS = {"true": "none", "j < i": "strict-future", "j <= i": "future", "j > i": "strict-past", "j >= i": "past"}
"""The mask of a head, by the text of the condition on the positions j that a line at i may look at."""
TYPES = {"letter": "a symbol", "truth": "true or false", "number": "a number", "selector": "a selector"}
"""The types of lines, and how messages name them."""
Constant = str | bool | Fraction | None
"""The `value` of a line: a letter, truth or number of a constant; the sign of a comparison; a mask; the factor of
"times". None for all other lines."""
WIDEST = 60
"""The maximum number of characters of a line that `Srasp.text` does not abridge."""
HERE = "(\0)"
"""A placeholder in a text for the position, which is later replaced by (i) or (j)."""
_SIGN = {"and": " & ", "or": " | ", "sum": " + ", "product": "*"}
"""How an operator is written between its operands."""
_LEVEL = {"or": 1, "and": 2, "compare": 4, "select": 4, "sum": 5, "product": 6, "times": 6, "not": 7}
"""How strongly each operator binds: an operand that does not bind more strongly gets brackets. Texts of level 8 or 9
never need brackets."""


class SraspLine(NamedTuple):
    """One line: `op` on the lines whose numbers it `reads`.

    Sequences: "in" (the letter), "indices" (from 0), "length"; "constant" (`value`); "sum", "product", "times" (by
    `value`); "compare" (by the sign `value`; letters in the order of their text), "not", "and", "or"; "if" (truth,
    then, else); "psum" (over the positions that the mask `value` leaves); "left" and "right" (selector, value, default:
    the first or last selected position that the mask leaves); "aggregate" (selector, value, default: the mean of
    numbers and truths, the first letter) and "width". Selectors: "select" (a sequence at j, the sign `value`, a
    sequence at i), "key" and "query" (a truth at j, at i), "pair not", "pair and", "pair or".
    """

    op: str
    reads: tuple[int, ...] = ()
    value: Any = None


@dataclass(frozen=True)
class Srasp:
    """A program over an alphabet.

    lines: its lines; a line reads earlier lines by number. types: of each line, one of `TYPES`. letters: for each line
    of type letter the letters that it may be. names: (name, line) pairs. output: the number of the line whose value is
    the output. places: line and column where each line begins in the text, if it was read from a text.
    """

    alphabet: tuple[str, ...]
    lines: tuple[SraspLine, ...]
    types: tuple[str, ...]
    letters: tuple[tuple[str, ...], ...]
    names: tuple[tuple[str, int], ...]
    output: int
    places: tuple[tuple[int, int], ...] = field(default=(), compare=False)

    @property
    def operators(self) -> int:
        """The number of lines that read other lines: all but the letters, the indices, the length and constants."""
        return sum(bool(line.reads) for line in self.lines)

    def text(self, number: int) -> str:
        """The text of a line, or its name if it has one; a text of more than `WIDEST` characters is abridged to the
        operator between dots."""
        return at_row(self._texts[number][0])

    @cached_property
    def _texts(self) -> list[tuple[str, int]]:
        """The text of each line, with HERE for the position, and its level (see `_LEVEL`)."""
        name_of_line = {line: name for name, line in reversed(self.names)}
        texts: list[tuple[str, int]] = []
        for number, line in enumerate(self.lines):
            line_text = (f"{name_of_line[number]}{HERE}", 9) if number in name_of_line else _shown(line, texts)
            texts.append(line_text if len(line_text[0]) <= WIDEST else (f"...{line.op}...", 9))
        return texts


def written(program: Srasp) -> str:
    """A program as text, with one definition per line; `read_srasp` of the text gives a program with the same output.
    Selectors, inputs and constants lose their names, and lines without a name get one."""
    names = {line: name for name, line in reversed(program.names) if program.types[line] != "selector"}
    names_taken = set(names.values())
    lines = [f"alphabet {' '.join(constant_text(a) if not a.isalnum() else a for a in program.alphabet)};"]
    texts: list[tuple[str, int]] = []
    fresh = 0  # how many names v1, v2, ... were tried
    for number, line in enumerate(program.lines):
        line_text = (f"indices{HERE}", 9) if line.op == "indices" else _shown(line, texts)
        last = number == program.output
        # Selectors, inputs and constants are written where they are used. Any other line is a definition.
        if program.types[number] == "selector" or (not line.reads and not last):
            texts.append(line_text)
            continue
        name = names.get(number, "")
        while not name or (number not in names and name in names_taken):
            fresh += 1
            name = "out" if last and "out" not in names_taken else f"v{fresh}"
        names_taken.add(name)
        lines.append(f"{name}(i) = {at_row(line_text[0])}")
        texts.append((f"{name}{HERE}", 9))
    return "\n".join(lines) + "\n"


def _shown(line: SraspLine, texts: Sequence[tuple[str, int]]) -> tuple[str, int]:
    """The text of a line, from the texts of the lines that it reads, and its level (see `_LEVEL`)."""
    op, value = line.op, line.value
    # Operators between operands: brackets around operands that do not bind more strongly.
    level = _LEVEL.get(op, 8)
    parts = [texts[k][0] if texts[k][1] > level else f"({texts[k][0]})" for k in line.reads]
    if op in _SIGN:
        return _SIGN[op].join(parts), level
    if op == "constant":
        return constant_text(value), 8
    if op == "times":
        return (f"-{parts[0]}" if value == -1 else f"{value}*{parts[0]}"), level
    if op == "compare":
        return f"{parts[0]} {value} {parts[1]}", level
    if op == "not":
        return f"~{parts[0]}", level
    # Forms with their own delimiters, or that extend as far as they can (level 0): no brackets around their parts.
    bare = [texts[k][0] for k in line.reads]
    if op == "if":
        return f"if {bare[0]} then {bare[1]} else {bare[2]}", 0
    if op == "psum":
        return f"psum j [{_mask(value)}] {at_key(bare[0])}", 0
    if op in ("left", "right"):
        return f"{op} j [{_mask(value)}, {bare[0]}] {at_key(bare[1])} : {bare[2]}", 0
    if op == "width":
        return f"selector_width({bare[0]})", 8
    if op == "aggregate":
        return f"aggregate({bare[0]}, {at_key(bare[1])}, {bare[2]})", 8
    if op == "select":
        return f"{at_key(parts[0])} {value} {at_row(parts[1])}", level
    if op in ("key", "query"):
        return (at_key if op == "key" else at_row)(bare[0]), texts[line.reads[0]][1]
    if op.startswith("pair"):
        return ("~({})" if op == "pair not" else "({}) & ({})" if op == "pair and" else "({}) | ({})").format(*bare), 0
    return (f"in{HERE}" if op == "in" else op), 9


def _mask(value: str) -> str:
    """The text of a mask, such as "j <= i"."""
    return next(text for text, mask in MASKS.items() if mask == value)


def at_key(text: str) -> str:
    """A text with (j) as its position."""
    return text.replace(HERE, "(j)")


def at_row(text: str) -> str:
    """A text with (i) as its position."""
    return text.replace(HERE, "(i)")


NUMERAL = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?", re.ASCII)
"""A letter that is the text of a number."""


def require_order(letters: Iterable[str]) -> None:
    """Raise BadInput if letters that are numerals have different orders as numbers and as text. Letters are compared as
    text."""
    numbers = sorted(letter for letter in letters if NUMERAL.fullmatch(letter))
    for before, after in pairwise(numbers):
        if Fraction(before) > Fraction(after):
            must = "letters that are numbers must have the same order as text, to be compared by <, <=, > or >="
            raise BadInput(must, f"{before} and {after}", "write them with equally many digits, such as 09 and 10")


def constant_text(value: object) -> str:
    """The text of a constant."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return quoted(value) if isinstance(value, str) else str(value)


class SraspLines:
    """A program while its lines are added. Equal lines are added once. `add` checks the types of values; that selectors
    stand where they must is left to the callers."""

    def __init__(self, alphabet: Alphabet) -> None:
        self.alphabet = alphabet_of(alphabet)
        self.lines: list[SraspLine] = []
        self.types: list[str] = []
        self.letters: list[tuple[str, ...]] = []
        self.deep: list[int] = []
        """How deep each line nests: 1 more than the deepest line that it reads, 1 if it reads none."""
        self.at: tuple[int, int] | None = None
        """The line and column in a text that the next lines get in `places`; None if the program is not read from a
        text."""
        self.places: list[tuple[int, int]] = []
        self._numbers: dict[tuple[SraspLine, type], int] = {}
        """The number of each line, by the line and the type of its value."""

    def add(self, op: str, *reads: int, value: Constant = None) -> int:
        """The number of the line with this operator on earlier lines. BadInput if their types do not fit (see
        `_typed`)."""
        line = SraspLine(op, reads, value)
        key = line, type(value)  # the type distinguishes True from 1
        if key not in self._numbers:
            kind, letters = self._typed(line)
            self._numbers[key] = len(self.lines)
            self.lines.append(line)
            self.types.append(kind)
            self.letters.append(letters)
            self.deep.append(1 + max((self.deep[k] for k in reads), default=0))
            if self.at is not None:
                self.places.append(self.at)
        return self._numbers[key]

    def constant(self, value: str | bool | Fraction) -> int:
        """The number of the line of a constant."""
        return self.add("constant", value=value)

    def _typed(self, line: SraspLine) -> tuple[str, tuple[str, ...]]:
        """The type of a line, and for the type letter the letters that it may be. BadInput if the types of the lines
        that it reads do not fit. What stands in the place of a selector (in left, right, aggregate, width and
        "pair ...") is not checked."""
        op = line.op
        types = [self.types[k] for k in line.reads]
        letters = [self.letters[k] for k in line.reads]
        # Inputs and constants.
        if op == "in":
            return "letter", self.alphabet
        if op == "constant":
            if isinstance(line.value, str):
                return "letter", (line.value,)
            return ("truth" if isinstance(line.value, bool) else "number"), ()
        if op in ("indices", "length", "width"):
            return "number", ()
        # Operators on numbers, on truths, and comparisons.
        if op in ("sum", "times", "product", "psum"):
            require_type("a sum, a product or a psum", types, "number")
            return "number", ()  # one side of a product must have a finite range, which the compiler checks
        if op in ("not", "and", "or", "key", "query"):
            require_type({"not": "~", "and": "&", "or": "|"}.get(op, "a condition"), types, "truth")
            return ("selector" if op in ("key", "query") else "truth"), ()
        if op in ("compare", "select"):
            self._comparable(line.value, types)
            if line.value not in ("=", "!=") and types == ["letter", "letter"]:
                require_order(dict.fromkeys((*letters[0], *letters[1])))
            return ("truth" if op == "compare" else "selector"), ()
        # Choices and retrievals have the type of their value; the other branch or the default must have the same type.
        if op == "if":
            require_type("the condition of if", types[:1], "truth")
            return self._same("then and else", types[1:], letters[1:])
        if op in ("left", "right"):
            return self._same("value and default", types[1:], letters[1:])
        # An aggregate of letters is the first selected one; an aggregate of numbers or truths is their mean.
        if op == "aggregate":
            if types[1] == "letter":
                return self._same("value and default", types[1:], letters[1:])
            for kind in types[1:]:
                if kind not in ("number", "truth"):
                    raise BadInput(
                        "value and default of an aggregate must be of one type",
                        given_types(types[1:]),
                        "give the aggregate a default of the type of its values",
                    )
            return "number", ()
        return "selector", ()

    def _comparable(self, sign: str, types: Sequence[str]) -> None:
        """Raise BadInput if values of these two types cannot be compared by `sign`."""
        if "selector" in types or types[0] != types[1]:
            raise BadInput(
                "two values that are compared must be of one type",
                given_types(types),
                "compare symbols with symbols, and numbers with numbers",
            )
        if types[0] == "truth" and sign not in ("=", "!="):
            raise BadInput("true and false must be compared by = or !=", sign, "write = or !=")

    def _same(self, what: str, types: Sequence[str], letters: Sequence[tuple[str, ...]]) -> tuple[str, tuple[str, ...]]:
        """The common type of two values and the letters of both; BadInput, about `what`, if the types differ."""
        if types[0] != types[1] or types[0] == "selector":
            raise BadInput(
                f"{what} must be values of one type",
                given_types(types),
                "write both as symbols, both as numbers, or both as true or false",
            )
        return types[0], tuple(dict.fromkeys((*letters[0], *letters[1])))

    def nothing(self, values: int) -> int:
        """The line of the default of an aggregate that has none: "?" if the line `values` has letters, else 0."""
        return self.constant("?" if self.types[values] == "letter" else Fraction(0))

    def program(self, names: Sequence[tuple[str, int]], output: int) -> Srasp:
        """The program with `output` as its output line; lines that the output does not need are left out. BadInput if
        the output is a selector."""
        if self.types[output] == "selector":
            raise BadInput("the output must be a symbol, true or false, or a number", "a selector",
                           "output an aggregate or a selector_width of it")  # fmt: skip
        new = renumbered(self.lines, {output})  # {old number: new number} of the lines that are kept
        lines = tuple(
            line._replace(reads=tuple(new[k] for k in line.reads)) for line in (self.lines[old] for old in new)
        )
        types, letters = (tuple(table[old] for old in new) for table in (self.types, self.letters))
        named = tuple((name, new[line]) for name, line in names if line in new)
        places = tuple(self.places[old] for old in new) if self.places else ()
        return Srasp(self.alphabet, lines, types, letters, named, new[output], places)  # type: ignore[arg-type]


INSTEAD = {
    ("truth", "number"): "write if C then 1 else 0 for a truth C",
    ("letter", "number"): 'write map(in(j); "a": 1, else: 0), with a number for each symbol',
    ("number", "truth"): "compare it: x > 0",
    ("letter", "truth"): 'compare it: x = "a"',
    ("selector", "number"): "take aggregate or selector_width of it",
}
"""Advice in messages, by the type of the value given and the type required."""


def require_type(what: str, types: Sequence[str], wanted: str) -> None:
    """Raise BadInput if one of the types is not `wanted`; `what` names the operator in the message."""
    for kind in types:
        if kind != wanted:
            raise BadInput(
                f"the expression in {what} must be {TYPES[wanted]}", TYPES[kind], INSTEAD.get((kind, wanted))
            )


def given_types(types: Sequence[str]) -> str:
    """The types as a message names them."""
    return " and ".join(TYPES[kind] for kind in types)
