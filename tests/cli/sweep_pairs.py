"""Each pair of the documented commands works on one model, and neither changes what the other wrote."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_pairs import COMMANDS, odd_pairs

from symcook.model.answers import Reply


@pytest.mark.parametrize("first", COMMANDS)
def test_each_pair_of_commands(first: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    def no_truth(answer: Reply) -> bool:
        raise AssertionError(f"a command takes {answer!r} as a truth value")

    monkeypatch.setattr(Reply, "__bool__", no_truth)
    assert odd_pairs(first, COMMANDS, tmp_path) == []
