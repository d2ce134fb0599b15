"""What commands say under ``python -O``, compared with what they say without it: no assert may do work or check.

``python tests/optimized.py`` runs all of `COMMANDS` in both ways, each in a folder of its own, and compares exit
codes, both streams and every file that is written. pytest's own asserts are not needed for it.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

COMMANDS = """
derive dyck-1
compile ltl "prev Q_a | Q_b" --alphabet "a b" --soft -o m.json && check m.json --max-length 4
compile count "#left[Q_a] = #left[Q_b]" --alphabet "a b" --prove -o m.json && prove m.json
compile tm 1RB1LB_1LA1RZ --theorem 2 -o m.json && run m.json --steps 9 --json
prove yang2026.lemma7 merrill2024.lemma8
decide dyck-1 --certificate c.json && decide dyck-1 --check c.json
hardsoft dyck-1 --max-length 4 --error 1/4
export dyck-1 -o w.npz --max-length 6 && verify-export w.npz
derive parity
""".strip().split("\n")
FEWEST = (0, 1)
"""Lines of the kinds that an assert with work in it once changed: the suite runs these, CI runs all (60 s of processor
time)."""


class Answer(NamedTuple):
    """What one command answers."""

    code: int
    stdout: bytes
    stderr: bytes


def answers(line: str, flags: tuple[str, ...] = ()) -> list[object]:
    """Exit codes, streams and files of a line of commands, up to the first that does not end with 0."""
    out: list[object] = []
    with tempfile.TemporaryDirectory() as folder:
        for command in line.split(" && "):
            words = [quoted or word for quoted, word in re.findall(r'"([^"]*)"|(\S+)', command)]
            program = [sys.executable, "-P", *flags, "-m", "symcook", *words]
            environment = {k: v for k, v in os.environ.items() if k != "PYTHONOPTIMIZE"}
            done = subprocess.run(program, cwd=folder, env=environment, capture_output=True, timeout=600)
            out.append(Answer(done.returncode, _untimed(done.stdout), _untimed(done.stderr)))
            if done.returncode:
                break
        out += [(path.name, path.read_bytes()) for path in sorted(Path(folder).iterdir())]
    return out


def differs(line: str) -> str | None:
    """How ``python -O`` differs on a line of commands, or what ends with a defect or with bad input; else None."""
    plain, optimized = answers(line), answers(line, ("-O",))
    asked = [one for one in plain if isinstance(one, Answer)]
    if any(one.code in (2, 4) for one in asked):
        return f"{line}: is no question: {asked[-1].stderr!r}"
    if plain != optimized:
        pairs = zip(plain, optimized, strict=False)
        first = next((pair for pair in pairs if pair[0] != pair[1]), (len(plain), len(optimized)))
        return f"{line}\n  without -O: {str(first[0])[:400]}\n  with -O:    {str(first[1])[:400]}"
    return None


def _untimed(stream: bytes) -> bytes:
    return re.sub(rb"\d+(\.\d+)? (s|seconds)\b", b"T s", stream)


def main() -> int:
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [one for one in pool.map(differs, COMMANDS) if one]
    print("\n".join(found) or f"{len(COMMANDS)} lines of commands answer the same under python -O")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
