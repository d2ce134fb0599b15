"""Each pair of the commands that write certificates works on one model, and neither changes what the other wrote."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_pairs import odd_pairs

from symcook.model.answers import Reply

WRITERS = ("prove", "refute", "prove the model", "export npz", "verify-export", "decide --certificate")


@pytest.mark.parametrize("first", ["prove", "export npz", "decide --certificate"])  # what writes, each once
@pytest.mark.sweep
def test_each_pair_of_certificates(first: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    def no_truth(answer: Reply) -> bool:
        raise AssertionError(f"a command takes {answer!r} as a truth value")

    monkeypatch.setattr(Reply, "__bool__", no_truth)
    assert odd_pairs([first], WRITERS, tmp_path) == []
