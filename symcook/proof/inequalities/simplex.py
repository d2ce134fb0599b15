"""Exact feasibility of linear systems over the rationals: free unknowns eliminated, then the simplex by Bland's rule.

Rows are sparse dictionaries ``{column: coefficient}``. Columns named in `free` take any value, the others are >= 0.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from fractions import Fraction

from flint import fmpq

from symcook.proof.terms import Clock

Number = int | Fraction
LinearRow = Mapping[Hashable, Number]
_Row = dict[Hashable, fmpq]


class TooLong(Exception):
    """The simplex did not end within the given number of pivots, or the effort is spent."""


class Effort:
    """What a search may still do, counted in coefficients touched: the same on every machine, as seconds are not."""

    def __init__(self, left: int) -> None:
        self.left = left

    def spend(self, work: int) -> None:
        Clock.spend(1 + (work >> 6))  # where a limit of time is set, it ends a search too
        self.left -= work
        if self.left < 0:
            raise TooLong


def solve(
    rows: list[tuple[LinearRow, Number]], free: Collection[Hashable], pivots: int = 4000, effort: Effort | None = None
) -> dict[Hashable, Fraction] | None:
    """Values with every row ``sum(coefficient * value) = right side``, or None where there are none.

    >>> x = solve([({"a": Fraction(1), "b": Fraction(-1)}, Fraction(1))], [])
    >>> x["a"] - x.get("b", 0)
    Fraction(1, 1)
    >>> solve([({"a": Fraction(1)}, Fraction(-1))], []) is None
    True

    Raises TooLong where more than `pivots` pivots would be needed.
    """
    free = set(free)
    effort = effort or Effort(10**12)
    open_rows: list[tuple[_Row, fmpq]] = [({c: _exact(x) for c, x in r.items() if x}, _exact(b)) for r, b in rows]
    pivots_kept: list[tuple[Hashable, _Row, fmpq]] = []
    where: dict[Hashable, dict[int, None]] = {}
    for i, (r, _) in enumerate(open_rows):
        for c in r:
            where.setdefault(c, {})[i] = None
    dead: set[int] = set()
    # A free unknown leaves with the shortest row that mentions it.
    for c in [c for c in where if c in free]:
        live = [i for i in where[c] if i not in dead]
        if not live:
            continue
        best = min(live, key=lambda i: (len(open_rows[i][0]), i))
        dead.add(best)
        r, b = open_rows[best]
        pivots_kept.append((c, r, b))
        for i in live:
            if i != best:
                effort.spend(len(r) + 1)
                _eliminate(open_rows, i, c, r, b, where)
    system = [open_rows[i] for i in range(len(open_rows)) if i not in dead]
    solution = _nonnegative(system, pivots, effort)
    if solution is None:
        return None
    values = {c: v for c, v in solution.items() if v}
    for c, r, b in reversed(pivots_kept):
        remaining = b - sum((x * values.get(d, ZERO) for d, x in r.items() if d != c), ZERO)
        if remaining:
            values[c] = remaining / r[c]
    return {c: Fraction(int(v.p), int(v.q)) for c, v in values.items()}


ZERO = fmpq(0)


def _exact(x: Number) -> fmpq:
    return fmpq(x) if isinstance(x, int) else fmpq(x.numerator, x.denominator)


def _eliminate(
    left: list[tuple[_Row, fmpq]], i: int, c: Hashable, r: _Row, b: fmpq, where: dict[Hashable, dict[int, None]]
) -> None:
    """Subtract the multiple of row (r, b) from row i that removes column c."""
    row, right = left[i]
    times = row[c] / r[c]
    for d, x in r.items():
        total = row.get(d, ZERO) - times * x
        if total:
            row[d] = total
            where.setdefault(d, {})[i] = None
        elif d in row:
            del row[d]
            where[d].pop(i, None)
    left[i] = (row, right - times * b)


def _nonnegative(system: list[tuple[_Row, fmpq]], pivots: int, effort: Effort) -> dict[Hashable, fmpq] | None:
    """A solution with every unknown >= 0."""
    rows = [(r, b) if b >= 0 else ({c: -x for c, x in r.items()}, -b) for r, b in system]
    gone: set[Hashable] = set()
    changed = True
    while changed:  # unknowns that a row with right side 0 and one sign forces to 0
        changed = False
        out = []
        for r, b in rows:
            r = {c: x for c, x in r.items() if c not in gone}
            if not r:
                if b:
                    return None
                continue
            positive = any(x > 0 for x in r.values())
            if b and not positive:
                return None
            if not b and not (positive and any(x < 0 for x in r.values())):
                gone.update(r)
                changed = True
                continue
            out.append((r, b))
        rows = out
    if not rows:
        return {}
    order = {c: k for k, c in enumerate(dict.fromkeys(c for r, _ in rows for c in r))}
    names = list(order)
    table = [{order[c]: x for c, x in r.items()} for r, _ in rows]
    right = [b for _, b in rows]
    basis = [-1 - i for i in range(len(rows))]  # negative: the artificial unknown of that row
    cost: dict[int, fmpq] = {}
    for r in table:
        for c, x in r.items():
            cost[c] = cost.get(c, ZERO) - x
    value = sum(right, ZERO)
    for _ in range(pivots):
        if not value:
            break
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
        r = table[row]
        x = r[entering]
        r = table[row] = {c: y / x for c, y in r.items()}
        right[row] /= x
        basis[row] = entering
        for i, other in enumerate(table):
            y = other.get(entering)
            if i != row and y:
                effort.spend(len(r) + 1)
                right[i] -= y * right[row]
                _subtract(other, r, y)
        y = cost[entering]
        value += y * right[row]
        _subtract(cost, r, y)
    else:
        raise TooLong
    return {names[c]: right[i] for i, c in enumerate(basis) if c >= 0}


def _subtract(row: dict[int, fmpq], r: dict[int, fmpq], times: fmpq) -> None:
    for c, z in r.items():
        total = row.get(c, ZERO) - times * z
        if total:
            row[c] = total
        else:
            row.pop(c, None)
