"""Some of the forgeries of `forged_fields.py`, all of which `campaign.py fields` tries; and that it finds faults."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from attacks.forged_fields import KINDS, Checkpoints, attack

from symcook.errors import BadInput
from symcook.verify import checkpoint


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("kind", KINDS)
def test_a_field_of_another_value_is_refused_or_says_the_same(kind: str) -> None:
    counts, wrong = attack(kind, random.Random(kind).randrange(200), 12)
    assert not wrong and counts["refused"] > 6


def test_counts_that_a_chunk_cannot_have_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the comparison of a row with its chunk some forged rows are believed."""
    monkeypatch.setattr(checkpoint, "_require_consistent", lambda *_: None)
    assert attack("checkpoint", 0, 25)[1]


def test_a_string_that_is_recorded_as_open_is_asked_again(tmp_path: Path) -> None:
    """Two columns were changed together, and `check` said that an answer is undecided."""
    stored = Checkpoints(tmp_path)
    (*row, digest), *others = stored.rows
    row[5], row[9] = 1, json.dumps(["("])
    with pytest.raises(BadInput, match=r"asked again, they agree on \("):
        stored.asked(stored.entries, [(*row, digest), *others])
