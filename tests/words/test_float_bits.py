"""Arithmetic on the bits of float64, against numpy, mpmath and Python's integers."""

from __future__ import annotations

import random

import mpmath
import numpy as np
import pytest

import symcook as sc
from symcook.domains.rounding import Format
from symcook.errors import NotExact
from symcook.words.inputs import strings
from symcook.words.keyed import grouped
from symcook.words.rounded import OPEN, RoundedSums, _up
from symcook.words.simulated import Simulated

ENDS = [0.0, -0.0, 5e-324, -5e-324, 2.0**-1022, -(2.0**-1022), 1.0, -1.0, 1.5, -0.5, 2.0**1023]


def numbers(r: random.Random, many: int) -> list[float]:
    """Of all sizes, some with few bits, so that ties occur."""
    found = [r.choice([-1, 1]) * r.randrange(2 ** r.randint(1, 53)) * 2.0 ** r.randint(-60, 60) for _ in range(many)]
    return [float(x) for x in found]


def test_the_next_float_above() -> None:
    drawn = np.array([*ENDS, *numbers(random.Random(1), 300)])
    for given in (drawn, np.array([*ENDS, np.inf, -np.inf, np.nan])):
        above = _up(given)
        assert above.tobytes() == np.nextafter(given, np.inf).tobytes()


@pytest.mark.parametrize("bits", [1, 2, 3, 8, 24, 25])
def test_rounded_to_nearest_even(bits: int) -> None:
    drawn = numbers(random.Random(bits), 400)
    drawn += [k * 2.0**e for k in range(-9, 10) for e in (-3, 0, bits)]
    context = mpmath.MPContext()
    context.prec = bits
    wanted = [float(+context.mpf(x)) for x in drawn]
    assert Simulated(bits).rounded(np.array(drawn)).tolist() == wanted


def test_numbers_that_float64_does_not_have_are_refused() -> None:
    for given in (np.inf, np.nan, 2.0**1010, 2.0**-1010, -(2.0**-1070)):
        with pytest.raises(NotExact):
            Simulated(4).rounded(np.array([1.0, given]))
    assert Simulated(4).rounded(np.array([0.0, -0.0])).tolist() == [0, 0]


@pytest.mark.parametrize("bits", [1, 3, 11, 53])
def test_what_a_format_holds(bits: int) -> None:
    """Multiples of 2^grid up to a size are numbers of the format iff the size is at most 2^(bits + grid); with 53 bits,
    where the size itself may have been rounded down to that, only below."""
    sums, r = RoundedSums(Format(bits)), random.Random(bits)
    cases = [(k, grid) for grid in (-70, -4, 0, 5) for k in [0, 1, 2**bits - 1, 2**bits, 2**bits + 1, r.randrange(99)]]
    sizes = np.array([float(k) * 2.0**grid for k, grid in cases])
    held = sums.held(sizes, np.array([grid for _, grid in cases]))
    assert held.tolist() == [float(k) < 2**bits or (k == 2**bits and bits < 53) for k, _ in cases]
    assert not sums.held(sizes, np.full(len(cases), OPEN)).any()


def test_rows_in_the_order_in_which_they_occur() -> None:
    r = random.Random(4)
    rows = [(r.randint(-2, 2), r.choice([0.5, 0.25, -1.0])) for _ in range(60)]
    order = list(dict.fromkeys(rows))
    state, first = grouped([np.array([k for k, _ in rows]), np.array([x for _, x in rows])], len(rows))
    assert [order[k] for k in state] == rows
    assert first.tolist() == [rows.index(row) for row in order]


@pytest.mark.parametrize(("language", "n"), [(None, 70), ("0*1*", 70), (None, 3)])
def test_strings_that_are_drawn(language: str | None, n: int) -> None:
    """Different ones of the language, in the order of the alphabet; the same for the same seed."""
    asked = strings(sc.build("parity"), range(n, n + 1), language)
    many = min(40, asked.many(n))
    found = asked.draw(n, many).T.tolist()
    assert (len(found), len(found[0])) == (many, n)
    assert all(one < other for one, other in zip(found, found[1:], strict=False))
    assert all(0 <= digit < 2 for one in found for digit in one)
    assert language is None or all(one == sorted(one) for one in found)
    if asked.many(n) == many and language is None:
        assert found == [[k >> 2 & 1, k >> 1 & 1, k & 1] for k in range(8)]
    assert asked.draw(n, many).T.tolist() == found
