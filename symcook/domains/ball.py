"""Balls: a value is an exact rational as long as possible, and else an Arb midpoint and radius that enclose the true
number; a comparison of balls may be undecided.

The precision is flint's process-wide setting; `context` sets it for a forward pass and restores it. A rational of more
than `RATIONAL_BITS` bits becomes a ball. A ball that is an affine function a x + b of another ball x is remembered as
such: where x cancels later, the result is rational again. Equal sums of several balls with short factors are recognised
in the same way, so that a rounding that saturates is exact. Two entries that are one object are equal by construction,
irrational or not. Positions with the same entries get the same object, so that ties of their scores are decided.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from fractions import Fraction
from itertools import accumulate, repeat
from math import gcd, lcm
from operator import mul, sub
from typing import Any, ClassVar

import flint
from flint import arb, fmpq

from symcook.domains.ballmatrices import BallMatrices
from symcook.domains.protocol import Coefficient, refuse_zero_variance
from symcook.domains.rowwise import Scores, Shortening
from symcook.domains.sifting import SIFTED, joined, sieve
from symcook.errors import BadInput, Undecided
from symcook.locks import PRECISION
from symcook.model.expr import Tree
from symcook.model.rationals import rational
from symcook.model.symbols import Number
from symcook.numbers.balls import ball, settled
from symcook.numbers.evaluate import evaluate

LIMIT_BITS = 2**15
"""The working precision at which a run gives up, unless the asked digits need more to begin with."""

RATIONAL_BITS = 2**14
"""The size of numerator or denominator beyond which a rational becomes a ball."""

SHORT_BITS = 16
"""Sums of several balls are known again where no factor is longer: those of trained weights would only cost time."""

ROWS = 16
"""Rows of softmax weights that are multiplied with the values at once."""

ZERO = fmpq(0)
ONE = fmpq(1)

BallValue = fmpq | arb
"""A rational (fmpq), or a ball (arb)."""
BallColumn = list[BallValue]
BallColumns = Sequence[BallColumn]
BallRows = Sequence[Sequence[arb]]


class BallDomain(BallMatrices, Shortening[BallValue]):
    """The domain of rationals and real balls at `bits` bits of working precision.

    >>> from symcook.model.parts import Mask
    >>> domain = BallDomain(64)
    >>> with domain.context():
    ...     domain.begin(("a", "b", "b"), 1)
    ...     token = domain.embed({"a": Fraction(2, 3), "b": Fraction(-1, 3)})
    ...     mean = domain.attend([], [], [token], Mask.NONE, "average", 1)[0]
    ...     domain.zero(mean), domain.positive(mean)
    ([True, True, True], [False, False, False])
    """

    matrices: ClassVar[bool] = True
    name: ClassVar[str] = "ball"
    nothing = ZERO
    recalls: ClassVar[bool] = True
    sifts: ClassVar[bool] = True
    """Whether a score that is below another one need not be computed."""
    proportional: ClassVar[bool] = True
    """Whether its numbers are the exact ones, so that a factor of all entries of a norm cancels, and positions with
    equal values may stand for one another."""

    def __init__(self, bits: int = 128) -> None:
        super().__init__()
        self.bits = bits
        self._known: dict[Any, BallValue] = {}
        self._factors: dict[int, tuple[Coefficient, BallValue]] = {}
        """By id of a coefficient: that coefficient (so that the id stays its own), and what it is."""
        self._affine: dict[int, tuple[BallValue, BallValue, fmpq, fmpq]] = {}
        """By id of a ball: that ball (so that the id stays its own), and x, a and b of which it is a x + b."""
        self._ones: dict[Any, BallValue] = {}
        self._directions: dict[tuple[Any, ...], list[BallValue]] = {}
        """By rational entries in lowest terms, as integers: what a norm with epsilon 0 makes of them and of all that
        are a positive multiple of them."""
        self._sums: dict[tuple[tuple[int, fmpq], ...], tuple[list[BallValue], BallValue]] = {}
        """By ids of balls and their factors: these balls, and the sum of the products."""

    def context(self) -> AbstractContextManager[Any]:
        return flint.ctx.workprec(self.bits)

    def number(self, value: int | Number) -> BallValue:
        """An exact number: a rational as it is, a ball around any other one."""
        known = self._known.get(value)
        if known is None:
            known = self._known[value] = self._given(value)
        return known

    def _factor(self, value: int | Number) -> BallValue:
        """A number that a model holds, found by what it is: an equal one is slow to hash."""
        known = self._factors.get(id(value))
        if known is None:
            known = self._factors[id(value)] = value, self.number(value)
        return known[1]

    def _given(self, value: int | Number) -> BallValue:
        """The value of an exact number or of a term without names."""
        evaluated = evaluate(value) if isinstance(value, tuple) else fmpq(value.numerator, value.denominator)
        return self._entry(evaluated)

    def position(self, term: Tree, i: int) -> BallValue:
        try:
            return self.number(rational(term, {"i": Fraction(i), "n": Fraction(self.length)}))
        except BadInput:  # not rational, or no number at all, which the ball will say
            return self._entry(evaluate(term, {"i": i, "n": self.length}))

    def begin(self, sequence: Any, start: int) -> None:
        super().begin(sequence, start)
        self._factors = {}
        self._affine, self._directions, self._ones, self._sums = {}, {}, {}, {}

    def resume(self, sequence: object, start: int, seen: int) -> None:
        kept_with_entries = self._factors, self._affine, self._directions, self._ones, self._sums
        # `begin`, which `super` calls, forgets them.
        super().resume(sequence, start, seen)
        self._factors, self._affine, self._directions, self._ones, self._sums = kept_with_entries

    def linear(self, terms: Sequence[tuple[BallColumn, Coefficient]], bias: Coefficient) -> BallColumn:
        """The weighted sum of columns; each rational part and each base ball is collected by itself."""
        added, factors = self._factor(bias), list[BallValue]()
        if not terms or type(added) is not fmpq:
            return super().linear(terms, bias)

        def combined(entries: Sequence[BallValue]) -> BallValue:
            if not factors:  # of an entry that is new
                factors.extend(self._factor(weight) for _, weight in terms)
            return self._combined(factors, entries, added)

        return self.each([column for column, _ in terms], combined)

    def _combined(self, factors: Sequence[BallValue], entries: Sequence[BallValue], constant: fmpq) -> BallValue:
        """The sum of the products and `constant`, by the balls of which the entries were made."""
        # Each entry is scale * base + shift: the scales of one base are added up, the rest is a constant.
        by_base: dict[int, tuple[BallValue, fmpq]] = {}
        for factor, x in zip(factors, entries, strict=True):
            if type(x) is fmpq and type(factor) is fmpq:
                constant = constant + factor * x
                continue
            if type(factor) is not fmpq:
                x, factor = self.times(factor, x), ONE
            _, base, scale, shift = self._affine.get(id(x), (x, x, ONE, ZERO))
            if type(base) is fmpq:
                constant = constant + base
                continue
            _, so_far = by_base.get(id(base), (base, ZERO))
            by_base[id(base)] = base, so_far + factor * scale
            constant = constant + factor * shift
        summands = [(base, scale) for base, scale in by_base.values() if scale]
        # The same sum of several balls, plus another number: it becomes a base of its own, one object for all.
        if len(summands) > 1 and constant and all(scale.height_bits() <= SHORT_BITS for _, scale in summands):
            terms = tuple((id(base), scale) for base, scale in summands)
            if terms not in self._sums:
                combined = self.total([self.times(scale, base) for base, scale in summands])
                self._sums[terms] = [base for base, _ in summands], combined
            summands = [(self._sums[terms][1], ONE)]
        if len(summands) == 1 and summands[0][1] == 1 and not constant:
            return summands[0][0]
        products = [self.times(scale, base) for base, scale in summands]
        total = self.total([constant, *products] if constant or not summands else products)
        # One base is left: the result is affine in it.
        if len(summands) == 1 and type(total) is arb:
            _, scale = summands[0]
            if max(constant.height_bits(), scale.height_bits()) <= RATIONAL_BITS:
                self._affine[id(total)] = total, *summands[0], constant
        return total

    def activation(self, x: BallValue, kind: str) -> BallValue:
        return _held(ACTIVATIONS[kind](x))

    def normalised(
        self, entries: Sequence[BallValue], epsilon: BallValue, zero_variance: str, i: int
    ) -> list[BallValue]:
        """Undecided where the variance may be zero without being exactly so.

        With epsilon = 0 rational entries are taken as the primitive integers in their direction, so that equal hashes
        of different positions are one number, and one object."""
        rationals: list[Any] = [x for x in entries if type(x) is fmpq]
        if epsilon == 0 and self.proportional and len(rationals) == len(entries) and not self._flat(entries):
            key = _direction(rationals)
            known = self._directions.get(key)
            if known is None:
                known = self._directions[key] = self._normalised(list(map(fmpq, key)), epsilon, zero_variance, i)
            return known
        return self._normalised(entries, epsilon, zero_variance, i)

    def _normalised(
        self, entries: Sequence[BallValue], epsilon: BallValue, zero_variance: str, i: int
    ) -> list[BallValue]:
        """(x - mean)/sqrt(variance + epsilon) of the entries; zeros or NoRun where variance and epsilon are 0."""
        if self._flat(entries):
            centred, variance = [ZERO] * len(entries), ZERO  # exactly, though the mean may be a ball
        else:
            mean = self.mean(entries)
            centred = [self.total([x, -mean]) for x in entries]
            variance = self.mean([self.times(c, c) for c in centred])
            if isinstance(variance, arb):
                variance = variance.nonnegative_part()
        total = self.total([variance, epsilon])
        if total == 0:
            refuse_zero_variance(zero_variance, i)
            return [ZERO] * len(entries)
        if not total > 0:
            raise Undecided(
                f"the variance under a layer norm at position {i} cannot be told from zero at "
                f"{self.bits} bits; exact arithmetic decides that of rational entries."
            )
        root = self._root(total)
        return [self.over(c, root) for c in centred]

    def best(self, scores: Sequence[BallValue], weighting: str, i: int, first: int) -> Sequence[int]:
        return _maxima(scores, weighting, i, first, self.bits)

    def shared(self, value: BallValue) -> BallValue:
        return self._ones.setdefault(value, value) if type(value) is fmpq else value

    def alike(self, scores: Sequence[BallValue], values: BallColumns) -> Sequence[int] | None:
        # Any of the candidates may be the greatest: if all have the same values, it does not matter which.
        candidates = _candidates(scores)
        same = self.proportional and all(_same(row[j], row[candidates[0]]) for row in values for j in candidates[1:])
        return candidates[:1] if same else None

    def scoring(self, queries: BallColumns, keys: BallColumns, compared: bool) -> Scores:
        """By a product of matrices where all entries are rational, and a row asks for all that it sees."""
        plain, tables = super().scoring(queries, keys, compared), list[flint.fmpq_mat | None]()

        def scores(number: int, sees: Sequence[int]) -> Sequence[BallValue]:
            if not isinstance(sees, range):
                return plain(number, sees)
            # Made at the first such row, since rows that ask for few positions do not need the matrix.
            if not tables:
                exact = all(type(x) is fmpq for column in (*queries, *keys) for x in column)
                rows: Any = [list(column) for column in keys]
                tables.append(flint.fmpq_mat(rows) if exact else None)
            if tables[0] is None:
                return plain(number, sees)
            row: Any = [[column[number] for column in queries]]
            return (flint.fmpq_mat(row) * tables[0]).entries()[sees.start : sees.stop]

        return scores

    def leading(self, queries: BallColumns, keys: BallColumns) -> Callable[[int, range], Sequence[int]] | None:
        return sieve(queries, keys) if self.sifts and self.length >= SIFTED else None

    def joined(self, before: BallColumn | None, column: BallColumn) -> BallColumn:
        return joined(before, column)

    def soft(
        self, queries: BallColumns, keys: BallColumns, values: BallColumns, seen: Sequence[range], factor: Coefficient
    ) -> list[BallColumn]:
        """Softmax rows, `ROWS` at a time as one product of matrices; a plain mean where all scores are zero, and the
        one value where all are equal."""
        if all(map(self._flat, values)) and all(seen):
            return [[column[0]] * len(self.rows) for column in values]
        if all(self._flat(column) for column in keys):  # equal scores
            return [self.plain(column, seen, "average") for column in values]
        scale = self.scales(factor)
        # Rows with a zero query have equal scores: there the mean may be exact.
        zeros = [all(_is_zero(x) for x in query) for query in zip(*queries, strict=True)]
        means = [self.plain(column, seen, "average") for column in values] if any(zeros) else []
        asked, offered, value_balls = ([_balls(column) for column in part] for part in (queries, keys, values))
        soft_columns = self._exponential(asked, offered, value_balls, seen, None if scale is None else _balls(scale))
        for column, mean in zip(soft_columns, means, strict=False):
            column[:] = [m if zero else x for x, m, zero in zip(column, mean, zeros, strict=True)]
        return soft_columns

    def _exponential(
        self, queries: BallRows, keys: BallRows, values: BallRows, seen: Sequence[range], scale: Sequence[arb] | None
    ) -> list[BallColumn]:
        """Softmax rows of balls: the weights of `ROWS` rows are one matrix, which is multiplied with the values."""
        n, zero = self.length, arb(0)
        offered = flint.arb_mat([list(column) for column in keys]) if len(keys) > 1 else None
        table = flint.arb_mat([list(row) for row in zip(*values, strict=True)])
        results: list[BallColumn] = [[] for _ in values]
        weight_rows: list[list[arb]] = []
        totals: list[arb] = []
        # Weights outside of what a row sees are zero.
        for number, sees in enumerate(seen):
            query = [q[number] if scale is None else q[number] * scale[number] for q in queries]
            if not sees:
                weights, total = [], zero
            elif offered is None:  # a loop is as fast as a matrix, and takes no more than is sees
                weights, total = _weights(list(map(mul, repeat(query[0]), keys[0][sees.start : sees.stop])))
            else:
                weights, total = _weights((flint.arb_mat([query]) * offered).entries()[sees.start : sees.stop])
            weight_rows.append([zero] * sees.start + weights + [zero] * (n - max(sees.start, sees.stop)))
            totals.append(total)
            if len(weight_rows) == ROWS or number == len(self.rows) - 1:
                for parts, total in zip((flint.arb_mat(weight_rows) * table).tolist(), totals, strict=True):
                    for result, part in zip(results, parts, strict=True):
                        result.append(ZERO if total.is_zero() or part.is_zero() else part / total)
                weight_rows, totals = [], []
        return results

    def shares(self, scores: Sequence[BallValue]) -> Iterable[BallValue]:
        weights, total = _weights(_balls(scores))
        return map(mul, weights, repeat(1 / total))

    def first_largest(self, scores: Sequence[BallValue]) -> int | None:
        return _first_largest(scores)

    def is_positive(self, x: BallValue) -> bool | None:
        return True if x > 0 else False if x <= 0 else None

    def is_zero(self, x: BallValue) -> bool | None:
        return True if x == 0 else False if x > 0 or x < 0 else None

    def read(self, column: BallColumn, place: int) -> arb:
        """The entry as a ball."""
        with PRECISION, self.context():
            return arb(column[place])

    def show(self, value: arb, digits: int) -> dict[str, str]:
        return ball(value, digits).to_json()

    def settled(self, value: arb, digits: int) -> bool:
        return settled(value, digits)

    # The arithmetic, in whose place `symcook.domains.rounding` has another.

    def _entry(self, x: BallValue) -> BallValue:
        """A given number as columns hold it."""
        return _held(x)

    def times(self, a: BallValue, b: BallValue) -> BallValue:
        if (type(a) is fmpq and not a) or (type(b) is fmpq and not b):
            return ZERO  # also where the other one is a ball
        return a * b

    def total(self, parts: Sequence[BallValue]) -> BallValue:
        """The sum of a row; of one entry that entry itself."""
        if len(parts) == 1:
            return parts[0]
        total: BallValue = ZERO
        for part in parts:
            total = total + part
        return _held(total)

    def running(self, column: Sequence[BallValue]) -> BallColumn:
        """Sums of the first 0, 1, ... entries."""
        return list(accumulate(column, lambda a, b: _held(a + b), initial=ZERO))

    def over(self, a: BallValue, b: BallValue) -> BallValue:
        return ZERO if type(a) is fmpq and not a else a if type(b) is fmpq and b == 1 else _held(a / b)

    def mean(self, entries: Sequence[BallValue]) -> BallValue:
        """The mean; 0 of nothing, and the entry itself where all are one."""
        if not entries or self._flat(entries):
            return entries[0] if entries else ZERO
        return super().mean(entries)

    def _root(self, x: BallValue) -> BallValue:
        """The square root, rational where that is exact."""
        if isinstance(x, fmpq):
            above, below = x.p.isqrt(), x.q.isqrt()
            if above * above == x.p and below * below == x.q:
                return fmpq(above, below)
        return arb(x).sqrt()

    def _flat(self, entries: Sequence[BallValue]) -> bool:
        """Whether all entries are surely one number."""
        return all(_same(x, entries[0]) for x in entries)


def _direction(entries: Sequence[fmpq]) -> tuple[int, ...]:
    """The integers without a common divisor that are a positive multiple of rational entries, not all zero."""
    below = lcm(*(int(x.q) for x in entries))
    integers = [int(x.p) * (below // int(x.q)) for x in entries]
    common = gcd(*integers)
    return tuple(x // common for x in integers)


def _same(a: BallValue, b: BallValue) -> bool:
    """Whether two values are surely the same number (balls are equal where both are exact and the same)."""
    return a is b or a == b


def _balls(entries: Sequence[BallValue]) -> Sequence[arb]:
    """The entries as balls; the same sequence where all are balls already."""
    balls: Any = entries if list(map(type, entries)).count(arb) == len(entries) else list(map(arb, entries))
    return balls


def _is_zero(x: BallValue) -> bool:
    return x == 0


def _held(x: BallValue) -> BallValue:
    """A value as it is kept: an exact zero is rational, a long rational a ball."""
    if isinstance(x, fmpq):
        return x if x.height_bits() <= RATIONAL_BITS else arb(x)
    return ZERO if x.is_zero() else x


def _relu(x: BallValue) -> BallValue:
    """max(0, x); [0, upper] where the ball straddles zero."""
    if x >= 0:
        return x
    return ZERO if x <= 0 else arb(x).max(arb(0))


def _step(x: BallValue) -> BallValue:
    """I[x > 0]; [0, 1] where that is open."""
    return fmpq(1) if x > 0 else ZERO if x <= 0 else arb(0.5, 0.5)


def _logistic(x: arb) -> arb:
    """1/(1 + e^-x), with the small exponential on either side."""
    small = (-abs(x)).exp()
    return small / (1 + small) if x < 0 else 1 / (1 + (-x).exp())


def _gelu(x: BallValue) -> BallValue:
    """x Phi(x) = x erfc(-x/sqrt 2)/2."""
    if x == 0:
        return ZERO
    x = arb(x)
    return x * (-x * arb(2).rsqrt()).erfc() / 2


def _gelu_tanh(x: BallValue) -> BallValue:
    """x/2 (1 + tanh u) = x logistic(2u) with u = sqrt(2/pi) (x + 0.044715 x^3)."""
    x = arb(x)
    inner = x + arb(fmpq(44715, 1000000)) * x * x * x
    return x * _logistic(2 * (2 / arb.pi()).sqrt() * inner)


def _gelu_sigmoid(x: BallValue) -> BallValue:
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


def _candidates(scores: Sequence[BallValue]) -> list[int]:
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


def _first_largest(scores: Sequence[BallValue]) -> int | None:
    """The index of the first greatest score; None where that is open."""
    best = _candidates(scores)
    first = scores[best[0]]
    return best[0] if all(_same(first, scores[j]) or first >= scores[j] for j in best[1:]) else None


def _maxima(scores: Sequence[BallValue], weighting: str, row: int, start: int, bits: int) -> list[int]:
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
        # The last or first candidate gets the weight, unless another one may be greater.
        chosen = best[0 if weighting == "leftmost" else -1]
        open_to = next((j for j in best if not (_same(scores[chosen], scores[j]) or scores[chosen] >= scores[j])), None)
        result = [chosen]
    if open_to is not None:
        first, second = sorted((chosen, open_to))
        raise Undecided(
            f"the scores of positions {first + start} and {second + start} in row {row} are too close to tell apart, "
            f"or equal, at {bits} bits; exact arithmetic decides ties of rational scores."
        )
    return result
