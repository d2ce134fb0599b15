"""Exact feasibility of linear systems over the rationals: free unknowns are eliminated, then the simplex decides.

Rows are sparse dictionaries ``{column: coefficient}``. Columns named in `free` take any value, the others are >= 0.

Letters: `r` is a row, `b` its right side, `c` a column, `x` and `y` are coefficients, `i` is the number of a row.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from fractions import Fraction

from flint import fmpq

from symcook.proof.terms import Clock

Number = int | Fraction
LinearRow = Mapping[Hashable, Number]
"""Coefficients by the name of a column, without zeros."""
_Row = dict[Hashable, fmpq]


PIVOTS = 4000
"""The maximum number of pivots where the caller gives none. It is far above what small systems need, and ends a system
that goes round in circles."""
UNLIMITED = 10**12
"""An effort that no search spends."""


class TooLong(Exception):
    """The simplex did not end within the given number of pivots, the effort is spent, or there are too many terms."""


class Effort:
    """How much work is left for a search, counted in coefficients that are touched. Unlike seconds, the count is the
    same on every machine."""

    def __init__(self, left: int) -> None:
        self.left = left

    def spend(self, work: int) -> None:
        """Count some work; TooLong where nothing is left."""
        Clock.spend(1 + (work >> 6))  # a time limit, if one is set, also ends the search
        self.left -= work
        if self.left < 0:
            raise TooLong


def solve(
    rows: list[tuple[LinearRow, Number]], free: Collection[Hashable], pivots: int = PIVOTS, effort: Effort | None = None
) -> dict[Hashable, Fraction] | None:
    """Values with every row ``sum(coefficient * value) = right side``, without those that are 0; None where there are
    none.

    >>> x = solve([({"a": Fraction(1), "b": Fraction(-1)}, Fraction(1))], [])
    >>> x["a"] - x.get("b", 0)
    Fraction(1, 1)
    >>> solve([({"a": Fraction(1)}, Fraction(-1))], []) is None
    True

    Raises TooLong where `pivots` pivots or more are needed, or `effort` is spent.
    """
    free = set(free)
    effort = effort or Effort(UNLIMITED)
    open_rows: list[tuple[_Row, fmpq]] = [({c: _exact(x) for c, x in row.items() if x}, _exact(b)) for row, b in rows]
    eliminated: list[tuple[Hashable, _Row, fmpq]] = []
    where: dict[Hashable, dict[int, None]] = {}  # the rows in which a column occurs, in a fixed order
    for i, (row, _) in enumerate(open_rows):
        for column in row:
            where.setdefault(column, {})[i] = None
    dead: set[int] = set()
    # Each free unknown is eliminated by the shortest row that has it; that row is then removed from the system.
    for column in [column for column in where if column in free]:
        live = [i for i in where[column] if i not in dead]
        if not live:
            continue
        best = min(live, key=lambda i: (len(open_rows[i][0]), i))
        dead.add(best)
        row, right = open_rows[best]
        eliminated.append((column, row, right))
        for i in live:
            if i != best:
                effort.spend(len(row) + 1)
                _eliminate(open_rows, i, column, row, right, where)
    system = [open_rows[i] for i in range(len(open_rows)) if i not in dead]
    solution = _nonnegative(system, pivots, effort)
    if solution is None:
        return None
    # The free unknowns get their values from the removed rows, in reverse order.
    values = {column: v for column, v in solution.items() if v}
    for column, row, right in reversed(eliminated):
        remaining = right - sum(
            (coefficient * values.get(d, ZERO) for d, coefficient in row.items() if d != column), ZERO
        )
        if remaining:
            values[column] = remaining / row[column]
    return {column: Fraction(int(v.p), int(v.q)) for column, v in values.items()}


ZERO = fmpq(0)


def _exact(x: Number) -> fmpq:
    """The number as a fraction of FLINT, which is faster."""
    return fmpq(x) if isinstance(x, int) else fmpq(x.numerator, x.denominator)


def _eliminate(
    rows: list[tuple[_Row, fmpq]], i: int, c: Hashable, r: _Row, b: fmpq, where: dict[Hashable, dict[int, None]]
) -> None:
    """Subtract the multiple of row (r, b) from row i that removes column c."""
    row, right = rows[i]
    times = row[c] / r[c]
    for d, x in r.items():
        total = row.get(d, ZERO) - times * x
        if total:
            row[d] = total
            where.setdefault(d, {})[i] = None
        elif d in row:
            del row[d]
            where[d].pop(i, None)
    rows[i] = (row, right - times * b)


def _nonnegative(system: list[tuple[_Row, fmpq]], pivots: int, effort: Effort) -> dict[Hashable, fmpq] | None:
    """A solution with every unknown >= 0 (those that it does not name are 0), or None; phase one of the simplex."""
    # Rows with a negative right side are multiplied by -1.
    rows = _presolved([(r, b) if b >= 0 else ({c: -x for c, x in r.items()}, -b) for r, b in system])
    if not rows:
        return None if rows is None else {}
    order = {c: k for k, c in enumerate(dict.fromkeys(c for r, _ in rows for c in r))}
    names = list(order)
    table = [{order[c]: x for c, x in r.items()} for r, _ in rows]
    right = [b for _, b in rows]
    # Each row begins with an artificial unknown as its basis, numbered -1, -2, .. The sum `value` of the artificial
    # unknowns is minimised; it reaches 0 exactly if there is a solution. `cost` has how much the sum changes per unit
    # of each unknown.
    basis = [-1 - i for i in range(len(rows))]
    cost: dict[int, fmpq] = {}
    for r in table:
        for c, x in r.items():
            cost[c] = cost.get(c, ZERO) - x
    value = sum(right, ZERO)
    for _ in range(pivots):
        if not value:
            break
        # Bland's rule: the first column that lowers the sum, and of the rows with the smallest ratio the one with the
        # first basis, so that no basis occurs twice.
        entering = min((c for c, x in cost.items() if x < 0), default=None)
        if entering is None:
            return None
        best, row = None, -1
        effort.spend(len(table) + 1)
        for i, r in enumerate(table):
            x = r.get(entering, 0)
            if x > 0:
                key = (right[i] / x, basis[i])
                if best is None or key < best:
                    best, row = key, i
        # The pivot: divide its row, and take multiples of it off the other rows and the cost.
        r = table[row]
        x = r[entering]
        r = table[row] = {c: y / x for c, y in r.items()}
        right[row] /= x
        basis[row] = entering
        for i, other_row in enumerate(table):
            y = other_row.get(entering)
            if i != row and y:
                effort.spend(len(r) + 1)
                right[i] -= y * right[row]
                _subtract(other_row, r, y)
        y = cost[entering]
        value += y * right[row]
        _subtract(cost, r, y)
    else:
        raise TooLong
    return {names[c]: right[i] for i, c in enumerate(basis) if c >= 0}


def _presolved(rows: list[tuple[_Row, fmpq]]) -> list[tuple[_Row, fmpq]] | None:
    """The rows, whose right sides are >= 0, without the unknowns that must be 0; None where a row cannot be satisfied.

    An unknown must be 0 if it occurs in a row with right side 0 whose coefficients all have one sign.
    """
    zeros: set[Hashable] = set()
    # A row without unknowns is left out, or cannot be satisfied. New zeros may make other rows shorter: then again.
    changed = True
    while changed:
        changed = False
        out = []
        for r, b in rows:
            r = {c: x for c, x in r.items() if c not in zeros}
            if not r:
                if b:
                    return None
                continue
            # A right side > 0 needs a positive coefficient.
            positive = any(x > 0 for x in r.values())
            if b and not positive:
                return None
            if not b and not (positive and any(x < 0 for x in r.values())):
                zeros.update(r)
                changed = True
                continue
            out.append((r, b))
        rows = out
    return rows


def _subtract(row: dict[int, fmpq], r: dict[int, fmpq], times: fmpq) -> None:
    """Subtract `times` times `r` from a row, in place."""
    for c, z in r.items():
        total = row.get(c, ZERO) - times * z
        if total:
            row[c] = total
        else:
            row.pop(c, None)
