"""Writes functions with given values as short terms of the proof grammar. Nothing here is trusted.

The input is the values by index: a number, a row of numbers, or the text of a value for each tuple of indices. The
output is the text of a term: ``v1__ v2__. I[v1__ = 1 & v2__ = 2]*5`` has the value 5 at (1, 2) and 0 elsewhere. The
indices are called ``v1__``, ``v2__``, .., the position ``y__``. Terms of long tables stay short, since values that are
equal, or linear in the index, share one summand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from symcook.model.rationals import consecutive, quotient

FEWEST_REPEATS = 3
"""How often a group of intervals must repeat to be written as a sum: the sum is about as long as two of its terms."""
FLAT = 16
"""The maximum number of parts joined one by one; more are bracketed in halves, which keeps trees shallow."""


def function(cells: Mapping[tuple[int, ...], str | None], place: bool) -> str:
    """A function with the values `cells`, as a term: 0 for None, and at all other indices. With `place` the term has
    the position as one more argument."""
    keys = list(cells)
    arity = len(keys[0]) if keys else 0
    names = [f"v{k}__" for k in range(1, arity + 1)]
    terms = []
    for key, value in cells.items():
        test = " & ".join(f"{name} = {k if k >= 0 else f'({k})'}" for name, k in zip(names, key, strict=True))
        if value is not None:
            terms.append(f"I[{test}]*{value}" if test else value)
    arguments = " ".join([*names, *(["y__"] if place else [])])
    return f"{arguments}. {_sum(terms)}" if arguments else _sum(terms)


def table_function(entries: Mapping[tuple[int, ...], Fraction], names: Sequence[str] = ()) -> str:
    """A function with the values `entries` by index, as a short term; `names` are the names of its arguments. Its
    values at other indices do not matter.

    Successive equal rows share one summand. A row is a linear function of its index if its values allow it, else a sum
    over the runs of equal values."""
    names = names or [f"v{k}__" for k in range(1, 1 + len(next(iter(entries))))]
    if not names:
        return quotient(entries[()])
    # A row has the values for fixed indices before the last one.
    rows: dict[tuple[int, ...], dict[int, Fraction]] = {}
    for key, value in entries.items():
        rows.setdefault(key[:-1], {})[key[-1]] = value
    # Rows with the same term whose last fixed index goes up by 1 are a group.
    groups: list[tuple[tuple[int, ...], int, str]] = []  # first index, number of rows, their term
    for key, row in rows.items():
        row_term = _row(row, names[-1])
        # The row continues the last group: its term, and the group's first index plus the number of its rows.
        if (
            key
            and groups
            and groups[-1][2] == row_term
            and key == (*groups[-1][0][:-1], groups[-1][0][-1] + groups[-1][1])
        ):
            groups[-1] = (groups[-1][0], groups[-1][1] + 1, row_term)
        else:
            groups.append((key, 1, row_term))
    terms = []
    for key, count, row_term in groups:
        conditions = [f"{name} = {_as_factor(k)}" for name, k in zip(names, key, strict=False)]
        if count > 1:  # the last condition becomes a range
            conditions[-1:] = _range_test(names[-2], key[-1], key[-1] + count - 1)
        terms += [] if row_term == "0" else [f"I[{' & '.join(conditions)}]*({row_term})" if conditions else row_term]
    return f"{' '.join(names)}. {_sum(terms)}"


def _row(row: Mapping[int, Fraction], name: str) -> str:
    """The values of a row as a term in its index."""
    # One line through all values, if there is one: by the first two of them.
    (first, first_value), *later = row.items()
    slope = (later[0][1] - first_value) / (later[0][0] - first) if later else Fraction(0)
    if all(value == first_value + slope * (k - first) for k, value in row.items()):
        start = first_value - slope * first
        line = name if slope == 1 else f"{_as_factor(slope)}*{name}"
        return quotient(start) if not slope else line if not start else f"{line} + {_as_factor(start)}"
    # Not on one line: the runs (first, last, value) of equal values at successive indices.
    runs: list[tuple[int, int, Fraction]] = []
    for k, value in row.items():
        if runs and runs[-1][1:] == (k - 1, value):
            runs[-1] = (runs[-1][0], k, value)
        else:
            runs.append((k, k, value))
    return _sum([f"I[{' & '.join(_range_test(name, a, b))}]*{_as_factor(value)}" for a, b, value in runs if value])


def _range_test(name: str, a: int | str, b: int | str) -> list[str]:
    """The conditions a <= name and name <= b, for numbers or texts of terms; one equation if a equals b."""
    low, high = (end if isinstance(end, str) else _as_factor(end) for end in (a, b))
    return [f"{name} = {low}"] if a == b else [f"{low} <= {name}", f"{name} <= {high}"]


def _as_factor(value: int | Fraction) -> str:
    """A number as a factor: in brackets unless it is a natural number."""
    return quotient(value) if value >= 0 and Fraction(value).denominator == 1 else f"({quotient(value)})"


def _sum(terms: Sequence[str]) -> str:
    """The text of the sum of these terms; "0" without terms."""
    return _bracketed(terms, " + ") or "0"


def row_function(values: Sequence[object], low: str | None) -> str:
    """A function of positions with these values; the single value if there are no positions (`low` is None)."""
    texts = [str(value) for value in values]
    if low is None or len(set(texts)) == 1:
        return texts[0] if low is None else f"y__. {texts[0]}"
    terms = [f"I[y__ = {int(low) + k}]*({text})" for k, text in enumerate(texts) if text != "0"]
    return f"y__. {' + '.join(terms)}"


def rows_function(rows: Mapping[tuple[int, ...], Sequence[object]], low: str | None, repeated: bool = False) -> str:
    """A function of a number and of a position, as a term: `rows` has for each number the values at the positions from
    `low` on. Without positions (`low` is None) it is a function of the number, with the first value of each row.

    The term is one row, the base, plus the difference of each other row from the base at the numbers of that row. So
    the function has the base as its row at other numbers, where its values do not matter. With `repeated`, numbers that
    repeat at a constant distance are written as a sum."""
    # Equal rows share a summand. The base needs no condition, so it is the row whose numbers form the most runs.
    keys_of_row: dict[tuple[str, ...], list[int]] = {}
    for (k,), row in rows.items():
        keys_of_row.setdefault(tuple(map(str, row[:1] if low is None else row)), []).append(k)
    base, *other_rows = sorted(keys_of_row, key=lambda row: -spans(keys_of_row[row], "").count(" | "))
    terms = [_position_term(base, low)]
    for row in other_rows:
        differences = [_difference(value, base_value) for value, base_value in zip(row, base, strict=True)]
        condition = counted(keys_of_row[row], "v1__") if repeated else f"I[{spans(keys_of_row[row], 'v1__')}]"
        terms.append(
            f"{condition if condition.startswith('I[') else f'({condition})'}*({_position_term(differences, low)})"
        )
    return f"v1__{' y__' * (low is not None)}. {_sum([term for term in terms if term != '0'])}"


def _position_term(values: Sequence[str], low: str | None) -> str:
    """A term in the position y__ with these values at the positions from `low` on; a constant if all are equal."""
    if len(set(values)) == 1:
        return values[0] if values[0] == "0" else f"({values[0]})"
    terms = [f"I[y__ = {int(low or 0) + k}]*({value})" for k, value in enumerate(values) if value != "0"]
    return _sum(terms)


def _difference(a: str, b: str) -> str:
    """The text of a - b, a numeral if both are numerals."""
    try:
        return quotient(Fraction(a) - Fraction(b))
    except ValueError:
        return "0" if a == b else f"({a}) - ({b})"


def spans(numbers: Sequence[int], name: str) -> str:
    """The condition that `name` is one of these ascending numbers."""
    return _bracketed([" & ".join(_range_test(name, a, b)) for a, b in consecutive(numbers)], " | ")


def counted(numbers: Sequence[int], name: str) -> str:
    """A term that is 1 if `name` is one of these ascending numbers, else 0. Runs of numbers that repeat at a constant
    distance are written as a sum.

    >>> counted([2, 4, 5, 12, 14, 15, 22, 24, 25, 31], "x")
    'sum(u__, 0, 2, I[x = 10*u__ + 2 | 10*u__ + 4 <= x & x <= 10*u__ + 5]) + I[x = 31]'
    """
    runs, terms, single = consecutive(numbers), list[str](), list[tuple[int, int]]()
    while runs:
        # The first `period` runs are a group, and the group is repeated: choose the period that saves most runs. Under
        # `FEWEST_REPEATS` the first run is written alone.
        period, repeats = max(
            ((q, _repeats(runs, q)) for q in range(1, len(runs) // 2 + 1)), key=_saved_runs, default=(1, 1)
        )
        if repeats < FEWEST_REPEATS:
            single.append(runs.pop(0))
            continue
        step = runs[period][0] - runs[0][0]
        intervals = [" & ".join(_range_test(name, f"{step}*u__ + {a}", f"{step}*u__ + {b}")) for a, b in runs[:period]]
        terms.append(f"sum(u__, 0, {repeats - 1}, I[{_bracketed(intervals, ' | ')}])")
        runs = runs[period * repeats :]
    conditions = [" & ".join(_range_test(name, a, b)) for a, b in single]
    return _sum(terms + [f"I[{_bracketed(conditions, ' | ')}]"] * bool(conditions))


def _repeats(runs: Sequence[tuple[int, int]], period: int) -> int:
    """How many groups in sequence, the first included, are the group of the first `period` runs moved by a multiple of
    the distance from the first group to the second."""
    distance, repeats = runs[period][0] - runs[0][0], 1
    for k in range(period, len(runs) - period + 1, period):
        previous, present = runs[k - period : k], runs[k : k + period]
        if present != [(a + distance, b + distance) for a, b in previous]:
            break
        repeats += 1
    return repeats


def _saved_runs(repetition: tuple[int, int]) -> int:
    """How many runs need not be written if a group of `period` runs occurs `repeats` times; the pair is both."""
    period, repeats = repetition
    return period * (repeats - 1)


def _bracketed(parts: Sequence[str], sign: str) -> str:
    """The parts joined by a sign; more than `FLAT` are bracketed in halves."""
    if len(parts) <= FLAT:
        return sign.join(parts)
    half = len(parts) // 2
    return f"({_bracketed(parts[:half], sign)}){sign}({_bracketed(parts[half:], sign)})"


def affine(cells: Mapping[tuple[int, ...], int]) -> list[int] | None:
    """The integers [c, a, b, ..] with the value c + a*x1 + b*x2 + .. at each (x1, x2, ..); None if none are found. A
    slope is taken from an index that differs from the first one in this place alone, and is 0 without such an index."""
    keys = list(cells)
    origin, slopes = keys[0], []
    # The slope in each place, from another key that differs from the first key in this place alone; 0 without one.
    for place in range(len(origin)):
        other = next(
            (
                key
                for key in keys
                if key[place] != origin[place]
                and key[:place] + key[place + 1 :] == origin[:place] + origin[place + 1 :]
            ),
            None,
        )
        rise = 0 if other is None else Fraction(cells[other] - cells[origin], other[place] - origin[place])
        if rise.denominator != 1:
            return None
        slopes.append(int(rise))
    # The form that has these slopes and agrees at the first key; it must agree at all others.
    constant = cells[origin] - sum(a * x for a, x in zip(slopes, origin, strict=True))
    agrees = all(
        value == constant + sum(a * x for a, x in zip(slopes, key, strict=True)) for key, value in cells.items()
    )
    return [constant, *slopes] if agrees else None
