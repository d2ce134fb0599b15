"""Equations that differ by numbers alone as one for all numbers: what keeps the text of a long bridge short. Untrusted.

``f(1, i) = g(3, i)``, ``f(2, i) = g(3, i)``, ``f(3, i) = g(1, i)``, .. are
``all x__ in 1..m. f(x__, i) = (I[1 <= x__ & x__ <= 2]*g(3, i) + I[x__ = 3]*g(1, i) + ..)``: a number that is not the
same in all of them, nor on a line, is told case by case, which at each x__ is the number by computation.
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
FEWEST = 4
"""So many equations become one."""
FLAT = 8
"""So many parts or terms stand in a row; more are bracketed in halves, which keeps trees shallow."""
_NUMBER = ("name", "#")
"""What stands for a whole number in a shape."""


def merged(equations: Sequence[Tree]) -> list[Tree]:
    """The same conjunction in fewer parts. Those that may be undefined come first, as each part is a condition of those
    after it.

    >>> texts = [f"f({k}, i) = g({k + 3}, i) - h({k // 4}, i)" for k in range(1, 5)]
    >>> show(merged([parse_formula(text) for text in texts])[0])
    'all x__ in 1..4. f(x__, i) = g(x__ + 3, i) - (I[1 <= x__ & x__ <= 3]*h(0, i) + I[x__ = 4]*h(1, i))'
    """
    rows_of_shape: dict[Tree, list[list[int]]] = {}
    partial = [equation for equation in equations if _partial(equation)]
    for equation in equations:
        if not _partial(equation):
            shape, numbers = _shape(equation)
            rows_of_shape.setdefault(shape, []).append(numbers)
    return [*partial, *(tree for shape, rows in rows_of_shape.items() for tree in _together(shape, rows))]


def summed(tree: Tree) -> Tree:
    """A tree whose terms that follow one another and differ by numbers on a line are a sum over numbers.

    >>> show(summed(parse_term("sqrt(f(1, i)^2 + f(2, i)^2 + (f(3, i)^2 + f(4, i)^2))")))
    'sqrt(sum(v__, 1, 4, f(v__, i)^2))'
    """
    if tree[0] != "+":
        return mapped(tree, summed)
    terms = [summed(term) for term in _terms(tree)]
    summands, start = list[Tree](), 0
    while start < len(terms):
        count = _on_a_line(terms[start:])
        if count < FEWEST:
            summands.append(terms[start])
            start += 1
        else:
            summands.append(_over(terms[start : start + count]))
            start += count
    return _sum(summands)


def conjunction(parts: Sequence[Tree]) -> Tree:
    """The conjunction of these parts. Many are bracketed in halves, as it stands below all names of a statement."""
    if len(parts) == 1:
        return parts[0]
    half = 1 if len(parts) <= FLAT else len(parts) // 2
    return ("&", conjunction(parts[:half]), conjunction(parts[half:]))


def _terms(tree: Tree) -> Iterator[Tree]:
    """The terms of a sum, however it is bracketed."""
    if tree[0] == "+":
        yield from _terms(tree[1])
        yield from _terms(tree[2])
    else:
        yield tree


def _sum(terms: Sequence[Tree]) -> Tree:
    """The sum of these terms."""
    if len(terms) == 1:
        return terms[0]
    half = len(terms) // 2 if len(terms) > FLAT else -1
    return ("+", _sum(terms[:half]), _sum(terms[half:]))


def _partial(tree: Tree) -> bool:
    """Whether it has no value everywhere."""
    divided = any(part[0] == "/" and part[2][0] != "num" for part in subtrees(tree))
    return divided or not called(tree).isdisjoint(("sqrt", "log", "pow"))


def _shape(tree: Tree) -> tuple[Tree, list[int]]:
    """A tree without its whole numbers, and these; exponents and parts of fractions stay."""
    numbers = list[int]()

    def without_numbers(part: Tree) -> Tree:
        if part[0] == "num" and part[2] == 1:
            numbers.append(part[1])
            return _NUMBER
        if part[0] == "^" and part[2][0] == "num":
            return ("^", without_numbers(part[1]), part[2])
        if part[0] == "/" and part[2][0] == "num":
            return ("/", part[1] if part[1][0] == "num" else without_numbers(part[1]), part[2])
        return mapped(part, without_numbers)

    return without_numbers(tree), numbers


def _on_a_line(terms: Sequence[Tree]) -> int:
    """How many of the first terms differ by numbers on a line alone."""
    (shape, first), *others = (_shape(term) for term in terms[:2])
    if len(terms) < FEWEST or not called(shape) or "u__" in _bound(shape) or others[0][0] != shape:
        return 1
    steps = [b - a for a, b in zip(first, others[0][1], strict=True)]
    if not any(steps):
        return 1
    count = 2
    while count < len(terms):
        next_numbers = [a + count * step for a, step in zip(first, steps, strict=True)]
        if _shape(terms[count]) != (shape, next_numbers):
            break
        count += 1
    return count


def _bound(tree: Tree) -> set[str]:
    """The names over which it sums."""
    return {part[1] for part in subtrees(tree) if part[0] == "sum"}


def _over(terms: Sequence[Tree]) -> Tree:
    """Terms that differ by numbers on a line as a sum over numbers, those of the first that grows by 1."""
    shape = _shape(terms[0])[0]
    columns = list(zip(*(_shape(term)[1] for term in terms), strict=True))
    start = next((first for first, second, *_ in columns if second - first == 1), 1)
    index = "u__" if "v__" in _bound(shape) else "v__"
    ends = (("num", k, 1) for k in (start, start + len(terms) - 1))
    return ("sum", index, *ends, _filled(shape, columns, index, start))


def _together(shape: Tree, rows: Sequence[list[int]]) -> list[Tree]:
    """The trees of one shape as one tree, or as they are where that is no shorter."""
    apart = [_filled(shape, [[k] for k in row]) for row in rows]
    if len(rows) < FEWEST:
        return apart
    orders = [rows, *(sorted(rows, key=lambda row: row[k:] + row[:k]) for k in range(len(rows[0])))]
    candidates = (_filled(shape, list(zip(*ordered, strict=True))) for ordered in orders)
    shortest = min(candidates, key=lambda tree: len(show(tree)))
    if len(show(shortest)) >= sum(len(show(tree)) for tree in apart):
        return apart
    return [("all in", INDEX, ("num", 1, 1), ("num", len(rows), 1), shortest)]


def _filled(shape: Tree, columns: Sequence[Sequence[int]], index: str = INDEX, start: int = 1) -> Tree:
    """The tree of a shape whose numbers have these values at the index `start`, and so on."""
    unused = iter(columns)

    def filled(part: Tree) -> Tree:
        # a table as an argument would meet each test of a witness, so the cases are around the call
        if part[0] == "call" and part[2][0] == _NUMBER and all(map(_is_name, part[2][1:])):
            return _called(part, next(unused), index, start)
        if part != _NUMBER:
            return mapped(part, filled)
        column = next(unused)
        line = _line(column, index, start)
        return parse_term(line) if line else _values(dict(enumerate(map(Fraction, column), 1)))

    return filled(shape)


def _is_name(tree: Tree) -> bool:
    """Whether it is a name, and no number of a shape."""
    return tree[0] == "name" and tree != _NUMBER


def _called(call: Tree, column: Sequence[int], index: str, start: int) -> Tree:
    """A function at these numbers: at a line, else case by case, at each value or on each line that three are on."""

    def at(term: str) -> Tree:
        return ("call", call[1], (parse_term(term), *call[2][1:]))

    if line := _line(column, index, start):
        return at(line)
    coverings = (lines(dict(enumerate(column, 1)), index, runs) for runs in (False, True))
    cases = ([f"I[{spans(numbers, index)}]*{show(at(line))}" for line, numbers in lines_of] for lines_of in coverings)
    return parse_term(min(map(joined, cases), key=len))


def _line(column: Sequence[int], index: str, first_index: int) -> str:
    """A number, or what is on a line; empty where that is none."""
    if len(set(column)) == 1:
        return str(column[0])
    start, slope = affine({(k,): value for k, value in enumerate(column, first_index)}) or (0, 0)
    if not slope:
        return ""
    term = index if slope == 1 else f"{slope}*{index}"
    return term if not start else f"{term} {'+' if start > 0 else '-'} {abs(start)}"


def _values(row: Mapping[int, Fraction]) -> Tree:
    """A term of the index that has these values."""

    def put(part: Tree) -> Tree:
        return part[1] if part[0] == "*" and part[2] == ("num", 1, 1) else mapped(part, put)

    return put(parse_term(table_function({(k,): value for k, value in row.items()}, [INDEX]).partition(". ")[2]))


def lines(values: Mapping[int, int], index: str, runs: bool = True) -> list[tuple[str, list[int]]]:
    """Lines, as terms of an index, and the numbers at which these values are on them."""
    numbers_on: dict[tuple[int, int], list[int]] = {}
    keys, first = sorted(values), 0
    while first < len(keys):
        slope, end = 0, first + 1
        if runs and first + 2 < len(keys):
            slope = values[keys[first + 1]] - values[keys[first]]
        while end < len(keys) and keys[end] - keys[first] == end - first:
            if values[keys[end]] != values[keys[first]] + slope * (end - first):
                break
            end += 1
        if slope and end < first + 3:
            slope, end = 0, first + 1
        numbers_on.setdefault((slope, values[keys[first]] - slope * keys[first]), []).extend(keys[first:end])
        first = end
    return [(_line([start + slope * k for k in (1, 2)], index, 1), indices) for (slope, start), indices in numbers_on.items()]


def tables(condition: Tree) -> list[Tree]:
    """The parts of a conjunction, in which entries of a table, ``f(1, 2) = 3``, are rows, over the index that has most
    numbers.

    >>> entries = " & ".join(f"f({k}, {c}) = {k // 3}" for k in (1, 2, 3) for c in (0, 1))
    >>> [show(part) for part in tables(parse_formula(f"0 < K & {entries}"))]
    ['0 < K', 'all x__ in 1..3. f(x__, 0) = I[x__ = 3]', 'all x__ in 1..3. f(x__, 1) = I[x__ = 3]']
    """
    entries: dict[str, dict[tuple[int, ...], Fraction]] = {}
    others = list[Tree]()
    for part in conjuncts(condition):
        if (
            part[0] == "="
            and part[1][0] == "call"
            and not any(names(argument) | called(argument) for argument in (*part[1][2], part[2]))
        ):
            entries.setdefault(part[1][1], {})[*map(int, map(rational, part[1][2]))] = rational(part[2])
        else:
            others.append(part)
    return others + [equation for name, entries_of in entries.items() for equation in _rows(name, entries_of)]


def _rows(name: str, entries: Mapping[tuple[int, ...], Fraction]) -> list[Tree]:
    """The entries of a table row by row."""
    varying = max(range(len(next(iter(entries)))), key=lambda k: len({key[k] for key in entries}))
    rows: dict[tuple[int, ...], dict[int, Fraction]] = {}
    for key, value in entries.items():
        rows.setdefault(key[:varying] + key[varying + 1 :], {})[key[varying]] = value
    equations = []
    for key, row in rows.items():
        low, high = min(row), max(row)
        index, value = (INDEX, show(_values(row))) if high > low else (low, row[low])
        entry = f"{name}({', '.join(map(str, (*key[:varying], index, *key[varying:])))}) = {value}"
        equations.append(parse_formula(f"all {INDEX} in {low}..{high}. {entry}" if high > low else entry))
    return equations
