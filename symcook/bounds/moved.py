"""How far each coordinate can change if the embedding, the weights and each operation have small errors.

This is a domain whose numbers know how they depend on the errors. A number has its exact value, a ball around all
values that it may take, and its slope. The slope has a ball for each source of error, which contains the derivative
towards this source at every point between the exact run and the changed one. By the mean value theorem a number changes
by at most the sum of |slope| times the size of the source. Only terms of second order in the errors are lost, and
errors that cancel in the model cancel here too. A relu whose argument u may have either sign is u/2 + |u|/2, where
|u|/2 is a source itself (a *kink*), which changes by at most half of the change of u. Multiples of one u share it, so
that relu(u) - relu(-u) changes as u does.

The sources are: each entry of the embedding, where those at one position have the L1 norm delta at most; the stored
weights, which all move together along the line from the exact to the stored ones; and, for a type of floats, the
rounding of each operation by the error model of `symcook.domains.rounding`. The sizes of rounding errors are added up.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from fractions import Fraction
from typing import Any, ClassVar

import flint
from flint import arb, arb_mat, fmpq

from symcook.domains.ball import ACTIVATIONS, _maxima
from symcook.domains.protocol import VARIANCE, Coefficient, refuse_zero_root, unknown_activation
from symcook.domains.rounding import EXP_ULPS, GELU_ULPS, Format
from symcook.domains.rowwise import RowColumn, RowColumns, Rowwise
from symcook.errors import BadInput, Undecided
from symcook.locks import PRECISION
from symcook.model.expr import Tree, names
from symcook.model.rationals import rational
from symcook.numbers.balls import arb_of
from symcook.numbers.evaluate import evaluate
from symcook.present import present

NONE = arb(0)
ONE = arb(1)
HALF = arb(0.5)
NO_KINKS: Mapping[int, arb] = {}
ANY = arb(0, arb.pos_inf())  # the whole real line


class Off:
    """A number with errors.

    exact: its exact value. slope: its derivative towards each source (None: all 0). kinks: number of a kink -> the
    factor of its |u|/2. own: a bound of the sum of all rounding errors. floor: a lower bound of all values, if one is
    known. form: ((the combined numbers, their weights and the bias, all divided by the first weight), the first
    weight), by which multiples share a kink (None: not known). by: the domain that made it (None for `nothing`).
    """

    __slots__ = ("_moved", "_whole", "by", "exact", "floor", "form", "kinks", "own", "slope")

    def __init__(
        self,
        by: Moved | None,
        exact: arb,
        slope: arb_mat | None = None,
        own: arb = NONE,
        kinks: Mapping[int, arb] = NO_KINKS,
        floor: arb | None = None,
    ) -> None:
        self.by: Any = by
        self.exact, self.slope, self.own, self.kinks, self.floor = exact, slope, own, kinks, floor
        self.form: Any = None
        self._whole: Any = None
        self._moved: Any = None

    @property
    def still(self) -> bool:
        """Whether no error changes it."""
        return self.slope is None and self.own.is_zero() and not self.kinks

    @property
    def moved(self) -> arb:
        """A bound of its change."""
        if self._moved is None:
            # The rounding errors and the changes at kinks; then those by the slope.
            change = sum((self.by.bent[k].moved / 2 * x.abs_upper() for k, x in self.kinks.items()), self.own)
            self._moved = (change if self.slope is None else change + self.by.size(self.slope)).upper()
        return self._moved

    @property
    def whole(self) -> arb:
        """A ball around all values that it may take."""
        if self._whole is None:
            ball_of_all: Any = self.exact if self.still else self.exact + arb(0, self.moved.upper())
            if self.floor is not None and not ball_of_all >= self.floor:
                ball_of_all = ball_of_all.max(self.floor)
            self._whole = ball_of_all
        return self._whole


class Moved(Rowwise):
    """The domain at `bits` bits. The errors in the embedding at one position have an L1 norm of at most `delta`.

    `entries` are the names of these errors, which occur in the position functions. `format` is the type of floats whose
    rounding counts; None for exact arithmetic and exact weights.
    """

    name: ClassVar[str] = "moved"
    nothing: ClassVar[Off] = Off(None, NONE)

    def __init__(self, bits: int, entries: Sequence[str], delta: Fraction, format: Format | None = None) -> None:
        super().__init__()
        self.bits, self.entries, self.format = bits, {name: k for k, name in enumerate(entries)}, format
        with PRECISION, self.context():
            self.delta = arb_of(delta)
        self.known: dict[Any, Off] = {}
        """Number of the model -> its value here (`number`)."""
        self.bent: list[Off] = []
        """The u of each kink, by its number."""
        self.forms: dict[Any, tuple[int, Fraction]] = {}
        """Form of a number -> (number of its kink, factor of the multiple that was met first)."""

    def context(self) -> AbstractContextManager[Any]:
        return flint.ctx.workprec(self.bits)

    def begin(self, sequence: object, start: int) -> None:
        super().begin(sequence, start)
        # The number of sources: each named entry at each position, and the stored weights as one.
        self.width = self.length * len(self.entries) + (self.format is not None)

    def size(self, slope: arb_mat) -> arb:
        """A bound of the change by a slope: at each position delta times the largest entry, and the entry of the
        weights."""
        row, per_position = slope.entries(), len(self.entries)
        total = NONE
        # The errors at one position have the L1 norm delta together, so the largest slope there counts.
        for first in range(0, self.length * per_position, max(1, per_position)):
            steepest = max((x.abs_upper() for x in row[first : first + per_position]), default=NONE)
            total = total + steepest * self.delta
        if self.format is not None:
            total = total + row[-1].abs_upper()
        return total.upper()

    def total_size(self, columns: Iterable[Off]) -> arb:
        """A bound of the sum of the changes of several numbers."""
        # For each source add up the absolute slopes; `size` of these sums is at most the sum of sizes.
        numbers = list(columns)
        rows = [[abs(x) for x in off.slope.entries()] for off in numbers if off.slope is not None]
        changes = sum((off.own for off in numbers), NONE)
        for off in numbers:
            changes += sum((self.bent[k].moved / 2 * x.abs_upper() for k, x in off.kinks.items()), NONE)
        if not rows:
            return changes.upper()
        return (changes + self.size(arb_mat([[sum(column, NONE) for column in zip(*rows, strict=True)]]))).upper()

    # Numbers of the model and the input.

    def number(self, value: Coefficient) -> Off:
        known_off = self.known.get(value)
        if known_off is None:
            known_off = self.known[value] = self.given(value)
        return known_off

    def given(self, value: Coefficient) -> Off:
        """A number of the model. With a type of floats its error is the difference from the stored number."""
        exact = arb(evaluate(value) if isinstance(value, tuple) else fmpq(value.numerator, value.denominator))
        if self.format is None:
            return Off(self, exact)
        off = arb_of(self.format.stored(value)) - exact
        return Off(self, exact) if off.is_zero() else Off(self, exact, self.one(-1, off))

    def one(self, place: int, value: arb) -> arb_mat:
        """The slope that is `value` at the source `place` (-1: the weights) and 0 elsewhere."""
        row: list[Any] = [0] * self.width
        row[place] = value
        return arb_mat([row])

    def position(self, term: Tree, i: int) -> Off:
        """A position function at index i. The names of `entries` in it have the exact value 0, and slope 1 at this
        position."""
        indices = {"i": Fraction(i), "n": Fraction(self.length)}
        moving = names(term) & set(self.entries)
        indices |= dict.fromkeys(moving, Fraction(0))
        try:
            base = self.number(rational(term, indices))
        except BadInput:  # not rational
            base = self.given_at(term, indices)
        for name in moving:
            slope_unit = self.one((i - self._start) * len(self.entries) + self.entries[name], ONE)
            base = Off(
                self, base.exact, slope_unit if base.slope is None else base.slope + slope_unit, base.own, base.kinks
            )
        return base

    def given_at(self, term: Tree, indices: Mapping[str, Fraction]) -> Off:
        """An irrational term in i and n."""
        exact = arb(evaluate(term, indices))
        if self.format is None:
            return Off(self, exact)
        off = arb(0, (abs(exact) * self.format.unit).upper())
        return Off(self, exact, self.one(-1, off))

    def input(self, name: str) -> RowColumn:
        """Rows of numbers may have any values."""
        return [Off(self, ANY) for _ in self.rows]

    # The arithmetic. A result has its exact value and its slopes; `rounded` adds the rounding error.

    def rounded(self, result: Off, error: arb | None = None) -> Off:
        """The number with the error of one rounding added, or with `error`, if several roundings lead to it. With
        several roundings, even a result that the type has may come out rounded."""
        format = self.format
        # Exact arithmetic, or a number that the type has.
        if format is None or (
            error is None and result.still and result.exact.is_exact() and format.holds(result.exact)
        ):
            return result
        size = result.whole.abs_upper()
        self.must_fit(size)
        rounding = size * format.unit + format.tiny if error is None else error
        return Off(self, result.exact, result.slope, (result.own + rounding).upper(), result.kinks, result.floor)

    def must_fit(self, size: arb) -> None:
        """Raise Undecided if a number of this absolute value may overflow: the result may then be any number."""
        if self.format is not None and not self.format.fits(size):
            raise Undecided(f"a value may be as large as {float(size):.3g}, beyond the type of floats")

    def times(self, a: Off, b: Off) -> Off:
        """The product, with the slopes b towards a and a towards b."""
        if a.still:
            a, b = b, a
        # A factor without errors has no slope, and for it the exact value is used. A square is at least 0.
        if b.still and b.exact.is_zero():
            return self.nothing
        derivatives = [(a, b.whole), (b, a.whole)] if not b.still else [(a, b.exact)]
        return self.rounded(self.passed(a.exact * b.exact, derivatives, NONE if a is b else None))

    def over(self, a: Off, b: Off) -> Off:
        """The quotient a/b, with the slopes 1/b towards a and -a/b^2 towards b. Undecided if b may be zero."""
        if b.still and b.exact == 1:
            return a
        divisor = b.whole
        if not (divisor > 0 or divisor < 0):
            raise Undecided("a divisor may be zero")
        ratio = a.whole / divisor
        return self.rounded(self.passed(a.exact / b.exact, [(a, 1 / divisor), (b, -ratio / divisor)]))

    def passed(self, exact: arb, derivatives: Sequence[tuple[Off, arb]], floor: arb | None = None) -> Off:
        """The number with an exact value and the given derivatives towards other numbers, by the chain rule.

        Numbers without errors are left out, so that 0 times an infinite ball is 0.
        """
        slope, rounding_error, kinks = None, NONE, dict[int, arb]()
        for part, derivative in derivatives:
            if part.slope is not None:
                part_slope = part.slope if derivative is ONE else part.slope * derivative
                slope = part_slope if slope is None else slope + part_slope
            if not part.own.is_zero():
                rounding_error = rounding_error + part.own * derivative.abs_upper()
            for k, x in part.kinks.items():
                kinks[k] = kinks.get(k, NONE) + x * derivative
        return Off(self, exact, slope, rounding_error, kinks or NO_KINKS, floor)

    def added(self, parts: Sequence[Off]) -> Off:
        """The exact sum."""
        return self.passed(sum((part.exact for part in parts), NONE), [(part, ONE) for part in parts])

    def total(self, parts: Sequence[Off]) -> Off:
        """The sum with the rounding errors of any order of addition."""
        terms = [part for part in parts if not (part.still and part.exact.is_zero())]
        if len(terms) < 2:
            return terms[0] if terms else self.nothing
        summed = self.added(terms)
        if self.format is None:
            return summed
        # No rounding: all numbers are exact, and so are all partial sums.
        if all(part.still for part in terms) and self.format.holds(arb(self.format.total([p.exact for p in terms]))):
            return summed
        size = sum((part.whole.abs_upper() for part in terms), NONE)
        self.must_fit(size)  # then every partial sum fits too, in any order
        return self.rounded(summed, size * self.share(len(terms) - 1))

    def share(self, roundings: int) -> arb:
        """A bound of the relative error of so many successive roundings: k u/(1 - k u)."""
        error = arb(roundings * present(self.format).unit)
        if not 2 * error < 1:
            raise Undecided("a sum has more terms than the type of floats can count")
        return error / (1 - error)

    def running(self, column: Sequence[Off]) -> Sequence[Off]:
        return [self.total(column[:k]) for k in range(len(column) + 1)]

    def activation(self, x: Off, kind: str) -> Off:
        """The activation of a number. If its argument may have either sign, a step is undecided, and a relu gets a kink
        (`bend`)."""
        all_values = x.whole
        if kind == "step":
            if all_values > 0 or all_values <= 0:
                return self.number(int(all_values > 0))
            raise Undecided("the argument of a step activation may be positive or not")
        if kind == "relu":
            if all_values >= 0:
                return x
            if all_values <= 0:
                return self.nothing
            return self.bend(x)
        if kind not in GELU_SLOPES:
            raise unknown_activation(kind)
        # The forms of gelu are smooth: use the derivative over all values.
        passed_on = self.passed(arb(ACTIVATIONS[kind](x.exact)), [(x, GELU_SLOPES[kind](all_values))])
        if self.format is None or (x.still and all_values.is_zero()):
            return passed_on
        unit = arb(self.format.unit)
        size = passed_on.whole.abs_upper() * unit * (1 + 2 * GELU_ULPS * unit)
        return self.rounded(passed_on, all_values.abs_upper() * 2 * GELU_ULPS * unit + size + self.format.tiny)

    def bend(self, x: Off) -> Off:
        """relu of a number that may have either sign: x/2 + |x|/2, with a kink for |x|/2."""
        # Numbers that are multiples of one linear combination share its kink. With a type of floats, or without a form,
        # only the same object does.
        alone = ((x,), (Fraction(1), Fraction(0))), Fraction(1)
        key, factor = alone if x.form is None or self.format is not None else x.form
        if key not in self.forms:
            self.forms[key] = len(self.bent), abs(factor)
            self.bent.append(x)
        kink, first = self.forms[key]
        half = self.passed(arb(ACTIVATIONS["relu"](x.exact)), [(x, HALF)])
        multiple = arb_of(abs(factor) / first)
        half.kinks = {**half.kinks, kink: half.kinks.get(kink, NONE) + multiple}
        return half

    def linear(self, terms: Sequence[tuple[RowColumn, Coefficient]], bias: Coefficient) -> RowColumn:
        """A linear combination. If its weights are rational, a result stores its terms divided by the first weight
        (`form`), by which `bend` recognises multiples."""
        results = super().linear(terms, bias)
        weights: list[Any] = [weight for _, weight in terms]
        if terms and weights[0] and not any(isinstance(c, tuple) for c in (*weights, bias)):
            lead = Fraction(weights[0])
            numbers: list[Any] = [*weights, bias]
            shares = tuple(Fraction(c) / lead for c in numbers)
            for entry, *parts in zip(results, *(column for column, _ in terms), strict=True):
                if entry.form is None and entry is not self.nothing and all(entry is not part for part in parts):
                    entry.form = (tuple(parts), shares), lead
        return results

    def normalised(self, entries: Sequence[Off], epsilon: Off, zero_variance: str, i: int) -> Sequence[Off]:
        """Layer norm without gain and bias. Undecided if the variance plus epsilon may be zero."""
        mean = self.mean(entries)
        minus = self.passed(-mean.exact, [(mean, -ONE)])
        centred = [self.total([x, minus]) for x in entries]
        if all(entry.still and entry.exact.is_zero() for entry in centred) and epsilon.exact.is_zero():
            refuse_zero_root(zero_variance, i, VARIANCE)
            return [self.nothing] * len(entries)
        variance = self.mean([self.times(x, x) for x in centred])
        # A mean of squares is at least 0, so variance + epsilon is at least epsilon.
        variance.floor = NONE
        divisor = self.total([variance, epsilon])
        divisor.floor = epsilon.whole.lower()
        if not divisor.whole > 0:
            raise Undecided(f"the variance under a layer norm at position {i} may become zero")
        root = self.root(divisor)
        return [self.over(x, root) for x in centred]

    def root(self, x: Off) -> Off:
        """The square root, with the slope 1/(2 root)."""
        root_ball = x.whole.sqrt()
        floor = root_ball.lower() if self.format is None else NONE  # a rounded root may be lower
        return self.rounded(self.passed(x.exact.sqrt(), [(x, 1 / (2 * root_ball))], floor))

    def softmax(self, scores: Sequence[Off], scale: Off | None, rows: Sequence[Sequence[Off]]) -> Sequence[Off]:
        """The weighted mean of each row of values. With weights p and values v it has the slopes p towards the values
        and p (v - mean) towards the scores."""
        if scale is not None:
            scores = [self.times(scale, score) for score in scores]
        # The weights at the exact scores (`exact`), and balls of the weights for all values of the scores (`share`):
        # weight i is 1/sum of e^(s_j - s_i).
        exact = _shares([score.exact for score in scores])
        wholes = [score.whole for score in scores]
        share = [
            1 / sum(((other_ball - score_ball).exp() for other_ball in wholes), NONE)
            if not _one_object(wholes)
            else arb(1) / len(scores)
            for score_ball in wholes
        ]
        means = []
        for row in rows:
            # One position has the weight e^0/e^0 = 1. Equal values have their value as mean, but in floats the sum of
            # the weights is only nearly 1.
            alone = len(scores) == 1
            if alone or (self.format is None and _one_object(row)):
                means.append(row[0])
                continue
            # The mean is between the smallest and the largest value.
            values = [value.whole for value in row]
            mean = sum((p * v for p, v in zip(share, values, strict=True)), NONE)
            low, high = min(v.lower() for v in values), max(v.upper() for v in values)
            mean = mean.max(low).min(high)
            score_slopes = [p * (v - mean) for p, v in zip(share, values, strict=True)]
            exact_mean = sum((p * v.exact for p, v in zip(exact, row, strict=True)), NONE)
            derivatives = [*zip(row, share, strict=True), *zip(scores, score_slopes, strict=True)]
            result = self.passed(exact_mean, derivatives)
            if self.format is not None:
                size = sum(((p * v).abs_upper() for p, v in zip(share, values, strict=True)), NONE)
                result = self.rounded(result, self.soft_rounding(wholes, size, values))
            means.append(result)
        return means

    def soft_rounding(self, scores: Sequence[arb], size: arb, values: Sequence[arb]) -> arb:
        """A bound of the rounding error of one softmax mean: the relative errors of the weights, of their sum, of the
        sum of products, and of the quotient. Weights below the smallest normal number may be flushed to zero; some
        weight is about 1. `size` bounds the sum of the absolute products of exact weights and values."""
        if self.format is None:
            raise RuntimeError("self.format must be set here")
        unit, k = arb(self.format.unit), len(scores)
        # Relative errors: `weight` of one weight, `above` of the sum of products, `below` of the sum of weights.
        top = max(score.abs_upper() for score in scores)
        weight = (2 * top * unit).exp() * (1 + 2 * EXP_ULPS * unit) * (1 + unit) - 1
        above = (1 + weight) * (1 + unit) * (1 + self.share(k - 1)) - 1
        below = (1 + weight) * (1 + self.share(k - 1)) - 1
        if not below < arb(0.5):
            raise Undecided("scores are too large for the type of floats")
        self.must_fit(k * max(v.abs_upper() for v in values) * (1 + above))  # the sum before the division
        underflow = 4 * k * (self.format.flushed + self.format.tiny) * (1 + max(v.abs_upper() for v in values))
        return size * ((1 + above) * (1 + unit) / (1 - below) - 1) + underflow + self.format.tiny

    def soft(
        self, queries: RowColumns, keys: RowColumns, values: RowColumns, seen: Sequence[range], factor: Coefficient
    ) -> Any:
        if self.format is None and all(_one_object(column) for column in keys):  # equal scores
            return [self.plain(column, seen, "average") for column in values]
        return super().soft(queries, keys, values, seen, factor)

    def shares(self, scores: Sequence[Off]) -> Iterable[Off]:
        units = [[self.number(int(a == b)) for b in range(len(scores))] for a in range(len(scores))]
        return self.softmax(scores, None, units)

    def best(self, scores: Sequence[Off], weighting: str, i: int, first: int) -> Sequence[int]:
        return _maxima([score.whole for score in scores], weighting, i, first, self.bits)

    def first_largest(self, scores: Sequence[Off]) -> None:
        return None

    def is_positive(self, x: Off) -> None:
        return None

    def is_zero(self, x: Off) -> None:
        return None

    def show(self, value: Off, digits: int) -> str:
        return str(value.moved)


def _shares(scores: Sequence[arb]) -> list[arb]:
    """The softmax of the scores."""
    top = max(score.mid() for score in scores)
    weights = [(score - top).exp() for score in scores]
    total = sum(weights, NONE)
    return [weight / total for weight in weights]


def _one_object(entries: Sequence[object]) -> bool:
    """Whether all entries are one object, and so certainly equal."""
    return all(entry is entries[0] for entry in entries)


def _gelu_slope(x: arb) -> arb:
    """The derivative of gelu: Phi(x) + x phi(x)."""
    half = (-x * arb(2).rsqrt()).erfc() / 2
    return half + x * (-x * x / 2).exp() / (2 * arb.pi()).sqrt()


def _by_logistic(inner: arb, inner_slope: arb, x: arb) -> arb:
    """The derivative of x L(inner(x)), with the logistic function L. `inner` is inner(x), and `inner_slope` its
    derivative."""
    value = 1 / (1 + (-inner).exp())
    return value + x * value * (1 - value) * inner_slope


def _gelu_tanh_slope(x: arb) -> arb:
    """The derivative of the tanh approximation of gelu."""
    factor, cube = 2 * (2 / arb.pi()).sqrt(), arb(fmpq(44715, 1000000))
    return _by_logistic(factor * (x + cube * x * x * x), factor * (1 + 3 * cube * x * x), x)


def _gelu_sigmoid_slope(x: arb) -> arb:
    """The derivative of the logistic approximation of gelu."""
    factor = arb(fmpq(1702, 1000))
    return _by_logistic(factor * x, factor, x)


GELU_SLOPES = {"gelu": _gelu_slope, "gelu-tanh": _gelu_tanh_slope, "gelu-sigmoid": _gelu_sigmoid_slope}
"""Kind of gelu -> a function from a ball to a ball around its derivatives there. If that is infinite, so is the
bound."""
