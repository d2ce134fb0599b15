"""What the two checkers say of the stored certificates: each replays them once in a run, however many tests ask.

A run is a test session with all its workers, or CI as a whole, which replays before its tests and keeps the answers in
the folder that SYMCOOK_VERDICTS names: `FIRST` as ``proofs/ledger.py --verdicts`` writes it, `SECOND` as
``proofs/checker.py`` prints it, and `FILES`, the hashes of what that read. An answer counts only where the hashes of
all that it rests on fit; where CI has left none, the first test that asks replays, and conftest.py makes the folder.
"""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from symcook import claims
from symcook.proof import replay
from symcook.proof.replay import Library, Verdict

VARIABLE = "SYMCOOK_VERDICTS"
FIRST, SECOND, FILES = "first.json", "second.txt", "second.sha256"
ROOT = replay.proofs_directory()
REPLAY = replay.replay  # as it is; `replayed` puts what was said before in its place
SETTLE = Library._settle
HOLDS = ("PROVED", "DECIDED", "CHECKED")  # what stands so in a verdict stands so too in what others rest on


def load_module(name: str) -> Any:
    """A script of the folder of proofs as a module."""
    spec = importlib.util.spec_from_file_location(f"proofs_{name}", ROOT / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def folder() -> Path:
    return Path(os.environ[VARIABLE])


def once(name: str, make: Callable[[], str]) -> str:
    """The text of a file of the folder; made by the worker that asks first, while the others wait."""
    path = folder() / name
    with (folder() / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.is_file():
            path.write_text(make(), encoding="utf-8")
        return path.read_text(encoding="utf-8")


def fitting(rows: dict[str, Any], names: Iterable[str]) -> dict[str, Verdict]:
    """The verdicts of `names`: from `rows` where the hash of what it rests on fits, else by a replay."""
    out: dict[str, Verdict] = {}
    for name in names:
        out[name] = known(rows, name) or REPLAY([name])[0]
    return out


def known(rows: dict[str, Any], name: str) -> Verdict | None:
    """The verdict of one row; None where there is none, or the hash of what it rests on does not fit."""
    row = dict(rows.get(name, {}))
    if not row or row.pop("rests") != claims.row_digest(name):
        return None
    fields: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in row.items()}
    return Verdict(**fields)


def settled(library: Library, name: str) -> Verdict:
    """As the project's own library settles an id, but what this run has said of the certificates that hold is known."""
    own = library.root == ROOT and library is replay.library()
    if own and name not in library._verdicts and (folder() / FIRST).is_file():
        take_over(library)
    return SETTLE(library, name)


@cache
def take_over(library: Library) -> None:
    """Once for a process: all verdicts of the file that hold, each behind those of the lemmas that it uses."""
    rows = json.loads(once(FIRST, str))
    for one in rows:
        if one not in library._verdicts and rows[one]["status"].startswith(HOLDS) and (found := known(rows, one)):
            library._verdicts[one] = found


@cache
def verdicts() -> dict[str, Verdict]:
    """What the first checker says of every stored certificate."""
    rows = json.loads(once(FIRST, lambda: load_module("ledger").verdicts_text()))
    return fitting(rows, replay.library().certificates())


def verdict(name: str) -> Verdict:
    """That of one certificate: from the file where all are replayed already, else by a replay of this one."""
    return verdicts()[name] if (folder() / FIRST).is_file() else REPLAY([name])[0]


@pytest.fixture
def replayed(monkeypatch: pytest.MonkeyPatch) -> None:
    """What tells of stored proofs takes what the replay of this run said of them, and replays none again."""
    known = cache(verdict)

    def said(ids: Iterable[str] | None = None, *_: Any, **__: Any) -> list[Verdict]:
        return list(verdicts().values()) if ids is None else [known(name) for name in ids]

    monkeypatch.setattr(replay, "replay", said)


def second(*arguments: Any, code: int = 0) -> list[str]:
    """What the second checker prints when it runs alone: without symcook, without anything installed, or a warning."""
    command = [sys.executable, "-I", "-S", "-W", "error", str(ROOT / "checker.py"), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert (done.returncode, done.stderr) == (code, ""), done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout.splitlines()


def hashes(*paths: Path) -> list[str]:
    return [hashlib.sha256(path.read_bytes()).hexdigest() for path in paths]


def second_lines(expanded: Path) -> list[str] | None:
    """What the second checker has printed in CI of every stored certificate, with the statements as `expanded` has
    them; None where it was not asked about these."""
    stored = sorted((ROOT / "certificates").glob("*.json"))
    if (folder() / FILES).is_file():
        before = [line.split()[0] for line in (folder() / FILES).read_text(encoding="utf-8").splitlines()]
        if sorted(before) == sorted(hashes(ROOT / "checker.py", expanded, *stored)):
            return (folder() / SECOND).read_text(encoding="utf-8").splitlines()
    return None
