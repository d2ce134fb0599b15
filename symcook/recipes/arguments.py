"""Readers of recipe arguments: each takes text (as ``--set`` gives it) or a Python value, and a name for the message.

Lists are written as rows (`0,0; 1,1`), truth tables as bits (`0110`), alphabets as strings of symbols, or as symbols
separated by spaces.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from symcook.errors import BadInput, unknown
from symcook.model.checks import listed_name, unknown_word
from symcook.model.typedtext import listed_symbols
from symcook.recipes import info, kit

MAX_ROWS = 10_000
"""The maximum number of rows of a list."""
MAX_SYMBOLS = 1_000
"""The maximum number of symbols of an alphabet."""


def fraction(given: object, name: str) -> kit.Fraction:
    """A rational number from text in the grammar, an int, a Fraction or a sympy Rational. BadInput otherwise.

    >>> fraction("1/2 + 1/3", "c")
    Fraction(5, 6)
    """
    if isinstance(given, str):
        if not given.strip():
            raise BadInput(f"{name} must be a rational number", "nothing", f"give one such as {name}=3/2")
        return kit.rational(kit.parse_term(kit.plain(given)))
    if isinstance(given, (int, kit.Fraction)) and not isinstance(given, bool):
        return kit.Fraction(given)
    if isinstance(given, (bool, float)) or getattr(given, "is_Rational", False):
        value = kit.exact(given)
        return kit.Fraction(int(value.p), int(value.q))
    raise BadInput(f"{name} must be a rational number", given, f"give one such as {name}=3/2")


def integer(lower: int, upper: int) -> Callable[[Any, str], int]:
    """A reader of integers between `lower` and `upper`.

    >>> integer(1, 9)("4", "d")
    4
    """

    def read(given: object, name: str) -> int:
        value = fraction(given, name)
        if value.denominator != 1:
            raise BadInput(f"{name} must be an integer", value, f"give one such as {name}=3")
        if not lower <= value <= upper:
            raise BadInput(
                f"{name} must be an integer from {lower} to {upper}", value, f"give one such as {name}={lower}"
            )
        return int(value)

    return read


def yes_or_no(given: object, name: str) -> bool:
    """True or False from a bool or from the text yes or no.

    >>> yes_or_no("yes", "scaled")
    True
    """
    if isinstance(given, bool):
        return given
    if given not in ("yes", "no"):
        raise BadInput(f"{name} must be yes or no", given, f"give {name}=yes or {name}=no")
    return given == "yes"


def one_of(*options: str) -> Callable[[Any, str], str]:
    """A reader of one of several words or expressions; spaces are ignored, and aliases are accepted (`listed_name`).

    >>> one_of("average", "softmax")("softmax", "weighting")
    'softmax'
    """

    def read(given: object, name: str) -> str:
        written = {"".join(option.split()): option for option in options}  # {option without spaces: option}
        value = listed_name("".join(given.split()), written) if isinstance(given, str) else None
        if value not in written:
            raise unknown_word(name, given, options)
        return written[value]

    return read


def positive(given: object, name: str) -> kit.Fraction:
    """A positive rational number.

    >>> positive("1/10", "M")
    Fraction(1, 10)
    """
    value = fraction(given, name)
    if value <= 0:
        raise BadInput(f"{name} must be positive", value, f"give one such as {name}=1/10")
    return value


def positive_or_none(given: object, name: str) -> kit.Fraction | None:
    """A positive rational number, or None from None or the text none.

    >>> positive_or_none("1/10", "eta")
    Fraction(1, 10)
    """
    if given is None or given == "none":
        return None
    return positive(given, name)


def bits(most: int) -> Callable[[Any, str], tuple[int, ...]]:
    """A reader of truth tables: 2^m bits with 1 <= m <= `most`, as text or as a sequence of 0 and 1.

    >>> bits(12)("0110", "table")
    (0, 1, 1, 0)
    """

    def read(given: object, name: str) -> tuple[int, ...]:
        """The bits as a tuple of 0 and 1."""
        must = f"{name} must be 2^m bits with m from 1 to {most}"
        if not isinstance(given, (str, list, tuple)):
            raise BadInput(must, given, f"give text such as {name}=0110")
        # The length is a power of two, at least 2 and at most 2^most.
        if len(given) > 1 << most:
            raise BadInput(must, f"{len(given)} entries", f"give text such as {name}=0110")
        if len(given) < 2 or len(given) & (len(given) - 1):
            raise BadInput(must, given or "nothing", f"give text such as {name}=0110")
        for entry in given:
            if isinstance(entry, bool) or entry not in (0, 1, "0", "1"):
                raise BadInput(must, given, f"give text such as {name}=0110")
        return tuple(int(entry) for entry in given)

    return read


def rows(given: object, name: str, width: int) -> tuple[tuple[kit.Fraction, ...], ...]:
    """Rows of `width` rational numbers, from text such as ``0,0; 1,1`` or from nested sequences.

    >>> rows("0,1/2; 1,3", "rows", 2)
    ((Fraction(0, 1), Fraction(1, 2)), (Fraction(1, 1), Fraction(3, 1)))

    Raises BadInput for an empty list, a row of another width, and an entry that is not an exact rational number.
    """
    numbers = "number" if width == 1 else "numbers"
    must = f"{name} must be rows of {width} {numbers}, separated by ';'"
    # Text, or a sequence of rows; in a sequence a row of width 1 may be a plain number. The length of a text is checked
    # before it is split, so that a huge text is rejected quickly.
    if isinstance(given, str):
        if not given.strip():
            raise BadInput(must, "nothing", f"give text such as {name}={';'.join([','.join(['0'] * width)] * 2)}")
        if given.count(";") >= MAX_ROWS:
            raise BadInput(f"{name} must have at most {MAX_ROWS:,} rows", given.count(";") + 1, "give fewer rows")
        lines: list[Any] = [split(line, ",") for line in split(given, ";")]
    else:
        if isinstance(given, (bytes, dict)) or not isinstance(given, Iterable):
            raise BadInput(must, given, f"give text such as {name}={';'.join([','.join(['0'] * width)] * 2)}")
        lines = [list(line) if isinstance(line, (list, tuple)) else [line] for line in given]
    if not lines:
        raise BadInput(must, "nothing", f"give text such as {name}={';'.join([','.join(['0'] * width)] * 2)}")
    if len(lines) > MAX_ROWS:
        raise BadInput(f"{name} must have at most {MAX_ROWS:,} rows", len(lines), "give fewer rows")
    for line in lines:
        if len(line) != width:
            raise BadInput(
                must,
                ", ".join(str(entry).strip() for entry in line) or "an empty row",
                f"give text such as {name}={';'.join([','.join(['0'] * width)] * 2)}",
            )
    return tuple(tuple(fraction(entry, f"an entry of {name}") for entry in line) for line in lines)


def split(text: str, separator: str) -> list[str]:
    """`text` cut at each separator outside brackets.

    >>> split("max(1,2),3", ",")
    ['max(1,2)', '3']
    """
    parts, depth, start = [], 0, 0
    for index, letter in enumerate(text):
        depth += (letter in "([") - (letter in ")]")
        if letter == separator and depth <= 0:
            parts.append(text[start:index])
            start = index + 1
    return [*parts, text[start:]]


def called(text: str) -> tuple[str, dict[str, str]]:
    """The name of a recipe and its arguments, from a text such as cpwl(points=0,0; 1,1; 2,0).

    >>> called("cpwl(points=0,0; 1,1; 2,0, f=x)")
    ('cpwl', {'points': '0,0; 1,1; 2,0', 'f': 'x'})

    Raises BadInput if the text does not have that form.
    """
    match = re.fullmatch(r"\s*([\w-]+)\s*(?:\((.*)\))?\s*", text, re.DOTALL)
    if match is not None:
        # A comma separates arguments only before a name and =; other commas are part of a value.
        parts = re.split(r",\s*(?=[A-Za-z_]\w*\s*=)", match[2]) if (match[2] or "").strip() else []
        settings = {name.strip(): value.strip() for name, equals, value in (p.partition("=") for p in parts) if equals}
        if len(settings) == len(parts):
            return match[1], settings
    raise BadInput(
        "a recipe must be given by its name, with arguments such as identity(d=2), each once",
        text,
        "write for example identity(d=2)",
    )


def recipe_of(names: tuple[str, ...], what: str) -> Callable[[Any, str], str]:
    """A reader of one of the recipes `names`, with or without arguments in brackets. `what` describes them in messages.

    >>> recipe_of(("cpwl", "identity"), "of one layer")(" identity ( d = 2 ) ", "f")
    'identity(d=2)'
    """

    def read(given: object, name: str) -> str:
        """The recipe with its arguments as a text in normal form; the arguments are checked."""
        inner, arguments = called(str(given))
        if inner not in names:
            raise unknown(f"recipe {name}, {what},", inner, names)
        info(inner).read(arguments)
        return inner + (f"({', '.join(f'{key}={value}' for key, value in arguments.items())})" if arguments else "")

    return read


def points(given: object, name: str) -> tuple[tuple[kit.Fraction, kit.Fraction], ...]:
    """At least three points (x, y) with strictly increasing x, which give at least two pieces.

    >>> points("0,0; 1,1; 2,0", "points")[1]
    (Fraction(1, 1), Fraction(1, 1))
    """
    table = rows(given, name, 2)
    if len(table) < 3:
        raise BadInput(
            f"{name} must have at least three points, for two pieces", len(table), "give points such as 0,0; 1,1; 2,0"
        )
    for (left, _), (right, _) in zip(table, table[1:], strict=False):
        if left >= right:
            raise BadInput(f"{name} must have strictly increasing x", f"{left} before {right}", "sort the points by x")
    return tuple((x, y) for x, y in table)


def alphabet(given: object, name: str) -> tuple[str, ...]:
    """The symbols of an alphabet, different and printable: the characters of a text, or its parts if it has spaces.

    >>> alphabet("01", "alphabet"), alphabet("yes no", "alphabet")
    (('0', '1'), ('yes', 'no'))
    """
    must = f"{name} must be different printable symbols, as 01 or, where they are longer, with spaces: yes no"
    if isinstance(given, (list, tuple)) and all(isinstance(symbol_text, str) for symbol_text in given):
        symbols = tuple(given)
    elif isinstance(given, str):
        symbols = listed_symbols(given, name)
    else:
        raise BadInput(must, given, f"give text such as {name}=01")
    if not symbols:
        raise BadInput(must, "nothing", f"give text such as {name}=01")
    if len(symbols) > MAX_SYMBOLS:
        raise BadInput(f"{name} must have at most {MAX_SYMBOLS} symbols", len(symbols), "give fewer symbols")
    for symbol_text in symbols:
        if not symbol_text or not symbol_text.isprintable() or " " in symbol_text or symbols.count(symbol_text) > 1:
            raise BadInput(must, given, f"give text such as {name}=01")
    return symbols
