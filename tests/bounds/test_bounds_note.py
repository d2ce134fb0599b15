"""docs/guides/bounds.md: every number of its table is what its command prints, and the sides compare as it says."""

import json
import re
import shlex
from decimal import Decimal

import pytest
from checkout import ROOT
from families import together
from proof.stored import replayed  # noqa: F401

from symcook.__main__ import dispatch

ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in (ROOT / "docs" / "guides" / "bounds.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("| `bound")
]


def test_there_is_a_row_for_every_kind_that_needs_no_model():
    from symcook.bounds import KINDS

    wanted = {name for name, kind in KINDS.items() if all(a.name != "model" for a in kind.arguments)}
    assert {row[0].split()[1] for row in ROWS} == wanted


@pytest.mark.sweep
@pytest.mark.usefixtures("replayed")
@together("row", ROWS)
def test_a_row(row, capsys):
    code = dispatch([*shlex.split(row[0].strip("`")), "--digits", "30", "--json"])
    answer = json.loads(capsys.readouterr().out)
    for shown, ball in ((row[3], answer["claimed"]), (row[4], answer["value"])):
        assert re.fullmatch(r"\d+(\.\d+)?(e-\d+)?", shown)
        printed, found = Decimal(shown), Decimal(ball["mid"])
        assert abs(printed - found) <= Decimal(10) ** -20 * abs(found)
    assert {"yes": (True, 0), "no": (False, 1)}[row[6]] == (answer["holds"], code)
    assert set(answer["proofs"].values()) == {"PROVED"}
