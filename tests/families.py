"""A family of small cases in few tests: pytest takes longer for a test than many of them do."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest


def every(cases: Iterable[Any], check: Callable[..., None]) -> None:
    """`check` of each case, a tuple or one value; where some fail, all of these are named with what they say."""
    many, wrong = 0, []
    for case in cases:
        many += 1
        try:
            check(*(case if isinstance(case, tuple) else (case,)))
        except (Exception, pytest.fail.Exception) as error:
            wrong.append(f"{case!r:.200}: {type(error).__name__}: {str(error)[:500]}")
    assert many, "no cases"
    assert not wrong, f"{len(wrong)} of {many} cases fail:\n" + "\n".join(wrong)
