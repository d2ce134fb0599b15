"""Exact values: rationals as `Fraction`, exponential sums (`symcook.numbers.expsum`) where a softmax makes them, and
numbers with one square root (`symcook.numbers.roots`) where a layer norm does.

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

from symcook.domains.protocol import conjunction, refuse_zero_variance, visible
from symcook.errors import BadInput, NotExact, require_known
from symcook.model.blocks import ACTIVATIONS, WEIGHTINGS
from symcook.model.rationals import Rationals, quotient
from symcook.model.symbols import at, from_sympy, symbol, tree_from_sympy
from symcook.numbers.expsum import MAX_POWER_BITS, exp_scaled_log, sign, softmax_mean, text
from symcook.numbers.roots import Root, root

Number = Any
"""A Fraction, or an ExpSum or a Root where it is not rational."""
Numbers = list[Any]

_BALL = "use --domain ball"


class Exact:
    """Rationals, exponential sums and single square roots; `symcook.domains.protocol.Domain`.

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
        self.rows: Sequence[int] = ()
        """The positions (from 0) that columns have entries for."""

    def context(self) -> AbstractContextManager[Any]:
        return nullcontext()

    def begin(self, sequence: Any, start: int) -> None:
        self._sequence = tuple(sequence)
        self._start = start
        self.length = len(self._sequence)
        self.rows = range(self.length)

    def narrow(self, columns: Sequence[Numbers], place: int) -> list[Numbers]:
        self.rows = self.rows[place:][:1]
        return [[column[place]] for column in columns]

    def embed(self, table: Mapping[str, Any]) -> Numbers:
        values = {token: coefficient(value) for token, value in table.items()}
        return [values[token] for token in self._sequence]

    def input(self, name: str) -> Numbers:
        return [coefficient(row[name]) for row in self._sequence]

    def positions(self, expression: Any) -> Numbers:
        return [at_position(expression, i, self.length) for i in self._indices()]

    def linear(self, terms: Sequence[tuple[Numbers, Any]], bias: Any) -> Numbers:
        result: Numbers = [coefficient(bias)] * len(terms[0][0] if terms else self.rows)
        for column, weight in terms:
            c = coefficient(weight)
            if c == 1:
                result = [a + b for a, b in zip(result, column, strict=True)]
            else:
                result = [a + c * b for a, b in zip(result, column, strict=True)]
        return result

    def activate(self, column: Numbers, kind: str) -> Numbers:
        require_known("activation", kind, ACTIVATIONS)
        if kind == "relu":
            return [value if sign(value) > 0 else Fraction(0) for value in column]
        if kind == "step":
            return [Fraction(int(sign(value) > 0)) for value in column]
        raise NotExact("an activation must have exact values in the exact domain", kind, _BALL)

    def layer_norm(self, columns: Sequence[Numbers], epsilon: Any, zero_variance: str) -> list[Numbers]:
        added = number(epsilon)
        if added < 0:
            raise BadInput("epsilon of a layer norm must not be negative", added)
        rows = (
            normalised(row, added, zero_variance, i)
            for i, row in zip(self._indices(), self._rows(columns), strict=True)
        )
        return [list(column) for column in zip(*rows, strict=True)]

    def distribution(self, columns: Sequence[Numbers]) -> list[Numbers]:
        rows = []
        for row in self._rows(columns):
            scores = [score - row[0] for score in row]
            units = ([Fraction(int(j == k)) for j in range(len(row))] for k in range(len(row)))
            rows.append([soft_mean(scores, Fraction(1), (), unit) for unit in units])
        return [list(column) for column in zip(*rows, strict=True)]

    def largest(self, columns: Sequence[Numbers]) -> list[int | None]:
        return [row.index(max(row)) for row in self._rows(columns)]

    def attend(
        self,
        queries: Sequence[Numbers],
        keys: Sequence[Numbers],
        values: Sequence[Numbers],
        mask: str,
        weighting: str,
        factor: Any,
    ) -> list[Numbers]:
        require_known("weighting", weighting, WEIGHTINGS)
        visible(mask, 0, self.length)  # refuses an unknown mask
        if not queries:
            return [self._plain(column, mask, weighting) for column in values]
        if weighting == "softmax":
            rows = self._soft(queries, keys, values, mask, factor)
        else:
            rows = self._hard(queries, keys, values, mask, weighting)
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
        return text(value)

    def settled(self, value: Number, digits: int) -> bool:
        return True

    def _indices(self) -> Sequence[int]:
        return [self._start + row for row in self.rows]

    def _plain(self, column: Numbers, mask: str, weighting: str) -> Numbers:
        """Rows whose scores are all zero: the first or last entry seen, or a plain average, where one sum (or the
        running sums) is divided once."""
        seen = [visible(mask, row, self.length) for row in self.rows]
        if weighting in ("leftmost", "rightmost"):
            place = 0 if weighting == "leftmost" else -1
            return [column[places[place]] if places else Fraction(0) for places in seen]
        if mask == "none":
            return [_total(column) / self.length] * len(seen)
        back = mask in ("past", "strict-past")
        sums = [Fraction(0), *accumulate(reversed(column) if back else column)]
        return [sums[len(places)] / max(len(places), 1) for places in seen]

    def _rows(self, columns: Sequence[Numbers]) -> list[tuple[Number, ...]]:
        return list(zip(*columns, strict=True))

    def _hard(
        self, queries: Sequence[Numbers], keys: Sequence[Numbers], values: Sequence[Numbers], mask: str, weighting: str
    ) -> Iterator[list[Number]]:
        """Rows of hard attention, with scores compared exactly: equal weight on the positions whose score is maximal,
        or all of it on the first or last one."""
        query_rows, key_rows = _integers(self._rows(queries), False), _integers(self._rows(keys), True)
        known: dict[Any, list[Number]] = {}
        for row, query in zip(self.rows, query_rows, strict=True):
            seen = visible(mask, row, self.length)
            answer = known.get((seen, query))
            if answer is None:
                scores = [(j, _dot(query, key_rows[j])) for j in seen]
                greatest = max((score for _, score in scores), default=None)
                best = [j for j, score in scores if score == greatest]
                best = {"leftmost": best[:1], "rightmost": best[-1:]}.get(weighting, best)
                answer = [_total([column[j] for j in best]) / max(len(best), 1) for column in values]
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
        for row, query in zip(self.rows, self._rows(queries), strict=True):
            plain, logs = fixed or logarithmic(factor, self._start + row, self.length)
            seen = visible(mask, row, self.length)
            answer = known.get((seen, query, plain, logs))
            if answer is None and not seen:
                answer = [Fraction(0) for _ in values]
            elif answer is None:
                first = _dot(query, key_rows[seen[0]])
                scores = [_dot(query, key_rows[j]) - first for j in seen]
                answer = [soft_mean(scores, plain, logs, [column[j] for j in seen]) for column in values]
            known[seen, query, plain, logs] = answer
            yield answer


