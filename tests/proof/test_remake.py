"""proofs/remake.py: the steps in order, what was built is not built again, and what is refused is said."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from checkout import ROOT
from proof.stored import load_module

from symcook.proof import replay
from symcook.proof.audit import seals


@pytest.fixture
def remake(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(sys, "path", [str(ROOT / "proofs"), *sys.path])
    for name in ("build", "expand", "ledger", "coq"):
        monkeypatch.setitem(sys.modules, name, load_module(name))
    return load_module("remake")


def test_the_steps_follow_each_other_and_the_code_says_whether_all_is_made(
    remake: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    steps: list[str] = []

    def step(name: str, code: int = 0) -> Any:
        return lambda *_: steps.append(name) or code

    monkeypatch.setattr(sys.modules["expand"], "main", step("expand"))
    monkeypatch.setattr(sys.modules["ledger"], "main", step("ledger"))
    for name in ("build_proofs", "second_checker", "coq"):
        monkeypatch.setattr(remake, name, step(name))
    assert remake.main(["--no-coq"]) == 0
    assert steps == ["expand", "build_proofs", "second_checker", "ledger"]
    assert "all is made" in capsys.readouterr().err
    monkeypatch.setattr(remake, "second_checker", step("second_checker", 1))
    assert remake.main(["--no-coq"]) == 1
    assert "not as it must be: the second checker" in capsys.readouterr().err


def test_a_run_that_was_broken_off_builds_what_is_left(
    remake: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The third build is interrupted; the next run begins with it, and the one after all is built begins anew. Where
    what finds proofs has changed meanwhile, all is built."""
    build, names = sys.modules["build"], ["lem.sum_one", "lem.sum_mono", "lem.sum_ext", "lem.sum_split"]
    known = {name: replay.statements()[name] for name in names}
    monkeypatch.setattr(replay, "statements", lambda: known)
    monkeypatch.setattr(replay, "replay", lambda **_: [])
    monkeypatch.setattr(build, "texts", lambda: {name: build.file_of(name) for name in names})
    monkeypatch.setattr(build, "scripts_with_files", dict)
    monkeypatch.setattr(build, "BUILT", tmp_path / "built.txt")
    monkeypatch.setattr(build, "FOLDER", tmp_path)
    monkeypatch.setattr(remake, "KEPT", tmp_path / "kept")
    seals.write(tmp_path / "built.txt", seals.read(ROOT / "proofs" / "built.txt"))
    built: list[str] = []
    real = build.attempt

    def attempt(name: str, shorten: bool = False) -> Any:
        if len(built) == 2 and "interrupted" not in built:
            built.append("interrupted")
            raise KeyboardInterrupt
        built.append(name)
        return real(name, shorten)

    monkeypatch.setattr(build, "attempt", attempt)
    with pytest.raises(KeyboardInterrupt):
        remake.build_proofs(True, 1)
    assert remake.build_proofs(True, 1) == 0
    order = list(known)
    assert built == [*order[:2], "interrupted", *order[2:]]
    assert not (tmp_path / "kept").exists()
    journal = remake.Journal(tmp_path / "kept", "programs of before")
    journal.add(order[0])
    assert remake.Journal(tmp_path / "kept", "programs of before").done == {order[0]}
    assert remake.Journal(tmp_path / "kept", "programs of today").done == set()


def test_what_the_checker_refuses_is_built_again(remake: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    build, asked = sys.modules["build"], []
    refused = replay.Verdict("lem.sum_mono", "OPEN", rejected=("lem.sum_mono.json: wrong",))
    orphan = replay.Verdict("lem.gone", "OPEN", rejected=("lem.gone.json: wrong",))
    monkeypatch.setattr(replay, "replay", lambda **_: [refused, orphan])
    monkeypatch.setattr(build, "build_all", lambda names, *_, **__: asked.append(names) or 0)
    monkeypatch.setattr(build.Record, "current", lambda self, name: True)
    monkeypatch.setattr(replay.library, "cache_clear", lambda: None)
    assert remake.build_proofs(False, 1) == 1  # the orphan has neither text nor script
    assert asked == [["lem.sum_mono"]]
