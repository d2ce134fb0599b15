"""Terms of the grammar evaluated to balls, at flint's current precision."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

import flint

from symcook.errors import BadInput, unknown
from symcook.expr import show
from symcook.numbers.balls import arb_of
from symcook.rationals import MAX_BITS, MAX_RANGE, too_large

MAX_STEPS = 100_000

Values = Mapping[str, "flint.arb | Fraction | int"]

_FUNCTIONS: dict[str, Callable[[flint.arb], flint.arb]] = {
    "exp": flint.arb.exp,
    "sin": flint.arb.sin,
    "cos": flint.arb.cos,
    "erf": flint.arb.erf,
    "sinh": flint.arb.sinh,
    "cosh": flint.arb.cosh,
    "tanh": flint.arb.tanh,
    "abs": abs,
    "relu": lambda x: x.max(flint.arb(0)),
}


def evaluate(tree: tuple, values: Values | None = None) -> flint.arb:
    """The value of a term of the grammar as a ball, at flint's current precision.

    Terms: numbers, names in `values`, pi, + - * / ^, relu, abs, min, max, exp, log, sqrt, sin, cos, erf, sinh, cosh,
    tanh, if and I with comparisons, sum and prod over up to MAX_RANGE integers. A divisor that the ball cannot part
    from 0 gives an infinite ball, which more bits may cure; a divisor that is exactly 0, the logarithm of a number
    that is surely not positive, and the root of one that is surely negative are BadInput. A comparison that the balls
    leave open gives the hull of both branches.
    """
    return _Evaluator(values or {}).term(tree)


class _Evaluator:
    def __init__(self, values: Values, steps: list[int] | None = None) -> None:
        self.values = values
        self.steps = [0] if steps is None else steps  # terms of sums so far, shared by nested sums

    def term(self, tree: tuple) -> flint.arb:
        tag = tree[0]
        if tag == "num":
            return flint.arb(flint.fmpq(tree[1], tree[2]))
        if tag == "name":
            return self.name(tree[1])
        if tag == "neg":
            return -self.term(tree[1])
        if tag in ("+", "-", "*"):
            a, b = self.term(tree[1]), self.term(tree[2])
            return a + b if tag == "+" else a - b if tag == "-" else a * b
        if tag == "/":
            return self.divide(tree)
        if tag == "^":
            return self.power(tree[1], tree[2])
        if tag == "if":
            return self.choose(self.formula(tree[1]), lambda: self.term(tree[2]), lambda: self.term(tree[3]))
        if tag == "ind":
            return self.choose(self.formula(tree[1]), lambda: flint.arb(1), lambda: flint.arb(0))
        if tag in ("sum", "prod"):
            return self.fold(tree)
        if tag == "call":
            return self.call(tree)
        raise BadInput("an expression must be built from numbers, names, operations and known functions", show(tree))

    def name(self, name: str) -> flint.arb:
        if name == "pi" and name not in self.values:
            return flint.arb.pi()
        if name not in self.values:
            raise BadInput("every name must have a value here", name, "give it one")
        return arb_of(self.values[name])

    def divide(self, tree: tuple) -> flint.arb:
        above, below = self.term(tree[1]), self.term(tree[2])
        if below.is_zero():
            raise BadInput("a denominator must not be zero", show(tree))
        return above / below

    def power(self, base_tree: tuple, exponent_tree: tuple) -> flint.arb:
        base, exponent = self.term(base_tree), self.term(exponent_tree)
        if not base.is_zero() and abs(exponent * abs(base).log()) > MAX_BITS:  # nats, not bits: near enough for a limit
            raise too_large()
        whole = exponent.unique_fmpz() if exponent.is_exact() else None
        if whole is not None:
            if whole < 0 and base.is_zero():
                raise BadInput("a denominator must not be zero", show(("^", base_tree, exponent_tree)))
            if whole > 0 and base.contains(0):  # where flint's power gives no number
                top = base.abs_upper() ** whole
                return top.union(flint.arb(0) if whole % 2 == 0 else -top)
            return base**whole
        if base.is_zero() and exponent > 0:
            return flint.arb(0)
        if base <= 0:
            must = "the base of a power with a broken exponent must be positive"
            raise BadInput(must, show(("^", base_tree, exponent_tree)))
        return (exponent * base.log()).exp() if base > 0 else flint.arb.nan()

    def call(self, tree: tuple) -> flint.arb:
        name, arguments = tree[1], tree[2]
        if name == "pow" and len(arguments) == 2:
            return self.power(*arguments)
        if name in ("min", "max") and arguments:
            first, *rest = (self.term(a) for a in arguments)
            for other in rest:
                first = first.min(other) if name == "min" else first.max(other)
            return first
        if name not in _FUNCTIONS and name not in ("log", "sqrt"):
            raise unknown("function", name, ("min", "max", "pow", "log", "sqrt", *_FUNCTIONS))
        if len(arguments) != 1:
            raise BadInput(f"{name} must have one argument", show(tree))
        x = self.term(arguments[0])
        if name == "log":
            if x <= 0:
                raise BadInput("the argument of a logarithm must be positive", show(tree))
            return x.log()
        if name == "sqrt":
            if x < 0:
                raise BadInput("the argument of a square root must not be negative", show(tree))
            return x.sqrt()
        return _FUNCTIONS[name](x)

    def fold(self, tree: tuple) -> flint.arb:
        tag, bound, low, high, body = tree
        ends = [self.term(end) for end in (low, high)]
        first, last = (end.unique_fmpz() if end.is_exact() else None for end in ends)
        if first is None or last is None or last - first > MAX_RANGE:
            raise BadInput(f"a sum must run over at most {MAX_RANGE} integers", show(tree))
        total = flint.arb(0 if tag == "sum" else 1)
        for j in range(int(first), int(last) + 1):
            self.steps[0] += 1
            if self.steps[0] > MAX_STEPS:
                raise BadInput(f"nested sums must have at most {MAX_STEPS} terms", show(tree))
            value = _Evaluator({**self.values, bound: j}, self.steps).term(body)
            total = total + value if tag == "sum" else total * value
        return total

    def choose(self, condition: bool | None, yes: Callable[[], flint.arb], no: Callable[[], flint.arb]) -> flint.arb:
        if condition is None:
            return yes().union(no())
        return yes() if condition else no()

    def formula(self, tree: tuple) -> bool | None:
        """True, False, or None where the balls leave it open."""
        tag = tree[0]
        if tag in ("true", "false"):
            return tag == "true"
        if tag in ("=", "<=", "<"):
            difference = self.term(tree[1]) - self.term(tree[2])
            return _compare(tag, difference)
        if tag == "~":
            inner = self.formula(tree[1])
            return None if inner is None else not inner
        if tag in ("&", "|"):
            a, b = self.formula(tree[1]), self.formula(tree[2])
            absorbing = tag == "|"
            if a is absorbing or b is absorbing:
                return absorbing
            return None if a is None or b is None else not absorbing
        if tag == "->":
            return self.formula(("|", ("~", tree[1]), tree[2]))
        if tag == "<->":
            a, b = self.formula(tree[1]), self.formula(tree[2])
            return None if a is None or b is None else a == b
        raise BadInput("a condition must be a comparison without quantifiers here", show(tree))


def _compare(tag: str, difference: flint.arb) -> bool | None:
    if difference.is_zero():
        return tag != "<"
    if tag == "=":
        return None if difference.contains(0) else False
    if difference < 0 or (tag == "<=" and difference <= 0):
        return True
    if difference > 0 or (tag == "<" and difference >= 0):
        return False
    return None
