"""The samples of the long families of tests: every case has its day."""

from __future__ import annotations

import pytest
from checkout import in_sample


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_in_as_many_days_every_case_runs_once(count: int) -> None:
    cases = [f"tests/some.py::test_one[{number}]" for number in range(200)]
    days = [{case for case in cases if in_sample(case, count, day)} for day in range(40, 40 + count)]
    assert sorted(case for day in days for case in day) == sorted(cases)
    assert min(map(len, days)) > 200 // count // 2
