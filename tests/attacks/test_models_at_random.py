"""A few models of models_at_random.py through the questions; the command asks them of as many as one likes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from attacks.models_at_random import attack, main

QUICK = ("runs", "margin", "tolerance", "temperature", "entropy", "export")


@pytest.mark.parametrize("number", [6, 10, 13])
@pytest.mark.layer_two(every=2)
@pytest.mark.sweep
def test_some_models_through_the_questions(number: int) -> None:
    counts, wrong = attack(1, number, QUICK)
    assert not wrong
    assert counts["runs"] == 31 and counts["export"] > 50


@pytest.mark.layer_one(1)
@pytest.mark.layer_two(0, 1)
@pytest.mark.parametrize("number", range(100, 116))
def test_another_model_each_day(number: int) -> None:
    _, wrong = attack(1, number, ("runs", "margin", "entropy", "export"))
    assert not wrong


def test_what_is_wrong_is_named_with_a_file_and_a_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The negative control: an oracle that has no verdicts."""
    given = ["--from", "6", "--count", "1", "--only", "runs", "--save", str(tmp_path)]
    monkeypatch.setattr("attacks.drawn_models.Oracle.answer", lambda self, word: None)
    monkeypatch.setattr("sys.argv", ["models_at_random.py", *given])
    assert main() == 1
    said = capsys.readouterr().out
    (path,) = tmp_path.iterdir()
    assert os.fspath(path) in said and "--from 6 --count 1 --only runs" in said and "1 models, 1 fail" in said


def test_a_log_goes_on(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Each model is asked once, and all are counted; a failure from before is one at the end."""
    log, asked = tmp_path / "log.jsonl", []

    def attacked(seed: int, number: int, *_: object) -> tuple[dict[str, int], list[str]]:
        asked.append(number)
        return {"runs": 3}, ["runs: no"] if number == 1 else []

    monkeypatch.setattr("attacks.models_at_random.attack", attacked)
    for count, code in (1, 0), (3, 1), (3, 1):
        given = ["--count", str(count), "--only", "runs", "--log", str(log), "--save", str(tmp_path / "models")]
        monkeypatch.setattr("sys.argv", ["models_at_random.py", *given])
        assert main() == code
    assert asked == [0, 1, 2]
    assert "compared: {'runs': 9}" in (said := capsys.readouterr().out) and said.endswith("3 models, 1 fail\n")
