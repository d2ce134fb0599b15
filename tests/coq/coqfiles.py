"""Files for Coq, and what it says of them: many in one process, which takes about a second to begin."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable
from itertools import accumulate
from pathlib import Path


def said(folder: Path, name: str) -> tuple[int, str]:
    """The exit code of coqc for a file, and what it prints. That it was killed, or had no memory, is no answer."""
    command = ["coqc", "-q", "-w", "none", "-noglob", "-Q", ".", "Symcook", f"{name}.v"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), (name, done.returncode)
    return done.returncode, done.stdout + done.stderr


def compiled(folder: Path, name: str) -> bool:
    """Whether Coq accepts a file. It says why not."""
    code, text = said(folder, name)
    print(text)
    return code == 0


def misjudged(folder: Path, right: Iterable[str], wrong: Iterable[str]) -> str | None:
    """What Coq says of the first of some files that it refuses though it is right, or accepts though it is wrong.

    One process reads all of them, each without what the others define: a right one in a module, a wrong one by a
    command that must fail and leaves nothing. In a file that is loaded nothing may fail, so a right one is not.
    """
    texts, blocks = [*((one, True) for one in right), *((one, False) for one in wrong)], []
    for k, (text, accept) in enumerate(texts):
        (folder / f"asked_{k}.v").write_text(text)
        blocks.append(f"Module Asked{k}.\n{text}\nEnd Asked{k}." if accept else f'Fail Load "asked_{k}".')
    (folder / "asked.v").write_text("\n".join(blocks) + "\n")
    code, text = said(folder, "asked")
    if code == 0:
        return None
    which = texts[0]
    if asked := re.search(r'File "(?:\./)?asked\.v", line (\d+)', text):
        ends = accumulate(block.count("\n") + 1 for block in blocks)
        which = texts[next(k for k, end in enumerate(ends) if int(asked[1]) <= end)]
    return f"{'refused' if which[1] else 'accepted'}: {text[-2000:]}\n{which[0][-6000:]}"
