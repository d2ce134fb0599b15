"""Exact values: rationals as `Fraction`, exponential sums (`symcook.numbers.expsum`) where a softmax makes them, and
numbers with one square root (`symcook.numbers.roots`) where a layer norm does.

A column is a list with one value a position. Nothing here rounds, and no floating number gets in: a coefficient that
is not rational has no exact form in this domain and is refused with the name of the domain that has one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import gcd, lcm, prod
from typing import Any, ClassVar

from symcook.domains.protocol import conjunction, refuse_zero_variance, visible
from symcook.errors import BadInput, NotExact
from symcook.model.expr import Tree, names, show
from symcook.model.rationals import Rationals, quotient
from symcook.model.symbols import Number, at
from symcook.numbers.expsum import MAX_POWER_BITS, exp_scaled_log, sign, softmax_mean, text
from symcook.numbers.roots import Root, root

Value = Any
"""A Fraction, or an ExpSum or a Root where it is not rational."""
Numbers = list[Value]

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
            rows.append([_softmax(scores, Fraction(1), (), unit) for unit in units])
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

    def read(self, column: Numbers, place: int) -> Value:
        return column[place]

    def show(self, value: Value, digits: int) -> str:
        return text(value)

    def settled(self, value: Value, digits: int) -> bool:
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

    def _rows(self, columns: Sequence[Numbers]) -> list[tuple[Value, ...]]:
        return list(zip(*columns, strict=True))

    def _hard(
        self, queries: Sequence[Numbers], keys: Sequence[Numbers], values: Sequence[Numbers], mask: str, weighting: str
    ) -> Iterator[list[Value]]:
        """Rows of hard attention, with scores compared exactly: equal weight on the positions whose score is maximal,
        or all of it on the first or last one."""
        query_rows, key_rows = _integers(self._rows(queries), False), _integers(self._rows(keys), True)
        known: dict[Any, list[Value]] = {}
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
    ) -> Iterator[list[Value]]:
        """Softmax rows, with scores taken from the first one seen: a common factor of all weights cancels."""
        key_rows = self._rows(keys)
        moves = isinstance(factor, tuple) and "i" in names(factor)
        fixed = None if moves else logarithmic(factor, self._start, self.length)
        known: dict[Any, list[Value]] = {}
        for row, query in zip(self.rows, self._rows(queries), strict=True):
            plain, logs = fixed or logarithmic(factor, self._start + row, self.length)
            seen = visible(mask, row, self.length)
            answer = known.get((seen, query, plain, logs))
            if answer is None and not seen:
                answer = [Fraction(0) for _ in values]
            elif answer is None:
                first = _dot(query, key_rows[seen[0]])
                scores = [_dot(query, key_rows[j]) - first for j in seen]
                answer = [_softmax(scores, plain, logs, [column[j] for j in seen]) for column in values]
            known[seen, query, plain, logs] = answer
            yield answer


def normalised(row: Sequence[Value], epsilon: Fraction, zero_variance: str, i: int) -> list[Value]:
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


def coefficient(value: int | Number) -> Value:
    """A coefficient as a Fraction, or as a Root where it holds one square root.

    >>> from symcook.model.symbols import lowered
    >>> print(coefficient(lowered("1 - 2/sqrt(3)")))
    1 - 2*sqrt(3)/3

    Raises NotExact for any other number, BadInput for a symbol.
    """
    return _known(value) if isinstance(value, tuple) else Fraction(value)


@lru_cache(maxsize=4096)
def _known(tree: Tree) -> Any:
    try:
        return _Roots({}).term(tree)
    except NotExact:
        raise NotExact("numbers must be rational in the exact domain", show(tree), _BALL) from None


def number(value: int | Number) -> Fraction:
    """A coefficient as a Fraction; NotExact where it is not rational, BadInput for a symbol."""
    found = coefficient(value)
    if not isinstance(found, (int, Fraction)):
        raise NotExact("numbers must be rational in the exact domain", found, _BALL)
    return Fraction(found)


def at_position(expression: Number, i: int, n: int) -> Fraction:
    """The exact value of a term in i and n at one position.

    >>> from symcook.model.symbols import lowered
    >>> at_position(lowered("(-1)^i*i/n"), 3, 4)
    Fraction(-3, 4)

    Raises NotExact where it is not rational, Undecided where a comparison in it stays open, BadInput where a
    denominator is zero or a power too long.
    """
    return number(value_at(expression, i, n))  # sympy knows more that is rational, as cos(pi*i)


def value_at(expression: Number, i: int, n: int) -> Number:
    """The value of a term in i and n at one position: a Fraction, or else a tree."""
    try:
        return rational_at(expression, i, n)
    except NotExact:
        assert isinstance(expression, tuple)
        return at(expression, {"i": i, "n": n})


def rational_at(expression: Number, i: int, n: int) -> Fraction:
    """The value at one position; NotExact where it is not rational by its parts and by exact roots alone."""
    return Fraction(_Rooted({"i": i, "n": n}).term(expression)) if isinstance(expression, tuple) else expression


class _Rooted(Rationals):
    """Rationals with those roots and broken powers that are rational."""

    def name(self, name: str) -> Fraction | int:
        if name not in self.values and name != "pi":
            raise BadInput("every symbol must have a value here", name, f"give it one: {name}=...")
        return super().name(name)

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


class _Beside(_Rooted):
    """Rationals beside numbers of another kind, which add and multiply by themselves and have no functions."""

    kind: ClassVar[Any]

    def divide(self, a: Any, b: Any, tree: Tree) -> Any:
        return a / b if isinstance(a, self.kind) or isinstance(b, self.kind) else super().divide(a, b, tree)

    def power(self, a: Any, b: Any, tree: Tree) -> Any:
        return super().power(*self._rational((a, b), tree), tree)

    def call(self, name: str, arguments: list[Any], tree: Tree) -> Any:
        return super().call(name, self._rational(arguments, tree), tree)

    def compare(self, tag: str, a: Any, b: Any, tree: Tree) -> bool:
        return super().compare(tag, *self._rational((a, b), tree), tree)

    def kept(self, value: Any) -> Any:
        return value if isinstance(value, self.kind) else super().kept(value)

    def _rational(self, values: Sequence[Any], tree: Tree) -> list[Any]:
        if any(isinstance(value, self.kind) for value in values):
            raise NotExact("the value must be an exact rational", show(tree), "write it as p/q")
        return list(values)


class _Roots(_Beside):
    """Numbers with one square root."""

    kind = Root

    def power(self, a: Any, b: Any, tree: Tree) -> Any:
        if b == 2 or not isinstance(b, (int, Fraction)) or b.denominator != 2:
            return a * a if b == 2 else super().power(a, b, tree)
        whole = super().power(a, (b.numerator - 1) // 2, tree)
        return whole * self.call("sqrt", [a], tree)

    def call(self, name: str, arguments: list[Any], tree: Tree) -> Any:
        if name == "sqrt" and isinstance(arguments[0], (int, Fraction)) and arguments[0] > 0:
            return root(Fraction(arguments[0]))
        return super().call(name, arguments, tree)


Logs = tuple[tuple[Fraction, Fraction], ...]


@dataclass(frozen=True)
class _Form:
    """plain + the sum of c log(m), with `logs` the mapping from m to c."""

    plain: Fraction
    logs: Mapping[Fraction, Fraction]

    def __add__(self, other: Any) -> _Form:
        if not isinstance(other, _Form):
            return _Form(self.plain + other, self.logs)
        every = {**self.logs, **other.logs}
        sums = {m: self.logs.get(m, Fraction(0)) + other.logs.get(m, Fraction(0)) for m in every}
        return _Form(self.plain + other.plain, {m: c for m, c in sums.items() if c})

    __radd__ = __add__

    def __neg__(self) -> _Form:
        return self * -1

    def __sub__(self, other: Any) -> _Form:
        return self + -other

    def __rsub__(self, other: Any) -> _Form:
        return -self + other

    def __mul__(self, other: Any) -> _Form:
        if isinstance(other, _Form):
            raise NotExact("a product must not have two logarithms", "log", _BALL)
        return _Form(self.plain * other, {m: c * other for m, c in self.logs.items() if other})

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> _Form:
        return self * (1 / Fraction(other)) if other else NotImplemented


class _Logarithmic(_Beside):
    """Rationals and sums of their logarithms."""

    kind = _Form

    def divide(self, a: Any, b: Any, tree: Tree) -> Any:
        self._rational((b,), tree)
        return a * super().divide(1, b, tree)

    def call(self, name: str, arguments: list[Any], tree: Tree) -> Any:
        if name == "log" and isinstance(arguments[0], (int, Fraction)) and arguments[0] > 0 and arguments[0] != 1:
            return _Form(Fraction(0), {Fraction(arguments[0]): Fraction(1)})
        return super().call(name, arguments, tree)


def logarithmic(factor: int | Number, i: int, n: int) -> tuple[Fraction, Logs]:
    """The factor of the scores at row i as r + sum of c log(m): r and the pairs (c, m), all rational; one pair where
    the logarithms fit into one.

    >>> from symcook.model.symbols import lowered
    >>> logarithmic(lowered("2*log(n) + 1/i"), 2, 8)
    (Fraction(1, 2), ((Fraction(2, 1), Fraction(8, 1)),))

    Raises NotExact for any other form.
    """
    if not isinstance(factor, tuple):
        return Fraction(factor), ()
    try:
        found = _Logarithmic({"i": i, "n": n}).term(factor)
    except NotExact:
        try:
            return at_position(factor, i, n), ()
        except NotExact:
            must = "the factor of softmax scores must be rational or a multiple of a logarithm in the exact domain"
            raise NotExact(must, show(factor), _BALL) from None
    if isinstance(found, _Form):
        return found.plain, _combined([(c, m) for m, c in found.logs.items()])
    return Fraction(found), ()


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


def _softmax(scores: Sequence[Value], plain: Fraction, logs: Logs, values: Sequence[Value]) -> Value:
    """sum w_j v_j / sum w_j with w_j = e^(plain s_j) prod m^(c s_j)."""
    for score in scores:
        if not isinstance(score, Fraction):
            raise NotExact("a softmax score must be rational in the exact domain", score, _BALL)
    if all(score == scores[0] for score in scores):
        return _total(values) / len(values)
    if not logs:
        return softmax_mean([plain * s for s in scores], values)
    weights = []
    for s in scores:
        weight: Value = exp_scaled_log(0, 1, plain * s)
        for coefficient, base in logs:
            weight = weight * exp_scaled_log(coefficient * s, base)
        weights.append(weight)
    return _total([w * v for w, v in zip(weights, values, strict=True)]) / _total(weights)


def _total(values: Sequence[Value]) -> Value:
    total: Value = Fraction(0)
    for value in values:
        total = total + value
    return total


def _dot(query: Sequence[Any], key: Sequence[Any]) -> Any:
    return sum(q * k for q, k in zip(query, key, strict=True))


def _integers(rows: list[tuple[Value, ...]], together: bool) -> list[tuple[Any, ...]]:
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
