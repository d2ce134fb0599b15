"""What notes/carry.md says of the shipped models is what the questions answer."""

from __future__ import annotations

from checkout import ROOT

import symcook as sc

NOTE = (ROOT / "notes" / "carry.md").read_text()


def test_the_margins_of_parity() -> None:
    found = sc.build("parity").margin(6)
    assert "0.1206 at 2, 0.0269 at 6" in NOTE
    assert found.row(2)["margin"].mid.startswith("0.1206")
    assert found.row(6)["margin"].mid.startswith("0.0269")


def test_the_bits_of_the_others() -> None:
    """Those of PARITY stand in test_precision.py."""
    assert sc.build("dyck-1").precision(6, min_length=6, formats=()).row(6)["enough"] == 4
    assert sc.build("first").precision(4, min_length=4, formats=()).row(4)["enough"] == 5
    assert sc.build("dyck-1-nonuniform").precision(3, min_length=3, formats=()).row(3)["enough"] is None
    assert sc.build("first-flawed").margin(3).row(3)["margin"].mid.startswith("0.0246")
