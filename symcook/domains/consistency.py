"""Can some linear forms all be at least 0? For many questions that share most of their forms.

A question is a set of rows (linear forms with integer coefficients). The answer says whether rational numbers exist at
which no row is negative. Each Fourier-Motzkin elimination stores the reason of its answer: a point, or an unsatisfiable
core of a few rows. A later question that a stored point satisfies, or that contains a stored core, is answered without
elimination.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from fractions import Fraction
from functools import cache
from math import ceil, floor, gcd, lcm

from symcook.domains.linear import SCALE, STRICT
from symcook.domains.names import FormName

GivenForm = tuple[Mapping[FormName, int | Fraction], int | Fraction]
"""A linear form: its coefficients by name, and the constant."""
FormTerms = tuple[tuple[FormName, int], ...]
"""(name, coefficient) pairs sorted by name."""
FormRow = tuple[FormTerms, int]
"""A form with integers without a common factor: its terms, and the constant."""
IntegerPoint = Mapping[FormName, int]
"""Numerators by name. The common denominator has the name `SCALE`; a name that is missing has the value 0."""
_Vector = tuple[int, ...]
"""The coefficients of a row, in the order of the names of the question."""
_Rows = dict[_Vector, tuple[int, int]]
"""Coefficients -> (the least constant that a row has with them, a bit mask of the rows of the question that this row
combines)."""


def row(form: GivenForm) -> FormRow:
    """The form as a row: multiplied by a positive number so that its coefficients are integers without a common
    factor."""
    terms, c = form
    scale = lcm(c.denominator, *(x.denominator for x in terms.values()))
    integers = [(v, x.numerator * (scale // x.denominator)) for v, x in terms.items() if x]
    constant = c.numerator * (scale // c.denominator)
    common = gcd(constant, *(x for _, x in integers))
    if common > 1:
        integers, constant = [(v, x // common) for v, x in integers], constant // common
    return tuple(sorted(integers)), constant


@cache
def minus_terms(terms: FormTerms) -> FormTerms:
    """The terms with all signs changed."""
    return tuple([(v, -x) for v, x in terms])


class Premises:
    """Rows that occur together in several questions, in addition to those of `over`.

    `least` has the least constant for each tuple of terms, over the rows of `over` too. The first `asked` points of a
    `Consistency` have been tried, and `bits` has a bit for each of them at which no row is negative. So all questions
    with the same premises must be put to the same `Consistency`.
    """

    __slots__ = ("asked", "bits", "least", "opposed", "over", "rows")

    def __init__(self, rows: Collection[FormRow], over: Premises | None = None) -> None:
        self.asked, self.bits, self.rows, self.over = 0, 0, rows, over
        self.least: dict[FormTerms, int] = {} if over is None else dict(over.least)
        self.opposed = over is not None and over.opposed
        """Whether two of the rows are opposite up to their constants, and these have a negative sum: a
        contradiction."""
        least = self.least
        for terms, c in rows:
            if c < least.get(terms, c + 1):
                least[terms] = c
                self.opposed = self.opposed or c + least.get(minus_terms(terms), -c) < 0


class Consistency:
    """Answers questions about rows over the rationals. The name `STRICT` stands for some positive number.

    `more` receives each new point and may add numbers for further names, so that the point answers more questions.
    """

    def __init__(self, more: Callable[[dict[FormName, int]], IntegerPoint] = dict) -> None:
        self.more = more
        self.points: list[IntegerPoint] = []
        """The points that earlier questions gave."""
        self.cores: list[tuple[FormRow, ...]] = []
        """Sets of rows that contradict each other."""
        self._met: dict[FormRow, tuple[int, int]] = {}
        """Row -> (bit mask of the points at which it was evaluated, bit mask of those where it is not negative)."""

    def possible(self, premises: Premises, more: Collection[FormRow] = ()) -> bool:
        """Whether rational numbers exist, with a positive one for `STRICT`, at which no row of `premises`, and none of
        `more`, is negative."""
        if premises.opposed:
            return False
        # A stored point may satisfy all rows: `points` is the bit mask of those that do.
        points = self._premise_points(premises)
        for form in more:
            if not points:
                break
            points &= self._points_where_nonnegative(form, points)
        if points:
            return True
        # Two rows may contradict each other, or the rows may contain a stored core.
        all_premises = Premises(more, premises) if more else premises
        if all_premises.opposed:
            return False
        least = all_premises.least
        for core in self.cores:
            if all(least.get(terms, c + 1) <= c for terms, c in core):
                return False
        # Otherwise elimination gives a point or a core.
        point, core = solved([*least.items()])
        if point is None:
            self.cores.append(core)
        else:
            self.points.append(self.more(point))
        return point is not None

    def _premise_points(self, premises: Premises) -> int:
        """The bit mask of the points at which no premise is negative."""
        # Evaluate the premises only at points that were added since the last call.
        count = len(self.points)
        if premises.asked < count:
            new = (1 << count) - (1 << premises.asked)
            if premises.over is not None:
                new &= self._premise_points(premises.over)
            for form in premises.rows:
                if not new:
                    break
                new &= self._points_where_nonnegative(form, new)
            premises.asked, premises.bits = count, premises.bits | new
        return premises.bits

    def _points_where_nonnegative(self, form: FormRow, among: int) -> int:
        """A bit mask that has, among the points of the mask `among`, exactly those at which a row is not negative; it
        may have further points where it is not negative."""
        evaluated_at, bits = self._met.get(form, (0, 0))
        if unasked := among & ~evaluated_at:
            terms, c = form
            while unasked:
                bit = unasked & -unasked
                unasked ^= bit
                get = self.points[bit.bit_length() - 1].get
                if sum([x * get(v, 0) for v, x in terms], c * get(SCALE, 1)) >= 0:
                    bits |= bit
            self._met[form] = evaluated_at | among, bits
        return bits


def solved(rows: list[FormRow]) -> tuple[dict[FormName, int] | None, tuple[FormRow, ...]]:
    """(a point at which no row is negative, ()), or (None, rows that contradict each other).

    No two rows may have the same coefficients. This is Fourier-Motzkin elimination: the names are eliminated one after
    the other, and then get their numbers in reverse order.
    """
    names = sorted({v for terms, _ in rows for v, _ in terms} - {STRICT})
    names.append(STRICT)
    # Each row as a vector over `names`, with its bit.
    open_rows: _Rows = {}
    for k, (terms, c) in enumerate(rows):
        if not terms and c < 0:
            return None, (rows[k],)
        coefficients = dict(terms)
        open_rows[tuple([coefficients.get(v, 0) for v in names])] = c, 1 << k
    # `STRICT` is eliminated last, because it must be positive. `eliminated` has each name, by its index, with the rows
    # that bounded it at that time.
    eliminated: list[tuple[int, list[tuple[_Vector, int]]]] = []
    for last in (False, True):
        to_eliminate = {len(names) - 1} if last else {*range(len(names) - 1)}
        while to_eliminate:
            g = _cheapest_name(open_rows, to_eliminate)
            to_eliminate.remove(g)
            eliminated.append((g, [(vector, c) for vector, (c, _) in open_rows.items() if vector[g]]))
            remaining = _eliminate(open_rows, g, last)
            if isinstance(remaining, int):  # a bit mask of rows that contradict each other
                return None, tuple(used_row for k, used_row in enumerate(rows) if remaining >> k & 1)
            open_rows = remaining
    # Backwards: each name lies between the bounds that the later names leave it.
    values: list[int | Fraction] = [0] * len(names)
    for g, used in reversed(eliminated):
        values[g] = _choose_between(g, used, values, g == len(names) - 1)
    scale = lcm(*(x.denominator for x in values))
    point = {v: x.numerator * (scale // x.denominator) for v, x in zip(names, values, strict=True)}
    return {**point, SCALE: scale}, ()


def _rows_made(rows: _Rows, g: int) -> int:
    """The number of rows that the elimination of the name with index g makes."""
    signs = [vector[g] > 0 for vector in rows if vector[g]]
    above = sum(signs)
    return above * (len(signs) - above)


def _cheapest_name(rows: _Rows, names: Collection[int]) -> int:
    """The index of a name whose elimination makes the fewest rows."""
    best, fewest = -1, -1
    for g in names:
        joins = _rows_made(rows, g) if len(names) > 1 else 0
        if not joins:
            return g
        if best < 0 or joins < fewest:
            best, fewest = g, joins
    return best


def _eliminate(rows: _Rows, g: int, positive: bool) -> _Rows | int:
    """The rows after elimination of the name with index g; or the bit mask of rows that contradict each other. With
    `positive`, the name must be positive."""
    # Rows without the name stay. A row with a positive coefficient bounds it from below (list `above`, after the sign),
    # one with a negative coefficient from above (list `below`).
    remaining: _Rows = {}
    above: list[tuple[_Vector, int, int]] = []
    below: list[tuple[_Vector, int, int]] = []
    for vector, (c, bits) in rows.items():
        x = vector[g]
        if x:
            (above if x > 0 else below).append((vector, c, bits))
            if positive and x < 0 and c <= 0:
                return bits
        else:
            remaining[vector] = c, bits
    # For each lower and each upper bound: their positive combination in which the name cancels, in lowest terms.
    for up, c, a in above:
        x = up[g]
        for down, d, b in below:
            y = -down[g]
            joined = [p * y + q * x for p, q in zip(up, down, strict=True)]
            constant = c * y + d * x
            common = gcd(*joined)
            if not common:
                if constant < 0:
                    return a | b
                continue
            common = gcd(common, constant)
            vector = tuple([p // common for p in joined]) if common > 1 else tuple(joined)
            constant //= common
            if vector not in remaining or constant < remaining[vector][0]:
                remaining[vector] = constant, a | b
    return remaining


def _choose_between(
    g: int, used: list[tuple[_Vector, int]], values: list[int | Fraction], positive: bool
) -> int | Fraction:
    """A number for the name g between the bounds given by the rows `used`: an integer if there is one. `values` has the
    numbers of the names that were eliminated later. With `positive`, the number must be positive, and may be a fraction
    even if there is an integer."""
    low: int | Fraction | None = None
    high: int | Fraction | None = None
    for vector, c in used:
        constant_part, x = c + sum([y * z for y, z in zip(vector, values, strict=True) if y]), vector[g]
        end = -constant_part // x if constant_part % x == 0 else Fraction(-constant_part, x)
        if x > 0:
            low = end if low is None or end > low else low
        else:
            high = end if high is None or end < high else high
    # `STRICT`: one above its lower end, or halfway between its ends.
    if positive:
        low = max(low or 0, 0)
        return low + 1 if high is None else low if low == high else Fraction(low + high) / 2
    if low is None:
        return floor(high) - 1 if high is not None else 0
    if high is None:
        return ceil(low) + 1
    least_integer, greatest_integer = ceil(low), floor(high)
    return (
        least_integer + min(2, (greatest_integer - least_integer + 1) // 2)
        if least_integer <= greatest_integer
        else Fraction(low + high) / 2
    )
