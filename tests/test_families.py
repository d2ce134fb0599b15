"""A family in one test fails where any of its cases does, and names all of these."""

from __future__ import annotations

import pytest
from families import every


def small(number: int) -> None:
    assert number < 3
    if number == 0:
        with pytest.raises(ValueError, match="never"):
            pass


def test_all_failing_cases_are_named() -> None:
    every([1, 2], small)
    every([(1,), (2,)], small)
    with pytest.raises(AssertionError, match=r"3 of 5 cases fail:\n0: Failed: .*\n3: AssertionError: (.*\n)+4: Asser"):
        every(range(5), small)
    with pytest.raises(AssertionError, match="no cases"):
        every([], small)
