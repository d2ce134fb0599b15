"""Running sums against the error model of a certificate, said once more in fractions: every operation in every type of
float, in both orders of averages, ends of sets and which results are exact.

What is expected is the least set that the words of `symcook.domains.rounding` allow for a step; what is found holds
it, is wider by a few units of float64 at most, and is called exact where all that may come up on the way is a number of
the type, and only there.
"""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from families import together

import symcook as sc
from symcook.export.guarantee import guarantee
from symcook.words.rounded import OPEN, ZERO, RoundedSums, Values

F = Fraction
FORMATS = {
    "float64": (53, -1022, 1024),
    "float32": (24, -126, 128),
    "float16": (11, -14, 16),
    "bfloat16": (8, -126, 128),
}
NEAR = F(1, 2**36)
Set = tuple[Fraction, Fraction]


class Model:
    """The error model of one type, in fractions. A set is its two ends; None stands for anything."""

    def __init__(self, dtype: str) -> None:
        self.bits, self.least, self.most = FORMATS[dtype]
        self.unit = F(1, 2**self.bits)
        self.tiny = F(2) ** max(self.least - self.bits, -1074)  # half the least subnormal number, or the least float64
        self.end = F(2) ** self.most * (1 - self.unit)

    def grid(self, x: Fraction) -> int | None:
        """The greatest e with x a multiple of 2^e, x with a power of two below; None of zero."""
        if x == 0:
            return None
        top, bottom = abs(x.numerator), x.denominator
        return (top & -top).bit_length() - bottom.bit_length()

    def held(self, numbers: list[Fraction], size: Fraction) -> bool:
        """Whether all multiples of the grid of these numbers up to `size` are numbers of the type."""
        if any(x.denominator & (x.denominator - 1) for x in numbers):
            return False
        grids = [e for x in numbers if (e := self.grid(x)) is not None]
        if not grids:
            return True
        return min(grids) >= self.least and size <= F(2) ** (min(grids) + self.bits) and size < self.end

    def number(self, x: Fraction) -> Fraction:
        """A number of the type near x, for what a test draws."""
        if x == 0:
            return x
        e = 0
        while F(2) ** (e + 1) <= abs(x):
            e += 1
        while F(2) ** e > abs(x):
            e -= 1
        last = F(2) ** max(e - self.bits + 1, self.least - self.bits + 1)
        return round(x / last) * last

    def rounded(self, low: Fraction, high: Fraction) -> Set:
        """y (1 + d) + e for all y between the ends; rounding keeps signs."""
        below, above = low - abs(low) * self.unit - self.tiny, high + abs(high) * self.unit + self.tiny
        return (max(below, F(0)) if low >= 0 else below), (min(above, F(0)) if high <= 0 else above)

    def growth(self, roundings: int) -> Fraction:
        """(1 + u)^k - 1 is below k u/(1 - k u), and below e^(k u) - 1, which is taken where that would be above 1."""
        error = roundings * self.unit
        return error / (1 - error) if error < F(1, 2) else F(math.expm1(float(error)))

    def total(self, terms: list[Set]) -> Set:
        size = sum((max(abs(a), abs(b)) for a, b in terms), F(0))
        slack = size * self.growth(max(len(terms) - 1, 1)) + self.tiny
        low, high = sum((a for a, _ in terms), F(0)) - slack, sum((b for _, b in terms), F(0)) + slack
        if all(a >= 0 for a, _ in terms):  # no less than the greatest of them
            low = max(low, *(a for a, _ in terms), F(0))
        if all(b <= 0 for _, b in terms):
            high = min(high, *(b for _, b in terms), F(0))
        return low, high

    def shares(self, terms: list[Set]) -> Set:
        """Each term times 1/k, rounded before unless k is a power of two, and the sum of these."""
        k = len(terms)
        size = sum((max(abs(a), abs(b)) for a, b in terms), F(0)) / k
        each = F(1) if k & (k - 1) == 0 else (1 + self.unit) ** 2
        slack = size * (each * (1 + self.growth(k - 1)) - 1) + 2 * k * self.tiny * (1 + self.growth(k - 1))
        low, high = sum((a for a, _ in terms), F(0)) / k - slack, sum((b for _, b in terms), F(0)) / k + slack
        return (
            max(low, F(0)) if all(a >= 0 for a, _ in terms) else low,
            min(high, F(0)) if all(b <= 0 for _, b in terms) else high,
        )


