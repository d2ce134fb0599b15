"""A sample of bad command lines: an exit code of the contract and one sentence each, never a defect or a traceback."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest
from attacks import badinputs

from symcook.__main__ import main

SEEDS = range(200)
BATCH = 25
SECONDS = 2
"""What takes longer is interrupted, as a user would."""


@pytest.mark.sweep
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer")
@pytest.mark.parametrize("first", SEEDS[::BATCH])
@pytest.mark.layer_two(every=3)
def test_a_sample_of_bad_command_lines(
    first: int, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    badinputs.prepare(tmp_path)

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGPROF, interrupt)
    codes: list[int] = []
    seeds = range(first, first + BATCH)
    try:
        for seed in seeds:
            line = badinputs.command_line(seed)
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            code = main(line)
            signal.setitimer(signal.ITIMER_PROF, 0)
            _, err = capsys.readouterr()
            codes.append(code)
            shown = (seed, [part[:100] for part in line], code, err[-500:])
            assert code in (0, 1, 2, 3, 130), shown
            assert "Traceback" not in err, shown
            if code == 2:
                assert err.startswith("symcook: ") and err.count("\n") == 1 and len(err) < 500, shown
                assert err.removesuffix("\n").isprintable() or not err.isascii(), shown
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    assert codes.count(2) > BATCH // 2 and 0 in codes, "the sample must reach both ends"
    assert (tmp_path / "there.npz").read_bytes() == b"mine" or "--force" in str(
        list(map(badinputs.command_line, seeds))
    )
    assert not [name for name in os.listdir(tmp_path) if name.startswith(".") and name != ".npz"]


HUGE = "9" * 3900


@pytest.mark.layer_one(0, 1)
@pytest.mark.parametrize(
    ("line", "code"),
    [
        (["derive", "scale", "--set", f"c={HUGE}", "--set", f"x={HUGE}"], 0),
        (["derive", "average", "--rows", f"{HUGE};1/{HUGE};3"], 0),
        (["run", "scale", "--set", f"c={HUGE}", "--set", f"x={HUGE}"], 0),
        (["run", "identity", "--set", "x=" + "9" * 5000], 2),
        (["check", "gtzero", "--spec", "spec.py:huge"], 1),
        (["check", "gtzero", "--spec", "spec.py:huge", "--domain", "float64"], 1),
        (["check", "prefix-average", "--max-length", "1", "--spec", "spec.py:huge"], 2),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else "",
)
def test_numbers_of_any_length(
    line: list[str], code: int, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    badinputs.prepare(tmp_path)
    assert main(line) == code, capsys.readouterr().err
    assert main([*line, "--json"]) == code
