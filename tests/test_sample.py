"""The samples of the long families of tests: every case has its day."""

from __future__ import annotations

import pytest
from checkout import in_sample


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_in_as_many_days_every_case_runs_once(count: int) -> None:
    days = [[n for n in range(200) if in_sample("a.py::test", n, count, day)] for day in range(40, 40 + count)]
    assert sorted(case for day in days for case in day) == list(range(200))
    assert max(map(len, days)) - min(map(len, days)) <= 1


def test_families_begin_on_different_days() -> None:
    first = {family: next(day for day in range(8) if in_sample(family, 0, 8, day)) for family in map(str, range(60))}
    assert set(first.values()) == set(range(8))
