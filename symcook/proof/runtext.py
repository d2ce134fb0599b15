"""Texts of sums, products and numbers in the equations of a run: how they are bracketed, and the expressions of a model
in the language of statements. Trusted. Standard library only."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from fractions import Fraction
from functools import reduce
from typing import Any

from symcook.errors import BadInput
from symcook.model.expr import Tree, numeral, parse_term, show
from symcook.proof.rounded import RoundedTerms


def joined(terms: Iterable[str]) -> str:
    """Terms joined by plus signs; a long sum is bracketed in halves, which keeps its tree shallow."""
    parts = list(terms)
    if not parts:
        return "0"
    if len(parts) <= 16:
        return " + ".join(parts)
    half = len(parts) // 2
    return f"({joined(parts[:half])}) + ({joined(parts[half:])})"


def conjunction(parts: list[str]) -> str:
    """Parts joined by "and"; more than 128 are bracketed in halves, as the quantifiers over them nest deep already."""
    if len(parts) <= 128:
        return " & ".join(parts)
    half = len(parts) // 2
    return f"({conjunction(parts[:half])}) & ({conjunction(parts[half:])})"


def nonzero(bias: str) -> list[str]:
    """A bias as a term of a sum, if it is not zero."""
    return [] if bias == "0" else [bracketed(readable(bias))]


def times(weight: str, value: str) -> str:
    """A value times a weight."""
    if weight in ("1", "-1"):
        return value if weight == "1" else f"-{value}"
    return f"{bracketed(readable(weight))}*{value}"


def product(factor: Sequence[str], rows: Sequence[Sequence[tuple[str, str]]]) -> str:
    """The product of weighted sums, times `factor`: a scale, and a temperature that divides it. The numbers among the
    weights of sums of one term, the scale and the temperature are multiplied to one, which stands in front."""
    number, above, values, below = Fraction(1), list[str](), list[str](), ""
    # The scale and weights that stand alone: their rational number, and what else is in them.
    for text in (*factor[:1], *(row[0][0] for row in rows if len(row) == 1)):
        part, others = split(parse_term(readable(text)))
        number, above = number * part, [*above, *(bracketed(show(one)) for one in others)]
    # A rational temperature divides the number; another one stands below.
    for temperature in factor[1:]:
        if divided := rational(temperature):
            number /= divided
        else:
            below = f"/{bracketed(readable(temperature))}"
    for row in rows:
        values.append(row[0][1] if len(row) == 1 else f"({joined(times(*entry) for entry in row)})")
    fraction_text = numeral(number.numerator) + (f"/{numeral(number.denominator)}" if number.denominator != 1 else "")
    return times(fraction_text, "*".join([*above, *values]) + below)


def rational(text: str) -> Fraction | None:
    """A number of a document as a fraction; None where more than products and quotients of numbers are in it."""
    number, others = split(parse_term(text))
    return None if others else number


def bracketed(text: str) -> str:
    """A factor of a product: in brackets, unless it is a name, a numeral or a call."""
    return text if re.fullmatch(r"[\w.]+(\([\w.]*\))?", text) else f"({text})"


def split(tree: Tree) -> tuple[Fraction, list[Any]]:
    """A product as its rational number and its other factors."""
    if tree[0] == "num":
        return Fraction(*tree[1:]), []
    if tree[0] == "neg":
        number, others = split(tree[1])
        return -number, others
    if tree[0] in ("*", "/"):
        (left, first), (right, second) = split(tree[1]), split(tree[2])
        if tree[0] == "*":
            return left * right, first + second
        if right and not second:
            return left / right, first
    return Fraction(1), [tree]


def readable(text: str, taken: Collection[str] = ()) -> str:
    """An expression of a model in the statement language: floor, mod and sign are written out (`rounded`), where
    nothing that is bound is called like what is `taken`. Powers with a variable exponent become pow, which is defined
    for exponents from 0 on. What falls in the exponent is a power of the inverse: 2^(n - i) is
    pow(2, n)*pow(1/2, i)."""

    def fail(part: Tree, what: str) -> BadInput:
        return BadInput(
            f"in a statement {what}, as mod(i, 3) and floor(n/2)", show(part), "write it as a table or a sum"
        )

    def put(part: object) -> Any:
        if not isinstance(part, tuple) or not part:
            return part
        if part[0] == "^" and part[2][0] != "num":
            base, (rising, falling) = put(part[1]), _signed(put(part[2]))
            powers = [(base, rising)] * bool(rising) + [(_inverse(base), falling)] * bool(falling)
            return _joined("*", [("call", "pow", (a, _joined("+", terms))) for a, terms in powers])
        return tuple(map(put, part))

    return show(put(RoundedTerms(taken, fail).put(parse_term(text), {"i": True, "n": True})))


def _joined(op: str, parts: Sequence[Tree]) -> Any:
    return reduce(lambda a, b: (op, a, b), parts)


def _signed(tree: Tree) -> tuple[list[Any], list[Any]]:
    """The terms of a sum that are added, and those that are subtracted."""
    if tree[0] == "neg":
        rising, falling = _signed(tree[1])
        return falling, rising
    if tree[0] not in ("+", "-"):
        return [tree], []
    (rising, falling), (rising_right, falling_right) = _signed(tree[1]), _signed(tree[2])
    return (
        (rising + rising_right, falling + falling_right)
        if tree[0] == "+"
        else (rising + falling_right, falling + rising_right)
    )


def _inverse(tree: Tree) -> Any:
    """1/t; of a rational number that is not zero again a quotient of integers."""
    number, others = split(tree)
    if others or not number:
        return ("/", ("num", 1, 1), tree)
    quotient = ("/", ("num", number.denominator, 1), ("num", abs(number.numerator), 1))
    return quotient if number > 0 else ("neg", quotient)
