"""What the kinds of bounds are given: counts, exact positive numbers, choices."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

import flint

from symcook.errors import BadInput
from symcook.model.expr import Tree, names, parse_term, show
from symcook.model.rationals import plain, rational
from symcook.numbers.balls import arb_of, decide_sign
from symcook.numbers.evaluate import evaluate

MAX_COUNT_BITS = 14_000  # as the expression grammar bounds its numbers
LARGEST = 30  # positive numbers are at most 10^LARGEST

Exact = tuple[str, Callable[[], flint.arb]]
"""An exact number: its text, and a function to its ball at flint's current precision."""


def written(value: Fraction | int) -> str:
    """An exact number as p or p/q; of any length, where Python's own text of an integer ends at 4300 digits."""
    return str(flint.fmpq(value.numerator, value.denominator))


def count(value: object, name: str = "n", least: int = 1, bits: int = MAX_COUNT_BITS) -> int:
    """`value` as an integer of at least `least` and at most `bits` bits; BadInput for anything else."""
    found = value
    if isinstance(value, str) and len(value) <= 4300 and value.strip().isdecimal():
        found = int(value)
    if isinstance(found, bool) or not isinstance(found, int) or found < least or found.bit_length() > bits:
        must = f"{name} must be an integer of at least {least} and below 2^{bits}"
        raise BadInput(must, value, f"write it in digits, for example --{name} 64")
    return found


def positive(value: object, name: str = "gamma") -> Exact:
    """An exact positive number of at most 10^30: an integer, a Fraction, or text of the grammar without names.

    Raises BadInput for anything else and where the number is not positive, Undecided where its sign stays open.
    """
    text, ball = exact(value, name)
    if decide_sign(ball, f"{name} > 0 for {name} = {text}") <= 0:
        raise BadInput(f"{name} must be positive", text, f"give a positive {name}, for example --{name} 5")
    if decide_sign(lambda: ball() - flint.arb(10) ** LARGEST, f"{name} <= 10^{LARGEST} for {name} = {text}") > 0:
        raise BadInput(f"{name} must be at most 10^{LARGEST}", text)
    return text, ball


def exact(value: object, name: str) -> Exact:
    """An exact number: an integer, a Fraction, or text of the grammar without names. Raises BadInput for others."""
    if isinstance(value, (int, Fraction)) and not isinstance(value, bool):
        rational = Fraction(value)
        return written(rational), lambda: arb_of(rational)
    if not isinstance(value, str):
        do = "give an integer, a Fraction or text such as 'log(8*64)' or '1/2'"
        raise BadInput(f"{name} must be exact", value, do)
    tree = number_tree(value, name)
    return show(tree), lambda: evaluate(tree)


def number_tree(text: str, name: str) -> Tree:
    """The tree of a number that is given as text; BadInput, which says for what, where it is none or has names."""
    try:
        tree = parse_term(plain(text))
    except BadInput as error:
        raise BadInput(f"{name} must be a number; {error.must}", error.given, error.do) from None
    free = sorted(names(tree))
    if free:
        raise BadInput(f"{name} must be a number without names", free[0], "write its value in place of it")
    return tree


def rational_value(tree: Tree, name: str, values: Mapping[str, Fraction] | None = None) -> Fraction:
    """The rational value of a tree; BadInput, which says for what, where it has none."""
    try:
        return rational(tree, values)
    except BadInput as error:
        raise BadInput(f"{name} must be rational; {error.must}", error.given, error.do) from None