def normalised(row: Sequence[Number], epsilon: Fraction, zero_variance: str, i: int) -> list[Number]:
    """(x - mean)/sqrt(variance + epsilon) of the entries at position `i`.

    >>> [str(value) for value in normalised([Fraction(1), Fraction(2), Fraction(6)], Fraction(0), "refuse", 1)]
    ['-sqrt(42)/7', '-sqrt(42)/14', '3*sqrt(42)/14']

    With epsilon = 0 a common factor cancels, so that entries need a rational ratio only, whatever they are. Raises
    NotExact where the answer would hold two independent roots, or a root and an exponential.
    """
    mean = _total(row) / len(row)
    moved = [value - mean for value in row]
    unit = next((abs(value) for value in moved if value != 0), None)
    if unit is None:
        if epsilon == 0:
            refuse_zero_variance(zero_variance, i)
        return [Fraction(0) for _ in row]
    if epsilon == 0:
        moved = [value / unit for value in moved]
    variance = _total([value * value for value in moved]) / len(row) + epsilon
    if not isinstance(variance, (Fraction, Root)):
        raise NotExact("the variance of a layer norm must be free of exponentials in the exact domain", variance, _BALL)
    below = root(variance)
    return [value / below for value in moved]


def coefficient(value: Any) -> Number:
    """A coefficient as a Fraction, or as a Root where its square is rational; else as `number` says.

    >>> from symcook.model.symbols import exact
    >>> print(coefficient(exact("-2/sqrt(3)")))
    -2*sqrt(3)/3
    """
    if isinstance(value, sympy.Basic) and not value.is_Rational and not value.free_symbols:
        return _root_or_rational(value)
    return number(value)


