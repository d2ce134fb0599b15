"""Sums by their ends: where every value of a box lies, and every sum of two, is between the ends that are given."""

from __future__ import annotations

import random
from fractions import Fraction
from math import floor

import numpy as np
import pytest

from symcook.domains.cells import Cell, carrier
from symcook.words.affine import GRID, OPEN, AffineEntries, AffineNumbers, Course, Ends


def code(x: Fraction) -> int:
    """2a for a point a/2^GRID, 2a + 1 for what lies strictly between it and the next."""
    whole = floor(x * 2**GRID)
    return 2 * whole + (whole != x * 2**GRID)


def cell(values: list[Fraction]) -> Cell:
    below = int(np.lcm.reduce([x.denominator for x in values]))
    numbers = [int(x * below) for x in values]
    bound = max(1, *map(abs, numbers))
    return Cell(np.array(numbers, dtype=carrier(bound)), below, bound)


def some(r: random.Random) -> Fraction:
    return r.choice([Fraction(r.randint(-4, 4), r.choice([1, 2, 3])), Fraction(r.randint(-9, 9), 2**GRID),
                     Fraction(r.randint(-9, 9), 3 * 2**GRID), Fraction(0)])  # fmt: skip


def within(r: random.Random, low: int, high: int) -> Fraction:
    """A number whose code is in a range."""
    at = r.randint(low, high)
    return Fraction(at // 2, 2**GRID) + (Fraction(r.randint(1, 9), 10 * 2**GRID) if at % 2 else 0)


@pytest.mark.layer_one(0, 4, 6, 10, 15, 19, 28, 29)
@pytest.mark.parametrize("seed", range(30))
def test_ends_hold_all_values_and_all_sums(seed: int) -> None:
    r, many = random.Random(seed), 8
    numbers = AffineNumbers(["the head"])
    boxes = {}
    for number in (3, 5)[: r.choice([1, 2])]:
        low = [code(some(r)) for _ in range(many)]
        high = [x + r.choice([0, 1, 2, 2**GRID]) for x in low]
        boxes[number] = Ends(np.array(low), np.array(high), max(map(abs, low + high)))
        assert boxes[number].sign.tolist() == [
            1 if a > 0 else -1 if b < 0 else 0 if a == b == 0 else OPEN for a, b in zip(low, high, strict=True)
        ]
    numbers.boxes = dict(boxes)
    bias = [some(r) for _ in range(many)]
    slopes = {number: [some(r) for _ in range(many)] for number in boxes}
    x = AffineEntries(cell(bias), {k: cell(row) for k, row in slopes.items()}, frozenset({"head"}))
    found = numbers.between(x)
    total = numbers.added(None, x).total
    assert isinstance(total, Ends)
    assert (total.low.tolist(), total.high.tolist()) == (found.low.tolist(), found.high.tolist())
    before = [(code(some(r)), r.choice([0, 1, 2, 2**GRID])) for _ in range(many)]
    old = Ends(np.array([a for a, _ in before]), np.array([a + w for a, w in before]), 2**50)
    numbers.seen = 1
    both = numbers.added(Course(old, 1, 0), x)
    assert both.count == 2 and isinstance(both.total, Ends)
    for k in range(many):
        for _ in range(20):
            points = {n: within(r, int(b.low[k]), int(b.high[k])) for n, b in boxes.items()}
            value = bias[k] + sum(slopes[n][k] * t for n, t in points.items())
            assert found.low[k] <= code(value) <= found.high[k], (seed, k)
            earlier = within(r, int(old.low[k]), int(old.high[k]))
            assert both.total.low[k] <= code(value + earlier) <= both.total.high[k], (seed, k)
        assert both.total.high[k] - both.total.low[k] <= sum(int(e.high[k] - e.low[k]) for e in (found, old)) + 2
    for ends in (found, both.total):
        assert max(int(np.abs(ends.low).max()), int(np.abs(ends.high).max())) <= ends.bound


def test_points_stay_points() -> None:
    """An exact multiple of a point plus a number on the grid is that point."""
    numbers = AffineNumbers(["the head"])
    point = code(Fraction(3, 4))
    numbers.boxes = {0: Ends(np.array([point]), np.array([point]), point)}
    found = numbers.between(AffineEntries(cell([Fraction(1, 2)]), {0: cell([Fraction(-2)])}, frozenset({"head"})))
    assert found.low.tolist() == found.high.tolist() == [code(Fraction(-1))]
