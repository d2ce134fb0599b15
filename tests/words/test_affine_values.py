"""Values that are affine in sums known by their ends, against fractions: what is positive, zero or open, what relu and
step make of it, sums of many with coefficients, means, and which states become one."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from test_ends_of_sums import cell, code

from symcook.domains.cells import Cell
from symcook.words.affine import GRID, NO, OPEN, YES, AffineEntries, AffineNumbers, AffinePosition, Course, Ends
from symcook.words.keyed import KeepApart

F = Fraction
MANY = 7
Function = tuple[F, dict[int, F]]
"""A value: what is added, and the multiple of each sum."""


def fractions(given: Cell) -> list[F]:
    found = [F(int(x), given.denominator) for x in given.numerators.tolist()]
    return found * MANY if len(found) == 1 else found


def functions(x: AffineEntries) -> list[Function]:
    parts = {k: fractions(c) for k, c in x.parts.items()}
    return [(bias, {k: row[e] for k, row in parts.items() if row[e]}) for e, bias in enumerate(fractions(x.cell))]


def number(r: random.Random) -> F:
    kind = r.randrange(5)
    if kind == 0:
        return F(0)
    if kind == 1:
        return F(r.randint(-3, 3), 2**GRID)
    if kind == 2:
        return F(r.choice([1, -1]) * r.randint(1, 9) * 2**40)
    return F(r.randint(-4, 4), r.choice([1, 2, 3]))


def boxed(r: random.Random) -> AffineNumbers:
    """Numbers of a position with one or two sums by their ends: points, and short and long ways between them."""
    numbers = AffineNumbers(["the head"])
    for k in (3, 5)[: r.choice([1, 2])]:
        low = [code(number(r)) for _ in range(MANY)]
        high = [x + r.choice([0, 0, 1, 2, 3, 2**GRID, 2 ** (GRID + 2)]) for x in low]
        bound = max(map(abs, low + high))
        kind = np.int64 if bound < 2**60 else object
        numbers.boxes[k] = Ends(np.array(low, dtype=kind), np.array(high, dtype=kind), bound)
    return numbers


def entries(r: random.Random, numbers: AffineNumbers, none: bool = False) -> AffineEntries:
    chosen = [] if none else [k for k in numbers.boxes if r.random() < 0.8]
    one = r.random() < 0.2  # one number for all entries
    slope = lambda: r.choice([F(0), F(1), F(-1), F(2), F(-1, 3), F(5, 7)])  # noqa: E731
    bias = [number(r) for _ in range(1 if one else MANY)]
    parts = {k: cell([slope() for _ in range(1 if r.random() < 0.3 else MANY)]) for k in chosen}
    return AffineEntries(cell(bias), parts, frozenset({"head"}) if parts else frozenset({"token"}))


def span(numbers: AffineNumbers, function: Function, e: int) -> tuple[F, bool, F, bool]:
    """The least and the greatest of a value, each with whether it is not reached. An odd code lies strictly between two
    points."""
    bias, slopes = function
    low, high, low_open, high_open = bias, bias, False, False
    for k, slope in slopes.items():
        a, b = int(numbers.boxes[k].low[e]), int(numbers.boxes[k].high[e])
        ends = (F(a // 2, 2**GRID), a % 2 == 1), (F(-(-b // 2), 2**GRID), b % 2 == 1)
        first, last = ends if slope > 0 else ends[::-1]
        low, high = low + slope * first[0], high + slope * last[0]
        low_open, high_open = low_open or first[1], high_open or last[1]
    return low, low_open, high, high_open


@pytest.mark.layer_one(0, 1, 8, 19, 20, 21, 32, 33)
@pytest.mark.parametrize("seed", range(40))
def test_signs_and_activations(seed: int) -> None:
    """Positive: all that a value may be is; not: none of it is. An activation takes what is positive as it is, and a
    value below or at zero as 0; where some entry may be either, it asks for the sums that the value is made of."""
    r = random.Random(seed)
    numbers = boxed(r)
    position = AffinePosition(numbers, None, np.zeros(MANY, dtype=np.int64))
    for _ in range(12):
        x = entries(r, numbers, none=r.random() < 0.2)
        exact = functions(x)
        spans = [span(numbers, one, e) for e, one in enumerate(exact)]
        yes = [low > 0 or (low == 0 and is_open) for low, is_open, _, _ in spans]
        no = [high <= 0 for _, _, high, _ in spans]
        wanted = [YES if a else NO if b else OPEN for a, b in zip(yes, no, strict=True)]
        assert position.positive(x)[0].tolist() == wanted
        zero = []
        for low, low_open, high, high_open in spans:
            apart = low > 0 or high < 0 or (low == 0 and low_open) or (high == 0 and high_open)
            zero.append(NO if apart else YES if low == high == 0 else OPEN)
        assert position.zero(x)[0].tolist() == zero
        for kind in ("relu", "step"):
            # relu of what is never below zero is that itself, also where zero is reached
            on = [a or (kind == "relu" and low >= 0) for a, (low, *_) in zip(yes, spans, strict=True)]
            if x.parts and not all(a or b for a, b in zip(on, no, strict=True)):
                with pytest.raises(KeepApart) as asked:
                    numbers.activate(x, kind)
                assert asked.value.kept == {("sum", k) for k in x.parts}
                continue
            found = functions(numbers.activate(x, kind))
            for e, (a, one) in enumerate(zip(no, exact, strict=True)):
                expected = (F(0), {}) if a else one if kind == "relu" else (F(1), {})
                assert found[e] == expected, (seed, kind, e)


@pytest.mark.parametrize("seed", range(20))
def test_weighted_sums(seed: int) -> None:
    r = random.Random(100 + seed)
    numbers = boxed(r)
    for _ in range(10):
        columns = [entries(r, numbers) for _ in range(r.randint(1, 3))]
        weights = [r.choice([F(1), F(-1), F(2), F(1, 3), F(-7, 5), F(0)]) for _ in columns]
        bias = r.choice([F(0), F(1), F(-5, 7)])
        found = numbers.linear(list(zip(columns, weights, strict=True)), bias)
        each = [functions(x) for x in columns]
        for e, got in enumerate(functions(found)):
            value, slopes = bias, dict[int, F]()
            for weight, column in zip(weights, each, strict=True):
                value += weight * column[e][0]
                for k, slope in column[e][1].items():
                    slopes[k] = slopes.get(k, F(0)) + weight * slope
            assert got == (value, {k: slope for k, slope in slopes.items() if slope})
        assert found.of == frozenset().union(*(x.of for x in columns))
        assert all(c.table.any() for c in found.parts.values())
        assert abs(max(fractions(found.cell), key=abs) * found.cell.denominator) <= found.cell.bound


def test_means_of_sums() -> None:
    """A sum over how many there are: exact where it is kept, else one over their number times it; of none zero."""
    numbers = AffineNumbers(["the head"])
    assert functions(numbers.mean(None)) == [(F(0), {})] * MANY
    exact = [F(k, 3) for k in range(MANY)]
    assert functions(numbers.mean(Course(cell(exact), 5, 0))) == [(x / 5, {}) for x in exact]
    ends = Ends(np.array([code(x) for x in exact]), np.array([code(x) + 1 for x in exact]), 2**50)
    assert functions(numbers.mean(Course(ends, 4, 2))) == [(F(0), {2: F(1, 4)})] * MANY
    assert numbers.boxes == {2: ends} and not numbers.at(1, MANY).boxes


@pytest.mark.parametrize("seed", range(12))
def test_which_states_become_one(seed: int) -> None:
    """Those with the same labels, exact sums and signs of others, in the order in which they occur; of sums by their
    ends the hull."""
    r, many = random.Random(seed), 12
    numbers = AffineNumbers(["the head"])
    labels = np.array([r.randint(0, 1) for _ in range(many)]) if seed % 2 else None
    exact = [F(r.randint(0, 2), 3) for _ in range(many)]
    low = [r.choice([-5, -1, 0, 0, 1, 4, 2**45]) for _ in range(many)]
    high = [max(x, r.choice([-5, -1, 0, 0, 3, 2**45])) for x in low]
    kept, ends = Course(cell(exact), 3, 0), Course(Ends(np.array(low), np.array(high), 2**45), 3, 1)
    heads: Any = ((kept, None), (ends,))
    state, first, sums = numbers.merged(heads, many, labels)
    signs = [1 if a > 0 else -1 if b < 0 else 0 if a == b == 0 else 2 for a, b in zip(low, high, strict=True)]
    keys = list(zip([0] * many if labels is None else labels.tolist(), exact, signs, strict=True))
    order = list(dict.fromkeys(keys))
    assert [order[k] for k in state.tolist()] == keys and first.tolist() == [keys.index(key) for key in order]
    (one, none), (hull,) = sums
    assert none is None and [F(int(x), one.total.denominator) for x in one.total.numerators] == [k[1] for k in order]
    groups = [[e for e in range(many) if keys[e] == key] for key in order]
    assert hull.total.low.tolist() == [min(low[e] for e in group) for group in groups]
    assert hull.total.high.tolist() == [max(high[e] for e in group) for group in groups]
    assert (hull.count, hull.number, one.count) == (3, 1, 3)
