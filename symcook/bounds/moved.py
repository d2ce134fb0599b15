"""How far every coordinate can move when the embedding, the weights and each operation are a little off.

A domain whose numbers know how they depend on what is off. Each has its exact value, a ball around all values that it
may take, and its slope: a ball for each source of error that holds the derivative there at every point between the
exact run and the moved one. By the mean value theorem a number moves by at most the sum of |slope| times the size of
the source. What grows with the square of the errors is all that is lost, and what cancels in the model cancels here.
A relu that may see either sign is u/2 + |u|/2, where |u|/2 is a source of its own, which moves by half of what u does;
multiples of one u share it, so that relu(u) - relu(-u) moves as u does.

Sources: an entry of the embedding each, of which those at one position are together at most delta; the weights as they
are stored, which all move along one line from the exact to the stored ones; and for a type of floats what each
operation rounds, by the error model of `symcook.domains.rounding`, whose sizes are added up as they are passed on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from fractions import Fraction
from typing import Any, ClassVar

import flint
from flint import arb, arb_mat, fmpq

from symcook.domains.ball import ACTIVATIONS, _maxima
from symcook.domains.protocol import Coefficient, refuse_zero_variance
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
ANY = arb(0, arb.pos_inf())


class Off:
    """A number that may be off.

    `exact` is its exact value; `slope` its derivative towards each source (None: all 0); `kinks`, by the number of a
    kink, the factor of the |u|/2 there; `own` what roundings on the way add up to. `floor` is a number below which no
    value lies, where one is known; `form` the sum that it is, up to a factor, so that multiples share a kink; `by` the
    domain that made it.
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
        """Whether nothing moves it."""
        return self.slope is None and self.own.is_zero() and not self.kinks

    @property
    def moved(self) -> arb:
        """A bound on how far it moves."""
        if self._moved is None:
            bent = sum((self.by.bent[k].moved / 2 * x.abs_upper() for k, x in self.kinks.items()), self.own)
            self._moved = (bent if self.slope is None else bent + self.by.size(self.slope)).upper()
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
    """The domain at `bits` bits, for `entries` named entries of each embedding, which sum up to at most `delta`.

    The entries are read as names in the positions' formulas; `format` is the type of floats whose rounding counts, None
    for exact arithmetic and exact weights.
    """

    name: ClassVar[str] = "moved"
    nothing: ClassVar[Off] = Off(None, NONE)

    def __init__(self, bits: int, entries: Sequence[str], delta: Fraction, format: Format | None = None) -> None:
        super().__init__()
        self.bits, self.entries, self.format = bits, {name: k for k, name in enumerate(entries)}, format
        with PRECISION, self.context():
            self.delta = arb_of(delta)
        self.known: dict[Any, Off] = {}
        self.bent: list[Off] = []
        """The u of each kink, whose |u|/2 moves by half of what u does."""
        self.forms: dict[Any, tuple[int, Fraction]] = {}
        """By the form of a sum the number of its kink, and the factor of the multiple that was met first."""

    def context(self) -> AbstractContextManager[Any]:
        return flint.ctx.workprec(self.bits)

    def begin(self, sequence: object, start: int) -> None:
        super().begin(sequence, start)
        # The sources: each named entry at each position, and the weights as one.
        self.width = self.length * len(self.entries) + (self.format is not None)

    def size(self, slope: arb_mat) -> arb:
        """How far a number with this slope moves: at each position the steepest entry by delta, and the weights."""
        row, per_position = slope.entries(), len(self.entries)
        total = NONE
        # Only entries at one position share a budget delta, so the steepest counts at each.
        for first in range(0, self.length * per_position, max(1, per_position)):
            steepest = max((x.abs_upper() for x in row[first : first + per_position]), default=NONE)
            total = total + steepest * self.delta
        if self.format is not None:
            total = total + row[-1].abs_upper()
        return total.upper()

    def total_size(self, columns: Iterable[Off]) -> arb:
        """How far several numbers move together, in the sum of their sizes."""
        # Together they move by the sum of their slopes, source by source.
        numbers = list(columns)
        rows = [[abs(x) for x in off.slope.entries()] for off in numbers if off.slope is not None]
        own = sum((off.own for off in numbers), NONE)
        for off in numbers:
            own += sum((self.bent[k].moved / 2 * x.abs_upper() for k, x in off.kinks.items()), NONE)
        if not rows:
            return own.upper()
        return (own + self.size(arb_mat([[sum(column, NONE) for column in zip(*rows, strict=True)]]))).upper()

    # What is given.

    def number(self, value: Coefficient) -> Off:
        known_off = self.known.get(value)
        if known_off is None:
            known_off = self.known[value] = self.given(value)
        return known_off

    def given(self, value: Coefficient) -> Off:
        """A number of the model: in floats it moves to the one that is stored."""
        exact = arb(evaluate(value) if isinstance(value, tuple) else fmpq(value.numerator, value.denominator))
        if self.format is None:
            return Off(self, exact)
        off = arb_of(self.format.stored(value)) - exact
        return Off(self, exact) if off.is_zero() else Off(self, exact, self.one(-1, off))

    def one(self, place: int, value: arb) -> arb_mat:
        """The slope that is `value` at one source."""
        row: list[Any] = [0] * self.width
        row[place] = value
        return arb_mat([row])

    def position(self, term: Tree, i: int) -> Off:
        """A position function at index i, in which the names of `entries` are 0 and have slope 1 at this position."""
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
        """A term in i and n that is not rational."""
        exact = arb(evaluate(term, indices))
        if self.format is None:
            return Off(self, exact)
        off = arb(0, (abs(exact) * self.format.unit).upper())
        return Off(self, exact, self.one(-1, off))

    def input(self, name: str) -> RowColumn:
        """Rows of numbers may be any."""
        return [Off(self, ANY) for _ in self.rows]

    # The arithmetic. Every result is exact + what moves it; `rounded` adds what a type of floats makes of it.

    def rounded(self, result: Off, by: arb | None = None) -> Off:
        """The number as the type of floats has it: off by one rounding, or by what is given, where there are several:
        not even a number of the type comes out of these for sure."""
        format = self.format
        # Exact arithmetic, or a number that the type holds anyhow.
        if format is None or (by is None and result.still and result.exact.is_exact() and format.holds(result.exact)):
            return result
        size = result.whole.abs_upper()
        self.must_fit(size)
        rounding = size * format.unit + format.tiny if by is None else by
        return Off(self, result.exact, result.slope, (result.own + rounding).upper(), result.kinks, result.floor)

    def must_fit(self, size: arb) -> None:
        """Undecided where a number on the way may be beyond the type of floats: what overflows may be anything."""
        if self.format is not None and not self.format.fits(size):
            raise Undecided(f"a value may be as large as {float(size):.3g}, beyond the type of floats")

    def times(self, a: Off, b: Off) -> Off:
        """The product: slope b towards a, and a towards b."""
        if a.still:
            a, b = b, a
        # What is still needs no ball, and a square is never below 0.
        if b.still and b.exact.is_zero():
            return self.nothing
        by = [(a, b.whole), (b, a.whole)] if not b.still else [(a, b.exact)]
        return self.rounded(self.passed(a.exact * b.exact, by, NONE if a is b else None))

    def over(self, a: Off, b: Off) -> Off:
        """The quotient a/b: slope 1/b towards a, and -a/b^2 towards b. Undecided where b may be zero."""
        if b.still and b.exact == 1:
            return a
        below = b.whole
        if not (below > 0 or below < 0):
            raise Undecided("a divisor may be zero")
        ratio = a.whole / below
        return self.rounded(self.passed(a.exact / b.exact, [(a, 1 / below), (b, -ratio / below)]))

    def passed(self, exact: arb, by: Sequence[tuple[Off, arb]], floor: arb | None = None) -> Off:
        """A number whose derivatives towards others are given. What is still is not multiplied: 0 times a ball without
        an end is 0 here."""
        slope, own, kinks = None, NONE, dict[int, arb]()
        for part, steep in by:
            if part.slope is not None:
                moved = part.slope if steep is ONE else part.slope * steep
                slope = moved if slope is None else slope + moved
            if not part.own.is_zero():
                own = own + part.own * steep.abs_upper()
            for k, x in part.kinks.items():
                kinks[k] = kinks.get(k, NONE) + x * steep
        return Off(self, exact, slope, own, kinks or NO_KINKS, floor)

    def added(self, parts: Sequence[Off]) -> Off:
        """The exact sum."""
        return self.passed(sum((part.exact for part in parts), NONE), [(part, ONE) for part in parts])

    def total(self, parts: Sequence[Off]) -> Off:
        """The sum as the type of floats has it, in any order."""
        terms = [part for part in parts if not (part.still and part.exact.is_zero())]
        if len(terms) < 2:
            return terms[0] if terms else self.nothing
        summed = self.added(terms)
        if self.format is None:
            return summed
        # Every number and the sum are held exactly.
        if all(part.still for part in terms) and self.format.holds(arb(self.format.total([p.exact for p in terms]))):
            return summed
        size = sum((part.whole.abs_upper() for part in terms), NONE)
        self.must_fit(size)  # so does every partial sum, in whatever order
        return self.rounded(summed, size * self.share(len(terms) - 1))

    def share(self, roundings: int) -> arb:
        """What so many roundings, one on top of another, do at most to a number of size 1."""
        error = arb(roundings * present(self.format).unit)
        if not 2 * error < 1:
            raise Undecided("a sum has more terms than the type of floats can count")
        return error / (1 - error)

    def running(self, column: Sequence[Off]) -> Sequence[Off]:
        return [self.total(column[:k]) for k in range(len(column) + 1)]

    def activation(self, x: Off, kind: str) -> Off:
        """The activation of a number that may be off. A step or relu that may see either sign is undecided, or
        bends."""
        all_values = x.whole
        if kind == "step":
            if all_values > 0 or all_values <= 0:
                return self.number(int(all_values > 0))
            raise Undecided("what a step activation sees may have either sign")
        if kind == "relu":
            if all_values >= 0:
                return x
            if all_values <= 0:
                return self.nothing
            return self.bend(x)
        # Forms of gelu are smooth: the derivative over all values.
        passed_on = self.passed(arb(ACTIVATIONS[kind](x.exact)), [(x, GELU_SLOPES[kind](all_values))])
        if self.format is None or (x.still and all_values.is_zero()):
            return passed_on
        unit = arb(self.format.unit)
        size = passed_on.whole.abs_upper() * unit * (1 + 2 * GELU_ULPS * unit)
        return self.rounded(passed_on, all_values.abs_upper() * 2 * GELU_ULPS * unit + size + self.format.tiny)

    def bend(self, x: Off) -> Off:
        """relu of what may have either sign."""
        # Numbers that are multiples of one sum share its kink.
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
        """A linear combination. A result remembers its terms relative to the first weight, so that `bend` sees
        multiples."""
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
        """Layer norm without gain and bias. Undecided where the variance plus epsilon may become zero."""
        mean = self.mean(entries)
        minus = self.passed(-mean.exact, [(mean, -ONE)])
        centred = [self.total([x, minus]) for x in entries]
        if all(entry.still and entry.exact.is_zero() for entry in centred) and epsilon.exact.is_zero():
            refuse_zero_variance(zero_variance, i)
            return [self.nothing] * len(entries)
        variance = self.mean([self.times(x, x) for x in centred])
        # A mean of squares is never below 0, nor the divisor below epsilon.
        variance.floor = NONE
        below = self.total([variance, epsilon])
        below.floor = epsilon.whole.lower()
        if not below.whole > 0:
            raise Undecided(f"the variance under a layer norm at position {i} may become zero")
        root = self.root(below)
        return [self.over(x, root) for x in centred]

    def root(self, x: Off) -> Off:
        """The square root; its slope is 1/(2 root)."""
        root_ball = x.whole.sqrt()
        floor = root_ball.lower() if self.format is None else NONE  # a root may be rounded below it
        return self.rounded(self.passed(x.exact.sqrt(), [(x, 1 / (2 * root_ball))], floor))

    def softmax(self, scores: Sequence[Off], scale: Off | None, rows: Sequence[Sequence[Off]]) -> Sequence[Off]:
        """Weighted means. The slope of one with weights p, scores s and values v is the mean of the slopes of v and of
        (v - mean) times those of s."""
        if scale is not None:
            scores = [self.times(scale, score) for score in scores]
        # At the exact scores, and over all that they may be: weight i is 1/sum of e^(s_j - s_i).
        exact = _shares([score.exact for score in scores])
        wholes = [score.whole for score in scores]
        share = [1 / sum(((other_ball - score_ball).exp() for other_ball in wholes), NONE) if not _same(wholes) else
                 arb(1) / len(scores) for score_ball in wholes]  # fmt: skip
        means = []
        for row in rows:
            alone = len(scores) == 1  # e^0/e^0, whatever the score is
            if alone or (self.format is None and _same(row)):  # of floats, weights add up to nearly 1
                means.append(row[0])
                continue
            # The mean lies between the smallest and the largest value.
            values = [value.whole for value in row]
            mean = sum((p * v for p, v in zip(share, values, strict=True)), NONE)
            low, high = min(v.lower() for v in values), max(v.upper() for v in values)
            mean = mean.max(low).min(high)
            steep = [p * (v - mean) for p, v in zip(share, values, strict=True)]
            middle = sum((p * v.exact for p, v in zip(exact, row, strict=True)), NONE)
            # Slopes: the weights towards values, p (v - mean) towards scores.
            by = [*zip(row, share, strict=True), *zip(scores, steep, strict=True)]
            result = self.passed(middle, by)
            if self.format is not None:
                size = sum(((p * v).abs_upper() for p, v in zip(share, values, strict=True)), NONE)
                result = self.rounded(result, self.soft_rounding(wholes, size, values))
            means.append(result)
        return means

    def soft_rounding(self, scores: Sequence[arb], size: arb, values: Sequence[arb]) -> arb:
        """What the arithmetic of one softmax may add: weights off by a factor, their sum, the sum of products, and the
        quotient; weights below the smallest normal number may be flushed to zero beside one that is about 1."""
        if self.format is None:
            raise RuntimeError("self.format must be set here")
        unit, k = arb(self.format.unit), len(scores)
        top = max(score.abs_upper() for score in scores)
        weight = (2 * top * unit).exp() * (1 + 2 * EXP_ULPS * unit) * (1 + unit) - 1
        above = (1 + weight) * (1 + unit) * (1 + self.share(k - 1)) - 1
        below = (1 + weight) * (1 + self.share(k - 1)) - 1
        if not below < arb(0.5):
            raise Undecided("scores are too large for the type of floats")
        self.must_fit(k * max(v.abs_upper() for v in values) * (1 + above))  # the sum before the division
        lost = 4 * k * (self.format.flushed + self.format.tiny) * (1 + max(v.abs_upper() for v in values))
        return size * ((1 + above) * (1 + unit) / (1 - below) - 1) + lost + self.format.tiny

    def soft(
        self, queries: RowColumns, keys: RowColumns, values: RowColumns, seen: Sequence[range], factor: Coefficient
    ) -> Any:
        if self.format is None and all(_same(column) for column in keys):  # equal scores
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
    top = max(score.mid() for score in scores)
    weights = [(score - top).exp() for score in scores]
    total = sum(weights, NONE)
    return [weight / total for weight in weights]


