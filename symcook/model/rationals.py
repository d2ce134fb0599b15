"""Exact rational values of expressions: none has more than `MAX_BITS` bits, and none is computed that has far more.

Standard library only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import floor, isinf, isqrt
from typing import Any

from symcook.errors import BadInput, NotExact
from symcook.model.expr import Tree, numeral, show
from symcook.model.meaning import Meaning, not_whole

MAX_BITS = 14_000
"""The greatest number of bits of a number, numerator and denominator together. Such a number still prints within
Python's default limit of digits."""


class NoValue(BadInput):
    """A term has no value here: a denominator is zero, or the argument of a root or a logarithm is outside of its
    domain."""


def number_of(value: Any) -> Fraction | None:
    """A rational number of Python, numpy or sympy as a Fraction; None for any other value. A float is none, since it is
    not known to be exact, nor is a truth value, nor text.

    >>> number_of(3), number_of(Fraction(1, 2)), number_of(0.5), number_of(True), number_of("1/2")
    (Fraction(3, 1), Fraction(1, 2), None, None, None)
    """
    if type(value) is Fraction:
        return value
    if getattr(value, "ndim", None) == 0 and hasattr(value, "item"):  # a number of numpy, or an array of no dimension
        value = value.item()
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, Fraction)):
        return Fraction(value)
    if getattr(value, "is_Rational", False) is True and not isinstance(value, type):  # of sympy
        return Fraction(int(value.p), int(value.q))
    return None


def quotient(value: Fraction | int) -> str:
    """An exact number as JSON has it: ``"p/q"`` or ``"p"``, with all its digits."""
    return numeral(value.numerator) + (f"/{numeral(value.denominator)}" if value.denominator != 1 else "")


