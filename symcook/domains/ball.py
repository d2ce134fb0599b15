"""Balls: a value is an exact rational as long as possible, and else an Arb midpoint and radius that enclose the true
number; a comparison of balls may be undecided.

The precision is flint's process-wide setting; `context` sets it for a forward pass and restores it. A sum, quotient or
number of the model that is a rational of more than `RATIONAL_BITS` bits becomes a ball. A ball that `linear` makes as
an affine function a x + b of another ball x is remembered as such: where x cancels later, the result is rational again.
Equal sums of several balls with short factors are recognised in the same way, so that a rounding that saturates is
exact. Two entries that are one object are equal by construction, irrational or not. Positions with the same entries get
the same object, so that ties of their scores are decided.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from fractions import Fraction
from functools import partial
from itertools import accumulate, repeat
from math import gcd, lcm
from operator import mul, sub
from typing import Any, ClassVar

import flint
from flint import arb, fmpq

from symcook.domains.ballmatrices import BallMatrices
from symcook.domains.protocol import (
    MEAN_SQUARE,
    VARIANCE,
    Coefficient,
    refuse_zero_root,
    unknown_activation,
    unknown_weighting,
)
from symcook.domains.rowwise import Scores, Shortening
from symcook.domains.sifting import SIFTED, joined, sieve
from symcook.errors import BadInput, Undecided
from symcook.locks import PRECISION
from symcook.model.expr import Tree
from symcook.model.parts import SIGMOIDS
from symcook.model.rationals import rational
from symcook.model.symbols import Number
from symcook.numbers.balls import ball, settled
from symcook.numbers.evaluate import evaluate

LIMIT_BITS = 2**15
"""The working precision in bits at which a run gives up, unless the requested digits need more from the start."""

RATIONAL_BITS = 2**14
"""A rational with a longer numerator or denominator, in bits, becomes a ball."""

SHORT_BITS = 16
"""Sums of several balls are remembered if no factor has more bits. For the long factors of trained weights, remembering
would only cost time."""

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

    matrices: ClassVar[bool] = True  # see `symcook.domains.protocol.Matrices`
    name: ClassVar[str] = "ball"
    nothing = ZERO
    recalls: ClassVar[bool] = True  # see `Shortening`
    sifts: ClassVar[bool] = True
    """Whether scores that `sieve` shows to be below the maximum may be left out."""
    proportional: ClassVar[bool] = True
    """Whether values enclose the exact ones, without the rounding of a runtime. Then a common factor of all entries of
    a layer norm cancels, and tied positions with equal values are interchangeable."""

    def __init__(self, bits: int = 128) -> None:
        super().__init__()
        self.bits = bits
        self._numbers_of: dict[Any, BallValue] = {}
        """Exact number: its value in this domain (`number`)."""
        self._factors: dict[int, tuple[Coefficient, BallValue]] = {}
        """id of a coefficient: (the coefficient, so that its id is not reused; its value in this domain)."""
        self._affine: dict[int, tuple[BallValue, BallValue, fmpq, fmpq]] = {}
        """id of a ball: (the ball, so that its id is not reused; x; a; b), where the ball is a x + b."""
        self._shared_rationals: dict[Any, BallValue] = {}
        """Rational: the one object that stands for all rationals equal to it."""
        self._directions: dict[tuple[Any, ...], list[BallValue]] = {}
        """Integers without a common divisor: the layer norm with epsilon = 0 of these entries, which is also that of
        every positive multiple of them."""
        self._sums: dict[tuple[tuple[int, fmpq], ...], tuple[list[BallValue], BallValue]] = {}
        """(id of a ball, factor) for each term of a sum: (the balls, so that their ids are not reused; the sum)."""

    def context(self) -> AbstractContextManager[Any]:
        return flint.ctx.workprec(self.bits)

    def number(self, value: int | Number) -> BallValue:
        """An exact number in this domain: a rational itself, or a ball around an irrational number or a long
        rational."""
        result = self._numbers_of.get(value)
        if result is None:
            result = self._numbers_of[value] = self._given(value)
        return result

    def _factor(self, value: int | Number) -> BallValue:
        """A number of the model in this domain, remembered by its id, since hashing a long number is slow."""
        stored = self._factors.get(id(value))
        if stored is None:
            stored = self._factors[id(value)] = value, self.number(value)
        return stored[1]

    def _given(self, value: int | Number) -> BallValue:
        """The value of an exact number or of a term without names."""
        evaluated = evaluate(value) if isinstance(value, tuple) else fmpq(value.numerator, value.denominator)
        return self._entry(evaluated)

    def position(self, term: Tree, i: int) -> BallValue:
        try:
            return self.number(rational(term, {"i": Fraction(i), "n": Fraction(self.length)}))
        except BadInput:  # not rational, or not a number: then `evaluate` raises the error
            return self._entry(evaluate(term, {"i": i, "n": self.length}))

    def begin(self, sequence: Any, start: int) -> None:
        super().begin(sequence, start)
        self._factors = {}
        self._affine, self._directions, self._shared_rationals, self._sums = {}, {}, {}, {}

    def resume(self, sequence: object, start: int, seen: int) -> None:
        remembered = self._factors, self._affine, self._directions, self._shared_rationals, self._sums
        # `super().resume` calls `begin`, which empties these dictionaries.
        super().resume(sequence, start, seen)
        self._factors, self._affine, self._directions, self._shared_rationals, self._sums = remembered

    def linear(self, terms: Sequence[tuple[BallColumn, Coefficient]], bias: Coefficient) -> BallColumn:
        """The weighted sum of columns, collected by base balls where `bias` is rational (see `_combined`)."""
        added, factors = self._factor(bias), list[BallValue]()
        if not terms or type(added) is not fmpq:
            return super().linear(terms, bias)

        def combined(entries: Sequence[BallValue]) -> BallValue:
            if not factors:  # filled at the first position whose entries `each` has not remembered
                factors.extend(self._factor(weight) for _, weight in terms)
            return self._combined(factors, entries, added)

        return self.each([column for column, _ in terms], combined)

    def _combined(self, factors: Sequence[BallValue], entries: Sequence[BallValue], constant: fmpq) -> BallValue:
        """The sum of the products and `constant`. Balls that were made from the same base ball may cancel."""
        summands, constant = self._decomposed(factors, entries, constant)
        # Several balls and a constant: the sum of the balls becomes a base itself. `_sums` has one object for equal
        # sums, so that they cancel later although their constants differ.
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
        # If only one base is left, remember that the result is an affine function of it.
        if len(summands) == 1 and type(total) is arb:
            _, scale = summands[0]
            if max(constant.height_bits(), scale.height_bits()) <= RATIONAL_BITS:
                self._affine[id(total)] = total, *summands[0], constant
        return total

    def _decomposed(
        self, factors: Sequence[BallValue], entries: Sequence[BallValue], constant: fmpq
    ) -> tuple[list[tuple[BallValue, fmpq]], fmpq]:
        """Pairs (base ball, rational scale) and a rational: the sum of scale * base, plus the rational, is the sum of
        the products of `factors` and `entries`, plus `constant`. No base occurs twice, and no scale is 0."""
        # Invariant: the products so far, plus the given constant, are the sum of `by_base` plus `constant`. A ball that
        # `_affine` has is scale * base + shift; any other ball is its own base.
        by_base: dict[int, tuple[BallValue, fmpq]] = {}  # by id of the base
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
        return [(base, scale) for base, scale in by_base.values() if scale], constant

    multiplies = True

    def activation(self, x: BallValue, kind: str) -> BallValue:
        if kind not in ACTIVATIONS:
            raise unknown_activation(kind)
        return _normal_form(ACTIVATIONS[kind](x))

    def normalised(
        self, entries: Sequence[BallValue], epsilon: BallValue, zero_variance: str, i: int
    ) -> list[BallValue]:
        """Undecided where variance + epsilon may be zero without being exactly so.

        With epsilon = 0, rational entries that are not all equal are replaced by the integers without a common divisor
        that are a positive multiple of them. Positions whose entries are proportional then share their results as
        objects, which makes ties of scores between layer-norm hashes decidable."""
        rationals: list[Any] = [x for x in entries if type(x) is fmpq]
        if epsilon == 0 and self.proportional and len(rationals) == len(entries) and not self._all_same(entries):
            key = _direction(rationals)
            result = self._directions.get(key)
            if result is None:
                result = self._directions[key] = self._normalised(list(map(fmpq, key)), epsilon, zero_variance, i)
            return result
        return self._normalised(entries, epsilon, zero_variance, i)

    def _normalised(
        self, entries: Sequence[BallValue], epsilon: BallValue, zero_variance: str, i: int
    ) -> list[BallValue]:
        """(x - mean)/sqrt(variance + epsilon) of the entries."""
        if self._all_same(entries):
            centred, variance = [ZERO] * len(entries), ZERO  # equal entries: exactly zero, even if they are balls
        else:
            mean = self.mean(entries)
            centred = [self.total([x, -mean]) for x in entries]
            variance = self.mean([self.times(c, c) for c in centred])
        root = self._norm_root(variance, epsilon, i)
        if root is None:
            refuse_zero_root(zero_variance, i, VARIANCE)
            return [ZERO] * len(entries)
        return [self.over(c, root) for c in centred]

    def by_rms(self, entries: Sequence[BallValue], epsilon: BallValue, zero_square: str, i: int) -> list[BallValue]:
        root = self._norm_root(self.mean([self.times(x, x) for x in entries]), epsilon, i)
        if root is None:
            refuse_zero_root(zero_square, i, MEAN_SQUARE)
            return [ZERO] * len(entries)
        return [self.over(x, root) for x in entries]

    def _norm_root(self, squares: BallValue, epsilon: BallValue, i: int) -> BallValue | None:
        """The root of a mean of squares plus epsilon; None where it is exactly zero."""
        if isinstance(squares, arb):
            squares = squares.nonnegative_part()
        total = self.total([squares, epsilon])
        if total == 0:
            return None
        if not total > 0:
            raise Undecided(
                f"the variance under a layer norm at position {i} cannot be told from zero at "
                f"{self.bits} bits; exact arithmetic decides it if the entries are rational."
            )
        return self._root(total)

    def best(self, scores: Sequence[BallValue], weighting: str, i: int, first: int) -> Sequence[int]:
        return _maxima(scores, weighting, i, first, self.bits)

    def shared(self, value: BallValue) -> BallValue:
        return self._shared_rationals.setdefault(value, value) if type(value) is fmpq else value

    def alike(self, scores: Sequence[BallValue], values: BallColumns) -> Sequence[int] | None:
        # Any candidate may have the maximum score: if all have the same values, it does not matter which one has.
        candidates = _candidates(scores)
        same = self.proportional and all(_same(row[j], row[candidates[0]]) for row in values for j in candidates[1:])
        return candidates[:1] if same else None

    def scoring(self, queries: BallColumns, keys: BallColumns, compared: bool) -> Scores:
        """Scores as a product of matrices, where all entries are rational and a row needs the scores of a whole
        range."""
        plain = super().scoring(queries, keys, compared)
        tables: list[flint.fmpq_mat | None] = []  # empty, or the matrix of keys; None in it if an entry is a ball

        def scores(number: int, sees: Sequence[int]) -> Sequence[BallValue]:
            """The scores of row `number` at the positions `sees`, by the matrix only for a range."""
            if not isinstance(sees, range):
                return plain(number, sees)
            # Made at the first row with a range, since rows that need few positions do not use the matrix.
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
        """Softmax rows, `ROWS` at a time as one product of matrices. Two cases are exact: if all entries of every value
        column are equal and each row sees a position, the result is that entry; in a row whose scores are certainly
        equal (all keys are equal, or the query is zero), it is the plain mean."""
        if all(map(self._all_same, values)) and all(seen):
            return [[column[0]] * len(self.rows) for column in values]
        if all(self._all_same(column) for column in keys):  # equal keys: equal scores in each row
            return [self.plain(column, seen, "average") for column in values]
        scale = self.scales(factor)
        # Rows with a zero query have equal scores: there the mean may be exact.
        zeros = [all(_is_zero(x) for x in query) for query in zip(*queries, strict=True)]
        means = [self.plain(column, seen, "average") for column in values] if any(zeros) else []
        query_balls, key_balls, value_balls = ([_balls(column) for column in part] for part in (queries, keys, values))
        soft_columns = self._exponential(
            query_balls, key_balls, value_balls, seen, None if scale is None else _balls(scale)
        )
        for column, mean in zip(soft_columns, means, strict=False):
            column[:] = [m if zero else x for x, m, zero in zip(column, mean, zeros, strict=True)]
        return soft_columns

    def _exponential(
        self, queries: BallRows, keys: BallRows, values: BallRows, seen: Sequence[range], scale: Sequence[arb] | None
    ) -> list[BallColumn]:
        """Softmax rows of balls: the weights of `ROWS` rows form one matrix, which is multiplied with the values."""
        n, zero = self.length, arb(0)
        key_table = flint.arb_mat([list(column) for column in keys]) if len(keys) > 1 else None
        table = flint.arb_mat([list(row) for row in zip(*values, strict=True)])
        results: list[BallColumn] = [[] for _ in values]
        weight_rows: list[list[arb]] = []
        totals: list[arb] = []
        # Each row of weights has n entries, zero at positions that the row does not see. After `ROWS` rows, and at the
        # end, the rows collected so far are multiplied with the values and divided by their totals.
        for number, sees in enumerate(seen):
            query = [q[number] if scale is None else q[number] * scale[number] for q in queries]
            if not sees:
                weights, total = [], zero
            elif (
                key_table is None
            ):  # one key column: a loop is as fast, and multiplies only the positions that the row sees
                weights, total = _weights(list(map(mul, repeat(query[0]), keys[0][sees.start : sees.stop])))
            else:
                weights, total = _weights((flint.arb_mat([query]) * key_table).entries()[sees.start : sees.stop])
            weight_rows.append([zero] * sees.start + weights + [zero] * (n - max(sees.start, sees.stop)))
            totals.append(total)
            if len(weight_rows) == ROWS or number == len(self.rows) - 1:
                for parts, total in zip((flint.arb_mat(weight_rows) * table).tolist(), totals, strict=True):
                    for result, part in zip(results, parts, strict=True):
                        result.append(ZERO if total.is_zero() or part.is_zero() else part / total)
                weight_rows, totals = [], []
        return results

    def softmax(
        self, scores: Sequence[BallValue], scale: BallValue | None, rows: Sequence[Sequence[BallValue]]
    ) -> Sequence[BallValue]:
        """The weighted mean of each row of values, with weights e^(scale score)."""
        weights, total = _weights(_balls(scores if scale is None else [self.times(scale, score) for score in scores]))
        sums = (self.total([self.times(w, x) for w, x in zip(weights, row, strict=True)]) for row in rows)
        return [ZERO if part.is_zero() else part / total for part in map(arb, sums)]

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

    # The arithmetic; `symcook.domains.rounding` overrides the methods from here on.

    def _entry(self, x: BallValue) -> BallValue:
        """A number of the model or input, as columns have it."""
        return _normal_form(x)

    def times(self, a: BallValue, b: BallValue) -> BallValue:
        if (type(a) is fmpq and not a) or (type(b) is fmpq and not b):
            return ZERO  # also where the other one is a ball
        return a * b

    def total(self, parts: Sequence[BallValue]) -> BallValue:
        """The sum; 0 of no entries, and for one entry the same object."""
        if len(parts) == 1:
            return parts[0]
        total: BallValue = ZERO
        for part in parts:
            total = total + part
        return _normal_form(total)

    def running(self, column: Sequence[BallValue]) -> BallColumn:
        """The sums of the first 0, 1, ... entries."""
        return list(accumulate(column, lambda a, b: _normal_form(a + b), initial=ZERO))

    def over(self, a: BallValue, b: BallValue) -> BallValue:
        return ZERO if type(a) is fmpq and not a else a if type(b) is fmpq and b == 1 else _normal_form(a / b)

    def mean(self, entries: Sequence[BallValue]) -> BallValue:
        """The mean: 0 of no entries, and the first entry itself if all are certainly equal."""
        if not entries or self._all_same(entries):
            return entries[0] if entries else ZERO
        return super().mean(entries)

    def _root(self, x: BallValue) -> BallValue:
        """The square root: a rational if it is one, else a ball."""
        if isinstance(x, fmpq):
            numerator, denominator = x.p.isqrt(), x.q.isqrt()
            if numerator * numerator == x.p and denominator * denominator == x.q:
                return fmpq(numerator, denominator)
        return arb(x).sqrt()

    def _all_same(self, entries: Sequence[BallValue]) -> bool:
        """Whether all entries are certainly the same number."""
        return all(_same(x, entries[0]) for x in entries)


def _direction(entries: Sequence[fmpq]) -> tuple[int, ...]:
    """The positive multiple of `entries` that has integers without a common divisor; not all entries may be zero."""
    denominator = lcm(*(int(x.q) for x in entries))
    integers = [int(x.p) * (denominator // int(x.q)) for x in entries]
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


def _normal_form(x: BallValue) -> BallValue:
    """The value in its normal form: an exact zero is rational, and a long rational is a ball."""
    if isinstance(x, fmpq):
        return x if x.height_bits() <= RATIONAL_BITS else arb(x)
    return ZERO if x.is_zero() else x


def _relu(x: BallValue) -> BallValue:
    """max(0, x); [0, upper] where the ball straddles zero."""
    if x >= 0:
        return x
    return ZERO if x <= 0 else arb(x).max(arb(0))


def _step(x: BallValue) -> BallValue:
    """I[x > 0]; the ball [0, 1] if it is undecided."""
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


def _sigmoid(factor: Fraction, x: BallValue) -> BallValue:
    """x/(1 + e^(-factor x))."""
    x = arb(x)
    return x * _logistic(arb(fmpq(factor.numerator, factor.denominator)) * x)


ACTIVATIONS: Mapping[str, Callable[[BallValue], BallValue]] = {
    "relu": _relu,
    "gelu": _gelu,
    "gelu-tanh": _gelu_tanh,
    "step": _step,
    **{kind: partial(_sigmoid, factor) for kind, factor in SIGMOIDS.items()},
}


def _candidates(scores: Sequence[BallValue]) -> list[int]:
    """The indices of the scores that are not certainly below the one with the greatest midpoint. The list has every
    index that may have the maximum, and perhaps more."""
    top = max(scores) if all(type(x) is fmpq for x in scores) else max(scores, key=lambda score: arb(score).mid())
    return [j for j, score in enumerate(scores) if not score < top]


def _weights(scores: Sequence[arb]) -> tuple[list[arb], arb]:
    """exp(score - top) for each score, and the sum. Every top gives the same softmax: 0 is tried first, since balls
    seldom overflow, and otherwise the greatest midpoint."""
    weights = list(map(arb.exp, scores))
    total = sum(weights, arb(0))
    if not (total.is_finite() and total > 0):
        top = max(score.mid() for score in scores)
        weights = list(map(arb.exp, map(sub, scores, repeat(top))))
        total = sum(weights, arb(0))
    return weights, total


def _first_largest(scores: Sequence[BallValue]) -> int | None:
    """The index of the first maximum score; None if it is undecided."""
    best = _candidates(scores)
    first = scores[best[0]]
    return best[0] if all(_same(first, scores[j]) or first >= scores[j] for j in best[1:]) else None


def _maxima(scores: Sequence[BallValue], weighting: str, row: int, start: int, bits: int) -> list[int]:
    """The indices that get weight: those of the maximum score, or the first or last of them.

    `row` and `start` are the numbers of the row and of the first score's position, for the message of Undecided. That
    is raised if balls do not decide which scores are the maximum, or whether two are equal.
    """
    best = _candidates(scores)
    if weighting == "average":
        # A candidate that is not certainly equal to the first one may or may not differ from it: undecided.
        equal = {j for j in best if _same(scores[j], scores[best[0]])}
        undecided_with = next((j for j in best[1:] if j not in equal), None)
        chosen, result = best[0], best
    elif weighting in ("leftmost", "rightmost"):
        # The first or last candidate gets the weight; undecided if another candidate may be greater.
        chosen = best[0 if weighting == "leftmost" else -1]
        undecided_with = next(
            (j for j in best if not (_same(scores[chosen], scores[j]) or scores[chosen] >= scores[j])), None
        )
        result = [chosen]
    else:
        raise unknown_weighting(weighting)
    if undecided_with is not None:
        first, second = sorted((chosen, undecided_with))
        raise Undecided(
            f"the scores of positions {first + start} and {second + start} in row {row} are too close to tell apart, "
            f"or equal, at {bits} bits; exact arithmetic decides ties of rational scores."
        )
    return result
