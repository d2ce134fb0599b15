"""Exact values: rationals as `Fraction`, and exponential sums (`symcook.numbers.expsum`) where a softmax makes them.

A column is a list with one value a position. Nothing here rounds, and no floating number gets in: a coefficient that
is not rational has no exact form in this domain and is refused with the name of the domain that has one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import gcd, lcm, prod
from typing import Any, ClassVar

import sympy

from symcook.errors import BadInput, NotExact, Undecided, require_known
from symcook.numbers.expsum import MAX_POWER_BITS, ExpSum, exp_scaled_log, sign, softmax_mean, text
from symcook.protocol import conjunction
from symcook.rationals import power, quotient
from symcook.symbols import from_sympy, symbol

Number = Any
"""A Fraction, or an ExpSum where it is not rational."""
Numbers = list[Any]

_BALL = "use --domain ball"


class Exact:
    """Rationals and exponential sums; `symcook.protocol.Domain`.

    >>> domain = Exact()
    >>> domain.begin(("(", ")", ")"), 1)
    >>> token = domain.embed({"(": 1, ")": -1})
    >>> domain.attend([], [], [token], "future", "average", 1)
    [[Fraction(1, 1), Fraction(0, 1), Fraction(-1, 3)]]

    Raises NotExact for a number without an exact form here, BadInput for a floating one or a symbol without value.
    """

    name: ClassVar[str] = "exact"
    length: int = 0

    def __init__(self) -> None:
        self._sequence: tuple[Any, ...] = ()
        self._start = 1

    def context(self) -> AbstractContextManager[Any]:
        return nullcontext()

    def begin(self, sequence: Any, start: int) -> None:
        self._sequence = tuple(sequence)
        self._start = start
        self.length = len(self._sequence)

    def embed(self, table: Mapping[str, Any]) -> Numbers:
        values = {token: number(value) for token, value in table.items()}
        return [values[token] for token in self._sequence]

    def input(self, name: str) -> Numbers:
        return [number(row[name]) for row in self._sequence]

    def positions(self, expression: Any) -> Numbers:
        return [at_position(expression, i, self.length) for i in self._indices()]

    def linear(self, terms: Sequence[tuple[Numbers, Any]], bias: Any) -> Numbers:
        result: Numbers = [number(bias)] * self.length
        for column, coefficient in terms:
            c = number(coefficient)
            if c == 1:
                result = [a + b for a, b in zip(result, column, strict=True)]
            else:
                result = [a + c * b for a, b in zip(result, column, strict=True)]
        return result

    def activate(self, column: Numbers, kind: str) -> Numbers:
        require_known("activation", kind, ("relu",))
        return [value if sign(value) > 0 else Fraction(0) for value in column]

    def attend(
        self,
        queries: Sequence[Numbers],
        keys: Sequence[Numbers],
        values: Sequence[Numbers],
        mask: str,
        weighting: str,
        factor: Any,
    ) -> list[Numbers]:
        require_known("mask", mask, ("none", "future"))
        require_known("weighting", weighting, ("average", "softmax"))
        if not queries:
            return [self._uniform(column, mask) for column in values]
        if weighting == "average":
            rows = self._hard(queries, keys, values, mask)
        else:
            rows = self._soft(queries, keys, values, mask, factor)
        return [list(column) for column in zip(*rows, strict=True)] if values else []

    def positive(self, column: Numbers) -> list[bool | None]:
        return [sign(value) > 0 for value in column]

    def zero(self, column: Numbers) -> list[bool | None]:
        return [value == 0 for value in column]

    def both(self, first: bool | None, second: bool | None) -> bool | None:
        return conjunction(first, second)

    def read(self, column: Numbers, place: int) -> Number:
        return column[place]

    def show(self, value: Number, digits: int) -> str:
        try:
            return text(value)
        except ValueError as error:  # Python's limit on the digits of an int
            raise NotExact("an exact value must have at most 4300 digits to be shown", "a longer one", _BALL) from error

    def settled(self, value: Number, digits: int) -> bool:
        return True

    def _indices(self) -> range:
        return range(self._start, self._start + self.length)

    def _uniform(self, column: Numbers, mask: str) -> Numbers:
        """Plain averages of what each row sees: one sum (or the running sums), divided once."""
        if mask == "none":
            return [_total(column) / self.length] * self.length
        return [total / seen for seen, total in enumerate(accumulate(column), 1)]

    def _rows(self, columns: Sequence[Numbers]) -> list[tuple[Number, ...]]:
        return list(zip(*columns, strict=True))

    def _hard(
        self, queries: Sequence[Numbers], keys: Sequence[Numbers], values: Sequence[Numbers], mask: str
    ) -> Iterator[list[Number]]:
        """Average-hard rows: equal weight on the positions whose score is maximal, compared exactly."""
        query_rows, key_rows = _integers(self._rows(queries), False), _integers(self._rows(keys), True)
        known: dict[Any, list[Number]] = {}
        for row, query in enumerate(query_rows):
            seen = self.length if mask == "none" else row + 1
            answer = known.get((seen, query))
            if answer is None:
                scores = [_dot(query, key) for key in key_rows[:seen]]
                greatest = max(scores)
                best = [j for j, score in enumerate(scores) if score == greatest]
                answer = [_total([column[j] for j in best]) / len(best) for column in values]
                known[seen, query] = answer
            yield answer

    def _soft(
        self, queries: Sequence[Numbers], keys: Sequence[Numbers], values: Sequence[Numbers], mask: str, factor: Any
    ) -> Iterator[list[Number]]:
        """Softmax rows, with scores taken from the first one seen: a common factor of all weights cancels."""
        key_rows = self._rows(keys)
        moves = getattr(factor, "free_symbols", set()) - {symbol("n")}
        fixed = None if moves else logarithmic(factor, self._start, self.length)
        known: dict[Any, list[Number]] = {}
        for row, query in enumerate(self._rows(queries)):
            plain, logs = fixed or logarithmic(factor, self._start + row, self.length)
            seen = self.length if mask == "none" else row + 1
            answer = known.get((seen, query, plain, logs))
            if answer is None:
                scores = [_dot(query, key) for key in key_rows[:seen]]
                scores = [score - scores[0] for score in scores]
                answer = [_softmax(scores, plain, logs, column[:seen]) for column in values]
                known[seen, query, plain, logs] = answer
            yield answer


def number(value: Any) -> Fraction:
    """A coefficient as a Fraction; NotExact where it is not rational, BadInput for a float or a free symbol."""
    if isinstance(value, Fraction):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return Fraction(value)
    if isinstance(value, (bool, float)) or not isinstance(value, sympy.Basic):
        raise BadInput("a value must be exact, not a floating number", repr(value), "write a rational such as 1/10")
    return _rational(value)


@lru_cache(maxsize=4096)
def _rational(value: Any) -> Fraction:
    if value.is_Rational:
        return Fraction(int(value.p), int(value.q))
    if value.has(sympy.Float):
        raise BadInput("a value must be exact, not a floating number", value, "write a rational such as 1/10")
    if value.free_symbols:
        free = sorted(s.name for s in value.free_symbols)[0]
        raise BadInput("every symbol must have a value here", free, f"give it one: {free}=...")
    raise NotExact("numbers must be rational in the exact domain", from_sympy(value), _BALL)


def at_position(expression: Any, i: int, n: int) -> Fraction:
    """The exact value of a sympy expression in i and n at one position.

    >>> from symcook.symbols import exact
    >>> at_position(exact("(-1)^i*i/n"), 3, 4)
    Fraction(-3, 4)

    Raises NotExact where it is not rational, Undecided where a comparison in it stays open, BadInput where a
    denominator is zero or a power too long.
    """
    if not isinstance(expression, sympy.Basic):
        return number(expression)
    table = {symbol("i"): sympy.Integer(i), symbol("n"): sympy.Integer(n)}
    return _at(expression, table)


def _at(e: Any, table: Mapping[Any, Any]) -> Fraction:
    if e.is_Rational:
        return Fraction(int(e.p), int(e.q))
    if e in table:
        return Fraction(int(table[e]))
    if e.is_Add:
        return sum((_at(a, table) for a in e.args), Fraction(0))
    if e.is_Mul and not e.has(sympy.log):
        result = Fraction(1)
        for a in e.args:
            result *= _at(a, table)
        return result
    if e.is_Pow and e.base is not sympy.E:
        base, exponent = _at(e.base, table), _at(e.exp, table)
        return power(base, exponent) if exponent.denominator == 1 else _root(base, exponent)
    if isinstance(e, (sympy.Max, sympy.Min)):
        parts = [_at(a, table) for a in e.args]
        return max(parts) if isinstance(e, sympy.Max) else min(parts)
    if isinstance(e, sympy.Abs):
        return abs(_at(e.args[0], table))
    if isinstance(e, sympy.Piecewise):
        pieces: list[Any] = list(e.args)
        for piece in pieces:
            condition = piece.cond.xreplace(dict(table))
            if condition == sympy.true:
                return _at(piece.expr, table)
            if condition != sympy.false:  # an equality of irrational numbers that sympy leaves unevaluated
                raise Undecided(f"the comparison {from_sympy(condition)} stays open; write it with rational numbers.")
    value = e.xreplace(dict(table)).doit()
    if value in (sympy.zoo, sympy.nan, sympy.oo, -sympy.oo):
        raise BadInput("a denominator must not be zero", from_sympy(e))
    return number(value)


def _root(base: Fraction, exponent: Fraction) -> Fraction:
    if base == 0 and exponent > 0:
        return base
    if base == 0:
        raise BadInput("a denominator must not be zero", f"0^({quotient(exponent)})")
    if base < 0:
        must = "the base of a root or a broken power must not be negative"
        raise BadInput(must, f"({quotient(base)})^({quotient(exponent)})")
    value = exp_scaled_log(exponent, base)
    assert isinstance(value, Fraction)  # without a shift it is rational or refused
    return value


Logs = tuple[tuple[Fraction, Fraction], ...]


def logarithmic(factor: Any, i: int, n: int) -> tuple[Fraction, Logs]:
    """The factor of the scores at row i as r + sum of c log(m): r and the pairs (c, m), all rational; one pair where
    the logarithms fit into one.

    >>> from symcook.symbols import exact
    >>> logarithmic(exact("2*log(n) + 1/i"), 2, 8)
    (Fraction(1, 2), ((Fraction(2, 1), Fraction(8, 1)),))

    Raises NotExact for any other form.
    """
    if not isinstance(factor, sympy.Basic) or factor.is_Rational:
        return number(factor), ()
    if not factor.has(sympy.log):
        return at_position(factor, i, n), ()
    value = factor.xreplace({symbol("i"): sympy.Integer(i), symbol("n"): sympy.Integer(n)})
    plain, logs = Fraction(0), []
    for term in sympy.Add.make_args(sympy.expand_mul(value)):
        coefficient, rest = term.as_coeff_Mul()
        if rest is sympy.S.One:
            plain += number(coefficient)
        elif isinstance(rest, sympy.log) and rest.args[0].is_Rational:
            logs.append((number(coefficient), number(rest.args[0])))
        elif rest.free_symbols:
            number(rest)
        else:
            must = "the factor of softmax scores must be rational or a multiple of a logarithm in the exact domain"
            raise NotExact(must, from_sympy(value), _BALL)
    return plain, _combined(logs)


def _combined(logs: Sequence[tuple[Fraction, Fraction]]) -> Logs:
    """One logarithm for a sum of them: log(2)/2 + log(8)/2 has rational powers though log(2)/2 has none."""
    if len(logs) < 2:
        return tuple(logs)
    below = lcm(*(c.denominator for c, _ in logs))
    common = Fraction(gcd(*(int(c * below) for c, _ in logs)), below)
    powers = [(int(c / common), m) for c, m in logs]
    if sum(abs(k) * max(m.numerator, m.denominator).bit_length() for k, m in powers) > MAX_POWER_BITS:
        return tuple(logs)
    return ((common, prod((m**k for k, m in powers), start=Fraction(1))),)


def _softmax(scores: Sequence[Number], plain: Fraction, logs: Logs, values: Sequence[Number]) -> Number:
    """sum w_j v_j / sum w_j with w_j = e^(plain s_j) prod m^(c s_j)."""
    for score in scores:
        if isinstance(score, ExpSum):
            raise NotExact("a softmax score must be rational in the exact domain", score, _BALL)
    if not logs:
        return softmax_mean([plain * s for s in scores], values)
    weights = []
    for s in scores:
        weight: Number = exp_scaled_log(0, 1, plain * s)
        for coefficient, base in logs:
            weight = weight * exp_scaled_log(coefficient * s, base)
        weights.append(weight)
    return _total([w * v for w, v in zip(weights, values, strict=True)]) / _total(weights)


def _total(values: Sequence[Number]) -> Number:
    total: Number = Fraction(0)
    for value in values:
        total = total + value
    return total


def _dot(query: Sequence[Any], key: Sequence[Any]) -> Any:
    return sum(q * k for q, k in zip(query, key, strict=True))


def _integers(rows: list[tuple[Number, ...]], together: bool) -> list[tuple[Any, ...]]:
    """Rows scaled to integers, all by one factor (`together`) or each by its own, which leaves the order of a row's
    scores as it is; rows with exponential sums stay as they are."""
    fractions = [value for row in rows for value in row if isinstance(value, Fraction)]
    if len(fractions) < sum(map(len, rows)):
        return list(rows)
    if together:
        scale = lcm(*(f.denominator for f in fractions))
        return [tuple(int(v * scale) for v in row) for row in rows]
    result = []
    for row in rows:
        scale = lcm(*(v.denominator for v in row if isinstance(v, Fraction)))
        result.append(tuple(int(v * scale) for v in row))
    return result
