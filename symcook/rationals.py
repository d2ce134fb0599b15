"""Exact rational values of expressions, with sizes bounded before anything is computed. Standard library only."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from symcook.errors import BadInput
from symcook.expr import Tree, show

MAX_BITS = 14_000  # such a number still prints under Python's default limit of digits
MAX_RANGE = 10_000
MAX_STEPS = 1_000_000


def quotient(value: Fraction | int) -> str:
    """An exact number as JSON has it: ``"p/q"`` or ``"p"``."""
    return str(Fraction(value))


def rational(tree: Tree, values: Mapping[str, Fraction] | None = None) -> Fraction:
    """The exact value of a term without transcendental functions.

    >>> from symcook.expr import parse_term
    >>> rational(parse_term("max(1/3, x)^2"), {"x": Fraction(1, 2)})
    Fraction(1, 4)

    Raises BadInput where a name has no value, a denominator is zero, a number passes `MAX_BITS` bits (seen before it is
    computed) or the value is not rational.
    """
    return _Rational(values or {}).term(tree)


def too_large() -> BadInput:
    """The refusal of a number that would pass `MAX_BITS` bits."""
    return BadInput(f"numbers must stay below {MAX_BITS} bits", "a larger one", "use smaller exponents")


class _Rational:
    """Evaluates at `values`; `steps` counts the work of one call, in a list that nested sums share."""

    def __init__(self, values: Mapping[str, Fraction], steps: list[int] | None = None) -> None:
        self.values = values
        self.steps = [0] if steps is None else steps

    def under(self, bound: str, j: int) -> _Rational:
        """The evaluator in which `bound` is j."""
        return _Rational({**self.values, bound: Fraction(j)}, self.steps)

    def term(self, tree: Tree) -> Fraction:
        self.steps[0] += 1
        if self.steps[0] > MAX_STEPS:
            raise BadInput(f"an expression must take at most {MAX_STEPS} steps", "more", "use shorter sums")
        value = self._term(tree)
        if value.numerator.bit_length() + value.denominator.bit_length() > MAX_BITS:
            raise too_large()
        return value

    def _term(self, tree: Tree) -> Fraction:
        tag = tree[0]
        if tag == "num":
            return Fraction(tree[1], tree[2])
        if tag == "name":
            if tree[1] not in self.values:
                raise BadInput("every name must have an exact rational value here", tree[1], "give it one")
            return self.values[tree[1]]
        if tag == "neg":
            return -self.term(tree[1])
        if tag in ("+", "-", "*", "/"):
            a, b = self.term(tree[1]), self.term(tree[2])
            if tag == "/":
                if b == 0:
                    raise BadInput("a denominator must not be zero", show(tree))
                return a / b
            return a + b if tag == "+" else a - b if tag == "-" else a * b
        if tag == "^" or (tag == "call" and tree[1] == "pow"):
            base, exponent = (self.term(t) for t in (tree[1:] if tag == "^" else tree[2]))
            return power(base, exponent)
        if tag == "if":
            return self.term(tree[2] if self.formula(tree[1]) else tree[3])
        if tag == "ind":
            return Fraction(int(self.formula(tree[1])))
        if tag in ("sum", "prod"):
            return self.fold(tree)
        if tag == "call" and tree[1] in ("relu", "abs", "min", "max"):
            a = [self.term(t) for t in tree[2]]
            if tree[1] == "relu":
                return max(a[0], Fraction(0))
            return abs(a[0]) if tree[1] == "abs" else (min if tree[1] == "min" else max)(a)
        if tag == "call" and tree[1] == "exp" and self.term(tree[2][0]) == 0:
            return Fraction(1)
        if tag == "call" and tree[1] == "log" and self.term(tree[2][0]) == 1:
            return Fraction(0)
        raise BadInput("the value must be an exact rational", show(tree), "write it as p/q")

    def fold(self, tree: Tree) -> Fraction:
        tag, bound, low, high, body = tree
        a, b = self.term(low), self.term(high)
        if a.denominator != 1 or b.denominator != 1 or b - a > MAX_RANGE:
            raise BadInput(f"a sum must run over at most {MAX_RANGE} integers", show(tree))
        total = Fraction(0 if tag == "sum" else 1)
        for j in range(int(a), int(b) + 1):
            value = self.under(bound, j).term(body)
            total = total + value if tag == "sum" else total * value
            if total.numerator.bit_length() + total.denominator.bit_length() > MAX_BITS:
                raise too_large()
        return total

    def formula(self, tree: Tree) -> bool:
        tag = tree[0]
        if tag in ("true", "false"):
            return tag == "true"
        if tag in ("=", "<=", "<"):
            a, b = self.term(tree[1]), self.term(tree[2])
            return a == b if tag == "=" else a <= b if tag == "<=" else a < b
        if tag == "~":
            return not self.formula(tree[1])
        if tag in ("&", "|", "->", "<->"):
            a, b = self.formula(tree[1]), self.formula(tree[2])
            return {"&": a and b, "|": a or b, "->": not a or b, "<->": a == b}[tag]
        if tag in ("all in", "ex in"):
            a, b = self.term(tree[2]), self.term(tree[3])
            if a.denominator != 1 or b.denominator != 1 or b - a > MAX_RANGE:
                raise BadInput(f"a range must hold at most {MAX_RANGE} integers", show(tree))
            rows = (self.under(tree[1], j).formula(tree[4]) for j in range(int(a), int(b) + 1))
            return all(rows) if tag == "all in" else any(rows)
        raise BadInput("a condition must be decidable here", show(tree), "quantify over finite ranges only")


def truth(tree: Tree, values: Mapping[str, Fraction] | None = None) -> bool:
    """Whether a formula without quantifiers over Int or Real holds at rational `values`.

    >>> from symcook.expr import parse_formula
    >>> truth(parse_formula("0 < eps <= 1/4"), {"eps": Fraction(1, 8)})
    True
    """
    return _Rational(values or {}).formula(tree)


def power(base: Fraction, exponent: Fraction) -> Fraction:
    """`base` to an integer `exponent`, refused before it is computed where it would pass `MAX_BITS` bits."""
    if exponent.denominator != 1:
        raise BadInput("an exponent must be an integer for an exact rational", quotient(exponent), "use sqrt and balls")
    k = exponent.numerator
    if base == 0 and k < 0:
        raise BadInput("a denominator must not be zero", f"0^{k}")
    size = max(base.numerator.bit_length(), base.denominator.bit_length())
    if abs(base) != 1 and base != 0 and abs(k) * size > MAX_BITS:
        raise too_large()
    if abs(k) > MAX_BITS:
        k = 2 + k % 2  # only 0, 1 and -1 get here, whose powers depend on parity alone
    return base**k
