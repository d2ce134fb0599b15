"""Each pair of the documented commands works on one model, and neither changes what the other wrote."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_pairs import COMMANDS, odd_pairs

from symcook.model.answers import Reply

WRITE_NOTHING = (
    "run", "show", "derive", "check", "decide", "prove the model", "precision", "entropy", "bound sensitivity",
    "verify-export", "diff",
)  # fmt: skip
"""A command after any of these finds the same folder: each is tried once, after all of them."""


@pytest.mark.parametrize("firsts", [WRITE_NOTHING, *((one,) for one in COMMANDS if one not in WRITE_NOTHING)], ids=min)
@pytest.mark.layer_two(every=12)
def test_each_pair_of_commands(firsts: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    def no_truth(answer: Reply) -> bool:
        raise AssertionError(f"a command takes {answer!r} as a truth value")

    monkeypatch.setattr(Reply, "__bool__", no_truth)
    assert odd_pairs(firsts, COMMANDS, tmp_path) == []
