"""Run every case of every test, and record it: of which tree, how many passed, how long each folder takes.

python tests/every_case.py          pytest -n auto --every-case; writes tests/every_case.json
python tests/every_case.py --show   what is recorded, and whether it is of this tree

The hash is that of all files under version control but the record. What is recorded of an older tree stays
true of that one, and is shown as older. The exit code is pytest's; a tree with changes that are not committed is
refused (exit 2).
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from checkout import RECORD, ROOT


def files() -> str:
    """Every file of the last commit with its hash, one a line, but the record."""
    listed = subprocess.run(["git", "ls-tree", "-r", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True)
    without = str(RECORD.relative_to(ROOT))
    return "".join(line + "\n" for line in listed.stdout.splitlines() if line.partition("\t")[2] != without)


def tree() -> str:
    return hashlib.sha256(files().encode()).hexdigest()


def sentence(record: dict[str, object], now: str) -> str:
    """What is recorded, and whether it is of the tree with the hash `now`."""
    ended = record["ended"]
    assert isinstance(ended, dict)
    said = ", ".join(f"{count:,} {kind}" for kind, count in ended.items())
    which = "this tree" if record["tree"] == now else "an older tree"
    return f"every case on {which} ({str(record['tree'])[:12]}): {said}"


def main() -> int:
    if "--show" in sys.argv[1:]:
        print(sentence(json.loads(RECORD.read_text(encoding="utf-8")), tree()) if RECORD.exists() else "never recorded")
        return 0
    if subprocess.run(["git", "status", "--porcelain"], cwd=ROOT, capture_output=True, text=True, check=True).stdout:
        print("commit first: the record names the hash of what was committed", file=sys.stderr)
        return 2
    before = tree()
    with tempfile.TemporaryDirectory() as folder:
        said = Path(folder) / "said.json"
        asked = [sys.executable, "-m", "pytest", "-n", "auto", "--every-case", "--record", str(said)]
        code = subprocess.run(asked, cwd=ROOT, check=False).returncode
        if code not in (0, 1) or not said.exists():
            print("not every case was run: nothing is recorded", file=sys.stderr)
            return code or 1
        record = {"tree": before, **json.loads(said.read_text(encoding="utf-8"))}
    RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    print(sentence(record, tree()))
    return code


if __name__ == "__main__":
    sys.exit(main())
