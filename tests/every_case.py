"""Run every case of every test, and record it: of which tree, how many passed, how long each folder and each long test
takes.

python tests/every_case.py          pytest -n auto --every-case, a folder of tests after the other
python tests/every_case.py --show   what is recorded, and whether it is of this tree

A run takes an hour and can be broken off: what each folder has said is kept in build/every_case, and the same command
goes on with the folders that are missing, and asks those again in which something has failed, or whose tests rest on
what has changed since: anything but tests of other folders. The record, tests/every_case.json, is written when none is
missing.

The hash is that of all files under version control but the record. What is recorded of an older tree stays
true of that one, and is shown as older. The exit code is 1 where a test has failed, and pytest's where a folder did not
come to its end; a tree with changes that are not committed is refused (exit 2).
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from checkout import RECORD, ROOT, TESTS

KEPT = ROOT / "build" / "every_case"


def files() -> str:
    """Every file of the last commit with its hash, one a line, but the record."""
    listed = subprocess.run(["git", "ls-tree", "-r", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True)
    without = str(RECORD.relative_to(ROOT))
    return "".join(line + "\n" for line in listed.stdout.splitlines() if line.partition("\t")[2] != without)


def tree() -> str:
    return hashlib.sha256(files().encode()).hexdigest()


def said_of(ended: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {kind}" for kind, count in ended.items())


def sentence(record: dict[str, Any], now: str) -> str:
    """What is recorded, and whether it is of the tree with the hash `now`."""
    which = "this tree" if record["tree"] == now else "an older tree"
    return f"every case on {which} ({record['tree'][:12]}): {said_of(record['ended'])}"


def parts() -> dict[str, list[Path]]:
    """What is run at a time: the tests of each folder, and the files beside the folders."""
    folders = sorted({path.parent for path in TESTS.glob("*/test_*.py")})
    return {folder.name: [folder] for folder in folders} | {"top": sorted(TESTS.glob("test_*.py"))}


def rests(paths: list[Path], listed: str) -> str:
    """The hash of what the tests of a part rest on, of the `files`: of all of them, but for tests in other folders that
    none of its own files names. Tests beside the folders may read every other."""
    if len(paths) == 1:
        texts = "".join(path.read_text(encoding="utf-8") for path in sorted(paths[0].glob("*.py")))
        here = str(paths[0].relative_to(ROOT))
        listed = "".join(
            line for line in listed.splitlines(keepends=True)
            if (path := Path(line.rstrip().partition("\t")[2])).parent == Path(here) or path.parts[0] != TESTS.name
            or not path.match("test_*.py") or path.stem in texts
        )  # fmt: skip
    return hashlib.sha256(listed.encode()).hexdigest()


def run(paths: list[Path], out: Path) -> int:
    """All cases of a part; what they have said is kept where pytest has come to its end. Its exit code."""
    said = out.with_suffix(".said")
    out.unlink(missing_ok=True)
    said.unlink(missing_ok=True)
    asked = [sys.executable, "-m", "pytest", "-n", "auto", "--every-case", "--record", str(said)]
    verdicts = KEPT / "verdicts"  # what both checkers say, replayed once for all parts
    verdicts.mkdir(exist_ok=True)
    named = [str(path.relative_to(ROOT)) for path in paths]
    code = subprocess.run(
        [*asked, *named], cwd=ROOT, check=False, env=os.environ | {"SYMCOOK_VERDICTS": str(verdicts)}
    ).returncode
    if code in (0, 1) and said.exists():
        said.replace(out)
        return code
    return code or 1


def main() -> int:
    if "--show" in sys.argv[1:]:
        print(sentence(json.loads(RECORD.read_text(encoding="utf-8")), tree()) if RECORD.exists() else "never recorded")
        return 0
    if subprocess.run(["git", "status", "--porcelain"], cwd=ROOT, capture_output=True, text=True, check=True).stdout:
        print("commit first: the record names the hash of what was committed", file=sys.stderr)
        return 2
    before, listed = tree(), files()
    KEPT.mkdir(parents=True, exist_ok=True)
    ended, seconds, failed, whole = Counter[str](), Counter[str](), list[str](), parts()
    long = dict[str, float]()
    for number, (name, paths) in enumerate(whole.items(), 1):
        out = KEPT / f"{name}-{rests(paths, listed)[:12]}.json"
        if not out.exists() or json.loads(out.read_text(encoding="utf-8"))["failed"]:
            code = run(paths, out)
            if not out.exists():
                print(f"{name} did not come to its end: nothing is recorded; the same command goes on", file=sys.stderr)
                return code
        said = json.loads(out.read_text(encoding="utf-8"))
        ended.update(said["ended"])
        seconds.update(said["seconds"])
        long |= said["long"]
        failed += said["failed"]
        print(f"{number} of {len(whole)}, {name}: {said_of(said['ended'])}", *said["failed"], sep="\n  ", flush=True)
    rounded = {name: round(s, 1) for name, s in seconds.items()}
    record = {"tree": before, "ended": dict(ended), "seconds": rounded, "long": dict(sorted(long.items()))}
    RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    print(sentence(record, tree()), *failed, sep="\n  ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
