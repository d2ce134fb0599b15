"""Every fold made to deceive (`deceiving.py`): refused, or answered rightly."""

from __future__ import annotations

import pytest
from test_deceiving import FOLDS, few, outcome

__all__ = ["few"]


@pytest.mark.parametrize("name", FOLDS)
@pytest.mark.layer_two(every=4)
def test_no_fold_deceives(name: str) -> None:
    outcome(name)