def drawn(model: Model, r: random.Random) -> tuple[Set, bool]:
    """A number of the type, exactly known or with an end on either side."""
    kind = r.randrange(9)
    if kind == 7:  # an end at zero
        x = model.number(F(r.randint(1, 900), 300))
        return r.choice([(F(0), x), (-x, F(0))]), False
    if kind == 8:  # so small that products are below all numbers of the type
        x = r.choice([1, -3]) * F(2) ** (model.least - (0 if model.least < -1000 else 2))
        return (x, x), True
    if kind == 0:
        return (F(0), F(0)), True
    if kind == 6:  # far from 1, where the type goes so far
        x = F(r.choice([3, -5])) * F(2) ** (r.choice([-62, 30]) if model.least < -100 else -7)
        return (x, x), True
    if kind < 4:
        x = model.number(F(r.choice([1, 2, 3, 5, 7, 100, 255]), 2 ** r.randrange(6)) * r.choice([1, -1]))
        return (x, x), True
    low, high = sorted(model.number(F(k, 300)) for k in r.sample(range(-900, 901), 2))
    return (low, high), False


def values(model: Model, one: Set, exact: bool) -> Values:
    grid = model.grid(one[0]) if exact else None
    grids = np.array([OPEN if not exact else ZERO if grid is None else grid])
    return Values(np.array([float(one[0])]), np.array([float(one[1])]), grids)


def same(found: Values, expected: Set, exact: bool, case: Any) -> None:
    """The set found is the expected one but for a few units of float64, and is exact where it should be."""
    low, high = F(float(found.low[0])), F(float(found.high[0]))
    room = NEAR * max(abs(expected[0]), abs(expected[1])) + F(2) ** -1070
    assert expected[0] - room <= low <= expected[0], (case, float(low), float(expected[0]))
    assert expected[1] <= high <= expected[1] + room, (case, float(high), float(expected[1]))
    assert (found.grid[0] > OPEN) is np.True_ if exact else found.grid[0] == OPEN, (case, found.grid)


@together("dtype", list(FORMATS))
def test_products(dtype: str) -> None:
    model, arithmetic, r = Model(dtype), RoundedSums(dtype), random.Random(1)
    for _ in range(300):
        (a, sure), (b, known) = drawn(model, r), drawn(model, r)
        ends = [x * y for x, y in itertools.product(a, b)]
        nothing = a == (0, 0) or b == (0, 0)
        exact = nothing or (sure and known and model.held([a[0] * b[0]], abs(a[0] * b[0])))
        expected = (min(ends), max(ends)) if exact else model.rounded(min(ends), max(ends))
        same(arithmetic.times(values(model, a, sure), values(model, b, known)), expected, exact, (a, b))


@together("dtype", list(FORMATS))
def test_products_below_all_numbers_are_not_zero(dtype: str) -> None:
    """x = 2^a and a weight 2^b whose product no number of the type is near, nor one of float64: the exact model accepts
    and floats reject, so that nothing is certain. The same for the average of the least numbers."""
    _, least, _ = FORMATS[dtype]
    for power, certain in ((least, True), (2 * least - 1, False), (2 * least - 80, False)):
        first = F(2) ** least
        embedding = sc.Embedding(sc.Space(("x",)), words={"a": {"x": first}, "b": {"x": -first}})
        readout = sc.Readout("sign", "last", ("x",), [[F(2) ** power / first]])
        found = guarantee(sc.Transformer("t", embedding, (), readout), dtype, 3)
        assert found["length"] == (3 if certain else 0), (dtype, power, found["ranges"])
    arithmetic = RoundedSums(dtype, True)
    least_number = F(2) ** max(least, -1074)
    sums = arithmetic.empty(1)
    for _ in range(4):
        sums = arithmetic.added(sums, values(Model(dtype), (least_number, least_number), True))
    found = arithmetic.mean(sums)
    assert found.low[0] <= least_number <= found.high[0]


