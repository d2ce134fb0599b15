"""What coqc has accepted of the files by hand in the folder where CI checks its sample: tests do not ask it again."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import time
from pathlib import Path
from typing import Any

from symcook.coq import judge as judging
from symcook.coq.development import PRELUDE

LEFT = Path(os.environ["SYMCOOK_VERDICTS"]) / "coq"


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
