"""A reader of statements of its own: it evaluates one at a string, from the values that the string has in a model."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, getcontext
from fractions import Fraction
from typing import Any

getcontext().prec = 60
MARGIN = Decimal("1e-30")
"""Numbers with exponentials count as equal within this."""

Scope = dict[str, Any]
Evaluated = Callable[["Facts", Scope], Any]


class Refused(Exception):
    """The model has no run on this string."""


class Outside(Exception):
    """A statement asks for a position that the string does not have."""


@dataclass
class Facts:
    """A string with its added tokens, and what the model has on it. Positions are those of the model."""

    tokens: tuple[str, ...]
    start: int
    values: dict[str, list[Any]]
    accepts: list[bool] = field(default_factory=list)
    """At each position, or one alone where the output layer has one position."""
    answer: str | None = None

    @property
    def places(self) -> range:
        return range(self.start, self.start + len(self.tokens))

    def token(self, i: int) -> str:
        if i not in self.places:
            raise Outside
        return self.tokens[int(i) - self.start]

    def of(self, name: str, i: int) -> Any:
        if i not in self.places:
            raise Outside
        return self.values[name][int(i) - self.start]


def compare(a: Any, sign: str, b: Any) -> bool:
    """A comparison of exact numbers, or of decimals of 60 digits."""
    if isinstance(a, Decimal) or isinstance(b, Decimal):
        a, b = decimal(a), decimal(b)
        if abs(a - b) < MARGIN * max(1, abs(a)):
            return sign in ("=", "<=", ">=")
    return {">": a > b, ">=": a >= b, "<": a < b, "<=": a <= b, "=": a == b, "!=": a != b}[sign]


def decimal(x: Any) -> Decimal:
    return x if isinstance(x, Decimal) else Decimal(Fraction(x).numerator) / Decimal(Fraction(x).denominator)


def calculate(a: Any, sign: str, b: Any) -> Any:
    """A sum, difference, product, quotient or power."""
    if sign == "^":
        return a ** int(b)
    if isinstance(a, Decimal) or isinstance(b, Decimal):
        a, b = decimal(a), decimal(b)
    else:
        a, b = Fraction(a), Fraction(b)
    if sign == "/" and b == 0:
        raise ZeroDivisionError  # which decimals have another name for where both are zero
    return a + b if sign == "+" else a - b if sign == "-" else a * b if sign == "*" else a / b


class Sentence:
    """A statement that has been read."""

    def __init__(self, text: str, tokens: Sequence[str]) -> None:
        self.parts = re.findall(r"<->|->|<=|>=|!=|\.\.|\d+|\w+|[-+*/^()\[\],.~&|<>=]", text)
        assert "".join(self.parts) == text.replace(" ", ""), text
        self.tokens, self.k = tokens, 0
        self.value = self.formula()
        assert self.k == len(self.parts), text

    def true(self, facts: Facts) -> bool:
        return self.value(facts, {})

    # --- Reading: each method returns what evaluates its part -------------------------------------------------------

    def next(self, *wanted: str) -> str | None:
        if self.k < len(self.parts) and (not wanted or self.parts[self.k] in wanted):
            self.k += 1
            return self.parts[self.k - 1]
        return None

    def name(self) -> str:
        found = self.next()
        assert found is not None
        return found

    def need(self, wanted: str) -> None:
        assert self.next(wanted), (wanted, self.parts[self.k :])

    def formula(self) -> Evaluated:
        a = self.implication()
        if not self.next("<->"):
            return a
        b = self.implication()
        return lambda f, s: a(f, s) == b(f, s)

    def implication(self) -> Evaluated:
        a = self.either()
        if not self.next("->"):
            return a
        b = self.implication()
        return lambda f, s: not a(f, s) or b(f, s)

    def either(self) -> Evaluated:
        parts = [self.both()]
        while self.next("|"):
            parts.append(self.both())
        return parts[0] if len(parts) == 1 else lambda f, s: any(part(f, s) for part in parts)

    def both(self) -> Evaluated:
        parts = [self.negated()]
        while self.next("&"):
            parts.append(self.negated())
        return parts[0] if len(parts) == 1 else lambda f, s: all(part(f, s) for part in parts)

    def negated(self) -> Evaluated:
        if self.next("~"):
            a = self.negated()
            return lambda f, s: not a(f, s)
        if quantifier := self.next("all", "ex"):
            name = self.name()
            self.need("in")
            low = self.sum()
            self.need("..")
            high = self.sum()
            self.need(".")
            body, whole = self.formula(), all if quantifier == "all" else any

            def ranged(f: Facts, s: Scope) -> bool:
                return whole(body(f, {**s, name: i}) for i in range(int(low(f, s)), int(high(f, s)) + 1))

            return ranged
        return self.comparison()

    def comparison(self) -> Evaluated:
        a = self.sum()
        sign = self.next("<", "<=", ">", ">=", "=", "!=")
        if sign is None:
            return a
        b = self.sum()
        return lambda f, s: compare(a(f, s), sign, b(f, s))

    def sum(self) -> Evaluated:
        return self._joined(self.product, "+", "-")

    def product(self) -> Evaluated:
        return self._joined(self.power, "*", "/")

    def _joined(self, part: Callable[[], Evaluated], *signs: str) -> Evaluated:
        a = part()
        while sign := self.next(*signs):
            a = self._calculated(a, sign, part())
        return a

    def _calculated(self, a: Evaluated, sign: str, b: Evaluated) -> Evaluated:
        return lambda f, s: calculate(a(f, s), sign, b(f, s))

    def power(self) -> Evaluated:
        if self.next("-"):
            a = self.power()
            return lambda f, s: -a(f, s)
        a = self.atom()
        return self._calculated(a, "^", self.power()) if self.next("^") else a

    def atom(self) -> Evaluated:
        if self.next("("):
            a = self.formula()
            self.need(")")
            return a
        name = self.name()
        if name.isdigit():
            return lambda f, s: Fraction(name)
        if name == "I":
            self.need("[")
            a = self.formula()
            self.need("]")
            return lambda f, s: Fraction(bool(a(f, s)))
        if not self.next("("):
            if name == "n":
                return lambda f, s: len(f.tokens)
            return (lambda f, s: f.accepts[-1]) if name == "accept" else lambda f, s: s[name]
        return self.applied(name)

    def applied(self, name: str) -> Evaluated:
        if name == "sum":
            index = self.name()
            self.need(",")
            low, high, body = self.arguments(3)
            return lambda f, s: sum(
                (body(f, {**s, index: i}) for i in range(int(low(f, s)), int(high(f, s)) + 1)), Fraction(0)
            )
        if name in ("count", "first", "last", "at", "answer"):
            token = self.name()
            if name == "at":
                self.need(",")
                (i,) = self.arguments(1)
                return lambda f, s: f.token(i(f, s)) == token
            self.need(")")
            if name == "answer":
                return lambda f, s: f.answer == token
            assert token in self.tokens, token
            if name == "count":
                return lambda f, s: f.tokens.count(token)
            if name == "first":
                return lambda f, s: next((i for i in f.places if f.token(i) == token), f.places.stop)
            return lambda f, s: next((i for i in reversed(f.places) if f.token(i) == token), f.start - 1)
        if name in ("abs", "exp", "relu"):
            (a,) = self.arguments(1)
            function = {"abs": abs, "exp": lambda x: decimal(x).exp(), "relu": lambda x: max(x, 0)}[name]
            return lambda f, s: function(a(f, s))
        if name in ("max", "min"):
            a, b = self.arguments(2)
            choose = max if name == "max" else min
            return lambda f, s: choose(a(f, s), b(f, s))
        (i,) = self.arguments(1)
        if name == "accept":
            return lambda f, s: f.accepts[f.places.index(int(i(f, s)))]
        return lambda f, s: f.of(name, i(f, s))

    def arguments(self, many: int) -> list[Evaluated]:
        found = [self.formula()]
        for _ in range(many - 1):
            self.need(",")
            found.append(self.formula())
        self.need(")")
        return found
