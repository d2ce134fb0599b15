"""Whether linear forms can all be at least 0, where many such questions are asked that share most of their forms.

In go rows (linear forms with integer coefficients); out comes whether some rational numbers make none of them negative,
by Fourier-Motzkin elimination. The reason of each answer is kept: a point, or an unsatisfiable core of a few rows. A
later question that the same point satisfies, or that contains the same core, is answered without elimination.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from fractions import Fraction
from functools import cache
from math import ceil, floor, gcd, lcm

from symcook.domains.linear import STRICT

GivenForm = tuple[Mapping[str, int | Fraction], int | Fraction]
"""A linear form as it is given: coefficients by name, and the constant."""
FormTerms = tuple[tuple[str, int], ...]
FormRow = tuple[FormTerms, int]
"""A form with integers, without a common factor: its coefficients by name, in order, and the constant."""
IntegerPoint = Mapping[str, int]
"""Numbers by name over one denominator, which stands under the empty name; a name that is left out is 0."""
_Vector = tuple[int, ...]
_Rows = dict[_Vector, tuple[int, int]]
"""By coefficients: the least constant, and a bit for each row of the question that it comes from."""


def row(form: GivenForm) -> FormRow:
    """The form with integers."""
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
    """The form with all signs changed."""
    return tuple([(v, -x) for v, x in terms])


class Premises:
    """Rows that occur together in several questions; `least` has the least constant by coefficients, also of `over`.

    `asked` is how many of the known points were tried, `bits` has a bit for each of them at which no row is negative.
    """

    __slots__ = ("asked", "bits", "least", "opposed", "over", "rows")

    def __init__(self, rows: Collection[FormRow], over: Premises | None = None) -> None:
        self.asked, self.bits, self.rows, self.over = 0, 0, rows, over
        self.least: dict[FormTerms, int] = {} if over is None else dict(over.least)
        self.opposed = over is not None and over.opposed
        """Whether two of the rows add up to a negative number."""
        least = self.least
        for terms, c in rows:
            if c < least.get(terms, c + 1):
                least[terms] = c
                self.opposed = self.opposed or c + least.get(minus_terms(terms), -c) < 0


class Consistency:
    """Answers to questions about rows, over the rationals; `STRICT` is some positive number. `more` adds numbers for
    further names to a point that is found, so that it answers more questions."""

    def __init__(self, more: Callable[[dict[str, int]], IntegerPoint] = dict) -> None:
        self.more = more
        self.points: list[IntegerPoint] = []
        self.cores: list[tuple[FormRow, ...]] = []
        self._met: dict[FormRow, tuple[int, int]] = {}

    def possible(self, premises: Premises, more: Collection[FormRow] = ()) -> bool:
        """Whether there are numbers for which none of the premises and of some more rows is negative."""
        if premises.opposed:
            return False
        # A known point may satisfy all rows.
        points = self._at_all(premises)
        for form in more:
            if not points:
                break
            points &= self._at_points(form, points)
        if points:
            return True
        # Two rows may contradict each other, or the rows may contain a known core.
        all_premises = Premises(more, premises) if more else premises
        if all_premises.opposed:
            return False
        least = all_premises.least
        for core in self.cores:
            if all(least.get(terms, c + 1) <= c for terms, c in core):
                return False
        # Else elimination finds a point or a core.
        point, core = solved([*least.items()])
        if point is None:
            self.cores.append(core)
        else:
            self.points.append(self.more(point))
        return point is not None

    def _at_all(self, premises: Premises) -> int:
        """A bit for each point at which no premise is negative."""
        known = len(self.points)
        if premises.asked < known:
            new = (1 << known) - (1 << premises.asked)
            if premises.over is not None:
                new &= self._at_all(premises.over)
            for form in premises.rows:
                if not new:
                    break
                new &= self._at_points(form, new)
            premises.asked, premises.bits = known, premises.bits | new
        return premises.bits

    def _at_points(self, form: FormRow, among: int) -> int:
        """A bit for each of some points at which a row is not negative."""
        asked, bits = self._met.get(form, (0, 0))
        if unasked := among & ~asked:
            terms, c = form
            while unasked:
                bit = unasked & -unasked
                unasked ^= bit
                get = self.points[bit.bit_length() - 1].get
                if sum([x * get(v, 0) for v, x in terms], c * get("", 1)) >= 0:
                    bits |= bit
            self._met[form] = asked | among, bits
        return bits


def solved(rows: list[FormRow]) -> tuple[dict[str, int] | None, tuple[FormRow, ...]]:
    """Numbers at which no row is negative, or None and the rows of a contradiction. No two rows may have the same
    coefficients. Fourier-Motzkin: one name after the other is eliminated, then they get numbers in reverse order."""
    names = sorted({v for terms, _ in rows for v, _ in terms} - {STRICT})
    names.append(STRICT)
    # Each row as a vector over `names`, with the bit of the row that it comes from.
    open_rows: _Rows = {}
    for k, (terms, c) in enumerate(rows):
        if not terms and c < 0:
            return None, (rows[k],)
        by = dict(terms)
        open_rows[tuple([by.get(v, 0) for v in names])] = c, 1 << k
    # `STRICT` comes last, because it must be positive.
    ends: list[tuple[int, list[tuple[_Vector, int]]]] = []
    for last in (False, True):
        open_ = {len(names) - 1} if last else {*range(len(names) - 1)}
        while open_:
            g = _first_out(open_rows, open_)
            open_.remove(g)
            ends.append((g, [(vector, c) for vector, (c, _) in open_rows.items() if vector[g]]))
            remaining = _eliminated(open_rows, g, last)
            if isinstance(remaining, int):
                return None, tuple(used_row for k, used_row in enumerate(rows) if remaining >> k & 1)
            open_rows = remaining
    # Backwards: each name lies between the bounds that the later names leave it.
    values: list[int | Fraction] = [0] * len(names)
    for g, used in reversed(ends):
        values[g] = _between(g, used, values, g == len(names) - 1)
    scale = lcm(*(x.denominator for x in values))
    point = {v: x.numerator * (scale // x.denominator) for v, x in zip(names, values, strict=True)}
    return {**point, "": scale}, ()


def _joins(rows: _Rows, g: int) -> int:
    """How many rows the elimination of a name makes."""
    signs = [vector[g] > 0 for vector in rows if vector[g]]
    above = sum(signs)
    return above * (len(signs) - above)


def _first_out(rows: _Rows, names: Collection[int]) -> int:
    """A name whose elimination makes the fewest rows."""
    best, fewest = -1, -1
    for g in names:
        joins = _joins(rows, g) if len(names) > 1 else 0
        if not joins:
            return g
        if best < 0 or joins < fewest:
            best, fewest = g, joins
    return best


def _eliminated(rows: _Rows, g: int, positive: bool) -> _Rows | int:
    """The rows without a name, which may have to be positive; the bits of rows that contradict each other."""
    # Rows without the name stay; the others bound it from below (coefficient > 0) or above.
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
    # Each lower bound with each upper bound: the combination in which the name cancels, in lowest terms.
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


def _between(g: int, used: list[tuple[_Vector, int]], values: list[int | Fraction], positive: bool) -> int | Fraction:
    """A number for the name g between the bounds of the `used` rows, an integer where there is one; `values` has the
    numbers of the names that were eliminated later."""
    low: int | Fraction | None = None
    high: int | Fraction | None = None
    for vector, c in used:
        constant_part, x = c + sum([y * z for y, z in zip(vector, values, strict=True) if y]), vector[g]
        end = -constant_part // x if constant_part % x == 0 else Fraction(-constant_part, x)
        if x > 0:
            low = end if low is None or end > low else low
        else:
            high = end if high is None or end < high else high
    # `STRICT` may be as small as needed: halfway to its upper end.
    if positive:
        low = max(low or 0, 0)
        return low + 1 if high is None else low if low == high else Fraction(low + high) / 2
    if low is None:
        return floor(high) - 1 if high is not None else 0
    if high is None:
        return ceil(low) + 1
    least, most = ceil(low), floor(high)
    return least + min(2, (most - least + 1) // 2) if least <= most else Fraction(low + high) / 2
