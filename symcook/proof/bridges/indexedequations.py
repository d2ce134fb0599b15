"""Merges equations that differ only in numbers into one equation for all these numbers. Not trusted.

This keeps the text of a long bridge short. ``f(1, i) = g(3, i)``, ``f(2, i) = g(3, i)``, ``f(3, i) = g(1, i)``, ..
become ``all x__ in 1..m. f(x__, i) = (I[1 <= x__ & x__ <= 2]*g(3, i) + I[x__ = 3]*g(1, i) + ..)``. A number that is
the same in all equations stays. One that grows linearly becomes a linear term in x__. Any other number becomes a sum
over cases, whose value at each x__ is found by computation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from symcook.model.expr import Tree, names, parse_formula, parse_term, show
from symcook.model.meaning import called, conjuncts, subtrees
from symcook.model.rationals import rational
from symcook.proof.bridges.tableterms import affine, spans, table_function
from symcook.proof.runtext import joined
from symcook.proof.statements.trees import mapped

INDEX = "x__"
"""The index of a merged equation."""
FEWEST = 4
"""The minimum number of equations, or of terms of a sum, that are merged. The merged form has a sum or a quantifier,
which has symbols of its own."""
FLAT = 8
"""The maximum number of parts or terms joined one by one; more are bracketed in halves, which keeps trees shallow."""
_NUMBER = ("name", "#")
"""The placeholder for an integer in a shape (`_shape`)."""


def merged(equations: Sequence[Tree]) -> list[Tree]:
    """The conjunction of the equations in fewer parts. Equations that may be undefined come first and are not merged,
    since each part is a condition for the parts after it.

    >>> texts = [f"f({k}, i) = g({k + 3}, i) - h({k // 4}, i)" for k in range(1, 5)]
    >>> show(merged([parse_formula(text) for text in texts])[0])
    'all x__ in 1..4. f(x__, i) = g(x__ + 3, i) - (I[1 <= x__ & x__ <= 3]*h(0, i) + I[x__ = 4]*h(1, i))'
    """
    rows_of_shape: dict[Tree, list[list[int]]] = {}
    partial = [equation for equation in equations if _may_be_undefined(equation)]
    for equation in equations:
        if not _may_be_undefined(equation):
            shape, numbers = _shape(equation)
            rows_of_shape.setdefault(shape, []).append(numbers)
    return [*partial, *(tree for shape, rows in rows_of_shape.items() for tree in _merged_or_apart(shape, rows))]


def summed(tree: Tree) -> Tree:
    """The tree with successive terms of a sum written as ``sum(..)`` where their numbers grow linearly.

    >>> show(summed(parse_term("sqrt(f(1, i)^2 + f(2, i)^2 + (f(3, i)^2 + f(4, i)^2))")))
    'sqrt(sum(v__, 1, 4, f(v__, i)^2))'
    """
    if tree[0] != "+":
        return mapped(tree, summed)
    terms = [summed(term) for term in _summands(tree)]
    summands, start = list[Tree](), 0
    while start < len(terms):
        count = _count_on_line(terms[start:])
        if count < FEWEST:
            summands.append(terms[start])
            start += 1
        else:
            summands.append(_sum_over_line(terms[start : start + count]))
            start += count
    return _sum(summands)


def conjunction(parts: Sequence[Tree]) -> Tree:
    """The conjunction of these parts. Many parts are bracketed in halves, since the depth of a formula is limited and
    the quantifiers for all names of a statement already take much of it."""
    if len(parts) == 1:
        return parts[0]
    half = 1 if len(parts) <= FLAT else len(parts) // 2
    return ("&", conjunction(parts[:half]), conjunction(parts[half:]))


def _summands(tree: Tree) -> Iterator[Tree]:
    """The terms of a sum, in any bracketing, from left to right."""
    if tree[0] == "+":
        yield from _summands(tree[1])
        yield from _summands(tree[2])
    else:
        yield tree


def _sum(terms: Sequence[Tree]) -> Tree:
    """The sum of these terms. Up to `FLAT` terms are added from the left; more are bracketed in halves."""
    if len(terms) == 1:
        return terms[0]
    half = len(terms) // 2 if len(terms) > FLAT else -1
    return ("+", _sum(terms[:half]), _sum(terms[half:]))


def _may_be_undefined(tree: Tree) -> bool:
    """Whether the tree may have no value somewhere: it divides by another term than a numeral, or has a root, log or
    power."""
    divided = any(part[0] == "/" and part[2][0] != "num" for part in subtrees(tree))
    return divided or not called(tree).isdisjoint(("sqrt", "log", "pow"))


def _shape(tree: Tree) -> tuple[Tree, list[int]]:
    """The shape of a tree and its integers from left to right: the shape has a placeholder for each of them. Exponents
    and the parts of fractions stay as they are."""
    numbers = list[int]()

    def without_numbers(part: Tree) -> Tree:
        """The part with placeholders for its integers, which are appended to `numbers`."""
        if part[0] == "num" and part[2] == 1:
            numbers.append(part[1])
            return _NUMBER
        if part[0] == "^" and part[2][0] == "num":
            return ("^", without_numbers(part[1]), part[2])
        if part[0] == "/" and part[2][0] == "num":
            return ("/", part[1] if part[1][0] == "num" else without_numbers(part[1]), part[2])
        return mapped(part, without_numbers)

    return without_numbers(tree), numbers


def _count_on_line(terms: Sequence[Tree]) -> int:
    """How many of the first terms have one shape and numbers that grow linearly from term to term; 1 unless they can
    be written as one sum."""
    (shape, first), *following = (_shape(term) for term in terms[:2])
    # Terms without a function stay. So do terms that use "u__": the indices "v__" and "u__" allow two nested sums.
    if len(terms) < FEWEST or not called(shape) or "u__" in _sum_indices(shape) or following[0][0] != shape:
        return 1
    steps = [b - a for a, b in zip(first, following[0][1], strict=True)]
    if not any(steps):
        return 1
    count = 2
    while count < len(terms):
        next_numbers = [a + count * step for a, step in zip(first, steps, strict=True)]
        if _shape(terms[count]) != (shape, next_numbers):
            break
        count += 1
    return count


def _sum_indices(tree: Tree) -> set[str]:
    """The indices of the sums in a tree."""
    return {part[1] for part in subtrees(tree) if part[0] == "sum"}


def _sum_over_line(terms: Sequence[Tree]) -> Tree:
    """Terms of one shape whose numbers grow linearly, as a sum. Its index takes the values of the first number that
    grows by 1 from term to term, or the values 1, 2, .. if no number does."""
    shape = _shape(terms[0])[0]
    columns = list(zip(*(_shape(term)[1] for term in terms), strict=True))
    start = next((first for first, second, *_ in columns if second - first == 1), 1)
    index = "u__" if "v__" in _sum_indices(shape) else "v__"
    ends = (("num", k, 1) for k in (start, start + len(terms) - 1))
    return ("sum", index, *ends, _filled(shape, columns, index, start))


def _merged_or_apart(shape: Tree, rows: Sequence[list[int]]) -> list[Tree]:
    """The equations with the numbers `rows` in one shape: a single equation for all rows, or one for each row if that
    is not longer."""
    apart = [_filled(shape, [[k] for k in row]) for row in rows]
    if len(rows) < FEWEST:
        return apart
    # The order of the rows decides how short the cases are: tried are the given one, and that by each of the numbers.
    orders = [rows, *(sorted(rows, key=lambda row: row[k:] + row[:k]) for k in range(len(rows[0])))]
    candidates = (_filled(shape, list(zip(*ordered_rows, strict=True))) for ordered_rows in orders)
    shortest = min(candidates, key=lambda tree: len(show(tree)))
    if len(show(shortest)) >= sum(len(show(tree)) for tree in apart):
        return apart
    return [("all in", INDEX, ("num", 1, 1), ("num", len(rows), 1), shortest)]


def _filled(shape: Tree, columns: Sequence[Sequence[int]], index: str = INDEX, start: int = 1) -> Tree:
    """The tree of a shape, with terms in the index in the place of its numbers. `columns` has for each number its
    values at the indices `start`, `start` + 1, ..; a single value for each makes a tree without the index."""
    unused = iter(columns)

    def filled(part: Tree) -> Tree:
        """The part with terms for its placeholders, which take the columns of `unused` from left to right."""
        # For a call f(#, names) the cases are around the call, not in its argument: the witness for f compares its
        # argument with many numbers, and each of these tests would contain all cases.
        if part[0] == "call" and part[2][0] == _NUMBER and all(map(_is_name, part[2][1:])):
            return _call_by_cases(part, next(unused), index, start)
        if part != _NUMBER:
            return mapped(part, filled)
        column = next(unused)
        line = _line(column, index, start)
        return parse_term(line) if line else _table_term(dict(enumerate(map(Fraction, column), 1)))

    return filled(shape)


def _is_name(tree: Tree) -> bool:
    """Whether the tree is a name, and not the placeholder for a number."""
    return tree[0] == "name" and tree != _NUMBER


def _call_by_cases(call: Tree, column: Sequence[int], index: str, start: int) -> Tree:
    """The call f(#, names) with the numbers of `column` as its first argument: a linear term if there is one for all
    numbers, else a sum over cases. The cases are runs of equal numbers, or pieces where the numbers are linear,
    whichever makes the shorter text."""

    def call_at(term: str) -> Tree:
        return ("call", call[1], (parse_term(term), *call[2][1:]))

    if line := _line(column, index, start):
        return call_at(line)
    coverings = (lines(dict(enumerate(column, 1)), index, runs) for runs in (False, True))
    texts_of_cases = (
        [f"I[{spans(numbers, index)}]*{show(call_at(line))}" for line, numbers in covering] for covering in coverings
    )
    return parse_term(min(map(joined, texts_of_cases), key=len))


def _line(column: Sequence[int], index: str, first_index: int) -> str:
    """The text of a numeral or linear term that has the values of `column` at the indices `first_index`,
    `first_index` + 1, ..; empty if there is none."""
    if len(set(column)) == 1:
        return str(column[0])
    constant, slope = affine({(k,): value for k, value in enumerate(column, first_index)}) or (0, 0)
    if not slope:
        return ""
    term = index if slope == 1 else f"{slope}*{index}"
    return term if not constant else f"{term} {'+' if constant > 0 else '-'} {abs(constant)}"


def _table_term(row: Mapping[int, Fraction]) -> Tree:
    """A term in the index with the values of `row`, by the table of `table_function`; its factors 1 are left out."""

    def without_ones(part: Tree) -> Tree:
        return part[1] if part[0] == "*" and part[2] == ("num", 1, 1) else mapped(part, without_ones)

    return without_ones(
        parse_term(table_function({(k,): value for k, value in row.items()}, [INDEX]).partition(". ")[2])
    )


def lines(values: Mapping[int, int], index: str, runs: bool = True) -> list[tuple[str, list[int]]]:
    """Cover values, {index: value}, by lines: pairs of a linear term in the index and the indices where it has the
    value. With `runs` a line may have a slope if it goes through three successive values; else each is a constant."""
    numbers_on: dict[tuple[int, int], list[int]] = {}
    indices, first = sorted(values), 0
    while first < len(indices):
        # Extend a line from the first index that is not covered: constant, or with the slope of the next value.
        slope, end = 0, first + 1
        if runs and first + 2 < len(indices):
            slope = values[indices[first + 1]] - values[indices[first]]
        while end < len(indices) and indices[end] - indices[first] == end - first:
            if values[indices[end]] != values[indices[first]] + slope * (end - first):
                break
            end += 1
        if slope and end < first + 3:  # any two values are on a line, so a slope needs three
            slope, end = 0, first + 1
        numbers_on.setdefault((slope, values[indices[first]] - slope * indices[first]), []).extend(indices[first:end])
        first = end
    return [
        (_line([constant + slope * k for k in (1, 2)], index, 1), on_line)
        for (slope, constant), on_line in numbers_on.items()
    ]


def tables(condition: Tree) -> list[Tree]:
    """The parts of a conjunction, with the entries of a table, ``f(1, 2) = 3``, merged into rows over one index: the
    argument that takes most values.

    >>> entries = " & ".join(f"f({k}, {c}) = {k // 3}" for k in (1, 2, 3) for c in (0, 1))
    >>> [show(part) for part in tables(parse_formula(f"0 < K & {entries}"))]
    ['0 < K', 'all x__ in 1..3. f(x__, 0) = I[x__ = 3]', 'all x__ in 1..3. f(x__, 1) = I[x__ = 3]']
    """
    entries: dict[str, dict[tuple[int, ...], Fraction]] = {}
    others = list[Tree]()
    for part in conjuncts(condition):
        if (  # an entry of a table: only numbers on both sides
            part[0] == "="
            and part[1][0] == "call"
            and not any(names(argument) | called(argument) for argument in (*part[1][2], part[2]))
        ):
            entries.setdefault(part[1][1], {})[*map(int, map(rational, part[1][2]))] = rational(part[2])
        else:
            others.append(part)
    return others + [
        equation for name, entries_of in entries.items() for equation in _table_equations(name, entries_of)
    ]


def _table_equations(name: str, entries: Mapping[tuple[int, ...], Fraction]) -> list[Tree]:
    """One equation for each row of the table `name`: entries whose arguments differ only in the one that takes most
    values. They are equations about all indices from the least to the greatest of the row."""
    varying = max(range(len(next(iter(entries)))), key=lambda k: len({key[k] for key in entries}))
    rows: dict[tuple[int, ...], dict[int, Fraction]] = {}
    for key, value in entries.items():
        rows.setdefault(key[:varying] + key[varying + 1 :], {})[key[varying]] = value
    equations = []
    for key, row in rows.items():
        low, high = min(row), max(row)
        index_text, value = (INDEX, show(_table_term(row))) if high > low else (low, row[low])
        entry = f"{name}({', '.join(map(str, (*key[:varying], index_text, *key[varying:])))}) = {value}"
        equations.append(parse_formula(f"all {INDEX} in {low}..{high}. {entry}" if high > low else entry))
    return equations