@lru_cache(maxsize=4096)
def _root_or_rational(value: Any) -> Number:
    square = value**2
    if square.is_Rational and (value.is_positive or value.is_negative) and not value.has(sympy.Float):
        size = root(_rational(square))
        return size if value.is_positive else -size
    return _rational(value)


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

    >>> from symcook.model.symbols import exact
    >>> at_position(exact("(-1)^i*i/n"), 3, 4)
    Fraction(-3, 4)

    Raises NotExact where it is not rational, Undecided where a comparison in it stays open, BadInput where a
    denominator is zero or a power too long.
    """
    value = value_at(expression, i, n)
    return value if isinstance(value, Fraction) else number(value)  # sympy knows more that is rational, as cos(pi*i)


def value_at(expression: Any, i: int, n: int) -> Any:
    """The value of a sympy expression in i and n at one position: a Fraction, or else the sympy number that it is."""
    try:
        return rational_at(expression, i, n)
    except NotExact:
        return at(expression, i, n)


def rational_at(expression: Any, i: int, n: int) -> Fraction:
    """The value at one position; NotExact where it is not rational by its parts and by exact roots alone."""
    if not isinstance(expression, sympy.Basic) or expression.is_Rational:
        return number(expression)
    return Fraction(_Rooted({"i": i, "n": n}).term(tree_from_sympy(expression)))


class _Rooted(Rationals):
    """Rationals with those roots and broken powers that are rational."""

    def power(self, a: Fraction | int, b: Fraction | int, tree: Any) -> Fraction:
        return super().power(a, b, tree) if b.denominator == 1 else _root(Fraction(a), Fraction(b))

    def call(self, name: str, arguments: list[Fraction | int], tree: Any) -> Fraction | int:
        if name == "sqrt":
            return _root(Fraction(arguments[0]), Fraction(1, 2))
        return super().call(name, arguments, tree)


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


Logs = tuple[tuple[Number, Fraction], ...]


def logarithmic(factor: Any, i: int, n: int) -> tuple[Number, Logs]:
    """The factor of the scores at row i as r + sum of c log(m): r and the pairs (c, m); one pair where the logarithms
    fit into one. m is rational, r and c are rational or roots, which scores with the same root make rational.

    >>> from symcook.model.symbols import exact
    >>> logarithmic(exact("2*log(n) + 1/i"), 2, 8)
    (Fraction(1, 2), ((Fraction(2, 1), Fraction(8, 1)),))

    Raises NotExact for any other form.
    """
    if not isinstance(factor, sympy.Basic) or factor.is_Rational:
        return number(factor), ()
    if not factor.has(sympy.log):
        return coefficient(value_at(factor, i, n)), ()
    value = factor.xreplace({symbol("i"): sympy.Integer(i), symbol("n"): sympy.Integer(n)})
    plain: Number = Fraction(0)
    logs: list[tuple[Number, Fraction]] = []
    for term in sympy.Add.make_args(sympy.expand_mul(value)):
        one = [part for part in sympy.Mul.make_args(term) if isinstance(part, sympy.log) and part.args[0].is_Rational]
        rest = sympy.Mul(*(part for part in sympy.Mul.make_args(term) if part not in one))
        if len(one) > 1 or (rest.has(sympy.log) and not rest.free_symbols):
            must = "the factor of softmax scores must be rational or a multiple of a logarithm in the exact domain"
            raise NotExact(must, from_sympy(value), _BALL)
        if one:
            logs.append((coefficient(rest), number(one[0].args[0])))
        else:
            plain = plain + coefficient(rest)
    return plain, _combined(logs)


def _combined(logs: Sequence[tuple[Number, Fraction]]) -> Logs:
    """One logarithm for a sum of them: log(2)/2 + log(8)/2 has rational powers though log(2)/2 has none."""
    if len(logs) < 2 or not all(isinstance(c, Fraction) for c, _ in logs):
        return tuple(logs)
    below = lcm(*(c.denominator for c, _ in logs))
    common = Fraction(gcd(*(int(c * below) for c, _ in logs)), below)
    powers = [(int(c / common), m) for c, m in logs]
    if sum(abs(k) * max(m.numerator, m.denominator).bit_length() for k, m in powers) > MAX_POWER_BITS:
        return tuple(logs)
    return ((common, prod((m**k for k, m in powers), start=Fraction(1))),)


def soft_mean(scores: Sequence[Number], plain: Number, logs: Logs, values: Sequence[Number]) -> Number:
    """sum w_j v_j / sum w_j with w_j = e^(plain s_j) prod m^(c s_j)."""
    if all(score == scores[0] for score in scores):
        return _total(values) / len(values)
    factors = (plain, *(c for c, _ in logs))
    table = [[_rational_score(factor * score) for factor in factors] for score in scores]
    if not logs:
        return softmax_mean([exponent for (exponent,) in table], values)
    weights = []
    for exponent, *powers in table:
        weight: Number = exp_scaled_log(0, 1, exponent)
        for power, (_, base) in zip(powers, logs, strict=True):
            weight = weight * exp_scaled_log(power, base)
        weights.append(weight)
    return _total([w * v for w, v in zip(weights, values, strict=True)]) / _total(weights)


def _rational_score(score: Number) -> Fraction:
    if not isinstance(score, Fraction):
        raise NotExact("a softmax score must be rational in the exact domain", score, _BALL)
    return score


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
