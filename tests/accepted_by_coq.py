"""What coqc has accepted of the files by hand in this run: the tests of one file ask it, the others do not again."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from symcook.coq import judge as judging
from symcook.coq.development import PRELUDE, Development

with_coqc = pytest.mark.skipif(shutil.which("coqc") is None, reason="coqc is not installed")


def needs_coqc(test: Callable[..., None]) -> Callable[..., None]:
    """A test that asks coqc: a sweep, since the files by hand take it a minute."""
    return pytest.mark.sweep(with_coqc(test))


LEFT = Path(os.environ["SYMCOOK_VERDICTS"]) / "coq"


def files_by_hand(folder: Path) -> None:
    """Put the files by hand with what coqc has made of them into `folder`: from the folder where CI checks its sample;
    where there is none, the worker that asks first lets coqc and coqchk read them, while the others wait."""
    left = LEFT
    if not left.is_dir():
        left = LEFT.with_name("by-hand")
        with left.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not left.is_dir():
                judging.verdict(Development([], models=[]), left, print)
    take_over(left, folder)


def take_over(left: Path, folder: Path) -> None:
    """The files by hand that coqc has accepted already in the folder where CI checks its sample, perhaps just now. They
    are judged again where their text is another one."""
    known: dict[str, Any] = {}
    for _ in range(50):
        with contextlib.suppress(OSError, ValueError):  # no such folder, or its record is being written
            known = json.loads((left / judging.RECORD).read_text())
            break
        if not left.is_dir():
            return
        time.sleep(0.1)
    kept = {file: row for file, row in known.items() if file in (*PRELUDE, "Definitions") and row["accepted"]}
    folder.mkdir()
    (folder / "_CoqProject").touch()
    for file in kept:
        for end in (".v", ".vo"):
            shutil.copy(left / f"{file}{end}", folder)
    (folder / judging.RECORD).write_text(json.dumps(kept))
