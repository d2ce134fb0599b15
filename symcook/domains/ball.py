"""Balls: a value is an exact rational until something irrational comes, and from there an Arb midpoint and radius that
encloses the true number; a comparison may stay open.

The precision is flint's process-wide setting; `context` sets it for a forward pass and puts it back. A rational of more
than `RATIONAL_BITS` bits becomes a ball. Two entries that are one object are equal by construction, irrational or not:
positions with the same entries get the same object, so that ties of what they were made of are decided.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from fractions import Fraction
from itertools import accumulate, repeat
from operator import mul, sub
from typing import Any, ClassVar

import flint
from flint import arb, fmpq

from symcook.domains.protocol import conjunction, refuse_zero_variance, visible
from symcook.errors import BadInput, Undecided
from symcook.model.rationals import rational
from symcook.model.symbols import Number
from symcook.numbers.balls import ball, settled
from symcook.numbers.evaluate import evaluate

LIMIT_BITS = 2**15
"""The working precision at which a run gives up, unless the asked digits need more to begin with."""

RATIONAL_BITS = 2**14
"""The size of numerator or denominator beyond which a rational becomes a ball."""

ROWS = 16
"""Rows of softmax weights that are multiplied with the values at once."""

ZERO = fmpq(0)

Value = Any
"""A rational (fmpq), or a ball (arb)."""
Column = list[Value]


class Ball:
    """The domain of rationals and real balls at `bits` bits of working precision.

    >>> domain = Ball(64)
    >>> with domain.context():
    ...     domain.begin(("a", "b", "b"), 1)
    ...     token = domain.embed({"a": Fraction(2, 3), "b": Fraction(-1, 3)})
    ...     mean = domain.attend([], [], [token], "none", "average", 1)[0]
    ...     domain.zero(mean), domain.positive(mean)
    ([True, True, True], [False, False, False])
    """

    name: ClassVar[str] = "ball"

    def __init__(self, bits: int = 128) -> None:
        self.bits = bits
        self.length = 0
        self.rows: Sequence[int] = ()
        """The positions (from 0) that columns have entries for."""
        self._known: dict[Any, Value] = {}
        self._balls: dict[Any, arb] = {}

    def context(self) -> AbstractContextManager[Any]:
        return flint.ctx.workprec(self.bits)

    def begin(self, sequence: Any, start: int) -> None:
        self._sequence = tuple(sequence)
        self._start = start
        self.length = len(self._sequence)
        self.rows = range(self.length)

    def narrow(self, columns: Sequence[Column], place: int) -> list[Column]:
        self.rows = self.rows[place:][:1]
        return [[column[place]] for column in columns]

    def enclose(self, value: Any) -> arb:
        """A ball around an exact number, at the precision that is set."""
        known = self._balls.get(value)
        if known is None:
            known = self._balls[value] = arb(self.number(value))
        return known

    def number(self, value: int | Number) -> Value:
        """An exact number: a rational as it is, a ball around any other one."""
        known = self._known.get(value)
        if known is None:
            known = self._known[value] = self._given(value)
        return known

    def _given(self, value: Any) -> Value:
        given = evaluate(value) if isinstance(value, tuple) else fmpq(value.numerator, value.denominator)
        return self._entry(given)

    def embed(self, table: Mapping[str, Any]) -> Column:
        return [self.number(table[token]) for token in self._sequence]

    def input(self, name: str) -> Column:
        return [self.number(row[name]) for row in self._sequence]

    def positions(self, expression: Any) -> Column:
        if not isinstance(expression, tuple):
            return [self.number(expression)] * len(self.rows)
        return [self._position(expression, place + self._start) for place in self.rows]

    def _position(self, tree: Any, i: int) -> Value:
        try:
            return self.number(rational(tree, {"i": Fraction(i), "n": Fraction(self.length)}))
        except BadInput:  # not rational, or no number at all, which the ball will say
            return self._entry(evaluate(tree, {"i": i, "n": self.length}))

    def linear(self, terms: Sequence[tuple[Column, Any]], bias: Any) -> Column:
        shift = self.number(bias)
        if not terms:
            return [shift] * len(self.rows)
        weights = [None if weight == 1 else self.number(weight) for _, weight in terms]

        def row(entries: Sequence[Value]) -> Value:
            parts = [x if w is None else self._times(w, x) for w, x in zip(weights, entries, strict=True)]
            return self._total(parts if type(shift) is fmpq and not shift else [*parts, shift])

        return each([column for column, _ in terms], row)

    def activate(self, column: Column, kind: str) -> Column:
        return each([column], lambda entries: _held(ACTIVATIONS[kind](entries[0])))

    def layer_norm(self, columns: Sequence[Column], epsilon: Any, zero_variance: str) -> list[Column]:
        """See the protocol; Undecided where the variance may be zero without being exactly so."""
        floor = self.number(epsilon)
        places = iter(self.rows)
        first: dict[tuple[int, ...], list[Value]] = {}
        rows = []
        for entries in zip(*columns, strict=True):
            place, key = next(places), tuple(map(id, entries))
            if key not in first:
                first[key] = self._normalised(entries, floor, zero_variance, self._start + place)
            rows.append(first[key])
        return list(map(list, zip(*rows, strict=True)))

    def _normalised(self, entries: Sequence[Value], floor: Value, zero_variance: str, i: int) -> list[Value]:
        m = fmpq(len(entries))
        if self._flat(entries):
            centred, variance = [ZERO] * len(entries), ZERO  # exactly, though the mean may be a ball
        else:
            mean = self._over(self._total(entries), m)
            centred = [self._total([x, -mean]) for x in entries]
            variance = self._over(self._total([self._times(c, c) for c in centred]), m)
            if isinstance(variance, arb):
                variance = variance.nonnegative_part()
        total = self._total([variance, floor])
        if total == 0:
            refuse_zero_variance(zero_variance, i)
            return [ZERO] * len(entries)
        if not total > 0:
            raise Undecided(
                f"the variance under a layer norm at position {i} cannot be told from zero at "
                f"{self.bits} bits; the exact domain decides that of rational entries."
            )
        root = self._root(total)
        return [self._over(c, root) for c in centred]

    def attend(
        self,
        queries: Sequence[Column],
        keys: Sequence[Column],
        values: Sequence[Column],
        mask: str,
        weighting: str,
        factor: Any,
    ) -> list[Column]:
        if not queries:
            return [self._plain(column, mask, weighting) for column in values]
        scale = None if factor == 1 else self.positions(factor)
        if weighting == "softmax":
            return self._soft(queries, keys, values, mask, scale)
        results: list[Column] = [[] for _ in values]
        for place, scores in self._scores(queries, keys, mask, scale):
            seen = visible(mask, place, self.length)
            best: Sequence[int] = ()
            if seen:
                best = _maxima(scores, weighting, place + self._start, seen.start + self._start, self.bits)
            for result, value in zip(results, values, strict=True):
                result.append(self._mean([value[seen.start + j] for j in best]))
        return results

    def _scores(
        self, queries: Sequence[Column], keys: Sequence[Column], mask: str, scale: Column | None
    ) -> Iterator[tuple[int, Column]]:
        """Each row with its scores at the positions that it sees; equal keys get one score."""
        factors = scale or [fmpq(1)] * len(self.rows)
        if all(type(x) is fmpq for column in (*queries, *keys, factors) for x in column):
            table = flint.fmpq_mat([list(column) for column in keys])
            for number, place in enumerate(self.rows):
                seen = visible(mask, place, self.length)
                row = flint.fmpq_mat([[factors[number] * column[number] for column in queries]])
                yield place, (row * table).entries()[seen.start : seen.stop] if seen else []
            return
        offered = list(zip(*keys, strict=True))
        names = [tuple(map(id, key)) for key in offered]
        for number, place in enumerate(self.rows):
            query = [column[number] for column in queries]
            known: dict[tuple[int, ...], Value] = {}
            scores = []
            for j in visible(mask, place, self.length):
                score = known.get(names[j])
                if score is None:
                    score = self._total([self._times(q, k) for q, k in zip(query, offered[j], strict=True)])
                    if scale is not None:
                        score = self._times(scale[number], score)
                    known[names[j]] = score
                scores.append(score)
            yield place, scores

    def _soft(
        self,
        queries: Sequence[Column],
        keys: Sequence[Column],
        values: Sequence[Column],
        mask: str,
        scale: Column | None,
    ) -> list[Column]:
        """Softmax rows, `ROWS` at a time as one product of matrices; a plain mean where all scores are zero, and the
        one value where all are equal."""
        if all(map(self._flat, values)) and mask in ("none", "future", "past"):
            return [[column[0]] * len(self.rows) for column in values]
        if all(self._flat(column) for column in keys):  # equal scores
            return [self._plain(column, mask, "average") for column in values]
        zeros = [all(_is_zero(x) for x in query) for query in zip(*queries, strict=True)]
        means = [self._plain(column, mask, "average") for column in values] if any(zeros) else []
        asked, offered, held = ([_balls(column) for column in part] for part in (queries, keys, values))
        found = self._exponential(asked, offered, held, mask, None if scale is None else _balls(scale))
        for column, mean in zip(found, means, strict=False):
            column[:] = [m if zero else x for x, m, zero in zip(column, mean, zeros, strict=True)]
        return found

    def _exponential(
        self,
        queries: Sequence[Sequence[arb]],
        keys: Sequence[Sequence[arb]],
        values: Sequence[Sequence[arb]],
        mask: str,
        scale: Sequence[arb] | None,
    ) -> list[Column]:
        """Softmax rows of balls."""
        n, zero = self.length, arb(0)
        offered = flint.arb_mat([list(column) for column in keys]) if len(keys) > 1 else None
        table = flint.arb_mat([list(row) for row in zip(*values, strict=True)])
        results: list[Column] = [[] for _ in values]
        held: list[Column] = []
        totals: list[arb] = []
        for number, place in enumerate(self.rows):
            seen = visible(mask, place, n)
            query = [q[number] if scale is None else q[number] * scale[number] for q in queries]
            if not seen:
                weights, total = [], zero
            elif offered is None:  # a loop is as fast as a matrix, and takes no more than is seen
                weights, total = _weights(list(map(mul, repeat(query[0]), keys[0][seen.start : seen.stop])))
            else:
                weights, total = _weights((flint.arb_mat([query]) * offered).entries()[seen.start : seen.stop])
            held.append([zero] * seen.start + weights + [zero] * (n - max(seen.start, seen.stop)))
            totals.append(total)
            if len(held) == ROWS or number == len(self.rows) - 1:
                for parts, total in zip((flint.arb_mat(held) * table).tolist(), totals, strict=True):
                    for result, part in zip(results, parts, strict=True):
                        result.append(ZERO if total.is_zero() or part.is_zero() else part / total)
                held, totals = [], []
        return results

    def _plain(self, column: Column, mask: str, weighting: str) -> Column:
        """Rows whose scores are all zero: the mean of what is seen, or its first or last entry."""
        rows = [visible(mask, place, self.length) for place in self.rows]
        if weighting in ("leftmost", "rightmost"):
            return [column[row[0 if weighting == "leftmost" else -1]] if row else ZERO for row in rows]
        if mask == "none":
            return [self._mean(column)] * len(rows)
        if len(rows) == 1:
            return [self._mean(column[rows[0].start : rows[0].stop])]
        back = mask in ("past", "strict-past")
        sums = self._running(column[::-1] if back else column)
        return [self._over(sums[len(row)], fmpq(len(row))) if row else ZERO for row in rows]

    def distribution(self, columns: Sequence[Column]) -> list[Column]:
        rows = []
        for scores in zip(*columns, strict=True):
            weights, total = _weights(_balls(scores))
            rows.append(map(mul, weights, repeat(1 / total)))
        return [[*column] for column in zip(*rows, strict=True)]

    def largest(self, columns: Sequence[Column]) -> list[int | None]:
        return [_first_largest(scores) for scores in zip(*columns, strict=True)]

    def positive(self, column: Column) -> list[bool | None]:
        return [True if x > 0 else False if x <= 0 else None for x in column]

    def zero(self, column: Column) -> list[bool | None]:
        return [True if x == 0 else False if x > 0 or x < 0 else None for x in column]

    def both(self, first: bool | None, second: bool | None) -> bool | None:
        return conjunction(first, second)

    def read(self, column: Column, place: int) -> arb:
        """The entry as a ball."""
        with self.context():
            return arb(column[place])

    def show(self, value: arb, digits: int) -> dict[str, str]:
        return ball(value, digits).to_json()

    def settled(self, value: arb, digits: int) -> bool:
        return settled(value, digits)

    # The arithmetic, in whose place `symcook.domains.rounding` has another.

    def _entry(self, x: Value) -> Value:
        """A given number as columns hold it."""
        return _held(x)

    def _times(self, a: Value, b: Value) -> Value:
        if (type(a) is fmpq and not a) or (type(b) is fmpq and not b):
            return ZERO  # also where the other one is a ball
        return a * b

    def _total(self, parts: Sequence[Value]) -> Value:
        """The sum of a row; of one entry that entry itself."""
        if len(parts) == 1:
            return parts[0]
        total: Value = ZERO
        for part in parts:
            total = total + part
        return _held(total)

    def _running(self, column: Column) -> Column:
        """Sums of the first 0, 1, ... entries."""
        return list(accumulate(column, lambda a, b: _held(a + b), initial=ZERO))

    def _over(self, a: Value, b: Value) -> Value:
        return ZERO if type(a) is fmpq and not a else a if type(b) is fmpq and b == 1 else _held(a / b)

    def _mean(self, entries: Sequence[Value]) -> Value:
        """The mean; 0 of nothing, and the entry itself where all are one."""
        if not entries or self._flat(entries):
            return entries[0] if entries else ZERO
        return self._over(self._total(entries), fmpq(len(entries)))

    def _root(self, x: Value) -> Value:
        if isinstance(x, fmpq):
            above, below = x.p.isqrt(), x.q.isqrt()
            if above * above == x.p and below * below == x.q:
                return fmpq(above, below)
        return arb(x).sqrt()

    def _flat(self, entries: Sequence[Value]) -> bool:
        """Whether all entries are surely one number."""
        return all(_same(x, entries[0]) for x in entries)


def each(columns: Sequence[Column], compute: Callable[[Sequence[Value]], Value]) -> Column:
    """`compute` of the entries at each position, once for positions with the same entries."""
    known: dict[tuple[int, ...], Value] = {}
    result = []
    for entries in zip(*columns, strict=True):
        key = tuple(map(id, entries))
        value = known.get(key)
        if value is None:
            value = known[key] = compute(entries)
        result.append(value)
    return result


def _same(a: Value, b: Value) -> bool:
    """Whether two values are surely the same number (balls are equal where both are exact and the same)."""
    return a is b or a == b


def _balls(entries: Sequence[Value]) -> Sequence[arb]:
    return entries if list(map(type, entries)).count(arb) == len(entries) else list(map(arb, entries))


def _is_zero(x: Value) -> bool:
    return x == 0


def _held(x: Value) -> Value:
    """A value as it is kept: an exact zero is rational, a long rational a ball."""
    if type(x) is fmpq:
        return x if x.height_bits() <= RATIONAL_BITS else arb(x)
    return ZERO if x.is_zero() else x


def _relu(x: Value) -> Value:
    """max(0, x); [0, upper] where the ball straddles zero."""
    if x >= 0:
        return x
    return ZERO if x <= 0 else x.max(arb(0))


def _step(x: Value) -> Value:
    """I[x > 0]; [0, 1] where that is open."""
    return fmpq(1) if x > 0 else ZERO if x <= 0 else arb(0.5, 0.5)


def _logistic(x: arb) -> arb:
    """1/(1 + e^-x), with the small exponential on either side."""
    small = (-abs(x)).exp()
    return small / (1 + small) if x < 0 else 1 / (1 + (-x).exp())


def _gelu(x: Value) -> Value:
    """x Phi(x) = x erfc(-x/sqrt 2)/2."""
    if x == 0:
        return ZERO
    x = arb(x)
    return x * (-x * arb(2).rsqrt()).erfc() / 2


def _gelu_tanh(x: Value) -> Value:
    """x/2 (1 + tanh u) = x logistic(2u) with u = sqrt(2/pi) (x + 0.044715 x^3)."""
    x = arb(x)
    inner = x + arb(fmpq(44715, 1000000)) * x * x * x
    return x * _logistic(2 * (2 / arb.pi()).sqrt() * inner)


def _gelu_sigmoid(x: Value) -> Value:
    """x logistic(1.702 x)."""
    x = arb(x)
    return x * _logistic(arb(fmpq(1702, 1000)) * x)


ACTIVATIONS = {
    "relu": _relu,
    "gelu": _gelu,
    "gelu-tanh": _gelu_tanh,
    "gelu-sigmoid": _gelu_sigmoid,
    "step": _step,
}


def _candidates(scores: Sequence[Value]) -> list[int]:
    """The indices that are not surely below another."""
    top = max(scores) if all(type(x) is fmpq for x in scores) else max(scores, key=lambda score: arb(score).mid())
    return [j for j, score in enumerate(scores) if not score < top]


def _weights(scores: Sequence[arb]) -> tuple[list[arb], arb]:
    """exp(score - top) for some top, and their sum. Any top is right, and balls seldom overflow: so zero comes first,
    then the greatest midpoint."""
    weights = list(map(arb.exp, scores))
    total = sum(weights, arb(0))
    if not (total.is_finite() and total > 0):
        top = max(score.mid() for score in scores)
        weights = list(map(arb.exp, map(sub, scores, repeat(top))))
        total = sum(weights, arb(0))
    return weights, total


def _first_largest(scores: Sequence[Value]) -> int | None:
    """The index of the first greatest score; None where that is open."""
    best = _candidates(scores)
    first = scores[best[0]]
    return best[0] if all(_same(first, scores[j]) or first >= scores[j] for j in best[1:]) else None


def _maxima(scores: Sequence[Value], weighting: str, row: int, start: int, bits: int) -> list[int]:
    """The indices that get weight: those of the greatest score, or the first or last of them.

    `row` and `start` are the positions of the row and of the first score. Undecided where balls leave open which, or
    whether two are equal.
    """
    best = _candidates(scores)
    if weighting == "average":
        # balls that are not surely equal need not be different
        equal = {j for j in best if _same(scores[j], scores[best[0]])}
        open_to = next((j for j in best[1:] if j not in equal), None)
        chosen, result = best[0], best
    else:
        chosen = best[0 if weighting == "leftmost" else -1]
        open_to = next((j for j in best if not (_same(scores[chosen], scores[j]) or scores[chosen] >= scores[j])), None)
        result = [chosen]
    if open_to is not None:
        first, second = sorted((chosen, open_to))
        raise Undecided(
            f"the scores of positions {first + start} and {second + start} in row {row} are too close to tell apart, "
            f"or equal, at {bits} bits; the exact domain decides ties of rational scores."
        )
    return result
