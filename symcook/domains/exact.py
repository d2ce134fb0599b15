"""Exact values: rationals as `Fraction`, exponential sums (`symcook.numbers.expsum`) as results of softmax, and numbers
with one square root (`symcook.numbers.roots`) as results of layer norm.

A column is a list with one value for each position. No operation rounds, and no float is accepted. A coefficient
without an exact form here is rejected, and the error names a domain that accepts it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import gcd, lcm, prod
from operator import mul
from typing import Any, ClassVar, TypeAlias

from symcook.domains.protocol import MEAN_SQUARE, VARIANCE, Coefficient, refuse_zero_root, unknown_activation
from symcook.domains.rowwise import Quantity, Scores, Shortening
from symcook.errors import NotExact
from symcook.model.expr import Tree, names, show
from symcook.model.parts import SMOOTH
from symcook.model.rationals import NoValue, Rationals, quotient
from symcook.model.symbols import Number, at
from symcook.model.transformer import without_value
from symcook.numbers.expsum import MAX_POWER_BITS, ExpSum, SumForm, exp_scaled_log, softmax_mean
from symcook.numbers.roots import Root, root

ExactValue: TypeAlias = Quantity
"""A Fraction, or an ExpSum or a Root where it is not rational."""
ExactColumn = list[ExactValue]

_BALL = "use --domain ball (rigorous intervals)"


class Exact(Shortening[ExactValue]):
    """Rationals, exponential sums and single square roots; `symcook.domains.protocol.Domain`.

    >>> from symcook.model.parts import Mask
    >>> domain = Exact()
    >>> domain.begin(("(", ")", ")"), 1)
    >>> token = domain.embed({"(": 1, ")": -1})
    >>> domain.attend([], [], [token], Mask.FUTURE, "average", 1)
    [[Fraction(1, 1), Fraction(0, 1), Fraction(-1, 3)]]

    Raises NotExact for a number without an exact form here, BadInput for a floating one or a symbol without value.
    """

    name: ClassVar[str] = "exact"
    nothing = Fraction(0)
    recalls: ClassVar[bool] = True  # see `Shortening`

    def number(self, value: Coefficient) -> ExactValue:
        return coefficient(value)

    def position(self, term: Tree, i: int) -> Fraction:
        return at_position(term, i, self.length)

    multiplies = True

    def activation(self, x: ExactValue, kind: str) -> ExactValue:
        if kind == "relu":
            return x if self.is_positive(x) else Fraction(0)
        if kind == "step":
            return Fraction(1 if self.is_positive(x) else 0)
        if kind not in SMOOTH:
            raise unknown_activation(kind)
        raise NotExact("in exact arithmetic, an activation must have exact values, as relu and step have", kind, _BALL)

    def normalised(
        self, entries: Sequence[ExactValue], epsilon: Fraction, zero_variance: str, i: int
    ) -> list[ExactValue]:
        return normalised(entries, epsilon, zero_variance, i)

    def by_rms(self, entries: Sequence[ExactValue], epsilon: Fraction, zero_square: str, i: int) -> list[ExactValue]:
        return _divided(entries, epsilon, zero_square, i, MEAN_SQUARE)

    def weights(self, scores: Sequence[ExactValue]) -> list[ExactValue]:
        return _weights([(_require_rational(score - scores[0]),) for score in scores], ())

    def scales(self, factor: Coefficient) -> Sequence[tuple[ExactValue, Logs]]:
        """The factor of the scores at each row, in the form of `logarithmic`."""
        if not isinstance(factor, tuple) or "i" not in names(factor):
            return [logarithmic(factor, self._start, self.length)] * len(self.rows)
        return [logarithmic(factor, self._start + row, self.length) for row in self.rows]

    def softmax(
        self, scores: Sequence[ExactValue], scale: tuple[ExactValue, Logs], rows: Sequence[Sequence[ExactValue]]
    ) -> list[ExactValue]:
        """The weighted mean of each row of values; `scale` has the form of `logarithmic`. Scores are taken relative to
        the first one, since a common factor of all weights cancels; a root in `scale` may make their products
        rational."""
        plain, logs = scale
        differences = [score - scores[0] for score in scores]
        return [soft_mean(differences, plain, logs, row) for row in rows]

    def scoring(self, queries: Sequence[ExactColumn], keys: Sequence[ExactColumn], compared: bool) -> Scores:
        """Scores that are only compared are replaced by integers in the same order within each row: if all entries are
        rational, the scores up to a positive factor; if each query and each key is a rational vector times a root,
        their squares with their signs (`_signed_squares`)."""
        memo = next(self._memo)
        if not compared or not all(isinstance(x, Fraction) for column in (*queries, *keys) for x in column):
            return (_signed_squares(queries, keys, memo) if compared else None) or super().scoring(
                queries, keys, compared
            )
        # Multiply all keys by one common denominator, and each query by its own: the order of scores in a row stays.
        key_rows: list[Any] = list(zip(*keys, strict=True))
        common_multiple = lcm(*(x.denominator for key in key_rows for x in key))
        integer_keys = [[int(x * common_multiple) for x in key] for key in key_rows]

        def scores(number: int, sees: range) -> list[int]:
            query: list[Any] = [column[number] for column in queries]
            scale = lcm(*(x.denominator for x in query))
            integer_query = [int(x * scale) for x in query]
            return [sum(map(mul, integer_query, integer_keys[j])) for j in sees]

        return scores

    def show(self, value: ExactValue, digits: int) -> str:
        return quotient(value) if isinstance(value, Fraction) else str(value)


def _signed_squares(queries: Sequence[ExactColumn], keys: Sequence[ExactColumn], memo: dict[Any, Any]) -> Scores | None:
    """Integers in the order of the scores of each row, if every query and every key is integers times one root.

    A score is then S sqrt(r), up to a positive factor of its row, with an integer S and the r of the key; S |S| r, its
    square with its sign, has the same order. None if a query or a key has another form. `memo` has the forms of keys
    that were met before, by the ids of their entries.
    """
    query_forms, key_forms = list[list[int]](), list[tuple[list[int], Fraction]]()
    for query in zip(*queries, strict=True):
        form = _integers_times_root(query)
        if form is None:
            return None
        query_forms.append(form[0])  # without its root, a positive factor of the row
    for key in zip(*keys, strict=True):
        ids = tuple(map(id, key))
        stored = memo.get(ids)
        if stored is None:  # the key is stored too, so that the ids are not reused
            stored = memo[ids] = _integers_times_root(key), key
        form = stored[0]
        if form is None:
            return None
        key_forms.append(form)
    # Multiply each r by the common denominator of all of them.
    common_multiple = lcm(*(size.denominator for _, size in key_forms))
    integer_keys = [(key, size.numerator * (common_multiple // size.denominator)) for key, size in key_forms]

    def scores(number: int, sees: range) -> list[int]:
        query = query_forms[number]
        sums = [(sum(map(mul, query, integer_keys[j][0])), integer_keys[j][1]) for j in sees]
        return [part * abs(part) * size for part, size in sums]

    return scores


def _integers_times_root(entries: Sequence[Any]) -> tuple[list[int], Fraction] | None:
    """(integers, s) such that the entries are the integers times sqrt(s), with s > 0; None if they have no such
    form."""
    inside = next((x.r for x in entries if isinstance(x, Root)), 1)
    factors = []
    for x in entries:
        if isinstance(x, Root) and not x.p and x.r == inside:
            factors.append(x.q)
        elif isinstance(x, Fraction) and (inside == 1 or not x):
            factors.append(x)
        else:
            return None
    common_multiple = lcm(*(x.denominator for x in factors))
    return [int(x * common_multiple) for x in factors], Fraction(inside, common_multiple**2)


def normalised(row: Sequence[ExactValue], epsilon: Fraction, zero_variance: str, i: int) -> list[ExactValue]:
    """(x - mean)/sqrt(variance + epsilon) of the entries at position `i`.

    >>> [str(value) for value in normalised([Fraction(1), Fraction(2), Fraction(6)], Fraction(0), "refuse", 1)]
    ['-sqrt(42)/7', '-sqrt(42)/14', '3*sqrt(42)/14']

    With epsilon = 0 a common factor cancels, so entries with rational ratios always have a result, unless they are all
    equal: then it is NoRun, or zeros (`zero_variance`). Raises NotExact if the result would have two independent roots,
    or a root and an exponential.
    """
    mean = _total(row) / len(row)
    return _divided([value - mean for value in row], epsilon, zero_variance, i, VARIANCE)


def _divided(entries: Sequence[Any], epsilon: Fraction, zero: str, i: int, must: tuple[str, str]) -> list[ExactValue]:
    """x/sqrt(mean of squares + epsilon) of the entries at position `i`; `must` is what NoRun says of a root of zero."""
    # With epsilon = 0, divide the entries by the size of the first nonzero one, so that a common root cancels.
    unit = next((abs(value) for value in entries if value != 0), None)
    if unit is None:
        if epsilon == 0:
            refuse_zero_root(zero, i, must)
        return [Fraction(0) for _ in entries]
    if epsilon == 0:
        entries = [value / unit for value in entries]
    variance = _total([value * value for value in entries]) / len(entries) + epsilon
    if not isinstance(variance, (Fraction, Root)):
        raise NotExact("the variance of a layer norm must be free of exponentials in exact arithmetic", variance, _BALL)
    divisor = root(variance)
    if not isinstance(divisor, Root):
        return [value / divisor for value in entries]
    over = divisor.inverse  # once for all entries
    return [over * value if isinstance(value, (Fraction, Root)) else value / divisor for value in entries]


def coefficient(value: int | Number) -> ExactValue:
    """A coefficient as a Fraction, or as a Root if it has one square root.

    >>> from symcook.model.symbols import lowered
    >>> print(coefficient(lowered("1 - 2/sqrt(3)")))
    1 - 2*sqrt(3)/3

    Raises NotExact for any other number, BadInput for a symbol.
    """
    if isinstance(value, tuple):
        return _tree_value(value)
    return value if isinstance(value, Fraction) else Fraction(value)


@lru_cache(maxsize=4096)
def _tree_value(tree: Tree) -> Any:
    """The value of a term as a Fraction or a Root; NotExact if it has another form."""
    try:
        value = _Roots({}).term(tree)
        return Fraction(value) if isinstance(value, int) else value
    except NotExact:
        raise NotExact("numbers must be rational in exact arithmetic", show(tree), _BALL) from None


def number(value: int | Number) -> Fraction:
    """A coefficient as a Fraction; NotExact if it is irrational, BadInput for a symbol."""
    exact_value = coefficient(value)
    if not isinstance(exact_value, Fraction):
        raise NotExact("numbers must be rational in exact arithmetic", exact_value, _BALL)
    return exact_value


@lru_cache(maxsize=1 << 16)
def at_position(expression: int | Number, i: int, n: int) -> Fraction:
    """The exact value of a term in i and n at one position.

    >>> from symcook.model.symbols import lowered
    >>> at_position(lowered("(-1)^i*i/n"), 3, 4)
    Fraction(-3, 4)

    Raises NotExact if it is irrational, Undecided if a comparison in it is undecided, BadInput if a denominator is zero
    or a power too long.
    """
    return number(value_at(expression, i, n))  # `value_at` asks sympy too, which knows that cos(pi*i) is rational


def value_at(expression: int | Number, i: int, n: int) -> Number:
    """The value of a term in i and n at one position: a Fraction, or a tree if it is irrational."""
    try:
        return rational_at(expression, i, n)
    except NotExact:
        if not isinstance(expression, tuple):
            raise RuntimeError(f"a tuple is expected here, not {type(expression).__name__}") from None
        return at(expression, {"i": i, "n": n})


@lru_cache(maxsize=1 << 14)  # many strings of one length need the same values
def rational_at(expression: int | Number, i: int, n: int) -> Fraction:
    """The value at one position; NotExact unless rational arithmetic and exact roots give it."""
    if not isinstance(expression, tuple):
        return Fraction(expression)
    value = _Rooted({"i": i, "n": n}).term(expression)
    return value if isinstance(value, Fraction) else Fraction(value)


class _Rooted(Rationals):
    """Rational arithmetic, with roots and fractional powers whose value is rational."""

    def name(self, name: str) -> Fraction | int:
        if name not in self.values and name != "pi":
            raise without_value(name)
        return super().name(name)

    def power(self, a: Fraction | int, b: Fraction | int, tree: Tree) -> Fraction:
        return super().power(a, b, tree) if b.denominator == 1 else _root(Fraction(a), Fraction(b))

    def call(self, name: str, arguments: list[Fraction | int], tree: Tree) -> Fraction | int:
        if name == "sqrt":
            return _root(Fraction(arguments[0]), Fraction(1, 2))
        return super().call(name, arguments, tree)


def _root(base: Fraction, exponent: Fraction) -> Fraction:
    """base^exponent for a fractional exponent, if it is rational (else NotExact); BadInput if it has no real value."""
    if base == 0 and exponent > 0:
        return base
    if base == 0:
        raise NoValue("a denominator must not be zero", f"0^({quotient(exponent)})")
    if base < 0:
        must = "the base of a root or a fractional power must not be negative"
        raise NoValue(must, f"({quotient(base)})^({quotient(exponent)})")
    value = exp_scaled_log(exponent, base)
    if not isinstance(value, Fraction):
        raise RuntimeError(f"a Fraction is expected here, not {type(value).__name__}")
    return value


class _WithOtherNumbers(_Rooted):
    """Rationals together with numbers of the class `kind`. For the latter only + - * / are defined: powers, functions
    and comparisons require rationals, unless a subclass says otherwise."""

    kind: ClassVar[Any]
    """The class (or tuple of classes) of the other numbers."""

    def divide(self, a: Any, b: Any, tree: Tree) -> Any:
        return a / b if isinstance(a, self.kind) or isinstance(b, self.kind) else super().divide(a, b, tree)

    def power(self, a: object, b: object, tree: Tree) -> Any:
        base, exponent = self._rational((a, b), tree)
        return super().power(base, exponent, tree)

    def call(self, name: str, arguments: list[object], tree: Tree) -> Any:
        return super().call(name, self._rational(arguments, tree), tree)

    def compare(self, tag: str, a: object, b: object, tree: Tree) -> bool:
        first, second = self._rational((a, b), tree)
        return super().compare(tag, first, second, tree)

    def kept(self, value: Any) -> Any:
        return value if isinstance(value, self.kind) else super().kept(value)

    def _rational(self, values: Sequence[object], tree: Tree) -> list[Any]:
        """The values as a list; NotExact if one of them is not rational."""
        if any(isinstance(value, self.kind) for value in values):
            raise NotExact("the value must be an exact rational", show(tree), "write it as p/q")
        return list(values)


class _Roots(_WithOtherNumbers):
    """Numbers with one square root. Squares of them are defined, and powers with a half-integer exponent of
    rationals."""

    kind = Root

    def power(self, a: Any, b: Any, tree: Tree) -> Any:
        if b == 2 or not isinstance(b, (int, Fraction)) or b.denominator != 2:
            return a * a if b == 2 else super().power(a, b, tree)
        integer_power = super().power(a, (b.numerator - 1) // 2, tree)
        return integer_power * self.call("sqrt", [a], tree)

    def call(self, name: str, arguments: list[object], tree: Tree) -> Any:
        if name == "sqrt" and isinstance(arguments[0], (int, Fraction)) and arguments[0] > 0:
            return root(Fraction(arguments[0]))
        return super().call(name, arguments, tree)


Logs = tuple[tuple[ExactValue, Fraction], ...]
"""Pairs (c, m) of the sum of c log(m)."""
Exponents = tuple[Fraction, ...]
"""The exponent of e in a weight, then the exponent of each base."""
Mixed: TypeAlias = "Fraction | int | Root | _Form"
"""A value that may occur in the factor of scores."""


@dataclass(frozen=True)
class _Form:
    """plain + the sum of c log(m), with `logs` the mapping from m to c."""

    plain: Any
    logs: Mapping[Fraction, Any]

    def __add__(self, other: Mixed) -> _Form:
        if not isinstance(other, _Form):
            return _Form(self.plain + other, self.logs)
        all_logs = {**self.logs, **other.logs}
        sums = {m: self.logs.get(m, Fraction(0)) + other.logs.get(m, Fraction(0)) for m in all_logs}
        return _Form(self.plain + other.plain, {m: c for m, c in sums.items() if c})

    __radd__ = __add__

    def __neg__(self) -> _Form:
        return self * -1

    def __sub__(self, other: Mixed) -> _Form:
        return self + -other

    def __rsub__(self, other: Mixed) -> _Form:
        return -self + other

    def __mul__(self, other: Mixed) -> _Form:
        if isinstance(other, _Form):
            raise NotExact("a product must not have two logarithms", "log", _BALL)
        return _Form(self.plain * other, {m: c * other for m, c in self.logs.items() if other})

    __rmul__ = __mul__

    def __truediv__(self, other: Fraction | int | Root) -> _Form:
        return self * (1 / (Fraction(other) if isinstance(other, int) else other)) if other else NotImplemented


class _Logarithmic(_Roots):
    """Rationals, roots, and sums of logarithms of rationals with rational or root coefficients."""

    kind = (Root, _Form)

    def divide(self, a: object, b: object, tree: Tree) -> Any:
        if isinstance(b, _Form):
            self._rational((b,), tree)
        return a * super().divide(1, b, tree) if isinstance(a, _Form) else super().divide(a, b, tree)

    def call(self, name: str, arguments: list[object], tree: Tree) -> Any:
        if name == "log" and isinstance(arguments[0], (int, Fraction)) and arguments[0] > 0 and arguments[0] != 1:
            return _Form(Fraction(0), {Fraction(arguments[0]): Fraction(1)})
        return super().call(name, arguments, tree)


def logarithmic(factor: int | Number, i: int, n: int) -> tuple[ExactValue, Logs]:
    """(r, ((c, m), ...)) such that the factor of the scores at row i is r + the sum of c log(m).

    Several logarithms are combined into one if possible. m is rational; r and c are rational or roots, whose product
    with a score may be rational.

    >>> from symcook.model.symbols import lowered
    >>> logarithmic(lowered("2*log(n) + 1/i"), 2, 8)
    (Fraction(1, 2), ((Fraction(2, 1), Fraction(8, 1)),))

    Raises NotExact for any other form.
    """
    if not isinstance(factor, tuple):
        return Fraction(factor), ()
    try:
        value = _Logarithmic({"i": i, "n": n}).term(factor)
    except NotExact:
        return coefficient(value_at(factor, i, n)), ()
    if isinstance(value, _Form):
        return value.plain, _one_logarithm([(c, m) for m, c in value.logs.items()])
    return (value if isinstance(value, Root) else Fraction(value)), ()


def _one_logarithm(logs: Sequence[tuple[Any, Fraction]]) -> Logs:
    """The pairs (c, m) of a sum of c log(m), combined into one pair if all c are rational and m is not too long. For
    example log(2)/2 + log(8)/2 becomes log(4): 4^s is rational for an integer s, though 2^(s/2) may not be."""
    if len(logs) < 2 or not all(isinstance(c, Fraction) for c, _ in logs):
        return tuple(logs)
    common_multiple = lcm(*(c.denominator for c, _ in logs))
    # sum c log(m) = common * log(prod m^(c/common)), unless that number is too long.
    common = Fraction(gcd(*(int(c * common_multiple) for c, _ in logs)), common_multiple)
    powers = [(int(c / common), m) for c, m in logs]
    if sum(abs(k) * max(m.numerator, m.denominator).bit_length() for k, m in powers) > MAX_POWER_BITS:
        return tuple(logs)
    return ((common, prod((m**k for k, m in powers), start=Fraction(1))),)


def _require_rational(product: ExactValue) -> Fraction:
    """`product`, a factor of the scores times a score; NotExact if it is irrational."""
    if not isinstance(product, Fraction):
        raise NotExact("a softmax score must be rational in exact arithmetic", product, _BALL)
    return product


def soft_mean(
    scores: Sequence[ExactValue],
    plain: ExactValue,
    logs: Logs,
    values: Sequence[ExactValue],
    counts: Sequence[int] | None = None,
) -> ExactValue:
    """sum w_j v_j / sum w_j with w_j = e^(plain s_j) prod m^(c s_j), where all plain s_j and c s_j must be rational.

    With `counts`, the j-th pair of score and value occurs counts[j] times.
    """
    factors, bases = (plain, *(c for c, _ in logs)), tuple(base for _, base in logs)
    exponents = [tuple(_require_rational(factor * score) for factor in factors) for score in scores]
    forms = [value.form if isinstance(value, ExpSum) else value for value in values]
    pairs = Counter[Any]()
    for pair, count in zip(zip(exponents, forms, strict=True), counts or [1] * len(scores), strict=True):
        pairs[pair] += count
    return mean(frozenset(pairs.items()), bases)


@lru_cache(maxsize=1 << 12)
def mean(
    counted: frozenset[tuple[tuple[Exponents, SumForm | ExactValue], int]], bases: tuple[Fraction, ...]
) -> ExactValue:
    """A row of softmax attention. `counted` has pairs ((exponents, value or its form), number of occurrences in the
    row); exponents are those of e and of each of `bases`. Results are remembered: over all strings of one length, few
    rows differ."""
    exponents = [row for (row, _), _ in counted]
    counts = [count for _, count in counted]
    values: list[Any] = [ExpSum.of(form) if isinstance(form, frozenset) else form for (_, form), _ in counted]
    # Equal exponents: a plain mean. Only powers of e: exponential sums. Otherwise compute each weight.
    if all(row == exponents[0] for row in exponents):
        return _total([value * count for value, count in zip(values, counts, strict=True)]) / sum(counts)
    if not bases:
        return softmax_mean([exponent for (exponent,) in exponents], values, counts)
    weights = [weight * count for weight, count in zip(_weights(exponents, bases), counts, strict=True)]
    return _total([w * v for w, v in zip(weights, values, strict=True)]) / _total(weights)


def _weights(exponents: Sequence[tuple[Fraction, ...]], bases: Sequence[Fraction]) -> list[ExactValue]:
    """e^r times the product of m^k for each row (r, k, ...) of exponents, with the bases m."""
    weights = []
    for exponent, *powers in exponents:
        weight: ExactValue = exp_scaled_log(0, 1, exponent)
        for power, base in zip(powers, bases, strict=True):
            weight = weight * exp_scaled_log(power, base)
        weights.append(weight)
    return weights


def _total(values: Sequence[ExactValue]) -> ExactValue:
    """The sum of some values."""
    total: Any = Fraction(0)
    for value in values:
        total = total + value
    return total