def _same(entries: Sequence[object]) -> bool:
    return all(entry is entries[0] for entry in entries)


def _gelu_slope(x: arb) -> arb:
    """Phi(x) + x phi(x)."""
    half = (-x * arb(2).rsqrt()).erfc() / 2
    return half + x * (-x * x / 2).exp() / (2 * arb.pi()).sqrt()


def _by_logistic(inner: arb, steep: arb, x: arb) -> arb:
    """The slope of x L(inner(x)), L the logistic function, where inner has the slope `steep`."""
    share = 1 / (1 + (-inner).exp())
    return share + x * share * (1 - share) * steep


def _gelu_tanh_slope(x: arb) -> arb:
    factor, cube = 2 * (2 / arb.pi()).sqrt(), arb(fmpq(44715, 1000000))
    return _by_logistic(factor * (x + cube * x * x * x), factor * (1 + 3 * cube * x * x), x)


def _gelu_sigmoid_slope(x: arb) -> arb:
    factor = arb(fmpq(1702, 1000))
    return _by_logistic(factor * x, factor, x)


GELU_SLOPES = {"gelu": _gelu_slope, "gelu-tanh": _gelu_tanh_slope, "gelu-sigmoid": _gelu_sigmoid_slope}
"""Balls around the derivatives over a ball; where these are not finite, the bound is not."""
