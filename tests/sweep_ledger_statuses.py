"""Every row of the ledger with every other status, all digests made anew: none is read."""

from __future__ import annotations

import functools

import pytest
from test_claims import STATUSES, forged

from symcook import claims


def test_no_row_is_read_with_another_status(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("row_digest", "stored_rows", "reviewed"):
        monkeypatch.setattr(claims, name, functools.cache(getattr(claims, name)))
    tried = 0
    for name, rows in claims.stored_rows().items():
        assert forged(name) is not None, name
        for status in STATUSES:
            if status != rows[0]["status"]:
                tried += 1
                assert forged(name, status=status) is None, (name, status)
    assert tried > 6_000
