"""The lines of this checkout beside those of another one: is any of them slower than it was?

    python benchmarks/against.py OTHER [--only PART] [--rounds N]

OTHER is a checkout of this project, for example `git worktree add ../before COMMIT`. Both run their own
benchmarks/run.py in turn, N times (5 where nothing is said); of each line that both have, the median seconds of our
side count. Prints this checkout's seconds divided by the other's, the slowest first. Exit code 1 where one line is
above 1.25: less than that two runs of the same code differ by on a busy machine.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
NOISE = 1.25


def measured(checkout: Path, only: str | None) -> dict[str, float]:
    """Seconds of our side for each line of a checkout's own benchmarks."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "rows.json"
        command = [sys.executable, str(checkout / "benchmarks" / "run.py"), "--json", str(place)]
        command += [] if only is None else ["--only", only]
        subprocess.run(command, check=True, stdout=sys.stderr, env={**os.environ, "PYTHONPATH": str(checkout)})
        rows = json.loads(place.read_text(encoding="utf-8"))["rows"]
        return {row["what"]: row["seconds"] for row in rows if "missing" not in row}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Seconds of this checkout divided by those of another.")
    parser.add_argument("other", type=Path, help="a checkout of this project")
    parser.add_argument("--only", help="one part of the table")
    parser.add_argument("--rounds", type=int, default=5, help="how often each runs")
    options = parser.parse_args(arguments)
    if not (options.other / "benchmarks" / "run.py").is_file():
        parser.error(f"{options.other} must be a checkout of this project; make one with git worktree add")
    found: list[dict[str, list[float]]] = [{}, {}]
    for _ in range(options.rounds):
        for side, checkout in enumerate((HERE, options.other.resolve())):
            for what, seconds in measured(checkout, options.only).items():
                found[side].setdefault(what, []).append(seconds)
    ours, others = ({what: statistics.median(many) for what, many in side.items()} for side in found)
    ratios = sorted(((ours[what] / others[what], what) for what in ours.keys() & others.keys()), reverse=True)
    for ratio, what in ratios:
        print(f"{ratio:8.2f}  {what} ({ours[what]:.4g} s, {others[what]:.4g} s)")
    print(f"{len(ratios)} lines, {len(ours) - len(ratios)} here only, {len(others) - len(ratios)} there only")
    return 1 if ratios and ratios[0][0] > NOISE else 0


if __name__ == "__main__":
    sys.exit(main())
