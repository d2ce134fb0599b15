"""Campaigns: parts in turn, a line a run, and the next run behind it; each command is a script that there is."""

from __future__ import annotations

from pathlib import Path

import campaign
import pytest
from checkout import ROOT


@pytest.fixture
def record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty record, and two campaigns: of three parts, the second of which finds something; and of a wrong line."""
    fails = campaign.Campaign("x", 3, lambda k, seed: ["-c", f"print({seed}, {k}); raise SystemExit({k} == 1)"])
    says = campaign.Campaign("y", 1, lambda k, seed: ["-c", "print('f(x) -> y')"], ") -> ")
    monkeypatch.setattr(campaign, "CAMPAIGNS", {"fails": fails, "says": says})
    monkeypatch.setattr(campaign, "RECORD", tmp_path / "campaigns.tsv")
    return tmp_path / "campaigns.tsv"


def test_a_run_adds_a_line_and_the_next_goes_on(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert not campaign.run("fails", 7, 0.001)  # one part, which has begun before the time is over
    assert "fails 0: 7 0" in capsys.readouterr().out
    assert campaign.main(["fails", "--seed", "7", "--minutes", "5"]) == 1
    assert campaign.main(["fails", "--seed", "7"]) == 0
    assert "all 3 parts of seed 7" in capsys.readouterr().out
    head, first, second = record.read_text(encoding="utf-8").splitlines()
    assert head + "\n" == campaign.HEADER
    assert first.split("\t")[2:5] == ["7", "fails", "0-0"] and first.endswith("\tnothing")
    assert second.split("\t")[2:5] == ["7", "fails", "1-2"] and "exit 1: python -c" in second
    assert campaign.next_part("fails", 8) == 0


def test_a_line_that_says_so_is_found(record: Path) -> None:
    assert campaign.run("says", 1, 60)
    assert "exit 0" in record.read_text(encoding="utf-8")


@pytest.mark.parametrize("given", [["nonsense"], ["--seed", "0"], ["--minutes", "0"]])
def test_what_is_no_campaign_is_refused(given: list[str]) -> None:
    with pytest.raises(SystemExit) as left:
        campaign.main(given)
    assert left.value.code == 2


def test_each_campaign_runs_a_script_that_there_is_with_other_cases_in_each_part() -> None:
    for name, one in campaign.CAMPAIGNS.items():
        commands = [one.command(k, seed) for seed in (1, 2) for k in range(min(2, one.parts or 2))]
        for command in commands:
            files = [word for word in command if word.endswith(".py")]
            assert files and all((ROOT / word).is_file() for word in files), name
        if one.parts is None and name != "kills":  # its moments are drawn anew
            assert len({tuple(command) for command in commands}) == 4 or name == "coq", name
