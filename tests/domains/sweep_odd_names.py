"""160 models with odd names: texts and JSON of their closed forms beside exact runs on all short strings.

The campaign `cases` has 140 more, the campaign `names` as many as are asked for."""

from __future__ import annotations

import pytest
from odd_names import asked

CASES, EACH = 15, 20


@pytest.mark.layer_two(0)
@pytest.mark.parametrize("case", range(CASES))
def test_models_with_odd_names(case: int) -> None:
    reached = [found for k in range(EACH) if (found := asked(case * EACH + k)) is not None]
    assert len(reached) >= 2 and sum(values for _, _, values in reached) > 100