@together("dtype", list(FORMATS))
def test_the_greatest_numbers_whose_every_bit_is_held(dtype: str) -> None:
    """2^bits is a sum of ones, and one more is no number of the type, though float64 would round its size to 2^bits:
    the set holds it. Products likewise."""
    bits, arithmetic, model = FORMATS[dtype][0], RoundedSums(dtype), Model(dtype)

    def of(x: int) -> Values:
        return values(model, (F(x), F(x)), True)

    for more, exact in ((0, dtype != "float64"), (1, False)):  # in float64 the edge itself stays open
        parts = [2 ** (bits - 1), 2 ** (bits - 1) - 1, 1, more]
        found = arithmetic.total([of(part) for part in parts if part])
        assert found.low[0] <= F(2**bits + more) <= found.high[0], dtype
        if float(sum(parts)) < float(model.end):
            assert (found.grid[0] > OPEN) == exact and (found.low[0] == found.high[0]) == exact, dtype
    for factor in (3, 5, 7, 9, 11, 13, 17):
        for top in (2**bits - 1, 2**bits, 2**bits + 1):
            if top % factor == 0 and top // factor < 2**bits and float(top) < float(model.end):
                found = arithmetic.times(of(factor), of(top // factor))
                assert F(float(found.low[0])) <= top <= F(float(found.high[0])), (dtype, top)
                assert (found.low[0] == found.high[0]) == (top < 2**bits), (dtype, top)


@pytest.mark.sweep
@together("dtype", list(FORMATS))
def test_sums_and_averages(dtype: str) -> None:
    """Of up to 40 terms, where roundings add up; the average divides the sum once, or each term before."""
    model, r = Model(dtype), random.Random(2)
    behind, before = RoundedSums(dtype), RoundedSums(dtype, True)
    for k in [*range(1, 41), *range(2, 18), 32, 64, 100, 127, 128, 129, 130, 256]:
        kind = r.randrange(4)
        terms = [drawn(model, r) for _ in range(k)]
        if kind == 0:
            terms = [((abs(a), abs(a)), known) for (a, _), known in terms if known] or [((F(1), F(1)), True)]
        elif kind == 1:
            terms = [(t, known) for t, known in terms if known] or [((F(-1), F(-1)), True)]
        elif kind == 2:
            short = [model.number(F(round(16 * abs(b)), 16)) for (_, b), _ in terms]  # quotients of 53 bits stay open
            terms = [((-b, -b), True) for b in short]
        sets, k = [t for t, _ in terms], len(terms)
        size = sum((max(abs(a), abs(b)) for a, b in sets), F(0))
        exact = all(known for _, known in terms) and model.held([a for a, _ in sets], size)
        sums = behind.empty(1)
        for one, known in terms:
            sums = behind.added(sums, values(model, one, known))
        plain = sum((a for a, _ in sets), F(0)), sum((b for _, b in sets), F(0))
        whole = plain if exact else model.total(sets)
        same(behind.value(sums), whole, exact, ("sum", sets))
        if k > 1:
            same(behind.total([values(model, one, known) for one, known in terms]), whole, exact, ("total", sets))

        quotients = whole[0] / k, whole[1] / k
        divided = whole == (0, 0) or (exact and model.held([quotients[0]], abs(quotients[0])))
        found, expected = behind.mean(sums), quotients if divided else model.rounded(*quotients)
        if model.number(F(k)) == k:
            same(found, expected, divided, ("mean", sets))

        power = k & (k - 1) == 0
        if k == 1:
            same(before.mean(sums), whole, exact, ("share", sets))
            continue
        shared = size == 0 or (power and exact and model.held([a / k for a, _ in sets], size / k))
        expected = (plain[0] / k, plain[1] / k) if shared else model.shares(sets)
        same(before.mean(sums), expected, shared, ("shares", sets))


@together("dtype", list(FORMATS))
def test_rows_of_weights(dtype: str) -> None:
    """The bias, then the terms whose weight is not 1 as products: a sum of as many as there are."""
    model, arithmetic, r = Model(dtype), RoundedSums(dtype), random.Random(3)
    for _ in range(120):
        columns = [drawn(model, r) for _ in range(r.randint(1, 3))]
        weights = [r.choice([1, 2, -1, F(3, 4)]) for _ in columns]
        bias, parts = r.choice([0, 0, 1, F(-5, 8)]), []
        if bias:
            parts.append(((F(bias), F(bias)), True))
        for c, (x, known) in zip(weights, columns, strict=True):
            ends = sorted((c * x[0], c * x[1]))
            exact = known and (c == 1 or model.held([ends[0]], abs(ends[0])))
            got = (ends[0], ends[1]) if exact or c == 1 or x == (0, 0) else model.rounded(*ends)
            parts.append((got, exact or x == (0, 0)))
        sets = [one for one, _ in parts]
        size = sum((max(abs(a), abs(b)) for a, b in sets), F(0))
        exact = all(known for _, known in parts) and (len(sets) == 1 or model.held([a for a, _ in sets], size))
        expected = sets[0] if len(sets) == 1 else model.total(sets)
        if exact:
            expected = sum((a for a, _ in sets), F(0)), sum((b for _, b in sets), F(0))
        terms = [(values(model, x, known), c) for c, (x, known) in zip(weights, columns, strict=True)]
        same(arithmetic.linear(terms, bias), expected, exact, (columns, weights, bias))


@together("dtype", list(FORMATS))
def test_activations(dtype: str) -> None:
    model, arithmetic = Model(dtype), RoundedSums(dtype)
    for low, high in [(0, 0), (1, 1), (-1, -1), (-1, 2), (0, 2), (-2, 0), (1, 2), (-3, -2)]:
        for known in (low == high, False):
            x = values(model, (F(low), F(high)), known)
            relu, step = arithmetic.activate(x, "relu"), arithmetic.activate(x, "step")
            assert (relu.low[0], relu.high[0]) == (max(low, 0), max(high, 0))
            assert (relu.grid[0] > OPEN) == known
            assert (step.low[0], step.high[0]) == (low > 0, high > 0)
            assert (step.grid[0] > OPEN) == ((low > 0) == (high > 0))


@together("dtype", list(FORMATS))
def test_what_overflows_is_anything(dtype: str) -> None:
    model, arithmetic = Model(dtype), RoundedSums(dtype)
    below = F(2) ** (model.most - 1)
    for one, other, fits in [(below, F(1), True), (below, F(2), False), (-below, F(2), False), (below, F(-2), False)]:
        with np.errstate(over="ignore"):
            found = arithmetic.times(values(model, (one, one), True), values(model, (other, other), True))
        assert (np.isfinite(found.low[0]) and np.isfinite(found.high[0])) == fits, (dtype, one, other)
        assert (found.grid[0] > OPEN) == fits
    with np.errstate(over="ignore"):
        twice = arithmetic.total([values(model, (below, below), True)] * 2)
    assert (twice.low[0], twice.high[0], twice.grid[0]) == (-np.inf, np.inf, OPEN)
    if dtype != "float64":  # whose last power of two is not reckoned with, on the cautious side
        one = arithmetic.total([values(model, (below, below), True), values(model, (below / 2, below / 2), True)])
        assert one.low[0] == one.high[0] == float(below * 3 / 2) < float(model.end)


def test_a_certificate_where_numbers_overflow() -> None:
    """A product that no float64 holds: nothing is promised, and nothing is warned of."""
    words = {"x": {"a": "10^200"}, "y": {"a": 1}}
    head = sc.Head(("a",), ("m",), [[0]], [[0]], [["10^200"]], "future")
    embedding = sc.Embedding(sc.Space(("a", "m")), words=words)
    model = sc.Transformer("big", embedding, (sc.Layer(head),), sc.Readout("sign", "last", ("m",), [[1]]))
    for divides in (guarantee(model, "float64", 3), guarantee(model, "float64", 3)["divided_first"]):
        assert divides["ranges"] == [] and divides["open"][0]["input"] == "x"
        assert divides["open"][0]["outputs"]["logit"] == ["-inf", "inf"]


# --- As a certificate shows it ---------------------------------------------------------------------------------------


def average(weight: str = "1", mask: str = "future") -> sc.Transformer:
    """The mean of what stands before, of 1 and 3/2, less a threshold that it passes."""
    words = {"x": {"a": 1}, "y": {"a": "3/2"}}
    head = sc.Head(("a",), ("m",), [[0]], [[0]], [[weight]], mask)
    embedding = sc.Embedding(sc.Space(("a", "m")), words=words)
    return sc.Transformer("average", embedding, (sc.Layer(head),), sc.Readout("sign", "last", ("m",), [[1]]))


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_outputs_of_a_certificate_by_hand(dtype: str) -> None:
    """All x is the least mean, all y the greatest: sums of k ones and of k times 3/2, which are exact while they fit,
    over k; or the sum of k times 1/k, which is rounded where k is no power of two."""
    model, found = Model(dtype), guarantee(average(), dtype, 20)
    assert found["length"] == found["divided_first"]["length"] == 20
    for first, part in ((False, found), (True, found["divided_first"])):
        for each in part["lengths"]:
            k, ends = each["length"], []
            for x in (F(1), F(3, 2)):
                if first and k & (k - 1):
                    ends.append(model.shares([(x, x)] * k))
                elif model.held([x], k * x):
                    ends.append((x, x))
                else:
                    ends.append(model.rounded(*(e / k for e in model.total([(x, x)] * k))))
            low, high = (F(float(v)) for v in each["outputs"]["logit"])
            assert abs(low - ends[0][0]) <= F(1, 10**8), (dtype, first, k)
            assert abs(high - ends[1][1]) <= F(1, 10**8), (dtype, first, k)
            assert low <= ends[0][0] and high >= ends[1][1]
            assert abs(F(each["margin"]) - ends[0][0]) <= F(1, 10**8)
