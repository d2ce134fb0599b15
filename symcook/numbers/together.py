"""Values of expressions for many inputs at once: the distinct values, and for each input the index of its value.

An operation is done once for each combination of values that occurs, in the exact arithmetic of one input. The array of
indices, `codes`, has one axis for each position and broadcasts: if a value depends on two positions only, all other
axes have length 1, so that inputs with the same tokens at the two positions share one index.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from symcook.errors import NotExact
from symcook.model.expr import Tree, is_formula, show
from symcook.numbers.columns import Exactly

FEW = 1024
"""If the possible combinations are at most 4 for each entry of the codes, plus this number, those that occur are found
by a table instead of by sorting."""

Codes = np.ndarray[Any, Any]
"""For each input an index of a value; one axis for each position."""
Each: TypeAlias = "int | Fraction | Together"
"""One value for all inputs, or a value for each input."""


@dataclass(frozen=True, eq=False)
class Together:
    """At least two distinct values, and for each input the index of its value. codes: one axis for each position."""

    values: tuple[int | Fraction, ...]
    codes: Codes

    def __add__(self, other: Each) -> Each:
        return over(operator.add, self, other)

    def __radd__(self, other: Each) -> Each:
        return over(operator.add, other, self)

    def __sub__(self, other: Each) -> Each:
        return over(operator.sub, self, other)

    def __rsub__(self, other: Each) -> Each:
        return over(operator.sub, other, self)

    def __mul__(self, other: Each) -> Each:
        return over(operator.mul, self, other)

    def __rmul__(self, other: Each) -> Each:
        return over(operator.mul, other, self)

    def __neg__(self) -> Each:
        return over(lambda a: -a, self)


def together(values: Sequence[int | Fraction], codes: Codes) -> Each:
    """values[code] for each input, with equal values merged; the value itself where all are equal."""
    numbers: dict[int | Fraction, int] = {}
    places = [numbers.setdefault(value, len(numbers)) for value in values]
    if len(numbers) == 1:
        return values[0]
    return Together(tuple(numbers), np.array(places, dtype=np.int32)[codes])


def over(function: Callable[..., int | Fraction], *parts: Each) -> Each:
    """A function of some values, each of which is one for all inputs or `Together`.

    >>> bit = Together((0, 1), np.array([0, 1]))
    >>> over(max, bit, 3), over(max, bit, -bit).values
    (3, (0, 1))
    """
    several = [part for part in parts if isinstance(part, Together)]
    if not several:
        return function(*parts)
    rows, codes = [(value,) for value in several[0].values], several[0].codes
    # `rows` are the combinations that occur, `codes` their indices. They are renumbered after each part, so that no
    # number gets large.
    for part in several[1:]:
        size = len(part.values)
        used, codes = _occurring(codes.astype(np.int64) * size + part.codes, len(rows) * size)
        rows = [(*rows[number // size], part.values[number % size]) for number in used.tolist()]
    results = list[int | Fraction]()
    for row in rows:
        values = iter(row)
        results.append(function(*(next(values) if isinstance(part, Together) else part for part in parts)))
    return together(results, codes)


def _occurring(numbers: Codes, below: int) -> tuple[Codes, Codes]:
    """The distinct numbers, in order, and for each entry the index of its number among them; all are at least 0 and
    less than `below`."""
    if below > 4 * numbers.size + FEW:
        used, places = np.unique(numbers, return_inverse=True)
        return used, places.reshape(numbers.shape)
    occurs = np.zeros(below, dtype=bool)
    occurs[numbers] = True
    used = np.flatnonzero(occurs)
    place = np.empty(below, dtype=np.int32)
    place[used] = np.arange(len(used), dtype=np.int32)
    return used, place[numbers]


class AllExactly(Exactly):
    """Rational values of all inputs. Where a condition differs between inputs, both branches of its `if` are evaluated
    for all inputs; a range must have the same ends for all. So an error here does not mean that an input alone would
    fail."""

    def divide(self, a: Each, b: Each, tree: Tree) -> Each:
        return over(lambda x, y: Exactly.divide(self, x, y, tree), a, b)

    def power(self, a: Each, b: Each, tree: Tree) -> Each:
        return over(lambda x, y: Exactly.power(self, x, y, tree), a, b)

    def compare(self, tag: str, a: Each, b: Each, tree: Tree) -> Each:
        return over(lambda x, y: Exactly.compare(self, tag, x, y, tree), a, b)

    def negation(self, a: Each) -> Each:
        return over(operator.not_, a)

    def both(self, a: Each, b: Each) -> Each:
        return over(operator.and_, a, b)

    def either(self, a: Each, b: Each) -> Each:
        return over(operator.or_, a, b)

    def choose(self, truth: Each, yes: Tree, no: Tree) -> Each:
        if not isinstance(truth, Together):
            return super().choose(bool(truth), yes, no)
        return over(lambda t, y, n: y if t else n, truth, self.term(yes), self.term(no))

    def call(self, name: str, arguments: list[Any], tree: Tree) -> Each:
        """A function of each input's arguments: a column of the run, a definition, or a function of the grammar."""
        function = self.values.get(f"{name}()") if len(arguments) == 1 else None
        if isinstance(function, tuple):
            return super().call(name, arguments, tree)
        if function is not None and isinstance(arguments[0], Together):
            # A column at a position that depends on the input: its value at each of the positions, of which each input
            # takes one.
            values_by_place = [Exactly.call(self, name, [place], tree) for place in arguments[0].values]
            which = Together(tuple(range(len(values_by_place))), arguments[0].codes)
            return over(lambda k, *values: values[k], which, *values_by_place)
        return over(lambda *given: Exactly.call(self, name, list(given), tree), *arguments)

    def end(self, tree: Tree, whole: Tree) -> int:
        if isinstance(self.term(tree), Together):
            raise NotExact("inputs that are evaluated together must have the same ends of ranges", show(tree))
        return super().end(tree, whole)

    def made(self, value: object) -> object:
        for each_value in value.values if isinstance(value, Together) else (value,):
            super().made(each_value)
        return value

    def kept(self, value: Each) -> Each:
        for each_value in value.values if isinstance(value, Together) else (value,):
            super().kept(each_value)
        return value


def valued_together(tree: Tree, values: Mapping[str, object]) -> Each:
    """`columns.valued` for all inputs, exactly: one value for all of them, or `Together`; columns and names may have
    either. It raises where a single input does, and sometimes where none does (`AllExactly`)."""
    exactly = AllExactly(values)
    return exactly.formula(tree) if is_formula(tree) else over(Fraction, exactly.term(tree))
