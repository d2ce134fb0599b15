"""Sweeps that are ended at random moments and go on: ``python tests/verify/kills.py 100`` counts what is lost and what
is repeated. Most are killed by SIGKILL, some by SIGINT or SIGTERM. Beside some of them a second process is begun on the
same checkpoint, which must be refused, or go on where the first one has ended.

After each kill, and at the end, the rows of the checkpoint are read without symcook: every word that they describe is
ticked off in a table of all words. One that is ticked twice was repeated; one that was there before a kill and is not
after it was lost; and in the end all are there, with as many mismatches as a sweep that nobody killed has.
"""

from __future__ import annotations

import json
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from itertools import product
from pathlib import Path

LENGTH = 12
LETTERS = "()"
SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGKILL, signal.SIGINT, signal.SIGTERM)
ENDED = (-signal.SIGKILL, -signal.SIGTERM, -signal.SIGINT, 130)
"""The exit codes of a sweep that was ended."""
REFUSED = b"a checkpoint file must be used by only one check at a time"
CHILD = """
import sys
from symcook.verify import answers, chunks
answers.BLOCK, chunks.CHUNK_SECONDS = 2**6, 1e-5  # many rows
from symcook.__main__ import main
if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
"""
SPEC = """
import symcook as sc

def step(depth, token):
    return depth if depth < 0 else depth - 1 if token == ")" else min(depth + 1, 4)

shallow = sc.Fold(0, step, lambda depth: depth == 0)
"""
"""Brackets, of which no more than four are remembered: the first difference is at length 10."""


def described(file: Path) -> list[str]:
    """All words that the rows of a checkpoint describe, one by one."""
    if not file.exists():
        return []
    with tempfile.TemporaryDirectory() as folder:  # reading must not touch what is tested
        copy = Path(folder) / file.name
        for end in ("", "-wal"):
            if (part := Path(f"{file}{end}")).exists():
                Path(f"{copy}{end}").write_bytes(part.read_bytes())
        connection = sqlite3.connect(copy)
        try:
            rows = connection.execute("select first, last, prefix, strings from chunk").fetchall()
        except sqlite3.OperationalError:  # killed before there were tables
            return []
        finally:
            connection.close()
    words = []
    for first, last, prefix, strings in rows:
        start = "".join(json.loads(prefix))
        own = [
            start + "".join(rest) for n in range(first, last + 1) for rest in product(LETTERS, repeat=n - len(start))
        ]
        assert len(own) == strings
        words += own
    return words


def command(folder: Path, workers: int, longest: int) -> list[str]:
    """The command that is killed, which is the one that goes on."""
    (folder / "child.py").write_text(CHILD)
    (folder / "shallow.py").write_text(SPEC)
    options = ["--spec", str(folder / "shallow.py") + ":shallow", "--resume", str(folder / "sweep.db"), "--json"]
    more = ["--workers", str(workers)] if workers > 1 else []
    return [sys.executable, str(folder / "child.py"), "check", "dyck-1", "--max-length", str(longest), *options, *more]


def depth(word: str, most: int) -> int:
    """The depth behind a word where no more than `most` are remembered; negative behind a bracket too many."""
    reached = 0
    for letter in word:
        reached = reached if reached < 0 else reached - 1 if letter == ")" else min(reached + 1, most)
    return reached


def answer(words: list[str]) -> dict[str, object]:
    """What is to be found."""
    found = [word for word in words if (depth(word, LENGTH) == 0) != (depth(word, 4) == 0)]
    return {"strings": len(words), "mismatches": len(found), "counterexample": found[0]}


def written(file: Path) -> list[tuple[int, int]]:
    """What changes when a row is written."""
    parts = [Path(f"{file}{end}") for end in ("", "-wal")]
    return [(part.stat().st_mtime_ns, part.stat().st_size) for part in parts if part.exists()]


def refused(rival: list[str], wanted: dict[str, object]) -> bool:
    """Whether a second process on a checkpoint is refused; else the first one has ended, and it answers as wanted."""
    done = subprocess.run(rival, capture_output=True)
    if done.returncode == 2:
        assert REFUSED in done.stderr, done
        return True
    found = json.loads(done.stdout)
    assert done.returncode == 1 and {key: found[key] for key in wanted} == wanted, (done, wanted)
    return False


def killed(kills: int, seed: int = 0, longest: int = LENGTH) -> dict[str, int]:
    """How often a sweep was ended, how often of these with rows written and rows to come, how many strings were lost
    and repeated, how many sweeps were needed, and how often a second process was refused."""
    counts: dict[str, int] = dict.fromkeys(("kills", "midway", "lost", "repeated", "sweeps", "refused"), 0)
    chance = random.Random(seed)
    every = ["".join(word) for n in range(1, longest + 1) for word in product(LETTERS, repeat=n)]
    wanted = answer(every)
    while counts["kills"] < kills:
        with tempfile.TemporaryDirectory() as name:
            folder, known = Path(name), set()
            file = folder / "sweep.db"
            counts["sweeps"] += 1
            over = False
            while not over:
                workers, before = chance.choice([1, 1, 2]), written(file)
                process = subprocess.Popen(
                    command(folder, workers, longest), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
                )
                wait, begun, second = chance.uniform(0, 0.3), None, chance.random() < 0.2
                while counts["kills"] < kills and process.poll() is None:
                    if begun is None and written(file) != before:
                        begun = time.monotonic()
                    if begun is not None and second:
                        second = False
                        counts["refused"] += refused(command(folder, 1, longest), wanted)
                    if begun is not None and time.monotonic() - begun > wait:
                        process.send_signal(chance.choice(SIGNALS))
                        break
                    time.sleep(0.002)
                out = process.communicate()[0]
                words = described(file)
                counts["repeated"] += len(words) - len(set(words))
                counts["lost"] += len(known.difference(words))
                known = set(words)
                over = process.returncode not in ENDED
                counts["kills"] += not over
                counts["midway"] += 0 < len(known) < len(every)
            found = json.loads(out)
            assert process.returncode == 1 and {key: found[key] for key in wanted} == wanted, (found, wanted)
            assert known == set(every)
    return counts


if __name__ == "__main__":
    print(killed(int(sys.argv[1])))
