"""Many forgeries by rule of a certificate of each kind (`test_forged.py`): refused, or still true.

Three seeds in a run of the sweeps, seventeen more by the campaign `cases`."""

from __future__ import annotations

import pytest
from test_decision_certificates import CASES
from test_forged import forged

SEEDS = [*range(1, 4), *(pytest.param(seed, marks=pytest.mark.campaign) for seed in range(4, 21))]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.layer_two(every=10)
def test_what_is_changed_is_refused_or_still_true(name: str, seed: int) -> None:
    forged(name, 5 if name == "labels" else 20, seed)