def consecutive(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """The first and last of each run of integers that follow one another.

    >>> consecutive([1, 2, 3, 7])
    [(1, 3), (7, 7)]
    """
    runs: list[tuple[int, int]] = []
    for k in numbers:
        if runs and runs[-1][1] == k - 1:
            runs[-1] = (runs[-1][0], k)
        else:
            runs.append((k, k))
    return runs


def decimal(digits: str, place: int) -> str:
    """digits * 10^place as text, in the one way in which every number system writes it: 0.00015, 1500, 1.5e-8.

    An exponent is written where the number is smaller than 10^-7 in size, and where more than 20 zeros would have to be
    added after the digits; it has no plus sign and no leading zeros. Zeros at the end of a fraction are left out.

    >>> decimal("-150", -6), decimal("15", -9), decimal("15", 3), decimal("1", 21), decimal("0", 5)
    ('-0.00015', '1.5e-8', '15000', '1e21', '0')
    """
    # The sign, the digits without zeros on either side, and the power of ten of the first digit.
    mark = "-" if digits.startswith("-") else ""
    significant = digits.removeprefix("-").lstrip("0")
    stripped = significant.rstrip("0")
    if not stripped:
        return "0"
    place += len(significant) - len(stripped)
    leading = place + len(stripped) - 1
    # An integer with zeros added; digits on both sides of the point; zeros after the point; or an exponent.
    if 0 <= place <= 20:
        return mark + stripped + "0" * place
    if place < 0 <= leading:
        return f"{mark}{stripped[: leading + 1]}.{stripped[leading + 1 :]}"
    if -7 <= leading < 0:
        return f"{mark}0.{'0' * (-leading - 1)}{stripped}"
    tail = f".{stripped[1:]}" if len(stripped) > 1 else ""
    return f"{mark}{stripped[0]}{tail}e{leading}"


def rewritten(text: str) -> str:
    """A decimal in the notation of another library, such as 1.50e-08 or 2.0, in the notation of `decimal`.

    >>> rewritten("1.50e-08"), rewritten("2.0"), rewritten("-1e+300"), rewritten("0.1")
    ('1.5e-8', '2', '-1e300', '0.1')
    """
    mantissa, _, exponent = text.partition("e")
    integer_part, _, fraction_digits = mantissa.partition(".")
    return decimal(integer_part + fraction_digits, int(exponent or 0) - len(fraction_digits))


DIGITS = 10
"""The number of significant digits that `outward` writes."""


def outward(low: float, high: float) -> list[str]:
    """Ends as text of `DIGITS` digits, rounded outwards; "-inf" and "inf" where nothing is known.

    >>> outward(1/3, 1/3), outward(-1.0, 2.0)
    (['0.3333333333', '0.3333333334'], ['-1', '2'])
    """
    return [_text(low, "ROUND_FLOOR"), _text(high, "ROUND_CEILING")]


def _text(x: float, rounding: str) -> str:
    """`x` rounded to `DIGITS` digits by a rounding mode of `decimal`, as text."""
    from decimal import Context, Decimal

    if isinf(x):
        return "inf" if x > 0 else "-inf"
    rounded = Context(prec=DIGITS, rounding=rounding).create_decimal(Decimal(x))
    sign, digits, exponent = rounded.as_tuple()
    return decimal(("-" if sign else "") + "".join(map(str, digits)), int(exponent))


def plain(text: str) -> str:
    """Text that a user gives, with each decimal such as 1e-5 as the exact number that it is, in the grammar.

    >>> plain("1e-5"), plain("2.5E3 * eps"), plain("x1e5 + 3")
    ('1/100000', '2500 * eps', 'x1e5 + 3')

    Raises BadInput where such a number passes `MAX_BITS` bits. The grammar itself, in which statements are written too,
    has no such decimals.
    """
    import re

    if not isinstance(text, str) or ("e" not in text and "E" not in text):
        return text  # a value that is not text is refused by the reader

    def number(match: re.Match[str]) -> str:
        """A decimal with an exponent as an exact number; a fraction inside a formula gets brackets."""
        integer_part, fraction_digits, sign, exponent = match[1], match[2] or "", match[3], match[4]
        mantissa = int(integer_part) * 10 ** len(fraction_digits) + int(fraction_digits or 0)
        if len(exponent) > 5 and mantissa:
            raise too_large()
        tens = int(sign + exponent) - len(fraction_digits) if mantissa else 0
        shown = quotient(_small(Fraction(mantissa) * Fraction(10) ** tens))
        return f"({shown})" if "/" in shown and match[0] != text.strip() else shown

    return re.sub(r"(?<![\w.])([0-9]{1,4000})(?:\.([0-9]{1,4000}))?[eE]([+-]?)0*([0-9]+)(?![\w.])", number, text)


def rational(tree: Tree, values: Mapping[str, Fraction] | None = None) -> Fraction:
    """The exact value of a term without transcendental functions.

    >>> from symcook.model.expr import parse_term
    >>> rational(parse_term("max(1/3, x)^2"), {"x": Fraction(1, 2)})
    Fraction(1, 4)

    Raises BadInput where a denominator is zero, a number passes `MAX_BITS` bits, or an end of a sum is no integer;
    NotExact where a name has no value or the value is not rational.
    """
    return Fraction(Rationals(values or {}).term(tree))


def too_large() -> BadInput:
    """The refusal of a number that would pass `MAX_BITS` bits."""
    return BadInput(f"numbers must stay below {MAX_BITS:,} bits", "a larger number", "use smaller exponents")


def _small(value: Fraction | int) -> Fraction | int:
    """`value`; BadInput where it has more than `MAX_BITS` bits."""
    if value.numerator.bit_length() + value.denominator.bit_length() > MAX_BITS:
        raise too_large()
    return value


class Rationals(Meaning["Fraction | int", bool]):
    """Terms at rational values: NotExact where a value is not rational."""

    def number(self, p: int, q: int) -> Fraction | int:
        return p if q == 1 else Fraction(p, q)

    def name(self, name: str) -> Fraction | int:
        if name not in self.values:
            raise NotExact(
                "every name in this expression must have an exact rational value", name, "give this name a value"
            )
        return self.values[name]

    def divide(self, a: Fraction | int, b: Fraction | int, tree: Tree) -> Fraction:
        if b == 0:
            raise NoValue("a denominator must not be zero", show(tree), "change the expression or its values")
        return Fraction(a, b)

    def power(self, a: Fraction | int, b: Fraction | int, tree: Tree) -> Fraction:
        return power(Fraction(a), Fraction(b))

    def call(self, name: str, arguments: list[Fraction | int], tree: Tree) -> Fraction | int:
        """The value of a function at rational numbers. NotExact where it is not known to be rational."""
        if name in ("min", "max") and arguments:
            return min(arguments) if name == "min" else max(arguments)
        if name == "mod":
            a, b = arguments
            return a - b * floor(self.divide(a, b, tree))
        # Functions of one argument that are rational everywhere; others at the points of `_RATIONAL_VALUES`; roots of
        # squares.
        if len(arguments) == 1:
            x = arguments[0]
            if name in ("floor", "sign"):
                return floor(x) if name == "floor" else (x > 0) - (x < 0)
            if name in ("relu", "abs"):
                return max(x, 0) if name == "relu" else abs(x)
            if (name, x) in _RATIONAL_VALUES:
                return _RATIONAL_VALUES[name, x]
            if name == "sqrt" and x > 0:
                root = Fraction(isqrt(x.numerator), isqrt(x.denominator))
                if root * root == x:
                    return root
        raise NotExact("the value must be an exact rational", show(tree), "write it as p/q")

    def compare(self, tag: str, a: Fraction | int, b: Fraction | int, tree: Tree) -> bool:
        return a == b if tag == "=" else a <= b if tag == "<=" else a < b

    def truth(self, known: bool) -> bool:
        return known

    def negation(self, a: bool) -> bool:
        return not a

    def both(self, a: bool, b: bool) -> bool:
        return a and b

    def choose(self, truth: bool, yes: Tree, no: Tree) -> Fraction | int:
        return self.term(yes if truth else no)

    def end(self, tree: Tree, whole: Tree) -> int:
        value = self.term(tree)
        if value.denominator != 1:
            not_whole(tree, whole, quotient(value))
        return value.numerator

    def kept(self, value: Fraction | int) -> Fraction | int:
        return _small(value)


_RATIONAL_VALUES: dict[tuple[str, Fraction | int], int] = {
    ("log", 1): 0, ("exp", 0): 1, ("cos", 0): 1, ("cosh", 0): 1,
    **{(name, 0): 0 for name in ("sqrt", "sin", "erf", "sinh", "tanh")},
}  # fmt: skip
"""The rational values of transcendental functions at rational numbers, and of sqrt at 0; `Rationals.call` computes sqrt
at squares."""


def truth(tree: Tree, values: Mapping[str, Fraction] | None = None) -> bool:
    """Whether a formula without quantifiers over Int or Real holds at rational `values`.

    >>> from symcook.model.expr import parse_formula
    >>> truth(parse_formula("0 < eps <= 1/4"), {"eps": Fraction(1, 8)})
    True
    """
    return Rationals(values or {}).formula(tree)


def power(base: Fraction, exponent: Fraction) -> Fraction:
    """`base` to the power `exponent`.

    BadInput for 0 to a negative power, and where the power has more than `MAX_BITS` bits; a power that would have far
    more is not computed. NotExact where the exponent is not an integer, unless the base is 0 or 1 and the exponent
    positive.
    """
    # A fractional exponent: only roots of 0 and 1 are known to be rational.
    if exponent.denominator != 1:
        if base in (0, 1) and exponent > 0:
            return base
        raise NotExact(
            "in exact arithmetic the exponent of a power must be an integer",
            quotient(exponent),
            "compute in rigorous intervals: --domain ball",
        )
    k = exponent.numerator
    if base == 0 and k < 0:
        raise NoValue("a denominator must not be zero", f"0^{k}", "use a base other than 0")
    if base in (-1, 0, 1):
        return base ** (2 + k % 2 if k else 0)  # the power depends on the parity of k only
    # The numerator or denominator of base^k has at least |k| times this many bits.
    bits = max(base.numerator.bit_length(), base.denominator.bit_length()) - 1
    if abs(k) * bits > MAX_BITS:
        raise too_large()
    return Fraction(_small(base**k))


def decimal_text(value: Fraction | int) -> str:
    """The decimal of a number if it is finite, else p/q.

    >>> decimal_text(Fraction(1, 80)), decimal_text(Fraction(1, 3)), decimal_text(10**20)
    ('0.0125', '1/3', '100000000000000000000')
    """
    number = Fraction(value)
    twos = (number.denominator & -number.denominator).bit_length() - 1
    fives, remaining = 0, number.denominator >> twos
    while remaining % 5 == 0:
        fives, remaining = fives + 1, remaining // 5
    places = max(twos, fives)
    if remaining > 1 or not places:
        return str(number)
    digits = str(int(number * 10**places)).rjust(places + 1, "0")
    return f"{digits[:-places]}.{digits[-places:]}"
