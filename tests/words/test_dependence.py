"""Which sums of what positions hold are one for every runtime: sums of few bits, and coefficients put together."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations

import pytest

from symcook.words.cells import Dependence, _dyadic


def fits(x: Fraction, bits: int) -> bool:
    """Whether a number is an integer of so many bits times a power of two."""
    top, below = abs(x.numerator), x.denominator
    while top and top % 2 == 0:
        top //= 2
    while below % 2 == 0:
        below //= 2
    return below == 1 and top < 2**bits


@pytest.mark.parametrize("bits", [3, 8, 24])
def test_sums_that_every_runtime_has_exactly(bits: int) -> None:
    """Each partial sum in any order is a number of the format; what is small and dyadic is among them."""
    r, domain, held = random.Random(bits), Dependence("ab", bits), 0
    for _ in range(600):
        size = r.choice([2, 2 ** (bits - 1), 2**bits, 2 ** (bits + 1)])
        below = r.choice([1, 1, 2, 8, 2**10, 2**11, 3, 12])
        numbers = [Fraction(r.randint(-size, size), below) for _ in range(r.randint(0, 4))]
        assert [_dyadic(x, bits) for x in numbers] == [fits(x, bits) for x in numbers]
        found = domain._holds(numbers)
        sums = [sum(some, Fraction(0)) for k in range(len(numbers) + 1) for some in combinations(numbers, k)]
        if found:
            assert all(fits(x, bits) or abs(x) * max(n.denominator for n in numbers) == 2**bits for x in sums)
        whole = max((x.denominator for x in numbers), default=1)
        small = sum((abs(x) for x in numbers), Fraction(0)) * whole <= 2**bits and whole <= 2**10
        assert found == (small and all(fits(x, bits) for x in numbers)), numbers
        held += found
        assert Dependence("ab")._holds(numbers)
    assert 50 < held < 550


def test_sums_are_known_by_what_they_add_up_to() -> None:
    """Without bits: in any order, with coefficients of one term put together; numbers are added. With bits a product or
    a sum that they do not hold stays as it is."""
    domain = Dependence("ab")
    x, y = domain._term(("x",), (), frozenset({1})), domain._term(("y",), (), frozenset({2}))
    two, half = domain._given(2), domain._given(Fraction(1, 2))
    assert domain._numbers[domain._sum([(3, two), (-1, half)], Fraction(1, 7))] == Fraction(6) - Fraction(5, 14)
    assert domain._sum([(1, x)], 0) == x and domain._sum([(1, x), (0, y)], 0) == x
    assert domain._sum([(1, x), (-1, x)], 0) == domain._given(0)
    assert domain._sum([(1, x), (2, x)], 0) == domain._sum([(3, x)], 0) != domain._sum([(-1, x)], 0)
    assert domain._sum([(1, x), (1, y)], 0) == domain._sum([(1, y), (1, x)], 0) != x
    assert domain._sum([(1, x)], 1) == domain._sum([(1, x), (Fraction(1, 2), two)], 0) != x
    assert domain._groups[domain._sum([(1, x), (5, y)], 3)] == {1, 2}
    tight = Dependence("ab", 4)
    x, five = tight._term(("x",)), tight._given(5)
    assert tight._numbers[tight._sum([(3, five)], 0)] == 15 and tight._numbers[tight._sum([(3, five)], 2)] is None
    assert tight._numbers[tight._sum([(3, five)], 1)] == 16
    assert tight._numbers[tight._sum([(Fraction(1, 3), five)], 0)] is None
    assert tight._sum([(1, x)], 0) == x and tight._sum([(1, x), (1, x)], 0) != tight._sum([(2, x)], 0)
    assert tight._sum([(1, x)], 3) == tight._sum([(1, x)], 3) != tight._sum([(1, x)], 2)
    assert tight._sum([(1, x), (1, five)], 0) == tight._sum([(1, five), (1, x)], 0) == tight._sum([(1, x)], 5)
    assert tight._sum([(1, x), (2, five)], -10) != x  # a runtime may add them in between
