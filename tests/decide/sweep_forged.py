"""Many forgeries by rule of a certificate of each kind (`test_forged.py`): refused, or still true."""

from __future__ import annotations

import pytest
from test_decision_certificates import CASES
from test_forged import forged


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("seed", range(1, 21))
def test_what_is_changed_is_refused_or_still_true(name: str, seed: int) -> None:
    forged(name, 5 if name == "labels" else 20, seed)
